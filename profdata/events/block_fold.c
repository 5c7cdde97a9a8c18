/* block_fold.c -- the blocks of another tool's log, by call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/block_fold.h"
#include "profdata/events/event_sums.h"

struct row {
    uint32_t stack;
    uint32_t zero;
    uint64_t bytes; /* alive */
    uint64_t blocks;
    uint64_t most_bytes;
    uint64_t most_blocks;
    struct mpdata_event_sums sums;
};

/* Blocks of a call stack that the call stack `by` ended. */
struct link {
    uint32_t stack;
    uint32_t by;
    uint32_t kind;
    uint32_t zero;
    uint64_t count;
    uint64_t bytes;
};

void mpdata_block_fold_init(struct mpdata_block_fold *fold)
{
    *fold = (struct mpdata_block_fold){.live.blocks.elem_bytes =
                                           sizeof(struct mpdata_live_block)};
    mpdata_set_init(&fold->rows, MPDATA_SET_KEY(struct row, stack),
                    sizeof(struct row));
    mpdata_set_init(&fold->links, MPDATA_SET_KEY(struct link, zero),
                    sizeof(struct link));
}

static struct row *row_at(const struct mpdata_block_fold *fold, uint32_t i)
{
    return (struct row *)fold->rows.rows.data + i;
}

void mpdata_block_fold_fini(struct mpdata_block_fold *fold)
{
    for (uint32_t i = 0; i < fold->rows.rows.count; i++)
        mpdata_event_sums_fini(&row_at(fold, i)->sums);
    mpdata_set_fini(&fold->rows);
    mpdata_set_fini(&fold->links);
    mpdata_event_live_fini(&fold->live);
}

/* A peak is known when the first block ends after it. */
static void note_peak(struct mpdata_block_fold *fold)
{
    fold->peak += fold->is_rising;
    fold->is_rising = false;
}

/* Adds a block that ended, or that is alive, if it counts. Blocks that were
 * there before the last peak were alive at it. */
static bool add_life(struct mpdata_block_fold *fold,
                     const struct mpdata_live_block *b,
                     const struct mprof_block_life *end)
{
    struct mprof_block_life life = *end;

    if (fold->choice != NULL &&
        !mpdata_event_choice_has(fold->choice, b->ns,
                                 end->is_live ? UINT64_MAX : fold->ns, 0))
        return false;
    life.size = b->size;
    if (fold->choice == NULL) {
        life.alloc_ns = b->ns;
        life.dealloc_ns = fold->ns;
        life.peak = fold->peak != b->note ? fold->peak : 0;
    }
    fold->failed |=
        !mpdata_event_sums_add(&row_at(fold, b->row)->sums, &life, NULL, 0);
    return true;
}

static void add_link(struct mpdata_block_fold *fold, uint32_t stack,
                     uint32_t by, enum mprof_detail_kind kind, uint64_t bytes)
{
    const struct link key = {.stack = stack, .by = by, .kind = kind};
    const uint32_t at = mpdata_set_add(&fold->links, &key, NULL);

    if (at == 0) {
        fold->failed = true;
        return;
    }
    struct link *const link = (struct link *)fold->links.rows.data + (at - 1);
    link->count++;
    link->bytes = mprof_add_sat_u64(link->bytes, bytes);
}

/* Moves the block that is alive at the address to *block. */
static bool take(struct mpdata_block_fold *fold, uint64_t address,
                 struct mpdata_live_block *block)
{
    const struct mpdata_log_event end = {.at = address};

    if (!mpdata_event_live_end(&fold->live, &end, block, &fold->failed))
        return false;
    note_peak(fold);
    fold->bytes -= block->size;
    row_at(fold, block->row)->bytes -= block->size;
    row_at(fold, block->row)->blocks--;
    return true;
}

void mpdata_block_fold_begin(struct mpdata_block_fold *fold, uint64_t address,
                             uint64_t size, uint32_t stack)
{
    const struct row key = {.stack = stack};
    const uint32_t at = mpdata_set_add(&fold->rows, &key, NULL);
    struct mpdata_live_block block;
    bool failed = false;

    if (at == 0 || fold->failed) {
        fold->failed = true;
        return;
    }
    if (take(fold, address, &block))
        (void)add_life(fold, &block, &(struct mprof_block_life){.size = 0});
    block = (struct mpdata_live_block){.address = address,
                                       .ns = fold->ns,
                                       .size = size,
                                       .row = at - 1,
                                       .note = fold->peak};
    mpdata_event_live_begin(&fold->live, &block, &failed);
    fold->failed |= failed;
    struct row *const row = row_at(fold, at - 1);
    row->bytes += size;
    row->blocks++;
    row->most_bytes = mprof_max_u64(row->most_bytes, row->bytes);
    row->most_blocks = mprof_max_u64(row->most_blocks, row->blocks);
    fold->bytes += size;
    if (fold->bytes > fold->most) {
        fold->most = fold->bytes;
        fold->most_ns = fold->ns;
        fold->is_rising = true;
    }
    fold->last = address;
    fold->has_last = true;
}

void mpdata_block_fold_end(struct mpdata_block_fold *fold, uint64_t address,
                           uint32_t stack, enum mprof_detail_kind kind,
                           uint64_t size)
{
    const bool is_replaced = kind == MPROF_DETAIL_REALLOC;
    struct mpdata_live_block block;

    /* It may have begun before the log. */
    if (!take(fold, address, &block))
        return;
    const uint64_t grown = mprof_sub_sat_u64(size, block.size);
    if (add_life(fold, &block,
                 &(struct mprof_block_life){
                     .is_replaced = is_replaced,
                     .grown_bytes = is_replaced ? grown : 0,
                     .is_temporary = fold->has_last && fold->last == address}))
        add_link(fold, row_at(fold, block.row)->stack, stack, kind,
                 is_replaced ? grown : block.size);
}

/* -- the end --------------------------------------------------------------- */

static void add_alive(void *context, const struct mpdata_live_block *b)
{
    (void)add_life(context, b, &(struct mprof_block_life){.is_live = true});
}

static void add_details(struct mpdata_profile *profile, mpdata_ref node,
                        struct mpdata_vec *details)
{
    struct mpdata_detail *const rows = details->data;

    for (uint32_t i = 0; i < details->count; i++) {
        rows[i].node = node;
        mpdata_profile_detail(profile, &rows[i]);
    }
}

static bool add_context(struct mpdata_block_fold *fold, struct row *row,
                        struct mpdata_profile *profile, mpdata_ref node)
{
    struct mpdata_vec details = {.elem_bytes = sizeof(struct mpdata_detail)};
    bool is_done;

    if (row->sums.mib.AllocCount == 0)
        return true;
    if (fold->choice != NULL)
        mpdata_event_sums_all(&row->sums, NULL, &row->most_bytes,
                              &row->most_blocks);
    mpdata_event_sums_finish(&row->sums, fold->peak, row->most_bytes,
                             row->most_blocks);
    /* No CPU is known. */
    row->sums.mib.NumSameAllocCpu = row->sums.mib.NumSameDeallocCpu = 0;
    mpdata_profile_context(profile, node, MPROF_CONTEXT_FL_NOT_MEASURED,
                           &row->sums.mib, MPDATA_CELLS_NONE);
    is_done = mpdata_event_sums_details(&row->sums, &details);
    add_details(profile, node, &details);
    mpdata_vec_fini(&details);
    return is_done;
}

bool mpdata_block_fold_finish(struct mpdata_block_fold *fold,
                              struct mpdata_profile *profile,
                              const mpdata_ref *nodes)
{
    const struct link *const links = fold->links.rows.data;

    note_peak(fold);
    mpdata_event_live_visit(&fold->live, add_alive, fold);
    for (uint32_t i = 0; i < fold->rows.rows.count && !fold->failed; i++)
        fold->failed = !add_context(fold, row_at(fold, i), profile,
                                    nodes[row_at(fold, i)->stack]);
    for (uint32_t i = 0; i < fold->links.rows.count && !fold->failed; i++) {
        const struct mpdata_detail detail = {.node = nodes[links[i].stack],
                                             .kind = links[i].kind,
                                             .key = nodes[links[i].by],
                                             .count = links[i].count,
                                             .bytes = links[i].bytes};

        mpdata_profile_detail(profile, &detail);
    }
    return !fold->failed;
}
