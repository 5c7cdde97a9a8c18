/* show_spread.c -- prints call stacks with the distribution of their blocks'
 * sizes or lifetimes, by powers of two, or with the call stacks that ended
 * their blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/details.h"
#include "profdata/view/page.h"

#include <inttypes.h>

#define NUMBERS_WIDTH 52 /* columns before the bar */

/* Returns the kind of distribution, for sizes and lifetimes. */
static uint32_t kind_of(const struct show_options *options)
{
    return options->view == SHOW_SIZES ? MPROF_DETAIL_SIZE
                                       : MPROF_DETAIL_LIFETIME;
}

static uint64_t most_of(const uint64_t counts[MPROF_DETAIL_BUCKETS])
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++)
        most = mprof_max_u64(most, counts[i]);
    return most;
}

static struct mpdata_number format(uint32_t kind, uint64_t n)
{
    return kind == MPROF_DETAIL_SIZE ? mpdata_units_bytes(n)
                                     : mpdata_units_ns(n);
}

static void print_buckets(FILE *out, const struct show_options *options,
                          const uint64_t counts[MPROF_DETAIL_BUCKETS],
                          uint64_t blocks)
{
    const uint32_t kind = kind_of(options);
    const uint64_t unit =
        page_bar_unit(most_of(counts), page_bar_width(options, NUMBERS_WIDTH));

    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++) {
        if (counts[i] == 0)
            continue;
        /* The upper bound of the last bucket is not a number. */
        fprintf(out, PAGE_INDENT "%10s to <%-9s %11s %7s  ",
                format(kind, mprof_detail_low(i)).text,
                format(kind, mprof_add_sat_u64(mprof_detail_high(i), 1)).text,
                mpdata_units_count(counts[i]).text,
                mpdata_units_share(counts[i], blocks).text);
        page_bar(out, counts[i], unit);
        fputc('\n', out);
    }
}

/* Prints the call stacks that ended blocks, by number of blocks, largest first,
 * at most options->top. */
static void print_links(FILE *out, const struct show_options *options,
                        const struct mpdata_details *links, uint32_t row,
                        struct show_stack *stack)
{
    const bool is_free = links->rows[0].kind == MPROF_DETAIL_FREE;
    uint64_t limit = UINT64_MAX;

    for (uint32_t shown = 0; shown < links->count && shown < options->top;) {
        uint64_t next = 0;

        for (uint32_t i = 0; i < links->count; i++) {
            if (links->rows[i].count < limit)
                next = mprof_max_u64(next, links->rows[i].count);
        }
        for (uint32_t i = 0; i < links->count; i++) {
            const struct mpdata_detail *const link = &links->rows[i];

            if (link->count != next || shown == options->top)
                continue;
            shown++;
            fprintf(out, "\n" PAGE_INDENT "%s %s, %s%s, by%s\n",
                    mpdata_units_things(link->count, "block").text,
                    is_free ? "freed" : "replaced",
                    mpdata_units_bytes(link->bytes).text,
                    is_free ? "" : " more",
                    link->key == link->node ? " this call stack itself" : "");
            if (link->key != link->node)
                show_stack_print(out, stack, link->key, row);
        }
        limit = next;
        if (next == 0)
            break;
    }
}

static bool has_any(const struct show_options *options,
                    const struct mpdata_view *view,
                    const struct mpdata_context *c)
{
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    if (options->view == SHOW_ENDS)
        return mpdata_details_of(view, c, MPROF_DETAIL_REALLOC).count != 0 ||
               mpdata_details_of(view, c, MPROF_DETAIL_FREE).count != 0;
    return mpdata_details_buckets(view, c, kind_of(options), counts) != 0;
}

static void print_context(FILE *out, const struct show_options *options,
                          const struct mpdata_view *view, uint32_t row,
                          const struct mpdata_context *c,
                          struct show_stack *stack)
{
    const struct mprof_mib mib = mpdata_view_mib_of(view, c);
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    fprintf(out, "%s%2" PRIu32 ".  %s%s\n", options->style.strong, row + 1,
            mpdata_units_things(mib.AllocCount, "block").text,
            options->style.reset);
    if (options->view != SHOW_ENDS) {
        const uint64_t blocks =
            mpdata_details_buckets(view, c, kind_of(options), counts);

        print_buckets(out, options, counts, blocks);
    }
    show_stack_print(out, stack, c->node, row);
    for (uint32_t kind = MPROF_DETAIL_REALLOC;
         options->view == SHOW_ENDS && kind <= MPROF_DETAIL_FREE; kind++) {
        const struct mpdata_details links = mpdata_details_of(view, c, kind);

        if (links.count != 0)
            print_links(out, options, &links, row, stack);
    }
    fputc('\n', out);
}

/* Prints the distribution over all rows of the list, if there are several. */
static void print_whole(FILE *out, const struct show_options *options,
                        const struct mpdata_view *view,
                        const struct mpdata_top_list *list)
{
    uint64_t sums[MPROF_DETAIL_BUCKETS] = {0};
    uint64_t blocks = 0;

    if (options->view == SHOW_ENDS || list->count < 2)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t counts[MPROF_DETAIL_BUCKETS];

        blocks = mprof_add_sat_u64(
            blocks, mpdata_details_buckets(view, &view->contexts[list->rows[i]],
                                           kind_of(options), counts));
        for (uint32_t b = 0; b < MPROF_DETAIL_BUCKETS; b++)
            sums[b] = mprof_add_sat_u64(sums[b], counts[b]);
    }
    fprintf(out, "%sAll %s blocks%s\n", options->style.strong,
            mpdata_units_count(blocks).text, options->style.reset);
    print_buckets(out, options, sums, blocks);
    fputc('\n', out);
}

void show_spread(FILE *out, const struct mpdata_profile *profile,
                 const struct mpdata_top_list *list,
                 const struct show_options *options, struct show_stack *stack)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint32_t shown = 0;

    for (uint32_t i = 0; i < list->count && shown < options->top; i++) {
        const struct mpdata_context *const c = &view.contexts[list->rows[i]];

        if (!has_any(options, &view, c))
            continue;
        if (shown == 0) {
            page_title(out, &options->style,
                       "%s of blocks, of call stacks by %s%s",
                       options->view == SHOW_SIZES       ? "Sizes"
                       : options->view == SHOW_LIFETIMES ? "Lifetimes"
                                                         : "Ends",
                       options->title, options->estimates);
            print_whole(out, options, &view, list);
        }
        print_context(out, options, &view, shown++, c, stack);
    }
    if (shown == 0)
        fputs(options->view == SHOW_ENDS
                  ? "\nNo block was replaced by realloc; who freed blocks is "
                    "recorded with\nMEMPROF_OPTIONS=free_sites=1.\n"
                  : "\nNo call stack has this information.\n",
              out);
}
