/* json_in.c -- reads a JSON text for callers that know what must come.
 *
 * yajl calls back for each token, but callers ask for the next one. So the text
 * is parsed in pieces, whose tokens wait in a queue. Callers refuse tokens they
 * do not expect, which limits the nesting: the parser is at most one piece, or
 * one longer string, ahead of them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json_in.h"
#include "profdata/base/diag.h"
#include "profdata/base/sink.h"
#include "shared/digit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#define SHOWN_MAX 40
/* The buffer of a scalar grows by at least this much. */
#define HELD_BYTES_MIN 256u

static uint64_t line_of(const struct mpdata_json_in *in, uint64_t offset)
{
    uint64_t line = 1;

    for (uint64_t i = 0; i < offset; i++)
        line += in->data[i] == '\n';
    return line;
}

static void fail_at(struct mpdata_json_in *in, enum mprof_err err,
                    const struct mpdata_json_in_token *token, const char *text)
{
    const uint64_t offset = mprof_min_u64(token->offset, in->size);

    if (in->err != MPROF_E_OK)
        return;
    in->err = err;
    mpdata_diag_fail(in->diag, err, "JSON", offset, "line %llu: %s%s%s%s",
                     (unsigned long long)line_of(in, offset), text,
                     in->key != NULL ? " (key " : "",
                     in->key != NULL ? in->key : "",
                     in->key != NULL ? ")" : "");
}

void mpdata_json_in_fail(struct mpdata_json_in *in, enum mprof_err err,
                         const char *format, ...)
{
    char text[MPROF_DIAG_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fail_at(in, err, &in->last, text);
}

void mpdata_json_in_fail_memory(struct mpdata_json_in *in)
{
    mpdata_json_in_fail(in, MPROF_E_NOMEM, "no memory");
}

static void fail_here(struct mpdata_json_in *in, const char *text)
{
    fail_at(in, MPROF_E_VALUE, &in->next, text);
}

/* -- tokens ------------------------------------------------------------------ */

#define PIECE_BYTES 4096u

struct queued {
    enum mpdata_json_in_kind kind;
    size_t bytes; /* offset in in->scalars */
    size_t size;
    uint64_t offset;
};

static int queue(void *context, enum mpdata_json_in_kind kind,
                 const void *bytes, size_t size)
{
    struct mpdata_json_in *const in = context;

    if (!mpdata_vec_add(
            &in->queue,
            &(struct queued){.kind = kind,
                             .bytes = in->scalars.size,
                             .size = size,
                             .offset = in->piece +
                                       yajl_get_bytes_consumed(in->parser)}))
        return 0;
    mprof_buf_bytes(&in->scalars, bytes, size);
    return !in->scalars.failed;
}

static int on_null(void *context)
{
    return queue(context, MPDATA_JSON_IN_NULL, "", 0);
}

static int on_bool(void *context, int value)
{
    const char *const text = value ? "true" : "false";

    return queue(context, MPDATA_JSON_IN_BOOL, text, strlen(text));
}

static int on_number(void *context, const char *digits, size_t size)
{
    return queue(context, MPDATA_JSON_IN_NUMBER, digits, size);
}

static int on_string(void *context, const unsigned char *bytes, size_t size)
{
    return queue(context, MPDATA_JSON_IN_TEXT, bytes, size);
}

static int on_key(void *context, const unsigned char *bytes, size_t size)
{
    return queue(context, MPDATA_JSON_IN_KEY, bytes, size);
}

static int on_map(void *context)
{
    return queue(context, MPDATA_JSON_IN_OBJECT, "", 0);
}

static int on_map_end(void *context)
{
    return queue(context, MPDATA_JSON_IN_OBJECT_END, "", 0);
}

static int on_list(void *context)
{
    return queue(context, MPDATA_JSON_IN_ARRAY, "", 0);
}

static int on_list_end(void *context)
{
    return queue(context, MPDATA_JSON_IN_ARRAY_END, "", 0);
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_bool,
                                         .yajl_number = on_number,
                                         .yajl_string = on_string,
                                         .yajl_start_map = on_map,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_map_end,
                                         .yajl_start_array = on_list,
                                         .yajl_end_array = on_list_end};

/* Fails with the first line of yajl's message. */
static void fail_parser(struct mpdata_json_in *in, yajl_status status)
{
    const size_t at = yajl_get_bytes_consumed(in->parser);
    const struct mpdata_json_in_token token = {.offset = in->piece + at};
    char line[MPROF_DIAG_TEXT_BYTES] = "";

    if (status == yajl_status_client_canceled) {
        mpdata_json_in_fail_memory(in);
        return;
    }
    unsigned char *text = yajl_get_error(in->parser, 0, NULL, 0);
    memccpy(line, text, '\n', sizeof(line) - 1);
    line[strcspn(line, "\n")] = '\0';
    yajl_free_error(in->parser, text);
    in->key = NULL;
    fail_at(in, MPROF_E_VALUE, &token, line);
}

/* Parses the next piece, or tells yajl that the text has ended. */
static void parse_piece(struct mpdata_json_in *in, size_t most)
{
    const size_t left = in->size - in->given;
    const size_t size = left < most ? left : most;
    const uint8_t *const bytes = in->data + in->given;
    yajl_status status;

    if (setjmp(in->memory.escape) != 0) {
        mpdata_json_in_fail_memory(in);
        return;
    }
    in->piece = in->given;
    in->given += size;
    if (size != 0) {
        status = yajl_parse(in->parser, bytes, size);
    } else {
        in->is_complete = true;
        status = yajl_complete_parse(in->parser);
    }
    if (status != yajl_status_ok)
        fail_parser(in, status);
}

/* Puts the next token into in->next, or fails. */
static void advance(struct mpdata_json_in *in)
{
    if (in->queue_at == in->queue.count) {
        in->queue_at = in->queue.count = 0;
        in->scalars.size = 0;
        /* yajl reads an unfinished string again from its start, so each further
         * piece is twice as large. */
        for (size_t most = PIECE_BYTES;
             in->queue.count == 0 && !in->is_complete && in->err == MPROF_E_OK;
             most += most)
            parse_piece(in, most);
        if (in->err != MPROF_E_OK)
            return;
    }
    if (in->queue.count == 0) {
        in->next = (struct mpdata_json_in_token){.kind = MPDATA_JSON_IN_END,
                                                 .offset = in->size};
        return;
    }
    const struct queued *row =
        (const struct queued *)in->queue.data + in->queue_at++;
    in->next = (struct mpdata_json_in_token){
        .kind = row->kind,
        .bytes = (const char *)in->scalars.data + row->bytes,
        .size = row->size,
        .offset = row->offset};
}

/* -- objects and arrays ------------------------------------------------------ */

/* Copies the bytes of in->last and adds a NUL. */
static bool hold(struct mpdata_json_in *in)
{
    const size_t size = in->last.size;

    if (in->held_bytes <= size) {
        const size_t bytes = 2 * size + HELD_BYTES_MIN;
        char *const held = realloc(in->held, bytes);

        if (held == NULL)
            return false;
        in->held = held;
        in->held_bytes = bytes;
    }
    if (size != 0)
        memcpy(in->held, in->last.bytes, size);
    in->held[size] = '\0';
    in->last.bytes = in->held;
    return true;
}

/* Moves to the next token. */
static void take(struct mpdata_json_in *in)
{
    in->last = in->next;
    if (!hold(in))
        mpdata_json_in_fail_memory(in);
    if (in->err == MPROF_E_OK)
        advance(in);
}

static bool enter(struct mpdata_json_in *in, enum mpdata_json_in_kind kind,
                  const char *what)
{
    if (in->err == MPROF_E_OK && in->next.kind != kind)
        fail_here(in, what);
    if (in->err == MPROF_E_OK)
        take(in);
    return in->err == MPROF_E_OK;
}

bool mpdata_json_in_object(struct mpdata_json_in *in)
{
    return enter(in, MPDATA_JSON_IN_OBJECT, "an object is expected");
}

bool mpdata_json_in_array(struct mpdata_json_in *in)
{
    return enter(in, MPDATA_JSON_IN_ARRAY, "an array is expected");
}

bool mpdata_json_in_item(struct mpdata_json_in *in)
{
    if (in->err != MPROF_E_OK)
        return false;
    if (in->next.kind != MPDATA_JSON_IN_ARRAY_END)
        return true;
    take(in);
    return false;
}

static const char *name_of(const struct mpdata_json_in_keys *keys, size_t i)
{
    return *(const char *const *)((const char *)keys->first + i * keys->stride);
}

static bool is_seen(const struct mpdata_json_in_keys *keys, size_t i)
{
    return (keys->seen[i / 64] >> i % 64 & 1) != 0;
}

static void take_key(struct mpdata_json_in *in,
                     struct mpdata_json_in_keys *keys, size_t *key)
{
    in->key = NULL;
    for (size_t i = 0; i < keys->count; i++) {
        const char *const name = name_of(keys, i);

        if (strlen(name) != in->last.size ||
            memcmp(name, in->last.bytes, in->last.size) != 0)
            continue;
        if (is_seen(keys, i))
            mpdata_json_in_fail(in, MPROF_E_DUPLICATE, "key %s", name);
        keys->seen[i / 64] |= UINT64_C(1) << i % 64;
        *key = i;
        in->key = name;
        return;
    }
    mpdata_json_in_fail(in, MPROF_E_VALUE, "unknown key %.*s", SHOWN_MAX,
                        in->last.bytes);
}

bool mpdata_json_in_key(struct mpdata_json_in *in,
                        struct mpdata_json_in_keys *keys, size_t *key)
{
    if (in->err != MPROF_E_OK)
        return false;
    if (in->next.kind == MPDATA_JSON_IN_OBJECT_END) {
        take(in);
        return false;
    }
    if (in->next.kind != MPDATA_JSON_IN_KEY) {
        fail_here(in, "a key is expected");
        return false;
    }
    take(in);
    if (in->err == MPROF_E_OK)
        take_key(in, keys, key);
    return in->err == MPROF_E_OK;
}

void mpdata_json_in_need(struct mpdata_json_in *in,
                         const struct mpdata_json_in_keys *keys, uint64_t bits)
{
    in->key = in->err != MPROF_E_OK ? in->key : NULL;
    for (size_t i = 0; i < 64 && i < keys->count; i++) {
        if ((bits >> i & 1) != 0 && !is_seen(keys, i))
            mpdata_json_in_fail(in, MPROF_E_MISSING, "key %s",
                                name_of(keys, i));
    }
}

void mpdata_json_in_skip(struct mpdata_json_in *in)
{
    uint32_t depth = 0;

    do {
        const enum mpdata_json_in_kind kind = in->next.kind;

        if (kind == MPDATA_JSON_IN_OBJECT || kind == MPDATA_JSON_IN_ARRAY)
            depth++;
        else if (kind == MPDATA_JSON_IN_OBJECT_END ||
                 kind == MPDATA_JSON_IN_ARRAY_END)
            depth--;
        take(in);
    } while (depth != 0 && in->err == MPROF_E_OK);
}

/* -- scalars ----------------------------------------------------------------- */

/* Replaces a string of digits by its bytes. */
static void decode_hex(struct mpdata_json_in *in, struct mpdata_str *s)
{
    char *const bytes = realloc(in->decoded, s->size / 2 + 1);

    if (bytes == NULL) {
        mpdata_json_in_fail_memory(in);
        return;
    }
    in->decoded = bytes;
    for (size_t i = 0; i < s->size; i++) {
        const unsigned value = mprof_digit(s->bytes[i]);

        if (value == 16 || s->size % 2 != 0) {
            mpdata_json_in_fail(in, MPROF_E_VALUE, "not hexadecimal digits");
            return;
        }
        bytes[i / 2] =
            (char)(i % 2 == 0 ? value << 4
                              : ((unsigned)(uint8_t)bytes[i / 2] | value));
    }
    bytes[s->size / 2] = '\0';
    *s = (struct mpdata_str){.bytes = bytes, .size = s->size / 2};
}

static struct mpdata_str read_text(struct mpdata_json_in *in)
{
    if (in->err == MPROF_E_OK && in->next.kind != MPDATA_JSON_IN_TEXT)
        fail_here(in, "a string is expected");
    if (in->err == MPROF_E_OK)
        take(in);
    return in->err == MPROF_E_OK ? (struct mpdata_str){.bytes = in->last.bytes,
                                                       .size = in->last.size}
                                 : (struct mpdata_str){.bytes = ""};
}

struct mpdata_str mpdata_json_in_bytes(struct mpdata_json_in *in)
{
    struct mpdata_str s = read_text(in);

    if (in->err == MPROF_E_OK)
        decode_hex(in, &s);
    return in->err == MPROF_E_OK ? s : (struct mpdata_str){.bytes = ""};
}

struct mpdata_str mpdata_json_in_string(struct mpdata_json_in *in)
{
    static const char *const name = "hex";
    struct mpdata_json_in_keys keys = {.first = &name, .count = 1};
    const char *const outer = in->key;
    struct mpdata_str s = {.bytes = ""};
    size_t key;

    if (in->next.kind != MPDATA_JSON_IN_OBJECT)
        return read_text(in);
    if (mpdata_json_in_object(in)) {
        while (mpdata_json_in_key(in, &keys, &key))
            s = mpdata_json_in_bytes(in);
    }
    mpdata_json_in_need(in, &keys, 1);
    in->key = outer;
    return in->err == MPROF_E_OK ? s : (struct mpdata_str){.bytes = ""};
}

/* Parses a text that is all digits, or 0x and hexadecimal digits. */
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

/* Takes a number or a string; false if it is not a number. */
static bool take_number(struct mpdata_json_in *in, uint64_t *number)
{
    const bool is_text = in->next.kind == MPDATA_JSON_IN_TEXT;

    if (!is_text && in->next.kind != MPDATA_JSON_IN_NUMBER) {
        fail_here(in, "a number is expected");
        return false;
    }
    take(in);
    return in->err == MPROF_E_OK &&
           (!is_text ||
            (in->last.size > 2 && memcmp(in->last.bytes, "0x", 2) == 0)) &&
           parse_number(in->last.bytes, in->last.size, is_text, number);
}

uint64_t mpdata_json_in_number(struct mpdata_json_in *in, uint64_t max)
{
    uint64_t number = 0;

    if (in->err != MPROF_E_OK)
        return 0;
    if (!take_number(in, &number))
        mpdata_json_in_fail(in, MPROF_E_VALUE,
                            "not a whole number of 64 bits: %.*s", SHOWN_MAX,
                            in->last.bytes);
    else if (number > max)
        mpdata_json_in_fail(in, MPROF_E_VALUE, "too large a number: %.*s",
                            SHOWN_MAX, in->last.bytes);
    return in->err == MPROF_E_OK ? number : 0;
}

bool mpdata_json_in_bool(struct mpdata_json_in *in)
{
    if (in->err == MPROF_E_OK && in->next.kind != MPDATA_JSON_IN_BOOL)
        fail_here(in, "true or false is expected");
    if (in->err == MPROF_E_OK)
        take(in);
    return in->err == MPROF_E_OK && in->last.bytes[0] == 't';
}

/* -- open and close ---------------------------------------------------------- */

/* The parser; NULL when out of memory. */
static struct yajl_handle_t *make_parser(struct mpdata_json_in *in)
{
    if (setjmp(in->memory.escape) != 0)
        return NULL;
    return yajl_alloc(&callbacks, &in->memory.funcs, in);
}

void mpdata_json_in_open(struct mpdata_json_in *in, const void *data,
                         size_t size, struct mprof_diag *diag)
{
    memset(in, 0, sizeof(*in));
    in->data = data;
    in->size = size;
    in->diag = diag;
    in->queue.elem_bytes = sizeof(struct queued);
    mpdata_heapbuf_init(&in->scalars);
    mpdata_json_memory_init(&in->memory);
    in->parser = make_parser(in);
    if (in->parser != NULL)
        advance(in);
    else
        mpdata_json_in_fail_memory(in);
}

void mpdata_json_in_close(struct mpdata_json_in *in)
{
    free(in->held);
    free(in->decoded);
    mpdata_json_memory_fini(&in->memory);
    mpdata_heapbuf_fini(&in->scalars);
    mpdata_vec_fini(&in->queue);
}
