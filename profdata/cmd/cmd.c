/* cmd.c -- options, help and messages of all commands.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"
#include "profdata/base/file.h"
#include "profdata/base/hash.h"
#include "profdata/base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <inttypes.h>
#include <string.h>

#define HELP_WIDTH 79
#define HELP_INDENT 28
#define SENTENCE_BYTES 4096

const struct cmd_command *cmd_find(const struct cmd_command *const *all,
                                   const char *name)
{
    if (strcmp(name, "used") == 0)
        name = "usage"; /* the old name stays accepted */
    while (*all != NULL && strcmp((*all)->name, name) != 0)
        all++;
    return *all;
}

/* -- suggestions ----------------------------------------------------------- */

#define WORD_BYTES_MAX 24
#define TYPOS_MAX 2

/* A mistyped word and the name that is most like it. */
struct nearest {
    const char *word;
    size_t size;
    const char *name;
    size_t typos;
};

/* The number of bytes that differ, are missing, or are too many. */
static size_t count_typos(const char *word, size_t size, const char *name)
{
    size_t row[WORD_BYTES_MAX + 1];

    for (size_t i = 0; i <= size; i++)
        row[i] = i;
    for (size_t n = 1; *name != '\0'; n++, name++) {
        size_t before = row[0];

        row[0] = n;
        for (size_t i = 1; i <= size; i++) {
            const size_t same = before + (word[i - 1] != *name);

            before = row[i];
            row[i] = mprof_min_u64(same, mprof_min_u64(before, row[i - 1]) + 1);
        }
    }
    return row[size];
}

static void consider(struct nearest *n, const char *name)
{
    size_t typos;

    if (n->size > WORD_BYTES_MAX)
        return;
    typos = count_typos(n->word, n->size, name);
    if (typos <= TYPOS_MAX && typos < n->size &&
        (n->name == NULL || typos < n->typos)) {
        n->name = name;
        n->typos = typos;
    }
}

int cmd_no_command(const struct cmd_command *const *all, const char *prefix,
                   const char *name)
{
    struct nearest nearest = {.word = name, .size = strlen(name)};

    for (; *all != NULL; all++)
        consider(&nearest, (*all)->name);
    if (nearest.name == NULL)
        return cmd_usage(NULL, "%sthere is no command %s", prefix,
                         name[0] != '\0' ? name : "''");
    return cmd_usage(NULL, "%sthere is no command %s; did you mean %s?", prefix,
                     name, nearest.name);
}

static void no_option(const struct cmd_command *command, const char *arg)
{
    const char *const word = arg + strspn(arg, "-");
    struct nearest nearest = {.word = word, .size = strcspn(word, "=")};

    for (size_t i = 0; i < command->option_count; i++)
        consider(&nearest, command->options[i].name);
    if (nearest.name == NULL)
        cmd_usage(command, "unknown option %s", arg);
    else
        cmd_usage(command, "unknown option %s; did you mean --%s?", arg,
                  nearest.name);
}

/* -- messages -------------------------------------------------------------- */

void cmd_say(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    fflush(stdout);
    progress_pause();
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    if (text != NULL)
        mpdata_controls_replace(text, strlen(text), '?');
    fprintf(stderr, "memprofdata: %s\n",
            text != NULL ? text : mprof_err_text(MPROF_E_NOMEM));
    free(text);
}

int cmd_usage(const struct cmd_command *command, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (command != NULL)
        cmd_say("%s: %s (see memprofdata %s --help)", command->name, text,
                command->name);
    else
        cmd_say("%s (see memprofdata --help)", text);
    return CMD_EXIT_USAGE;
}

void cmd_say_replaced(uint64_t dumps)
{
    if (dumps != 0)
        cmd_say("superseded dumps: %" PRIu64
                " (a later dump of the same run includes them)",
                dumps);
}

int cmd_fail(const struct mprof_diag *diag)
{
    char sentence[SENTENCE_BYTES];

    cmd_say("%s", mpdata_diag_sentence(diag, sentence, sizeof(sentence)));
    return mprof_err_exit(diag->err);
}

int cmd_fail_inputs(const struct mprof_diag *diag)
{
    /* EMPTY without a file: none of the inputs is a profile. */
    if (diag->err != MPROF_E_EMPTY || diag->file != NULL)
        return cmd_fail(diag);
    cmd_say("there is no profile among the input files");
    return mprof_err_exit(diag->err);
}

int cmd_no_memory(void)
{
    cmd_say("%s", mprof_err_text(MPROF_E_NOMEM));
    return mprof_err_exit(MPROF_E_NOMEM);
}

int cmd_read_list(struct mpdata_list *list, const char *path, cmd_list_fn *read,
                  const char *expected)
{
    struct mpdata_file file;
    struct mprof_diag diag;
    enum mprof_err err =
        mpdata_file_open_input(&file, path, mpdata_lines_is_binary, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    err = read(list, (const char *)file.data, file.size);
    mpdata_file_close(&file);
    if (err != MPROF_E_VALUE)
        return err == MPROF_E_OK ? 0 : cmd_no_memory();
    cmd_say("%s:%" PRIu32 ": not %s", path, list->bad_line, expected);
    return CMD_EXIT_USAGE;
}

/* Was the text printed before? Returns false when out of memory, so that the
 * text is repeated rather than lost. */
static bool is_said(struct cmd_warned *warned, const char *text)
{
    const uint64_t sum = mpdata_hash_bytes(text, strlen(text));
    bool is_new;

    if (warned->sums.key_bytes == 0)
        mpdata_set_init(&warned->sums, sizeof(sum), sizeof(sum));
    return mpdata_set_add(&warned->sums, &sum, &is_new) != 0 && !is_new;
}

void cmd_warn(void *context, const char *file, const char *text)
{
    if (!is_said((struct cmd_warned *)context, text))
        cmd_say("warning: %s%s%s", file != NULL ? file : "",
                file != NULL ? ": " : "", text);
}

void cmd_warned_fini(struct cmd_warned *warned)
{
    mpdata_set_fini(&warned->sums);
}

int cmd_finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    cmd_say("standard output: %s", strerror(errno));
    return mprof_err_exit(MPROF_E_IO);
}

/* -- parsing --------------------------------------------------------------- */

static int find_long(const struct cmd_command *command, const char *name,
                     size_t size)
{
    for (size_t i = 0; i < command->option_count; i++) {
        if (strlen(command->options[i].name) == size &&
            strncmp(command->options[i].name, name, size) == 0)
            return (int)i;
    }
    return -1;
}

static int find_letter(const struct cmd_command *command, char letter)
{
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].letter == letter)
            return (int)i;
    }
    return -1;
}

/* Finds the option named by `text`, an argument without its dashes. Sets *value
 * to the value in the same argument, or to NULL. */
static int find_option(const struct cmd_command *command, const char *text,
                       bool is_single_dash, const char **value)
{
    const char *equals = strchr(text, '=');
    const size_t size = equals != NULL ? (size_t)(equals - text) : strlen(text);
    int option = find_long(command, text, size);

    *value = equals != NULL ? equals + 1 : NULL;
    if (option >= 0 || !is_single_dash || text[0] == '\0')
        return option;
    option = find_letter(command, text[0]);
    if (option >= 0 && size > 1) {
        if (command->options[option].value == NULL)
            return -1;
        *value = text + 1;
    }
    return option;
}

static bool is_help(const char *text)
{
    return strcmp(text, "help") == 0 || strcmp(text, "h") == 0;
}

/* Walks the arguments of a call. */
struct parser {
    const struct cmd_call *call;
    int next;
    bool only_operands; /* "--" was seen */
};

const char *cmd_value_name(const struct cmd_option *option, int *size)
{
    const char *const name = option->value + (option->value[0] == '=');

    *size = (int)strcspn(name, ":");
    return name;
}

/* Finds an option and its value, which is in the same argument or the next.
 * Returns NULL after printing a usage error. */
static const struct cmd_option *parse_option(struct parser *p, const char *arg,
                                             const char **value)
{
    const struct cmd_command *const command = p->call->command;
    const bool is_single_dash = arg[1] != '-';
    int size;
    const int index = find_option(command, arg + (is_single_dash ? 1 : 2),
                                  is_single_dash, value);

    if (index < 0) {
        no_option(command, arg);
        return NULL;
    }
    const struct cmd_option *option = &command->options[index];
    if (option->value == NULL && *value != NULL) {
        cmd_usage(command, "--%s takes no value", option->name);
        return NULL;
    }
    if (option->value != NULL && *value == NULL) {
        if (p->next >= p->call->argc || option->value[0] == '=') {
            const char *const name = cmd_value_name(option, &size);

            cmd_usage(command, "--%s needs a value: %s%.*s", option->name,
                      option->value[0] == '=' ? "=" : "", size, name);
            return NULL;
        }
        *value = p->call->argv[p->next++];
    }
    return option;
}

static int take_option(struct parser *p, void *state, const char *arg)
{
    const char *value;
    const struct cmd_option *const option = parse_option(p, arg, &value);

    if (option == NULL)
        return CMD_EXIT_USAGE;
    return option->take == NULL
               ? 0
               : option->take(&(struct cmd_arg){p->call->command, option, value,
                                                (char *)state + option->field});
}

bool cmd_take_all(const struct cmd_call *call, void *state,
                  cmd_take_fn *operand, int *status)
{
    struct parser p = {.call = call, .next = 1};

    *status = 0;
    while (*status == 0 && p.next < call->argc) {
        const char *const arg = call->argv[p.next++];

        if (!p.only_operands && strcmp(arg, "--") == 0) {
            p.only_operands = true;
        } else if (p.only_operands || arg[0] != '-' || arg[1] == '\0') {
            *status =
                operand(&(struct cmd_arg){call->command, NULL, arg, state});
        } else if (is_help(arg + (arg[1] == '-' ? 2 : 1))) {
            cmd_print_help(stdout, call->command);
            *status = cmd_finish_output(0);
            return false;
        } else {
            *status = take_option(&p, state, arg);
        }
    }
    return *status == 0;
}

bool cmd_number(const char *text, uint64_t max, uint64_t *number)
{
    char *end;
    unsigned long long value;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || value > max)
        return false;
    *number = value;
    return true;
}

bool cmd_bytes(const char *text, uint64_t max, uint64_t *number)
{
    static const char units[] = "KMG";
    const size_t size = strlen(text);
    const char *const unit = size != 0 ? strchr(units, text[size - 1]) : NULL;
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    char digits[24];

    if (unit == NULL || size > sizeof(digits))
        return cmd_number(text, max, number);
    memcpy(digits, text, size - 1);
    digits[size - 1] = '\0';
    if (!cmd_number(digits, max >> shift, number))
        return false;
    *number <<= shift;
    return true;
}

int cmd_take_flag(const struct cmd_arg *arg)
{
    *(bool *)arg->field = true;
    return 0;
}

int cmd_take_text(const struct cmd_arg *arg)
{
    *(const char **)arg->field = arg->value;
    return 0;
}

int cmd_take_word(const struct cmd_arg *arg)
{
    struct cmd_words *const words = (struct cmd_words *)arg->field;

    words->words[words->count++] = arg->value;
    return 0;
}

static int take_number(const struct cmd_arg *arg, uint64_t least, uint64_t most)
{
    uint64_t *const number = (uint64_t *)arg->field;

    if (cmd_number(arg->value, most, number) && *number >= least)
        return 0;
    return cmd_usage(arg->command, "--%s=%s: not a number%s", arg->option->name,
                     arg->value, least != 0 ? " above 0" : "");
}

int cmd_take_count(const struct cmd_arg *arg)
{
    return take_number(arg, 0, UINT32_MAX);
}

int cmd_take_number(const struct cmd_arg *arg)
{
    return take_number(arg, 0, UINT64_MAX);
}

int cmd_take_positive(const struct cmd_arg *arg)
{
    return take_number(arg, 1, UINT64_MAX);
}

/* Turns "auto always never " into "auto, always or never". */
static void join_words(const char *words, char *out, size_t size)
{
    size_t used = 0;

    for (size_t n = strcspn(words, " "); n != 0; n = strcspn(words, " ")) {
        const char *const next = words + n + strspn(words + n, " ");

        used += (size_t)snprintf(out + used, size - used, "%s%.*s",
                                 used == 0       ? ""
                                 : *next == '\0' ? " or "
                                                 : ", ",
                                 (int)n, words);
        if (used >= size)
            return;
        words = next;
    }
}

/* Maps the old name of a value to the current one. */
static const char *current_name(const char *value)
{
    return strcmp(value, "module") == 0 ? "binary" : value;
}

int cmd_take_choice(const struct cmd_arg *arg)
{
    const char *const words = strchr(arg->option->value, ':') + 1;
    const char *const wanted = current_name(arg->value);
    const char *word = words;
    char list[SENTENCE_BYTES / 4] = "";
    unsigned choice = 0;

    for (size_t n = strcspn(word, " "); n != 0; n = strcspn(word, " ")) {
        if (strlen(wanted) == n && strncmp(word, wanted, n) == 0) {
            *(unsigned *)arg->field = choice;
            return 0;
        }
        word += n + strspn(word + n, " ");
        choice++;
    }
    join_words(words, list, sizeof(list));
    return cmd_usage(arg->command, "--%s=%s: expected %s", arg->option->name,
                     arg->value, list);
}

/* -- help ------------------------------------------------------------------ */

/* Prints words from column `at` on, wrapped, with later lines indented. */
static void print_wrapped(FILE *out, const char *text, size_t at, size_t indent)
{
    while (*text != '\0') {
        const size_t word = strcspn(text, " \n");

        if (at > indent && at + 1 + word > HELP_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, word, out);
        at += word;
        text += word;
        if (*text == '\n') {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        }
        text += *text != '\0';
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct cmd_option *option)
{
    int size;
    int n = fprintf(out, "  ");

    if (option->letter != 0)
        n += fprintf(out, "-%c, ", option->letter);
    n += fprintf(out, "--%s", option->name);
    if (option->value != NULL) {
        const char *const name = cmd_value_name(option, &size);

        n += fprintf(out, "=%.*s", size, name);
    }
    if (n + 1 > HELP_INDENT) {
        fputc('\n', out);
        n = 0;
    }
    fprintf(out, "%*s", HELP_INDENT - n, "");
    print_wrapped(out, option->help, HELP_INDENT, HELP_INDENT);
}

void cmd_print_help(FILE *out, const struct cmd_command *command)
{
    fprintf(out, "usage: memprofdata %s%s%s\n\n", command->name,
            command->usage[0] != '\0' ? " " : "", command->usage);
    print_wrapped(out, command->details, 0, 0);
    if (command->option_count != 0)
        fputs("\noptions:\n", out);
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].help != NULL)
            print_option(out, &command->options[i]);
    }
    if (command->option_count != 0)
        fputs("  -h, --help                this text\n", out);
}

void cmd_print_overview(FILE *out, const struct cmd_command *const *all)
{
    fputs("usage: memprofdata COMMAND [OPTION]... FILE...\n\n"
          "Merges and shows heap profiles of programs that were built with\n"
          "-fmemory-profile.\n\ncommands:\n",
          out);
    for (; *all != NULL; all++)
        fprintf(out, "  %-12s %s\n", (*all)->name, (*all)->summary);
    fputs(
        "\nmemprofdata COMMAND --help describes a command. A first look:\n\n"
        "  memprofdata show memprof.profraw.*         what the runs allocated\n"
        "  memprofdata merge memprof.profraw.* -o app.profdata\n"
        "  memprof-clang++ -fprofile-use=app.profdata let clang use the "
        "profile\n",
        out);
}
