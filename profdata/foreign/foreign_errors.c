/* foreign_errors.c -- the first error of a reader.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/foreign/foreign_errors.h"

void mpdata_foreign_errors_add(struct mpdata_foreign_errors *e,
                               enum mprof_err err, const void *at)
{
    if (e->err == MPROF_E_OK)
        e->err =
            mprof_err_fail(e->diag, err, e->section,
                           at != NULL ? (uint64_t)((const char *)at - e->data)
                                      : MPROF_DIAG_NO_OFFSET);
}

void mpdata_foreign_errors_no_memory(struct mpdata_foreign_errors *e)
{
    if (e->err == MPROF_E_OK)
        e->err =
            mprof_err_fail(e->diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
}

void *mpdata_foreign_errors_push(struct mpdata_foreign_errors *e,
                                 struct mpdata_vec *vec)
{
    void *const row = mpdata_vec_push(vec);

    if (row == NULL)
        mpdata_foreign_errors_no_memory(e);
    return row;
}
