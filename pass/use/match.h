/* match.h -- finds a module's calls on the call stacks of a profile, and tells
 * LLVM what is known of their blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_MATCH_H
#define MPASS_MATCH_H

#include "pass/use/moved.h"

/* In the order of shared/use_log.inc. */
enum mpass_use_outcome {
#define MPROF_USE_OUTCOME(id, word, help) MPASS_USE_OUTCOME_##id,
#include "shared/use_log.inc"
};

/* Notes on a call that is found: why it is hinted; the site's id. */
#define MPASS_MATCH_NOTE "memprof-note"
#define MPASS_MATCH_ID "memprof-site"

/* An allocation call that is found. */
struct mpass_match {
    const struct mpass_site *site;
    uint64_t id; /* of its frames */
    uint32_t *stacks;
    uint32_t stack_count;
    uint64_t bytes[MPASS_STACK_KINDS];
    enum mpass_use_outcome outcome; /* MIXED: it has metadata for cloning */
};

struct mpass_matches {
    struct mpass_match *rows;
    uint32_t count;
};

/* Gives calls their attribute or metadata; fini is due. Without with_hot, what
 * is hot counts as neither. */
void mpass_match_run(struct mpass_matches *matches,
                     const struct mpass_stacks *stacks,
                     const struct mpass_sites *sites,
                     const struct mpass_moved *moved, bool with_hot);
void mpass_match_fini(struct mpass_matches *matches);

#endif
