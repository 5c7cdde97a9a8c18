/* hint_list.c -- verdicts given by users.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/hint_list.h"
#include "profdata/base/guid.h"
#include "profdata/base/pattern.h"

#include <stdlib.h>
#include <string.h>

/* -- the list -------------------------------------------------------------- */

static bool find_kind(const char *word, size_t size,
                      enum mpdata_verdict_kind *kind)
{
    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++) {
        const char *const known = mpdata_verdict_words[k];

        *kind = (enum mpdata_verdict_kind)k;
        if (*kind != MPDATA_VERDICT_NOT_MEASURED && strlen(known) == size &&
            memcmp(known, word, size) == 0)
            return true;
    }
    return false;
}

/* Splits "cold NAME". */
static bool split_line(char *line, struct mpdata_hint_list_row *row)
{
    const size_t size = strcspn(line, " \t");

    if (line[size] == '\0' || !find_kind(line, size, &row->kind))
        return false;
    row->pattern = line + size + strspn(line + size, " \t");
    return true;
}

static enum mprof_err take_line(void *context, char *line, uint32_t number)
{
    struct mpdata_list *const list = context;
    struct mpdata_hint_list_row row = {.line = number};
    struct mpdata_hint_list_row *at;

    if (!split_line(line, &row))
        return MPROF_E_VALUE;
    at = mpdata_vec_push(&list->rows);
    if (at == NULL)
        return MPROF_E_NOMEM;
    *at = row;
    return MPROF_E_OK;
}

enum mprof_err mpdata_hint_list_read(struct mpdata_list *list, const char *text,
                                     size_t size)
{
    return mpdata_lines_read_list(list, sizeof(struct mpdata_hint_list_row),
                                  text, size, take_line);
}

static struct mpdata_hint_list_row *row_at(const struct mpdata_list *list,
                                           uint32_t i)
{
    return (struct mpdata_hint_list_row *)list->rows.data + i;
}

/* The first row that matches. */
static struct mpdata_hint_list_row *find_name(const struct mpdata_list *list,
                                              const char *name)
{
    for (uint32_t i = 0; i < list->rows.count; i++) {
        if (mpdata_pattern_fits_whole(row_at(list, i)->pattern, name))
            return row_at(list, i);
    }
    return NULL;
}

/* -- a profile's verdicts -------------------------------------------------- */

static struct mpdata_hint_list_row *find_guid(const struct mpdata_list *list,
                                              uint64_t guid)
{
    for (uint32_t i = 0; i < list->rows.count; i++) {
        struct mpdata_hint_list_row *const row = row_at(list, i);

        if (strchr(row->pattern, '*') == NULL &&
            mpdata_guid(row->pattern, strlen(row->pattern)) == guid)
            return row;
    }
    return NULL;
}

static struct mpdata_hint_list_row *
find_function(const struct mpdata_list *list, const struct mpdata_view *view,
              uint32_t function, struct mpdata_frame_names *names)
{
    const struct mpdata_function *const f = &view->functions[function];
    const struct mpdata_frame frame = {.function = function + 1};
    struct mpdata_hint_list_row *row;

    if (f->name == 0)
        return find_guid(list, f->guid);
    row = find_name(list, view->strings[f->name].bytes);
    if (row == NULL && names != NULL)
        row = find_name(list, mpdata_frame_names_function(names, &frame));
    return row;
}

static enum mpdata_verdict_reason reason_of(enum mpdata_verdict_kind kind)
{
    switch (kind) {
    case MPDATA_VERDICT_COLD:
        return MPDATA_REASON_LISTED_COLD;
    case MPDATA_VERDICT_HOT:
        return MPDATA_REASON_LISTED_HOT;
    default:
        return MPDATA_REASON_LISTED_NONE;
    }
}

/* of_function: by function, its row or NULL. */
static void decide(struct mpdata_verdicts *verdicts,
                   const struct mpdata_view *view, uint32_t context,
                   struct mpdata_hint_list_row *const *of_function)
{
    mpdata_ref node = view->contexts[context].node;
    struct mpdata_hint_list_row *row = NULL;

    for (; node != 0 && row == NULL; node = view->nodes[node - 1].parent) {
        const mpdata_ref function =
            view->frames[view->nodes[node - 1].frame].function;

        row = function != 0 ? of_function[function - 1] : NULL;
    }
    if (row == NULL)
        return;
    mpdata_verdict_set(verdicts, context, reason_of(row->kind));
    row->stacks++;
}

enum mprof_err mpdata_hint_list_apply(struct mpdata_list *list,
                                      struct mpdata_verdicts *verdicts,
                                      const struct mpdata_profile *profile,
                                      struct mpdata_frame_names *names)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_hint_list_row **const of_function =
        mpdata_vec_array(view.function_count, sizeof(*of_function));

    if (of_function == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t f = 0; f < view.function_count; f++)
        of_function[f] = find_function(list, &view, f, names);
    for (uint32_t i = 0; i < verdicts->count; i++)
        decide(verdicts, &view, i, of_function);
    free((void *)of_function);
    return names == NULL || !mpdata_frame_names_failed(names) ? MPROF_E_OK
                                                              : MPROF_E_NOMEM;
}
