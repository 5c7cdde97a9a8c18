/* sites.c -- collects the calls of a module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/sites.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/support/memory.h"
#include "shared/abi.h"

#include <stdlib.h>
#include <string.h>

#define ANNOTATIONS "llvm.global.annotations"

/* Makes room for one more item. */
static void *grow(void *items, uint32_t count, uint32_t *room,
                  size_t item_bytes)
{
    if (count < *room)
        return items;
    *room = *room * 2 + 64;
    return mpass_memory_allocate(items, *room, item_bytes);
}

static uint32_t function_number(struct mpass_sites *sites, const void *debug)
{
    const unsigned number = mpass_numbers_of(&sites->numbers, debug);

    if (number < sites->function_count)
        return number;
    sites->functions = grow(sites->functions, sites->function_count,
                            &sites->function_room, sizeof(*sites->functions));
    struct mpass_site_function *const function =
        &sites->functions[sites->function_count++];
    function->name = mpass_hotness_function_name(debug, &function->name_size);
    function->guid = mpass_hotness_guid(function->name, function->name_size);
    function->is_exempt = false;
    return number;
}

static void add_frame(struct mpass_sites *sites,
                      const struct mpass_debug_frame *frame)
{
    sites->frames = grow(sites->frames, sites->frame_count, &sites->frame_room,
                         sizeof(*sites->frames));
    sites->frames[sites->frame_count++] = (struct mpass_site_frame){
        .function = function_number(sites, frame->function),
        .line_offset = frame->line_offset,
        .column = frame->column};
    sites->has_columns |= frame->column != 0;
}

static uint64_t guid_of(LLVMValueRef callee)
{
    size_t size;

    if (callee == NULL || LLVMIsAFunction(callee) == NULL)
        return 0;
    const char *const name = LLVMGetValueName2(callee, &size);
    return mpass_hotness_guid(name, size);
}

static void add_call(struct mpass_sites *sites, LLVMValueRef call,
                     const char *names)
{
    struct mpass_debug_frame frames[MPASS_SITES_FRAMES_MAX];
    const LLVMValueRef callee = LLVMGetCalledValue(call);
    const size_t count =
        mpass_hotness_frames(call, frames, MPASS_SITES_FRAMES_MAX);

    if (count == 0 || count > MPASS_SITES_FRAMES_MAX)
        return;
    if (LLVMIsAFunction(callee) != NULL && LLVMGetIntrinsicID(callee) != 0)
        return;
    /* LLVM's cloning takes the callee for a function. */
    if (mpass_ir_assembly(call) != NULL)
        return;
    sites->sites = grow(sites->sites, sites->site_count, &sites->site_room,
                        sizeof(*sites->sites));
    sites->sites[sites->site_count++] =
        (struct mpass_site){.call = call,
                            .allocates = mpass_allocations_of(callee, names),
                            .first_frame = sites->frame_count,
                            .frame_count = (uint32_t)count,
                            .callee = guid_of(callee)};
    for (size_t i = 0; i < count; i++)
        add_frame(sites, &frames[i]);
}

static void collect_function(struct mpass_sites *sites, LLVMValueRef function,
                             const char *names)
{
    MPASS_EACH_INSTRUCTION(inst, function) {
        if (mpass_ir_is_call(inst))
            add_call(sites, inst, names);
    }
}

static bool says_no_hint(LLVMValueRef text)
{
    const LLVMValueRef value =
        LLVMIsAGlobalVariable(text) != NULL ? LLVMGetInitializer(text) : NULL;
    size_t size;

    if (value == NULL || LLVMIsAConstantDataSequential(value) == NULL ||
        !LLVMIsConstantString(value))
        return false;
    const char *const bytes = LLVMGetAsString(value, &size);
    return size == sizeof(MPROF_ANNOTATION_NO_HINT) &&
           memcmp(bytes, MPROF_ANNOTATION_NO_HINT, size) == 0;
}

static void mark_exempt(struct mpass_sites *sites, LLVMValueRef function)
{
    size_t size;
    const char *const name = LLVMGetValueName2(function, &size);
    const uint64_t guid = mpass_hotness_guid(name, size);

    for (uint32_t i = 0; i < sites->function_count; i++) {
        if (sites->functions[i].guid == guid)
            sites->functions[i].is_exempt = true;
    }
}

/* Marks functions that are annotated with MEMPROF_NO_HINT (memprof_hints.h). */
static void find_exempt(struct mpass_sites *sites, LLVMModuleRef module)
{
    const LLVMValueRef global = LLVMGetNamedGlobal(module, ANNOTATIONS);
    const LLVMValueRef list =
        global != NULL ? LLVMGetInitializer(global) : NULL;

    if (list == NULL || LLVMIsAConstantArray(list) == NULL)
        return;
    for (int i = 0; i < LLVMGetNumOperands(list); i++) {
        const LLVMValueRef row = LLVMGetOperand(list, (unsigned)i);

        if (LLVMIsAConstantStruct(row) != NULL && LLVMGetNumOperands(row) > 1 &&
            LLVMIsAFunction(LLVMGetOperand(row, 0)) != NULL &&
            says_no_hint(LLVMGetOperand(row, 1)))
            mark_exempt(sites, LLVMGetOperand(row, 0));
    }
}

void mpass_sites_collect(struct mpass_sites *sites, LLVMModuleRef module,
                         const char *allocation_names)
{
    *sites = (struct mpass_sites){0};
    MPASS_EACH_FUNCTION(function, module) {
        if (!mpass_allocations_is_inner(function, allocation_names))
            collect_function(sites, function, allocation_names);
    }
    find_exempt(sites, module);
}

void mpass_sites_fini(struct mpass_sites *sites)
{
    free(sites->sites);
    free(sites->frames);
    free(sites->functions);
    mpass_numbers_fini(&sites->numbers);
}
