/* profile_input.h -- the inputs of a command that compares profiles: each of
 * them a word, or several, that become one profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PROFILE_INPUT_H
#define MPDATA_PROFILE_INPUT_H

#include "profdata/cmd/filter_options.h"
#include "profdata/cmd/symbol_options.h"
#include "profdata/load/load_all.h"
#include "profdata/model/content.h"

struct profile_input {
    struct mpdata_inputs inputs;
    bool is_of_pools; /* their blocks in the place of all others */
    const char
        *output; /* of the command: not read where it is found; or NULL */
    struct mpdata_input input; /* the one that was read last */
    struct mpdata_load_context load;
    struct mpdata_content content;
    struct mpdata_left_out_list left_out; /* of it; after the load */
};

void profile_input_init(struct profile_input *p);
void profile_input_fini(struct profile_input *p);

/* Adds what a word means: 0, or an exit status after a message. */
int profile_input_add(struct profile_input *p, const char *word);

/* Loads all, after the words. `filter` is one of several profiles that are
 * loaded one after the other; it leaves out what it does not fit. 0, or an exit
 * status after a message. */
int profile_input_load(struct profile_input *p,
                       const struct cmd_symbols *symbols,
                       struct cmd_filter *filter, bool verify_checksums,
                       const struct mpdata_diag_warn *warn);

/* Puts the blocks of pools in the place of all others, for what is pruned then.
 * Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
profile_input_choose_pools(struct mpdata_profile **profile,
                           struct mpdata_prune *prune);

#endif
