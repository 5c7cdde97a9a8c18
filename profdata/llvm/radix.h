/* radix.h -- the call stack array of LLVM's memprof section from version 3 on.
 *
 * One array of 32-bit elements holds all call stacks. A stack's id is the place
 * of its length; the frames follow, leaf first. An element that is negative as
 * a signed number says: go on that many elements further, where an earlier
 * written stack has the same frames from there to the root.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RADIX_H
#define MPDATA_RADIX_H

#include "profdata/base/tree.h"
#include "shared/buf.h"
#include "shared/err.h"

/* Call stacks as a forest, each parent before its children. */
struct mpdata_radix_forest {
    struct mpdata_numbers parents; /* index + 1; 0: a root */
    struct mpdata_numbers frames;  /* < 2^31; distinct among siblings */
    const uint8_t *is_stack;       /* 1: a call stack starts at this node */
    uint32_t count;
    uint32_t frame_count; /* all frames are below */
};

/* Appends the array to *out. ids[i] becomes the id of the stack that starts at
 * node i, where is_stack[i]. Errors: NOMEM, LIMIT. */
MPROF_NODISCARD enum mprof_err
mpdata_radix_write(const struct mpdata_radix_forest *forest,
                   struct mprof_buf *out, uint32_t *ids);

/* Reads a foreign array. Every element belongs to one place at one distance
 * from the root, so what a place stands for is worked out once, and reading all
 * stacks takes time in proportion to the array. Borrows data. */
struct mpdata_radix {
    const uint8_t *data;
    uint32_t count; /* elements */
    uint64_t file_off;
    const char *section;
    uint32_t *depths;     /* frames from here to the root; 0: not known yet */
    uint32_t *nodes;      /* what make() gave */
    uint32_t *path;       /* scratch */
    uint8_t *is_seen;     /* 1: the stack was asked for */
    uint64_t frames_left; /* that stacks may have, each counted once */
};

/* Turns a frame under a parent (0: none) into a node of the caller's (> 0); 0
 * stops the reading. */
typedef uint32_t mpdata_radix_make_fn(void *context, uint32_t parent,
                                      uint32_t frame);

/* size is rounded down to whole elements. Errors: NOMEM, LIMIT. Fini is due
 * either way. */
MPROF_NODISCARD enum mprof_err mpdata_radix_open(struct mpdata_radix *radix,
                                                 const void *data, size_t size,
                                                 uint64_t file_off,
                                                 const char *section);
void mpdata_radix_fini(struct mpdata_radix *radix);

/* The node of the call stack `id` (0 for one without frames) in *node. Errors:
 * REFERENCE for an id outside the array, VALUE for an array that is not a
 * forest or has too many frames, NOMEM where make() returned 0. */
MPROF_NODISCARD enum mprof_err mpdata_radix_stack(struct mpdata_radix *radix,
                                                  uint32_t id,
                                                  mpdata_radix_make_fn *make,
                                                  void *context, uint32_t *node,
                                                  struct mprof_diag *diag);

#endif
