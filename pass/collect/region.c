/* region.c -- decides which nodes of one origin share an accumulator, and where
 * it is flushed.
 *
 * At each point of the function the accumulator is kept or not. It is never
 * kept at a barrier or at the definition of the origin. At other points it is
 * kept if a node is likely to come next. When control goes from a point that
 * keeps it to one that does not, it is flushed: at the node if no other node
 * follows, or on the edge. Totals are right whatever is chosen.
 *
 * Counts are added at an accessed address, never at the origin, which may point
 * into another block (for example in code with arrays that start at 1). If an
 * access dominates an edge, its address is used; otherwise the address is
 * tracked at run time.
 *
 * If an access certainly came before (`must`), the accumulator's address is in
 * a live block, even if the accumulator was flushed in between.
 *
 * On back edges accumulators are flushed once in a number of iterations; if
 * several back edges lead to one block, in this block. Accumulators that are
 * not kept on the edge are empty there, so one tick counter of pending accesses
 * serves all accumulators of a function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/region.h"

#include "pass/collect/steps.h"
#include "pass/support/memory.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdlib.h>

/* Probability of a node from which on the accumulator is kept. */
#define LIKELY 0.5
/* Passes over the blocks to estimate this probability. */
#define SWEEPS 6
/* Limit of accumulators in a function; each takes registers. */
#define ACCUMULATORS_MAX 256
/* An accumulator is worth it if it takes at most WORTH_TIME of the time and
 * WORTH_SIZE of the code size of counting each node separately, or at most
 * WORTH_ANY_SIZE of the time, whatever the code size. */
#define WORTH_TIME 0.95
#define WORTH_SIZE 1.5
#define WORTH_ANY_SIZE 0.4

struct mpass_regions *mpass_region_begin(const struct mpass_flow *flow,
                                         struct mpass_context *context)
{
    struct mpass_regions *regions =
        mpass_memory_allocate(NULL, 1, sizeof(*regions));

    *regions = (struct mpass_regions){.flow = flow, .context = context};
    regions->marks =
        mpass_memory_allocate(NULL, flow->count, sizeof(*regions->marks));
    regions->probabilities = mpass_memory_allocate(
        NULL, flow->count, sizeof(*regions->probabilities));
    for (size_t i = 0; i < flow->count; i++) {
        regions->marks[i] = (struct mpass_mark){0};
        regions->probabilities[i] = NULL;
    }
    regions->touched =
        mpass_memory_allocate(NULL, flow->count, sizeof(*regions->touched));
    return regions;
}

void mpass_region_end(struct mpass_regions *regions)
{
    if (regions == NULL)
        return;
    if (regions->analysis != NULL)
        mpass_analysis_free(regions->analysis);
    for (size_t i = 0; i < regions->flow->count; i++)
        free(regions->probabilities[i]);
    free(regions->probabilities);
    free(regions->marks);
    free(regions->touched);
    free(regions);
}

static struct mpass_mark *touch(struct mpass_regions *regions, unsigned block)
{
    struct mpass_mark *const mark = &regions->marks[block];

    if (!mark->touched) {
        mark->touched = true;
        regions->touched[regions->touched_count++] = block;
    }
    return mark;
}

static void forget(struct mpass_regions *regions)
{
    for (size_t i = 0; i < regions->touched_count; i++)
        regions->marks[regions->touched[i]] = (struct mpass_mark){0};
    regions->touched_count = 0;
}

/* True if counts pending at the block's start may stay pending to its end. */
static bool is_open(const struct mpass_regions *regions, unsigned block)
{
    return regions->flow->blocks[block].barrier_count == 0 &&
           !regions->marks[block].defines;
}

static void mark_nodes(struct mpass_regions *regions, LLVMValueRef origin,
                       const struct mpass_node *nodes, size_t count)
{
    const LLVMBasicBlockRef home = LLVMIsAInstruction(origin) != NULL
                                       ? LLVMGetInstructionParent(origin)
                                       : NULL;
    const unsigned defines =
        home == NULL ? MPASS_NO_NUMBER
                     : mpass_numbers_find(&regions->flow->numbers, home);

    if (defines != MPASS_NO_NUMBER)
        touch(regions, defines)->defines = true;
    for (size_t i = 0; i < count; i++) {
        struct mpass_mark *const mark = touch(regions, nodes[i].block);

        if (mark->node == NULL)
            mark->node = &nodes[i];
        if (nodes[i].segment == 0 && !mark->defines)
            mark->head = true;
        if (nodes[i].segment ==
            regions->flow->blocks[nodes[i].block].barrier_count)
            mark->tail = true;
    }
}

/* Touches all blocks where a node may come next without a barrier before it.
 * Returns false if no edge could keep counts. */
static bool find_region(struct mpass_regions *regions)
{
    bool found = false;

    for (size_t i = 0; i < regions->touched_count; i++) {
        const unsigned at = regions->touched[i];
        const struct mpass_mark *const mark = &regions->marks[at];
        const struct mpass_flow_block *const block = &regions->flow->blocks[at];

        if (!mark->head && !is_open(regions, at))
            continue;
        for (unsigned k = 0; k < block->pred_count; k++) {
            const unsigned from = block->preds[k];

            found |= regions->marks[from].tail;
            if (is_open(regions, from))
                touch(regions, from);
        }
    }
    return found;
}

static bool is_kept(const struct mpass_mark *mark)
{
    return mark->likely >= LIKELY;
}

/* Probabilities of the block's successors; cached. */
static const double *probabilities_of(struct mpass_regions *regions,
                                      unsigned at)
{
    const struct mpass_flow_block *const block = &regions->flow->blocks[at];
    double *known = regions->probabilities[at];

    if (known != NULL)
        return known;
    known = mpass_memory_allocate(NULL, block->succ_count, sizeof(*known));
    for (unsigned k = 0; k < block->succ_count; k++)
        known[k] = mpass_analysis_probability(
            regions->analysis, block->block,
            regions->flow->blocks[block->succs[k]].block);
    regions->probabilities[at] = known;
    return known;
}

/* Probability, at the end of the block, that a node comes next. */
static double likely_after(struct mpass_regions *regions, unsigned at)
{
    const struct mpass_flow_block *const block = &regions->flow->blocks[at];
    double sum = 0;

    for (unsigned k = 0; k < block->succ_count; k++) {
        const struct mpass_mark *const to = &regions->marks[block->succs[k]];

        if (to->likely > 0)
            sum += to->likely * probabilities_of(regions, at)[k];
    }
    return sum;
}

static int last_first(const void *left, const void *right)
{
    const unsigned a = *(const unsigned *)left;
    const unsigned b = *(const unsigned *)right;

    return a < b ? 1 : -(a > b);
}

static void estimate(struct mpass_regions *regions)
{
    qsort(regions->touched, regions->touched_count, sizeof(*regions->touched),
          last_first);
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 0; i < regions->touched_count; i++) {
            const unsigned at = regions->touched[i];
            struct mpass_mark *const mark = &regions->marks[at];

            if (mark->head)
                mark->likely = 1;
            else if (is_open(regions, at))
                mark->likely = likely_after(regions, at);
        }
    }
}

/* Finds where counts may be pending. Returns true if they may be on any edge.
 */
static bool find_may(struct mpass_regions *regions)
{
    const struct mpass_flow *const flow = regions->flow;
    bool changed = true;
    bool any = false;

    while (changed) {
        changed = false;
        for (size_t i = regions->touched_count; i-- > 0;) {
            const unsigned at = regions->touched[i];
            const struct mpass_flow_block *const block = &flow->blocks[at];
            struct mpass_mark *const mark = &regions->marks[at];
            bool in = false;

            for (unsigned k = 0; k < block->pred_count && is_kept(mark); k++)
                in |= regions->marks[block->preds[k]].may_out;
            const bool out = mark->tail ? likely_after(regions, at) >= LIKELY
                                        : in && is_open(regions, at);
            changed |= in != mark->may_in || out != mark->may_out;
            mark->may_in = in;
            mark->may_out = out;
            any |= in;
        }
    }
    return any;
}

/* Finds where an access certainly came before, among the points where counts
 * may be pending. Starts with all of them and removes points until nothing
 * changes.
 */
static void find_must(struct mpass_regions *regions)
{
    const struct mpass_flow *const flow = regions->flow;
    bool changed = true;

    for (size_t i = 0; i < regions->touched_count; i++) {
        struct mpass_mark *const mark = &regions->marks[regions->touched[i]];

        mark->must_in = mark->may_in;
        mark->must_out = mark->may_out;
    }
    while (changed) {
        changed = false;
        for (size_t i = regions->touched_count; i-- > 0;) {
            const unsigned at = regions->touched[i];
            const struct mpass_flow_block *const block = &flow->blocks[at];
            struct mpass_mark *const mark = &regions->marks[at];
            bool in = mark->must_in;

            for (unsigned k = 0; k < block->pred_count && in; k++)
                in = regions->marks[block->preds[k]].must_out;
            const bool out = mark->must_out && (mark->tail || in);
            changed |= in != mark->must_in || out != mark->must_out;
            mark->must_in = in;
            mark->must_out = out;
        }
    }
}

static void add_edge(struct mpass_plan *plan, const struct mpass_edge *edge)
{
    *MPASS_APPEND(plan->edges, plan->edge_count) = *edge;
}

/* True if the block is in the loop with this header, or if LLVM knows no such
 * loop. */
static bool is_in_loop(struct mpass_analysis *analysis,
                       LLVMBasicBlockRef header, LLVMBasicBlockRef block)
{
    const struct mpass_loop *const loop =
        mpass_analysis_loop_of(analysis, header);

    return loop == NULL || mpass_analysis_loop_header(loop) != header ||
           mpass_analysis_loop_contains(loop, block);
}

/* Weight of an edge: 0 unless it is a back edge, otherwise the most accesses
 * that an iteration adds. Bounds accesses, not iterations, because loops were
 * unrolled and vectorized before; each access represents at most one iteration
 * of the source. */
static uint64_t weight_of(const struct mpass_regions *regions,
                          const struct mpass_node *nodes, size_t count,
                          unsigned from, unsigned to)
{
    const LLVMBasicBlockRef header = regions->flow->blocks[to].block;
    uint64_t weight = 0;

    if (to > from)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (is_in_loop(regions->analysis, header,
                       regions->flow->blocks[nodes[i].block].block))
            weight += nodes[i].weight;
    }
    return weight < MPROF_PASS_MERGE_ITERATIONS_MAX / 4
               ? weight
               : MPROF_PASS_MERGE_ITERATIONS_MAX / 4;
}

/* The largest number of vector elements of an access of the nodes. */
static uint64_t lanes_max(const struct mpass_node *nodes, size_t count)
{
    uint64_t lanes = 1;

    for (size_t i = 0; i < count; i++) {
        if (nodes[i].weight > lanes * nodes[i].count)
            lanes = (nodes[i].weight + nodes[i].count - 1) / nodes[i].count;
    }
    return lanes;
}

/* Number of back edges to the block. */
static unsigned count_latches(const struct mpass_flow_block *block, unsigned at)
{
    unsigned count = 0;

    for (unsigned k = 0; k < block->pred_count; k++)
        count += block->preds[k] >= at;
    return count;
}

/* True if counts may be pending on all edges to the block, so that one flush at
 * its start serves all of them. */
static bool is_joint(const struct mpass_regions *regions, unsigned to)
{
    const struct mpass_flow_block *const block = &regions->flow->blocks[to];
    bool all = block->pred_count > 1 && !regions->marks[to].defines;

    for (unsigned k = 0; k < block->pred_count && all; k++)
        all = regions->marks[block->preds[k]].may_out;
    return all;
}

/* Moves the flush from the edge to the start of the block; false if another
 * edge has done so. */
static bool join(const struct mpass_regions *regions, struct mpass_edge *edge)
{
    const struct mpass_flow_block *const block =
        &regions->flow->blocks[edge->to_number];
    const unsigned from = edge->from_number;
    bool first = true;

    edge->terminator = NULL;
    edge->from_number = MPASS_NO_NUMBER;
    edge->must = true;
    for (unsigned k = 0; k < block->pred_count; k++) {
        const unsigned pred = block->preds[k];

        edge->must &= regions->marks[pred].must_out;
        first &= !regions->marks[pred].may_out || pred >= from ||
                 (edge->weight != 0 && pred < edge->to_number);
    }
    return first;
}

/* Plans the flush on an edge from a block at whose end counts may be pending.
 */
static void plan_edge(struct mpass_regions *regions, struct mpass_plan *plan,
                      const struct mpass_node *nodes, size_t count,
                      unsigned from, unsigned to)
{
    const struct mpass_flow_block *const block = &regions->flow->blocks[to];
    const bool kept = is_kept(&regions->marks[to]);
    struct mpass_edge edge = {.terminator =
                                  regions->flow->blocks[from].terminator,
                              .to = block->block,
                              .from_number = from,
                              .to_number = to,
                              .accumulator = (unsigned)plan->accumulator_count,
                              .must = regions->marks[from].must_out};

    if (kept) {
        edge.weight = weight_of(regions, nodes, count, from, to);
        edge.lanes = lanes_max(nodes, count);
        if (edge.weight == 0)
            return;
    }
    if (kept ? count_latches(block, to) > 1 : is_joint(regions, to)) {
        if (!join(regions, &edge))
            return;
    }
    add_edge(plan, &edge);
}

static void plan_edges(struct mpass_regions *regions, struct mpass_plan *plan,
                       const struct mpass_node *nodes, size_t count)
{
    const struct mpass_flow *const flow = regions->flow;

    for (size_t i = 0; i < regions->touched_count; i++) {
        const unsigned from = regions->touched[i];
        const struct mpass_flow_block *const block = &flow->blocks[from];

        for (unsigned k = 0;
             k < block->succ_count && regions->marks[from].may_out; k++)
            plan_edge(regions, plan, nodes, count, from, block->succs[k]);
    }
}

/* Plans where the accumulator is emptied: at the end of blocks without pending
 * counts that lead to a block where counts may be pending. */
static void plan_starts(struct mpass_regions *regions, struct mpass_plan *plan)
{
    const size_t count = regions->touched_count;

    for (size_t i = 0; i < count; i++) {
        const unsigned at = regions->touched[i];
        const struct mpass_flow_block *const block = &regions->flow->blocks[at];

        for (unsigned k = 0; k < block->pred_count && regions->marks[at].may_in;
             k++) {
            const unsigned from = block->preds[k];

            if (regions->marks[from].may_out || regions->marks[from].starts)
                continue;
            touch(regions, from)->starts = true;
            *MPASS_APPEND(plan->starts, plan->start_count) =
                (struct mpass_start){
                    .terminator = regions->flow->blocks[from].terminator,
                    .accumulator = (unsigned)plan->accumulator_count};
        }
    }
}

/* -- Cost ------------------------------------------------------------------- */

struct cost {
    double time; /* instructions, weighted by frequency */
    double size; /* bytes of code */
};

/* Costs on x86-64, measured in compiled programs. */
static const struct cost cost_direct = {6, 15}; /* update a counter */
static const struct cost cost_count = {1, 4};   /* add to a register */
static const struct cost cost_note = {0.5, 4};  /* store the address */
static const struct cost cost_choose = {2, 9};  /* select counter or frame */
static const struct cost cost_edge = {1, 4};    /* a block on an edge */
static const struct cost cost_tick = {0.5, 5};  /* check whether to flush */

static void add_cost(struct cost *sum, const struct cost *piece, double times)
{
    sum->time += piece->time * times;
    sum->size += piece->size;
}

static double frequency_of(const struct mpass_regions *regions, unsigned block)
{
    return mpass_analysis_frequency(regions->analysis,
                                    regions->flow->blocks[block].block);
}

static double edge_frequency(const struct mpass_regions *regions,
                             const struct mpass_edge *edge)
{
    const LLVMBasicBlockRef to = regions->flow->blocks[edge->to_number].block;

    if (edge->terminator == NULL)
        return frequency_of(regions, edge->to_number);
    return frequency_of(regions, edge->from_number) *
           mpass_analysis_probability(
               regions->analysis,
               regions->flow->blocks[edge->from_number].block, to);
}

static struct cost cost_of_edges(const struct mpass_regions *regions,
                                 const struct mpass_edge *edges, size_t count)
{
    struct cost sum = {0};

    for (size_t i = 0; i < count; i++) {
        const double often = edge_frequency(regions, &edges[i]);
        const double flushed = edges[i].weight == 0 ? often : 0;

        if (edges[i].weight != 0)
            add_cost(&sum, &cost_tick, often);
        add_cost(&sum, &cost_direct, flushed);
        if (edges[i].terminator != NULL)
            add_cost(&sum, &cost_edge, flushed);
        if (!edges[i].must)
            add_cost(&sum, &cost_choose, flushed);
    }
    return sum;
}

/* True if an accumulator with these edges is better than counting each node
 * separately. */
static bool is_worth(const struct mpass_regions *regions,
                     const struct mpass_node *nodes, size_t count,
                     const struct mpass_edge *edges, size_t edge_count)
{
    struct cost shared = cost_of_edges(regions, edges, edge_count);
    struct cost single = {0};

    for (size_t i = 0; i < count; i++) {
        const double often = frequency_of(regions, nodes[i].block);

        if (!nodes[i].may_before && !nodes[i].may_after)
            continue;
        add_cost(&single, &cost_direct, often);
        if (nodes[i].may_before)
            add_cost(&shared, &cost_count, often);
        if (!nodes[i].may_after)
            add_cost(&shared, &cost_direct, often);
        else if (!nodes[i].must_before)
            add_cost(&shared, &cost_note, often);
    }
    return shared.time <= WORTH_TIME * single.time &&
           (shared.size <= WORTH_SIZE * single.size ||
            shared.time <= WORTH_ANY_SIZE * single.time);
}

bool mpass_region_plan(struct mpass_regions *regions, struct mpass_plan *plan,
                       LLVMValueRef origin, struct mpass_node *nodes,
                       size_t count)
{
    const size_t edges_before = plan->edge_count;
    bool shares = false;

    if (regions->accumulators == ACCUMULATORS_MAX)
        return false;
    mark_nodes(regions, origin, nodes, count);
    if (find_region(regions)) {
        if (regions->analysis == NULL)
            regions->analysis = mpass_analysis_new(regions->context->function,
                                                   regions->context->analyses);
        estimate(regions);
        shares = find_may(regions);
    }
    if (shares)
        find_must(regions);
    for (size_t i = 0; i < count && shares; i++) {
        const struct mpass_mark *const mark = &regions->marks[nodes[i].block];

        nodes[i].may_before =
            nodes[i].segment == 0 && mark->head && mark->may_in;
        nodes[i].must_before = nodes[i].may_before && mark->must_in;
        nodes[i].may_after =
            nodes[i].segment ==
                regions->flow->blocks[nodes[i].block].barrier_count &&
            mark->may_out;
    }
    if (shares) {
        plan_edges(regions, plan, nodes, count);
        shares = is_worth(regions, nodes, count, &plan->edges[edges_before],
                          plan->edge_count - edges_before);
    }
    if (shares) {
        regions->accumulators++;
        plan_starts(regions, plan);
        mpass_address_find(regions, origin, &plan->edges[edges_before],
                           plan->edge_count - edges_before);
    } else {
        plan->edge_count = edges_before;
        for (size_t i = 0; i < count; i++)
            nodes[i].may_before = nodes[i].may_after = false;
    }
    forget(regions);
    return shares;
}
