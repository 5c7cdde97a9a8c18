/* match.c -- finds a module's calls on the call stacks of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/match.h"

#include "pass/bridge/commandline.h"
#include "pass/bridge/hotness.h"
#include "pass/support/memory.h"
#include "pass/use/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_BYTES 512
/* Functions are cloned for a pool if the blocks that would lie elsewhere have
 * so many live bytes, and this share of those of the call (docs/explain.md). */
#define CLONE_BYTES_MIN (UINT64_C(512) * 1024)
#define CLONE_SHARE_MIN 0.05
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
                                     const struct mpass_stack *stack)
{
    if (mpass_match_is_cloned_for(match, stack))
        return MPASS_HOTNESS_COLD;
    return stack->kind == MPASS_STACK_HOT && matcher->with_hot
               ? MPASS_HOTNESS_HOT
               : MPASS_HOTNESS_NOT_COLD;
}

/* Adds the stack to the trie, from the call's frame to the root. */
static void add_stack(struct matcher *matcher, struct mpass_hotness_trie *trie,
                      const struct mpass_match *match,
                      const struct mpass_stack *stack, struct chain chain)
{
    const struct mpass_stacks *stacks = matcher->stacks;
    uint32_t node = stack->node + 1;
    uint32_t count = 0;

    while (!is_at(stacks, node, chain))
        node = stacks->nodes[node - 1].parent;
    for (; node != 0; node = stacks->nodes[node - 1].parent) {
        const uint32_t place = stacks->nodes[node - 1].place;

        if (place != 0)
            matcher->ids[count++] = id_of(stacks, place);
    }
    mpass_hotness_trie_add(trie, hotness_of(matcher, match, stack),
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

/* The kind of stack that decided the outcome. */
static enum mpass_stack_kind deciding_kind(enum mpass_use_outcome outcome)
{
    if (outcome == MPASS_USE_OUTCOME_HOT)
        return MPASS_STACK_HOT;
    return outcome == MPASS_USE_OUTCOME_NONE ? MPASS_STACK_OTHER
                                             : MPASS_STACK_COLD;
}

/* Attaches the reason of the outcome: that of the largest deciding stack. */
static void set_note(const struct matcher *matcher,
                     const struct mpass_match *match)
{
    const enum mpass_stack_kind kind = deciding_kind(match->outcome);
    const struct mpass_stack *largest = NULL;
    char note[NOTE_BYTES];
    char pool[32] = "these are for no pool";
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < match->stack_count; i++) {
        const struct mpass_stack *stack =
            &matcher->stacks->stacks[match->stacks[i]];

        bytes += stack->bytes;
        if (stack->kind == kind &&
            (largest == NULL || stack->bytes > largest->bytes))
            largest = stack;
    }
    if (match->clone_pool != 0)
        snprintf(pool, sizeof(pool), "these are for pool %u",
                 (unsigned)match->clone_pool);
    const char *const reason = match->is_for_pool ? pool
                               : largest != NULL  ? largest->reason
                                                  : "";
    snprintf(note, sizeof(note),
             "%" PRIu64 " of %" PRIu64 " bytes from %" PRIu32
             " call stack%s%s%s",
             match->is_for_pool ? match->clone_bytes : match->bytes[kind],
             bytes, match->stack_count, match->stack_count == 1 ? "" : "s",
             *reason == '\0' ? "" : ": ", reason);
    mpass_hotness_set_attribute(match->site->call, MPASS_MATCH_NOTE, note);
    snprintf(note, sizeof(note), "%016" PRIx64, match->id);
    mpass_hotness_set_attribute(match->site->call, MPASS_MATCH_ID, note);
}

static void set_number(LLVMValueRef call, const char *attribute,
                       uint64_t number)
{
    char text[32];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    mpass_hotness_set_attribute(call, attribute, text);
}

/* The call stacks of a call by pool; 0: without a pool. */
struct by_pool {
    uint64_t bytes[UINT8_MAX + 1];
    uint64_t live[UINT8_MAX + 1]; /* without cold blocks */
    uint64_t all_live;
    uint64_t cold_live;
    uint32_t hot;
};

static void sum_pools(struct by_pool *sums, const struct matcher *matcher,
                      const struct mpass_match *match)
{
    *sums = (struct by_pool){.all_live = 0};
    for (uint32_t i = 0; i < match->stack_count; i++) {
        const struct mpass_stack *stack =
            &matcher->stacks->stacks[match->stacks[i]];

        sums->bytes[stack->pool] += stack->bytes;
        sums->all_live += stack->live;
        *(stack->kind == MPASS_STACK_COLD ? &sums->cold_live
                                          : &sums->live[stack->pool]) +=
            stack->live;
        sums->hot += stack->kind == MPASS_STACK_HOT;
    }
}

/* Clones for the pool with the most live bytes except that of the call, if that
 * pays, and more than clones for cold blocks. A call whose blocks are all hot
 * keeps this hint. */
static void choose_clone_pool(struct mpass_match *match,
                              const struct by_pool *sums, unsigned pool)
{
    unsigned other = pool == 0 ? 1 : 0;

    for (unsigned i = 1; i <= UINT8_MAX; i++)
        other = i != pool && sums->live[i] > sums->live[other] ? i : other;
    if (sums->live[other] < CLONE_BYTES_MIN ||
        sums->live[other] <= sums->cold_live ||
        (double)sums->live[other] < CLONE_SHARE_MIN * (double)sums->all_live ||
        (sums->hot == match->stack_count && (pool == 0 || other == 0)))
        return;
    match->is_for_pool = true;
    match->clone_pool = (uint8_t)other;
    match->clone_bytes = sums->bytes[other];
    set_number(match->site->call, MPASS_MATCH_CLONE_POOL, other);
    /* -optimize-hot-cold-new would take "cold" at its word. */
    mpass_hotness_forget_new(match->site->call);
}

/* Marks the call with the pool that most of its bytes belong to, if any, and
 * chooses the call stacks to clone for. */
static void set_pool(const struct matcher *matcher, struct mpass_match *match)
{
    struct by_pool sums;
    unsigned most = 0;

    match->clone_bytes = match->bytes[MPASS_STACK_COLD];
    if (!matcher->with_hot)
        return;
    sum_pools(&sums, matcher, match);
    for (unsigned pool = 1; pool <= UINT8_MAX; pool++)
        most = sums.bytes[pool] > sums.bytes[most] ? pool : most;
    if (most != 0)
        set_number(match->site->call, MPASS_MATCH_POOL, most);
    choose_clone_pool(match, &sums, most);
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
        set_number(site->call, MPASS_DENSE, bytes);
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
                                  .stack_count = matcher->found_count};
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
    set_pool(matcher, match);
    struct mpass_hotness_trie *const trie = mpass_hotness_trie_new();
    for (uint32_t i = 0; i < match->stack_count; i++)
        add_stack(matcher, trie, match,
                  &matcher->stacks->stacks[match->stacks[i]], chain);
    const bool is_mixed = mpass_hotness_trie_attach(trie, site->call);
    mpass_hotness_trie_free(trie);
    if (is_mixed) {
        set_frames(matcher, site->call, chain);
        /* LLVM does so since version 20. */
        mpass_hotness_set_attribute(site->call, "memprof", "ambiguous");
    }
    match->outcome = outcome_of(site->call, is_mixed);
    set_note(matcher, match);
    set_dense(matcher, match);
    if (match->outcome == MPASS_USE_OUTCOME_NONE)
        match->outcome = small_outcome(match, MPASS_USE_OUTCOME_NONE);
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
 * it clones for a call by pointer, so such calls get none there. */
static void match_call(struct matcher *matcher, const struct mpass_site *site)
{
    const struct chain chain = chain_of(matcher, site);

    if (!mpass_hotness_copies_for_callers() &&
        LLVMIsAFunction(LLVMGetCalledValue(site->call)) == NULL)
        return;
    if (first_node(matcher->stacks, chain) != 0)
        set_frames(matcher, site->call, chain);
}

static void match_all(struct matcher *matcher, struct mpass_matches *matches,
                      const struct mpass_site *const *order)
{
    const bool was_set = mpass_commandline_get_BOOL(ALL_STACKS_OPTION, false);

    mpass_commandline_set_BOOL(ALL_STACKS_OPTION, true);
    for (uint32_t i = 0; i < matcher->sites->site_count; i++) {
        if (order[i]->allocates == MPASS_ALLOCATION_NONE)
            match_call(matcher, order[i]);
        else if (match_allocation(matcher, &matches->rows[matches->count],
                                  order[i]))
            matches->count++;
    }
    mpass_commandline_set_BOOL(ALL_STACKS_OPTION, was_set);
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

void mpass_match_run(struct mpass_matches *matches,
                     const struct mpass_stacks *stacks,
                     const struct mpass_sites *sites,
                     const struct mpass_moved *moved, bool with_hot,
                     mpass_use_dense_fn *dense)
{
    const struct mpass_site **order = order_sites(sites);
    struct matcher matcher = {
        .stacks = stacks,
        .sites = sites,
        .places = moved->places,
        .with_hot = with_hot,
        .dense = dense,
        .is_taken = mpass_memory_allocate(NULL, stacks->stack_count,
                                          sizeof(*matcher.is_taken)),
        .found = mpass_memory_allocate(NULL, stacks->stack_count,
                                       sizeof(*matcher.found)),
        .found_by = mpass_memory_allocate(NULL, stacks->stack_count,
                                          sizeof(*matcher.found_by)),
        .ids = mpass_memory_allocate(
            NULL, stacks->node_count + MPASS_SITES_FRAMES_MAX,
            sizeof(*matcher.ids))};

    memset(matcher.is_taken, 0,
           stacks->stack_count * sizeof(*matcher.is_taken));
    memset(matcher.found_by, 0,
           stacks->stack_count * sizeof(*matcher.found_by));
    matches->rows =
        mpass_memory_allocate(NULL, sites->site_count, sizeof(*matches->rows));
    matches->count = 0;
    match_all(&matcher, matches, order);
    free(order);
    free(matcher.is_taken);
    free(matcher.found);
    free(matcher.found_by);
    free(matcher.ids);
}

void mpass_match_fini(struct mpass_matches *matches)
{
    for (uint32_t i = 0; i < matches->count; i++)
        free(matches->rows[i].stacks);
    free(matches->rows);
}
