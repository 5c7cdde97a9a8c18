/* unseen.c -- accesses by calls, inline assembly and intrinsics.
 *
 * A call reads a structure that it passes by value in memory; each 8 bytes
 * count. A memory operand of assembly counts as a load or a store; an operand
 * that is read and written counts as an atomic operation. The IR does not show
 * what assembly accesses through a pointer in a register, or which lanes a
 * gather loads, and the runtime does not interpose libm; for these, the runtime
 * is told that the block has uncounted accesses. Assembly without instructions,
 * with which benchmarks keep values alive, accesses nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/origin.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <string.h>

/* -- Pointers of uncounted accesses ----------------------------------------- */

static bool is_pointer_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           mpass_ir_is_pointer(LLVMGetElementType(type));
}

/* True if the plan has made the same report in the basic block. The pointer
 * still points to the same block. */
static bool is_reported(const struct mpass_plan *plan,
                        const struct mpass_access *wanted,
                        LLVMBasicBlockRef block)
{
    for (size_t i = plan->access_count; i-- > 0;) {
        const struct mpass_access *const access = &plan->accesses[i];

        if (LLVMGetInstructionParent(access->inst) != block)
            return false;
        if (access->kind == MPASS_ACCESS_UNSEEN &&
            access->addr == wanted->addr && access->type == NULL &&
            access->in_static == wanted->in_static)
            return true;
    }
    return false;
}

/* Reports the pointer's origin, which certainly points into the block. */
static void report(struct mpass_context *context, LLVMValueRef inst,
                   LLVMValueRef pointer, struct mpass_plan *plan)
{
    const LLVMValueRef origin = mpass_origin_of(context, pointer).base;
    const struct mpass_access access = {
        .kind = MPASS_ACCESS_UNSEEN,
        .inst = inst,
        .addr = LLVMIsAConstant(origin) == NULL ? origin : pointer,
        .in_static = mpass_libc_counts_if_dynamic(inst),
        .count = 1};

    if (LLVMIsAConstant(pointer) == NULL &&
        !is_reported(plan, &access, LLVMGetInstructionParent(inst)))
        mpass_plan_add(context, plan, &access);
}

/* -- Structures that are passed by value ------------------------------------ */

/* The type that the argument's attribute of this name has, or NULL. */
static LLVMTypeRef attribute_type(LLVMValueRef call, unsigned argument,
                                  const char *name)
{
    const LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(
        call, argument + 1,
        LLVMGetEnumAttributeKindForName(name, strlen(name)));

    return attribute != NULL ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

/* The code generator copies such an argument to the stack. */
static void plan_by_value(struct mpass_context *context, LLVMValueRef call,
                          struct mpass_plan *plan)
{
    const unsigned count = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; i < count && context->options.instrument_reads; i++) {
        struct mpass_access access = {
            .kind = MPASS_ACCESS_ONE,
            .inst = call,
            .addr = LLVMGetOperand(call, i),
            .type = mpass_ir_is_pointer(LLVMTypeOf(LLVMGetOperand(call, i)))
                        ? attribute_type(call, i, "byval")
                        : NULL};

        if (access.type == NULL)
            continue;
        access.count = (LLVMStoreSizeOfType(context->layout, access.type) +
                        MPROF_RANGE_WORD_BYTES - 1) /
                       MPROF_RANGE_WORD_BYTES;
        if (access.count > 0)
            mpass_plan_one(context, plan, &access);
    }
}

/* -- Inline assembly -------------------------------------------------------- */

/* The type of a memory operand; NULL for another operand. */
static LLVMTypeRef memory_type(LLVMValueRef call, unsigned argument)
{
    return attribute_type(call, argument, "elementtype");
}

/* Number of memory operands that are written; they are the first arguments. */
static unsigned count_outputs(const char *constraints)
{
    unsigned count = 0;

    for (const char *at = strstr(constraints, "=*"); at != NULL;
         at = strstr(at + 1, "=*"))
        count++;
    return count;
}

/* True if one of the arguments [first, end) is the same memory operand. */
static bool is_among(LLVMValueRef call, unsigned argument, unsigned first,
                     unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        if (LLVMGetOperand(call, i) == LLVMGetOperand(call, argument) &&
            memory_type(call, i) != NULL)
            return true;
    }
    return false;
}

static void plan_operand(struct mpass_context *context, LLVMValueRef call,
                         unsigned argument, unsigned outputs,
                         struct mpass_plan *plan)
{
    const struct mpass_options *const options = &context->options;
    const bool is_write = argument < outputs;
    struct mpass_access access = {
        .kind = MPASS_ACCESS_ONE,
        .inst = call,
        .addr = LLVMGetOperand(call, argument),
        .type = memory_type(call, argument),
        .is_write = is_write,
        .is_both = is_write && is_among(call, argument, outputs,
                                        LLVMGetNumArgOperands(call)),
        .count = 1};
    const bool is_asked_for = access.is_both ? options->instrument_atomics
                              : is_write     ? options->instrument_writes
                                             : options->instrument_reads;

    if (!is_asked_for || (!is_write && is_among(call, argument, 0, outputs)))
        return;
    mpass_plan_one(context, plan, &access);
}

/* The pointer in a register operand, or NULL. With `numbers`, integers may be
 * addresses too: the assembly clobbers memory, but has no memory operand. */
static LLVMValueRef register_pointer(struct mpass_context *context,
                                     LLVMValueRef value, bool numbers)
{
    if (LLVMIsAPtrToIntInst(value) != NULL)
        value = LLVMGetOperand(value, 0);
    return mpass_ir_is_pointer(LLVMTypeOf(value)) ||
                   (numbers && LLVMTypeOf(value) == context->intptr)
               ? value
               : NULL;
}

/* Reports the pointer that is stored at `addr`. */
static void report_content(struct mpass_context *context, LLVMValueRef call,
                           LLVMValueRef addr, struct mpass_plan *plan)
{
    const struct mpass_access access = {.kind = MPASS_ACCESS_UNSEEN,
                                        .inst = call,
                                        .addr = addr,
                                        .type = context->ptr,
                                        .count = 1};

    mpass_plan_add(context, plan, &access);
}

/* More pointers of one array are not reported: registers of a saved context
 * are fewer, and each report is code. */
#define POINTERS_MAX 64

/* Reports the pointers of a type that is stored at `addr` + `offset`. */
static void report_pointers(struct mpass_context *context, LLVMValueRef call,
                            LLVMValueRef addr, uint64_t offset,
                            LLVMTypeRef type, struct mpass_plan *plan)
{
    if (mpass_ir_is_pointer(type)) {
        LLVMValueRef index = mpass_ir_int(context->intptr, offset);

        LLVMPositionBuilderBefore(context->builder, call);
        report_content(context, call,
                       offset == 0
                           ? addr
                           : LLVMBuildGEP2(context->builder,
                                           LLVMInt8TypeInContext(context->llvm),
                                           addr, &index, 1, ""),
                       plan);
    }
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
        const LLVMTypeRef element = LLVMGetElementType(type);
        const uint64_t count =
            mprof_min_u64(LLVMGetArrayLength2(type), POINTERS_MAX);

        for (uint64_t i = 0; i < count; i++)
            report_pointers(context, call, addr,
                            offset +
                                i * LLVMABISizeOfType(context->layout, element),
                            element, plan);
    }
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
        report_pointers(context, call, addr,
                        offset + LLVMOffsetOfElement(context->layout, type, i),
                        LLVMStructGetTypeAtIndex(type, i), plan);
}

static void plan_assembly(struct mpass_context *context, LLVMValueRef call,
                          const char *constraints, bool reports,
                          struct mpass_plan *plan)
{
    const unsigned outputs = count_outputs(constraints);
    const unsigned count = LLVMGetNumArgOperands(call);
    const bool clobbers = strstr(constraints, "~{memory}") != NULL;
    bool numbers = clobbers;

    for (unsigned i = 0; i < count; i++) {
        if (memory_type(call, i) == NULL)
            continue;
        plan_operand(context, call, i, outputs, plan);
        if (reports && clobbers && i >= outputs && !is_among(call, i, 0, i))
            report_pointers(context, call, LLVMGetOperand(call, i), 0,
                            memory_type(call, i), plan);
        numbers = false;
    }
    for (unsigned i = 0; i < count && reports; i++) {
        const LLVMValueRef pointer =
            memory_type(call, i) == NULL
                ? register_pointer(context, LLVMGetOperand(call, i), numbers)
                : NULL;

        if (pointer != NULL)
            report(context, call, pointer, plan);
    }
}

/* -- Intrinsics ------------------------------------------------------------- */

/* True for machine instructions, vector accesses, lists of arguments, jump
 * buffers of the compiler (__builtin_longjmp) and copies from or to another
 * address space, except cache control, prefetch and monitor instructions. */
static bool is_access(LLVMValueRef inst)
{
    static const char *const families[] = {
        "llvm.x86.", "llvm.masked.",  "llvm.vp.", "llvm.experimental.vp.",
        "llvm.va_",  "llvm.eh.sjlj.", "llvm.mem"};
    static const char *const others[] = {".clflush", ".clwb", ".cldemote",
                                         "monitor", "prefetch"};
    bool found = false;

    if (LLVMIsAIntrinsicInst(inst) == NULL)
        return false;
    const char *const name = mpass_ir_name(LLVMGetCalledValue(inst));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(families); i++)
        found |= mpass_ir_starts_with(name, families[i]);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(others); i++)
        found &= strstr(name, others[i]) == NULL;
    return found;
}

static bool is_unoptimized(LLVMValueRef inst)
{
    return LLVMGetEnumAttributeAtIndex(
               LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)),
               LLVMAttributeFunctionIndex,
               LLVMGetEnumAttributeKindForName("optnone", 7)) != NULL;
}

/* True for a function of the C library that accesses memory and that the
 * runtime does not count; without optimization, also for one of the C++
 * library, because there the only accesses to an object may be in std::string's
 * functions. */
static bool is_library_access(LLVMValueRef call)
{
    return mpass_libc_is_uncounted(call) ||
           mpass_libc_counts_if_dynamic(call) ||
           (is_unoptimized(call) && mpass_std_is(call));
}

static bool is_address_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 64;
}

/* Reports the addresses of a gather or scatter whose base is null: the
 * first vector of integers behind it. */
static void plan_lanes(struct mpass_context *context, LLVMValueRef call,
                       unsigned base, struct mpass_plan *plan)
{
    const unsigned count = LLVMGetNumArgOperands(call);
    unsigned i = base + 1;

    while (i < count && !is_address_vector(LLVMTypeOf(LLVMGetOperand(call, i))))
        i++;
    if (i < count && LLVMIsAConstant(LLVMGetOperand(call, i)) == NULL)
        mpass_plan_add(context, plan,
                       &(struct mpass_access){.kind = MPASS_ACCESS_UNSEEN,
                                              .inst = call,
                                              .addr = LLVMGetOperand(call, i),
                                              .count = 1});
}

static void plan_pointers(struct mpass_context *context, LLVMValueRef call,
                          struct mpass_plan *plan)
{
    const unsigned count = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; i < count; i++) {
        const LLVMValueRef value = LLVMGetOperand(call, i);

        if (mpass_ir_is_pointer(LLVMTypeOf(value)) && LLVMIsNull(value) &&
            LLVMIsAIntrinsicInst(call) != NULL)
            plan_lanes(context, call, i, plan);
        else if (mpass_ir_is_pointer(LLVMTypeOf(value)) ||
                 is_pointer_vector(LLVMTypeOf(value)))
            report(context, call, value, plan);
    }
}

/* Reports the names in paths (std::filesystem::path), which the library reads.
 */
static void plan_paths(struct mpass_context *context, LLVMValueRef call,
                       struct mpass_plan *plan)
{
    static const char reference[] = "dereferenceable";
    const unsigned kind =
        LLVMGetEnumAttributeKindForName(reference, strlen(reference));
    const unsigned count = LLVMGetNumArgOperands(call);

    for (unsigned i = 0; i < count; i++) {
        const LLVMAttributeRef attribute =
            LLVMGetCallSiteEnumAttribute(call, i + 1, kind);

        if (attribute != NULL &&
            LLVMGetEnumAttributeValue(attribute) >= sizeof(uint64_t))
            report_content(context, call, LLVMGetOperand(call, i), plan);
    }
}

/* Few accesses of the C++ library are not counted, but without them a copy
 * would be called only read, or a block never read. */
static void plan_uncounted(struct mpass_context *context, LLVMValueRef call,
                           struct mpass_plan *plan)
{
    if (mpass_std_changes_string(call))
        report_content(context, call, LLVMGetOperand(call, 0), plan);
    else if (mpass_std_reads_string(call))
        report_content(context, call, LLVMGetOperand(call, 1), plan);
    else if (mpass_std_is_filesystem(call))
        plan_paths(context, call, plan);
    else if (mpass_std_writes_characters(call))
        plan_pointers(context, call, plan);
}

/* False if the text is white space or one line of comment. */
static bool has_instruction(const char *assembly)
{
    static const char space[] = " \t\n\v\f\r";

    assembly += strspn(assembly, space);
    if (*assembly == '#') {
        assembly += strcspn(assembly, "\n");
        assembly += strspn(assembly, space);
    }
    return *assembly != '\0';
}

/* -- Entry points ----------------------------------------------------------- */

void mpass_unseen_plan(struct mpass_context *context, LLVMValueRef inst,
                       struct mpass_plan *plan)
{
    const bool reports =
        context->options.instrument_reads && context->options.instrument_writes;
    const char *const constraints = mpass_ir_constraints(inst);

    if (constraints == NULL) {
        if (reports && is_access(inst) && mpass_ir_may_access(inst))
            plan_pointers(context, inst, plan);
        else if (mpass_ir_is_call(inst) && LLVMIsAIntrinsicInst(inst) == NULL) {
            plan_by_value(context, inst, plan);
            mpass_libstdcxx_plan(context, inst, plan);
            mpass_libc_plan_lock(context, inst, plan);
            if (reports && mpass_std_searches_string(inst))
                report_content(context, inst, LLVMGetOperand(inst, 0), plan);
            if (reports &&
                (is_library_access(inst) || mpass_std_accesses_data(inst)))
                plan_pointers(context, inst, plan);
            else if (reports && mpass_std_has_object(inst))
                report(context, inst, LLVMGetOperand(inst, 0), plan);
            if (mpass_context_is_rw(context))
                plan_uncounted(context, inst, plan);
        }
    } else if (mpass_ir_may_access(inst) &&
               has_instruction(mpass_ir_assembly(inst))) {
        plan_assembly(context, inst, constraints, reports, plan);
    }
}

static void emit_call(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef function, LLVMTypeRef type,
                      LLVMValueRef addr, bool is_indirect)
{
    const LLVMBuilderRef builder = mpass_emit_before(context, before);

    if (is_indirect)
        addr = LLVMBuildLoad2(builder, context->ptr, addr, "");
    if (!mpass_ir_is_pointer(LLVMTypeOf(addr)))
        addr = LLVMBuildIntToPtr(builder, addr, context->ptr, "");
    LLVMSetMetadata(LLVMBuildCall2(builder, type, function, &addr, 1, ""),
                    context->nosanitize_kind,
                    LLVMMDNodeInContext(context->llvm, NULL, 0));
}

void mpass_unseen_emit(struct mpass_context *context,
                       const struct mpass_update *update)
{
    const LLVMTypeRef type =
        LLVMFunctionType(context->void_type, &context->ptr, 1, false);
    const LLVMValueRef addr = update->access->addr;
    const bool is_vector =
        LLVMGetTypeKind(LLVMTypeOf(addr)) == LLVMVectorTypeKind;
    const unsigned lanes =
        is_vector ? mpass_ir_fixed_lanes(LLVMTypeOf(addr)) : 1;
    LLVMValueRef function;
    const LLVMValueRef before = mpass_emit_if_defined(
        context,
        update->access->in_static ? MPROF_SYM_UNSEEN_STATIC : MPROF_SYM_UNSEEN,
        type, update->before, &function);

    for (unsigned i = 0; i < lanes; i++) {
        const LLVMBuilderRef builder = mpass_emit_before(context, before);

        emit_call(context, before, function, type,
                  is_vector
                      ? LLVMBuildExtractElement(
                            builder, addr, mpass_ir_int(context->intptr, i), "")
                      : addr,
                  update->access->type != NULL);
    }
}
