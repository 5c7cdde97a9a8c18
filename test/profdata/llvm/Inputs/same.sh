#!/bin/sh
# same.sh MEMPROFDATA LLVM-PROFDATA APP RAW SHOWN -- merges a raw profile of LLVM's with
# both tools, all fields: llvm-profdata shows the same of both, in any order of the
# records. SHOWN is what it shows of ours, with one space for several.
set -e
merge="merge --memprof-version=4 --memprof-full-schema --profiled-binary=$3 $4"
"$1" $merge -o "$5.profdata"
"$2" $merge -o "$5.theirs"
for profile in "$5.profdata" "$5.theirs"; do
    "$2" show --memory "$profile" | sed 's/ \+/ /g' >"$profile.shown"
    sort "$profile.shown" >"$profile.sorted"
done
diff "$5.theirs.sorted" "$5.profdata.sorted"
mv "$5.profdata.shown" "$5"
