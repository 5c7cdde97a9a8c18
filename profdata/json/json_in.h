/* json_in.h -- reads a JSON text from front to back for a caller that knows
 * what must come: objects, arrays and scalars. yajl finds the tokens.
 *
 * The input is hostile. The reader refuses what the caller does not expect, so
 * nothing is nested deeper than the caller's format, and refuses unknown and
 * repeated keys. Failures are sticky: after one every call returns false or 0,
 * and the caller checks once at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/json_memory.h"
#include "profdata/base/str.h"
#include "profdata/base/vec.h"
#include "shared/buf.h"
#include "shared/err.h"

struct yajl_handle_t;

enum mpdata_json_in_kind {
    MPDATA_JSON_IN_OBJECT,
    MPDATA_JSON_IN_OBJECT_END,
    MPDATA_JSON_IN_ARRAY,
    MPDATA_JSON_IN_ARRAY_END,
    MPDATA_JSON_IN_KEY,
    MPDATA_JSON_IN_TEXT,
    MPDATA_JSON_IN_NUMBER, /* its digits */
    MPDATA_JSON_IN_BOOL,   /* "true" or "false" */
    MPDATA_JSON_IN_NULL,
    MPDATA_JSON_IN_END /* of the text */
};

struct mpdata_json_in_token {
    enum mpdata_json_in_kind kind;
    const char *bytes; /* of a scalar or a key */
    size_t size;
    uint64_t offset; /* bytes from the start of the text */
};

/* Must not move: yajl keeps its address. */
struct mpdata_json_in {
    const uint8_t *data; /* borrowed */
    size_t size;
    struct mpdata_json_in_token next;
    struct mpdata_json_in_token
        last; /* the last one taken; its bytes are in held */
    char *held;
    size_t held_bytes;
    char *decoded;   /* bytes decoded from hexadecimal digits */
    const char *key; /* the last one taken, or NULL */
    enum mprof_err err;
    struct mprof_diag *diag; /* or NULL */
    struct yajl_handle_t *parser;
    struct mpdata_json_memory memory;
    struct mpdata_vec queue; /* tokens of the current piece of the text */
    uint32_t queue_at;
    struct mprof_buf scalars; /* bytes of the queued tokens */
    size_t piece;             /* offset where it starts */
    size_t given;             /* bytes passed to the parser */
    bool is_complete;         /* the parser was told of the end */
};

#define MPDATA_JSON_IN_KEYS_MAX 128

/* The keys of an object, and which have been read. */
struct mpdata_json_in_keys {
    const char *const *first; /* the first name */
    size_t stride;            /* bytes from one name to the next */
    size_t count;             /* at most MPDATA_JSON_IN_KEYS_MAX */
    uint64_t seen[MPDATA_JSON_IN_KEYS_MAX / 64];
};

/* Reads the first token. in->err tells a failure; close is due either way. */
void mpdata_json_in_open(struct mpdata_json_in *in, const void *data,
                         size_t size, struct mprof_diag *diag);
void mpdata_json_in_close(struct mpdata_json_in *in);

/* Fails at the last token taken, unless it failed before. The message has the
 * line and the last key. */
void mpdata_json_in_fail(struct mpdata_json_in *in, enum mprof_err err,
                         const char *format, ...) MPROF_PRINTF(3, 4);
void mpdata_json_in_fail_memory(struct mpdata_json_in *in);

/* Enters an object or an array; false after a failure, when there are no keys
 * and items either. */
bool mpdata_json_in_object(struct mpdata_json_in *in);
bool mpdata_json_in_array(struct mpdata_json_in *in);

/* Reads the next key of the object, as an index of the names; false at the end.
 * Unknown and repeated keys are failures. */
bool mpdata_json_in_key(struct mpdata_json_in *in,
                        struct mpdata_json_in_keys *keys, size_t *key);
/* Fails with MISSING if a key whose bit is set was not read. */
void mpdata_json_in_need(struct mpdata_json_in *in,
                         const struct mpdata_json_in_keys *keys, uint64_t bits);

/* True if the array has another item, which the caller must take. */
bool mpdata_json_in_item(struct mpdata_json_in *in);

/* Skips a value of any kind with all its content. */
void mpdata_json_in_skip(struct mpdata_json_in *in);

/* Scalars. A string's bytes stay until the next scalar is taken; on failure it
 * is empty. {"hex": DIGITS} is also a string, of any bytes. */
struct mpdata_str mpdata_json_in_string(struct mpdata_json_in *in);
/* Bytes that are always written as hexadecimal digits. */
struct mpdata_str mpdata_json_in_bytes(struct mpdata_json_in *in);
/* A whole number, or a string of 0x and hexadecimal digits. */
uint64_t mpdata_json_in_number(struct mpdata_json_in *in, uint64_t max);
bool mpdata_json_in_bool(struct mpdata_json_in *in);
