/* symbolizer_llvm.cpp -- LLVM's symbolizer behind symbolizer_bridge.h. No logic
 * here: which name or fallback to take is symbolizer.c's to decide.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbolizer_bridge.h"

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/Symbolize/SymbolizableModule.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Error.h"
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using llvm::DIInliningInfo;
using llvm::DILineInfo;
using llvm::DILineInfoSpecifier;
using llvm::symbolize::LLVMSymbolizer;

static const char *known(const std::string &text)
{
    return text.empty() || text == DILineInfo::BadString ? nullptr
                                                         : text.c_str();
}

static mpdata_symbol symbol_of(const DILineInfo &info)
{
    mpdata_symbol symbol;

    symbol.function = known(info.FunctionName);
    symbol.file = known(info.FileName);
    symbol.start_file = known(info.StartFileName);
    symbol.line = info.Line;
    symbol.column = info.Column;
    symbol.start_line = info.StartLine;
    symbol.discriminator = info.Discriminator;
    return symbol;
}

static void *bridge_open()
{
    return new LLVMSymbolizer(LLVMSymbolizer::Options());
}

static void bridge_close(void *self)
{
    delete static_cast<LLVMSymbolizer *>(self);
}

static int bridge_lookup(void *self, const char *path, uint64_t address,
                         int use_symbol_table, mpdata_symbol_fn *fn,
                         void *context, char *error, size_t error_size)
{
    const DILineInfoSpecifier specifier(
        DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
        DILineInfoSpecifier::FunctionNameKind::LinkageName);
    auto module =
        static_cast<LLVMSymbolizer *>(self)->getOrCreateModuleInfo(path);

    if (!module) {
        snprintf(error, error_size, "%s",
                 llvm::toString(module.takeError()).c_str());
        return 1;
    }
    if (*module == nullptr) {
        snprintf(error, error_size, "cannot be read");
        return 1;
    }
    llvm::object::SectionedAddress place;
    place.Address = address;
    const DIInliningInfo info = (*module)->symbolizeInlinedCode(
        place, specifier, use_symbol_table != 0);
    std::vector<mpdata_symbol> symbols;
    for (uint32_t i = 0; i < info.getNumberOfFrames(); i++)
        symbols.push_back(symbol_of(info.getFrame(i)));
    if (symbols.empty())
        symbols.push_back(mpdata_symbol());
    fn(context, symbols.data(), symbols.size());
    return 0;
}

static char *bridge_demangle(const char *name)
{
    return strdup(llvm::demangle(name).c_str());
}

static const mpdata_bridge bridge = {
    MPDATA_BRIDGE_VERSION, LLVM_VERSION_MAJOR, bridge_open,
    bridge_close,          bridge_lookup,      bridge_demangle,
};

extern "C" __attribute__((visibility("default"))) const mpdata_bridge *
mpdata_bridge_entry();

const mpdata_bridge *mpdata_bridge_entry()
{
    return &bridge;
}
