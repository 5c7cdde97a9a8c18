/* yaml.c -- profiles as text, either form.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/yaml.h"
#include "profdata/model/counters.h"
#include "profdata/llvm/llvm_sites.h"
#include "profdata/text/text_write.h"
#include "profdata/text/yaml_parse.h"
#include "shared/container.h"
#include "shared/index_format.h"

void mpdata_yaml_stack_room(struct mpdata_yaml *y, uint32_t count)
{
    if (count == MPDATA_YAML_STACK_FRAMES_MAX)
        mpdata_yaml_fail(y, MPROF_E_VALUE,
                         "a call stack of more than %u frames",
                         MPDATA_YAML_STACK_FRAMES_MAX);
}

/* The document, into parts of its own. A text of ours says all by itself which
 * sites are listed. */
static void read_document(struct mpdata_yaml *y, const void *data, size_t size,
                          const struct mpdata_yaml_parts *parts, bool *is_ours)
{
    enum { HEAP_RECORDS, DATA_ACCESS, TEXT };
    static const char *const names[] = {
        MPDATA_YAML_HEAP_RECORDS, MPDATA_YAML_DATA_ACCESS, MPDATA_YAML_TEXT};
    struct mpdata_yaml_keys keys = {.names = names, .count = 3};
    const struct mpdata_run run = {.run_id = mprof_checksum(data, size),
                                   .count = 1,
                                   .kind = MPROF_RUN_INDEXED};
    size_t key;

    if (mpdata_yaml_map(y)) {
        while (mpdata_yaml_key(y, &keys, &key)) {
            if (key == HEAP_RECORDS) {
                mpdata_yaml_heap_records(y, parts);
            } else if (key == DATA_ACCESS) {
                mpdata_yaml_data_access(y, parts->data_access);
            } else if (keys.seen != UINT64_C(1) << TEXT) {
                mpdata_yaml_fail(y, MPROF_E_VALUE,
                                 MPDATA_YAML_TEXT " must come first");
            } else {
                *is_ours = true;
                mpdata_yaml_text(y, parts);
                return;
            }
        }
    }
    if (y->err == MPROF_E_OK)
        mpdata_profile_run(parts->profile, &run);
}

enum mprof_err mpdata_yaml_read(const void *data, size_t size,
                                const struct mpdata_yaml_parts *parts,
                                struct mprof_diag *diag)
{
    struct mpdata_profile *profile = mpdata_profile_new();
    struct mpdata_yaml_parts own = *parts;
    struct mpdata_llvm_sites listed;
    struct mpdata_yaml y;
    bool is_ours = false;
    bool is_empty;
    enum mprof_err err;

    mpdata_llvm_sites_init(&listed);
    own.profile = profile;
    own.sites = &listed;
    mpdata_yaml_open(&y, data, size, &is_empty, diag);
    if (y.err == MPROF_E_OK && profile == NULL)
        mpdata_yaml_fail(&y, MPROF_E_NOMEM, "no memory");
    if (y.err == MPROF_E_OK && is_empty)
        mpdata_yaml_fail(&y, MPROF_E_EMPTY, "there is no profile in it");
    if (y.err == MPROF_E_OK)
        read_document(&y, data, size, &own, &is_ours);
    err = y.err;
    if (err == MPROF_E_OK && parts->fit != NULL)
        err = mpdata_counters_fit(parts->fit, parts->counters, diag);
    if (err == MPROF_E_OK) {
        err = is_ours ? mpdata_llvm_sites_merge(parts->sites, &listed)
                      : mpdata_llvm_sites_keep(&listed, &profile, parts->sites);
        if (err == MPROF_E_OK)
            err = mpdata_profile_merge(parts->profile, profile);
        if (err != MPROF_E_OK)
            mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    }
    mpdata_yaml_close(&y);
    mpdata_llvm_sites_fini(&listed);
    mpdata_profile_free(profile);
    return err;
}
