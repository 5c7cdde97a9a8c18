/* verdict.h -- which call stacks allocate cold blocks, which hot ones, and why.
 * Call stacks are compared with the rest of the profile, so that short and long
 * runs are judged alike.
 *
 * Long-lived blocks compete for caches and pages; a short-lived block soon
 * leaves its place to the next. So the comparison uses the residence of blocks,
 * bytes times lifetime, and the accesses beyond those that fill a block once.
 * docs/explain.md explains the rule, docs/decisions/0041-verdicts.md its
 * choice.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/json_out.h"
#include "profdata/model/profile.h"

/* X(ID, word) */
#define MPDATA_VERDICTS(X) \
    X(NONE, "none")        \
    X(COLD, "cold")        \
    X(HOT, "hot")          \
    X(NOT_MEASURED, "not-measured")

enum mpdata_verdict_kind {
#define X(id, word) MPDATA_VERDICT_##id,
    MPDATA_VERDICTS(X)
#undef X
        MPDATA_VERDICT_KINDS
};

/* By enum mpdata_verdict_kind. */
extern const char *const mpdata_verdict_words[MPDATA_VERDICT_KINDS];

/* X(ID, name, verdict, sentence): reasons of verdicts. */
#define MPDATA_VERDICT_REASONS(X)                                              \
    X(NOT_MEASURED, "not-measured", NOT_MEASURED,                              \
      "accesses were not measured")                                            \
    X(NOT_ALL_SEEN, "not-all-seen", NOT_MEASURED,                              \
      "code that does not count accesses may have accessed it")                \
    X(NO_LIFETIME, "no-lifetime", NOT_MEASURED, "lifetimes were not measured") \
    X(UNSURE, "unsure", NONE,                                                  \
      "the standard error of its accesses is too large to tell")               \
    X(TEMPORARY, "temporary", NONE,                                            \
      "its blocks are short-lived, compared with an average run")              \
    X(AVERAGE, "average", NONE,                                                \
      "it is accessed about as often as other long-lived blocks")              \
    X(BIG, "big", NONE,                                                        \
      "its blocks are so large that they share no page with others")           \
    X(PIECEMEAL, "piecemeal", NONE,                                            \
      "it is freed block by block, which would leave its own pages half "      \
      "empty")                                                                 \
    X(RISK, "risk", NONE,                                                      \
      "it and all colder call stacks together have too many accesses")         \
    X(FEW_ACCESSES, "few-accesses", NONE,                                      \
      "it is accessed often, but has a small share of all accesses")           \
    X(COLD, "cold", COLD, "it lives long and is hardly accessed")              \
    X(HOT, "hot", HOT, "it lives long and is accessed far more than others")   \
    X(LLVM_COLD, "llvm-cold", COLD, "LLVM's thresholds call it cold")          \
    X(LLVM_NOT_COLD, "llvm-not-cold", NONE,                                    \
      "LLVM's thresholds do not call it cold")                                 \
    X(LISTED_COLD, "listed-cold", COLD, "the list of hints says so")           \
    X(LISTED_HOT, "listed-hot", HOT, "the list of hints says so")              \
    X(LISTED_NONE, "listed-none", NONE, "the list of hints says so")

enum mpdata_verdict_reason {
#define X(id, name, verdict, sentence) MPDATA_REASON_##id,
    MPDATA_VERDICT_REASONS(X)
#undef X
        MPDATA_VERDICT_REASON_COUNT
};

struct mpdata_verdict_reason_row {
    const char *name;
    const char *sentence;
    enum mpdata_verdict_kind kind;
};

/* By enum mpdata_verdict_reason. */
extern const struct mpdata_verdict_reason_row
    mpdata_verdict_reasons[MPDATA_VERDICT_REASON_COUNT];

/* X(ID, name): rules. FITTING is ours; LLVM is model/hotness.h, which knows
 * cold only. The names are those of the plugin's -memprof-hints. */
#define MPDATA_VERDICT_RULES(X) \
    X(FITTING, "auto")          \
    X(LLVM, "llvm")

enum mpdata_verdict_rule {
#define X(id, name) MPDATA_VERDICT_##id,
    MPDATA_VERDICT_RULES(X)
#undef X
        MPDATA_VERDICT_RULE_COUNT
};

/* By enum mpdata_verdict_rule. */
extern const char *const mpdata_verdict_rule_names[MPDATA_VERDICT_RULE_COUNT];

/* The verdict on a call stack. Unknown values are 0. */
struct mpdata_verdict {
    enum mpdata_verdict_kind kind;
    enum mpdata_verdict_reason reason;
    bool has_accesses; /* were accesses measured? */
    bool has_lifetime; /* were lifetimes measured? */
    bool is_long;      /* do the blocks live long? */
    uint64_t blocks;   /* allocated */
    uint64_t bytes;    /* likewise */
    uint64_t accesses; /* to all its blocks */
    /* Average live bytes over the runs, estimated by the average size. */
    double resident_bytes;
    double resident_share;    /* of all call stacks' resident_bytes */
    double access_share;      /* of all accesses */
    double life_share;        /* average lifetime / average run */
    uint64_t lived_blocks;    /* of a sum: blocks with lifetimes */
    double accesses_per_byte; /* over a block's life */
    /* Accesses beyond filling, per byte and second, relative to the average of
     * long-lived blocks, which is 1. */
    double heat;
    uint64_t saved_bytes; /* resident bytes that a cold hint moves away */
    uint8_t pool;         /* of its blocks (pool_groups.h), from 1; 0: none */
    /* Resident bytes that dense blocks save, which need an alignment of 8 bytes
     * only: the allocator rounds sizes up to multiples of 16. 0 if the blocks
     * would not gain. */
    uint64_t loose_bytes;
};

struct mpdata_verdicts {
    struct mpdata_verdict *rows; /* by context of the profile */
    uint32_t count;
    enum mpdata_verdict_rule rule;
    double run_ns;         /* average duration of a run; 0: unknown */
    double resident_bytes; /* of all call stacks */
    uint64_t peak_bytes;   /* likewise; 0: unknown */
    uint64_t accesses;     /* of all */
};

/* X(ID, member, is_whole, known, help): the numbers behind a verdict; JSON uses
 * the names of the members.
 *   is_whole  a number without a fraction
 *   known     is_KNOWN() of verdict.c tells whether it is known */
#define MPDATA_VERDICT_NUMBERS(X)                                           \
    X(RESIDENT_BYTES, resident_bytes, true, in_time,                        \
      "live bytes, averaged over the run")                                  \
    X(RESIDENT_SHARE, resident_share, false, in_time,                       \
      "live bytes, as a share of those of all call stacks")                 \
    X(LIFE_SHARE, life_share, false, in_time,                               \
      "average lifetime as a share of an average run")                      \
    X(ACCESS_SHARE, access_share, false, accessed, "share of all accesses") \
    X(ACCESSES_PER_BYTE, accesses_per_byte, false, accessed,                \
      "accesses for each byte")                                             \
    X(HEAT, heat, false, compared,                                          \
      "accesses after filling, per byte and second, relative to the "       \
      "average of long-lived blocks, which is 1")                           \
    X(SAVED_BYTES, saved_bytes, true, cold,                                 \
      "bytes that a hint moves to separate pages")

enum mpdata_verdict_number {
#define X(id, member, is_whole, known, help) MPDATA_VERDICT_NUMBER_##id,
    MPDATA_VERDICT_NUMBERS(X)
#undef X
        MPDATA_VERDICT_NUMBER_COUNT
};

struct mpdata_verdict_number_row {
    const char *name;
    bool is_whole;
};

/* By enum mpdata_verdict_number. */
extern const struct mpdata_verdict_number_row
    mpdata_verdict_numbers[MPDATA_VERDICT_NUMBER_COUNT];

/* Bytes that one access fills. */
#define MPDATA_VERDICT_FILL_BYTES 8

/* Without the fraction; saturates, as damaged files have any numbers. */
static inline uint64_t mpdata_verdict_whole(double number)
{
    return number < 1e18 ? (uint64_t)number : UINT64_C(1000000000000000000);
}

/* A number behind a verdict; false if unknown. */
bool mpdata_verdict_number(const struct mpdata_verdict *verdict,
                           enum mpdata_verdict_number which, double *value);

/* Judges all call stacks of a profile; fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_verdict_make(struct mpdata_verdicts *verdicts,
                    const struct mpdata_profile *profile,
                    enum mpdata_verdict_rule rule);
void mpdata_verdict_fini(struct mpdata_verdicts *verdicts);

/* resident_bytes of the call stacks whose blocks live long and are not cold. */
double mpdata_verdict_busy_bytes(const struct mpdata_verdicts *verdicts);
/* Does a program compiled with the profile ask for huge pages for all blocks?
 * It does if its busy bytes have many more pages of 4 KiB than a processor's
 * first level has translations (64 to 96), and most of those of the second
 * (1,536 to 2,048). */
bool mpdata_verdict_gains_by_huge_pages(const struct mpdata_verdicts *verdicts);

/* Why a compilation with the profile would gain nothing, if the runs that
 * matter are like the profiled ones; NULL if it may gain, or if this is
 * unknown. The pools must be known (pool_groups.h). */
const char *mpdata_verdict_no_gain(const struct mpdata_verdicts *verdicts);

/* Replaces the verdict of a context. */
void mpdata_verdict_set(struct mpdata_verdicts *verdicts, uint32_t context,
                        enum mpdata_verdict_reason reason);

/* Writes the known numbers of a verdict as members of the open map. */
void mpdata_verdict_json(struct mpdata_json_out *json,
                         const struct mpdata_verdict *verdict);
