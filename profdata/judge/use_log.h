/* use_log.h -- how compilations used a profile, summed from their logs
 * (shared/use_log.inc).
 *
 * A recompiled module replaces its earlier entries. In sums, a function in
 * several modules counts once, with its worst state, and an allocation call
 * counts once, with its last outcome.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "shared/err.h"

/* From best to worst. */
enum mpdata_use_state {
#define MPROF_USE_STATE(id, word, help) MPDATA_USE_STATE_##id,
#include "shared/use_log.inc"
    MPDATA_USE_STATES
};

enum mpdata_use_outcome {
#define MPROF_USE_OUTCOME(id, word, help) MPDATA_USE_OUTCOME_##id,
#include "shared/use_log.inc"
    MPDATA_USE_OUTCOMES
};

struct mpdata_use_word {
    const char *word;
    const char *help;
};

extern const struct mpdata_use_word mpdata_use_states[MPDATA_USE_STATES];
extern const struct mpdata_use_word mpdata_use_outcomes[MPDATA_USE_OUTCOMES];

/* Sums of a module or of the log. */
struct mpdata_use_sums {
    uint64_t functions[MPDATA_USE_STATES];
    uint64_t places; /* calls in the profile */
    uint64_t found;  /* of these, calls found in the code */
    uint64_t sites[MPDATA_USE_OUTCOMES];
    uint64_t bytes;      /* allocated by all sites */
    uint64_t cold_bytes; /* with a cold hint */
    uint64_t hot_bytes;  /* with a hot hint */
    uint64_t lost_bytes; /* cold or hot, without a hint */
    uint64_t link_bytes; /* cold or hot; the linker decides */
};

/* Strings belong to the log. */
struct mpdata_use_function {
    uint64_t guid;
    enum mpdata_use_state state;
    uint64_t places;
    uint64_t found;
    const char *name;
    uint32_t module; /* index */
};

struct mpdata_use_site {
    uint64_t id;
    enum mpdata_use_outcome outcome;
    uint64_t stacks;
    uint64_t bytes;
    uint64_t cold_bytes;
    uint64_t hot_bytes;
    const char *callee;
    const char *function;
    const char *place;
    uint32_t module; /* index */
};

struct mpdata_use_module {
    const char *name;
    const char *profile;
    bool is_replaced; /* by a later compilation */
    struct mpdata_use_sums sums;
};

struct mpdata_use_log {
    struct mpdata_vec texts;     /* char *: copies of the files */
    struct mpdata_vec modules;   /* struct mpdata_use_module */
    struct mpdata_vec functions; /* struct mpdata_use_function; after finish by
                                    GUID, only those that count */
    struct mpdata_vec sites;     /* struct mpdata_use_site; likewise, by id */
    struct mpdata_use_sums sums; /* after finish */
    uint64_t replaced;           /* number of replaced modules; after finish */
    uint64_t bad_line;           /* from 1, after VALUE and VERSION */
    uint64_t cut_line; /* incomplete last line of the last file, from 1, which
                        * was skipped; 0: none */
};

void mpdata_use_log_init(struct mpdata_use_log *log);
void mpdata_use_log_fini(struct mpdata_use_log *log);

/* Adds the complete lines of a file, which must be newer than the files before.
 * Errors: VALUE for an invalid line, VERSION, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_use_log_read(struct mpdata_use_log *log, const char *text, size_t size);

/* Computes the sums. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_use_log_finish(struct mpdata_use_log *log);
