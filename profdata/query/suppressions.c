/* suppressions.c -- leaks that are known and wanted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/suppressions.h"
#include "profdata/base/pattern.h"
#include "profdata/model/details.h"

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
    uint64_t *leaked;   /* blocks, by call stack */
    uint32_t *gone;     /* row + 1 that takes all of these, 0: none does */
    bool *is_left;      /* is there a leak still, by call stack */
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

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void take(struct mpdata_suppressions_row *row, struct mprof_mib *mib,
                 uint64_t blocks, uint64_t bytes)
{
    row->blocks = mprof_add_sat_u64(row->blocks, blocks);
    row->bytes = mprof_add_sat_u64(row->bytes, bytes);
    mib->LeakedCount = mprof_sub_sat_u64(mib->LeakedCount, blocks);
    mib->LeakedBytes = mprof_sub_sat_u64(mib->LeakedBytes, bytes);
}

static void suppress(struct mpdata_suppressions_row *row, struct mprof_mib *mib)
{
    take(row, mib, mib->LeakedCount, mib->LeakedBytes);
    forget_leaks(mib);
}

static void count_leaked(struct search *x)
{
    for (uint32_t i = 0; i < x->view.context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(&x->view, i);
        uint64_t *const leaked = &x->leaked[x->view.contexts[i].node];

        *leaked = mprof_add_sat_u64(*leaked, mib.LeakedCount);
        if (mib.LeakedCount != 0)
            x->gone[x->view.contexts[i].node] =
                find_row(x, x->view.contexts[i].node);
    }
}

/* -- what suppressed blocks hold ------------------------------------------- */

static struct mpdata_details holders_of(const struct search *x, mpdata_ref node)
{
    const struct mpdata_context context = {.node = node};

    return mpdata_details_of(&x->view, &context, MPROF_DETAIL_HOLDER);
}

/* Can all leaked blocks of a call stack be reached from another's? */
static bool is_held_whole(const struct search *x, mpdata_ref node,
                          mpdata_ref holder)
{
    const struct mpdata_details holders = holders_of(x, node);

    for (uint32_t i = 0; i < holders.count; i++) {
        if (holders.rows[i].key == holder)
            return x->leaked[node] != 0 &&
                   holders.rows[i].count >= x->leaked[node];
    }
    return false;
}

/* The row that takes a call stack because another takes one that holds it. */
static uint32_t find_holders_row(const struct search *x, mpdata_ref node)
{
    const struct mpdata_details holders = holders_of(x, node);

    for (uint32_t i = 0; i < holders.count; i++) {
        if (x->gone[holders.rows[i].key] != 0 &&
            holders.rows[i].count >= x->leaked[node])
            return x->gone[holders.rows[i].key];
    }
    return 0;
}

/* Of call stacks that hold each other whole the profile has one as the holder
 * of all others, and of what they hold: through it the rest is found. */
static void spread_whole(struct search *x)
{
    bool is_over = false;

    while (!is_over) {
        is_over = true;
        for (uint32_t i = 0; i < x->view.context_count; i++) {
            const mpdata_ref node = x->view.contexts[i].node;

            if (x->leaked[node] == 0 || x->gone[node] != 0)
                continue;
            x->gone[node] = find_holders_row(x, node);
            is_over = is_over && x->gone[node] == 0;
        }
    }
}

/* Does a suppressed call stack hold what this suppressed one holds? Of two that
 * hold each other the first one counts. */
static bool is_counted(const struct search *x, struct mpdata_details holders,
                       uint32_t at)
{
    const mpdata_ref node = holders.rows[at].key;

    for (uint32_t i = 0; i < holders.count; i++) {
        const mpdata_ref other = holders.rows[i].key;

        if (i != at && x->gone[other] != 0 && is_held_whole(x, node, other) &&
            (i < at || !is_held_whole(x, other, node)))
            return true;
    }
    return false;
}

/* The profile has sums, not blocks: what two suppressed call stacks hold of a
 * third is taken for different blocks, as far as there are so many. */
static void suppress_held(const struct search *x, mpdata_ref node,
                          struct mprof_mib *mib)
{
    struct mpdata_suppressions_row *const rows =
        (struct mpdata_suppressions_row *)x->s->rows.data;
    const struct mpdata_details holders = holders_of(x, node);

    for (uint32_t i = 0; i < holders.count; i++) {
        const struct mpdata_detail *const held = &holders.rows[i];
        const uint32_t row = x->gone[held->key];

        if (row == 0 || is_counted(x, holders, i))
            continue;
        const uint64_t blocks = least(held->count, mib->IndirectLeakedCount);
        const uint64_t bytes = least(held->bytes, mib->IndirectLeakedBytes);
        take(&rows[row - 1], mib, blocks, bytes);
        mib->IndirectLeakedCount -= blocks;
        mib->IndirectLeakedBytes -= bytes;
    }
}

/* -- a profile without ----------------------------------------------------- */

static void copy_contexts(const struct search *x, struct mpdata_profile *into)
{
    struct mpdata_suppressions_row *const rows =
        (struct mpdata_suppressions_row *)x->s->rows.data;

    for (uint32_t i = 0; i < x->view.context_count; i++) {
        const struct mpdata_context *const c = &x->view.contexts[i];
        struct mprof_mib mib = mpdata_view_mib(&x->view, i);
        const uint32_t row = mib.LeakedCount != 0 ? x->gone[c->node] : 0;

        if (row != 0)
            suppress(&rows[row - 1], &mib);
        else if (mib.IndirectLeakedCount != 0)
            suppress_held(x, c->node, &mib);
        x->is_left[c->node] = x->is_left[c->node] || mib.LeakedCount != 0;
        mpdata_profile_context(into, c->node, c->flags, &mib, c->cells);
    }
}

/* Details of a profile in its order stay in it. */
static void copy_details(const struct search *x, struct mpdata_profile *into)
{
    for (uint32_t i = 0; i < x->view.detail_count; i++) {
        const struct mpdata_detail *const detail = &x->view.details[i];

        if (detail->kind != MPROF_DETAIL_HOLDER ||
            (x->is_left[detail->node] && x->is_left[detail->key]))
            mpdata_profile_detail(into, detail);
    }
}

/* Of what all threads leaked theirs are a part, which does not count again.
 * Whose blocks were held is not known where some are left. */
static void copy_parts(const struct search *x, struct mpdata_profile *into)
{
    for (uint32_t i = 0; i < x->view.part_count; i++) {
        const struct mpdata_part *const part = &x->view.parts[i];
        struct mprof_mib mib = mpdata_view_part_mib(&x->view, i);

        if (!x->is_left[part->node])
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
    x.leaked =
        (uint64_t *)mpdata_vec_array(x.view.node_count + 1, sizeof(*x.leaked));
    x.gone =
        (uint32_t *)mpdata_vec_array(x.view.node_count + 1, sizeof(*x.gone));
    x.is_left =
        (bool *)mpdata_vec_array(x.view.node_count + 1, sizeof(*x.is_left));
    x.failed = into == NULL || x.of_frame == NULL || x.leaked == NULL ||
               x.gone == NULL || x.is_left == NULL;
    if (!x.failed) {
        look_at_frames(&x);
        count_leaked(&x);
        spread_whole(&x);
        x.is_left[0] = true;
    }
    if (!x.failed)
        x.failed = mpdata_profile_merge_rest(into, profile) != MPROF_E_OK;
    if (!x.failed) {
        copy_contexts(&x, into);
        copy_details(&x, into);
        copy_parts(&x, into);
        x.failed = mpdata_frame_names_failed(names) ||
                   mpdata_profile_status(into) != MPROF_E_OK;
    }
    free(x.of_frame);
    free(x.leaked);
    free(x.gone);
    free(x.is_left);
    if (!x.failed)
        return into;
    mpdata_profile_free(into);
    return NULL;
}
