/* cmd_merge.c -- options of memprofdata merge. merge_load.c and merge_write.c
 * do the work.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/merge.h"
#include "shared/index_llvm.h"

#include <string.h>

#define THREADS_MAX 4096

/* -- options --------------------------------------------------------------- */

static int take_version(void *state, const struct cmd_command *command,
                        const struct cmd_option *option, const char *value)
{
    struct merge *const m = (struct merge *)state;
    uint64_t number;

    if (!cmd_number(value, UINT32_MAX, &number) ||
        number < MPROF_MEMPROF_VERSION_MIN ||
        number > MPROF_MEMPROF_VERSION_MAX)
        return cmd_usage(command, "--%s=%s: expected 2, 3 or 4", option->name,
                         value);
    m->index.memprof_version = (uint32_t)number;
    return 0;
}

static int take_threads(void *state, const struct cmd_command *command,
                        const struct cmd_option *option, const char *value)
{
    struct merge *const m = (struct merge *)state;

    if (!cmd_number(value, THREADS_MAX, &m->threads))
        return cmd_usage(command, "--%s=%s: not a number up to %u",
                         option->name, value, THREADS_MAX);
    m->session.profiles[SESSION_NEW].load.symbolizer.threads =
        (uint32_t)m->threads;
    return 0;
}

static int take_random_seed(void *state, const struct cmd_command *command,
                            const struct cmd_option *option, const char *value)
{
    struct merge *const m = (struct merge *)state;

    return cmd_number(value, UINT64_MAX, &m->index.random_seed)
               ? 0
               : cmd_usage(command, "--%s=%s: not a number", option->name,
                           value);
}

/* Sets a uint64_t to a number above 0. */
static int take_positive(void *field, const struct cmd_command *command,
                         const struct cmd_option *option, const char *value)
{
    uint64_t *const number = (uint64_t *)field;

    if (cmd_number(value, UINT64_MAX, number) && *number != 0)
        return 0;
    return cmd_usage(command, "--%s=%s: not a number above 0", option->name,
                     value);
}

static int take_max_depth(void *state, const struct cmd_command *command,
                          const struct cmd_option *option, const char *value)
{
    struct merge *const m = (struct merge *)state;
    uint64_t number = 0;
    int status;

    status = take_positive(&number, command, option, value);
    m->session.prune.depth_max = (uint32_t)mprof_min_u64(number, UINT32_MAX);
    return status;
}

/* -- inputs ---------------------------------------------------------------- */

static int add_input(struct merge *m, const char *path, uint64_t weight)
{
    struct mprof_diag diag;

    m->has_inputs = true;
    return mpdata_inputs_add(&m->session.profiles[SESSION_NEW].inputs, path,
                             weight, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

static int take_weighted(void *state, const struct cmd_command *command,
                         const struct cmd_option *option, const char *value)
{
    struct merge *const m = (struct merge *)state;
    uint64_t weight = 1;
    const char *path;

    path = mpdata_inputs_weighted(value, &weight);
    return path != NULL
               ? add_input(m, path, weight)
               : cmd_usage(command, "--%s=%s: not N,FILE", option->name, value);
}

static int take_list(void *state, const struct cmd_command *command,
                     const struct cmd_option *option, const char *value)
{
    struct merge *const m = (struct merge *)state;
    struct mprof_diag diag;

    (void)command;
    (void)option;
    m->has_inputs = true;
    return mpdata_inputs_add_list(&m->session.profiles[SESSION_NEW].inputs,
                                  value, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

/* -- command --------------------------------------------------------------- */

#define AT(member) offsetof(struct merge, member)

static const struct cmd_option options[] = {
    {"output", 'o', "FILE", "output file; - is standard output", cmd_take_text,
     SESSION_AT(output)},
    SESSION_SYMBOL_OPTIONS,
    {"failure-mode", 0, "MODE:any all warn",
     "when to fail because of inputs that cannot be used; each is reported "
     "with the reason. any: if there is one (default); all: if there are no "
     "others; warn: never, even if the profile is empty",
     cmd_take_choice, AT(failure_mode)},
    {"memprof-full-schema", 0, NULL,
     "write all fields into LLVM's part, not only the few that the compiler "
     "uses; our part always has all fields",
     cmd_take_flag, AT(index.full_schema)},
    {"memprof-version", 0, "N:2 3 4",
     "version of LLVM's memory profile: 2, 3 (default), or 4, which adds a "
     "summary and callees of call sites, and which LLVM 19 does not read",
     take_version, 0},
    {"llvm-only", 0, NULL,
     "write only LLVM's part: a smaller file for the compiler alone",
     cmd_take_flag, AT(index.llvm_only)},
    SESSION_VERIFY_OPTION,
    {"no-checksum", 0, NULL, NULL, cmd_take_flag, SESSION_AT(no_verify)},
    {"num-threads", 'j', "N",
     "use at most N threads to read inputs and find function names (default: "
     "one per processor); the result does not depend on N",
     take_threads, 0},
    {"instr", 0, NULL, NULL, NULL, 0},
    {"input-files", 'f', "LIST",
     "same as @LIST: a file that lists inputs, one per line, as FILE or N,FILE",
     take_list, 0},
    {"weight", 'w', "N,FILE", "an input that counts as if given N times",
     take_weighted, 0},
    {"weighted-input", 0, "N,FILE", NULL, take_weighted, 0},
    SESSION_FILTER_OPTIONS,
    {"min-bytes", 0, "N", "keep call stacks that allocated at least N bytes",
     take_positive, SESSION_AT(prune.bytes_min)},
    {"max-contexts", 0, "N", "keep the N call stacks that allocated most",
     take_positive, SESSION_AT(prune.contexts_max)},
    {"max-depth", 0, "N", "truncate call stacks to their N innermost frames",
     take_max_depth, 0},
    {"memprof-random-hotness", 0, NULL,
     "for compiler tests: mark randomly chosen call stacks as cold",
     cmd_take_flag, AT(index.random_hotness)},
    {"memprof-random-hotness-seed", 0, "N", "seed of that choice (default: 0)",
     take_random_seed, 0},
    {"text", 0, NULL,
     "write JSON, which contains everything and which merge reads",
     cmd_take_flag, AT(is_text)},
};

/* Checks the combination of options. Returns 0, or an exit status after
 * printing a message. */
static int check(const struct merge *m)
{
    const struct cmd_command *const command = m->session.command;
    const char *const name = m->index.llvm_only              ? "llvm-only"
                             : m->index.memprof_version != 0 ? "memprof-version"
                                                             : NULL;

    if (!m->has_inputs && m->session.word_count == 0)
        return cmd_usage(command, "no input files");
    if (m->session.output[0] == '\0')
        return cmd_usage(command, "no output file: give one with -o");
    /* JSON has all fields, so options of indexed files do not apply. */
    return m->is_text && name != NULL
               ? cmd_usage(command,
                           "--%s and --text cannot be combined: JSON has all "
                           "fields",
                           name)
               : 0;
}

static int merge(struct session *session)
{
    struct merge *const m = (struct merge *)session;
    struct session_profile *const p = &session->profiles[SESSION_NEW];
    int status = check(m);

    for (uint32_t i = 0; status == 0 && i < session->word_count; i++)
        status = session_add(p, session->words[i]);
    if (status == 0)
        status = session_open(session, p);
    if (status == 0)
        status = merge_load(m);
    mpdata_symbolizer_finish(&p->load.symbolizer);
    if (status == 0)
        status = merge_write(m);
    progress_stop();
    return status;
}

static int run(const struct cmd_call *call)
{
    struct merge m = {.session = {.output = ""}};

    return session_run(&m.session, call, merge);
}

const struct cmd_command cmd_merge = {
    .name = "merge",
    .usage = "[OPTION]... FILE... -o FILE",
    .summary = "merge the profiles of any number of runs into one",
    .details =
        "Reads any mix of raw profiles (ours, and LLVM's of versions 3 to 5), "
        "indexed profiles, JSON, and heap profiles of other tools (pprof, "
        "jemalloc, gperftools, heaptrack), also compressed with zstd or gzip. "
        "Adds up the allocations of equal call stacks and writes one indexed "
        "profile for memprofdata and for clang's -fprofile-use. PGO counters "
        "of one input are copied. The order of the inputs does not change the "
        "output.\n\nFILE is a profile, - for standard "
        "input, a directory for all "
        "profiles in it and below, or @LIST for the files that LIST names.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
