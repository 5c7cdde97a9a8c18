/* foreign.h -- shared code of the fuzz targets for other tools' profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/events/event_rows.h"
#include "profdata/events/event_stats.h"
#include "profdata/import/foreign.h"
#include "profdata/index/index.h"
#include "profdata/model/content.h"
#include "test/fuzz/live_bytes.h"

#include <stdlib.h>

#define BYTES_PER_BYTE 32
#define BYTES_FIXED (64 << 20)

static void fuzz_foreign_write(struct mpdata_content *content)
{
    const struct mpdata_index_options options = {.uncompressed = true};
    enum mprof_err err = mpdata_profile_canonical_in_place(content->profile);
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    if (err == MPROF_E_OK)
        err = mpdata_index_write(content, &options, &out);
    if (err != MPROF_E_OK && err != MPROF_E_NOMEM && err != MPROF_E_LIMIT &&
        err != MPROF_E_FRAMES)
        abort();
    mpdata_heapbuf_fini(&out);
}

static bool fuzz_foreign_keeps(void *context,
                               const struct mpdata_event_life *life,
                               bool is_end)
{
    const uint32_t count = ((struct mpdata_foreign_stacks *)context)->count;

    if (life->stack >= count || life->end_stack > count ||
        (is_end && life->end_ns < life->birth_ns))
        abort();
    return true;
}

/* A log as events: each has one of its call stacks, and no more ends than
 * begins. */
static void fuzz_foreign_events(const uint8_t *data, size_t size)
{
    struct mpdata_foreign_stacks stacks = {.count = 0};
    struct mpdata_event_rows rows = {.to_ns = UINT64_MAX,
                                     .max = 10,
                                     .keeps = fuzz_foreign_keeps,
                                     .context = &stacks};
    struct mpdata_event_stats stats;
    struct mpdata_content content;
    struct mprof_diag diag;

    if (!mpdata_foreign_log_is(data, size))
        return;
    if (mpdata_content_init(&content) != MPROF_E_OK)
        abort();
    if (mpdata_event_stats_read(&stats, data, size, 0, &diag) == MPROF_E_OK &&
        (stats.sum.ended_blocks > stats.sum.born_blocks ||
         (!stats.traits.has_ends && stats.sum.ended_blocks != 0)))
        abort();
    if (mpdata_foreign_read_stacks(data, size, content.profile, &stacks,
                                   &diag) == MPROF_E_OK &&
        (mpdata_event_rows_read(&rows, data, size, &diag) != MPROF_E_OK ||
         rows.found != stats.sum.born_blocks + stats.sum.ended_blocks))
        abort();
    free(stacks.leaves);
    mpdata_event_rows_fini(&rows);
    mpdata_event_stats_fini(&stats);
    mpdata_content_fini(&content);
}

static int fuzz_foreign(mpdata_foreign_is_fn *is, mpdata_foreign_read_fn *read,
                        const uint8_t *data, size_t size)
{
    static bool has_hooks;
    struct mpdata_content content;
    struct mprof_diag diag;
    int64_t before;
    enum mprof_err err;

    if (!has_hooks)
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
    has_hooks = true;
    is(data, size);
    before = live_bytes;
    peak_bytes = live_bytes;
    if (mpdata_content_init(&content) != MPROF_E_OK)
        abort();
    err = read(data, size, content.profile, &diag);
    if (peak_bytes - before > BYTES_FIXED + BYTES_PER_BYTE * (int64_t)size)
        abort();
    if (err == MPROF_E_OK)
        fuzz_foreign_write(&content);
    fuzz_foreign_events(data, size);
    mpdata_content_fini(&content);
    return 0;
}
