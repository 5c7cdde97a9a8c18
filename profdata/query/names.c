/* names.c -- shortens C++ names.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Longer names are only truncated. Names usually have some hundred bytes, those
 * of nested templates some KiB. Each step passes over a name one to three
 * times. */
#define LOOKED_AT_BYTES_MAX (16u << 10)

/* Returns the length of an operator's name at p, such as "operator<" or
 * "operator()", whose brackets do not nest; 0 if there is none. */
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
    const char *in = name;
    char *out = name;
    const char *at;

    while ((at = strstr(in, from)) != NULL) {
        memmove(out, in, (size_t)(at - in));
        out += at - in;
        memcpy(out, to, to_size);
        out += to_size;
        in = at + from_size;
    }
    if (out != in)
        memmove(out, in, strlen(in) + 1);
}

/* By '<': its '>', and the comma after the first of several template arguments;
 * 0 if there is none. */
struct brackets {
    uint16_t close[LOOKED_AT_BYTES_MAX];
    uint16_t comma[LOOKED_AT_BYTES_MAX];
    uint16_t open[LOOKED_AT_BYTES_MAX]; /* stack of brackets that are open */
};

static void find_brackets(const char *name, struct brackets *b)
{
    const size_t size = strlen(name);
    size_t depth = 0;
    size_t word;

    memset(b->close, 0, size * sizeof(b->close[0]));
    memset(b->comma, 0, size * sizeof(b->comma[0]));
    for (size_t i = 0; i < size; i += word != 0 ? word : 1) {
        const char c = name[i];
        const size_t top = depth != 0 ? b->open[depth - 1] : 0;
        const bool is_argument = depth != 0 && name[top] == '<';

        word = operator_length(name + i);
        if (word != 0)
            continue;
        if (c == '<' || c == '(') {
            b->open[depth++] = (uint16_t)i;
        } else if (c == ')') {
            while (depth != 0 && name[b->open[depth - 1]] == '<')
                depth--;
            depth -= depth != 0;
        } else if (is_argument && c == '>' && name[i - 1] != '-') {
            b->close[top] = (uint16_t)i;
            depth--;
        } else if (is_argument && c == ',' && b->comma[top] == 0) {
            b->comma[top] = (uint16_t)i;
        }
    }
}

/* Is `key` the first argument of the template whose arguments start after
 * `open`? They are known up to `end`. */
static bool starts_with(const char *open, const char *end, const char *key,
                        size_t key_size)
{
    const char *const first = open + 1;

    return (size_t)(end - open) > key_size &&
           memcmp(first, key, key_size) == 0 &&
           (first + key_size == end || first[key_size] == ',');
}

/* Drops `argument`, for example ", std::less<", with its own argument K if K is
 * also the first argument of the enclosing template, because that is its
 * default; with is_always unconditionally. */
static void drop_argument(char *name, const char *argument, bool is_always)
{
    const size_t size = strlen(argument);
    const char *in = name;
    const char *at = strstr(in, argument);
    char *out = name;
    struct brackets b;
    size_t depth = 0; /* of '<' in the output */

    if (at == NULL)
        return;
    find_brackets(name, &b);
    while (*in != '\0') {
        if (in == at) {
            const char *const key = in + size;
            const size_t close = b.close[key - 1 - name];

            at = strstr(in + 1, argument);
            if (close == 0 && is_always)
                break;
            if (close != 0 &&
                (is_always ||
                 (depth != 0 && starts_with(name + b.open[depth - 1], out, key,
                                            (size_t)(name + close - key))))) {
                in = name + close + 1;
                if (at != NULL && at < in)
                    at = strstr(in, argument);
                continue;
            }
        }
        if (*in == '<')
            b.open[depth++] = (uint16_t)(out - name);
        else if (*in == '>' && depth != 0)
            depth--;
        *out++ = *in++;
    }
    *out = '\0';
}

/* Replaces spellings that mean the same to a reader. Each replacement is
 * shorter. */
static void drop_noise(char *name)
{
    static const char *const defaults[] = {
        ", std::less<", ", std::hash<", ", std::equal_to<",
        ", std::char_traits<", ", std::default_delete<"};

    replace_all(name, "std::__cxx11::", "std::");
    replace_all(name, "[abi:cxx11]", "");
    replace_all(name, "(anonymous namespace)::", "");
    /* Twice, because "> > >" overlaps. */
    replace_all(name, "> >", ">>");
    replace_all(name, "> >", ">>");
    replace_all(name,
                "std::basic_string<char, std::char_traits<char>, "
                "std::allocator<char>>",
                "std::string");
    drop_argument(name, ", std::allocator<", true);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(defaults); i++)
        drop_argument(name, defaults[i], false);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_' || c == '$';
}

static bool starts_word(char c)
{
    return isalpha((unsigned char)c) != 0 || c == '_';
}

/* Returns the length of the scope "a::b::" in front of a word; with is_std only
 * that of "std::". */
static size_t scope_length(const char *p, bool is_std)
{
    size_t length = 0;

    if (is_std)
        return strncmp(p, "std::", 5) == 0 && starts_word(p[5]) ? 5 : 0;
    while (starts_word(p[length])) {
        size_t end = length;

        while (is_word(p[end]))
            end++;
        if (p[end] != ':' || p[end + 1] != ':' || !starts_word(p[end + 2]))
            break;
        length = end + 2;
    }
    return length;
}

/* Drops scopes, or only std::, inside brackets or everywhere. */
static void drop_scopes(char *name, bool is_std, bool everywhere)
{
    const char *in = name;
    char *out = name;
    int level = 0;

    while (*in != '\0') {
        size_t word = operator_length(in);

        if (word == 0 && (level > 0 || everywhere) &&
            (in == name || (!is_word(in[-1]) && in[-1] != ':')))
            in += scope_length(in, is_std);
        word = operator_length(in);
        level += word == 0 && (*in == '<' || *in == '(');
        level -= word == 0 && level > 0 && (*in == '>' || *in == ')');
        word = word != 0 ? word : 1;
        memmove(out, in, word);
        out += word;
        in += word;
    }
    *out = '\0';
}

/* Replaces template arguments at nesting level `depth` by "...": "a<b<int, c>>"
 * becomes "a<b<...>>" (1) or "a<...>" (0). With `keeps_first` keeps the first
 * argument: "a<b, ...>". */
static void fold_templates(char *name, unsigned depth, bool keeps_first)
{
    struct brackets brackets;
    size_t in = 0;
    char *out = name;
    unsigned level = 0;

    find_brackets(name, &brackets);
    while (name[in] != '\0') {
        const size_t open = in;
        size_t word = operator_length(name + in);
        const bool opens = word == 0 && name[in] == '<';

        if (word == 0 && name[in] == '>' && level > 0 && name[in - 1] != '-')
            level--;
        word = word != 0 ? word : 1;
        memmove(out, name + in, word);
        out += word;
        in += word;
        if (opens && level++ == depth) {
            const size_t close = brackets.close[open];
            const size_t comma = brackets.comma[open];
            size_t from = in;

            if (keeps_first)
                from = comma != 0 ? comma + 1 : close;
            if (from != 0 && name[from] == ' ')
                from++;
            if (close == 0 || from + 3 >= close)
                continue;
            memmove(out, name + in, from - in);
            out += from - in;
            memcpy(out, "...", 3);
            out += 3;
            in = close;
        }
    }
    *out = '\0';
}

/* Returns the position of the parameter list: the '(' that matches the last
 * ')', if only qualifiers follow; 0 if there is none. */
static size_t find_parameters(const char *name)
{
    const char *const end = strrchr(name, ')');
    int level = 0;

    /* "main.(*T).f" of Go has no parameter list. */
    if (end == NULL || (end[1] != '\0' && end[1] != ' '))
        return 0;
    for (const char *p = end; p >= name; p--) {
        level += *p == ')';
        level -= *p == '(';
        if (level == 0)
            return (size_t)(p - name);
    }
    return 0;
}

static void fold_parameters(char *name)
{
    const size_t parameters = find_parameters(name);
    char *const open = name + parameters;

    if (parameters == 0 || open[1] == ')')
        return;
    char *close = strrchr(name, ')');
    if (close - open <= 4)
        return;
    memcpy(open, "(...)", 5);
    memmove(open + 5, close + 1, strlen(close + 1) + 1);
}

/* Is it "operator<<", "operator new" or the like? Their characters mean other
 * things elsewhere. */
static bool is_operator(const char *p)
{
    return strncmp(p, "operator", 8) == 0 && !is_word(p[8]);
}

/* Can the text after a blank be the name of the function, rather than a
 * qualifier of its result or a note such as "[clone]"? */
static bool may_be_name(const char *p)
{
    static const char scope[] = "(anonymous namespace)";

    return (strncmp(p, "const", 5) != 0 || is_word(p[5])) &&
           strchr("&*[", *p) == NULL &&
           (*p != '(' || strncmp(p, scope, sizeof(scope) - 1) == 0);
}

/* Returns the start of the function's own name, after the result type, which
 * demangled templates have: "void f<int>(int)". */
static size_t find_own(const char *name)
{
    const size_t parameters = find_parameters(name);
    const size_t size = parameters != 0 ? parameters : strlen(name);
    size_t own = 0;
    int level = 0;

    for (size_t i = 0; i < size; i++) {
        const char c = name[i];

        if (level == 0 && is_operator(name + i))
            break;
        level += c == '<' || c == '(' || c == '{';
        level -=
            (c == '>' && i != 0 && name[i - 1] != '-') || c == ')' || c == '}';
        if (c == ' ' && level == 0 && may_be_name(name + i + 1))
            own = i + 1;
    }
    return own;
}

static void drop_result(char *name)
{
    const size_t own = find_own(name);

    if (own != 0 && find_parameters(name) != 0 &&
        strstr(name, "operator") == NULL)
        memmove(name, name + own, strlen(name + own) + 1);
}

/* Is it the first byte of a UTF-8 character? */
static bool is_first(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t mpdata_names_columns(const char *text)
{
    size_t columns = 0;

    for (; *text != '\0'; text++)
        columns += is_first(*text);
    return columns;
}

/* Would truncating the end keep everything before the parameters? */
static bool is_cut_behind(const char *name, size_t width)
{
    const size_t parameters = find_parameters(name);

    return parameters != 0 && mpdata_names_columns(name) -
                                      mpdata_names_columns(name + parameters) +
                                      3 <=
                                  width;
}

/* Replaces outer scopes: "a::b::c::f()" becomes "...::c::f()" or "...::f()", if
 * that fits. A name truncated at its end would lose the function. With is_last,
 * also drops templates, "a<...>::f()", and drops as much as possible if nothing
 * fits; but an operator's name is never left alone. */
static void drop_outer_scopes(char *name, size_t width, bool is_last)
{
    size_t columns =
        mpdata_names_columns(name); /* width of the rest from p on */
    char *scope = NULL;
    char *p = name;
    bool fits = false;
    bool is_member = false; /* p is inside the scope of a template */
    struct brackets brackets;

    find_brackets(name, &brackets);
    for (; !fits && strchr("( ", *p) == NULL && operator_length(p) == 0; p++) {
        const size_t close = brackets.close[p - name];

        if (*p == '<' && (close == 0 || !is_last))
            break;
        if (*p == '<') {
            for (; p != name + close; p++)
                columns -= is_first(*p);
            is_member = true;
        } else if (p[0] == ':' && p[1] == ':' &&
                   (!is_member || operator_length(p + 2) == 0)) {
            scope = p;
            fits = columns + 3 <= width;
        }
        columns -= is_first(*p);
    }
    if (scope == NULL || scope - name <= 3 ||
        (!fits && (!is_last || operator_length(p) != 0)))
        return;
    memcpy(name, "...", 3);
    memmove(name + 3, scope, strlen(scope) + 1);
}

#define STEP_LAST 10

/* Applies one step of shortening; earlier steps lose less. */
static void shorten_step(char *name, unsigned step, size_t width)
{
    switch (step) {
    case 0:
        drop_result(name);
        break;
    case 1:
        drop_scopes(name, true, false);
        break;
    case 2:
        drop_scopes(name, false, false);
        break;
    case 3:
        fold_templates(name, 2, false);
        break;
    case 4:
        fold_parameters(name);
        break;
    case 5:
        fold_templates(name, 1, false);
        break;
    case 6:
        drop_scopes(name, true, true);
        break;
    case 7:
        fold_templates(name, 0, true);
        break;
    case 9:
        fold_templates(name, 0, false);
        break;
    default:
        drop_outer_scopes(name, width,
                          step == STEP_LAST && !is_cut_behind(name, width));
        break;
    }
}

/* Returns the offset of the character in column `columns`. */
static size_t skip_columns(const char *text, size_t columns)
{
    size_t i = 0;

    for (; text[i] != '\0' && (columns != 0 || !is_first(text[i])); i++)
        columns -= is_first(text[i]);
    return i;
}

const char *mpdata_names_end(const char *text, size_t columns)
{
    const size_t all = mpdata_names_columns(text);

    return text + skip_columns(text, all - mprof_min_u64(columns, all));
}

void mpdata_names_cut(char *text, size_t columns)
{
    if (mpdata_names_columns(text) > columns)
        memcpy(text + skip_columns(text, columns - 3), "...", 4);
}

void mpdata_names_shorten(char *name, size_t width)
{
    const bool is_looked_at = strlen(name) < LOOKED_AT_BYTES_MAX;

    if (is_looked_at)
        drop_noise(name);
    for (unsigned step = 0; is_looked_at && step <= STEP_LAST &&
                            mpdata_names_columns(name) > width;
         step++)
        shorten_step(name, step, width);
    if (width >= 3)
        mpdata_names_cut(name, width);
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool mpdata_names_is_library(const char *name)
{
    static const char *const prefixes[] = {
        "std::", "__gnu_cxx::", "__cxxabiv1::", "operator new"};
    const char *const own = name + find_own(name);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(prefixes); i++) {
        if (has_prefix(own, prefixes[i]))
            return true;
    }
    return false;
}

/* Skips a character, an operator's name, or brackets with what they enclose. */
static const char *skip(const char *p)
{
    int level = 0;

    do {
        const size_t word = operator_length(p);

        level += *p == '<' || *p == '(';
        level -= level > 0 && ((*p == '>' && p[-1] != '-') || *p == ')');
        p += word != 0 ? word : 1;
    } while (level > 0 && *p != '\0');
    return p;
}

bool mpdata_names_has(const char *name, const char *part)
{
    const size_t parameters = find_parameters(name);
    const char *const end =
        name + (parameters != 0 ? parameters : strlen(name));
    const char *p = name + find_own(name);

    /* In Rust's "<a::B>::f", the first bracket is a scope, not a list of
     * arguments. */
    for (p += *p == '<'; p < end; p = skip(p)) {
        if (strncasecmp(p, part, strlen(part)) == 0)
            return true;
    }
    return false;
}

/* Does the word reach from p to the end of the name or to its parameters, which
 * only qualifiers follow? */
static bool is_at(const char *p, const char *word)
{
    while (*word != '\0' || *p == '<') {
        if (*p == *word) {
            p++;
            word++;
        } else if (*p == '<') {
            p = skip(p);
        } else {
            return false;
        }
    }
    return *p == '\0' || (*p == '(' && strchr(" ", *skip(p)) != NULL);
}

bool mpdata_names_is(const char *name, const char *word)
{
    return word[0] != '\0' &&
           (is_at(name, word) ||
            (find_parameters(name) != 0 && is_at(name + find_own(name), word)));
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

    /* libc's debug files prefix its internal functions. */
    if (has_prefix(name, "__GI_"))
        name += strlen("__GI_");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}
