/* verdict.h -- which call stacks allocate what is cold, which what is hot, and
 * why: judged against the rest of the profile, so that a run of a second and
 * one of a day are judged alike.
 *
 * What competes for caches and pages is what lives long: a block that is gone
 * at once gives its place to the next. So call stacks are compared with each
 * other by what their blocks occupy, bytes times the time that they lived, and
 * by the accesses to them beyond those that fill a block once. docs/explain.md
 * has the rule in words, docs/decisions/0041-verdicts.md why it is this one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_VERDICT_H
#define MPDATA_VERDICT_H

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

/* X(ID, name, verdict, sentence): why it is so. */
#define MPDATA_VERDICT_REASONS(X)                                              \
    X(NOT_MEASURED, "not-measured", NOT_MEASURED,                              \
      "accesses were not measured")                                            \
    X(NOT_ALL_SEEN, "not-all-seen", NOT_MEASURED,                              \
      "it was accessed by what does not count")                                \
    X(NO_LIFETIME, "no-lifetime", NOT_MEASURED, "lifetimes were not measured") \
    X(TEMPORARY, "temporary", NONE, "its blocks live a short time")            \
    X(AVERAGE, "average", NONE,                                                \
      "it is accessed as other blocks are that live long")                     \
    X(BIG, "big", NONE,                                                        \
      "its blocks are so large that they have pages of their own")             \
    X(RISK, "risk", NONE,                                                      \
      "with what is colder it would take too many accesses along")             \
    X(FEW_ACCESSES, "few-accesses", NONE,                                      \
      "it is accessed often, but has few of all accesses")                     \
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

/* X(ID, name): by what is judged. FITTING is ours; LLVM is model/hotness.h,
 * which knows cold only. The names are those of the plugin's -memprof-hints. */
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

/* Of a call stack. What is not known is 0. */
struct mpdata_verdict {
    enum mpdata_verdict_kind kind;
    enum mpdata_verdict_reason reason;
    bool has_accesses; /* were they measured? */
    bool has_lifetime; /* likewise */
    uint64_t blocks;   /* allocated */
    uint64_t bytes;    /* likewise */
    uint64_t accesses; /* to all its blocks, as counted */
    /* That lived at a time, averaged over the runs; estimated by the blocks'
     * average size. */
    double resident_bytes;
    double resident_share;    /* of all call stacks' */
    double access_share;      /* of all accesses that were counted */
    double life_share;        /* average lifetime, of an average run */
    double accesses_per_byte; /* in a block's life */
    /* Accesses beyond filling for each byte and second, in terms of what blocks
     * that live long have on average: 1 is as often as these. */
    double heat;
    uint64_t saved_bytes; /* of cold: resident bytes that leave the others'
                             pages */
};

struct mpdata_verdicts {
    struct mpdata_verdict *rows; /* by context of the profile */
    uint32_t count;
    enum mpdata_verdict_rule rule;
    double run_ns;         /* an average run; 0: not known */
    double resident_bytes; /* of all call stacks */
    uint64_t accesses;     /* of all */
};

/* X(ID, member, is_whole, known, help): the numbers behind a verdict, by the
 * names that JSON has for them.
 *   is_whole  a number without a fraction
 *   known     where it is: is_KNOWN() of verdict.c */
#define MPDATA_VERDICT_NUMBERS(X)                                            \
    X(RESIDENT_BYTES, resident_bytes, true, in_time,                         \
      "bytes that lived at a time, averaged over the run")                   \
    X(RESIDENT_SHARE, resident_share, false, in_time,                        \
      "the same as a share of what all call stacks have")                    \
    X(LIFE_SHARE, life_share, false, in_time,                                \
      "average lifetime as a share of an average run")                       \
    X(ACCESS_SHARE, access_share, false, accessed, "share of all accesses")  \
    X(ACCESSES_PER_BYTE, accesses_per_byte, false, accessed,                 \
      "accesses for each byte")                                              \
    X(HEAT, heat, false, compared,                                           \
      "accesses beyond filling, for each byte and second, in terms of what " \
      "lives long: 1 is its average")                                        \
    X(SAVED_BYTES, saved_bytes, true, cold,                                  \
      "bytes that a hint keeps off the pages of others")

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

/* Without its fraction; saturates, as numbers of damaged files are any. */
static inline uint64_t mpdata_verdict_whole(double number)
{
    return number < 1e18 ? (uint64_t)number : UINT64_C(1000000000000000000);
}

/* A number behind a verdict; false where it is not known. */
bool mpdata_verdict_number(const struct mpdata_verdict *verdict,
                           enum mpdata_verdict_number which, double *value);

/* Judges all call stacks of a profile; fini is due either way. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_verdict_make(struct mpdata_verdicts *verdicts,
                    const struct mpdata_profile *profile,
                    enum mpdata_verdict_rule rule);
void mpdata_verdict_fini(struct mpdata_verdicts *verdicts);

/* Puts another verdict in the place of a context's. */
void mpdata_verdict_set(struct mpdata_verdicts *verdicts, uint32_t context,
                        enum mpdata_verdict_reason reason);

#endif
