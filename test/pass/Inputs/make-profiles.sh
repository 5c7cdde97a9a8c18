#!/bin/sh
# make-profiles.sh CLANG++ LLVM-PROFDATA DIR -- profiles of new.cpp: mem.profdata,
# ir and cl.profdata (counters), ir+mem and cl+mem.profdata, and mem.raw. All by
# LLVM's tools.
set -e
clangxx=$1 profdata=$2 dir=$3
source=$(dirname "$0")/new.cpp
flags="-gline-tables-only -fdebug-info-for-profiling -fno-omit-frame-pointer
       -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls"
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
# shellcheck disable=SC2086
$clangxx -O1 $flags -fmemory-profile -Wl,--build-id "$source" -o mem
MEMPROF_OPTIONS=log_path=$PWD/raw ./mem
mv raw.* mem.raw
$clangxx -O2 -fprofile-generate "$source" -o ir
LLVM_PROFILE_FILE=ir.raw ./ir
$clangxx -O2 -fprofile-instr-generate "$source" -o cl
LLVM_PROFILE_FILE=cl.raw ./cl
for kind in ir cl; do
    $profdata merge $kind.raw -o $kind.profdata
    $profdata merge $kind.raw mem.raw --profiled-binary=mem \
        -o $kind+mem.profdata
done
$profdata merge mem.raw --profiled-binary=mem -o mem.profdata
