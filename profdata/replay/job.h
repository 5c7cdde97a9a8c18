/* job.h -- what memprofdata and memprofdata-replay share: the calls of a log in
 * a file without a name, and what the replay measured.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

#define MPDATA_REPLAY_VERSION 2u
#define MPDATA_REPLAY_SAMPLES_MAX 256u
#define MPDATA_REPLAY_PATH_BYTES 1024u

/* A call is a word: a slot, and above it what happens to it. The last three are
 * followed by a word with the size; OF_KIND has above it the kind of the block
 * and whether realloc() makes it. */
#define MPDATA_REPLAY_SLOT_BITS 32
#define MPDATA_REPLAY_FREE 0u
#define MPDATA_REPLAY_SIZE_MAX 0xfffffffcu /* of size + 1 */
#define MPDATA_REPLAY_OF_KIND 0xfffffffdu
#define MPDATA_REPLAY_REALLOC 0xfffffffeu
#define MPDATA_REPLAY_LARGE 0xffffffffu

#define MPDATA_REPLAY_SIZE_BITS 48
#define MPDATA_REPLAY_KINDS 8u
#define MPDATA_REPLAY_REALLOC_BIT (UINT64_C(1) << 63)

/* What is done to blocks of a kind. */
struct mpdata_replay_kind {
    uint64_t from, to;   /* multiples of `from` bytes become those of `to`; 0 */
    uint32_t hint;       /* for the allocator (inc/memprof_hints.h), or 0 */
    uint32_t is_counted; /* its pages and cache lines at the peak */
};

struct mpdata_replay_sample {
    uint64_t calls; /* that were made before; set for the replay */
    uint64_t live_bytes;
    uint64_t resident_bytes;
};

enum mpdata_replay_state {
    MPDATA_REPLAY_NOT_RUN,
    MPDATA_REPLAY_DONE,
    MPDATA_REPLAY_OTHER_LIBRARY, /* malloc is of `library` */
    MPDATA_REPLAY_NO_MEMORY,     /* for a block of `failed_bytes` */
};

struct mpdata_replay_result {
    uint32_t state; /* enum mpdata_replay_state */
    uint32_t sample_count;
    uint64_t ns;
    uint64_t start_bytes; /* resident before the first call */
    uint64_t allocs;
    uint64_t frees;
    uint64_t reallocs;
    uint64_t failed_bytes;
    uint64_t pages; /* with counted blocks, at the peak */
    uint64_t lines; /* likewise, of the cache */
    char library[MPDATA_REPLAY_PATH_BYTES]; /* of malloc */
    struct mpdata_replay_sample samples[MPDATA_REPLAY_SAMPLES_MAX];
};

/* The file. */
struct mpdata_replay_job {
    uint32_t version;
    uint32_t slots;
    uint64_t calls;
    struct mpdata_replay_kind kinds[MPDATA_REPLAY_KINDS]; /* [0]: of no kind */
    uint64_t peak_sample; /* the moment at the peak */
    struct mpdata_replay_result result;
    uint64_t words[];
};
