/* plugin.cpp -- LLVM's entry points: registration of the plugin, its passes in
 * the pipeline, pass instrumentation. The C files do the work.
 *
 * With pass instrumentation we replace LLVM's own passes, which clang schedules
 * after ours. LLVM's counting pass looks at no attribute or metadata, but it
 * skips the function named by -memprof-debug-func. So before it runs on a
 * function that we have instrumented, we set this option to the function's
 * name; after the pass we restore the user's value. Other modules of the
 * process never see the changed option.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/ADT/Any.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Support/MemoryBuffer.h"
#pragma GCC visibility pop

#include "pass/bridge/analysis.h"
#include "pass/bridge/commandline.h"
#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/collect/module.h"
#include "pass/collect/steps.h"
#include "pass/collect/waiting.h"
#include "pass/plugin/frontend.h"
#include "pass/support/message.h"
#include "pass/support/options.h"
#include "pass/use/copyable.h"
#include "pass/use/profile.h"
#include "pass/use/use.h"
#include "shared/version.h"

#include <dlfcn.h>
#include <memory>
#include <string>
#include <vector>

using namespace llvm;

/* Variables of memprof-clang.so; NULL if it is not loaded. */
static const bool *frontend_settled;
static const mpass_frontend_records *frontend_types;
static mpass_use_dense_fn *frontend_dense;

/* -- Passes ---------------------------------------------------------------- */

namespace
{
PreservedAnalyses preserved_if(bool unchanged)
{
    return unchanged ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

/* Counts accesses: in modules that want it, or always (memprof-instrument in a
 * pipeline). */
struct MemProfPluginPass : PassInfoMixin<MemProfPluginPass> {
    mpass_request request;

    explicit MemProfPluginPass(mpass_request when) : request(when)
    {
    }
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
    {
        auto &proxy =
            analyses.getResult<FunctionAnalysisManagerModuleProxy>(module);
        return preserved_if(
            !mpass_module_run(wrap(&module), request, &proxy.getManager()));
    }
    static bool isRequired()
    {
        return true;
    }
};

/* Counts accesses in functions that wait for the link. */
struct MemProfPluginLinkPass : PassInfoMixin<MemProfPluginLinkPass> {
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
    {
        auto &proxy =
            analyses.getResult<FunctionAnalysisManagerModuleProxy>(module);
        return preserved_if(
            !mpass_module_count_waiting(wrap(&module), &proxy.getManager()));
    }
    static bool isRequired()
    {
        return true;
    }
};

/* Matches a profile; in a pipeline: memprof-match<FILE>. */
struct MemProfPluginMatchPass : PassInfoMixin<MemProfPluginMatchPass> {
    std::string profile;

    explicit MemProfPluginMatchPass(StringRef file) : profile(file)
    {
    }
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
    {
        mpass_use_match(wrap(&module), profile.c_str(), &analyses,
                        frontend_dense);
        return PreservedAnalyses::none();
    }
};

struct MemProfPluginKeepApartPass : PassInfoMixin<MemProfPluginKeepApartPass> {
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        mpass_module_keep_apart(wrap(&module));
        return PreservedAnalyses::all();
    }
};

/* Replaces allocation calls by hinted calls; in a pipeline: memprof-hint. */
struct MemProfPluginHintPass : PassInfoMixin<MemProfPluginHintPass> {
    bool before_link;

    explicit MemProfPluginHintPass(bool before) : before_link(before)
    {
    }
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        const bool waits =
            before_link && mpass_hotness_is_before_link(wrap(&module));
        return preserved_if(!mpass_use_hint(wrap(&module), waits));
    }
};

/* Arguments of the pass that replaces LLVM's MemProfUsePass; one per
 * registration. */
struct UsedProfile {
    std::string path; /* "": LLVM's own pass runs */
    ModuleAnalysisManager *analyses = nullptr;
};

struct MemProfPluginPreparePass : PassInfoMixin<MemProfPluginPreparePass> {
    std::shared_ptr<UsedProfile> used;

    explicit MemProfPluginPreparePass(std::shared_ptr<UsedProfile> profile)
        : used(std::move(profile))
    {
    }
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
    {
        used->analyses = &analyses;
        if (!mpass_module_prepare(wrap(&module)))
            return PreservedAnalyses::all();
        if (frontend_types != nullptr)
            mpass_types_emit(wrap(&module), frontend_types->bytes,
                             frontend_types->size);
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

/* -- Replacing LLVM's passes ----------------------------------------------- */

/* The user's -memprof-debug-func while the option has our value, and the frames
 * of calls (keep_frames) while a pass runs; one per registration. */
struct StandIn {
    bool active = false;
    std::string debug_func;
    std::vector<MDNode *> frames;
};

template <typename IRUnit> IRUnit *unit_of(const Any &ir)
{
    const auto *unit = any_cast<const IRUnit *>(&ir);
    return unit ? const_cast<IRUnit *>(*unit) : nullptr;
}

/* The functions that the pass may replace by functions with other parameters.
 * The calls of the new functions have the old calls' attributes, but not their
 * frames for the cloning by context (!callsite). */
SmallVector<Function *> replaced_by(StringRef pass, const Any &ir)
{
    SmallVector<Function *> functions;

    if (mpass_use_is_left_to_llvm())
        return functions;
    if (pass == MPASS_LLVM_DEAD_ARGUMENT_PASS) {
        if (Module *module = unit_of<Module>(ir))
            for (Function &function : *module)
                functions.push_back(&function);
    } else if (pass == MPASS_LLVM_PROMOTION_PASS) {
        if (auto *component = unit_of<LazyCallGraph::SCC>(ir))
            for (LazyCallGraph::Node &node : *component)
                functions.push_back(&node.getFunction());
    }
    return functions;
}

#define KEPT_FRAMES "memprof-frames"

/* Marks each call with the number of its frames. */
void keep_frames(StandIn &stand_in, Function &function)
{
    for (User *user : function.users()) {
        auto *call = dyn_cast<CallBase>(user);
        MDNode *const frames =
            call ? call->getMetadata(LLVMContext::MD_callsite) : nullptr;
        if (frames == nullptr)
            continue;
        call->addFnAttr(Attribute::get(call->getContext(), KEPT_FRAMES,
                                       utostr(stand_in.frames.size())));
        stand_in.frames.push_back(frames);
    }
}

void restore_frames(const StandIn &stand_in, Function &function)
{
    for (User *user : function.users()) {
        auto *call = dyn_cast<CallBase>(user);
        size_t number;
        if (call == nullptr ||
            call->getFnAttr(KEPT_FRAMES)
                .getValueAsString()
                .getAsInteger(10, number) ||
            number >= stand_in.frames.size())
            continue;
        call->setMetadata(LLVMContext::MD_callsite, stand_in.frames[number]);
        call->removeFnAttr(KEPT_FRAMES);
    }
}

void before_pass(StandIn &stand_in, StringRef pass, const Any &ir)
{
    stand_in.frames.clear();
    for (Function *function : replaced_by(pass, ir))
        keep_frames(stand_in, *function);
    if (pass == MPASS_LLVM_MODULE_PASS) {
        if (Module *module = unit_of<Module>(ir))
            mpass_module_yield(wrap(module));
        return;
    }
    Function *function =
        pass == MPASS_LLVM_COUNT_PASS ? unit_of<Function>(ir) : nullptr;
    if (function == nullptr ||
        (mpass_ir_has_runtime(wrap(function->getParent())) &&
         !mpass_module_is_done(wrap(function->getParent()))))
        return;
    stand_in.debug_func =
        mpass_commandline_get_STRING(mpass_option_flags.debug_func, "");
    stand_in.active = stand_in.debug_func != function->getName();
    if (stand_in.active)
        mpass_commandline_set_STRING(mpass_option_flags.debug_func,
                                     function->getName().str().c_str());
}

void after_pass(StandIn &stand_in, StringRef pass, const Any &ir)
{
    for (Function *function : replaced_by(pass, ir))
        restore_frames(stand_in, *function);
    if (Module *module = unit_of<Module>(ir)) {
        if (pass == MPASS_LLVM_CLONE_PASS)
            mpass_copyable_undo(wrap(module));
        else if (pass == MPASS_LLVM_MODULE_PASS)
            mpass_module_revert(wrap(module));
        return;
    }
    if (pass != MPASS_LLVM_COUNT_PASS || !stand_in.active)
        return;
    mpass_commandline_set_STRING(mpass_option_flags.debug_func,
                                 stand_in.debug_func.c_str());
    stand_in.active = false;
}

void stand_in_for_llvm(PassInstrumentationCallbacks &callbacks)
{
    auto stand_in = std::make_shared<StandIn>();

    callbacks.registerBeforeNonSkippedPassCallback(
        [stand_in](StringRef pass, Any ir) {
            before_pass(*stand_in, pass, ir);
        });
    callbacks.registerAfterPassCallback(
        [stand_in](StringRef pass, Any ir, const PreservedAnalyses &) {
            after_pass(*stand_in, pass, ir);
        });
}

/* -- Private members of PassBuilder ---------------------------------------- */

/* It keeps the machine and the settings of -fprofile-use in private members. An
 * explicit template instantiation is allowed to name them. */
TargetMachine *machine_of(PassBuilder &builder);
std::optional<PGOOptions> &pgo_of(PassBuilder &builder);
template <TargetMachine *PassBuilder::*machine,
          std::optional<PGOOptions> PassBuilder::*pgo>
struct PrivateMembers {
    friend TargetMachine *machine_of(PassBuilder &builder)
    {
        return builder.*machine;
    }
    friend std::optional<PGOOptions> &pgo_of(PassBuilder &builder)
    {
        return builder.*pgo;
    }
};
template struct PrivateMembers<&PassBuilder::TM, &PassBuilder::PGOOpt>;

/* -- Using a profile without the front-end action -------------------------- */

#if MPASS_HAS_PROFILE_USE

bool probe_file(const std::string &path, mpass_profile &profile)
{
    auto file = MemoryBuffer::getFile(path);
    return file && mpass_profile_probe((*file)->getBufferStart(),
                                       (*file)->getBufferSize(), &profile,
                                       nullptr) == MPROF_E_OK;
}

/* Called before each optional pass; false skips the pass. Before LLVM's
 * MemProfUsePass, runs our pass instead, in a pass manager, which invalidates
 * analyses. A module that collects a new memory profile does not use an old
 * one.
 */
bool may_use_profile(UsedProfile &used, StringRef pass, const Any &ir)
{
    Module *module =
        pass == MPASS_LLVM_USE_PASS ? unit_of<Module>(ir) : nullptr;
    ModulePassManager manager;

    if (module == nullptr)
        return true;
    if (!mpass_ir_has_runtime(wrap(module)))
        return false;
    if (mpass_module_is_wanted(wrap(module))) {
        mpass_ir_diagnose(wrap(&module->getContext()), LLVMDSNote,
                          MPASS_COLLECTS_INSTEAD);
        return false;
    }
    if (mpass_use_is_left_to_llvm() || used.path.empty() ||
        used.analyses == nullptr)
        return true;
    manager.addPass(MemProfPluginMatchPass(used.path));
    manager.run(*module, *used.analyses);
    return false;
}

/* Without the front-end action: takes the memory profile from the file of
 * -fprofile-use. */
void settle_profile(std::optional<PGOOptions> &pgo)
{
    mpass_profile profile;

    if (!pgo || pgo->Action != PGOOptions::IRUse ||
        pgo->CSAction != PGOOptions::NoCSAction ||
        !probe_file(pgo->ProfileFile, profile) || !profile.has_memory)
        return;
    if (!profile.has_counters)
        pgo->Action = PGOOptions::NoAction;
    if (pgo->MemoryProfile.empty())
        pgo->MemoryProfile = pgo->ProfileFile;
}

#define MPASS_LLVM_DEFERRAL_OPTION "enable-npm-pgo-inline-deferral"
#define MPASS_LLVM_PREINLINE_OPTION "disable-preinline"

/* With any profile, LLVM's inliner defers some inlining, and an early pass
 * inlines small functions. Both make sense with PGO counters only. With a
 * memory profile alone a program must differ from one without by its hints
 * only, so we turn both off. -memprof-hints=llvm keeps the early inlining, as
 * LLVM has it. Options that the user gave are kept. */
void settle_inlining(const PGOOptions &pgo)
{
    const bool has_counters = pgo.Action != PGOOptions::NoAction;

    if (!mpass_commandline_was_given(MPASS_LLVM_DEFERRAL_OPTION))
        mpass_commandline_set_BOOL(MPASS_LLVM_DEFERRAL_OPTION, has_counters);
    if (!mpass_commandline_was_given(MPASS_LLVM_PREINLINE_OPTION))
        mpass_commandline_set_BOOL(MPASS_LLVM_PREINLINE_OPTION,
                                   !has_counters &&
                                       !mpass_use_is_left_to_llvm());
}

/* Lets our pass use the memory profile, if the command line gives one. */
void use_memory_profile(PassBuilder &builder,
                        const std::shared_ptr<UsedProfile> &used)
{
    std::optional<PGOOptions> &pgo = pgo_of(builder);

    if (frontend_settled == nullptr || !*frontend_settled)
        settle_profile(pgo);
    if (!pgo || pgo->MemoryProfile.empty())
        return;
    settle_inlining(*pgo);
    used->path = pgo->MemoryProfile;
    if (auto *callbacks = builder.getPassInstrumentationCallbacks())
        callbacks->registerShouldRunOptionalPassCallback(
            [used](StringRef pass, Any ir) {
                return may_use_profile(*used, pass, ir);
            });
}
#else
void use_memory_profile(PassBuilder &, const std::shared_ptr<UsedProfile> &)
{
}
#endif

/* -- memprof-clang.so ------------------------------------------------------ */

/* A symbol of clang's front end that memprof-clang.so imports. */
const char clang_symbol[] =
    "_ZN4llvm8RegistryIN5clang15PluginASTActionEE8add_nodeEPNS3_4nodeE";

bool is_in_clang()
{
    return dlsym(RTLD_DEFAULT, clang_symbol) != nullptr;
}

/* In clang, loads memprof-clang.so from the folder of this file. Resolves
 * symbolic links, because the linker may have found the plugin through one. */
void load_frontend()
{
    Dl_info self;

    if (!is_in_clang() ||
        dladdr(reinterpret_cast<void *>(&load_frontend), &self) == 0)
        return;
    char *const real = realpath(self.dli_fname, nullptr);
    std::string path(real != nullptr ? real : self.dli_fname);
    free(real);
    path.erase(path.rfind('/') + 1);
    void *const handle = dlopen((path + MPASS_FRONTEND_FILE).c_str(), RTLD_NOW);
    if (handle == nullptr)
        return;
    frontend_settled =
        static_cast<const bool *>(dlsym(handle, MPASS_FRONTEND_SETTLED));
    frontend_types = static_cast<const mpass_frontend_records *>(
        dlsym(handle, MPASS_FRONTEND_TYPES));
    frontend_dense = reinterpret_cast<mpass_use_dense_fn *>(
        dlsym(handle, MPASS_FRONTEND_DENSE));
}

/* -- Back ends of ThinLTO without our passes -------------------------------- */

#define MPASS_LLVM_CLONE_OPTION "enable-memprof-context-disambiguation"

/* True once LLVM has built a pipeline with our passes. With -fthinlto-index=,
 * clang builds a pipeline without them; lld does so at -O0. */
bool has_pipeline = false;

#if MPASS_HAS_CODEGEN_CALLBACK
void count_waiting(Module &module, TargetMachine &machine)
{
    PassBuilder builder(&machine);
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    ModulePassManager manager;

    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    mpass_analysis_set_machine(&functions, &machine);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    manager.addPass(MemProfPluginLinkPass());
    manager.run(module, modules);
}

/* Does what no pipeline with our passes has done: counts in functions that
 * wait, and replaces allocation calls. */
struct AtCodegen : ModulePass {
    static char ID;
    TargetMachine &machine;

    explicit AtCodegen(TargetMachine &target) : ModulePass(ID), machine(target)
    {
    }
    bool runOnModule(Module &module) override
    {
        const bool waits = mpass_waiting_is_required(wrap(&module));

        if (waits)
            count_waiting(module, machine);
        return (!has_pipeline && mpass_use_hint(wrap(&module), false)) || waits;
    }
};

char AtCodegen::ID;

RegisterTargetPassConfigCallback
    at_codegen([](TargetMachine &machine, PassManagerBase &manager,
                  TargetPassConfig *) { manager.add(new AtCodegen(machine)); });
#endif

/* The index of the link lists the clones. LLVM makes them only if its option is
 * set. */
void heed_index()
{
    if (is_in_clang())
        mpass_commandline_set_BOOL(MPASS_LLVM_CLONE_OPTION, true);
}

/* -- The plugin ------------------------------------------------------------ */

bool parse_pass(StringRef name, ModulePassManager &manager,
                ArrayRef<PassBuilder::PipelineElement>)
{
    if (name == "memprof-instrument")
        manager.addPass(MemProfPluginPass(MPASS_ALWAYS));
    else if (name == "memprof-hint")
        manager.addPass(MemProfPluginHintPass(false));
    else if (name.consume_front("memprof-match<") && name.consume_back(">"))
        manager.addPass(MemProfPluginMatchPass(name));
    else
        return false;
    return true;
}

void register_callbacks(PassBuilder &builder)
{
    auto used = std::make_shared<UsedProfile>();

    has_pipeline = true;
    mpass_options_apply_environment();
    if (auto *callbacks = builder.getPassInstrumentationCallbacks())
        stand_in_for_llvm(*callbacks);
    use_memory_profile(builder, used);
    builder.registerAnalysisRegistrationCallback(
        [machine = machine_of(builder)](FunctionAnalysisManager &functions) {
            mpass_analysis_set_machine(&functions, machine);
        });
    builder.registerPipelineStartEPCallback(
        [used](ModulePassManager &manager, OptimizationLevel) {
            manager.addPass(MemProfPluginPreparePass(used));
        });
    builder.registerOptimizerLastEPCallback([](MPASS_OPTIMIZER_LAST_ARGS) {
        if (!MPASS_IS_BEFORE_LINK)
            manager.addPass(MemProfPluginLinkPass());
        manager.addPass(MemProfPluginPass(
            MPASS_MAY_WAIT_FOR_LINK ? MPASS_MAY_WAIT : MPASS_IF_WANTED));
        if (MPASS_IS_BEFORE_LINK)
            manager.addPass(MemProfPluginKeepApartPass());
        manager.addPass(MemProfPluginHintPass(MPASS_IS_BEFORE_LINK));
    });
    builder.registerFullLinkTimeOptimizationLastEPCallback(
        [](ModulePassManager &manager, OptimizationLevel) {
            manager.addPass(MemProfPluginLinkPass());
            manager.addPass(MemProfPluginHintPass(false));
        });
    builder.registerPipelineParsingCallback(parse_pass);
}

/* Runs when the plugin is loaded, before LLVM parses -mllvm options. */
struct Loaded {
    Loaded()
    {
        mpass_options_register();
        load_frontend();
        heed_index();
    }
} loaded;
} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "memprof", MPROF_VERSION,
            register_callbacks};
}
