/* load.c -- one profile of any kind.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"
#include "profdata/index/index_read.h"
#include "profdata/llvm/llvm_read.h"
#include "profdata/load/raw_filter.h"
#include "profdata/load/unpack.h"
#include "profdata/text/text.h"

/* -- the first step -------------------------------------------------------- */

static enum mprof_err fail_unknown(const struct mpdata_file *file,
                                   struct mprof_diag *diag)
{
    const char *what;

    if (file->size == 0)
        return mprof_err_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
    what = mpdata_detect_lookalike(file->data, file->size);
    return mpdata_diag_fail(diag, MPROF_E_MAGIC, NULL, MPROF_DIAG_NO_OFFSET,
                            "%s", what != NULL ? what : "");
}

static enum mprof_err parse_kind(struct mpdata_parsed *parsed,
                                 bool verify_checksums, struct mprof_diag *diag)
{
    const struct mpdata_file *const file = &parsed->file;

    switch (parsed->kind) {
    case MPDATA_KIND_RAW:
        return mpdata_raw_read(file->data, file->size, verify_checksums,
                               &parsed->raw, diag);
    case MPDATA_KIND_RAW_LLVM:
        return mpdata_raw_read_llvm(file->data, file->size, &parsed->raw, diag);
    case MPDATA_KIND_INDEXED:
        return mpdata_index_file_open(&parsed->index, file->data, file->size,
                                      verify_checksums, diag);
    case MPDATA_KIND_TEXT:
        return MPROF_E_OK;
    case MPDATA_KIND_UNKNOWN:
        break;
    }
    return fail_unknown(file, diag);
}

void mpdata_load_parse(struct mpdata_parsed *parsed, const char *path,
                       bool verify_checksums)
{
    struct mprof_diag *diag = &parsed->diag;
    enum mprof_err err;

    *parsed = (struct mpdata_parsed){.raw = {.dumps = NULL}};
    err = mpdata_file_open_input(&parsed->file, path,
                                 mpdata_unpack_is_rejectable, diag);
    if (err == MPROF_E_OK)
        err = mpdata_unpack(&parsed->file, diag);
    if (err == MPROF_E_OK) {
        parsed->kind = mpdata_detect(parsed->file.data, parsed->file.size);
        err = parse_kind(parsed, verify_checksums, diag);
    }
    parsed->err = err;
}

void mpdata_load_free(struct mpdata_parsed *parsed)
{
    mpdata_raw_file_free(&parsed->raw);
    mpdata_file_close(&parsed->file);
}

/* -- the second step ------------------------------------------------------- */

static enum mprof_err add_index(struct mpdata_load_context *load,
                                const struct mpdata_index_file *index,
                                struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (load->filter != NULL &&
        mpdata_llvm_read_header(index->data, index->size, NULL) == MPROF_E_OK)
        err =
            mpdata_raw_filter_refuse(load->filter, "an indexed profile", diag);
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
    enum mprof_err err;

    if (load->filter != NULL)
        return mpdata_raw_filter_refuse(load->filter, "a text", diag);
    if (!load->is_heap_only)
        return mpdata_text_read(file->data, file->size, load->content, diag);
    err = mpdata_content_init(&all);
    if (err == MPROF_E_OK)
        err = mpdata_text_read(file->data, file->size, &all, diag);
    else
        mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK) {
        err = mpdata_profile_merge(load->content->profile, all.profile);
        if (err != MPROF_E_OK)
            mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    }
    mpdata_content_fini(&all);
    return err;
}

static enum mprof_err add_dumps(struct mpdata_load_context *load,
                                struct mpdata_raw_file *raw, const char *path,
                                struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    for (size_t i = 0; i < raw->count && err == MPROF_E_OK; i++) {
        if (load->filter != NULL)
            err = mpdata_raw_filter(&raw->dumps[i], load->filter, diag);
        if (err == MPROF_E_OK)
            err = mpdata_symbolize(load, &raw->dumps[i], path, diag);
        /* No two dumps in memory longer than they have to. */
        mpdata_raw_free(&raw->dumps[i]);
    }
    return err;
}

/* Adds what was parsed, once. */
static enum mprof_err add_once(struct mpdata_load_context *load,
                               struct mpdata_parsed *parsed, const char *path,
                               struct mprof_diag *diag)
{
    switch (parsed->kind) {
    case MPDATA_KIND_INDEXED:
        return add_index(load, &parsed->index, diag);
    case MPDATA_KIND_TEXT:
        return add_text(load, &parsed->file, diag);
    default:
        return add_dumps(load, &parsed->raw, path, diag);
    }
}

/* As if it were there `weight` times: by itself first. */
static enum mprof_err add_weighted(struct mpdata_load_context *load,
                                   struct mpdata_parsed *parsed,
                                   const char *path, uint64_t weight,
                                   struct mprof_diag *diag)
{
    struct mpdata_content content;
    struct mpdata_load_context part = {.content = &content,
                                       .is_heap_only = load->is_heap_only,
                                       .warn = load->warn,
                                       .filter = load->filter};
    enum mprof_err err = mpdata_content_init(&content);

    /* Lent; places that were looked up belong to a profile. */
    part.binaries = load->binaries;
    part.symbolizer = load->symbolizer;
    if (err == MPROF_E_OK)
        err = add_once(&part, parsed, path, diag);
    else
        mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    load->binaries = part.binaries;
    load->symbolizer = part.symbolizer;
    part.binaries = (struct mpdata_binaries){0};
    part.symbolizer = (struct mpdata_symbolizer){0};
    if (err == MPROF_E_OK)
        err = mpdata_content_merge(load->content, &content, weight, diag);
    mpdata_symbolize_fini(&part);
    mpdata_content_fini(&content);
    return err;
}

enum mprof_err mpdata_load_parsed(struct mpdata_load_context *load,
                                  struct mpdata_parsed *parsed,
                                  const char *path, uint64_t weight,
                                  struct mprof_diag *diag)
{
    enum mprof_err err = parsed->err;

    if (err != MPROF_E_OK) {
        if (diag != NULL)
            *diag = parsed->diag;
    } else if (weight == 1) {
        err = add_once(load, parsed, path, diag);
    } else {
        err = add_weighted(load, parsed, path, weight, diag);
    }
    if (err != MPROF_E_OK && diag != NULL)
        diag->file = path;
    return err;
}

enum mprof_err mpdata_load_weighted(struct mpdata_load_context *load,
                                    const char *path, uint64_t weight,
                                    bool verify_checksums,
                                    struct mprof_diag *diag)
{
    struct mpdata_parsed parsed;
    enum mprof_err err;

    mpdata_load_parse(&parsed, path, verify_checksums);
    err = mpdata_load_parsed(load, &parsed, path, weight, diag);
    mpdata_load_free(&parsed);
    return err;
}

enum mprof_err mpdata_load_add_binary(struct mpdata_load_context *load,
                                      const char *path, struct mprof_diag *diag)
{
    return mpdata_binaries_add(&load->binaries, path, true, NULL, diag);
}
