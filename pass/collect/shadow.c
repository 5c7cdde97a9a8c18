/* shadow.c -- emits updates of counters.
 *
 *   counter = base + ((address & mask) >> scale) + at;  *counter += count
 *
 * counters.inc lists the kinds of counters. Normal counters have 64 bits and
 * never overflow. Histogram cells stop at their maximum; their addition has no
 * branch, which is cheaper than LLVM's code and does not split the block. The
 * base is loaded once, at the entry of the function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "pass/bridge/ir.h"
#include "pass/collect/steps.h"
#include "pass/collect/versions.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of an amount that hold bytes; the bits above them hold accesses. */
#define BYTES_BITS 40
/* Twice the bytes of the widest register. */
#define INLINE_BYTES_MAX 128u

/* The kinds of counters. */
enum {
#define MPROF_COUNTER(name, type, granule, side, place, base, stops, mode, \
                      counts)                                              \
    KIND_##name,
#include "shared/counters.inc"
};

static const struct kind {
    const char *base_symbol;
    uint64_t granule;
    int shift;   /* to the left if negative */
    unsigned at; /* byte offset from the granule's first counter */
    unsigned bits;
    bool stops; /* at the counter's maximum */
} kinds[] = {
#define MPROF_COUNTER(name, type, granule, side, place, base, stops, mode, \
                      counts)                                              \
    {MPROF_SYM_##base,                                                     \
     granule,                                                              \
     MPROF_COUNTER_##name##_SHIFT,                                         \
     MPROF_COUNTER_##name##_AT,                                            \
     MPROF_COUNTER_##name##_BITS,                                          \
     stops},
#include "shared/counters.inc"
};

struct geometry {
    const char *base_symbol;
    uint64_t mask;
    int scale;
    unsigned at;
    LLVMTypeRef counter;
    uint64_t max; /* maximum of a cell; 0: the counter does not stop */
};

/* The kind of counter by the options. */
static const struct kind *kind_of(const struct mpass_context *context,
                                  bool is_write, bool of_bytes)
{
    const struct mpass_options *const options = &context->options;
    const struct kind *kind = kinds;

    if (of_bytes)
        return &kinds[is_write ? KIND_WRITE_BYTES : KIND_READ_BYTES];
    if (context->mode == MPASS_MODE_FIELDS)
        return &kinds[is_write ? KIND_WRITE_STARTS : KIND_READ_STARTS];
    if (mpass_context_is_rw(context))
        return &kinds[is_write ? KIND_WRITES : KIND_READS];
    if (!options->histogram)
        return &kinds[KIND_NORMAL];
    while (!kind->stops || kind->bits != (unsigned)options->histogram_cell_bits)
        kind++; /* exists, as mpass_options_conflict() has checked */
    return kind;
}

static struct geometry geometry_of(const struct mpass_context *context,
                                   bool is_write, bool of_bytes)
{
    const struct mpass_options *const options = &context->options;
    const struct kind *const kind = kind_of(context, is_write, of_bytes);
    struct geometry g = {
        .base_symbol = kind->base_symbol,
        .mask = ~(kind->granule - 1),
        .scale = kind->shift,
        .at = kind->at,
        .counter = LLVMIntTypeInContext(context->llvm, kind->bits),
        .max = kind->stops ? MPROF_COUNTER_MAX(kind->bits) : 0};

    /* LLVM's mapping options apply to the shadow of LLVM's base only. */
    if (strcmp(kind->base_symbol, MPROF_SYM_SHADOW_BASE) == 0)
        g.scale = options->mapping_scale;
    if (kind == &kinds[KIND_NORMAL])
        g.mask = ~((uint64_t)options->mapping_granularity - 1);
    if (context->mode == MPASS_MODE_FIELDS)
        g.mask &= MPROF_FIELDS_ADDRESS_MASK;
    return g;
}

/* Marks an instruction as inserted, for sanitizers and for readers of the IR.
 */
static LLVMValueRef mark(const struct mpass_context *context,
                         LLVMValueRef value)
{
    if (LLVMIsAInstruction(value) != NULL)
        LLVMSetMetadata(value, context->nosanitize_kind,
                        LLVMMDNodeInContext(context->llvm, NULL, 0));
    return value;
}

/* The shadow base loaded in this function. The first call emits the load and
 * stores the value in *known. */
static LLVMValueRef shadow_base(struct mpass_context *context,
                                const char *symbol, LLVMValueRef *known)
{
    if (*known != NULL)
        return *known;
    LLVMValueRef global = LLVMGetNamedGlobal(context->module, symbol);
    if (global == NULL) {
        global = LLVMAddGlobal(context->module, context->intptr, symbol);
        if (!mpass_ir_is_pic(context->module))
            mpass_ir_set_dso_local(global);
    }
    if (context->has_plain)
        return *known =
                   mpass_versions_variable(context, global, context->intptr);
    const LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(context->function);
    const LLVMBuilderRef builder =
        mpass_emit_before(context, LLVMGetFirstInstruction(entry));
    *known =
        mark(context, LLVMBuildLoad2(builder, context->intptr, global, ""));
    return *known;
}

/* Emits old + amount, stopping at the counter's maximum. */
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
                             mpass_ir_int(g->counter, g->max), "");
        step = LLVMBuildZExt(builder, room, g->counter, "");
        return LLVMBuildAdd(builder, old, step, "");
    }
    room = LLVMBuildSub(builder, mpass_ir_int(g->counter, g->max), old, "");
    step = LLVMBuildSelect(builder,
                           LLVMBuildICmp(builder, LLVMIntULT, room, amount, ""),
                           room, amount, "");
    return LLVMBuildAdd(builder, old, step, "");
}

/* Emits the addition to the counter at base + offset, at the builder's
 * position.
 */
static void add_to(struct mpass_context *context, const struct geometry *g,
                   LLVMValueRef base, LLVMValueRef offset, LLVMValueRef amount)
{
    const LLVMBuilderRef builder = context->builder;

    amount = mpass_versions_amount(context, amount);
    if (context->has_plain)
        base = LLVMBuildLoad2(builder, context->intptr, base, "");
    LLVMValueRef counter = LLVMBuildAdd(builder, offset, base, "");

    if (g->at != 0)
        counter = LLVMBuildAdd(builder, counter,
                               mpass_ir_int(context->intptr, g->at), "");
    counter = LLVMBuildIntToPtr(builder, counter, context->ptr, "");
    if (context->options.atomic) {
        mark(context,
             LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAdd, counter, amount,
                                LLVMAtomicOrderingMonotonic, false));
        return;
    }
    const LLVMValueRef old =
        mark(context, LLVMBuildLoad2(builder, g->counter, counter, ""));
    mark(context,
         LLVMBuildStore(builder, increased(context, g, old, amount), counter));
}

/* Emits the shadow offset of an address, at the builder's position. */
static LLVMValueRef offset_of(const struct mpass_context *context,
                              const struct geometry *g, LLVMValueRef addr)
{
    const LLVMBuilderRef builder = context->builder;
    const LLVMValueRef granule =
        LLVMBuildAnd(builder, addr, mpass_ir_int(context->intptr, g->mask), "");
    const LLVMValueRef scale =
        mpass_ir_int(context->intptr, (uint64_t)abs(g->scale));

    return g->scale < 0 ? LLVMBuildShl(builder, granule, scale, "")
                        : LLVMBuildLShr(builder, granule, scale, "");
}

/* Of a masked load or store: an operand until LLVM 21, or an attribute. */
static uint64_t masked_alignment(LLVMValueRef inst, bool is_write)
{
    static const char name[] = "align";
    const unsigned at = is_write ? 2 : 1; /* behind the pointer */

    if (LLVMGetNumArgOperands(inst) == 4)
        return LLVMConstIntGetZExtValue(LLVMGetOperand(inst, at));
    const LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(
        inst, at, LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1));
    return attribute != NULL ? LLVMGetEnumAttributeValue(attribute) : 1;
}

/* True if the access may be to 4 bytes more than its size takes. */
static bool may_be_unaligned(const struct mpass_access *access)
{
    const uint64_t alignment =
        access->kind == MPASS_ACCESS_MASKED
            ? masked_alignment(access->inst, access->is_write)
        : mpass_ir_is_call(access->inst) ? 1 /* an argument by value */
                                         : LLVMGetAlignment(access->inst);

    return alignment < MPROF_FIELDS_BYTES && alignment < access->bytes;
}

/* Emits the addition for the last 4 bytes of an access, which has them only if
 * its address says so at run time; otherwise adds 0. */
static void emit_last(struct mpass_context *context, const struct geometry *g,
                      LLVMValueRef base, LLVMValueRef start, uint64_t bytes,
                      uint64_t count)
{
    const LLVMBuilderRef builder = context->builder;
    const LLVMTypeRef intptr = context->intptr;
    const LLVMValueRef low = LLVMBuildAnd(
        builder, start, mpass_ir_int(intptr, MPROF_FIELDS_BYTES - 1), "");
    const uint64_t room = mprof_round_up(bytes, MPROF_FIELDS_BYTES) - bytes;
    const LLVMValueRef is_more =
        LLVMBuildICmp(builder, LLVMIntUGT, low, mpass_ir_int(intptr, room), "");
    const LLVMValueRef last =
        LLVMBuildAdd(builder, start, mpass_ir_int(intptr, bytes - 1), "");

    add_to(context, g, base, offset_of(context, g, last),
           LLVMBuildSelect(builder, is_more, mpass_ir_int(g->counter, count),
                           mpass_ir_int(g->counter, 0), ""));
}

/* The place of the counter for accesses that go on in 4 bytes. */
static unsigned goes_on_at(const struct mpass_update *update)
{
    return kinds[update->access->is_write ? KIND_WRITE_GOES_ON
                                          : KIND_READ_GOES_ON]
        .at;
}

/* Likewise for the 4 bytes behind the first ones of a wide access: the compiler
 * would take seconds for thousands of additions in line. The new block always
 * runs, and jumps to itself. */
static void emit_loop(struct mpass_context *context, LLVMValueRef before,
                      const struct geometry *g, LLVMValueRef base,
                      LLVMValueRef first, const struct mpass_update *update)
{
    const LLVMTypeRef intptr = context->intptr;
    const uint64_t step = MPROF_FIELDS_BYTES << -g->scale;
    const uint64_t rest = (update->access->bytes - 1) / MPROF_FIELDS_BYTES;
    const LLVMBasicBlockRef head = LLVMGetInstructionParent(before);
    const LLVMTypeRef i1 = LLVMInt1TypeInContext(context->llvm);
    const LLVMValueRef end = mpass_ir_split_if(mpass_ir_int(i1, 1), before);
    LLVMBasicBlockRef from[] = {head, LLVMGetInstructionParent(end)};
    const LLVMBuilderRef builder = mpass_emit_before(context, end);
    const LLVMValueRef index = LLVMBuildPhi(builder, intptr, "");
    const LLVMValueRef offset =
        LLVMBuildMul(builder, index, mpass_ir_int(intptr, step), "");
    struct geometry at = *g;

    at.at = (unsigned)step + goes_on_at(update);
    add_to(context, &at, base, LLVMBuildAdd(builder, first, offset, ""),
           mpass_ir_int(g->counter, update->count));
    LLVMValueRef values[] = {
        mpass_ir_int(intptr, 0),
        LLVMBuildAdd(builder, index, mpass_ir_int(intptr, 1), "")};
    LLVMAddIncoming(index, values, from, 2);
    LLVMBuildCondBr(builder,
                    LLVMBuildICmp(builder, LLVMIntEQ, values[1],
                                  mpass_ir_int(intptr, rest), ""),
                    LLVMGetSuccessor(end, 0), from[1]);
    LLVMInstructionEraseFromParent(end);
}

/* Emits the additions for the 4 bytes behind the first ones that an access
 * touches. */
static void emit_rest(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, const struct mpass_update *update)
{
    struct geometry g = geometry_of(context, update->access->is_write, false);
    const LLVMValueRef base =
        shadow_base(context, g.base_symbol, &context->shadow_base);
    const LLVMBuilderRef builder = mpass_emit_before(context, before);
    const uint64_t bytes = update->access->bytes;
    const LLVMValueRef start =
        LLVMBuildPtrToInt(builder, addr, context->intptr, "");
    const LLVMValueRef first = offset_of(context, &g, start);

    if (bytes > INLINE_BYTES_MAX) {
        emit_loop(context, before, &g, base, first, update);
        mpass_emit_before(context, before);
    }
    for (uint64_t at = MPROF_FIELDS_BYTES;
         at < bytes && bytes <= INLINE_BYTES_MAX; at += MPROF_FIELDS_BYTES) {
        g.at = (unsigned)(at << -g.scale) + goes_on_at(update);
        add_to(context, &g, base, first,
               mpass_ir_int(g.counter, update->count));
    }
    g.at = goes_on_at(update);
    if (may_be_unaligned(update->access))
        emit_last(context, &g, base, start, bytes, update->count);
}

/* Emits the additions to the counters of an address: count and, unless NULL,
 * bytes. */
static void emit_counters(struct mpass_context *context, LLVMValueRef before,
                          LLVMValueRef addr, bool is_write, LLVMValueRef count,
                          LLVMValueRef bytes)
{
    const struct geometry g = geometry_of(context, is_write, false);
    const struct geometry b = geometry_of(context, is_write, true);
    const LLVMValueRef base =
        shadow_base(context, g.base_symbol, &context->shadow_base);
    const LLVMValueRef bytes_base =
        bytes == NULL
            ? NULL
            : shadow_base(context, b.base_symbol, &context->bytes_base);
    const LLVMBuilderRef builder = mpass_emit_before(context, before);

    const LLVMValueRef offset = offset_of(
        context, &g, LLVMBuildPtrToInt(builder, addr, context->intptr, ""));
    add_to(context, &g, base, offset, count);
    if (bytes != NULL)
        add_to(context, &b, bytes_base, offset, bytes); /* same geometry */
}

uint64_t mpass_shadow_amount(const struct mpass_context *context,
                             uint64_t count, uint64_t bytes)
{
    return context->mode == MPASS_MODE_RW_BYTES ? count << BYTES_BITS | bytes
                                                : count;
}

LLVMValueRef mpass_shadow_accesses(const struct mpass_context *context,
                                   LLVMValueRef amount)
{
    const LLVMTypeRef i64 = LLVMTypeOf(amount);

    if (context->mode != MPASS_MODE_RW_BYTES)
        return amount;
    return LLVMBuildLShr(context->builder, amount,
                         mpass_ir_int(i64, BYTES_BITS), "");
}

void mpass_shadow_add(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, bool is_write, LLVMValueRef amount)
{
    const LLVMBuilderRef builder = mpass_emit_before(context, before);
    LLVMValueRef bytes = NULL;

    if (context->mode == MPASS_MODE_RW_BYTES)
        bytes = LLVMBuildAnd(
            builder, amount,
            mpass_ir_int(LLVMTypeOf(amount), MPROF_COUNTER_MAX(BYTES_BITS)),
            "");
    emit_counters(context, before, addr, is_write,
                  mpass_shadow_accesses(context, amount), bytes);
}

static void emit_callback(struct mpass_context *context, LLVMValueRef before,
                          LLVMValueRef addr, const struct mpass_update *update)
{
    const struct mpass_options *const options = &context->options;
    const bool is_write = update->access->is_write;
    const bool has_threads = context->mode == MPASS_MODE_THREADS;
    LLVMTypeRef types[] = {context->intptr, context->intptr};
    const unsigned arg_count = has_threads ? 2 : 1;
    const LLVMTypeRef type =
        LLVMFunctionType(context->void_type, types, arg_count, false);
    const LLVMBuilderRef builder = mpass_emit_before(context, before);
    LLVMValueRef args[] = {
        LLVMBuildPtrToInt(builder, addr, context->intptr, ""),
        mpass_ir_int(context->intptr, update->access->bytes)};
    char name[MPASS_MESSAGE_BYTES];

    snprintf(name, sizeof(name), "%s%s%s", options->callback_prefix,
             options->histogram ? MPROF_SYM_HIST_PREFIX : "",
             is_write ? MPROF_SYM_STORE : MPROF_SYM_LOAD);
    if (has_threads)
        snprintf(name, sizeof(name), "%s",
                 is_write ? MPROF_SYM_THREADS_STORE : MPROF_SYM_THREADS_LOAD);
    const LLVMValueRef callee = mpass_emit_declare(context, name, type);
    for (uint64_t i = 0; i < update->count; i++)
        mark(context,
             LLVMBuildCall2(builder, type, callee, args, arg_count, ""));
}

/* Emits the update for one address. */
static void emit_one(struct mpass_context *context, LLVMValueRef before,
                     LLVMValueRef addr, const struct mpass_update *update)
{
    const bool is_write = update->access->is_write;
    const LLVMTypeRef counter = geometry_of(context, is_write, false).counter;

    if (context->options.use_callbacks || context->mode == MPASS_MODE_THREADS)
        emit_callback(context, before, addr, update);
    else
        emit_counters(context, before, addr, is_write,
                      mpass_ir_int(counter, update->count),
                      context->mode == MPASS_MODE_RW_BYTES
                          ? mpass_ir_int(counter, update->bytes)
                          : NULL);
    if (context->mode == MPASS_MODE_FIELDS &&
        (update->access->bytes > MPROF_FIELDS_BYTES ||
         may_be_unaligned(update->access)))
        emit_rest(context, before, addr, update);
}

/* The insertion point for counting lane i: before the access if the mask
 * certainly selects the lane, in a new conditional block if the mask is known
 * at run time only, NULL if the lane is certainly not selected. */
static LLVMValueRef lane_point(struct mpass_context *context,
                               const struct mpass_update *update, unsigned i)
{
    const LLVMValueRef mask = update->access->mask;
    const LLVMTypeRef i64 = LLVMInt64TypeInContext(context->llvm);
    LLVMValueRef bit = NULL;

    if (LLVMIsAConstant(mask) != NULL)
        bit = LLVMGetAggregateElement(mask, i);
    if (bit != NULL)
        return LLVMIsNull(bit) ? NULL : update->before;
    const LLVMBuilderRef builder = mpass_emit_before(context, update->before);
    bit = LLVMBuildExtractElement(builder, mask, mpass_ir_int(i64, i), "");
    return mpass_ir_split_if(bit, update->before);
}

static void emit_lanes(struct mpass_context *context,
                       const struct mpass_update *update)
{
    const struct mpass_access *const access = update->access;
    const unsigned lanes = mpass_ir_fixed_lanes(access->type);

    for (unsigned i = 0; i < lanes; i++) {
        const LLVMValueRef before = lane_point(context, update, i);
        LLVMValueRef indices[2] = {mpass_ir_int(context->intptr, 0),
                                   mpass_ir_int(context->intptr, i)};
        LLVMValueRef addr;

        if (before == NULL)
            continue;
        const LLVMBuilderRef builder = mpass_emit_before(context, before);
        addr =
            LLVMBuildGEP2(builder, access->type, access->addr, indices, 2, "");
        emit_one(context, before, addr, update);
    }
}

void mpass_shadow_emit(struct mpass_context *context,
                       const struct mpass_update *update)
{
    const struct mpass_access *const access = update->access;

    if (access->kind == MPASS_ACCESS_MEMINTRIN)
        mpass_memintrin_replace(context, access->inst);
    else if (access->kind == MPASS_ACCESS_LIBRARY)
        mpass_libstdcxx_emit(context, update);
    else if (access->kind == MPASS_ACCESS_UNSEEN)
        mpass_unseen_emit(context, update);
    else if (access->kind == MPASS_ACCESS_MASKED)
        emit_lanes(context, update);
    else
        emit_one(context, update->before, access->addr, update);
}
