/* index_read.c -- which reader an indexed file is for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_read.h"
#include "profdata/index/index_ext_read.h"
#include "profdata/llvm/index_llvm_read.h"
#include "profdata/llvm/llvm_sites.h"
#include "shared/cursor.h"
#include "shared/index_format.h"

bool mpdata_index_is(const void *data, size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);

    return mprof_cursor_u64(&c) == MPROF_INDEX_MAGIC;
}

/* Is it one of ours that was cut where our part starts? */
static bool is_cut(const void *data, size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);
    struct mprof_index_llvm header;

    mprof_index_llvm_read(&header, &c);
    return header.llvm_bytes != 0 && c.err == MPROF_E_OK;
}

/* Is there a context in one of our files whose records only LLVM's part has? */
static enum mprof_err find_listed(const void *data, size_t size,
                                  uint64_t dir_off, bool verify_checksums,
                                  bool *is_listed, struct mprof_diag *diag)
{
    struct mprof_dir dir;
    enum mprof_err err =
        mprof_dir_read(&dir, data, size, dir_off, MPROF_INDEX_EXT_MAGIC,
                       MPROF_INDEX_EXT_VERSION_MIN, MPROF_INDEX_EXT_VERSION,
                       verify_checksums, "index directory", diag);

    *is_listed =
        err == MPROF_E_OK && mprof_dir_find(&dir, MPROF_INDEX_LISTED) != NULL;
    return err;
}

static enum mprof_err read_ours(const void *data, size_t size, uint64_t dir_off,
                                bool verify_checksums,
                                struct mpdata_profile *into,
                                struct mpdata_llvm_sites *sites,
                                struct mprof_diag *diag)
{
    struct mpdata_llvm_sites listed;
    bool is_listed = false;
    enum mprof_err err = MPROF_E_OK;

    mpdata_llvm_sites_init(&listed);
    if (sites != NULL)
        err = find_listed(data, size, dir_off, verify_checksums, &is_listed,
                          diag);
    if (err == MPROF_E_OK && is_listed)
        err = mpdata_index_llvm_sites(data, size, &listed, diag);
    if (err == MPROF_E_OK)
        err = mpdata_index_ext_read(data, size, dir_off, verify_checksums, into,
                                    diag);
    if (err == MPROF_E_OK && is_listed) {
        err = mpdata_llvm_sites_merge(sites, &listed);
        if (err != MPROF_E_OK)
            mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    }
    mpdata_llvm_sites_fini(&listed);
    return err;
}

enum mprof_err mpdata_index_read_sites(const void *data, size_t size,
                                       bool verify_checksums,
                                       struct mpdata_profile *into,
                                       struct mpdata_llvm_sites *sites,
                                       struct mprof_diag *diag)
{
    uint64_t dir_off;

    if (size == 0)
        return mprof_err_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
    if (!mpdata_index_is(data, size))
        return mprof_err_fail(diag, MPROF_E_MAGIC, "index header", 0);
    if (mpdata_index_ext_find(data, size, &dir_off))
        return read_ours(data, size, dir_off, verify_checksums, into, sites,
                         diag);
    if (is_cut(data, size))
        return mprof_err_fail(diag, MPROF_E_TRUNCATED, "index directory", size);
    return mpdata_index_llvm_read(data, size, into, sites, diag);
}

enum mprof_err mpdata_index_read(const void *data, size_t size,
                                 bool verify_checksums,
                                 struct mpdata_profile *into,
                                 struct mprof_diag *diag)
{
    return mpdata_index_read_sites(data, size, verify_checksums, into, NULL,
                                   diag);
}
