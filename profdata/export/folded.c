/* folded.c -- folded stacks, the format of Brendan Gregg's stackcollapse
 * scripts and flamegraph.pl: "a;b;c 123", root first. Readers add up equal
 * lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/pieces.h"
#include "profdata/base/sink.h"

#include <inttypes.h>

enum mprof_err mpdata_folded_write(const struct mpdata_export *what,
                                   struct mpdata_sink *sink)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    struct mprof_buf line;
    bool done = true;

    mpdata_heapbuf_init(&line);
    for (uint32_t i = 0; i < view.context_count && done && !sink->failed; i++) {
        const struct mpdata_context *const c = &view.contexts[i];
        const uint64_t value = mpdata_metrics_value(&view, i, what->metric);

        if (value == 0)
            continue;
        done = mpdata_pieces_stack_line(what, c->node, &line);
        mpdata_sink_bytes(sink, (const char *)line.data, line.size);
        mpdata_sink_format(sink, " %" PRIu64 "\n", value);
    }
    mpdata_heapbuf_fini(&line);
    return done ? MPROF_E_OK : MPROF_E_NOMEM;
}
