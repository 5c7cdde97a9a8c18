/* advice_text.c -- prints what to change in a program as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/views.h"
#include "profdata/view/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_row(FILE *out, uint32_t number,
                      const struct mpdata_advice_row *row,
                      const struct mpdata_advice *advice,
                      const struct show_options *options,
                      struct show_stack *stack)
{
    const struct show_style *const style = &options->style;
    const struct mpdata_advice_kind_row *const kind =
        &mpdata_advice_kinds[row->kind];
    char sentence[MPDATA_ADVICE_SENTENCE_BYTES];
    struct page_wrap wrap;

    fprintf(out, "%s%2" PRIu32 ".  %s%s%s  %s%s\n", number > 1 ? "\n" : "",
            number, style->accent, kind->name, style->reset,
            mpdata_advice_words_saving(row, advice).text,
            mpdata_advice_words_time(row).text);
    FILE *wrapped = page_wrap_start(&wrap);
    mpdata_advice_words_sentence(row, advice, sentence);
    if (wrapped != NULL)
        fprintf(wrapped, PAGE_INDENT "%s %s\n", sentence, kind->action);
    if (wrapped == NULL ||
        !page_wrap_finish(&wrap, out, strlen(PAGE_INDENT), options->width))
        show_stack_fail(stack);
    if (row->contexts > 1)
        fprintf(out, PAGE_INDENT "%" PRIu32 " call stacks, the largest is\n",
                row->contexts);
    show_stack_print(out, stack, row->node, number - 1);
}

/* What the sites of --lower-peak have together. */
static void print_cut(FILE *out, const struct mpdata_advice *advice)
{
    const char *const about = advice->is_estimate ? "~" : "";

    if (!advice->is_peak)
        fputs("The peak was not measured.\n", out);
    else
        fprintf(out,
                "\n%s together: %s%s, %s of the %s%s at the peak%s%s.\n"
                "Without these blocks another moment may be the peak.\n",
                mpdata_units_things(advice->count, "place").text, about,
                mpdata_units_bytes(advice->cut_bytes).text,
                mpdata_units_share(advice->cut_bytes, advice->whole_bytes).text,
                about, mpdata_units_bytes(advice->whole_bytes).text,
                advice->runs > 1 ? ", summed over all runs" : "",
                (double)advice->cut_bytes <
                        advice->cut_share * (double)advice->whole_bytes
                    ? "; the others are silenced"
                    : "");
}

static void print_end(FILE *out, const struct mpdata_advice *advice)
{
    if (advice->cut_share > 0)
        print_cut(out, advice);
    else if (advice->count == 0)
        fputs("Nothing to change was found.\n", out);
    if (advice->silenced != 0)
        fprintf(out, "\n%s silenced\n",
                mpdata_units_things(advice->silenced, "finding").text);
    if (advice->unplaced != 0)
        fprintf(out,
                "\n%s not judged: the source line is unknown (compiled "
                "without -g, or of a library)\n",
                mpdata_units_things(advice->unplaced, "call stack").text);
}

enum mprof_err advice_text(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_advice *advice,
                           const struct show_options *options)
{
    const uint32_t shown = (uint32_t)mprof_min_u64(advice->count, options->top);
    struct show_stack *const stack = show_stack_new(profile, options);
    bool is_done = stack != NULL;

    if (is_done) {
        if (advice->cut_share > 0)
            page_title(out, &options->style,
                       "What to cut to lower the peak by %g %%",
                       100 * advice->cut_share);
        else
            page_title(out, &options->style, "What to change, most first%s",
                       advice->is_estimate ? " (estimates)" : "");
        for (uint32_t i = 0; i < shown; i++)
            print_row(out, i + 1, &advice->rows[i], advice, options, stack);
        if (advice->count > shown)
            fputc('\n', out);
        page_more(out, &options->style, shown, advice->count, "finding", "%s",
                  "");
        print_end(out, advice);
        is_done = !show_stack_failed(stack);
    }
    show_stack_free(stack);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
