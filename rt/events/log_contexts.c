/* log_contexts.c -- contexts of a snapshot as blocks of the log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/log_parts.h"
#include "rt/base/lock.h"
#include "rt/base/os.h"
#include "rt/dump/rawsections.h"
#include "rt/record/mapping.h"
#include "rt/stack/depot.h"
#include "rt/stack/names.h"

/* The blocks of the last snapshot, which come last in the log. */
static struct mprt_lock lock;
static struct mprof_buf kept;

#define PUT(n) mprt_log_blocks_integer(out, n)

/* Without its call stack, because a lock's holder was killed, the log ends. */
static void put_row(struct mprof_buf *out, uint32_t id, bool is_live)
{
    mprt_log_stacks_add(id);
    PUT(UINT64_C(2) * id + is_live);
}

static void put_tagged(struct mprof_buf *out, uint32_t id, bool is_live,
                       const struct mprt_context *c)
{
    const uint32_t number = mprt_depot_name(id);
    const enum mprof_tag_kind kind = mprt_names_kind(number);
    struct mprof_mib mib = c->entry->mib;

    mprt_rawcontexts_keep_tagged(&mib, kind);
    put_row(out, id, is_live);
    PUT(kind);
    mprt_log_blocks_string(out, mprt_names_text(number));
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        const uint64_t value = mprof_mib_get(&mib, i);

        if (value != 0) {
            PUT(mprof_mib_fields[i].tag);
            PUT(value);
        }
    }
    PUT(0);
}

/* A log has no cells of 4 bytes. */
static void put_cells(struct mprof_buf *out, uint32_t id, bool is_live,
                      const struct mprt_context *c)
{
    const uint64_t cells = c->entry->mib.AccessHistogramSize;
    struct mprt_cells_reader reader = {.cells = c->entry->cells};
    uint64_t cell = 0;
    uint64_t end = 0;
    uint64_t count;

    if (mprt_shadow_has_fields || (cells == 0 && reader.cells.root == 0))
        return;
    put_row(out, id, is_live);
    PUT(cells);
    for (; (count = mprt_cells_next(&reader, &cell)) != 0; end = ++cell) {
        PUT(cell - end + 1);
        PUT(count);
    }
    PUT(0);
}

/* A log that does not have the whole run has none of its mappings. */
static bool is_left_out(uint32_t id, bool is_whole)
{
    return !is_whole && mprt_depot_is_tagged(id) &&
           mprt_mapping_is_name(mprt_names_text(mprt_depot_name(id)));
}

/* A block of the contexts that are tagged, or of the others. False if it has no
 * row. */
static bool put_block(struct mprof_buf *out, const struct mprt_snapshot *s,
                      enum mprof_log_block code, bool is_whole)
{
    const size_t start = mprt_log_blocks_begin(out, code);

    for (uint64_t i = 0; i < 2 * (uint64_t)s->count; i++) {
        const uint32_t id = s->ids[i / 2];
        const struct mprt_context *const rows = i % 2 == 0 ? s->rows : s->live;
        const bool is_tagged = mprt_depot_is_tagged(id);

        if (rows == NULL || !mprt_context_has_blocks(&rows[id]) ||
            is_tagged != (code == MPROF_LOG_TAGGED) ||
            is_left_out(id, is_whole))
            continue;
        if (is_tagged)
            put_tagged(out, id, i % 2 != 0, &rows[id]);
        else
            put_cells(out, id, i % 2 != 0, &rows[id]);
    }
    const bool is_some = out->size != start;
    PUT(0);
    mprt_log_blocks_end(out, start);
    return is_some;
}

static void write(struct mprof_buf *out, const struct mprt_snapshot *snapshot,
                  bool is_whole)
{
    const bool has_cells = put_block(out, snapshot, MPROF_LOG_CELLS, is_whole);

    if (!has_cells)
        out->size = 0;
    const bool has_tagged =
        put_block(out, snapshot, MPROF_LOG_TAGGED, is_whole);
    if (!is_whole && (has_tagged || has_cells))
        out->size = 0;
}

/* Signals are blocked, so that no handler of the program leaves the lock held.
 */
static void exchange(struct mprof_buf *blocks)
{
    const uint64_t signals = mprt_os_block_other_signals();

    if (mprt_lock_try(&lock, MPRT_LOCK_PATIENCE_NS)) {
        const struct mprof_buf before = kept;

        kept = *blocks;
        *blocks = before;
        mprt_lock_release(&lock);
    }
    mprt_os_restore_signals(signals);
}

void mprt_log_contexts_init(void)
{
    mprt_mapbuf_init(&kept);
}

void mprt_log_contexts_keep(const struct mprt_snapshot *snapshot, bool is_whole)
{
    struct mprof_buf blocks;

    mprt_cells_say_left_out();
    mprt_mapbuf_init(&blocks);
    write(&blocks, snapshot, is_whole);
    if (!blocks.failed)
        exchange(&blocks);
    mprt_mapbuf_free(&blocks);
}

void mprt_log_contexts_take(struct mprof_buf *out)
{
    exchange(out);
}

void mprt_log_contexts_restart(bool is_child)
{
    if (is_child)
        mprt_lock_reset(&lock);
    kept.size = 0;
}
