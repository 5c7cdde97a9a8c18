# usage: dwarf-objects.sh INPUTS DIRECTORY CLANG
# Builds small programs with debug information of many kinds: in DIRECTORY/read what
# our reader answers wholly, in DIRECTORY/left what it leaves to LLVM.
set -eu
inputs=$1 out=$2 clang=$3
mkdir -p "$out/read" "$out/left"
cd "$inputs"

for version in 4 5; do
    for level in 0 2 3; do
        for cc in gcc "$clang"; do
            name=$out/read/$(basename "$cc")-$version-O$level
            "$cc" -gdwarf-$version -O$level inlined.c inlined2.c -o "$name-c" &
            case $cc in gcc) cxx=g++ ;; *) cxx=$clang++ ;; esac
            "$cxx" -gdwarf-$version -O$level inlined.cpp -o "$name-cxx" &
            wait
        done
    done
    for cc in gcc "$clang"; do
        name=$out/read/$(basename "$cc")-$version
        "$cc" -gdwarf-$version -O2 -ffunction-sections -Wl,--gc-sections \
            inlined.c inlined2.c -o "$name-sections"
        "$cc" -gdwarf-$version -O2 -fuse-ld=lld -ffunction-sections \
            -Wl,--gc-sections inlined.c inlined2.c -o "$name-lld"
        "$cc" -gdwarf-$version -O2 -no-pie inlined.c inlined2.c -o "$name-static"
    done
    "$clang" -gdwarf-$version -O2 -flto -fuse-ld=lld -ffat-lto-objects \
        inlined.c inlined2.c -o "$out/read/clang-$version-lto"
    gcc -gdwarf-$version -O2 -flto inlined.c inlined2.c -o "$out/read/gcc-$version-lto"
    "$clang" -gdwarf-$version -gline-tables-only -fdebug-info-for-profiling -O2 \
        inlined.c inlined2.c -o "$out/read/clang-$version-profiling"
    "$clang" -gdwarf-$version -gline-tables-only -O2 inlined.c inlined2.c \
        -o "$out/read/clang-$version-lines"
    "$clang++" -gdwarf-$version -fdebug-types-section -O2 inlined.cpp \
        -o "$out/read/clang-$version-types"
done
gcc -gdwarf-2 -O2 inlined.c inlined2.c -o "$out/read/gcc-2"
gcc -gdwarf-3 -O2 inlined.c inlined2.c -o "$out/read/gcc-3"
"$clang" -gdwarf-5 -O2 inlined.c -c -o "$out/read/one.o"
gcc -gdwarf-4 -O2 inlined2.c "$out/read/one.o" -o "$out/read/mixed"
rm "$out/read/one.o"
# What is left to LLVM.
gcc -g -O2 -gz inlined.c inlined2.c -o "$out/left/compressed"
(cd "$out/left" && "$clang" -g -gsplit-dwarf -O2 "$inputs/inlined.c" \
    "$inputs/inlined2.c" -o split)
