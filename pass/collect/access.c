/* access.c -- finds the memory accesses of an instruction that are counted.
 *
 * The rules are those of LLVM's own pass, so that totals agree on the same IR:
 * each load, store, atomicrmw and cmpxchg counts one access, a masked load or
 * store one per selected lane, whatever the size.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/access.h"

#include "pass/bridge/ir.h"
#include "pass/collect/steps.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <string.h>

static bool is_intrinsic(LLVMValueRef inst, const char *name)
{
    if (LLVMIsACallInst(inst) == NULL)
        return false;
    const LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(inst));
    return callee != NULL && LLVMGetIntrinsicID(callee) != 0 &&
           LLVMGetIntrinsicID(callee) ==
               LLVMLookupIntrinsicID(name, strlen(name));
}

/* Size of a value in memory; for a scalable vector the minimum. */
static uint64_t stored_bytes(LLVMTargetDataRef layout, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMScalableVectorTypeKind)
        return LLVMStoreSizeOfType(layout, type);
    return LLVMStoreSizeOfType(layout, LLVMGetElementType(type)) *
           LLVMGetVectorSize(type);
}

static struct mpass_access one(LLVMValueRef inst, unsigned addr_operand,
                               LLVMTypeRef type, bool is_write)
{
    return (struct mpass_access){.kind = MPASS_ACCESS_ONE,
                                 .inst = inst,
                                 .addr = LLVMGetOperand(inst, addr_operand),
                                 .type = type,
                                 .is_write = is_write,
                                 .count = 1};
}

/* The mask is the last argument of a masked store and the last but one of a
 * masked load; the alignment before it went away in LLVM 22. */
static struct mpass_access masked(LLVMValueRef inst, bool is_write)
{
    const unsigned count = LLVMGetNumArgOperands(inst);
    const LLVMTypeRef type =
        LLVMTypeOf(is_write ? LLVMGetOperand(inst, 0) : inst);
    struct mpass_access access = one(inst, is_write ? 1 : 0, type, is_write);

    access.kind = MPASS_ACCESS_MASKED;
    access.mask = LLVMGetOperand(inst, count - (is_write ? 1 : 2));
    return access;
}

static struct mpass_access both(LLVMValueRef inst)
{
    struct mpass_access access =
        one(inst, 0, LLVMTypeOf(LLVMGetOperand(inst, 1)), true);

    access.is_both = true;
    return access;
}

/* The access by kind of instruction and options, whatever the address. */
static struct mpass_access classify(const struct mpass_options *options,
                                    LLVMValueRef inst)
{
    const struct mpass_access none = {.kind = MPASS_ACCESS_NONE};

    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        return options->instrument_reads ? one(inst, 0, LLVMTypeOf(inst), false)
                                         : none;
    case LLVMStore:
        return options->instrument_writes
                   ? one(inst, 1, LLVMTypeOf(LLVMGetOperand(inst, 0)), true)
                   : none;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return options->instrument_atomics ? both(inst) : none;
    case LLVMCall:
        if (is_intrinsic(inst, "llvm.masked.load"))
            return options->instrument_reads ? masked(inst, false) : none;
        if (is_intrinsic(inst, "llvm.masked.store"))
            return options->instrument_writes ? masked(inst, true) : none;
        if (mpass_memintrin_is(inst))
            return (struct mpass_access){.kind = MPASS_ACCESS_MEMINTRIN,
                                         .inst = inst};
        return none;
    default:
        return none;
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t text_len = strlen(text);
    const size_t end_len = strlen(end);

    return text_len >= end_len && strcmp(text + text_len - end_len, end) == 0;
}

/* True for variables that the compiler inserts to count for PGO and coverage.
 */
static bool is_compilers_own(const struct mpass_context *context,
                             LLVMValueRef addr)
{
    const LLVMValueRef global =
        LLVMIsAGlobalVariable(mpass_ir_strip_inbounds_offsets(addr));

    if (global == NULL)
        return false;
    const char *const section = LLVMGetSection(global);
    if (section != NULL && *section != '\0' &&
        ends_with(section, context->counter_section))
        return true;
    return strncmp(mpass_ir_name(global), MPROF_SYM_LLVM_PREFIX,
                   strlen(MPROF_SYM_LLVM_PREFIX)) == 0 ||
           strcmp(mpass_ir_name(global), MPROF_SYM_CHECKS) == 0;
}

void mpass_access_finish(const struct mpass_context *context,
                         struct mpass_access *access)
{
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(access->addr)) != 0 ||
        mpass_ir_is_swifterror(access->addr) ||
        is_compilers_own(context, access->addr))
        access->kind = MPASS_ACCESS_NONE;
    /* The number of lanes of a scalable vector is known only at run time.
     * LLVM's pass fails on such accesses; we do not count them. */
    if (access->kind == MPASS_ACCESS_MASKED &&
        mpass_ir_fixed_lanes(access->type) == 0)
        access->kind = MPASS_ACCESS_NONE;
    else if (context->mode == MPASS_MODE_RW_BYTES ||
             context->mode == MPASS_MODE_FIELDS ||
             context->mode == MPASS_MODE_THREADS)
        access->bytes =
            stored_bytes(context->layout, access->kind == MPASS_ACCESS_MASKED
                                              ? LLVMGetElementType(access->type)
                                              : access->type);
}

struct mpass_access mpass_access_of(const struct mpass_context *context,
                                    LLVMValueRef inst)
{
    struct mpass_access access = classify(&context->options, inst);

    if (access.addr != NULL)
        mpass_access_finish(context, &access);
    return access;
}
