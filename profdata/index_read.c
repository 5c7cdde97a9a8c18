/* index_read.c -- which reader an indexed file is for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index_read.h"
#include "profdata/index_ext_read.h"
#include "profdata/index_llvm_read.h"
#include "shared/cursor.h"
#include "shared/index_llvm.h"

bool mpdata_index_is(const void *data, size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);

    return mprof_cursor_u64(&c) == MPROF_INDEX_MAGIC;
}

/* Is it one of ours that was cut where our part starts? */
static bool is_cut(const void *data, size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, NULL);

    mprof_cursor_seek(&c, MPROF_INDEX_HEADER_UNUSED_OFF);
    return mprof_cursor_u64(&c) != 0 && c.err == MPROF_E_OK;
}

enum mprof_err mpdata_index_read(const void *data, size_t size,
                                 bool verify_checksums,
                                 struct mpdata_profile *into,
                                 struct mprof_diag *diag)
{
    uint64_t dir_off;

    if (size == 0)
        return mprof_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
    if (!mpdata_index_is(data, size))
        return mprof_fail(diag, MPROF_E_MAGIC, "index header", 0);
    if (mpdata_index_ext_find(data, size, &dir_off))
        return mpdata_index_ext_read(data, size, dir_off, verify_checksums,
                                     into, diag);
    if (is_cut(data, size))
        return mprof_fail(diag, MPROF_E_TRUNCATED, "index directory", size);
    return mpdata_index_llvm_read(data, size, into, diag);
}
