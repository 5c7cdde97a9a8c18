/* silence.c -- removes advice that somebody does not want again.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/silence.h"
#include "profdata/base/pattern.h"
#include "profdata/base/source_file.h"

#include <stdlib.h>
#include <string.h>

#define COMMENT "memprof: ok"

/* Is a piece of advice silenced at one of its sites? */
typedef bool silence_fn(void *context, const struct mpdata_advice_row *row,
                        const struct mpdata_frame *site);

static const struct mpdata_frame *frame_of(const struct mpdata_view *view,
                                           mpdata_ref node)
{
    return node != 0 ? &view->frames[view->nodes[node - 1].frame] : NULL;
}

/* Only advice for a type has several sites; one of them is enough. */
static bool is_dropped(const struct mpdata_advice *advice,
                       const struct mpdata_view *view,
                       const struct mpdata_advice_row *row,
                       silence_fn *is_silenced, void *context)
{
    const uint32_t count =
        row->kind == MPDATA_ADVICE_MEMBERS ? row->contexts : 1;

    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_frame *const site =
            frame_of(view, advice->nodes[row->first + i]);

        if (site != NULL && is_silenced(context, row, site))
            return true;
    }
    return false;
}

static void drop(struct mpdata_advice *advice, const struct mpdata_view *view,
                 silence_fn *is_silenced, void *context)
{
    const uint32_t count = advice->count;

    advice->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_dropped(advice, view, &advice->rows[i], is_silenced, context))
            advice->rows[advice->count++] = advice->rows[i];
    }
    advice->silenced += count - advice->count;
}

/* -- the source ------------------------------------------------------------ */

static bool has_comment(struct mpdata_source_file *source, uint32_t line)
{
    const char *text;
    size_t size;

    return mpdata_source_file_line(source, line, &text, &size) &&
           memmem(text, size, COMMENT, strlen(COMMENT)) != NULL;
}

static bool has_comment_at(const struct mpdata_profile *profile,
                           const struct mpdata_frame *site)
{
    struct mpdata_source_file source;
    char *path;
    bool is_silenced;

    if (site->line == 0)
        return false;
    path = mpdata_profile_path_string(profile, site->path, NULL);
    source = mpdata_source_file_open(path != NULL ? path : "", 0);
    is_silenced = (site->line > 1 && has_comment(&source, site->line - 1)) ||
                  has_comment(&source, site->line);
    mpdata_source_file_close(&source);
    free(path);
    return is_silenced;
}

struct by_source {
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    uint8_t *known; /* by frame: 1 no comment, 2 comment; NULL: no memory */
};

static bool is_in_source(void *context, const struct mpdata_advice_row *row,
                         const struct mpdata_frame *site)
{
    const struct by_source *const by = context;
    uint8_t unknown = 0;
    uint8_t *const known =
        by->known != NULL ? &by->known[site - by->view.frames] : &unknown;

    (void)row;
    if (*known == 0)
        *known = 1 + has_comment_at(by->profile, site);
    return *known == 2;
}

void mpdata_silence_by_source(struct mpdata_advice *advice,
                              const struct mpdata_profile *profile)
{
    struct by_source by = {.profile = profile,
                           .view = mpdata_profile_view(profile)};

    by.known = mpdata_vec_array(by.view.frame_count, 1);
    drop(advice, &by.view, is_in_source, &by);
    free(by.known);
}

/* -- a list ---------------------------------------------------------------- */

/* Parses "KIND:PATTERN". */
static bool parse(struct mpdata_silence_row *row, const char *line)
{
    const char *const colon = strchr(line, ':');
    const size_t size = colon != NULL ? (size_t)(colon - line) : 0;
    int kind = 0;

    if (colon == NULL || colon[1] == '\0')
        return false;
    while (kind < MPDATA_ADVICE_KIND_COUNT &&
           (strlen(mpdata_advice_kinds[kind].name) != size ||
            memcmp(mpdata_advice_kinds[kind].name, line, size) != 0))
        kind++;
    row->kind = (enum mpdata_advice_kind)kind;
    row->pattern = colon + 1;
    return kind < MPDATA_ADVICE_KIND_COUNT || (size == 1 && line[0] == '*');
}

static enum mprof_err take_line(void *context, char *line, uint32_t number)
{
    struct mpdata_list *const list = context;
    struct mpdata_silence_row *const row = mpdata_vec_push(&list->rows);

    if (row == NULL)
        return MPROF_E_NOMEM;
    *row = (struct mpdata_silence_row){.line = number};
    return parse(row, line) ? MPROF_E_OK : MPROF_E_VALUE;
}

enum mprof_err mpdata_silence_read(struct mpdata_list *list, const char *text,
                                   size_t size)
{
    return mpdata_lines_read_list(list, sizeof(struct mpdata_silence_row), text,
                                  size, take_line);
}

struct by_list {
    const struct mpdata_profile *profile;
    struct mpdata_frame_names *names;
    struct mpdata_list *list;
};

static bool is_in_list(void *context, const struct mpdata_advice_row *row,
                       const struct mpdata_frame *site)
{
    const struct by_list *const by = context;
    struct mpdata_silence_row *const rows = by->list->rows.data;
    const char *name;
    char *path;
    uint32_t i = 0;

    name = mpdata_frame_names_function(by->names, site);
    path = mpdata_profile_path_string(by->profile, site->path, NULL);
    while (i < by->list->rows.count &&
           ((rows[i].kind != MPDATA_ADVICE_KIND_COUNT &&
             rows[i].kind != row->kind) ||
            (!mpdata_pattern_fits(rows[i].pattern, name) &&
             !mpdata_pattern_fits(rows[i].pattern, path != NULL ? path : ""))))
        i++;
    free(path);
    if (i == by->list->rows.count)
        return false;
    rows[i].used++;
    return true;
}

void mpdata_silence_by_list(struct mpdata_advice *advice,
                            const struct mpdata_profile *profile,
                            struct mpdata_frame_names *names,
                            struct mpdata_list *list)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct by_list by = {.profile = profile, .names = names, .list = list};

    drop(advice, &view, is_in_list, &by);
}

/* -- an older profile ------------------------------------------------------ */

struct by_old {
    const struct mpdata_profile *profile;
    const struct mpdata_profile *old_profile;
    struct mpdata_view view;
    struct mpdata_view old_view;
    const struct mpdata_advice *advice;
    const struct mpdata_advice *old;
    const struct mpdata_advice_row *last; /* compared, and the result */
    bool is_last_old;
};

static struct mpdata_str function_of(const struct mpdata_view *view,
                                     const struct mpdata_frame *frame)
{
    return frame != NULL && frame->function != 0
               ? view->strings[view->functions[frame->function - 1].name]
               : (struct mpdata_str){.bytes = ""};
}

static bool is_same_file(const struct by_old *by, const struct mpdata_frame *a,
                         const struct mpdata_frame *b)
{
    char *const left = mpdata_profile_path_string(by->profile, a->path, NULL);
    char *const right =
        mpdata_profile_path_string(by->old_profile, b->path, NULL);
    const bool is_same =
        left != NULL && right != NULL && strcmp(left, right) == 0;

    free(left);
    free(right);
    return is_same;
}

/* Lines move, so functions are compared; advice for a type is known by it. */
static bool is_same_advice(const struct by_old *by,
                           const struct mpdata_advice_row *row,
                           const struct mpdata_frame *site,
                           const struct mpdata_advice_row *old)
{
    const struct mpdata_frame *const other = frame_of(&by->old_view, old->node);
    const struct mpdata_str name = function_of(&by->view, site);
    const struct mpdata_str other_name = function_of(&by->old_view, other);

    if (old->kind != row->kind)
        return false;
    if (row->kind == MPDATA_ADVICE_MEMBERS)
        return strcmp(by->advice->types[row->number].name,
                      by->old->types[old->number].name) == 0;
    return name.size != 0 && mpdata_str_compare(&name, &other_name) == 0 &&
           is_same_file(by, site, other);
}

static bool is_in_old(void *context, const struct mpdata_advice_row *row,
                      const struct mpdata_frame *site)
{
    struct by_old *const by = context;
    uint32_t i = 0;

    /* Advice for a type does not depend on the site. */
    if (row->kind == MPDATA_ADVICE_MEMBERS && row == by->last)
        return by->is_last_old;
    while (i < by->old->count &&
           !is_same_advice(by, row, site, &by->old->rows[i]))
        i++;
    by->last = row;
    by->is_last_old = i < by->old->count;
    return by->is_last_old;
}

void mpdata_silence_by_old(struct mpdata_advice *advice,
                           const struct mpdata_profile *profile,
                           const struct mpdata_advice *old,
                           const struct mpdata_profile *old_profile)
{
    struct by_old by = {.profile = profile,
                        .old_profile = old_profile,
                        .view = mpdata_profile_view(profile),
                        .old_view = mpdata_profile_view(old_profile),
                        .advice = advice,
                        .old = old};

    drop(advice, &by.view, is_in_old, &by);
}
