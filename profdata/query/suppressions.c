/* suppressions.c -- leaks that are known and wanted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/suppressions.h"
#include "profdata/base/pattern.h"

#include <stdlib.h>
#include <string.h>

#define WORD "leak:"

/* -- the list -------------------------------------------------------------- */

static void cut_blanks(char **line, char *end)
{
    while (**line == ' ' || **line == '\t')
        ++*line;
    while (end > *line &&
           (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        *--end = '\0';
}

enum mprof_err mpdata_suppressions_read(struct mpdata_suppressions *s,
                                        const char *text, size_t size)
{
    uint32_t number = 0;

    *s = (struct mpdata_suppressions){
        .text = (char *)malloc(size + 1),
        .rows = {.elem_bytes = sizeof(struct mpdata_suppressions_row)}};
    if (s->text == NULL)
        return MPROF_E_NOMEM;
    if (size != 0)
        memcpy(s->text, text, size);
    s->text[size] = '\0';
    for (char *line = s->text, *next; line != NULL; line = next) {
        char *const end = strchrnul(line, '\n');
        next = *end == '\n' ? end + 1 : NULL;
        number++;
        /* A NUL would hide what is behind it. */
        if (next == NULL && end != s->text + size) {
            s->bad_line = number;
            return MPROF_E_VALUE;
        }
        *end = '\0';
        cut_blanks(&line, end);
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (strncmp(line, WORD, strlen(WORD)) != 0 ||
            line[strlen(WORD)] == '\0') {
            s->bad_line = number;
            return MPROF_E_VALUE;
        }
        struct mpdata_suppressions_row *const row =
            (struct mpdata_suppressions_row *)mpdata_vec_push(&s->rows);
        if (row == NULL)
            return MPROF_E_NOMEM;
        row->pattern = line + strlen(WORD);
    }
    return MPROF_E_OK;
}

void mpdata_suppressions_fini(struct mpdata_suppressions *s)
{
    mpdata_vec_fini(&s->rows);
    free(s->text);
    s->text = NULL;
}

/* -- a profile ------------------------------------------------------------- */

struct search {
    struct mpdata_suppressions *s;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    struct mpdata_frame_names *names;
    uint32_t *of_frame; /* row + 1 of what fits it, 0: none */
    bool failed;
};

static bool fits_text(const struct search *x, const char *pattern, char *text,
                      bool *failed)
{
    const bool fits = text != NULL && mpdata_pattern_fits(pattern, text);

    (void)x;
    *failed = *failed || text == NULL;
    free(text);
    return fits;
}

static bool fits_path(struct search *x, const char *pattern, mpdata_ref path)
{
    return path != 0 &&
           fits_text(x, pattern,
                     mpdata_profile_path_string(x->profile, path, NULL),
                     &x->failed);
}

static bool fits_frame(struct search *x, const char *pattern,
                       const struct mpdata_frame *f)
{
    if (f->function != 0 &&
        mpdata_pattern_fits(pattern, mpdata_frame_names_linkage(x->names, f)))
        return true;
    return fits_text(x, pattern, mpdata_frame_names_text(x->names, f),
                     &x->failed) ||
           fits_path(x, pattern, f->path) ||
           (f->binary != 0 &&
            fits_path(x, pattern, x->view.binaries[f->binary - 1].path));
}

static void look_at_frames(struct search *x)
{
    const struct mpdata_suppressions_row *const rows =
        (const struct mpdata_suppressions_row *)x->s->rows.data;

    for (uint32_t i = 0; i < x->view.frame_count && !x->failed; i++) {
        for (uint32_t k = 0; k < x->s->rows.count; k++) {
            if (fits_frame(x, rows[k].pattern, &x->view.frames[i])) {
                x->of_frame[i] = k + 1;
                break;
            }
        }
    }
}

/* The row + 1 that fits most: of the innermost frame that one fits. */
static uint32_t find_row(const struct search *x, mpdata_ref node)
{
    for (; node != 0; node = x->view.nodes[node - 1].parent) {
        const uint32_t row = x->of_frame[x->view.nodes[node - 1].frame];
        if (row != 0)
            return row;
    }
    return 0;
}

static void forget_leaks(struct mprof_mib *mib)
{
    mib->LeakedCount = mib->LeakedBytes = 0;
    mib->IndirectLeakedCount = mib->IndirectLeakedBytes = 0;
}

static void suppress(struct mpdata_suppressions_row *row, struct mprof_mib *mib)
{
    row->bytes = mprof_add_sat_u64(row->bytes, mib->LeakedBytes);
    row->blocks = mprof_add_sat_u64(row->blocks, mib->LeakedCount);
    forget_leaks(mib);
}

static void copy_contexts(const struct search *x, struct mpdata_profile *into)
{
    struct mpdata_suppressions_row *const rows =
        (struct mpdata_suppressions_row *)x->s->rows.data;

    for (uint32_t i = 0; i < x->view.context_count; i++) {
        const struct mpdata_context *const c = &x->view.contexts[i];
        struct mprof_mib mib = mpdata_view_mib(&x->view, i);
        const uint32_t row = mib.LeakedCount != 0 ? find_row(x, c->node) : 0;

        if (row != 0)
            suppress(&rows[row - 1], &mib);
        mpdata_profile_context(into, c->node, c->flags, &mib, c->cells);
    }
}

/* Of what all threads leaked theirs are a part, which does not count again. */
static void copy_parts(const struct search *x, struct mpdata_profile *into)
{
    for (uint32_t i = 0; i < x->view.part_count; i++) {
        const struct mpdata_part *const part = &x->view.parts[i];
        struct mprof_mib mib = mpdata_view_part_mib(&x->view, i);

        if (mib.LeakedCount != 0 && find_row(x, part->node) != 0)
            forget_leaks(&mib);
        mpdata_profile_part(into, part, &mib);
    }
}

struct mpdata_profile *
mpdata_suppressions_apply(struct mpdata_suppressions *s,
                          const struct mpdata_profile *profile,
                          struct mpdata_frame_names *names)
{
    struct search x = {.s = s,
                       .profile = profile,
                       .view = mpdata_profile_view(profile),
                       .names = names};
    struct mpdata_profile *into = mpdata_profile_new();

    x.of_frame =
        (uint32_t *)mpdata_vec_array(x.view.frame_count, sizeof(*x.of_frame));
    x.failed = into == NULL || x.of_frame == NULL;
    if (!x.failed)
        look_at_frames(&x);
    if (!x.failed)
        x.failed = mpdata_profile_merge_rest(into, profile) != MPROF_E_OK;
    if (!x.failed) {
        copy_contexts(&x, into);
        copy_parts(&x, into);
        x.failed = mpdata_frame_names_failed(names) ||
                   mpdata_profile_status(into) != MPROF_E_OK;
    }
    free(x.of_frame);
    if (!x.failed)
        return into;
    mpdata_profile_free(into);
    return NULL;
}
