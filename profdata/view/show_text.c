/* show_text.c -- prints a profile for people: a summary, then the rows of the
 * view.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"
#include "profdata/view/show_page.h"

#include <stdlib.h>
#include <string.h>

/* Prints rows by function, line or file. Error: NOMEM. */
static enum mprof_err print_groups(const struct show_page *p)
{
    struct mpdata_groups groups;
    const enum mpdata_metric metrics[] = {p->options->sort,
                                          MPDATA_METRIC_BLOCKS};
    const enum mprof_err err =
        mpdata_groups_make(&groups, p->profile, p->options->by, metrics,
                           1 + mpdata_metrics_divisor(metrics, 2));

    if (err == MPROF_E_OK)
        show_names_groups(
            p->out, &groups,
            mpdata_metrics_get(&p->list->totals, p->options->sort), p->options,
            p->stack);
    mpdata_groups_fini(&groups);
    return err;
}

/* Error: NOMEM. */
static enum mprof_err print_not_measured(const struct show_page *p)
{
    struct page_wrap wrap;
    FILE *const out = page_wrap_start(&wrap);

    if (out == NULL)
        return MPROF_E_NOMEM;
    fprintf(out, "\nNot measured in this profile: %s.%s\n", p->options->title,
            show_numbers_why_no_leaks(p->options->sort));
    return page_wrap_finish(&wrap, p->out, 0, p->options->width)
               ? MPROF_E_OK
               : MPROF_E_NOMEM;
}

/* Error: NOMEM. */
static enum mprof_err print_view(const struct show_page *p)
{
    if (p->options->view == SHOW_TIMELINE) {
        show_timeline(p->out, p->profile, p->list, p->options);
        return MPROF_E_OK;
    }
    if (p->options->view == SHOW_EVENTS || p->options->view == SHOW_COPIES)
        return show_events(p->out, p->profile, p->options, p->stack);
    if (!p->list->held[p->options->sort])
        return print_not_measured(p);
    if (p->options->view == SHOW_HISTOGRAM) {
        show_histogram(p->out, p->profile, p->list, p->options, p->stack);
        return MPROF_E_OK;
    }
    if (p->options->view == SHOW_SIZES || p->options->view == SHOW_LIFETIMES ||
        p->options->view == SHOW_ENDS) {
        show_spread(p->out, p->profile, p->list, p->options, p->stack);
        return MPROF_E_OK;
    }
    if (p->options->view == SHOW_SOURCE)
        return show_source(p->out, p->profile, p->list, p->options, p->stack);
    if (p->options->view != SHOW_LIST)
        return show_tree(p->out, p->profile, p->list, p->options, p->stack);
    if (mpdata_by_is_name(p->options->by))
        return show_names(
            p->out, p->profile, p->options,
            mpdata_metrics_get(&p->list->totals, p->options->sort));
    if (p->options->by != MPDATA_BY_STACK)
        return print_groups(p);
    show_list(p);
    return MPROF_E_OK;
}

/* Formats "libx.so is not instrumented", "libx.so and 3 more are not
 * instrumented". malloc'd. */
static char *format_reason(const struct mpdata_uninstrumented *without,
                           bool has_jumps)
{
    char *reason;
    int length;

    if (without->count == 0)
        return strdup(has_jumps ? "signal handlers were left by jumps" : "");
    if (without->count == 1)
        length = asprintf(&reason, "%s is not instrumented", without->names[0]);
    else
        length = asprintf(&reason, "%s and %s more are not instrumented",
                          without->names[0],
                          mpdata_units_count(without->count - 1).text);
    return length < 0 ? NULL : reason;
}

/* Replaces control characters in names, which a terminal could interpret. */
static void replace_controls(struct mpdata_uninstrumented *without)
{
    for (uint32_t i = 0; i < without->count; i++)
        mpdata_controls_replace(without->names[i], strlen(without->names[i]),
                                '?');
}

enum mprof_err show_text(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options)
{
    struct show_options titled = *options;
    struct show_page p = {.out = out,
                          .profile = profile,
                          .view = mpdata_profile_view(profile),
                          .options = &titled,
                          .list = list};
    enum mprof_err err = mpdata_uninstrumented_find(&p.without, profile);

    if (err != MPROF_E_OK)
        goto out;
    titled.title = options->sort == MPDATA_METRIC_LIFETIME
                       ? "average lifetime"
                       : mpdata_metrics_title(options->sort, list->runs.is_now);
    titled.estimates = list->totals.SampledCount != 0 ? " (estimates)" : "";
    replace_controls(&p.without);
    p.reason = format_reason(&p.without, list->runs.handler_jumps != 0);
    p.stack = show_stack_new(profile, &titled);
    if (p.reason == NULL || p.stack == NULL) {
        err = MPROF_E_NOMEM;
        goto out;
    }
    if (show_summary(&p))
        err = print_view(&p);
    if (show_stack_failed(p.stack))
        err = MPROF_E_NOMEM;
out:
    show_stack_free(p.stack);
    free(p.reason);
    mpdata_uninstrumented_fini(&p.without);
    return err;
}
