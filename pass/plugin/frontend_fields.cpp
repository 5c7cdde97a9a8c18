/* frontend_fields.cpp -- lists the members of a struct, from clang's AST.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "clang/AST/RecordLayout.h"
#pragma GCC visibility pop

#include "pass/plugin/frontend_fields.h"
#include "shared/type_format.h"

namespace
{
using namespace clang;

/* Maximum nesting of members that are listed separately. */
const unsigned member_depth_max = 4;

/* The members of a struct or class, as type_format.h writes them. */
class Fields
{
    ASTContext &context;
    PrintingPolicy policy;
    const bool has_types;
    const uint64_t bytes_max; /* members end here */
    std::string text;
    unsigned count = 0;

    /* The type of a member, or "". C and C++ name unnamed types differently,
     * and a header's struct must get one record from both. */
    std::string type_of(const FieldDecl *field) const
    {
        std::string type = field->getType().getAsString(policy);
        const llvm::StringRef all = type;
        size_t end = MPROF_TYPE_FIELD_TYPE_BYTES_MAX - strlen("...");

        if (!has_types || all.contains("(unnamed") ||
            all.contains("(anonymous") || all.contains("(lambda") ||
            all.contains(MPROF_TYPE_FIELD_END) ||
            all.contains(MPROF_TYPE_SEPARATOR))
            return "";
        if (field->isBitField())
            type += MPROF_TYPE_FIELD_TYPE + std::to_string(bits_of(field));
        if (type.size() <= MPROF_TYPE_FIELD_TYPE_BYTES_MAX)
            return type;
        while ((type[end] & 0xc0) == 0x80) /* within a UTF-8 character */
            end--;
        return type.substr(0, end) + "...";
    }

    uint64_t bits_of(const FieldDecl *field) const
    {
        return field->isBitField() ? field->getBitWidth()
                                         ->EvaluateKnownConstInt(context)
                                         .getZExtValue()
                                   : context.getTypeSize(field->getType());
    }

    /* A bit-field covers all bytes that contain one of its bits. */
    void add(uint64_t offset_bits, uint64_t bits, const std::string &name,
             const std::string &type = "")
    {
        const uint64_t first = offset_bits / 8;
        const uint64_t end = std::min((offset_bits + bits + 7) / 8, bytes_max);

        if (end <= first || name.empty())
            return;
        if (count++ != 0)
            text += MPROF_TYPE_FIELD_END;
        text += std::to_string(first) + MPROF_TYPE_FIELD_BYTES +
                std::to_string(end - first) + MPROF_TYPE_FIELD_NAME + name;
        if (!type.empty())
            text += MPROF_TYPE_FIELD_TYPE + type;
    }

    static std::string names_of_union(const RecordDecl *record)
    {
        std::string names;

        for (const FieldDecl *field : record->fields()) {
            if (!field->getName().empty())
                names += (names.empty() ? "" : "|") + field->getName().str();
        }
        return names;
    }

    void add_field(const FieldDecl *field, uint64_t offset_bits,
                   const std::string &prefix, unsigned depth)
    {
        const RecordDecl *const record = field->getType()->getAsRecordDecl();
        const std::string own = field->getName().str();
        const std::string name = prefix + own;

        if (field->isBitField())
            add(offset_bits, bits_of(field), own.empty() ? own : name,
                type_of(field));
        else if (record != nullptr && record->isUnion() && own.empty())
            add(offset_bits, bits_of(field), prefix + names_of_union(record));
        else if (record != nullptr && has_members(record) &&
                 depth < member_depth_max)
            add_members(record, offset_bits, own.empty() ? prefix : name + ".",
                        depth + 1);
        else
            add(offset_bits, bits_of(field), name, type_of(field));
    }

    /* Can the members be listed? The offset of a virtual base depends on the
     * complete object. */
    static bool has_members(const RecordDecl *record)
    {
        const auto *const cxx = dyn_cast<CXXRecordDecl>(record);

        return !record->isUnion() && !record->field_empty() &&
               (cxx == nullptr || cxx->getNumVBases() == 0);
    }

    void add_base(const CXXRecordDecl *base, uint64_t offset_bits,
                  const std::string &prefix, unsigned depth)
    {
        add_members(base, offset_bits,
                    prefix.empty()
                        ? MPROF_TYPE_FIELD_BASE + base->getNameAsString() + "]."
                        : prefix,
                    depth);
    }

    void add_bases(const CXXRecordDecl *record, const ASTRecordLayout &layout,
                   uint64_t offset_bits, const std::string &prefix,
                   unsigned depth)
    {
        if (layout.hasOwnVFPtr())
            add(offset_bits, context.getTypeSize(context.VoidPtrTy),
                prefix + "[vtable]");
        for (const CXXBaseSpecifier &base : record->bases()) {
            const auto *const decl = base.getType()->getAsCXXRecordDecl();

            if (decl != nullptr && !base.isVirtual())
                add_base(decl,
                         offset_bits +
                             context.toBits(layout.getBaseClassOffset(decl)),
                         prefix, depth);
        }
    }

    void add_members(const RecordDecl *record, uint64_t offset_bits,
                     const std::string &prefix, unsigned depth)
    {
        const ASTRecordLayout &layout = context.getASTRecordLayout(record);
        const auto *const cxx = dyn_cast<CXXRecordDecl>(record);
        unsigned i = 0;

        if (count > MPROF_TYPE_FIELDS_MAX)
            return;
        if (cxx != nullptr)
            add_bases(cxx, layout, offset_bits, prefix, depth);
        for (const FieldDecl *field : record->fields())
            add_field(field, offset_bits + layout.getFieldOffset(i++), prefix,
                      depth);
    }

  public:
    Fields(ASTContext &ast, const PrintingPolicy &how, bool types,
           uint64_t bytes)
        : context(ast), policy(how), has_types(types), bytes_max(bytes)
    {
        /* in C as in C++ */
        policy.Bool = true;
        policy.UseVoidForZeroParams = false;
        policy.Restrict = false;
    }

    /* The members of a complete object, or "" if they cannot be listed. */
    std::string of(const RecordDecl *record)
    {
        const auto *const cxx = dyn_cast<CXXRecordDecl>(record);

        if (record->isInvalidDecl())
            return "";
        const ASTRecordLayout &layout = context.getASTRecordLayout(record);
        if (record->isUnion())
            add(0, context.toBits(layout.getSize()), names_of_union(record));
        else
            add_members(record, 0, "", 0);
        if (cxx != nullptr) {
            for (const CXXBaseSpecifier &base : cxx->vbases()) {
                const auto *const decl = base.getType()->getAsCXXRecordDecl();
                add_base(decl, context.toBits(layout.getVBaseClassOffset(decl)),
                         "", 0);
            }
        }
        return count > MPROF_TYPE_FIELDS_MAX ||
                       text.size() > MPROF_TYPE_FIELDS_BYTES_MAX
                   ? ""
                   : text;
    }
};
} // namespace

std::string mpass_frontend_fields(clang::ASTContext &context,
                                  const clang::PrintingPolicy &policy,
                                  const clang::RecordDecl *record,
                                  uint64_t bytes, bool has_types)
{
    const std::string fields =
        Fields(context, policy, has_types, bytes).of(record);

    return !fields.empty() || !has_types
               ? fields
               : Fields(context, policy, false, bytes).of(record);
}
