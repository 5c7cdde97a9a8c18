/* show_tree.c -- prints the call tree of a profile without small nodes, from
 * the program down, or from functions down or up.
 *
 * A node that is the only one below its caller is printed without further
 * indentation: call stacks are long and branch rarely. As in a single stack,
 * consecutive frames inside the C++ library and those before main() are one
 * line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/vec.h"
#include "profdata/query/call_tree.h"
#include "profdata/view/page.h"
#include "profdata/view/show_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH_MIN 24
#define BRANCH_WIDTH 3 /* "|- ", "`- ", "|  " */

struct page {
    FILE *out;
    struct show_stack *stack;
    const struct show_options *options;
    const struct mpdata_top_list *list;
    const struct mpdata_profile *profile;
    bool *is_frame; /* frames of the root; NULL: the root is the program */
    struct mpdata_call_tree tree;
    struct mpdata_tree_rows rows;
    /* Metrics of the tree's values. */
    enum mpdata_metric metrics[MPDATA_METRIC_COUNT];
    size_t metric_count;
    char *bars;       /* the branches to the left of a row */
    uint32_t *indent; /* by depth: bytes of `bars` for the rows below */
};

static uint64_t whole(const struct page *p, size_t column)
{
    return mpdata_metrics_get(&p->list->totals, p->metrics[column]);
}

/* -- parts of a line ------------------------------------------------------- */

/* Sets the branches to the left of a row and of the rows below it. Returns
 * where the row's own branch begins. */
static uint32_t indent_row(struct page *p, const struct mpdata_tree_row *row)
{
    const uint32_t start = row->depth != 0 ? p->indent[row->depth - 1] : 0;

    p->indent[row->depth] = start;
    if (row->depth == 0 || row->is_only)
        return start;
    memcpy(&p->bars[start], row->is_last ? "   " : "|  ", BRANCH_WIDTH);
    p->indent[row->depth] = start + BRANCH_WIDTH;
    return start;
}

/* Prints the branches, only the last ones if there are too many. Returns their
 * width. */
static size_t print_indent(const struct page *p,
                           const struct mpdata_tree_row *row, uint32_t start,
                           size_t room)
{
    const size_t most = room > NAME_WIDTH_MIN ? room - NAME_WIDTH_MIN : 0;
    size_t size = start;
    const char *bars = p->bars;
    const bool is_branch = row->depth != 0 && !row->is_only;

    if (size + BRANCH_WIDTH > most) {
        size = most / BRANCH_WIDTH * BRANCH_WIDTH;
        size -= size != 0 ? BRANCH_WIDTH : 0;
        size = mprof_min_u64(size, start);
        bars += start - size;
    }
    fprintf(p->out, "%s%.*s%s%s", p->options->style.dim, (int)size, bars,
            !is_branch     ? ""
            : row->is_last ? "`- "
                           : "|- ",
            p->options->style.reset);
    return size + (is_branch ? BRANCH_WIDTH : 0);
}

static void print_number(const struct page *p, const uint64_t *values)
{
    page_value(p->out, p->options, mpdata_metrics_rank(values, p->tree.divisor),
               whole(p, 0));
}

/* Returns the number of functions that the root stands for; *frame is a frame
 * of one. */
static uint32_t count_functions(const struct page *p, uint32_t *frame)
{
    const struct mpdata_view view = mpdata_profile_view(p->profile);
    const struct mpdata_frame *last = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < view.frame_count; i++) {
        const struct mpdata_frame *const f = &view.frames[i];

        if (!p->is_frame[i] ||
            (last != NULL && f->function != 0 && f->function == last->function))
            continue;
        last = f;
        *frame = i;
        count++;
    }
    return count;
}

static void print_name(const struct page *p, uint32_t node, size_t room)
{
    uint32_t frame = p->tree.nodes[node].frame;
    uint32_t functions = 1;

    if (node == 0 && p->is_frame == NULL) {
        fputs("[the whole program]\n", p->out);
        return;
    }
    if (node == 0)
        functions = count_functions(p, &frame);
    if (functions != 1)
        fprintf(p->out, "[%" PRIu32 " functions]\n", functions);
    else
        page_frame(p->out, p->stack, frame,
                   node == 0 ? MPDATA_BY_FUNCTION : MPDATA_BY_CALL, room);
}

/* -- rows ------------------------------------------------------------------------ */

/* Does a row have the same totals as its caller? */
static bool is_whole(const struct page *p, const struct mpdata_tree_row *row)
{
    const size_t n = p->metric_count;
    const uint32_t parent = p->tree.nodes[row->node].parent;

    return row->depth != 0 &&
           memcmp(&p->tree.total[row->node * n], &p->tree.total[parent * n],
                  n * sizeof(*p->tree.total)) == 0;
}

static bool is_own(const struct page *p, const struct mpdata_tree_row *row)
{
    return p->options->view != SHOW_CALLERS &&
           mpdata_call_tree_self(&p->tree, row->node, 0) != 0;
}

static bool is_kind(const struct page *p, const struct mpdata_tree_row *row,
                    enum show_frame_kind kind)
{
    return row->depth != 0 && row->folded == 0 &&
           show_stack_kind(p->stack, p->tree.nodes[row->node].frame) == kind;
}

/* Returns the number of rows from i on, each the only one below the previous,
 * that are of one kind and allocate nothing themselves. */
static uint32_t count_run(const struct page *p, uint32_t i,
                          enum show_frame_kind kind)
{
    uint32_t count = 0;

    while (i + count < p->rows.count) {
        const struct mpdata_tree_row *const row = &p->rows.rows[i + count];

        if ((count != 0 && !row->is_only) || !is_kind(p, row, kind) ||
            is_own(p, row))
            break;
        count++;
    }
    return count;
}

/* Returns the number of rows from i on that form one line. The outermost
 * library frame, which the program called, is not among them. */
static uint32_t count_hidden(const struct page *p, uint32_t i,
                             enum show_frame_kind *kind)
{
    if (p->options->full_stacks)
        return 0;
    *kind = SHOW_FRAME_START;
    uint32_t count = count_run(p, i, *kind);
    if (count != 0)
        return count;
    *kind = SHOW_FRAME_LIBRARY;
    if (p->options->view == SHOW_CALLERS) {
        count = count_run(p, i, *kind);
        return count != 0 ? count - 1 : 0;
    }
    if (i == 0 || !p->rows.rows[i].is_only ||
        !is_kind(p, &p->rows.rows[i - 1], *kind))
        return 0;
    return count_run(p, i, *kind);
}

static void print_details(const struct page *p, uint32_t node)
{
    const struct show_details details = {
        .metrics = p->metrics,
        .metric_count = p->metric_count,
        .values = &p->tree.total[node * p->metric_count]};

    show_details(p->out, p->list, p->options, &details);
}

static void print_row(struct page *p, uint32_t i, uint32_t hidden,
                      enum show_frame_kind kind)
{
    const struct mpdata_tree_row *const row = &p->rows.rows[i];
    const uint32_t start = indent_row(p, row);
    const size_t numbers = p->options->view == SHOW_CALLERS
                               ? PAGE_VALUES_WIDTH / 2
                               : PAGE_VALUES_WIDTH;
    const size_t room =
        mprof_max_u64(p->options->width, numbers + NAME_WIDTH_MIN) - numbers;
    static const uint64_t nothing[MPDATA_METRIC_COUNT];
    uint64_t totals[MPDATA_METRIC_COUNT];

    for (size_t k = 0; k <= p->tree.divisor; k++)
        totals[k] = mpdata_call_tree_rows_total(&p->tree, row, k);
    print_number(p, totals);
    if (p->options->view != SHOW_CALLERS)
        print_number(p, row->folded == 0
                            ? &p->tree.self[row->node * p->metric_count]
                            : nothing);
    size_t used = print_indent(p, row, start, room);
    if (hidden != 0)
        fprintf(p->out, "[%s]\n", show_stack_fold(hidden, kind).text);
    else if (row->folded != 0)
        fprintf(p->out, "[%s insignificant]\n",
                mpdata_units_count(row->folded).text);
    else
        print_name(p, row->node, room - used);
    if (p->options->details && row->folded == 0 && hidden == 0 &&
        !is_whole(p, row))
        print_details(p, row->node);
}

static void print_rows(struct page *p)
{
    for (uint32_t i = 0; i < p->rows.count; i++) {
        enum show_frame_kind kind = SHOW_FRAME_OWN;
        const uint32_t hidden = count_hidden(p, i, &kind);

        print_row(p, i, hidden, kind);
        for (uint32_t k = 1; k < hidden; k++)
            indent_row(p, &p->rows.rows[++i]);
    }
}

/* -- the page -------------------------------------------------------------------- */

/* Chooses options->sort, blocks as the divisor of lifetimes, and, for details,
 * all other metrics of the profile. */
static void choose_metrics(struct page *p)
{
    p->metrics[p->metric_count++] = p->options->sort;
    for (int m = 0; m < MPDATA_METRIC_COUNT; m++) {
        const enum mpdata_metric metric = (enum mpdata_metric)m;
        const bool is_divisor = p->options->sort == MPDATA_METRIC_LIFETIME &&
                                metric == MPDATA_METRIC_BLOCKS;

        if (metric != p->options->sort && (p->options->details || is_divisor) &&
            mpdata_metrics_is_held(metric, &p->list->totals, &p->list->runs))
            p->metrics[p->metric_count++] = metric;
    }
}

static bool make_room(struct page *p)
{
    uint32_t deepest = 0;

    for (uint32_t i = 0; i < p->rows.count; i++)
        deepest = (uint32_t)mprof_max_u64(deepest, p->rows.rows[i].depth);
    p->indent = mpdata_vec_array((size_t)deepest + 1, sizeof(*p->indent));
    p->bars = mpdata_vec_array((size_t)deepest + 1, BRANCH_WIDTH);
    return p->indent != NULL && p->bars != NULL;
}

static void print_title(const struct page *p)
{
    const bool is_above = p->options->view == SHOW_CALLERS;
    const struct mpdata_number from =
        mpdata_units_format(", from %g %% on", p->options->threshold);

    page_title(p->out, &p->options->style, "%s%s by %s%s%s",
               p->options->view == SHOW_TREE ? "Call tree"
               : is_above                    ? "Callers of "
                                             : "Calls below ",
               p->options->view != SHOW_TREE ? p->options->pattern : "",
               p->options->title, p->options->estimates,
               p->options->threshold > 0 ? from.text : "");
    fprintf(p->out, is_above ? "%18s\n" : "%18s  %18s\n",
            is_above ? "for it" : "total", "self");
}

static void print_nothing(const struct page *p)
{
    const char *const title = p->options->title;

    if (p->options->view == SHOW_TREE)
        fprintf(p->out, "\nNo call stack has any %s.\n", title);
    else
        fprintf(p->out, "\nNo function that matches %s has any %s.\n",
                p->options->pattern, title);
}

enum mprof_err show_tree_make(struct mpdata_call_tree *tree,
                              const struct mpdata_profile *profile,
                              const bool *is_frame,
                              const struct show_options *options,
                              const enum mpdata_metric *metrics,
                              size_t metric_count)
{
    const struct mpdata_call_tree_of of = {.by = MPDATA_BY_CALL,
                                           .metrics = metrics,
                                           .metric_count = metric_count,
                                           .is_frame = is_frame,
                                           .is_upwards =
                                               options->view == SHOW_CALLERS,
                                           .percent = options->threshold};
    enum mprof_err err = mpdata_call_tree_make(tree, profile, &of);

    if (err == MPROF_E_OK)
        err = mpdata_call_tree_sort(tree);
    return err;
}

enum mprof_err show_tree(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         struct show_stack *stack)
{
    struct page p = {.out = out,
                     .stack = stack,
                     .options = options,
                     .list = list,
                     .profile = profile};

    choose_metrics(&p);
    if (options->view != SHOW_TREE) {
        p.is_frame = mpdata_frame_match(
            profile, show_stack_frames(stack)->names, &options->matcher);
        if (p.is_frame == NULL)
            return MPROF_E_NOMEM;
    }
    enum mprof_err err = show_tree_make(&p.tree, profile, p.is_frame, options,
                                        p.metrics, p.metric_count);
    if (err == MPROF_E_OK)
        err = mpdata_call_tree_rows(&p.rows, &p.tree,
                                    mprof_max_u64(p.tree.least, 1));
    if (err == MPROF_E_OK && !make_room(&p))
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK && mpdata_call_tree_total(&p.tree, 0, 0) == 0) {
        print_nothing(&p);
    } else if (err == MPROF_E_OK) {
        print_title(&p);
        print_rows(&p);
    }
    mpdata_call_tree_rows_fini(&p.rows);
    mpdata_call_tree_fini(&p.tree);
    free(p.is_frame);
    free(p.indent);
    free(p.bars);
    return err;
}
