/* log_events.c -- events as blocks of the log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/log_parts.h"
#include "rt/base/clock.h"

#define PUT(n) mprt_log_blocks_integer(out, n)

void mprt_log_events_write(struct mprt_trail *trail, struct mprof_buf *out)
{
    const struct mprt_trail_part part = mprt_trail_read(trail);

    if (part.size == 0)
        return;
    const size_t start = mprt_log_blocks_begin(
        out, part.is_first ? MPROF_LOG_EVENTS : MPROF_LOG_FURTHER);
    PUT(mprt_clock_now_ns());
    PUT(trail->thread);
    PUT(part.from.ns);
    if (!part.is_first) {
        PUT(part.from.at);
        PUT(part.from.cpu);
        PUT(part.from.peak);
    }
    mprof_buf_bytes(out, part.bytes, part.size);
    mprof_buf_uint(out, 0, 1);
    PUT(mprt_clock_now_ns());
    mprt_log_blocks_end(out, start);
}
