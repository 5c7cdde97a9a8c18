/* filter_options.h -- the options of merge and show that choose call stacks by
 * regular expressions and by conditions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FILTER_OPTIONS_H
#define MPDATA_FILTER_OPTIONS_H

#include "profdata/cmd/cmd.h"
#include "profdata/load/raw_filter.h"
#include "profdata/load/symbolize.h"
#include "profdata/model/prune.h"
#include "profdata/query/left_out.h"
#include "profdata/query/metric_filter.h"

#include <regex.h>

/* Rows of a table of options, of a state that begins with a struct session. */
#define SESSION_REGEX_(name, value, id, help)       \
    {                                               \
        name, 0, value, help, filter_options_regex, \
            SESSION_AT(filter.regexes[id])          \
    }
#define SESSION_FILTER_OPTIONS                                                \
    SESSION_REGEX_("function", "REGEX", CMD_FILTER_FUNCTION,                  \
                   "keep call stacks with a function whose linkage name "     \
                   "REGEX fits (any part of it; extended)"),                  \
        SESSION_REGEX_(                                                       \
            "binary", "=REGEX", CMD_FILTER_BINARY,                            \
            "keep call stacks with a frame in a program or library whose "    \
            "path or build id REGEX fits (any part of it; extended). Raw "    \
            "profiles only: indexed ones and text do not say where a frame "  \
            "was"),                                                           \
        SESSION_REGEX_("exclude-binary", "=REGEX", CMD_FILTER_EXCLUDE_BINARY, \
                       "leave out call stacks with a frame in such a "        \
                       "program or library"),                                 \
        SESSION_REGEX_("exclude-function", "REGEX",                           \
                       CMD_FILTER_EXCLUDE_FUNCTION,                           \
                       "leave out call stacks with such a function"),         \
        SESSION_REGEX_("file", "REGEX", CMD_FILTER_FILE,                      \
                       "keep call stacks with a frame in a source file "      \
                       "whose path REGEX fits"),                              \
        SESSION_REGEX_("exclude-file", "REGEX", CMD_FILTER_EXCLUDE_FILE,      \
                       "leave out call stacks with a frame in such a file"),  \
        {"filter",                                                            \
         0,                                                                   \
         "CONDITION",                                                         \
         "keep call stacks with so much of a metric, or of one for each of "  \
         "another: bytes>=64K, lifetime/blocks<1ms, 'reads=0|writes=0'; may " \
         "be given several times",                                            \
         filter_options_condition,                                            \
         SESSION_AT(filter)},                                                 \
        SESSION_REGEX_("exclude-thread", "REGEX", CMD_FILTER_EXCLUDE_THREAD,  \
                       "leave out call stacks of such threads"),              \
        SESSION_REGEX_("type", "REGEX", CMD_FILTER_TYPE,                      \
                       "keep call stacks that allocate objects of a type "    \
                       "whose name REGEX fits"),                              \
        SESSION_REGEX_("exclude-type", "REGEX", CMD_FILTER_EXCLUDE_TYPE,      \
                       "leave out call stacks that allocate objects of such " \
                       "a type"),                                             \
        SESSION_REGEX_("thread", "REGEX", CMD_FILTER_THREAD,                  \
                       "keep call stacks of threads whose name REGEX fits "   \
                       "(any part of it; extended). Raw profiles only, of "   \
                       "programs that ran with MEMPROF_OPTIONS=per_thread=1")

#define CMD_METRIC_FILTERS_MAX 16

struct cmd_regex {
    const char *text; /* NULL: anything matches */
    regex_t regex;
};

/* struct cmd_regex: compiles the value, which is borrowed, once. */
cmd_take_fn filter_options_regex;
/* Does it fit a part of the text? Without memory it does not, and *has_failed
 * is set. */
bool filter_options_fits(const struct cmd_regex *regex, const char *text,
                         bool *has_failed);
void filter_options_free_regex(struct cmd_regex *regex);

/* Those of the options that are regular expressions. First those that raw
 * profiles answer, then those that pruning asks. */
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
    CMD_FILTER_COUNT
};
#define CMD_FILTER_RAW_COUNT CMD_FILTER_FUNCTION

/* Which call stacks are wanted. Zero-initialise. */
struct cmd_filter {
    struct cmd_regex regexes[CMD_FILTER_COUNT];
    struct mpdata_metric_filter metrics[CMD_METRIC_FILTERS_MAX];
    size_t metric_count;
    struct mpdata_raw_filter raw; /* asks for binaries and threads */
    struct mpdata_binaries named; /* for files that hold no paths */
    /* What is known of the types of the profile that is being pruned, by
     * mpdata_string; owned, NULL before one was asked about. */
    uint8_t *types;
    bool has_failed;   /* there was no memory for an answer */
    const char *shown; /* to be set: in the place of the heap's blocks "pools",
                          "events" or "copies"; or NULL */
    bool is_said;      /* to be set: the output says what was left out */
    bool is_written;   /* the profile is, with what was left out of it */
    struct mpdata_left_out_list left_out; /* since the profile was loaded */
};

/* struct cmd_filter: adds the condition, which is borrowed. */
cmd_take_fn filter_options_condition;
/* The name of one that was given, or NULL. */
const char *filter_options_given(const struct cmd_filter *filter);
/* Has the raw filter of `load` and the pruning ask the expressions that there
 * are: 0, or an exit status after a message. */
int filter_options_setup(struct cmd_filter *filter,
                         const struct cmd_words *binaries,
                         struct mpdata_load_context *load,
                         struct mpdata_prune *prune);
/* Is due once a profile is loaded, before anything else is left out of it.
 * Says what --binary, --thread and their opposites left out; that, and what
 * merge did before, is in filter->left_out. */
void filter_options_loaded(struct cmd_filter *filter,
                           const struct mpdata_profile *profile);
/* The same of a profile that is written then: it holds what was left out of it
 * here and by filter_options_prune(). */
void filter_options_loaded_to_write(struct cmd_filter *filter,
                                    struct mpdata_profile *profile);
/* Leaves out of a canonical profile what `prune` does, if it asks for anything,
 * and says how much that is; *profile becomes another one. Errors: UNSUPPORTED
 * where it does not hold what is asked of it, NOMEM. */
MPROF_NODISCARD enum mprof_err
filter_options_prune(struct cmd_filter *filter,
                     const struct mpdata_prune *prune,
                     struct mpdata_profile **profile, struct mprof_diag *diag);
/* Accepts a zeroed one. */
void filter_options_fini(struct cmd_filter *filter);

#endif
