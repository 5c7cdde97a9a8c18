/* tails.c -- decides which calls in tail position may become jumps.
 *
 * A jump removes the caller's frame from the stack, and so from the call stacks
 * of everything that is allocated or copied after it. So most calls must stay
 * calls. The optimizer, which has finished, has turned functions that call
 * themselves in tail position into loops.
 *
 * But a program may need the jumps: if functions call each other in tail
 * position without end, as the states of a state machine do, frames would fill
 * the stack. So a call may become a jump if it can be part of a cycle of tail
 * calls: if caller and callee are in one strongly connected component. A call
 * by pointer leads to all functions of its type whose address is taken or that
 * are not local. So does a call of a function of another file that has the type
 * of its caller, because the states of a machine may be in separate files.
 * Functions that return pointers are excluded, because in most cases they
 * create an object for their caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/reach.h"
#include "pass/support/memory.h"
#include "shared/base.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of arguments in registers (System V ABI). */
#define INTEGERS_MAX 6
#define FLOATS_MAX 8

/* -- The graph of tail calls ------------------------------------------------ */

/* From a function to its callee, from a function to a type (a call by pointer),
 * or from a type to a function of this type. */
struct edge {
    unsigned from;
    unsigned to;
};

/* Nodes are functions and function types. */
struct graph {
    struct mpass_numbers nodes;
    struct edge *edges; /* sorted by find_components() */
    size_t count;
    unsigned *components; /* by node */
};

static void add_edge(struct graph *graph, const void *from, const void *to)
{
    graph->edges =
        mpass_memory_grow(graph->edges, graph->count, sizeof(*graph->edges));
    graph->edges[graph->count].from = mpass_numbers_of(&graph->nodes, from);
    graph->edges[graph->count++].to = mpass_numbers_of(&graph->nodes, to);
}

MPROF_COMPARATOR(by_from, struct edge, MPROF_UP(from))

/* A node on the depth-first stack (Tarjan 1972). */
struct visit {
    unsigned node;
    size_t next; /* index of its next edge */
};

struct search {
    struct graph *graph;
    size_t *first;    /* first edge of each node, and the end */
    unsigned *order;  /* number of the visit; 0: not visited */
    unsigned *lowest; /* smallest order of an open node that it leads to */
    unsigned *open;   /* nodes that have no component yet */
    size_t open_count;
    struct visit *way;
    size_t depth;
    unsigned visited;
};

static void enter(struct search *s, unsigned node)
{
    s->order[node] = s->lowest[node] = ++s->visited;
    s->open[s->open_count++] = node;
    s->way[s->depth++] = (struct visit){node, s->first[node]};
}

static void note_lowest(struct search *s, unsigned node, unsigned lowest)
{
    if (lowest < s->lowest[node])
        s->lowest[node] = lowest;
}

static void follow(struct search *s, unsigned from, unsigned to)
{
    if (s->order[to] == 0)
        enter(s, to);
    else if (s->graph->components[to] == MPASS_NO_NUMBER)
        note_lowest(s, from, s->order[to]);
}

static void go_back(struct search *s)
{
    const unsigned node = s->way[--s->depth].node;
    unsigned member;

    if (s->depth > 0)
        note_lowest(s, s->way[s->depth - 1].node, s->lowest[node]);
    if (s->lowest[node] != s->order[node])
        return;
    do {
        member = s->open[--s->open_count];
        s->graph->components[member] = node;
    } while (member != node);
}

static void search_from(struct search *s, unsigned node)
{
    enter(s, node);
    while (s->depth > 0) {
        struct visit *const top = &s->way[s->depth - 1];

        if (top->next < s->first[top->node + 1])
            follow(s, top->node, s->graph->edges[top->next++].to);
        else
            go_back(s);
    }
}

static unsigned *numbers_for(size_t count, unsigned value)
{
    unsigned *const numbers =
        mpass_memory_allocate(NULL, count + 1, sizeof(*numbers));

    for (size_t i = 0; i < count; i++)
        numbers[i] = value;
    return numbers;
}

static size_t *find_first_edges(const struct graph *graph)
{
    size_t *const first = mpass_memory_allocate(
        NULL, (size_t)graph->nodes.count + 1, sizeof(*first));
    size_t edge = 0;

    for (unsigned node = 0; node <= graph->nodes.count; node++) {
        while (edge < graph->count && graph->edges[edge].from < node)
            edge++;
        first[node] = edge;
    }
    return first;
}

static void find_components(struct graph *graph)
{
    const unsigned count = graph->nodes.count;
    struct search s = {.graph = graph};

    if (graph->count > 0)
        qsort(graph->edges, graph->count, sizeof(*graph->edges), by_from);
    graph->components = numbers_for(count, MPASS_NO_NUMBER);
    s.first = find_first_edges(graph);
    s.order = numbers_for(count, 0);
    s.lowest = numbers_for(count, 0);
    s.open = numbers_for(count, 0);
    s.way =
        mpass_memory_allocate(NULL, (size_t)count + 1, sizeof(struct visit));
    for (unsigned node = 0; node < count; node++) {
        if (s.order[node] == 0)
            search_from(&s, node);
    }
    free(s.first);
    free(s.order);
    free(s.lowest);
    free(s.open);
    free(s.way);
}

/* -- Calls ------------------------------------------------------------------ */

/* True if the callee, a function of another file, may be a state of the same
 * state machine as the caller. */
static bool may_be_state(LLVMValueRef caller, LLVMValueRef callee)
{
    const LLVMTypeRef type = LLVMGlobalGetValueType(callee);

    return LLVMIsDeclaration(callee) &&
           LLVMGlobalGetValueType(caller) == type &&
           LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMPointerTypeKind &&
           LLVMCountParamTypes(type) > 0 && !mpass_reach_is_known(callee);
}

/* The node that a call leads to: a function or a function type. */
static const void *target_of(LLVMValueRef caller, LLVMValueRef call)
{
    const LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));

    return callee != NULL && !may_be_state(caller, callee)
               ? (const void *)callee
               : (const void *)LLVMGetCalledFunctionType(call);
}

static bool is_copied(LLVMValueRef call, unsigned argument)
{
    static const char *const names[] = {"byval", "sret"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (LLVMGetCallSiteEnumAttribute(
                call, argument + 1,
                LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]))) !=
            NULL)
            return true;
    }
    return false;
}

/* False if the code generator makes no jump, because arguments are in memory.
 * Then calls.c must know that the caller's frame stays. */
static bool has_register_arguments(const struct mpass_context *context,
                                   LLVMValueRef call)
{
    unsigned integers = 0;
    unsigned floats = 0;

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        const LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, i));
        const unsigned long long bits =
            LLVMSizeOfTypeInBits(context->layout, type);

        switch (LLVMGetTypeKind(type)) {
        case LLVMIntegerTypeKind:
        case LLVMPointerTypeKind:
            if (bits > 64 || is_copied(call, i))
                return false;
            integers++;
            break;
        case LLVMFloatTypeKind:
        case LLVMDoubleTypeKind:
        case LLVMVectorTypeKind:
            if (bits > 128)
                return false;
            floats++;
            break;
        default:
            return false;
        }
    }
    return integers <= INTEGERS_MAX && floats <= FLOATS_MAX &&
           !LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call));
}

static bool can_jump(const struct mpass_context *context, LLVMValueRef call)
{
    return mpass_ir_is_must_tail(call) || has_register_arguments(context, call);
}

static void add_calls(const struct mpass_context *context, struct graph *graph,
                      LLVMValueRef function)
{
    MPASS_EACH_BLOCK(block, function) {
        const LLVMValueRef call = mpass_ir_tail_call(block);

        if (call != NULL && can_jump(context, call))
            add_edge(graph, function, target_of(function, call));
    }
}

static void make_graph(const struct mpass_context *context, struct graph *graph)
{
    MPASS_EACH_FUNCTION(f, context->module) {
        const size_t count = graph->count;

        if (LLVMIsDeclaration(f))
            continue;
        add_calls(context, graph, f);
        if (graph->count > count &&
            (!mpass_ir_is_local(f) || mpass_ir_has_address_taken(f)))
            add_edge(graph, LLVMGlobalGetValueType(f), f);
    }
}

/* True if a call in tail position can be part of a cycle. */
static bool is_in_cycle(const struct mpass_context *context,
                        const struct graph *graph, LLVMValueRef function,
                        LLVMValueRef call)
{
    const unsigned from = mpass_numbers_find(&graph->nodes, function);
    const unsigned to =
        mpass_numbers_find(&graph->nodes, target_of(function, call));

    return from != MPASS_NO_NUMBER && to != MPASS_NO_NUMBER &&
           graph->components[from] == graph->components[to] &&
           can_jump(context, call);
}

/* -- Marking calls ---------------------------------------------------------- */

/* True if the block ends with a call that stays a jump. */
static bool finalize_block(const struct mpass_context *context,
                           const struct graph *graph, LLVMBasicBlockRef block)
{
    const LLVMValueRef call = mpass_ir_tail_call(block);

    if (call == NULL || mpass_ir_is_must_tail(call))
        return false;
    if (!is_in_cycle(context, graph, LLVMGetBasicBlockParent(block), call)) {
        mpass_ir_forbid_tail_call(call);
        return false;
    }
    mpass_ir_return_at_end(block);
    return true;
}

/* True if the function has a call that stays a jump. */
static bool finalize_function(const struct mpass_context *context,
                              const struct graph *graph, LLVMValueRef function)
{
    bool jumps = false;

    MPASS_EACH_BLOCK(block, function)
        jumps |= finalize_block(context, graph, block);
    if (!jumps)
        LLVMAddTargetDependentFunctionAttr(function, "disable-tail-calls",
                                           "true");
    return jumps;
}

/* Forbids all other tail calls one by one: the attribute of the function is
 * lost when LTO inlines it into a function that keeps jumps. */
static void forbid_others(LLVMValueRef function)
{
    MPASS_EACH_INSTRUCTION(inst, function) {
        if ((LLVMIsAIntrinsicInst(inst) == NULL ||
             LLVMIsAMemIntrinsic(inst) != NULL) &&
            !mpass_ir_is_jump(inst))
            mpass_ir_forbid_tail_call(inst);
    }
}

void mpass_tails_finalize(const struct mpass_context *context)
{
    struct graph graph = {0};
    bool has_cycle = false;

    make_graph(context, &graph);
    find_components(&graph);
    MPASS_EACH_FUNCTION(f, context->module) {
        if (!LLVMIsDeclaration(f) && !mpass_function_is_foreign(context, f))
            has_cycle |= finalize_function(context, &graph, f);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(context->module);
         f != NULL && has_cycle; f = LLVMGetNextFunction(f)) {
        if (!mpass_function_is_foreign(context, f))
            forbid_others(f);
    }
    mpass_numbers_fini(&graph.nodes);
    free(graph.edges);
    free(graph.components);
}
