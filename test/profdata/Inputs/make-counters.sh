#!/bin/sh
# make-counters.sh CLANG LLVM-PROFDATA DIR -- profiles of counters.c by LLVM's
# tools: a and b (two runs) with counters of the kinds ir, cs (IR with
# context-sensitive ones), cl (front-end) and temporal (IR with traces), and
# mem.raw of mem.
set -e
clang=$1 profdata=$2 dir=$3
source=$(cd "$(dirname "$0")" && pwd)/counters.c
mkdir -p "$dir"
cd "$dir"
$clang -O2 -fprofile-generate "$source" -o ir -Wl,--build-id
$clang -O2 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc \
    -mllvm -enable-value-profiling "$source" -o cl -Wl,--build-id
$clang -O2 -fprofile-generate -mllvm -pgo-temporal-instrumentation "$source" \
    -o temporal -Wl,--build-id
for kind in ir cl temporal; do
    LLVM_PROFILE_FILE=$kind-a.raw ./$kind 7 100 20
    LLVM_PROFILE_FILE=$kind-b.raw ./$kind 50 1 1 1000
    for run in a b; do
        $profdata merge $kind-$run.raw -o $kind-$run.profdata
    done
done
$clang -O2 -fprofile-use=ir-a.profdata -fcs-profile-generate "$source" -o cs
LLVM_PROFILE_FILE=cs-a.raw ./cs 7 100 20
LLVM_PROFILE_FILE=cs-b.raw ./cs 50 1 1 1000
for run in a b; do
    $profdata merge cs-$run.raw ir-$run.profdata -o cs-$run.profdata
done
$clang -O1 -gline-tables-only -fdebug-info-for-profiling \
    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
    -fno-optimize-sibling-calls -fmemory-profile "$source" -o mem -Wl,--build-id
MEMPROF_OPTIONS=log_path=$PWD/mem-raw ./mem 7 100 20
mv mem-raw.* mem.raw
