/* raw_filter.c -- which call stacks of a raw profile are wanted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw_filter.h"
#include "profdata/vec.h"

#include <stdlib.h>

/* For each module: does it fit? */
static uint8_t *ask_modules(const struct mpdata_raw *raw,
                            const struct mpdata_raw_filter *filter)
{
    uint8_t *fits = mpdata_vec_array(raw->module_count, 1);

    for (uint32_t i = 0; fits != NULL && i < raw->module_count; i++)
        fits[i] = filter->fits(filter->context, &raw->modules[i]);
    return fits;
}

/* For each node + 1: is there such a module on the way to the root? Parents
 * come first. */
static uint8_t *find_nodes(const struct mpdata_raw *raw, const uint8_t *fits)
{
    uint8_t *has = mpdata_vec_array((size_t)raw->node_count + 1, 1);

    for (uint32_t i = 0; has != NULL && i < raw->node_count; i++) {
        const struct mpdata_raw_node *node = &raw->nodes[i];
        const mpdata_ref module = raw->frames[node->frame].module;

        has[i + 1] =
            has[node->parent] || (module != 0 && fits[module - 1] != 0);
    }
    return has;
}

static void keep_contexts(struct mpdata_raw *raw,
                          struct mpdata_raw_filter *filter, const uint8_t *has)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mpdata_raw_context *context = &raw->contexts[i];
        const uint64_t bytes = mpdata_raw_mib(raw, i).TotalSize;

        filter->contexts++;
        filter->bytes = mprof_add_sat_u64(filter->bytes, bytes);
        if (has[context->node]) {
            raw->contexts[kept++] = *context;
            continue;
        }
        filter->gone_contexts++;
        filter->gone_bytes = mprof_add_sat_u64(filter->gone_bytes, bytes);
    }
    raw->context_count = kept;
}

enum mprof_err mpdata_raw_filter(struct mpdata_raw *raw,
                                 struct mpdata_raw_filter *filter)
{
    uint8_t *fits = ask_modules(raw, filter);
    uint8_t *has = fits != NULL ? find_nodes(raw, fits) : NULL;
    const bool is_done = has != NULL;

    if (is_done)
        keep_contexts(raw, filter, has);
    free(has);
    free(fits);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
