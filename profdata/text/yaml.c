/* yaml.c -- profiles as text, either form.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/yaml.h"
#include "profdata/llvm/llvm_listed.h"
#include "profdata/text/text_write.h"
#include "profdata/text/yaml_parse.h"
#include "shared/container.h"
#include "shared/index_format.h"

void mpdata_yaml_stack_room(struct mpdata_yaml *y, uint32_t count)
{
    if (count == MPDATA_YAML_STACK_FRAMES_MAX)
        mpdata_yaml_events_fail(y, MPROF_E_VALUE,
                                "a call stack of more than %u frames",
                                MPDATA_YAML_STACK_FRAMES_MAX);
}

/* The document, into parts of its own. A text of ours says all by itself which
 * sites are listed. */
static void read_document(struct mpdata_yaml *y, const void *data, size_t size,
                          struct mpdata_content *parts, bool *is_ours)
{
    enum { HEAP_RECORDS, DATA_ACCESS, TEXT };
    static const char *const names[] = {
        MPDATA_YAML_HEAP_RECORDS, MPDATA_YAML_DATA_ACCESS, MPDATA_YAML_TEXT};
    struct mpdata_yaml_keys keys = {.names = names, .count = 3};
    const struct mpdata_run run = {.run_id = mprof_checksum(data, size),
                                   .count = 1,
                                   .kind = MPROF_RUN_INDEXED};
    size_t key;

    if (mpdata_yaml_events_map(y)) {
        while (mpdata_yaml_events_key(y, &keys, &key)) {
            if (key == HEAP_RECORDS) {
                mpdata_yaml_llvm_heap_records(y, parts);
            } else if (key == DATA_ACCESS) {
                mpdata_yaml_llvm_data_access(y, &parts->data_access);
            } else if (keys.seen != UINT64_C(1) << TEXT) {
                mpdata_yaml_events_fail(y, MPROF_E_VALUE,
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

/* What LLVM's form lists follows from its call stacks, as a rule. */
static enum mprof_err keep_listed(struct mpdata_content *own)
{
    struct mpdata_llvm_sites kept;
    enum mprof_err err;

    mpdata_llvm_sites_init(&kept);
    err = mpdata_llvm_listed_keep(&own->sites, &own->profile, &kept);
    mpdata_llvm_sites_fini(&own->sites);
    own->sites = kept;
    return err;
}

enum mprof_err mpdata_yaml_read(const void *data, size_t size,
                                struct mpdata_content *into,
                                struct mprof_diag *diag)
{
    struct mpdata_content own;
    struct mpdata_yaml y;
    bool is_ours = false;
    bool is_empty;
    enum mprof_err err = mpdata_content_init(&own);

    mpdata_yaml_events_open(&y, data, size, &is_empty, diag);
    if (y.err == MPROF_E_OK && err != MPROF_E_OK)
        mpdata_yaml_events_fail(&y, err, "no memory");
    if (y.err == MPROF_E_OK && is_empty)
        mpdata_yaml_events_fail(&y, MPROF_E_EMPTY, "there is no profile in it");
    if (y.err == MPROF_E_OK)
        read_document(&y, data, size, &own, &is_ours);
    err = y.err;
    if (err == MPROF_E_OK && !is_ours) {
        err = keep_listed(&own);
        if (err != MPROF_E_OK)
            mprof_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    }
    if (err == MPROF_E_OK)
        err = mpdata_content_merge(into, &own, 1, diag);
    mpdata_yaml_events_close(&y);
    mpdata_content_fini(&own);
    return err;
}
