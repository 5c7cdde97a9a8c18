/* json_counters.h -- PGO counters in a profile as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_COUNTERS_H
#define MPDATA_JSON_COUNTERS_H

#include "profdata/text/events.h"

struct mpdata_counters;

/* The value of the key into *counters, which is empty. Failures stay in
 * *events. */
void mpdata_json_counters_read(struct mpdata_events *events,
                               struct mpdata_counters *counters);

#endif
