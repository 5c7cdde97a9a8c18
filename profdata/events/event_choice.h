/* event_choice.h -- which blocks of a log count: those that were alive at a
 * moment, or those that were allocated between two moments and were alive at
 * the second one.
 *
 * A block is alive at a moment from its birth on, and not any more when it
 * ends. Threads write their events at different times, but no order is needed
 * to compare the two times of a block with the moment.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/raw/raw.h"
#include "profdata/events/event_moments.h"

/* Zero-initialize, set `at`, `window`, `moments` or `numbers_stacks`. */
struct mpdata_event_choice {
    const char *at;     /* a moment, as users write it; or NULL */
    const char *window; /* two moments with a comma, or a phase; or NULL */
    /* Borrowed, or NULL: all blocks count, and are also added to it. */
    struct mpdata_event_moments *moments;
    /* All blocks count, and call stacks have rows of MPDATA_DETAIL_LOG_STACK.
     */
    bool numbers_stacks;
    /* Set by mpdata_event_choice_find(). */
    bool is_found;
    uint64_t from_ns; /* blocks are born after this; UINT64_MAX: at any time */
    uint64_t at_ns;
    uint32_t peak; /* not 0: the moment is this peak, whose blocks are marked */
    uint64_t end_ns;  /* of the run */
    const char *unit; /* of the times, if not ns; as in mpdata_log_traits */
    /* Set before: may peak_bytes be set? Then the moment is the peak that the
     * log notes, of so many bytes, unless more are alive at the end. */
    bool may_note_peak;
    uint64_t peak_bytes;
};

/* Finds the moments in a log. Error: USAGE with a sentence that says which
 * marks and phases there are; NOMEM. Damage is no error. */
MPROF_NODISCARD enum mprof_err
mpdata_event_choice_find(struct mpdata_event_choice *choice,
                         const uint8_t *data, size_t size,
                         struct mprof_diag *diag);

/* end_ns: UINT64_MAX if the block did not end; peak: as in mpdata_log_event. */
static inline bool
mpdata_event_choice_has(const struct mpdata_event_choice *choice,
                        uint64_t birth_ns, uint64_t end_ns, uint32_t peak)
{
    if (choice->peak != 0)
        return peak == choice->peak &&
               (choice->from_ns == UINT64_MAX || birth_ns > choice->from_ns);
    return birth_ns <= choice->at_ns && end_ns > choice->at_ns &&
           (choice->from_ns == UINT64_MAX || birth_ns > choice->from_ns);
}

/* Whether there is a fact of this key for the chosen blocks (NULL: all). What
 * resident memory consists of is not known of a moment. */
static inline bool
mpdata_event_choice_has_fact(const struct mpdata_event_choice *choice,
                             uint32_t key)
{
    return key < MPDATA_RAW_METAS &&
           (choice == NULL || key < MPROF_RAW_META_IS_RSS_PEAK_BLOCKS ||
            key > MPROF_RAW_META_IS_RSS_HIGHEST);
}
