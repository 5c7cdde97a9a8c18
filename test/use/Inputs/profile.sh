#!/bin/sh
# profile.sh COMPILER MEMPROFDATA OUT SOURCE... [FLAG...] -- a profile of the program,
# OUT.profdata; the program stays beside it.
set -e
compiler=$1 memprofdata=$2 out=$3
shift 3
$compiler -x c -D_GNU_SOURCE -fmemory-profile -c "${0%/*}/settle.c" -o "$out.settle.o"
$compiler -O2 -fmemory-profile "$@" "$out.settle.o" -o "$out.collect"
MEMPROF_PROFILE_FILE=$out.memprofraw "$out.collect" >"$out.printed"
$memprofdata merge "$out.memprofraw" -o "$out.profdata"
