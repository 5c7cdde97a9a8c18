/* memprofdata.h -- reading, merging and writing memory profiles from a program.
 *
 * Link with what `pkg-config --libs memprofdata` says, or -lmemprofdata (and
 * -lzstd -lz -lmd -lyajl -lm -ldl for the static library). Every
 * function that can fail returns 0 for success or one of the error numbers of
 * memprofdata, which never change their meaning, and fills *error, which may be
 * NULL. Nothing is printed and the process is never ended.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MEMPROFDATA_H
#define MEMPROFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MEMPROFDATA_TEXT_BYTES 512
#define MEMPROFDATA_NO_OFFSET UINT64_MAX

/* Numbers that a caller may want to tell apart. */
#define MEMPROFDATA_OK 0
#define MEMPROFDATA_NO_MEMORY 2
#define MEMPROFDATA_NO_MEMORY_PROFILE 15

struct memprofdata_error {
    int number;      /* as returned */
    uint64_t offset; /* bytes from the start of the file, or NO_OFFSET */
    char text[MEMPROFDATA_TEXT_BYTES]; /* a sentence; file and place in it */
};

/* One frame of a call stack. Text belongs to what the frame came from. */
struct memprofdata_frame {
    uint64_t guid;        /* of the function's linkage name; 0: unknown */
    const char *function; /* linkage name; "" where the file has GUIDs only */
    uint32_t line;        /* of the file; 0: unknown, as in LLVM's part */
    uint32_t line_offset; /* from the function's first line */
    uint32_t column;      /* 0: unknown */
    bool is_inline;       /* inlined into the next frame */
};

/* One field of what is known about a context's blocks. */
struct memprofdata_value {
    uint32_t tag;     /* of the field, never changes its meaning */
    const char *name; /* a literal, as in LLVM's MIBEntryDef.inc */
    const char *unit; /* a literal: "bytes", "ns", ... */
    uint64_t value;
};

/* A call stack that allocated. */
struct memprofdata_context {
    const struct memprofdata_frame *frames; /* leaf first */
    size_t frame_count;
    const struct memprofdata_value *values; /* those that were measured */
    size_t value_count;
    /* MEMPROFDATA_NOT_...; 0 also where it is not known, as in LLVM's part */
    uint32_t unseen;
};

/* Why accesses to some of the blocks may be missing in the values: */
/* code that is not instrumented allocated them; */
#define MEMPROFDATA_NOT_MEASURED 1u
/* such code, other than the system's, was in their process, or signal handlers
 * of it were left by jumps, which may lose counts. */
#define MEMPROFDATA_NOT_ALL_SEEN 2u

/* Called once for each context, which is valid during the call; any value but
 * 0 stops the walk and is what the walk returns. */
typedef int memprofdata_visit_fn(void *context,
                                 const struct memprofdata_context *found);

/* -- one indexed file, looked into ------------------------------------------ */

struct memprofdata_index;

/* Opens an indexed file (LLVM's, versions 2 to 4 of its memory profile, or
 * ours) and reads no more of it than its header. On success *index is the
 * caller's, to be closed. The file must not be changed meanwhile: memprofdata
 * and this library replace a file that they write again, llvm-profdata does
 * not. Any number of threads may look into one index at a time. */
int memprofdata_open(const char *path, struct memprofdata_index **index,
                     struct memprofdata_error *error);
/* Accepts NULL. */
void memprofdata_close(struct memprofdata_index *index);

/* Visits the contexts of LLVM's part that the record of one function lists,
 * found through the file's hash table: those that allocate in it, or in what is
 * inlined into it. For versions 3 and 4 nothing else is read. *found, which may
 * be NULL, says whether there is such a record; that there is none is no
 * error. */
int memprofdata_find_guid(const struct memprofdata_index *index, uint64_t guid,
                          memprofdata_visit_fn *visit, void *context,
                          bool *found, struct memprofdata_error *error);
/* The same, by linkage name. */
int memprofdata_find_name(const struct memprofdata_index *index,
                          const char *name, memprofdata_visit_fn *visit,
                          void *context, bool *found,
                          struct memprofdata_error *error);

/* GUID of a linkage name, as LLVM computes it. */
uint64_t memprofdata_guid(const char *name);

/* -- whole profiles ---------------------------------------------------------- */

struct memprofdata_profile;

/* An empty profile, the caller's, or NULL without memory. A profile may be
 * changed by one thread at a time; while nobody changes it, any number may
 * visit it. The first question after an addition is a change: of several raw
 * profiles of one run, it adds those that count. */
struct memprofdata_profile *memprofdata_profile_new(void);
/* Accepts NULL. */
void memprofdata_profile_free(struct memprofdata_profile *profile);

/* Names a binary that was profiled, for raw files of LLVM's runtime. */
int memprofdata_profile_binary(struct memprofdata_profile *profile,
                               const char *path,
                               struct memprofdata_error *error);

/* Adds a profile of any kind that `memprofdata merge` reads ("-": standard
 * input), as if it was given `weight` times (at least 1); PGO counters come
 * from one input, given once. After a failure the profile holds at most whole
 * dumps of the file. Of several dumps of one run each block counts once
 * (docs/merge.md). */
int memprofdata_profile_add(struct memprofdata_profile *profile,
                            const char *path, uint64_t weight,
                            struct memprofdata_error *error);

/* Call stacks in the profile; 0 where a raw profile that waited for others of
 * its run could not be added, which memprofdata_profile_visit() tells. */
size_t memprofdata_profile_context_count(struct memprofdata_profile *profile);

/* Visits all contexts, in no particular order. */
int memprofdata_profile_visit(struct memprofdata_profile *profile,
                              memprofdata_visit_fn *visit, void *context,
                              struct memprofdata_error *error);

/* Writes the indexed file that `memprofdata merge` would write. An old file is
 * replaced at once or kept whole. The profile stays as it is and may be added
 * to. */
int memprofdata_profile_write(struct memprofdata_profile *profile,
                              const char *path,
                              struct memprofdata_error *error);

#ifdef __cplusplus
}
#endif

#endif
