/* cmd_check.c -- memprofdata check: is all of a file sound, and what is in it?
 *
 * Everything is read as merge reads it, LLVM's part of our files too, which no
 * other command of ours reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"
#include "profdata/model/counters.h"
#include "profdata/model/data_access.h"
#include "profdata/index/index_ext_read.h"
#include "profdata/llvm/index_llvm_read.h"
#include "profdata/load/inputs.h"
#include "profdata/llvm/llvm_sites.h"
#include "profdata/load/load.h"
#include "profdata/model/run_totals.h"
#include "profdata/base/units.h"
#include "profdata/load/unpack.h"
#include "profdata/base/vec.h"
#include "profdata/text/yaml.h"
#include "shared/container.h"
#include "shared/cursor.h"
#include "shared/index_llvm.h"
#include "shared/le.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_count(const char *what, uint64_t count)
{
    char text[MPDATA_UNIT_BYTES];

    printf("  %-20s%s\n", what, mpdata_units_count(count, text, sizeof(text)));
}

/* -- sections -------------------------------------------------------------- */

static const char *codec_text(uint32_t codec)
{
    return codec == MPROF_CODEC_NONE ? "" : ", zstd";
}

static void print_sections(const struct mprof_dir *dir,
                           const char *(*name_of)(uint32_t))
{
    for (uint32_t i = 0; i < dir->section_count; i++) {
        const struct mprof_section *s = &dir->sections[i];
        char stored[MPDATA_UNIT_BYTES];
        char decoded[MPDATA_UNIT_BYTES];

        mpdata_units_count(s->stored_bytes, stored, sizeof(stored));
        mpdata_units_count(s->decoded_bytes, decoded, sizeof(decoded));
        printf("  %-20s%s bytes%s", name_of(s->id), stored,
               codec_text(s->codec));
        if (s->codec != MPROF_CODEC_NONE)
            printf(" of %s", decoded);
        putchar('\n');
    }
}

/* -- raw ------------------------------------------------------------------- */

static enum mprof_err print_raw_sections(const struct mpdata_file *file,
                                         struct mprof_diag *diag)
{
    struct mprof_dir dir;
    enum mprof_err err;

    if (mpdata_detect(file->data, file->size) != MPDATA_KIND_RAW)
        return MPROF_E_OK;
    err = mprof_dir_read(&dir, file->data, file->size, 0, MPROF_RAW_MAGIC,
                         MPROF_RAW_VERSION_MIN, MPROF_RAW_VERSION, true,
                         "raw directory", diag);
    if (err == MPROF_E_OK)
        print_sections(&dir, mprof_raw_section_name);
    return err;
}

/* Names of threads, where there are some. */
static enum mprof_err print_threads(const struct mpdata_raw *dump,
                                    struct mprof_diag *diag)
{
    uint8_t *is_named = mpdata_vec_array(dump->string_count, 1);
    uint64_t count = 0;

    if (is_named == NULL)
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    for (uint32_t i = 0; dump->has_threads && i < dump->context_count; i++) {
        uint8_t *named = &is_named[dump->contexts[i].thread];

        count += !*named;
        *named = 1;
    }
    if (dump->has_threads)
        print_count("names of threads", count);
    free(is_named);
    return MPROF_E_OK;
}

/* What the runtimes measured of themselves; LLVM's measures nothing. */
static void print_own(const struct mpdata_run_totals *t)
{
    char time[MPDATA_UNIT_BYTES];
    char calls[MPDATA_UNIT_BYTES];

    if (t->timed_calls != 0)
        printf("  %-20sabout %s, %s calls timed\n", "profiler's time",
               mpdata_units_ns(t->own_time_ns, time, sizeof(time)),
               mpdata_units_count(t->timed_calls, calls, sizeof(calls)));
    print_count("profiler's bytes", t->own_memory_bytes);
    print_count("cut stacks", t->truncated);
    print_count("dropped blocks", t->dropped);
}

static void print_own_of_dump(const struct mpdata_raw *dump)
{
    const uint64_t *const n = dump->numbers;
    const struct mpdata_run_totals totals = {
        .own_time_ns = n[MPROF_RAW_META_IS_OWN_TIME_NS],
        .timed_calls = n[MPROF_RAW_META_IS_TIMED_CALLS],
        .own_memory_bytes = n[MPROF_RAW_META_IS_OWN_MEMORY_BYTES],
        .truncated = n[MPROF_RAW_META_IS_TRUNCATED_STACKS],
        .dropped = n[MPROF_RAW_META_IS_DROPPED_BLOCKS]};

    if (dump->kind != MPROF_RUN_LLVM)
        print_own(&totals);
}

static enum mprof_err print_own_of_runs(const struct mpdata_view *view,
                                        struct mprof_diag *diag)
{
    struct mpdata_run_totals totals;

    if (mpdata_run_totals(view, &totals) != MPROF_E_OK)
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (totals.measured_runs != 0)
        print_own(&totals);
    return MPROF_E_OK;
}

static enum mprof_err check_raw(const char *path,
                                const struct mpdata_file *file,
                                struct mprof_diag *diag)
{
    struct mpdata_raw_file raw = {.dumps = NULL};
    enum mprof_err err =
        mpdata_load_raw(file->data, file->size, true, &raw, diag);

    if (err != MPROF_E_OK)
        return err;
    for (size_t i = 0; i < raw.count && err == MPROF_E_OK; i++) {
        const struct mpdata_raw *dump = &raw.dumps[i];

        printf("%s: %s version %" PRIu32 "\n", path,
               dump->kind == MPROF_RUN_LLVM ? "LLVM raw profile"
                                            : "raw profile",
               dump->version);
        print_count("call stacks", dump->context_count);
        print_count("code addresses", dump->frame_count);
        print_count("modules", dump->module_count);
        err = print_threads(dump, diag);
        print_own_of_dump(dump);
    }
    mpdata_raw_file_free(&raw);
    return err == MPROF_E_OK ? print_raw_sections(file, diag) : err;
}

/* -- indexed --------------------------------------------------------------- */

struct index_facts {
    uint64_t version;
    uint64_t memprof_version; /* 0: none */
    bool is_ours;
    struct mprof_dir dir;
    struct mpdata_counters counters;
    struct mpdata_profile *profile;
};

static enum mprof_err read_versions(const struct mpdata_file *file,
                                    struct index_facts *facts,
                                    struct mprof_diag *diag)
{
    struct mprof_cursor c =
        mprof_cursor_over(file->data, file->size, 0, "index header");
    struct mprof_index_llvm header;
    struct mprof_index_llvm_memprof memprof;

    mprof_index_llvm_read(&header, &c);
    facts->version = header.version;
    if (mprof_index_llvm_has_memprof(&header)) {
        mprof_index_llvm_read_memprof(&memprof, &c, header.memprof_off);
        facts->memprof_version = memprof.version;
    }
    return mprof_cursor_status(&c, diag);
}

/* LLVM's part of one of our files, by itself. */
static enum mprof_err check_llvm(const struct mpdata_file *file,
                                 const struct index_facts *facts,
                                 struct mprof_diag *diag)
{
    const struct mprof_section *place =
        mprof_dir_find(&facts->dir, MPROF_INDEX_LLVM);
    struct mpdata_profile *profile;
    enum mprof_err err;

    if (place == NULL || facts->memprof_version == 0)
        return MPROF_E_OK;
    profile = mpdata_profile_new();
    if (profile == NULL)
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    err = mpdata_index_llvm_read(file->data, place->stored_bytes, profile, NULL,
                                 diag);
    mpdata_profile_free(profile);
    return err;
}

static enum mprof_err read_index(const struct mpdata_file *file,
                                 struct index_facts *facts,
                                 struct mprof_diag *diag)
{
    uint64_t dir_off = 0;
    enum mprof_err err = read_versions(file, facts, diag);

    facts->is_ours = mpdata_index_ext_find(file->data, file->size, &dir_off);
    if (err == MPROF_E_OK && facts->is_ours)
        err = mprof_dir_read(&facts->dir, file->data, file->size, dir_off,
                             MPROF_INDEX_EXT_MAGIC, MPROF_INDEX_EXT_VERSION_MIN,
                             MPROF_INDEX_EXT_VERSION, true, "index directory",
                             diag);
    if (err == MPROF_E_OK)
        err = mpdata_index_verify_llvm(file->data, file->size, diag);
    if (err == MPROF_E_OK)
        err = mpdata_counters_read(file->data, file->size, &facts->counters,
                                   diag);
    if (err == MPROF_E_OK)
        err = mpdata_index_read(file->data, file->size, true, facts->profile,
                                diag);
    if (err == MPROF_E_NO_MEMPROF && facts->counters.is_present)
        err = MPROF_E_OK;
    if (err == MPROF_E_OK && facts->is_ours)
        err = check_llvm(file, facts, diag);
    return err;
}

static enum mprof_err print_index(const char *path,
                                  const struct index_facts *facts,
                                  struct mprof_diag *diag)
{
    const struct mpdata_view view = mpdata_profile_view(facts->profile);
    enum mprof_err err = MPROF_E_OK;

    printf("%s: indexed profile, version %" PRIu64, path, facts->version);
    if (facts->memprof_version != 0)
        printf(", LLVM memory profile version %" PRIu64,
               facts->memprof_version);
    if (facts->is_ours)
        printf(", ours version %" PRIu32, facts->dir.version);
    putchar('\n');
    if (facts->memprof_version != 0) {
        print_count("call stacks", view.context_count);
        print_count("functions", view.function_count);
        print_count("runs", view.run_count);
        print_count("binaries", view.binary_count);
        err = print_own_of_runs(&view, diag);
    }
    if (facts->counters.is_present)
        printf("  %-20s%" PRIu32 " functions, %s\n", "PGO counters",
               facts->counters.functions.rows.count,
               (facts->counters.variant & MPROF_INDEX_VARIANT_IR) != 0
                   ? "IR"
                   : "front-end");
    print_sections(&facts->dir, mprof_index_section_name);
    return err;
}

static enum mprof_err check_index(const char *path,
                                  const struct mpdata_file *file,
                                  struct mprof_diag *diag)
{
    struct index_facts facts = {.profile = mpdata_profile_new()};
    enum mprof_err err;

    mpdata_counters_init(&facts.counters);
    err = facts.profile != NULL
              ? read_index(file, &facts, diag)
              : mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK)
        err = print_index(path, &facts, diag);
    mpdata_counters_fini(&facts.counters);
    mpdata_profile_free(facts.profile);
    return err;
}

/* -- text --------------------------------------------------------------------- */

static enum mprof_err check_text(const char *path,
                                 const struct mpdata_file *file,
                                 struct mprof_diag *diag)
{
    struct mpdata_profile *profile = mpdata_profile_new();
    struct mpdata_counters counters;
    struct mpdata_data_access data_access;
    struct mpdata_llvm_sites sites;
    const struct mpdata_yaml_parts parts = {.profile = profile,
                                            .counters = &counters,
                                            .data_access = &data_access,
                                            .sites = &sites};
    enum mprof_err err;

    mpdata_counters_init(&counters);
    mpdata_data_access_init(&data_access);
    mpdata_llvm_sites_init(&sites);
    err = profile != NULL
              ? mpdata_yaml_read(file->data, file->size, &parts, diag)
              : mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK) {
        const struct mpdata_view view = mpdata_profile_view(profile);

        printf("%s: profile as text\n", path);
        print_count("call stacks", view.context_count);
        print_count("functions", view.function_count);
        print_count("runs", view.run_count);
        print_count("binaries", view.binary_count);
        err = print_own_of_runs(&view, diag);
        print_count("data records", data_access.records.rows.count);
    }
    mpdata_llvm_sites_fini(&sites);
    mpdata_data_access_fini(&data_access);
    mpdata_counters_fini(&counters);
    mpdata_profile_free(profile);
    return err;
}

static enum mprof_err check_kind(const char *path,
                                 const struct mpdata_file *file,
                                 struct mprof_diag *diag)
{
    switch (mpdata_detect(file->data, file->size)) {
    case MPDATA_KIND_INDEXED:
        return check_index(path, file, diag);
    case MPDATA_KIND_YAML:
        return check_text(path, file, diag);
    default:
        return check_raw(path, file, diag);
    }
}

/* -- command --------------------------------------------------------------- */

static enum mprof_err check_file(const char *path, struct mprof_diag *diag)
{
    struct mpdata_file file;
    enum mprof_err err =
        mpdata_file_open_input(&file, path, mpdata_unpack_is_hopeless, diag);

    if (err != MPROF_E_OK)
        return err;
    err = mpdata_file_unpack(&file, diag);
    if (err == MPROF_E_OK)
        err = check_kind(path, &file, diag);
    mpdata_file_close(&file);
    if (err != MPROF_E_OK)
        diag->file = path;
    return err;
}

/* All of them, whatever is wrong with one. The exit status of the first that is
 * not sound. */
static int check_all(struct mpdata_inputs *inputs)
{
    uint32_t others = 0;
    int status = 0;

    if (mpdata_inputs_settle(inputs, NULL) != MPROF_E_OK)
        return cmd_no_memory();
    for (uint32_t i = 0; i < inputs->count; i++) {
        struct mpdata_input file;
        struct mprof_diag diag;
        enum mprof_err err;

        if (!mpdata_inputs_get(inputs, i, &file))
            return cmd_no_memory();
        err = mpdata_inputs_error(&file, &diag);
        if (err == MPROF_E_OK)
            err = check_file(file.path, &diag);
        if (err != MPROF_E_OK && mpdata_inputs_is_other(&file, &diag)) {
            others++;
        } else if (err != MPROF_E_OK) {
            if (status == 0)
                status = mprof_err_exit(err);
            cmd_fail(&diag);
        }
        mpdata_input_free(&file);
    }
    if (others != 0)
        cmd_say("files in directories that are no profiles: %" PRIu32, others);
    if (others == inputs->count) {
        cmd_say("there is no profile among the input files");
        return mprof_err_exit(MPROF_E_EMPTY);
    }
    return status;
}

static int run(const struct cmd_command *command, int argc, char **argv)
{
    struct cmd_parser parser = {.command = command, .argc = argc, .argv = argv};
    struct mpdata_inputs inputs;
    struct cmd_word word;
    bool has_inputs = false;
    bool failed = false;
    bool helped = false;
    int status = 0;

    mpdata_inputs_init(&inputs);
    while (status == 0 && cmd_parse(&parser, &word, &failed, &helped)) {
        struct mprof_diag diag;

        has_inputs = true;
        if (mpdata_inputs_add(&inputs, word.value, 1, &diag) != MPROF_E_OK)
            status = cmd_fail(&diag);
    }
    if (failed)
        status = CMD_EXIT_USAGE;
    else if (!has_inputs && !helped)
        status = cmd_usage(command, "no input files");
    else if (status == 0 && !helped)
        status = check_all(&inputs);
    mpdata_inputs_fini(&inputs);
    return cmd_finish_output(status);
}

const struct cmd_command cmd_check = {
    .name = "check",
    .usage = "FILE...",
    .summary = "say what files hold, and whether all of it is sound",
    .details =
        "Reads all of each file, raw, indexed or text: every checksum, count "
        "and "
        "reference, LLVM's part and PGO counters too. Says what it holds and "
        "how large its sections are. Ends with 1 where a file is damaged. FILE "
        "may be a directory, - or @LIST as for merge.",
    .run = run};
