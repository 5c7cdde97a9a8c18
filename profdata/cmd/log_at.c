/* log_at.c -- the heap over time, of a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/log_at.h"

#include <stdlib.h>

#define ROWS 20u /* over time, without --every */
#define FAR 20u  /* peaks are at least 1 / FAR of the run apart */

void log_at_move(struct log_at *at, const struct mpdata_event_stats *stats,
                 uint32_t i)
{
    const struct mpdata_event_step *const s =
        (const struct mpdata_event_step *)stats->steps.data + i;

    at->ns = mprof_min_u64(i * stats->step_ns, stats->duration_ns);
    at->bytes = mprof_sub_sat_u64(mprof_add_sat_u64(at->bytes, s->born_bytes),
                                  s->ended_bytes);
    at->blocks =
        mprof_sub_sat_u64(at->blocks + s->born_blocks, s->ended_blocks);
    at->since.born_blocks += s->born_blocks;
    at->since.born_bytes =
        mprof_add_sat_u64(at->since.born_bytes, s->born_bytes);
    at->since.ended_blocks += s->ended_blocks;
    at->since.ended_bytes =
        mprof_add_sat_u64(at->since.ended_bytes, s->ended_bytes);
}

uint32_t log_at_row_steps(const struct mpdata_event_stats *stats,
                          uint64_t every_ns)
{
    const uint32_t count = stats->steps.count;

    return every_ns != 0 || count < ROWS ? 1 : (count + ROWS - 1) / ROWS;
}

unsigned log_at_peaks(const struct mpdata_event_stats *stats,
                      struct log_at *peaks)
{
    const uint64_t far = stats->duration_ns / FAR;
    unsigned count = 0;

    for (; count < LOG_AT_PEAKS && stats->traits.has_ends; count++) {
        struct log_at at = {.ns = 0};
        struct log_at best = {.bytes = 0};

        for (uint32_t i = 0; i < stats->steps.count; i++) {
            bool is_near = false;

            log_at_move(&at, stats, i);
            for (unsigned k = 0; k < count; k++)
                is_near |= at.ns < mprof_add_sat_u64(peaks[k].ns, far) &&
                           peaks[k].ns < mprof_add_sat_u64(at.ns, far);
            if (!is_near && at.bytes > best.bytes)
                best = at;
        }
        if (best.bytes == 0)
            break;
        peaks[count] = best;
    }
    return count;
}

uint64_t log_at_low(unsigned class)
{
    return class != 0 ? UINT64_C(1) << (class - 1) : 0;
}

static const char *const change_words[] = {
    [MPDATA_LOG_LOADED] = "loaded",
    [MPDATA_LOG_UNLOADED] = "unloaded",
    [MPDATA_LOG_DUMP] = "dumped",
};

const char *log_at_change(const struct mpdata_log_change *change)
{
    return change_words[change->kind];
}

/* Most blocks first. */
MPROF_COMPARATOR(compare_threads, struct mpdata_event_thread,
                 MPROF_DOWN(born_blocks) ?: MPROF_UP(number))

void log_at_sort_threads(const struct mpdata_event_stats *s)
{
    if (s->threads.rows.count != 0)
        qsort(s->threads.rows.data, s->threads.rows.count,
              sizeof(struct mpdata_event_thread), compare_threads);
}

void log_at_missing(const struct mpdata_log_traits *traits,
                    void (*visit)(void *context, const char *what),
                    void *context)
{
    if (traits->title == NULL)
        return;
    if (traits->unit != NULL)
        visit(context, "times");
    if (!traits->has_ends)
        visit(context, "ends of objects");
    if (!traits->has_threads)
        visit(context, "threads");
    if (!traits->has_addresses)
        visit(context, "addresses");
    visit(context, "accesses");
}
