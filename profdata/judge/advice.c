/* advice.c -- sums what the rules find by allocation site.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/advice_rules.h"
#include "profdata/base/vec.h"
#include "profdata/judge/pair_cost.h"
#include "profdata/model/runs.h"

#include <math.h>
#include <stdlib.h>

/* Less is not worth a change. */
#define BYTES_MIN (UINT64_C(16) << 10)
#define CALLS_MIN 1000u
#define ACCESSES_MIN 1000u

const struct mpdata_advice_kind_row
    mpdata_advice_kinds[MPDATA_ADVICE_KIND_COUNT] = {
#define X(id, name, title, action) {name, title, action},
        MPDATA_ADVICE_KINDS(X)
#undef X
};

/* -- sites ----------------------------------------------------------------- */

/* Advice for one call stack. */
struct piece {
    uint32_t site;
    uint32_t context;
    enum mpdata_advice_kind kind;
    struct mpdata_advice_found found;
    mpdata_ref caller; /* of PEAK: the function that calls the site's */
    enum mpdata_advice_kind other; /* of PEAK: what else saves memory */
    uint64_t other_bytes;
    uint64_t bytes;
    uint64_t blocks;
    uint64_t size; /* of the largest block */
    bool has_one_size;
};

static bool has_line(const struct mpdata_view *view, mpdata_ref node)
{
    return node != 0 && view->frames[view->nodes[node - 1].frame].line != 0;
}

static bool push(struct mpdata_vec *pieces, const struct piece *piece)
{
    struct piece *const place = mpdata_vec_push(pieces);

    if (place != NULL)
        *place = *piece;
    return place != NULL;
}

static struct piece piece_of(const struct mpdata_advice_rules *r,
                             uint32_t context, const struct mprof_mib *mib)
{
    return (struct piece){.site = r->sites.groups[context],
                          .context = context,
                          .bytes = mib->TotalSize,
                          .blocks = mib->AllocCount,
                          .size = mib->MaxSize,
                          .has_one_size = mib->MinSize == mib->MaxSize};
}

/* Applies the rules from `kind` on, until one holds; else the kind is `end`. */
static struct piece find_piece(const struct mpdata_advice_rules *r,
                               uint32_t context, enum mpdata_advice_kind kind,
                               enum mpdata_advice_kind end)
{
    const struct mprof_mib mib = mpdata_view_mib(&r->view, context);
    struct piece piece = piece_of(r, context, &mib);

    piece.kind =
        mpdata_advice_rules_first(r, context, &mib, kind, end, &piece.found);
    if (piece.kind == MPDATA_ADVICE_MEMBERS) /* one row for each type */
        piece.site = UINT32_MAX - (uint32_t)piece.found.number;
    return piece;
}

/* Adds what saves memory. Advice for a part of the blocks does not hide what
 * saves more. *first: its kind, or `end`. False without memory. */
static bool judge_memory(const struct mpdata_advice_rules *r, uint32_t context,
                         enum mpdata_advice_kind end, struct mpdata_vec *pieces,
                         enum mpdata_advice_kind *first)
{
    enum mpdata_advice_kind kind = MPDATA_ADVICE_LEAKED;
    uint64_t saved_bytes = 0;

    *first = end;
    while (kind < end) {
        const struct piece piece = find_piece(r, context, kind, end);

        if (piece.kind != end &&
            (*first == end || piece.found.saved_bytes > saved_bytes) &&
            !push(pieces, &piece))
            return false;
        *first = *first == end ? piece.kind : *first;
        saved_bytes = mprof_max_u64(saved_bytes, piece.found.saved_bytes);
        kind = piece.kind == MPDATA_ADVICE_LEAKED ||
                       piece.kind == MPDATA_ADVICE_DUPLICATES
                   ? piece.kind + 1
                   : end;
    }
    return true;
}

/* Blocks that should not be allocated at all need no other advice. */
static bool judge(const struct mpdata_advice_rules *r, uint32_t context,
                  struct mpdata_vec *pieces, uint32_t *unplaced)
{
    const bool is_placed = has_line(&r->view, r->sites.nodes[context]);
    enum mpdata_advice_kind first;
    struct piece calls;

    *unplaced += !is_placed;
    if (!judge_memory(r, context,
                      is_placed ? MPDATA_ADVICE_STEPS : MPDATA_ADVICE_UNUSED,
                      pieces, &first))
        return false;
    if (!is_placed || first <= MPDATA_ADVICE_UNREAD)
        return true;
    calls = find_piece(r, context, MPDATA_ADVICE_STEPS, MPDATA_ADVICE_PEAK);
    return calls.kind == MPDATA_ADVICE_PEAK || push(pieces, &calls);
}

/* The site's caller tells apart what a function of the program allocates that
 * is a wrapper, but not by its name. */
static bool judge_peak(const struct mpdata_advice_rules *r, uint32_t context,
                       struct mpdata_vec *pieces)
{
    const struct mpdata_view *const view = &r->view;
    const struct mprof_mib mib = mpdata_view_mib(view, context);
    const mpdata_ref node = r->sites.nodes[context];
    const mpdata_ref caller = node != 0 ? view->nodes[node - 1].parent : 0;
    struct piece piece = piece_of(r, context, &mib);
    struct mpdata_advice_found other;

    piece.kind = MPDATA_ADVICE_PEAK;
    piece.found = (struct mpdata_advice_found){.saved_bytes = mib.PeakBytes,
                                               .number = mib.PeakCount};
    piece.caller =
        caller != 0 ? view->frames[view->nodes[caller - 1].frame].function : 0;
    piece.other = mpdata_advice_rules_first(
        r, context, &mib, MPDATA_ADVICE_UNUSED, MPDATA_ADVICE_STEPS, &other);
    /* These are about the end. */
    if (piece.other == MPDATA_ADVICE_STALE ||
        piece.other == MPDATA_ADVICE_DUPLICATES)
        piece.other = mpdata_advice_rules_first(r, context, &mib,
                                                MPDATA_ADVICE_DUPLICATES + 1,
                                                MPDATA_ADVICE_STEPS, &other);
    piece.other_bytes = other.saved_bytes;
    return !r->held[MPDATA_METRIC_PEAK] || mib.PeakBytes == 0 ||
           push(pieces, &piece);
}

static uint64_t saving_of(const struct piece *piece)
{
    return mprof_max_u64(
        mprof_max_u64(piece->found.saved_bytes, piece->found.saved_calls),
        piece->found.saved_accesses);
}

/* By site and kind; the call stack that saves most first. */
MPROF_COMPARATOR(compare_pieces, struct piece,
                 MPROF_UP(site) ?: MPROF_UP(caller) ?: MPROF_UP(kind)
                 ?: mprof_compare_u64(saving_of(b), saving_of(a))
                 ?: MPROF_UP(context))

static void add_piece(struct mpdata_advice_row *row, const struct piece *piece)
{
    if (row->contexts++ == 0) {
        row->size = piece->size;
        row->has_one_size = true;
        row->other = piece->other;
    }
    if (piece->other == row->other)
        row->other_bytes =
            mprof_add_sat_u64(row->other_bytes, piece->other_bytes);
    row->has_one_size &= piece->has_one_size && piece->size == row->size;
    row->blocks = mprof_add_sat_u64(row->blocks, piece->blocks);
    row->bytes = mprof_add_sat_u64(row->bytes, piece->bytes);
    row->saved_bytes =
        mprof_add_sat_u64(row->saved_bytes, piece->found.saved_bytes);
    row->saved_calls =
        mprof_add_sat_u64(row->saved_calls, piece->found.saved_calls);
    row->saved_accesses =
        mprof_add_sat_u64(row->saved_accesses, piece->found.saved_accesses);
    row->idle_ns = row->contexts == 1
                       ? piece->found.idle_ns
                       : mprof_min_u64(row->idle_ns, piece->found.idle_ns);
    row->number =
        row->kind == MPDATA_ADVICE_TAIL || row->kind == MPDATA_ADVICE_MEMBERS
            ? mprof_max_u64(row->number, piece->found.number)
            : mprof_add_sat_u64(row->number, piece->found.number);
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole : 0;
}

uint64_t mpdata_advice_whole(const struct mpdata_advice *advice,
                             enum mpdata_advice_kind kind)
{
    return kind == MPDATA_ADVICE_CONCAT || kind == MPDATA_ADVICE_STEPS
               ? advice->allocated_bytes
               : advice->whole_bytes;
}

uint64_t mpdata_advice_saved(const struct mpdata_advice_row *row,
                             enum mpdata_metric metric)
{
    return metric == MPDATA_METRIC_BYTES    ? row->saved_bytes
           : metric == MPDATA_METRIC_BLOCKS ? row->saved_calls
                                            : row->saved_accesses;
}

/* Sets the shares. Is the advice worth a change? */
static bool weigh(const struct mpdata_advice *advice,
                  struct mpdata_advice_row *row, double share_min)
{
    double bytes =
        share_of(row->saved_bytes, mpdata_advice_whole(advice, row->kind));
    double calls = share_of(row->saved_calls, advice->whole_blocks);
    double accesses = share_of(row->saved_accesses, advice->whole_accesses);

    if (row->kind != MPDATA_ADVICE_LEAKED && row->kind != MPDATA_ADVICE_PEAK &&
        row->saved_bytes < BYTES_MIN)
        bytes = 0;
    if (row->saved_calls < CALLS_MIN)
        calls = 0;
    if (row->saved_accesses < ACCESSES_MIN)
        accesses = 0;
    row->share = fmax(fmax(bytes, calls), accesses);
    return row->kind == MPDATA_ADVICE_LEAKED ||
           (row->share > 0 && row->share >= share_min);
}

MPROF_COMPARATOR(compare_rows, struct mpdata_advice_row,
                 MPROF_DOWN(share) ?: MPROF_UP(kind) ?: MPROF_UP(node))

/* By blocks of the average size. */
static uint64_t saved_time(const struct mpdata_advice_row *row)
{
    const uint64_t bytes = row->bytes / mprof_max_u64(row->blocks, 1);

    return row->saved_calls < CALLS_MIN
               ? 0
               : (uint64_t)fmin(mpdata_pair_cost_ns(bytes) *
                                    (double)row->saved_calls,
                                (double)INT64_MAX);
}

/* Sums the pieces by site. */
static bool make_rows(struct mpdata_advice *advice,
                      const struct mpdata_advice_rules *r,
                      const struct mpdata_vec *pieces, double share_min)
{
    const struct piece *const all = pieces->data;

    advice->rows = mpdata_vec_array(pieces->count, sizeof(*advice->rows));
    advice->nodes = mpdata_vec_array(pieces->count, sizeof(*advice->nodes));
    if (advice->rows == NULL || advice->nodes == NULL)
        return false;
    for (uint32_t i = 0; i < pieces->count; i++)
        advice->nodes[i] = r->sites.nodes[all[i].context];
    for (uint32_t i = 0; i < pieces->count;) {
        struct mpdata_advice_row row = {.kind = all[i].kind,
                                        .node = advice->nodes[i],
                                        .context = all[i].context,
                                        .first = i};
        const uint32_t first = i;

        while (i < pieces->count && all[i].site == all[first].site &&
               all[i].caller == all[first].caller && all[i].kind == row.kind)
            add_piece(&row, &all[i++]);
        if (weigh(advice, &row, share_min)) {
            row.saved_ns = saved_time(&row);
            advice->rows[advice->count++] = row;
        }
    }
    if (advice->count != 0)
        qsort(advice->rows, advice->count, sizeof(*advice->rows), compare_rows);
    return true;
}

static bool apply(struct mpdata_advice *advice,
                  const struct mpdata_advice_rules *r, double share_min)
{
    struct mpdata_vec pieces = {.elem_bytes = sizeof(struct piece)};
    bool is_done = true;

    for (uint32_t i = 0; is_done && i < r->view.context_count; i++)
        is_done = r->is_of_peak ? judge_peak(r, i, &pieces)
                                : judge(r, i, &pieces, &advice->unplaced);
    if (pieces.count != 0)
        qsort(pieces.data, pieces.count, sizeof(struct piece), compare_pieces);
    if (is_done)
        is_done = make_rows(advice, r, &pieces, share_min);
    mpdata_vec_fini(&pieces);
    return is_done;
}

/* Of runs that were added up, the average counts. */
static uint64_t longest_run(const struct mpdata_view *view)
{
    uint64_t longest_ns = 0;

    for (uint32_t i = 0; i < view->run_count; i++) {
        const struct mpdata_run *const run = &view->runs[i];
        const uint64_t part =
            mpdata_runs_is_sum(run) ? mprof_max_u64(run->count, 1) : 1;

        longest_ns = mprof_max_u64(longest_ns, run->duration_ns / part);
    }
    return longest_ns;
}

static enum mprof_err make(struct mpdata_advice *advice,
                           const struct mpdata_profile *profile,
                           struct mpdata_frame_names *names, double share_min,
                           bool is_of_peak)
{
    struct mpdata_advice_rules r = {.view = mpdata_profile_view(profile),
                                    .is_of_peak = is_of_peak};
    const struct mprof_mib totals = mpdata_profile_totals(&r.view);
    enum mprof_err err = mpdata_run_totals(&r.view, &r.runs);

    r.longest_run_ns = longest_run(&r.view);

    *advice = (struct mpdata_advice){.rows = NULL};
    if (err == MPROF_E_OK)
        err = mpdata_metrics_held(profile, r.held);
    if (err == MPROF_E_OK)
        err = mpdata_verdict_make(&r.verdicts, profile, MPDATA_VERDICT_FITTING);
    if (err == MPROF_E_OK)
        err = mpdata_sites_make(&r.sites, profile, names);
    if (err == MPROF_E_OK)
        err = mpdata_advice_types_make(&r, profile);
    if (err == MPROF_E_OK)
        err = mpdata_advice_copies_make(&r);
    if (err == MPROF_E_OK) {
        advice->is_peak = r.held[MPDATA_METRIC_PEAK];
        advice->is_estimate = r.runs.sampled_runs != 0;
        advice->runs = r.runs.runs;
        advice->whole_bytes = mpdata_advice_rules_bytes(&r, &totals);
        advice->whole_blocks = totals.AllocCount;
        advice->whole_accesses = totals.TotalAccessCount;
        advice->allocated_bytes = totals.TotalSize;
        err = apply(advice, &r, share_min) ? MPROF_E_OK : MPROF_E_NOMEM;
    }
    advice->types = r.types;
    free(r.type_of);
    free(r.roles);
    mpdata_sites_fini(&r.sites);
    mpdata_verdict_fini(&r.verdicts);
    return err;
}

enum mprof_err mpdata_advice_make(struct mpdata_advice *advice,
                                  const struct mpdata_profile *profile,
                                  struct mpdata_frame_names *names,
                                  double share_min)
{
    return make(advice, profile, names, share_min, false);
}

enum mprof_err mpdata_advice_make_peak(struct mpdata_advice *advice,
                                       const struct mpdata_profile *profile,
                                       struct mpdata_frame_names *names)
{
    return make(advice, profile, names, 0, true);
}

void mpdata_advice_cut(struct mpdata_advice *advice, double share)
{
    uint32_t count = 0;

    advice->cut_share = share;
    while (count < advice->count &&
           share_of(advice->cut_bytes, advice->whole_bytes) < share)
        advice->cut_bytes = mprof_add_sat_u64(
            advice->cut_bytes, advice->rows[count++].saved_bytes);
    advice->count = count;
}

void mpdata_advice_fini(struct mpdata_advice *advice)
{
    free(advice->rows);
    free(advice->nodes);
    free(advice->types);
    *advice = (struct mpdata_advice){.rows = NULL};
}
