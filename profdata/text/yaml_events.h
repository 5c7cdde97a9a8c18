/* yaml_events.h -- YAML as the readers of text profiles need it: libyaml's
 * events, walked from the front by who knows what must come.
 *
 * The input is hostile: what is not expected is refused when it comes, so
 * nothing is nested deeper than the formats are; anchors, aliases and tags are
 * refused; one event is in memory at a time. Failures are sticky: after one
 * every call returns false or 0, and the caller asks once at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_YAML_EVENTS_H
#define MPDATA_YAML_EVENTS_H

#include "profdata/model/profile.h"

#include <yaml.h>

#define MPDATA_YAML_TAG_HEX "!hex"

struct mpdata_yaml {
    yaml_parser_t parser;
    yaml_event_t event; /* the next one */
    yaml_event_t last;  /* what was taken; its bytes are still looked at */
    size_t size;
    enum mprof_err err;
    struct mprof_diag *diag;
    /* The string at hand, where it was written as hexadecimal digits. */
    char *decoded;
};

/* The keys of a mapping, and which were there. */
struct mpdata_yaml_keys {
    const char *const *names;
    size_t count; /* at most 64 */
    uint64_t seen;
};

/* Goes to the first document that holds something; false in *is_empty. Close is
 * due either way. */
void mpdata_yaml_events_open(struct mpdata_yaml *y, const void *data,
                             size_t size, bool *is_empty,
                             struct mprof_diag *diag);
void mpdata_yaml_events_close(struct mpdata_yaml *y);

/* Fails at the place of what was read last, unless it failed before. */
void mpdata_yaml_events_fail(struct mpdata_yaml *y, enum mprof_err err,
                             const char *format, ...) MPROF_PRINTF(3, 4);

/* Enters a mapping or a sequence; false where there is nothing (null), and
 * after a failure. */
bool mpdata_yaml_events_map(struct mpdata_yaml *y);
bool mpdata_yaml_events_seq(struct mpdata_yaml *y);

/* The next key of the mapping, as an index into keys->names; false at the end.
 * A key that is not among them, or is there twice, is a failure. */
bool mpdata_yaml_events_key(struct mpdata_yaml *y,
                            struct mpdata_yaml_keys *keys, size_t *key);
/* Fails with MISSING where one of the keys whose bits are set was not seen. */
void mpdata_yaml_events_need(struct mpdata_yaml *y,
                             const struct mpdata_yaml_keys *keys,
                             uint64_t bits);

/* Is there another item of the sequence? It is to be taken. */
bool mpdata_yaml_events_item(struct mpdata_yaml *y);

/* Scalars. A string's bytes stay until the next scalar is taken; on failure it
 * is empty. A number is decimal, or 0x, 0b, 0o or 0 with digits of that base.
 */
struct mpdata_str mpdata_yaml_events_string(struct mpdata_yaml *y);
uint64_t mpdata_yaml_events_number(struct mpdata_yaml *y, uint64_t max);
bool mpdata_yaml_events_bool(struct mpdata_yaml *y);

/* The number that all of a text is; false where it is none. */
bool mpdata_yaml_events_parse_number(const char *text, size_t size,
                                     uint64_t *number);

#endif
