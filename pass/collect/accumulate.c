/* accumulate.c -- emits accumulators: a count and the address that it belongs
 * to, in local variables that are promoted to registers at the end.
 *
 * An accumulator may be empty on some of the paths to a flush. Flushing it then
 * adds 0 to the counter of the function's own stack frame, which no other
 * thread accesses. If the address is a variable, it holds the frame's address
 * while the accumulator is empty. If the address is fixed, a select chooses
 * between it and the frame's, unless an access certainly came before.
 *
 * Loops flush when 1, 2, 4, ... accesses are pending since the start of the
 * function, up to a bound. A signal handler that leaves by siglongjmp() loses
 * the pending counts, so it loses hardly more than was flushed before.
 *
 * If bytes are counted too, accesses and bytes share one register
 * (mpass_shadow_amount).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/origin.h"
#include "pass/collect/versions.h"
#include "pass/support/memory.h"
#include "pass/support/numbers.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* If a loop has a single accumulator, the accumulator's own count decides when
 * to flush, instead of a tick counter that all loops of the function share.
 * Limits: such accumulators in a function, pending accesses in each of them,
 * accesses that one iteration may add. */
#define ALONE_MAX 2
#define ALONE_WAIT_MAX (MPROF_PASS_MERGE_ITERATIONS_MAX / 16)
#define ALONE_WEIGHT_MAX (MPROF_PASS_MERGE_ITERATIONS_MAX / 64)

/* The accumulators of one function. */
struct variables {
    struct mpass_context *context;
    struct mpass_plan *plan;
    LLVMTypeRef i64;
    LLVMValueRef frame;        /* address of the function's stack frame */
    LLVMValueRef *counts;      /* allocas, one per accumulator */
    LLVMValueRef *addresses;   /* allocas; NULL if all edges have addresses */
    LLVMValueRef ticks;        /* alloca: bound of the pending accesses */
    LLVMValueRef ticks_limit;  /* make_limit(); NULL until needed */
    unsigned alone[ALONE_MAX]; /* accumulators that decide by their count */
    LLVMValueRef alone_limits[ALONE_MAX];
    size_t alone_count;
    LLVMValueRef *foldable; /* instructions that promotion may simplify */
    size_t foldable_count;
};

/* Notes an instruction for fold(). */

static LLVMValueRef foldable(struct variables *v, LLVMValueRef value)
{
    if (LLVMIsAInstruction(value) == NULL)
        return value;
    *MPASS_APPEND(v->foldable, v->foldable_count) = value;
    return value;
}

static LLVMValueRef constant(const struct variables *v, uint64_t value)
{
    return mpass_ir_int(v->i64, value);
}

/* A variable that holds `value` where counting begins: at the function's start,
 * which is the builder's position, or at the entrances of the counting copy. */
static LLVMValueRef make_variable(struct mpass_context *context,
                                  LLVMBuilderRef b, LLVMValueRef value)
{
    if (context->has_plain)
        return mpass_versions_variable(context, value, LLVMTypeOf(value));
    const LLVMValueRef variable = LLVMBuildAlloca(b, LLVMTypeOf(value), "");
    LLVMBuildStore(b, value, variable);
    return variable;
}

static LLVMValueRef frame_address(struct mpass_context *context,
                                  LLVMBuilderRef b)
{
    const char name[] = "llvm.frameaddress";
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef types[1] = {context->ptr};
    const LLVMValueRef callee =
        LLVMGetIntrinsicDeclaration(context->module, id, types, 1);
    LLVMValueRef level = mpass_ir_int(LLVMInt32TypeInContext(context->llvm), 0);

    return LLVMBuildCall2(b, LLVMIntrinsicGetType(context->llvm, id, types, 1),
                          callee, &level, 1, "");
}

static void begin(struct variables *v)
{
    const LLVMBasicBlockRef entry =
        LLVMGetEntryBasicBlock(v->context->function);
    const LLVMBuilderRef b =
        mpass_emit_before(v->context, LLVMGetFirstInstruction(entry));
    const size_t count = v->plan->accumulator_count;

    v->frame = v->context->has_plain ? LLVMBuildAlloca(b, v->i64, "")
                                     : frame_address(v->context, b);
    v->counts = mpass_memory_allocate(NULL, count, sizeof(*v->counts));
    v->addresses = mpass_memory_allocate(NULL, count, sizeof(*v->addresses));
    v->ticks = make_variable(v->context, b, constant(v, 0));
    for (size_t i = 0; i < count; i++) {
        v->counts[i] = LLVMBuildAlloca(b, v->i64, "");
        v->addresses[i] = NULL;
    }
    for (size_t i = 0; i < v->plan->edge_count; i++) {
        const struct mpass_edge *const edge = &v->plan->edges[i];

        if (edge->address == NULL && v->addresses[edge->accumulator] == NULL)
            v->addresses[edge->accumulator] =
                LLVMBuildAlloca(b, v->context->ptr, "");
    }
}

static void start(struct variables *v, const struct mpass_start *at)
{
    const LLVMBuilderRef b = mpass_emit_before(v->context, at->terminator);

    LLVMBuildStore(b, constant(v, 0), v->counts[at->accumulator]);
    if (v->addresses[at->accumulator] != NULL)
        LLVMBuildStore(b, v->frame, v->addresses[at->accumulator]);
}

/* If the address is another one plus a constant, repeats this addition at the
 * builder's position, so that the result takes no register before. */
static LLVMValueRef address_here(LLVMBuilderRef b, LLVMValueRef addr)
{
    if (LLVMIsAInstruction(addr) == NULL ||
        !mpass_origin_is_constant_step(addr))
        return addr;
    const LLVMValueRef copy = LLVMInstructionClone(addr);
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

/* Flushes the edge's accumulator before `before`. If the accumulator is kept on
 * this edge, its count becomes 0 and its address stays. */
static void flush(struct variables *v, const struct mpass_edge *edge,
                  LLVMValueRef before)
{
    const unsigned i = edge->accumulator;
    const LLVMBuilderRef b = mpass_emit_before(v->context, before);
    const LLVMValueRef count = LLVMBuildLoad2(b, v->i64, v->counts[i], "");
    LLVMValueRef addr = edge->address;

    addr = addr == NULL
               ? LLVMBuildLoad2(b, v->context->ptr, v->addresses[i], "")
               : address_here(b, addr);
    if (edge->address != NULL && !edge->must) {
        const LLVMValueRef empty =
            foldable(v, LLVMBuildICmp(b, LLVMIntEQ, count, constant(v, 0), ""));
        addr = foldable(v, LLVMBuildSelect(b, empty, v->frame, addr, ""));
    }
    mpass_shadow_add(v->context, before, addr,
                     v->plan->accumulators[i].is_write, count);
    if (edge->weight != 0) {
        mpass_emit_before(v->context, before);
        LLVMBuildStore(b, constant(v, 0), v->counts[i]);
    }
}

/* Emits a node: adds it to the accumulator or, if nothing may be pending after
 * it, adds both to the counter. */
static void update(struct variables *v, const struct mpass_update *u)
{
    const unsigned i = u->accumulator;
    const LLVMBuilderRef b = mpass_emit_before(v->context, u->before);
    LLVMValueRef count =
        constant(v, mpass_shadow_amount(v->context, u->count, u->bytes));

    if (u->may_before)
        count = foldable(
            v, LLVMBuildAdd(b, LLVMBuildLoad2(b, v->i64, v->counts[i], ""),
                            count, ""));
    if (!u->may_after) {
        mpass_shadow_add(v->context, u->before, u->access->addr,
                         v->plan->accumulators[i].is_write, count);
        return;
    }
    LLVMBuildStore(b, count, v->counts[i]);
    if (v->addresses[i] != NULL && !u->must_before)
        LLVMBuildStore(b, u->access->addr, v->addresses[i]);
}

/* -- Edges -------------------------------------------------------------- */

static int by_edge(const void *left, const void *right)
{
    const struct mpass_edge *const a = left;
    const struct mpass_edge *const b = right;

    if (a->from_number != b->from_number)
        return a->from_number < b->from_number ? -1 : 1;
    if (a->to_number != b->to_number)
        return a->to_number < b->to_number ? -1 : 1;
    if ((a->weight != 0) != (b->weight != 0))
        return a->weight != 0 ? 1 : -1;
    return a->accumulator < b->accumulator ? -1 : 1;
}

/* Number of leading edges[] that are on the same control flow edge. */
static size_t edge_length(const struct mpass_edge *edges, size_t count)
{
    size_t i = 1;

    while (i < count && edges[i].from_number == edges[0].from_number &&
           edges[i].to_number == edges[0].to_number)
        i++;
    return i;
}

/* The largest 2^n - 1 below a bound. */
static uint64_t ones_below(uint64_t bound)
{
    uint64_t ones = 0;

    while (ones * 2 + 1 < bound)
        ones = ones * 2 + 1;
    return ones;
}

/* A variable for when_above(), initially 0. It is not promoted to a register,
 * because a comparison with a memory operand takes less code. */
static LLVMValueRef make_limit(struct variables *v)
{
    const LLVMBasicBlockRef entry =
        LLVMGetEntryBasicBlock(v->context->function);

    return make_variable(
        v->context,
        mpass_emit_before(v->context, LLVMGetFirstInstruction(entry)),
        constant(v, 0));
}

/* Index in v->alone[] of the edge's accumulator, if its count decides when to
 * flush; ALONE_MAX otherwise. */
static size_t find_alone(struct variables *v, const struct mpass_edge *edges,
                         size_t count)
{
    const struct mpass_edge *const only = &edges[0];

    if (count > 1 || only->weight > ALONE_WEIGHT_MAX ||
        only->lanes > ALONE_WEIGHT_MAX)
        return ALONE_MAX;
    for (size_t i = 0; i < v->alone_count; i++) {
        if (v->alone[i] == only->accumulator)
            return i;
    }
    if (v->alone_count == ALONE_MAX)
        return ALONE_MAX;
    v->alone[v->alone_count] = only->accumulator;
    v->alone_limits[v->alone_count] = make_limit(v);
    return v->alone_count++;
}

/* Adds to the tick counter, before `point`, the most that one iteration may add
 * to an accumulator. */
static LLVMValueRef tick(struct variables *v, const struct mpass_edge *edges,
                         size_t count, LLVMValueRef point)
{
    const LLVMBuilderRef b = mpass_emit_before(v->context, point);
    uint64_t weight = 0;
    LLVMValueRef ticks;

    for (size_t i = 0; i < count; i++)
        weight = edges[i].weight > weight ? edges[i].weight : weight;
    ticks = LLVMBuildAdd(b, LLVMBuildLoad2(b, v->i64, v->ticks, ""),
                         constant(v, weight), "");
    LLVMBuildStore(b, ticks, v->ticks);
    return ticks;
}

/* Emits before `point`: if `waiting` exceeds `limit`, run a rare block. Returns
 * the terminator of this block, before which the caller inserts the flush. Each
 * time, the block raises the limit to the next of 1, 3, 7, ... below `bound`.
 */
static LLVMValueRef when_above(struct variables *v, LLVMValueRef waiting,
                               LLVMValueRef limit, uint64_t bound,
                               LLVMValueRef point)
{
    LLVMBuilderRef b = mpass_emit_before(v->context, point);
    const LLVMValueRef rare = mpass_ir_split_rarely(
        LLVMBuildICmp(b, LLVMIntUGT, waiting,
                      LLVMBuildLoad2(b, v->i64, limit, ""), ""),
        point);
    const uint64_t mask = ones_below(bound);

    b = mpass_emit_before(v->context, rare);
    LLVMValueRef next = LLVMBuildLoad2(b, v->i64, limit, "");
    next = LLVMBuildOr(b, LLVMBuildAdd(b, next, next, ""), constant(v, 1), "");
    LLVMBuildStore(b, LLVMBuildAnd(b, next, constant(v, mask), ""), limit);
    return rare;
}

/* Emits before `point` a check that runs a block when another iteration could
 * make too many accesses pending. Returns the terminator of this block. */
static LLVMValueRef make_rare_point(struct variables *v,
                                    const struct mpass_edge *edges,
                                    size_t count, LLVMValueRef point)
{
    const size_t alone = find_alone(v, edges, count);

    if (alone < ALONE_MAX) {
        const LLVMBuilderRef b = mpass_emit_before(v->context, point);
        const LLVMValueRef amount =
            LLVMBuildLoad2(b, v->i64, v->counts[edges->accumulator], "");
        return when_above(v, mpass_shadow_accesses(v->context, amount),
                          v->alone_limits[alone], ALONE_WAIT_MAX / edges->lanes,
                          point);
    }
    if (v->ticks_limit == NULL)
        v->ticks_limit = make_limit(v);
    const LLVMValueRef rare =
        when_above(v, tick(v, edges, count, point), v->ticks_limit,
                   MPROF_PASS_MERGE_ITERATIONS_MAX / 2, point);
    LLVMBuildStore(mpass_emit_before(v->context, rare), constant(v, 0),
                   v->ticks);
    return rare;
}

/* True if code inserted before the branch does not make its condition more
 * expensive: the code generator moves a comparison of registers down to the
 * branch. */
static bool is_cheap_before(LLVMValueRef branch)
{
    if (LLVMIsABranchInst(branch) == NULL || !LLVMIsConditional(branch))
        return true;
    const LLVMValueRef test = LLVMIsAICmpInst(LLVMGetCondition(branch));
    if (test == NULL)
        return false;
    const LLVMUseRef use = LLVMGetFirstUse(test);
    return LLVMGetNextUse(use) == NULL &&
           LLVMIsALoadInst(LLVMGetOperand(test, 0)) == NULL &&
           LLVMIsALoadInst(LLVMGetOperand(test, 1)) == NULL;
}

/* The insertion point on the edge; without a terminator, at the start of its
 * block. has_point() must be true. */
static LLVMValueRef make_point(const struct mpass_edge *edge)
{
    const LLVMValueRef end = edge->terminator;

    if (end == NULL)
        return mpass_ir_first_point(edge->to);
    if (mpass_ir_is_critical_edge(end, edge->to))
        return mpass_ir_split_critical_edge(end, edge->to);
    return LLVMGetNumSuccessors(end) == 1 ? end
                                          : mpass_ir_first_point(edge->to);
}

/* True if LLVM can insert code on the edge. It can split all edges of branches
 * and switches. */
static bool has_point(const struct mpass_edge *edge)
{
    if (edge->terminator == NULL)
        return mpass_ir_first_point(edge->to) != NULL;
    return LLVMGetInstructionOpcode(edge->terminator) == LLVMBr ||
           LLVMGetInstructionOpcode(edge->terminator) == LLVMSwitch;
}

/* The insertion point on the edge, created by the first call. */
static LLVMValueRef point_on(const struct mpass_edge *edge, LLVMValueRef *point)
{
    if (*point == NULL)
        *point = make_point(edge);
    return *point;
}

/* Emits all flushes on the control flow edge of edges[0]; returns their number.
 * Flushes of kept accumulators, which run rarely, come last. Where it is cheap,
 * their check is inserted before the branch, not on the edge, which saves a
 * jump per iteration. */
static size_t emit_edge(struct variables *v, const struct mpass_edge *edges,
                        size_t count)
{
    const size_t length = edge_length(edges, count);
    const LLVMValueRef end = edges[0].terminator;
    const LLVMValueRef check =
        end != NULL ? mpass_versions_before(v->context, end) : NULL;
    LLVMValueRef on_edge = NULL;
    size_t i = 0;

    for (; i < length && edges[i].weight == 0; i++)
        flush(v, &edges[i], point_on(&edges[i], &on_edge));
    if (i == length)
        return length;
    const LLVMValueRef rare = make_rare_point(
        v, &edges[i], length - i,
        check != NULL                         ? check
        : end != NULL && is_cheap_before(end) ? end
                                              : point_on(&edges[i], &on_edge));
    for (; i < length; i++)
        flush(v, &edges[i], rare);
    return length;
}

/* -- All accumulators --------------------------------------------------- */

static void promote(struct variables *v)
{
    const size_t count = v->plan->accumulator_count;
    LLVMValueRef *const all =
        mpass_memory_allocate(NULL, 2 * count + 1, sizeof(LLVMValueRef));
    size_t all_count = 0;

    all[all_count++] = v->ticks;
    for (size_t i = 0; i < count; i++) {
        all[all_count++] = v->counts[i];
        if (v->addresses[i] != NULL)
            all[all_count++] = v->addresses[i];
    }
    mpass_ir_promote(v->context->function, all, all_count);
    free(all);
}

static void fold(struct variables *v)
{
    for (size_t i = 0; i < v->foldable_count; i++) {
        const LLVMValueRef simple =
            mpass_ir_simplified(v->foldable[i], v->context->layout);

        if (simple == NULL || simple == v->foldable[i])
            continue;
        LLVMReplaceAllUsesWith(v->foldable[i], simple);
        LLVMInstructionEraseFromParent(v->foldable[i]);
    }
}

bool mpass_accumulate_can_emit(const struct mpass_plan *plan)
{
    for (size_t i = 0; i < plan->edge_count; i++) {
        if (!has_point(&plan->edges[i]))
            return false;
    }
    return true;
}

void mpass_accumulate_emit(struct mpass_context *context,
                           struct mpass_plan *plan)
{
    struct variables v = {.context = context,
                          .plan = plan,
                          .i64 = LLVMInt64TypeInContext(context->llvm)};

    if (plan->accumulator_count == 0)
        return;
    begin(&v);
    for (size_t i = 0; i < plan->update_count; i++) {
        if (plan->updates[i].accumulator != MPASS_NO_NUMBER)
            update(&v, &plan->updates[i]);
    }
    for (size_t i = 0; i < plan->start_count; i++)
        start(&v, &plan->starts[i]);
    if (plan->edge_count > 0)
        qsort(plan->edges, plan->edge_count, sizeof(*plan->edges), by_edge);
    for (size_t i = 0; i < plan->edge_count;)
        i += emit_edge(&v, &plan->edges[i], plan->edge_count - i);
    promote(&v);
    fold(&v);
    free(v.counts);
    free(v.addresses);
    free(v.foldable);
}
