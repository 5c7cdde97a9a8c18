/* prometheus.c -- the status of programs as Prometheus' text format.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/serve/prometheus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A field of the status, and the metric that it becomes. */
static const struct {
    const char *field;
    const char *name;
    const char *type;
    const char *help;
    double scale;
} metrics[] = {
    {"live_bytes", "memprof_live_bytes", "gauge", "bytes alive", 1},
    {"live_blocks", "memprof_live_blocks", "gauge", "blocks alive", 1},
    {"peak_bytes", "memprof_peak_bytes", "gauge",
     "most bytes alive at once since the start or a reset", 1},
    {"allocated_bytes", "memprof_allocated_bytes_total", "counter",
     "bytes allocated", 1},
    {"allocated_blocks", "memprof_allocated_blocks_total", "counter",
     "blocks allocated", 1},
    {"dropped_blocks", "memprof_dropped_blocks_total", "counter",
     "blocks that were not recorded because the profiler had no memory", 1},
    {"contexts", "memprof_call_stacks", "gauge", "different call stacks", 1},
    {"running", "memprof_recording", "gauge",
     "1 if new blocks are recorded, else 0", 1},
    {"profiler_bytes", "memprof_profiler_bytes", "gauge",
     "memory of the profiler itself", 1},
    {"profiler_ms", "memprof_profiler_seconds_total", "counter",
     "estimated time of the profiler in the program's threads", 1e-3},
};

static void put(struct mprof_buf *out, const char *text)
{
    mprof_buf_bytes(out, text, strlen(text));
}

/* The value of a label: quotes, backslashes and newlines are escaped. */
static void put_label(struct mprof_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\' || *text == '\n')
            put(out, "\\");
        mprof_buf_bytes(out, *text == '\n' ? "n" : text, 1);
    }
}

static bool find(const char *answer, const char *field, uint64_t *value)
{
    const size_t n = strlen(field);

    while (answer != NULL && *answer != '\0') {
        if (strncmp(answer, field, n) == 0 && answer[n] == '=' &&
            answer[n + 1] >= '0' && answer[n + 1] <= '9') {
            *value = strtoull(answer + n + 1, NULL, 10);
            return true;
        }
        answer = strchr(answer, ' ');
        if (answer != NULL)
            answer++;
    }
    return false;
}

static void put_head(struct mprof_buf *out, const char *name, const char *type,
                     const char *help)
{
    put(out, "# HELP ");
    put(out, name);
    put(out, " ");
    put(out, help);
    put(out, "\n# TYPE ");
    put(out, name);
    put(out, " ");
    put(out, type);
    put(out, "\n");
}

static void put_sample(struct mprof_buf *out, const char *name,
                       const struct mpdata_status *program, double value)
{
    char text[64];
    uint64_t pid;

    put(out, name);
    put(out, "{where=\"");
    put_label(out, program->where);
    if (find(program->answer, "pid", &pid)) {
        snprintf(text, sizeof(text), "\",pid=\"%" PRIu64, pid);
        put(out, text);
    }
    snprintf(text, sizeof(text), "\"} %.17g\n", value);
    put(out, text);
}

void mpdata_prometheus_write(struct mprof_buf *out,
                             const struct mpdata_status *programs, size_t count)
{
    uint64_t value;

    put_head(out, "memprof_up", "gauge", "1 if the program answers, else 0");
    for (size_t i = 0; i < count; i++)
        put_sample(out, "memprof_up", &programs[i], programs[i].answer != NULL);
    for (size_t m = 0; m < MPROF_ARRAY_LEN(metrics); m++) {
        put_head(out, metrics[m].name, metrics[m].type, metrics[m].help);
        for (size_t i = 0; i < count; i++) {
            if (find(programs[i].answer, metrics[m].field, &value))
                put_sample(out, metrics[m].name, &programs[i],
                           (double)value * metrics[m].scale);
        }
    }
}
