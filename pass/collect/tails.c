/* tails.c -- which calls in tail position become jumps.
 *
 * Such a jump takes its function's frame off the stack, and out of the call
 * stack of all that is allocated or copied after it. So calls stay calls. The
 * optimizer, which is done, has made loops of functions that call themselves.
 *
 * But a program may need the jumps: where functions call each other in tail
 * position without end, as the states of a machine do, frames would fill the
 * stack. So what stays a jump is each call that can be part of a circle of such
 * calls alone (a strongly connected component). A call by pointer leads to all
 * functions of its type that others may have a pointer to or know by name. So
 * does a call of a function of another file that has the type of its caller, as
 * the states of a machine have that are in a file each. Functions that return
 * pointers are left out: they make something, in most cases, and hand it on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/tails.h"

#include "pass/bridge/ir.h"
#include "pass/collect/reach.h"
#include "pass/support/memory.h"
#include "shared/base.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* How many arguments go in registers (System V). */
#define INTEGERS_MAX 6
#define FLOATS_MAX 8

/* -- The graph of tail calls ------------------------------------------------ */

/* From a function to one that it calls, or to a type, or from a type. */
struct edge {
    unsigned from;
    unsigned to;
};

/* Nodes are functions and types of functions. */
struct graph {
    struct mpass_numbers nodes;
    struct edge *edges; /* sorted, once all are there */
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

static int by_from(const void *left, const void *right)
{
    const struct edge *const a = left;
    const struct edge *const b = right;

    return (a->from > b->from) - (a->from < b->from);
}

/* A node on the way down (Tarjan 1972). */
struct visit {
    unsigned node;
    size_t next; /* of the edges */
};

struct search {
    struct graph *graph;
    size_t *first;    /* edge of each node, and the end */
    unsigned *order;  /* 0: not visited */
    unsigned *lowest; /* that it leads back to, of those in no component */
    unsigned *open;   /* in no component yet */
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

/* True if the function of another file may be a state of the machine that the
 * caller is a state of. */
static bool may_be_state(LLVMValueRef caller, LLVMValueRef callee)
{
    const LLVMTypeRef type = LLVMGlobalGetValueType(callee);

    return LLVMIsDeclaration(callee) &&
           LLVMGlobalGetValueType(caller) == type &&
           LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMPointerTypeKind &&
           LLVMCountParamTypes(type) > 0 && !mpass_reach_is_known(callee);
}

/* The node that a call leads to: a function, or a type. */
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

/* False where the code generator makes no jump, because arguments lie in
 * memory: then the value of call stacks must tell that there is a frame. */
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
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
         block != NULL; block = LLVMGetNextBasicBlock(block)) {
        const LLVMValueRef call = mpass_ir_tail_call(block);

        if (call != NULL && can_jump(context, call))
            add_edge(graph, function, target_of(function, call));
    }
}

static void make_graph(const struct mpass_context *context, struct graph *graph)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(context->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        const size_t count = graph->count;

        if (LLVMIsDeclaration(f))
            continue;
        add_calls(context, graph, f);
        if (graph->count > count &&
            (!mpass_ir_is_local(f) || mpass_ir_has_address_taken(f)))
            add_edge(graph, LLVMGlobalGetValueType(f), f);
    }
}

/* Of a call in tail position. */
static bool is_in_circle(const struct mpass_context *context,
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

/* -- What is done about it -------------------------------------------------- */

/* True if the block ends in a jump of a circle. */
static bool settle_block(const struct mpass_context *context,
                         const struct graph *graph, LLVMBasicBlockRef block)
{
    const LLVMValueRef call = mpass_ir_tail_call(block);

    if (call == NULL || mpass_ir_is_must_tail(call))
        return false;
    if (!is_in_circle(context, graph, LLVMGetBasicBlockParent(block), call)) {
        mpass_ir_forbid_tail_call(call);
        return false;
    }
    mpass_ir_return_at_end(block);
    return true;
}

/* True if the function jumps in a circle. */
static bool settle_function(const struct mpass_context *context,
                            const struct graph *graph, LLVMValueRef function)
{
    bool jumps = false;

    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
         block != NULL; block = LLVMGetNextBasicBlock(block))
        jumps |= settle_block(context, graph, block);
    if (!jumps)
        LLVMAddTargetDependentFunctionAttr(function, "disable-tail-calls",
                                           "true");
    return jumps;
}

/* Also where no attribute says so once it is part of another function. */
static void forbid_others(LLVMValueRef function)
{
    for (LLVMValueRef inst = mpass_ir_first(function); inst != NULL;
         inst = mpass_ir_next(inst)) {
        if ((LLVMIsAIntrinsicInst(inst) == NULL ||
             LLVMIsAMemIntrinsic(inst) != NULL) &&
            !mpass_ir_is_jump(inst))
            mpass_ir_forbid_tail_call(inst);
    }
}

void mpass_tails_settle(const struct mpass_context *context)
{
    struct graph graph = {0};
    bool has_circle = false;

    make_graph(context, &graph);
    find_components(&graph);
    for (LLVMValueRef f = LLVMGetFirstFunction(context->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f))
            has_circle |= settle_function(context, &graph, f);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(context->module);
         f != NULL && has_circle; f = LLVMGetNextFunction(f))
        forbid_others(f);
    mpass_numbers_fini(&graph.nodes);
    free(graph.edges);
    free(graph.components);
}
