#!/bin/sh
# demo.sh -- all steps with one small program: compile, run, merge, report, use.
# `make demo` runs it with clang, our runtime, memprofdata and memprof.so on the
# paths that the commands below use.
#
# usage: demo.sh WORK-DIRECTORY
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu

source=$(cd "$(dirname "$0")" && pwd)/orders.cpp
rm -rf "$1"
mkdir -p "$1"
cd "$1"
cp "$source" .

# Prints a command as a user would type it, then runs it.
try() {
    printf '\n$ %s\n' "$1"
    eval "$1"
}

try 'memprof-clang++ -fmemory-profile -O2 orders.cpp -o orders'
try './orders'
try 'memprofdata merge *.raw -o app.profdata'
try 'memprofdata show --top=5 app.profdata'
try 'memprofdata report app.profdata -o report.html'

try 'memprofdata explain --verdict=cold --top=3 app.profdata'
try "memprof-clang++ -fprofile-use=app.profdata -O2 \\
    orders.cpp -S -emit-llvm -o orders.ll"

# Number of allocation calls with the attribute memprof=$1 in the compiler's output.
marked() {
    awk -v kind="$1" '
        /^attributes/ && index($0, "\"memprof\"=\"" kind "\"") {
            groups[$2] = 1
        }
        /(call|invoke) / { line[++n] = $0 }
        END {
            for (i = 1; i <= n; i++)
                for (g in groups)
                    if (line[i] ~ g "( |,|$)")
                        found++
            print found + 0
        }' orders.ll
}
cold=$(marked cold)
warm=$(marked notcold)
mixed=$(marked ambiguous)
printf '\nThe compiler matched %s allocation calls with the profile: ' \
    $((cold + warm + mixed))
printf '%s cold, %s not cold, %s cold or not depending on the caller.\n' \
    "$cold" "$warm" "$mixed"
[ $((cold + warm + mixed)) -gt 0 ]
printf '\nOpen this report in a browser: %s\n' "$PWD/report.html"
