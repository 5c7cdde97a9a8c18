#!/bin/sh
# same-ir.sh LLVM.ll OURS.ll -- succeeds if both count alike: the same code but
# for what our pass adds (metadata, a constructor of its own, types) or leaves out (unused loads and declarations,
# attributes that counting makes untrue).
set -e
normalize() {
    sed "s/ optnone / /" "$1" |
        opt -S -passes="function(adce),strip-dead-prototypes,strip" -o "$2.ll"
    sed -e '/^define .*@memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer()/,/^}/d' \
        -e '/^module asm .*pushsection .memprof_types/,/^module asm .*popsection/d' \
        -e '/^@llvm.\(used\|global_ctors\)/s/\[[0-9]* x/[N x/' \
        -e 's/ptr @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer, ptr @/ptr @/' \
        -e 's/{ i32, ptr, ptr } { i32 1, ptr @memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer, ptr null }, //' \
        -e '/^[;!]/d' -e '/^attributes/d' -e 's/, !nosanitize ![0-9]*//' \
        -e 's/ !pcsections ![0-9]*//' \
        -e 's/ #[0-9]*//g' -e 's/![0-9][0-9]*/!N/g' -e '/^declare/d' \
        -e '/^$/d' -e 's/; preds =.*//' "$2.ll"
}
normalize "$1" "$1.norm" >"$1.norm"
normalize "$2" "$2.norm" >"$2.norm"
grep -q __memprof_ "$1.norm"
# An LLVM before 20 has no options that are compiled in.
grep -q __memprof_default_options_str "$1.norm" ||
    sed -i '/__memprof_default_options_str =/d' "$2.norm"
diff "$1.norm" "$2.norm"
