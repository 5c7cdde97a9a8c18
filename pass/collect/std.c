/* std.c -- what calls of libstdc++ do with the program's memory, by their
 * mangled names.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "shared/base.h"

#include <llvm-c/Core.h>
#include <string.h>

/* Behind "_ZN" and "K" of a mangled name; NULL if it is not mangled. */
static const char *qualified(const char *name)
{
    if (!mpass_ir_starts_with(name, "_Z"))
        return NULL;
    name += strlen("_Z");
    name += *name == 'N';
    return name + (*name == 'K');
}

/* True for the mangled name of a function of namespace std. */
static bool is_std(const char *name)
{
    name = qualified(name);
    return name != NULL && name[0] == 'S' && name[1] != '\0' &&
           strchr("tabsiod", name[1]) != NULL;
}

bool mpass_std_is(LLVMValueRef call)
{
    return is_std(mpass_ir_declared_callee(call));
}

/* True for the mangled name of a member of a stream, or of another class of
 * namespace std, such as std::locale, all of whose members may be compiled in
 * the library. Not of strings and of nodes of lists, whose other members are
 * inline. */
static bool is_std_member(const char *name)
{
    const bool is_nested = mpass_ir_starts_with(name, "_ZN");

    name = qualified(name);
    if (!is_nested || name[0] != 'S')
        return false;
    if (name[1] != 't')
        return name[1] == 'i' || name[1] == 'o' || name[1] == 'd';
    return name[2] >= '0' && name[2] <= '9' &&
           !mpass_ir_starts_with(name, "St8__detail") &&
           !mpass_ir_starts_with(name, "St7__cxx1112basic_stringI");
}

static bool has_part(const char *name, const char *const *parts, size_t count)
{
    bool found = false;

    for (size_t i = 0; i < count; i++)
        found |= strstr(name, parts[i]) != NULL;
    return found;
}

bool mpass_std_changes_string(LLVMValueRef call)
{
    static const char string[] =
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

    if (LLVMGetNumArgOperands(call) == 0 ||
        !mpass_ir_starts_with(mpass_ir_declared_callee(call), string))
        return false;
    const char *const member = mpass_ir_declared_callee(call) + strlen(string);
    return member[0] != 'C' && member[0] != 'D' &&
           !mpass_ir_starts_with(member, "9_M_create") &&
           !mpass_ir_starts_with(member, "12_M_construct") &&
           mpass_ir_is_pointer(LLVMTypeOf(LLVMGetOperand(call, 0)));
}

bool mpass_std_searches_string(LLVMValueRef call)
{
    static const char *const members[] = {
        "E5rfindE", "E12find_last_ofE", "E13find_first_ofE",
        "E16find_last_not_ofE", "E17find_first_not_ofE"};

    return mpass_ir_starts_with(mpass_ir_declared_callee(call),
                                "_ZNKSt7__cxx1112basic_stringI") &&
           has_part(mpass_ir_declared_callee(call), members,
                    MPROF_ARRAY_LEN(members));
}

bool mpass_std_reads_string(LLVMValueRef call)
{
    const char *const name = mpass_ir_declared_callee(call);

    return is_std(name) && LLVMGetNumArgOperands(call) > 1 &&
           mpass_ir_is_pointer(LLVMTypeOf(LLVMGetOperand(call, 1))) &&
           strstr(name, "RNSt7__cxx1112basic_string") != NULL;
}

bool mpass_std_writes_characters(LLVMValueRef call)
{
    static const char *const parameters[] = {"EPc", "EPw"};

    return mpass_std_is(call) &&
           has_part(mpass_ir_declared_callee(call), parameters,
                    MPROF_ARRAY_LEN(parameters));
}

/* True for a virtual function of a facet of a locale, such as
 * std::ctype::toupper. */
static bool is_facet(LLVMValueRef call)
{
    const LLVMValueRef object =
        LLVMIsAFunction(LLVMGetCalledValue(call)) == NULL &&
                LLVMGetNumArgOperands(call) != 0
            ? LLVMGetOperand(call, 0)
            : NULL;

    return object != NULL && LLVMIsAInstruction(object) != NULL &&
           mpass_ir_is_call(object) &&
           strstr(mpass_ir_name(LLVMGetCalledValue(object)), "St9use_facetI") !=
               NULL;
}

bool mpass_std_accesses_data(LLVMValueRef call)
{
    static const char *const parts[] = {"to_charsPc", "from_charsPKc",
                                        "strstream"};
    const char *const name = mpass_ir_declared_callee(call);

    return is_facet(call) ||
           (is_std(name) && has_part(name, parts, MPROF_ARRAY_LEN(parts))) ||
           (mpass_ir_starts_with(name, "_ZNKSt") && is_std_member(name));
}

bool mpass_std_has_object(LLVMValueRef call)
{
    return LLVMGetNumArgOperands(call) != 0 &&
           mpass_ir_is_pointer(LLVMTypeOf(LLVMGetOperand(call, 0))) &&
           is_std_member(mpass_ir_declared_callee(call));
}

bool mpass_std_is_filesystem(LLVMValueRef call)
{
    return mpass_std_is(call) &&
           strstr(mpass_ir_declared_callee(call), "St10filesystem") != NULL;
}
