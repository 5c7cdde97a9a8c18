/* cmd_merge.c -- options of memprofdata merge, and writing its output.
 * merge_load.c reads the inputs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/merge.h"
#include "profdata/load/load.h"
#include "shared/index_llvm.h"
#include "profdata/base/sink.h"
#include "profdata/base/output.h"
#include "profdata/index/index.h"
#include "profdata/json/json.h"
#include "profdata/symbols/symbolizer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MPI_HELPER "memprofdata-mpi"
#define THREADS_MAX 4096
#define VERSION_UNSET UINT_MAX
#define HALF_LIFE_MAX 36500u
#define NS_PER_HOUR UINT64_C(3600000000000)

/* -- options --------------------------------------------------------------- */

static int take_threads(const struct cmd_arg *arg)
{
    return cmd_number(arg->value, THREADS_MAX, (uint64_t *)arg->field)
               ? 0
               : cmd_usage(arg->command, "--%s=%s: not a number up to %u",
                           arg->option->name, arg->value, THREADS_MAX);
}

/* -- inputs ---------------------------------------------------------------- */

static int take_weighted(const struct cmd_arg *arg)
{
    struct merge *const m = (struct merge *)arg->field;
    uint64_t weight = 1;
    const char *const path = mpdata_inputs_weighted(arg->value, &weight);

    m->has_inputs = true;
    return path != NULL
               ? session_add(&m->session.profiles[SESSION_NEW], path, weight)
               : cmd_usage(arg->command, "--%s=%s: not N,FILE",
                           arg->option->name, arg->value);
}

static int take_list(const struct cmd_arg *arg)
{
    struct merge *const m = (struct merge *)arg->field;
    struct mprof_diag diag;

    m->has_inputs = true;
    return mpdata_inputs_add_list(&m->session.profiles[SESSION_NEW].inputs,
                                  arg->value, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

/* Takes "7d" or "36h". */
static int take_decay(const struct cmd_arg *arg)
{
    const size_t size = strlen(arg->value);
    const char unit = size != 0 ? arg->value[size - 1] : '\0';
    char *const number = strndup(arg->value, size != 0 ? size - 1 : 0);
    uint64_t count = 0;
    const bool is_valid = number != NULL && (unit == 'd' || unit == 'h') &&
                          cmd_number(number, HALF_LIFE_MAX, &count) &&
                          count != 0;

    free(number);
    *(uint64_t *)arg->field = count * (unit == 'd' ? 24 : 1) * NS_PER_HOUR;
    return is_valid ? 0
                    : cmd_usage(arg->command,
                                "--%s=%s: not a number of days or hours from 1 "
                                "to %u, such as 7d or 36h",
                                arg->option->name, arg->value, HALF_LIFE_MAX);
}

/* Gives the inputs weights by their age. */
static int apply_decay(struct merge *m)
{
    struct mpdata_inputs *const inputs =
        &m->session.profiles[SESSION_NEW].inputs;
    struct mprof_diag diag;
    uint32_t removed;

    if (m->half_life_ns == 0)
        return 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (mpdata_file_is_standard(mpdata_inputs_get(inputs, i)->path))
            return cmd_usage(m->session.command,
                             "--decay reads the inputs twice, so none may be "
                             "standard input");
    }
    if (mpdata_decay(inputs, m->half_life_ns, !m->session.no_verify, &removed,
                     &diag) != MPROF_E_OK)
        return cmd_fail(&diag);
    if (removed != 0)
        cmd_say("files left out, because --decay gives them no weight: "
                "%" PRIu32,
                removed);
    return 0;
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
     cmd_take_choice, AT(version)},
    {"llvm-only", 0, NULL,
     "write only LLVM's part: a smaller file for the compiler alone",
     cmd_take_flag, AT(index.llvm_only)},
    SESSION_VERIFY_OPTION,
    {"no-checksum", 0, NULL, NULL, cmd_take_flag, SESSION_AT(no_verify)},
    {"num-threads", 'j', "N",
     "use at most N threads to read inputs and find function names (default: "
     "one per processor); the result does not depend on N",
     take_threads, AT(threads)},
    {"instr", 0, NULL, NULL, NULL, 0},
    {"input-files", 'f', "LIST",
     "same as @LIST: a file that lists inputs, one per line, as FILE or N,FILE",
     take_list, 0},
    {"weight", 'w', "N,FILE", "an input that counts as if given N times",
     take_weighted, 0},
    {"weighted-input", 0, "N,FILE", NULL, take_weighted, 0},
    {"decay", 0, "TIME",
     "halve the weight of an input for each TIME (7d, 36h) that its newest run "
     "started before the newest of all. The newest counts 64 times, so that "
     "halves are whole numbers",
     take_decay, AT(half_life_ns)},
    SESSION_FILTER_OPTIONS,
    {"min-bytes", 0, "N", "keep call stacks that allocated at least N bytes",
     cmd_take_positive, SESSION_AT(prune.bytes_min)},
    {"max-contexts", 0, "N", "keep the N call stacks that allocated most",
     cmd_take_positive, SESSION_AT(prune.contexts_max)},
    {"max-depth", 0, "N", "truncate call stacks to their N innermost frames",
     cmd_take_positive, AT(depth_max)},
    SESSION_MOMENT_OPTIONS,
    {"partial", 0, NULL,
     "the output is for another merge: refuse options that leave out what that "
     "one needs (filters, limits, --llvm-only)",
     cmd_take_flag, AT(is_partial)},
    {"by-build", 0, NULL,
     "keep call stacks of different builds of a program apart: the outermost "
     "frame of each is \"build BUILD-ID\". Needs raw inputs",
     cmd_take_flag, AT(by_build)},
    {"across-builds", 0, NULL,
     "merge call stacks of different builds of a program if only the lines "
     "differ where functions begin; the lines are those of the newest run",
     cmd_take_flag, AT(across_builds)},
    {"mpi", 0, NULL,
     "merge with all processes that mpirun started: each of them is given this "
     "command (needs mpi4py)",
     cmd_take_flag, AT(is_mpi)},
    {"strip-paths", 0, NULL,
     "write file names without directories, and no host names, process ids, "
     "runtime options and lists of known leaks",
     cmd_take_flag, AT(privacy.strips_paths)},
    {"hash-names", 0, "KEYFILE",
     "write hashes instead of names of functions, types, files, hosts, "
     "threads and so on. They depend on the bytes of KEYFILE, at least 16: "
     "without them nobody can test which name a hash stands for",
     cmd_take_text, AT(key_path)},
    {"memprof-random-hotness", 0, NULL,
     "for compiler tests: mark randomly chosen call stacks as cold",
     cmd_take_flag, AT(index.random_hotness)},
    {"memprof-random-hotness-seed", 0, "N", "seed of that choice (default: 0)",
     cmd_take_number, AT(index.random_seed)},
    {"text", 0, NULL,
     "write JSON, which contains everything and which merge reads",
     cmd_take_flag, AT(is_text)},
};

/* Returns the name of a given option that makes the output unfit for another
 * merge, or NULL. */
static const char *find_pruning(const struct merge *m)
{
    const struct mpdata_prune *const prune = &m->session.prune;

    return prune->bytes_min != 0      ? "min-bytes"
           : prune->contexts_max != 0 ? "max-contexts"
           : m->depth_max != 0        ? "max-depth"
           : m->index.llvm_only       ? "llvm-only"
           : m->half_life_ns != 0     ? "decay"
                                  : filter_options_given(&m->session.filter);
}

/* Becomes memprofdata-mpi. Returns an exit status after printing a message. */
static int run_mpi(const struct merge *m)
{
    char helper[PATH_MAX];
    char own[PATH_MAX] = "";

    if (m->half_life_ns != 0)
        return cmd_usage(m->session.command,
                         "--decay and --mpi cannot be combined: weights depend "
                         "on all inputs");
    if (!mpdata_bridge_find(MPI_HELPER, helper)) {
        cmd_say(MPI_HELPER " is neither in ../lib/memprof nor in "
                           "../llvm-VERSION beside the program");
        return mprof_err_exit(MPROF_E_IO);
    }
    if (readlink("/proc/self/exe", own, sizeof(own) - 1) > 0)
        setenv("MEMPROFDATA", own, 0);
    execv(helper, m->argv);
    cmd_say("cannot run %s: %s", helper, strerror(errno));
    return mprof_err_exit(MPROF_E_IO);
}

/* Checks the combination of options. Returns 0, or an exit status after
 * printing a message. */
static int check(const struct merge *m)
{
    const struct cmd_command *const command = m->session.command;
    const char *const name = m->index.llvm_only            ? "llvm-only"
                             : m->version != VERSION_UNSET ? "memprof-version"
                                                           : NULL;

    if (!m->has_inputs && m->session.word_count == 0)
        return cmd_usage(command, "no input files");
    if (m->session.output[0] == '\0')
        return cmd_usage(command, "no output file: give one with -o");
    if (m->is_partial && find_pruning(m) != NULL)
        return cmd_usage(command,
                         "--%s and --partial cannot be combined: another merge "
                         "would lack what is left out; use --%s in the last "
                         "merge",
                         find_pruning(m), find_pruning(m));
    /* JSON has all fields, so options of indexed files do not apply. */
    return m->is_text && name != NULL
               ? cmd_usage(command,
                           "--%s and --text cannot be combined: JSON has all "
                           "fields",
                           name)
               : 0;
}

/* Reads the key of --hash-names, if given. */
static int read_key(struct merge *m)
{
    struct mprof_diag diag;

    if (m->key_path == NULL)
        return 0;
    if (mpdata_file_open(&m->key, m->key_path, &diag) != MPROF_E_OK)
        return cmd_fail(&diag);
    if (m->key.size < MPDATA_PRIVACY_KEY_BYTES_MIN) {
        mpdata_diag_text(&diag, MPROF_E_IO,
                         "the key has %zu bytes, fewer than %u; make one: head "
                         "-c 32 /dev/urandom > FILE",
                         m->key.size, MPDATA_PRIVACY_KEY_BYTES_MIN);
        diag.file = m->key_path;
        return cmd_fail(&diag);
    }
    m->privacy.key = m->key.data;
    m->privacy.key_bytes = m->key.size;
    return 0;
}

/* -- the output ------------------------------------------------------------ */

/* Applies --strip-paths and --hash-names. */
static enum mprof_err keep_secrets(struct merge *m, struct mprof_diag *diag)
{
    struct mpdata_content *const c = &m->session.profiles[SESSION_NEW].content;
    enum mprof_err err = MPROF_E_OK;

    if (!m->privacy.strips_paths && m->privacy.key == NULL)
        return MPROF_E_OK;
    if (c->counters.is_present)
        return mpdata_diag_text(
            diag, MPROF_E_UNSUPPORTED,
            "an input holds PGO counters, which name functions and files; "
            "--strip-paths and --hash-names cannot change them: merge the "
            "memory profiles alone");
    err = mpdata_privacy_apply(&m->privacy, &c->profile);
    /* Without directories, more files are the same, as in a later merge. */
    if (err == MPROF_E_OK && m->across_builds)
        err = mpdata_across_builds(&c->profile);
    return mprof_err_plain(diag, err);
}

/* Brings the content into the form to write: canonical, pruned and without
 * secrets. */
static enum mprof_err make_output(struct merge *m, struct mprof_diag *diag)
{
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];

    /* Symbols are no longer needed; free them. */
    mpdata_symbolizer_fini(&p->load.symbolizer);
    enum mprof_err err = mpdata_profile_canonical_in_place(p->content.profile);
    if (err == MPROF_E_OK && m->across_builds)
        err = mpdata_across_builds(&p->content.profile);
    if (err != MPROF_E_OK)
        return mprof_err_plain(diag, err);
    err = filter_options_prune(&m->session.filter, &m->session.prune,
                               &p->content.profile, diag);
    return err == MPROF_E_OK ? keep_secrets(m, diag) : err;
}

/* Prints the seed as llvm-profdata does; the same seed gives the same result.
 */
static void say_seed(const struct merge *m)
{
    if (m->index.random_hotness)
        cmd_say("random hotness seed = %" PRIu64, m->index.random_seed);
}

static enum mprof_err write_form(struct merge *m, struct mpdata_output *out)
{
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];
    struct mpdata_sink sink = mpdata_output_sink(out);

    if (m->is_text)
        return mpdata_json_write_content(&p->content, &sink);
    say_seed(m);
    return mpdata_index_write(&p->content, &m->index, &out->buf);
}

/* Prunes the content of the new profile and writes it. Returns 0, or an exit
 * status. */
static int merge_write(struct merge *m)
{
    struct mprof_diag diag;
    struct mpdata_output out;
    enum mprof_err err = make_output(m, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    mpdata_output_init(&out, m->session.output);
    err = write_form(m, &out);
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, &diag)
                            : mpdata_output_fail(&out, err, &diag);
    mpdata_output_fini(&out);
    return err == MPROF_E_OK ? 0 : cmd_fail(&diag);
}

static int merge(struct session *session)
{
    struct merge *const m = (struct merge *)session;
    struct session_profile *const p = &session->profiles[SESSION_NEW];
    int status = check(m);

    if (status == 0 && m->is_mpi)
        return run_mpi(m);
    if (m->version != VERSION_UNSET)
        m->index.memprof_version = MPROF_MEMPROF_VERSION_MIN + m->version;
    session->prune.depth_max =
        (uint32_t)mprof_min_u64(m->depth_max, UINT32_MAX);
    p->load.symbolizer.threads = (uint32_t)m->threads;
    p->load.by_build = m->by_build;
    p->load.dates_functions = m->across_builds;
    if (status == 0)
        status = read_key(m);
    for (uint32_t i = 0; status == 0 && i < session->word_count; i++)
        status = session_add(p, session->words[i], 1);
    if (status == 0)
        status = session_open(session, p);
    if (status == 0)
        status = apply_decay(m);
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
    struct merge m = {.session = {.output = ""},
                      .version = VERSION_UNSET,
                      .argv = call->argv};
    const int status = session_run(&m.session, call, merge);

    mpdata_file_close(&m.key);
    return status;
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
        "output.\n\nFILE is a profile, or several of them one after the "
        "other, - for standard input, a directory for all profiles in it and "
        "below, or @LIST for the files that LIST names.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
