/* session.h -- a call of a command that reads profiles: the options that these
 * commands share, then inputs, profiles, filters and output.
 *
 * The state of such a command begins with a struct session, so its rows of
 * options and its functions find the session there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SESSION_H
#define MPDATA_SESSION_H

#include "profdata/base/sink.h"
#include "profdata/cmd/cmd.h"
#include "profdata/cmd/filter_options.h"
#include "profdata/cmd/terminal.h"
#include "profdata/load/load_all.h"
#include "profdata/model/content.h"

/* A command that reads one profile has it as the new one. */
enum { SESSION_OLD, SESSION_NEW, SESSION_SIDES };

/* Where function names come from. */
struct session_symbols {
    struct cmd_words binaries; /* --profiled-binary */
    struct cmd_words dirs;     /* --debug-dir */
    bool no_cache;
};

/* Inputs that are read as one profile. */
struct session_profile {
    struct mpdata_inputs inputs;
    struct mpdata_load_context load;
    struct mpdata_content content;
    struct mpdata_left_out_list left_out; /* of it; after the load */
};

struct session {
    const struct cmd_command *command;
    const char *output; /* "-": standard output */
    enum terminal_color color;
    bool is_json;
    bool no_verify;
    bool is_of_pools; /* their blocks in the place of all others */
    const char
        *shown; /* "events" or "copies" in the place of blocks; or NULL */
    struct show_options show; /* `top`, `full_stacks`; see session_print() */
    struct session_symbols symbols;
    struct cmd_filter filter;
    struct mpdata_prune prune;
    const char **words; /* operands; owned, with room for all words */
    uint32_t word_count;
    struct session_profile profiles[SESSION_SIDES];
    struct mpdata_demangler demangler; /* of the new profile's symbolizer */
    /* From here on session.c's. */
    struct cmd_warned warned;
    struct mpdata_diag_warn warn;
};

#define SESSION_AT(member) offsetof(struct session, member)

/* Rows of a table of options. */
#define SESSION_SYMBOL_OPTIONS                                             \
    {"profiled-binary",                                                    \
     0,                                                                    \
     "PATH",                                                               \
     "the program or a library that was profiled, found by its build id, " \
     "or a directory of them; may be given several times. Needed for "     \
     "LLVM's raw files only, and where a binary has moved",                \
     cmd_take_word,                                                        \
     SESSION_AT(symbols.binaries)},                                        \
        {"debug-dir",                                                      \
         0,                                                                \
         "DIR",                                                            \
         "look for debug information in DIR: by build id, also in "        \
         "DIR/.build-id, by the binary's path, by its debug link; may be " \
         "given several times. Without it: beside the binary, in "         \
         "/usr/lib/debug, and at $DEBUGINFOD_URLS",                        \
         cmd_take_word,                                                    \
         SESSION_AT(symbols.dirs)},                                        \
    {                                                                      \
        "no-cache", 0, NULL,                                               \
            "find all function names anew; else they are kept in "         \
            "$XDG_CACHE_HOME/memprof or ~/.cache/memprof",                 \
            cmd_take_flag, SESSION_AT(symbols.no_cache)                    \
    }
#define SESSION_JSON_OPTION                                               \
    {                                                                     \
        "json", 0, NULL, "print JSON", cmd_take_flag, SESSION_AT(is_json) \
    }
#define SESSION_STACKS_OPTION                                              \
    {                                                                      \
        "full-stacks", 0, NULL, "every frame, with whole names and paths", \
            cmd_take_flag, SESSION_AT(show.full_stacks)                    \
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

/* Takes the words of the call, then runs the command. s: its state, zeroed but
 * for defaults; freed at the end. Returns the exit status. */
typedef int session_fn(struct session *s);
int session_run(struct session *s, const struct cmd_call *call,
                session_fn *run);

/* All functions from here on return 0, or an exit status after a message. */

/* Makes the words the inputs of the new profile, or one word each of the old
 * and the new one. An input that was named must not be lost to the output. */
int session_take_inputs(struct session *s);
int session_take_pair(struct session *s);
/* Adds what one word means. */
int session_add(struct session_profile *p, const char *word);

/* Gets a profile ready to be loaded into. */
int session_open(struct session *s, struct session_profile *p);
/* That, and reads the call stacks of the inputs into it. */
int session_read(struct session *s, struct session_profile *p);
/* Says what was passed over, and leaves out what the filters do. */
int session_filter(struct session *s, struct session_profile *p);
/* All of them. */
int session_load(struct session *s, struct session_profile *p);
/* Says which inputs were passed over. */
void session_say_inputs(const struct session *s,
                        const struct session_profile *p);

/* The profile that was loaded. */
struct mpdata_profile *session_profile(const struct session *s, int side);

/* Prints to the output as s->is_json says, with s->show as suits it. A file is
 * then there whole, or as it was. Without `json`, `text` prints both. Errors of
 * the functions: NOMEM. */
typedef enum mprof_err session_text_fn(struct session *s, FILE *out);
typedef enum mprof_err session_write_fn(struct session *s,
                                        struct mpdata_sink *sink);
int session_print(struct session *s, session_text_fn *text,
                  session_write_fn *json);
/* Writes to the output; a sink that failed is an error, too. */
int session_write(struct session *s, session_write_fn *write);

#endif
