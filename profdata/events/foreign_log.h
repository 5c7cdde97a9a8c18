/* foreign_log.h -- logs of other tools as events of ours, for the visitors of
 * event_log.h: of LuaJIT's memory profiler, and of both of Mono's. What such a
 * log does not have stands in its traits.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/units.h"
#include "profdata/events/event_log.h"

/* What a log tells, beside beginnings of blocks and their sizes. */
struct mpdata_log_traits {
    const char *title; /* of another tool's log; NULL: ours */
    const char *unit;  /* what its times count, in the order of the log; NULL:
                          nanoseconds */
    bool has_ends;
    bool has_threads;
    bool has_addresses;
};

/* Reads a log of Mono's first profiler once, for the length of its ticks. */
struct mpdata_log_traits mpdata_foreign_log_traits(const uint8_t *data,
                                                   size_t size);

/* A time of the log for people: "1.5 s", "12 events". */
struct mpdata_number
mpdata_foreign_log_time(const struct mpdata_log_traits *traits, uint64_t ns);

bool mpdata_foreign_log_is(const uint8_t *data, size_t size);
/* As mpdata_event_log_read(), but for call stacks: the visitor gets none. The
 * numbers of mpdata_log_event are those of mpdata_foreign_stacks(). Names of
 * marks live until the visitor returns. */
MPROF_NODISCARD enum mprof_err
mpdata_foreign_log_read(const uint8_t *data, size_t size,
                        const struct mpdata_log_visitor *visitor,
                        bool *is_whole, struct mprof_diag *diag);
