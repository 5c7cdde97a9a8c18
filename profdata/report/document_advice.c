/* document_advice.c -- writes what to change in the program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/silence.h"
#include "profdata/report/document_parts.h"

#include <stdio.h>

#define ROWS_MAX 10

static void put_row(struct mpdata_json_out *json,
                    const struct mpdata_advice *advice,
                    const struct mpdata_advice_row *row)
{
    const struct mpdata_advice_kind_row *const kind =
        &mpdata_advice_kinds[row->kind];
    char sentence[MPDATA_ADVICE_SENTENCE_BYTES];
    char saving[2 * MPDATA_UNIT_BYTES];

    snprintf(saving, sizeof(saving), "%s%s",
             mpdata_advice_words_saving(row, advice).text,
             mpdata_advice_words_time(row).text);
    mpdata_advice_words_sentence(row, advice, sentence);
    mpdata_json_out_row(json);
    mpdata_json_out_text_of(json, "kind", kind->name);
    mpdata_json_out_text_of(json, "saving", saving);
    mpdata_json_out_text_of(json, "sentence", sentence);
    mpdata_json_out_text_of(json, "action", kind->action);
    mpdata_json_out_number_of(json, "context", row->context);
    mpdata_json_out_number_of(json, "stacks", row->contexts);
    mpdata_json_out_close_map(json);
}

bool mpdata_document_advice_put(struct mpdata_json_parts *parts)
{
    const struct mpdata_profile *const profile = parts->what->profile;
    struct mpdata_advice advice;
    const bool is_done =
        mpdata_advice_make(&advice, profile, parts->what->names,
                           MPDATA_ADVICE_SHARE_MIN) == MPROF_E_OK;

    if (is_done)
        mpdata_silence_by_source(&advice, profile);
    if (is_done && advice.count != 0) {
        mpdata_json_out_number_of(&parts->json, "advice_count", advice.count);
        mpdata_json_parts_open_array(parts, "advice");
        for (uint32_t i = 0; i < advice.count && i < ROWS_MAX; i++)
            put_row(&parts->json, &advice, &advice.rows[i]);
        mpdata_json_out_close_array(&parts->json);
    }
    mpdata_advice_fini(&advice);
    return is_done;
}
