/* advice_rules.c -- rules that find what to change in a program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/advice_rules.h"
#include "profdata/judge/chunk.h"
#include "profdata/model/details.h"
#include "profdata/query/histogram.h"
#include "shared/abi.h"
#include "shared/index_format.h"

#include <string.h>

/* A block with at most so many bytes is small enough for the stack. */
#define STACK_BYTES_MAX 4096u
/* A block with at most so many bytes is mostly the allocator's overhead. */
#define SMALL_BYTES_MAX 32u
#define SMALL_COUNT_MIN 1000u
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
/* Stale blocks were not accessed for this part of a run, and for so long: a few
 * times as long as the runtime waits between two looks. */
#define STALE_PART 2
#define STALE_NS_MIN UINT64_C(2000000000)
#define REPEATED_MIN 1000
#define STEPS_MIN 8
/* So many accesses in 100 of a call stack's move a cache line. */
#define SHARED_PERCENT 5
/* A line that one thread fills and another one then uses moves when it is read
 * and when it is written. */
#define SHARED_MOVES_MIN 2
/* Accesses to a small block, on average, before its neighbours matter. */
#define HANDED_ACCESSES_MIN 1000

typedef bool rule_fn(const struct mpdata_advice_rules *r, uint32_t context,
                     const struct mprof_mib *mib,
                     struct mpdata_advice_found *found);

uint64_t mpdata_advice_rules_bytes(const struct mpdata_advice_rules *r,
                                   const struct mprof_mib *mib)
{
    return r->held[MPDATA_METRIC_PEAK] ? mib->PeakBytes : mib->TotalSize;
}

/* -- rules that save memory ------------------------------------------------ */

static bool is_leaked(const struct mpdata_advice_rules *r, uint32_t context,
                      const struct mprof_mib *mib,
                      struct mpdata_advice_found *found)
{
    (void)context;
    *found = (struct mpdata_advice_found){.saved_bytes = mib->LeakedBytes,
                                          .number = mib->LeakedCount};
    return r->held[MPDATA_METRIC_LEAKED] && mib->LeakedCount != 0;
}

bool mpdata_advice_rules_has_accesses(const struct mpdata_advice_rules *r,
                                      uint32_t context,
                                      const struct mprof_mib *mib)
{
    return r->held[MPDATA_METRIC_ACCESSES] && r->runs.burst_runs == 0 &&
           (r->view.contexts[context].flags & MPROF_CONTEXT_UNSEEN_MASK) == 0 &&
           mib->UnseenCount == 0 && mib->ReallocCount == 0 &&
           mpdata_metrics_has_accesses(mib);
}

static bool is_unused(const struct mpdata_advice_rules *r, uint32_t context,
                      const struct mprof_mib *mib,
                      struct mpdata_advice_found *found)
{
    *found = (struct mpdata_advice_found){.saved_bytes =
                                              mpdata_advice_rules_bytes(r, mib),
                                          .saved_calls = mib->AllocCount};
    return mpdata_advice_rules_has_accesses(r, context, mib) &&
           mib->TotalAccessCount == 0;
}

static bool is_unread(const struct mpdata_advice_rules *r, uint32_t context,
                      const struct mprof_mib *mib,
                      struct mpdata_advice_found *found)
{
    *found = (struct mpdata_advice_found){.saved_bytes =
                                              mpdata_advice_rules_bytes(r, mib),
                                          .saved_calls = mib->AllocCount};
    return mpdata_advice_rules_has_accesses(r, context, mib) &&
           mib->MeasuredRw == mib->AllocCount && mib->TotalReads == 0 &&
           mib->TotalWrites != 0;
}

/* Were most bytes that are alive at the end accessed, but not for long? */
static bool is_stale(const struct mpdata_advice_rules *r, uint32_t context,
                     const struct mprof_mib *mib,
                     struct mpdata_advice_found *found)
{
    const struct mpdata_context *const c = &r->view.contexts[context];
    const struct mpdata_details rows =
        mpdata_details_of(&r->view, c, MPROF_DETAIL_IDLE);
    const uint64_t least_ns =
        mprof_max_u64(r->longest_run_ns / STALE_PART, STALE_NS_MIN);
    uint32_t from = 0;

    while (from < rows.count &&
           mprof_detail_fine_low(rows.rows[from].key) < least_ns)
        from++;
    const struct mpdata_details_idle idle =
        mpdata_details_idle(&rows, from, true);
    *found = (struct mpdata_advice_found){
        .saved_bytes = idle.bytes, .number = idle.blocks, .idle_ns = idle.ns};
    return idle.blocks != 0 && (c->flags & MPROF_CONTEXT_UNSEEN_MASK) == 0 &&
           mpdata_advice_is_share(idle.bytes, mib->LiveBytes, 50);
}

static bool has_duplicates(const struct mpdata_advice_rules *r,
                           uint32_t context, const struct mprof_mib *mib,
                           struct mpdata_advice_found *found)
{
    const struct mpdata_details_contents live = mpdata_details_contents(
        &r->view, &r->view.contexts[context], MPROF_DETAIL_LIVE_DUPLICATE);

    *found = (struct mpdata_advice_found){.saved_bytes = live.repeated_bytes,
                                          .number = live.repeated_blocks};
    return live.repeated_blocks != 0 &&
           mpdata_advice_is_share(live.repeated_bytes, mib->LiveBytes, 25);
}

/* The offset after the last accessed cell of any block. */
static uint64_t accessed_bytes(const struct mpdata_context *context,
                               unsigned unit_cells)
{
    struct mpdata_cells_cursor cursor = {.rest = context->cells};
    uint64_t end = 0;

    while (mpdata_cells_next(&cursor))
        end = unit_cells != 0
                  ? (cursor.cell / unit_cells + 1) * MPROF_FIELDS_BYTES
                  : (cursor.cell + 1) * MPDATA_HISTOGRAM_CELL_BYTES;
    return end;
}

/* A quarter of the bytes, and some of each block, are never accessed. A
 * histogram with the most cells may lack those of the block's end. */
static bool has_tail(const struct mpdata_advice_rules *r, uint32_t context,
                     const struct mprof_mib *mib,
                     struct mpdata_advice_found *found)
{
    const struct mpdata_context *const c = &r->view.contexts[context];
    const bool is_peak = r->held[MPDATA_METRIC_PEAK];
    uint64_t end;

    if (c->cells.words == NULL || mib->AccessHistogramSize == UINT32_MAX ||
        !mpdata_advice_rules_has_accesses(r, context, mib))
        return false;
    end = accessed_bytes(c, r->view.unit_cells);
    *found = (struct mpdata_advice_found){
        .saved_bytes = mprof_sub_sat_u64(
            mpdata_advice_rules_bytes(r, mib),
            mprof_mul_sat_u64(end, is_peak ? mib->PeakCount : mib->AllocCount)),
        .number = end};
    return end < mib->MinSize &&
           mpdata_advice_is_share(
               mprof_sub_sat_u64(mib->TotalSize,
                                 mprof_mul_sat_u64(end, mib->AllocCount)),
               mib->TotalSize, 25);
}

static bool is_cold(const struct mpdata_advice_rules *r, uint32_t context,
                    const struct mprof_mib *mib,
                    struct mpdata_advice_found *found)
{
    const struct mpdata_verdict *const v = &r->verdicts.rows[context];

    *found = (struct mpdata_advice_found){
        .saved_bytes = mpdata_advice_rules_bytes(r, mib)};
    return v->has_accesses && v->has_lifetime &&
           v->reason != MPDATA_REASON_UNSURE &&
           v->life_share >= COLD_LIFE_MIN &&
           v->access_share <= COLD_SHARE_MAX &&
           v->access_share * COLD_RATIO <= v->resident_share;
}

/* Members of the blocks' type are hardly accessed. */
static bool has_cold_members(const struct mpdata_advice_rules *r,
                             uint32_t context, const struct mprof_mib *mib,
                             struct mpdata_advice_found *found)
{
    const uint32_t number = r->type_of[context];
    const struct mpdata_advice_type *const type =
        number != 0 ? &r->types[number - 1] : NULL;

    if (type == NULL || type->name == NULL)
        return false;
    *found = (struct mpdata_advice_found){
        .saved_bytes = mpdata_verdict_whole(
            (double)mpdata_advice_rules_bytes(r, mib) *
            (double)(type->bytes - type->hot_bytes) / (double)type->bytes),
        .number = number - 1};
    return true;
}

static bool is_small(const struct mpdata_advice_rules *r, uint32_t context,
                     const struct mprof_mib *mib,
                     struct mpdata_advice_found *found)
{
    const uint64_t each = mib->MinSize == mib->MaxSize
                              ? mpdata_chunk_bytes(mib->MaxSize) - mib->MaxSize
                              : 8;

    (void)context;
    *found = (struct mpdata_advice_found){
        .saved_bytes = mprof_mul_sat_u64(mib->PeakCount, each),
        .number = mib->PeakCount};
    return r->held[MPDATA_METRIC_PEAK] && mib->PeakCount >= SMALL_COUNT_MIN &&
           mib->MaxSize <= SMALL_BYTES_MAX;
}

/* -- rules that save calls ------------------------------------------------- */

static bool has_peaks(const struct mprof_mib *mib)
{
    return mib->MeasuredCount == mib->AllocCount;
}

/* realloc replaces most blocks, and adds less than a quarter to each. The sizes
 * lie at least STEPS_MIN such steps apart, so blocks do not grow only once. */
static bool grows_slowly(const struct mpdata_advice_rules *r, uint32_t context,
                         const struct mprof_mib *mib,
                         struct mpdata_advice_found *found)
{
    (void)r;
    (void)context;
    /* No block that stays has more than the largest. */
    *found = (struct mpdata_advice_found){
        .saved_bytes = mprof_sub_sat_u64(
            mib->TotalSize,
            mprof_mul_sat_u64(
                mprof_sub_sat_u64(mib->AllocCount, mib->ReallocCount),
                mib->MaxSize)),
        .saved_calls = mib->ReallocCount,
        .number = mib->ReallocBytes};
    return has_peaks(mib) && mib->ReallocBytes != 0 &&
           mib->ReallocBytes >= mib->ReallocCount &&
           mpdata_advice_is_share(mib->ReallocCount, mib->AllocCount, 50) &&
           mprof_mul_sat_u64(mprof_sub_sat_u64(mib->MaxSize, mib->MinSize),
                             mib->ReallocCount) >=
               mprof_mul_sat_u64(mib->ReallocBytes, STEPS_MIN) &&
           mprof_mul_sat_u64(mib->ReallocBytes, 4) < mib->TotalSize;
}

static bool is_copy(const struct mpdata_advice_rules *r, uint32_t context,
                    const struct mprof_mib *mib,
                    struct mpdata_advice_found *found)
{
    return mpdata_advice_rules_has_accesses(r, context, mib) &&
           mpdata_advice_copies_have(r, context, mib, found);
}

static bool is_repeated(const struct mpdata_advice_rules *r, uint32_t context,
                        const struct mprof_mib *mib,
                        struct mpdata_advice_found *found)
{
    const struct mpdata_details_contents freed = mpdata_details_contents(
        &r->view, &r->view.contexts[context], MPROF_DETAIL_DUPLICATE);

    *found = (struct mpdata_advice_found){.saved_calls = freed.repeated_blocks,
                                          .number = freed.repeated_blocks};
    return freed.repeated_blocks >= REPEATED_MIN &&
           mpdata_advice_is_share(
               freed.repeated_blocks,
               mprof_sub_sat_u64(mib->AllocCount, mib->LiveCount), 90);
}

/* Is there a frame of the site's activation in the call stack? */
static bool goes_through(const struct mpdata_view *view, mpdata_ref node,
                         mpdata_ref site)
{
    while (node != 0 && !mpdata_advice_is_function(view, node, site))
        node = view->nodes[node - 1].parent;
    return node != 0;
}

static bool fits_stack(const struct mprof_mib *mib)
{
    return mib->MaxSize <= STACK_BYTES_MAX;
}

/* The function that allocates the blocks frees them, one after the other. */
static bool is_local(const struct mpdata_advice_rules *r, uint32_t context,
                     const struct mprof_mib *mib,
                     struct mpdata_advice_found *found)
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
    *found =
        (struct mpdata_advice_found){.saved_calls = blocks, .number = blocks};
    return fits_stack(mib) && has_peaks(mib) &&
           mib->MaxLiveCount <= LOCAL_LIVE_MAX &&
           mpdata_advice_is_share(blocks, mib->AllocCount, 90);
}

static bool is_temporary(const struct mpdata_advice_rules *r, uint32_t context,
                         const struct mprof_mib *mib,
                         struct mpdata_advice_found *found)
{
    (void)r;
    (void)context;
    *found = (struct mpdata_advice_found){.saved_calls = mib->TemporaryCount,
                                          .number = mib->TemporaryCount};
    return has_peaks(mib) && fits_stack(mib) && mib->ReallocCount == 0 &&
           mpdata_advice_is_share(mib->TemporaryCount, mib->AllocCount, 90);
}

static bool is_churn(const struct mpdata_advice_rules *r, uint32_t context,
                     const struct mprof_mib *mib,
                     struct mpdata_advice_found *found)
{
    (void)r;
    (void)context;
    *found = (struct mpdata_advice_found){.saved_calls = mib->AllocCount,
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
static bool is_growing(const struct mpdata_advice_rules *r, uint32_t context,
                       const struct mprof_mib *mib,
                       struct mpdata_advice_found *found)
{
    const uint64_t most = mprof_mul_sat_u64(mib->AllocCount, mib->MaxSize);

    *found = (struct mpdata_advice_found){.saved_bytes = mib->TotalSize,
                                          .saved_calls = mib->AllocCount,
                                          .number = mib->MaxSize};
    return mib->AllocCount >= CONCAT_MIN &&
           mprof_mul_sat_u64(mib->MinSize, CONCAT_RATIO) <= mib->MaxSize &&
           mpdata_advice_is_share(mib->TotalSize, most, 40) &&
           !mpdata_advice_is_share(mib->TotalSize, most, 60) &&
           !mpdata_advice_is_share(mib->LiveCount, mib->AllocCount, 10) &&
           is_concatenated(&r->view, r->view.contexts[context].node);
}

/* Do cache lines of the blocks go from thread to thread? */
static bool is_shared(const struct mpdata_advice_rules *r, uint32_t context,
                      const struct mprof_mib *mib,
                      struct mpdata_advice_found *found)
{
    (void)r;
    (void)context;
    *found = (struct mpdata_advice_found){.saved_accesses = mib->TransferCount,
                                          .number = mib->FalseTransferCount};
    return mib->TransferCount != 0 &&
           mib->TransferCount / SHARED_MOVES_MIN >
               mib->TotalSize / MPROF_GRANULE_BYTES + mib->AllocCount &&
           mpdata_advice_is_share(mib->TransferCount, mib->TotalAccessCount,
                                  SHARED_PERCENT);
}

/* Would malloc put blocks of several threads into one cache line? */
static bool is_handed(const struct mpdata_advice_rules *r, uint32_t context,
                      const struct mprof_mib *mib,
                      struct mpdata_advice_found *found)
{
    (void)r;
    (void)context;
    *found = (struct mpdata_advice_found){
        .saved_accesses = mib->TotalAccessCount, .number = mib->HandedCount};
    return mib->HandedCount != 0 &&
           mpdata_advice_is_share(mib->HandedCount, mib->AllocCount, 50) &&
           mib->TotalAccessCount / mib->AllocCount >= HANDED_ACCESSES_MIN;
}

static rule_fn *const rule_of[MPDATA_ADVICE_PEAK] = {
    [MPDATA_ADVICE_LEAKED] = is_leaked,
    [MPDATA_ADVICE_UNUSED] = is_unused,
    [MPDATA_ADVICE_UNREAD] = is_unread,
    [MPDATA_ADVICE_STALE] = is_stale,
    [MPDATA_ADVICE_DUPLICATES] = has_duplicates,
    [MPDATA_ADVICE_TAIL] = has_tail,
    [MPDATA_ADVICE_COLD] = is_cold,
    [MPDATA_ADVICE_MEMBERS] = has_cold_members,
    [MPDATA_ADVICE_SMALL] = is_small,
    [MPDATA_ADVICE_STEPS] = grows_slowly,
    [MPDATA_ADVICE_SHARED] = is_shared,
    [MPDATA_ADVICE_HANDED] = is_handed,
    [MPDATA_ADVICE_COPY] = is_copy,
    [MPDATA_ADVICE_REPEATED] = is_repeated,
    [MPDATA_ADVICE_LOCAL] = is_local,
    [MPDATA_ADVICE_TEMPORARY] = is_temporary,
    [MPDATA_ADVICE_CHURN] = is_churn,
    [MPDATA_ADVICE_CONCAT] = is_growing,
};

enum mpdata_advice_kind mpdata_advice_rules_first(
    const struct mpdata_advice_rules *r, uint32_t context,
    const struct mprof_mib *mib, enum mpdata_advice_kind kind,
    enum mpdata_advice_kind end, struct mpdata_advice_found *found)
{
    while (kind < end && !rule_of[kind](r, context, mib, found))
        kind++;
    return kind;
}
