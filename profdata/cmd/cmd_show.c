/* cmd_show.c -- memprofdata show: a profile for people, or in LLVM's text form.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"
#include "profdata/cmd/cmd_symbols.h"
#include "profdata/index/index_read.h"
#include "profdata/load/inputs.h"
#include "profdata/load/load.h"
#include "profdata/view/show.h"
#include "profdata/view/llvm_index_print.h"
#include "profdata/load/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 100
#define WIDTH_MIN 60
#define WIDTH_MAX 200
#define TOP_DEFAULT 10

enum option {
    OPTION_TOP,
    OPTION_SORT,
    OPTION_FULL_STACKS,
    OPTION_YAML,
    CMD_SYMBOL_OPTION_NAMES,
    OPTION_OUTPUT,
    OPTION_COLOR,
    OPTION_NO_VERIFY,
    OPTION_NO_CHECKSUM,
    OPTION_MEMORY,
    OPTION_SHOW_FORMAT,
    OPTION_TOPN,
    OPTION_TEXT
};

#define COUNTERS "shows counters, and this shows memory profiles only"
#define NO_JSON "is not supported yet; --yaml prints LLVM's text form"

/* In the order of enum option; then what only llvm-profdata has. */
static const struct cmd_option options[] = {
    [OPTION_TOP] = {"top", 0, "N", "show N call stacks (default: 10)", NULL},
    [OPTION_SORT] = {"sort", 0, "KEY",
                     "bytes (default), blocks, accesses, lifetime or live",
                     NULL},
    [OPTION_FULL_STACKS] = {"full-stacks", 0, NULL,
                            "every frame, with whole names and paths", NULL},
    [OPTION_YAML] = {"yaml", 0, NULL,
                     "print LLVM's text form of one file, as llvm-profdata "
                     "show --memory does",
                     NULL},
    CMD_SYMBOL_OPTIONS,
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "print to FILE", NULL},
    [OPTION_COLOR] = {"color", 0, "WHEN",
                      "auto (default: on a terminal, unless NO_COLOR is set), "
                      "always or never",
                      NULL},
    [OPTION_NO_VERIFY] = {"no-verify", 0, NULL,
                          "read inputs whose checksums do not match", NULL},
    [OPTION_NO_CHECKSUM] = {"no-checksum", 0, NULL, NULL, NULL},
    [OPTION_MEMORY] = {"memory", 0, NULL, "the same as --yaml", NULL},
    [OPTION_SHOW_FORMAT] = {"show-format", 0, "FORMAT", NULL, NULL},
    [OPTION_TOPN] = {"topn", 0, "N", NULL, NULL},
    [OPTION_TEXT] = {"text", 0, NULL, NULL, NULL},
    {"json", 0, NULL, NULL, NO_JSON},
    {"all-functions", 0, NULL, NULL, COUNTERS},
    {"binary-ids", 0, NULL, NULL, COUNTERS},
    {"counts", 0, NULL, NULL, COUNTERS},
    {"covered", 0, NULL, NULL, COUNTERS},
    {"debug-info", 0, "V", NULL, COUNTERS},
    {"detailed-summary", 0, NULL, NULL, COUNTERS},
    {"detailed-summary-cutoffs", 0, "V", NULL, COUNTERS},
    {"function", 0, "V", NULL, COUNTERS},
    {"hot-func-list", 0, NULL, NULL, COUNTERS},
    {"ic-targets", 0, NULL, NULL, COUNTERS},
    {"instr", 0, NULL, NULL, COUNTERS},
    {"list-below-cutoff", 0, NULL, NULL, COUNTERS},
    {"memop-sizes", 0, NULL, NULL, COUNTERS},
    {"profile-version", 0, NULL, NULL, COUNTERS},
    {"sample", 0, NULL, NULL, COUNTERS},
    {"show-vtables", 0, NULL, NULL, COUNTERS},
    {"showcs", 0, NULL, NULL, COUNTERS},
    {"temporal-profile-traces", 0, NULL, NULL, COUNTERS},
    {"value-cutoff", 0, "V", NULL, COUNTERS},
};

struct show {
    const char *output;
    const char *color;
    struct cmd_symbols symbols;
    struct mpdata_inputs inputs;
    struct mpdata_input input; /* the one that is read, or was last */
    bool has_inputs;           /* named, though a directory may be empty */
    bool is_yaml;
    bool no_verify;
    struct show_options options;
    struct mpdata_session session;
};

static int take_sort(const struct cmd_command *command, struct show *s,
                     const char *value)
{
    static const char *const names[] = {[SHOW_SORT_BYTES] = "bytes",
                                        [SHOW_SORT_BLOCKS] = "blocks",
                                        [SHOW_SORT_ACCESSES] = "accesses",
                                        [SHOW_SORT_LIFETIME] = "lifetime",
                                        [SHOW_SORT_LIVE] = "live"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(value, names[i]) == 0) {
            s->options.sort = (enum show_sort)i;
            return 0;
        }
    }
    return cmd_usage(command,
                     "--sort=%s: there are bytes, blocks, accesses, lifetime "
                     "and live",
                     value);
}

static int take_format(const struct cmd_command *command, struct show *s,
                       const char *value)
{
    if (strcmp(value, "json") == 0)
        return cmd_usage(command, "--show-format=json " NO_JSON);
    if (strcmp(value, "yaml") != 0 && strcmp(value, "text") != 0)
        return cmd_usage(command, "--show-format=%s: there are text and yaml",
                         value);
    s->is_yaml = strcmp(value, "yaml") == 0;
    return 0;
}

static int take_color(const struct cmd_command *command, struct show *s,
                      const char *value)
{
    if (strcmp(value, "auto") != 0 && strcmp(value, "always") != 0 &&
        strcmp(value, "never") != 0)
        return cmd_usage(command,
                         "--color=%s: there are auto, always and never", value);
    s->color = value;
    return 0;
}

static int take_input(struct show *s, const char *word)
{
    struct mprof_diag diag;

    s->has_inputs = true;
    if (mpdata_inputs_add(&s->inputs, word, 1, &diag) != MPROF_E_OK)
        return cmd_fail(&diag);
    return 0;
}

static int take_word(const struct cmd_command *command, struct show *s,
                     const struct cmd_word *word)
{
    switch (word->option) {
    case OPTION_TOP:
    case OPTION_TOPN:
        return cmd_number(word->value, UINT32_MAX, &s->options.top)
                   ? 0
                   : cmd_usage(command, "--top=%s: not a number", word->value);
    case OPTION_SORT:
        return take_sort(command, s, word->value);
    case OPTION_FULL_STACKS:
        s->options.full_stacks = true;
        return 0;
    case OPTION_YAML:
    case OPTION_MEMORY:
        s->is_yaml = true;
        return 0;
    case OPTION_PROFILED_BINARY:
    case OPTION_DEBUG_DIR:
    case OPTION_NO_CACHE:
        cmd_symbols_take(&s->symbols, &options[word->option], word->value);
        return 0;
    case OPTION_OUTPUT:
        s->output = word->value;
        return 0;
    case OPTION_COLOR:
        return take_color(command, s, word->value);
    case OPTION_NO_VERIFY:
    case OPTION_NO_CHECKSUM:
        s->no_verify = true;
        return 0;
    case OPTION_SHOW_FORMAT:
        return take_format(command, s, word->value);
    case OPTION_TEXT:
        return 0;
    default:
        return take_input(s, word->value);
    }
}

/* -- the terminal ---------------------------------------------------------- */

static size_t find_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t width = WIDTH_DEFAULT;

    if (columns == NULL || !cmd_number(columns, UINT32_MAX, &width)) {
        width = WIDTH_DEFAULT;
        if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
            width = size.ws_col;
    }
    return (size_t)mprof_max_u64(WIDTH_MIN, mprof_min_u64(width, WIDTH_MAX));
}

static bool wants_color(const struct show *s, int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if (strcmp(s->color, "auto") != 0)
        return strcmp(s->color, "always") == 0;
    return isatty(fd) && (no_color == NULL || no_color[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

static void set_style(struct show *s, FILE *out)
{
    static const struct show_style plain = {"", "", "", ""};
    static const struct show_style color = {"\033[1m", "\033[2m", "\033[36m",
                                            "\033[0m"};

    s->options.width = find_width(fileno(out));
    s->options.style = wants_color(s, fileno(out)) ? color : plain;
}

/* -- printing -------------------------------------------------------------- */

/* Into s->input, where messages find its path. */
static enum mprof_err get_input(struct show *s, uint32_t i,
                                struct mprof_diag *diag)
{
    mpdata_input_free(&s->input);
    return mpdata_inputs_get(&s->inputs, i, &s->input)
               ? MPROF_E_OK
               : mprof_err_fail(diag, MPROF_E_NOMEM, NULL,
                                MPROF_DIAG_NO_OFFSET);
}

static enum mprof_err load_inputs(struct show *s, struct mprof_diag *diag)
{
    uint32_t others = 0;

    for (uint32_t i = 0; i < s->inputs.count; i++) {
        enum mprof_err err = get_input(s, i, diag);

        if (err != MPROF_E_OK)
            return err;
        err = mpdata_inputs_error(&s->input, diag);
        if (err == MPROF_E_OK)
            err = mpdata_load_weighted(&s->session, s->input.path,
                                       s->input.weight, !s->no_verify, diag);
        if (err != MPROF_E_OK && !mpdata_inputs_is_other(&s->input, diag))
            return err;
        others += err != MPROF_E_OK;
    }
    if (others != s->inputs.count)
        return MPROF_E_OK;
    return mprof_err_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
}

/* One indexed file of ours: no more of it than is shown. *is_done: it is one.
 */
static enum mprof_err load_top(struct show *s, struct mpdata_index_top *top,
                               bool *is_done, struct mprof_diag *diag)
{
    const struct mpdata_input *const input = &s->input;
    struct mpdata_file file;
    enum mprof_err err;

    *is_done = false;
    if (s->inputs.count != 1)
        return MPROF_E_OK;
    err = get_input(s, 0, diag);
    if (err != MPROF_E_OK)
        return err;
    if (input->weight != 1 || s->options.top > MPDATA_INDEX_TOP_MAX ||
        mpdata_file_is_standard(input->path) ||
        mpdata_inputs_error(input, diag) != MPROF_E_OK)
        return MPROF_E_OK;
    /* A pipe can be read once, so it is left to who reads all of it. */
    err = mpdata_file_open(&file, input->path, diag);
    if (err != MPROF_E_OK)
        return err == MPROF_E_NOMEM ? err : MPROF_E_OK;
    *is_done = mpdata_detect(file.data, file.size) == MPDATA_KIND_INDEXED &&
               mpdata_index_has_top(file.data, file.size);
    /* What is damaged is not shown, even where the damage lies elsewhere. */
    if (*is_done && !s->no_verify)
        err = mpdata_index_verify_llvm(file.data, file.size, diag);
    if (*is_done && err == MPROF_E_OK)
        err = mpdata_index_top_read(file.data, file.size, !s->no_verify,
                                    show_sort_field(s->options.sort),
                                    s->options.top, s->session.profile, top,
                                    diag);
    if (err != MPROF_E_OK)
        diag->file = input->path;
    mpdata_file_close(&file);
    return err;
}

static enum mprof_err load_all(struct show *s, struct mprof_diag *diag)
{
    enum mprof_err err = load_inputs(s, diag);

    if (err != MPROF_E_OK)
        return err;
    err = mpdata_profile_canonicalize(s->session.profile);
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

static enum mprof_err print_text(struct show *s, FILE *out,
                                 struct mprof_diag *diag)
{
    struct mpdata_index_top top;
    bool is_top;
    enum mprof_err err = load_top(s, &top, &is_top, diag);

    if (err == MPROF_E_OK && !is_top)
        err = load_all(s, diag);
    if (err != MPROF_E_OK)
        return err;
    set_style(s, out);
    err = show_text(out, s->session.profile, is_top ? &top : NULL, &s->options,
                    &s->session.symbolizer);
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

static enum mprof_err print_yaml(struct show *s, FILE *out,
                                 struct mprof_diag *diag)
{
    struct mpdata_raw_file raw = {.dumps = NULL};
    struct mpdata_file file;
    const char *path;
    enum mprof_err err = get_input(s, 0, diag);

    if (err != MPROF_E_OK)
        return err;
    path = s->input.path;
    err = mpdata_file_open_input(&file, path, mpdata_unpack_is_hopeless, diag);
    if (err != MPROF_E_OK)
        return err;
    err = mpdata_file_unpack(&file, diag);
    if (err != MPROF_E_OK) {
        diag->file = path;
        return err;
    }
    if (mpdata_detect(file.data, file.size) == MPDATA_KIND_INDEXED) {
        err = show_yaml_index(out, file.data, file.size, diag);
    } else {
        err = mpdata_load_raw(file.data, file.size, !s->no_verify, &raw, diag);
        if (err == MPROF_E_OK)
            err = show_yaml_raw(out, &s->session, &raw, path, diag);
    }
    if (err != MPROF_E_OK)
        diag->file = path;
    mpdata_raw_file_free(&raw);
    mpdata_file_close(&file);
    return err;
}

static int say_error(const struct mprof_diag *diag)
{
    /* Not of one file. */
    if (diag->err != MPROF_E_EMPTY || diag->file != NULL)
        return cmd_fail(diag);
    cmd_say("there is no profile among the input files");
    return mprof_err_exit(diag->err);
}

static int print_all(struct show *s)
{
    struct mprof_diag diag;
    FILE *out = stdout;
    enum mprof_err err;
    int status;

    status = cmd_symbols_setup(&s->symbols, &s->session);
    if (status != 0)
        return status;
    if (s->output != NULL && strcmp(s->output, "-") != 0)
        out = fopen(s->output, "we");
    if (out == NULL) {
        cmd_say("%s: %s", s->output, strerror(errno));
        return mprof_err_exit(MPROF_E_IO);
    }
    err = s->is_yaml ? print_yaml(s, out, &diag) : print_text(s, out, &diag);
    status = err == MPROF_E_OK ? 0 : say_error(&diag);
    if (out == stdout)
        return cmd_finish_output(status);
    if (fclose(out) != 0) {
        cmd_say("%s: %s", s->output, strerror(errno));
        status = mprof_err_exit(MPROF_E_IO);
    }
    return status;
}

static int show(struct show *s)
{
    struct cmd_warned warned = {.texts = NULL};
    const struct mpdata_warn warn = {.fn = cmd_warn, .context = &warned};
    int status;

    s->session.warn = &warn;
    s->session.profile = mpdata_profile_new();
    status = s->session.profile != NULL ? print_all(s) : cmd_no_memory();
    mpdata_session_fini(&s->session);
    mpdata_profile_free(s->session.profile);
    cmd_warned_fini(&warned);
    return status;
}

static int run(const struct cmd_command *command, int argc, char **argv)
{
    struct cmd_parser parser = {.command = command, .argc = argc, .argv = argv};
    const char **words =
        (const char **)calloc(2 * (size_t)argc, sizeof(*words));
    struct show s = {.symbols = {.binaries = words, .dirs = words + argc},
                     .color = "auto",
                     .options = {.top = TOP_DEFAULT}};
    struct cmd_word word;
    bool failed = false;
    bool helped = false;
    int status = 0;

    if (words == NULL)
        return cmd_no_memory();
    mpdata_inputs_init(&s.inputs);
    while (status == 0 && cmd_parse(&parser, &word, &failed, &helped))
        status = take_word(command, &s, &word);
    if (failed)
        status = CMD_EXIT_USAGE;
    if (helped) {
        status = cmd_finish_output(status);
        goto out;
    }
    if (status == 0 && !s.has_inputs)
        status = cmd_usage(command, "no input files");
    if (status == 0 && mpdata_inputs_settle(&s.inputs, NULL) != MPROF_E_OK)
        status = cmd_no_memory();
    if (status == 0 && s.is_yaml && s.inputs.count != 1)
        status = cmd_usage(command, "--yaml prints one file at a time");
    if (status == 0)
        status = show(&s);
out:
    mpdata_input_free(&s.input);
    mpdata_inputs_fini(&s.inputs);
    free(words);
    return status;
}

const struct cmd_command cmd_show = {
    .name = "show",
    .usage = "[OPTION]... FILE...",
    .summary = "show what programs allocated, and where",
    .details =
        "Shows what raw or indexed profiles hold: a summary, then the call "
        "stacks that allocated most, each with how its blocks were used. "
        "Several files are shown as one, as merge would make it. FILE may be a "
        "directory, - or @LIST as for merge.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
