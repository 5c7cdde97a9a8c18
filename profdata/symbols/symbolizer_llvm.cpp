/* symbolizer_llvm.cpp -- C interface of LLVM's DWARF reader
 * (symbolizer_bridge.h). No logic here: C decides which file to read and which
 * name to use.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer_bridge.h"

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using llvm::DIInliningInfo;
using llvm::DILineInfo;
using llvm::DILineInfoSpecifier;
using llvm::DWARFContext;
using llvm::object::ObjectFile;
using llvm::object::SectionedAddress;

namespace
{
struct debug_file {
    std::unique_ptr<llvm::MemoryBuffer> bytes;
    std::unique_ptr<ObjectFile> object;
    std::unique_ptr<DWARFContext> dwarf;
};
} // namespace

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

/* Ignores an error in debug information: it only costs names. */
static void ignore(llvm::Error error)
{
    llvm::consumeError(std::move(error));
}

void *mpdata_symbolizer_llvm_open(const char *path, const char *dwp)
{
    auto file = std::make_unique<debug_file>();
    auto bytes = llvm::MemoryBuffer::getFile(path, false, false);

    if (!bytes)
        return nullptr;
    file->bytes = std::move(*bytes);
    auto object =
        ObjectFile::createELFObjectFile(file->bytes->getMemBufferRef());
    if (!object) {
        ignore(object.takeError());
        return nullptr;
    }
    file->object = std::move(*object);
    file->dwarf = DWARFContext::create(
        *file->object, DWARFContext::ProcessDebugRelocations::Process, nullptr,
        dwp, ignore, ignore);
    return file.release();
}

void mpdata_symbolizer_llvm_lookup(void *reader, uint64_t address,
                                   mpdata_symbol_fn *fn, void *context)
{
    const DILineInfoSpecifier specifier(
        DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
        DILineInfoSpecifier::FunctionNameKind::LinkageName);
    SectionedAddress place;

    place.Address = address;
    const DIInliningInfo info =
        static_cast<debug_file *>(reader)->dwarf->getInliningInfoForAddress(
            place, specifier);
    std::vector<mpdata_symbol> symbols;
    for (uint32_t i = 0; i < info.getNumberOfFrames(); i++)
        symbols.push_back(symbol_of(info.getFrame(i)));
    if (symbols.empty())
        symbols.push_back(mpdata_symbol());
    fn(context, symbols.data(), symbols.size());
}

char *mpdata_symbolizer_llvm_demangle(const char *name)
{
    return strdup(llvm::demangle(name).c_str());
}
