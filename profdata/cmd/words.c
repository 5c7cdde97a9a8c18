/* words.c -- prints commands and options for other programs: man pages as roff,
 * and lines for the completion of shells.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"
#include "shared/version.h"

#include <ctype.h>
#include <string.h>

/* -- roff ------------------------------------------------------------------ */

/* Prints text with roff's special characters escaped: a leading dot or quote in
 * a line, and backslashes. An empty line starts a paragraph. */
static void print_roff(FILE *out, const char *text)
{
    bool begins = true;

    for (; *text != '\0'; text++) {
        if (*text == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", out);
            text++;
            begins = true;
            continue;
        }
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '-' || *text == '\\')
            fputs(*text == '-' ? "\\-" : "\\e", out);
        else
            fputc(*text, out);
        begins = *text == '\n';
    }
    fputc('\n', out);
}

static void print_option_roff(FILE *out, const struct cmd_option *option)
{
    int size;

    fputs(".TP\n\\fB", out);
    if (option->letter != 0)
        fprintf(out, "\\-%c\\fR, \\fB", option->letter);
    fputs("\\-\\-", out);
    for (const char *c = option->name; *c != '\0'; c++)
        fputs(*c == '-' ? "\\-" : (const char[]){*c, '\0'}, out);
    fputs("\\fR", out);
    if (option->value != NULL) {
        const char *const name = cmd_value_name(option, &size);

        fprintf(out, "=\\fI%.*s\\fR", size, name);
    }
    fputc('\n', out);
    print_roff(out, option->help);
}

void words_print_page(FILE *out, const struct cmd_command *command)
{
    fputs(".TH MEMPROFDATA\\-", out);
    for (const char *c = command->name; *c != '\0'; c++)
        fputc(toupper((unsigned char)*c), out);
    fputs(" 1 \"\" \"memprof " MPROF_VERSION "\" \"User Commands\"\n"
          ".SH NAME\n",
          out);
    fprintf(out, "memprofdata\\-%s \\- ", command->name);
    print_roff(out, command->summary);
    fprintf(out, ".SH SYNOPSIS\n.B memprofdata %s\n", command->name);
    print_roff(out, command->usage);
    fputs(".SH DESCRIPTION\n", out);
    print_roff(out, command->details);
    if (command->option_count != 0)
        fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].help != NULL)
            print_option_roff(out, &command->options[i]);
    }
    fputs(".SH EXIT STATUS\nThat of\n.BR memprofdata (1).\n"
          ".SH SEE ALSO\n.BR memprofdata (1),\n.BR memprof (7)\n",
          out);
}

void words_print_roff(FILE *out, const struct cmd_command *const *all)
{
    for (; *all != NULL; all++) {
        fprintf(out, ".TP\n.BR memprofdata\\-%s (1)\n", (*all)->name);
        print_roff(out, (*all)->summary);
    }
}

/* -- completion ------------------------------------------------------------ */

/* Prints the text up to the end of its first sentence or clause, or up to a
 * parenthesis. */
static void print_first_sentence(FILE *out, const char *text)
{
    const char *const aside = strstr(text, " (");
    size_t size = strcspn(text, ";:.");

    if (aside != NULL && (size_t)(aside - text) < size)
        size = (size_t)(aside - text);

    for (size_t i = 0; i < size; i++)
        fputc(text[i] == '\n' ? ' ' : text[i], out);
}

/* Prints the possible values of an option after a tab. */
static void print_values(FILE *out, const struct cmd_option *option)
{
    const char *const values =
        option->value != NULL ? strchr(option->value, ':') : NULL;

    if (values != NULL)
        fprintf(out, "\t%s", values + 1);
}

void words_print_all(FILE *out, const struct cmd_command *const *all)
{
    for (; *all != NULL; all++)
        fprintf(out, "%s\t%s\n", (*all)->name, (*all)->summary);
}

void words_print(FILE *out, const struct cmd_command *command)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const struct cmd_option *option = &command->options[i];

        if (option->help == NULL)
            continue;
        fprintf(out, "--%s%s\t", option->name,
                option->value != NULL ? "=" : "");
        print_first_sentence(out, option->help);
        print_values(out, option);
        fputc('\n', out);
    }
}
