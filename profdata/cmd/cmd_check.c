/* cmd_check.c -- memprofdata check: verifies every part of a file and prints a
 * summary.
 *
 * Reads everything that merge reads, and also LLVM's part of our files, which
 * no other command reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/import/foreign.h"
#include "profdata/index/index.h"
#include "profdata/llvm/llvm.h"
#include "profdata/load/inputs.h"
#include "profdata/load/load.h"
#include "profdata/query/run_totals.h"
#include "profdata/base/units.h"
#include "profdata/base/vec.h"
#include "profdata/json/json.h"
#include "shared/container.h"
#include "shared/cursor.h"
#include "shared/index_llvm.h"
#include "shared/le.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct check {
    struct mpdata_inputs inputs;
    bool has_inputs; /* inputs were named, even if they are empty directories */
    bool is_quiet;
};

static void print_count(const char *what, uint64_t count)
{
    printf("  %-20s%s\n", what, mpdata_units_count(count).text);
}

/* -- sections -------------------------------------------------------------- */

static void print_sections(const struct mprof_dir *dir,
                           const char *(*name_of)(uint32_t))
{
    for (uint32_t i = 0; i < dir->section_count; i++) {
        const struct mprof_section *s = &dir->sections[i];

        printf("  %-20s%s bytes", name_of(s->id),
               mpdata_units_count(s->stored_bytes).text);
        if (s->codec != MPROF_CODEC_NONE)
            printf(", zstd of %s", mpdata_units_count(s->decoded_bytes).text);
        putchar('\n');
    }
}

/* -- raw ------------------------------------------------------------------- */

/* Prints the sections of a file that contains one dump of ours. */
static void print_raw_sections(const struct mpdata_raw_file *raw)
{
    if (raw->count == 1 && raw->rest.err == MPROF_E_OK)
        print_sections(&raw->dir, mprof_raw_section_name);
}

/* Prints the number of thread names, if there are any. */
static enum mprof_err print_threads(const struct mpdata_raw *dump,
                                    struct mprof_diag *diag)
{
    uint8_t *is_named = mpdata_vec_array(dump->string_count, 1);
    uint64_t count = 0;

    if (is_named == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
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

/* Prints the costs that our runtime measured; LLVM's runtime measures none. */
static void print_own(const struct mpdata_run_totals *t)
{
    if (t->timed_calls != 0)
        printf("  %-20sabout %s, %s calls timed\n", "profiler's time",
               mpdata_units_ns(t->own_time_ns).text,
               mpdata_units_count(t->timed_calls).text);
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

    if (dump->kind == MPROF_RUN_MEMPROF)
        print_own(&totals);
}

static enum mprof_err print_own_of_runs(const struct mpdata_view *view,
                                        struct mprof_diag *diag)
{
    struct mpdata_run_totals totals;

    if (mpdata_run_totals(view, &totals) != MPROF_E_OK)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    if (totals.measured_runs != 0)
        print_own(&totals);
    return MPROF_E_OK;
}

static enum mprof_err print_raw(const char *path,
                                const struct mpdata_parsed *parsed,
                                struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    for (size_t i = 0; i < parsed->raw.count && err == MPROF_E_OK; i++) {
        const struct mpdata_raw *dump = &parsed->raw.dumps[i];

        if (parsed->kind == MPDATA_KIND_HEAP_TEXT)
            printf("%s: heap profile of %s\n", path,
                   dump->texts[MPROF_RAW_META_IS_TOOL].bytes);
        else if (parsed->kind == MPDATA_KIND_LOG)
            printf("%s: log of a run\n", path);
        else
            printf("%s: %s version %" PRIu32 "\n", path,
                   dump->kind == MPROF_RUN_LLVM ? "LLVM raw profile"
                                                : "raw profile",
                   dump->version);
        print_count("call stacks", dump->context_count);
        print_count("code addresses", dump->frame_count);
        print_count("binaries", dump->module_count);
        err = print_threads(dump, diag);
        print_own_of_dump(dump);
    }
    if (err == MPROF_E_OK)
        print_raw_sections(&parsed->raw);
    /* The dumps before the damage are valid, but the file is not. */
    if (err == MPROF_E_OK && parsed->raw.rest.err != MPROF_E_OK) {
        *diag = parsed->raw.rest;
        err = diag->err;
    }
    return err;
}

/* -- indexed --------------------------------------------------------------- */

/* Versions in LLVM's header; memprof 0: no memory profile. */
struct versions {
    uint64_t file;
    uint64_t memprof;
    bool has_data_access;
};

static enum mprof_err read_versions(const struct mpdata_index_file *file,
                                    struct versions *versions,
                                    struct mprof_diag *diag)
{
    struct mprof_cursor c =
        mprof_cursor_over(file->data, file->size, 0, "index header");
    struct mprof_index_llvm header;
    struct mprof_index_llvm_memprof memprof;

    mprof_index_llvm_read(&header, &c);
    versions->file = header.version;
    if (mprof_index_llvm_has_memprof(&header)) {
        mprof_index_llvm_read_memprof(&memprof, &c, header.memprof_off);
        versions->memprof = memprof.version;
        versions->has_data_access = memprof.data_access_off != 0;
    }
    return mprof_cursor_status(&c, diag);
}

/* Verifies LLVM's part of one of our files on its own. */
static enum mprof_err check_llvm(const struct mpdata_index_file *file,
                                 struct mprof_diag *diag)
{
    struct mpdata_profile *profile = mpdata_profile_new();

    if (profile == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    enum mprof_err err =
        mpdata_llvm_read(file->data, file->llvm_bytes, profile, diag);
    mpdata_profile_free(profile);
    return err;
}

static enum mprof_err read_index(const struct mpdata_index_file *file,
                                 struct versions *versions,
                                 struct mpdata_content *content,
                                 struct mprof_diag *diag)
{
    enum mprof_err err = read_versions(file, versions, diag);

    if (err == MPROF_E_OK)
        err = mpdata_index_read(file, content, diag);
    if (err == MPROF_E_OK && file->is_ours && versions->memprof != 0)
        err = check_llvm(file, diag);
    return err;
}

static enum mprof_err print_profile(const struct mpdata_profile *profile,
                                    struct mprof_diag *diag)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    print_count("call stacks", view.context_count);
    print_count("functions", view.function_count);
    print_count("runs", view.run_count);
    print_count("binaries", view.binary_count);
    return print_own_of_runs(&view, diag);
}

static void print_counters(const struct mpdata_counters *counters)
{
    if (counters->is_present)
        printf("  %-20s%" PRIu64 " functions, %s\n", "PGO counters",
               counters->functions,
               (counters->variant & MPROF_INDEX_VARIANT_IR) != 0 ? "IR"
                                                                 : "front-end");
}

static enum mprof_err print_index(const char *path,
                                  const struct mpdata_index_file *file,
                                  const struct versions *versions,
                                  const struct mpdata_content *content,
                                  struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    printf("%s: indexed profile, version %" PRIu64, path, versions->file);
    if (versions->memprof != 0)
        printf(", LLVM memory profile version %" PRIu64, versions->memprof);
    if (file->is_ours)
        printf(", ours version %" PRIu32, file->dir.version);
    putchar('\n');
    if (versions->memprof != 0)
        err = print_profile(content->profile, diag);
    if (versions->has_data_access)
        printf("  %-20snot read; llvm-profdata shows them\n", "data accesses");
    print_counters(&content->counters);
    print_sections(&file->dir, mprof_index_section_name);
    return err;
}

/* -- text ------------------------------------------------------------------ */

static enum mprof_err print_text(const char *path,
                                 const struct mpdata_content *content,
                                 struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    printf("%s: profile as text\n", path);
    if (mpdata_content_has_memory(content))
        err = print_profile(content->profile, diag);
    print_counters(&content->counters);
    return err;
}

/* -- another tool's profile ------------------------------------------------ */

/* What stands before the damage of a log is used, but the file is damaged. */
static enum mprof_err read_foreign(const struct mpdata_file *file,
                                   struct mpdata_content *content,
                                   struct mprof_diag *diag)
{
    struct mprof_diag rest = {.err = MPROF_E_OK};
    const enum mprof_err err =
        mpdata_foreign_read(file->data, file->size, content->profile, &rest);

    if (err == MPROF_E_OK && rest.err == MPROF_E_OK)
        return MPROF_E_OK;
    *diag = rest;
    return rest.err;
}

static enum mprof_err print_foreign(const char *path,
                                    const struct mpdata_file *file,
                                    const struct mpdata_content *content,
                                    struct mprof_diag *diag)
{
    printf("%s: %s\n", path,
           mpdata_foreign_find(file->data, file->size)->title);
    return print_profile(content->profile, diag);
}

/* Reads what parsing did not read, and prints the summary. */
static enum mprof_err check_kind(const char *path,
                                 const struct mpdata_parsed *parsed,
                                 bool is_quiet, struct mpdata_content *content,
                                 struct mprof_diag *diag)
{
    const struct mpdata_file *const file = &parsed->file;
    struct versions versions = {.memprof = 0};
    enum mprof_err err = MPROF_E_OK;

    if (parsed->kind == MPDATA_KIND_INDEXED)
        err = read_index(&parsed->index, &versions, content, diag);
    else if (parsed->kind == MPDATA_KIND_TEXT)
        err = mpdata_json_read(file->data, file->size, content, diag);
    else if (parsed->kind == MPDATA_KIND_FOREIGN)
        err = read_foreign(file, content, diag);
    if (err != MPROF_E_OK || is_quiet)
        return err;
    if (parsed->kind == MPDATA_KIND_INDEXED)
        return print_index(path, &parsed->index, &versions, content, diag);
    if (parsed->kind == MPDATA_KIND_FOREIGN)
        return print_foreign(path, file, content, diag);
    return parsed->kind == MPDATA_KIND_TEXT ? print_text(path, content, diag)
                                            : print_raw(path, parsed, diag);
}

/* Checks a parsed profile. */
static enum mprof_err check_parsed(const char *path,
                                   struct mpdata_parsed *parsed, bool is_quiet,
                                   struct mprof_diag *diag)
{
    struct mpdata_content content;
    enum mprof_err err = mpdata_content_init(&content);

    if (err != MPROF_E_OK) {
        mprof_err_plain(diag, err);
    } else if (parsed->err != MPROF_E_OK) {
        err = parsed->err;
        *diag = parsed->diag;
    } else {
        err = check_kind(path, parsed, is_quiet, &content, diag);
    }
    mpdata_content_fini(&content);
    if (err != MPROF_E_OK)
        mpdata_parse_say_which(parsed, diag);
    return err;
}

/* Checks the profiles of a file up to the first damaged one. */
static enum mprof_err check_file(const char *path, bool is_quiet,
                                 struct mprof_diag *diag)
{
    struct mpdata_parsed first;

    mpdata_parse(&first, path, true, NULL);
    struct mpdata_parsed at = first;
    enum mprof_err err = check_parsed(path, &first, is_quiet, diag);
    while (err == MPROF_E_OK && at.rest_bytes != 0) {
        struct mpdata_parsed next;

        mpdata_parse_next(&next, &at);
        at = next;
        err = check_parsed(path, &next, is_quiet, diag);
        mpdata_parse_free(&next);
    }
    mpdata_parse_free(&first);
    if (err != MPROF_E_OK)
        diag->file = path;
    return err;
}

/* Checks all inputs, even after a failure. Returns the exit status of the first
 * input that failed. */
static int check_all(struct check *check)
{
    struct mpdata_inputs *const inputs = &check->inputs;
    uint32_t others = 0;
    int status = 0;

    if (mpdata_inputs_dedupe(inputs, NULL) != MPROF_E_OK)
        return cmd_no_memory();
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct mpdata_input *const file = mpdata_inputs_get(inputs, i);
        struct mprof_diag diag;
        enum mprof_err err = mpdata_inputs_error(file, &diag);

        if (err == MPROF_E_OK)
            err = check_file(file->path, check->is_quiet, &diag);
        if (err != MPROF_E_OK && mpdata_inputs_is_other(file, &diag)) {
            others++;
        } else if (err != MPROF_E_OK) {
            if (status == 0)
                status = mprof_err_exit(err);
            cmd_fail(&diag);
        }
    }
    if (others != 0)
        cmd_say("files in directories that are not profiles: %" PRIu32, others);
    if (others == inputs->count) {
        cmd_say("there is no profile among the input files");
        return mprof_err_exit(MPROF_E_EMPTY);
    }
    return status;
}

static int take_input(const struct cmd_arg *arg)
{
    struct check *const check = (struct check *)arg->field;
    struct mprof_diag diag;

    check->has_inputs = true;
    return mpdata_inputs_add(&check->inputs, arg->value, 1, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

#define AT(member) offsetof(struct check, member)

static const struct cmd_option options[] = {
    {"quiet", 'q', NULL, "print nothing about files that are sound",
     cmd_take_flag, AT(is_quiet)},
};

static int run(const struct cmd_call *call)
{
    struct check check = {.has_inputs = false};
    int status;

    mpdata_inputs_init(&check.inputs);
    if (cmd_take_all(call, &check, take_input, &status))
        status = check.has_inputs ? check_all(&check)
                                  : cmd_usage(call->command, "no input files");
    mpdata_inputs_fini(&check.inputs);
    return cmd_finish_output(status);
}

const struct cmd_command cmd_check = {
    .name = "check",
    .usage = "[OPTION]... FILE...",
    .summary = "verify files and print what they contain",
    .details = "Reads each file (raw, indexed or text) completely and verifies "
               "all checksums, counts and references, also in LLVM's part and "
               "in PGO counters. Prints what the file contains and how large "
               "its sections are. Exit status: 1 if a file is damaged. FILE "
               "may be a directory, - or @LIST as for merge.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
