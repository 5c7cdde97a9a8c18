/* commandline.cpp -- LLVM's table of command line options, for C.
 *
 * All options are looked up by name: our own, LLVM's, and those of another copy
 * of this plugin. Options are allocated and never freed, like LLVM's own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "llvm/Support/CommandLine.h"
#pragma GCC visibility pop

#include "pass/bridge/commandline.h"

#include <cstring>
#include <string>

using namespace llvm;

static cl::Option *find(const char *flag)
{
    return cl::getRegisteredOptions().lookup(flag);
}

/* Identifies the class of an option. LLVM is built without RTTI, but each class
 * that we use has exactly one virtual table, in LLVM's library. */
static const void *class_of(const cl::Option *option)
{
    const void *table;

    memcpy(&table, static_cast<const void *>(option), sizeof(table));
    return table;
}

/* The option if it has this type, or NULL. Another plugin may have defined an
 * option of the same name with another type. */
template <typename T> static cl::opt<T> *find_as(const char *flag)
{
    /* Has no name, so LLVM does not register it. */
    static const cl::opt<T> *const model = new cl::opt<T>(cl::Hidden);
    cl::Option *const option = find(flag);

    return option != nullptr && class_of(option) == class_of(model)
               ? static_cast<cl::opt<T> *>(option)
               : nullptr;
}

template <typename T>
static bool add(const char *flag, const T &def, const char *help)
{
    if (find(flag) != nullptr)
        return false;
    new cl::opt<T>(StringRef(flag), cl::desc(help), cl::init(def));
    return true;
}

template <typename T> static bool set(const char *flag, const T &value)
{
    cl::opt<T> *option = find_as<T>(flag);

    if (option != nullptr)
        option->setValue(value);
    return option != nullptr;
}

bool mpass_commandline_add_BOOL(const char *flag, bool def, const char *help)
{
    return add<bool>(flag, def, help);
}

bool mpass_commandline_add_INT(const char *flag, int def, const char *help)
{
    return add<int>(flag, def, help);
}

bool mpass_commandline_add_STRING(const char *flag, const char *def,
                                  const char *help)
{
    return add<std::string>(flag, def, help);
}

bool mpass_commandline_get_BOOL(const char *flag, bool def)
{
    const cl::opt<bool> *option = find_as<bool>(flag);
    return option ? option->getValue() : def;
}

int mpass_commandline_get_INT(const char *flag, int def)
{
    const cl::opt<int> *option = find_as<int>(flag);
    return option ? option->getValue() : def;
}

const char *mpass_commandline_get_STRING(const char *flag, const char *def)
{
    const cl::opt<std::string> *option = find_as<std::string>(flag);
    return option ? option->getValue().c_str() : def;
}

bool mpass_commandline_set_BOOL(const char *flag, bool value)
{
    return set<bool>(flag, value);
}

bool mpass_commandline_set_INT(const char *flag, int value)
{
    return set<int>(flag, value);
}

bool mpass_commandline_set_STRING(const char *flag, const char *value)
{
    return set<std::string>(flag, value);
}

bool mpass_commandline_exists(const char *flag)
{
    return find(flag) != nullptr;
}

bool mpass_commandline_was_given(const char *flag)
{
    const cl::Option *option = find(flag);
    return option != nullptr && option->getNumOccurrences() > 0;
}
