/* foreign.h -- heap profiles of other tools: a file and a row for each format.
 * They know allocations, not accesses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FOREIGN_H
#define MPDATA_FOREIGN_H

#include "profdata/model/profile.h"

/* X(name, title): mpdata_NAME_is() and mpdata_NAME_read() of NAME.c. */
#define MPDATA_FOREIGN_FORMATS(X) \
    X(pprof, "profile of pprof")  \
    X(heaptrack, "heaptrack file")

/* Does the file, or the first 64 KiB of it, begin like one? */
typedef bool mpdata_foreign_is_fn(const uint8_t *data, size_t size);
/* Adds the file to *into, which on failure is good for freeing only. What it
 * takes is bounded by the file's size. Errors: a reader's; UNSUPPORTED for
 * profiles of something else than a heap. diag may be NULL. */
typedef enum mprof_err mpdata_foreign_read_fn(const uint8_t *data, size_t size,
                                              struct mpdata_profile *into,
                                              struct mprof_diag *diag);

struct mpdata_foreign {
    const char *title;
    mpdata_foreign_is_fn *is;
    mpdata_foreign_read_fn *read;
};

/* The format of a file, or NULL. */
const struct mpdata_foreign *mpdata_foreign_find(const uint8_t *data,
                                                 size_t size);

/* Reads a file that has a format into *into, which is empty. Errors: as above;
 * FRAMES where its call stacks have more frames in sum than
 * mpdata_profile_frames_max() allows for its bytes. */
MPROF_NODISCARD enum mprof_err mpdata_foreign_read(const uint8_t *data,
                                                   size_t size,
                                                   struct mpdata_profile *into,
                                                   struct mprof_diag *diag);

#define X(name, title)                       \
    mpdata_foreign_is_fn mpdata_##name##_is; \
    mpdata_foreign_read_fn mpdata_##name##_read;
MPDATA_FOREIGN_FORMATS(X)
#undef X

#endif
