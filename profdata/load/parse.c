/* parse.c -- opens, decompresses and parses one file by its kind.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
#include "profdata/base/diag.h"
#include "profdata/events/event_fold.h"
#include "profdata/import/heap_text.h"
#include "shared/record_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum mprof_err fail_unknown(const struct mpdata_file *file,
                                   struct mprof_diag *diag)
{
    if (file->size == 0)
        return mprof_err_plain(diag, MPROF_E_EMPTY);
    const char *what = mpdata_detect_lookalike(file->data, file->size);
    return mpdata_diag_text(diag, MPROF_E_MAGIC, "%s",
                            what != NULL ? what : "");
}

/* Verifying the checksum touched the pages of LLVM's part, which nobody reads
 * again: mpdata_file_forget() releases them. */
static enum mprof_err open_index(struct mpdata_parsed *parsed,
                                 bool verify_checksums, struct mprof_diag *diag)
{
    const struct mpdata_file *const file = &parsed->file;
    const enum mprof_err err = mpdata_index_file_open(
        &parsed->index, file->data, file->size, verify_checksums, diag);

    if (err == MPROF_E_OK && parsed->index.is_ours)
        mpdata_file_forget(file);
    return err;
}

static enum mprof_err parse_kind(struct mpdata_parsed *parsed,
                                 bool verify_checksums,
                                 struct mpdata_event_choice *choice,
                                 struct mprof_diag *diag)
{
    const struct mpdata_file *const file = &parsed->file;

    switch (parsed->kind) {
    case MPDATA_KIND_RAW:
    case MPDATA_KIND_RAW_LLVM:
        return mpdata_raw_file_read(file->data, file->size, verify_checksums,
                                    &parsed->raw, diag);
    case MPDATA_KIND_INDEXED:
        return open_index(parsed, verify_checksums, diag);
    case MPDATA_KIND_HEAP_TEXT:
        return mpdata_heap_text_read(file->data, file->size, &parsed->raw,
                                     diag);
    case MPDATA_KIND_LOG:
        return mpdata_event_fold_read(file->data, file->size, choice,
                                      &parsed->raw, diag);
    case MPDATA_KIND_LLVM_TEXT:
        return mpdata_diag_text(
            diag, MPROF_E_UNSUPPORTED, "%s",
            mpdata_detect_llvm_text(file->data, file->size));
    case MPDATA_KIND_TEXT:
    case MPDATA_KIND_FOREIGN:
        return MPROF_E_OK;
    case MPDATA_KIND_UNKNOWN:
    case MPDATA_KIND_RECORD:
        break;
    }
    return fail_unknown(file, diag);
}

void mpdata_parse_say_which(const struct mpdata_parsed *parsed,
                            struct mprof_diag *diag)
{
    const bool has_offset = diag->offset != MPROF_DIAG_NO_OFFSET;
    char text[sizeof(diag->text)];

    if (parsed->number == 1 && parsed->rest_bytes == 0)
        return;
    memcpy(text, diag->text, sizeof(text));
    /* With a section, because a directory's files may be skipped without. */
    mpdata_diag_fail(
        diag, diag->err, diag->section != NULL ? diag->section : "profile",
        parsed->start + (has_offset ? diag->offset : 0),
        "%s%sin profile %" PRIu32 " of the file, which starts at 0x%" PRIx64,
        text, text[0] != '\0' ? ": " : "", parsed->number, parsed->start);
}

/* Raw dumps may stay pending until all inputs were read, so later ones own
 * their bytes. */
static enum mprof_err keep_bytes(struct mpdata_parsed *parsed)
{
    struct mpdata_file *const file = &parsed->file;

    if (parsed->number == 1 || (parsed->kind != MPDATA_KIND_RAW &&
                                parsed->kind != MPDATA_KIND_RAW_LLVM))
        return MPROF_E_OK;
    file->owned = malloc(file->size);
    if (file->owned == NULL)
        return MPROF_E_NOMEM;
    memcpy(file->owned, file->data, file->size);
    file->data = file->owned;
    return MPROF_E_OK;
}

/* Leaves the profile of a record, which must fill it. */
static enum mprof_err take_from_record(struct mpdata_parsed *parsed,
                                       struct mprof_diag *diag)
{
    struct mpdata_file *const file = &parsed->file;
    size_t bytes;

    file->data += MPROF_RECORD_HEADER_BYTES;
    file->size -= MPROF_RECORD_HEADER_BYTES;
    parsed->start += MPROF_RECORD_HEADER_BYTES;
    parsed->kind = mpdata_detect(file->data, file->size);
    if (parsed->kind == MPDATA_KIND_RECORD)
        return mpdata_diag_fail(diag, MPROF_E_VALUE, "record", 0,
                                "a record holds another record");
    enum mprof_err err = mpdata_records_first(file->data, file->size,
                                              parsed->kind, &bytes, diag);
    return err != MPROF_E_OK || bytes == file->size
               ? err
               : mpdata_diag_fail(diag, MPROF_E_VALUE, "record", bytes,
                                  "a record holds more than one profile");
}

/* Parses the first profile of parsed->file. */
static enum mprof_err parse_first(struct mpdata_parsed *parsed,
                                  struct mprof_diag *diag)
{
    struct mpdata_file *const file = &parsed->file;
    size_t bytes;

    parsed->kind = mpdata_detect(file->data, file->size);
    enum mprof_err err = mpdata_records_first(file->data, file->size,
                                              parsed->kind, &bytes, diag);
    if (err != MPROF_E_OK)
        return err;
    parsed->rest = file->data + bytes;
    parsed->rest_bytes = file->size - bytes;
    file->size = bytes;
    if (parsed->kind == MPDATA_KIND_RECORD)
        err = take_from_record(parsed, diag);
    if (err != MPROF_E_OK)
        return err;
    err = keep_bytes(parsed);
    return err == MPROF_E_OK ? parse_kind(parsed, parsed->verifies_checksums,
                                          parsed->choice, diag)
                             : mprof_err_plain(diag, err);
}

enum mprof_err mpdata_parse_open(struct mpdata_file *file, const char *path,
                                 struct mprof_diag *diag)
{
    const enum mprof_err err =
        mpdata_file_open_input(file, path, mpdata_unpack_is_rejectable, diag);

    return err == MPROF_E_OK ? mpdata_unpack(file, diag) : err;
}

void mpdata_parse(struct mpdata_parsed *parsed, const char *path,
                  bool verify_checksums, struct mpdata_event_choice *choice)
{
    *parsed = (struct mpdata_parsed){
        .number = 1, .verifies_checksums = verify_checksums, .choice = choice};
    enum mprof_err err = mpdata_parse_open(&parsed->file, path, &parsed->diag);
    if (err == MPROF_E_OK)
        err = parse_first(parsed, &parsed->diag);
    parsed->err = err;
}

void mpdata_parse_next(struct mpdata_parsed *next,
                       const struct mpdata_parsed *parsed)
{
    *next = (struct mpdata_parsed){
        .file = {.data = parsed->rest, .size = parsed->rest_bytes},
        .start = parsed->start + parsed->file.size,
        .number = parsed->number + 1,
        .verifies_checksums = parsed->verifies_checksums,
        .choice = parsed->choice};
    next->err = parse_first(next, &next->diag);
}

void mpdata_parse_free(struct mpdata_parsed *parsed)
{
    mpdata_raw_file_free(&parsed->raw);
    mpdata_file_close(&parsed->file);
}
