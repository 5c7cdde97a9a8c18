/* symcache_encode.c -- symbols as they lie on disk (shared/symcache_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache_encode.h"
#include "profdata/base/heapbuf.h"
#include "profdata/base/section_write.h"
#include "profdata/symbols/symcache_splits.h"
#include "shared/symcache_format.h"

#include <stdlib.h>
#include <string.h>

static int compare_locations(const void *left, const void *right)
{
    const struct mpdata_symbol_location *const a =
        (const struct mpdata_symbol_location *)left;
    const struct mpdata_symbol_location *const b =
        (const struct mpdata_symbol_location *)right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static void encode_key(struct mprof_buf *out, uint64_t key,
                       const struct mpdata_vec *splits)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    mprof_buf_u64(out, key);
    for (uint32_t i = 0; i < splits->count; i++) {
        const size_t size = strlen(rows[i].path);

        mprof_buf_u64(out, rows[i].stamp);
        mprof_buf_u32(out, (uint32_t)size);
        mprof_buf_bytes(out, rows[i].path, size);
    }
}

static bool encode_locations(struct mprof_buf *out,
                             const struct mpdata_symbols *symbols)
{
    const size_t count = symbols->locations.count;
    struct mpdata_symbol_location *const rows =
        (struct mpdata_symbol_location *)mpdata_vec_array(count, sizeof(*rows));

    if (rows == NULL)
        return false;
    if (count != 0)
        memcpy(rows, symbols->locations.data, count * sizeof(*rows));
    qsort(rows, count, sizeof(*rows), compare_locations);
    for (size_t i = 0; i < count; i++) {
        mprof_buf_u64(out, rows[i].address);
        mprof_buf_u32(out, rows[i].first);
        mprof_buf_u32(out, rows[i].count);
        mprof_buf_u32(out, rows[i].source);
    }
    free(rows);
    return !out->failed;
}

static void encode_frames(struct mprof_buf *out,
                          const struct mpdata_symbols *symbols)
{
    const struct mpdata_symbol_frame *const rows =
        (const struct mpdata_symbol_frame *)symbols->frames.data;

    for (uint32_t i = 0; i < symbols->frames.count; i++) {
        const struct mpdata_symbol_frame *f = &rows[i];

        mprof_buf_u32(out, f->function);
        mprof_buf_u32(out, f->file);
        mprof_buf_u32(out, f->start_file);
        mprof_buf_u32(out, f->line);
        mprof_buf_u32(out, f->column);
        mprof_buf_u32(out, f->start_line);
        mprof_buf_u32(out, f->discriminator);
    }
}

enum mprof_err mpdata_symcache_encode(const struct mpdata_symbols *symbols,
                                      uint64_t key,
                                      const struct mpdata_vec *splits,
                                      struct mprof_buf *out)
{
    struct mprof_buf parts[MPROF_SYMCACHE_SECTIONS];
    struct mprof_dir dir = {.magic = MPROF_SYMCACHE_MAGIC,
                            .version = MPROF_SYMCACHE_VERSION,
                            .section_count = MPROF_SYMCACHE_SECTIONS};
    enum mprof_err err = MPROF_E_OK;

    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS; i++)
        mpdata_heapbuf_init(&parts[i]);
    encode_key(&parts[0], key, splits);
    if (!encode_locations(&parts[1], symbols))
        err = MPROF_E_NOMEM;
    encode_frames(&parts[2], symbols);
    mprof_buf_bytes(&parts[3], symbols->bytes_size != 0 ? symbols->bytes : "",
                    symbols->bytes_size != 0 ? symbols->bytes_size : 1);
    if (mprof_buf_extend(out, mprof_dir_bytes(MPROF_SYMCACHE_SECTIONS)) == NULL)
        err = MPROF_E_NOMEM;
    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS && err == MPROF_E_OK; i++)
        err = parts[i].failed
                  ? MPROF_E_NOMEM
                  : mpdata_section_write(i + 1, parts[i].data, parts[i].size,
                                         false, out, &dir.sections[i]);
    if (err == MPROF_E_OK) {
        dir.file_bytes = out->size;
        mprof_dir_write(&dir, out->data);
    }
    for (uint32_t i = 0; i < MPROF_SYMCACHE_SECTIONS; i++)
        mpdata_heapbuf_fini(&parts[i]);
    return err;
}
