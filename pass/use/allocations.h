/* allocations.h -- recognizes allocation functions, and names their hinted
 * forms.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

enum mpass_allocation {
    MPASS_ALLOCATION_NONE,
    MPASS_ALLOCATION_C,      /* a function of libc */
    MPASS_ALLOCATION_CXX,    /* operator new */
    MPASS_ALLOCATION_USER,   /* named by -memprof-alloc-fn */
    MPASS_ALLOCATION_WRAPPER /* another function declared to return a block */
};

/* The kind of a function, by name and declaration. `names` is the value of
 * -memprof-alloc-fn. Accepts NULL (NONE). */
enum mpass_allocation mpass_allocations_of(LLVMValueRef function,
                                           const char *names);
/* True if the function is an allocation function or a hinted form itself: its
 * calls get no hints. */
bool mpass_allocations_is_inner(LLVMValueRef function, const char *names);
/* For an operator new: writes LLVM's name of the family of functions that
 * allocate and free such blocks to out[size]. False for other functions. */
bool mpass_allocations_family(LLVMValueRef function, char *out, size_t size,
                              bool *is_aligned);
/* Writes the name of the hinted form to out[size]; false if it does not fit. */
bool mpass_allocations_hinted_name(const char *name, char *out, size_t size);
