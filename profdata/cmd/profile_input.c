/* profile_input.c -- inputs that become one of several profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/profile_input.h"
#include "profdata/cmd/input_options.h"
#include "shared/part_format.h"

void profile_input_init(struct profile_input *p)
{
    *p = (struct profile_input){.load = {.is_heap_only = true}};
    mpdata_inputs_init(&p->inputs);
}

void profile_input_fini(struct profile_input *p)
{
    mpdata_symbolize_fini(&p->load);
    mpdata_content_fini(&p->content);
    mpdata_inputs_free_one(&p->input);
    mpdata_inputs_fini(&p->inputs);
}

int profile_input_add(struct profile_input *p, const char *word)
{
    struct mprof_diag diag;

    return mpdata_inputs_add(&p->inputs, word, 1, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

enum mprof_err profile_input_choose_pools(struct mpdata_profile **profile,
                                          struct mpdata_prune *prune)
{
    struct mpdata_profile *const pools =
        mpdata_prune_to_parts(*profile, MPROF_PART_POOL);

    if (pools == NULL)
        return MPROF_E_NOMEM;
    mpdata_profile_free(*profile);
    *profile = pools;
    prune->of_parts = MPROF_PART_POOL;
    return MPROF_E_OK;
}

int profile_input_load(struct profile_input *p,
                       const struct cmd_symbols *symbols,
                       struct cmd_filter *filter, bool verify_checksums,
                       const struct mpdata_diag_warn *warn)
{
    struct mpdata_prune pruning = {.depth_max = 0};
    struct mprof_diag diag;
    int status = input_options_settle(&p->inputs, p->output);

    if (status == 0)
        status = symbol_options_setup(symbols, &p->load);
    if (status == 0)
        status = filter_options_setup(filter, symbols, &p->load, &pruning);
    p->load.content = &p->content;
    p->load.warn = warn;
    if (status == 0 && mpdata_content_init(&p->content) != MPROF_E_OK)
        status = cmd_no_memory();
    if (status != 0)
        return status;
    if (mpdata_load_all(&p->load, &p->inputs, verify_checksums, &p->input,
                        &diag) != MPROF_E_OK)
        return cmd_fail_inputs(&diag);
    cmd_say_replaced(p->load.dumps.replaced);
    input_options_say(&p->inputs, p->output);
    filter->shown = p->is_of_pools ? "pools" : NULL;
    filter_options_loaded(filter, p->content.profile);
    if (p->is_of_pools &&
        profile_input_choose_pools(&p->content.profile, &pruning) != MPROF_E_OK)
        return cmd_no_memory();
    if (filter_options_prune(filter, &pruning, &p->content.profile, &diag) !=
        MPROF_E_OK)
        return cmd_fail(&diag);
    p->left_out = filter->left_out;
    return filter->has_failed ? cmd_no_memory() : 0;
}
