/* event_moments.c -- chooses moments, and counts blocks by the first moment at
 * which they were alive and the first one at which they were not any more. Most
 * blocks live between two moments only and need no row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_moments.h"
#include "profdata/events/event_stats.h"
#include "profdata/model/details.h"

#include <stdlib.h>

/* Parts of the time, and of the allocated blocks. */
#define PARTS 64u
#define NAMED_MAX 64u
#define MOMENTS_MIN 2u
#define MOMENTS_MAX (2 * (PARTS + 1) + NAMED_MAX + 1)

/* -- choosing -------------------------------------------------------------- */

struct candidate {
    uint64_t ns;
    bool is_kept;
};

struct candidates {
    struct candidate rows[MOMENTS_MAX];
    uint32_t count;
    uint64_t end_ns;
};

static void propose(struct candidates *c, uint64_t ns, bool is_kept)
{
    if (ns <= c->end_ns && c->count < MOMENTS_MAX)
        c->rows[c->count++] = (struct candidate){ns, is_kept};
}

static void propose_times(struct candidates *c)
{
    for (uint32_t i = 0; i <= PARTS; i++)
        propose(c,
                i == PARTS
                    ? c->end_ns
                    : c->end_ns / PARTS * i + c->end_ns % PARTS * i / PARTS,
                i % PARTS == 0);
}

/* The ends of steps with which another part of the blocks was allocated. */
static void propose_steps(struct candidates *c,
                          const struct mpdata_event_stats *stats)
{
    const struct mpdata_event_step *const steps = stats->steps.data;
    const uint64_t part = stats->sum.born_blocks / PARTS + 1;
    uint64_t blocks = 0;

    for (uint32_t i = 0; i < stats->steps.count; i++) {
        const uint64_t before = blocks / part;

        blocks += steps[i].born_blocks;
        if (blocks / part != before)
            propose(c, i * stats->step_ns, false);
    }
}

static void propose_named(struct candidates *c,
                          const struct mpdata_event_stats *stats)
{
    const struct mpdata_event_mark *const marks = stats->marks.data;
    const uint32_t apart = stats->marks.count / NAMED_MAX + 1;

    for (uint32_t i = 0; i < stats->marks.count; i += apart)
        propose(c, marks[i].mark.ns, true);
    if (stats->has_peak)
        propose(c, stats->peak_ns, true);
}

MPROF_COMPARATOR(compare_candidates, struct candidate, MPROF_UP(ns))

static bool take(struct mpdata_event_moments *m, struct candidates *c)
{
    m->ns = mpdata_vec_array(c->count, sizeof(*m->ns));
    m->is_kept = mpdata_vec_array(c->count, sizeof(*m->is_kept));
    if (m->ns == NULL || m->is_kept == NULL)
        return false;
    qsort(c->rows, c->count, sizeof(*c->rows), compare_candidates);
    for (uint32_t i = 0; i < c->count; i++) {
        if (m->count == 0 || c->rows[i].ns != m->ns[m->count - 1])
            m->ns[m->count++] = c->rows[i].ns;
        m->is_kept[m->count - 1] |= c->rows[i].is_kept;
    }
    return true;
}

enum mprof_err mpdata_event_moments_find(struct mpdata_event_moments *moments,
                                         const uint8_t *data, size_t size,
                                         struct mprof_diag *diag)
{
    struct mpdata_event_stats stats;
    enum mprof_err err = mpdata_event_stats_births(&stats, data, size, diag);
    struct candidates c = {.end_ns = stats.duration_ns};

    /* A log may be read twice. */
    mpdata_event_moments_fini(moments);
    mpdata_event_details_init(&moments->sums);
    if (err == MPROF_E_OK) {
        propose_times(&c);
        propose_steps(&c, &stats);
        propose_named(&c, &stats);
        if (!take(moments, &c))
            err = mprof_err_plain(diag, MPROF_E_NOMEM);
    }
    mpdata_event_stats_fini(&stats);
    return err;
}

/* -- sums ------------------------------------------------------------------ */

/* Adds blocks that were alive from moment `from` on and at `to` not any more;
 * to: UINT32_MAX if they did not end. */
static bool add_sum(const struct mpdata_event_moments *m,
                    struct mpdata_event_details *sums,
                    struct mpdata_event_detail sum, uint32_t from, uint32_t to)
{
    sum.key = mpdata_moments_key(from, to == UINT32_MAX ? 0 : to);
    return from == m->count || from >= to ||
           mpdata_event_details_add(sums, &sum);
}

/* Fills new_of[] with the number of kept moments before each moment, and before
 * the end. */
static void drop_half(struct mpdata_event_moments *m, uint32_t *new_of)
{
    bool has_others = false;
    uint32_t others = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < m->count; i++)
        has_others |= !m->is_kept[i];
    for (uint32_t i = 0; i < m->count; i++) {
        const bool is_candidate = has_others ? !m->is_kept[i] : true;

        new_of[i] = kept;
        if (is_candidate && i != m->count - 1 && others++ % 2 == 0)
            continue;
        m->ns[kept] = m->ns[i];
        m->is_kept[kept++] = m->is_kept[i];
    }
    new_of[m->count] = kept;
    m->count = kept;
}

static bool halve(struct mpdata_event_moments *m)
{
    uint32_t new_of[MOMENTS_MAX + 1];
    const struct mpdata_event_detail *const old = m->sums.sums.rows.data;
    struct mpdata_event_details sums;
    bool is_done = true;

    mpdata_event_details_init(&sums);
    drop_half(m, new_of);
    for (uint32_t i = 0; i < m->sums.sums.rows.count && is_done; i++) {
        const uint32_t to = mpdata_moments_to(old[i].key);

        is_done =
            add_sum(m, &sums, old[i], new_of[mpdata_moments_from(old[i].key)],
                    to != 0 ? new_of[to] : UINT32_MAX);
    }
    mpdata_event_details_fini(&m->sums);
    m->sums = sums;
    return is_done;
}

static uint32_t first_from(const struct mpdata_event_moments *m, uint64_t ns)
{
    return (uint32_t)mpdata_vec_first(m->ns, m->count, sizeof(*m->ns), 0, ns);
}

bool mpdata_event_moments_add(struct mpdata_event_moments *moments,
                              uint32_t row, uint64_t birth_ns, uint64_t end_ns,
                              uint32_t blocks, uint64_t bytes)
{
    const struct mpdata_event_detail sum = {.row = row,
                                            .kind = MPDATA_DETAIL_MOMENTS,
                                            .count = blocks,
                                            .bytes = bytes};

    if (!add_sum(moments, &moments->sums, sum, first_from(moments, birth_ns),
                 end_ns != UINT64_MAX ? first_from(moments, end_ns)
                                      : UINT32_MAX))
        return false;
    return moments->sums.sums.rows.count <= MPDATA_EVENT_MOMENTS_SUMS ||
           moments->count <= MOMENTS_MIN || halve(moments);
}

void mpdata_event_moments_fini(struct mpdata_event_moments *moments)
{
    free(moments->ns);
    free(moments->is_kept);
    mpdata_event_details_fini(&moments->sums);
    *moments = (struct mpdata_event_moments){.count = 0};
}
