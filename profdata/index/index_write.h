/* index_write.h -- writes a profile as an indexed file: LLVM's part
 * (index_llvm_write.c), our sections after it (index_ext_write.c), and the
 * directory and trailer that make ours found.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_WRITE_H
#define MPDATA_INDEX_WRITE_H

#include "profdata/model/profile.h"
#include "shared/buf.h"
#include "shared/err.h"

struct mpdata_counters;    /* counters.h */
struct mpdata_data_access; /* data_access.h */
struct mpdata_llvm_sites;  /* llvm_sites.h */

struct mpdata_index_options {
    /* Version of LLVM's memprof section: 2, 3 or 4; 0 stands for
     * MPROF_MEMPROF_VERSION. UNSUPPORTED for others. LLVM 19 reads up to 3. */
    uint32_t memprof_version;
    /* LLVM's part with all of LLVM's fields instead of the few that the
     * compiler needs. Our sections always hold every field. */
    bool full_schema;
    /* LLVM's part alone, as llvm-profdata would write it. */
    bool llvm_only;
    /* Our sections as they are, without zstd: bytes that do not depend on the
     * version of libzstd. */
    bool uncompressed;
    /* LLVM's part makes contexts cold or not by chance, to test compilers; the
     * same seed gives the same. */
    bool random_hotness;
    uint64_t random_seed;
    /* PGO counters beside the memory profile, canonical; borrowed; NULL or
     * without is_present: none. */
    const struct mpdata_counters *counters;
    /* What version 4 says of static data, canonical; borrowed; NULL: nothing.
     * Other versions cannot hold it. */
    const struct mpdata_data_access *data_access;
    /* What LLVM's records list beside what follows from call stacks, canonical;
     * borrowed; NULL: nothing. */
    const struct mpdata_llvm_sites *sites;
};

/* Appends the file to *out, which must be empty; its grow function is the
 * caller's (mpdata_heapbuf_init() of heapbuf.h serves). `canonical` must come
 * from mpdata_profile_canonical(). options may be NULL: the defaults. Equal
 * profiles and options give equal bytes. Errors: NOMEM, LIMIT, UNSUPPORTED, and
 * the status of the profile; the contents of *out are then undefined. */
MPROF_NODISCARD enum mprof_err
mpdata_index_write(const struct mpdata_profile *canonical,
                   const struct mpdata_index_options *options,
                   struct mprof_buf *out);

#endif
