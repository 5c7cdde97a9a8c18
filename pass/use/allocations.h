/* allocations.h -- which functions allocate, and what their hinted forms are
 * called.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ALLOCATIONS_H
#define MPASS_ALLOCATIONS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

enum mpass_allocation {
    MPASS_ALLOCATION_NONE,
    MPASS_ALLOCATION_C,      /* of libc */
    MPASS_ALLOCATION_CXX,    /* operator new */
    MPASS_ALLOCATION_USER,   /* named by -memprof-alloc-fn */
    MPASS_ALLOCATION_WRAPPER /* returns a block, by its declaration */
};

/* What the function is, by its name and declaration; `names` are those of
 * -memprof-alloc-fn. NULL is none. */
enum mpass_allocation mpass_allocations_of(LLVMValueRef function,
                                           const char *names);
/* True if the function is an allocator's: calls in it stay as they are. */
bool mpass_allocations_is_inner(LLVMValueRef function, const char *names);
/* Of an operator new: the name that LLVM has for it and the functions that free
 * its blocks, to out[size]. False for other functions. */
bool mpass_allocations_family(LLVMValueRef function, char *out, size_t size,
                              bool *is_aligned);
/* The hinted form's name, to out[size]; false where it does not fit. */
bool mpass_allocations_hinted_name(const char *name, char *out, size_t size);

#endif
