/* merge.h -- the state of `memprofdata merge`: filled from its options, then
 * used for reading (merge_load.c) and writing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/cmd/session.h"
#include "profdata/model/index_options.h"
#include "profdata/model/transforms.h"

/* Which unusable inputs make the command fail. */
enum merge_failure_mode {
    MERGE_FAIL_ANY, /* any */
    MERGE_FAIL_ALL, /* only if all are unusable */
    MERGE_FAIL_NEVER
};

struct merge {
    struct session session;
    bool has_inputs; /* inputs were named by options other than operands */
    enum merge_failure_mode failure_mode;
    uint64_t threads;      /* 0: one per processor */
    uint64_t depth_max;    /* 0: no limit */
    unsigned version;      /* of LLVM's memory profile, from the oldest on */
    bool is_text;          /* write JSON */
    bool is_partial;       /* the output is for another merge */
    bool by_build;         /* keep builds of a program apart */
    bool across_builds;    /* lines count from the start of a function */
    bool is_mpi;           /* memprofdata-mpi does the work */
    char *const *argv;     /* of the command */
    uint64_t half_life_ns; /* of --decay; 0: not given */
    const char *key_path;  /* of --hash-names; NULL: not given */
    struct mpdata_file key;
    struct mpdata_privacy privacy;
    struct mpdata_index_options index;
};

/* Reads all inputs into the content of the new profile and prints a summary of
 * them. Returns 0, or an exit status. */
int merge_load(struct merge *m);
