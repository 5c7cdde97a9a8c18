/* radix.h -- the call stack array of LLVM's memprof section, from version 3 on.
 *
 * An array of 32-bit elements holds all call stacks. A stack's id is the index
 * of its length; its frames follow, leaf first. An element that is negative as
 * a signed number, -n, is a jump n elements ahead, to a stack with the same
 * frames from there to the root.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/tree.h"
#include "shared/buf.h"
#include "shared/err.h"

/* Call stacks as a forest, each parent before its children. */
struct mpdata_radix_forest {
    struct mpdata_numbers parents; /* index + 1; 0: a root */
    struct mpdata_numbers frames;  /* < 2^31; distinct among siblings */
    const uint8_t *is_stack;       /* 1: a call stack starts at this node */
    uint32_t count;
    uint32_t frame_count; /* upper bound of the frames */
};

/* Appends the array to *out. Sets ids[i] to the id of the stack that starts at
 * node i, if is_stack[i]. Errors: NOMEM, LIMIT. */
MPROF_NODISCARD enum mprof_err
mpdata_radix_write(const struct mpdata_radix_forest *forest,
                   struct mprof_buf *out, uint32_t *ids);

/* Reads a foreign array. Each element has a fixed distance from the root, so
 * its node is made only once, and reading all stacks takes time linear in the
 * array. Borrows data. */
struct mpdata_radix {
    const uint8_t *data;
    uint32_t count; /* elements */
    uint64_t file_off;
    const char *section;
    uint32_t *depths;     /* by element: frames up to the root; 0: unknown */
    uint32_t *nodes;      /* by element: result of make() */
    uint32_t *path;       /* scratch */
    uint8_t *is_seen;     /* by element: the stack was read before */
    uint64_t frames_left; /* frames that further stacks may have */
};

/* Makes a node (> 0) from a frame and a parent (0: none); 0 stops reading. */
typedef uint32_t mpdata_radix_make_fn(void *context, uint32_t parent,
                                      uint32_t frame);

/* Rounds size down to elements. Errors: NOMEM, LIMIT. Fini is always due. */
MPROF_NODISCARD enum mprof_err mpdata_radix_open(struct mpdata_radix *radix,
                                                 const void *data, size_t size,
                                                 uint64_t file_off,
                                                 const char *section);
void mpdata_radix_fini(struct mpdata_radix *radix);

/* Sets *node to the node of call stack `id`, 0 if it has no frames. Errors:
 * REFERENCE for an id outside the array, VALUE for an array that is not a
 * forest or has too many frames, NOMEM if make() returned 0. */
MPROF_NODISCARD enum mprof_err mpdata_radix_stack(struct mpdata_radix *radix,
                                                  uint32_t id,
                                                  mpdata_radix_make_fn *make,
                                                  void *context, uint32_t *node,
                                                  struct mprof_diag *diag);
