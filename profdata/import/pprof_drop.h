/* pprof_drop.h -- the frames that a profile asks readers to drop: functions of
 * the allocator. Their names match one regular expression (drop_frames) and do
 * not match another (keep_frames).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/str.h"
#include "shared/err.h"

struct mpdata_pprof_drop; /* NULL: drop nothing */

/* Compiles both expressions; "" is none. Errors: NOMEM, UNSUPPORTED for an
 * invalid expression (`text` says why). *drop is NULL then. */
MPROF_NODISCARD enum mprof_err
mpdata_pprof_drop_new(struct mpdata_pprof_drop **drop, struct mpdata_str drops,
                      struct mpdata_str keeps, char *text, size_t text_size);
void mpdata_pprof_drop_free(struct mpdata_pprof_drop *drop);

/* Must the function be dropped? The expressions have to match its whole name.
 * Errors: NOMEM; UNSUPPORTED if a match takes too many steps. */
MPROF_NODISCARD enum mprof_err
mpdata_pprof_drop_fits(struct mpdata_pprof_drop *drop, struct mpdata_str name,
                       bool *is_dropped);
