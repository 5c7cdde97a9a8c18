/* index_options.h -- how an indexed file is written: LLVM's part and ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INDEX_OPTIONS_H
#define MPDATA_INDEX_OPTIONS_H

#include "shared/base.h"

/* Zeroed: the defaults. */
struct mpdata_index_options {
    /* Version of LLVM's memprof section: 2, 3 or 4; 0 stands for
     * MPROF_MEMPROF_VERSION. UNSUPPORTED for others. LLVM 19 reads up to 3;
     * others than 4 cannot hold callees of calls. */
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
};

#endif
