/* json_out.c -- writes JSON to a sink piece by piece.
 *
 * yajl allocates only when it starts, because its output is printed at once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/base/sink.h"
#include "profdata/base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_gen.h>

/* Digits of the largest number in decimal. */
#define DIGITS_MAX 20
#define DIGITS32_MAX 10
#define NUMBERS_AT_ONCE 64u
static const char hex_digits[] = "0123456789abcdef";
static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static void print(void *context, const char *text, size_t size)
{
    mpdata_sink_bytes((struct mpdata_sink *)context, text, size);
}

static yajl_gen make_gen(struct mpdata_json_out *json)
{
    if (setjmp(json->memory.escape) != 0)
        return NULL;
    return yajl_gen_alloc(&json->memory.funcs);
}

bool mpdata_json_out_init(struct mpdata_json_out *json,
                          struct mpdata_sink *sink)
{
    json->sink = sink;
    mpdata_json_memory_init(&json->memory);
    json->gen = make_gen(json);
    if (json->gen == NULL)
        return false;
    yajl_gen_config(json->gen, yajl_gen_print_callback, print, sink);
    return true;
}

void mpdata_json_out_fini(struct mpdata_json_out *json)
{
    mpdata_json_memory_fini(&json->memory);
}

void mpdata_json_out_open_map(struct mpdata_json_out *json)
{
    yajl_gen_map_open(json->gen);
}

void mpdata_json_out_close_map(struct mpdata_json_out *json)
{
    yajl_gen_map_close(json->gen);
}

void mpdata_json_out_open_array(struct mpdata_json_out *json)
{
    yajl_gen_array_open(json->gen);
}

void mpdata_json_out_close_array(struct mpdata_json_out *json)
{
    yajl_gen_array_close(json->gen);
}

void mpdata_json_out_line(struct mpdata_json_out *json)
{
    mpdata_sink_char(json->sink, '\n');
}

void mpdata_json_out_row(struct mpdata_json_out *json)
{
    mpdata_json_out_line(json);
    mpdata_json_out_open_map(json);
}

/* -- members --------------------------------------------------------------- */

void mpdata_json_out_number_of(struct mpdata_json_out *json, const char *key,
                               uint64_t number)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_number(json, number);
}

void mpdata_json_out_text_of(struct mpdata_json_out *json, const char *key,
                             const char *text)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_text(json, text, strlen(text));
}

void mpdata_json_out_bool_of(struct mpdata_json_out *json, const char *key,
                             bool value)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_bool(json, value);
}

void mpdata_json_out_value_of(struct mpdata_json_out *json, const char *key,
                              const char *value)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_value(json, value);
}

void mpdata_json_out_id_of(struct mpdata_json_out *json, const char *key,
                           uint64_t id)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_id(json, id);
}

void mpdata_json_out_real_of(struct mpdata_json_out *json, const char *key,
                             double number)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_real(json, number);
}

void mpdata_json_out_string_of(struct mpdata_json_out *json, const char *key,
                               const struct mpdata_str *text)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_text(json, text->bytes, text->size);
}

void mpdata_json_out_known_number(struct mpdata_json_out *json, const char *key,
                                  uint64_t number)
{
    if (number != 0)
        mpdata_json_out_number_of(json, key, number);
}

void mpdata_json_out_known_id(struct mpdata_json_out *json, const char *key,
                              uint64_t id)
{
    if (id != 0)
        mpdata_json_out_id_of(json, key, id);
}

void mpdata_json_out_known_flag(struct mpdata_json_out *json, const char *key,
                                bool is_set)
{
    if (is_set)
        mpdata_json_out_bool_of(json, key, true);
}

void mpdata_json_out_known_text(struct mpdata_json_out *json, const char *key,
                                const char *text)
{
    if (text[0] != '\0')
        mpdata_json_out_text_of(json, key, text);
}

void mpdata_json_out_known_lines(struct mpdata_json_out *json, const char *key,
                                 const char *lines)
{
    if (*lines == '\0')
        return;
    mpdata_json_out_array_of(json, key);
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        mpdata_json_out_text(json, lines, (size_t)(end - lines));
    mpdata_json_out_close_array(json);
}

void mpdata_json_out_map_of(struct mpdata_json_out *json, const char *key)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_open_map(json);
}

void mpdata_json_out_array_of(struct mpdata_json_out *json, const char *key)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_open_array(json);
}

/* -- strings --------------------------------------------------------------- */

static void put_string(struct mpdata_json_out *json, const void *bytes,
                       size_t size)
{
    yajl_gen_string(json->gen, (const unsigned char *)bytes, size);
}

/* Length of the longest prefix that is UTF-8. */
static size_t utf8_bytes(const char *bytes, size_t size)
{
    const uint8_t *const s = (const uint8_t *)bytes;
    size_t at = 0;

    while (at < size) {
        const size_t n = mpdata_utf8_character(s + at, size - at);

        if (n == 0)
            break;
        at += n;
    }
    return at;
}

void mpdata_json_out_key(struct mpdata_json_out *json, const char *key)
{
    put_string(json, key, strlen(key));
}

/* Writes and frees the bytes in `made`. */
static void put_made(struct mpdata_json_out *json, struct mprof_buf *made)
{
    if (made->failed)
        json->sink->failed = true;
    else
        put_string(json, made->data, made->size);
    mpdata_heapbuf_fini(made);
}

void mpdata_json_out_text(struct mpdata_json_out *json, const char *bytes,
                          size_t size)
{
    size_t good = utf8_bytes(bytes, size);
    struct mprof_buf made;

    if (good == size) {
        put_string(json, bytes, size);
        return;
    }
    mpdata_heapbuf_init(&made);
    while (good < size) {
        mprof_buf_bytes(&made, bytes, good);
        mprof_buf_bytes(&made, replacement, sizeof(replacement) - 1);
        bytes += good + 1;
        size -= good + 1;
        good = utf8_bytes(bytes, size);
    }
    mprof_buf_bytes(&made, bytes, size);
    put_made(json, &made);
}

void mpdata_json_out_hex(struct mpdata_json_out *json, const void *bytes,
                         size_t size)
{
    const uint8_t *const from = (const uint8_t *)bytes;
    struct mprof_buf made;

    mpdata_heapbuf_init(&made);
    for (size_t i = 0; i < size && !made.failed; i++) {
        const char digits[] = {hex_digits[from[i] >> 4],
                               hex_digits[from[i] & 15]};

        mprof_buf_bytes(&made, digits, sizeof(digits));
    }
    put_made(json, &made);
}

void mpdata_json_out_exact(struct mpdata_json_out *json, const char *bytes,
                           size_t size)
{
    if (utf8_bytes(bytes, size) == size) {
        put_string(json, bytes, size);
        return;
    }
    mpdata_json_out_open_map(json);
    mpdata_json_out_key(json, "hex");
    mpdata_json_out_hex(json, bytes, size);
    mpdata_json_out_close_map(json);
}

/* -- numbers --------------------------------------------------------------- */

/* Writes the digits so that they end at `end`; returns where they begin.
 * printf() takes five times as long, and a profile has many numbers. */
static char *digits_before(char *end, uint64_t number)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return end;
}

void mpdata_json_out_number(struct mpdata_json_out *json, uint64_t number)
{
    char digits[DIGITS_MAX];
    char *const end = digits + sizeof(digits);
    const char *const start = digits_before(end, number);

    yajl_gen_number(json->gen, start, (size_t)(end - start));
}

/* Writes several numbers with their commas, which yajl takes for one number.
 * Fills the text backwards, as digits_before() does. */
static void put_some(struct mpdata_json_out *json, const uint32_t *numbers,
                     size_t count)
{
    char text[NUMBERS_AT_ONCE * (DIGITS32_MAX + 1)];
    char *const end = text + sizeof(text);
    char *start = end;

    while (count-- > 0) {
        if (start != end)
            *--start = ',';
        start = digits_before(start, numbers[count]);
    }
    yajl_gen_number(json->gen, start, (size_t)(end - start));
}

void mpdata_json_out_pair(struct mpdata_json_out *json, uint64_t a, uint64_t b)
{
    mpdata_json_out_open_array(json);
    mpdata_json_out_number(json, a);
    mpdata_json_out_number(json, b);
    mpdata_json_out_close_array(json);
}

void mpdata_json_out_numbers(struct mpdata_json_out *json,
                             const uint32_t *numbers, size_t count)
{
    while (count != 0) {
        const size_t some = count < NUMBERS_AT_ONCE ? count : NUMBERS_AT_ONCE;

        put_some(json, numbers, some);
        numbers += some;
        count -= some;
    }
}

void mpdata_json_out_millionths(struct mpdata_json_out *json, uint64_t number)
{
    char digits[DIGITS_MAX + 8];
    const int n = snprintf(digits, sizeof(digits), "%" PRIu64 ".%06" PRIu64,
                           number / 1000000, number % 1000000);

    yajl_gen_number(json->gen, digits, (size_t)n);
}

void mpdata_json_out_signed(struct mpdata_json_out *json, bool is_negative,
                            uint64_t amount)
{
    char digits[DIGITS_MAX + 2];
    const int size = snprintf(digits, sizeof(digits), "%s%" PRIu64,
                              is_negative && amount != 0 ? "-" : "", amount);

    yajl_gen_number(json->gen, digits, (size_t)size);
}

void mpdata_json_out_ratio(struct mpdata_json_out *json, uint64_t a, uint64_t b)
{
    mpdata_json_out_real(json, (double)a / (double)b);
}

void mpdata_json_out_real(struct mpdata_json_out *json, double number)
{
    char digits[DIGITS_MAX];
    const int size = snprintf(digits, sizeof(digits), "%.6g", number);

    yajl_gen_number(json->gen, digits, (size_t)size);
}

void mpdata_json_out_id(struct mpdata_json_out *json, uint64_t id)
{
    char digits[DIGITS_MAX];
    size_t at = sizeof(digits);

    do {
        digits[--at] = hex_digits[id & 15];
        id >>= 4;
    } while (id != 0);
    digits[--at] = 'x';
    digits[--at] = '0';
    put_string(json, digits + at, sizeof(digits) - at);
}

void mpdata_json_out_bool(struct mpdata_json_out *json, bool value)
{
    yajl_gen_bool(json->gen, value);
}

void mpdata_json_out_null(struct mpdata_json_out *json)
{
    yajl_gen_null(json->gen);
}

/* yajl writes numbers as they are. */
void mpdata_json_out_value(struct mpdata_json_out *json, const char *value)
{
    yajl_gen_number(json->gen, value, strlen(value));
}
