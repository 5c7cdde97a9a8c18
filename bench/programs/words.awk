# Words of program texts: fields, substrings, associative arrays, functions that
# call themselves.
function depth(text,    open, close_at) {
    open = index(text, "(")
    if (open == 0) return 0
    close_at = index(substr(text, open), ")")
    return 1 + depth(substr(text, open + 1, close_at > 1 ? close_at : 40))
}
{
    line = $0
    gsub(/[^A-Za-z0-9_()]+/, " ", line)
    n = split(line, words, " ")
    for (i = 1; i <= n; i++) {
        count[tolower(words[i])]++
        if (i > 1) pairs[words[i - 1] " " words[i]]++
    }
    deepest[depth(line)]++
}
END {
    for (word in count) if (count[word] > 400) lines[++kept] = word " " count[word]
    asort(lines)
    for (i = 1; i <= kept; i++) print lines[i]
    for (pair in pairs) if (pairs[pair] > 200) often++
    print often, length(pairs), deepest[0], deepest[1], deepest[2]
}
