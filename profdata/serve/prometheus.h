/* prometheus.h -- the status of programs as Prometheus' text format.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"

/* The answer to the command `status` of one program (docs/control.md), or NULL
 * if it did not answer. */
struct mpdata_status {
    const char *where;
    const char *answer;
};

/* Appends a metric for each number that a status has, with a sample for each
 * program. Fields that are not known are skipped. */
void mpdata_prometheus_write(struct mprof_buf *out,
                             const struct mpdata_status *programs,
                             size_t count);
