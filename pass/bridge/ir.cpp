/* ir.cpp -- reads and changes IR where LLVM-C lacks a function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/ModRef.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CtorUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#pragma GCC visibility pop

#include "pass/bridge/ir.h"
#include "shared/code_format.h"

#include <cstring>

using namespace llvm;

LLVMValueRef mpass_ir_underlying_object(LLVMValueRef pointer)
{
    return wrap(getUnderlyingObject(unwrap(pointer)));
}

LLVMValueRef mpass_ir_strip_inbounds_offsets(LLVMValueRef pointer)
{
    return wrap(unwrap(pointer)->stripInBoundsOffsets());
}

bool mpass_ir_is_swifterror(LLVMValueRef value)
{
    return unwrap(value)->isSwiftError();
}

bool mpass_ir_is_byval(LLVMValueRef value)
{
    const auto *argument = dyn_cast<Argument>(unwrap(value));
    return argument != nullptr && argument->hasByValAttr();
}

bool mpass_ir_is_pic(LLVMModuleRef module)
{
    return unwrap(module)->getPICLevel() != PICLevel::NotPIC;
}

bool mpass_ir_is_for_executable(LLVMModuleRef module)
{
    return unwrap(module)->getPICLevel() == PICLevel::NotPIC ||
           unwrap(module)->getPIELevel() != PIELevel::Default;
}

bool mpass_ir_supports_comdat(LLVMModuleRef module)
{
    return mpass_compat_triple(*unwrap(module)).supportsCOMDAT();
}

bool mpass_ir_is_emscripten(LLVMModuleRef module)
{
    return mpass_compat_triple(*unwrap(module)).isOSEmscripten();
}

bool mpass_ir_has_runtime(LLVMModuleRef module)
{
    return mpass_compat_has_runtime(mpass_compat_triple(*unwrap(module)));
}

const char *mpass_ir_code_section(LLVMModuleRef module)
{
    const Triple triple = mpass_compat_triple(*unwrap(module));
    const auto model = unwrap(module)->getCodeModel();

    if (triple.getArch() != Triple::x86_64 || !triple.isOSBinFormatELF())
        return nullptr;
    return model && (*model == CodeModel::Medium || *model == CodeModel::Large)
               ? MPROF_CODE_SECTION_WIDE MPROF_CODE_IR_OPTION
               : MPROF_CODE_SECTION MPROF_CODE_IR_OPTION;
}

void mpass_ir_record_code(LLVMValueRef function, const char *section)
{
    auto *const f = unwrap<Function>(function);
    auto *const name = MDString::get(f->getContext(), section);

    f->setMetadata(
        LLVMContext::MD_pcsections,
        MDNode::concatenate(f->getMetadata(LLVMContext::MD_pcsections),
                            MDNode::get(f->getContext(), name)));
}

bool mpass_ir_is_code_recorded(LLVMValueRef function)
{
    return unwrap<Function>(function)->hasMetadata(LLVMContext::MD_pcsections);
}

void mpass_ir_set_dso_local(LLVMValueRef global)
{
    unwrap<GlobalValue>(global)->setDSOLocal(true);
}

bool mpass_ir_is_interposable(LLVMValueRef global)
{
    return unwrap<GlobalValue>(global)->isInterposable();
}

bool mpass_ir_is_local(LLVMValueRef global)
{
    return unwrap<GlobalValue>(global)->hasLocalLinkage();
}

bool mpass_ir_is_exact(LLVMValueRef function)
{
    return unwrap<Function>(function)->hasExactDefinition();
}

bool mpass_ir_has_address_taken(LLVMValueRef function)
{
    return unwrap<Function>(function)->hasAddressTaken();
}

LLVMValueRef mpass_ir_copy_function(LLVMValueRef function)
{
    ValueToValueMapTy values;
    return wrap(CloneFunction(unwrap<Function>(function), values));
}

unsigned mpass_ir_fixed_lanes(LLVMTypeRef vector)
{
    const auto *type = dyn_cast<FixedVectorType>(unwrap(vector));
    return type ? type->getNumElements() : 0;
}

char *mpass_ir_counter_section(LLVMModuleRef module)
{
    const Triple triple = mpass_compat_triple(*unwrap(module));
    return strdup(getInstrProfSectionName(IPSK_cnts, triple.getObjectFormat(),
                                          /*AddSegmentInfo=*/false)
                      .c_str());
}

LLVMValueRef mpass_ir_split_if(LLVMValueRef condition, LLVMValueRef inst)
{
    return wrap(SplitBlockAndInsertIfThen(
        unwrap(condition), unwrap<Instruction>(inst), /*Unreachable=*/false));
}

LLVMValueRef mpass_ir_split_rarely(LLVMValueRef condition, LLVMValueRef inst)
{
    MDBuilder builder(unwrap(condition)->getContext());
    return wrap(SplitBlockAndInsertIfThen(
        unwrap(condition), unwrap<Instruction>(inst), /*Unreachable=*/false,
        builder.createBranchWeights(1, 1 << 16)));
}

bool mpass_ir_returns_twice(LLVMValueRef function)
{
    return unwrap<Function>(function)->callsFunctionThatReturnsTwice();
}

bool mpass_ir_has_funclets(LLVMValueRef function)
{
    const auto *f = unwrap<Function>(function);
    return f->hasPersonalityFn() &&
           isScopedEHPersonality(classifyEHPersonality(f->getPersonalityFn()));
}

void mpass_ir_promote(LLVMValueRef function, LLVMValueRef *allocas,
                      size_t count)
{
    DominatorTree dominators(*unwrap<Function>(function));
    SmallVector<AllocaInst *, 16> list;

    for (size_t i = 0; i < count; i++)
        list.push_back(unwrap<AllocaInst>(allocas[i]));
    PromoteMemToReg(list, dominators);
}

LLVMValueRef mpass_ir_simplified(LLVMValueRef inst, LLVMTargetDataRef layout)
{
    return wrap(simplifyInstruction(unwrap<Instruction>(inst),
                                    SimplifyQuery(*unwrap(layout))));
}

unsigned mpass_ir_call_traits(LLVMValueRef call)
{
    const auto *c = unwrap<CallBase>(call);
    unsigned traits = 0;

    traits |= c->doesNotThrow() ? MPASS_CALL_NO_THROW : 0;
    traits |= c->hasFnAttr(Attribute::WillReturn) ? MPASS_CALL_WILL_RETURN : 0;
    traits |= c->hasFnAttr(Attribute::NoFree) ? MPASS_CALL_NO_FREE : 0;
    traits |= c->hasFnAttr(Attribute::NoSync) ? MPASS_CALL_NO_SYNC : 0;
    traits |= c->onlyReadsMemory() ? MPASS_CALL_ONLY_READS : 0;
    traits |=
        c->hasFnAttr(Attribute::ReturnsTwice) ? MPASS_CALL_RETURNS_TWICE : 0;
    traits |= c->doesNotReturn() ? MPASS_CALL_NO_RETURN : 0;
    return traits;
}

LLVMValueRef mpass_ir_first(LLVMValueRef function)
{
    auto *f = unwrap<Function>(function);
    return f->empty() ? nullptr : wrap(&f->front().front());
}

LLVMValueRef mpass_ir_next(LLVMValueRef inst)
{
    auto *i = unwrap<Instruction>(inst);
    if (auto *next = i->getNextNode())
        return wrap(next);
    auto *block = i->getParent()->getNextNode();
    return block != nullptr ? wrap(&block->front()) : nullptr;
}

bool mpass_ir_is_call(LLVMValueRef inst)
{
    return isa<CallInst, InvokeInst>(unwrap(inst));
}

bool mpass_ir_has_attribute(LLVMValueRef function, const char *name)
{
    return unwrap<Function>(function)->hasFnAttribute(
        Attribute::getAttrKindFromName(name));
}

bool mpass_ir_is_must_tail(LLVMValueRef call)
{
    const auto *c = dyn_cast<CallInst>(unwrap(call));
    return c != nullptr && c->isMustTailCall();
}

/* True for instructions that become no machine code. */
static bool is_no_code(const Instruction &inst)
{
    return inst.isDebugOrPseudoInst() || inst.isLifetimeStartOrEnd();
}

/* The return at the end of the block, or of a successor that does nothing but
 * return; NULL if there is none. */
static ReturnInst *return_of(BasicBlock *block)
{
    auto *branch = dyn_cast_or_null<BranchInst>(block->getTerminator());

    if (branch == nullptr || branch->isConditional())
        return dyn_cast_or_null<ReturnInst>(block->getTerminator());
    for (Instruction &inst : *branch->getSuccessor(0)) {
        if (!isa<PHINode>(inst) && !is_no_code(inst))
            return dyn_cast<ReturnInst>(&inst);
    }
    return nullptr;
}

LLVMValueRef mpass_ir_tail_call(LLVMBasicBlockRef block)
{
    BasicBlock *const b = unwrap(block);
    ReturnInst *const end = return_of(b);
    const Instruction *last = end != nullptr ? b->getTerminator() : nullptr;

    do
        last = last != nullptr ? last->getPrevNode() : nullptr;
    while (last != nullptr && is_no_code(*last));
    const auto *call = dyn_cast_or_null<CallInst>(last);
    if (call == nullptr || !call->isTailCall() || call->isInlineAsm() ||
        isa<IntrinsicInst>(call))
        return nullptr;
    if (!call->isMustTailCall() &&
        b->getParent()->getFnAttribute("disable-tail-calls").getValueAsBool())
        return nullptr;
    const Value *result = end->getReturnValue();
    if (result != nullptr && end->getParent() != b)
        result = result->DoPHITranslation(end->getParent(), b);
    return result == nullptr || result == call ? wrap(call) : nullptr;
}

bool mpass_ir_is_jump(LLVMValueRef inst)
{
    BasicBlock *const block = unwrap<Instruction>(inst)->getParent();
    return isa<ReturnInst>(block->getTerminator()) &&
           mpass_ir_tail_call(wrap(block)) == inst;
}

void mpass_ir_return_at_end(LLVMBasicBlockRef block)
{
    ReturnInst *const end = return_of(unwrap(block));
    BasicBlock *const last = end->getParent();

    if (last == unwrap(block))
        return;
    FoldReturnIntoUncondBranch(end, last, unwrap(block));
    if (pred_empty(last))
        DeleteDeadBlock(last);
}

void mpass_ir_forbid_tail_call(LLVMValueRef call)
{
    auto *const c = dyn_cast<CallInst>(unwrap(call));
    if (c != nullptr && !c->isMustTailCall())
        c->setTailCallKind(CallInst::TCK_NoTail);
}

const char *mpass_ir_assembly(LLVMValueRef inst)
{
    const auto *call = dyn_cast<CallBase>(unwrap<Instruction>(inst));

    /* LLVM keeps the text as a std::string, so it ends with NUL. */
    return call == nullptr || !call->isInlineAsm()
               ? nullptr
               : cast<InlineAsm>(call->getCalledOperand())
                     ->getAsmString()
                     .data();
}

bool mpass_ir_may_access(LLVMValueRef call)
{
    return isModOrRefSet(unwrap<CallBase>(call)->getMemoryEffects().getModRef(
        MemoryEffects::Location::ArgMem));
}

const char *mpass_ir_constraints(LLVMValueRef inst)
{
    const auto *call = dyn_cast<CallBase>(unwrap<Instruction>(inst));

    /* LLVM keeps the text as a std::string, so it ends with NUL. */
    return call == nullptr || !call->isInlineAsm()
               ? nullptr
               : cast<InlineAsm>(call->getCalledOperand())
                     ->getConstraintString()
                     .data();
}

bool mpass_ir_is_volatile(LLVMValueRef inst)
{
    return unwrap<Instruction>(inst)->isVolatile();
}

bool mpass_ir_is_atomic(LLVMValueRef inst)
{
    return unwrap<Instruction>(inst)->isAtomic();
}

LLVMValueRef mpass_ir_first_point(LLVMBasicBlockRef block)
{
    return wrap(&*unwrap(block)->getFirstInsertionPt());
}

bool mpass_ir_is_critical_edge(LLVMValueRef terminator, LLVMBasicBlockRef to)
{
    const auto *branch = unwrap<Instruction>(terminator);
    return isCriticalEdge(branch,
                          GetSuccessorNumber(branch->getParent(), unwrap(to)));
}

LLVMValueRef mpass_ir_split_critical_edge(LLVMValueRef terminator,
                                          LLVMBasicBlockRef to)
{
    auto *branch = unwrap<Instruction>(terminator);
    BasicBlock *between = SplitKnownCriticalEdge(
        branch, GetSuccessorNumber(branch->getParent(), unwrap(to)),
        CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
    return between ? wrap(between->getTerminator()) : nullptr;
}

LLVMValueRef mpass_ir_create_ctor(LLVMModuleRef module, const char *ctor,
                                  const char *init, const char *check)
{
    return wrap(createSanitizerCtorAndInitFunctions(*unwrap(module), ctor, init,
                                                    {}, {}, check ? check : "")
                    .first);
}

LLVMValueRef mpass_ir_create_weak_ctor(LLVMModuleRef module, const char *ctor,
                                       const char *init, unsigned number)
{
    Type *const type = Type::getInt32Ty(unwrap(module)->getContext());
    return wrap(createSanitizerCtorAndInitFunctions(
                    *unwrap(module), ctor, init, {type},
                    {ConstantInt::get(type, number)},
                    /*VersionCheckName=*/"", /*Weak=*/true)
                    .first);
}

bool mpass_ir_llvm_defines(const char *name)
{
    return MPASS_LLVM_DEFINES(name);
}

void mpass_ir_add_global_ctor(LLVMModuleRef module, LLVMValueRef function,
                              int priority)
{
    appendToGlobalCtors(*unwrap(module), unwrap<Function>(function), priority);
}

void mpass_ir_remove_global_ctor(LLVMModuleRef module, LLVMValueRef function)
{
    optimizeGlobalCtorsList(*unwrap(module), [&](uint32_t, Function *ctor) {
        return ctor == unwrap(function);
    });
}

void mpass_ir_add_compiler_used(LLVMModuleRef module, LLVMValueRef global)
{
    appendToCompilerUsed(*unwrap(module), unwrap<GlobalValue>(global));
}

void mpass_ir_remove_used(LLVMModuleRef module, LLVMValueRef global)
{
    removeFromUsedLists(*unwrap(module), [&](Constant *used) {
        return used->stripPointerCasts() == unwrap(global);
    });
}

bool mpass_ir_has_uses(LLVMValueRef global)
{
    unwrap<Constant>(global)->removeDeadConstantUsers();
    return !unwrap(global)->use_empty();
}

void mpass_ir_diagnose(LLVMContextRef context, LLVMDiagnosticSeverity severity,
                       const char *text)
{
    static_assert(int(LLVMDSError) == int(DS_Error) &&
                      int(LLVMDSNote) == int(DS_Note),
                  "both interfaces number severities alike");
    const Twine message(text);
    unwrap(context)->diagnose(mpass_compat_diagnostic(
        message, static_cast<DiagnosticSeverity>(severity)));
}
