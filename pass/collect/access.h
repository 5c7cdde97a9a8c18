/* access.h -- which instructions access memory that counts, and where.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ACCESS_H
#define MPASS_ACCESS_H

#include "pass/collect/context.h"
#include "shared/base.h"

enum mpass_access_kind {
    MPASS_ACCESS_NONE,      /* nothing to count */
    MPASS_ACCESS_ONE,       /* one access at addr */
    MPASS_ACCESS_MASKED,    /* one access per lane that mask selects */
    MPASS_ACCESS_MEMINTRIN, /* memcpy, memmove, memset: a range */
    MPASS_ACCESS_UNSEEN,    /* none that counts: some may follow unseen */
};

struct mpass_access {
    enum mpass_access_kind kind;
    LLVMValueRef inst;
    LLVMValueRef
        addr; /* NULL for MEMINTRIN; UNSEEN: or a number, or a vector */
    LLVMValueRef mask; /* MASKED only */
    LLVMTypeRef type;  /* of the value accessed; NULL for MEMINTRIN, UNSEEN */
    bool is_write;
    bool is_both;   /* reads and writes: is_write is set, as LLVM has it */
    uint64_t count; /* how often it counts */
    uint64_t bytes; /* that it touches; MASKED: a lane */
};

/* What the instruction accesses, as LLVM's pass sees it: everything but other
 * address spaces, swifterror values, PGO counters and LLVM's own globals. The
 * stack is still in. */
struct mpass_access mpass_access_of(const struct mpass_context *context,
                                    LLVMValueRef inst);

/* Of an access with an address and a type: what counts of it, and its bytes. */
void mpass_access_finish(const struct mpass_context *context,
                         struct mpass_access *access);

#endif
