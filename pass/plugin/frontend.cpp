/* frontend.cpp -- memprof-clang.so: tells clang what the two flags lack. An
 * action that clang runs before its own sees the options before code is made.
 *
 *   collecting   line tables and names for profiles, so that call stacks can be
 *                named; and what calls allocate is found (frontend_types.cpp)
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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#pragma GCC visibility pop

#include "pass/bridge/llvm_compat.h"
#include "pass/plugin/frontend.h"
#include "pass/plugin/frontend_types.h"
#include "pass/support/message.h"
#include "pass/use/profile.h"

__attribute__((visibility("default"))) bool mpass_frontend_settled = false;
__attribute__((visibility("default")))
mpass_frontend_records mpass_frontend_types = {nullptr, 0};

namespace
{
using namespace clang;
/* Where it stands is not the same in all versions. */
using ProfileInstrKind = decltype(CodeGenOptions().getProfileUse());
namespace debug = llvm::codegenoptions;

/* LLVM's option: whether values are followed for variables' locations. */
#define MPASS_LLVM_FOLLOW_OPTION "experimental-debug-variable-locations"

/* DWARF version of line tables that nobody asked a version of. */
const unsigned dwarf_version = 5;

void report(CompilerInstance &ci, DiagnosticsEngine::Level level,
            llvm::StringRef text)
{
    DiagnosticsEngine &diags = ci.getDiagnostics();
    diags.Report(diags.getDiagnosticIDs()->getCustomDiagID(
        static_cast<DiagnosticIDs::Level>(level), "%0"))
        << text;
}

/* Clang drops a note that follows nothing, or what was ignored. */
void report_note(CompilerInstance &ci, llvm::StringRef text)
{
    ci.getDiagnostics().setLastDiagnosticIgnored(false);
    report(ci, DiagnosticsEngine::Note, text);
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

/* Line tables describe no variables, so the code generator need not follow
 * values to find where variables are: that takes a twentieth of a compilation
 * and leaves the object the same. What the user says about it stands. The
 * option is set by the text that a user would give, so its type is LLVM's
 * affair: only switches can go without a value, and take this one. */
void follow_variables(bool wanted)
{
    static bool is_ours = false;
    llvm::cl::Option *option =
        llvm::cl::getRegisteredOptions().lookup(MPASS_LLVM_FOLLOW_OPTION);

    if (option == nullptr || wanted != is_ours ||
        (!is_ours && option->getNumOccurrences() != 0) ||
        option->getValueExpectedFlag() != llvm::cl::ValueOptional)
        return;
    is_ours = !wanted;
    if (wanted)
        option->reset();
    else
        option->addOccurrence(0, MPASS_LLVM_FOLLOW_OPTION, "false");
}

void prepare_collecting(CodeGenOptions &options)
{
    raise_debug_info(options, debug::DebugLineTablesOnly);
    options.DebugInfoForProfiling = true;
}

/* A file of counters alone: no mistake, unless it was meant to hold more. */
void note_no_memory(CompilerInstance &ci, const CodeGenOptions &options)
{
    char message[MPASS_MESSAGE_BYTES];

    if (!options.MemoryProfileUsePath.empty() ||
        !options.MemoryProfileOutput.empty())
        return;
    snprintf(message, sizeof(message),
             "%s: profile '%s' holds no memory profile, only its counters are "
             "used; 'memprofdata merge' makes one that holds both",
             MPASS_NAME, options.ProfileInstrumentUsePath.c_str());
    report_note(ci, message);
}

/* A file that clang took, but that is damaged: LLVM is not let at it. */
void refuse_profile(CompilerInstance &ci, CodeGenOptions &options,
                    const llvm::MemoryBuffer &file)
{
    char message[MPASS_MESSAGE_BYTES];

    if (mpass_profile_check(options.ProfileInstrumentUsePath.c_str(),
                            file.getBufferStart(), file.getBufferSize(),
                            message))
        return;
    report(ci, DiagnosticsEngine::Error, message);
    options.setProfileUse(ProfileInstrKind::ProfileNone);
}

/* -fprofile-use: what is in the file? Clang has reported one that it cannot
 * read; one that it reads and we do not know is its own affair. */
void settle_profile_use(CompilerInstance &ci, CodeGenOptions &options)
{
    const std::string &path = options.ProfileInstrumentUsePath;
    mpass_profile profile;
    auto file = ci.getVirtualFileSystem().getBufferForFile(path);

    if (!file)
        return;
    const mprof_err err = mpass_profile_probe(
        (*file)->getBufferStart(), (*file)->getBufferSize(), &profile, nullptr);
    if (err == MPROF_E_MAGIC || err == MPROF_E_VERSION)
        return;
    mpass_frontend_settled = true;
    if (err != MPROF_E_OK)
        return refuse_profile(ci, options, **file);
    if (!profile.has_memory)
        return note_no_memory(ci, options);
    if (!profile.has_counters)
        options.setProfileUse(ProfileInstrKind::ProfileNone);
    else if (!profile.is_ir)
        options.setProfileUse(ProfileInstrKind::ProfileClangInstr);
    if (!options.MemoryProfileUsePath.empty())
        return;
    if (options.MemoryProfileOutput.empty())
        options.MemoryProfileUsePath = path;
    else
        report(ci, DiagnosticsEngine::Remark, MPASS_COLLECTS_INSTEAD);
}

/* -fmemory-profile-use: a file that cannot be used gives one message, and LLVM
 * is not let at it, nor at another. */
bool check_memory_profile(CompilerInstance &ci, CodeGenOptions &options)
{
    const std::string &path = options.MemoryProfileUsePath;
    auto file = ci.getVirtualFileSystem().getBufferForFile(path);
    char message[MPASS_MESSAGE_BYTES];

    if (!file)
        snprintf(message, sizeof(message), "%s: memory profile '%s': %s",
                 MPASS_NAME, path.c_str(), file.getError().message().c_str());
    else if (mpass_profile_check(path.c_str(), (*file)->getBufferStart(),
                                 (*file)->getBufferSize(), message))
        return true;
    report(ci, DiagnosticsEngine::Error, message);
    options.MemoryProfileUsePath.clear();
    options.setProfileUse(ProfileInstrKind::ProfileNone);
    return false;
}

/* Code for a device runs beside the program, which may be profiled. */
bool is_for_device(CompilerInstance &ci)
{
    const LangOptions &language = ci.getLangOpts();
    const llvm::Triple &triple = ci.getTarget().getTriple();

    return language.CUDAIsDevice || language.OpenMPIsTargetDevice ||
           language.SYCLIsDevice || triple.isNVPTX() || triple.isAMDGPU() ||
           triple.isSPIR() || triple.isSPIRV();
}

/* Code without a runtime is compiled as without the flags; counters of a
 * profile are used. */
void leave_alone(CompilerInstance &ci, CodeGenOptions &options)
{
    bool is_asked = !options.MemoryProfileOutput.empty();

    options.MemoryProfileOutput.clear();
    if (!options.ProfileInstrumentUsePath.empty())
        settle_profile_use(ci, options);
    is_asked |= !options.MemoryProfileUsePath.empty();
    options.MemoryProfileUsePath.clear();
    mpass_frontend_settled = true;
    if (is_asked && !is_for_device(ci))
        report_note(ci, MPASS_NO_RUNTIME + ci.getTarget().getTriple().str());
}

/* Some leave no trace in the module (module.c). */
void refuse_other_sanitizers(CompilerInstance &ci)
{
    static const char *const sanitizers[] = {
#define MPROF_OTHER_SANITIZER(name, function) #name,
#include "shared/other_sanitizers.inc"
    };

    for (const char *sanitizer : sanitizers) {
        if (!ci.getLangOpts().Sanitize.hasOneOf(
                parseSanitizerValue(sanitizer, false)))
            continue;
        report(ci, DiagnosticsEngine::Error,
               (MPASS_NO_SANITIZER + llvm::StringRef(sanitizer)).str());
        return;
    }
}

/* When all of a file is read, and before clang optimizes it. */
class FindTypes : public ASTConsumer
{
    static std::string records;

    void HandleTranslationUnit(ASTContext &context) override
    {
        mpass_frontend_find_types(context, records);
        mpass_frontend_types = {records.data(), records.size()};
    }

  public:
    FindTypes()
    {
        records.clear();
        mpass_frontend_types = {nullptr, 0};
    }
};

std::string FindTypes::records;

class Action : public PluginASTAction
{
  public:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &ci,
                                                   llvm::StringRef) override
    {
        CodeGenOptions &options = ci.getCodeGenOpts();
        bool variables = true;

        if (is_for_device(ci) ||
            !mpass_compat_has_runtime(ci.getTarget().getTriple())) {
            follow_variables(true);
            leave_alone(ci, options);
            return std::make_unique<ASTConsumer>();
        }
        if (!options.MemoryProfileOutput.empty()) {
            refuse_other_sanitizers(ci);
            prepare_collecting(options);
            variables = options.getDebugInfo() > debug::DebugLineTablesOnly;
        }
        follow_variables(variables);
        if ((options.MemoryProfileUsePath.empty() ||
             check_memory_profile(ci, options)) &&
            !options.ProfileInstrumentUsePath.empty())
            settle_profile_use(ci, options);
        if (!options.MemoryProfileUsePath.empty())
            raise_debug_info(options, debug::LocTrackingOnly);
        if (!options.MemoryProfileOutput.empty())
            return std::make_unique<FindTypes>();
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
