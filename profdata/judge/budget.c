/* budget.c -- limits on what a program may allocate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/budget.h"
#include "profdata/judge/silence.h"
#include "profdata/query/run_totals.h"
#include "profdata/query/frames.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An estimate decides if it is this many standard errors away from a limit: 19
 * of 20 true values are nearer to their estimate. */
#define ERRORS 2

enum mprof_err mpdata_budget_fail(struct mpdata_budget *b, uint32_t line,
                                  const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(b->why, sizeof(b->why), format, args);
    va_end(args);
    b->bad_line = line;
    return MPROF_E_VALUE;
}

static const char *const scope_names[] = {[MPDATA_BUDGET_TOTAL] = "",
                                          [MPDATA_BUDGET_FUNCTION] = "function",
                                          [MPDATA_BUDGET_FILE] = "file",
                                          [MPDATA_BUDGET_TYPE] = "type",
                                          [MPDATA_BUDGET_ADVICE] = "advice"};

const char *mpdata_budget_scope_name(enum mpdata_budget_scope scope)
{
    return scope_names[scope];
}

void mpdata_budget_fini(struct mpdata_budget *b)
{
    struct mpdata_budget_limit *const limits = b->limits.data;

    for (uint32_t i = 0; i < b->limits.count; i++) {
        if (limits[i].match != NULL)
            regfree(&limits[i].regex);
    }
    mpdata_vec_fini(&b->limits);
    free(b->text);
}

static bool is_growth(const struct mpdata_budget_limit *limit)
{
    for (size_t i = 0; i < limit->condition_count; i++) {
        if (limit->conditions[i].is_growth)
            return true;
    }
    return false;
}

uint32_t mpdata_budget_growth_line(const struct mpdata_budget *b)
{
    const struct mpdata_budget_limit *const limits = b->limits.data;

    for (uint32_t i = 0; i < b->limits.count; i++) {
        if (is_growth(&limits[i]))
            return limits[i].line;
    }
    return 0;
}

bool mpdata_budget_uses_baseline(const struct mpdata_budget *b)
{
    const struct mpdata_budget_limit *const limits = b->limits.data;
    uint32_t i = 0;

    while (i < b->limits.count && limits[i].scope != MPDATA_BUDGET_ADVICE)
        i++;
    return i < b->limits.count || mpdata_budget_growth_line(b) != 0;
}

/* -- matching call stacks -------------------------------------------------- */

struct marker {
    const struct mpdata_budget_limit *limit;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    struct mpdata_frame_names *names;
    uint8_t *found;  /* by function, path or string: 1 no, 2 yes */
    uint8_t *frames; /* by frame */
    bool failed;
};

static bool matches(struct marker *m, const char *text)
{
    int result;

    if (text == NULL) {
        m->failed = true;
        return false;
    }
    errno = 0;
    result = regexec(&m->limit->regex, text, 0, NULL, 0);
    /* glibc may report REG_NOMATCH when out of memory. */
    if (result != 0 && (result != REG_NOMATCH || errno == ENOMEM))
        m->failed = true;
    return result == 0;
}

/* Matches the linkage name, then the whole name. */
static bool matches_function(struct marker *m, const struct mpdata_frame *frame)
{
    return matches(m, mpdata_frame_names_linkage(m->names, frame)) ||
           matches(m, mpdata_frame_names_function(m->names, frame));
}

static bool matches_path(struct marker *m, mpdata_ref path)
{
    char *text = mpdata_profile_path_string(m->profile, path, NULL);
    const bool is_match = matches(m, text);

    free(text);
    return is_match;
}

/* The frame's function, path or type, by the limit's scope; 0: unknown. */
static uint32_t subject_of(const struct marker *m, const struct mpdata_frame *f)
{
    switch (m->limit->scope) {
    case MPDATA_BUDGET_FILE:
        return f->path;
    case MPDATA_BUDGET_TYPE:
        return f->type;
    default:
        return f->function;
    }
}

static bool matches_frame(struct marker *m, const struct mpdata_frame *f)
{
    switch (m->limit->scope) {
    case MPDATA_BUDGET_FILE:
        return matches_path(m, f->path);
    case MPDATA_BUDGET_TYPE:
        return matches(m, m->view.strings[f->type].bytes);
    default:
        return matches_function(m, f);
    }
}

/* Matches each function, path or type once. */
static void mark_frames(struct marker *m)
{
    for (uint32_t i = 0; i < m->view.frame_count; i++) {
        const struct mpdata_frame *const f = &m->view.frames[i];
        const uint32_t subject = subject_of(m, f);

        if (subject == 0)
            continue;
        if (m->found[subject] == 0)
            m->found[subject] = 1 + matches_frame(m, f);
        m->frames[i] = m->found[subject] == 2;
    }
}

/* Only one frame of a stack determines the type (frames.h). */
static bool is_marked(const struct marker *m, mpdata_ref node)
{
    if (m->limit->scope == MPDATA_BUDGET_TYPE)
        return m->found[mpdata_types_of(&m->view, node)] == 2;
    while (node != 0 && !m->frames[m->view.nodes[node - 1].frame])
        node = m->view.nodes[node - 1].parent;
    return node != 0;
}

static uint32_t count_subjects(const struct marker *m)
{
    const uint32_t counts[] = {[MPDATA_BUDGET_TOTAL] = 0,
                               [MPDATA_BUDGET_FUNCTION] =
                                   m->view.function_count,
                               [MPDATA_BUDGET_FILE] = m->view.path_count,
                               [MPDATA_BUDGET_TYPE] = m->view.string_count};

    return counts[m->limit->scope];
}

static enum mprof_err mark(const struct mpdata_budget_limit *limit,
                           const struct mpdata_profile *profile,
                           const struct mpdata_demangler *demangler,
                           uint8_t *marks)
{
    struct marker m = {.limit = limit,
                       .profile = profile,
                       .view = mpdata_profile_view(profile)};

    if (limit->match == NULL) {
        memset(marks, 1, m.view.context_count);
        return MPROF_E_OK;
    }
    m.names = mpdata_frame_names_new(profile, demangler);
    m.found = mpdata_vec_array((size_t)count_subjects(&m) + 1, 1);
    m.frames = mpdata_vec_array(m.view.frame_count, 1);
    m.failed = m.names == NULL || m.found == NULL || m.frames == NULL;
    if (!m.failed) {
        mark_frames(&m);
        for (uint32_t i = 0; i < m.view.context_count; i++)
            marks[i] = is_marked(&m, m.view.contexts[i].node);
        m.failed |= mpdata_frame_names_failed(m.names);
    }
    mpdata_frame_names_free(m.names);
    free(m.found);
    free(m.frames);
    return m.failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

/* -- limits ------------------------------------------------------------------ */

/* The profile or the baseline. */
struct side {
    const struct mpdata_profile *profile;
    const char *name;
    uint8_t *marks;
    struct mpdata_view view;
    bool held[MPDATA_METRIC_COUNT];
    struct mpdata_run_totals runs;
    bool is_sampled;
    bool is_any; /* is a call stack marked? */
};

/* A value, and its standard error or 0. */
struct estimate {
    double value;
    double error;
};

static enum mprof_err open_side(struct side *s,
                                const struct mpdata_budget_limit *limit,
                                const struct mpdata_demangler *demangler)
{
    enum mprof_err err = mark(limit, s->profile, demangler, s->marks);

    s->view = mpdata_profile_view(s->profile);
    if (err == MPROF_E_OK)
        err = mpdata_metrics_held(s->profile, s->held);
    if (err == MPROF_E_OK)
        err = mpdata_run_totals(&s->view, &s->runs);
    if (err != MPROF_E_OK)
        return err;
    s->is_sampled = s->runs.sampled_runs != 0;
    s->is_any = memchr(s->marks, 1, s->view.context_count) != NULL;
    return MPROF_E_OK;
}

static struct estimate sum_of(const struct side *s, enum mpdata_metric metric)
{
    uint64_t sum = 0;
    double variance = 0;

    for (uint32_t i = 0; i < s->view.context_count; i++) {
        size_t field;

        if (s->marks[i] == 0)
            continue;
        const struct mprof_mib mib = mpdata_view_mib(&s->view, i);
        sum = mprof_add_sat_u64(sum, mpdata_metrics_get(&mib, metric));
        if (mpdata_metrics_variance(&mib, metric, &field))
            variance += (double)mprof_mib_get(&mib, field);
    }
    return (struct estimate){(double)sum, sqrt(variance)};
}

/* Divides; 0 if the divisor is 0. Takes the errors for independent ones. */
static struct estimate divide(struct estimate a, struct estimate b)
{
    if (b.value <= 0)
        return (struct estimate){0, 0};
    return (struct estimate){a.value / b.value,
                             hypot(a.error, a.value / b.value * b.error) /
                                 b.value};
}

/* Value per run, or a ratio. */
static struct estimate value_of(const struct side *s,
                                const struct mpdata_metric_filter *c)
{
    const struct estimate runs = {
        (double)mpdata_metrics_runs(c->metric, &s->runs), 0};

    return divide(sum_of(s, c->metric), c->is_ratio ? sum_of(s, c->per) : runs);
}

static struct estimate growth_of(const struct mpdata_metric_filter *c,
                                 struct estimate now, struct estimate old)
{
    struct estimate growth = {now.value - old.value,
                              hypot(now.error, old.error)};

    if (!c->is_percent)
        return growth;
    if (old.value <= 0)
        return (struct estimate){now.value > 0 ? HUGE_VAL : 0, 0};
    growth = divide(now, old);
    return (struct estimate){(growth.value - 1) * 100, growth.error * 100};
}

/* Notes one condition, of which one of a limit must hold. The limit is kept if
 * one holds with the errors added and subtracted, and broken if all fail so. */
static void judge(struct mpdata_budget_result *result,
                  const struct mpdata_metric_filter *c, struct estimate e,
                  bool *is_kept)
{
    const double room = ERRORS * e.error;
    const bool holds = mpdata_metric_filter_compares(c, e.value);
    const bool less = mpdata_metric_filter_compares(c, e.value - room);
    const bool more = mpdata_metric_filter_compares(c, e.value + room);

    if (holds || less || more)
        result->is_broken = false;
    *is_kept |= holds && less && more;
}

/* For growth both profiles must hold the metric. */
static enum mprof_err check_held(struct mpdata_budget *b, uint32_t line,
                                 const struct mpdata_metric_filter *c,
                                 const struct side sides[2])
{
    for (int side = c->is_growth ? 0 : 1; side < 2; side++) {
        enum mpdata_metric missing;

        if (!mpdata_metric_filter_is_held(c, sides[side].held, &missing))
            return mpdata_budget_fail(b, line, "%s: not measured in the %s%s",
                                      mpdata_metrics[missing].title,
                                      sides[side].name,
                                      mpdata_metrics_how(missing));
    }
    return MPROF_E_OK;
}

/* -- advice ------------------------------------------------------------------ */

bool mpdata_budget_is_kind(const struct mpdata_budget_limit *limit, int kind)
{
    return regexec(&limit->regex, mpdata_advice_kinds[kind].name, 0, NULL, 0) ==
           0;
}

static enum mprof_err make_advice(struct mpdata_advice *advice,
                                  const struct mpdata_profile *profile,
                                  const struct mpdata_demangler *demangler)
{
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(profile, demangler);
    enum mprof_err err = MPROF_E_NOMEM;

    *advice = (struct mpdata_advice){.rows = NULL};
    if (names != NULL)
        err = mpdata_advice_make(advice, profile, names, 0);
    if (err == MPROF_E_OK && mpdata_frame_names_failed(names))
        err = MPROF_E_NOMEM;
    mpdata_frame_names_free(names);
    return err;
}

static void judge_advice(const struct mpdata_budget_limit *limit,
                         const struct mpdata_advice *advice,
                         struct mpdata_budget_result *result)
{
    const double runs = (double)mprof_max_u64(advice->runs, 1);
    bool is_kept = false;

    for (uint32_t i = 0; i < advice->count; i++) {
        const struct mpdata_advice_row *const row = &advice->rows[i];
        const double saved =
            (double)mpdata_advice_saved(row, limit->conditions[0].metric) /
            runs;

        if (saved > result->value && mpdata_budget_is_kind(limit, row->kind)) {
            result->value = saved;
            result->node = row->node;
        }
    }
    for (size_t i = 0; i < limit->condition_count; i++)
        judge(result, &limit->conditions[i],
              (struct estimate){result->value, 0}, &is_kept);
    result->is_estimate = advice->is_estimate;
}

/* Advice that the source silences, or that the baseline has, is not new. */
static enum mprof_err check_advice(const struct mpdata_budget_limit *limit,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_profile *baseline,
                                   const struct mpdata_demangler *demangler,
                                   struct mpdata_budget_result *result)
{
    struct mpdata_advice advice, old = {.rows = NULL};
    enum mprof_err err = make_advice(&advice, profile, demangler);

    *result = (struct mpdata_budget_result){.is_broken = true};
    if (err == MPROF_E_OK && baseline != NULL)
        err = make_advice(&old, baseline, demangler);
    if (err == MPROF_E_OK) {
        mpdata_silence_by_source(&advice, profile);
        if (baseline != NULL)
            mpdata_silence_by_old(&advice, profile, &old, baseline);
        judge_advice(limit, &advice, result);
    }
    mpdata_advice_fini(&old);
    mpdata_advice_fini(&advice);
    return err;
}

enum mprof_err mpdata_budget_check(struct mpdata_budget *b,
                                   const struct mpdata_budget_limit *limit,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_profile *baseline,
                                   const struct mpdata_demangler *demangler,
                                   uint8_t *marks, uint8_t *old_marks,
                                   struct mpdata_budget_result *result)
{
    struct side sides[2] = {
        {.profile = baseline, .name = "baseline", .marks = old_marks},
        {.profile = profile, .name = "profile", .marks = marks}};
    enum mprof_err err;
    bool is_kept = false;

    if (limit->scope == MPDATA_BUDGET_ADVICE)
        return check_advice(limit, profile, baseline, demangler, result);
    err = open_side(&sides[1], limit, demangler);
    if (err == MPROF_E_OK && is_growth(limit))
        err = open_side(&sides[0], limit, demangler);
    *result = (struct mpdata_budget_result){
        .is_broken = true,
        .is_unmatched =
            limit->match != NULL && !sides[0].is_any && !sides[1].is_any,
        .is_estimate = sides[0].is_sampled || sides[1].is_sampled};
    for (size_t i = 0; err == MPROF_E_OK && i < limit->condition_count; i++) {
        const struct mpdata_metric_filter *const c = &limit->conditions[i];
        struct estimate old = {0, 0};

        err = check_held(b, limit->line, c, sides);
        if (err != MPROF_E_OK)
            break;
        const struct estimate value = value_of(&sides[1], c);
        if (c->is_growth)
            old = value_of(&sides[0], c);
        const struct estimate judged =
            c->is_growth ? growth_of(c, value, old) : value;
        if (i == 0) {
            result->value = value.value;
            result->old_value = old.value;
            result->error = judged.error;
        }
        result->is_estimate |= judged.error > 0;
        judge(result, c, judged, &is_kept);
    }
    result->is_uncertain = !result->is_broken && !is_kept;
    return err;
}
