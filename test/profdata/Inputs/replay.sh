# replay.sh FUZZ-TARGETS SEEDS WORK -- runs each target once on each of its seeds, in
# an empty directory. Targets without seeds are none.
targets=$1 seeds=$2
rm -rf "$3" && mkdir -p "$3/in" && cd "$3/in" || exit 1
for folder in "$seeds"/*/; do
    name=$(basename "$folder")
    "$targets/fuzz_$name" -artifact_prefix="$3/" "$folder"* >"$3/log" 2>&1 ||
        { cat "$3/log"; exit 1; }
    [ "$(grep -c '^Executed ' "$3/log")" = "$(ls "$folder" | wc -l)" ] ||
        { echo "$name: not all seeds were run"; cat "$3/log"; exit 1; }
done
for target in "$targets"/fuzz_*; do
    case $target in *.*) continue ;; esac
    name=${target##*/fuzz_}
    [ -d "$seeds/$name" ] ||
        { echo "fuzz target $name has no seeds"; exit 1; }
done
