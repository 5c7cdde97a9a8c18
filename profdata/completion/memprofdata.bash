# bash completion for memprofdata: asks the tool for its commands, options and values.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the tool offers, for a command if $1 names one: a line each, of a word, what it is
# and, behind tabs, the values that there are.
_memprofdata_words()
{
    "${COMP_WORDS[0]}" help --words ${1:+"$1"} 2>/dev/null
}

# The value $2 of an option $1, "--option" of the command $3: one of its values, where
# there is a choice, else a file. $4 stands before what is offered.
_memprofdata_value()
{
    local word help values

    while IFS=$'\t' read -r word help values; do
        if [[ $word == "$1=" && -n $values ]]; then
            mapfile -t COMPREPLY < <(compgen -P "$4" -W "$values" -- "$2")
            return
        fi
    done < <(_memprofdata_words "$3")
    mapfile -t COMPREPLY < <(compgen -P "$4" -f -- "$2")
    compopt -o filenames
}

# Is $1 an option of the command $2 that takes a value?
_memprofdata_takes_value()
{
    [[ $1 == --* && $1 != *=* ]] && _memprofdata_words "$2" | cut -f1 | grep -qxF -e "$1="
}

_memprofdata()
{
    local word=${COMP_WORDS[COMP_CWORD]} topic= last=

    ((COMP_CWORD > 1)) && topic=${COMP_WORDS[1]} last=${COMP_WORDS[COMP_CWORD - 1]}
    # To bash, "--option=value" is three words, unless it is told otherwise.
    if [[ $word == '=' ]]; then
        _memprofdata_value "$last" '' "$topic" ''
    elif [[ $last == '=' ]]; then
        _memprofdata_value "${COMP_WORDS[COMP_CWORD - 2]}" "$word" "$topic" ''
    elif [[ $word == --*=* ]]; then
        _memprofdata_value "${word%%=*}" "${word#*=}" "$topic" "${word%%=*}="
    elif _memprofdata_takes_value "$last" "$topic"; then
        _memprofdata_value "$last" "$word" "$topic" ''
    elif [[ $word == -* || -z $topic || $topic == help ]]; then
        [[ $topic == help && $word != -* ]] && topic=
        mapfile -t COMPREPLY < <(compgen -W "$(_memprofdata_words "$topic" | cut -f1)" \
            -- "$word")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames
    fi
}
complete -F _memprofdata memprofdata
