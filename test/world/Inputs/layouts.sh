# layouts.sh -- compiles a source file with an allocation of each struct that it defines.
#
# usage: layouts.sh OUT SOURCE CLANG [OPTION...]
#
# Writes OUT.types, the object's .memprof_types, and OUT.pahole.
set -eu
out=$1 source=$2
shift 2
clang="$* -O0 -gdwarf-4 -fno-eliminate-unused-debug-types -w"

allocate() {
    printf '#include "%s"\n#include <stdlib.h>\n' "$source"
    sed 's/.*/void *mp_&(void) { return malloc(sizeof(struct &)); }/' "$1"
}

$clang -E -P "$source" | grep -oE '(^|[^A-Za-z_])struct +[A-Za-z_][A-Za-z0-9_]* *(\{|$)' |
    sed -E 's/.*struct +([A-Za-z_0-9]+).*/\1/' | LC_ALL=C sort -u >"$out.names"
# Without structs within functions.
allocate "$out.names" >"$out.c"
$clang -fsyntax-only -ferror-limit=0 "$out.c" 2>&1 |
    sed -nE "s/.*incomplete type 'struct ([A-Za-z0-9_]+)'.*/\1/p" | LC_ALL=C sort -u >"$out.inner" || true
LC_ALL=C comm -23 "$out.names" "$out.inner" >"$out.all"
allocate "$out.all" >"$out.c"
$clang -fmemory-profile -c "$out.c" -o "$out.o"
pahole "$out.o" >"$out.pahole" 2>/dev/null
objcopy -O binary --only-section=.memprof_types --set-section-flags .memprof_types=alloc "$out.o" "$out.types"
