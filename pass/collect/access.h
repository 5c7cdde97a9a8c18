/* access.h -- finds the memory accesses of an instruction that are counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

enum mpass_access_kind {
    MPASS_ACCESS_NONE,      /* nothing to count */
    MPASS_ACCESS_ONE,       /* one access at addr */
    MPASS_ACCESS_MASKED,    /* one access per lane that mask selects */
    MPASS_ACCESS_MEMINTRIN, /* memcpy, memmove, memset: a range */
    MPASS_ACCESS_LIBRARY,   /* those of a function of libstdc++ */
    MPASS_ACCESS_UNSEEN,    /* uncounted accesses by addr: tell the runtime */
};

struct mpass_access {
    enum mpass_access_kind kind;
    LLVMValueRef inst;
    /* NULL for MEMINTRIN and if no one block is accessed; for UNSEEN a pointer,
     * an integer or a vector of pointers. */
    LLVMValueRef addr;
    LLVMValueRef mask; /* MASKED only */
    /* Of the value; NULL for MEMINTRIN and LIBRARY; for UNSEEN NULL, or the
     * type of a pointer that is stored at addr. */
    LLVMTypeRef type;
    bool in_static; /* UNSEEN: only without a dynamic linker */
    bool is_write;
    bool is_both;   /* reads and writes; is_write is set too, as in LLVM */
    uint64_t count; /* number of accesses to count */
    uint64_t bytes; /* bytes accessed; for MASKED, by one lane */
};

/* The access of an instruction, by the rules of LLVM's pass: ignores other
 * address spaces, swifterror values, PGO counters and LLVM's own globals.
 * Accesses to the stack are included. */
struct mpass_access mpass_access_of(const struct mpass_context *context,
                                    LLVMValueRef inst);

/* For an access with an address and a type: sets the kind to NONE if the access
 * is not counted, and sets its bytes. */
void mpass_access_finish(const struct mpass_context *context,
                         struct mpass_access *access);
