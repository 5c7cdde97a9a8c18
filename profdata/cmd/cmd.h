/* cmd.h -- shared by all commands of memprofdata: tables of options, which
 * drive parsing and --help, and functions that print messages.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/base/diag.h"
#include "profdata/base/lines.h"

#include <stdio.h>

#define CMD_EXIT_USAGE 2

struct cmd_command;
struct cmd_option;

/* An option that was given, or an operand (option NULL). */
struct cmd_arg {
    const struct cmd_command *command;
    const struct cmd_option *option;
    const char *value; /* NULL for an option without a value */
    /* The member of the command's state that the option's row names; for an
     * operand the state itself. */
    void *field;
};

/* Stores the value in the field. Returns 0, or an exit status after printing a
 * message. */
typedef int cmd_take_fn(const struct cmd_arg *arg);

/* An option. Users write --name, -name (as llvm-profdata accepts) or, if it has
 * a letter, -l; a value follows after '=' or as the next argument. */
struct cmd_option {
    const char *name;
    char letter; /* 0: none */
    /* Name of the value in --help; NULL: the option takes no value. A leading
     * '=' means that the value must be in the same argument. After a ':' follow
     * the possible values, separated by spaces, which shells complete. */
    const char *value;
    const char *help;  /* NULL: accepted but not listed */
    cmd_take_fn *take; /* NULL: the option has no effect */
    size_t field;      /* offset of take()'s field in the state */
};

/* Values of an option that may be repeated; borrowed. */
struct cmd_words {
    const char **words;
    size_t count;
};

/* Sets a bool to true. */
cmd_take_fn cmd_take_flag;
/* Sets a const char * to the value, borrowed. */
cmd_take_fn cmd_take_text;
/* Appends the value to a struct cmd_words, which has room for all arguments. */
cmd_take_fn cmd_take_word;
/* Set a uint64_t to a number up to UINT32_MAX, to any number, and to one above
 * 0. */
cmd_take_fn cmd_take_count;
cmd_take_fn cmd_take_number;
cmd_take_fn cmd_take_positive;
/* Sets an enum to the index of the value among the option's values. */
cmd_take_fn cmd_take_choice;

/* Value of --top if it was not given. */
#define CMD_TOP_UNSET UINT64_MAX

/* A call of a command. `all`: every command, NULL at the end. */
struct cmd_call {
    const struct cmd_command *command;
    const struct cmd_command *const *all;
    int argc;
    char **argv; /* starts with the command's name */
};

struct cmd_command {
    const char *name;
    const char *usage; /* follows "memprofdata NAME" */
    const char *summary;
    const char *details; /* paragraphs for --help */
    const struct cmd_option *options;
    size_t option_count;
    int (*run)(const struct cmd_call *call); /* returns the exit status */
};

/* Returns the command with this name, or NULL. */
const struct cmd_command *cmd_find(const struct cmd_command *const *all,
                                   const char *name);

/* Passes each argument of the call to its option's take(), or to `operand`.
 * Returns false if the command must end with exit status *status: after an
 * error, and after --help, which is printed here. */
bool cmd_take_all(const struct cmd_call *call, void *state,
                  cmd_take_fn *operand, int *status);

/* Returns the name of the option's value in --help, *size bytes long. The
 * option must take a value. */
const char *cmd_value_name(const struct cmd_option *option, int *size);

/* Parses a decimal number up to max. Returns false if the text is not one. */
bool cmd_number(const char *text, uint64_t max, uint64_t *number);
/* Parses a number of bytes up to max: "64", "512K", "2M", "1G". */
bool cmd_bytes(const char *text, uint64_t max, uint64_t *number);

void cmd_print_help(FILE *out, const struct cmd_command *command);
void cmd_print_overview(FILE *out, const struct cmd_command *const *all);

/* Print the man page of a command, and the list of commands in memprofdata's
 * man page. */
void words_print_page(FILE *out, const struct cmd_command *command);
void words_print_roff(FILE *out, const struct cmd_command *const *all);
/* Print "WORD<tab>SUMMARY" for each command, or for each option of a command,
 * for the completion of shells. Options with a value end in '='; their possible
 * values follow after another tab, separated by spaces. */
void words_print_all(FILE *out, const struct cmd_command *const *all);
void words_print(FILE *out, const struct cmd_command *command);

/* Prints "memprofdata: ..." to stderr. */
void cmd_say(const char *format, ...) MPROF_PRINTF(1, 2);
/* Prints a usage error and where to find help. Returns CMD_EXIT_USAGE. */
int cmd_usage(const struct cmd_command *command, const char *format, ...)
    MPROF_PRINTF(2, 3);
/* A usage error: a command does not exist. Names one that may be meant. */
int cmd_no_command(const struct cmd_command *const *all, const char *prefix,
                   const char *name);
/* Prints how many dumps were replaced by later ones of the same run, if any. */
void cmd_say_replaced(uint64_t dumps);
/* Prints an error. Returns its exit status. */
int cmd_fail(const struct mprof_diag *diag);
/* Like cmd_fail(), for an error of mpdata_load_all(). */
int cmd_fail_inputs(const struct mprof_diag *diag);

int cmd_no_memory(void);

/* Reads a list of a user with `read`. Returns 0, or an exit status after a
 * message, which says what each line must be. Fini of the list is due either
 * way. */
typedef enum mprof_err cmd_list_fn(struct mpdata_list *list, const char *text,
                                   size_t size);
int cmd_read_list(struct mpdata_list *list, const char *path, cmd_list_fn *read,
                  const char *expected);

/* On a terminal, show a line with the number of files read so far out of
 * `total`, from one second after the start on. cmd_say() prints above it.
 * progress_stop() removes the line and must be called. */
void progress_start(uint64_t total);
void progress_step(void);
void progress_pause(void);
void progress_stop(void);

/* Turns signals caused by broken files into errors. If an input is truncated
 * while it is read, the command ends with a message. If an output exceeds the
 * file size limit, the writer gets an error. */
void guard_signals(void);

/* Opens /dev/null in place of standard descriptors that the caller closed.
 * Otherwise output could end up in the next file or pipe that is opened.
 * Reading and writing still fail with EBADF, but for standard error. */
void guard_descriptors(void);

/* A mpdata_warn_fn that prints each text once. `context` is a struct
 * cmd_warned. */
struct cmd_warned {
    struct mpdata_set sums; /* uint64_t: hashes of the texts */
};

void cmd_warn(void *context, const char *file, const char *text);
void cmd_warned_fini(struct cmd_warned *warned);

/* Flushes stdout. Returns `status`, or 3 if stdout could not be written. */
int cmd_finish_output(int status);
