/* events.c -- mappings, lists and scalars for readers that know what must come.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/events.h"
#include "profdata/base/diag.h"
#include "shared/digit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 40
/* What holds a scalar is made larger by at least so much. */
#define HELD_BYTES_MIN 256u

static uint64_t line_of(const struct mpdata_events *e, uint64_t offset)
{
    uint64_t line = 1;

    for (uint64_t i = 0; i < offset; i++)
        line += e->data[i] == '\n';
    return line;
}

void mpdata_events_fail_at(struct mpdata_events *e, enum mprof_err err,
                           const struct mpdata_event *event, const char *text)
{
    const uint64_t offset = mprof_min_u64(event->offset, e->size);

    if (e->err != MPROF_E_OK)
        return;
    e->err = err;
    mpdata_diag_fail(e->diag, err, "JSON", offset, "line %llu: %s%s%s%s",
                     (unsigned long long)line_of(e, offset), text,
                     e->key != NULL ? " (key " : "",
                     e->key != NULL ? e->key : "", e->key != NULL ? ")" : "");
}

void mpdata_events_fail(struct mpdata_events *e, enum mprof_err err,
                        const char *format, ...)
{
    char text[MPROF_DIAG_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    mpdata_events_fail_at(e, err, &e->last, text);
}

void mpdata_events_fail_memory(struct mpdata_events *e)
{
    mpdata_events_fail(e, MPROF_E_NOMEM, "no memory");
}

static void fail_here(struct mpdata_events *e, const char *text)
{
    mpdata_events_fail_at(e, MPROF_E_VALUE, &e->next, text);
}

void mpdata_events_fini(struct mpdata_events *e)
{
    free(e->held);
    free(e->decoded);
    e->held = NULL;
    e->decoded = NULL;
}

/* Copies the bytes of e->last, which end by a NUL then. */
static bool hold(struct mpdata_events *e)
{
    const size_t size = e->last.size;

    if (e->held_bytes <= size) {
        const size_t bytes = 2 * size + HELD_BYTES_MIN;
        char *const held = (char *)realloc(e->held, bytes);

        if (held == NULL)
            return false;
        e->held = held;
        e->held_bytes = bytes;
    }
    if (size != 0)
        memcpy(e->held, e->last.bytes, size);
    e->held[size] = '\0';
    e->last.bytes = e->held;
    return true;
}

/* Goes on to the next event. */
static void take(struct mpdata_events *e)
{
    e->last = e->next;
    if (!hold(e))
        mpdata_events_fail_memory(e);
    if (e->err == MPROF_E_OK)
        e->advance(e);
}

static bool enter(struct mpdata_events *e, enum mpdata_event_kind kind,
                  const char *what)
{
    if (e->err == MPROF_E_OK && e->next.kind != kind)
        fail_here(e, what);
    if (e->err == MPROF_E_OK)
        take(e);
    return e->err == MPROF_E_OK;
}

bool mpdata_events_map(struct mpdata_events *e)
{
    return enter(e, MPDATA_EVENT_MAP, "an object is expected");
}

bool mpdata_events_list(struct mpdata_events *e)
{
    return enter(e, MPDATA_EVENT_LIST, "an array is expected");
}

bool mpdata_events_item(struct mpdata_events *e)
{
    if (e->err != MPROF_E_OK)
        return false;
    if (e->next.kind != MPDATA_EVENT_LIST_END)
        return true;
    take(e);
    return false;
}

static void take_key(struct mpdata_events *e, struct mpdata_events_keys *keys,
                     size_t *key)
{
    e->key = NULL;
    for (size_t i = 0; i < keys->count; i++) {
        if (strlen(keys->names[i]) != e->last.size ||
            memcmp(keys->names[i], e->last.bytes, e->last.size) != 0)
            continue;
        if ((keys->seen >> i & 1) != 0)
            mpdata_events_fail(e, MPROF_E_DUPLICATE, "key %s", keys->names[i]);
        keys->seen |= UINT64_C(1) << i;
        *key = i;
        e->key = keys->names[i];
        return;
    }
    mpdata_events_fail(e, MPROF_E_VALUE, "unknown key %.*s", SHOWN_MAX,
                       e->last.bytes);
}

bool mpdata_events_key(struct mpdata_events *e, struct mpdata_events_keys *keys,
                       size_t *key)
{
    if (e->err != MPROF_E_OK)
        return false;
    if (e->next.kind == MPDATA_EVENT_MAP_END) {
        take(e);
        return false;
    }
    if (e->next.kind != MPDATA_EVENT_KEY) {
        fail_here(e, "a key is expected");
        return false;
    }
    take(e);
    if (e->err == MPROF_E_OK)
        take_key(e, keys, key);
    return e->err == MPROF_E_OK;
}

void mpdata_events_need(struct mpdata_events *e,
                        const struct mpdata_events_keys *keys, uint64_t bits)
{
    e->key = e->err != MPROF_E_OK ? e->key : NULL;
    for (size_t i = 0; i < keys->count; i++) {
        if ((bits >> i & 1) != 0 && (keys->seen >> i & 1) == 0)
            mpdata_events_fail(e, MPROF_E_MISSING, "key %s", keys->names[i]);
    }
}

void mpdata_events_skip(struct mpdata_events *e)
{
    uint32_t depth = 0;

    do {
        const enum mpdata_event_kind kind = e->next.kind;

        if (kind == MPDATA_EVENT_MAP || kind == MPDATA_EVENT_LIST)
            depth++;
        else if (kind == MPDATA_EVENT_MAP_END || kind == MPDATA_EVENT_LIST_END)
            depth--;
        take(e);
    } while (depth != 0 && e->err == MPROF_E_OK);
}

/* -- scalars ----------------------------------------------------------------- */

/* Replaces a string of digits by the bytes that they stand for. */
static void decode_hex(struct mpdata_events *e, struct mpdata_str *s)
{
    char *const bytes = (char *)realloc(e->decoded, s->size / 2 + 1);

    if (bytes == NULL) {
        mpdata_events_fail_memory(e);
        return;
    }
    e->decoded = bytes;
    for (size_t i = 0; i < s->size; i++) {
        const unsigned value = mprof_digit(s->bytes[i]);

        if (value == 16 || s->size % 2 != 0) {
            mpdata_events_fail(e, MPROF_E_VALUE, "not hexadecimal digits");
            return;
        }
        bytes[i / 2] =
            (char)(i % 2 == 0 ? value << 4
                              : ((unsigned)(uint8_t)bytes[i / 2] | value));
    }
    bytes[s->size / 2] = '\0';
    *s = (struct mpdata_str){.bytes = bytes, .size = s->size / 2};
}

static struct mpdata_str read_text(struct mpdata_events *e)
{
    if (e->err == MPROF_E_OK && e->next.kind != MPDATA_EVENT_TEXT)
        fail_here(e, "a string is expected");
    if (e->err == MPROF_E_OK)
        take(e);
    return e->err == MPROF_E_OK ? (struct mpdata_str){.bytes = e->last.bytes,
                                                      .size = e->last.size}
                                : (struct mpdata_str){.bytes = ""};
}

struct mpdata_str mpdata_events_bytes(struct mpdata_events *e)
{
    struct mpdata_str s = read_text(e);

    if (e->err == MPROF_E_OK)
        decode_hex(e, &s);
    return e->err == MPROF_E_OK ? s : (struct mpdata_str){.bytes = ""};
}

struct mpdata_str mpdata_events_string(struct mpdata_events *e)
{
    static const char *const names[] = {"hex"};
    struct mpdata_events_keys keys = {.names = names, .count = 1};
    const char *const outer = e->key;
    struct mpdata_str s = {.bytes = ""};
    size_t key;

    if (e->next.kind != MPDATA_EVENT_MAP)
        return read_text(e);
    if (mpdata_events_map(e)) {
        while (mpdata_events_key(e, &keys, &key))
            s = mpdata_events_bytes(e);
    }
    mpdata_events_need(e, &keys, 1);
    e->key = outer;
    return e->err == MPROF_E_OK ? s : (struct mpdata_str){.bytes = ""};
}

/* Digits, or 0x and hexadecimal ones, that are all of a text. */
static bool parse_number(const char *text, size_t size, bool is_hex,
                         uint64_t *number)
{
    const unsigned base = is_hex ? 16 : 10;
    uint64_t value = 0;

    for (size_t i = is_hex ? 2 : 0; i < size; i++) {
        const unsigned d = mprof_digit(text[i]);

        if (d >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, d, &value))
            return false;
    }
    *number = value;
    return true;
}

/* Takes what may be a number; false where it is none. */
static bool take_number(struct mpdata_events *e, uint64_t *number)
{
    const bool is_text = e->next.kind == MPDATA_EVENT_TEXT;

    if (!is_text && e->next.kind != MPDATA_EVENT_NUMBER) {
        fail_here(e, "a number is expected");
        return false;
    }
    take(e);
    return e->err == MPROF_E_OK &&
           (!is_text ||
            (e->last.size > 2 && memcmp(e->last.bytes, "0x", 2) == 0)) &&
           parse_number(e->last.bytes, e->last.size, is_text, number);
}

uint64_t mpdata_events_number(struct mpdata_events *e, uint64_t max)
{
    uint64_t number = 0;

    if (e->err != MPROF_E_OK)
        return 0;
    if (!take_number(e, &number))
        mpdata_events_fail(e, MPROF_E_VALUE,
                           "not a whole number of 64 bits: %.*s", SHOWN_MAX,
                           e->last.bytes);
    else if (number > max)
        mpdata_events_fail(e, MPROF_E_VALUE, "too large a number: %.*s",
                           SHOWN_MAX, e->last.bytes);
    return e->err == MPROF_E_OK ? number : 0;
}

bool mpdata_events_bool(struct mpdata_events *e)
{
    if (e->err == MPROF_E_OK && e->next.kind != MPDATA_EVENT_BOOL)
        fail_here(e, "true or false is expected");
    if (e->err == MPROF_E_OK)
        take(e);
    return e->err == MPROF_E_OK && e->last.bytes[0] == 't';
}
