/* bridge_ir.cpp -- what LLVM-C lacks: one LLVM call per function, no logic.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CtorUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#pragma GCC visibility pop

#include "pass/support/pass.h"

#include <cstring>

using namespace llvm;

LLVMValueRef mpass_bridge_underlying_object(LLVMValueRef pointer)
{
    return wrap(getUnderlyingObject(unwrap(pointer)));
}

LLVMValueRef mpass_bridge_strip_inbounds_offsets(LLVMValueRef pointer)
{
    return wrap(unwrap(pointer)->stripInBoundsOffsets());
}

bool mpass_bridge_is_swifterror(LLVMValueRef value)
{
    return unwrap(value)->isSwiftError();
}

bool mpass_bridge_is_byval(LLVMValueRef value)
{
    const auto *argument = dyn_cast<Argument>(unwrap(value));
    return argument != nullptr && argument->hasByValAttr();
}

bool mpass_bridge_is_pic(LLVMModuleRef module)
{
    return unwrap(module)->getPICLevel() != PICLevel::NotPIC;
}

bool mpass_bridge_supports_comdat(LLVMModuleRef module)
{
    return mpass_compat_triple(*unwrap(module)).supportsCOMDAT();
}

bool mpass_bridge_is_emscripten(LLVMModuleRef module)
{
    return mpass_compat_triple(*unwrap(module)).isOSEmscripten();
}

void mpass_bridge_set_dso_local(LLVMValueRef global)
{
    unwrap<GlobalValue>(global)->setDSOLocal(true);
}

unsigned mpass_bridge_fixed_lanes(LLVMTypeRef vector)
{
    const auto *type = dyn_cast<FixedVectorType>(unwrap(vector));
    return type ? type->getNumElements() : 0;
}

char *mpass_bridge_counter_section(LLVMModuleRef module)
{
    const Triple triple = mpass_compat_triple(*unwrap(module));
    return strdup(getInstrProfSectionName(IPSK_cnts, triple.getObjectFormat(),
                                          /*AddSegmentInfo=*/false)
                      .c_str());
}

LLVMValueRef mpass_bridge_split_if(LLVMValueRef condition, LLVMValueRef inst)
{
    return wrap(SplitBlockAndInsertIfThen(
        unwrap(condition), unwrap<Instruction>(inst), /*Unreachable=*/false));
}

LLVMValueRef mpass_bridge_split_rarely(LLVMValueRef condition,
                                       LLVMValueRef inst)
{
    MDBuilder builder(unwrap(condition)->getContext());
    return wrap(SplitBlockAndInsertIfThen(
        unwrap(condition), unwrap<Instruction>(inst), /*Unreachable=*/false,
        builder.createBranchWeights(1, 1 << 16)));
}

LLVMValueRef mpass_bridge_create_ctor(LLVMModuleRef module, const char *ctor,
                                      const char *init, const char *check)
{
    return wrap(createSanitizerCtorAndInitFunctions(*unwrap(module), ctor, init,
                                                    {}, {}, check ? check : "")
                    .first);
}

LLVMValueRef mpass_bridge_create_weak_ctor(LLVMModuleRef module,
                                           const char *ctor, const char *init,
                                           unsigned number)
{
    Type *const type = Type::getInt32Ty(unwrap(module)->getContext());
    return wrap(createSanitizerCtorAndInitFunctions(
                    *unwrap(module), ctor, init, {type},
                    {ConstantInt::get(type, number)},
                    /*VersionCheckName=*/"", /*Weak=*/true)
                    .first);
}

bool mpass_bridge_llvm_defines(const char *name)
{
    return MPASS_LLVM_DEFINES(name);
}

void mpass_bridge_add_global_ctor(LLVMModuleRef module, LLVMValueRef function,
                                  int priority)
{
    appendToGlobalCtors(*unwrap(module), unwrap<Function>(function), priority);
}

void mpass_bridge_remove_global_ctor(LLVMModuleRef module,
                                     LLVMValueRef function)
{
    optimizeGlobalCtorsList(*unwrap(module), [&](uint32_t, Function *ctor) {
        return ctor == unwrap(function);
    });
}

void mpass_bridge_add_compiler_used(LLVMModuleRef module, LLVMValueRef global)
{
    appendToCompilerUsed(*unwrap(module), unwrap<GlobalValue>(global));
}

void mpass_bridge_remove_used(LLVMModuleRef module, LLVMValueRef global)
{
    removeFromUsedLists(*unwrap(module), [&](Constant *used) {
        return used->stripPointerCasts() == unwrap(global);
    });
}

bool mpass_bridge_has_uses(LLVMValueRef global)
{
    unwrap<Constant>(global)->removeDeadConstantUsers();
    return !unwrap(global)->use_empty();
}

void mpass_bridge_diagnose(LLVMContextRef context,
                           LLVMDiagnosticSeverity severity, const char *text)
{
    static_assert(int(LLVMDSError) == int(DS_Error) &&
                      int(LLVMDSNote) == int(DS_Note),
                  "both interfaces number severities alike");
    const Twine message(text);
    unwrap(context)->diagnose(mpass_compat_diagnostic(
        message, static_cast<DiagnosticSeverity>(severity)));
}
