/* toml.c -- a part of TOML, line by line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/toml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct reader {
    struct mpdata_toml *toml;
    const char *at;
    const char *end; /* of the line */
    uint32_t line;
};

static enum mprof_err MPROF_PRINTF(2, 3)
    fail(struct reader *r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(r->toml->why, sizeof(r->toml->why), format, args);
    va_end(args);
    r->toml->bad_line = r->line;
    return MPROF_E_VALUE;
}

static void skip_blanks(struct reader *r)
{
    while (r->at != r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static bool is_next(const struct reader *r, char c)
{
    return r->at != r->end && *r->at == c;
}

static bool take(struct reader *r, char c)
{
    const bool is_there = is_next(r, c);

    r->at += is_there;
    return is_there;
}

/* Nothing but blanks and a comment. */
static bool is_over(struct reader *r)
{
    skip_blanks(r);
    return r->at == r->end || *r->at == '#';
}

static char *copy(struct reader *r, const char *bytes, size_t size)
{
    char *const text = (char *)mpdata_arena_alloc(&r->toml->arena, size + 1);

    if (text != NULL) {
        memcpy(text, bytes, size);
        text[size] = '\0';
    }
    return text;
}

/* -- names ------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           c == '_' || c == '-';
}

static enum mprof_err read_name(struct reader *r, const char **name)
{
    const char *const start = r->at;

    while (r->at != r->end && is_bare(*r->at))
        r->at++;
    if (r->at == start)
        return fail(r, "a name of letters, digits, - and _ is expected");
    if (is_next(r, '.'))
        return fail(r, "dotted names are not read");
    *name = copy(r, start, (size_t)(r->at - start));
    return *name != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}

static enum mprof_err check_table(struct reader *r, const char *name,
                                  bool is_array)
{
    const struct mpdata_toml_table *const tables = r->toml->tables.data;

    for (uint32_t i = 1; i < r->toml->tables.count; i++) {
        if (strcmp(tables[i].name, name) == 0 &&
            !(is_array && tables[i].is_array))
            return fail(r, "the table %s is there already, in line %u", name,
                        tables[i].line);
    }
    return MPROF_E_OK;
}

/* "[name]" or "[[name]]". */
static enum mprof_err read_table(struct reader *r)
{
    const bool is_array = take(r, '[') && take(r, '[');
    struct mpdata_toml_table *table;
    const char *name;
    enum mprof_err err;

    skip_blanks(r);
    err = read_name(r, &name);
    if (err != MPROF_E_OK)
        return err;
    skip_blanks(r);
    if (!take(r, ']') || (is_array && !take(r, ']')))
        return fail(r, "%s is expected", is_array ? "]]" : "]");
    err = check_table(r, name, is_array);
    if (err != MPROF_E_OK)
        return err;
    table = (struct mpdata_toml_table *)mpdata_vec_push(&r->toml->tables);
    if (table == NULL)
        return MPROF_E_NOMEM;
    *table = (struct mpdata_toml_table){name, is_array, r->line};
    return MPROF_E_OK;
}

/* -- values ------------------------------------------------------------------- */

/* 'as it stands' */
static enum mprof_err read_literal(struct reader *r,
                                   struct mpdata_toml_value *value)
{
    const char *const start = r->at;
    const char *const end =
        (const char *)memchr(start, '\'', (size_t)(r->end - start));

    if (end == NULL)
        return fail(r, "the string has no end in its line");
    r->at = end + 1;
    value->text = copy(r, start, (size_t)(end - start));
    return value->text != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* "with \"escapes\"" */
static enum mprof_err read_string(struct reader *r,
                                  struct mpdata_toml_value *value)
{
    static const char escapes[] = "\"\\nt";
    static const char meanings[] = "\"\\\n\t";
    char *const text = copy(r, r->at, (size_t)(r->end - r->at));
    size_t size = 0;

    if (text == NULL)
        return MPROF_E_NOMEM;
    while (r->at != r->end && *r->at != '"') {
        char c = *r->at++;

        if (c == '\\') {
            const char *const escape =
                r->at != r->end ? strchr(escapes, *r->at) : NULL;

            if (escape == NULL || *escape == '\0')
                return fail(r, "of escapes only \\\", \\\\, \\n and \\t are "
                               "read; 'text' has none");
            c = meanings[escape - escapes];
            r->at++;
        }
        text[size++] = c;
    }
    text[size] = '\0';
    value->text = text;
    return take(r, '"') ? MPROF_E_OK
                        : fail(r, "the string has no end in its line");
}

/* Digits, with single underscores between them. */
static enum mprof_err read_number(struct reader *r,
                                  struct mpdata_toml_value *value)
{
    const bool is_negative = is_next(r, '-');
    const char *start;

    if (is_negative || is_next(r, '+'))
        r->at++;
    start = r->at;
    while (r->at != r->end && is_bare(*r->at)) {
        const char c = *r->at++;

        if (c == '_' && r->at - start > 1 && is_digit(r->at[-2]) &&
            r->at != r->end && is_digit(*r->at))
            continue;
        if (!is_digit(c) || (*start == '0' && r->at - start > 1))
            return fail(r, "a whole decimal number is expected");
        if (__builtin_mul_overflow(value->number, 10, &value->number) ||
            __builtin_sub_overflow(value->number, c - '0', &value->number))
            return fail(r, "the number is too large");
    }
    if (r->at == start || is_next(r, '.') || is_next(r, ':'))
        return fail(r, "a whole decimal number is expected");
    /* Summed up below 0, which reaches further. */
    if (!is_negative &&
        __builtin_sub_overflow(0, value->number, &value->number))
        return fail(r, "the number is too large");
    value->kind = MPDATA_TOML_NUMBER;
    return MPROF_E_OK;
}

static bool take_word(struct reader *r, const char *word)
{
    const size_t size = strlen(word);

    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

static enum mprof_err read_value(struct reader *r,
                                 struct mpdata_toml_value *value)
{
    if (take_word(r, "\"\"\"") || take_word(r, "'''"))
        return fail(r, "strings of several lines are not read");
    if (take(r, '"'))
        return read_string(r, value);
    if (take(r, '\''))
        return read_literal(r, value);
    if (is_next(r, '[') || is_next(r, '{'))
        return fail(r, "lists and tables in a line are not read");
    value->number = take_word(r, "true");
    if (value->number || take_word(r, "false")) {
        value->kind = MPDATA_TOML_BOOL;
        return MPROF_E_OK;
    }
    return read_number(r, value);
}

static enum mprof_err check_key(struct reader *r, const char *key)
{
    const struct mpdata_toml_value *const values = r->toml->values.data;
    const uint32_t table = r->toml->tables.count - 1;

    for (uint32_t i = r->toml->values.count;
         i-- > 0 && values[i].table == table;) {
        if (strcmp(values[i].key, key) == 0)
            return fail(r, "%s is there already, in line %u", key,
                        values[i].line);
    }
    return MPROF_E_OK;
}

/* "key = value" */
static enum mprof_err read_pair(struct reader *r)
{
    struct mpdata_toml_value value = {.table = r->toml->tables.count - 1,
                                      .line = r->line};
    enum mprof_err err = read_name(r, &value.key);
    void *row;

    if (err == MPROF_E_OK)
        err = check_key(r, value.key);
    if (err != MPROF_E_OK)
        return err;
    skip_blanks(r);
    if (!take(r, '='))
        return fail(r, "= is expected after %s", value.key);
    skip_blanks(r);
    err = read_value(r, &value);
    if (err != MPROF_E_OK)
        return err;
    row = mpdata_vec_push(&r->toml->values);
    if (row == NULL)
        return MPROF_E_NOMEM;
    memcpy(row, &value, sizeof(value));
    return MPROF_E_OK;
}

/* -- lines ------------------------------------------------------------------- */

static enum mprof_err check_bytes(struct reader *r)
{
    for (const char *c = r->at; c != r->end; c++) {
        if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
            return fail(r, "there is a control character");
    }
    return MPROF_E_OK;
}

static enum mprof_err read_line(struct reader *r)
{
    enum mprof_err err = check_bytes(r);

    if (err != MPROF_E_OK || is_over(r))
        return err;
    err = is_next(r, '[') ? read_table(r) : read_pair(r);
    if (err == MPROF_E_OK && !is_over(r))
        err = fail(r, "there is more in the line than is expected");
    return err;
}

/* So few that it is no matter to look at all tables and keys again for each. */
#define LINES_MAX 4096u

enum mprof_err mpdata_toml_read(struct mpdata_toml *toml, const char *bytes,
                                size_t size)
{
    const char *const end = bytes + size;
    struct reader r = {.toml = toml};
    enum mprof_err err = MPROF_E_OK;
    struct mpdata_toml_table *first;

    *toml = (struct mpdata_toml){
        .tables = {.elem_bytes = sizeof(struct mpdata_toml_table)},
        .values = {.elem_bytes = sizeof(struct mpdata_toml_value)}};
    first = (struct mpdata_toml_table *)mpdata_vec_push(&toml->tables);
    if (first == NULL)
        return MPROF_E_NOMEM;
    *first = (struct mpdata_toml_table){"", false, 1};
    for (const char *at = bytes; err == MPROF_E_OK && at != end;) {
        const char *const newline =
            (const char *)memchr(at, '\n', (size_t)(end - at));

        r.at = at;
        r.end = newline != NULL ? newline : end;
        r.line++;
        at = newline != NULL ? newline + 1 : end;
        if (newline != NULL && r.end != r.at && r.end[-1] == '\r')
            r.end--;
        err = r.line <= LINES_MAX ? read_line(&r)
                                  : fail(&r, "there are too many lines");
    }
    return err;
}

void mpdata_toml_fini(struct mpdata_toml *toml)
{
    mpdata_vec_fini(&toml->tables);
    mpdata_vec_fini(&toml->values);
    mpdata_arena_fini(&toml->arena);
}
