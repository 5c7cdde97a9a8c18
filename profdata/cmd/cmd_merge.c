/* cmd_merge.c -- memprofdata merge: any number of profiles to one.
 *
 * All inputs go into one profile in memory, whose canonical form does not
 * depend on their order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/prefetch.h"
#include "profdata/cmd/cmd.h"
#include "profdata/cmd/cmd_symbols.h"
#include "profdata/model/counters.h"
#include "profdata/model/data_access.h"
#include "profdata/base/heapbuf.h"
#include "profdata/index/index_write.h"
#include "profdata/load/inputs.h"
#include "profdata/llvm/llvm_sites.h"
#include "profdata/load/load.h"
#include "profdata/base/output.h"
#include "profdata/model/prune.h"
#include "profdata/load/raw_filter.h"
#include "profdata/view/llvm_index_print.h"
#include "profdata/text/text_write.h"
#include "profdata/base/units.h"
#include "shared/index_llvm.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 4096
/* Taking back a smaller piece costs as much as it brings. */
#define TRIM_BYTES_MIN (384u << 10)

enum option {
    OPTION_OUTPUT,
    CMD_SYMBOL_OPTION_NAMES,
    OPTION_FAILURE_MODE,
    OPTION_FULL_SCHEMA,
    OPTION_MEMPROF_VERSION,
    OPTION_LLVM_ONLY,
    OPTION_NO_VERIFY,
    OPTION_NO_CHECKSUM,
    OPTION_NUM_THREADS,
    OPTION_INSTR,
    OPTION_INPUT_FILES,
    OPTION_WEIGHT,
    OPTION_WEIGHTED_INPUT,
    OPTION_FUNCTION,
    OPTION_BINARY,
    OPTION_THREAD,
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
    CMD_SYMBOL_OPTIONS,
    [OPTION_FAILURE_MODE] = {"failure-mode", 0, "MODE",
                             "what to do about inputs that cannot be used, "
                             "which are all named with the reason. any: fail "
                             "if there is one (default); all: use the others, "
                             "fail if there are none; warn: never fail, even "
                             "if that gives an empty profile",
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
    [OPTION_NO_CHECKSUM] = {"no-checksum", 0, NULL, NULL, NULL},
    [OPTION_NUM_THREADS] = {"num-threads", 'j', "N",
                            "read inputs and find function names with N "
                            "threads at most (default: one a processor); the "
                            "result never depends on it",
                            NULL},
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
    [OPTION_BINARY] =
        {"binary", 0, "=REGEX",
         "keep call stacks with a frame in a program or library whose path or "
         "build id REGEX fits (any part of it; extended). Raw profiles only: "
         "indexed ones and text do not say where a frame was",
         NULL},
    [OPTION_THREAD] =
        {"thread", 0, "REGEX",
         "keep call stacks of threads whose name REGEX fits (any part of it; "
         "extended). Raw profiles only, of programs that ran with "
         "MEMPROF_OPTIONS=per_thread=1",
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

enum failure_mode { FAIL_ANY, FAIL_ALL, FAIL_NEVER };
enum form { FORM_INDEXED, FORM_TEXT, FORM_YAML };

struct merge {
    const char *output;
    struct cmd_symbols symbols;
    struct mpdata_inputs inputs;
    enum failure_mode failure_mode;
    bool no_verify;
    uint64_t threads; /* 0: as many as there are processors */
    struct mpdata_index_options index;
    struct mpdata_counters counters;
    struct mpdata_data_access data_access;
    struct mpdata_llvm_sites sites;
    enum form form;
    struct mpdata_prune prune;
    const char *function; /* NULL: any */
    regex_t regex;
    const char *binary; /* the same */
    regex_t binary_regex;
    const char *thread; /* the same */
    regex_t thread_regex;
    struct mpdata_raw_filter filter;
    bool has_failed;              /* a regular expression had no memory */
    struct mpdata_binaries named; /* for files that hold no paths */
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
    else if (strcmp(value, "all") == 0)
        m->failure_mode = FAIL_ALL;
    else if (strcmp(value, "warn") == 0)
        m->failure_mode = FAIL_NEVER;
    else
        return cmd_usage(
            command, "--failure-mode=%s: there are any, all and warn", value);
    return 0;
}

/* Without memory no text fits, and m->has_failed says so. glibc's regexec()
 * then may say that there is no match; what it leaves in errno tells. */
static bool fits_regex(struct merge *m, const regex_t *regex, const char *text)
{
    int result;

    errno = 0;
    result = regexec(regex, text, 0, NULL, 0);
    if (result != 0 && (result != REG_NOMATCH || errno == ENOMEM))
        m->has_failed = true;
    return result == 0;
}

/* --function: LLVM's files know no names, only what a name hashes to. */
static bool fits_function(void *context, const struct mpdata_str *name,
                          uint64_t guid)
{
    struct merge *m = context;

    if (name->size == 0)
        return mpdata_guid(m->function, strlen(m->function)) == guid;
    return fits_regex(m, &m->regex, name->bytes);
}

/* Files of LLVM's know modules by build id, so their path is what
 * --profiled-binary says. */
static bool fits_binary(void *context, const struct mpdata_raw_module *module)
{
    struct merge *m = context;
    char id[MPDATA_BUILD_ID_TEXT_BYTES];
    const struct mpdata_binary_file *file =
        module->build_id.size != 0
            ? mpdata_binaries_find(&m->named, module->build_id.bytes,
                                   module->build_id.size)
            : NULL;
    const char *path = module->path.size != 0 ? module->path.bytes : "";

    if (file != NULL)
        path = file->path;
    mpdata_build_id_text(module->build_id.bytes, module->build_id.size, id);
    return fits_regex(m, &m->binary_regex, path) ||
           fits_regex(m, &m->binary_regex, id);
}

static bool fits_thread(void *context, const struct mpdata_str *name)
{
    struct merge *m = context;

    return fits_regex(m, &m->thread_regex, name->bytes);
}

/* The value of an option, compiled once. */
static int take_regex(const struct cmd_command *command,
                      const struct cmd_word *word, const char **text,
                      regex_t *regex)
{
    const char *name = command->options[word->option].name;
    char why[256];
    int error;

    if (*text != NULL)
        return cmd_usage(command, "--%s is given twice", name);
    error = regcomp(regex, word->value, REG_EXTENDED | REG_NOSUB);
    if (error == REG_ESPACE)
        return cmd_no_memory();
    if (error != 0) {
        regerror(error, regex, why, sizeof(why));
        return cmd_usage(command, "--%s=%s: %s", name, word->value, why);
    }
    *text = word->value;
    return 0;
}

static int take_function(const struct cmd_command *command, struct merge *m,
                         const struct cmd_word *word)
{
    m->prune.function = fits_function;
    m->prune.context = m;
    return take_regex(command, word, &m->function, &m->regex);
}

static int take_binary(const struct cmd_command *command, struct merge *m,
                       const struct cmd_word *word)
{
    m->filter.fits = fits_binary;
    m->filter.context = m;
    m->session.filter = &m->filter;
    return take_regex(command, word, &m->binary, &m->binary_regex);
}

static int take_thread(const struct cmd_command *command, struct merge *m,
                       const struct cmd_word *word)
{
    m->filter.fits_thread = fits_thread;
    m->filter.context = m;
    m->session.filter = &m->filter;
    return take_regex(command, word, &m->thread, &m->thread_regex);
}

static int take_prune(const struct cmd_command *command, struct merge *m,
                      const struct cmd_word *word)
{
    const uint64_t max =
        word->option == OPTION_MAX_DEPTH ? UINT32_MAX : UINT64_MAX;
    uint64_t number;

    if (word->option == OPTION_FUNCTION)
        return take_function(command, m, word);
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

static int take_form(const struct cmd_command *command, struct merge *m,
                     enum form form)
{
    if (m->form != FORM_INDEXED && m->form != form)
        return cmd_usage(command, "--text and --yaml exclude each other");
    m->form = form;
    return 0;
}

/* Options of indexed files say nothing about texts, which have all fields. */
static int check_form(const struct cmd_command *command, const struct merge *m)
{
    const char *const name = m->index.llvm_only              ? "llvm-only"
                             : m->index.memprof_version != 0 ? "memprof-version"
                                                             : NULL;

    return m->form != FORM_INDEXED && name != NULL
               ? cmd_usage(command,
                           "--%s is about indexed files, not about --text and "
                           "--yaml",
                           name)
               : 0;
}

static int take_word(const struct cmd_command *command, struct merge *m,
                     const struct cmd_word *word)
{
    switch (word->option) {
    case OPTION_OUTPUT:
        m->output = word->value;
        return 0;
    case OPTION_PROFILED_BINARY:
    case OPTION_DEBUG_DIR:
    case OPTION_NO_CACHE:
        cmd_symbols_take(&m->symbols, &options[word->option], word->value);
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
    case OPTION_NO_CHECKSUM:
        m->no_verify = true;
        return 0;
    case OPTION_NUM_THREADS:
        if (!cmd_number(word->value, THREADS_MAX, &m->threads))
            return cmd_usage(command, "--num-threads=%s: not a number up to %u",
                             word->value, THREADS_MAX);
        m->session.symbolizer.threads = (uint32_t)m->threads;
        return 0;
    case OPTION_INSTR:
        return 0;
    case OPTION_TEXT:
        return take_form(command, m, FORM_TEXT);
    case OPTION_YAML:
        return take_form(command, m, FORM_YAML);
    case OPTION_RANDOM_HOTNESS:
        m->index.random_hotness = true;
        return 0;
    case OPTION_RANDOM_SEED:
        if (!cmd_number(word->value, UINT64_MAX, &m->index.random_seed))
            return cmd_usage(command,
                             "--memprof-random-hotness-seed=%s: not a number",
                             word->value);
        return 0;
    case OPTION_BINARY:
        return take_binary(command, m, word);
    case OPTION_THREAD:
        return take_thread(command, m, word);
    case OPTION_FUNCTION:
    case OPTION_MIN_BYTES:
    case OPTION_MAX_CONTEXTS:
    case OPTION_MAX_DEPTH:
        return take_prune(command, m, word);
    default:
        return take_input(command, m, word);
    }
}

/* -- inputs ---------------------------------------------------------------- */

/* What became of the inputs. */
struct tally {
    uint32_t used;
    uint32_t bad;
    uint32_t no_profiles; /* files in directories that are something else */
    char *no_profile;     /* the first of them, owned; NULL without memory */
    int status;           /* exit status of the first bad one */
    bool is_over;         /* what failed is no property of an input */
};

static void take_file(struct merge *m, struct mpdata_ahead *ahead,
                      struct tally *tally)
{
    const struct mpdata_input *input;
    struct mprof_diag diag;
    int status;

    if (mpdata_ahead_load(ahead, &m->session, &input, &diag) == MPROF_E_OK) {
        tally->used++;
        return;
    }
    if (mpdata_inputs_is_other(input, &diag)) {
        if (tally->no_profiles++ == 0)
            tally->no_profile = strdup(input->path);
        return;
    }
    status = cmd_fail(&diag);
    if (tally->bad++ == 0)
        tally->status = status;
    tally->is_over =
        diag.err == MPROF_E_NOMEM || diag.err == MPROF_E_NO_SYMBOLIZER;
    if (tally->is_over)
        tally->status = status;
}

static void say_gone(const char *what, uint64_t gone, uint64_t all,
                     uint64_t gone_bytes, uint64_t all_bytes)
{
    char texts[4][MPDATA_UNIT_BYTES];

    cmd_say("%s %s of %s call stacks, with %s of %s bytes", what,
            mpdata_units_count(gone, texts[0], sizeof(texts[0])),
            mpdata_units_count(all, texts[1], sizeof(texts[1])),
            mpdata_units_count(gone_bytes, texts[2], sizeof(texts[2])),
            mpdata_units_count(all_bytes, texts[3], sizeof(texts[3])));
}

/* Nothing is left out in silence. */
static void say_tally(const struct merge *m, const struct tally *tally)
{
    const struct mpdata_inputs *inputs = &m->inputs;

    if (inputs->own_output != 0)
        cmd_say("%s is in a directory of inputs and is the output, so it was "
                "left out; to add to it, name it as an input too",
                m->output);
    if (inputs->again != 0)
        cmd_say(
            "files that were named or found twice, and count as one: %" PRIu32,
            inputs->again);
    if (tally->no_profiles != 0)
        cmd_say("files in directories that are no profiles: %" PRIu32
                ", the first is %s",
                tally->no_profiles,
                tally->no_profile != NULL ? tally->no_profile : "?");
    if (tally->bad == 0 || inputs->count == 1)
        return;
    if (m->failure_mode == FAIL_ANY)
        cmd_say("nothing is written, because %" PRIu32 " of %" PRIu32
                " input files cannot be used (--failure-mode=all leaves such "
                "out)",
                tally->bad, inputs->count - tally->no_profiles);
    else
        cmd_say("used %" PRIu32 " of %" PRIu32 " input files", tally->used,
                inputs->count - tally->no_profiles);
}

/* 0, or an exit status. */
static int judge(const struct merge *m, const struct tally *tally)
{
    if (tally->is_over)
        return tally->status;
    /* Nothing to write: better the error than an empty profile. */
    if (tally->used == 0 && tally->bad == 0) {
        cmd_say("there is no profile among the input files");
        return mprof_err_exit(MPROF_E_EMPTY);
    }
    switch (m->failure_mode) {
    case FAIL_ANY:
        return tally->bad != 0 ? tally->status : 0;
    case FAIL_ALL:
        return tally->used == 0 ? tally->status : 0;
    case FAIL_NEVER:
        break;
    }
    return 0;
}

/* The inputs, one by one. After a bad one the others are still read where they
 * count for nothing, so that one attempt tells of all. */
static int take_inputs(struct merge *m, struct mpdata_ahead *ahead)
{
    struct tally tally = {.used = 0};

    cmd_progress_start(m->inputs.count);
    for (uint32_t i = 0; i < m->inputs.count && !tally.is_over; i++) {
        take_file(m, ahead, &tally);
        cmd_progress_step();
    }
    if (!tally.is_over && !m->has_failed)
        say_tally(m, &tally);
    free(tally.no_profile);
    if (m->has_failed)
        return cmd_no_memory();
    if (m->session.filter != NULL && tally.used != 0)
        say_gone(m->thread == NULL   ? "--binary left out"
                 : m->binary == NULL ? "--thread left out"
                                     : "--binary and --thread left out",
                 m->filter.gone_contexts, m->filter.contexts,
                 m->filter.gone_bytes, m->filter.bytes);
    return judge(m, &tally);
}

static int load_inputs(struct merge *m)
{
    /* This thread is one of those that were asked for. */
    const uint32_t threads =
        m->threads != 0 ? (uint32_t)m->threads - 1 : MPDATA_AHEAD_ALL;
    struct mpdata_ahead *ahead;
    int status;

    if (mpdata_inputs_settle(&m->inputs, mpdata_file_is_standard(m->output)
                                             ? NULL
                                             : m->output) != MPROF_E_OK)
        return cmd_no_memory();
    ahead = mpdata_ahead_start(&m->inputs, threads, !m->no_verify);
    status = ahead != NULL ? take_inputs(m, ahead) : cmd_no_memory();

    mpdata_ahead_stop(ahead);
    mpdata_inputs_fini(&m->inputs);
    return status;
}

/* -- output ---------------------------------------------------------------- */

static void say_pruned(const struct mpdata_pruned *p)
{
    char cut[MPDATA_UNIT_BYTES];

    if (p->cut_stacks != 0)
        cmd_say("cut %s call stacks",
                mpdata_units_count(p->cut_stacks, cut, sizeof(cut)));
    say_gone("pruned", p->gone_contexts, p->contexts, p->gone_bytes, p->bytes);
}

/* Gives back what lies free between what is kept, where it is much: the next
 * phase asks for other sizes. */
static void trim_heap(void)
{
    if (mallinfo2().fordblks > TRIM_BYTES_MIN)
        malloc_trim(0);
}

/* Makes of the session's profile what is to be written. */
static enum mprof_err make_output(struct merge *m)
{
    struct mpdata_profile *all = m->session.profile;
    struct mpdata_profile *some;
    struct mpdata_pruned pruned;
    enum mprof_err err;

    /* Nothing will be looked up any more. */
    mpdata_symbolizer_fini(&m->session.symbolizer);
    trim_heap();
    err = mpdata_profile_canonicalize(all);
    trim_heap();

    if (err != MPROF_E_OK ||
        (m->prune.function == NULL && m->prune.bytes_min == 0 &&
         m->prune.contexts_max == 0 && m->prune.depth_max == 0))
        return err;
    some = mpdata_profile_prune(all, &m->prune, &pruned);
    if (some != NULL && m->has_failed) {
        mpdata_profile_free(some);
        some = NULL;
    }
    if (some == NULL)
        return MPROF_E_NOMEM;
    mpdata_profile_free(all);
    m->session.profile = some;
    say_pruned(&pruned);
    return MPROF_E_OK;
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

static ssize_t write_to_buf(void *context, const char *bytes, size_t size)
{
    struct mprof_buf *out = context;

    mprof_buf_bytes(out, bytes, size);
    return out->failed ? 0 : (ssize_t)size;
}

/* LLVM's YAML is that of LLVM's newest indexed profile. The stream's buffer is
 * given, because stdio loses an error where it has none. */
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
    char buffer[BUFSIZ];
    FILE *file =
        fopencookie(out, "w", (cookie_io_functions_t){.write = write_to_buf});

    if (file == NULL)
        return MPROF_E_NOMEM;
    setvbuf(file, buffer, _IOFBF, sizeof(buffer));
    mpdata_heapbuf_init(&index);
    err = mpdata_index_write(canonical, &as_llvm, &index);
    if (err == MPROF_E_OK)
        err = show_yaml_records(file, index.data, index.size);
    if ((fclose(file) != 0 || out->failed) && err == MPROF_E_OK)
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK)
        say_unsaid(m, canonical);
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
    struct mpdata_output out;
    struct mpdata_data_access data_access;
    struct mpdata_llvm_sites sites;
    enum mprof_err err = make_output(m);

    mpdata_counters_canonical(&m->counters);
    m->index.counters = &m->counters;
    mpdata_data_access_init(&data_access);
    m->index.data_access = &data_access;
    mpdata_llvm_sites_init(&sites);
    m->index.sites = &sites;
    mpdata_output_init(&out, m->output);
    if (err == MPROF_E_OK)
        err = mpdata_data_access_canonical(&m->data_access, &data_access);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_sites_canonical(&m->sites, &sites);
    if (err == MPROF_E_OK)
        err = write_form(m, m->session.profile, &out.buf);
    if (err != MPROF_E_OK) {
        mprof_err_fail(&diag, err, NULL, MPROF_DIAG_NO_OFFSET);
        diag.file = m->output;
    } else {
        err = mpdata_output_finish(&out, &diag);
    }
    mpdata_data_access_fini(&data_access);
    mpdata_llvm_sites_fini(&sites);
    mpdata_output_fini(&out);
    return err == MPROF_E_OK ? 0 : cmd_fail(&diag);
}

/* The binaries that were named, for files that hold no paths. */
static int add_named(struct merge *m)
{
    for (size_t i = 0; i < m->symbols.binary_count; i++) {
        struct mprof_diag diag;

        if (mpdata_binaries_add_given(&m->named, m->symbols.binaries[i],
                                      &diag) != MPROF_E_OK)
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
        status = cmd_symbols_setup(&m->symbols, &m->session);
    if (status == 0 && m->binary != NULL)
        status = add_named(m);
    if (status == 0)
        status = load_inputs(m);
    mpdata_symbolizer_finish(&m->session.symbolizer);
    if (status == 0)
        status = write_output(m);
    cmd_progress_stop();
    mpdata_binaries_fini(&m->named);
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
    const char **words =
        (const char **)calloc(2 * (size_t)argc, sizeof(*words));
    struct merge m = {.symbols = {.binaries = words, .dirs = words + argc}};
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
        status = check_form(command, &m);
    if (status == 0)
        status = merge(&m);
out:
    if (m.function != NULL)
        regfree(&m.regex);
    if (m.binary != NULL)
        regfree(&m.binary_regex);
    if (m.thread != NULL)
        regfree(&m.thread_regex);
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
