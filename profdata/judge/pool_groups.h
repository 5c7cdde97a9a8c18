/* pool_groups.h -- which call stacks' small blocks are used together, so that
 * an allocator should lay them together, in a pool of their own.
 *
 * The evidence is links: blocks that point to blocks that were allocated at
 * about the same time (MPROF_DETAIL_LINK). Links alone say nothing of use, and
 * accesses alone nothing of neighbours; a link counts for as many accesses as
 * both ends have. Few blocks that are accessed often need no links: those of
 * many call stacks together are a group. docs/explain.md explains the rules.
 *
 * Call stacks that differ only in how often they recurse count as one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/judge/verdict.h"

/* inc/memprof_hints.h has as many. */
#define MPDATA_POOLS_MAX 31

/* X(ID, name, sentence): why a group gets a pool, or not. */
#define MPDATA_POOL_GROUP_REASONS(X)                                         \
    X(GAIN, "gain",                                                          \
      "its blocks are used together and lie among others: a pool keeps them" \
      " together")                                                           \
    X(FEW_BLOCKS, "few-blocks",                                              \
      "its few blocks are accessed often and lie among others: a pool lays"  \
      " them side by side")                                                  \
    X(FEW_ACCESSES, "few-accesses",                                          \
      "nothing to gain: it has a small share of all accesses")               \
    X(SMALL, "small",                                                        \
      "nothing to gain: its blocks fit into a core's first cache anyway")    \
    X(ALONE, "alone",                                                        \
      "nothing to gain: hardly any other small blocks lie among its own")    \
    X(TOO_MANY, "too-many", "no pool is left: other groups have more accesses")

enum mpdata_pool_group_reason {
#define X(id, name, sentence) MPDATA_POOL_GROUP_##id,
    MPDATA_POOL_GROUP_REASONS(X)
#undef X
        MPDATA_POOL_GROUP_REASON_COUNT
};

struct mpdata_pool_group_reason_row {
    const char *name;
    const char *sentence;
};

/* By enum mpdata_pool_group_reason. */
extern const struct mpdata_pool_group_reason_row
    mpdata_pool_group_reasons[MPDATA_POOL_GROUP_REASON_COUNT];

struct mpdata_pool_group {
    enum mpdata_pool_group_reason reason;
    uint8_t pool;   /* 1 to MPDATA_POOLS_MAX; 0: none */
    uint32_t first; /* in mpdata_pool_groups.contexts, most bytes first */
    uint32_t count;
    uint64_t blocks;
    double resident_bytes;
    double small_share;  /* of the bytes of all small long-lived blocks */
    double access_share; /* of all accesses */
    double weight;       /* accesses that links explain */
    bool is_shared;      /* its calls make blocks for another pool or none */
};

struct mpdata_pool_groups {
    struct mpdata_pool_group *rows; /* owned; largest weight first */
    uint32_t count;
    uint32_t *contexts; /* owned */
    bool has_links;     /* links were recorded */
};

/* Groups the call stacks of a canonical profile and sets the pools of their
 * verdicts, which may come from a list of hints. Fini is due either way.
 * Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_pool_groups_make(struct mpdata_pool_groups *groups,
                        const struct mpdata_profile *profile,
                        struct mpdata_verdicts *verdicts);
void mpdata_pool_groups_fini(struct mpdata_pool_groups *groups);
