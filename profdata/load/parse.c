/* parse.c -- opens, decompresses and parses one file by its kind.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
#include "profdata/base/diag.h"
#include "profdata/events/event_fold.h"
#include "profdata/import/heap_text.h"
#include "profdata/load/unpack.h"

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
        return mpdata_diag_fail(
            diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET, "%s",
            mpdata_detect_llvm_text(file->data, file->size));
    case MPDATA_KIND_TEXT:
    case MPDATA_KIND_FOREIGN:
        return MPROF_E_OK;
    case MPDATA_KIND_UNKNOWN:
        break;
    }
    return fail_unknown(file, diag);
}

void mpdata_parse(struct mpdata_parsed *parsed, const char *path,
                  bool verify_checksums, struct mpdata_event_choice *choice)
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
        err = parse_kind(parsed, verify_checksums, choice, diag);
    }
    parsed->err = err;
}

void mpdata_parse_free(struct mpdata_parsed *parsed)
{
    mpdata_raw_file_free(&parsed->raw);
    mpdata_file_close(&parsed->file);
}
