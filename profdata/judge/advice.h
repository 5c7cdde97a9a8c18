/* advice.h -- what to change in a program to use less memory or to allocate
 * less often: rules over what was measured of each call stack, summed by
 * allocation site. docs/advise.md describes the rules.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/units.h"
#include "profdata/query/frames.h"
#include "profdata/query/metrics.h"

/* X(ID, name, title, what to do). The first ones, up to SMALL, save memory; a
 * call stack has the first of them that applies, beside LEAKED and DUPLICATES
 * the next one if it saves more, and at most one of the others, which save
 * calls of the allocator and copies. PEAK is only given by
 * mpdata_advice_make_peak(). */
#define MPDATA_ADVICE_KINDS(X)                                                 \
    X(LEAKED, "leaked", "Leaked blocks",                                       \
      "Free each block where its last pointer goes away.")                     \
    X(UNUSED, "never-accessed", "Blocks that are never accessed",              \
      "Leave the allocation out, or make it when it is needed.")               \
    X(UNREAD, "never-read", "Blocks that are written but never read",          \
      "Leave the allocation out, or compute the content when it is needed.")   \
    X(STALE, "stale", "Live blocks that are no longer accessed",               \
      "Free them after their last use, or limit the list or cache that holds " \
      "them.")                                                                 \
    X(DUPLICATES, "duplicates",                                                \
      "Live blocks with the content of another live block",                    \
      "Keep one copy of each content and share it, for example by interning "  \
      "strings.")                                                              \
    X(TAIL, "untouched-tail", "Blocks whose end is never accessed",            \
      "Allocate fewer bytes.")                                                 \
    X(COLD, "cold", "Blocks that live long and are hardly accessed",           \
      "Load or compute the content when it is needed, keep it compressed, "    \
      "allocate less if only a part is used (-memprof-access=fields or "       \
      "-memprof-histogram shows it), "                                         \
      "or build with -fprofile-use, which places such blocks apart from hot "  \
      "ones.")                                                                 \
    X(MEMBERS, "cold-members", "Types with members that are hardly accessed",  \
      "Move these members to a block of their own, which is made when it is "  \
      "needed; fields --propose shows the order.")                             \
    X(SMALL, "many-small", "Many small blocks that live at the same time",     \
      "Allocate them in one array or from an arena if they end together, "     \
      "else from a pool of their size.")                                       \
    X(STEPS, "small-steps", "Blocks that grow in small steps",                 \
      "Reserve the final size, or double the size when it is too small.")      \
    X(SHARED, "shared-lines", "Cache lines that threads take from each other", \
      "Give each thread a block of its own, and what different threads use "   \
      "64 bytes of its own (alignas(64)); or write to it less often.")         \
    X(HANDED, "neighbours", "Small blocks for other threads side by side",     \
      "Align each to 64 bytes (alignas(64)), or let the thread that uses a "   \
      "block allocate it.")                                                    \
    X(COPY, "copy", "Copies that are only read",                               \
      "Read the original, by reference or as a view (std::string_view, "       \
      "std::span), if it stays as it is for so long.")                         \
    X(REPEATED, "repeated-content",                                            \
      "Blocks that are made with the same content again and again",            \
      "Make the content once and keep it.")                                    \
    X(LOCAL, "local",                                                          \
      "Blocks that are freed by the function that allocates "                  \
      "them",                                                                  \
      "Use the stack, or one buffer for all calls of the function.")           \
    X(TEMPORARY, "temporary", "Temporary blocks",                              \
      "Use the stack, or keep one buffer and use it again; a function that "   \
      "returns them can write to a buffer of its caller. Objects that other "  \
      "code may keep can come from a list of freed ones.")                     \
    X(CHURN, "churn",                                                          \
      "Blocks of one size that are allocated and freed again "                 \
      "and again",                                                             \
      "Keep freed ones in a list and take new ones from it.")                  \
    X(CONCAT, "concatenation", "Strings of a script that grow",                \
      "If a text grows piece by piece, keep the pieces in a list and join "    \
      "them once.")                                                            \
    X(PEAK, "at-peak", "Blocks that live at the peak",                         \
      "Free them earlier, make them smaller, or allocate fewer.")

enum mpdata_advice_kind {
#define X(id, name, title, action) MPDATA_ADVICE_##id,
    MPDATA_ADVICE_KINDS(X)
#undef X
        MPDATA_ADVICE_KIND_COUNT
};

struct mpdata_advice_kind_row {
    const char *name;
    const char *title;
    const char *action;
};

/* By enum mpdata_advice_kind. */
extern const struct mpdata_advice_kind_row
    mpdata_advice_kinds[MPDATA_ADVICE_KIND_COUNT];

/* A type with members that are hardly accessed (reorder.h). */
struct mpdata_advice_type {
    const char *name; /* borrowed from the profile; NULL: no such type */
    uint64_t bytes;   /* of an object */
    uint64_t hot_bytes, cold_bytes; /* if it is split, with a pointer */
    double lines_before, lines_split;
    char members[128]; /* names of the cold ones */
};

/* A piece of advice for a site, or of MEMBERS for a type. All numbers are sums
 * over those of its call stacks that it is about. */
struct mpdata_advice_row {
    enum mpdata_advice_kind kind;
    mpdata_ref node;      /* of the site, in its largest call stack */
    uint32_t context;     /* that call stack */
    uint32_t contexts;    /* call stacks */
    uint32_t first;       /* of its mpdata_advice.nodes, one per call stack */
    uint64_t blocks;      /* allocated */
    uint64_t bytes;       /* allocated */
    uint64_t saved_bytes; /* of the advice's whole_bytes */
    uint64_t saved_calls; /* blocks that need not be allocated */
    uint64_t saved_ns;    /* for them, by pair_cost.h; 0: hardly any, unknown */
    /* SHARED, HANDED: accesses that need not wait for another processor. */
    uint64_t saved_accesses;
    /* LEAKED: leaked blocks; TAIL: the first offset that is never accessed;
     * STEPS: bytes that realloc added; SHARED: accesses to 8 bytes that no
     * other thread uses; HANDED, COPY, LOCAL, TEMPORARY: such blocks; CHURN:
     * the most that live at once; MEMBERS: index of mpdata_advice.types; SMALL,
     * PEAK: blocks at the peak; STALE, DUPLICATES, REPEATED: such blocks
     */
    uint64_t number;
    uint64_t idle_ns;  /* of STALE: they were not accessed for so long */
    uint64_t size;     /* of the first call stack's largest block */
    bool has_one_size; /* all blocks have it */
    /* Saved, of whole_bytes, whole_blocks or whole_accesses: the largest one.
     */
    double share;
    /* Of PEAK: another kind that saves memory here; from STEPS on: none. */
    enum mpdata_advice_kind other;
    uint64_t other_bytes;
};

struct mpdata_advice {
    struct mpdata_advice_row *rows; /* owned; largest share first */
    uint32_t count;
    mpdata_ref *nodes; /* owned; of the sites of MEMBERS, which are several */
    struct mpdata_advice_type *types; /* owned */
    bool is_peak;             /* whole_bytes are those at the peak, else all */
    bool is_estimate;         /* blocks were sampled */
    uint64_t whole_bytes;     /* of all call stacks */
    uint64_t allocated_bytes; /* likewise; see mpdata_advice_whole() */
    uint64_t whole_blocks;
    uint64_t whole_accesses;
    uint64_t runs;     /* that were merged */
    uint32_t silenced; /* pieces of advice that silence.h removed */
    uint32_t unplaced; /* call stacks not judged: their line is unknown */
    /* Of mpdata_advice_cut(): the share to save, and what the rows save. */
    double cut_share;
    uint64_t cut_bytes;
};

/* What a user is told about, unless he asks for less or more. */
#define MPDATA_ADVICE_SHARE_MIN 0.01

/* Applies the rules to a canonical profile. Advice that saves less than
 * `share_min` is dropped, but for leaks. What was not measured gives no
 * advice. Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_advice_make(struct mpdata_advice *advice,
                   const struct mpdata_profile *profile,
                   struct mpdata_frame_names *names, double share_min);
void mpdata_advice_fini(struct mpdata_advice *advice);

/* Lists the blocks at the peak instead, as PEAK, by site and the function that
 * calls the site's; none if the peak was not measured. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_advice_make_peak(struct mpdata_advice *advice,
                        const struct mpdata_profile *profile,
                        struct mpdata_frame_names *names);
/* The bytes of which a kind's saved_bytes are a part: CONCAT and STEPS save
 * copies, so theirs are all bytes that were allocated. */
uint64_t mpdata_advice_whole(const struct mpdata_advice *advice,
                             enum mpdata_advice_kind kind);
/* What the row saves of BYTES, BLOCKS or ACCESSES. */
uint64_t mpdata_advice_saved(const struct mpdata_advice_row *row,
                             enum mpdata_metric metric);

/* Keeps the first rows that together save `share` of the bytes at the peak, or
 * all rows if they save less. */
void mpdata_advice_cut(struct mpdata_advice *advice, double share);

/* advice_words.c */

/* Writes what was measured, a sentence. */
#define MPDATA_ADVICE_SENTENCE_BYTES 640
void mpdata_advice_words_sentence(const struct mpdata_advice_row *row,
                                  const struct mpdata_advice *advice,
                                  char text[MPDATA_ADVICE_SENTENCE_BYTES]);
/* "12.0 MiB, 31.2 % of the bytes at the peak". */
struct mpdata_number
mpdata_advice_words_saving(const struct mpdata_advice_row *row,
                           const struct mpdata_advice *advice);
/* ", about 1.2 ms in malloc and free", or nothing. */
struct mpdata_number
mpdata_advice_words_time(const struct mpdata_advice_row *row);
