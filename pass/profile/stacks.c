/* stacks.c -- reads the call stacks of a profile and indexes them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/profile/stacks.h"

#include "profdata/base/file.h"
#include "profdata/base/vec.h"
#include "profdata/index/index.h"
#include "profdata/judge/hint_list.h"
#include "profdata/judge/pool_groups.h"
#include "profdata/llvm/llvm.h"
#include "profdata/query/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* LLVM's line offsets have 16 bits. */
#define LINE_OFFSET_MASK 0xffffu

/* -- places ----------------------------------------------------------------- */

MPROF_COMPARATOR(compare_places, struct mpass_place,
                 MPROF_UP(guid) ?: MPROF_UP(line_offset) ?: MPROF_UP(column))

/* Sets the place of a frame; false if its function is not known. */
static bool place_of(struct mpass_place *place, const struct mpdata_view *view,
                     const struct mpdata_frame *frame)
{
    const struct mpdata_function *function;

    if (frame->function == 0)
        return false;
    function = &view->functions[frame->function - 1];
    *place = (struct mpass_place){
        .guid = function->guid,
        .line_offset = (frame->line - function->line) & LINE_OFFSET_MASK,
        .column = frame->column};
    return true;
}

static void collect_places(struct mpass_stacks *stacks,
                           const struct mpdata_view *view)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < view->frame_count; i++) {
        if (place_of(&stacks->places[count], view, &view->frames[i]))
            count++;
    }
    qsort(stacks->places, count, sizeof(*stacks->places), compare_places);
    for (uint32_t i = 0; i < count; i++) {
        stacks->has_columns |= stacks->places[i].column != 0;
        if (i == 0 ||
            compare_places(&stacks->places[i], &stacks->places[i - 1]) != 0)
            stacks->places[stacks->place_count++] = stacks->places[i];
    }
}

uint32_t mpass_stacks_first_place(const struct mpass_stacks *stacks,
                                  uint64_t guid)
{
    return (uint32_t)mpdata_vec_first(stacks->places, stacks->place_count,
                                      sizeof(*stacks->places),
                                      offsetof(struct mpass_place, guid), guid);
}

uint32_t mpass_stacks_find(const struct mpass_stacks *stacks,
                           const struct mpass_place *place)
{
    const struct mpass_place *found =
        bsearch(place, stacks->places, stacks->place_count,
                sizeof(*stacks->places), compare_places);

    return found == NULL ? 0 : (uint32_t)(found - stacks->places) + 1;
}

static uint64_t mix(uint64_t x)
{
    /* The finalizer of splitmix64. */
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t mpass_stacks_frame_id(const struct mpass_place *place)
{
    return mix(mix(place->guid) ^
               ((uint64_t)place->line_offset << 32 | place->column));
}

/* -- nodes ------------------------------------------------------------------ */

/* Adds a callee of a place: the function of the next inner frame on a call
 * stack.
 */
static void note_callee(struct mpass_stacks *stacks, uint32_t place,
                        uint64_t callee)
{
    if (place == 0)
        return;
    uint64_t *known = &stacks->callees[place - 1];
    *known = *known == 0 || *known == callee ? callee : MPASS_STACKS_SEVERAL;
}

static void link_node(struct mpass_stacks *stacks, uint32_t index)
{
    struct mpass_node *node = &stacks->nodes[index];
    struct mpass_node *parent;

    if (node->place != 0) {
        node->next_at = stacks->first_at[node->place - 1];
        stacks->first_at[node->place - 1] = index + 1;
    }
    if (node->parent == 0)
        return;
    parent = &stacks->nodes[node->parent - 1];
    node->next_sibling = parent->first_child;
    parent->first_child = index + 1;
    if (node->place != 0)
        note_callee(stacks, parent->place,
                    stacks->places[node->place - 1].guid);
}

static void collect_nodes(struct mpass_stacks *stacks,
                          const struct mpdata_view *view)
{
    stacks->node_count = view->node_count;
    for (uint32_t i = 0; i < view->node_count; i++) {
        struct mpass_place place;

        stacks->nodes[i].parent = view->nodes[i].parent;
        if (place_of(&place, view, &view->frames[view->nodes[i].frame]))
            stacks->nodes[i].place = mpass_stacks_find(stacks, &place);
    }
    for (uint32_t i = 0; i < view->node_count; i++)
        link_node(stacks, i);
}

/* -- stacks ----------------------------------------------------------------- */

static enum mpass_stack_kind kind_of(enum mpdata_verdict_kind verdict)
{
    if (verdict == MPDATA_VERDICT_COLD)
        return MPASS_STACK_COLD;
    return verdict == MPDATA_VERDICT_HOT ? MPASS_STACK_HOT : MPASS_STACK_OTHER;
}

static void collect_stacks(struct mpass_stacks *stacks,
                           const struct mpdata_view *view,
                           const struct mpdata_verdicts *verdicts)
{
    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_verdict *verdict = &verdicts->rows[i];
        const mpdata_ref node = view->contexts[i].node;

        if (node == 0)
            continue;
        stacks->stacks[stacks->stack_count++] = (struct mpass_stack){
            .node = node - 1,
            .kind = kind_of(verdict->kind),
            .reason = mpdata_verdict_reasons[verdict->reason].sentence,
            .bytes = verdict->bytes,
            .live = mpdata_verdict_whole(verdict->resident_bytes),
            .pool = verdict->pool,
            .is_loose = verdict->loose_bytes != 0};
        stacks->nodes[node - 1].stack = stacks->stack_count;
        note_callee(stacks, stacks->nodes[node - 1].place,
                    MPASS_STACKS_ALLOCATION);
    }
}

static enum mprof_err apply_list(struct mpdata_list *list,
                                 struct mpdata_verdicts *verdicts,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_demangler *demangler)
{
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(profile, demangler);
    const enum mprof_err err =
        names != NULL ? mpdata_hint_list_apply(list, verdicts, profile, names)
                      : MPROF_E_NOMEM;

    mpdata_frame_names_free(names);
    return err;
}

static enum mprof_err collect(struct mpass_stacks *stacks,
                              const struct mpdata_profile *profile,
                              struct mpdata_list *list,
                              const struct mpdata_demangler *demangler,
                              struct mprof_diag *diag)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_pool_groups groups = {.rows = NULL};
    struct mpdata_verdicts verdicts;

    stacks->places =
        mpdata_vec_array(view.frame_count + 1, sizeof(*stacks->places));
    stacks->first_at =
        mpdata_vec_array(view.frame_count, sizeof(*stacks->first_at));
    stacks->callees =
        mpdata_vec_array(view.frame_count, sizeof(*stacks->callees));
    stacks->nodes = mpdata_vec_array(view.node_count, sizeof(*stacks->nodes));
    stacks->stacks =
        mpdata_vec_array(view.context_count, sizeof(*stacks->stacks));
    enum mprof_err err =
        mpdata_verdict_make(&verdicts, profile, MPDATA_VERDICT_FITTING);
    if (err == MPROF_E_OK && list->text != NULL)
        err = apply_list(list, &verdicts, profile, demangler);
    if (err == MPROF_E_OK)
        err = mpdata_pool_groups_make(&groups, profile, &verdicts);
    mpdata_pool_groups_fini(&groups);
    if (stacks->places == NULL || stacks->first_at == NULL ||
        stacks->callees == NULL || stacks->nodes == NULL ||
        stacks->stacks == NULL || err != MPROF_E_OK) {
        mpdata_verdict_fini(&verdicts);
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    }
    collect_places(stacks, &view);
    collect_nodes(stacks, &view);
    collect_stacks(stacks, &view, &verdicts);
    stacks->busy_bytes =
        mpdata_verdict_whole(mpdata_verdict_busy_bytes(&verdicts));
    stacks->gains_by_huge_pages = mpdata_verdict_gains_by_huge_pages(&verdicts);
    mpdata_verdict_fini(&verdicts);
    return MPROF_E_OK;
}

/* True if the file may have one of the functions. Looks them up in LLVM's hash
 * table, which has a record for each function on a call stack if memprofdata
 * wrote the file. */
static bool has_any(const struct mpdata_index_file *index,
                    const uint64_t *functions, size_t count)
{
    bool found = !index->is_ours;

    for (size_t i = 0; i < count && !found; i++) {
        if (mpdata_llvm_read_find(index->data, index->llvm_bytes, functions[i],
                                  NULL, NULL, &found, NULL) != MPROF_E_OK)
            return true;
    }
    return found;
}

/* Reads the profile of an indexed file; nothing if it has none of the
 * functions.
 */
static enum mprof_err read_profile(struct mpdata_profile *profile,
                                   const char *path, const uint64_t *functions,
                                   size_t count, struct mprof_diag *diag)
{
    struct mpdata_index_file index;
    struct mpdata_file file;
    enum mprof_err err = mpdata_file_open(&file, path, diag);

    if (err != MPROF_E_OK)
        return err;
    err = mpdata_index_file_open(&index, file.data, file.size, true, diag);
    if (err == MPROF_E_OK && has_any(&index, functions, count))
        err = mpdata_index_read_profile(&index, profile, diag);
    mpdata_file_close(&file);
    return err;
}

/* Reads the list of hints. */
static enum mprof_err read_list(struct mpdata_list *list, const char *path,
                                struct mprof_diag *diag)
{
    struct mpdata_file file;

    if (*path == '\0')
        return MPROF_E_OK;
    enum mprof_err err = mpdata_file_open(&file, path, diag);
    if (err != MPROF_E_OK)
        return err;
    err = mpdata_hint_list_read(list, (const char *)file.data, file.size);
    mpdata_file_close(&file);
    if (err == MPROF_E_OK)
        return err;
    (void)mprof_err_plain(diag, err);
    diag->file = path;
    if (err == MPROF_E_VALUE)
        snprintf(diag->text, sizeof(diag->text),
                 "line %" PRIu32 " is not 'cold FUNCTION', 'hot FUNCTION' or "
                 "'none FUNCTION'",
                 list->bad_line);
    return err;
}

enum mprof_err mpass_stacks_load(
    struct mpass_stacks **out, const char *path, const char *hint_list,
    char *(*demangle)(void *unused, const char *name),
    const uint64_t *functions, size_t function_count, struct mprof_diag *diag)
{
    const struct mpdata_demangler demangler = {.demangle = demangle};
    struct mpdata_list list = {.text = NULL};
    struct mpass_stacks *stacks = calloc(1, sizeof(*stacks));
    struct mpdata_profile *profile = mpdata_profile_new();
    enum mprof_err err;

    *out = NULL;
    if (stacks == NULL || profile == NULL)
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    else
        err = read_profile(profile, path, functions, function_count, diag);
    if (err == MPROF_E_OK)
        err = read_list(&list, hint_list, diag);
    if (err == MPROF_E_OK)
        err = collect(stacks, profile, &list, &demangler, diag);
    mpdata_lines_fini(&list);
    mpdata_profile_free(profile);
    if (err == MPROF_E_OK)
        *out = stacks;
    else
        mpass_stacks_free(stacks);
    return err;
}

void mpass_stacks_free(struct mpass_stacks *stacks)
{
    if (stacks == NULL)
        return;
    free(stacks->places);
    free(stacks->first_at);
    free(stacks->callees);
    free(stacks->nodes);
    free(stacks->stacks);
    free(stacks);
}
