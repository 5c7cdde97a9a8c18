/* profile_output.c -- loads, and writes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/profile_output.h"
#include "profdata/base/output.h"

#include <stdlib.h>

int profile_output_init(struct profile_output *p, const struct cmd_call *call)
{
    mpdata_inputs_init(&p->inputs);
    p->warned = (struct cmd_warned){.sums = {.kind = NULL}};
    p->warn = (struct mpdata_diag_warn){.fn = cmd_warn, .context = &p->warned};
    p->words = (const char **)calloc(2 * (size_t)call->argc, sizeof(*p->words));
    if (p->words == NULL)
        return cmd_no_memory();
    p->symbols.binaries = p->words;
    p->symbols.dirs = p->words + call->argc;
    return mpdata_content_init(&p->content) == MPROF_E_OK ? 0 : cmd_no_memory();
}

void profile_output_fini(struct profile_output *p)
{
    mpdata_symbolize_fini(&p->load);
    mpdata_content_fini(&p->content);
    mpdata_inputs_free_one(&p->input);
    mpdata_inputs_fini(&p->inputs);
    filter_options_fini(&p->filter);
    cmd_warned_fini(&p->warned);
    free(p->words);
}

int profile_output_add(struct profile_output *p, const char *name)
{
    struct mprof_diag diag;

    p->has_inputs = true;
    return mpdata_inputs_add(&p->inputs, name, 1, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

/* Reads them, leaves out what the filters do, and looks at what there is. */
static enum mprof_err load(struct profile_output *p,
                           const struct mpdata_prune *prune,
                           struct mprof_diag *diag)
{
    enum mprof_err err =
        mpdata_load_all(&p->load, &p->inputs, !p->no_verify, &p->input, diag);

    cmd_say_replaced(p->load.dumps.replaced);
    if (err == MPROF_E_OK && p->filter.has_failed)
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    if (err != MPROF_E_OK)
        return err;
    input_options_say(&p->inputs, p->output);
    filter_options_loaded(&p->filter, p->content.profile);
    err = filter_options_prune(&p->filter, prune, &p->content.profile, diag);
    if (err != MPROF_E_OK)
        return err;
    return mprof_err_fail(diag,
                          mpdata_metrics_held(p->content.profile, p->held),
                          NULL, MPROF_DIAG_NO_OFFSET);
}

int profile_output_load(struct profile_output *p)
{
    struct mpdata_prune prune = {.depth_max = 0};
    struct mprof_diag diag;
    int status = symbol_options_setup(&p->symbols, &p->load);

    if (status == 0)
        status =
            filter_options_setup(&p->filter, &p->symbols, &p->load, &prune);
    if (status != 0)
        return status;
    p->load.warn = &p->warn;
    p->load.content = &p->content;
    p->load.is_heap_only = true;
    p->load.no_symbols = p->no_symbols;
    return load(p, &prune, &diag) == MPROF_E_OK ? 0 : cmd_fail_inputs(&diag);
}

static enum mprof_err write_to(struct profile_output *p,
                               struct mpdata_output *out,
                               mpdata_format_fn *write)
{
    const struct mpdata_demangler demangler =
        symbol_options_demangler(&p->load);
    struct mpdata_sink sink = mpdata_output_sink(out);
    struct mpdata_export what = {
        .profile = p->content.profile,
        .names = mpdata_frame_names_new(p->content.profile, &demangler),
        .held = p->held,
        .metric = p->metric,
        .left_out = &p->filter.left_out,
        .warn = p->load.warn};
    enum mprof_err err = MPROF_E_NOMEM;

    if (what.names != NULL)
        err = write(&what, &sink);
    if (err == MPROF_E_OK &&
        (sink.failed || mpdata_frame_names_failed(what.names)))
        err = MPROF_E_NOMEM;
    mpdata_frame_names_free(what.names);
    return err;
}

int profile_output_write(struct profile_output *p, mpdata_format_fn *write)
{
    struct mpdata_output out;
    struct mprof_diag diag;
    enum mprof_err err;

    mpdata_output_init(&out, p->output);
    err = write_to(p, &out, write);
    if (err == MPROF_E_OK && mpdata_output_is_empty(&out))
        cmd_say("the profile has nothing of --metric=%s%s, so what is written "
                "is empty",
                mpdata_metrics[p->metric].name,
                p->held[p->metric] ? "" : ", which was not measured");
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, &diag)
                            : mpdata_output_fail(&out, err, &diag);
    mpdata_output_fini(&out);
    return err == MPROF_E_OK ? 0 : cmd_fail_inputs(&diag);
}
