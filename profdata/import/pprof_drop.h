/* pprof_drop.h -- the frames that a profile asks readers to leave out: those of
 * the allocator, whose functions one regular expression fits and another, if
 * there is one, does not.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PPROF_DROP_H
#define MPDATA_PPROF_DROP_H

#include "profdata/base/str.h"
#include "shared/err.h"

struct mpdata_pprof_drop; /* NULL: nothing is left out */

/* Compiles both, of which "" is none. Errors: NOMEM, UNSUPPORTED (not a regular
 * expression that we know; `text` says why); then *drop is NULL. */
MPROF_NODISCARD enum mprof_err
mpdata_pprof_drop_new(struct mpdata_pprof_drop **drop, struct mpdata_str drops,
                      struct mpdata_str keeps, char *text, size_t text_size);
void mpdata_pprof_drop_free(struct mpdata_pprof_drop *drop);

/* Does the function, whose whole name is asked, go? Errors: NOMEM; UNSUPPORTED,
 * where finding out would take too long. */
MPROF_NODISCARD enum mprof_err
mpdata_pprof_drop_fits(struct mpdata_pprof_drop *drop, struct mpdata_str name,
                       bool *is_dropped);

#endif
