/* raw.c -- memory and MIBs of a raw dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw.h"
#include "shared/le.h"

#include <stdlib.h>

/* Converts LLVM's packed MIB in a dump of this version. */
static struct mprof_mib unpack_mib(const uint8_t *bytes, uint32_t version)
{
    const uint32_t max_tag =
        version == 3 ? MPROF_MIB_LLVM_V3_TAG_MAX : MPROF_MIB_LLVM_TAG_MAX;
    struct mprof_mib mib = {.AllocCount = 0};

#define MPROF_MIB(tag, name, type, ...)                                  \
    if ((tag) <= max_tag) {                                              \
        mib.name = MPROF_MIB_WIDTH_##type == 4 ? mprof_le_load32(bytes)  \
                                               : mprof_le_load64(bytes); \
        bytes += MPROF_MIB_WIDTH_##type;                                 \
    }
#include "shared/MIBDef.inc"
#undef MPROF_MIB
    mib.AccessHistogram = 0;
    mprof_mib_fill_from_llvm(&mib);
    return mib;
}

/* The sizes of single blocks are unknown. */
static struct mprof_mib mib_of_blocks(const struct mpdata_raw_blocks *blocks)
{
    return (struct mprof_mib){.AllocCount = blocks->count,
                              .TotalSize = blocks->bytes,
                              .LiveCount = blocks->live_count,
                              .LiveBytes = blocks->live_bytes};
}

struct mprof_mib mpdata_raw_mib(const struct mpdata_raw *raw, uint32_t i)
{
    if (raw->blocks != NULL)
        return mib_of_blocks(&raw->blocks[raw->contexts[i].id]);
    if (raw->packed_mibs != NULL)
        return unpack_mib(raw->packed_mibs + raw->contexts[i].mib_off,
                          raw->version);
    /* By row number: raw_filter.c may have removed contexts. */
    struct mprof_mib mib =
        raw->mibs != NULL
            ? raw->mibs[raw->contexts[i].id]
            : mpdata_mib_columns_get(raw->mib_columns, raw->contexts[i].id);
    if (raw->has_no_peak)
        mib.PeakCount = mib.PeakBytes = 0;
    return mib;
}

struct mprof_mib mpdata_raw_tagged_mib(const struct mpdata_raw *raw, uint32_t i)
{
    const uint32_t row = raw->tagged_rows[i].row;
    struct mprof_mib mib =
        raw->tagged_mibs != NULL
            ? raw->tagged_mibs[row]
            : mpdata_mib_columns_get(raw->tagged_columns, row);

    if (raw->has_no_peak)
        mib.PeakCount = mib.PeakBytes = 0;
    return mib;
}

bool mpdata_raw_is_second(const struct mpdata_raw *raw, uint32_t i)
{
    const struct mpdata_raw_context *const c = &raw->contexts[i];

    return i != 0 && (c->flags & MPROF_RAW_CONTEXT_FL_LIVE) != 0 &&
           (c[-1].flags & MPROF_RAW_CONTEXT_FL_LIVE) == 0 &&
           c[-1].node == c->node && c[-1].thread == c->thread;
}

void mpdata_raw_drop_live(struct mpdata_raw *raw)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < raw->context_count; i++) {
        if ((raw->contexts[i].flags & MPROF_RAW_CONTEXT_FL_LIVE) == 0)
            raw->contexts[kept++] = raw->contexts[i];
    }
    raw->context_count = kept;
    raw->stack_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < raw->tagged_count; i++) {
        if ((raw->tagged_rows[i].flags & MPROF_RAW_CONTEXT_FL_LIVE) == 0)
            raw->tagged_rows[kept++] = raw->tagged_rows[i];
    }
    raw->tagged_count = kept;
    raw->has_live = false;
    raw->has_no_peak = true;
    raw->series.sample_count = raw->series.mark_count = 0;
    raw->numbers[MPROF_RAW_META_IS_PEAK_BYTES] = 0;
    raw->numbers[MPROF_RAW_META_IS_PEAK_NS] = 0;
}

struct mpdata_cells mpdata_raw_cells(const struct mpdata_raw *raw, uint32_t i)
{
    const struct mpdata_raw_context *const c = &raw->contexts[i];

    if (!c->has_cells)
        return MPDATA_CELLS_NONE;
    return mpdata_cells_of(raw->cell_words, c->cells_first, c->cells_count);
}

void mpdata_raw_free(struct mpdata_raw *raw)
{
    free(raw->modules);
    free(raw->segments);
    free(raw->frames);
    free(raw->frame_names);
    free(raw->nodes);
    free(raw->contexts);
    free(raw->blocks);
    free(raw->mibs);
    free(raw->cell_words);
    free(raw->details);
    free(raw->series.samples);
    free(raw->series.marks);
    free(raw->strings);
    free(raw->string_table);
    free(raw->mib_columns);
    mpdata_section_close(&raw->mib_section);
    free(raw->tagged_rows);
    free(raw->tagged_mibs);
    free(raw->tagged_columns);
    mpdata_section_close(&raw->tagged_section);
    *raw = (struct mpdata_raw){.modules = NULL};
}

void *mpdata_raw_array(uint64_t count, size_t item_bytes)
{
    if (count >= UINT32_MAX)
        return NULL;
    return calloc((size_t)count + 1, item_bytes);
}
