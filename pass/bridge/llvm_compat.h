/* llvm_compat.h -- every difference between LLVM versions that this folder has
 * to know. Only the bridges include it; the C files see none of it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_LLVM_COMPAT_H
#define MPASS_LLVM_COMPAT_H

#include "llvm/Config/llvm-config.h"

#include "shared/abi.h"

#include <cstring>

/* The plugin interface moved in 22. */
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

#if LLVM_VERSION_MAJOR >= 17
#include "llvm/IR/EHPersonalities.h"
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#include "llvm/Analysis/EHPersonalities.h"
#endif

/* GUID of a linkage name in a memory profile; the file includes MemProf.h. */
#if LLVM_VERSION_MAJOR >= 20
#define mpass_compat_guid(name) llvm::memprof::getGUID(name)
#else
#define mpass_compat_guid(name) \
    llvm::memprof::IndexedMemProfRecord::getGUID(name)
#endif

/* From 20 on, OptimizerLast callbacks are told the LTO phase. */
#if LLVM_VERSION_MAJOR >= 20
#define MPASS_OPTIMIZER_LAST_ARGS                              \
    llvm::ModulePassManager &manager, llvm::OptimizationLevel, \
        llvm::ThinOrFullLTOPhase phase
#define MPASS_IS_BEFORE_LINK                              \
    (phase == llvm::ThinOrFullLTOPhase::ThinLTOPreLink || \
     phase == llvm::ThinOrFullLTOPhase::FullLTOPreLink)
#else
#define MPASS_OPTIMIZER_LAST_ARGS \
    llvm::ModulePassManager &manager, llvm::OptimizationLevel
/* The module knows what it was made for; what it is in now is the host's
 * affair: clang compiles, lld links. */
#define MPASS_IS_BEFORE_LINK is_in_clang()
#endif

/* From 22 on, a plugin can add passes to code generation. Clang runs no other
 * pass of a plugin where it compiles with the index of a link. */
#define MPASS_HAS_CODEGEN_CALLBACK (LLVM_VERSION_MAJOR >= 22)
#if MPASS_HAS_CODEGEN_CALLBACK
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#endif

/* LLVM 16 cannot use a memory profile from a pass pipeline. */
#define MPASS_HAS_PROFILE_USE (LLVM_VERSION_MAJOR >= 17)

/* Cloning by calling context, which LLVM has had whole from 19 on. */
#define MPASS_HAS_HINTS (LLVM_VERSION_MAJOR >= 19)
/* Seen with 22, not with 19. */
#define MPASS_COPIES_FOR_CALLERS (LLVM_VERSION_MAJOR >= 22)

/* From 21 on, a module holds its triple as a Triple. */
static inline llvm::Triple mpass_compat_triple(const llvm::Module &module)
{
    return llvm::Triple(module.getTargetTriple());
}

/* True unless it is known that programs of this target have no runtime. */
static inline bool mpass_compat_has_runtime(const llvm::Triple &triple)
{
    return triple.getArch() == llvm::Triple::UnknownArch ||
           (triple.getArch() == llvm::Triple::x86_64 && triple.isOSLinux() &&
            !triple.isX32());
}

/* A diagnostic that is a text only: before 20, LLVM itself takes the one for
 * inline assembly. */
#if LLVM_VERSION_MAJOR >= 20
using mpass_compat_diagnostic = llvm::DiagnosticInfoGeneric;
#else
using mpass_compat_diagnostic = llvm::DiagnosticInfoInlineAsm;
#endif

/* LLVM's module pass defines the program's default options from 20 on, and the
 * flag of histograms from 19 on. */
#define MPASS_LLVM_DEFINES(name)                            \
    ((LLVM_VERSION_MAJOR >= 20 ||                           \
      std::strcmp(name, MPROF_SYM_DEFAULT_OPTIONS) != 0) && \
     (LLVM_VERSION_MAJOR >= 19 ||                           \
      std::strcmp(name, MPROF_SYM_HISTOGRAM_FLAG) != 0))

/* How pass instrumentation names LLVM's passes that we stand in for. */
#define MPASS_LLVM_COUNT_PASS "MemProfilerPass"
#define MPASS_LLVM_MODULE_PASS "ModuleMemProfilerPass"
#define MPASS_LLVM_USE_PASS "MemProfUsePass"
#define MPASS_LLVM_CLONE_PASS "MemProfContextDisambiguation"

#endif
