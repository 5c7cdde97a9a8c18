/* match.c -- finds a module's calls on the call stacks of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/match.h"

#include "pass/bridge/commandline.h"
#include "pass/bridge/hotness.h"
#include "pass/support/memory.h"
#include "pass/use/copyable.h"
#include "pass/use/marks.h"
#include "pass/use/steps.h"

#include <stdlib.h>
#include <string.h>

/* Option of later versions of LLVM. Without it, LLVM drops call stacks that are
 * not cold and that cloning does not seem to need. But if a tail call leaves no
 * frame, the function with the tail call would then seem to be called for cold
 * blocks only. */
#define ALL_STACKS_OPTION "memprof-keep-all-not-cold-contexts"

struct matcher {
    const struct mpass_stacks *stacks;
    const struct mpass_sites *sites;
    const uint32_t *places; /* by frame */
    bool with_hot;
    mpass_use_dense_fn *dense; /* or NULL */
    /* Stacks that matched a longer chain of inlined frames. These stacks do not
     * go through the function's body that is not inlined. */
    bool *is_taken;
    uint32_t *found;    /* stacks of the current call, each once */
    uint32_t *found_by; /* by stack: number of the last search that found it */
    uint32_t search;    /* number of the current search */
    uint32_t found_count;
    uint64_t *ids; /* frame ids of the current stack */
    bool kept_all; /* value of ALL_STACKS_OPTION before */
};

/* -- nodes ------------------------------------------------------------------ */

/* The frames of a call as locations of the profile. Innermost frames that the
 * profile does not have are skipped: the profiled program has no lines for such
 * inlined functions. */
struct chain {
    const uint32_t *places;
    uint32_t count;
};

static struct chain chain_of(const struct matcher *matcher,
                             const struct mpass_site *site)
{
    struct chain chain = {.places = matcher->places + site->first_frame,
                          .count = site->frame_count};

    while (chain.count > 0 && chain.places[0] == 0) {
        chain.places++;
        chain.count--;
    }
    for (uint32_t i = 0; i < chain.count; i++) {
        if (chain.places[i] == 0)
            return (struct chain){0};
    }
    return chain;
}

/* True if the node and its ancestors have the locations of the chain. */
static bool is_at(const struct mpass_stacks *stacks, uint32_t node,
                  struct chain chain)
{
    for (uint32_t i = 0; i < chain.count; i++) {
        if (node == 0 || stacks->nodes[node - 1].place != chain.places[i])
            return false;
        node = stacks->nodes[node - 1].parent;
    }
    return true;
}

/* The first node (+ 1) with the locations of the chain, from `node` on in the
 * list of nodes with its location; 0: none. */
static uint32_t next_node(const struct mpass_stacks *stacks, uint32_t node,
                          struct chain chain)
{
    while (node != 0 && !is_at(stacks, node, chain))
        node = stacks->nodes[node - 1].next_at;
    return node;
}

static uint32_t first_node(const struct mpass_stacks *stacks,
                           struct chain chain)
{
    if (chain.count == 0)
        return 0;
    return next_node(stacks, stacks->first_at[chain.places[0] - 1], chain);
}

/* -- stacks ----------------------------------------------------------------- */

static void find_stack(struct matcher *matcher, uint32_t node)
{
    const uint32_t stack = matcher->stacks->nodes[node - 1].stack;

    if (stack == 0 || matcher->found_by[stack - 1] == matcher->search)
        return;
    matcher->found_by[stack - 1] = matcher->search;
    matcher->found[matcher->found_count++] = stack - 1;
}

/* Finds all stacks that end at the node or at a descendant. */
static void find_below(struct matcher *matcher, uint32_t top)
{
    const struct mpass_node *nodes = matcher->stacks->nodes;
    uint32_t node = top;

    for (;;) {
        find_stack(matcher, node);
        if (nodes[node - 1].first_child != 0) {
            node = nodes[node - 1].first_child;
            continue;
        }
        while (node != top && nodes[node - 1].next_sibling == 0)
            node = nodes[node - 1].parent;
        if (node == top)
            return;
        node = nodes[node - 1].next_sibling;
    }
}

/* Finds the stacks of an allocation call at the node: stacks that end there,
 * and stacks that continue in the called function, if it is one of the program
 * or of a library. */
static void find_stacks(struct matcher *matcher, const struct mpass_site *site,
                        uint32_t node)
{
    const struct mpass_stacks *stacks = matcher->stacks;

    find_stack(matcher, node);
    for (uint32_t child = stacks->nodes[node - 1].first_child; child != 0;
         child = stacks->nodes[child - 1].next_sibling) {
        const uint32_t place = stacks->nodes[child - 1].place;

        if (place == 0 || stacks->places[place - 1].guid == site->callee)
            find_below(matcher, child);
    }
}

/* Removes taken stacks from the found ones, unless all of them are taken. */
static void remove_taken(struct matcher *matcher)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < matcher->found_count; i++)
        left += !matcher->is_taken[matcher->found[i]];
    if (left == 0)
        return;
    left = 0;
    for (uint32_t i = 0; i < matcher->found_count; i++) {
        if (!matcher->is_taken[matcher->found[i]])
            matcher->found[left++] = matcher->found[i];
    }
    matcher->found_count = left;
}

/* -- attributes and metadata for LLVM --------------------------------------- */

static uint64_t id_of(const struct mpass_stacks *stacks, uint32_t place)
{
    return mpass_stacks_frame_id(&stacks->places[place - 1]);
}

static void set_frames(struct matcher *matcher, LLVMValueRef call,
                       struct chain chain)
{
    for (uint32_t i = 0; i < chain.count; i++)
        matcher->ids[i] = id_of(matcher->stacks, chain.places[i]);
    mpass_hotness_set_frames(call, matcher->ids, chain.count);
}

static enum mpass_hotness hotness_of(const struct matcher *matcher,
                                     const struct mpass_match *match,
                                     uint32_t number)
{
    const struct mpass_stack *const stack =
        &matcher->stacks->stacks[match->stacks[number]];

    if (number < match->left_count && mpass_match_is_cloned_for(match, stack))
        return MPASS_HOTNESS_COLD;
    return stack->kind == MPASS_STACK_HOT && matcher->with_hot
               ? MPASS_HOTNESS_HOT
               : MPASS_HOTNESS_NOT_COLD;
}

/* Adds a stack of the match to the trie, from the call's frame to the root. */
static void add_stack(struct matcher *matcher, struct mpass_hotness_trie *trie,
                      const struct mpass_match *match, uint32_t number,
                      struct chain chain)
{
    const struct mpass_stacks *stacks = matcher->stacks;
    uint32_t node = stacks->stacks[match->stacks[number]].node + 1;
    uint32_t count = 0;

    while (!is_at(stacks, node, chain))
        node = stacks->nodes[node - 1].parent;
    for (; node != 0; node = stacks->nodes[node - 1].parent) {
        const uint32_t place = stacks->nodes[node - 1].place;

        if (place != 0)
            matcher->ids[count++] = id_of(stacks, place);
    }
    mpass_hotness_trie_add(trie, hotness_of(matcher, match, number),
                           matcher->ids, count);
}

static enum mpass_use_outcome outcome_of(LLVMValueRef call, bool is_mixed)
{
    const char *attribute = mpass_hotness_attribute(call);

    if (is_mixed || strcmp(attribute, "ambiguous") == 0)
        return MPASS_USE_OUTCOME_MIXED;
    if (strcmp(attribute, "cold") == 0)
        return MPASS_USE_OUTCOME_COLD;
    return strcmp(attribute, "hot") == 0 ? MPASS_USE_OUTCOME_HOT
                                         : MPASS_USE_OUTCOME_NONE;
}

/* Chooses the call stacks to clone for. */
static void choose_kind(const struct matcher *matcher,
                        struct mpass_match *match)
{
    match->is_for_pool = false;
    match->clone_pool = 0;
    match->clone_bytes = match->bytes[MPASS_STACK_COLD];
    if (matcher->with_hot)
        mpass_marks_pool(match, matcher->stacks);
}

/* Marks the call if most of its bytes gain by being dense, and their type
 * allows it. */
static void set_dense(const struct matcher *matcher,
                      const struct mpass_match *match)
{
    const struct mpass_site *const site = match->site;
    const struct mpass_site_function *const function =
        &matcher->sites
             ->functions[matcher->sites->frames[site->first_frame].function];
    uint64_t loose = 0, all = 0, bytes = 0;

    for (uint32_t i = 0; i < match->stack_count; i++) {
        const struct mpass_stack *stack =
            &matcher->stacks->stacks[match->stacks[i]];

        all += stack->bytes;
        loose += stack->is_loose ? stack->bytes : 0;
    }
    if (matcher->dense == NULL || loose <= all / 2)
        return;
    bytes = matcher->dense(function->name, function->name_size,
                           LLVMGetDebugLocLine(site->call),
                           LLVMGetDebugLocColumn(site->call));
    if (bytes != 0)
        mpass_marks_set_number(site->call, MPASS_DENSE, bytes);
}

/* The outcome of a call that is neither cold nor hot, as far as dense blocks
 * and pools decide it. */
static enum mpass_use_outcome small_outcome(const struct mpass_match *match,
                                            enum mpass_use_outcome none)
{
    if (*mpass_hotness_text(match->site->call, MPASS_DENSE) != '\0')
        return MPASS_USE_OUTCOME_DENSE;
    return *mpass_hotness_text(match->site->call, MPASS_MATCH_POOL) != '\0'
               ? MPASS_USE_OUTCOME_POOL
               : none;
}

/* -- calls ------------------------------------------------------------------ */

static uint64_t site_id(const struct matcher *matcher, struct chain chain)
{
    struct mpass_place together = {0};

    for (uint32_t i = 0; i < chain.count; i++) {
        together.guid ^= id_of(matcher->stacks, chain.places[i]);
        together.guid = mpass_stacks_frame_id(&together);
    }
    return together.guid;
}

static void fill_match(struct matcher *matcher, struct mpass_match *match,
                       const struct mpass_site *site, struct chain chain)
{
    *match = (struct mpass_match){.site = site,
                                  .id = site_id(matcher, chain),
                                  .stack_count = matcher->found_count,
                                  .left_count = matcher->found_count};
    match->stacks =
        mpass_memory_allocate(NULL, match->stack_count, sizeof(*match->stacks));
    for (uint32_t i = 0; i < matcher->found_count; i++) {
        const uint32_t number = matcher->found[i];
        const struct mpass_stack *stack = &matcher->stacks->stacks[number];

        match->stacks[i] = number;
        if (!matcher->is_taken[number])
            match->bytes[stack->kind] += stack->bytes;
        if (chain.count > 1)
            matcher->is_taken[number] = true;
    }
}

/* True if the function that contains the call in the source is annotated. The
 * functions that it is inlined into do not matter. */
static bool is_exempt(const struct matcher *matcher,
                      const struct mpass_site *site)
{
    const struct mpass_sites *sites = matcher->sites;

    return sites->functions[sites->frames[site->first_frame].function]
        .is_exempt;
}

/* Attaches the hint that all call stacks agree on, or metadata: those that
 * were cloned for, or tried, are not cold. */
static void attach(struct matcher *matcher, struct mpass_match *match,
                   struct chain chain)
{
    const LLVMValueRef call = match->site->call;
    struct mpass_hotness_trie *const trie = mpass_hotness_trie_new();

    for (uint32_t i = 0; i < match->stack_count; i++)
        add_stack(matcher, trie, match, i, chain);
    const bool is_mixed = mpass_hotness_trie_attach(trie, call);
    mpass_hotness_trie_free(trie);
    if (is_mixed) {
        set_frames(matcher, call, chain);
        /* LLVM does so since version 20. */
        mpass_hotness_set_attribute(call, "memprof", "ambiguous");
    }
    match->outcome = outcome_of(call, is_mixed);
    mpass_marks_note(match, matcher->stacks);
}

/* True if the call is on stacks of the profile. */
static bool match_allocation(struct matcher *matcher, struct mpass_match *match,
                             const struct mpass_site *site)
{
    const struct chain chain = chain_of(matcher, site);

    matcher->found_count = 0;
    matcher->search++;
    for (uint32_t node = first_node(matcher->stacks, chain); node != 0;
         node = next_node(matcher->stacks,
                          matcher->stacks->nodes[node - 1].next_at, chain))
        find_stacks(matcher, site, node);
    remove_taken(matcher);
    if (matcher->found_count == 0)
        return false;
    fill_match(matcher, match, site, chain);
    match->outcome = MPASS_USE_OUTCOME_NONE;
    if (is_exempt(matcher, site))
        return true;
    choose_kind(matcher, match);
    attach(matcher, match, chain);
    set_dense(matcher, match);
    if (match->outcome == MPASS_USE_OUTCOME_NONE)
        match->outcome = small_outcome(match, MPASS_USE_OUTCOME_NONE);
    match->is_open = match->outcome == MPASS_USE_OUTCOME_MIXED;
    match->otherwise = match->is_for_pool
                           ? small_outcome(match, MPASS_USE_OUTCOME_MIXED)
                           : MPASS_USE_OUTCOME_MIXED;
    return true;
}

/* Longer chains first (see is_taken), then in the order of the module. */
static int compare_sites(const void *left, const void *right)
{
    const struct mpass_site *a = *(const struct mpass_site *const *)left;
    const struct mpass_site *b = *(const struct mpass_site *const *)right;

    if (a->frame_count != b->frame_count)
        return a->frame_count > b->frame_count ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Attaches frames to a call on the path to an allocation. LLVM 19 crashes when
 * it clones for a call by pointer, so such calls get none there. A call of a
 * clone is on no path to other clones. */
static void match_call(struct matcher *matcher, const struct mpass_site *site)
{
    const struct chain chain = chain_of(matcher, site);
    const LLVMValueRef callee = LLVMGetCalledValue(site->call);
    const bool is_function = LLVMIsAFunction(callee) != NULL;

    if (is_function ? mpass_copyable_is_clone(callee)
                    : !mpass_hotness_copies_for_callers())
        return;
    if (first_node(matcher->stacks, chain) != 0)
        set_frames(matcher, site->call, chain);
}

static void match_calls(struct matcher *matcher)
{
    for (uint32_t i = 0; i < matcher->sites->site_count; i++) {
        if (matcher->sites->sites[i].allocates == MPASS_ALLOCATION_NONE)
            match_call(matcher, &matcher->sites->sites[i]);
    }
}

static void match_all(struct matcher *matcher, struct mpass_matches *matches,
                      const struct mpass_site *const *order)
{
    for (uint32_t i = 0; i < matcher->sites->site_count; i++) {
        if (order[i]->allocates != MPASS_ALLOCATION_NONE &&
            match_allocation(matcher, &matches->rows[matches->count], order[i]))
            matches->count++;
    }
    match_calls(matcher);
}

static const struct mpass_site **order_sites(const struct mpass_sites *sites)
{
    const struct mpass_site **order =
        mpass_memory_allocate(NULL, sites->site_count, sizeof(*order));

    for (uint32_t i = 0; i < sites->site_count; i++)
        order[i] = &sites->sites[i];
    qsort(order, sites->site_count, sizeof(*order), compare_sites);
    return order;
}

/* Sets an option of LLVM that free_matcher() resets. */
static struct matcher make_matcher(const struct mpass_match_input *input)
{
    const struct mpass_stacks *const stacks = input->stacks;
    struct matcher matcher = {
        .stacks = stacks,
        .sites = input->sites,
        .places = input->moved->places,
        .with_hot = input->with_hot,
        .dense = input->dense,
        .is_taken = mpass_memory_allocate(NULL, stacks->stack_count,
                                          sizeof(*matcher.is_taken)),
        .found = mpass_memory_allocate(NULL, stacks->stack_count,
                                       sizeof(*matcher.found)),
        .found_by = mpass_memory_allocate(NULL, stacks->stack_count,
                                          sizeof(*matcher.found_by)),
        .ids = mpass_memory_allocate(
            NULL, stacks->node_count + MPASS_SITES_FRAMES_MAX,
            sizeof(*matcher.ids)),
        .kept_all = mpass_commandline_get_BOOL(ALL_STACKS_OPTION, false)};

    mpass_commandline_set_BOOL(ALL_STACKS_OPTION, true);
    memset(matcher.is_taken, 0,
           stacks->stack_count * sizeof(*matcher.is_taken));
    memset(matcher.found_by, 0,
           stacks->stack_count * sizeof(*matcher.found_by));
    return matcher;
}

static void free_matcher(struct matcher *matcher)
{
    mpass_commandline_set_BOOL(ALL_STACKS_OPTION, matcher->kept_all);
    free(matcher->is_taken);
    free(matcher->found);
    free(matcher->found_by);
    free(matcher->ids);
}

void mpass_match_run(struct mpass_matches *matches,
                     const struct mpass_match_input *input)
{
    const struct mpass_site **order = order_sites(input->sites);
    struct matcher matcher = make_matcher(input);

    matches->rows = mpass_memory_allocate(NULL, input->sites->site_count,
                                          sizeof(*matches->rows));
    matches->count = 0;
    match_all(&matcher, matches, order);
    free(order);
    free_matcher(&matcher);
}

/* -- further kinds of call stacks -------------------------------------------- */

/* Moves the call stacks of the last kind behind those left. */
static void drop_tried(struct mpass_match *match,
                       const struct mpass_stacks *stacks)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < match->left_count; i++) {
        const uint32_t number = match->stacks[i];

        if (mpass_match_is_cloned_for(match, &stacks->stacks[number]))
            continue;
        match->stacks[i] = match->stacks[left];
        match->stacks[left++] = number;
    }
    match->left_count = left;
}

/* True if there are functions to clone for. The outcome stays if none is. */
static bool match_next(struct matcher *matcher, struct mpass_match *match)
{
    const enum mpass_use_outcome outcome = match->outcome;
    bool has_cold = false;

    if (!match->is_open)
        return false;
    drop_tried(match, matcher->stacks);
    for (uint32_t i = 0; i < match->left_count; i++)
        has_cold |=
            matcher->stacks->stacks[match->stacks[i]].kind == MPASS_STACK_COLD;
    mpass_hotness_remove_text(match->site->call, MPASS_MATCH_CLONE_POOL);
    choose_kind(matcher, match);
    match->is_open = match->is_for_pool || has_cold;
    if (!match->is_open)
        return false;
    attach(matcher, match, chain_of(matcher, match->site));
    match->otherwise = outcome;
    if (match->outcome != MPASS_USE_OUTCOME_MIXED)
        match->outcome = outcome;
    return true;
}

bool mpass_match_next(struct mpass_matches *matches,
                      const struct mpass_match_input *input)
{
    struct matcher matcher = make_matcher(input);
    bool any = false;

    for (uint32_t i = 0; i < matches->count; i++)
        any |= match_next(&matcher, &matches->rows[i]);
    if (any)
        match_calls(&matcher);
    free_matcher(&matcher);
    return any;
}

void mpass_match_note_rest(const struct mpass_matches *matches)
{
    for (uint32_t i = 0; i < matches->count; i++) {
        const enum mpass_use_outcome outcome = matches->rows[i].outcome;

        if (outcome == MPASS_USE_OUTCOME_CLONED ||
            outcome == MPASS_USE_OUTCOME_CLONED_POOL)
            mpass_hotness_set_attribute(
                matches->rows[i].site->call, MPASS_MATCH_NOTE,
                "the bytes for which no function was copied");
    }
}

void mpass_match_fini(struct mpass_matches *matches)
{
    for (uint32_t i = 0; i < matches->count; i++)
        free(matches->rows[i].stacks);
    free(matches->rows);
}
