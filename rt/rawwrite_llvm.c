/* rawwrite_llvm.c -- LLVM's raw profile, version 5, as shared/raw_llvm.h
 * describes it: what llvm-profdata reads. Fields that are narrower than ours
 * saturate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump.h"
#include "shared/histcount.h"
#include "shared/raw_llvm.h"

#define HISTCOUNT_BYTES 2

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

static void write_segments(struct mprof_buf *buf,
                           const struct mprt_module_list *modules)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < modules->count; i++)
        count += modules->modules[i].segment_count;
    mprof_buf_u64(buf, count);
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct mprt_module *const module = &modules->modules[i];

        for (uint32_t s = 0; s < module->segment_count; s++)
            write_segment(buf, module, &module->segments[s]);
    }
}

/* The histogram's cells are those that follow; without any its size is 0. */
static void write_mib(struct mprof_buf *buf, const struct mprt_context *context)
{
    struct mprof_mib mib;
    uint64_t cell_count;
    const uint64_t *const cells = mprt_context_cells(context, &cell_count);

    mprt_context_mib(context, &mib);
    mib.AccessHistogram = 0;
    mib.AccessHistogramSize = cell_count;
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].tag <= MPROF_MIB_LLVM_TAG_MAX)
            mprof_buf_uint(buf, mprof_mib_llvm_value(&mib, i),
                           mprof_mib_fields[i].llvm_width);
    }
    for (uint64_t i = 0; i < mib.AccessHistogramSize; i++)
        mprof_buf_uint(buf, mprof_histcount_encode(cells[i]), HISTCOUNT_BYTES);
}

static void write_mibs(struct mprof_buf *buf,
                       const struct mprt_snapshot *snapshot)
{
    mprof_buf_u64(buf, snapshot->count);
    for (uint32_t i = 0; i < snapshot->count; i++) {
        mprof_buf_u64(buf, snapshot->ids[i]);
        write_mib(buf, mprt_snapshot_at(snapshot, i));
    }
}

static void write_stacks(struct mprof_buf *buf,
                         const struct mprt_snapshot *snapshot)
{
    mprof_buf_u64(buf, snapshot->count);
    for (uint32_t i = 0; i < snapshot->count; i++) {
        const uint32_t id = snapshot->ids[i];
        struct mprt_stack stack;

        mprt_depot_get(id, &stack);
        mprof_buf_u64(buf, id);
        mprof_buf_u64(buf, stack.count);
        for (size_t k = 0; k < stack.count; k++)
            mprof_buf_u64(buf, stack.pcs[k]);
    }
}

void mprt_rawwrite_llvm(struct mprof_buf *buf, const struct mprt_dump *dump)
{
    const size_t start = buf->size;
    size_t mibs_off;
    size_t stacks_off;

    mprof_buf_extend(buf, MPROF_RAW_LLVM_HEADER_BYTES);
    write_segments(buf, dump->modules);
    mibs_off = buf->size - start;
    write_mibs(buf, dump->snapshot);
    mprof_buf_align(buf, MPROF_RAW_LLVM_ALIGN);
    stacks_off = buf->size - start;
    write_stacks(buf, dump->snapshot);
    if (buf->failed)
        return;
    mprof_buf_patch(buf, start, MPROF_RAW_LLVM_MAGIC, 8);
    mprof_buf_patch(buf, start + 8, MPROF_RAW_LLVM_VERSION, 8);
    mprof_buf_patch(buf, start + 16, buf->size - start, 8);
    mprof_buf_patch(buf, start + 24, MPROF_RAW_LLVM_HEADER_BYTES, 8);
    mprof_buf_patch(buf, start + 32, mibs_off, 8);
    mprof_buf_patch(buf, start + 40, stacks_off, 8);
}
