/* rawwrite_llvm.c -- LLVM's raw profile, version 5, as described in
 * shared/raw_llvm.h, for llvm-profdata. Fields that are narrower than ours
 * saturate. Call stacks that the format would assign to the wrong binary are
 * left out.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/log.h"
#include "rt/stack/depot.h"
#include "rt/stack/module_history.h"
#include "rt/stack/pc.h"
#include "shared/histcount.h"
#include "shared/raw_llvm.h"

#define HISTCOUNT_BYTES 2

/* -- what the format can represent ----------------------------------------- */

/* The format has addresses without their binary. If several binaries were
 * mapped at one address in turn, it can represent only one: the one that is
 * mapped now, or else the first. */
struct held {
    const struct mprt_dump *dump;
    struct mprt_module *modules; /* a copy; the representable ones come first */
    uint32_t count;
    uint32_t *rows; /* contexts of the snapshot that are representable */
    uint32_t row_count;
    uint32_t context_count; /* without tagged contexts */
    uint64_t lost_blocks;
    uint32_t lost_module; /* index in dump->modules of a lost block's binary */
};

static bool overlaps(const struct mprt_module *a, const struct mprt_module *b)
{
    for (uint32_t i = 0; i < a->segment_count; i++) {
        for (uint32_t k = 0; k < b->segment_count; k++) {
            if (a->segments[i].start < b->segments[k].end &&
                b->segments[k].start < a->segments[i].end)
                return true;
        }
    }
    return false;
}

static void choose_modules(struct held *held)
{
    const struct mprt_module_list *const list = held->dump->modules;

    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t k = 0;

        while (k < held->count &&
               !overlaps(&list->modules[i], &held->modules[k]))
            k++;
        if (k == held->count)
            held->modules[held->count++] = list->modules[i];
    }
}

/* Whether the address alone leads to the binary of the pc. */
static bool is_held(struct held *held, uintptr_t pc)
{
    const struct mprt_module_list *const list = held->dump->modules;
    const uint32_t at = mprt_modules_find(list, pc);
    uint32_t k = 0;

    while (k < held->count &&
           !mprt_modules_holds(&held->modules[k], mprt_pc_address(pc)))
        k++;
    if (at < list->count ? k < held->count && held->modules[k].segments ==
                                                  list->modules[at].segments
                         : k == held->count)
        return true;
    held->lost_module = at < list->count ? at : held->lost_module;
    return false;
}

static bool is_stack_held(struct held *held, uint32_t id)
{
    struct mprt_stack stack;

    mprt_depot_get(id, &stack);
    for (size_t i = 0; i < stack.count; i++) {
        if (!is_held(held, stack.pcs[i]))
            return false;
    }
    return true;
}

static void choose_contexts(struct held *held)
{
    const struct mprt_snapshot *const snapshot = held->dump->snapshot;

    for (uint32_t i = 0; i < snapshot->count; i++) {
        if (mprt_depot_is_tagged(snapshot->ids[i]))
            continue;
        held->context_count++;
        if (!mprt_module_history_is_ambiguous() ||
            is_stack_held(held, snapshot->ids[i]))
            held->rows[held->row_count++] = i;
        else
            held->lost_blocks += mprt_context_get(mprt_snapshot_at(snapshot, i),
                                                  MPROF_MIB_INDEX_AllocCount);
    }
}

static void report_lost(const struct held *held)
{
    const struct mprt_module_list *const list = held->dump->modules;

    MPRT_LOG("LLVM's raw format cannot tell apart modules that were loaded at "
             "one address in turn: ",
             MPRT_DEC(held->lost_blocks), " blocks from ",
             MPRT_DEC(held->context_count - held->row_count),
             " call stacks are left out, of ",
             held->lost_module < list->count
                 ? list->modules[held->lost_module].path
                 : "code of no module",
             " and others; our own format has them");
}

/* -- bytes ----------------------------------------------------------------- */

static void write_segment(struct mprof_buf *buf,
                          const struct mprt_module *module,
                          const struct mprt_segment *segment)
{
    static const uint8_t zeros[MPROF_RAW_LLVM_BUILD_ID_BYTES];
    const size_t id_bytes =
        mprof_min_u64(module->build_id_bytes, MPROF_RAW_LLVM_BUILD_ID_BYTES);

    mprof_buf_u64(buf, segment->start);
    mprof_buf_u64(buf, segment->end);
    mprof_buf_u64(buf, module->bias);
    mprof_buf_u64(buf, id_bytes);
    mprof_buf_bytes(buf, module->build_id, id_bytes);
    mprof_buf_bytes(buf, zeros, MPROF_RAW_LLVM_BUILD_ID_BYTES - id_bytes);
}

static void write_segments(struct mprof_buf *buf, const struct held *held)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < held->count; i++)
        count += held->modules[i].segment_count;
    mprof_buf_u64(buf, count);
    for (uint32_t i = 0; i < held->count; i++) {
        const struct mprt_module *const module = &held->modules[i];

        for (uint32_t s = 0; s < module->segment_count; s++)
            write_segment(buf, module, &module->segments[s]);
    }
}

/* Writes each cell, because the format cannot skip cells without accesses. New
 * memory of the buffer is zero. */
static void write_cells(struct mprof_buf *buf, struct mprt_cells_reader *reader,
                        uint64_t count)
{
    const size_t start = buf->size;
    uint64_t cell = 0;
    uint64_t accesses;

    if (mprof_buf_extend(buf, count * HISTCOUNT_BYTES) == NULL)
        return;
    while ((accesses = mprt_cells_next(reader, &cell)) != 0)
        mprof_buf_patch(buf, start + cell++ * HISTCOUNT_BYTES,
                        mprof_histcount_encode(accesses), HISTCOUNT_BYTES);
}

/* The histogram's cells follow the MIB. Without a histogram its size is 0. */
static void write_mib(struct mprof_buf *buf, const struct mprt_context *context)
{
    struct mprof_mib mib = context->entry->mib;
    struct mprt_cells_reader reader;

    mib.AccessHistogram = 0;
    mib.AccessHistogramSize =
        (uint32_t)mprt_context_llvm_cells(context, &reader);
    if (mib.UnseenCount != 0)
        mprof_mib_keep_from_cold(&mib);
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].tag <= MPROF_MIB_LLVM_TAG_MAX)
            mprof_buf_uint(buf, mprof_mib_llvm_value(&mib, i),
                           mprof_mib_fields[i].llvm_width);
    }
    write_cells(buf, &reader, mib.AccessHistogramSize);
}

/* Reserves room for all cells at once, and as much for the rest: a growing
 * buffer is copied, which touches memory of cells without accesses. */
static void make_room(struct mprof_buf *buf, const struct held *held)
{
    const size_t start = buf->size;
    struct mprt_cells_reader reader;
    size_t cells = 0;

    for (uint32_t i = 0; i < held->row_count; i++)
        cells += mprt_context_llvm_cells(
            mprt_snapshot_at(held->dump->snapshot, held->rows[i]), &reader);
    if (mprof_buf_extend(buf, 2 * cells * HISTCOUNT_BYTES) != NULL)
        buf->size = start;
}

static void write_mibs(struct mprof_buf *buf, const struct held *held)
{
    const struct mprt_snapshot *const snapshot = held->dump->snapshot;

    make_room(buf, held);

    mprof_buf_u64(buf, held->row_count);
    for (uint32_t i = 0; i < held->row_count; i++) {
        mprof_buf_u64(buf, snapshot->ids[held->rows[i]]);
        write_mib(buf, mprt_snapshot_at(snapshot, held->rows[i]));
    }
}

static void write_stacks(struct mprof_buf *buf, const struct held *held)
{
    mprof_buf_u64(buf, held->row_count);
    for (uint32_t i = 0; i < held->row_count; i++) {
        const uint32_t id = held->dump->snapshot->ids[held->rows[i]];
        struct mprt_stack stack;

        mprt_depot_get(id, &stack);
        mprof_buf_u64(buf, id);
        mprof_buf_u64(buf, stack.count);
        for (size_t k = 0; k < stack.count; k++)
            mprof_buf_u64(buf, mprt_pc_address(stack.pcs[k]));
    }
}

static void write_held(struct mprof_buf *buf, const struct held *held)
{
    const size_t start = buf->size;

    mprof_buf_extend(buf, MPROF_RAW_LLVM_HEADER_BYTES);
    write_segments(buf, held);
    const size_t mibs_off = buf->size - start;
    write_mibs(buf, held);
    mprof_buf_align(buf, MPROF_RAW_LLVM_ALIGN);
    const size_t stacks_off = buf->size - start;
    write_stacks(buf, held);
    if (buf->failed)
        return;
    mprof_buf_patch(buf, start, MPROF_RAW_LLVM_MAGIC, 8);
    mprof_buf_patch(buf, start + 8, MPROF_RAW_LLVM_VERSION, 8);
    mprof_buf_patch(buf, start + 16, buf->size - start, 8);
    mprof_buf_patch(buf, start + 24, MPROF_RAW_LLVM_HEADER_BYTES, 8);
    mprof_buf_patch(buf, start + 32, mibs_off, 8);
    mprof_buf_patch(buf, start + 40, stacks_off, 8);
}

void mprt_rawwrite_llvm(struct mprof_buf *buf, const struct mprt_dump *dump)
{
    const size_t modules = dump->modules->count;
    const size_t contexts = dump->snapshot->count;
    struct held held = {
        .dump = dump,
        .modules = mprt_mapbuf_new_array(modules, sizeof(*held.modules)),
        .rows = mprt_mapbuf_new_array(contexts, sizeof(*held.rows)),
        .lost_module = UINT32_MAX};

    mprt_cells_say_left_out();
    if (held.modules != NULL && held.rows != NULL) {
        choose_modules(&held);
        choose_contexts(&held);
        if (held.row_count < held.context_count)
            report_lost(&held);
        write_held(buf, &held);
    } else {
        buf->failed = true;
    }
    mprt_mapbuf_free_array(held.modules, modules, sizeof(*held.modules));
    mprt_mapbuf_free_array(held.rows, contexts, sizeof(*held.rows));
}
