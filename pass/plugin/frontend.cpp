/* frontend.cpp -- memprof-clang.so: an action that clang runs before its own.
 * It changes clang's options before code is generated:
 *
 *   -fmemory-profile      turns on line tables with linkage names, so that call
 *                         stacks can be symbolized; finds the types that calls
 *                         allocate (frontend_types.cpp)
 *   -fmemory-profile-use  turns on debug locations for matching, which are not
 *                         written to the object; finds the calls whose blocks
 *                         may be dense (frontend_dense.cpp)
 *   -fprofile-use         uses the memory profile in the file too
 *
 * The level of debug information is only raised, never lowered.
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
#include "pass/plugin/frontend_dense.h"
#include "pass/support/message.h"
#include "pass/use/profile.h"

__attribute__((visibility("default"))) bool mpass_frontend_settled = false;
__attribute__((visibility("default")))
mpass_frontend_records mpass_frontend_types = {nullptr, 0};

namespace
{
using namespace clang;
/* Versions of clang define the type in different scopes. */
using ProfileInstrKind = decltype(CodeGenOptions().getProfileUse());
namespace debug = llvm::codegenoptions;

/* LLVM's option: track values to find the locations of variables. */
#define MPASS_LLVM_FOLLOW_OPTION "experimental-debug-variable-locations"

/* DWARF version of line tables if the user gave none. */
const unsigned dwarf_version = 5;

void report(CompilerInstance &ci, DiagnosticsEngine::Level level,
            llvm::StringRef text)
{
    DiagnosticsEngine &diags = ci.getDiagnostics();
    diags.Report(diags.getDiagnosticIDs()->getCustomDiagID(
        static_cast<DiagnosticIDs::Level>(level), "%0"))
        << text;
}

/* Reports a note alone. Clang drops a note after an ignored diagnostic, and the
 * initial state counts as one. */
void report_note(CompilerInstance &ci, llvm::StringRef text)
{
    ci.getDiagnostics().setLastDiagnosticIgnored(false);
    report(ci, DiagnosticsEngine::Note, text);
}

/* Raises debug information to at least `kind`, with linkage names. */
void raise_debug_info(CodeGenOptions &options, debug::DebugInfoKind kind)
{
    if (options.getDebugInfo() < kind)
        options.setDebugInfo(kind);
    if (options.getDebugInfo() <= debug::DebugLineTablesOnly)
        options.DebugInfoForProfiling = true;
    if (options.DwarfVersion == 0)
        options.DwarfVersion = dwarf_version;
}

/* Line tables describe no variables, so the code generator need not track the
 * locations of variables. Turning that off saves a twentieth of the compile
 * time and does not change the object. An option that the user gave is kept.
 * The option is set by text, because its type differs between versions; the
 * check of getValueExpectedFlag() makes sure that it accepts "false". */
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

/* A note for a file with PGO counters only: the user may have expected a memory
 * profile in it. */
void note_no_memory(CompilerInstance &ci, const CodeGenOptions &options)
{
    char message[MPASS_MESSAGE_BYTES];

    if (!options.MemoryProfileUsePath.empty() ||
        !options.MemoryProfileOutput.empty())
        return;
    snprintf(message, sizeof(message),
             "%s: profile '%s' has no memory profile, only its counters are "
             "used; 'memprofdata merge' makes a file with both",
             MPASS_NAME, options.ProfileInstrumentUsePath.c_str());
    report_note(ci, message);
}

/* Reports a damaged file that clang accepted, and keeps LLVM from reading it.
 */
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

/* Sets clang's options by the contents of the file of -fprofile-use. Ignores a
 * file that cannot be read, which clang has reported, and a format that only
 * clang knows. */
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

/* Checks the file of -fmemory-profile-use. If it cannot be used, reports one
 * error, keeps LLVM from reading this or another profile, and returns false. */
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

/* True for code that runs on a device (GPU). The host program may be profiled.
 */
bool is_for_device(CompilerInstance &ci)
{
    const LangOptions &language = ci.getLangOpts();
    const llvm::Triple &triple = ci.getTarget().getTriple();

    return language.CUDAIsDevice || language.OpenMPIsTargetDevice ||
           language.SYCLIsDevice || triple.isNVPTX() || triple.isAMDGPU() ||
           triple.isSPIR() || triple.isSPIRV();
}

/* Code for a target without runtime is compiled as if the flags were not given,
 * except that PGO counters of a profile are used. */
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

/* Reports sanitizers that cannot be combined with the profiler. module.c does
 * so too, but some sanitizers leave no trace in the module. */
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

/* Finds allocated types after clang has parsed a file, before it optimizes. */
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

mpass_dense_calls dense_calls; /* of the current source file */

class FindDense : public ASTConsumer
{
    void HandleTranslationUnit(ASTContext &context) override
    {
        mpass_frontend_find_dense(context, dense_calls);
    }
};

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
        if (!options.MemoryProfileUsePath.empty()) {
            raise_debug_info(options, debug::LocTrackingOnly);
            if (options.OptimizationLevel == 0)
                report(ci, DiagnosticsEngine::Remark, MPASS_NO_HINTS_AT_O0);
        }
        dense_calls.clear();
        if (!options.MemoryProfileOutput.empty())
            return std::make_unique<FindTypes>();
        if (!options.MemoryProfileUsePath.empty())
            return std::make_unique<FindDense>();
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

/* Two copies of the plugin may be in the process; only the first one registers.
 */
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

__attribute__((visibility("default"))) uint64_t
mpass_frontend_dense(const char *function, size_t size, unsigned line,
                     unsigned column)
{
    return dense_calls.lookup(
        mpass_frontend_dense_key({function, size}, line, column));
}
