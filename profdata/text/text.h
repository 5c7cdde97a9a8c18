/* text.h -- profiles as text: LLVM's YAML, and JSON, which loses nothing; PGO
 * counters as LLVM's text (counters_text.h).
 *
 * LLVM's form, as llvm-profdata prints and reads it:
 *   HeapProfileRecords:
 *     - GUID: NUMBER or NAME
 *       AllocSites:
 *         - Callstack: [{Function: NUMBER or NAME, LineOffset, Column,
 *                        IsInlineFrame}, ...], leaf first
 *           MemInfoBlock: {FIELD: NUMBER, ...}
 *       CallSites:
 *         - Frames: [...]
 *           CalleeGuids: [NUMBER or NAME, ...]
 *   DataAccessProfiles:
 *     SampledRecords:
 *       - Symbol: NAME (or Hash: NUMBER)
 *         AccessCount: NUMBER
 *         Locations: [{FileName, Line}, ...]
 *     KnownColdSymbols: [NAME, ...]
 *     KnownColdStrHashes: [NUMBER, ...]
 * JSON is described in json_keys.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_TEXT_H
#define MPDATA_TEXT_H

#include "profdata/model/content.h"

/* Adds the text data[0..size), JSON where it starts with '{', to *into, which
 * stays as it was where the file is refused, also because its counters do not
 * fit. A YAML text counts as a run of kind MPROF_RUN_INDEXED, its id a
 * hash of the text. diag may be NULL. */
MPROF_NODISCARD enum mprof_err mpdata_text_read(const void *data, size_t size,
                                                struct mpdata_content *into,
                                                struct mprof_diag *diag);

#endif
