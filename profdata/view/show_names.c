/* show_names.c -- prints a profile by type, thread or pool as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/controls.h"
#include "profdata/query/names.h"
#include "profdata/base/units.h"
#include "profdata/query/name_list.h"
#include "profdata/view/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_WIDTH 44 /* columns before a name */
#define NAME_WIDTH_MIN 16

/* Columns of values: options->sort, then bytes and blocks of its moment. */
enum { SORT, BYTES, BLOCKS, COLUMNS };

bool show_names_print(FILE *out, const struct show_options *options,
                      const char *name, size_t before)
{
    char *const text = strdup(name);

    if (text == NULL)
        return false;
    if (!options->full_stacks)
        mpdata_names_shorten(
            text,
            mprof_max_u64(options->width, before + NAME_WIDTH_MIN) - before);
    mpdata_controls_replace(text, strlen(text), '?');
    fprintf(out, "%s%s%s\n", options->style.strong, text, options->style.reset);
    free(text);
    return true;
}

/* Returns false when out of memory. */
static bool print_row(FILE *out, const struct mpdata_view *view,
                      const struct mpdata_name_row *row, size_t divisor,
                      uint64_t whole, const struct show_options *options)
{
    const uint64_t blocks = row->values[BLOCKS];
    char count[MPDATA_UNIT_BYTES];
    char size[MPDATA_UNIT_BYTES];

    show_value_print(out, options, mpdata_metrics_rank(row->values, divisor),
                     whole);
    fprintf(out, "%11s  %9s  ",
            mpdata_units_count(blocks, count, sizeof(count)),
            blocks != 0 ? mpdata_units_bytes(row->values[BYTES] / blocks, size,
                                             sizeof(size))
                        : "-");
    if (row->name != 0)
        return show_names_print(out, options, view->strings[row->name].bytes,
                                NUMBERS_WIDTH);
    fputs(options->by == SHOW_BY_POOL ? "[no name]\n" : "[not known]\n", out);
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

/* Prints the sum of rows [shown, count). */
static void print_rest(FILE *out, const struct mpdata_name_list *list,
                       uint32_t shown, uint32_t count, uint64_t whole,
                       const struct show_options *options)
{
    const uint32_t more = count - shown;
    uint64_t rest = 0;
    char number[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    if (more == 0)
        return;
    for (uint32_t i = shown; i < count; i++)
        rest = mprof_add_sat_u64(rest, list->rows[i].values[SORT]);
    fprintf(out, "\n%s%s more %s%s", options->style.dim,
            mpdata_units_count(more, number, sizeof(number)),
            show_by_name(options->by), more == 1 ? "" : "s");
    if (list->divisor == 0)
        fprintf(out, ", %s of the %s",
                mpdata_units_share(rest, whole, share, sizeof(share)),
                options->title);
    fprintf(out, "; --top=%" PRIu32 " shows all%s\n", count,
            options->style.reset);
}

/* Error: NOMEM. */
static enum mprof_err print_table(FILE *out, const struct mpdata_view *view,
                                  const struct mpdata_name_list *list,
                                  uint64_t whole,
                                  const struct show_options *options)
{
    const uint32_t count = count_rows(list);
    const uint32_t shown = (uint32_t)mprof_min_u64(count, options->top);

    if (count == 0)
        fprintf(out, "\nNo %s has any %s.\n", show_by_name(options->by),
                options->title);
    if (shown == 0)
        return MPROF_E_OK;
    fprintf(out, "\n%s%s by %s%s%s\n\n%33s  %9s\n", options->style.strong,
            options->by == SHOW_BY_TYPE     ? "Types"
            : options->by == SHOW_BY_THREAD ? "Threads"
                                            : "Pools",
            options->title, options->estimates, options->style.reset, "blocks",
            "of about");
    for (uint32_t i = 0; i < shown; i++) {
        if (!print_row(out, view, &list->rows[i], list->divisor, whole,
                       options))
            return MPROF_E_NOMEM;
    }
    print_rest(out, list, shown, count, whole, options);
    return MPROF_E_OK;
}

/* Returns why no row has a name. */
static const char *reason_of(enum show_by by)
{
    return by == SHOW_BY_TYPE
               ? "\nNo type is known: the program was not compiled with our "
                 "plugin of LLVM 22,\nor its section .memprof_types was not "
                 "found.\n"
               : "\nNo thread is known: threads are told apart where the "
                 "program runs with\nMEMPROF_OPTIONS=per_thread=1.\n";
}

show_names_fn *show_names_list(enum show_by by)
{
    return by == SHOW_BY_TYPE     ? mpdata_name_list_types
           : by == SHOW_BY_THREAD ? mpdata_name_list_threads
                                  : mpdata_name_list_pools;
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
        show_names_list(options->by)(&list, profile, metrics, COLUMNS);

    if (err == MPROF_E_OK && list.known == 0)
        fputs(reason_of(options->by), out);
    else if (err == MPROF_E_OK)
        err = print_table(out, &view, &list, whole, options);
    mpdata_name_list_fini(&list);
    return err;
}
