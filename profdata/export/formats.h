/* formats.h -- the formats of other tools that a profile can be written in: one
 * file and one row each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FORMATS_H
#define MPDATA_FORMATS_H

#include "profdata/base/diag.h"
#include "profdata/base/sink.h"
#include "profdata/query/frame_names.h"
#include "profdata/query/left_out.h"
#include "profdata/query/metrics.h"
#include "shared/part_format.h"

/* X(id, name, needs, part, has_chosen, help): written by mpdata_ID_write() of
 * ID.c (dhat's kin of dhat.c), where the profile holds the metric that it
 * needs, and parts of the kind; NONE for one that needs no other than each
 * profile holds. has_chosen: one metric is written, or comes first, which is to
 * be chosen. */
#define MPDATA_FORMATS(X)                                                    \
    X(folded, "folded", NONE, NONE, true,                                    \
      "one line per call stack, outermost function first, then the metric: " \
      "flamegraph.pl, speedscope, inferno")                                  \
    X(csv, "csv", NONE, NONE, false,                                         \
      "a table, one row per call stack, one column per field: "              \
      "spreadsheets, data frames, databases")                                \
    X(json, "json", NONE, NONE, false,                                       \
      "all fields of each call stack, and their totals: "                    \
      "scripts")                                                             \
    X(dhat, "dhat", NONE, NONE, false,                                       \
      "valgrind's DHAT: dh_view.html; shows lifetimes only if peaks were "   \
      "measured, accesses only if read and written bytes were")              \
    X(dhat_copies, "dhat-copies", NONE, COPY, false,                         \
      "DHAT's copy mode: who copies how many bytes (MEMPROF_OPTIONS="        \
      "copies=1)")                                                           \
    X(dhat_events, "dhat-events", NONE, EVENT, false,                        \
      "DHAT's ad-hoc mode: the events of memprof_event()")                   \
    X(pprof, "pprof", NONE, NONE, true,                                      \
      "one sample per call stack, one value per metric: go tool pprof, "     \
      "pprof, and readers of its profiles")                                  \
    X(speedscope, "speedscope", NONE, NONE, true,                            \
      "one profile per metric: speedscope")                                  \
    X(firefox, "firefox", NONE, NONE, true,                                  \
      "one thread per metric: profiler.firefox.com, profiler-cli")           \
    X(heaptrack, "heaptrack", NONE, NONE, false,                             \
      "heaptrack's file, with events in an invented order: "                 \
      "heaptrack_print, heaptrack_gui")                                      \
    X(callgrind, "callgrind", NONE, NONE, false,                             \
      "costs of lines and calls, one event per metric: callgrind_annotate, " \
      "KCachegrind")                                                         \
    X(massif, "massif", LIVE, NONE, false,                                   \
      "live bytes and bytes at the peak, as trees from the allocation up "   \
      "to main(): ms_print, massif-visualizer")

/* A literal: each name, with a space behind it. */
#define MPDATA_FORMAT_NAME_(id, name, needs, part, has_chosen, help) name " "
#define MPDATA_FORMAT_NAMES MPDATA_FORMATS(MPDATA_FORMAT_NAME_)

#define MPDATA_METRIC_NONE MPDATA_METRIC_COUNT
#define MPROF_PART_NONE 0

/* The one frame of a call stack of which nothing is known. */
#define MPDATA_FORMATS_UNKNOWN "[unknown]"

/* What is written: a canonical profile, all borrowed. */
struct mpdata_export {
    const struct mpdata_profile *profile;
    struct mpdata_frame_names *names; /* of the profile */
    const bool *held;                 /* by metric: does it hold that? */
    enum mpdata_metric metric;        /* that was chosen, where that matters */
    const struct mpdata_left_out_list *left_out; /* of the profile; or NULL */
    /* What the format cannot say, or the profile not, goes here. */
    const struct mpdata_diag_warn *warn;
};

/* Writes all of it. What the profile does not hold is left out, never written
 * as zero. Error: NOMEM; whether all was written, the sink says. */
typedef enum mprof_err mpdata_format_fn(const struct mpdata_export *what,
                                        struct mpdata_sink *sink);

struct mpdata_format {
    const char *name;
    const char *help;
    enum mpdata_metric needs; /* or MPDATA_METRIC_NONE */
    uint32_t part;            /* enum mprof_part_kind, or MPROF_PART_NONE */
    bool has_chosen;          /* does the metric matter? */
    mpdata_format_fn *write;
};

/* All of them; the last one's name is NULL. */
extern const struct mpdata_format mpdata_formats[];

/* The format of this name, or NULL. */
const struct mpdata_format *mpdata_formats_find(const char *name);

#define X(id, name, needs, part, has_chosen, help) \
    mpdata_format_fn mpdata_##id##_write;
MPDATA_FORMATS(X)
#undef X

#endif
