/* cfi.h -- the rule by which the unwinder steps from a frame to its caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/stack/object.h"

/* The canonical frame address (CFA) is the stack pointer after the return. The
 * return address is below it. */
enum mprt_rule_kind {
    MPRT_RULE_FRAME_POINTER, /* unknown: try the frame pointer */
    MPRT_RULE_SP,            /* CFA = rsp + offset */
    MPRT_RULE_BP,            /* CFA = rbp + offset */
    MPRT_RULE_BP_DEREF,      /* CFA = *(rbp + offset): realigned stacks */
    MPRT_RULE_SIGNAL,        /* rsp points to the kernel's ucontext */
    MPRT_RULE_END            /* the outermost frame */
};

enum mprt_rule_saved {
    MPRT_SAVED_NOT,    /* rbp has the caller's value */
    MPRT_SAVED_AT_CFA, /* at CFA + bp_offset */
    MPRT_SAVED_AT_BP   /* at rbp + bp_offset */
};

/* Fits in one word of the cache. */
struct mprt_rule {
    uint8_t kind;
    uint8_t saved;
    int16_t bp_offset;
    uint32_t lasts : 1; /* set by unwind.c: the binary is never unloaded */
    int32_t cfa_offset : 31;
};

_Static_assert(sizeof(struct mprt_rule) == 8, "one word");

/* The code that one entry of the call frame information describes: a function,
 * or a part that the compiler placed elsewhere. */
struct mprt_cfi_code {
    uintptr_t first;
    uintptr_t end;
};

/* Returns the rule at pc from the call frame information of the object that
 * contains pc. Sets *code, which may be NULL, if the object describes the code
 * at pc. Takes no lock; allocates nothing. */
struct mprt_rule mprt_cfi_find(const struct mprt_object *object, uintptr_t pc,
                               struct mprt_cfi_code *code);
