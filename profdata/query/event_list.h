/* event_list.h -- the events or copies of a profile: by name, and for each name
 * by call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "shared/tag_format.h"

/* Number and weights of a set of events. */
struct mpdata_event_sum {
    uint64_t count;
    uint64_t weight;
    uint64_t lightest; /* smallest weight of one event */
    uint64_t heaviest;
};

struct mpdata_event_name {
    mpdata_string name;
    struct mpdata_event_sum sum;
    uint32_t first; /* its call stacks: rows[first, first + count) */
    uint32_t count;
};

struct mpdata_event_row {
    uint32_t tagged; /* index of the tagged row in the profile */
    uint32_t name;   /* index into mpdata_event_list.names */
    struct mpdata_event_sum sum;
};

struct mpdata_event_list {
    struct mpdata_event_name *names; /* owned */
    uint32_t name_count;
    struct mpdata_event_row *rows; /* owned */
    uint32_t row_count;
    struct mpdata_event_sum all;
};

/* Lists all tagged rows of a kind of a canonical profile: names by weight, then
 * by number of events, largest first; in the same order the call stacks of each
 * name. Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_event_list_make(struct mpdata_event_list *list,
                       const struct mpdata_profile *profile,
                       enum mprof_tag_kind kind);
/* Sorts the rows by weight and number regardless of their names. names[].first
 * and .count are invalid then. */
void mpdata_event_list_mix(struct mpdata_event_list *list);
void mpdata_event_list_fini(struct mpdata_event_list *list);
