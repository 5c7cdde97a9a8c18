/* plugin.cpp -- where LLVM calls on us: the plugin's entry point, the places in
 * the pipeline, pass instrumentation. What is to be done lies in the C files.
 *
 * Pass instrumentation is how we stand in for LLVM's own passes, which clang
 * schedules after ours. Its counting pass honours no attribute or metadata, but
 * it skips the function that -memprof-debug-func names; so for the time that it
 * looks at a function of a module that we have done, the option names that
 * function. The value of the user is back before anything else runs, and other
 * modules of the process never see a change.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/ADT/Any.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Support/MemoryBuffer.h"
#pragma GCC visibility pop

#include "pass/bridge/commandline.h"
#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/collect/module.h"
#include "pass/collect/types.h"
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

using namespace llvm;

/* What memprof-clang.so has, where it is. */
static const bool *frontend_settled;
static const mpass_frontend_records *frontend_types;

/* -- Passes ---------------------------------------------------------------- */

namespace
{
PreservedAnalyses preserved_if(bool unchanged)
{
    return unchanged ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

/* Counts accesses, when wanted or, where a pipeline names it, always. */
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

/* Matches a profile; named in a pipeline: memprof-match<FILE>. */
struct MemProfPluginMatchPass : PassInfoMixin<MemProfPluginMatchPass> {
    std::string profile;

    explicit MemProfPluginMatchPass(StringRef file) : profile(file)
    {
    }
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
    {
        mpass_use_match(wrap(&module), profile.c_str(), &analyses);
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

/* Makes hinted calls; in a pipeline: memprof-hint. */
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

/* One per registration: what a pass needs that stands in for LLVM's. */
struct UsedProfile {
    std::string path; /* or "": LLVM's own pass runs */
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

/* -- Standing in for LLVM's passes ----------------------------------------- */

/* One per registration: what the user's -memprof-debug-func is meanwhile. */
struct StandIn {
    bool active = false;
    std::string debug_func;
};

template <typename IRUnit> IRUnit *unit_of(const Any &ir)
{
    const auto *unit = any_cast<const IRUnit *>(&ir);
    return unit ? const_cast<IRUnit *>(*unit) : nullptr;
}

void before_pass(StandIn &stand_in, StringRef pass, const Any &ir)
{
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

/* -- Using a profile without the front-end action -------------------------- */

#if MPASS_HAS_PROFILE_USE
/* PassBuilder keeps what -fprofile-use means in a private member; an explicit
 * instantiation may name it. */
std::optional<PGOOptions> &pgo_of(PassBuilder &builder);
template <std::optional<PGOOptions> PassBuilder::*member> struct PrivateMember {
    friend std::optional<PGOOptions> &pgo_of(PassBuilder &builder)
    {
        return builder.*member;
    }
};
template struct PrivateMember<&PassBuilder::PGOOpt>;

bool probe_file(const std::string &path, mpass_profile &profile)
{
    auto file = MemoryBuffer::getFile(path);
    return file && mpass_profile_probe((*file)->getBufferStart(),
                                       (*file)->getBufferSize(), &profile,
                                       nullptr) == MPROF_E_OK;
}

/* In place of LLVM's pass, which would run now: a pass manager of its own keeps
 * the analyses of LLVM's true. A module that collects a new memory profile does
 * not use an old one. */
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

/* Without the front-end action: the memory profile is that of -fprofile-use's
 * file. */
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

/* To have a profile makes LLVM's inliner put off what may become smaller later:
 * a guess that pays with counters; and inline small functions first of all, for
 * the counters' sake. With a memory profile alone a program shall differ by its
 * hints from what it is without; where hints are LLVM's, they are by what LLVM
 * inlines. What the user says stands. */
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

/* Instrumented modules skip the memory profile. */
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

/* A symbol of clang's front end that the action needs. */
const char clang_symbol[] =
    "_ZN4llvm8RegistryIN5clang15PluginASTActionEE8add_nodeEPNS3_4nodeE";

bool is_in_clang()
{
    return dlsym(RTLD_DEFAULT, clang_symbol) != nullptr;
}

/* Loads the front-end action from beside this file, where clang is. The file
 * may have been found through a link on the linker's path. */
void load_frontend()
{
    Dl_info self;
    void *handle;

    if (!is_in_clang() ||
        dladdr(reinterpret_cast<void *>(&load_frontend), &self) == 0)
        return;
    char *const real = realpath(self.dli_fname, nullptr);
    std::string path(real != nullptr ? real : self.dli_fname);
    free(real);
    path.erase(path.rfind('/') + 1);
    handle = dlopen((path + MPASS_FRONTEND_FILE).c_str(), RTLD_NOW);
    if (handle == nullptr)
        return;
    frontend_settled =
        static_cast<const bool *>(dlsym(handle, MPASS_FRONTEND_SETTLED));
    frontend_types = static_cast<const mpass_frontend_records *>(
        dlsym(handle, MPASS_FRONTEND_TYPES));
}

/* -- A back end of a distributed link --------------------------------------- */

#define MPASS_LLVM_CLONE_OPTION "enable-memprof-context-disambiguation"

/* True once LLVM has built a pipeline with our passes. Clang builds none with
 * them for -fthinlto-index=. */
bool has_pipeline = false;

#if MPASS_HAS_CODEGEN_CALLBACK
/* Makes hinted calls where no pipeline does. */
struct HintAtCodegen : ModulePass {
    static char ID;

    HintAtCodegen() : ModulePass(ID)
    {
    }
    bool runOnModule(Module &module) override
    {
        return mpass_use_hint(wrap(&module), false);
    }
};

char HintAtCodegen::ID;

RegisterTargetPassConfigCallback hint_at_codegen([](TargetMachine &,
                                                    PassManagerBase &manager,
                                                    TargetPassConfig *) {
    if (!has_pipeline)
        manager.add(new HintAtCodegen);
});
#endif

/* The index of the link says what is cloned; LLVM heeds it with an option. */
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
    builder.registerPipelineStartEPCallback(
        [used](ModulePassManager &manager, OptimizationLevel) {
            manager.addPass(MemProfPluginPreparePass(used));
        });
    builder.registerOptimizerLastEPCallback([](MPASS_OPTIMIZER_LAST_ARGS) {
        manager.addPass(MemProfPluginPass(MPASS_IF_WANTED));
        if (MPASS_IS_BEFORE_LINK)
            manager.addPass(MemProfPluginKeepApartPass());
        manager.addPass(MemProfPluginHintPass(MPASS_IS_BEFORE_LINK));
    });
    builder.registerFullLinkTimeOptimizationLastEPCallback(
        [](ModulePassManager &manager, OptimizationLevel) {
            manager.addPass(MemProfPluginHintPass(false));
        });
    builder.registerPipelineParsingCallback(parse_pass);
}

/* When the plugin is loaded, before -mllvm is read. */
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
