/* advice.c -- rules that find what to change in a program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/advice.h"
#include "profdata/base/vec.h"
#include "profdata/judge/verdict.h"
#include "profdata/model/details.h"
#include "profdata/query/histogram.h"
#include "profdata/query/run_totals.h"
#include "profdata/query/frames.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

/* Less is not worth a change. */
#define BYTES_MIN (UINT64_C(16) << 10)
#define CALLS_MIN 1000u
/* A block with at most so many bytes is small enough for the stack. */
#define STACK_BYTES_MAX 4096u
/* A block with at most so many bytes is mostly the allocator's overhead. */
#define SMALL_BYTES_MAX 32u
/* Blocks of a call stack for each that lives at once, for a free list. */
#define CHURN_RATIO 64u
/* A function with more blocks at once needs more than one buffer; several
 * threads may run it. */
#define LOCAL_LIVE_MAX 4u
/* A text that grows has so many blocks or more, and the largest is so many
 * times as large as the smallest. */
#define CONCAT_MIN 64u
#define CONCAT_RATIO 16u
/* The kind of object that virtual machines tell (docs/scripts.md). */
#define CONCATENATED "concatenated string"
/* Cold blocks live for this share of a run, have at most this share of all
 * accesses, and their share of the live bytes is so many times as large. */
#define COLD_LIFE_MIN 0.3
#define COLD_SHARE_MAX 0.01
#define COLD_RATIO 10

const struct mpdata_advice_kind_row
    mpdata_advice_kinds[MPDATA_ADVICE_KIND_COUNT] = {
#define X(id, name, title, action) {name, title, action},
        MPDATA_ADVICE_KINDS(X)
#undef X
};

/* What a rule found for a call stack. */
struct found {
    uint64_t saved_bytes;
    uint64_t saved_calls;
    uint64_t number;
};

struct rules {
    struct mpdata_view view;
    struct mpdata_sites sites;
    struct mpdata_verdicts verdicts;
    struct mpdata_run_totals runs;
    bool held[MPDATA_METRIC_COUNT];
};

typedef bool rule_fn(const struct rules *r, uint32_t context,
                     const struct mprof_mib *mib, struct found *found);

/* The call stack's bytes at the peak or, if it is unknown, all. */
static uint64_t memory(const struct rules *r, const struct mprof_mib *mib)
{
    return r->held[MPDATA_METRIC_PEAK] ? mib->PeakBytes : mib->TotalSize;
}

static bool is_share(uint64_t part, uint64_t whole, uint64_t percent)
{
    return mprof_mul_sat_u64(part, 100) >= mprof_mul_sat_u64(whole, percent);
}

/* -- rules that save memory ------------------------------------------------ */

static bool is_leaked(const struct rules *r, uint32_t context,
                      const struct mprof_mib *mib, struct found *found)
{
    (void)context;
    *found = (struct found){.saved_bytes = mib->LeakedBytes,
                            .number = mib->LeakedCount};
    return r->held[MPDATA_METRIC_LEAKED] && mib->LeakedCount != 0;
}

/* Were all accesses counted? Bursts may have missed some, and accesses to what
 * realloc moved count for the new block. */
static bool has_all_accesses(const struct rules *r, uint32_t context,
                             const struct mprof_mib *mib)
{
    return r->held[MPDATA_METRIC_ACCESSES] && r->runs.burst_runs == 0 &&
           (r->view.contexts[context].flags & MPROF_CONTEXT_UNSEEN_MASK) == 0 &&
           mib->UnseenCount == 0 && mib->ReallocCount == 0 &&
           mpdata_metrics_has_accesses(mib);
}

static bool is_unused(const struct rules *r, uint32_t context,
                      const struct mprof_mib *mib, struct found *found)
{
    *found = (struct found){.saved_bytes = memory(r, mib),
                            .saved_calls = mib->AllocCount};
    return has_all_accesses(r, context, mib) && mib->TotalAccessCount == 0;
}

static bool is_unread(const struct rules *r, uint32_t context,
                      const struct mprof_mib *mib, struct found *found)
{
    *found = (struct found){.saved_bytes = memory(r, mib),
                            .saved_calls = mib->AllocCount};
    return has_all_accesses(r, context, mib) &&
           mib->MeasuredRw == mib->AllocCount && mib->TotalReads == 0 &&
           mib->TotalWrites != 0;
}

/* The offset after the last accessed cell of any block. */
static uint64_t accessed_bytes(const struct mpdata_context *context)
{
    struct mpdata_cells_cursor cursor = {.rest = context->cells};
    uint64_t end = 0;

    while (mpdata_cells_next(&cursor))
        end = (cursor.cell + 1) * MPDATA_HISTOGRAM_CELL_BYTES;
    return end;
}

/* A quarter of the bytes, and some of each block, are never accessed. */
static bool has_tail(const struct rules *r, uint32_t context,
                     const struct mprof_mib *mib, struct found *found)
{
    const struct mpdata_context *const c = &r->view.contexts[context];
    const bool is_peak = r->held[MPDATA_METRIC_PEAK];
    uint64_t end;

    if (c->cells.words == NULL || !has_all_accesses(r, context, mib))
        return false;
    end = accessed_bytes(c);
    *found = (struct found){
        .saved_bytes = mprof_sub_sat_u64(
            memory(r, mib),
            mprof_mul_sat_u64(end, is_peak ? mib->PeakCount : mib->AllocCount)),
        .number = end};
    return end < mib->MinSize &&
           is_share(mprof_sub_sat_u64(mib->TotalSize,
                                      mprof_mul_sat_u64(end, mib->AllocCount)),
                    mib->TotalSize, 25);
}

static bool is_cold(const struct rules *r, uint32_t context,
                    const struct mprof_mib *mib, struct found *found)
{
    const struct mpdata_verdict *const v = &r->verdicts.rows[context];

    *found = (struct found){.saved_bytes = memory(r, mib)};
    return v->has_accesses && v->has_lifetime &&
           v->reason != MPDATA_REASON_UNSURE &&
           v->life_share >= COLD_LIFE_MIN &&
           v->access_share <= COLD_SHARE_MAX &&
           v->access_share * COLD_RATIO <= v->resident_share;
}

/* Bytes that glibc's malloc() takes for a block: a head of 8 bytes, rounded up
 * to 16, at least 32 (MINSIZE and request2size() in malloc.c). Other allocators
 * need no head, but the same alignment. */
static uint64_t chunk_bytes(uint64_t size)
{
    return size <= 24 ? 32 : (size + 8 + 15) / 16 * 16;
}

static bool is_small(const struct rules *r, uint32_t context,
                     const struct mprof_mib *mib, struct found *found)
{
    const uint64_t each = mib->MinSize == mib->MaxSize
                              ? chunk_bytes(mib->MaxSize) - mib->MaxSize
                              : 8;

    (void)context;
    *found =
        (struct found){.saved_bytes = mprof_mul_sat_u64(mib->PeakCount, each)};
    return r->held[MPDATA_METRIC_PEAK] && mib->PeakCount >= CALLS_MIN &&
           mib->MaxSize <= SMALL_BYTES_MAX;
}

/* -- rules that save calls ------------------------------------------------- */

static bool has_peaks(const struct mprof_mib *mib)
{
    return mib->MeasuredCount == mib->AllocCount;
}

/* realloc replaces most blocks, and adds less than a quarter to each. */
static bool grows_slowly(const struct rules *r, uint32_t context,
                         const struct mprof_mib *mib, struct found *found)
{
    (void)r;
    (void)context;
    *found = (struct found){.saved_calls = mib->ReallocCount,
                            .number = mib->ReallocBytes};
    return has_peaks(mib) && mib->ReallocBytes != 0 &&
           is_share(mib->ReallocCount, mib->AllocCount, 50) &&
           mprof_mul_sat_u64(mib->ReallocBytes, 4) < mib->TotalSize;
}

static bool is_function_of(const struct mpdata_view *view, mpdata_ref node,
                           mpdata_ref other)
{
    const mpdata_ref function =
        view->frames[view->nodes[node - 1].frame].function;

    return function != 0 &&
           function == view->frames[view->nodes[other - 1].frame].function &&
           view->nodes[node - 1].parent == view->nodes[other - 1].parent;
}

/* Is there a frame of the site's activation in the call stack? */
static bool goes_through(const struct mpdata_view *view, mpdata_ref node,
                         mpdata_ref site)
{
    while (node != 0 && !is_function_of(view, node, site))
        node = view->nodes[node - 1].parent;
    return node != 0;
}

static bool fits_stack(const struct mprof_mib *mib)
{
    return mib->MaxSize <= STACK_BYTES_MAX;
}

/* The function that allocates the blocks frees them, one after the other. */
static bool is_local(const struct rules *r, uint32_t context,
                     const struct mprof_mib *mib, struct found *found)
{
    const struct mpdata_details ends = mpdata_details_of(
        &r->view, &r->view.contexts[context], MPROF_DETAIL_FREE);
    const mpdata_ref site = r->sites.nodes[context];
    uint64_t blocks = 0;

    for (uint32_t i = 0; i < ends.count; i++) {
        if (!goes_through(&r->view, ends.rows[i].key, site))
            return false;
        blocks = mprof_add_sat_u64(blocks, ends.rows[i].count);
    }
    *found = (struct found){.saved_calls = blocks, .number = blocks};
    return fits_stack(mib) && has_peaks(mib) &&
           mib->MaxLiveCount <= LOCAL_LIVE_MAX &&
           is_share(blocks, mib->AllocCount, 90);
}

static bool is_temporary(const struct rules *r, uint32_t context,
                         const struct mprof_mib *mib, struct found *found)
{
    (void)r;
    (void)context;
    *found = (struct found){.saved_calls = mib->TemporaryCount,
                            .number = mib->TemporaryCount};
    return has_peaks(mib) && fits_stack(mib) && mib->ReallocCount == 0 &&
           is_share(mib->TemporaryCount, mib->AllocCount, 90);
}

static bool is_churn(const struct rules *r, uint32_t context,
                     const struct mprof_mib *mib, struct found *found)
{
    (void)r;
    (void)context;
    *found = (struct found){.saved_calls = mib->AllocCount,
                            .number = mib->MaxLiveCount};
    return has_peaks(mib) && mib->MinSize == mib->MaxSize &&
           mib->ReallocCount == 0 &&
           mprof_mul_sat_u64(mib->MaxLiveCount, CHURN_RATIO) <= mib->AllocCount;
}

/* Do concatenations of a script make the blocks? */
static bool is_concatenated(const struct mpdata_view *view, mpdata_ref node)
{
    for (; node != 0; node = view->nodes[node - 1].parent) {
        const struct mpdata_frame *const frame =
            &view->frames[view->nodes[node - 1].frame];

        if (strcmp(view->strings[frame->type].bytes, CONCATENATED) == 0)
            return true;
    }
    return false;
}

/* The sizes are those of a text that grows by equal pieces: from small to
 * large, on average the half of the largest. Few stay. */
static bool is_growing(const struct rules *r, uint32_t context,
                       const struct mprof_mib *mib, struct found *found)
{
    const uint64_t most = mprof_mul_sat_u64(mib->AllocCount, mib->MaxSize);

    *found = (struct found){.saved_bytes = mib->TotalSize,
                            .saved_calls = mib->AllocCount,
                            .number = mib->MaxSize};
    return mib->AllocCount >= CONCAT_MIN &&
           mprof_mul_sat_u64(mib->MinSize, CONCAT_RATIO) <= mib->MaxSize &&
           is_share(mib->TotalSize, most, 40) &&
           !is_share(mib->TotalSize, most, 60) &&
           !is_share(mib->LiveCount, mib->AllocCount, 10) &&
           is_concatenated(&r->view, r->view.contexts[context].node);
}

static rule_fn *const rule_of[MPDATA_ADVICE_KIND_COUNT] = {
    [MPDATA_ADVICE_LEAKED] = is_leaked,
    [MPDATA_ADVICE_UNUSED] = is_unused,
    [MPDATA_ADVICE_UNREAD] = is_unread,
    [MPDATA_ADVICE_TAIL] = has_tail,
    [MPDATA_ADVICE_COLD] = is_cold,
    [MPDATA_ADVICE_SMALL] = is_small,
    [MPDATA_ADVICE_STEPS] = grows_slowly,
    [MPDATA_ADVICE_LOCAL] = is_local,
    [MPDATA_ADVICE_TEMPORARY] = is_temporary,
    [MPDATA_ADVICE_CHURN] = is_churn,
    [MPDATA_ADVICE_CONCAT] = is_growing,
};

/* -- sites ----------------------------------------------------------------- */

/* Advice for one call stack. */
struct piece {
    uint32_t site;
    uint32_t context;
    enum mpdata_advice_kind kind;
    struct found found;
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

/* Applies the rules from `kind` on, until one holds. False without memory. */
static bool judge_from(const struct rules *r, uint32_t context,
                       enum mpdata_advice_kind kind,
                       enum mpdata_advice_kind end, struct mpdata_vec *pieces,
                       enum mpdata_advice_kind *first)
{
    const struct mprof_mib mib = mpdata_view_mib(&r->view, context);
    struct piece piece = {.site = r->sites.groups[context],
                          .context = context,
                          .bytes = mib.TotalSize,
                          .blocks = mib.AllocCount,
                          .size = mib.MaxSize,
                          .has_one_size = mib.MinSize == mib.MaxSize};

    while (kind < end && !rule_of[kind](r, context, &mib, &piece.found))
        kind++;
    *first = kind;
    piece.kind = kind;
    return kind == end || push(pieces, &piece);
}

/* Blocks that should not be allocated at all need no other advice. */
static bool judge(const struct rules *r, uint32_t context,
                  struct mpdata_vec *pieces, uint32_t *unplaced)
{
    const bool is_placed = has_line(&r->view, r->sites.nodes[context]);
    enum mpdata_advice_kind kind;

    *unplaced += !is_placed;
    if (!judge_from(r, context, MPDATA_ADVICE_LEAKED,
                    is_placed ? MPDATA_ADVICE_STEPS : MPDATA_ADVICE_UNUSED,
                    pieces, &kind))
        return false;
    return !is_placed || kind <= MPDATA_ADVICE_UNREAD ||
           judge_from(r, context, MPDATA_ADVICE_STEPS, MPDATA_ADVICE_KIND_COUNT,
                      pieces, &kind);
}

static uint64_t saving_of(const struct piece *piece)
{
    return mprof_max_u64(piece->found.saved_bytes, piece->found.saved_calls);
}

/* By site and kind; the call stack that saves most first. */
static int compare_pieces(const void *left, const void *right)
{
    const struct piece *const a = left;
    const struct piece *const b = right;
    int result = mprof_compare_u64(a->site, b->site);

    if (result == 0)
        result = mprof_compare_u64(a->kind, b->kind);
    if (result == 0)
        result = mprof_compare_u64(saving_of(b), saving_of(a));
    return result != 0 ? result : mprof_compare_u64(a->context, b->context);
}

static void add_piece(struct mpdata_advice_row *row, const struct piece *piece)
{
    if (row->contexts++ == 0) {
        row->size = piece->size;
        row->has_one_size = true;
    }
    row->has_one_size &= piece->has_one_size && piece->size == row->size;
    row->blocks = mprof_add_sat_u64(row->blocks, piece->blocks);
    row->bytes = mprof_add_sat_u64(row->bytes, piece->bytes);
    row->saved_bytes =
        mprof_add_sat_u64(row->saved_bytes, piece->found.saved_bytes);
    row->saved_calls =
        mprof_add_sat_u64(row->saved_calls, piece->found.saved_calls);
    row->number = row->kind == MPDATA_ADVICE_TAIL
                      ? mprof_max_u64(row->number, piece->found.number)
                      : mprof_add_sat_u64(row->number, piece->found.number);
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole : 0;
}

/* Sets the shares. Is the advice worth a change? */
static bool weigh(const struct mpdata_advice *advice,
                  struct mpdata_advice_row *row, double share_min)
{
    double bytes = share_of(row->saved_bytes, row->kind == MPDATA_ADVICE_CONCAT
                                                  ? advice->allocated_bytes
                                                  : advice->whole_bytes);
    double calls = share_of(row->saved_calls, advice->whole_blocks);

    if (row->kind != MPDATA_ADVICE_LEAKED && row->saved_bytes < BYTES_MIN)
        bytes = 0;
    if (row->saved_calls < CALLS_MIN)
        calls = 0;
    row->share = bytes > calls ? bytes : calls;
    return row->kind == MPDATA_ADVICE_LEAKED ||
           (row->share > 0 && row->share >= share_min);
}

static int compare_rows(const void *left, const void *right)
{
    const struct mpdata_advice_row *const a = left;
    const struct mpdata_advice_row *const b = right;

    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return a->kind != b->kind ? mprof_compare_u64(a->kind, b->kind)
                              : mprof_compare_u64(a->node, b->node);
}

/* Sums the pieces by site. */
static bool make_rows(struct mpdata_advice *advice, const struct rules *r,
                      const struct mpdata_vec *pieces, double share_min)
{
    const struct piece *const all = pieces->data;

    advice->rows = mpdata_vec_array(pieces->count, sizeof(*advice->rows));
    if (advice->rows == NULL)
        return false;
    for (uint32_t i = 0; i < pieces->count;) {
        struct mpdata_advice_row row = {.kind = all[i].kind,
                                        .node = r->sites.nodes[all[i].context]};
        const uint32_t first = i;

        while (i < pieces->count && all[i].site == all[first].site &&
               all[i].kind == row.kind)
            add_piece(&row, &all[i++]);
        if (weigh(advice, &row, share_min))
            advice->rows[advice->count++] = row;
    }
    if (advice->count != 0)
        qsort(advice->rows, advice->count, sizeof(*advice->rows), compare_rows);
    return true;
}

static bool apply(struct mpdata_advice *advice, const struct rules *r,
                  double share_min)
{
    struct mpdata_vec pieces = {.elem_bytes = sizeof(struct piece)};
    bool is_done = true;

    for (uint32_t i = 0; is_done && i < r->view.context_count; i++)
        is_done = judge(r, i, &pieces, &advice->unplaced);
    if (pieces.count != 0)
        qsort(pieces.data, pieces.count, sizeof(struct piece), compare_pieces);
    if (is_done)
        is_done = make_rows(advice, r, &pieces, share_min);
    mpdata_vec_fini(&pieces);
    return is_done;
}

enum mprof_err mpdata_advice_make(struct mpdata_advice *advice,
                                  const struct mpdata_profile *profile,
                                  struct mpdata_frame_names *names,
                                  double share_min)
{
    struct rules r = {.view = mpdata_profile_view(profile)};
    const struct mprof_mib totals = mpdata_profile_totals(&r.view);
    enum mprof_err err = mpdata_run_totals(&r.view, &r.runs);

    *advice = (struct mpdata_advice){.rows = NULL};
    if (err == MPROF_E_OK)
        err = mpdata_metrics_held(profile, r.held);
    if (err == MPROF_E_OK)
        err = mpdata_verdict_make(&r.verdicts, profile, MPDATA_VERDICT_FITTING);
    if (err == MPROF_E_OK)
        err = mpdata_sites_make(&r.sites, profile, names);
    if (err == MPROF_E_OK) {
        advice->is_peak = r.held[MPDATA_METRIC_PEAK];
        advice->is_estimate = r.runs.sampled_runs != 0;
        advice->whole_bytes = memory(&r, &totals);
        advice->whole_blocks = totals.AllocCount;
        advice->allocated_bytes = totals.TotalSize;
        err = apply(advice, &r, share_min) ? MPROF_E_OK : MPROF_E_NOMEM;
    }
    mpdata_sites_fini(&r.sites);
    mpdata_verdict_fini(&r.verdicts);
    return err;
}

void mpdata_advice_fini(struct mpdata_advice *advice)
{
    free(advice->rows);
    *advice = (struct mpdata_advice){.rows = NULL};
}
