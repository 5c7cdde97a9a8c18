/* document_groups.c -- writes which call stacks' blocks are used together.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/pool_groups.h"
#include "profdata/report/document_parts.h"

static void put_group(struct mpdata_json_out *json,
                      const struct mpdata_pool_groups *groups,
                      const struct mpdata_pool_group *g)
{
    mpdata_json_out_row(json);
    mpdata_json_out_number_of(json, "pool", g->pool);
    mpdata_json_out_text_of(json, "sentence",
                            mpdata_pool_group_reasons[g->reason].sentence);
    mpdata_json_out_number_of(json, "blocks", g->blocks);
    mpdata_json_out_number_of(json, "resident_bytes",
                              mpdata_verdict_whole(g->resident_bytes));
    mpdata_json_out_key(json, "small_share");
    mpdata_json_out_real(json, g->small_share);
    mpdata_json_out_key(json, "access_share");
    mpdata_json_out_real(json, g->access_share);
    mpdata_json_out_array_of(json, "contexts");
    for (uint32_t k = 0; k < g->count; k++)
        mpdata_json_out_number(json, groups->contexts[g->first + k]);
    mpdata_json_out_close_array(json);
    mpdata_json_out_close_map(json);
}

bool mpdata_document_groups_put(struct mpdata_json_parts *parts,
                                struct mpdata_verdicts *verdicts)
{
    struct mpdata_pool_groups groups;
    const bool is_done = mpdata_pool_groups_make(&groups, parts->what->profile,
                                                 verdicts) == MPROF_E_OK;

    if (is_done && groups.count != 0) {
        mpdata_json_parts_open_array(parts, "groups");
        for (uint32_t i = 0; i < groups.count; i++)
            put_group(&parts->json, &groups, &groups.rows[i]);
        mpdata_json_out_close_array(&parts->json);
    }
    mpdata_pool_groups_fini(&groups);
    return is_done;
}
