/* ir.h -- reads and changes IR where LLVM-C lacks a function. Each function
 * here is one LLVM call without logic of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

LLVM_C_EXTERN_C_BEGIN

LLVMValueRef mpass_ir_underlying_object(LLVMValueRef pointer);
LLVMValueRef mpass_ir_strip_inbounds_offsets(LLVMValueRef pointer);
bool mpass_ir_is_swifterror(LLVMValueRef value);
bool mpass_ir_is_byval(LLVMValueRef value);
bool mpass_ir_is_pic(LLVMModuleRef module);
/* True if the code can only be linked into an executable. */
bool mpass_ir_is_for_executable(LLVMModuleRef module);
bool mpass_ir_supports_comdat(LLVMModuleRef module);
bool mpass_ir_is_emscripten(LLVMModuleRef module);
/* False if the runtime is known not to support the module's target. */
bool mpass_ir_has_runtime(LLVMModuleRef module);
/* Name of the section for records of instrumented code (shared/code_format.h),
 * followed by LLVM's options; NULL if the target has no such sections. */
const char *mpass_ir_code_section(LLVMModuleRef module);
/* Lets the code generator write a record of the function to this section. */
void mpass_ir_record_code(LLVMValueRef function, const char *section);
bool mpass_ir_is_code_recorded(LLVMValueRef function);
void mpass_ir_set_dso_local(LLVMValueRef global);
/* True if the linker may use another definition instead of this one. */
bool mpass_ir_is_interposable(LLVMValueRef global);
/* True if the global has local linkage. */
bool mpass_ir_is_local(LLVMValueRef global);
/* True if this body runs. An inline function of another module may be compiled
 * differently, and the linker may choose it. */
bool mpass_ir_is_exact(LLVMValueRef function);
/* True if the module uses the function in any other way than calling it. */
bool mpass_ir_has_address_taken(LLVMValueRef function);
/* A copy of the function with the same linkage and a unique name. */
LLVMValueRef mpass_ir_copy_function(LLVMValueRef function);
/* Number of lanes of a vector type; 0 for a scalable vector. */
unsigned mpass_ir_fixed_lanes(LLVMTypeRef vector);
/* End of the names of the target's PGO counter sections; the caller frees. */
char *mpass_ir_counter_section(LLVMModuleRef module);
/* Splits the block before `inst` and inserts a new block that runs if
 * `condition` is true. Returns the terminator of the new block. */
LLVMValueRef mpass_ir_split_if(LLVMValueRef condition, LLVMValueRef inst);
/* Likewise, for a condition that is rarely true. */
LLVMValueRef mpass_ir_split_rarely(LLVMValueRef condition, LLVMValueRef inst);
/* Creates the sanitizer-style constructor `ctor`, which calls `init` and,
 * unless NULL, `check`; keeps it in llvm.used. */
LLVMValueRef mpass_ir_create_ctor(LLVMModuleRef module, const char *ctor,
                                  const char *init, const char *check);
/* Creates the constructor `ctor`, which calls `init` with a 32-bit number if
 * the program defines `init`; keeps it in llvm.used. */
LLVMValueRef mpass_ir_create_weak_ctor(LLVMModuleRef module, const char *ctor,
                                       const char *init, unsigned number);
/* True if the module pass of this LLVM defines the variable of this name. */
bool mpass_ir_llvm_defines(const char *name);
void mpass_ir_add_global_ctor(LLVMModuleRef module, LLVMValueRef function,
                              int priority);
void mpass_ir_remove_global_ctor(LLVMModuleRef module, LLVMValueRef function);
void mpass_ir_add_compiler_used(LLVMModuleRef module, LLVMValueRef global);
/* Removes the global from llvm.used and llvm.compiler.used. */
void mpass_ir_remove_used(LLVMModuleRef module, LLVMValueRef global);
/* True if anything other than unused constants refers to the global. */
bool mpass_ir_has_uses(LLVMValueRef global);
/* Reports through the context's diagnostic handler. */
void mpass_ir_diagnose(LLVMContextRef context, LLVMDiagnosticSeverity severity,
                       const char *text);
/* Iterate over the instructions of a function, block by block; NULL at the end.
 */
LLVMValueRef mpass_ir_first(LLVMValueRef function);
LLVMValueRef mpass_ir_next(LLVMValueRef inst);
/* Loops over functions, blocks, instructions and uses. The body must not remove
 * the current one. */
#define MPASS_EACH_FUNCTION(f, module)                               \
    for (LLVMValueRef f = LLVMGetFirstFunction(module); (f) != NULL; \
         f = LLVMGetNextFunction(f))
#define MPASS_EACH_BLOCK(block, function)                            \
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); \
         (block) != NULL; block = LLVMGetNextBasicBlock(block))
#define MPASS_EACH_INSTRUCTION(inst, function)                         \
    for (LLVMValueRef inst = mpass_ir_first(function); (inst) != NULL; \
         inst = mpass_ir_next(inst))
#define MPASS_EACH_USE(use, value)                               \
    for (LLVMUseRef use = LLVMGetFirstUse(value); (use) != NULL; \
         use = LLVMGetNextUse(use))
static inline LLVMValueRef mpass_ir_function_of(LLVMValueRef inst)
{
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
}
static inline LLVMValueRef mpass_ir_int(LLVMTypeRef type, uint64_t value)
{
    return LLVMConstInt(type, value, false);
}
/* Sets the module flag to 1. */
static inline void mpass_ir_set_flag(LLVMModuleRef module, const char *key)
{
    const LLVMValueRef one =
        mpass_ir_int(LLVMInt32TypeInContext(LLVMGetModuleContext(module)), 1);

    LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorWarning, key, strlen(key),
                      LLVMValueAsMetadata(one));
}
static inline const char *mpass_ir_name(LLVMValueRef value)
{
    size_t size;

    return LLVMGetValueName2(value, &size);
}
static inline bool mpass_ir_starts_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}
/* True for a pointer to ordinary memory, not to a segment. */
static inline bool mpass_ir_is_pointer(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(type) == 0;
}
/* The name of the function outside of the module that is called; "" for other
 * calls. */
static inline const char *mpass_ir_declared_callee(LLVMValueRef call)
{
    const LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));

    return callee != NULL && LLVMIsDeclaration(callee) ? mpass_ir_name(callee)
                                                       : "";
}
/* True for a call or an invoke, including calls of intrinsics. */
bool mpass_ir_is_call(LLVMValueRef inst);
bool mpass_ir_has_attribute(LLVMValueRef function, const char *name);
/* Properties of a call, by attributes of the call and the function. */
enum mpass_call_trait {
    MPASS_CALL_NO_THROW = 1,
    MPASS_CALL_WILL_RETURN = 2,
    MPASS_CALL_NO_FREE = 4,
    MPASS_CALL_NO_SYNC = 8, /* does not synchronize with other threads */
    MPASS_CALL_ONLY_READS = 16,
    MPASS_CALL_RETURNS_TWICE = 32,
    MPASS_CALL_NO_RETURN = 64,
};
/* All traits of the call, or-ed. */
unsigned mpass_ir_call_traits(LLVMValueRef call);
bool mpass_ir_is_must_tail(LLVMValueRef call);
/* The call in tail position at the end of the block, if the code generator may
 * turn it into a jump; NULL otherwise. The return may be in the next block. */
LLVMValueRef mpass_ir_tail_call(LLVMBasicBlockRef block);
/* True if `inst` is such a call and its own block returns. */
bool mpass_ir_is_jump(LLVMValueRef inst);
/* If mpass_ir_tail_call() finds a call: moves the return into the block. */
void mpass_ir_return_at_end(LLVMBasicBlockRef block);
void mpass_ir_forbid_tail_call(LLVMValueRef call);
/* The text of the call's inline assembly, or NULL. */
const char *mpass_ir_assembly(LLVMValueRef inst);
/* False if the call certainly accesses no memory that its arguments point to.
 */
bool mpass_ir_may_access(LLVMValueRef call);
/* The constraint string of the call's inline assembly, or NULL. */
const char *mpass_ir_constraints(LLVMValueRef inst);
bool mpass_ir_is_volatile(LLVMValueRef inst);
/* Also true for a fence. */
bool mpass_ir_is_atomic(LLVMValueRef inst);
/* True if the function calls setjmp() or a similar function. */
bool mpass_ir_returns_twice(LLVMValueRef function);
/* True if exceptions are handled in funclets. */
bool mpass_ir_has_funclets(LLVMValueRef function);
/* The first insertion point of the block, or NULL. */
LLVMValueRef mpass_ir_first_point(LLVMBasicBlockRef block);
/* True if the source of the edge has other successors and its target has other
 * predecessors. All cases of a switch with the same target are one edge. */
bool mpass_ir_is_critical_edge(LLVMValueRef terminator, LLVMBasicBlockRef to);
/* Inserts a block on such an edge. Returns its terminator, or NULL if LLVM
 * cannot split the edge. */
LLVMValueRef mpass_ir_split_critical_edge(LLVMValueRef terminator,
                                          LLVMBasicBlockRef to);
/* Promotes local variables, which are only loaded and stored, to registers. */
void mpass_ir_promote(LLVMValueRef function, LLVMValueRef *allocas,
                      size_t count);
/* A simpler value equal to the instruction, or NULL. */
LLVMValueRef mpass_ir_simplified(LLVMValueRef inst, LLVMTargetDataRef layout);

LLVM_C_EXTERN_C_END
