/* cmd.h -- what the commands of memprofdata share: tables of options, from
 * which they are parsed and --help is printed, and the two ways to say
 * something.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CMD_H
#define MPDATA_CMD_H

#include "profdata/base/diag.h"

#include <stdio.h>

#define CMD_EXIT_USAGE 2

/* An option. Written --name, -name (as llvm-profdata takes it) or, with a
 * letter, -l; a value follows after '=' or as the next word. */
struct cmd_option {
    const char *name;
    char letter; /* or 0 */
    /* What it takes, for --help; with a '=' in front it must be in the same
     * word. NULL: nothing. */
    const char *value;
    const char *help;    /* NULL: accepted, not listed */
    const char *refusal; /* not NULL: known to llvm-profdata, not to us: why */
};

struct cmd_command {
    const char *name;
    const char *usage; /* after "memprofdata NAME" */
    const char *summary;
    const char *details; /* paragraphs for --help */
    const struct cmd_option *options;
    size_t option_count;
    int (*run)(const struct cmd_command *command, int argc, char **argv);
};

extern const struct cmd_command cmd_merge;
extern const struct cmd_command cmd_show;
extern const struct cmd_command cmd_check;
extern const struct cmd_command cmd_help;
extern const struct cmd_command cmd_version;

extern const struct cmd_command *const cmd_commands[];
extern const size_t cmd_command_count;

/* The command of this name, or NULL. */
const struct cmd_command *cmd_find(const char *name);

/* What cmd_parse() hands over, one word after the other. */
struct cmd_word {
    int option; /* index into the command's options; -1: an operand */
    const char *value;
};

/* Walks the words argv[1..argc). Zero-initialise but for the first three. */
struct cmd_parser {
    const struct cmd_command *command;
    int argc;
    char **argv;
    int next;
    bool only_operands; /* "--" was seen */
};

/* The next word; false at the end, and after a mistake, which was said and
 * made *failed true. --help is handled here: *failed stays false and
 * parser->next is past the end with *helped true. */
bool cmd_parse(struct cmd_parser *parser, struct cmd_word *word, bool *failed,
               bool *helped);

/* A whole decimal number up to max, or false. */
bool cmd_number(const char *text, uint64_t max, uint64_t *number);

void cmd_print_help(FILE *out, const struct cmd_command *command);
void cmd_print_overview(FILE *out);

/* All commands as the part of a man page that describes them. */
void words_print_roff(FILE *out);
/* "WORD<tab>WHAT" for each option of a command, or for each command where
 * there is none: what a shell offers. Options with a value end in '='. */
void words_print(FILE *out, const struct cmd_command *command);

/* "memprofdata: ..." to stderr. */
void cmd_say(const char *format, ...) MPROF_PRINTF(1, 2);
/* Says a usage mistake, with where help is; returns CMD_EXIT_USAGE. */
int cmd_usage(const struct cmd_command *command, const char *format, ...)
    MPROF_PRINTF(2, 3);
/* Says an error; returns its exit status. */
int cmd_fail(const struct mprof_diag *diag);

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

/* A mpdata_warn_fn that says each text once. `context` is a struct
 * cmd_warned. */
struct cmd_warned {
    uint64_t *texts; /* checksums, where not 0; hashed by themselves */
    size_t count;
    size_t capacity; /* a power of two, or 0 */
};

void cmd_warn(void *context, const char *file, const char *text);
void cmd_warned_fini(struct cmd_warned *warned);

/* Flushes stdout; an exit status: 3 where it could not be written. */
int cmd_finish_output(int status);

#endif
