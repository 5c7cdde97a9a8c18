/* cmd.h -- what the commands of memprofdata share: tables of options, from
 * which they are parsed and --help is printed, and the two ways to say
 * something.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CMD_H
#define MPDATA_CMD_H

#include "profdata/base/set.h"
#include "profdata/base/diag.h"

#include <stdio.h>

#define CMD_EXIT_USAGE 2

struct cmd_command;
struct cmd_option;

/* Puts what an option says into `field`, the member of the command's state that
 * the option's row names, or an operand (option NULL) into the state. value:
 * NULL for an option without one. Returns 0, or an exit status after a
 * message. */
typedef int cmd_take_fn(void *field, const struct cmd_command *command,
                        const struct cmd_option *option, const char *value);

/* An option: all of it is this row. Written --name, -name (as llvm-profdata
 * takes it) or, with a letter, -l; a value follows after '=' or as the next
 * word. */
struct cmd_option {
    const char *name;
    char letter; /* or 0 */
    /* What it takes, for --help; with a '=' in front it must be in the same
     * word. Behind a ':' the values that there are, with spaces between, which
     * shells offer. NULL: nothing. */
    const char *value;
    const char *help;  /* NULL: accepted, not listed */
    cmd_take_fn *take; /* NULL: it changes nothing */
    size_t field;      /* where in the state take()'s field lies */
};

/* Values of an option that may be given several times, borrowed. */
struct cmd_words {
    const char **words;
    size_t count;
};

/* bool: true. */
cmd_take_fn cmd_take_flag;
/* const char *: the value, borrowed. */
cmd_take_fn cmd_take_text;
/* struct cmd_words, with room for all words of the call: one more. */
cmd_take_fn cmd_take_word;
/* uint64_t: a number up to UINT32_MAX. */
cmd_take_fn cmd_take_count;
/* An enum: which of the option's values it is. */
cmd_take_fn cmd_take_choice;

/* Of --top, where it was not given. */
#define CMD_TOP_UNSET UINT64_MAX

/* A call of a command. `all`: every command, NULL at the end. */
struct cmd_call {
    const struct cmd_command *command;
    const struct cmd_command *const *all;
    int argc;
    char **argv; /* from the command's name on */
};

struct cmd_command {
    const char *name;
    const char *usage; /* after "memprofdata NAME" */
    const char *summary;
    const char *details; /* paragraphs for --help */
    const struct cmd_option *options;
    size_t option_count;
    int (*run)(const struct cmd_call *call); /* returns the exit status */
};

/* The command of this name, or NULL. */
const struct cmd_command *cmd_find(const struct cmd_command *const *all,
                                   const char *name);

/* Hands each word of the call to its option's take(), or to `operand`. False
 * where the command is over, with its exit status in *status: after a mistake,
 * and after --help, which is answered here. */
bool cmd_take_all(const struct cmd_call *call, void *state,
                  cmd_take_fn *operand, int *status);

/* How --help calls the option's value, which it has: *size bytes. */
const char *cmd_value_name(const struct cmd_option *option, int *size);

/* A whole decimal number up to max, or false. */
bool cmd_number(const char *text, uint64_t max, uint64_t *number);
/* The same of bytes: "64", "512K", "2M", "1G". */
bool cmd_bytes(const char *text, uint64_t max, uint64_t *number);

void cmd_print_help(FILE *out, const struct cmd_command *command);
void cmd_print_overview(FILE *out, const struct cmd_command *const *all);

/* A command's man page, and all commands as the part of one that names them. */
void words_print_page(FILE *out, const struct cmd_command *command);
void words_print_roff(FILE *out, const struct cmd_command *const *all);
/* "WORD<tab>WHAT" for each command, or for each option of one: what a shell
 * offers. Options with a value end in '='; where there is a choice of values
 * they follow behind one more tab, with spaces between. */
void words_print_all(FILE *out, const struct cmd_command *const *all);
void words_print(FILE *out, const struct cmd_command *command);

/* "memprofdata: ..." to stderr. */
void cmd_say(const char *format, ...) MPROF_PRINTF(1, 2);
/* Says a usage mistake, with where help is; returns CMD_EXIT_USAGE. */
int cmd_usage(const struct cmd_command *command, const char *format, ...)
    MPROF_PRINTF(2, 3);
/* Says how many dumps a later one of the same run replaces, if any. */
void cmd_say_replaced(uint64_t dumps);
/* Says an error; returns its exit status. */
int cmd_fail(const struct mprof_diag *diag);
/* The same of mpdata_load_all(). */
int cmd_fail_inputs(const struct mprof_diag *diag);

int cmd_no_memory(void);

/* On a terminal, a line that says how many of `total` files are read, from a
 * second after the start on; nothing elsewhere. What cmd_say() says goes above
 * it. To be stopped, after which nothing of it is left. */
void progress_start(uint64_t total);
void progress_step(void);
void progress_pause(void);
void progress_stop(void);

/* Makes signals of broken files messages: an input that was cut short while it
 * is read ends the command with one, and an output that may not grow is an
 * error of the writer's. */
void guard_signals(void);

/* Where the caller has closed standard error, what is said goes nowhere, and
 * not into the file or pipe that would be opened in its place. */
void guard_stderr(void);

/* A mpdata_warn_fn that says each text once. `context` is a struct
 * cmd_warned. */
struct cmd_warned {
    struct mpdata_set sums; /* uint64_t: checksums of texts */
};

void cmd_warn(void *context, const char *file, const char *text);
void cmd_warned_fini(struct cmd_warned *warned);

/* Flushes stdout; an exit status: 3 where it could not be written. */
int cmd_finish_output(int status);

#endif
