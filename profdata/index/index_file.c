/* index_file.c -- the parts of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index.h"
#include "shared/index_format.h"
#include "shared/index_llvm.h"

/* Does the file end in our trailer? Then *dir_off is the unchecked offset of
 * the directory. */
static bool find_directory(const struct mpdata_index_file *file,
                           uint64_t *dir_off)
{
    struct mprof_cursor c = mprof_cursor_over(file->data, file->size, 0, NULL);

    if (file->size < MPROF_TRAILER_BYTES)
        return false;
    mprof_cursor_seek(&c, file->size - MPROF_TRAILER_BYTES);
    *dir_off = mprof_cursor_u64(&c);
    return mprof_cursor_u64(&c) == MPROF_INDEX_EXT_MAGIC;
}

/* Is it one of our files, truncated after LLVM's part? */
static bool is_cut(const struct mpdata_index_file *file)
{
    struct mprof_cursor c = mprof_cursor_over(file->data, file->size, 0, NULL);
    struct mprof_index_llvm header;

    mprof_index_llvm_read(&header, &c);
    return header.llvm_bytes != 0 && c.err == MPROF_E_OK;
}

/* LLVM's part must be where LLVM looks for it. */
static enum mprof_err check_llvm(struct mpdata_index_file *file,
                                 uint64_t dir_off, struct mprof_diag *diag)
{
    const char *name = mprof_index_section_name(MPROF_INDEX_LLVM);
    const struct mprof_section *place =
        mprof_dir_find(&file->dir, MPROF_INDEX_LLVM);

    if (place == NULL)
        return mprof_err_fail(diag, MPROF_E_MISSING, name,
                              MPROF_DIAG_NO_OFFSET);
    if (place->offset != 0 || place->codec != MPROF_CODEC_NONE)
        return mprof_err_fail(diag, MPROF_E_VALUE, name, dir_off);
    if (file->verify_checksums &&
        mprof_checksum(file->data, (size_t)place->stored_bytes) !=
            place->checksum)
        return mprof_err_fail(diag, MPROF_E_CHECKSUM, name, place->offset);
    file->llvm_bytes = (size_t)place->stored_bytes;
    return MPROF_E_OK;
}

enum mprof_err mpdata_index_file_is(const void *data, size_t size,
                                    struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);

    if (size == 0)
        return mprof_err_plain(diag, MPROF_E_EMPTY);
    if (mprof_cursor_u64(&c) != MPROF_INDEX_MAGIC)
        return mprof_err_fail(diag, MPROF_E_MAGIC, "index header", 0);
    return MPROF_E_OK;
}

enum mprof_err mpdata_index_file_open(struct mpdata_index_file *file,
                                      const void *data, size_t size,
                                      bool verify_checksums,
                                      struct mprof_diag *diag)
{
    uint64_t dir_off = 0;
    enum mprof_err err = mpdata_index_file_is(data, size, diag);

    *file = (struct mpdata_index_file){.data = (const uint8_t *)data,
                                       .size = size,
                                       .llvm_bytes = size,
                                       .verify_checksums = verify_checksums};
    if (err != MPROF_E_OK)
        return err;
    file->is_ours = find_directory(file, &dir_off);
    if (!file->is_ours && is_cut(file))
        return mprof_err_fail(diag, MPROF_E_TRUNCATED, "index directory", size);
    if (!file->is_ours)
        return MPROF_E_OK;
    err = mprof_dir_read(&file->dir, data, size, dir_off, MPROF_INDEX_EXT_MAGIC,
                         MPROF_INDEX_EXT_VERSION_MIN,
                         MPROF_INDEX_EXT_VERSION_FIELDS, verify_checksums,
                         "index directory", diag);
    return err == MPROF_E_OK ? check_llvm(file, dir_off, diag) : err;
}
