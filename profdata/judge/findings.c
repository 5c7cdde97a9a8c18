/* findings.c -- answers to a fixed list of questions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/findings.h"
#include "profdata/query/frames.h"
#include "shared/index_format.h"

#include <stdlib.h>

/* percent_min: findings with a smaller share of the whole are dropped. */
static const struct {
    enum mpdata_metric metric;
    uint32_t percent_min;
} kinds[MPDATA_FINDING_KINDS] = {
    [MPDATA_FINDING_LEAKED] = {MPDATA_METRIC_LEAKED, 0},
    [MPDATA_FINDING_LIVE] = {MPDATA_METRIC_LIVE, 1},
    [MPDATA_FINDING_PEAK] = {MPDATA_METRIC_PEAK, 0},
    [MPDATA_FINDING_UNUSED] = {MPDATA_METRIC_BYTES, 1},
    [MPDATA_FINDING_TEMPORARY] = {MPDATA_METRIC_TEMPORARY, 10},
    [MPDATA_FINDING_LARGEST] = {MPDATA_METRIC_BYTES, 0},
};

/* Sums of a function; row 0 is for frames without a function. */
struct sums {
    uint64_t value[MPDATA_FINDING_KINDS];
    uint64_t largest[MPDATA_FINDING_KINDS]; /* of a call stack */
    mpdata_ref node[MPDATA_FINDING_KINDS];  /* of the function in it */
};

struct search {
    struct mpdata_view view;
    const bool *held;
    mpdata_ref *callers; /* by context: mpdata_wrappers_callers() */
    struct sums *sums;   /* by function ref */
    uint64_t value[MPDATA_FINDING_KINDS];
    uint64_t blocks[MPDATA_FINDING_KINDS];
};

/* The context's part of a finding. */
static uint64_t value_of(enum mpdata_finding_kind kind,
                         const struct mpdata_context *context,
                         const struct mprof_mib *mib)
{
    if (kind == MPDATA_FINDING_UNUSED &&
        ((context->flags & (MPROF_CONTEXT_FL_NOT_MEASURED |
                            MPROF_CONTEXT_FL_NOT_ALL_SEEN)) != 0 ||
         !mpdata_metrics_has_accesses(mib) || mib->TotalAccessCount != 0))
        return 0;
    return mpdata_metrics_get(mib, kinds[kind].metric);
}

static bool is_asked(const struct search *s, enum mpdata_finding_kind kind)
{
    return s->held[kinds[kind].metric] &&
           (kind != MPDATA_FINDING_UNUSED || s->held[MPDATA_METRIC_ACCESSES]);
}

static void take_context(struct search *s, uint32_t i)
{
    const struct mpdata_context *const context = &s->view.contexts[i];
    const struct mprof_mib mib = mpdata_view_mib_of(&s->view, context);
    const mpdata_ref node = s->callers[i];
    const uint32_t frame = node != 0 ? s->view.nodes[node - 1].frame : 0;
    struct sums *const sums =
        node != 0 ? &s->sums[s->view.frames[frame].function] : NULL;

    for (int k = 0; k < MPDATA_FINDING_KINDS; k++) {
        const enum mpdata_finding_kind kind = (enum mpdata_finding_kind)k;
        const uint64_t value =
            is_asked(s, kind) ? value_of(kind, context, &mib) : 0;

        if (value == 0)
            continue;
        s->value[k] = mprof_add_sat_u64(s->value[k], value);
        s->blocks[k] = mprof_add_sat_u64(
            s->blocks[k],
            kind == MPDATA_FINDING_LEAKED ? mib.LeakedCount : mib.AllocCount);
        if (sums == NULL)
            continue;
        sums->value[k] = mprof_add_sat_u64(sums->value[k], value);
        if (value <= sums->largest[k])
            continue;
        sums->largest[k] = value;
        sums->node[k] = node;
    }
}

static void find_most(const struct search *s, struct mpdata_finding *finding)
{
    /* Row 0, frames without a function, is not one function. */
    for (uint32_t f = 1; f <= s->view.function_count; f++) {
        if (s->sums[f].value[finding->kind] <= finding->most)
            continue;
        finding->most = s->sums[f].value[finding->kind];
        finding->node = s->sums[f].node[finding->kind];
    }
}

/* The finding's share of the whole: of one function, or of all call stacks. */
static double share_of(const struct mpdata_finding *f)
{
    const bool is_most =
        f->kind == MPDATA_FINDING_LARGEST || f->kind == MPDATA_FINDING_PEAK;

    return f->whole == 0
               ? 0
               : (double)(is_most ? f->most : f->value) / (double)f->whole;
}

/* The whole that the finding's value is a part of. */
static uint64_t whole_of(const struct search *s, enum mpdata_finding_kind kind,
                         const struct mprof_mib *totals)
{
    if (kind == MPDATA_FINDING_TEMPORARY)
        return totals->AllocCount;
    if (kind == MPDATA_FINDING_LIVE)
        return s->held[MPDATA_METRIC_PEAK] ? totals->PeakBytes
                                           : totals->TotalSize;
    return mpdata_metrics_get(totals, kinds[kind].metric);
}

static size_t collect(const struct search *s, const struct mprof_mib *totals,
                      struct mpdata_finding *findings)
{
    size_t count = 0;

    for (int k = 0; k < MPDATA_FINDING_KINDS; k++) {
        struct mpdata_finding f = {.kind = (enum mpdata_finding_kind)k,
                                   .metric = kinds[k].metric,
                                   .value = s->value[k],
                                   .blocks = s->blocks[k]};

        f.whole = whole_of(s, f.kind, totals);
        find_most(s, &f);
        if (f.node != 0 && share_of(&f) * 100 >= (double)kinds[k].percent_min)
            findings[count++] = f;
    }
    return count;
}

enum mprof_err mpdata_findings_make(
    const struct mpdata_profile *profile, struct mpdata_frame_names *names,
    const bool held[MPDATA_METRIC_COUNT],
    struct mpdata_finding findings[MPDATA_FINDING_KINDS], size_t *count)
{
    struct search s = {.view = mpdata_profile_view(profile), .held = held};
    const struct mprof_mib totals = mpdata_profile_totals(&s.view);

    *count = 0;
    s.callers = mpdata_wrappers_callers(profile, names, true);
    s.sums = calloc((size_t)s.view.function_count + 1, sizeof(*s.sums));
    if (s.callers != NULL && s.sums != NULL) {
        for (uint32_t i = 0; i < s.view.context_count; i++)
            take_context(&s, i);
        *count = collect(&s, &totals, findings);
    }
    free(s.callers);
    free(s.sums);
    return s.callers != NULL && s.sums != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
}
