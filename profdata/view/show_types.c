/* show_types.c -- a profile by the type of object that is allocated, as a
 * table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/names.h"
#include "profdata/base/units.h"
#include "profdata/query/type_list.h"
#include "profdata/view/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_WIDTH 44 /* before a name */
#define NAME_WIDTH_MIN 16

/* Of what is shown: the metric that is sorted by, then these. */
enum { SORT, BYTES, BLOCKS, COLUMNS };

static void print_name(FILE *out, const struct show_options *options,
                       const char *type)
{
    char *const text = strdup(type);

    if (text == NULL)
        return;
    if (!options->full_stacks)
        mpdata_names_shorten(
            text,
            mprof_max_u64(options->width, NUMBERS_WIDTH + NAME_WIDTH_MIN) -
                NUMBERS_WIDTH);
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    }
    fprintf(out, "%s%s%s\n", options->style.strong, text, options->style.reset);
    free(text);
}

static void print_row(FILE *out, const struct mpdata_view *view,
                      const struct mpdata_type_row *row, uint64_t whole,
                      const struct show_options *options)
{
    const uint64_t blocks = row->values[BLOCKS];
    char count[MPDATA_UNIT_BYTES];
    char size[MPDATA_UNIT_BYTES];

    show_value_print(out, options, row->values[SORT], whole);
    fprintf(out, "%11s  %9s  ",
            mpdata_units_count(blocks, count, sizeof(count)),
            blocks != 0 ? mpdata_units_bytes(row->values[BYTES] / blocks, size,
                                             sizeof(size))
                        : "-");
    if (row->type != 0)
        print_name(out, options, view->strings[row->type].bytes);
    else
        fputs("[not known]\n", out);
}

/* Types with something of what is sorted by stand first. */
static uint32_t count_types(const struct mpdata_type_list *list)
{
    uint32_t count = 0;

    while (count < list->count && list->rows[count].values[SORT] != 0)
        count++;
    return count;
}

/* What stands in rows [shown, count). */
static void print_rest(FILE *out, const struct mpdata_type_list *list,
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
    fprintf(out,
            "\n%s%s more type%s, %s of the %s; --top=%" PRIu32 " shows all%s\n",
            options->style.dim,
            mpdata_units_count(more, number, sizeof(number)),
            more == 1 ? "" : "s",
            mpdata_units_share(rest, whole, share, sizeof(share)),
            mpdata_metrics[options->sort].title, count, options->style.reset);
}

static void print_types(FILE *out, const struct mpdata_view *view,
                        const struct mpdata_type_list *list, uint64_t whole,
                        const struct show_options *options)
{
    const uint32_t count = count_types(list);
    const uint32_t shown = (uint32_t)mprof_min_u64(count, options->top);

    if (count == 0)
        fprintf(out, "\nNo type has any %s.\n",
                mpdata_metrics[options->sort].title);
    if (shown == 0)
        return;
    fprintf(out, "\n%sTypes by %s%s\n\n%33s  %9s\n", options->style.strong,
            mpdata_metrics[options->sort].title, options->style.reset, "blocks",
            "of about");
    for (uint32_t i = 0; i < shown; i++)
        print_row(out, view, &list->rows[i], whole, options);
    print_rest(out, list, shown, count, whole, options);
}

enum mprof_err show_types(FILE *out, const struct mpdata_profile *profile,
                          const struct show_options *options, uint64_t whole)
{
    const enum mpdata_metric metrics[COLUMNS] = {[SORT] = options->sort,
                                                 [BYTES] = MPDATA_METRIC_BYTES,
                                                 [BLOCKS] =
                                                     MPDATA_METRIC_BLOCKS};
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_type_list list;
    const enum mprof_err err =
        mpdata_type_list_make(&list, profile, metrics, COLUMNS);

    if (err == MPROF_E_OK && list.known == 0)
        fputs(
            "\nNo type is known: the program was not compiled with our plugin "
            "of LLVM 22, or its\nsection .memprof_types was not found.\n",
            out);
    else if (err == MPROF_E_OK)
        print_types(out, &view, &list, whole, options);
    mpdata_type_list_fini(&list);
    return err;
}
