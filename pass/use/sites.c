/* sites.c -- the calls of a module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/sites.h"

#include "pass/bridge/heat.h"
#include "pass/bridge/ir.h"
#include "pass/support/memory.h"

#include <stdlib.h>

/* Room for one more item. */
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
    struct mpass_site_function *function;

    if (number < sites->function_count)
        return number;
    sites->functions = grow(sites->functions, sites->function_count,
                            &sites->function_room, sizeof(*sites->functions));
    function = &sites->functions[sites->function_count++];
    function->name = mpass_heat_function_name(debug, &function->name_size);
    function->guid = mpass_heat_guid(function->name, function->name_size);
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
    const char *name;

    if (callee == NULL || LLVMIsAFunction(callee) == NULL)
        return 0;
    name = LLVMGetValueName2(callee, &size);
    return mpass_heat_guid(name, size);
}

static void add_call(struct mpass_sites *sites, LLVMValueRef call,
                     const char *names)
{
    struct mpass_debug_frame frames[MPASS_SITES_FRAMES_MAX];
    const LLVMValueRef callee = LLVMGetCalledValue(call);
    const size_t count =
        mpass_heat_frames(call, frames, MPASS_SITES_FRAMES_MAX);

    if (count == 0 || count > MPASS_SITES_FRAMES_MAX)
        return;
    if (LLVMIsAFunction(callee) != NULL && LLVMGetIntrinsicID(callee) != 0)
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
    for (LLVMValueRef inst = mpass_ir_first(function); inst != NULL;
         inst = mpass_ir_next(inst)) {
        if (LLVMIsACallInst(inst) != NULL || LLVMIsAInvokeInst(inst) != NULL)
            add_call(sites, inst, names);
    }
}

void mpass_sites_collect(struct mpass_sites *sites, LLVMModuleRef module,
                         const char *allocation_names)
{
    *sites = (struct mpass_sites){0};
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = LLVMGetNextFunction(function)) {
        if (!mpass_allocations_is_inner(function, allocation_names))
            collect_function(sites, function, allocation_names);
    }
}

void mpass_sites_fini(struct mpass_sites *sites)
{
    free(sites->sites);
    free(sites->frames);
    free(sites->functions);
    mpass_numbers_fini(&sites->numbers);
}
