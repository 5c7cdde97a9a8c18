/* frontend.cpp -- memprof-clang.so: tells clang what the two flags lack. An
 * action that clang runs before its own sees the options before code is made.
 *
 *   collecting   line tables and names for profiles, frame pointers everywhere,
 *                no sibling calls: so that call stacks can be walked and named
 *   using        locations for matching, which leave no trace in the object;
 *                and -fprofile-use means the memory profile in the file too
 *
 * Options are only raised, never lowered.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#pragma GCC visibility pop

#include "pass/pass.h"

__attribute__((visibility("default"))) bool mpass_frontend_settled = false;

namespace
{
using namespace clang;
using llvm::driver::ProfileInstrKind;
namespace debug = llvm::codegenoptions;

/* DWARF version of line tables that nobody asked a version of. */
const unsigned dwarf_version = 5;

void report(CompilerInstance &ci, DiagnosticsEngine::Level level,
            llvm::StringRef text)
{
    DiagnosticsEngine &diags = ci.getDiagnostics();
    diags.Report(diags.getDiagnosticIDs()->getCustomDiagID(
        static_cast<DiagnosticIDs::Level>(level), text));
}

/* Locations at least of this kind, with the names that profiles go by. */
void raise_debug_info(CodeGenOptions &options, debug::DebugInfoKind kind)
{
    if (options.getDebugInfo() < kind)
        options.setDebugInfo(kind);
    if (options.getDebugInfo() <= debug::DebugLineTablesOnly)
        options.DebugInfoForProfiling = true;
    if (options.DwarfVersion == 0)
        options.DwarfVersion = dwarf_version;
}

void prepare_collecting(CodeGenOptions &options)
{
    raise_debug_info(options, debug::DebugLineTablesOnly);
    options.DebugInfoForProfiling = true;
    options.setFramePointer(CodeGenOptions::FramePointerKind::All);
    options.DisableTailCalls = true;
}

/* -fprofile-use: what is in the file? Clang has reported one that it cannot
 * read. */
void settle_profile_use(CompilerInstance &ci, CodeGenOptions &options)
{
    const std::string &path = options.ProfileInstrumentUsePath;
    mpass_profile profile;
    auto file = ci.getVirtualFileSystem().getBufferForFile(path);

    if (!file ||
        mpass_profile_probe((*file)->getBufferStart(), (*file)->getBufferSize(),
                            &profile, nullptr) != MPROF_E_OK)
        return;
    mpass_frontend_settled = true;
    if (!profile.has_memory)
        return;
    if (!profile.has_counters)
        options.setProfileUse(ProfileInstrKind::ProfileNone);
    else if (!profile.is_ir)
        options.setProfileUse(ProfileInstrKind::ProfileClangInstr);
    if (options.MemoryProfileOutput.empty())
        options.MemoryProfileUsePath = path;
    else
        report(ci, DiagnosticsEngine::Remark, MPASS_COLLECTS_INSTEAD);
}

/* A memory profile that cannot be used: one message, and LLVM is not let at
 * it. */
void check_memory_profile(CompilerInstance &ci, CodeGenOptions &options)
{
    const std::string &path = options.MemoryProfileUsePath;
    auto file = ci.getVirtualFileSystem().getBufferForFile(path);
    char message[MPASS_MESSAGE_BYTES];

    if (!file)
        snprintf(message, sizeof(message), "%s: memory profile '%s': %s",
                 MPASS_NAME, path.c_str(), file.getError().message().c_str());
    else if (mpass_profile_check(path.c_str(), (*file)->getBufferStart(),
                                 (*file)->getBufferSize(), message))
        return;
    report(ci, DiagnosticsEngine::Error, message);
    options.MemoryProfileUsePath.clear();
}

class Action : public PluginASTAction
{
  public:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &ci,
                                                   llvm::StringRef) override
    {
        CodeGenOptions &options = ci.getCodeGenOpts();

        if (!options.MemoryProfileOutput.empty())
            prepare_collecting(options);
        if (options.MemoryProfileUsePath.empty() &&
            !options.ProfileInstrumentUsePath.empty())
            settle_profile_use(ci, options);
        else if (!options.MemoryProfileUsePath.empty())
            check_memory_profile(ci, options);
        if (!options.MemoryProfileUsePath.empty())
            raise_debug_info(options, debug::LocTrackingOnly);
        return std::make_unique<ASTConsumer>();
    }

    bool ParseArgs(const CompilerInstance &,
                   const std::vector<std::string> &) override
    {
        return true;
    }

    ActionType getActionType() override
    {
        return AddBeforeMainAction;
    }
};

/* Two copies of the plugin may be in the process: the first one serves. */
struct Register {
    Register()
    {
        for (const auto &entry : FrontendPluginRegistry::entries()) {
            if (entry.getName() == MPASS_NAME)
                return;
        }
        static FrontendPluginRegistry::Add<Action> added(
            MPASS_NAME, "prepares code for heap profiles");
    }
} registered;
} // namespace
