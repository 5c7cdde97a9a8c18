#!/bin/sh
# run.sh COMPILER MEMPROFDATA ALLOC [LTO...] -- builds the kinds with and without a
# profile of them, without LTO and with these kinds of LTO, and compares what the
# programs print. Fails if one prints something else.
set -e
compiler=$1 memprofdata=$2 alloc=$3
shift 3
from=${0%/*}
flags="-std=c++20 -O2 -Wno-unused -I$from"

$compiler $flags "-DALLOC(n)=$alloc" "$from/one.cpp" -o plain
./plain >expected
$compiler -x c -D_GNU_SOURCE -c "$from/../settle.c" -o settle.o
$compiler $flags "-DALLOC(n)=$alloc" -fmemory-profile "$from/one.cpp" settle.o -o collect
MEMPROF_PROFILE_FILE=kinds.memprofraw ./collect >collected
cmp expected collected
$memprofdata merge kinds.memprofraw -o kinds.profdata

# use NAME FLAG... -- prints which functions have copies of their own.
use() {
    name=$1
    shift
    $compiler $flags "-DALLOC(n)=$alloc" -fprofile-use=kinds.profdata \
        -mllvm -memprof-clone-growth=10000 "$@" -o "$name"
    timeout 60 "./$name" >"$name.printed"
    cmp expected "$name.printed"
    nm "$name" | sed -n "s/.* [tT] \(.*\.memprof\.[0-9]*\).*/$name: \1/p" | sort
}
use none "$from/one.cpp"
use none-all -mllvm -memprof-hints=all "$from/one.cpp"
for lto in "$@"; do
    use $lto -flto=$lto -fuse-ld=lld "$from/one.cpp"
    use $lto-two -flto=$lto -fuse-ld=lld "$from/kinds.cpp" "$from/main.cpp"
done
