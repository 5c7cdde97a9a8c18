/* budget_text.c -- prints exceeded limits as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/views.h"
#include "profdata/view/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values closer than 1 in NEAR may look equal with three digits. */
#define NEAR 100
/* Growth from here on is printed as a factor. */
#define TIMES_MIN 10
#define TIMES_MAX 1e18

/* -- the line ---------------------------------------------------------------- */

/* Formats a value next to another one; exactly if it is no estimate and they
 * are close, so that the difference is visible. */
static struct mpdata_number format_value(const struct mpdata_metric_filter *c,
                                         const struct mpdata_budget_result *r,
                                         double value, double other)
{
    if (c->is_ratio)
        return mpdata_units_format("%.6g", value);
    return !r->is_estimate && fabs(value - other) * NEAR < value
               ? mpdata_units_count((uint64_t)llround(value))
               : mpdata_metrics_text(c->metric, (uint64_t)llround(value));
}

/* Prints the standard error of an estimate. */
static void print_error(FILE *out, const struct mpdata_metric_filter *c,
                        const struct mpdata_budget_result *r)
{
    if (c->is_growth && c->is_percent && r->error > 0)
        fprintf(out, ", standard error %.2g %%", r->error);
    else if (r->error > 0)
        fprintf(out, ", standard error %s",
                format_value(c, r, r->error, 0).text);
    else if (r->is_estimate)
        fputs(" (an estimate)", out);
}

static void print_message(FILE *out, const struct mpdata_budget_limit *limit,
                          const struct mpdata_budget_result *r)
{
    static const char *const whose[] = {
        [MPDATA_BUDGET_TOTAL] = "",
        [MPDATA_BUDGET_FUNCTION] = " in functions that match ",
        [MPDATA_BUDGET_FILE] = " in files that match ",
        [MPDATA_BUDGET_TYPE] = " of types that match ",
        [MPDATA_BUDGET_ADVICE] = " saved by new advice that matches "};
    const struct mpdata_metric_filter *const c = &limit->conditions[0];

    fputs(limit->scope == MPDATA_BUDGET_ADVICE
              ? mpdata_metrics[c->metric].name
              : mpdata_metrics[c->metric].title,
          out);
    if (c->is_ratio)
        fprintf(out, " / %s", mpdata_metrics[c->per].title);
    fputs(whose[limit->scope], out);
    page_plain(out, limit->match != NULL ? limit->match : "");
    if (!c->is_growth) {
        fprintf(out, ": %s", format_value(c, r, r->value, c->value).text);
    } else {
        fprintf(out, ": %s -> %s",
                format_value(c, r, r->old_value, r->value).text,
                format_value(c, r, r->value, r->old_value).text);
        if (r->old_value > 0 && r->value / r->old_value >= TIMES_MIN)
            fprintf(out, " (x%s)",
                    mpdata_units_count((uint64_t)llround(fmin(
                                           r->value / r->old_value, TIMES_MAX)))
                        .text);
        else if (r->old_value > 0)
            fprintf(out, " (%+.2f %%)",
                    (r->value - r->old_value) * 100 / r->old_value);
    }
    print_error(out, c, r);
    fputs(", limit: ", out);
    page_plain(out, limit->text);
    fputs(r->is_uncertain ? "; too close to tell, within two standard errors"
                          : "",
          out);
}

void budget_text_line(FILE *out, const char *file,
                      const struct mpdata_budget_limit *limit,
                      const struct mpdata_budget_result *result)
{
    page_plain(out, file);
    fprintf(out, ":%" PRIu32 ": ", limit->line);
    print_message(out, limit, result);
    fputc('\n', out);
}

/* -- the call stacks --------------------------------------------------------- */

enum mprof_err budget_text_site(FILE *out, const struct mpdata_profile *profile,
                                mpdata_ref node,
                                const struct show_options *options)
{
    struct show_stack *const stack = show_stack_new(profile, options);
    bool is_done = stack != NULL;

    if (is_done) {
        show_stack_print(out, stack, node, 0);
        fputc('\n', out);
        is_done = !show_stack_failed(stack);
    }
    show_stack_free(stack);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

struct ranking {
    const struct mpdata_view *view;
    enum mpdata_metric metric;
};

static int compare_contexts(const void *left, const void *right, void *context)
{
    const struct ranking *const r = context;
    const uint32_t i = *(const uint32_t *)left;
    const uint32_t k = *(const uint32_t *)right;
    const int order =
        mprof_compare_u64(mpdata_metrics_value(r->view, k, r->metric),
                          mpdata_metrics_value(r->view, i, r->metric));

    return order != 0 ? order : mprof_compare_u64(i, k);
}

static void print_contexts(FILE *out, const struct mpdata_view *view,
                           uint64_t runs, const uint32_t *rows, uint32_t count,
                           enum mpdata_metric metric, struct show_stack *stack)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_context *const c = &view->contexts[rows[i]];
        const uint64_t value =
            mpdata_metrics_value(view, rows[i], metric) / runs;
        const enum mpdata_metric counted = mpdata_metrics_pair(metric).blocks;
        const uint64_t blocks = mpdata_metrics_value(view, rows[i], counted);

        fprintf(out, "%2" PRIu32 ".  %s", i + 1,
                mpdata_metrics_phrase(metric, value).text);
        if (metric != counted)
            fprintf(out, " in %s",
                    mpdata_units_things(
                        mprof_max_u64(blocks / runs, blocks != 0), "block")
                        .text);
        fputc('\n', out);
        show_stack_print(out, stack, c->node, 0);
        fputc('\n', out);
    }
}

enum mprof_err budget_text_most(FILE *out, const struct mpdata_profile *profile,
                                const uint8_t *marks,
                                const struct mpdata_budget_limit *limit,
                                const struct show_options *options)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const enum mpdata_metric metric = limit->conditions[0].metric;
    struct ranking ranking = {&view, metric};
    uint32_t *rows = mpdata_vec_array(view.context_count, sizeof(*rows));
    struct show_stack *stack = show_stack_new(profile, options);
    struct mpdata_run_totals runs;
    bool is_done = mpdata_run_totals(&view, &runs) == MPROF_E_OK &&
                   rows != NULL && stack != NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; is_done && i < view.context_count; i++) {
        if (marks[i] != 0 && mpdata_metrics_value(&view, i, metric) != 0)
            rows[count++] = i;
    }
    if (is_done) {
        qsort_r(rows, count, sizeof(*rows), compare_contexts, &ranking);
        print_contexts(out, &view, mpdata_metrics_runs(metric, &runs), rows,
                       (uint32_t)mprof_min_u64(count, options->top), metric,
                       stack);
        is_done = !show_stack_failed(stack);
    }
    show_stack_free(stack);
    free(rows);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* Chooses the rows of marked contexts that grew, the largest growth first. */
static uint32_t choose_grown(const struct mpdata_diff *diff,
                             const uint8_t *marks, uint32_t *rows, uint64_t max)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < diff->count && count < max; i++) {
        const enum mpdata_diff_kind kind =
            mpdata_diff_kind(diff, &diff->rows[i]);

        if ((kind == MPDATA_DIFF_GROWN_KIND || kind == MPDATA_DIFF_NEW_KIND) &&
            marks[diff->rows[i].first[MPDATA_DIFF_NEW] - 1] != 0)
            rows[count++] = i;
    }
    return count;
}

enum mprof_err budget_text_grown(FILE *out,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_profile *baseline,
                                 const uint8_t *marks,
                                 const struct mpdata_budget_limit *limit,
                                 const struct show_options *options)
{
    const struct mpdata_profile *const profiles[] = {baseline, profile};
    const struct mpdata_diff_options how = {
        .by = MPDATA_BY_STACK, .metric = limit->conditions[0].metric};
    const struct diff_options view = {.show = *options};
    struct mpdata_diff diff;
    enum mprof_err err = mpdata_diff_make(&diff, profiles, &how);
    uint32_t *rows = mpdata_vec_array(diff.count, sizeof(*rows));

    if (rows == NULL)
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK)
        err = diff_text(out, &diff, rows,
                        choose_grown(&diff, marks, rows, options->top), &view);
    free(rows);
    mpdata_diff_fini(&diff);
    return err;
}
