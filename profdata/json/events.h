/* events.h -- a document of JSON, walked from the front by who knows what must
 * come: mappings, lists and scalars, which json_source.h takes from the text.
 *
 * The input is hostile: what is not expected is refused when it comes, so
 * nothing is nested deeper than the formats are; keys that are unknown or there
 * twice are refused. Failures are sticky: after one every call returns false or
 * 0, and the caller asks once at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_EVENTS_H
#define MPDATA_EVENTS_H

#include "profdata/base/str.h"
#include "shared/err.h"

enum mpdata_event_kind {
    MPDATA_EVENT_MAP,
    MPDATA_EVENT_MAP_END,
    MPDATA_EVENT_LIST,
    MPDATA_EVENT_LIST_END,
    MPDATA_EVENT_KEY,
    MPDATA_EVENT_TEXT,
    MPDATA_EVENT_NUMBER, /* its digits */
    MPDATA_EVENT_BOOL,   /* "true" or "false" */
    MPDATA_EVENT_NULL,
    MPDATA_EVENT_END /* of the document */
};

struct mpdata_event {
    enum mpdata_event_kind kind;
    const char *bytes; /* of a scalar or key, until the next event is asked */
    size_t size;
    uint64_t offset; /* bytes from the start of the text */
};

struct mpdata_events;
/* Puts the next event into events->next, or fails. */
typedef void mpdata_events_advance_fn(struct mpdata_events *events);

/* What the source fills when it opens, and what the calls below go on with. */
struct mpdata_events {
    mpdata_events_advance_fn *advance;
    const uint8_t *data; /* borrowed */
    size_t size;
    struct mpdata_event next;
    struct mpdata_event last; /* that was taken; its bytes are held */
    char *held;
    size_t held_bytes;
    char *decoded;   /* bytes that were written as hexadecimal digits */
    const char *key; /* the one that was taken last, or NULL */
    enum mprof_err err;
    struct mprof_diag *diag; /* or NULL */
};

/* The keys of a mapping, and which were there. */
struct mpdata_events_keys {
    const char *const *names;
    size_t count; /* at most 64 */
    uint64_t seen;
};

/* Frees what reading took; the source has its own. */
void mpdata_events_fini(struct mpdata_events *events);

/* Fails at the place of what was read last, unless it failed before. The
 * message has the line, and the key that was read last. */
void mpdata_events_fail(struct mpdata_events *events, enum mprof_err err,
                        const char *format, ...) MPROF_PRINTF(3, 4);
/* The same at an event: for the source. */
void mpdata_events_fail_at(struct mpdata_events *events, enum mprof_err err,
                           const struct mpdata_event *event, const char *text);
void mpdata_events_fail_memory(struct mpdata_events *events);

/* Enters a mapping or a list; false after a failure. */
bool mpdata_events_map(struct mpdata_events *events);
bool mpdata_events_list(struct mpdata_events *events);

/* The next key of the mapping, as an index into keys->names; false at the end.
 * A key that is not among them, or is there twice, is a failure. */
bool mpdata_events_key(struct mpdata_events *events,
                       struct mpdata_events_keys *keys, size_t *key);
/* Fails with MISSING where one of the keys whose bits are set was not seen. */
void mpdata_events_need(struct mpdata_events *events,
                        const struct mpdata_events_keys *keys, uint64_t bits);

/* Takes a value of any kind with all that is in it: up to 2^32 levels deep. */
void mpdata_events_skip(struct mpdata_events *events);

/* Is there another item of the list? It is to be taken. */
bool mpdata_events_item(struct mpdata_events *events);

/* Scalars. A string's bytes stay until the next scalar is taken; on failure it
 * is empty. {"hex": DIGITS} is a string, too, of any bytes. */
struct mpdata_str mpdata_events_string(struct mpdata_events *events);
/* Bytes that are always written as hexadecimal digits. */
struct mpdata_str mpdata_events_bytes(struct mpdata_events *events);
/* A whole number, or a string of 0x and hexadecimal digits. */
uint64_t mpdata_events_number(struct mpdata_events *events, uint64_t max);
bool mpdata_events_bool(struct mpdata_events *events);

#endif
