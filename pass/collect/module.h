/* module.h -- instruments one module: decides whether to, instruments its
 * functions, and defines the symbols that the runtime expects.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

enum mpass_request {
    MPASS_IF_WANTED, /* if mpass_module_is_wanted() */
    MPASS_MAY_WAIT,  /* likewise; an option may leave counting to the link */
    MPASS_ALWAYS,    /* the pass is named in a pipeline */
};

/* True if the module is to be instrumented: clang was given -fmemory-profile,
 * or an option asks for it. */
bool mpass_module_is_wanted(LLVMModuleRef module);

/* True if the module is already instrumented, by us or by LLVM. */
bool mpass_module_is_done(LLVMModuleRef module);

/* Instruments the module, unless that is done or not wanted. `analyses` is
 * LLVM's function analysis manager. Returns true if it changed the module. */
bool mpass_module_run(LLVMModuleRef module, enum mpass_request request,
                      void *analyses);

/* Instruments the functions that wait for the link (waiting.h). Link-time
 * optimization has run, and may have brought them together with other ones. */
bool mpass_module_count_waiting(LLVMModuleRef module, void *analyses);

/* Runs before optimization. True if the module will be instrumented. Reports
 * sanitizers that exclude the profiler, and errors in MEMPROF_PASS_OPTIONS. */
bool mpass_module_prepare(LLVMModuleRef module);

/* Keeps LTO from inlining uninstrumented code into instrumented functions, so
 * that an address is in code of one kind only. */
void mpass_module_keep_apart(LLVMModuleRef module);

/* Runs before LLVM's own module pass: removes the definitions that this pass
 * adds again. */
void mpass_module_yield(LLVMModuleRef module);
/* Runs after LLVM's own module pass: for a target without runtime, removes what
 * this pass added. */
void mpass_module_revert(LLVMModuleRef module);

LLVM_C_EXTERN_C_END
