/* log_json.h -- the summary of a log as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/json_out.h"
#include "profdata/events/event_stats.h"

/* every_ns: 0, or the time between rows. */
enum mprof_err log_json_summary(const struct mpdata_event_stats *stats,
                                uint64_t every_ns, struct mpdata_sink *sink);
/* Writes a member with a time: "peak_ns", or "peak_event" of a log that counts
 * events. */
void log_json_time(struct mpdata_json_out *json,
                   const struct mpdata_log_traits *traits, const char *start,
                   uint64_t ns);
