/* json_out.h -- JSON that goes to a sink piece by piece, made by yajl. Nothing
 * is held back, so the text may be of any length.
 *
 * The caller opens and closes in pairs, and writes a key before each value of a
 * map. Whether all was written, the sink says, which fails without memory, too.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_OUT_H
#define MPDATA_JSON_OUT_H

#include "profdata/base/json_memory.h"
#include "profdata/base/sink.h"

struct yajl_gen_t;

/* Must not move: yajl keeps where it is. */
struct mpdata_json_out {
    struct mpdata_sink *sink;
    struct yajl_gen_t *gen;
    struct mpdata_json_memory memory;
};

/* False without memory; after that only fini may be called, which is due either
 * way. */
MPROF_NODISCARD bool mpdata_json_out_init(struct mpdata_json_out *json,
                                          struct mpdata_sink *sink);
void mpdata_json_out_fini(struct mpdata_json_out *json);

void mpdata_json_out_open_map(struct mpdata_json_out *json);
void mpdata_json_out_close_map(struct mpdata_json_out *json);
void mpdata_json_out_open_array(struct mpdata_json_out *json);
void mpdata_json_out_close_array(struct mpdata_json_out *json);
/* What comes next begins a line. */
void mpdata_json_out_line(struct mpdata_json_out *json);

/* A map on a line of its own. */
void mpdata_json_out_row(struct mpdata_json_out *json);

/* Members of the map that is open: a key, and the value, or its start. The text
 * ends with a NUL. */
void mpdata_json_out_number_of(struct mpdata_json_out *json, const char *key,
                               uint64_t number);
void mpdata_json_out_text_of(struct mpdata_json_out *json, const char *key,
                             const char *text);
void mpdata_json_out_map_of(struct mpdata_json_out *json, const char *key);
void mpdata_json_out_array_of(struct mpdata_json_out *json, const char *key);

/* A key, or a string that is known to be UTF-8. */
void mpdata_json_out_key(struct mpdata_json_out *json, const char *key);
/* Any bytes; each that is no part of UTF-8 becomes U+FFFD. */
void mpdata_json_out_text(struct mpdata_json_out *json, const char *bytes,
                          size_t size);
/* Bytes that lose nothing: a string where they are UTF-8, else
 * {"hex": "ff01"}. */
void mpdata_json_out_exact(struct mpdata_json_out *json, const char *bytes,
                           size_t size);
/* "ff01". */
void mpdata_json_out_hex(struct mpdata_json_out *json, const void *bytes,
                         size_t size);
void mpdata_json_out_number(struct mpdata_json_out *json, uint64_t number);
/* Values of the array that is open; five times as fast as one by one. */
void mpdata_json_out_numbers(struct mpdata_json_out *json,
                             const uint32_t *numbers, size_t count);
/* A number of millionths, as a decimal fraction: 1.5 for 1500000. */
void mpdata_json_out_millionths(struct mpdata_json_out *json, uint64_t number);
/* `amount`, or less than zero; there is no -0. */
void mpdata_json_out_signed(struct mpdata_json_out *json, bool is_negative,
                            uint64_t amount);
/* a / b, to six digits; b is not 0. */
void mpdata_json_out_ratio(struct mpdata_json_out *json, uint64_t a,
                           uint64_t b);
/* A finite number, to six digits. */
void mpdata_json_out_real(struct mpdata_json_out *json, double number);
/* "0x1a": many readers keep but 53 bits of a number. */
void mpdata_json_out_id(struct mpdata_json_out *json, uint64_t id);
void mpdata_json_out_bool(struct mpdata_json_out *json, bool value);
void mpdata_json_out_null(struct mpdata_json_out *json);

#endif
