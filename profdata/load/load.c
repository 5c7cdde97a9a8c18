/* load.c -- loads a profile of any kind.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"
#include "profdata/import/foreign.h"
#include "profdata/load/symbolize.h"
#include "profdata/index/index.h"
#include "profdata/llvm/llvm.h"
#include "profdata/load/raw_filter.h"
#include "profdata/json/json.h"
#include "profdata/model/content.h"

/* -- step 2 ---------------------------------------------------------------- */

/* Refuses an input that lacks what the options need. `has_binaries`: it says
 * which binary a function is in. */
static enum mprof_err refuse(const struct mpdata_load_context *load,
                             const char *what, bool has_binaries,
                             struct mprof_diag *diag)
{
    if (load->needs_binaries && !has_binaries)
        return mpdata_diag_text(
            diag, MPROF_E_UNSUPPORTED,
            "%s does not record the binary of a function; show "
            "the raw profiles by binary",
            what);
    if (load->by_build)
        return mpdata_diag_text(
            diag, MPROF_E_UNSUPPORTED,
            "%s does not record the build of its program; give "
            "the raw profiles with --by-build",
            what);
    return load->filter != NULL
               ? mpdata_raw_filter_refuse(load->filter, what, diag)
               : MPROF_E_OK;
}

static enum mprof_err add_index(struct mpdata_load_context *load,
                                const struct mpdata_index_file *index,
                                struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    /* A reader says what is wrong with a damaged file. */
    if (mpdata_llvm_read_header(index->data, index->size, NULL) == MPROF_E_OK)
        err = refuse(load, "an indexed profile", false, diag);
    if (err != MPROF_E_OK)
        return err;
    return load->is_heap_only
               ? mpdata_index_read_profile(index, load->content->profile, diag)
               : mpdata_index_read(index, load->content, diag);
}

static enum mprof_err add_text(struct mpdata_load_context *load,
                               const struct mpdata_file *file,
                               struct mprof_diag *diag)
{
    struct mpdata_content all;
    enum mprof_err err = refuse(load, "a text", false, diag);

    if (err != MPROF_E_OK)
        return err;
    if (!load->is_heap_only)
        return mpdata_json_read(file->data, file->size, load->content, diag);
    err = mpdata_content_init(&all);
    if (err == MPROF_E_OK)
        err = mpdata_json_read(file->data, file->size, &all, diag);
    else
        mprof_err_plain(diag, err);
    if (err == MPROF_E_OK && !mpdata_content_has_memory(&all)) {
        err = mprof_err_plain(diag, MPROF_E_NO_MEMPROF);
    } else if (err == MPROF_E_OK) {
        err = mpdata_profile_merge(load->content->profile, all.profile);
        mprof_err_plain(diag, err);
    }
    mpdata_content_fini(&all);
    return err;
}

/* Reads into a profile of its own first, so that a refused file leaves nothing
 * behind. */
static enum mprof_err add_foreign(struct mpdata_load_context *load,
                                  const struct mpdata_file *file,
                                  const char *path, struct mprof_diag *diag)
{
    struct mprof_diag rest = {.err = MPROF_E_OK};
    char text[MPROF_DIAG_TEXT_BYTES * 2];
    enum mprof_err err = refuse(load, "another tool's profile", true, diag);

    if (err != MPROF_E_OK)
        return err;
    struct mpdata_profile *profile = mpdata_profile_new();
    if (profile == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    err = mpdata_foreign_read_moment(file->data, file->size, load->choice,
                                     profile, &rest);
    if (err != MPROF_E_OK) {
        if (diag != NULL)
            *diag = rest;
    } else {
        if (rest.err != MPROF_E_OK)
            mpdata_diag_warn(load->warn, path,
                             "%s; what stands before it is used",
                             mpdata_diag_sentence(&rest, text, sizeof(text)));
        err = mpdata_profile_merge(load->content->profile, profile);
        mprof_err_plain(diag, err);
    }
    mpdata_profile_free(profile);
    return err;
}

static enum mprof_err add_dumps(struct mpdata_load_context *load,
                                struct mpdata_raw_file *raw, const char *path,
                                struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    for (size_t i = 0; i < raw->count && err == MPROF_E_OK; i++) {
        if (raw->dumps[i].is_pending)
            continue;
        if (load->filter != NULL)
            err = mpdata_raw_filter(&raw->dumps[i], load->filter, diag);
        if (err == MPROF_E_OK)
            err = mpdata_add_dump(load, &raw->dumps[i], path, diag);
        /* Free each dump at once, so that only one takes memory at a time. */
        mpdata_raw_free(&raw->dumps[i]);
    }
    return err;
}

/* Adds a parsed file with weight 1. */
static enum mprof_err add_once(struct mpdata_load_context *load,
                               struct mpdata_parsed *parsed, const char *path,
                               struct mprof_diag *diag)
{
    switch (parsed->kind) {
    case MPDATA_KIND_INDEXED:
        return add_index(load, &parsed->index, diag);
    case MPDATA_KIND_TEXT:
        return add_text(load, &parsed->file, diag);
    case MPDATA_KIND_FOREIGN:
        return add_foreign(load, &parsed->file, path, diag);
    default:
        return add_dumps(load, &parsed->raw, path, diag);
    }
}

/* Adds a parsed file with a weight: loads it into a content of its own, then
 * merges that content `weight` times. */
static enum mprof_err add_weighted(struct mpdata_load_context *load,
                                   struct mpdata_parsed *parsed,
                                   const char *path, uint64_t weight,
                                   struct mprof_diag *diag)
{
    struct mpdata_content content;
    struct mpdata_raw_filter filter = {.context = NULL};
    struct mpdata_load_context part = {.content = &content,
                                       .is_heap_only = load->is_heap_only,
                                       .by_build = load->by_build,
                                       .dates_functions = load->dates_functions,
                                       .warn = load->warn,
                                       .no_symbols = load->no_symbols};
    enum mprof_err err = mpdata_content_init(&content);

    if (load->filter != NULL) {
        filter = mpdata_raw_filter_fresh(load->filter);
        part.filter = &filter;
    }

    /* Lend the binaries and the symbolizer to the part. Symbolized addresses
     * are not shared: they refer to one profile. */
    part.binaries = load->binaries;
    part.symbolizer = load->symbolizer;
    if (err == MPROF_E_OK)
        err = add_once(&part, parsed, path, diag);
    else
        mprof_err_plain(diag, err);
    load->binaries = part.binaries;
    load->symbolizer = part.symbolizer;
    part.binaries = (struct mpdata_binaries){0};
    part.symbolizer = (struct mpdata_symbolizer){0};
    if (err == MPROF_E_OK)
        err = mpdata_content_merge(load->content, &content, weight, diag);
    if (err == MPROF_E_OK && load->filter != NULL)
        mpdata_raw_filter_add(load->filter, &filter, weight);
    mpdata_symbolize_fini(&part);
    mpdata_content_fini(&content);
    return err;
}

static enum mprof_err add(struct mpdata_load_context *load,
                          struct mpdata_parsed *parsed, const char *path,
                          uint64_t weight, struct mprof_diag *diag)
{
    return weight == 1 ? add_once(load, parsed, path, diag)
                       : add_weighted(load, parsed, path, weight, diag);
}

/* Warns about damage in a stream of dumps; the dumps before the damage are
 * used. And about what a log lacks. */
static void warn_of_rest(const struct mpdata_load_context *load,
                         const struct mpdata_raw_file *raw, const char *path)
{
    char text[MPROF_DIAG_TEXT_BYTES * 2];

    if (raw->rest.err != MPROF_E_OK)
        mpdata_diag_warn(
            load->warn, path, "%s; the %zu dump%s before it %s used",
            mpdata_diag_sentence(&raw->rest, text, sizeof(text)), raw->count,
            raw->count == 1 ? "" : "s", raw->count == 1 ? "is" : "are");
    if (raw->lacks != NULL)
        mpdata_diag_warn(load->warn, path, "%s", raw->lacks);
}

static void warn_of_data_access(const struct mpdata_load_context *load,
                                const struct mpdata_parsed *parsed,
                                const char *path)
{
    if (parsed->kind == MPDATA_KIND_INDEXED && !load->is_heap_only &&
        mpdata_llvm_read_has_data_access(parsed->index.data,
                                         parsed->index.size))
        mpdata_diag_warn(load->warn, path,
                         "its data access profile (of static data) is dropped; "
                         "llvm-profdata show --memory prints it");
}

/* Records the dumps of a file that stay pending. add_dumps() kept them. */
static enum mprof_err note_pending(struct mpdata_load_context *load,
                                   struct mpdata_parsed *parsed,
                                   const char *path, uint64_t weight,
                                   struct mprof_diag *diag)
{
    bool is_pending = false;

    for (size_t i = 0; i < parsed->raw.count; i++)
        is_pending = is_pending || parsed->raw.dumps[i].is_pending;
    if (!is_pending || mpdata_dumps_note(&load->dumps, parsed, path, weight))
        return MPROF_E_OK;
    return mprof_err_plain(diag, MPROF_E_NOMEM);
}

static enum mprof_err load_one(struct mpdata_load_context *load,
                               struct mpdata_parsed *parsed, const char *path,
                               uint64_t weight, struct mprof_diag *diag)
{
    enum mprof_err err = parsed->err;

    if (err != MPROF_E_OK) {
        if (diag != NULL)
            *diag = parsed->diag;
    } else {
        warn_of_rest(load, &parsed->raw, path);
        warn_of_data_access(load, parsed, path);
        for (size_t i = 0; i < parsed->raw.count; i++)
            parsed->raw.dumps[i].is_pending =
                mpdata_dumps_is_pending(&parsed->raw.dumps[i]);
        load->dumps.added++;
        err = add(load, parsed, path, weight, diag);
        if (err == MPROF_E_OK)
            err = note_pending(load, parsed, path, weight, diag);
    }
    load->loaded += err == MPROF_E_OK;
    if (err != MPROF_E_OK && diag != NULL) {
        mpdata_parse_say_which(parsed, diag);
        diag->file = path;
    }
    return err;
}

/* May the profiles behind one with this error be loaded? */
static bool goes_on(const struct mpdata_load_context *load, enum mprof_err err,
                    const struct mprof_diag *diag)
{
    return err == MPROF_E_OK ||
           (load->report != NULL && load->report(load->report_context, diag));
}

enum mprof_err mpdata_load_parsed(struct mpdata_load_context *load,
                                  struct mpdata_parsed *parsed,
                                  const char *path, uint64_t weight,
                                  struct mprof_diag *diag)
{
    /* load_one() may move the profile to the pending dumps, with the file. */
    struct mpdata_parsed at = *parsed;
    enum mprof_err err = load_one(load, parsed, path, weight, diag);

    while (at.rest_bytes != 0 && goes_on(load, err, diag)) {
        struct mpdata_parsed next;

        mpdata_parse_next(&next, &at);
        at = next;
        err = load_one(load, &next, path, weight, diag);
        mpdata_parse_free(&next);
    }
    return err;
}

enum mprof_err mpdata_load_weighted(struct mpdata_load_context *load,
                                    const char *path, uint64_t weight,
                                    bool verify_checksums,
                                    struct mprof_diag *diag)
{
    struct mpdata_parsed parsed;

    mpdata_parse(&parsed, path, verify_checksums, load->choice);
    enum mprof_err err = mpdata_load_parsed(load, &parsed, path, weight, diag);
    mpdata_parse_free(&parsed);
    return err;
}

/* -- step 3 ---------------------------------------------------------------- */

/* Finds the dump of a row in a file that was parsed again, and checks that it
 * is the same. A later dump of the same epoch is accepted: continuous=1 may
 * have replaced the file meanwhile, and the later dump includes the earlier
 * one. */
static enum mprof_err find_dump(const struct mpdata_parsed *parsed,
                                const struct mpdata_dump_row *row,
                                struct mpdata_raw **dump,
                                struct mprof_diag *diag)
{
    const struct mpdata_raw_file *const raw = &parsed->raw;

    *dump = row->index < raw->count ? &raw->dumps[row->index] : NULL;
    if (*dump != NULL &&
        (*dump)->numbers[MPROF_RAW_META_IS_RUN_ID] == row->run_id &&
        (*dump)->numbers[MPROF_RAW_META_IS_EPOCH] == row->epoch &&
        (*dump)->numbers[MPROF_RAW_META_IS_DUMP] >= row->dump)
        return MPROF_E_OK;
    return mpdata_diag_text(diag, MPROF_E_VALUE,
                            "the file changed while it was read");
}

static enum mprof_err add_dump(struct mpdata_load_context *load,
                               struct mpdata_parsed *parsed,
                               const struct mpdata_dump_row *row,
                               const char *path, struct mprof_diag *diag)
{
    struct mpdata_raw *dump;
    enum mprof_err err = find_dump(parsed, row, &dump, diag);

    if (err != MPROF_E_OK)
        return err;
    for (size_t i = 0; i < parsed->raw.count; i++)
        parsed->raw.dumps[i].is_pending = &parsed->raw.dumps[i] != dump;
    if (row->drops_live)
        mpdata_raw_drop_live(dump);
    return add(load, parsed, path, row->weight, diag);
}

static enum mprof_err add_row(struct mpdata_load_context *load,
                              const struct mpdata_dump_row *row,
                              bool verify_checksums, struct mprof_diag *diag)
{
    const char *const path = mpdata_dumps_path(&load->dumps, row);
    struct mpdata_parsed *const held = mpdata_dumps_held(&load->dumps, row);
    struct mpdata_parsed again;
    enum mprof_err err;

    if (held != NULL) {
        err = add_dump(load, held, row, path, diag);
    } else {
        mpdata_parse(&again, path, verify_checksums, load->choice);
        err = again.err;
        if (err != MPROF_E_OK)
            *diag = again.diag;
        else
            err = add_dump(load, &again, row, path, diag);
        mpdata_parse_free(&again);
    }
    if (err != MPROF_E_OK)
        diag->file = path;
    return err;
}

enum mprof_err mpdata_load_pending(struct mpdata_load_context *load,
                                   bool verify_checksums, bool *is_over,
                                   struct mprof_diag *diag)
{
    *is_over = false;
    if (!load->dumps.are_chosen) {
        const struct mpdata_view view =
            mpdata_profile_view(load->content->profile);
        const enum mprof_err err =
            mpdata_dumps_choose(&load->dumps, &view, diag);

        if (err != MPROF_E_OK)
            return err;
    }
    const struct mpdata_dump_row *row = mpdata_dumps_next(&load->dumps);
    *is_over = row == NULL;
    return row != NULL ? add_row(load, row, verify_checksums, diag)
                       : MPROF_E_OK;
}

enum mprof_err mpdata_load_all_pending(struct mpdata_load_context *load,
                                       bool verify_checksums,
                                       struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;
    bool is_over = false;

    while (err == MPROF_E_OK && !is_over)
        err = mpdata_load_pending(load, verify_checksums, &is_over, diag);
    return err;
}

enum mprof_err mpdata_load_add_binary(struct mpdata_load_context *load,
                                      const char *path, struct mprof_diag *diag)
{
    return mpdata_binaries_add(&load->binaries, path, true, NULL, diag);
}

/* -- all inputs ------------------------------------------------------------ */

static enum mprof_err load_input(struct mpdata_load_context *load,
                                 const struct mpdata_input *input, bool verify,
                                 struct mprof_diag *diag)
{
    const enum mprof_err err = mpdata_inputs_error(input, diag);

    return err != MPROF_E_OK
               ? err
               : mpdata_load_weighted(load, input->path, input->weight, verify,
                                      diag);
}

enum mprof_err mpdata_load_all(struct mpdata_load_context *load,
                               const struct mpdata_inputs *inputs,
                               bool verify_checksums, struct mprof_diag *diag)
{
    uint32_t others = 0;
    enum mprof_err err;

    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct mpdata_input *const input = mpdata_inputs_get(inputs, i);

        err = load_input(load, input, verify_checksums, diag);
        if (err != MPROF_E_OK && !mpdata_inputs_is_other(input, diag))
            return err;
        others += err != MPROF_E_OK;
    }
    err = mpdata_load_all_pending(load, verify_checksums, diag);
    if (err != MPROF_E_OK)
        return err;
    if (others == inputs->count)
        return mprof_err_plain(diag, MPROF_E_EMPTY);
    err = mpdata_profile_canonical_in_place(load->content->profile);
    return mprof_err_plain(diag, err);
}
