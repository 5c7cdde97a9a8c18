/* fuzz_log.c -- libFuzzer target: the reader of logs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_fold.h"
#include "profdata/events/event_log.h"
#include "profdata/events/event_stats.h"
#include "profdata/replay/calls.h"
#include "shared/tag_format.h"

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

        expect(c->node <= raw->node_count && c->thread < raw->string_count &&
               mpdata_raw_mib(raw, i).AllocCount != 0);
        for (uint32_t k = 0; k < c->detail_count; k++) {
            const struct mpdata_detail *const d =
                &raw->details[c->details_first + k];

            expect(c->details_first + k < raw->detail_count && d->count != 0);
            expect(d->kind == MPROF_DETAIL_PLACE ||
                   d->key <= (mprof_detail_is_stack(d->kind)
                                  ? raw->node_count
                                  : MPROF_DETAIL_BUCKETS - 1));
        }
    }
    for (uint32_t i = 0; i < raw->context_count; i++) {
        struct mpdata_cells_cursor cursor = {.rest = mpdata_raw_cells(raw, i)};

        while (mpdata_cells_next(&cursor))
            expect(cursor.cell < mpdata_raw_mib(raw, i).AccessHistogramSize);
    }
    for (uint32_t i = 0; i < raw->tagged_count; i++) {
        const struct mpdata_raw_tagged *const t = &raw->tagged_rows[i];

        (void)mpdata_raw_tagged_mib(raw, i);
        expect(t->node <= raw->node_count && t->name < raw->string_count &&
               mprof_tag_kind_text(t->kind) != NULL);
    }
    for (uint32_t i = 0; i < raw->series.mark_count; i++)
        expect(raw->series.marks[i].name < raw->string_count);
}

/* All views end at the same place. */
static void expect_end(const uint8_t *data, size_t size,
                       const struct mprof_diag *rest)
{
    struct mpdata_event_stats marks;
    struct mprof_diag diag;

    if (mpdata_event_stats_marks(&marks, data, size, &diag) == MPROF_E_OK)
        expect(marks.rest.err == rest->err &&
               marks.rest.offset == rest->offset);
    mpdata_event_stats_fini(&marks);
}

static uint64_t fold(const uint8_t *data, size_t size,
                     struct mpdata_event_choice *choice)
{
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;
    uint64_t blocks = 0;

    if (mpdata_event_fold_read(data, size, choice, &file, &diag) ==
        MPROF_E_OK) {
        check(&file.dumps[0]);
        expect_end(data, size, &file.rest);
        for (uint32_t i = 0; i < file.dumps[0].context_count; i++)
            blocks += mpdata_raw_mib(&file.dumps[0], i).AllocCount;
    }
    mpdata_raw_file_free(&file);
    return blocks;
}

/* Makes the calls of a job as memprofdata-replay does, without blocks. */
static void replay(const struct mpdata_replay_job *job, uint64_t words)
{
    bool *const lives = calloc((size_t)job->slots + 1, sizeof(*lives));
    const struct mpdata_replay_result *const plan = &job->result;
    uint64_t at = 0;

    expect(lives != NULL);
    for (uint64_t i = 0; i < job->calls; i++) {
        expect(at < words);
        const uint32_t slot = (uint32_t)job->words[at];
        const uint64_t what = job->words[at++] >> MPDATA_REPLAY_SLOT_BITS;
        const bool is_alloc =
            what != MPDATA_REPLAY_FREE && what != MPDATA_REPLAY_REALLOC;

        expect(slot < job->slots && lives[slot] == !is_alloc);
        lives[slot] = what != MPDATA_REPLAY_FREE;
        at += what > MPDATA_REPLAY_SIZE_MAX;
    }
    expect(at <= words && plan->sample_count != 0 &&
           plan->sample_count <= MPDATA_REPLAY_SAMPLES_MAX);
    for (uint32_t i = 1; i < plan->sample_count; i++)
        expect(plan->samples[i - 1].calls < plan->samples[i].calls);
    expect(plan->samples[plan->sample_count - 1].calls == job->calls);
    free(lives);
}

static void read_calls(const uint8_t *data, size_t size)
{
    struct mpdata_replay_calls calls = {.job = NULL};
    struct mprof_diag diag;

    if (mpdata_calls_read(&calls, data, size, &diag) == MPROF_E_OK) {
        expect(calls.job->calls ==
                   calls.allocs + calls.frees + calls.reallocs &&
               calls.peak_sample < calls.job->result.sample_count);
        replay(calls.job, (calls.job_bytes - sizeof(*calls.job)) /
                              sizeof(calls.job->words[0]));
    }
    mpdata_calls_fini(&calls);
}

/* The moments of a log never have more blocks than the log. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const moments[] = {"50%", "peak", "end", "a", "1us"};
    static const char *const windows[] = {"start,end", "a"};
    const uint64_t blocks = fold(data, size, NULL);

    mpdata_event_log_is(data, size);
    read_calls(data, size);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(moments); i++)
        expect(fold(data, size,
                    &(struct mpdata_event_choice){.at = moments[i]}) <= blocks);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(windows); i++)
        expect(fold(data, size,
                    &(struct mpdata_event_choice){.window = windows[i]}) <=
               blocks);
    return 0;
}
