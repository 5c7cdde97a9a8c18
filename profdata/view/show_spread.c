/* show_spread.c -- prints call stacks with the distribution of their blocks'
 * sizes or lifetimes, by powers of two, or with the call stacks that ended
 * their blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/model/details.h"
#include "profdata/view/show.h"

#include <inttypes.h>

#define DETAIL "     "
#define NUMBERS_WIDTH 52 /* columns before the bar */
#define BAR_WIDTH_MIN 10
#define BAR_WIDTH_MAX 60

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

static const char *format(uint32_t kind, uint64_t n, char *out, size_t size)
{
    return kind == MPROF_DETAIL_SIZE ? mpdata_units_bytes(n, out, size)
                                     : mpdata_units_ns(n, out, size);
}

static void print_bucket(FILE *out, uint32_t kind, uint32_t bucket,
                         uint64_t count, uint64_t blocks, uint64_t per_mark)
{
    char low[MPDATA_UNIT_BYTES];
    char high[MPDATA_UNIT_BYTES];
    char number[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    /* The upper bound of the last bucket is not a number. */
    fprintf(out, DETAIL "%10s to <%-9s %11s %7s  %s",
            format(kind, mprof_detail_low(bucket), low, sizeof(low)),
            format(kind, mprof_add_sat_u64(mprof_detail_high(bucket), 1), high,
                   sizeof(high)),
            mpdata_units_count(count, number, sizeof(number)),
            mpdata_units_share(count, blocks, share, sizeof(share)),
            count < per_mark ? "." : "");
    for (uint64_t i = 0; i < count / per_mark; i++)
        fputc('#', out);
    fputc('\n', out);
}

static void print_buckets(FILE *out, const struct show_options *options,
                          uint32_t kind,
                          const uint64_t counts[MPROF_DETAIL_BUCKETS],
                          uint64_t blocks)
{
    const uint64_t width = mprof_min_u64(
        mprof_max_u64(options->width, NUMBERS_WIDTH + BAR_WIDTH_MIN) -
            NUMBERS_WIDTH,
        BAR_WIDTH_MAX);
    const uint64_t most = most_of(counts);
    const uint64_t per_mark = most / width + (most % width != 0);

    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++) {
        if (counts[i] != 0)
            print_bucket(out, kind, i, counts[i], blocks, per_mark);
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
            char blocks[MPDATA_UNIT_BYTES];
            char bytes[MPDATA_UNIT_BYTES];

            if (link->count != next || shown == options->top)
                continue;
            shown++;
            fprintf(out, "\n" DETAIL "%s block%s %s, %s%s, by%s\n",
                    mpdata_units_count(link->count, blocks, sizeof(blocks)),
                    link->count == 1 ? "" : "s", is_free ? "freed" : "replaced",
                    mpdata_units_bytes(link->bytes, bytes, sizeof(bytes)),
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

/* Returns false if the distribution is unknown. */
static bool print_spread(FILE *out, const struct show_options *options,
                         const struct mpdata_view *view,
                         const struct mpdata_context *c)
{
    const uint32_t kind = kind_of(options);
    uint64_t counts[MPROF_DETAIL_BUCKETS];
    const uint64_t blocks = mpdata_details_buckets(view, c, kind, counts);

    if (blocks != 0)
        print_buckets(out, options, kind, counts, blocks);
    return blocks != 0;
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
    char blocks[MPDATA_UNIT_BYTES];

    fprintf(out, "%s%2" PRIu32 ".  %s block%s%s\n", options->style.strong,
            row + 1, mpdata_units_count(mib.AllocCount, blocks, sizeof(blocks)),
            mib.AllocCount == 1 ? "" : "s", options->style.reset);
    if (options->view != SHOW_ENDS)
        print_spread(out, options, view, c);
    show_stack_print(out, stack, c->node, row);
    for (uint32_t kind = MPROF_DETAIL_REALLOC;
         options->view == SHOW_ENDS && kind <= MPROF_DETAIL_FREE; kind++) {
        const struct mpdata_details links = mpdata_details_of(view, c, kind);

        if (links.count != 0)
            print_links(out, options, &links, row, stack);
    }
    fputc('\n', out);
}

static void print_title(FILE *out, const struct show_options *options)
{
    const char *const title = options->view == SHOW_SIZES ? "Sizes of blocks"
                              : options->view == SHOW_LIFETIMES
                                  ? "Lifetimes of blocks"
                                  : "Ends of blocks";

    fprintf(out, "\n%s%s, of call stacks by %s%s%s\n\n", options->style.strong,
            title, options->title, options->estimates, options->style.reset);
}

/* Prints the distribution over all rows of the list, if there are several. */
static void print_whole(FILE *out, const struct show_options *options,
                        const struct mpdata_view *view,
                        const struct mpdata_top_list *list)
{
    uint64_t sums[MPROF_DETAIL_BUCKETS] = {0};
    uint64_t blocks = 0;
    char number[MPDATA_UNIT_BYTES];

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
            mpdata_units_count(blocks, number, sizeof(number)),
            options->style.reset);
    print_buckets(out, options, kind_of(options), sums, blocks);
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
            print_title(out, options);
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
