/* show_names.c -- prints a profile by type, thread or pool as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/page.h"

#define NUMBERS_WIDTH 44 /* columns before a name */

/* Columns of values: options->sort, then bytes and blocks of its moment. */
enum { SORT, BYTES, BLOCKS, COLUMNS };

/* Returns false when out of memory. */
static bool print_row(FILE *out, const struct mpdata_view *view,
                      const struct mpdata_name_row *row, size_t divisor,
                      uint64_t whole, const struct show_options *options)
{
    const uint64_t blocks = row->values[BLOCKS];

    page_value(out, options, mpdata_metrics_rank(row->values, divisor), whole);
    fprintf(out, "%11s  %9s  ", mpdata_units_count(blocks).text,
            blocks != 0 ? mpdata_units_bytes(row->values[BYTES] / blocks).text
                        : "-");
    if (row->name != 0)
        return page_name(out, options, view->strings[row->name].bytes,
                         NUMBERS_WIDTH);
    fputs(options->by == MPDATA_BY_POOL ? "[no name]\n" : "[not known]\n", out);
    return true;
}

/* Returns the number of rows with a value of options->sort; they come first. */
static uint32_t count_rows(const struct mpdata_name_list *list)
{
    uint32_t count = 0;

    while (count < list->count && list->rows[count].values[SORT] != 0)
        count++;
    return count;
}

static void print_rest(FILE *out, const struct mpdata_name_list *list,
                       uint32_t count, uint64_t whole,
                       const struct show_options *options)
{
    const char *const thing = mpdata_by_name(options->by);
    uint64_t rest = 0;

    for (uint64_t i = options->top; i < count; i++)
        rest = mprof_add_sat_u64(rest, list->rows[i].values[SORT]);
    if (count > options->top)
        fputc('\n', out);
    if (list->divisor == 0)
        page_more(out, &options->style, options->top, count, thing,
                  ", %s of the %s", mpdata_units_share(rest, whole).text,
                  options->title);
    else
        page_more(out, &options->style, options->top, count, thing, "%s", "");
}

/* Error: NOMEM. */
static enum mprof_err print_table(FILE *out, const struct mpdata_view *view,
                                  const struct mpdata_name_list *list,
                                  uint64_t whole,
                                  const struct show_options *options)
{
    const uint32_t count = count_rows(list);

    if (count == 0)
        fprintf(out, "\nNo %s has any %s.\n", mpdata_by_name(options->by),
                options->title);
    if (count == 0 || options->top == 0)
        return MPROF_E_OK;
    page_table_title(out, options);
    fprintf(out, "%33s  %9s\n", "blocks", "of about");
    for (uint32_t i = 0; i < count && i < options->top; i++) {
        if (!print_row(out, view, &list->rows[i], list->divisor, whole,
                       options))
            return MPROF_E_NOMEM;
    }
    print_rest(out, list, count, whole, options);
    return MPROF_E_OK;
}

/* Returns why no row has a name. */
static const char *reason_of(enum mpdata_by by)
{
    return by == MPDATA_BY_TYPE
               ? "\nNo type is known: the program was not compiled with our "
                 "plugin of LLVM 22,\nor its section .memprof_types was not "
                 "found.\n"
               : "\nNo thread is known: threads are told apart where the "
                 "program runs with\nMEMPROF_OPTIONS=per_thread=1.\n";
}

enum mprof_err show_names(FILE *out, const struct mpdata_profile *profile,
                          const struct show_options *options, uint64_t whole)
{
    const struct mpdata_metric_pair pair = mpdata_metrics_pair(options->sort);
    const enum mpdata_metric metrics[COLUMNS] = {
        [SORT] = options->sort, [BYTES] = pair.bytes, [BLOCKS] = pair.blocks};
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_name_list list;
    enum mprof_err err =
        mpdata_name_list_make(&list, profile, options->by, metrics, COLUMNS);

    if (err == MPROF_E_OK && list.known == 0)
        fputs(reason_of(options->by), out);
    else if (err == MPROF_E_OK)
        err = print_table(out, &view, &list, whole, options);
    mpdata_name_list_fini(&list);
    return err;
}

/* -- by function, line or file --------------------------------------------- */

static void print_rest_of_groups(FILE *out, const struct mpdata_groups *groups,
                                 uint64_t whole,
                                 const struct show_options *options)
{
    const char *const thing = mpdata_by_name(options->by);
    uint64_t rest = 0;

    for (uint64_t i = options->top; i < groups->count; i++)
        rest = mprof_add_sat_u64(rest, groups->rows[i].self[0]);
    if (groups->count > options->top)
        fputc('\n', out);
    if (rest != 0 && groups->divisor == 0)
        page_more(out, &options->style, options->top, groups->count, thing,
                  ", %s by themselves", mpdata_units_share(rest, whole).text);
    else
        page_more(out, &options->style, options->top, groups->count, thing,
                  "%s", "");
}

void show_names_groups(FILE *out, const struct mpdata_groups *groups,
                       uint64_t whole, const struct show_options *options,
                       struct show_stack *stack)
{
    if (groups->count == 0)
        fprintf(out, "\nNo %s has any %s.\n", mpdata_by_name(options->by),
                options->title);
    if (groups->count == 0 || options->top == 0)
        return;
    page_table_title(out, options);
    fprintf(out, "%18s  %18s\n", "self", "total");
    for (uint32_t i = 0; i < groups->count && i < options->top; i++) {
        const struct mpdata_group *const g = &groups->rows[i];

        page_value(out, options, mpdata_metrics_rank(g->self, groups->divisor),
                   whole);
        page_value(out, options, mpdata_metrics_rank(g->total, groups->divisor),
                   whole);
        page_frame(out, stack, g->frame, options->by,
                   page_room(options, PAGE_VALUES_WIDTH));
    }
    print_rest_of_groups(out, groups, whole, options);
}
