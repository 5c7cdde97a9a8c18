/* hints.c -- replaces calls with attributes of ours by hinted calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/steps.h"

#include "inc/memprof_hints.h"
#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/use/allocations.h"
#include "pass/use/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMARK_BYTES 1024
#define HINT_BYTES 32

/* True for a call that was cloned for a pool. */
static bool is_for_pool(LLVMValueRef call)
{
    return strcmp(mpass_hotness_attribute(call), "cold") == 0 &&
           *mpass_hotness_text(call, MPASS_MATCH_CLONE_POOL) != '\0';
}

static unsigned pool_of(LLVMValueRef call)
{
    const unsigned long pool = strtoul(
        mpass_hotness_text(call, is_for_pool(call) ? MPASS_MATCH_CLONE_POOL
                                                   : MPASS_MATCH_POOL),
        NULL, 10);

    return pool <= MEMPROF_HINT_POOLS ? (unsigned)pool : 0;
}

/* The hint for the call; 0: no hint. */
static unsigned hint_of(LLVMValueRef call, bool all)
{
    const char *attribute = mpass_hotness_attribute(call);
    const bool is_hot = strcmp(attribute, "hot") == 0;
    const unsigned pool = pool_of(call);

    if (strcmp(attribute, "cold") == 0 && !is_for_pool(call))
        return MEMPROF_HINT_COLD;
    if (mpass_dense_allow(call)) {
        if (pool != 0)
            return MEMPROF_HINT_DENSE_POOL(pool);
        return is_hot ? MEMPROF_HINT_DENSE_HOT : MEMPROF_HINT_DENSE;
    }
    if (pool != 0)
        return MEMPROF_HINT_POOL(pool);
    if (is_hot)
        return MEMPROF_HINT_HOT;
    return all && strcmp(attribute, "notcold") == 0 ? MEMPROF_HINT_NOTCOLD : 0;
}

/* Writes "dense", "pool 3, dense" and the like to out[HINT_BYTES]. */
static void describe_hint(LLVMValueRef call, unsigned hint, char *out)
{
    const bool is_hot = strcmp(mpass_hotness_attribute(call), "hot") == 0;

    if (hint == MEMPROF_HINT_DENSE || hint == MEMPROF_HINT_DENSE_HOT)
        snprintf(out, HINT_BYTES, "%sdense", is_hot ? "hot and " : "");
    else if (hint > MEMPROF_HINT_NOTCOLD && hint < MEMPROF_HINT_DENSE)
        snprintf(out, HINT_BYTES, "pool %u%s", pool_of(call),
                 hint >= MEMPROF_HINT_DENSE_POOL(1) ? ", dense" : "");
    else
        snprintf(out, HINT_BYTES, "%s", mpass_hotness_attribute(call));
}

/* hint: 0 if the call gets none. */
static void remark(LLVMValueRef call, const char *name, unsigned hint)
{
    const char *note = mpass_hotness_text(call, MPASS_MATCH_NOTE);
    const bool is_hinted = hint != 0;
    char text[REMARK_BYTES];
    char word[HINT_BYTES];

    describe_hint(call, hint, word);
    if (is_hinted)
        snprintf(text, sizeof(text), "call to '%s' is hinted %s%s%s", name,
                 word, *note == '\0' ? "" : ": ", note);
    else
        snprintf(text, sizeof(text),
                 "call to '%s' gets no hint: %s and other call stacks could "
                 "not be separated, or cloning for it would take too much "
                 "code%s%s",
                 name,
                 *mpass_hotness_text(call, MPASS_MATCH_CLONE_POOL) == '\0'
                     ? "cold"
                     : "a pool's",
                 *note == '\0' ? "" : ": ", note);
    mpass_hotness_remark(call, is_hinted, is_hinted ? "Hinted" : "NotHinted",
                         text);
}

/* Keeps the meaning that operator new has for LLVM by its name, as attributes
 * of the call. */
static void keep_meaning(LLVMValueRef call, LLVMValueRef plain)
{
    char family[64];
    bool is_aligned;

    if (!mpass_hotness_is_no_builtin(call) &&
        mpass_allocations_family(plain, family, sizeof(family), &is_aligned))
        mpass_hotness_set_family(call, family, is_aligned);
}

static bool run_call(LLVMModuleRef module, LLVMValueRef call, const char *names,
                     bool all)
{
    const char *attribute = mpass_hotness_attribute(call);
    LLVMValueRef plain = LLVMGetCalledValue(call);

    if ((*attribute == '\0' && *mpass_hotness_text(call, MPASS_DENSE) == '\0' &&
         pool_of(call) == 0) ||
        mpass_allocations_of(plain, names) == MPASS_ALLOCATION_NONE ||
        mpass_allocations_is_inner(mpass_ir_function_of(call), names))
        return false;
    const unsigned hint = hint_of(call, all);
    if (hint == 0 && strcmp(attribute, "ambiguous") == 0)
        remark(call, mpass_ir_name(plain), 0);
    /* A musttail call must have the arguments of its function. */
    if (hint == 0 || mpass_ir_is_must_tail(call))
        return false;
    if (LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(plain))
        return false;
    const LLVMValueRef stub = mpass_stubs_get(module, plain);
    if (stub == NULL)
        return false;
    remark(call, mpass_ir_name(plain), hint);
    mpass_hotness_remove_text(call, MPASS_MATCH_NOTE);
    mpass_hotness_remove_text(call, MPASS_DENSE);
    mpass_hotness_remove_text(call, MPASS_MATCH_POOL);
    mpass_hotness_remove_text(call, MPASS_MATCH_CLONE_POOL);
    keep_meaning(call, plain);
    mpass_hotness_call_with(
        call, stub,
        mpass_ir_int(LLVMInt8TypeInContext(LLVMGetModuleContext(module)),
                     hint));
    return true;
}

bool mpass_hints_run(LLVMModuleRef module, const char *allocation_names,
                     bool all)
{
    bool changed = false;

    MPASS_EACH_FUNCTION(function, module) {
        MPASS_EACH_BLOCK(block, function) {
            LLVMValueRef next;

            for (LLVMValueRef inst = LLVMGetFirstInstruction(block);
                 inst != NULL; inst = next) {
                next = LLVMGetNextInstruction(inst);
                if (mpass_ir_is_call(inst))
                    changed |= run_call(module, inst, allocation_names, all);
            }
        }
    }
    return changed;
}
