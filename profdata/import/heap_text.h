/* heap_text.h -- heap profiles as text, of jemalloc (heap_v2/PERIOD, what
 * jeprof reads) and gperftools ("heap profile:", what google-pprof reads):
 * addresses, which are given names as those of raw profiles are.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_HEAP_TEXT_H
#define MPDATA_HEAP_TEXT_H

#include "profdata/raw/raw.h"

/* By the first bytes. */
bool mpdata_heap_text_is(const uint8_t *data, size_t size);

/* Reads the whole file into *file as one dump, of kind FOREIGN or FOREIGN_LIVE.
 * Sampled values are scaled as the tools' own readers do it. What it takes is
 * bounded by the file's size. On failure *file is untouched. Errors: a
 * reader's; UNSUPPORTED for other things than blocks of a heap. */
MPROF_NODISCARD enum mprof_err
mpdata_heap_text_read(const uint8_t *data, size_t size,
                      struct mpdata_raw_file *file, struct mprof_diag *diag);

#endif
