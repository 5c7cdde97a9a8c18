/* heap_text.h -- reads heap profiles as text, of jemalloc (heap_v2/PERIOD, the
 * format of jeprof) and gperftools ("heap profile:", the format of
 * google-pprof). They contain addresses, which are symbolized like those of raw
 * profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/raw/raw.h"

/* Detects the format by the first bytes. */
bool mpdata_heap_text_is(const uint8_t *data, size_t size);

/* Reads the whole file into *file as one dump of kind FOREIGN or FOREIGN_LIVE.
 * Scales sampled values as the tools' own readers do. Memory is bounded by the
 * file's size. On failure *file is unchanged. Errors: those of a reader;
 * UNSUPPORTED if the profile is not of heap blocks. */
MPROF_NODISCARD enum mprof_err
mpdata_heap_text_read(const uint8_t *data, size_t size,
                      struct mpdata_raw_file *file, struct mprof_diag *diag);
