# look.sh -- has looks.mjs, which reads file 9 and writes file 8, run one of its programs.
#
# usage: look.sh ANSWER PROGRAM.mjs [ARGUMENT...]
answer=$1
shift
printf '%s\n' $# "$@" >&9
read -r status <&8 || exit 2
cat "$answer"
exit "$status"
