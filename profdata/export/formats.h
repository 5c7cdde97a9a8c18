/* formats.h -- the formats of other tools that a profile can be exported to:
 * one source file and one row each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/diag.h"
#include "profdata/base/sink.h"
#include "profdata/query/frames.h"
#include "profdata/query/metrics.h"
#include "shared/tag_format.h"

/* X(id, name, needs, part, has_chosen, help): mpdata_ID_write() in ID.c writes
 * the format (all of DHAT's are in dhat.c, pprof's in pprof.c). The profile
 * must hold the metric `needs` and rows of the kind `part`; NONE: no more than
 * each profile holds. has_chosen: the user chooses a metric, which is the only
 * one or comes first. */
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
    X(pprof_go, "pprof-go", NONE, NONE, true,                                \
      "pprof with only what Go's heap profiles have: Parca, Pyroscope, "     \
      "Grafana Alloy")                                                       \
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
      "to main(): ms_print, massif-visualizer")                              \
    X(luajit, "luajit", NONE, NONE, false,                                   \
      "a stream of LuaJIT's memory profiler, version 1, with the innermost " \
      "functions and events in an invented order: luajit-parse-memprof")     \
    X(mono_log, "mono-log", NONE, NONE, false,                               \
      "the log of Mono's profiler of 2007, version 1 of the block format: "  \
      "allocations by class, in calls of methods")

/* A literal: all names, each with a trailing space. */
#define MPDATA_FORMAT_NAME_(id, name, needs, part, has_chosen, help) name " "
#define MPDATA_FORMAT_NAMES MPDATA_FORMATS(MPDATA_FORMAT_NAME_)

#define MPDATA_METRIC_NONE MPDATA_METRIC_COUNT
#define MPROF_TAG_NONE 0

/* The only frame of an unknown call stack. */
#define MPDATA_FORMATS_UNKNOWN "[unknown]"

/* The input of an exporter: a canonical profile, all borrowed. */
struct mpdata_export {
    const struct mpdata_profile *profile;
    const struct mpdata_profile *old; /* compared or subtracted; or NULL */
    struct mpdata_frame_names *names; /* of the profile */
    const bool *held;                 /* by metric: does the profile hold it? */
    enum mpdata_metric metric;        /* the chosen one, if has_chosen */
    /* Receives what the format or the profile lacks. */
    const struct mpdata_diag_warn *warn;
};

/* Writes the whole document. Values that the profile does not hold are omitted,
 * never written as zero. Error: NOMEM; errors of writing show in the sink. */
typedef enum mprof_err mpdata_format_fn(const struct mpdata_export *what,
                                        struct mpdata_sink *sink);

struct mpdata_format {
    const char *name;
    const char *help;
    enum mpdata_metric needs; /* or MPDATA_METRIC_NONE */
    uint32_t part;            /* enum mprof_tag_kind, or MPROF_TAG_NONE */
    bool has_chosen;          /* does the format use the chosen metric? */
    mpdata_format_fn *write;
};

/* All formats; the last row's name is NULL. */
extern const struct mpdata_format mpdata_formats[];

/* The format of this name, or NULL. */
const struct mpdata_format *mpdata_formats_find(const char *name);

#define X(id, name, needs, part, has_chosen, help) \
    mpdata_format_fn mpdata_##id##_write;
MPDATA_FORMATS(X)
#undef X
