/* index_options.h -- options for writing an indexed file, LLVM's part and ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Zeroed: the defaults. */
struct mpdata_index_options {
    /* Version of LLVM's memprof section: 2, 3 or 4; 0: MPROF_MEMPROF_VERSION;
     * UNSUPPORTED for others. LLVM 19 reads up to 3. Only 4 can hold callees of
     * calls. */
    uint32_t memprof_version;
    /* Write all of LLVM's fields to LLVM's part, not only the few that the
     * compiler needs. Our sections always have every field. */
    bool full_schema;
    /* Only LLVM's part, like llvm-profdata. */
    bool llvm_only;
    /* Our sections without zstd, so that bytes do not depend on its version. */
    bool uncompressed;
    /* Make contexts of LLVM's part cold at random, to test compilers; the same
     * seed gives the same contexts. */
    bool random_hotness;
    uint64_t random_seed;
};
