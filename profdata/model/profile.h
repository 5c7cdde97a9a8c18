/* profile.h -- a memory profile in memory: readers build it, merge adds to it,
 * `show` prints it and the indexed writer stores it.
 *
 * Glossary, in lines that fit, so that clang-format leaves them alone
 *   frame     one level of a call stack at source level: function, location,
 *             inlined or not; or an address in a binary if the name is unknown
 *   node      a frame under a parent node. The path from a node to its root is
 *             a call stack, leaf first; equal stacks are one node (hash-consed)
 *   context   a call stack that allocated, with its MIB and perhaps a histogram
 *   part      a tagged row: a name and a call stack with an MIB, such as the
 *             blocks of threads with that name, or events
 *   run       one dump of one process in the profile
 *   ref       index + 1 into one of the arrays; 0 is none
 *
 * The profile owns everything. Adding an existing thing returns the existing
 * id, so ids can be compared instead of things. A failed allocation is sticky:
 * later additions return 0 and change nothing, and mpdata_profile_status()
 * returns NOMEM; callers check once at the end.
 *
 * Not thread-safe while it is being built; readers of a finished profile may
 * share it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/str.h"
#include "profdata/model/cells.h"
#include "profdata/model/packed_mib.h"
#include "profdata/model/series.h"
#include "shared/resident_format.h"
#include "shared/detail.h"
#include "shared/err.h"
#include "shared/mib.h"

#include <string.h>

typedef uint32_t mpdata_string; /* index; 0 is "" */
typedef uint32_t mpdata_ref;    /* index + 1; 0 is none */

/* Limit of the frames of all call stacks in tables of this size. In a tree of
 * frames, a stack takes a few bytes at any depth, but writing all stacks out
 * takes time for each frame. The runtime's stacks have at most 254 frames, but
 * other tools' may have more. */
static inline uint64_t mpdata_profile_frames_max(uint64_t bytes)
{
    return mprof_add_sat_u64(mprof_mul_sat_u64(bytes, 1024), UINT64_C(1) << 22);
}

struct mpdata_path {
    mpdata_ref parent; /* paths */
    mpdata_string name;
};

struct mpdata_function {
    uint64_t guid;      /* of the name's canonical form */
    mpdata_string name; /* linkage name */
    mpdata_ref path;
    uint32_t line; /* first line; 0 unknown */
    /* Not part of the key: start of the newest run with it; 0: not recorded. */
    uint64_t newest_ns;
};

/* Begins the name of a function that stands for a kind of objects of a virtual
 * machine. */
#define MPDATA_PROFILE_KIND "alloc:"
/* The root that merge --by-build gives each call stack is called this and a
 * build id. */
#define MPDATA_PROFILE_BUILD "build "

static inline bool mpdata_profile_is_kind(const struct mpdata_str *function)
{
    return strncmp(function->bytes, MPDATA_PROFILE_KIND,
                   sizeof(MPDATA_PROFILE_KIND) - 1) == 0;
}

struct mpdata_frame {
    uint64_t address;
    mpdata_ref function; /* 0: unknown; then binary and address count */
    mpdata_ref path;
    uint32_t line;
    uint32_t column;
    uint32_t discriminator;
    uint32_t flags; /* MPROF_ENTRY_FL_* */
    mpdata_ref binary;
    /* Not part of the key: */
    uint32_t type_bytes;       /* sizeof the type; 0: unknown */
    mpdata_string type;        /* allocated by this call; 0: unknown */
    mpdata_string type_fields; /* shared/type_format.h, or a mark for
                                  conflicting ones; 0: unknown */
};

struct mpdata_node {
    mpdata_ref parent; /* nodes; always an earlier one */
    uint32_t frame;    /* index into frames */
};

struct mpdata_context {
    mpdata_ref node;              /* leaf; 0: unknown stack */
    uint32_t flags;               /* MPROF_CONTEXT_FL_* */
    struct mpdata_packed_mib mib; /* mpdata_view_mib() */
    struct mpdata_cells cells;    /* mib.AccessHistogramSize cells */
};

/* Distributions of a call stack's blocks: shared/detail.h. */
struct mpdata_detail {
    mpdata_ref node; /* of the call stack; 0: unknown */
    uint32_t kind;   /* enum mprof_detail_kind */
    uint32_t key;    /* bucket; or a call stack's node, 0: unknown */
    uint64_t count;  /* blocks */
    uint64_t bytes;
};

/* A tagged row: data of a call stack and a name (shared/tag_format.h). */
struct mpdata_tagged {
    uint32_t kind; /* enum mprof_tag_kind */
    mpdata_string name;
    mpdata_ref node;              /* leaf; 0: unknown stack */
    uint32_t flags;               /* MPROF_CONTEXT_FL_TRUNCATED */
    struct mpdata_packed_mib mib; /* mpdata_view_tagged_mib() */
};

struct mpdata_binary {
    mpdata_ref path;
    mpdata_string build_id; /* raw bytes */
    uint32_t flags;         /* MPROF_BINARY_FL_*; not part of the key */
};

struct mpdata_run {
    uint64_t run_id;   /* the same in all dumps of a run with `dump` != 0 */
    uint64_t count;    /* number of times it was merged */
    uint32_t kind;     /* enum mprof_run_kind */
    uint32_t has_live; /* has the dump's live blocks and peak */
    uint64_t pid;
    uint64_t start_ns;
    uint64_t duration_ns;
    uint64_t clock_resolution_ns;
    uint64_t truncated_stacks;
    uint64_t dropped_blocks;
    uint64_t own_memory_bytes;
    uint64_t foreign_frees;
    uint64_t cell_bytes;
    uint64_t stack_depth_max;
    uint64_t own_time_ns; /* in malloc and related functions, measured in */
    uint64_t timed_calls; /* this many calls; 0: not measured */
    uint64_t contexts;
    uint64_t handler_jumps; /* out of signal handlers */
    /* Contexts found by value and checked by a walk; those that differed. */
    uint64_t context_checks;
    uint64_t context_differences;
    uint64_t peak_bytes;          /* most live bytes; 0: not measured */
    uint64_t peak_ns;             /* since the start; in sums the latest */
    uint64_t sample_period_bytes; /* 0: all blocks were recorded */
    uint64_t access_period; /* counted 1/N of accesses, in bursts; 0: all */
    uint64_t bursts;        /* number of these bursts */
    /* Of a log, only blocks that were alive so long after the start, and were
     * allocated after another moment. Both + 1; 0: at any time. */
    uint64_t alive_ns;
    uint64_t after_ns;
    /* What was resident; 0: not known. A sum has that of one of its runs. */
#define Y(X, number, name, member, text) uint64_t member;
    MPROF_RESIDENT(Y, )
#undef Y
    mpdata_ref executable; /* paths */
    mpdata_string host;
    mpdata_string options;
    mpdata_string tool;
    mpdata_string known_leaks; /* the program's list of suppressions */
    uint32_t epoch;            /* of the dump: shared/raw_format.h */
    uint32_t dump;             /* its number in the epoch; 0: unknown */
    uint32_t has_other_malloc; /* the program defines malloc */
    uint32_t is_middle;        /* the run continued after the dump */
};

/* Opaque: profile.c. The arrays are reached through mpdata_profile_view(). */
struct mpdata_profile;

/* All of a profile's arrays, valid until the next addition. */
struct mpdata_view {
    const struct mpdata_str *strings;
    const struct mpdata_path *paths;
    const struct mpdata_function *functions;
    const struct mpdata_frame *frames;
    const struct mpdata_node *nodes;
    const struct mpdata_context *contexts;
    const struct mprof_mib *mib_bases; /* of the contexts' MIBs */
    const struct mpdata_tagged *tagged_rows;
    const struct mprof_mib *tagged_bases; /* of the tagged rows' MIBs */
    const struct mpdata_binary *binaries;
    const struct mpdata_run *runs;
    const struct mpdata_detail *details; /* ascending in a canonical profile */
    const struct mpdata_series *series;
    uint32_t string_count;
    uint32_t path_count;
    uint32_t function_count;
    uint32_t frame_count;
    uint32_t node_count;
    uint32_t context_count;
    uint32_t tagged_count;
    uint32_t binary_count;
    uint32_t run_count;
    uint32_t detail_count;
    uint32_t series_count;
    /* Number of the histograms' cells for each 4 bytes: 2 or 4
     * (shared/raw_format.h); 0: they are of 8 bytes. */
    unsigned unit_cells;
};

/* An empty profile; NULL when out of memory. Free with mpdata_profile_free(),
 * which accepts NULL. */
struct mpdata_profile *mpdata_profile_new(void);
void mpdata_profile_free(struct mpdata_profile *profile);

/* MPROF_E_OK, NOMEM after a failed addition, or LIMIT if a table has more rows
 * than ids can number. */
enum mprof_err mpdata_profile_status(const struct mpdata_profile *profile);

struct mpdata_view mpdata_profile_view(const struct mpdata_profile *profile);

/* Number of frames in the call stack of each node, by ref; [0] is 0, for the
 * empty stack. The caller frees it; NULL when out of memory. */
uint32_t *mpdata_profile_depths(const struct mpdata_view *view);

/* The MIB of a context, and one of its fields by index. */
static inline struct mprof_mib mpdata_view_mib(const struct mpdata_view *view,
                                               uint32_t context)
{
    return mpdata_packed_mib_get(&view->contexts[context].mib, view->mib_bases);
}
static inline uint64_t mpdata_view_mib_field(const struct mpdata_view *view,
                                             uint32_t context, size_t field)
{
    return mpdata_packed_mib_field(&view->contexts[context].mib,
                                   view->mib_bases, field);
}
/* The context's accesses by 8 bytes; initialise a cursor with it. */
#define MPDATA_VIEW_CELLS(view, context)                           \
    {                                                              \
        .rest = (context)->cells, .unit_cells = (view)->unit_cells \
    }
/* Number of these 8 bytes if the MIB's AccessHistogramSize is `cells`. */
static inline uint64_t mpdata_view_cells(const struct mpdata_view *view,
                                         uint64_t cells)
{
    const uint64_t n = 2 * view->unit_cells;

    return n != 0 ? cells / n + (cells % n != 0) : cells;
}
static inline struct mprof_mib
mpdata_view_mib_of(const struct mpdata_view *view,
                   const struct mpdata_context *context)
{
    return mpdata_packed_mib_get(&context->mib, view->mib_bases);
}
/* The same for other tools, whose cells have 8 bytes. */
static inline struct mprof_mib
mpdata_view_mib_of_8_bytes(const struct mpdata_view *view, uint32_t context)
{
    struct mprof_mib mib = mpdata_view_mib(view, context);

    mib.AccessHistogramSize = mpdata_view_cells(view, mib.AccessHistogramSize);
    return mib;
}
/* The same for a tagged row. */
static inline struct mprof_mib
mpdata_view_tagged_mib(const struct mpdata_view *view, uint32_t tagged)
{
    return mpdata_packed_mib_get(&view->tagged_rows[tagged].mib,
                                 view->tagged_bases);
}
static inline uint64_t mpdata_view_tagged_field(const struct mpdata_view *view,
                                                uint32_t tagged, size_t field)
{
    return mpdata_packed_mib_field(&view->tagged_rows[tagged].mib,
                                   view->tagged_bases, field);
}
/* The merged MIBs of all contexts. */
struct mprof_mib mpdata_profile_totals(const struct mpdata_view *view);

/* Copies and interns the bytes. */
mpdata_string mpdata_profile_string(struct mpdata_profile *profile,
                                    const void *bytes, size_t size);
/* Adds a path, split at '/'; "" gives 0. Repeated slashes count once; nothing
 * else is normalised. */
mpdata_ref mpdata_profile_path(struct mpdata_profile *profile, const char *path,
                               size_t size);
/* One node of a path tree. */
mpdata_ref mpdata_profile_path_node(struct mpdata_profile *profile,
                                    const struct mpdata_path *path);
/* An existing function keeps the larger newest_ns. */
mpdata_ref mpdata_profile_function(struct mpdata_profile *profile,
                                   const struct mpdata_function *function);
/* Returns a ref (index + 1), 0 only on failure. If the existing frame has
 * another type, the type that is larger as bytes is kept, so that the order of
 * additions does not matter. */
mpdata_ref mpdata_profile_frame(struct mpdata_profile *profile,
                                const struct mpdata_frame *frame);
mpdata_ref mpdata_profile_node(struct mpdata_profile *profile,
                               mpdata_ref parent, mpdata_ref frame);
/* Flags are or-ed. */
mpdata_ref mpdata_profile_binary(struct mpdata_profile *profile,
                                 const struct mpdata_binary *binary);
/* Adds run->count to an equal run (runs.h). */
void mpdata_profile_run(struct mpdata_profile *profile,
                        const struct mpdata_run *run);
/* Call it before histograms with accesses are added: with unit_cells as in
 * mpdata_view. CELLS, and nothing changes, if those of the profile
 * count otherwise. Histograms without any access fit both. */
MPROF_NODISCARD enum mprof_err
mpdata_profile_take_cells(struct mpdata_profile *profile, unsigned unit_cells);
/* Merges the MIB into the context of `node` by mprof_mib_merge() and adds the
 * histogram cell by cell; cells must be below mib->AccessHistogramSize. A size
 * without a histogram removes the context's histogram, because one of only some
 * blocks would mislead. Flags are or-ed. */
void mpdata_profile_context(struct mpdata_profile *profile, mpdata_ref node,
                            uint32_t flags, const struct mprof_mib *mib,
                            struct mpdata_cells cells);

/* Adds to an equal distribution row, or adds a new one. If a MIB alone
 * determines the buckets of sizes or lifetimes and the merged MIB does not,
 * mpdata_profile_context() adds these rows. */
void mpdata_profile_detail(struct mpdata_profile *profile,
                           const struct mpdata_detail *detail);

/* Adds the series of a run if it is among those that are kept (series.h). Names
 * are strings of the profile. A NULL array is taken for a failed allocation. */
void mpdata_profile_series(struct mpdata_profile *profile,
                           const struct mpdata_series *series);
/* Merges the MIB into the tagged row with the kind, name and call stack of
 * *key; key->mib is ignored. Flags are or-ed. */
void mpdata_profile_tagged(struct mpdata_profile *profile,
                           const struct mpdata_tagged *key,
                           const struct mprof_mib *mib);

/* Adds all of `from`, `weight` times. Merging is associative and commutative:
 * any grouping of the same inputs has the same canonical form. */
enum mprof_err mpdata_profile_merge_weighted(struct mpdata_profile *into,
                                             const struct mpdata_profile *from,
                                             uint64_t weight);
/* The same with weight 1. */
enum mprof_err mpdata_profile_merge(struct mpdata_profile *into,
                                    const struct mpdata_profile *from);

/* Adds everything but contexts and tagged rows. In an empty profile, indices of
 * nodes and of the rows they refer to stay the same. */
enum mprof_err mpdata_profile_merge_rest(struct mpdata_profile *into,
                                         const struct mpdata_profile *from);

/* Adds the call stacks alone. nodes[] receives by context of *from the node of
 * its call stack in *into; 0: the empty one. */
enum mprof_err mpdata_profile_merge_nodes(struct mpdata_profile *into,
                                          const struct mpdata_profile *from,
                                          mpdata_ref *nodes);

/* Brings the profile into canonical order (index_format.h), and drops
 * everything that no context, tagged row, run or binary reaches. Equal content
 * gives equal arrays. More may be added afterwards; after an error the profile
 * may only be freed. */
MPROF_NODISCARD enum mprof_err
mpdata_profile_canonical_in_place(struct mpdata_profile *profile);

/* The path as one string, joined by '/'; malloc'd (caller frees), NULL when out
 * of memory. ref 0 gives "". Paths of files may contain NULs: *size, if not
 * NULL, gets the number of bytes. */
char *mpdata_profile_path_string(const struct mpdata_profile *profile,
                                 mpdata_ref path, size_t *size);
