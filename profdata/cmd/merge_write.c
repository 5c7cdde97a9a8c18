/* merge_write.c -- writes the merged profile in the requested format.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/heapbuf.h"
#include "profdata/base/output.h"
#include "profdata/cmd/merge.h"
#include "profdata/index/index_write.h"
#include "profdata/json/json_write.h"
#include "shared/index_llvm.h"

#include <inttypes.h>
#include <stdlib.h>

/* Applies --strip-paths and --hash-names. */
static enum mprof_err keep_secrets(struct merge *m, struct mprof_diag *diag)
{
    struct mpdata_content *const c = &m->session.profiles[SESSION_NEW].content;
    enum mprof_err err = MPROF_E_OK;

    if (!m->privacy.strips_paths && m->privacy.key == NULL)
        return MPROF_E_OK;
    if (c->counters.is_present)
        return mpdata_diag_fail(
            diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET,
            "an input holds PGO counters, which name functions and files; "
            "--strip-paths and --hash-names cannot change them: merge the "
            "memory profiles alone");
    err = mpdata_privacy_apply(&m->privacy, &c->profile);
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

/* Brings the content into the form to write: canonical, pruned and without
 * secrets. */
static enum mprof_err make_output(struct merge *m, struct mprof_diag *diag)
{
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];
    enum mprof_err err;

    /* Symbols are no longer needed; free them. */
    mpdata_symbolizer_fini(&p->load.symbolizer);
    err = mpdata_profile_canonical_in_place(p->content.profile);
    if (err != MPROF_E_OK)
        return mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    err = filter_options_prune(&m->session.filter, &m->session.prune,
                               &p->content.profile, diag);
    return err == MPROF_E_OK ? keep_secrets(m, diag) : err;
}

/* Prints the seed as llvm-profdata does; the same seed gives the same result.
 */
static void say_seed(const struct merge *m)
{
    if (m->index.random_hotness)
        cmd_say("random hotness seed = %" PRIu64, m->index.random_seed);
}

static enum mprof_err write_form(struct merge *m, struct mpdata_output *out)
{
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];
    struct mpdata_sink sink = mpdata_output_sink(out);

    if (m->is_text)
        return mpdata_json_write_content(&p->content, &sink);
    say_seed(m);
    return mpdata_index_write(&p->content, &m->index, &out->buf);
}

int merge_write(struct merge *m)
{
    struct mprof_diag diag;
    struct mpdata_output out;
    enum mprof_err err = make_output(m, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    mpdata_output_init(&out, m->session.output);
    err = write_form(m, &out);
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, &diag)
                            : mpdata_output_fail(&out, err, &diag);
    mpdata_output_fini(&out);
    return err == MPROF_E_OK ? 0 : cmd_fail(&diag);
}
