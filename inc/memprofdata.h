/* memprofdata.h -- reading, merging and writing memory profiles from a program.
 *
 * Link with the flags of `pkg-config --libs memprofdata`, or -lmemprofdata (and
 * -lzstd -lz -lmd -lyajl -lpcre2-8 -lm -ldl for the static library). Every
 * function that can fail returns 0 or an error number, which never changes its
 * meaning, and fills *error, which may be NULL. The library never prints and
 * never ends the process.
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

/* Error numbers that callers may want to handle. */
#define MEMPROFDATA_OK 0
#define MEMPROFDATA_NO_MEMORY 2
#define MEMPROFDATA_NO_MEMORY_PROFILE 15

struct memprofdata_error {
    int number;      /* as returned */
    uint64_t offset; /* bytes from the start of the file, or NO_OFFSET */
    char text[MEMPROFDATA_TEXT_BYTES]; /* a sentence with file and position */
};

/* One frame of a call stack. The index or profile that it came from owns the
 * text. */
struct memprofdata_frame {
    uint64_t guid;        /* of the function's linkage name; 0: unknown */
    const char *function; /* linkage name; "" where the file has GUIDs only */
    uint32_t line;        /* in the file; 0: unknown, always in LLVM's part */
    uint32_t line_offset; /* from the function's first line */
    uint32_t column;      /* 0: unknown */
    bool is_inline;       /* inlined into the next frame */
};

/* One field of a context's memory info block. */
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
    const struct memprofdata_value *values; /* only measured ones */
    size_t value_count;
    /* MEMPROFDATA_NOT_...; 0 also if unknown, always in LLVM's part */
    uint32_t unseen;
};

/* Why accesses to some of the blocks may be missing in the values. */
/* Uninstrumented code allocated them. */
#define MEMPROFDATA_NOT_MEASURED 1u
/* Uninstrumented code other than the system's was in their process, or the
 * process left signal handlers by jumps, which may lose counts. */
#define MEMPROFDATA_NOT_ALL_SEEN 2u

/* Called once for each context, which is valid during the call. A result other
 * than 0 ends the walk, which returns this result. */
typedef int memprofdata_visit_fn(void *context,
                                 const struct memprofdata_context *found);

/* -- look-ups in one indexed file -------------------------------------------- */

struct memprofdata_index;

/* Opens an indexed file (ours, or LLVM's with versions 2 to 4 of the memory
 * profile) and reads only its header. On success the caller owns *index and
 * closes it. The file must not change while it is open: memprofdata and this
 * library replace a file that they write again, llvm-profdata overwrites it.
 * Any number of threads may use one index at a time. */
int memprofdata_open(const char *path, struct memprofdata_index **index,
                     struct memprofdata_error *error);
/* Accepts NULL. */
void memprofdata_close(struct memprofdata_index *index);

/* Visits the contexts in the record of one function of LLVM's part, found
 * through the file's hash table: the call stacks that allocate in this
 * function, or in a function inlined into it. For versions 3 and 4 nothing else
 * is read. Sets *found, which may be NULL, to whether there is a record; a
 * missing record is no error. */
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

/* Returns an empty profile, which the caller owns, or NULL when out of memory.
 * One thread at a time may change a profile; while none does, any number of
 * threads may visit it. The first use after an addition is a change, too: it
 * merges the raw profiles that are still pending. */
struct memprofdata_profile *memprofdata_profile_new(void);
/* Accepts NULL. */
void memprofdata_profile_free(struct memprofdata_profile *profile);

/* Names a binary that was profiled, for raw files of LLVM's runtime. */
int memprofdata_profile_binary(struct memprofdata_profile *profile,
                               const char *path,
                               struct memprofdata_error *error);

/* Adds a profile of any kind that `memprofdata merge` reads ("-": standard
 * input), `weight` times (at least once). PGO counters may come from one input,
 * added once. After a failure the profile holds only complete dumps of the
 * file. Each block of several dumps of one run counts once (docs/merge.md). */
int memprofdata_profile_add(struct memprofdata_profile *profile,
                            const char *path, uint64_t weight,
                            struct memprofdata_error *error);

/* Returns the number of call stacks, or 0 if a pending raw profile of a run
 * could not be merged; memprofdata_profile_visit() then returns the error. */
size_t memprofdata_profile_context_count(struct memprofdata_profile *profile);

/* Visits all contexts, in no particular order. */
int memprofdata_profile_visit(struct memprofdata_profile *profile,
                              memprofdata_visit_fn *visit, void *context,
                              struct memprofdata_error *error);

/* Writes the indexed file that `memprofdata merge` would write. An old file is
 * replaced as a whole or kept. The profile does not change; more may be added.
 */
int memprofdata_profile_write(struct memprofdata_profile *profile,
                              const char *path,
                              struct memprofdata_error *error);

#ifdef __cplusplus
}
#endif

#endif
