/* merge_load.c -- merges any number of inputs into one profile in memory, whose
 * canonical form does not depend on their order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/merge.h"
#include "profdata/load/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Results of the inputs. */
struct tally {
    uint32_t used;
    uint32_t bad;
    uint32_t no_profiles; /* files in directories that are not profiles */
    char *no_profile; /* the first of them, owned; NULL when out of memory */
    int status;       /* exit status of the first unusable input */
    bool is_over;     /* stop: the error does not concern a single input */
};

static void count_bad(struct tally *tally, const struct mprof_diag *diag)
{
    const int status = cmd_fail(diag);

    if (tally->bad++ == 0)
        tally->status = status;
    /* OTHER_DUMP concerns two merged inputs; neither of them is the bad one. */
    tally->is_over = diag->err == MPROF_E_NOMEM ||
                     diag->err == MPROF_E_NO_SYMBOLIZER ||
                     diag->err == MPROF_E_OTHER_DUMP;
    if (tally->is_over)
        tally->status = status;
}

/* For mpdata_load_context.report. */
static bool report(void *context, const struct mprof_diag *diag)
{
    struct tally *const tally = context;

    count_bad(tally, diag);
    return !tally->is_over;
}

static void take_file(struct merge *m, struct mpdata_prefetch *prefetch,
                      struct tally *tally)
{
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];
    const uint64_t before = p->load.loaded;
    const struct mpdata_input *input;
    struct mprof_diag diag;
    const enum mprof_err err =
        mpdata_prefetch_load(prefetch, &p->load, &input, &diag);

    tally->used += p->load.loaded != before;
    /* is_over: report() has printed the error. */
    if (err == MPROF_E_OK || tally->is_over)
        return;
    if (mpdata_inputs_is_other(input, &diag)) {
        if (tally->no_profiles++ == 0)
            tally->no_profile = strdup(input->path);
        return;
    }
    count_bad(tally, &diag);
}

/* Adds the pending dumps that count. */
static void take_pending(struct merge *m, struct tally *tally)
{
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];
    bool is_over = false;

    while (!is_over && !tally->is_over) {
        struct mprof_diag diag;

        if (mpdata_load_pending(&p->load, !m->session.no_verify, &is_over,
                                &diag) == MPROF_E_OK)
            continue;
        tally->used -= tally->used != 0;
        count_bad(tally, &diag);
    }
}

/* Prints a summary of all inputs that were skipped. */
static void say_tally(const struct merge *m, const struct tally *tally)
{
    const struct session_profile *const p = &m->session.profiles[SESSION_NEW];
    const struct mpdata_inputs *inputs = &p->inputs;

    session_say_inputs(&m->session, p);
    if (tally->no_profiles != 0)
        cmd_say("files in directories that are not profiles: %" PRIu32
                ", the first is %s",
                tally->no_profiles,
                tally->no_profile != NULL ? tally->no_profile : "?");
    cmd_say_replaced(p->load.dumps.replaced);
    if (tally->bad == 0 || inputs->count == 1)
        return;
    if (m->failure_mode == MERGE_FAIL_ANY)
        cmd_say("nothing is written, because %" PRIu32 " of %" PRIu32
                " input files cannot be used (--failure-mode=all skips them)",
                tally->bad, inputs->count - tally->no_profiles);
    else
        cmd_say("used %" PRIu32 " of %" PRIu32 " input files", tally->used,
                inputs->count - tally->no_profiles);
}

/* Returns 0, or an exit status. */
static int judge(const struct merge *m, const struct tally *tally)
{
    if (tally->is_over)
        return tally->status;
    /* An error is better than an empty profile. */
    if (tally->used == 0 && tally->bad == 0) {
        cmd_say("there is no profile among the input files");
        return mprof_err_exit(MPROF_E_EMPTY);
    }
    switch (m->failure_mode) {
    case MERGE_FAIL_ANY:
        return tally->bad != 0 ? tally->status : 0;
    case MERGE_FAIL_ALL:
        return tally->used == 0 ? tally->status : 0;
    case MERGE_FAIL_NEVER:
        break;
    }
    return 0;
}

/* Reads the inputs one by one. After an unusable one, the others are still
 * read, so that one attempt reports all of them. */
static int take_inputs(struct merge *m, struct mpdata_prefetch *prefetch)
{
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];
    struct tally tally = {.used = 0};

    p->load.report = report;
    p->load.report_context = &tally;
    progress_start(p->inputs.count);
    for (uint32_t i = 0; i < p->inputs.count && !tally.is_over; i++) {
        take_file(m, prefetch, &tally);
        progress_step();
    }
    take_pending(m, &tally);
    if (!tally.is_over && !m->session.filter.has_failed)
        say_tally(m, &tally);
    free(tally.no_profile);
    if (m->session.filter.has_failed)
        return cmd_no_memory();
    if (tally.used != 0)
        filter_options_loaded_to_write(&m->session.filter, p->content.profile);
    return judge(m, &tally);
}

int merge_load(struct merge *m)
{
    /* This thread is one of the requested threads. */
    const uint32_t threads =
        m->threads != 0 ? (uint32_t)m->threads - 1 : MPDATA_PREFETCH_ALL;
    struct session_profile *const p = &m->session.profiles[SESSION_NEW];

    struct mpdata_prefetch *prefetch = mpdata_prefetch_start(
        &p->inputs, threads, !m->session.no_verify, p->load.choice);
    int status = prefetch != NULL ? take_inputs(m, prefetch) : cmd_no_memory();
    if (status == 0)
        status = session_say_choice(&m->session, p);

    mpdata_prefetch_stop(prefetch);
    mpdata_inputs_fini(&p->inputs);
    return status;
}
