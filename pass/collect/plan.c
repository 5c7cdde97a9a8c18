/* plan.c -- plans the updates of counters that count the accesses of a
 * function.
 *
 * Only a block's total matters, so accesses that certainly access one block may
 * be counted together, at the address of any of them that is executed. These
 * are accesses whose pointers have one origin (origin.c), without a barrier
 * between them (flow.c). Such a group in one basic block is a node: either all
 * of its accesses execute, or none. region.c decides which nodes of an origin
 * share an accumulator.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/plan.h"

#include "pass/bridge/ir.h"
#include "pass/collect/flow.h"
#include "pass/collect/origin.h"
#include "pass/collect/region.h"
#include "pass/support/memory.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

static void add(struct mpass_plan *plan, const struct mpass_access *access)
{
    if (plan->access_count == plan->access_capacity) {
        plan->access_capacity = plan->access_capacity * 2 + 16;
        plan->accesses = mpass_memory_allocate(
            plan->accesses, plan->access_capacity, sizeof(*plan->accesses));
    }
    plan->accesses[plan->access_count++] = *access;
}

void mpass_plan_add(const struct mpass_context *context,
                    struct mpass_plan *plan, const struct mpass_access *access)
{
    struct mpass_access read = *access;

    add(plan, access);
    if (!access->is_both || !mpass_context_is_rw(context))
        return;
    read.is_write = false;
    add(plan, &read);
}

/* -memprof-debug-min and -max refer to the accesses of a function by number
 * from 0, including uncounted ones. A negative bound turns both off. */
static bool is_in_debug_range(const struct mpass_options *options, size_t i)
{
    if (options->debug_min < 0 || options->debug_max < 0)
        return true;
    return i >= (size_t)options->debug_min && i <= (size_t)options->debug_max;
}

bool mpass_plan_is_wanted(struct mpass_context *context,
                          const struct mpass_access *access)
{
    const struct mpass_options *const options = &context->options;

    if (access->addr == NULL ||
        (access->kind == MPASS_ACCESS_UNSEEN && access->type != NULL))
        return true;
    struct mpass_origin origin = mpass_origin_of(context, access->addr);
    return (options->instrument_stack || !origin.is_stack) &&
           (options->instrument_globals || !origin.is_static);
}

static bool is_counted(struct mpass_context *context,
                       const struct mpass_access *access, size_t i)
{
    return is_in_debug_range(&context->options, i) &&
           mpass_plan_is_wanted(context, access);
}

static void add_update(struct mpass_plan *plan,
                       const struct mpass_access *access, uint64_t count,
                       uint64_t bytes)
{
    plan->updates[plan->update_count++] =
        (struct mpass_update){.access = access,
                              .before = access->inst,
                              .count = count,
                              .bytes = bytes,
                              .accumulator = MPASS_NO_NUMBER};
}

/* -- Nodes -------------------------------------------------------------- */

/* Position of an access. */
struct site {
    size_t access;   /* index */
    unsigned origin; /* number */
    bool is_write;   /* false if reads and writes are not separate */
    unsigned block;
    unsigned segment; /* number of barriers before it in the block */
};

struct sites {
    struct site *items;
    size_t count;
    struct mpass_numbers origins;
};

static int compare(size_t a, size_t b)
{
    return a < b ? -1 : a > b;
}

static int by_node(const void *left, const void *right)
{
    const struct site *const a = left;
    const struct site *const b = right;

    if (a->origin != b->origin)
        return compare(a->origin, b->origin);
    if (a->is_write != b->is_write)
        return compare(a->is_write, b->is_write);
    if (a->block != b->block)
        return compare(a->block, b->block);
    if (a->segment != b->segment)
        return compare(a->segment, b->segment);
    return compare(a->access, b->access);
}

/* True if two accesses may share an accumulator. */
static bool is_same_object(const struct site *a, const struct site *b)
{
    return a->origin == b->origin && a->is_write == b->is_write;
}

/* Longer accesses are counted separately, so that the bytes of pending accesses
 * fit the register (mpass_shadow_amount). */
#define BYTES_MERGED_MAX 4096

/* Adds the site of access i, or an update for an access that is counted alone.
 */
static void note_site(struct mpass_plan *plan, struct mpass_context *context,
                      struct sites *sites, size_t i, unsigned block,
                      unsigned segment)
{
    const struct mpass_access *const access = &plan->accesses[i];

    if (!is_counted(context, access, i))
        return;
    LLVMValueRef origin = access->kind == MPASS_ACCESS_ONE
                              ? mpass_origin_of(context, access->addr).base
                              : NULL;
    /* A constant, such as null, may be the base of pointers to several objects.
     */
    if (origin == NULL || LLVMIsAConstant(origin) != NULL ||
        block == MPASS_NO_NUMBER || access->bytes > BYTES_MERGED_MAX ||
        access->count > BYTES_MERGED_MAX / MPROF_RANGE_WORD_BYTES) {
        add_update(plan, access, access->count, access->bytes);
        return;
    }
    sites->items[sites->count++] = (struct site){
        .access = i,
        .origin = mpass_numbers_of(&sites->origins, origin),
        .is_write = mpass_context_is_rw(context) && access->is_write,
        .block = block,
        .segment = segment};
}

/* Finds the sites of all accesses. An access that is itself a barrier, such as
 * an atomic store, belongs to the segment before the barrier. */
static void find_sites(struct mpass_plan *plan, struct mpass_context *context,
                       struct mpass_flow *flow, struct sites *sites)
{
    size_t next = 0;

    MPASS_EACH_BLOCK(block, context->function) {
        const unsigned at = mpass_numbers_find(&flow->numbers, block);
        unsigned segment = 0;

        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != NULL;
             inst = LLVMGetNextInstruction(inst)) {
            for (;
                 next < plan->access_count && plan->accesses[next].inst == inst;
                 next++)
                note_site(plan, context, sites, next, at, segment);
            segment += mpass_flow_is_barrier(inst);
        }
        if (at != MPASS_NO_NUMBER)
            flow->blocks[at].barrier_count = segment;
    }
}

/* Number of vector elements of an access; 1 for scalars. */
static unsigned lanes_of(const struct mpass_access *access)
{
    const unsigned lanes =
        access->type != NULL &&
                LLVMGetTypeKind(access->type) == LLVMVectorTypeKind
            ? mpass_ir_fixed_lanes(access->type)
            : 1;

    return lanes > 1 ? lanes : 1;
}

/* Groups the sites [first, end), which have one origin, into nodes. Returns the
 * number of nodes. */
static size_t make_nodes(const struct mpass_plan *plan,
                         const struct site *first, const struct site *end,
                         struct mpass_node *nodes)
{
    size_t count = 0;

    for (const struct site *site = first; site < end; site++) {
        const struct mpass_access *const access = &plan->accesses[site->access];

        if (site == first || site->block != site[-1].block ||
            site->segment != site[-1].segment)
            nodes[count++] = (struct mpass_node){.access = access,
                                                 .block = site->block,
                                                 .segment = site->segment};
        nodes[count - 1].count += access->count;
        nodes[count - 1].bytes += access->bytes;
        nodes[count - 1].weight += access->count * lanes_of(access);
    }
    return count;
}

static void plan_origin(struct mpass_plan *plan, struct mpass_regions *regions,
                        LLVMValueRef origin, const struct site *first,
                        const struct site *end)
{
    struct mpass_node *const nodes =
        mpass_memory_allocate(NULL, (size_t)(end - first), sizeof(*nodes));
    const size_t count = make_nodes(plan, first, end, nodes);
    bool shares = false;

    if (regions != NULL)
        shares = mpass_region_plan(regions, plan, origin, nodes, count);
    for (size_t i = 0; i < count; i++) {
        struct mpass_update *const update = &plan->updates[plan->update_count];

        add_update(plan, nodes[i].access, nodes[i].count, nodes[i].bytes);
        if (!nodes[i].may_before && !nodes[i].may_after)
            continue;
        update->accumulator = (unsigned)plan->accumulator_count;
        update->may_before = nodes[i].may_before;
        update->must_before = nodes[i].must_before;
        update->may_after = nodes[i].may_after;
    }
    if (shares) {
        *MPASS_APPEND(plan->accumulators, plan->accumulator_count) =
            (struct mpass_accumulator){.is_write = first->is_write};
    }
    free(nodes);
}

/* True if accumulators may stay in registers across basic blocks. */
static bool allows_regions(const struct mpass_context *context)
{
    return context->merge == MPASS_MERGE_REGION &&
           !mpass_ir_returns_twice(context->function) &&
           !mpass_ir_has_funclets(context->function) &&
           !mpass_ir_has_attribute(context->function, "optnone") &&
           !mpass_ir_has_attribute(context->function, "naked") &&
           !mpass_ir_has_attribute(context->function, "presplitcoroutine");
}

static void plan_merged(struct mpass_plan *plan, struct mpass_context *context)
{
    struct mpass_flow flow = {0};
    struct sites sites = {0};
    struct mpass_regions *regions = NULL;
    size_t end;

    sites.items =
        mpass_memory_allocate(NULL, plan->access_count, sizeof(*sites.items));
    mpass_flow_init(&flow, context->function);
    find_sites(plan, context, &flow, &sites);
    qsort(sites.items, sites.count, sizeof(*sites.items), by_node);
    if (allows_regions(context))
        regions = mpass_region_begin(&flow, context);
    for (size_t i = 0; i < sites.count; i = end) {
        for (end = i + 1; end < sites.count &&
                          is_same_object(&sites.items[end], &sites.items[i]);
             end++)
            ;
        plan_origin(plan, regions, sites.origins.keys[sites.items[i].origin],
                    &sites.items[i], &sites.items[end]);
    }
    mpass_region_end(regions);
    free(sites.items);
    mpass_numbers_fini(&sites.origins);
    mpass_flow_fini(&flow);
}

void mpass_plan_make(struct mpass_plan *plan, struct mpass_context *context)
{
    plan->updates =
        mpass_memory_allocate(NULL, plan->access_count, sizeof(*plan->updates));
    if (context->merge != MPASS_MERGE_NONE) {
        plan_merged(plan, context);
        return;
    }
    for (size_t i = 0; i < plan->access_count; i++) {
        if (is_counted(context, &plan->accesses[i], i))
            add_update(plan, &plan->accesses[i], plan->accesses[i].count,
                       plan->accesses[i].bytes);
    }
}

void mpass_plan_fini(struct mpass_plan *plan)
{
    free(plan->accesses);
    free(plan->updates);
    free(plan->accumulators);
    free(plan->starts);
    free(plan->edges);
    *plan = (struct mpass_plan){0};
}
