/* load.c -- one profile of any kind.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"
#include "profdata/model/counters.h"
#include "profdata/model/data_access.h"
#include "profdata/llvm/index_llvm_read.h"
#include "profdata/index/index_read.h"
#include "profdata/llvm/llvm_sites.h"
#include "profdata/load/raw_filter.h"
#include "profdata/load/unpack.h"
#include "profdata/text/yaml.h"

static enum mprof_err fail_unknown(const uint8_t *data, size_t size,
                                   struct mprof_diag *diag)
{
    const char *what;

    if (size == 0)
        return mprof_err_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
    what = mpdata_detect_lookalike(data, size);
    return mpdata_fail(diag, MPROF_E_MAGIC, NULL, MPROF_DIAG_NO_OFFSET, "%s",
                       what != NULL ? what : "");
}

enum mprof_err mpdata_load_raw(const uint8_t *data, size_t size,
                               bool verify_checksums,
                               struct mpdata_raw_file *raw,
                               struct mprof_diag *diag)
{
    switch (mpdata_detect(data, size)) {
    case MPDATA_KIND_RAW:
        return mpdata_raw_read(data, size, verify_checksums, raw, diag);
    case MPDATA_KIND_RAW_LLVM:
        return mpdata_raw_read_llvm(data, size, raw, diag);
    case MPDATA_KIND_INDEXED:
    case MPDATA_KIND_UNKNOWN:
        break;
    case MPDATA_KIND_YAML:
        return mpdata_fail(diag, MPROF_E_UNSUPPORTED, NULL,
                           MPROF_DIAG_NO_OFFSET,
                           "it is text; memprofdata merge reads it");
    }
    return fail_unknown(data, size, diag);
}

/* What a file has beside call stacks. */
struct extras {
    struct mpdata_counters counters;
    struct mpdata_data_access data_access;
    struct mpdata_llvm_sites sites;
};

static void extras_init(struct extras *extras)
{
    mpdata_counters_init(&extras->counters);
    mpdata_data_access_init(&extras->data_access);
    mpdata_llvm_sites_init(&extras->sites);
}

static void extras_fini(struct extras *extras)
{
    mpdata_counters_fini(&extras->counters);
    mpdata_data_access_fini(&extras->data_access);
    mpdata_llvm_sites_fini(&extras->sites);
}

/* Adds them to the session's, as far as that wants them; counters must fit. */
static enum mprof_err add_extras(struct mpdata_session *session,
                                 const struct extras *extras, uint64_t weight,
                                 struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (session->counters != NULL && extras->counters.is_present)
        err =
            mpdata_counters_merge(session->counters, &extras->counters, weight);
    if (err == MPROF_E_OK && session->data_access != NULL)
        err = mpdata_data_access_merge(session->data_access,
                                       &extras->data_access, weight);
    if (err == MPROF_E_OK && session->sites != NULL)
        err = mpdata_llvm_sites_merge(session->sites, &extras->sites);
    if (err != MPROF_E_OK)
        mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    return err;
}

static enum mprof_err read_extras(const struct mpdata_session *session,
                                  const struct mpdata_file *file,
                                  bool verify_checksums, struct extras *extras,
                                  struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (session->counters == NULL && session->data_access == NULL)
        return MPROF_E_OK;
    if (verify_checksums)
        err = mpdata_index_verify_llvm(file->data, file->size, diag);
    if (err == MPROF_E_OK && session->counters != NULL)
        err = mpdata_counters_read(file->data, file->size, &extras->counters,
                                   diag);
    if (err == MPROF_E_OK && session->counters != NULL)
        err = mpdata_counters_fit(session->counters, &extras->counters, diag);
    if (err == MPROF_E_OK && session->data_access != NULL)
        err = mpdata_data_access_read(file->data, file->size,
                                      &extras->data_access, diag);
    return err;
}

/* The profile and what is beside it, all or nothing. */
static enum mprof_err load_index(struct mpdata_session *session,
                                 const struct mpdata_file *file,
                                 bool verify_checksums, struct mprof_diag *diag)
{
    struct extras extras;
    enum mprof_err err;

    extras_init(&extras);
    err = read_extras(session, file, verify_checksums, &extras, diag);
    if (err == MPROF_E_OK && session->filter != NULL &&
        mpdata_index_llvm_check_header(file->data, file->size, NULL) ==
            MPROF_E_OK)
        err = mpdata_raw_filter_refuse(session->filter, "an indexed profile",
                                       diag);
    if (err == MPROF_E_OK)
        err = mpdata_index_read_sites(
            file->data, file->size, verify_checksums, session->profile,
            session->sites != NULL ? &extras.sites : NULL, diag);
    if (err == MPROF_E_NO_MEMPROF && extras.counters.is_present)
        err = MPROF_E_OK;
    if (err == MPROF_E_OK)
        err = add_extras(session, &extras, 1, diag);
    extras_fini(&extras);
    return err;
}

static enum mprof_err load_yaml(struct mpdata_session *session,
                                const struct mpdata_file *file,
                                struct mprof_diag *diag)
{
    struct extras extras;
    enum mprof_err err;

    if (session->filter != NULL)
        return mpdata_raw_filter_refuse(session->filter, "a text", diag);
    extras_init(&extras);
    err = mpdata_yaml_read(
        file->data, file->size,
        &(struct mpdata_yaml_parts){.profile = session->profile,
                                    .counters = &extras.counters,
                                    .data_access = &extras.data_access,
                                    .sites = &extras.sites,
                                    .fit = session->counters},
        diag);
    if (err == MPROF_E_OK)
        err = add_extras(session, &extras, 1, diag);
    extras_fini(&extras);
    return err;
}

/* -- two steps ------------------------------------------------------------- */

void mpdata_parse(struct mpdata_parsed *parsed, const char *path,
                  bool verify_checksums)
{
    struct mprof_diag *diag = &parsed->diag;
    enum mprof_err err;

    *parsed = (struct mpdata_parsed){.raw = {.dumps = NULL}};
    err = mpdata_file_open_input(&parsed->file, path, mpdata_unpack_is_hopeless,
                                 diag);
    if (err == MPROF_E_OK)
        err = mpdata_file_unpack(&parsed->file, diag);
    if (err == MPROF_E_OK) {
        parsed->kind = mpdata_detect(parsed->file.data, parsed->file.size);
        if (parsed->kind != MPDATA_KIND_INDEXED &&
            parsed->kind != MPDATA_KIND_YAML)
            err = mpdata_load_raw(parsed->file.data, parsed->file.size,
                                  verify_checksums, &parsed->raw, diag);
    }
    parsed->err = err;
}

void mpdata_parsed_free(struct mpdata_parsed *parsed)
{
    mpdata_raw_file_free(&parsed->raw);
    mpdata_file_close(&parsed->file);
}

/* Adds what was parsed, once. */
static enum mprof_err take_once(struct mpdata_session *session,
                                struct mpdata_parsed *parsed, const char *path,
                                bool verify_checksums, struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (parsed->kind == MPDATA_KIND_INDEXED)
        return load_index(session, &parsed->file, verify_checksums, diag);
    if (parsed->kind == MPDATA_KIND_YAML)
        return load_yaml(session, &parsed->file, diag);
    for (size_t i = 0; i < parsed->raw.count && err == MPROF_E_OK; i++) {
        if (session->filter != NULL)
            err =
                mpdata_raw_filter(&parsed->raw.dumps[i], session->filter, diag);
        if (err == MPROF_E_OK)
            err = mpdata_symbolize(session, &parsed->raw.dumps[i], path, diag);
        /* No two dumps in memory longer than they have to. */
        mpdata_raw_free(&parsed->raw.dumps[i]);
    }
    return err;
}

enum mprof_err mpdata_load(struct mpdata_session *session, const char *path,
                           bool verify_checksums, struct mprof_diag *diag)
{
    return mpdata_load_weighted(session, path, 1, verify_checksums, diag);
}

/* Adds *part as often as `weight` says: by doubling, so that every rule of a
 * merge is kept. Doubles *part on the way. */
static enum mprof_err add_weighted(struct mpdata_profile *into,
                                   struct mpdata_profile **part,
                                   uint64_t weight)
{
    enum mprof_err err = MPROF_E_OK;

    while (err == MPROF_E_OK && weight != 0) {
        struct mpdata_profile *twice = NULL;

        if ((weight & 1) != 0)
            err = mpdata_profile_merge(into, *part);
        weight >>= 1;
        if (weight == 0 || err != MPROF_E_OK)
            break;
        twice = mpdata_profile_new();
        if (twice == NULL)
            return MPROF_E_NOMEM;
        err = mpdata_profile_merge(twice, *part);
        if (err == MPROF_E_OK)
            err = mpdata_profile_merge(twice, *part);
        mpdata_profile_free(*part);
        *part = twice;
    }
    return err;
}

static enum mprof_err add_part(struct mpdata_session *session,
                               struct mpdata_session *part,
                               const struct extras *extras, uint64_t weight,
                               struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (session->counters != NULL)
        err = mpdata_counters_fit(session->counters, &extras->counters, diag);
    if (err != MPROF_E_OK)
        return err;
    err = add_weighted(session->profile, &part->profile, weight);
    if (err != MPROF_E_OK)
        return mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    return add_extras(session, extras, weight, diag);
}

/* As if it were there `weight` times: in a profile of its own first. */
static enum mprof_err take_weighted(struct mpdata_session *session,
                                    struct mpdata_parsed *parsed,
                                    const char *path, uint64_t weight,
                                    bool verify_checksums,
                                    struct mprof_diag *diag)
{
    struct extras extras;
    struct mpdata_session part = {.profile = NULL};
    enum mprof_err err = MPROF_E_NOMEM;

    extras_init(&extras);
    part.profile = mpdata_profile_new();
    part.warn = session->warn;
    part.filter = session->filter;
    part.counters = session->counters != NULL ? &extras.counters : NULL;
    part.data_access =
        session->data_access != NULL ? &extras.data_access : NULL;
    part.sites = session->sites != NULL ? &extras.sites : NULL;
    /* Lent; places that were looked up belong to a profile. */
    part.binaries = session->binaries;
    part.symbolizer = session->symbolizer;
    mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    if (part.profile != NULL)
        err = take_once(&part, parsed, path, verify_checksums, diag);
    session->binaries = part.binaries;
    session->symbolizer = part.symbolizer;
    part.binaries = (struct mpdata_binaries){0};
    part.symbolizer = (struct mpdata_symbolizer){0};
    if (err == MPROF_E_OK)
        err = add_part(session, &part, &extras, weight, diag);
    mpdata_session_fini(&part);
    mpdata_profile_free(part.profile);
    extras_fini(&extras);
    return err;
}

enum mprof_err mpdata_load_parsed(struct mpdata_session *session,
                                  struct mpdata_parsed *parsed,
                                  const char *path, uint64_t weight,
                                  bool verify_checksums,
                                  struct mprof_diag *diag)
{
    enum mprof_err err = parsed->err;

    if (err != MPROF_E_OK) {
        if (diag != NULL)
            *diag = parsed->diag;
    } else if (weight == 1) {
        err = take_once(session, parsed, path, verify_checksums, diag);
    } else {
        err = take_weighted(session, parsed, path, weight, verify_checksums,
                            diag);
    }
    if (err != MPROF_E_OK && diag != NULL)
        diag->file = path;
    return err;
}

enum mprof_err mpdata_load_weighted(struct mpdata_session *session,
                                    const char *path, uint64_t weight,
                                    bool verify_checksums,
                                    struct mprof_diag *diag)
{
    struct mpdata_parsed parsed;
    enum mprof_err err;

    mpdata_parse(&parsed, path, verify_checksums);
    err = mpdata_load_parsed(session, &parsed, path, weight, verify_checksums,
                             diag);
    mpdata_parsed_free(&parsed);
    return err;
}
