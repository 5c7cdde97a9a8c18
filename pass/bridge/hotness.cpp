/* hotness.cpp -- LLVM's support for hot and cold allocations, for C. LLVM
 * before 19 lacks it; functions that depend on it do nothing there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#if MPASS_HAS_HINTS
#include "llvm/Analysis/MemoryProfileInfo.h"
#include "llvm/ProfileData/MemProf.h"
#include "llvm/Transforms/IPO/MemProfContextDisambiguation.h"
#endif
#pragma GCC visibility pop

#include "pass/bridge/hotness.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace llvm;

bool mpass_hotness_is_supported(void)
{
    return MPASS_HAS_HINTS;
}

size_t mpass_hotness_frames(LLVMValueRef inst, struct mpass_debug_frame *out,
                            size_t max)
{
    size_t count = 0;

    for (const DILocation *at = unwrap<Instruction>(inst)->getDebugLoc();
         at != nullptr; at = at->getInlinedAt(), count++) {
        const DISubprogram *function = at->getScope()->getSubprogram();
        if (count < max)
            out[count] = {function,
                          (at->getLine() - function->getLine()) & 0xffff,
                          at->getColumn()};
    }
    return count;
}

const char *mpass_hotness_function_name(const void *function, size_t *size)
{
    const auto *subprogram = static_cast<const DISubprogram *>(function);
    const StringRef name = subprogram->getLinkageName().empty()
                               ? subprogram->getName()
                               : subprogram->getLinkageName();
    *size = name.size();
    return name.data();
}

char *mpass_hotness_demangle(void *, const char *name)
{
    return strdup(demangle(name).c_str());
}

void mpass_hotness_place(LLVMValueRef inst, char *out, size_t size)
{
    const DILocation *at = unwrap<Instruction>(inst)->getDebugLoc();

    *out = '\0';
    if (at != nullptr)
        snprintf(out, size, "%s:%u:%u", at->getFilename().str().c_str(),
                 at->getLine(), at->getColumn());
}

/* -- Metadata and attributes ------------------------------------------------ */

#if MPASS_HAS_HINTS
uint64_t mpass_hotness_guid(const char *name, size_t size)
{
    return mpass_compat_guid(StringRef(name, size));
}

struct mpass_hotness_trie {
    memprof::CallStackTrie trie;
};

struct mpass_hotness_trie *mpass_hotness_trie_new(void)
{
    return new mpass_hotness_trie;
}

void mpass_hotness_trie_free(struct mpass_hotness_trie *trie)
{
    delete trie;
}

void mpass_hotness_trie_add(struct mpass_hotness_trie *trie,
                            enum mpass_hotness hotness, const uint64_t *frames,
                            size_t count)
{
    static const AllocationType types[] = {
        AllocationType::NotCold, AllocationType::Cold, AllocationType::Hot};

    trie->trie.addCallStack(types[hotness], ArrayRef<uint64_t>(frames, count));
}

bool mpass_hotness_trie_attach(struct mpass_hotness_trie *trie,
                               LLVMValueRef call)
{
    return trie->trie.buildAndAttachMIBMetadata(unwrap<CallBase>(call));
}

uint32_t mpass_hotness_cold_depth(LLVMValueRef call)
{
    const MDNode *stacks =
        unwrap<Instruction>(call)->getMetadata(LLVMContext::MD_memprof);
    uint32_t depth = 0;

    for (unsigned i = 0; stacks != nullptr && i < stacks->getNumOperands();
         i++) {
        const auto *stack = cast<MDNode>(stacks->getOperand(i));
        if (memprof::getMIBAllocType(stack) == AllocationType::Cold)
            depth = std::max(depth,
                             memprof::getMIBStackNode(stack)->getNumOperands());
    }
    return depth;
}

void mpass_hotness_set_frames(LLVMValueRef call, const uint64_t *frames,
                              size_t count)
{
    auto *inst = unwrap<CallBase>(call);
    inst->setMetadata(
        LLVMContext::MD_callsite,
        memprof::buildCallstackMetadata(ArrayRef<uint64_t>(frames, count),
                                        inst->getContext()));
}

void mpass_hotness_clone(LLVMModuleRef module, void *analyses)
{
    ModulePassManager passes;
    passes.addPass(MemProfContextDisambiguation());
    passes.run(*unwrap(module),
               *static_cast<ModuleAnalysisManager *>(analyses));
}

bool mpass_hotness_strip(LLVMValueRef inst)
{
    auto *i = unwrap<Instruction>(inst);
    if (!i->hasMetadata(LLVMContext::MD_memprof) &&
        !i->hasMetadata(LLVMContext::MD_callsite))
        return false;
    i->setMetadata(LLVMContext::MD_memprof, nullptr);
    i->setMetadata(LLVMContext::MD_callsite, nullptr);
    return true;
}
#else
uint64_t mpass_hotness_guid(const char *, size_t)
{
    return 0;
}

struct mpass_hotness_trie *mpass_hotness_trie_new(void)
{
    return nullptr;
}

void mpass_hotness_trie_free(struct mpass_hotness_trie *)
{
}

void mpass_hotness_trie_add(struct mpass_hotness_trie *, enum mpass_hotness,
                            const uint64_t *, size_t)
{
}

bool mpass_hotness_trie_attach(struct mpass_hotness_trie *, LLVMValueRef)
{
    return false;
}

void mpass_hotness_set_frames(LLVMValueRef, const uint64_t *, size_t)
{
}

uint32_t mpass_hotness_cold_depth(LLVMValueRef)
{
    return 0;
}

void mpass_hotness_clone(LLVMModuleRef, void *)
{
}

bool mpass_hotness_strip(LLVMValueRef)
{
    return false;
}
#endif

const char *mpass_hotness_attribute(LLVMValueRef call)
{
    return mpass_hotness_text(call, "memprof");
}

void mpass_hotness_set_attribute(LLVMValueRef call, const char *name,
                                 const char *value)
{
    auto *inst = unwrap<CallBase>(call);
    inst->removeAttributeAtIndex(AttributeList::FunctionIndex, name);
    inst->addFnAttr(Attribute::get(inst->getContext(), name, value));
}

const char *mpass_hotness_text(LLVMValueRef call, const char *name)
{
    /* LLVM's context owns the text, which ends with NUL. */
    const auto *inst = unwrap<CallBase>(call);
    const Attribute attribute = inst->getAttributes().getFnAttr(name);
    return attribute.isValid() ? attribute.getValueAsString().data() : "";
}

void mpass_hotness_remove_text(LLVMValueRef call, const char *name)
{
    unwrap<CallBase>(call)->removeAttributeAtIndex(AttributeList::FunctionIndex,
                                                   name);
}

bool mpass_hotness_copies_for_callers()
{
    return MPASS_COPIES_FOR_CALLERS;
}

uint64_t mpass_hotness_instructions(LLVMValueRef function)
{
    uint64_t count = 0;

    for (const BasicBlock &block : *unwrap<Function>(function)) {
        for (const Instruction &inst : block)
            count += !inst.isDebugOrPseudoInst();
    }
    return count;
}

void mpass_hotness_add_ctor(LLVMModuleRef module, LLVMValueRef function,
                            int priority)
{
    auto *ctor = unwrap<Function>(function);
    appendToGlobalCtors(*unwrap(module), ctor, priority,
                        ctor->hasComdat() ? ctor : nullptr);
}

bool mpass_hotness_is_same_copied(LLVMValueRef function)
{
    const auto *f = unwrap<Function>(function);

    if (f->isPresplitCoroutine() || f->hasFnAttribute(Attribute::Naked))
        return false;
    for (const BasicBlock &block : *f) {
        if (block.hasAddressTaken())
            return false;
        for (const Instruction &inst : block) {
            const auto *call = dyn_cast<CallBase>(&inst);
            if (call != nullptr &&
                (call->cannotDuplicate() ||
                 call->getIntrinsicID() == Intrinsic::localescape))
                return false;
        }
    }
    return true;
}

void mpass_hotness_make_alias(LLVMValueRef clone, LLVMValueRef original)
{
    auto *function = unwrap<Function>(clone);

    if (function->hasAvailableExternallyLinkage())
        return function->deleteBody();
    auto *alias = GlobalAlias::create(function->getLinkage(), "",
                                      unwrap<Function>(original));
    alias->takeName(function);
    alias->setVisibility(function->getVisibility());
    alias->setDSOLocal(function->isDSOLocal());
    function->replaceAllUsesWith(alias);
    function->eraseFromParent();
}

void mpass_hotness_make_own(LLVMValueRef global)
{
    auto *value = unwrap<GlobalValue>(global);
    value->setLinkage(GlobalValue::InternalLinkage);
    value->setVisibility(GlobalValue::DefaultVisibility);
    value->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    value->setDSOLocal(true);
    if (auto *object = dyn_cast<GlobalObject>(value))
        object->setComdat(nullptr);
}

bool mpass_hotness_is_before_link(LLVMModuleRef module)
{
    /* Clang sets this flag when it writes bitcode for LTO. */
    return unwrap(module)->getModuleFlag("EnableSplitLTOUnit") != nullptr;
}

/* -- Calls ------------------------------------------------------------------ */

LLVMValueRef mpass_hotness_call_with(LLVMValueRef call, LLVMValueRef callee,
                                     LLVMValueRef argument)
{
    auto *old = unwrap<CallBase>(call);
    auto *target = unwrap<Function>(callee);
    SmallVector<Value *, 8> arguments(old->args());
    SmallVector<OperandBundleDef, 1> bundles;
    IRBuilder<> builder(old);
    CallBase *made;

    arguments.push_back(unwrap(argument));
    old->getOperandBundlesAsDefs(bundles);
    if (auto *invoke = dyn_cast<InvokeInst>(old))
        made =
            builder.CreateInvoke(target, invoke->getNormalDest(),
                                 invoke->getUnwindDest(), arguments, bundles);
    else
        made = builder.CreateCall(target, arguments, bundles);
    if (auto *plain = dyn_cast<CallInst>(old))
        cast<CallInst>(made)->setTailCallKind(plain->getTailCallKind());
    made->takeName(old);
    made->setAttributes(old->getAttributes());
    made->addParamAttr(made->arg_size() - 1, Attribute::ZExt);
    made->setCallingConv(old->getCallingConv());
    made->copyMetadata(*old);
    old->replaceAllUsesWith(made);
    old->eraseFromParent();
    return wrap(made);
}

void mpass_hotness_copy_attributes(LLVMValueRef to, LLVMValueRef from)
{
    auto *target = unwrap<Function>(to);
    target->setAttributes(unwrap<Function>(from)->getAttributes());
    target->addParamAttr(target->arg_size() - 1, Attribute::ZExt);
}

void mpass_hotness_set_family(LLVMValueRef call, const char *family,
                              bool is_aligned)
{
    auto *inst = unwrap<CallBase>(call);
    const AllocFnKind kind =
        AllocFnKind::Alloc | AllocFnKind::Uninitialized |
        (is_aligned ? AllocFnKind::Aligned : AllocFnKind::Unknown);
    inst->addFnAttr(Attribute::get(inst->getContext(), Attribute::AllocKind,
                                   static_cast<uint64_t>(kind)));
    mpass_hotness_set_attribute(call, "alloc-family", family);
}

void mpass_hotness_forget_new(LLVMValueRef call)
{
    unwrap<CallBase>(call)->removeFnAttr(Attribute::Builtin);
}

bool mpass_hotness_is_no_builtin(LLVMValueRef call)
{
    return unwrap<CallBase>(call)->isNoBuiltin();
}

bool mpass_hotness_returns_block(LLVMValueRef function)
{
    const auto *f = unwrap<Function>(function);
    return f->getReturnType()->isPointerTy() &&
           (f->returnDoesNotAlias() || f->hasFnAttribute(Attribute::AllocSize));
}

/* -- Remarks ---------------------------------------------------------------- */

void mpass_hotness_remark(LLVMValueRef inst, bool passed, const char *name,
                          const char *text)
{
    auto *at = unwrap<Instruction>(inst);
    OptimizationRemarkEmitter emitter(at->getFunction());

    if (passed)
        emitter.emit(OptimizationRemark("memprof", name, at) << text);
    else
        emitter.emit(OptimizationRemarkMissed("memprof", name, at) << text);
}
