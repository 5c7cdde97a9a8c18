/* shadow.c -- an update of a counter as instructions.
 *
 *   counter = base + ((address & mask) >> scale);  *counter += count
 *
 * counters.inc has the kinds of counters. Normal counters are 64 bits wide and
 * never reach their end. Histogram cells stop at their maximum; the addition is
 * written without a branch, which costs less than LLVM's and keeps the block
 * whole. The base is loaded once per function, where it is entered.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/shadow.h"

#include "pass/bridge/ir.h"
#include "pass/collect/emit.h"
#include "pass/collect/memintrin.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

/* The kinds of counters. */
static const struct kind {
    const char *base_symbol;
    uint64_t granule;
    unsigned shift;
    unsigned bits;
    bool stops; /* at the largest number */
} kinds[] = {
#define MPROF_COUNTER(name, type, granule, base, stops, mode, counts) \
    {MPROF_SYM_##base, granule, MPROF_COUNTER_##name##_SHIFT,         \
     MPROF_COUNTER_##name##_BITS, stops},
#include "shared/counters.inc"
};

struct geometry {
    const char *base_symbol;
    uint64_t mask;
    unsigned scale;
    LLVMTypeRef counter;
    uint64_t max; /* where a cell stops; 0: it does not stop */
};

/* What the options ask for, which mpass_options_conflict() has checked. */
static struct geometry geometry_of(const struct mpass_context *context)
{
    const struct mpass_options *const options = &context->options;
    const unsigned bits = options->histogram
                              ? (unsigned)options->histogram_cell_bits
                              : MPROF_COUNTER_NORMAL_BITS;
    const struct kind *kind = kinds;
    struct geometry g;

    while (kind->bits != bits)
        kind++;
    g = (struct geometry){.base_symbol = kind->base_symbol,
                          .mask = ~(kind->granule - 1),
                          .scale = kind->shift,
                          .counter = LLVMIntTypeInContext(context->llvm, bits),
                          .max = kind->stops ? MPROF_COUNTER_MAX(bits) : 0};
    /* LLVM's options are about the shadow of LLVM's base. */
    if (strcmp(kind->base_symbol, MPROF_SYM_SHADOW_BASE) == 0)
        g.scale = (unsigned)options->mapping_scale;
    if (!options->histogram)
        g.mask = ~((uint64_t)options->mapping_granularity - 1);
    return g;
}

/* Marks an instruction as ours, for sanitizers and for readers of the IR. */
static LLVMValueRef mark(const struct mpass_context *context,
                         LLVMValueRef value)
{
    if (LLVMIsAInstruction(value) != NULL)
        LLVMSetMetadata(value, context->nosanitize_kind,
                        LLVMMDNodeInContext(context->llvm, NULL, 0));
    return value;
}

/* The base of the function's shadow; the first call loads it. */
static LLVMValueRef shadow_base(struct mpass_context *context,
                                const char *symbol)
{
    LLVMBasicBlockRef entry;
    LLVMValueRef global;
    LLVMBuilderRef builder;

    if (context->shadow_base != NULL)
        return context->shadow_base;
    global = LLVMGetNamedGlobal(context->module, symbol);
    if (global == NULL) {
        global = LLVMAddGlobal(context->module, context->intptr, symbol);
        if (!mpass_ir_is_pic(context->module))
            mpass_ir_set_dso_local(global);
    }
    entry = LLVMGetEntryBasicBlock(context->function);
    builder = mpass_emit_before(context, LLVMGetFirstInstruction(entry));
    context->shadow_base =
        mark(context, LLVMBuildLoad2(builder, context->intptr, global, ""));
    return context->shadow_base;
}

/* The value that a counter has after `amount` more. */
static LLVMValueRef increased(const struct mpass_context *context,
                              const struct geometry *g, LLVMValueRef old,
                              LLVMValueRef amount)
{
    const LLVMBuilderRef builder = context->builder;
    const bool is_one = LLVMIsAConstantInt(amount) != NULL &&
                        LLVMConstIntGetZExtValue(amount) == 1;
    LLVMValueRef room;
    LLVMValueRef step;

    if (g->max == 0)
        return LLVMBuildAdd(builder, old, amount, "");
    if (is_one) {
        room = LLVMBuildICmp(builder, LLVMIntNE, old,
                             LLVMConstInt(g->counter, g->max, false), "");
        step = LLVMBuildZExt(builder, room, g->counter, "");
        return LLVMBuildAdd(builder, old, step, "");
    }
    room =
        LLVMBuildSub(builder, LLVMConstInt(g->counter, g->max, false), old, "");
    step = LLVMBuildSelect(builder,
                           LLVMBuildICmp(builder, LLVMIntULT, room, amount, ""),
                           room, amount, "");
    return LLVMBuildAdd(builder, old, step, "");
}

static void emit_counter(struct mpass_context *context, LLVMValueRef before,
                         LLVMValueRef addr, const struct geometry *geometry,
                         LLVMValueRef amount)
{
    const struct geometry g = *geometry;
    const LLVMValueRef base = shadow_base(context, g.base_symbol);
    const LLVMBuilderRef builder = mpass_emit_before(context, before);
    LLVMValueRef counter;
    LLVMValueRef old;

    counter = LLVMBuildPtrToInt(builder, addr, context->intptr, "");
    counter = LLVMBuildAnd(builder, counter,
                           LLVMConstInt(context->intptr, g.mask, false), "");
    counter = LLVMBuildLShr(builder, counter,
                            LLVMConstInt(context->intptr, g.scale, false), "");
    counter = LLVMBuildAdd(builder, counter, base, "");
    counter = LLVMBuildIntToPtr(builder, counter, context->ptr, "");
    if (context->options.atomic) {
        mark(context,
             LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAdd, counter, amount,
                                LLVMAtomicOrderingMonotonic, false));
        return;
    }
    old = mark(context, LLVMBuildLoad2(builder, g.counter, counter, ""));
    mark(context,
         LLVMBuildStore(builder, increased(context, &g, old, amount), counter));
}

void mpass_shadow_add(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, LLVMValueRef amount)
{
    const struct geometry g = geometry_of(context);

    emit_counter(context, before, addr, &g, amount);
}

static void emit_callback(struct mpass_context *context, LLVMValueRef before,
                          LLVMValueRef addr, bool is_write, uint64_t count)
{
    const struct mpass_options *const options = &context->options;
    const LLVMTypeRef type =
        LLVMFunctionType(context->void_type, &context->intptr, 1, false);
    const LLVMBuilderRef builder = mpass_emit_before(context, before);
    LLVMValueRef arg = LLVMBuildPtrToInt(builder, addr, context->intptr, "");
    char name[MPASS_MESSAGE_BYTES];
    LLVMValueRef callee;

    snprintf(name, sizeof(name), "%s%s%s", options->callback_prefix,
             options->histogram ? MPROF_SYM_HIST_PREFIX : "",
             is_write ? MPROF_SYM_STORE : MPROF_SYM_LOAD);
    callee = mpass_emit_declare(context, name, type);
    for (uint64_t i = 0; i < count; i++)
        mark(context, LLVMBuildCall2(builder, type, callee, &arg, 1, ""));
}

/* Counts one address before an instruction. */
static void emit_one(struct mpass_context *context, LLVMValueRef before,
                     LLVMValueRef addr, bool is_write, uint64_t count)
{
    const struct geometry g = geometry_of(context);

    if (context->options.use_callbacks)
        emit_callback(context, before, addr, is_write, count);
    else
        emit_counter(context, before, addr, &g,
                     LLVMConstInt(g.counter, count, false));
}

/* Where the counting of lane i stands: before the access if the lane is
 * certainly accessed, in a new block if that shows at run time, NULL if it is
 * certainly not accessed. */
static LLVMValueRef lane_point(struct mpass_context *context,
                               const struct mpass_update *update, unsigned i)
{
    const LLVMValueRef mask = update->access->mask;
    const LLVMTypeRef i64 = LLVMInt64TypeInContext(context->llvm);
    LLVMValueRef bit = NULL;
    LLVMBuilderRef builder;

    if (LLVMIsAConstant(mask) != NULL)
        bit = LLVMGetAggregateElement(mask, i);
    if (bit != NULL)
        return LLVMIsNull(bit) ? NULL : update->before;
    builder = mpass_emit_before(context, update->before);
    bit =
        LLVMBuildExtractElement(builder, mask, LLVMConstInt(i64, i, false), "");
    return mpass_ir_split_if(bit, update->before);
}

static void emit_lanes(struct mpass_context *context,
                       const struct mpass_update *update)
{
    const struct mpass_access *const access = update->access;
    const unsigned lanes = mpass_ir_fixed_lanes(access->type);

    for (unsigned i = 0; i < lanes; i++) {
        const LLVMValueRef before = lane_point(context, update, i);
        LLVMValueRef indices[2] = {LLVMConstInt(context->intptr, 0, false),
                                   LLVMConstInt(context->intptr, i, false)};
        LLVMBuilderRef builder;
        LLVMValueRef addr;

        if (before == NULL)
            continue;
        builder = mpass_emit_before(context, before);
        addr =
            LLVMBuildGEP2(builder, access->type, access->addr, indices, 2, "");
        emit_one(context, before, addr, access->is_write, update->count);
    }
}

void mpass_shadow_emit(struct mpass_context *context,
                       const struct mpass_update *update)
{
    const struct mpass_access *const access = update->access;

    if (access->kind == MPASS_ACCESS_MEMINTRIN)
        mpass_memintrin_replace(context, access->inst);
    else if (access->kind == MPASS_ACCESS_MASKED)
        emit_lanes(context, update);
    else
        emit_one(context, update->before, access->addr, access->is_write,
                 update->count);
}
