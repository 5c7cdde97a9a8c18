/* cmd_merge.c -- memprofdata merge: any number of profiles to one.
 *
 * All inputs go into one profile in memory, whose canonical form does not
 * depend on their order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd.h"
#include "profdata/counters.h"
#include "profdata/data_access.h"
#include "profdata/heapbuf.h"
#include "profdata/index_write.h"
#include "profdata/inputs.h"
#include "profdata/llvm_sites.h"
#include "profdata/load.h"
#include "profdata/prune.h"
#include "profdata/show_index.h"
#include "profdata/text_write.h"
#include "profdata/units.h"
#include "shared/index_llvm.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 4096

enum option {
    OPTION_OUTPUT,
    OPTION_PROFILED_BINARY,
    OPTION_FAILURE_MODE,
    OPTION_FULL_SCHEMA,
    OPTION_MEMPROF_VERSION,
    OPTION_LLVM_ONLY,
    OPTION_NO_VERIFY,
    OPTION_NUM_THREADS,
    OPTION_INSTR,
    OPTION_INPUT_FILES,
    OPTION_WEIGHT,
    OPTION_WEIGHTED_INPUT,
    OPTION_FUNCTION,
    OPTION_MIN_BYTES,
    OPTION_MAX_CONTEXTS,
    OPTION_MAX_DEPTH,
    OPTION_RANDOM_HOTNESS,
    OPTION_RANDOM_SEED,
    OPTION_TEXT,
    OPTION_YAML
};

#define COUNTERS "is about counter profiles, which are not merged yet"
#define SAMPLES "is about sample profiles, which are not read"

/* In the order of enum option; then what only llvm-profdata has. */
static const struct cmd_option options[] = {
    [OPTION_OUTPUT] = {"output", 'o', "FILE",
                       "where to write; - is standard output", NULL},
    [OPTION_PROFILED_BINARY] =
        {"profiled-binary", 0, "FILE",
         "the program or a library that was profiled, found by its build id; "
         "may be given several times. Needed for LLVM's raw files only, and "
         "where a binary has moved",
         NULL},
    [OPTION_FAILURE_MODE] = {"failure-mode", 0, "MODE",
                             "any: fail if an input is bad (default); all or "
                             "warn: say so and go on while there is a good one",
                             NULL},
    [OPTION_FULL_SCHEMA] = {"memprof-full-schema", 0, NULL,
                            "give LLVM's readers all its fields, not only the "
                            "few that the compiler uses; ours always have all",
                            NULL},
    [OPTION_MEMPROF_VERSION] =
        {"memprof-version", 0, "N",
         "version of LLVM's memory profile: 2, 3 (default), or 4, which has "
         "a summary and data accesses and which LLVM 19 does not read",
         NULL},
    [OPTION_LLVM_ONLY] = {"llvm-only", 0, NULL,
                          "leave out what LLVM's readers do not see: a smaller "
                          "file for the compiler alone",
                          NULL},
    [OPTION_NO_VERIFY] = {"no-verify", 0, NULL,
                          "read inputs whose checksums do not match", NULL},
    [OPTION_NUM_THREADS] = {"num-threads", 'j', "N",
                            "accepted; the result never depends on it", NULL},
    [OPTION_INSTR] = {"instr", 0, NULL, NULL, NULL},
    [OPTION_INPUT_FILES] = {"input-files", 'f', "LIST",
                            "the same as @LIST: a file that lists inputs, one "
                            "a line, each alone or as N,FILE",
                            NULL},
    [OPTION_WEIGHT] = {"weight", 'w', "N,FILE",
                       "an input that counts as if given N times", NULL},
    [OPTION_WEIGHTED_INPUT] = {"weighted-input", 0, "N,FILE", NULL, NULL},
    [OPTION_FUNCTION] = {"function", 0, "REGEX",
                         "keep call stacks with a function whose linkage name "
                         "REGEX fits (any part of it; extended)",
                         NULL},
    [OPTION_MIN_BYTES] = {"min-bytes", 0, "N",
                          "keep call stacks that allocated at least N bytes",
                          NULL},
    [OPTION_MAX_CONTEXTS] = {"max-contexts", 0, "N",
                             "keep the N call stacks that allocated most",
                             NULL},
    [OPTION_MAX_DEPTH] = {"max-depth", 0, "N",
                          "cut call stacks to their N innermost frames", NULL},
    [OPTION_RANDOM_HOTNESS] = {"memprof-random-hotness", 0, NULL,
                               "for tests of compilers: tell them by chance "
                               "which call stacks are cold",
                               NULL},
    [OPTION_RANDOM_SEED] = {"memprof-random-hotness-seed", 0, "N",
                            "what that chance starts from (default: 0)", NULL},
    [OPTION_TEXT] = {"text", 0, NULL,
                     "write text that holds everything, and that merge reads",
                     NULL},
    [OPTION_YAML] = {"yaml", 0, NULL,
                     "write LLVM's YAML, which llvm-profdata merge reads; what "
                     "it cannot hold is said",
                     NULL},
    {"sample", 0, NULL, NULL, SAMPLES},
    {"convert-sample-profile-layout", 0, "V", NULL, SAMPLES},
    {"extbinary", 0, NULL, NULL, SAMPLES},
    {"gcc", 0, NULL, NULL, SAMPLES},
    {"prof-sym-list", 0, "V", NULL, SAMPLES},
    {"sample-frame-depth-for-cold-context", 0, "V", NULL, SAMPLES},
    {"supplement-instr-with-sample", 0, "V", NULL, SAMPLES},
    {"remapping-file", 0, "V", NULL, SAMPLES},
    {"binary", 0, NULL, NULL, "is the default, so leave it out"},
    {"binary-file", 0, "V", NULL, COUNTERS},
    {"debug-info", 0, "V", NULL, COUNTERS},
    {"no-function", 0, "V", NULL, COUNTERS},
    {"max-debug-info-correlation-warnings", 0, "V", NULL, COUNTERS},
    {"sparse", 0, NULL, NULL, COUNTERS},
    {"overlap", 0, NULL, NULL, COUNTERS},
    {"temporal-profile-max-trace-length", 0, "V", NULL, COUNTERS},
    {"temporal-profile-trace-reservoir-size", 0, "V", NULL, COUNTERS},
    {"write-prev-version", 0, NULL, NULL,
     "is not needed: LLVM 19 to 22 read what is written"},
    {"memory", 0, NULL, NULL, "is for show; merge knows what its inputs are"},
};

enum failure_mode { FAIL_ANY, FAIL_ALL };
enum form { FORM_INDEXED, FORM_TEXT, FORM_YAML };

struct merge {
    const char *output;
    const char **binaries; /* as many as words */
    size_t binary_count;
    struct mpdata_inputs inputs;
    enum failure_mode failure_mode;
    bool no_verify;
    struct mpdata_index_options index;
    struct mpdata_counters counters;
    struct mpdata_data_access data_access;
    struct mpdata_llvm_sites sites;
    enum form form;
    struct mpdata_prune prune;
    const char *function; /* NULL: any */
    regex_t regex;
    struct mpdata_session session;
};

/* 0, or an exit status for a mistake that was said. */
static int take_version(const struct cmd_command *command, struct merge *m,
                        const char *value)
{
    uint64_t number;

    if (!cmd_number(value, UINT32_MAX, &number) ||
        number < MPROF_MEMPROF_VERSION_MIN ||
        number > MPROF_MEMPROF_VERSION_MAX)
        return cmd_usage(command, "--memprof-version=%s: there are 2, 3 and 4",
                         value);
    m->index.memprof_version = (uint32_t)number;
    return 0;
}

static int take_failure_mode(const struct cmd_command *command, struct merge *m,
                             const char *value)
{
    if (strcmp(value, "any") == 0)
        m->failure_mode = FAIL_ANY;
    else if (strcmp(value, "all") == 0 || strcmp(value, "warn") == 0)
        m->failure_mode = FAIL_ALL;
    else
        return cmd_usage(
            command, "--failure-mode=%s: there are any, all and warn", value);
    return 0;
}

/* --function: LLVM's files know no names, only what a name hashes to. */
static bool fits_function(void *context, const struct mpdata_str *name,
                          uint64_t guid)
{
    const struct merge *m = context;

    if (name->size == 0)
        return mpdata_guid(m->function, strlen(m->function)) == guid;
    return regexec(&m->regex, name->bytes, 0, NULL, 0) == 0;
}

static int take_function(const struct cmd_command *command, struct merge *m,
                         const char *value)
{
    char text[256];
    int error;

    if (m->function != NULL)
        return cmd_usage(command, "--function is given twice");
    error = regcomp(&m->regex, value, REG_EXTENDED | REG_NOSUB);
    if (error != 0) {
        regerror(error, &m->regex, text, sizeof(text));
        return cmd_usage(command, "--function=%s: %s", value, text);
    }
    m->function = value;
    m->prune.function = fits_function;
    m->prune.context = m;
    return 0;
}

static int take_prune(const struct cmd_command *command, struct merge *m,
                      const struct cmd_word *word)
{
    const uint64_t max =
        word->option == OPTION_MAX_DEPTH ? UINT32_MAX : UINT64_MAX;
    uint64_t number;

    if (word->option == OPTION_FUNCTION)
        return take_function(command, m, word->value);
    if (!cmd_number(word->value, max, &number) || number == 0)
        return cmd_usage(command, "--%s=%s: not a number above 0",
                         command->options[word->option].name, word->value);
    if (word->option == OPTION_MIN_BYTES)
        m->prune.bytes_min = number;
    else if (word->option == OPTION_MAX_CONTEXTS)
        m->prune.contexts_max = number;
    else
        m->prune.depth_max = (uint32_t)number;
    return 0;
}

static int take_input(const struct cmd_command *command, struct merge *m,
                      const struct cmd_word *word)
{
    const char *path = word->value;
    uint64_t weight = 1;
    struct mprof_diag diag;
    enum mprof_err err;

    if (word->option == OPTION_WEIGHT ||
        word->option == OPTION_WEIGHTED_INPUT) {
        path = mpdata_inputs_weighted(path, &weight);
        if (path == NULL)
            return cmd_usage(command, "--%s=%s: not N,FILE",
                             command->options[word->option].name, word->value);
    }
    err = word->option == OPTION_INPUT_FILES
              ? mpdata_inputs_add_list(&m->inputs, path, &diag)
              : mpdata_inputs_add(&m->inputs, path, weight, &diag);
    return err == MPROF_E_OK ? 0 : cmd_fail(&diag);
}

static int take_word(const struct cmd_command *command, struct merge *m,
                     const struct cmd_word *word)
{
    uint64_t number;

    switch (word->option) {
    case OPTION_OUTPUT:
        m->output = word->value;
        return 0;
    case OPTION_PROFILED_BINARY:
        m->binaries[m->binary_count++] = word->value;
        return 0;
    case OPTION_FAILURE_MODE:
        return take_failure_mode(command, m, word->value);
    case OPTION_FULL_SCHEMA:
        m->index.full_schema = true;
        return 0;
    case OPTION_MEMPROF_VERSION:
        return take_version(command, m, word->value);
    case OPTION_LLVM_ONLY:
        m->index.llvm_only = true;
        return 0;
    case OPTION_NO_VERIFY:
        m->no_verify = true;
        return 0;
    case OPTION_NUM_THREADS:
        if (!cmd_number(word->value, THREADS_MAX, &number))
            return cmd_usage(command, "--num-threads=%s: not a number",
                             word->value);
        return 0;
    case OPTION_INSTR:
        return 0;
    case OPTION_TEXT:
        m->form = FORM_TEXT;
        return 0;
    case OPTION_YAML:
        m->form = FORM_YAML;
        return 0;
    case OPTION_RANDOM_HOTNESS:
        m->index.random_hotness = true;
        return 0;
    case OPTION_RANDOM_SEED:
        if (!cmd_number(word->value, UINT64_MAX, &m->index.random_seed))
            return cmd_usage(command,
                             "--memprof-random-hotness-seed=%s: not a number",
                             word->value);
        return 0;
    case OPTION_FUNCTION:
    case OPTION_MIN_BYTES:
    case OPTION_MAX_CONTEXTS:
    case OPTION_MAX_DEPTH:
        return take_prune(command, m, word);
    default:
        return take_input(command, m, word);
    }
}

/* In a directory there may be anything. */
static bool is_no_profile(const struct mpdata_input *input,
                          const struct mprof_diag *diag)
{
    return input->found_in != 0 && diag->section == NULL &&
           (diag->err == MPROF_E_MAGIC || diag->err == MPROF_E_EMPTY);
}

/* The inputs, one by one. 0, or the exit status of the first that fails. */
static int load_inputs(struct merge *m)
{
    const struct mpdata_input *inputs = m->inputs.files.data;
    size_t good = 0;
    size_t bad = 0;
    int status = 0;

    for (uint32_t i = 0; i < m->inputs.files.count; i++) {
        struct mprof_diag diag;

        if (mpdata_load_weighted(&m->session, inputs[i].path, inputs[i].weight,
                                 !m->no_verify, &diag) == MPROF_E_OK) {
            good++;
            continue;
        }
        if (is_no_profile(&inputs[i], &diag))
            continue;
        status = cmd_fail(&diag);
        bad++;
        /* What is no property of the input ends it all. */
        if (m->failure_mode == FAIL_ANY || diag.err == MPROF_E_NOMEM ||
            diag.err == MPROF_E_NO_SYMBOLIZER)
            return status;
    }
    /* Nothing to write: better the error than an empty profile. */
    if (good == 0 && bad == 0) {
        cmd_say("there is no profile among the input files");
        return mprof_err_exit(MPROF_E_EMPTY);
    }
    return good == 0 ? status : 0;
}

static void say_pruned(const struct mpdata_pruned *p)
{
    char gone[MPDATA_UNIT_BYTES];
    char all[MPDATA_UNIT_BYTES];
    char gone_bytes[MPDATA_UNIT_BYTES];
    char bytes[MPDATA_UNIT_BYTES];

    if (p->cut_stacks != 0)
        cmd_say("cut %s call stacks",
                mpdata_units_count(p->cut_stacks, gone, sizeof(gone)));
    cmd_say("pruned %s of %s call stacks, with %s of %s bytes",
            mpdata_units_count(p->gone_contexts, gone, sizeof(gone)),
            mpdata_units_count(p->contexts, all, sizeof(all)),
            mpdata_units_count(p->gone_bytes, gone_bytes, sizeof(gone_bytes)),
            mpdata_units_count(p->bytes, bytes, sizeof(bytes)));
}

/* What is to be written, or NULL without memory. */
static struct mpdata_profile *make_output(struct merge *m)
{
    struct mpdata_profile *all = mpdata_profile_canonical(m->session.profile);
    struct mpdata_profile *some;
    struct mpdata_pruned pruned;

    if (all == NULL || (m->prune.function == NULL && m->prune.bytes_min == 0 &&
                        m->prune.contexts_max == 0 && m->prune.depth_max == 0))
        return all;
    some = mpdata_profile_prune(all, &m->prune, &pruned);
    mpdata_profile_free(all);
    if (some != NULL)
        say_pruned(&pruned);
    return some;
}

/* Only the newest version of LLVM's profile can say it. */
static void warn_of_version(const struct merge *m)
{
    const char *what = NULL;

    if (!mpdata_data_access_is_empty(&m->data_access))
        what = "the data access profile";
    else if (mpdata_llvm_sites_has_callees(&m->sites))
        what = "what calls reached indirectly";
    if (what != NULL &&
        m->index.memprof_version < MPROF_MEMPROF_VERSION_DATA_MIN)
        cmd_say("warning: %s is left out: only --memprof-version=4 and --text "
                "hold it",
                what);
}

/* What a profile has that LLVM's YAML cannot say. */
static void say_unsaid(const struct merge *m,
                       const struct mpdata_profile *canonical)
{
    const struct mpdata_view view = mpdata_profile_view(canonical);
    bool has_cells = false;

    for (uint32_t i = 0; i < view.context_count; i++)
        has_cells |= view.contexts[i].cells != NULL;
    cmd_say("LLVM's YAML leaves out names of functions and files, frames "
            "without lines, runs and binaries, live blocks and nanoseconds%s%s;"
            " --text keeps all",
            has_cells ? ", histograms" : "",
            m->counters.is_present ? ", PGO counters" : "");
}

/* LLVM's YAML is that of LLVM's newest indexed profile. */
static enum mprof_err write_yaml(struct merge *m,
                                 const struct mpdata_profile *canonical,
                                 struct mprof_buf *out)
{
    const struct mpdata_index_options as_llvm = {
        .memprof_version = MPROF_MEMPROF_VERSION_MAX,
        .full_schema = true,
        .llvm_only = true,
        .random_hotness = m->index.random_hotness,
        .random_seed = m->index.random_seed,
        .data_access = m->index.data_access,
        .sites = m->index.sites};
    struct mprof_buf index;
    enum mprof_err err;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    if (file == NULL)
        return MPROF_E_NOMEM;
    mpdata_heapbuf_init(&index);
    err = mpdata_index_write(canonical, &as_llvm, &index);
    if (err == MPROF_E_OK)
        err = show_yaml_records(file, index.data, index.size);
    if (fclose(file) != 0 && err == MPROF_E_OK)
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK) {
        mprof_buf_bytes(out, text, size);
        err = out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
        say_unsaid(m, canonical);
    }
    free(text);
    mpdata_heapbuf_fini(&index);
    return err;
}

static enum mprof_err write_form(struct merge *m,
                                 const struct mpdata_profile *canonical,
                                 struct mprof_buf *out)
{
    switch (m->form) {
    case FORM_TEXT:
        return mpdata_text_write(canonical, &m->index, out);
    case FORM_YAML:
        return write_yaml(m, canonical, out);
    default:
        warn_of_version(m);
        return mpdata_index_write(canonical, &m->index, out);
    }
}

static int write_output(struct merge *m)
{
    struct mprof_diag diag;
    struct mprof_buf out;
    struct mpdata_profile *const canonical = make_output(m);
    struct mpdata_data_access data_access;
    struct mpdata_llvm_sites sites;
    enum mprof_err err = MPROF_E_NOMEM;

    mpdata_counters_canonical(&m->counters);
    m->index.counters = &m->counters;
    mpdata_data_access_init(&data_access);
    m->index.data_access = &data_access;
    mpdata_llvm_sites_init(&sites);
    m->index.sites = &sites;
    mpdata_heapbuf_init(&out);
    mprof_fail(&diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    if (canonical != NULL)
        err = mpdata_data_access_canonical(&m->data_access, &data_access);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_sites_canonical(&m->sites, &sites);
    if (err == MPROF_E_OK)
        err = write_form(m, canonical, &out);
    if (err != MPROF_E_OK) {
        mprof_fail(&diag, err, NULL, MPROF_DIAG_NO_OFFSET);
        diag.file = m->output;
    } else {
        err = mpdata_file_write(m->output, out.data, out.size, &diag);
    }
    mpdata_profile_free(canonical);
    mpdata_data_access_fini(&data_access);
    mpdata_llvm_sites_fini(&sites);
    mpdata_heapbuf_fini(&out);
    return err == MPROF_E_OK ? 0 : cmd_fail(&diag);
}

static int add_binaries(struct merge *m)
{
    for (size_t i = 0; i < m->binary_count; i++) {
        struct mprof_diag diag;

        if (mpdata_binaries_add(&m->session.binaries, m->binaries[i], true,
                                NULL, &diag) != MPROF_E_OK)
            return cmd_fail(&diag);
    }
    return 0;
}

static int merge(struct merge *m)
{
    struct cmd_warned warned = {.texts = NULL};
    const struct mpdata_warn warn = {.fn = cmd_warn, .context = &warned};
    int status;

    m->session.warn = &warn;
    m->session.profile = mpdata_profile_new();
    mpdata_counters_init(&m->counters);
    m->session.counters = &m->counters;
    mpdata_data_access_init(&m->data_access);
    m->session.data_access = &m->data_access;
    mpdata_llvm_sites_init(&m->sites);
    m->session.sites = &m->sites;
    status = m->session.profile != NULL ? 0 : cmd_no_memory();
    if (status == 0)
        status = add_binaries(m);
    if (status == 0)
        status = load_inputs(m);
    if (status == 0)
        status = write_output(m);
    mpdata_session_fini(&m->session);
    mpdata_counters_fini(&m->counters);
    mpdata_data_access_fini(&m->data_access);
    mpdata_llvm_sites_fini(&m->sites);
    mpdata_profile_free(m->session.profile);
    cmd_warned_fini(&warned);
    return status;
}

static bool is_input(int option)
{
    return option < 0 || option == OPTION_INPUT_FILES ||
           option == OPTION_WEIGHT || option == OPTION_WEIGHTED_INPUT;
}

static int run(const struct cmd_command *command, int argc, char **argv)
{
    struct cmd_parser parser = {.command = command, .argc = argc, .argv = argv};
    const char **words = (const char **)calloc((size_t)argc, sizeof(*words));
    struct merge m = {.binaries = words};
    bool has_inputs = false;
    struct cmd_word word;
    bool failed = false;
    bool helped = false;
    int status = 0;

    if (words == NULL)
        return cmd_no_memory();
    mpdata_inputs_init(&m.inputs);
    while (status == 0 && cmd_parse(&parser, &word, &failed, &helped)) {
        has_inputs |= is_input(word.option);
        status = take_word(command, &m, &word);
    }
    if (failed)
        status = CMD_EXIT_USAGE;
    if (helped) {
        status = cmd_finish_output(status);
        goto out;
    }
    if (status == 0 && !has_inputs)
        status = cmd_usage(command, "no input files");
    if (status == 0 && m.output == NULL)
        status = cmd_usage(command, "no output file: give one with -o");
    if (status == 0)
        status = merge(&m);
out:
    if (m.function != NULL)
        regfree(&m.regex);
    mpdata_inputs_fini(&m.inputs);
    free(words);
    return status;
}

const struct cmd_command cmd_merge = {
    .name = "merge",
    .usage = "[OPTION]... FILE... -o FILE",
    .summary = "make one profile of any number of runs",
    .details =
        "Reads raw profiles (ours, and LLVM's of versions 3 to 5), indexed "
        "profiles and text (LLVM's YAML, ours) in any mix, also compressed "
        "with zstd or gzip, adds up what "
        "equal call stacks allocated, and PGO counters, and "
        "writes one indexed profile: for memprofdata, and for clang's "
        "-fmemory-profile-use. The same inputs in any order give the same "
        "bytes.\n\nFILE is a profile, - for standard input, a directory for "
        "all "
        "profiles in it and below, or @LIST for the files that LIST names.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
