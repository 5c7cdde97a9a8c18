/* host.c -- checks that the plugin is loaded into the LLVM that it was built
 * for.
 *
 * This runs first, because in another LLVM nothing of the plugin works, not
 * even registering its options. So the message cannot go through LLVM: this is
 * the only place of the plugin that prints and exits.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/support/message.h"

#include <llvm/Config/llvm-config.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const char *own_path(void)
{
    Dl_info self;

    return dladdr(&own_path, &self) != 0 ? self.dli_fname : "the plugin";
}

_Noreturn static void refuse(const char *other, const char *whose)
{
    fprintf(
        stderr,
        "%s: %s is for LLVM %d, but %s is of %s; use LLVM %d, or the plugin "
        "for %s\n",
        MPASS_NAME, own_path(), LLVM_VERSION_MAJOR,
        program_invocation_short_name, other, LLVM_VERSION_MAJOR, whose);
    _exit(1);
}

/* Priority 101 runs before the constructors of C++. */
__attribute__((constructor(101))) static void check_host(void)
{
    void (*get_version)(unsigned *, unsigned *, unsigned *);
    unsigned major, minor, patch;
    char other[32];

    *(void **)&get_version = dlsym(RTLD_DEFAULT, "LLVMGetVersion");
    if (get_version == NULL)
        refuse("another LLVM", "that LLVM");
    get_version(&major, &minor, &patch);
    if (major == LLVM_VERSION_MAJOR)
        return;
    snprintf(other, sizeof(other), "LLVM %u", major);
    refuse(other, other);
}
