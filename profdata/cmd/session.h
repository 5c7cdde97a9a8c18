/* session.h -- a call of a command that reads profiles: the options that these
 * commands share, then inputs, profiles, filters and output.
 *
 * The state of such a command begins with a struct session, so that rows of
 * options and functions find the session there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/cmd/cmd.h"
#include "profdata/cmd/filter_options.h"
#include "profdata/cmd/terminal.h"
#include "profdata/events/event_choice.h"
#include "profdata/load/load.h"
#include "profdata/model/content.h"

/* A command that reads one profile uses SESSION_NEW. */
enum { SESSION_OLD, SESSION_NEW, SESSION_SIDES };

/* Options about function names. */
struct session_symbols {
    struct cmd_words binaries; /* --profiled-binary */
    struct cmd_words dirs;     /* --debug-dir */
    bool no_cache;
};

/* A profile and the inputs that are merged into it. */
struct session_profile {
    struct mpdata_inputs inputs;
    struct mpdata_load_context load;
    struct mpdata_content content;
    /* Lines about what was filtered out of it; set after loading. */
    struct mprof_buf left_out;
    /* Call stacks that became equal to others by session_hide(). */
    uint32_t joined;
};

struct session {
    const struct cmd_command *command;
    const char *output; /* "-": standard output */
    enum terminal_color color;
    bool is_json;
    bool no_verify;
    bool shows_wrappers;
    /* Show the blocks of pools instead of the heap's blocks. */
    bool is_of_pools;
    /* "events" or "copies" if shown instead of blocks, else NULL */
    const char *shown;
    /* `top` and `full_stacks` from options; the style is set by session_print()
     */
    struct show_options show;
    struct session_symbols symbols;
    struct cmd_filter filter;
    struct mpdata_event_choice choice; /* --at, --window */
    bool may_be_no_log; /* --at also means something for other inputs */
    struct mpdata_prune prune;
    const char **words; /* operands; owned, with room for all arguments */
    uint32_t word_count;
    struct session_profile profiles[SESSION_SIDES];
    struct mpdata_demangler demangler; /* uses the new profile's symbolizer */
    /* Private to session.c. */
    struct cmd_warned warned;
    struct mpdata_diag_warn warn;
};

#define SESSION_AT(member) offsetof(struct session, member)

/* Rows of a table of options. */
#define SESSION_SYMBOL_OPTIONS                                                 \
    {"profiled-binary",                                                        \
     0,                                                                        \
     "PATH",                                                                   \
     "a profiled program or library, identified by its build id, or a "        \
     "directory of them; may be given several times. Needed only for LLVM's "  \
     "raw files and for binaries that were moved",                             \
     cmd_take_word,                                                            \
     SESSION_AT(symbols.binaries)},                                            \
        {"debug-dir",                                                          \
         0,                                                                    \
         "DIR",                                                                \
         "search DIR for debug files first: by build id (also in "             \
         "DIR/.build-id), by the binary's path and by its debug link; may be " \
         "given several times. Then follow the binary's own directory, "       \
         "/usr/lib/debug and $DEBUGINFOD_URLS",                                \
         cmd_take_word,                                                        \
         SESSION_AT(symbols.dirs)},                                            \
    {                                                                          \
        "no-cache", 0, NULL,                                                   \
            "do not use the cache of function names in "                       \
            "$XDG_CACHE_HOME/memprof or ~/.cache/memprof",                     \
            cmd_take_flag, SESSION_AT(symbols.no_cache)                        \
    }
#define SESSION_AT_HELP                                                       \
    "of a log: only the blocks that were alive at TIME, with all that "       \
    "happened to them until its end. TIME is 1.5s, 20ms ... after the start " \
    "of the run, 50%, start, peak, end, or the name of a mark or of a phase " \
    "(when it began; NAME#2 is the second of that name)"
#define SESSION_WINDOW_OPTION                                                \
    {                                                                        \
        "window", 0, "TIME,TIME",                                            \
            "of a log: only the blocks that were allocated between two "     \
            "moments and were alive at the second one; the name of a phase " \
            "stands for its beginning and end",                              \
            cmd_take_text, SESSION_AT(choice.window)                         \
    }
#define SESSION_MOMENT_OPTIONS                                                \
    {"at", 0, "TIME", SESSION_AT_HELP, cmd_take_text, SESSION_AT(choice.at)}, \
        SESSION_WINDOW_OPTION
#define SESSION_JSON_OPTION                                               \
    {                                                                     \
        "json", 0, NULL, "print JSON", cmd_take_flag, SESSION_AT(is_json) \
    }
#define SESSION_STACKS_OPTION                                                 \
    {                                                                         \
        "full-stacks", 0, NULL,                                               \
            "print all frames, with complete names and paths", cmd_take_flag, \
            SESSION_AT(show.full_stacks)                                      \
    }
#define SESSION_WRAPPERS_OPTION                                              \
    {                                                                        \
        "wrappers", 0, NULL,                                                 \
            "show start-up and functions that only allocate for their "      \
            "callers (xmalloc, operator new, the C++ library) in tables by " \
            "function, line and file and in the tree; by default, their "    \
            "callers get their allocations. --json always has them",         \
            cmd_take_flag, SESSION_AT(shows_wrappers)                        \
    }
#define SESSION_COLOR_OPTION                                                 \
    {                                                                        \
        "color", 0, "WHEN:auto always never",                                \
            "auto (default: on a terminal, unless NO_COLOR is set), always " \
            "or "                                                            \
            "never",                                                         \
            cmd_take_choice, SESSION_AT(color)                               \
    }
#define SESSION_OUTPUT_OPTIONS                               \
    {                                                        \
        "output",        'o',           "FILE",              \
        "print to FILE", cmd_take_text, SESSION_AT(output)}, \
        SESSION_COLOR_OPTION
#define SESSION_VERIFY_OPTION                                             \
    {                                                                     \
        "no-verify", 0, NULL, "read inputs whose checksums do not match", \
            cmd_take_flag, SESSION_AT(no_verify)                          \
    }

/* Parses the arguments of the call, then calls `run`. `s`: zeroed except for
 * defaults; its contents are freed at the end. Returns the exit status. */
typedef int session_fn(struct session *s);
int session_run(struct session *s, const struct cmd_call *call,
                session_fn *run);

/* The following functions return 0, or an exit status after printing a message,
 * unless they are declared otherwise. */

/* Makes the operands the inputs of the new profile; or, for _pair(), the two
 * operands the inputs of the old and the new profile. Fails if the output is an
 * input that was named. */
int session_take_inputs(struct session *s);
int session_take_pair(struct session *s);
/* Adds the inputs that one operand stands for, each to be counted `weight`
 * times. */
int session_add(struct session_profile *p, const char *word, uint64_t weight);

/* Prepares a profile for loading. */
int session_open(struct session *s, struct session_profile *p);
/* Opens a profile and reads the call stacks of its inputs. */
int session_read(struct session *s, struct session_profile *p);
/* After loading: prints which blocks of a log were chosen; fails if --at or
 * --window were given for something else. */
int session_say_choice(const struct session *s,
                       const struct session_profile *p);
/* Prints which inputs were skipped, and applies the filters. */
int session_filter(struct session *s, struct session_profile *p);
/* Opens, reads and filters a profile. */
int session_load(struct session *s, struct session_profile *p);
/* Removes frames from the call stacks of a loaded profile: those that match
 * --hide and, with hides_wrappers, those of allocation wrappers. */
int session_hide(struct session *s, struct session_profile *p,
                 bool hides_wrappers);
/* Prints which inputs were skipped. */
void session_say_inputs(const struct session *s,
                        const struct session_profile *p);

/* Returns the loaded profile of a side. */
struct mpdata_profile *session_profile(const struct session *s, int side);

/* Prints to the output, as JSON if s->is_json, and sets the style in s->show.
 * An output file is replaced completely or not at all. If `json` is NULL,
 * `text` prints both. Error of the functions: NOMEM. */
typedef enum mprof_err session_text_fn(struct session *s, FILE *out);
typedef enum mprof_err session_write_fn(struct session *s,
                                        struct mpdata_sink *sink);
int session_print(struct session *s, session_text_fn *text,
                  session_write_fn *json);
/* Calls `write` with a sink to the output. A failed sink is an error too. */
int session_write(struct session *s, session_write_fn *write);

/* Prints, after `whose`, that values are estimates if blocks of the profile
 * were sampled, and that numbers or sizes of blocks are unknown. Returns an
 * exit status. */
int session_say_limits(const struct mpdata_profile *profile, const char *whose);
