/* options.c -- the plugin's options. LLVM's command line table holds them,
 * where -mllvm finds them. This file adds our options to the table, reads all
 * options from it, and sets options from the environment that the command line
 * does not set.
 *
 * A plugin can be loaded twice by two paths; then this file is in the process
 * twice. The first copy registers the options and reads the environment; the
 * second copy only reads the table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/support/options.h"

#include "pass/bridge/commandline.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_type { TYPE_BOOL, TYPE_INT, TYPE_STRING };

struct option {
    const char *flag;
    enum option_type type;
};

static const struct option options_known[] = {
#define MPROF_PASS_OPTION(field, type, def, flag, help) {flag, TYPE_##type},
#include "shared/pass_options.inc"
};

const struct mpass_option_flags mpass_option_flags = {
#define MPROF_PASS_OPTION(field, type, def, flag, help) .field = flag,
#include "shared/pass_options.inc"
};

/* State of this copy of the plugin. */
static struct {
    bool owner;
    bool environment_read;
    char error[MPASS_MESSAGE_BYTES]; /* not yet reported, or "" */
    char reported[sizeof(MPROF_ENV_PASS_OPTIONS ": ") + MPASS_MESSAGE_BYTES];
} state;

void mpass_options_register(void)
{
#define MPROF_LLVM_OPTION(field, type, def, flag, help) \
    mpass_commandline_add_##type(flag, def, help);
#define MPROF_PASS_OPTION(field, type, def, flag, help) \
    state.owner |= mpass_commandline_add_##type(flag, def, help);
#include "shared/pass_options.inc"
}

/* Appends a text to the error that is not yet reported. */
MPROF_PRINTF(1, 2) static void add_error(const char *format, ...)
{
    const size_t used = strlen(state.error);
    va_list args;

    va_start(args, format);
    vsnprintf(state.error + used, sizeof(state.error) - used, format, args);
    va_end(args);
}

static bool parse_bool(const char *text, bool *out)
{
    if (text == NULL || strcmp(text, "1") == 0 || strcmp(text, "true") == 0) {
        *out = true;
        return true;
    }
    *out = false;
    return strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
}

static bool parse_int(const char *text, int *out)
{
    char *end = NULL;

    if (text == NULL || *text == '\0')
        return false;
    const long value = strtol(text, &end, 10);
    *out = (int)value;
    return *end == '\0' && value == *out;
}

/* Sets one option to the text after "="; NULL if there is no "=". False if the
 * text does not fit the type, or if another plugin has an option of this name
 * with another type. */
static bool set_option(const struct option *option, const char *text)
{
    bool truth;
    int number;

    switch (option->type) {
    case TYPE_BOOL:
        return parse_bool(text, &truth) &&
               mpass_commandline_set_BOOL(option->flag, truth);
    case TYPE_INT:
        return parse_int(text, &number) &&
               mpass_commandline_set_INT(option->flag, number);
    case TYPE_STRING:
        return text != NULL && mpass_commandline_set_STRING(option->flag, text);
    }
    return false;
}

static const struct option *find_option(const char *flag)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(options_known); i++) {
        if (strcmp(options_known[i].flag, flag) == 0 &&
            mpass_commandline_exists(flag))
            return &options_known[i];
    }
    return NULL;
}

/* Applies one word of the environment, "-flag" or "-flag=value". Modifies the
 * word. */
static void apply_word(char *word)
{
    char *text = strchr(word, '=');
    const char *flag = word;

    if (text != NULL)
        *text++ = '\0';
    if (flag[0] == '-')
        flag += flag[1] == '-' ? 2 : 1;
    const struct option *const option = find_option(flag);
    if (option == NULL) {
        add_error("%sunknown option '%s'", *state.error ? "; " : "", word);
        return;
    }
    if (mpass_commandline_was_given(flag))
        return;
    if (!set_option(option, text))
        add_error("%s'%s' is not a value of option '%s'",
                  *state.error ? "; " : "", text ? text : "", word);
}

void mpass_options_apply_environment(void)
{
    const char *value = getenv(MPROF_ENV_PASS_OPTIONS);
    char *rest = NULL;

    if (!state.owner || state.environment_read || value == NULL)
        return;
    state.environment_read = true;
    char *const words = strdup(value);
    if (words == NULL)
        return;
    for (char *word = strtok_r(words, " \t\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\n", &rest))
        apply_word(word);
    free(words);
}

const char *mpass_options_take_error(void)
{
    if (*state.error == '\0')
        return NULL;
    snprintf(state.reported, sizeof(state.reported), "%s: %s",
             MPROF_ENV_PASS_OPTIONS, state.error);
    *state.error = '\0';
    return state.reported;
}

struct mpass_options mpass_options_read(void)
{
    return (struct mpass_options){
#define MPROF_PASS_OPTION(field, type, def, flag, help) \
    .field = mpass_commandline_get_##type(flag, def),
#include "shared/pass_options.inc"
    };
}

/* -- Options in the object of a compile that leaves counting to the link ---- */

#define DIFFERS_BOOL(value, def) ((value) != (def))
#define DIFFERS_INT(value, def) ((value) != (def))
#define DIFFERS_STRING(value, def) (strcmp(value, def) != 0)
#define FORMAT_BOOL "%d"
#define FORMAT_INT "%d"
#define FORMAT_STRING "%s"
#define PARSE_BOOL(text, out) parse_bool(text, out)
#define PARSE_INT(text, out) parse_int(text, out)
#define PARSE_STRING(text, out) ((*(out) = (text)) != NULL)

char *mpass_options_pack(const struct mpass_options *options)
{
    char *packed = NULL;
    size_t size;
    FILE *const out = open_memstream(&packed, &size);

    if (out == NULL)
        abort();
#define MPROF_PASS_OPTION(field, type, def, flag, help) \
    if (DIFFERS_##type(options->field, def))            \
        fprintf(out, flag "=" FORMAT_##type "\n", options->field);
#include "shared/pass_options.inc"
    if (fclose(out) != 0)
        abort();
    return packed;
}

static bool unpack_word(struct mpass_options *options, char *word)
{
    char *const value = strchr(word, '=');

    if (value == NULL)
        return false;
    *value = '\0';
#define MPROF_PASS_OPTION(field, type, def, flag, help) \
    if (strcmp(word, flag) == 0)                        \
        return PARSE_##type(value + 1, &options->field);
#include "shared/pass_options.inc"
    return false;
}

bool mpass_options_unpack(struct mpass_options *options, char *text)
{
    char *rest = NULL;

    *options = (struct mpass_options){
#define MPROF_PASS_OPTION(field, type, def, flag, help) .field = def,
#include "shared/pass_options.inc"
    };
    for (char *word = strtok_r(text, "\n", &rest); word != NULL;
         word = strtok_r(NULL, "\n", &rest)) {
        if (!unpack_word(options, word))
            return false;
    }
    return true;
}

/* -- Conflicts --------------------------------------------------------------- */

/* True if there are histogram cells of this width. Histogram cells are the
 * counters that stop at their maximum. */
static bool has_cells_of(int bits)
{
    bool found = false;

#define MPROF_COUNTER(name, type, granule, side, place, base, stops, mode, \
                      counts)                                              \
    found |= (stops) && bits == MPROF_COUNTER_##name##_BITS;
#include "shared/counters.inc"
    return found;
}

/* Conflicts with -memprof-access. */
static const char *access_conflict(const struct mpass_options *options)
{
    const bool is_fields =
        strcmp(options->access, MPROF_PASS_ACCESS_FIELDS) == 0;
    const bool is_threads =
        strcmp(options->access, MPROF_PASS_ACCESS_THREADS) == 0;
    const bool is_rw = strcmp(options->access, MPROF_PASS_ACCESS_RW) == 0 ||
                       strcmp(options->access, MPROF_PASS_ACCESS_RW_BYTES) == 0;

    if (!is_rw && !is_fields && !is_threads &&
        strcmp(options->access, MPROF_PASS_ACCESS_TOTAL) != 0 &&
        strcmp(options->access, MPROF_PASS_ACCESS_NONE) != 0)
        return "-memprof-access must be total, fields, rw, rw-bytes, threads "
               "or "
               "none";
    if (is_fields && (options->atomic || options->use_callbacks))
        return "-memprof-access=fields cannot be combined with "
               "-memprof-atomic or -memprof-use-callbacks";
    if (is_threads &&
        (options->histogram || options->atomic || options->use_callbacks ||
         options->versions != 1 || !options->instrument_reads ||
         !options->instrument_writes || !options->instrument_atomics))
        return "-memprof-access=threads cannot be combined with "
               "-memprof-histogram, -memprof-atomic, -memprof-use-callbacks, "
               "-memprof-versions=2, -memprof-instrument-reads=0, -writes=0 or "
               "-atomics=0";
    if (!is_rw)
        return NULL;
    if (options->histogram || options->use_callbacks)
        return "-memprof-access=rw cannot be combined with -memprof-histogram "
               "or -memprof-use-callbacks";
    if (!options->instrument_reads || !options->instrument_writes ||
        !options->instrument_atomics)
        return "-memprof-access=rw counts all accesses, so it cannot be "
               "combined with -memprof-instrument-reads=0, -writes=0 or "
               "-atomics=0";
    if (options->mapping_scale != MPROF_SHADOW_SCALE ||
        options->mapping_granularity != MPROF_GRANULE_BYTES)
        return "-memprof-access=rw works only with the default "
               "-memprof-mapping-granularity and -memprof-mapping-scale";
    return NULL;
}

const char *mpass_options_use_conflict(const struct mpass_options *options)
{
    static const char *const modes[] = {
        MPROF_PASS_HINTS_AUTO, MPROF_PASS_HINTS_COLD, MPROF_PASS_HINTS_ALL,
        MPROF_PASS_HINTS_OFF, MPROF_PASS_HINTS_LLVM};

    if (*options->hint_list != '\0' &&
        strcmp(options->hints, MPROF_PASS_HINTS_LLVM) == 0)
        return "-memprof-hint-list cannot be combined with "
               "-memprof-hints=llvm";
    for (size_t i = 0; i < MPROF_ARRAY_LEN(modes); i++) {
        if (strcmp(options->hints, modes[i]) == 0)
            return NULL;
    }
    return "-memprof-hints must be auto, cold, all, off or llvm";
}

const char *mpass_options_conflict(const struct mpass_options *options)
{
    const int granularity = options->mapping_granularity;

    if (!has_cells_of(options->histogram_cell_bits))
        return "-memprof-histogram-cell-bits must be 8 or 32";
    if (granularity <= 0 || (granularity & (granularity - 1)) != 0)
        return "-memprof-mapping-granularity must be a power of two";
    if (options->mapping_scale < 0 ||
        options->mapping_scale >= (int)(sizeof(uint64_t) * CHAR_BIT))
        return "-memprof-mapping-scale must be between 0 and 63";
    if (options->histogram && granularity != MPROF_GRANULE_BYTES)
        return "-memprof-histogram works only with the default "
               "-memprof-mapping-granularity";
    if (strcmp(options->merge, MPROF_PASS_MERGE_NONE) != 0 &&
        strcmp(options->merge, MPROF_PASS_MERGE_BLOCK) != 0 &&
        strcmp(options->merge, MPROF_PASS_MERGE_REGION) != 0)
        return "-memprof-merge must be none, block or region";
    if (options->atomic && (options->histogram || options->use_callbacks))
        return "-memprof-atomic cannot be combined with -memprof-histogram or "
               "-memprof-use-callbacks";
    if (options->versions != 1 && options->versions != 2)
        return "-memprof-versions must be 1 or 2";
    return access_conflict(options);
}
