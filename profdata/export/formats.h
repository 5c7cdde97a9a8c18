/* formats.h -- the formats of other tools that a profile can be written in: one
 * file and one row each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FORMATS_H
#define MPDATA_FORMATS_H

#include "profdata/base/sink.h"
#include "profdata/query/frame_names.h"
#include "profdata/query/metrics.h"

/* X(name, help): written by mpdata_NAME_write() of NAME.c. */
#define MPDATA_FORMATS(X)                                                   \
    X(folded, "a line a call stack, outermost function first, then "        \
              "the metric: flamegraph.pl, speedscope, inferno")             \
    X(csv, "a table with a row a call stack and a column a field: "         \
           "spreadsheets, data frames, databases")                          \
    X(json, "all that is held of each call stack, by name, with its "       \
            "totals: scripts")                                              \
    X(dhat, "valgrind's DHAT: dh_view.html; its lifetimes need peaks, its " \
            "accesses reads and writes in bytes")                           \
    X(pprof, "a sample a call stack, a value a metric: go tool pprof, pprof, " \
             "and what reads its profiles")                                  \
    X(speedscope, "a profile a metric: speedscope")                         \
    X(firefox, "a thread a metric: profiler.firefox.com, profiler-cli")

/* The one frame of a call stack of which nothing is known. */
#define MPDATA_FORMATS_UNKNOWN "[unknown]"

/* What is written: a canonical profile, all borrowed. */
struct mpdata_export {
    const struct mpdata_profile *profile;
    struct mpdata_frame_names *names; /* of the profile */
    const bool *held;                 /* by metric: does it hold that? */
    enum mpdata_metric metric;        /* where there is room for one */
};

/* Writes all of it. What the profile does not hold is left out, never written
 * as zero. Error: NOMEM; whether all was written, the sink says. */
typedef enum mprof_err mpdata_format_fn(const struct mpdata_export *what,
                                        struct mpdata_sink *sink);

struct mpdata_format {
    const char *name;
    const char *help;
    mpdata_format_fn *write;
};

/* All of them; the last one's name is NULL. */
extern const struct mpdata_format mpdata_formats[];

/* The format of this name, or NULL. */
const struct mpdata_format *mpdata_formats_find(const char *name);

#define X(name, help) mpdata_format_fn mpdata_##name##_write;
MPDATA_FORMATS(X)
#undef X

#endif
