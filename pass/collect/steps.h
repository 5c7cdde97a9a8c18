/* steps.h -- the steps by which module.c and function.c process a module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"
#include "pass/collect/plan.h"
#include "pass/collect/region.h"

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

/* function.c -- instruments one function: collects accesses, plans updates of
 * counters, emits them. */

/* Instruments a function that has a body. True if it changed the function. */
bool mpass_function_run(struct mpass_context *context, LLVMValueRef function);

/* True for a function with a body that only shares the module with those to be
 * instrumented: link-time optimization brought them together. */
bool mpass_function_is_foreign(const struct mpass_context *context,
                               LLVMValueRef function);

/* True for functions that are not instrumented: foreign ones, those that LLVM's
 * pass skips too, and context->uncounted (resolver.c). */
bool mpass_function_is_skipped(const struct mpass_context *context,
                               LLVMValueRef function);

/* memintrin.c -- counts the accesses of memcpy, memmove and memset intrinsics.
 */

/* True for the intrinsics that mpass_memintrin_replace() can replace. */
bool mpass_memintrin_is(LLVMValueRef inst);

/* Plans the counting of an intrinsic. A short intrinsic stays, and its accesses
 * are appended to the plan; for a long one, an access of kind MEMINTRIN is
 * appended, which replaces it later. Appends nothing if the intrinsic accesses
 * no block. */
void mpass_memintrin_plan(struct mpass_context *context, LLVMValueRef inst,
                          struct mpass_plan *plan);

/* Replaces the intrinsic by a call of the runtime, which counts its ranges. */
void mpass_memintrin_replace(struct mpass_context *context, LLVMValueRef inst);

/* libstdcxx.c -- accesses by functions of libstdc++ to what templates pass to
 * them. */

/* Appends the accesses of a call, if it is one of such a function. */
void mpass_libstdcxx_plan(struct mpass_context *context, LLVMValueRef call,
                          struct mpass_plan *plan);

/* Emits the call that counts an access of kind LIBRARY. */
void mpass_libstdcxx_emit(struct mpass_context *context,
                          const struct mpass_update *update);

/* std.c -- what calls of libstdc++ do, by their mangled names. */

/* True for a function of namespace std outside of the module. */
bool mpass_std_is(LLVMValueRef call);
/* The following are true for some of these functions. */

/* A member of std::string that may change the string, its first argument: no
 * constructor or destructor, and not called by one. */
bool mpass_std_changes_string(LLVMValueRef call);
/* A member of std::string that reads characters one by one. What others read by
 * memchr() and memcmp() is counted. */
bool mpass_std_searches_string(LLVMValueRef call);
/* getline() and >>, which write the string that is the second argument. */
bool mpass_std_reads_string(LLVMValueRef call);
/* One that writes characters through a pointer (std::istream::get). */
bool mpass_std_writes_characters(LLVMValueRef call);
/* One that accesses memory behind its arguments: of a facet (all its members
 * are const), a conversion of numbers, a stream on the program's array. */
bool mpass_std_accesses_data(LLVMValueRef call);
/* One whose first argument is an object of a class, all of whose members may be
 * compiled in the library. */
bool mpass_std_has_object(LLVMValueRef call);
bool mpass_std_is_filesystem(LLVMValueRef call);

/* libc.c -- calls of functions of the C library that access memory and that the
 * runtime does not count: in no program, or in none without a dynamic linker.
 */
bool mpass_libc_is_uncounted(LLVMValueRef inst);
bool mpass_libc_counts_if_dynamic(LLVMValueRef inst);

/* Appends one access for a call that locks, unlocks or waits: it accesses at
 * least one word of the lock. */
void mpass_libc_plan_lock(struct mpass_context *context, LLVMValueRef inst,
                          struct mpass_plan *plan);

/* unseen.c -- accesses by inline assembly and intrinsics. They are counted if
 * the IR shows them; otherwise the runtime is told that the block has uncounted
 * accesses. */

/* For an instruction without mpass_access_of(): appends the accesses by memory
 * operands, and an access of kind UNSEEN for each pointer through which it may
 * access memory uncounted. */
void mpass_unseen_plan(struct mpass_context *context, LLVMValueRef inst,
                       struct mpass_plan *plan);

/* Emits the call that tells the runtime about a pointer, or about each pointer
 * of a vector. */
void mpass_unseen_emit(struct mpass_context *context,
                       const struct mpass_update *update);

/* accumulate.c -- emits the updates that use accumulators. */

/* False if LLVM cannot insert code on an edge on which an accumulator has to be
 * flushed. This is not expected, because counts are pending only along branches
 * and switches (mpass_flow_is_barrier). Checked in advance, because a partly
 * instrumented function cannot be restored. */
bool mpass_accumulate_can_emit(const struct mpass_plan *plan);

/* Inserts the plan's accumulators, the updates that use them, and the flushes
 * on edges. mpass_accumulate_can_emit() must be true. */
void mpass_accumulate_emit(struct mpass_context *context,
                           struct mpass_plan *plan);

/* address.c -- chooses the address at which an accumulator is flushed. */

/* Sets edges[].address of all edges of an accumulator. If one of them has no
 * cheap address, all stay NULL, and the address is tracked at run time. */
void mpass_address_find(const struct mpass_regions *regions,
                        LLVMValueRef origin, struct mpass_edge *edges,
                        size_t count);

/* calls.c -- maintains a number for the current call stack at run time. */

/* Instruments all functions of the module that may allocate. Call it after the
 * updates of counters are emitted. True if it changed the module. */
bool mpass_calls_run(struct mpass_context *context);

/* frames.c -- lets functions keep a frame pointer, so that the runtime can walk
 * call stacks quickly. */

/* Requests frame pointers in all functions that call others, except functions
 * that use the register otherwise. Call it after inlining. */
void mpass_frames_keep(const struct mpass_context *context);

/* resolver.c -- excludes the code of ifunc resolvers from instrumentation. */

/* Adds the module's resolvers and the functions that they call to
 * context->uncounted. If other code may call such a function too, the resolvers
 * get a private copy, and the copy is added. Call it before anything is
 * inserted. */
void mpass_resolver_set_aside(struct mpass_context *context);

/* tails.c -- decides which calls in tail position may become jumps. */

/* Call it before anything is inserted. Afterwards, mpass_ir_is_jump() is final.
 */
void mpass_tails_finalize(const struct mpass_context *context);

/* types.c -- writes the types that the module's calls allocate to its object.
 */

LLVM_C_EXTERN_C_BEGIN

/* Writes the records (shared/type_format.h; size bytes) of the module's
 * functions to a section of its object. Call it before optimization, while the
 * module has all functions. True if it changed the module. */
bool mpass_types_emit(LLVMModuleRef module, const char *records, size_t size);

LLVM_C_EXTERN_C_END

/* emit.c -- helpers for inserting instructions. */

/* Positions the builder before `inst` and returns it. Uses the debug location
 * of `inst`; if it has none but the function has debug information, line 0,
 * which the verifier demands of calls. */
LLVMBuilderRef mpass_emit_before(struct mpass_context *context,
                                 LLVMValueRef inst);

/* The function `name`; declares it with `type` if the module lacks it. */
LLVMValueRef mpass_emit_declare(struct mpass_context *context, const char *name,
                                LLVMTypeRef type);

/* Emits a test before `before` whether the runtime defines the function `name`,
 * and sets *function to it. Returns where to insert its call. */
LLVMValueRef mpass_emit_if_defined(struct mpass_context *context,
                                   const char *name, LLVMTypeRef type,
                                   LLVMValueRef before, LLVMValueRef *function);

/* The thread-local variable of a definition that the runtime and other modules
 * have, too. The module gets a weak one; the runtime's takes precedence. */
LLVMValueRef mpass_emit_thread_local(const struct mpass_context *context,
                                     const char *name, LLVMValueRef initial);

/* shadow.c -- emits updates of counters. */

/* Emits one update: inline code, or a call of the runtime. */
void mpass_shadow_emit(struct mpass_context *context,
                       const struct mpass_update *update);

/* The content of an accumulator, 64 bits: accesses in the upper bits and, if
 * bytes are counted, bytes in the lower bits. Amounts can be added: the number
 * of pending accesses is bounded, and plan.c counts long accesses separately.
 */
uint64_t mpass_shadow_amount(const struct mpass_context *context,
                             uint64_t count, uint64_t bytes);
/* Emits the accesses of an amount, at the builder's position. */
LLVMValueRef mpass_shadow_accesses(const struct mpass_context *context,
                                   LLVMValueRef amount);

/* Emits counter(addr) += amount before `before`. is_write matters only if reads
 * and writes are counted separately. */
void mpass_shadow_add(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, bool is_write, LLVMValueRef amount);

/* own.c -- reports the blocks of the program's own allocation functions. */

/* Instruments the calls of the functions that -memprof-own-malloc names. Call
 * it before functions are inlined. Does nothing if it was called before. */
void mpass_own_run(struct mpass_context *context);
