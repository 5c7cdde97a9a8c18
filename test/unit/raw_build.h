/* raw_build.h -- builds raw profiles for unit tests and fuzz seeds: ours from
 * tables of numbers, LLVM's from words.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/base/section.h"
#include "shared/raw_format.h"
#include "shared/raw_llvm.h"
#include "test/unit/table_write.h"

#include <stdlib.h>
#include <string.h>

/* One section as a table of u64: rows[row * tag_count + column]. Rows for which
 * there is no room are as the last one. */
struct raw_table {
    uint32_t id;
    uint32_t tags[8];
    uint32_t tag_count;
    uint64_t rows;
    uint64_t values[32];
    const char *blob; /* with tag 2, of STRINGS */
};

static inline uint64_t raw_table_get(const void *context, uint32_t tag,
                                     uint64_t row)
{
    const struct raw_table *const table = (const struct raw_table *)context;
    uint32_t columns = table->tag_count - (table->blob != NULL ? 1u : 0u);

    row = mprof_min_u64(row, MPROF_ARRAY_LEN(table->values) / columns - 1);
    for (uint32_t i = 0; i < columns; i++) {
        if (table->tags[i] == tag)
            return table->values[row * columns + i];
    }
    return 0;
}

/* A whole file of these sections, which stand in ascending order. Free
 * out->data with mpdata_heapbuf_fini(). */
static inline void raw_build(struct mprof_buf *out,
                             const struct raw_table *const *tables,
                             uint32_t count, bool compress)
{
    struct mprof_dir dir = {.magic = MPROF_RAW_MAGIC,
                            .version = MPROF_RAW_VERSION,
                            .section_count = count};

    mpdata_heapbuf_init(out);
    memset(mprof_buf_extend(out, mprof_dir_bytes(count)), 0,
           mprof_dir_bytes(count));
    for (uint32_t i = 0; i < count; i++) {
        const struct raw_table *const t = tables[i];
        const struct mprof_table_source source = {
            .rows = t->rows,
            .tags = t->tags,
            .tag_count = t->tag_count,
            .get = raw_table_get,
            .context = t,
            .blob_tag = t->blob != NULL ? MPROF_RAW_STRINGS_BYTES : 0,
            .blob = {.data = (const uint8_t *)t->blob,
                     .size = t->blob != NULL ? strlen(t->blob) : 0}};
        struct mprof_buf bytes;

        mpdata_heapbuf_init(&bytes);
        write_table(&bytes, &source);
        if (mpdata_section_write(t->id, bytes.data, bytes.size, compress, out,
                                 &dir.sections[i]) != MPROF_E_OK)
            abort();
        mpdata_heapbuf_fini(&bytes);
    }
    dir.file_bytes = out->size;
    mprof_dir_write(&dir, out->data);
}

/* A dump of LLVM's from its parts as words; the MIB's fields are all `value`
 * but for the size of its histogram. */
struct raw_llvm {
    uint64_t version;
    uint64_t
        segments[16]; /* start, end, base of each; build id is its number */
    uint64_t segment_count;
    uint64_t mibs[8]; /* stack id, value */
    uint64_t mib_count;
    uint64_t buckets;    /* of each MIB's histogram; bucket i counts i + 1 */
    uint64_t stacks[32]; /* id, n, pcs */
    uint64_t stack_words;
    uint64_t stack_count;
};

static inline void raw_llvm_mib(struct mprof_buf *out,
                                const struct raw_llvm *raw, uint64_t value)
{
    const uint32_t max_tag =
        raw->version == 3 ? MPROF_MIB_LLVM_V3_TAG_MAX : MPROF_MIB_LLVM_TAG_MAX;
    const unsigned width = raw->version >= 5 ? 2 : 8;

    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        const struct mprof_mib_field *field = &mprof_mib_fields[i];

        if (field->tag <= max_tag)
            mprof_buf_uint(out,
                           field->tag == MPROF_MIB_TAG_AccessHistogramSize
                               ? raw->buckets
                               : value,
                           field->llvm_width);
    }
    for (uint64_t i = 0; i < raw->buckets; i++)
        mprof_buf_uint(out, i + 1, width);
}

/* Appends the dump to *out, which mpdata_heapbuf_init() prepared. */
static inline void raw_llvm_build(struct mprof_buf *out,
                                  const struct raw_llvm *raw)
{
    const size_t start = out->size;
    size_t mibs;
    size_t stacks;

    mprof_buf_u64(out, MPROF_RAW_LLVM_MAGIC);
    mprof_buf_u64(out, raw->version);
    for (int i = 0; i < 4; i++)
        mprof_buf_u64(out, MPROF_RAW_LLVM_HEADER_BYTES);
    mprof_buf_u64(out, raw->segment_count);
    for (uint64_t i = 0; i < raw->segment_count; i++) {
        for (int k = 0; k < 3; k++)
            mprof_buf_u64(out, raw->segments[3 * i + (uint64_t)k]);
        mprof_buf_u64(out, 20);
        memset(mprof_buf_extend(out, MPROF_RAW_LLVM_BUILD_ID_BYTES), (int)i + 1,
               MPROF_RAW_LLVM_BUILD_ID_BYTES);
    }
    mibs = out->size - start;
    mprof_buf_u64(out, raw->mib_count);
    for (uint64_t i = 0; i < raw->mib_count; i++) {
        mprof_buf_u64(out, raw->mibs[2 * i]);
        raw_llvm_mib(out, raw, raw->mibs[2 * i + 1]);
    }
    mprof_buf_align(out, 8);
    stacks = out->size - start;
    mprof_buf_u64(out, raw->stack_count);
    for (uint64_t i = 0; i < raw->stack_words; i++)
        mprof_buf_u64(out, raw->stacks[i]);
    mprof_buf_patch(out, start + 16, out->size - start, 8);
    mprof_buf_patch(out, start + 32, mibs, 8);
    mprof_buf_patch(out, start + 40, stacks, 8);
}
