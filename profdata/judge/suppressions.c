/* suppressions.c -- removes known leaks from a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/suppressions.h"
#include "profdata/base/pattern.h"
#include "profdata/model/details.h"

#include <stdlib.h>
#include <string.h>

#define WORD "leak:"

/* -- the list -------------------------------------------------------------- */

static enum mprof_err take_line(void *context, char *line, uint32_t number)
{
    struct mpdata_list *const s = context;
    struct mpdata_suppressions_row *row;

    (void)number;
    if (strncmp(line, WORD, strlen(WORD)) != 0 || line[strlen(WORD)] == '\0')
        return MPROF_E_VALUE;
    row = mpdata_vec_push(&s->rows);
    if (row == NULL)
        return MPROF_E_NOMEM;
    row->pattern = line + strlen(WORD);
    return MPROF_E_OK;
}

enum mprof_err mpdata_suppressions_read(struct mpdata_list *s, const char *text,
                                        size_t size)
{
    return mpdata_lines_read_list(s, sizeof(struct mpdata_suppressions_row),
                                  text, size, take_line);
}

/* -- a profile ------------------------------------------------------------- */

struct search {
    struct mpdata_list *s;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    struct mpdata_frame_names *names;
    uint32_t *of_frame;    /* row + 1 that matches it, 0: none */
    uint32_t *of_function; /* row + 2, 0: not matched yet; of_path, too */
    uint32_t *of_path;
    uint64_t *leaked; /* leaked blocks, by call stack */
    uint32_t *gone;   /* row + 1 that suppresses the stack's leaks, 0: none */
    bool *is_left;    /* by call stack: does it still have leaks? */
    /* Linked lists of rows + 1 of view.details: by holder, the call stacks that
     * it holds entirely. */
    uint32_t *held_first;
    uint32_t *held_next;
    uint32_t *to_do; /* queue of call stacks */
    uint64_t cost;   /* so far */
    uint64_t cost_max;
    bool is_too_much;
    bool failed;
};

/* The row + 1 of the first pattern that matches, or 0. */
static uint32_t row_of_text(struct search *x, const char *text)
{
    const struct mpdata_suppressions_row *const rows = x->s->rows.data;
    const uint64_t cost =
        mprof_add_sat_u64(mprof_mul_sat_u64(x->s->rows.count, strlen(text) + 1),
                          x->s->text_bytes);

    if (x->is_too_much || cost > x->cost_max - x->cost) {
        x->is_too_much = true;
        return 0;
    }
    x->cost += cost;
    for (uint32_t i = 0; i < x->s->rows.count; i++) {
        if (mpdata_pattern_fits(rows[i].pattern, text))
            return i + 1;
    }
    return 0;
}

/* The first of two rows + 1; 0 is none. */
static uint32_t first_row(uint32_t a, uint32_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Matches and frees `text`; NULL fails. */
static uint32_t row_of_made(struct search *x, char *text)
{
    const uint32_t row = text != NULL ? row_of_text(x, text) : 0;

    x->failed = x->failed || text == NULL;
    free(text);
    return row;
}

/* Caches the result of each path, as row + 2; 0: not matched yet. */
static uint32_t row_of_path(struct search *x, mpdata_ref path)
{
    if (path == 0)
        return 0;
    if (x->of_path[path] == 0)
        x->of_path[path] =
            row_of_made(x, mpdata_profile_path_string(x->profile, path, NULL)) +
            1;
    return x->of_path[path] - 1;
}

/* Matches linkage name and readable name; without a function, the address. */
static uint32_t row_of_name(struct search *x, const struct mpdata_frame *f)
{
    if (f->function == 0)
        return row_of_made(x, mpdata_frame_names_text(x->names, f));
    if (x->of_function[f->function] == 0)
        x->of_function[f->function] =
            first_row(row_of_text(x, mpdata_frame_names_linkage(x->names, f)),
                      row_of_made(x, mpdata_frame_names_text(x->names, f))) +
            1;
    return x->of_function[f->function] - 1;
}

static void match_frames(struct search *x)
{
    for (uint32_t i = 0; i < x->view.frame_count && !x->failed; i++) {
        const struct mpdata_frame *const f = &x->view.frames[i];
        const mpdata_ref binary =
            f->binary != 0 ? x->view.binaries[f->binary - 1].path : 0;

        x->of_frame[i] =
            first_row(row_of_name(x, f), first_row(row_of_path(x, f->path),
                                                   row_of_path(x, binary)));
    }
}

static void forget_leaks(struct mprof_mib *mib)
{
    mib->LeakedCount = mib->LeakedBytes = 0;
    mib->IndirectLeakedCount = mib->IndirectLeakedBytes = 0;
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
    }
}

/* For each stack, the row of its innermost frame that matches. Nodes come after
 * their parents. */
static void find_rows(struct search *x)
{
    for (mpdata_ref node = 1; node <= x->view.node_count; node++) {
        const struct mpdata_node *const n = &x->view.nodes[node - 1];
        const uint32_t row = x->of_frame[n->frame];

        x->gone[node] = row != 0 ? row : x->gone[n->parent];
    }
    for (mpdata_ref node = 1; node <= x->view.node_count; node++) {
        if (x->leaked[node] == 0)
            x->gone[node] = 0;
    }
}

/* -- blocks that suppressed blocks hold
 * --------------------------------------- */

static struct mpdata_details holders_of(const struct search *x, mpdata_ref node)
{
    const struct mpdata_context context = {.node = node};

    return mpdata_details_of(&x->view, &context, MPROF_DETAIL_HOLDER);
}

/* Binary search by holder. */
static const struct mpdata_detail *find_holder(struct mpdata_details holders,
                                               mpdata_ref holder)
{
    uint32_t low = 0;
    uint32_t high = holders.count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (holders.rows[middle].key < holder)
            low = middle + 1;
        else
            high = middle;
    }
    return low < holders.count && holders.rows[low].key == holder
               ? &holders.rows[low]
               : NULL;
}

/* Are all leaked blocks of its call stack reachable from the holder's? */
static bool is_whole(const struct search *x, const struct mpdata_detail *held)
{
    return held != NULL && held->kind == MPROF_DETAIL_HOLDER &&
           x->leaked[held->node] != 0 && held->count >= x->leaked[held->node];
}

/* Lists what each call stack holds entirely. */
static void list_whole(struct search *x)
{
    for (uint32_t i = x->view.detail_count; i-- != 0;) {
        const struct mpdata_detail *const held = &x->view.details[i];

        if (is_whole(x, held)) {
            x->held_next[i] = x->held_first[held->key];
            x->held_first[held->key] = i + 1;
        }
    }
}

/* If call stacks hold each other, the profile has one of them as the holder of
 * all others and of everything they hold; it leads to the rest. */
static void spread_whole(struct search *x)
{
    uint32_t count = 0;

    list_whole(x);
    for (mpdata_ref node = 1; node <= x->view.node_count; node++) {
        if (x->gone[node] != 0)
            x->to_do[count++] = node;
    }
    for (uint32_t i = 0; i < count; i++) {
        const mpdata_ref holder = x->to_do[i];

        for (uint32_t at = x->held_first[holder]; at != 0;
             at = x->held_next[at - 1]) {
            const mpdata_ref node = x->view.details[at - 1].node;
            if (x->gone[node] != 0)
                continue;
            x->gone[node] = x->gone[holder];
            x->to_do[count++] = node;
        }
    }
}

/* Does this holder of `held` count in its place? If both hold each other, the
 * first one counts. */
static bool counts_instead(const struct search *x,
                           struct mpdata_details holders,
                           const struct mpdata_detail *held,
                           const struct mpdata_detail *own)
{
    return is_whole(x, own) && own->key != held->key &&
           x->gone[own->key] != 0 && find_holder(holders, own->key) != NULL &&
           (own->key < held->key ||
            !is_whole(x, find_holder(holders_of(x, own->key), held->key)));
}

/* Does another suppressed call stack hold this suppressed holder, so that its
 * blocks already count there? Scans the shorter of the two lists of holders:
 * hostile files have many long ones. */
static bool is_counted(const struct search *x, struct mpdata_details holders,
                       const struct mpdata_detail *held)
{
    const struct mpdata_details own = holders_of(x, held->key);

    if (own.count < holders.count) {
        for (uint32_t i = 0; i < own.count; i++) {
            if (counts_instead(x, holders, held, &own.rows[i]))
                return true;
        }
        return false;
    }
    for (uint32_t i = 0; i < holders.count; i++) {
        if (counts_instead(x, holders, held,
                           find_holder(own, holders.rows[i].key)))
            return true;
    }
    return false;
}

/* The profile has sums, not blocks: blocks that two suppressed call stacks hold
 * of a third are taken for different blocks, up to the number of held
 * blocks. */
static void suppress_held(const struct search *x, mpdata_ref node,
                          struct mprof_mib *mib)
{
    struct mpdata_suppressions_row *const rows = x->s->rows.data;
    const struct mpdata_details holders = holders_of(x, node);

    for (uint32_t i = 0; i < holders.count; i++) {
        const struct mpdata_detail *const held = &holders.rows[i];
        const uint32_t row = x->gone[held->key];

        if (row == 0 || is_counted(x, holders, held))
            continue;
        const uint64_t blocks =
            mprof_min_u64(held->count, mib->IndirectLeakedCount);
        const uint64_t bytes =
            mprof_min_u64(held->bytes, mib->IndirectLeakedBytes);
        take(&rows[row - 1], mib, blocks, bytes);
        mib->IndirectLeakedCount -= blocks;
        mib->IndirectLeakedBytes -= bytes;
    }
}

/* -- the copy
 * ------------------------------------------------------------------ */

static void copy_contexts(const struct search *x, struct mpdata_profile *into)
{
    struct mpdata_suppressions_row *const rows = x->s->rows.data;

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

/* Keeps the order, so the distributions stay canonical. */
static void copy_details(const struct search *x, struct mpdata_profile *into)
{
    for (uint32_t i = 0; i < x->view.detail_count; i++) {
        const struct mpdata_detail *const detail = &x->view.details[i];

        if (detail->kind != MPROF_DETAIL_HOLDER ||
            (x->is_left[detail->node] && x->is_left[detail->key]))
            mpdata_profile_detail(into, detail);
    }
}

/* Rows by thread are parts of the contexts' leaks, so they are not counted
 * again. If some leaks of a stack are left, it is unknown whose blocks were
 * held: the rows keep theirs. */
static void copy_tagged_rows(const struct search *x,
                             struct mpdata_profile *into)
{
    for (uint32_t i = 0; i < x->view.tagged_count; i++) {
        const struct mpdata_tagged *const tagged = &x->view.tagged_rows[i];
        struct mprof_mib mib = mpdata_view_tagged_mib(&x->view, i);

        if (!x->is_left[tagged->node])
            forget_leaks(&mib);
        mpdata_profile_tagged(into, tagged, &mib);
    }
}

/* X(array, count) */
#define ARRAYS(X)                              \
    X(of_frame, x->view.frame_count)           \
    X(of_function, x->view.function_count + 1) \
    X(of_path, x->view.path_count + 1)         \
    X(leaked, x->view.node_count + 1)          \
    X(gone, x->view.node_count + 1)            \
    X(is_left, x->view.node_count + 1)         \
    X(held_first, x->view.node_count + 1)      \
    X(held_next, x->view.detail_count)         \
    X(to_do, x->view.node_count + 1)

static bool take_memory(struct search *x)
{
    bool has_all = true;

#define X(array, count)                                                     \
    x->array =                                                              \
        (__typeof__(x->array))mpdata_vec_array((count), sizeof(*x->array)); \
    has_all = has_all && x->array != NULL;
    ARRAYS(X)
#undef X
    return has_all;
}

static void free_memory(struct search *x)
{
#define X(array, count) free(x->array);
    ARRAYS(X)
#undef X
}

static void find_gone(struct search *x)
{
    count_leaked(x);
    find_rows(x);
    spread_whole(x);
    x->is_left[0] = true;
}

static enum mprof_err copy(const struct search *x, struct mpdata_profile *into)
{
    const enum mprof_err err = mpdata_profile_merge_rest(into, x->profile);

    if (err != MPROF_E_OK)
        return err;
    copy_contexts(x, into);
    copy_details(x, into);
    copy_tagged_rows(x, into);
    return mpdata_frame_names_failed(x->names) ? MPROF_E_NOMEM
                                               : mpdata_profile_status(into);
}

enum mprof_err mpdata_suppressions_apply(struct mpdata_list *s,
                                         const struct mpdata_profile *profile,
                                         struct mpdata_frame_names *names,
                                         uint64_t cost_max,
                                         struct mpdata_profile **without)
{
    struct search x = {.s = s,
                       .profile = profile,
                       .view = mpdata_profile_view(profile),
                       .names = names,
                       .cost_max = cost_max};
    enum mprof_err err = MPROF_E_NOMEM;

    *without = mpdata_profile_new();
    if (*without == NULL || !take_memory(&x))
        goto out;
    match_frames(&x);
    if (x.failed)
        goto out;
    err = MPROF_E_LIMIT;
    if (x.is_too_much)
        goto out;
    find_gone(&x);
    err = copy(&x, *without);
out:
    free_memory(&x);
    if (err != MPROF_E_OK) {
        mpdata_profile_free(*without);
        *without = NULL;
    }
    return err;
}
