/* filter_options.h -- the options that select call stacks by regular
 * expressions and conditions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/cmd/cmd.h"
#include "profdata/load/raw_filter.h"
#include "profdata/load/symbolize.h"
#include "profdata/model/prune.h"
#include "profdata/query/left_out.h"
#include "profdata/query/metric_filter.h"

#include <regex.h>

/* Rows of a table of options, for a state that begins with a struct session. */
#define SESSION_REGEX_(name, value, id, help)       \
    {                                               \
        name, 0, value, help, filter_options_regex, \
            SESSION_AT(filter.regexes[id])          \
    }
#define SESSION_STACK_OPTIONS                                                  \
    SESSION_REGEX_("function", "REGEX", CMD_FILTER_FUNCTION,                   \
                   "keep call stacks with a function whose linkage name "      \
                   "matches REGEX (extended; any part of the name)"),          \
        SESSION_REGEX_("exclude-function", "REGEX",                            \
                       CMD_FILTER_EXCLUDE_FUNCTION,                            \
                       "remove call stacks with such a function"),             \
        SESSION_REGEX_("file", "REGEX", CMD_FILTER_FILE,                       \
                       "keep call stacks with a frame in a source file whose " \
                       "path matches REGEX"),                                  \
        SESSION_REGEX_("exclude-file", "REGEX", CMD_FILTER_EXCLUDE_FILE,       \
                       "remove call stacks with a frame in such a file"),      \
        SESSION_REGEX_(                                                        \
            "focus", "REGEX", CMD_FILTER_FOCUS,                                \
            "keep call stacks with a function (demangled or linkage name) or " \
            "a source file that matches REGEX (pprof's -focus)"),              \
        SESSION_REGEX_("ignore", "REGEX", CMD_FILTER_IGNORE,                   \
                       "remove call stacks with such a function or file "      \
                       "(pprof's -ignore)"),                                   \
        SESSION_REGEX_("type", "REGEX", CMD_FILTER_TYPE,                       \
                       "keep call stacks that allocate objects of a type "     \
                       "whose name matches REGEX"),                            \
        SESSION_REGEX_(                                                        \
            "exclude-type", "REGEX", CMD_FILTER_EXCLUDE_TYPE,                  \
            "remove call stacks that allocate objects of such a type"),        \
    {                                                                          \
        "filter", 0, "CONDITION",                                              \
            "keep call stacks that fulfil a condition on a metric or on a "    \
            "ratio of two: bytes>=64K, lifetime/blocks<1ms, "                  \
            "'reads=0|writes=0'; may be given several times",                  \
            filter_options_condition, SESSION_AT(filter)                       \
    }
#define SESSION_FILTER_OPTIONS                                                \
    SESSION_STACK_OPTIONS,                                                    \
        SESSION_REGEX_(                                                       \
            "binary", "=REGEX", CMD_FILTER_BINARY,                            \
            "keep call stacks with a frame in a program or library whose "    \
            "path or build id matches REGEX. Raw profiles only: indexed "     \
            "profiles and text do not record the binary of a frame"),         \
        SESSION_REGEX_(                                                       \
            "exclude-binary", "=REGEX", CMD_FILTER_EXCLUDE_BINARY,            \
            "remove call stacks with a frame in such a program or library"),  \
        SESSION_REGEX_("thread", "REGEX", CMD_FILTER_THREAD,                  \
                       "keep call stacks of threads whose name matches "      \
                       "REGEX. Raw profiles only, of programs that ran with " \
                       "MEMPROF_OPTIONS=per_thread=1"),                       \
        SESSION_REGEX_("exclude-thread", "REGEX", CMD_FILTER_EXCLUDE_THREAD,  \
                       "remove call stacks of such threads")

/* For commands that show profiles; see session_hide(). */
#define SESSION_HIDE_OPTION                                                    \
    SESSION_REGEX_(                                                            \
        "hide", "REGEX", CMD_FILTER_HIDE,                                      \
        "remove frames whose function or source file matches REGEX from call " \
        "stacks (pprof's -hide), and frames without either whose binary's "    \
        "path matches; their callers get their allocations")

#define CMD_METRIC_FILTERS_MAX 16

struct cmd_regex {
    const char *text; /* NULL: not given */
    regex_t regex;
};

/* Compiles the value, which is borrowed, into a struct cmd_regex. */
cmd_take_fn filter_options_regex;
/* Does the expression match a part of the text? When out of memory, returns
 * false and sets *has_failed. */
bool filter_options_fits(const struct cmd_regex *regex, const char *text,
                         bool *has_failed);
void filter_options_free_regex(struct cmd_regex *regex);

/* The options that are regular expressions. The first CMD_FILTER_RAW_COUNT
 * apply to raw profiles before symbolization, the others to loaded profiles. */
enum cmd_filter_regex {
    CMD_FILTER_BINARY,
    CMD_FILTER_EXCLUDE_BINARY,
    CMD_FILTER_THREAD,
    CMD_FILTER_EXCLUDE_THREAD,
    CMD_FILTER_FUNCTION,
    CMD_FILTER_EXCLUDE_FUNCTION,
    CMD_FILTER_FILE,
    CMD_FILTER_EXCLUDE_FILE,
    CMD_FILTER_TYPE,
    CMD_FILTER_EXCLUDE_TYPE,
    CMD_FILTER_FOCUS,
    CMD_FILTER_IGNORE,
    CMD_FILTER_HIDE, /* chooses frames, not call stacks */
    CMD_FILTER_COUNT
};
#define CMD_FILTER_RAW_COUNT CMD_FILTER_FUNCTION

/* Which call stacks to keep. Zero-initialize. */
struct cmd_filter {
    struct cmd_regex regexes[CMD_FILTER_COUNT];
    struct mpdata_metric_filter metrics[CMD_METRIC_FILTERS_MAX];
    size_t metric_count;
    /* Filters raw profiles by binary and thread. */
    struct mpdata_raw_filter raw;
    /* --profiled-binary, for files without paths */
    struct mpdata_binaries named;
    /* Whether each type of the current profile is kept, by mpdata_string;
     * owned, NULL before the first use. */
    uint8_t *types;
    /* Set by the caller. */
    const struct mpdata_demangler *demangler;
    bool has_failed; /* out of memory while matching */
    bool has_hidden; /* --hide has matched */
    /* Set by the caller: call stacks that are equal when wrappers are hidden
     * become one. */
    bool joins_wrapped;
    /* Set by the caller: what is shown instead of the heap's blocks ("pools",
     * "events", "copies"), or NULL. */
    const char *shown;
    /* The profile will be written, and records what was filtered out. */
    bool is_written;
    /* Set by the caller: what precedes a sentence about what was filtered out,
     * or NULL; receives these sentences, a line each, or NULL. */
    const char *whose;
    struct mprof_buf *lines;
    bool has_left_out; /* something was filtered out, now or by merge */
};

/* Adds a condition, which is borrowed, to a struct cmd_filter. */
cmd_take_fn filter_options_condition;
/* Returns the name of a filter option that was given, or NULL. */
const char *filter_options_given(const struct cmd_filter *filter);
/* For call stacks that are no contexts: is the type kept by --type and its
 * opposite? Call the second one when the profile has grown. The third one
 * refuses these options if there are no types. */
bool filter_options_keeps_type(struct cmd_filter *filter,
                               const struct mpdata_view *view, mpdata_ref leaf);
void filter_options_forget_types(struct cmd_filter *filter);
MPROF_NODISCARD enum mprof_err
filter_options_check_types(const struct cmd_filter *filter,
                           const struct mpdata_view *view,
                           struct mprof_diag *diag);
/* Passes the filter expressions to the raw filter of `load` and to `prune`.
 * Returns 0, or an exit status after printing a message. */
int filter_options_setup(struct cmd_filter *filter,
                         const struct cmd_words *binaries,
                         struct mpdata_load_context *load,
                         struct mpdata_prune *prune);
/* Call it after a profile is loaded and before pruning. Prints what merge
 * removed earlier, and what --binary, --thread and their opposites removed. */
void filter_options_loaded(struct cmd_filter *filter,
                           const struct mpdata_profile *profile);
/* Like filter_options_loaded(), for a profile that will be written: stores in
 * it what is filtered out now and by filter_options_prune(). */
void filter_options_loaded_to_write(struct cmd_filter *filter,
                                    struct mpdata_profile *profile);
/* Prunes a canonical profile as `prune` says, if it says anything, and prints
 * how much was removed; replaces *profile. Errors: UNSUPPORTED if the profile
 * lacks the needed data, NOMEM. */
MPROF_NODISCARD enum mprof_err
filter_options_prune(struct cmd_filter *filter,
                     const struct mpdata_prune *prune,
                     struct mpdata_profile **profile, struct mprof_diag *diag);
/* Removes frames from the call stacks of a canonical profile: those that match
 * --hide and, with hides_wrappers, those of allocation wrappers. Sets *wrapped
 * to the number of call stacks that ended in wrappers. With hides_wrappers the
 * profile is for views by frame (mpdata_prune_hide()); else *profile becomes
 * another one. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
filter_options_hide(struct cmd_filter *filter, bool hides_wrappers,
                    struct mpdata_profile **profile, uint32_t *wrapped);
/* Accepts a zeroed struct. */
void filter_options_fini(struct cmd_filter *filter);
