/* event_list.h -- the events of a profile, or the copies: by name, and below
 * each name by call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_EVENT_LIST_H
#define MPDATA_EVENT_LIST_H

#include "profdata/model/profile.h"
#include "shared/part_format.h"

/* Events that are alike: how many, and what they weigh. */
struct mpdata_event_sum {
    uint64_t count;
    uint64_t weight;
    uint64_t lightest; /* of one of them */
    uint64_t heaviest;
};

struct mpdata_event_name {
    mpdata_string name;
    struct mpdata_event_sum sum;
    uint32_t first; /* its call stacks: rows first .. first + count - 1 */
    uint32_t count;
};

struct mpdata_event_row {
    uint32_t part; /* of the profile */
    uint32_t name; /* of the list */
    struct mpdata_event_sum sum;
};

struct mpdata_event_list {
    struct mpdata_event_name *names; /* owned */
    uint32_t name_count;
    struct mpdata_event_row *rows; /* owned */
    uint32_t row_count;
    struct mpdata_event_sum all;
};

/* All parts of a kind, of a canonical profile: names that weigh most first,
 * then those of which there are most; below each its call stacks likewise. Fini
 * is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_event_list_make(struct mpdata_event_list *list,
                       const struct mpdata_profile *profile,
                       enum mprof_part_kind kind);
/* The rows in that order whatever their name; of each its name stays known. */
void mpdata_event_list_mix(struct mpdata_event_list *list);
void mpdata_event_list_fini(struct mpdata_event_list *list);

#endif
