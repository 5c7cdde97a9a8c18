# complete.zsh FOLDER OUT LINE -- gives LINE and the tab key to a zsh that has the
# completion functions of FOLDER; prints "line: " and what it made of LINE, then all
# that it showed. OUT is a folder for files of ours.
zmodload zsh/zpty || exit 1
line=$2/line
rm -rf $2 && mkdir -p $2 || exit 1
cat > $2/.zshrc <<END
fpath=(${(q)1} \$fpath)
autoload -Uz compinit
compinit -u -D
LISTMAX=100000
bindkey '^I' complete-word
zle-line-init() { print -n READY }
tell() { print -r -- "line: \$BUFFER" > ${(q)2}/part; mv ${(q)2}/part ${(q)2}/line }
zle -N zle-line-init
zle -N tell
bindkey '^T' tell
END
zpty -b shell "ZDOTDIR=${(q)2} TERM=dumb zsh -d -i"
# Waits until $1 is true; keeps what the shell shows in $shown.
shown=
wait_until() {
    local text
    for ((i = 0; i < 3000; i++)); do
        while zpty -r -t shell text; do shown+=$text; done
        eval $1 && return
        zpty -t shell || break
        sleep 0.02
    done
    print -r -- "not seen: $1; but: $shown"
    exit 1
}
wait_until '[[ $shown == *READY* ]]'
zpty -w -n shell $3$'\t\x14'
wait_until '[[ -e $line ]]'
zpty -d shell
cat $line
print -r -- ${shown//$'\r'}
