/* module.c -- instruments one module: its functions, then the definitions that
 * the runtime expects of a module: constructor, version check, histogram flag,
 * default options, file name.
 *
 * With -fmemory-profile, clang runs LLVM's own passes after ours. plugin.cpp
 * keeps LLVM's counting pass from instrumented functions. It cannot keep LLVM's
 * module pass from running, so just before, mpass_module_yield() removes our
 * constructor and variables. Without LLVM's passes (opt, other front ends) ours
 * stay.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/module.h"

#include "pass/bridge/analysis.h"
#include "pass/bridge/ir.h"
#include "pass/collect/steps.h"
#include "pass/collect/versions.h"
#include "pass/collect/waiting.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static LLVMMetadataRef module_flag(LLVMModuleRef module, const char *key)
{
    return LLVMGetModuleFlag(module, key, strlen(key));
}

bool mpass_module_is_wanted(LLVMModuleRef module)
{
    return mpass_ir_has_runtime(module) &&
           (mpass_options_read().instrument ||
            module_flag(module, MPROF_MODULE_FLAG_FILENAME) != NULL);
}

/* Our constructor or LLVM's, NULL if there is none. */
static LLVMValueRef module_ctor(LLVMModuleRef module)
{
    const LLVMValueRef ctor =
        LLVMGetNamedFunction(module, MPROF_SYM_MODULE_CTOR);

    return ctor != NULL && !LLVMIsDeclaration(ctor) ? ctor : NULL;
}

bool mpass_module_is_done(LLVMModuleRef module)
{
    return module_flag(module, MPROF_MODULE_FLAG_DONE) != NULL ||
           module_ctor(module) != NULL;
}

/* -- Definitions that the runtime expects ---------------------------------- */

/* Kind of the metadata that marks our definitions, to distinguish them from the
 * user's. */
static unsigned mark_kind(LLVMModuleRef module)
{
    return LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "nosanitize",
                                    10);
}

static bool is_ours(LLVMModuleRef module, LLVMValueRef global)
{
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    bool found = false;

    for (unsigned i = 0; i < count; i++)
        found |=
            LLVMValueMetadataEntriesGetKind(entries, i) == mark_kind(module);
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

/* Defines a constant that the linker keeps once. Keeps a definition by the
 * user, and replaces a declaration. */
static LLVMValueRef define_constant(LLVMModuleRef module, const char *name,
                                    LLVMValueRef value)
{
    const LLVMValueRef old = LLVMGetNamedGlobal(module, name);

    if (old != NULL && !LLVMIsDeclaration(old))
        return old;
    const LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), "");
    if (old != NULL) {
        LLVMReplaceAllUsesWith(old, global);
        LLVMDeleteGlobal(old);
    }
    LLVMSetValueName2(global, name, strlen(name));
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMGlobalSetMetadata(
        global, mark_kind(module),
        LLVMMDNodeInContext2(LLVMGetModuleContext(module), NULL, 0));
    LLVMSetLinkage(global, LLVMWeakAnyLinkage);
    if (mpass_ir_supports_comdat(module)) {
        LLVMSetLinkage(global, LLVMExternalLinkage);
        LLVMSetComdat(global, LLVMGetOrInsertComdat(module, name));
    }
    return global;
}

static LLVMValueRef define_string(LLVMModuleRef module, const char *name,
                                  const char *text, size_t text_len)
{
    return define_constant(
        module, name,
        LLVMConstStringInContext(LLVMGetModuleContext(module), text,
                                 (unsigned)text_len, false));
}

static void define_filename(LLVMModuleRef module)
{
    const LLVMMetadataRef flag =
        module_flag(module, MPROF_MODULE_FLAG_FILENAME);
    unsigned name_len;

    if (flag == NULL)
        return;
    const char *const name = LLVMGetMDString(
        LLVMMetadataAsValue(LLVMGetModuleContext(module), flag), &name_len);
    if (name != NULL)
        define_string(module, MPROF_SYM_PROFILE_FILENAME, name, name_len);
}

/* Bits that are added to the argument of MPROF_SYM_MODE. */
static unsigned mode_bits(const struct mpass_options *options)
{
    const bool is_partial = !options->instrument_reads ||
                            !options->instrument_writes ||
                            !options->instrument_atomics;

    return (options->versions > 1 ? MPROF_MODE_VERSIONS : 0) |
           (is_partial ? MPROF_MODE_PARTIAL : 0);
}

/* Argument of MPROF_SYM_MODE. */
static unsigned mode_number(const struct mpass_options *options,
                            enum mpass_mode mode)
{
    switch (mode) {
    case MPASS_MODE_RW:
        return MPROF_MODE_RW;
    case MPASS_MODE_RW_BYTES:
        return MPROF_MODE_RW_BYTES;
    case MPASS_MODE_FIELDS:
        return MPROF_MODE_FIELDS;
    case MPASS_MODE_THREADS:
        return MPROF_MODE_THREADS;
    default:
        return options->histogram ? (unsigned)options->histogram_cell_bits : 0;
    }
}

/* Inserts a call of the function at the start of the constructor. */
static void call_first(LLVMModuleRef module, LLVMValueRef ctor,
                       const char *name)
{
    const LLVMContextRef context = LLVMGetModuleContext(module);
    const LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    const LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef function = LLVMGetNamedFunction(module, name);

    if (function == NULL)
        function = LLVMAddFunction(module, name, type);
    LLVMPositionBuilderBefore(
        builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(ctor)));
    LLVMBuildCall2(builder, type, function, NULL, 0, "");
    LLVMDisposeBuilder(builder);
}

/* Creates the constructor that tells the runtime how the module counts. It also
 * refers to a symbol that both runtimes define: if the program has no runtime,
 * the linker's error contains the name of this constructor. */
static LLVMValueRef create_mode_ctor(LLVMModuleRef module,
                                     const struct mpass_options *options,
                                     enum mpass_mode mode)
{
    const LLVMValueRef ctor = mpass_ir_create_weak_ctor(
        module, MPROF_SYM_MODE_CTOR,
        mode == MPASS_MODE_NONE ? MPROF_SYM_UNCOUNTED : MPROF_SYM_MODE,
        mode_number(options, mode) | mode_bits(options));

    if (options->version_check)
        call_first(module, ctor, MPROF_SYM_VERSION_CHECK);
    return ctor;
}

static void define_interface(LLVMModuleRef module,
                             const struct mpass_options *options,
                             enum mpass_mode mode)
{
    const LLVMTypeRef i1 = LLVMInt1TypeInContext(LLVMGetModuleContext(module));
    const LLVMValueRef ctor = mpass_ir_create_ctor(
        module, MPROF_SYM_MODULE_CTOR, MPROF_SYM_INIT,
        options->version_check ? MPROF_SYM_VERSION_CHECK : NULL);
    const unsigned priority = mpass_ir_is_emscripten(module)
                                  ? MPROF_CTOR_PRIORITY_EMSCRIPTEN
                                  : MPROF_CTOR_PRIORITY;

    mpass_ir_add_global_ctor(module, ctor, priority);
    mpass_ir_add_global_ctor(module, create_mode_ctor(module, options, mode),
                             priority);
    define_filename(module);
    const LLVMValueRef flag = define_constant(
        module, MPROF_SYM_HISTOGRAM_FLAG,
        mpass_ir_int(i1, options->histogram || mode == MPASS_MODE_FIELDS));
    if (is_ours(module, flag))
        mpass_ir_add_compiler_used(module, flag);
    if (options->atomic)
        mpass_ir_add_compiler_used(
            module, define_constant(module, MPROF_SYM_ATOMIC_FLAG,
                                    mpass_ir_int(i1, true)));
    if (mode > MPASS_MODE_TOTAL)
        mpass_ir_add_compiler_used(
            module,
            define_constant(module, MPROF_SYM_RW_FLAG,
                            mpass_ir_int(LLVMInt32TypeInContext(
                                             LLVMGetModuleContext(module)),
                                         mode_number(options, mode))));
    define_string(module, MPROF_SYM_DEFAULT_OPTIONS,
                  options->runtime_default_options,
                  strlen(options->runtime_default_options));
}

/* Removes the definition of one of our constants; keeps a declaration if the
 * constant is used. */
static void undefine_constant(LLVMModuleRef module, const char *name)
{
    const LLVMValueRef global = LLVMGetNamedGlobal(module, name);

    if (global == NULL || !is_ours(module, global) ||
        !mpass_ir_llvm_defines(name))
        return;
    mpass_ir_remove_used(module, global);
    if (!mpass_ir_has_uses(global)) {
        LLVMDeleteGlobal(global);
        return;
    }
    LLVMGlobalClearMetadata(global);
    LLVMSetComdat(global, NULL);
    LLVMSetLinkage(global, LLVMExternalLinkage);
    LLVMSetInitializer(global, NULL);
}

void mpass_module_yield(LLVMModuleRef module)
{
    const LLVMValueRef ctor = module_ctor(module);

    if (module_flag(module, MPROF_MODULE_FLAG_DONE) == NULL || ctor == NULL)
        return;
    mpass_ir_remove_global_ctor(module, ctor);
    mpass_ir_remove_used(module, ctor);
    if (!mpass_ir_has_uses(ctor))
        LLVMDeleteFunction(ctor);
    undefine_constant(module, MPROF_SYM_PROFILE_FILENAME);
    undefine_constant(module, MPROF_SYM_HISTOGRAM_FLAG);
    undefine_constant(module, MPROF_SYM_DEFAULT_OPTIONS);
}

static void delete_unused(LLVMValueRef global)
{
    if (global == NULL || mpass_ir_has_uses(global))
        return;
    if (LLVMIsAFunction(global) != NULL)
        LLVMDeleteFunction(global);
    else
        LLVMDeleteGlobal(global);
}

void mpass_module_revert(LLVMModuleRef module)
{
    static const char *const constants[] = {MPROF_SYM_PROFILE_FILENAME,
                                            MPROF_SYM_HISTOGRAM_FLAG,
                                            MPROF_SYM_DEFAULT_OPTIONS};
    static const char *const functions[] = {MPROF_SYM_INIT,
                                            MPROF_SYM_VERSION_CHECK};
    const LLVMValueRef ctor = module_ctor(module);

    if (mpass_ir_has_runtime(module) || ctor == NULL)
        return;
    mpass_ir_remove_global_ctor(module, ctor);
    mpass_ir_remove_used(module, ctor);
    delete_unused(ctor);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(constants); i++) {
        const LLVMValueRef global = LLVMGetNamedGlobal(module, constants[i]);

        if (global == NULL)
            continue;
        mpass_ir_remove_used(module, global);
        delete_unused(global);
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(functions); i++)
        delete_unused(LLVMGetNamedFunction(module, functions[i]));
}

/* -- The functions --------------------------------------------------------- */

/* Removes the memory attributes of the calls in the function. */
static void forget_effects_of_calls(LLVMValueRef function, unsigned kind)
{
    MPASS_EACH_INSTRUCTION(inst, function) {
        if (mpass_ir_is_call(inst))
            LLVMRemoveCallSiteEnumAttribute(inst, LLVMAttributeFunctionIndex,
                                            kind);
    }
}

/* Removes memory attributes such as "reads only". Instrumented functions write
 * counters. With the attributes, LTO would keep a counter in a register across
 * a call and lose the accesses that the call counts. */
static void forget_effects(LLVMModuleRef module)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);

    MPASS_EACH_FUNCTION(function, module) {
        if (LLVMGetIntrinsicID(function) != 0)
            continue;
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       kind);
        forget_effects_of_calls(function, kind);
    }
}

static void count_functions(struct mpass_context *context)
{
    bool changed = false;

    mpass_tails_finalize(context);
    MPASS_EACH_FUNCTION(function, context->module) {
        if (!LLVMIsDeclaration(function))
            changed |= mpass_function_run(context, function);
    }
    if (context->options.context_values)
        changed |= mpass_calls_run(context);
    if (changed &&
        (context->mode != MPASS_MODE_NONE || context->options.context_values))
        forget_effects(context->module);
}

/* Records the instrumented functions (shared/code_format.h). */
static void record_code(LLVMModuleRef module)
{
    const char *const section = mpass_ir_code_section(module);
    const unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);

    for (LLVMValueRef function = LLVMGetFirstFunction(module);
         section != NULL && function != NULL;
         function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function) &&
            LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                        naked) == NULL)
            mpass_ir_record_code(function, section);
    }
}

/* Accesses are counted one by one if more than a block's total is needed. */
static enum mpass_merge merge_for(const struct mpass_options *options)
{
    if (options->histogram || options->use_callbacks ||
        strcmp(options->access, MPROF_PASS_ACCESS_FIELDS) == 0 ||
        strcmp(options->access, MPROF_PASS_ACCESS_THREADS) == 0 ||
        (options->debug_min >= 0 && options->debug_max >= 0) ||
        strcmp(options->merge, MPROF_PASS_MERGE_NONE) == 0)
        return MPASS_MERGE_NONE;
    return strcmp(options->merge, MPROF_PASS_MERGE_BLOCK) == 0
               ? MPASS_MERGE_BLOCK
               : MPASS_MERGE_REGION;
}

static enum mpass_mode mode_for(const struct mpass_options *options)
{
    static const char *const names[] = {
        [MPASS_MODE_NONE] = MPROF_PASS_ACCESS_NONE,
        [MPASS_MODE_TOTAL] = MPROF_PASS_ACCESS_TOTAL,
        [MPASS_MODE_THREADS] = MPROF_PASS_ACCESS_THREADS,
        [MPASS_MODE_FIELDS] = MPROF_PASS_ACCESS_FIELDS,
        [MPASS_MODE_RW] = MPROF_PASS_ACCESS_RW,
        [MPASS_MODE_RW_BYTES] = MPROF_PASS_ACCESS_RW_BYTES};
    size_t mode = 0;

    while (strcmp(options->access, names[mode]) != 0)
        mode++; /* mpass_options_conflict() has found it */
    return (enum mpass_mode)mode;
}

static struct mpass_context context_for(LLVMModuleRef module,
                                        const struct mpass_options *options)
{
    const LLVMContextRef llvm = LLVMGetModuleContext(module);
    const LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);

    return (struct mpass_context){
        .options = *options,
        .merge = merge_for(options),
        .mode = mode_for(options),
        .module = module,
        .llvm = llvm,
        .layout = layout,
        .intptr = LLVMIntPtrTypeInContext(llvm, layout),
        .ptr = LLVMPointerTypeInContext(llvm, 0),
        .void_type = LLVMVoidTypeInContext(llvm),
        .nosanitize_kind = mark_kind(module),
    };
}

/* -- Entry points ---------------------------------------------------------- */

static void report(LLVMModuleRef module, const char *problem)
{
    char text[MPASS_MESSAGE_BYTES];

    snprintf(text, sizeof(text), "%s: %s", MPASS_NAME, problem);
    mpass_ir_diagnose(LLVMGetModuleContext(module), LLVMDSError, text);
}

static void report_environment(LLVMModuleRef module)
{
    const char *const problem = mpass_options_take_error();

    if (problem != NULL)
        report(module, problem);
}

/* Instruments the functions. `waiting`: see struct mpass_context. */
static void instrument(LLVMModuleRef module,
                       const struct mpass_options *options, void *analyses,
                       LLVMAttributeRef waiting)
{
    struct mpass_context context = context_for(module, options);
    char *const section = mpass_ir_counter_section(module);

    context.analyses = analyses;
    context.waiting = waiting;
    context.counter_section = section;
    context.builder = LLVMCreateBuilderInContext(context.llvm);
    if (mpass_module_is_wanted(module) || waiting != NULL)
        mpass_frames_keep(&context);
    if (context.mode != MPASS_MODE_NONE)
        mpass_analysis_expand_comparisons(module, analyses);
    if (context.mode != MPASS_MODE_NONE || options->context_values)
        mpass_resolver_set_aside(&context);
    count_functions(&context);
    mpass_versions_finish(&context);
    mpass_numbers_fini(&context.uncounted);
    LLVMDisposeBuilder(context.builder);
    free(section);
}

bool mpass_module_run(LLVMModuleRef module, enum mpass_request request,
                      void *analyses)
{
    const struct mpass_options options = mpass_options_read();
    const char *const conflict = mpass_options_conflict(&options);

    report_environment(module);
    if (mpass_module_is_done(module) ||
        (request != MPASS_ALWAYS && !mpass_module_is_wanted(module)))
        return false;
    if (conflict != NULL) {
        report(module, conflict);
        return false;
    }
    if (request == MPASS_MAY_WAIT && options.count_at_link)
        mpass_waiting_mark(module, &options);
    else
        instrument(module, &options, analyses, NULL);
    define_interface(module, &options, mode_for(&options));
    if (mode_for(&options) != MPASS_MODE_NONE)
        record_code(module);
    mpass_ir_set_flag(module, MPROF_MODULE_FLAG_DONE);
    return true;
}

bool mpass_module_count_waiting(LLVMModuleRef module, void *analyses)
{
    bool changed = mpass_waiting_is_required(module);
    LLVMAttributeRef waiting;

    while ((waiting = mpass_waiting_next(module)) != NULL) {
        struct mpass_options options;
        unsigned length;
        char *const text =
            strdup(LLVMGetStringAttributeValue(waiting, &length));

        if (text == NULL)
            abort();
        if (mpass_options_unpack(&options, text) &&
            mpass_options_conflict(&options) == NULL)
            instrument(module, &options, analyses, waiting);
        else
            report(module, MPASS_OTHER_VERSION);
        free(text);
        mpass_waiting_end(module, waiting);
        changed = true;
    }
    mpass_waiting_stop_requiring(module);
    return changed;
}

/* The sanitizer that the function was compiled with and that excludes the
 * profiler, or NULL. */
static const char *other_sanitizer_of(LLVMValueRef function)
{
    static const char *const sanitizers[] = {
#define MPROF_OTHER_SANITIZER(name, function) #name,
#include "shared/other_sanitizers.inc"
    };

    for (size_t i = 0; i < MPROF_ARRAY_LEN(sanitizers); i++) {
        char name[32];
        const int n =
            snprintf(name, sizeof(name), "sanitize_%s", sanitizers[i]);
        const unsigned kind = LLVMGetEnumAttributeKindForName(name, (size_t)n);

        if (kind != 0 &&
            LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                        kind) != NULL)
            return sanitizers[i];
    }
    return NULL;
}

static void refuse_sanitizer(LLVMModuleRef module, const char *sanitizer)
{
    char text[MPASS_MESSAGE_BYTES];

    snprintf(text, sizeof(text), "%s%s", MPASS_NO_SANITIZER, sanitizer);
    mpass_ir_diagnose(LLVMGetModuleContext(module), LLVMDSError, text);
}

/* LLVM does not inline a function into another one if only one of them has this
 * attribute, unless the function is `alwaysinline`. Nothing else uses it at
 * this point, because sample profiles are read earlier. */
#define INLINE_APART "use-sample-profile"

void mpass_module_keep_apart(LLVMModuleRef module)
{
    const LLVMAttributeRef apart =
        LLVMCreateStringAttribute(LLVMGetModuleContext(module), INLINE_APART,
                                  strlen(INLINE_APART), "true", 4);
    const unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);

    MPASS_EACH_FUNCTION(function, module) {
        if (LLVMIsDeclaration(function) || !mpass_ir_is_code_recorded(function))
            continue;
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, apart);
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       always);
    }
}

/* Before functions are inlined. */
static void report_own_blocks(LLVMModuleRef module)
{
    const struct mpass_options options = mpass_options_read();

    if (*options.own_malloc == '\0' || mpass_options_conflict(&options) != NULL)
        return;
    struct mpass_context context = context_for(module, &options);
    context.builder = LLVMCreateBuilderInContext(context.llvm);
    mpass_own_run(&context);
    LLVMDisposeBuilder(context.builder);
}

bool mpass_module_prepare(LLVMModuleRef module)
{
    const char *sanitizer = NULL;

    report_environment(module);
    if (!mpass_module_is_wanted(module) || mpass_module_is_done(module))
        return false;
    MPASS_EACH_FUNCTION(function, module) {
        if (sanitizer == NULL && !LLVMIsDeclaration(function))
            sanitizer = other_sanitizer_of(function);
    }
    if (sanitizer != NULL)
        refuse_sanitizer(module, sanitizer);
    report_own_blocks(module);
    return true;
}
