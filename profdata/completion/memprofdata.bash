# bash completion for memprofdata: asks the tool for its commands and options.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
_memprofdata()
{
    local word=${COMP_WORDS[COMP_CWORD]} topic=

    # A value after "--option=" is a word of its own to bash: a file.
    if [[ $word == '=' || ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
        [[ $word == '=' ]] && word=
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames
        return
    fi
    ((COMP_CWORD > 1)) && topic=${COMP_WORDS[1]}
    if [[ $word == -* || -z $topic || $topic == help ]]; then
        [[ $topic == help && $word != -* ]] && topic=
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" help \
            --words $topic 2>/dev/null | cut -f1)" -- "$word")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames
}
complete -F _memprofdata memprofdata
