/* interpose_dl.c -- dlopen() and dlsym(). Without these interceptors a library
 * or program could get the malloc behind ours, and blocks of one malloc must
 * not reach the other's free.
 *
 * Both functions look at their caller's address, so our frame must be gone when
 * they run: the interceptor does its work first and then jumps to the C
 * library's function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/behind.h"
#include "rt/api/functions.h"
#include "rt/base/log.h"
#include "rt/real/real.h"
#include "rt/record/trail.h"
#include "rt/stack/module_history.h"
#include "rt/stack/object.h"

/* Returned in rax and rdx. If `result` is not NULL, the interceptor returns it;
 * otherwise it jumps to `next`. */
struct answer {
    void *result;
    void *next;
};

static struct answer before_open(const char *name,
                                 int flags) __asm__("before_open");
static struct answer before_sym(void *handle, const char *name,
                                uintptr_t caller) __asm__("before_sym");

#define INTERPOSE(name, answer, last)                  \
    __asm__(".text\n"                                  \
            ".p2align 4\n"                             \
            ".globl " #name "\n"                       \
            ".type " #name ", @function\n" #name ":\n" \
            ".cfi_startproc\n"                         \
            "pushq %rdi\n"                             \
            ".cfi_adjust_cfa_offset 8\n"               \
            "pushq %rsi\n"                             \
            ".cfi_adjust_cfa_offset 8\n"               \
            "movq 16(%rsp), %rdx\n"                    \
            "subq $8, %rsp\n"                          \
            ".cfi_adjust_cfa_offset 8\n"               \
            "call " #answer "\n"                       \
            "addq $8, %rsp\n"                          \
            ".cfi_adjust_cfa_offset -8\n"              \
            "popq %rsi\n"                              \
            ".cfi_adjust_cfa_offset -8\n"              \
            "popq %rdi\n"                              \
            ".cfi_adjust_cfa_offset -8\n"              \
            "testq %rax, %rax\n"                       \
            "jne 1f\n" last "jmpq *%rdx\n"             \
            "1: ret\n"                                 \
            ".cfi_endproc\n"                           \
            ".size " #name ", . - " #name "\n")

INTERPOSE(dlopen, before_open, "andl $~8, %esi\n");
INTERPOSE(dlsym, before_sym, "");
_Static_assert(RTLD_DEEPBIND == 8, "as above");

static __attribute__((used)) struct answer before_open(const char *name,
                                                       int flags)
{
    if ((flags & RTLD_DEEPBIND) != 0)
        MPRT_LOG_ONCE("dlopen of ", name != NULL ? name : "the program",
                      ": RTLD_DEEPBIND is ignored: with it the library would "
                      "use another malloc than the program");
    return (struct answer){NULL, (void *)MPRT_REAL(dlopen)};
}

/* Whether `address` is in the binary that contains the runtime. */
static bool is_in_our_module(uintptr_t address)
{
    struct mprt_object ours;

    return mprt_object_find((uintptr_t)before_sym, &ours) &&
           address >= ours.start && address < ours.end;
}

/* Returns our function if the look-up of `name` would find the next definition,
 * else NULL. Does not call dlsym() for RTLD_NEXT: it can call the program's
 * free, which may itself be looking up its next definition. */
static void *find_own(void *handle, const char *name, uintptr_t caller)
{
    void *const own = mprt_interpose_malloc_own(name);
    bool is_asked_for = false;

    if (own == NULL)
        return NULL;
    if (handle == RTLD_NEXT) {
        /* If another allocator is behind ours, its look-ups of the next
         * definition are left alone. */
        is_asked_for = mprt_behind_is_glibc || is_in_our_module(caller);
    } else {
        void *const next = mprt_real_form.find(name);
        is_asked_for = next != NULL && MPRT_REAL(dlsym)(handle, name) == next;
    }
    return is_asked_for ? mprt_interpose_malloc_give_out(own) : NULL;
}

static __attribute__((used)) struct answer
before_sym(void *handle, const char *name, uintptr_t caller)
{
    void *const own = handle != RTLD_DEFAULT && name != NULL
                          ? find_own(handle, name, caller)
                          : NULL;

    if (mprt_trail_is_on) /* dlopen() has returned */
        mprt_module_history_find_loaded();
    return (struct answer){own, (void *)MPRT_REAL(dlsym)};
}
