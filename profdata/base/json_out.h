/* json_out.h -- writes JSON to a sink piece by piece, with yajl. Nothing is
 * buffered, so the text may have any length.
 *
 * The caller opens and closes in pairs, and writes a key before each value of a
 * map. Errors, out of memory included, show in the sink.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/json_memory.h"
#include "profdata/base/sink.h"
#include "profdata/base/str.h"

struct yajl_gen_t;

/* Must not move: yajl keeps its address. */
struct mpdata_json_out {
    struct mpdata_sink *sink;
    struct yajl_gen_t *gen;
    struct mpdata_json_memory memory;
};

/* False when out of memory. Fini is due either way. */
MPROF_NODISCARD bool mpdata_json_out_init(struct mpdata_json_out *json,
                                          struct mpdata_sink *sink);
void mpdata_json_out_fini(struct mpdata_json_out *json);

void mpdata_json_out_open_map(struct mpdata_json_out *json);
void mpdata_json_out_close_map(struct mpdata_json_out *json);
void mpdata_json_out_open_array(struct mpdata_json_out *json);
void mpdata_json_out_close_array(struct mpdata_json_out *json);
/* Begins a new line. */
void mpdata_json_out_line(struct mpdata_json_out *json);

/* Opens a map on a new line. */
void mpdata_json_out_row(struct mpdata_json_out *json);

/* Write a member of the open map: a key and a value, or a key and the start of
 * a map or array. The text ends with a NUL. */
void mpdata_json_out_number_of(struct mpdata_json_out *json, const char *key,
                               uint64_t number);
void mpdata_json_out_text_of(struct mpdata_json_out *json, const char *key,
                             const char *text);
void mpdata_json_out_bool_of(struct mpdata_json_out *json, const char *key,
                             bool value);
/* `value` is JSON, written as it is. */
void mpdata_json_out_value_of(struct mpdata_json_out *json, const char *key,
                              const char *value);
void mpdata_json_out_id_of(struct mpdata_json_out *json, const char *key,
                           uint64_t id);
void mpdata_json_out_real_of(struct mpdata_json_out *json, const char *key,
                             double number);
void mpdata_json_out_string_of(struct mpdata_json_out *json, const char *key,
                               const struct mpdata_str *text);
/* Write nothing for 0, false and "". */
void mpdata_json_out_known_number(struct mpdata_json_out *json, const char *key,
                                  uint64_t number);
void mpdata_json_out_known_id(struct mpdata_json_out *json, const char *key,
                              uint64_t id);
void mpdata_json_out_known_flag(struct mpdata_json_out *json, const char *key,
                                bool is_set);
void mpdata_json_out_known_text(struct mpdata_json_out *json, const char *key,
                                const char *text);
/* Writes an array of lines, each of which ends with a newline. */
void mpdata_json_out_known_lines(struct mpdata_json_out *json, const char *key,
                                 const char *lines);
void mpdata_json_out_map_of(struct mpdata_json_out *json, const char *key);
void mpdata_json_out_array_of(struct mpdata_json_out *json, const char *key);

/* Writes a key, or a string known to be UTF-8. */
void mpdata_json_out_key(struct mpdata_json_out *json, const char *key);
/* Writes bytes as a string; bytes that are not UTF-8 become U+FFFD. */
void mpdata_json_out_text(struct mpdata_json_out *json, const char *bytes,
                          size_t size);
/* Writes all bytes: as a string if they are UTF-8, else {"hex": "ff01"}. */
void mpdata_json_out_exact(struct mpdata_json_out *json, const char *bytes,
                           size_t size);
/* Writes "ff01". */
void mpdata_json_out_hex(struct mpdata_json_out *json, const void *bytes,
                         size_t size);
void mpdata_json_out_number(struct mpdata_json_out *json, uint64_t number);
/* Writes an array of two numbers. */
void mpdata_json_out_pair(struct mpdata_json_out *json, uint64_t a, uint64_t b);
/* Writes values of the open array, five times as fast as one by one. */
void mpdata_json_out_numbers(struct mpdata_json_out *json,
                             const uint32_t *numbers, size_t count);
/* Writes a number of millionths as a decimal fraction: 1.5 for 1500000. */
void mpdata_json_out_millionths(struct mpdata_json_out *json, uint64_t number);
/* Writes `amount`, or -amount; never -0. */
void mpdata_json_out_signed(struct mpdata_json_out *json, bool is_negative,
                            uint64_t amount);
/* Writes a / b with six digits; b is not 0. */
void mpdata_json_out_ratio(struct mpdata_json_out *json, uint64_t a,
                           uint64_t b);
/* Writes a finite number with six digits. */
void mpdata_json_out_real(struct mpdata_json_out *json, double number);
/* Writes "0x1a": many readers keep only 53 bits of a number. */
void mpdata_json_out_id(struct mpdata_json_out *json, uint64_t id);
void mpdata_json_out_bool(struct mpdata_json_out *json, bool value);
void mpdata_json_out_null(struct mpdata_json_out *json);
/* Writes text that is JSON as it is. */
void mpdata_json_out_value(struct mpdata_json_out *json, const char *value);
