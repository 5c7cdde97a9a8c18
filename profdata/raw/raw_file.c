/* raw_file.c -- a file of raw dumps, one after the other: several dumps of a
 * process, or several processes that wrote to one stream.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw.h"
#include "shared/le.h"
#include "shared/raw_llvm.h"

#include <stdlib.h>

bool mpdata_raw_file_add(struct mpdata_raw_file *file,
                         const struct mpdata_raw *raw)
{
    struct mpdata_raw *const more =
        reallocarray(file->dumps, file->count + 1, sizeof(*more));

    if (more == NULL)
        return false;
    file->dumps = more;
    file->dumps[file->count++] = *raw;
    return true;
}

void mpdata_raw_file_free(struct mpdata_raw_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        mpdata_raw_free(&file->dumps[i]);
    free(file->dumps);
    *file = (struct mpdata_raw_file){.dumps = NULL};
}

/* Without a known magic, a dump is of the format of the one before. */
static bool is_llvm(const uint8_t *data, size_t size, bool before)
{
    const uint64_t magic = size >= 8 ? mprof_le_load64(data) : 0;

    return magic == MPROF_RAW_LLVM_MAGIC ||
           (before && magic != MPROF_RAW_MAGIC);
}

/* Reads the dump at data[*at..size) and moves *at past it. */
static enum mprof_err read_next(const uint8_t *data, size_t size,
                                bool verify_checksums,
                                struct mpdata_raw_file *file, size_t *at,
                                struct mprof_diag *diag)
{
    const uint8_t *const dump = data + *at;
    const size_t left = size - *at;
    const bool was_llvm =
        file->count != 0 && file->dumps[file->count - 1].kind == MPROF_RUN_LLVM;
    struct mpdata_raw raw;
    size_t used = 0;
    enum mprof_err err;

    file->dir = (struct mprof_dir){.section_count = 0};
    if (is_llvm(dump, left, was_llvm)) {
        err = mpdata_raw_read_llvm_dump(dump, left, &raw, &used, diag);
    } else {
        err = mpdata_raw_read_dump(dump, left, verify_checksums, &raw,
                                   &file->dir, diag);
        used = (size_t)file->dir.file_bytes;
    }
    if (err == MPROF_E_OK && !mpdata_raw_file_add(file, &raw)) {
        mpdata_raw_free(&raw);
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, 0);
    }
    if (err != MPROF_E_OK && diag->offset != MPROF_DIAG_NO_OFFSET)
        diag->offset += *at;
    *at += used;
    return err;
}

enum mprof_err mpdata_raw_file_read(const uint8_t *data, size_t size,
                                    bool verify_checksums,
                                    struct mpdata_raw_file *file,
                                    struct mprof_diag *diag)
{
    struct mpdata_raw_file read = {.dumps = NULL};
    struct mprof_diag why = {.err = MPROF_E_OK};
    size_t at = 0;
    enum mprof_err err;

    do {
        err = read_next(data, size, verify_checksums, &read, &at, &why);
    } while (err == MPROF_E_OK && at < size);
    if (err == MPROF_E_OK || (read.count != 0 && err != MPROF_E_NOMEM)) {
        read.rest = why;
        *file = read;
        return MPROF_E_OK;
    }
    mpdata_raw_file_free(&read);
    if (diag != NULL)
        *diag = why;
    return err;
}
