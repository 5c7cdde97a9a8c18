/* replaced.c -- finds operators new and delete that a library of the program
 * replaced.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/functions.h"
#include "rt/api/cxx.h"
#include "rt/real/real.h"
#include "rt/stack/object.h"

#pragma weak __memprof_cxx_init

/* Returns the operator of this symbol name that a library of the program
 * replaced, or NULL. The C++ library defines the default operators. An
 * allocator's operators call its own malloc, which our runtime replaces, so
 * ours serve for them, too. */
static void *find_replaced(const char *name)
{
    static const char *const beside[] = {
        "__cxa_throw", "_ZSt15set_new_handlerPFvvE", "malloc"};
    void *const found = mprt_real_form.find(name);
    struct mprt_object object;

    if (found == NULL || !mprt_object_find((uintptr_t)found, &object))
        return NULL;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(beside); i++) {
        const uintptr_t other = (uintptr_t)mprt_real_form.find(beside[i]);
        if (other >= object.start && other < object.end)
            return NULL;
    }
    return found;
}

void mprt_replaced_init(void)
{
    if (__memprof_cxx_init != NULL && !mprt_real_form.is_static)
        __memprof_cxx_init(find_replaced);
}
