/* left_out_json.c -- writes which call stacks were filtered out as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/left_out.h"

#include <string.h>

/* Writes "--function --file" as an array. */
static void put_options(struct mpdata_json_out *json, const char *by)
{
    mpdata_json_out_open_array(json);
    for (size_t size; (size = strcspn(by, " ")) != 0; by += size) {
        mpdata_json_out_text(json, by, size);
        by += by[size] == ' ';
    }
    mpdata_json_out_close_array(json);
}

static void put_row(struct mpdata_json_out *json,
                    const struct mpdata_left_out *row)
{
    mpdata_json_out_row(json);
    mpdata_json_out_key(json, "by");
    put_options(json, row->by);
    if (row->is_by_merge) {
        mpdata_json_out_bool_of(json, "by_merge", true);
    }
    if (row->uncounted == NULL && row->is_at_most) {
        mpdata_json_out_number_of(json, "call_stacks_at_most",
                                  row->gone_contexts);
    } else if (row->uncounted == NULL) {
        mpdata_json_out_number_of(json, "call_stacks", row->gone_contexts);
        mpdata_json_out_number_of(json, "of_call_stacks", row->contexts);
    }
    if (row->uncounted == NULL) {
        mpdata_json_out_number_of(json, "bytes", row->gone_bytes);
        mpdata_json_out_number_of(json, "of_bytes", row->bytes);
    }
    mpdata_json_out_close_map(json);
}

void mpdata_left_out_json(struct mpdata_json_out *json,
                          const struct mpdata_left_out_list *list)
{
    if (list->count == 0)
        return;
    mpdata_json_out_array_of(json, "left_out");
    for (uint32_t i = 0; i < list->count; i++)
        put_row(json, &list->rows[i]);
    mpdata_json_out_close_array(json);
}
