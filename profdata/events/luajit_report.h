/* luajit_report.h -- the report of Tarantool's parser of LuaJIT's memory
 * profiler ("luajit -t m"): events, bytes and what they replaced, by site.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/diag.h"
#include "profdata/base/sink.h"

struct mpdata_luajit_report_options {
    bool is_leak_only;      /* only what is alive at the end */
    bool is_human_readable; /* KiB and so on instead of bytes */
    uint64_t every_seconds; /* what is alive then; 0: no such snapshots */
};

/* Reads a stream and writes the report. warn receives the damage of a stream,
 * of which the part before it is reported. Errors: those of
 * mpdata_luajit_log_read(); UNSUPPORTED for snapshots of a stream without
 * marks of seconds. */
MPROF_NODISCARD enum mprof_err
mpdata_luajit_report(const uint8_t *data, size_t size,
                     const struct mpdata_luajit_report_options *options,
                     struct mpdata_sink *sink,
                     const struct mpdata_diag_warn *warn, const char *path,
                     struct mprof_diag *diag);
