/* names.c -- C++ names without their noise.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/names.h"

#include <string.h>

/* "operator<", "operator>>", "operator()": brackets that open nothing. Length
 * of the word at p, or 0. */
static size_t operator_length(const char *p)
{
    static const char *const words[] = {
        "operator<<=", "operator>>=", "operator<=>", "operator<<",
        "operator>>",  "operator<=",  "operator>=",  "operator->*",
        "operator->",  "operator()",  "operator<",   "operator>"};

    if (*p != 'o')
        return 0;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(words); i++) {
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    }
    return 0;
}

static void replace_all(char *name, const char *from, const char *to)
{
    const size_t from_size = strlen(from);
    const size_t to_size = strlen(to);
    char *at = name;

    while ((at = strstr(at, from)) != NULL) {
        memcpy(at, to, to_size);
        memmove(at + to_size, at + from_size, strlen(at + from_size) + 1);
        at += to_size;
    }
}

/* "vector<int, std::allocator<int>>" is what everybody calls vector<int>. */
static void drop_allocators(char *name)
{
    static const char argument[] = ", std::allocator<";
    char *at = name;

    while ((at = strstr(at, argument)) != NULL) {
        char *end = at + sizeof(argument) - 1;

        for (int level = 1; *end != '\0' && level > 0; end++)
            level += *end == '<' ? 1 : *end == '>' ? -1 : 0;
        if (end[0] == ' ' && end[1] == '>')
            end++;
        memmove(at, end, strlen(end) + 1);
    }
}

/* Spellings that are the same to a reader. Every replacement is shorter. */
static void drop_noise(char *name)
{
    replace_all(name, "std::__cxx11::", "std::");
    replace_all(name, "[abi:cxx11]", "");
    replace_all(name,
                "std::basic_string<char, std::char_traits<char>, "
                "std::allocator<char>>",
                "std::string");
    replace_all(name,
                "std::basic_string<char, std::char_traits<char>, "
                "std::allocator<char> >",
                "std::string");
    replace_all(name, "(anonymous namespace)::", "");
    drop_allocators(name);
    replace_all(name, "> >", ">>");
}

/* Empties template argument lists deeper than `depth`: "a<b<c>>" becomes
 * "a<b<>>" (1) or "a<>" (0). */
static void fold_templates(char *name, unsigned depth)
{
    const char *in = name;
    char *out = name;
    unsigned level = 0;

    while (*in != '\0') {
        const size_t word = operator_length(in);

        if (word != 0) {
            if (level <= depth) {
                memmove(out, in, word);
                out += word;
            }
            in += word;
            continue;
        }
        if (*in == '>' && level > 0 && !(in > name && in[-1] == '-'))
            level--;
        if (level <= depth)
            *out++ = *in;
        if (*in == '<')
            level++;
        in++;
    }
    *out = '\0';
}

/* The parenthesis that opens the parameters: the one that the last ')' at
 * level 0 closes, with nothing but qualifiers after it. NULL for none. */
static char *find_parameters(char *name)
{
    char *end = strrchr(name, ')');
    int level = 0;

    for (char *p = end; p != NULL && p >= name; p--) {
        level += *p == ')';
        level -= *p == '(';
        if (level == 0)
            return p != name ? p : NULL;
    }
    return NULL;
}

static void fold_parameters(char *name)
{
    char *const open = find_parameters(name);
    char *close;

    if (open == NULL || open[1] == ')')
        return;
    close = strrchr(name, ')');
    if (close - open < 4)
        return;
    memcpy(open, "(...)", 5);
    memmove(open + 5, close + 1, strlen(close + 1) + 1);
}

/* The result type that demangled templates start with: "void f<int>(int)". */
static void drop_result(char *name)
{
    int level = 0;
    char *start = name;
    char *const parameters = find_parameters(name);

    for (char *p = name; *p != '\0' && p != parameters; p++) {
        const size_t word = operator_length(p);

        if (word != 0)
            break;
        level += *p == '<' || *p == '(';
        level -= *p == '>' || *p == ')';
        if (*p == ' ' && level == 0 && strncmp(p + 1, "const", 5) != 0 &&
            strncmp(start, "operator", 8) != 0)
            start = p + 1;
    }
    if (start != name && parameters != NULL && strstr(name, "operator") == NULL)
        memmove(name, start, strlen(start) + 1);
}

void mpdata_names_shorten(char *name, size_t width)
{
    drop_noise(name);
    if (strlen(name) > width)
        drop_result(name);
    for (unsigned depth = 3; depth-- > 0 && strlen(name) > width;)
        fold_templates(name, depth);
    if (strlen(name) > width)
        fold_parameters(name);
    if (strlen(name) > width && width >= 3)
        memcpy(name + width - 3, "...", 4);
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool mpdata_names_is_library(const char *name)
{
    static const char *const prefixes[] = {
        "std::", "__gnu_cxx::", "__cxxabiv1::", "operator new", "void std::"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(prefixes); i++) {
        if (has_prefix(name, prefixes[i]))
            return true;
    }
    /* A template's result type comes first: "int std::f<...>(...)". */
    return strstr(name, " std::") != NULL &&
           (strchr(name, '(') == NULL ||
            strstr(name, " std::") < strchr(name, '(')) &&
           (strchr(name, '<') == NULL ||
            strstr(name, " std::") < strchr(name, '<'));
}

bool mpdata_names_is_start(const char *name)
{
    static const char *const names[] = {"_start",
                                        "__libc_start_main",
                                        "__libc_start_main_impl",
                                        "__libc_start_call_main",
                                        "start_thread",
                                        "clone",
                                        "__clone",
                                        "clone3",
                                        "__clone3",
                                        "_dl_start_user",
                                        "_dl_init",
                                        "call_init",
                                        "__libc_csu_init"};

    /* As libc's debug files call its functions. */
    if (has_prefix(name, "__GI_"))
        name += strlen("__GI_");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}
