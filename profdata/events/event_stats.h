/* event_stats.h -- sums over all events of a log: blocks by time, size and
 * thread, and the moment of the peak.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/base/arena.h"
#include "profdata/events/foreign_log.h"

#define MPDATA_EVENT_SIZES 65u
/* Steps that a caller may ask for; more are refused. */
#define MPDATA_EVENT_STEPS_MAX 1000000u

/* What happened in a step of time: after the end of the step before, up to the
 * end of this one. */
struct mpdata_event_step {
    uint64_t born_blocks;
    uint64_t born_bytes;
    uint64_t ended_blocks;
    uint64_t ended_bytes;
};

struct mpdata_event_thread {
    uint32_t number;
    uint32_t zero;
    uint64_t born_blocks;
    uint64_t born_bytes;
    uint64_t ends; /* of blocks of any thread */
    uint64_t first_ns;
    uint64_t last_ns;
    struct mpdata_str name; /* with per_thread=1: its last one */
};

struct mpdata_event_mark {
    struct mpdata_mark mark; /* but for its name */
    struct mpdata_str name;
};

/* Events of the program with a name. */
struct mpdata_event_told {
    struct mpdata_str name;
    uint64_t count;
    uint64_t weight;
    uint64_t first_ns;
    uint64_t last_ns;
};

/* Members of what a log's traits exclude are 0. */
struct mpdata_event_stats {
    struct mpdata_log_traits traits;
    struct mpdata_event_step sum;
    uint64_t replaced; /* blocks that realloc replaced */
    uint64_t elsewhere;
    uint64_t temporary;
    uint64_t duration_ns;
    uint64_t sample_period;    /* bytes; 0: the log has all blocks */
    struct mpdata_str program; /* its path, or NULL bytes */
    bool has_peak;             /* the log or the steps say when it was */
    uint64_t peak_ns;
    uint64_t peak_bytes;
    uint32_t peak; /* its number, which its blocks have; 0: none */
    struct mpdata_event_step sizes[MPDATA_EVENT_SIZES]; /* 2^(i-1) <= n < 2^i */
    struct mpdata_set threads; /* struct mpdata_event_thread */
    struct mpdata_set names;   /* of call stacks: event_stats.c */
    struct mpdata_set tags;    /* the same of the program's events */
    struct mpdata_set told;    /* struct mpdata_event_told */
    struct mpdata_vec marks;   /* struct mpdata_event_mark, by time */
    struct mpdata_vec changes; /* struct mpdata_log_change, by time */
    struct mpdata_vec steps;   /* struct mpdata_event_step; 0 is the start */
    uint64_t step_ns;
    bool is_whole;
    struct mpdata_arena texts; /* names of another tool's marks */
    struct mprof_diag rest;    /* why reading ended early, or OK */
};

/* Reads the marks, the duration (0: unknown) and the noted peak only. Error:
 * NOMEM, VALUE if nothing can be read. The caller frees *stats in any case. */
MPROF_NODISCARD enum mprof_err
mpdata_event_stats_marks(struct mpdata_event_stats *stats, const uint8_t *data,
                         size_t size, struct mprof_diag *diag);
/* Reads the allocations, in a few thousand steps, and the peak that the log
 * notes; nothing of what ended. Error: as above. */
MPROF_NODISCARD enum mprof_err
mpdata_event_stats_births(struct mpdata_event_stats *stats, const uint8_t *data,
                          size_t size, struct mprof_diag *diag);
/* Reads all. step_ns: length of a step; 0: whatever makes a few thousand.
 * Error: LIMIT for too many steps. */
MPROF_NODISCARD enum mprof_err
mpdata_event_stats_read(struct mpdata_event_stats *stats, const uint8_t *data,
                        size_t size, uint64_t step_ns, struct mprof_diag *diag);
void mpdata_event_stats_fini(struct mpdata_event_stats *stats);
