#!/bin/sh
# mission.sh -- a real program through the three mission commands as written.
#
# usage: mission.sh BUILD LLVM-VERSION WORK PROGRAM
#   PROGRAM: sqlite3 (speedtest1) or lua5.4
#
# Prints what a test checks with FileCheck: the report, and what the compiler did.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu

build=$1
llvm=$build/llvm-$2
work=$3
program=$4
here=$(cd "$(dirname "$0")" && pwd)

# What `make install` does for a user: our commands, a clang that links our
# runtime, the plugin where the dynamic linker finds it.
PATH=$llvm/bin:$build/bin:$PATH
LD_LIBRARY_PATH=$llvm${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH LD_LIBRARY_PATH

rm -rf "$work"
mkdir -p "$work"
cd "$work"

case $program in
sqlite3)
    source=$build/world/sqlite3
    sources="$source/bld/sqlite3.c $source/test/speedtest1.c"
    flags="-O2 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION
           -I$source/bld"
    libs=-lm
    arguments="--size 5 --testset main"
    # Times differ from run to run.
    normal='s/ *[0-9.]*s$//'
    ;;
lua5.4)
    source=$build/world/lua5.4/src
    # All but the compiler's main program.
    sources=$(ls "$source"/*.c | grep -v '/luac\.c$')
    flags="-O2 -w -DLUA_USE_LINUX -DLUA_COMPAT_5_3"
    libs="-lm -ldl"
    arguments=$here/Inputs/trees.lua
    normal=
    ;;
esac

# The plain program is there for its output only, which no optimisation changes.
# shellcheck disable=SC2086
{
    clang $flags -O0 $sources -o plain $libs
    clang -fpass-plugin=memprof.so -fmemory-profile $flags $sources -o app $libs
    ./plain $arguments >plain.out
    ./app $arguments >app.out
}
sed "$normal" plain.out >plain.normal
sed "$normal" app.out >app.normal
cmp plain.normal app.normal && echo "output: the same with and without memprof"

memprofdata merge *.raw -o app.profdata
memprofdata show app.profdata
llvm-profdata show --memory app.profdata >llvm.yaml
echo "contexts for LLVM's reader:" "$(grep -c 'MemInfoBlock:' llvm.yaml)"

# shellcheck disable=SC2086
clang -fpass-plugin=memprof.so -fprofile-use=app.profdata $flags \
    -mllvm -memprof-print-match-info $sources -o used $libs 2>used.err
./used $arguments | sed "$normal" >used.normal
cmp plain.normal used.normal && echo "output: the same after -fprofile-use"
grep -v '^MemProf ' used.err || echo "no complaint from -fprofile-use"
echo "matched:" "$(grep -c '^MemProf callsite match' used.err || true)"
