/* module.h -- one module: wanted? done already? its functions, then what the
 * runtime expects of it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_MODULE_H
#define MPASS_MODULE_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

enum mpass_request {
    MPASS_IF_WANTED, /* when the front end or an option asked for it */
    MPASS_ALWAYS,    /* the pass was named in a pipeline */
};

/* True when accesses of this module are to be counted: clang was given
 * -fmemory-profile, or an option asks for it. */
bool mpass_module_is_wanted(LLVMModuleRef module);

/* True when this module was instrumented, by us or by LLVM. */
bool mpass_module_is_done(LLVMModuleRef module);

/* Instruments the module, once; `analyses` is LLVM's function analysis manager.
 * Returns true if it changed the module. */
bool mpass_module_run(LLVMModuleRef module, enum mpass_request request,
                      void *analyses);

/* Before optimization: true if the module is to be instrumented. Reports what
 * stands against that, and the environment's errors. */
bool mpass_module_prepare(LLVMModuleRef module);

/* Has a link that optimizes inline no code that does not count into functions
 * that do, so that addresses tell the two apart. */
void mpass_module_keep_apart(LLVMModuleRef module);

/* Takes out what LLVM's own module pass, which is about to run, adds again. */
void mpass_module_yield(LLVMModuleRef module);
/* Takes out what LLVM's own module pass added to a module for a target without
 * a runtime. */
void mpass_module_revert(LLVMModuleRef module);

LLVM_C_EXTERN_C_END

#endif
