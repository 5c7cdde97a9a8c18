/* fuzz_luajit.c -- libFuzzer target: logs of LuaJIT's memory profiler, as a
 * profile and as a report.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/luajit_report.h"
#include "test/fuzz/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(const uint8_t *data, size_t size, uint64_t every_seconds)
{
    const struct mpdata_luajit_report_options options = {
        .every_seconds = every_seconds, .is_human_readable = true};
    const struct mpdata_diag_warn warn = {.fn = NULL};
    struct mprof_diag diag;
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    struct mpdata_sink sink = mpdata_sink_to_buf(&out);
    (void)mpdata_luajit_report(data, size, &options, &sink, &warn, "", &diag);
    mpdata_heapbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int result =
        fuzz_foreign(mpdata_luajit_is, mpdata_luajit_read, data, size);

    report(data, size, 0);
    report(data, size, 100);
    return result;
}
