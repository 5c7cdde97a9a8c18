/* text.c -- profiles as text, in any form.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/text.h"
#include "profdata/llvm/llvm_listed.h"
#include "profdata/text/counters_text.h"
#include "profdata/text/json_read.h"
#include "profdata/text/json_source.h"
#include "profdata/text/llvm_yaml.h"
#include "profdata/text/yaml_source.h"
#include "shared/container.h"
#include "shared/index_format.h"

#include <string.h>

/* After white space. */
static bool is_json(const char *data, size_t size)
{
    size_t at = 0;

    while (at < size && strchr(" \t\r\n", data[at]) != NULL && data[at] != '\0')
        at++;
    return at < size && data[at] == '{';
}

static enum mprof_err read_json(const void *data, size_t size,
                                struct mpdata_content *content,
                                struct mprof_diag *diag)
{
    struct mpdata_json_source source;
    enum mprof_err err;

    mpdata_json_source_open(&source, data, size, diag);
    if (source.events.err == MPROF_E_OK)
        mpdata_json_read(&source.events, content);
    err = source.events.err;
    mpdata_json_source_close(&source);
    return err;
}

static enum mprof_err read_yaml(const void *data, size_t size,
                                struct mpdata_content *content,
                                struct mprof_diag *diag)
{
    const struct mpdata_run run = {.run_id = mprof_checksum(data, size),
                                   .count = 1,
                                   .kind = MPROF_RUN_INDEXED};
    struct mpdata_yaml_source source;
    bool is_empty;
    enum mprof_err err;

    mpdata_yaml_source_open(&source, data, size, &is_empty, diag);
    if (source.events.err == MPROF_E_OK && is_empty)
        mpdata_events_fail(&source.events, MPROF_E_EMPTY,
                           "there is no profile in it");
    if (source.events.err == MPROF_E_OK)
        mpdata_llvm_yaml_read(&source.events, content);
    if (source.events.err == MPROF_E_OK)
        mpdata_yaml_source_finish(&source);
    if (source.events.err == MPROF_E_OK)
        mpdata_profile_run(content->profile, &run);
    content->order_run_id = run.run_id;
    err = source.events.err;
    mpdata_yaml_source_close(&source);
    return err;
}

/* What LLVM's form lists follows from its call stacks, as a rule; JSON says all
 * by itself which sites are listed. The list as it came is the order. */
static enum mprof_err keep_listed(struct mpdata_content *own)
{
    struct mpdata_llvm_sites kept;
    enum mprof_err err;

    mpdata_llvm_sites_init(&kept);
    err = mpdata_llvm_listed_keep(&own->sites, &own->profile, &kept);
    mpdata_llvm_sites_fini(&own->order);
    own->order = own->sites;
    own->sites = kept;
    return err;
}

enum mprof_err mpdata_text_read(const void *data, size_t size,
                                struct mpdata_content *into,
                                struct mprof_diag *diag)
{
    const bool with_json = is_json(data, size);
    const bool is_yaml = !with_json && !mpdata_counters_text_is(data, size);
    struct mpdata_content own;
    enum mprof_err err = mpdata_content_init(&own);

    if (err != MPROF_E_OK)
        mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    else if (with_json)
        err = read_json(data, size, &own, diag);
    else if (is_yaml)
        err = read_yaml(data, size, &own, diag);
    else
        err = mpdata_counters_text_read(data, size, &own.counters, diag);
    if (err == MPROF_E_OK && is_yaml) {
        err = keep_listed(&own);
        if (err != MPROF_E_OK)
            mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    }
    if (err == MPROF_E_OK)
        err = mpdata_content_merge(into, &own, 1, diag);
    mpdata_content_fini(&own);
    return err;
}
