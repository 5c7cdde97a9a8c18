/* fuzz_log.c -- libFuzzer target: the reader of logs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_fold.h"
#include "profdata/events/event_log.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_so)
{
    if (!is_so)
        abort();
}

/* What a reader promises to have checked. */
static void check(const struct mpdata_raw *raw)
{
    for (uint32_t i = 0; i < raw->segment_count; i++)
        expect(raw->segments[i].module < raw->module_count);
    for (uint32_t i = 0; i < raw->frame_count; i++)
        expect(raw->frames[i].module <= raw->module_count);
    for (uint32_t i = 0; i < raw->node_count; i++)
        expect(raw->nodes[i].parent <= i &&
               raw->nodes[i].frame < raw->frame_count);
    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mpdata_raw_context *const c = &raw->contexts[i];

        expect(c->node <= raw->node_count &&
               mpdata_raw_mib(raw, i).AllocCount != 0);
        for (uint32_t k = 0; k < c->detail_count; k++) {
            const struct mpdata_detail *const d =
                &raw->details[c->details_first + k];

            expect(c->details_first + k < raw->detail_count && d->count != 0);
            expect(d->key <= (mprof_detail_is_stack(d->kind)
                                  ? raw->node_count
                                  : MPROF_DETAIL_BUCKETS - 1));
        }
    }
    for (uint32_t i = 0; i < raw->series.mark_count; i++)
        expect(raw->series.marks[i].name < raw->string_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;

    mpdata_event_log_is(data, size);
    if (mpdata_event_fold_read(data, size, &file, &diag) == MPROF_E_OK)
        check(&file.dumps[0]);
    mpdata_raw_file_free(&file);
    return 0;
}
