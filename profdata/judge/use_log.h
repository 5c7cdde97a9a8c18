/* use_log.h -- what compilations used of a profile, added up from their logs
 * (shared/use_log.inc).
 *
 * A module that was compiled again replaces what it said before. In sums a
 * function of several modules counts once, by the worst that became of it, and
 * an allocation call once, by what was said of it last.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_USE_LOG_H
#define MPDATA_USE_LOG_H

#include "profdata/base/vec.h"
#include "shared/err.h"

/* From the best to the worst. */
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

/* What it comes to. */
struct mpdata_use_sums {
    uint64_t functions[MPDATA_USE_STATES];
    uint64_t places; /* calls that the profile knows */
    uint64_t found;  /* of these */
    uint64_t sites[MPDATA_USE_OUTCOMES];
    uint64_t bytes;      /* that all sites allocated */
    uint64_t cold_bytes; /* that got a cold hint */
    uint64_t hot_bytes;  /* that got a hot hint */
    uint64_t lost_bytes; /* cold or hot, and got none */
    uint64_t link_bytes; /* cold or hot, and the link decides */
};

/* Text belongs to the log. */
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
    bool is_replaced; /* it was compiled again */
    struct mpdata_use_sums sums;
};

struct mpdata_use_log {
    struct mpdata_vec texts;     /* char *: what was read */
    struct mpdata_vec modules;   /* struct mpdata_use_module */
    struct mpdata_vec functions; /* struct mpdata_use_function; after finish
                                    those that count, by GUID */
    struct mpdata_vec sites;     /* struct mpdata_use_site; likewise by id */
    struct mpdata_use_sums sums; /* after finish */
    uint64_t replaced;           /* modules; likewise */
    uint64_t bad_line;           /* from 1, after VALUE and VERSION */
    uint64_t cut_line; /* of the file read last, from 1: the last, which is not
                          whole and was passed over; 0: there is none */
};

void mpdata_use_log_init(struct mpdata_use_log *log);
void mpdata_use_log_fini(struct mpdata_use_log *log);

/* Adds the lines of a file, which is later than those before, as far as they
 * are whole. Errors: VALUE for a line that says something else than it should,
 * VERSION, NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_use_log_read(struct mpdata_use_log *log, const char *text, size_t size);

/* Adds up. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_use_log_finish(struct mpdata_use_log *log);

#endif
