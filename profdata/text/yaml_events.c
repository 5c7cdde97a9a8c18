/* yaml_events.c -- libyaml's events for readers that know what must come.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/yaml_events.h"
#include "profdata/base/diag.h"
#include "shared/digit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "YAML"
#define KEY_SHOWN_MAX 40

static void fail_at(struct mpdata_yaml *y, enum mprof_err err,
                    const yaml_mark_t *mark, const char *text)
{
    if (y->err != MPROF_E_OK)
        return;
    y->err = err;
    mpdata_fail(y->diag, err, SECTION, mprof_min_u64(mark->index, y->size),
                "line %zu: %s", mark->line + 1, text);
}

void mpdata_yaml_fail(struct mpdata_yaml *y, enum mprof_err err,
                      const char *format, ...)
{
    char text[MPROF_DIAG_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fail_at(y, err, &y->last.start_mark, text);
}

static void fail_here(struct mpdata_yaml *y, enum mprof_err err,
                      const char *text)
{
    fail_at(y, err, &y->event.start_mark, text);
}

static bool has_anchor(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return true;
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL;
    default:
        return false;
    }
}

static const char *tag_of(const yaml_event_t *event)
{
    const yaml_char_t *tag = NULL;

    if (event->type == YAML_SCALAR_EVENT)
        tag = event->data.scalar.tag;
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        tag = event->data.sequence_start.tag;
    else if (event->type == YAML_MAPPING_START_EVENT)
        tag = event->data.mapping_start.tag;
    return (const char *)tag;
}

static void fail_parser(struct mpdata_yaml *y)
{
    const yaml_parser_t *p = &y->parser;
    const enum mprof_err err =
        p->error == YAML_MEMORY_ERROR ? MPROF_E_NOMEM : MPROF_E_VALUE;
    yaml_mark_t mark = p->problem_mark;

    if (p->error == YAML_READER_ERROR)
        mark = p->mark;
    fail_at(y, err, &mark,
            p->problem != NULL ? p->problem : "it cannot be parsed");
}

/* The next event into y->event. */
static void advance(struct mpdata_yaml *y)
{
    const char *tag;

    if (y->err != MPROF_E_OK)
        return;
    if (!yaml_parser_parse(&y->parser, &y->event)) {
        memset(&y->event, 0, sizeof(y->event));
        fail_parser(y);
        return;
    }
    tag = tag_of(&y->event);
    if (has_anchor(&y->event))
        fail_here(y, MPROF_E_UNSUPPORTED,
                  "anchors and aliases are not accepted");
    else if (tag != NULL && (strcmp(tag, MPDATA_YAML_TAG_HEX) != 0 ||
                             y->event.type != YAML_SCALAR_EVENT))
        fail_here(y, MPROF_E_UNSUPPORTED, "tags are not accepted");
}

/* Takes the event at hand, whose bytes stay in y->last. */
static void take(struct mpdata_yaml *y)
{
    yaml_event_delete(&y->last);
    y->last = y->event;
    memset(&y->event, 0, sizeof(y->event));
    advance(y);
}

static bool is_null(const yaml_event_t *event)
{
    const char *value;

    if (event->type != YAML_SCALAR_EVENT ||
        event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
        event->data.scalar.tag != NULL)
        return false;
    value = (const char *)event->data.scalar.value;
    return value[0] == '\0' || strcmp(value, "null") == 0 ||
           strcmp(value, "~") == 0;
}

void mpdata_yaml_open(struct mpdata_yaml *y, const void *data, size_t size,
                      bool *is_empty, struct mprof_diag *diag)
{
    memset(y, 0, sizeof(*y));
    y->size = size;
    y->diag = diag;
    *is_empty = true;
    if (!yaml_parser_initialize(&y->parser)) {
        y->err = mprof_err_fail(diag, MPROF_E_NOMEM, SECTION, 0);
        return;
    }
    yaml_parser_set_input_string(&y->parser, data, size);
    yaml_parser_set_encoding(&y->parser, YAML_UTF8_ENCODING);
    advance(y);
    while (y->err == MPROF_E_OK && y->event.type != YAML_STREAM_END_EVENT) {
        const bool is_edge = y->event.type == YAML_STREAM_START_EVENT ||
                             y->event.type == YAML_DOCUMENT_START_EVENT ||
                             y->event.type == YAML_DOCUMENT_END_EVENT;

        if (!is_edge && !is_null(&y->event)) {
            *is_empty = false;
            return;
        }
        take(y);
    }
}

void mpdata_yaml_close(struct mpdata_yaml *y)
{
    yaml_event_delete(&y->event);
    yaml_event_delete(&y->last);
    yaml_parser_delete(&y->parser);
    free(y->decoded);
    y->decoded = NULL;
}

static bool enter(struct mpdata_yaml *y, yaml_event_type_t type,
                  const char *what)
{
    const bool is_there = y->event.type == type;

    if (y->err != MPROF_E_OK)
        return false;
    if (!is_there && !is_null(&y->event)) {
        fail_here(y, MPROF_E_VALUE, what);
        return false;
    }
    take(y);
    return is_there && y->err == MPROF_E_OK;
}

bool mpdata_yaml_map(struct mpdata_yaml *y)
{
    return enter(y, YAML_MAPPING_START_EVENT, "a mapping is expected");
}

bool mpdata_yaml_seq(struct mpdata_yaml *y)
{
    return enter(y, YAML_SEQUENCE_START_EVENT, "a sequence is expected");
}

bool mpdata_yaml_item(struct mpdata_yaml *y)
{
    if (y->err != MPROF_E_OK)
        return false;
    if (y->event.type != YAML_SEQUENCE_END_EVENT)
        return true;
    take(y);
    return false;
}

bool mpdata_yaml_key(struct mpdata_yaml *y, struct mpdata_yaml_keys *keys,
                     size_t *key)
{
    const char *name;

    if (y->err != MPROF_E_OK)
        return false;
    if (y->event.type == YAML_MAPPING_END_EVENT) {
        take(y);
        return false;
    }
    if (y->event.type != YAML_SCALAR_EVENT) {
        fail_here(y, MPROF_E_VALUE, "a key is expected");
        return false;
    }
    take(y);
    name = (const char *)y->last.data.scalar.value;
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->names[i], name) != 0)
            continue;
        if ((keys->seen >> i & 1) != 0)
            mpdata_yaml_fail(y, MPROF_E_DUPLICATE, "key %s", name);
        keys->seen |= UINT64_C(1) << i;
        *key = i;
        return y->err == MPROF_E_OK;
    }
    mpdata_yaml_fail(y, MPROF_E_VALUE, "unknown key %.*s", KEY_SHOWN_MAX, name);
    return false;
}

void mpdata_yaml_need(struct mpdata_yaml *y,
                      const struct mpdata_yaml_keys *keys, uint64_t bits)
{
    for (size_t i = 0; i < keys->count; i++) {
        if ((bits >> i & 1) != 0 && (keys->seen >> i & 1) == 0)
            mpdata_yaml_fail(y, MPROF_E_MISSING, "key %s", keys->names[i]);
    }
}

/* Replaces a string of digits by the bytes that they stand for. */
static void decode_hex(struct mpdata_yaml *y, struct mpdata_str *s)
{
    char *bytes = realloc(y->decoded, s->size / 2 + 1);

    if (bytes == NULL) {
        mpdata_yaml_fail(y, MPROF_E_NOMEM, "no memory for a string");
        return;
    }
    y->decoded = bytes;
    for (size_t i = 0; i < s->size; i++) {
        const unsigned value = mprof_digit(s->bytes[i]);

        if (value == 16 || s->size % 2 != 0) {
            mpdata_yaml_fail(y, MPROF_E_VALUE, "not hexadecimal digits");
            return;
        }
        bytes[i / 2] =
            (char)(i % 2 == 0 ? value << 4
                              : ((unsigned)(uint8_t)bytes[i / 2] | value));
    }
    bytes[s->size / 2] = '\0';
    *s = (struct mpdata_str){.bytes = bytes, .size = s->size / 2};
}

struct mpdata_str mpdata_yaml_string(struct mpdata_yaml *y)
{
    struct mpdata_str s = {.bytes = ""};

    if (y->err != MPROF_E_OK)
        return s;
    if (y->event.type != YAML_SCALAR_EVENT) {
        fail_here(y, MPROF_E_VALUE, "a scalar is expected");
        return s;
    }
    take(y);
    s.bytes = (const char *)y->last.data.scalar.value;
    s.size = y->last.data.scalar.length;
    if (y->last.data.scalar.tag != NULL)
        decode_hex(y, &s);
    return y->err == MPROF_E_OK ? s : (struct mpdata_str){.bytes = ""};
}

bool mpdata_yaml_parse_number(const char *text, size_t size, uint64_t *number)
{
    unsigned base = 10;
    uint64_t value = 0;

    if (size > 1 && text[0] == '0') {
        const char mark = (char)(text[1] | 0x20);
        const size_t prefix = mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;

        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        text += prefix;
        size -= prefix;
    }
    for (size_t i = 0; i < size; i++) {
        const unsigned d = mprof_digit(text[i]);

        if (d >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, d, &value))
            return false;
    }
    *number = value;
    return size != 0;
}

uint64_t mpdata_yaml_number(struct mpdata_yaml *y, uint64_t max)
{
    const struct mpdata_str s = mpdata_yaml_string(y);
    uint64_t number = 0;

    if (y->err != MPROF_E_OK)
        return 0;
    if (!mpdata_yaml_parse_number(s.bytes, s.size, &number))
        mpdata_yaml_fail(y, MPROF_E_VALUE, "not a number: %.*s", KEY_SHOWN_MAX,
                         s.bytes);
    else if (number > max)
        mpdata_yaml_fail(y, MPROF_E_VALUE, "too large a number: %.*s",
                         KEY_SHOWN_MAX, s.bytes);
    return y->err == MPROF_E_OK ? number : 0;
}

bool mpdata_yaml_bool(struct mpdata_yaml *y)
{
    static const struct {
        const char *text;
        bool value;
    } words[] = {{"true", true}, {"false", false}, {"yes", true}, {"no", false},
                 {"on", true},   {"off", false},   {"y", true},   {"n", false}};
    const struct mpdata_str s = mpdata_yaml_string(y);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(words); i++) {
        if (y->err == MPROF_E_OK && strcasecmp(s.bytes, words[i].text) == 0)
            return words[i].value;
    }
    mpdata_yaml_fail(y, MPROF_E_VALUE, "neither true nor false: %.*s",
                     KEY_SHOWN_MAX, s.bytes);
    return false;
}
