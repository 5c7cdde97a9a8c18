/* llvm_compat.h -- all differences between LLVM versions. Only C++ files
 * include it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

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
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

#if LLVM_VERSION_MAJOR >= 17
#include "llvm/IR/EHPersonalities.h"
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#include "llvm/Analysis/EHPersonalities.h"
#endif

/* GUID of a linkage name in a memory profile; the user includes MemProf.h. */
#if LLVM_VERSION_MAJOR >= 20
#define mpass_compat_guid(name) llvm::memprof::getGUID(name)
#else
#define mpass_compat_guid(name) \
    llvm::memprof::IndexedMemProfRecord::getGUID(name)
#endif

/* Since 20, OptimizerLast callbacks get the LTO phase as an argument. */
#if LLVM_VERSION_MAJOR >= 20
#define MPASS_OPTIMIZER_LAST_ARGS                                    \
    llvm::ModulePassManager &manager, llvm::OptimizationLevel level, \
        llvm::ThinOrFullLTOPhase phase
#define MPASS_IS_BEFORE_LINK                              \
    (phase == llvm::ThinOrFullLTOPhase::ThinLTOPreLink || \
     phase == llvm::ThinOrFullLTOPhase::FullLTOPreLink)
#else
#define MPASS_OPTIMIZER_LAST_ARGS \
    llvm::ModulePassManager &manager, llvm::OptimizationLevel level
/* The phase follows from the host: clang compiles, lld links. */
#define MPASS_IS_BEFORE_LINK is_in_clang()
#endif

/* Since 22, a plugin can add passes to code generation. When clang compiles
 * with -fthinlto-index=, it runs no other passes of a plugin. */
#define MPASS_HAS_CODEGEN_CALLBACK (LLVM_VERSION_MAJOR >= 22)
#if MPASS_HAS_CODEGEN_CALLBACK
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#endif

/* Counting may be left to a link whose every back end runs our passes. At -O0
 * nothing is inlined, and nothing gained. */
#define MPASS_MAY_WAIT_FOR_LINK                            \
    (MPASS_HAS_CODEGEN_CALLBACK && MPASS_IS_BEFORE_LINK && \
     level != llvm::OptimizationLevel::O0)

/* LLVM 16 cannot use a memory profile from a pass pipeline. */
#define MPASS_HAS_PROFILE_USE (LLVM_VERSION_MAJOR >= 17)

/* LLVM's cloning by calling context is complete since 19. */
#define MPASS_HAS_HINTS (LLVM_VERSION_MAJOR >= 19)
/* See mpass_hotness_copies_for_callers(). Observed with 22, not with 19. */
#define MPASS_COPIES_FOR_CALLERS (LLVM_VERSION_MAJOR >= 22)

/* Since 18, the pass of the code generator that makes loads of memcmp() can run
 * earlier; since 20, it gets the machine by reference. */
#define MPASS_HAS_COMPARISONS (LLVM_VERSION_MAJOR >= 18)
#if MPASS_HAS_COMPARISONS
#include "llvm/CodeGen/ExpandMemCmp.h"
#endif
#if LLVM_VERSION_MAJOR >= 20
#define MPASS_MACHINE(machine) (*(machine))
#else
#define MPASS_MACHINE(machine) (machine)
#endif

/* Since 21, a module holds its triple as a Triple, before as a string. */
static inline llvm::Triple mpass_compat_triple(const llvm::Module &module)
{
    return llvm::Triple(module.getTargetTriple());
}

/* False if the runtime is known not to support the target: anything but x86-64
 * Linux with glibc. An unknown architecture (IR without a triple) passes, and
 * so does an unnamed C library (x86_64-redhat-linux). */
static inline bool mpass_compat_has_runtime(const llvm::Triple &triple)
{
    return triple.getArch() == llvm::Triple::UnknownArch ||
           (triple.getArch() == llvm::Triple::x86_64 && triple.isOSLinux() &&
            (triple.getEnvironment() == llvm::Triple::GNU ||
             triple.getEnvironment() == llvm::Triple::UnknownEnvironment));
}

/* Since 19, debug records stand between instructions, and a place may be before
 * or behind them. */
#if LLVM_VERSION_MAJOR >= 19
#define mpass_compat_first_non_phi(block) (block)->getFirstNonPHIIt()
#define mpass_compat_drop_debug_records(inst) (inst).dropDbgRecords()
#else
#define mpass_compat_first_non_phi(block) \
    (block)->getFirstNonPHI()->getIterator()
#define mpass_compat_drop_debug_records(inst) (void)(inst)
#endif

/* A diagnostic with a text only, of which clang knows every severity. */
#if LLVM_VERSION_MAJOR >= 20
using mpass_compat_diagnostic = llvm::DiagnosticInfoGeneric;
#else
class mpass_compat_diagnostic : public llvm::DiagnosticInfo
{
    const llvm::Twine &text;

  public:
    mpass_compat_diagnostic(const llvm::Twine &message,
                            llvm::DiagnosticSeverity severity)
        : DiagnosticInfo(llvm::getNextAvailablePluginDiagnosticKind(),
                         severity),
          text(message)
    {
    }
    void print(llvm::DiagnosticPrinter &printer) const override
    {
        printer << text;
    }
};
#endif

/* LLVM's module pass defines the default options since 20, and the flag of
 * histograms since 19. */
#define MPASS_LLVM_DEFINES(name)                            \
    ((LLVM_VERSION_MAJOR >= 20 ||                           \
      std::strcmp(name, MPROF_SYM_DEFAULT_OPTIONS) != 0) && \
     (LLVM_VERSION_MAJOR >= 19 ||                           \
      std::strcmp(name, MPROF_SYM_HISTOGRAM_FLAG) != 0))

/* Names, in pass instrumentation, of the LLVM passes that we replace or
 * correct. */
#define MPASS_LLVM_COUNT_PASS "MemProfilerPass"
#define MPASS_LLVM_MODULE_PASS "ModuleMemProfilerPass"
#define MPASS_LLVM_USE_PASS "MemProfUsePass"
#define MPASS_LLVM_CLONE_PASS "MemProfContextDisambiguation"
#define MPASS_LLVM_DEAD_ARGUMENT_PASS "DeadArgumentEliminationPass"
#define MPASS_LLVM_PROMOTION_PASS "ArgumentPromotionPass"
