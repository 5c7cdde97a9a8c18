/* profile.h -- a memory profile in memory: what every reader builds, what merge
 * works on, what `show` prints and what the indexed writer stores.
 *
 * Glossary, in lines that fit, so that clang-format leaves them alone
 *   frame     one level of a call stack at source level: function, location,
 *             inlined or not; or a bare address in a binary where no name is
 *             known
 *   node      a frame under a parent node. The way up from a node to a root is
 *             a call stack, leaf first; equal stacks are one node (hash-consed)
 *   context   a call stack that allocated, with its MIB and perhaps a histogram
 *   part      a name and a call stack, with an MIB: what a thread of that name
 *             allocated there, or events of that name
 *   run       one dump of one process that went into the profile
 *   ref       index + 1 into one of the arrays; 0 is none
 *
 * Everything belongs to the profile and dies with it. Adding something that is
 * there already returns the old one, so ids compare as the things do. A failed
 * allocation is sticky: later additions return 0 and change nothing, and
 * mpdata_profile_status() says NOMEM; callers check once at the end.
 *
 * Not thread-safe while it is being built; readers of a finished profile may
 * share it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PROFILE_H
#define MPDATA_PROFILE_H

#include "profdata/base/str.h"
#include "profdata/model/cells.h"
#include "profdata/model/packed_mib.h"
#include "profdata/model/series.h"
#include "shared/detail.h"
#include "shared/err.h"
#include "shared/mib.h"

typedef uint32_t mpdata_string; /* index; 0 is "" */
typedef uint32_t mpdata_ref;    /* index + 1; 0 is none */

/* Frames that all call stacks in so many bytes of tables may have in sum. Where
 * a file has them as a tree, a stack takes a few bytes however deep it is; what
 * writes all of them out takes time for each frame. The runtime's are no deeper
 * than 254, those that other tools know may be. */
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
};

struct mpdata_frame {
    uint64_t address;
    mpdata_ref function; /* 0: unknown, then binary and address count */
    mpdata_ref path;
    uint32_t line;
    uint32_t column;
    uint32_t discriminator;
    uint32_t flags; /* MPROF_ENTRY_FL_* */
    mpdata_ref binary;
    /* These tell no frames apart. */
    uint32_t type_bytes;       /* what sizeof says of the type; 0: not known */
    mpdata_string type;        /* that the call here allocates; 0: not known */
    mpdata_string type_fields; /* its fields (shared/type_format.h), or that
                                  there are several sets; 0: not known */
};

struct mpdata_node {
    mpdata_ref parent; /* nodes; always an earlier one */
    uint32_t frame;    /* index into frames */
};

struct mpdata_context {
    mpdata_ref node; /* leaf; 0: a stack of which nothing is known */
    uint32_t flags;  /* MPROF_CONTEXT_FL_* */
    struct mpdata_packed_mib mib; /* mpdata_view_mib() */
    struct mpdata_cells cells;    /* of the MIB's AccessHistogramSize */
};

/* What happened to blocks of a call stack: shared/detail.h. */
struct mpdata_detail {
    mpdata_ref node; /* whose; 0 as in a context */
    uint32_t kind;   /* enum mprof_detail_kind */
    uint32_t key;    /* bucket; or a stack's node, 0: not known */
    uint64_t count;  /* blocks */
    uint64_t bytes;
};

/* What is known of a call stack and a name (shared/part_format.h). */
struct mpdata_part {
    uint32_t kind; /* enum mprof_part_kind */
    mpdata_string name;
    mpdata_ref node; /* leaf; 0: a stack of which nothing is known */
    uint32_t flags;  /* MPROF_CONTEXT_FL_TRUNCATED */
    struct mpdata_packed_mib mib; /* mpdata_view_part_mib() */
};

struct mpdata_binary {
    mpdata_ref path;
    mpdata_string build_id; /* raw bytes */
    uint32_t flags;         /* MPROF_BINARY_FL_*; tell no binaries apart */
};

struct mpdata_run {
    uint64_t run_id;   /* of all dumps of the run, where `dump` is not 0 */
    uint64_t count;    /* times that it was merged */
    uint32_t kind;     /* enum mprof_run_kind */
    uint32_t has_live; /* with the dump's live blocks and its peak */
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
    uint64_t own_time_ns; /* in malloc and related functions, from */
    uint64_t timed_calls; /* so many; 0: not measured */
    uint64_t contexts;
    uint64_t handler_jumps; /* out of signal handlers */
    /* Contexts found by value that were compared with a walk, and those of them
     * that were others. */
    uint64_t context_checks;
    uint64_t context_differences;
    uint64_t peak_bytes; /* alive at most; 0: not measured */
    uint64_t peak_ns;    /* when, since the start; of sums the latest */
    uint64_t sample_period_bytes; /* 0: all blocks were recorded */
    mpdata_ref executable;        /* paths */
    mpdata_string host;
    mpdata_string options;
    mpdata_string tool;
    mpdata_string known_leaks; /* the program's list of suppressions */
    uint32_t epoch;            /* of the dump: shared/raw_format.h */
    uint32_t dump;             /* its number there; 0: not known */
    uint32_t has_other_malloc; /* the program's own; is not recorded */
    uint32_t is_middle;        /* the run went on behind the dump */
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
    const struct mpdata_part *parts;
    const struct mprof_mib *part_bases; /* of the parts' MIBs */
    const struct mpdata_binary *binaries;
    const struct mpdata_run *runs;
    const struct mpdata_detail *details; /* of a canonical one ascending */
    const struct mpdata_series *series;
    uint32_t string_count;
    uint32_t path_count;
    uint32_t function_count;
    uint32_t frame_count;
    uint32_t node_count;
    uint32_t context_count;
    uint32_t part_count;
    uint32_t binary_count;
    uint32_t run_count;
    uint32_t detail_count;
    uint32_t series_count;
};

/* An empty profile, or NULL without memory. Free with mpdata_profile_free(),
 * which accepts NULL. */
struct mpdata_profile *mpdata_profile_new(void);
void mpdata_profile_free(struct mpdata_profile *profile);

/* MPROF_E_OK, or NOMEM after a failed addition, or LIMIT when a table has more
 * rows than an id can name. */
enum mprof_err mpdata_profile_status(const struct mpdata_profile *profile);

struct mpdata_view mpdata_profile_view(const struct mpdata_profile *profile);

/* How many frames the call stack of each node has, by its ref: [0] is 0, of the
 * empty one. malloc'd, the caller frees it; NULL without memory. */
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
static inline struct mprof_mib
mpdata_view_mib_of(const struct mpdata_view *view,
                   const struct mpdata_context *context)
{
    return mpdata_packed_mib_get(&context->mib, view->mib_bases);
}
/* The same of a part. */
static inline struct mprof_mib
mpdata_view_part_mib(const struct mpdata_view *view, uint32_t part)
{
    return mpdata_packed_mib_get(&view->parts[part].mib, view->part_bases);
}
static inline uint64_t mpdata_view_part_field(const struct mpdata_view *view,
                                              uint32_t part, size_t field)
{
    return mpdata_packed_mib_field(&view->parts[part].mib, view->part_bases,
                                   field);
}
/* The MIBs of all contexts as one. */
struct mprof_mib mpdata_profile_totals(const struct mpdata_view *view);

/* Interning. The bytes are copied. */
mpdata_string mpdata_profile_string(struct mpdata_profile *profile,
                                    const void *bytes, size_t size);
/* A path as the system writes it, split at '/'; "" gives 0. Doubled slashes
 * count once; nothing else is normalised. */
mpdata_ref mpdata_profile_path(struct mpdata_profile *profile, const char *path,
                               size_t size);
/* One node of a path tree. */
mpdata_ref mpdata_profile_path_node(struct mpdata_profile *profile,
                                    const struct mpdata_path *path);
mpdata_ref mpdata_profile_function(struct mpdata_profile *profile,
                                   const struct mpdata_function *function);
/* Returns a ref (index + 1), 0 only on failure. Of two types the one that is
 * larger by its bytes stays, so that their order does not matter. */
mpdata_ref mpdata_profile_frame(struct mpdata_profile *profile,
                                const struct mpdata_frame *frame);
mpdata_ref mpdata_profile_node(struct mpdata_profile *profile,
                               mpdata_ref parent, mpdata_ref frame);
/* flags are or-ed. */
mpdata_ref mpdata_profile_binary(struct mpdata_profile *profile,
                                 const struct mpdata_binary *binary);
/* Adds run->count to an equal run (runs.h). */
void mpdata_profile_run(struct mpdata_profile *profile,
                        const struct mpdata_run *run);
/* Merges the MIB into the context of `node` by mprof_mib_merge() and adds the
 * histogram cell by cell; cells stay below mib->AccessHistogramSize. A size
 * without a histogram takes away that of the whole context, because a histogram
 * of a part of the blocks would mislead. flags are or-ed. */
void mpdata_profile_context(struct mpdata_profile *profile, mpdata_ref node,
                            uint32_t flags, const struct mprof_mib *mib,
                            struct mpdata_cells cells);

/* Adds to an equal detail, or a new one. What the MIB alone says of sizes and
 * lifetimes is added by mpdata_profile_context(), where it is said no more by
 * the MIB that comes out. */
void mpdata_profile_detail(struct mpdata_profile *profile,
                           const struct mpdata_detail *detail);

/* Adds the series of a run, if it is one of those that are kept. Names are the
 * profile's. An array that is not there, for want of memory, is a failure. */
void mpdata_profile_series(struct mpdata_profile *profile,
                           const struct mpdata_series *series);
/* Merges the MIB into the part with the kind, name and call stack of *key, of
 * which `mib` does not count; flags are or-ed. */
void mpdata_profile_part(struct mpdata_profile *profile,
                         const struct mpdata_part *key,
                         const struct mprof_mib *mib);

/* Adds all of `from`, as if it were there `weight` times. Merging is
 * associative and commutative: any grouping of the same inputs has the same
 * canonical form.
 */
enum mprof_err mpdata_profile_merge_weighted(struct mpdata_profile *into,
                                             const struct mpdata_profile *from,
                                             uint64_t weight);
/* The same, once. */
enum mprof_err mpdata_profile_merge(struct mpdata_profile *into,
                                    const struct mpdata_profile *from);

/* Adds everything but contexts and parts; to an empty profile, in the same
 * order, so that indexes of nodes and what they refer to stay. */
enum mprof_err mpdata_profile_merge_rest(struct mpdata_profile *into,
                                         const struct mpdata_profile *from);

/* Brings the profile into the one order that index_format.h states, without
 * anything that no context, part, run or binary reaches. Equal content gives
 * equal arrays. Afterwards it may be added to again; after an error it is good
 * for freeing only. */
MPROF_NODISCARD enum mprof_err
mpdata_profile_canonical_in_place(struct mpdata_profile *profile);

/* The path as one string, components joined by '/'; malloc'd (caller frees), or
 * NULL without memory. ref 0 gives "". What a file says may have NULs inside:
 * *size, where it is asked for, has the bytes. */
char *mpdata_profile_path_string(const struct mpdata_profile *profile,
                                 mpdata_ref path, size_t *size);

#endif
