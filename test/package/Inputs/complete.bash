# complete.bash -- prints what a completion script offers for the last word.
# usage: complete.bash SCRIPT WORD...
. "$1"
shift
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_memprofdata
echo "${COMPREPLY[*]}"
