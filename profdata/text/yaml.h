/* yaml.h -- profiles as text: LLVM's YAML, and ours, which loses nothing.
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
 * Ours is in text_write.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_YAML_H
#define MPDATA_YAML_H

#include "profdata/model/profile.h"

struct mpdata_counters;
struct mpdata_data_access;
struct mpdata_llvm_sites;

/* Where a file's parts go; all borrowed. All but the profile must be empty. */
struct mpdata_yaml_parts {
    struct mpdata_profile *profile;
    struct mpdata_counters *counters;
    struct mpdata_data_access *data_access;
    struct mpdata_llvm_sites *sites;
    /* Counters that the file's must fit (counters.h), or NULL. */
    const struct mpdata_counters *fit;
};

/* Reads the text data[0..size). A file that is refused leaves the profile as it
 * was. A text of LLVM's counts as a run of kind MPROF_RUN_INDEXED, its id a
 * hash of the text. diag may be NULL. */
MPROF_NODISCARD enum mprof_err
mpdata_yaml_read(const void *data, size_t size,
                 const struct mpdata_yaml_parts *parts,
                 struct mprof_diag *diag);

#endif
