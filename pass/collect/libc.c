/* libc.c -- functions of the C library whose accesses the runtime does not
 * count. Those of locks are counted here, because they are too short for the
 * runtime.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/plan.h"
#include "shared/base.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

static int compare_name(const void *name, const void *element)
{
    return strcmp((const char *)name, *(const char *const *)element);
}

/* True for the call of a function outside of the module with one of the names.
 */
static bool is_call_of(LLVMValueRef inst, const char *const *names,
                       size_t count)
{
    const LLVMValueRef callee = mpass_ir_is_call(inst)
                                    ? LLVMIsAFunction(LLVMGetCalledValue(inst))
                                    : NULL;

    return callee != NULL && LLVMIsDeclaration(callee) &&
           bsearch(mpass_ir_name(callee), names, count, sizeof(*names),
                   compare_name) != NULL;
}

bool mpass_libc_is_uncounted(LLVMValueRef inst)
{
    static const char *const names[] = {
#define X(name) #name,
#include "pass/collect/libc_uncounted.inc"
    };

    return is_call_of(inst, names, MPROF_ARRAY_LEN(names));
}

bool mpass_libc_counts_if_dynamic(LLVMValueRef inst)
{
    static const char *const names[] = {
#define X(name) #name,
#include "pass/collect/libc_dynamic.inc"
    };

    return is_call_of(inst, names, MPROF_ARRAY_LEN(names));
}

/* True for a function that changes a word of the lock that is its first
 * argument. */
static bool is_lock_change(LLVMValueRef inst)
{
    static const char *const names[] = {"cnd_timedwait",
                                        "cnd_wait",
                                        "mtx_lock",
                                        "mtx_timedlock",
                                        "mtx_trylock",
                                        "mtx_unlock",
                                        "pthread_barrier_wait",
                                        "pthread_cond_clockwait",
                                        "pthread_cond_timedwait",
                                        "pthread_cond_wait",
                                        "pthread_mutex_clocklock",
                                        "pthread_mutex_lock",
                                        "pthread_mutex_timedlock",
                                        "pthread_mutex_trylock",
                                        "pthread_mutex_unlock",
                                        "pthread_rwlock_clockrdlock",
                                        "pthread_rwlock_clockwrlock",
                                        "pthread_rwlock_rdlock",
                                        "pthread_rwlock_timedrdlock",
                                        "pthread_rwlock_timedwrlock",
                                        "pthread_rwlock_tryrdlock",
                                        "pthread_rwlock_trywrlock",
                                        "pthread_rwlock_unlock",
                                        "pthread_rwlock_wrlock",
                                        "pthread_spin_lock",
                                        "pthread_spin_trylock",
                                        "pthread_spin_unlock",
                                        "sem_clockwait",
                                        "sem_post",
                                        "sem_timedwait",
                                        "sem_wait"};

    return is_call_of(inst, names, MPROF_ARRAY_LEN(names));
}

/* True for a function that may only read it. */
static bool is_lock_read(LLVMValueRef inst)
{
    static const char *const names[] = {"cnd_broadcast", "cnd_signal",
                                        "pthread_cond_broadcast",
                                        "pthread_cond_signal", "sem_trywait"};

    return is_call_of(inst, names, MPROF_ARRAY_LEN(names));
}

void mpass_libc_plan_lock(struct mpass_context *context, LLVMValueRef inst,
                          struct mpass_plan *plan)
{
    const bool is_change = is_lock_change(inst);

    if ((!is_change && !is_lock_read(inst)) || LLVMGetNumArgOperands(inst) == 0)
        return;
    struct mpass_access access = {.kind = MPASS_ACCESS_ONE,
                                  .inst = inst,
                                  .addr = LLVMGetOperand(inst, 0),
                                  .type = LLVMInt32TypeInContext(context->llvm),
                                  .is_write = is_change,
                                  .is_both = is_change,
                                  .count = 1};

    if (is_change ? context->options.instrument_atomics
                  : context->options.instrument_reads)
        mpass_plan_one(context, plan, &access);
}
