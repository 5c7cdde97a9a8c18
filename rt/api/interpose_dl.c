/* interpose_dl.c -- dlopen(), dlmopen() and dlsym(). Without these interceptors
 * a library or program could get the malloc behind ours, and blocks of one
 * malloc must not reach the other's free.
 *
 * These functions look at their caller's address, so our frame must be gone
 * when they run: the interceptor does its work first and then jumps to the C
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
static struct answer before_open_in(Lmid_t space, const char *name,
                                    int flags) __asm__("before_open_in");
static struct answer before_sym(void *handle, const char *name,
                                const void *unused,
                                uintptr_t caller) __asm__("before_sym");

/* Calls `answer` with three arguments of the function and the address that it
 * returns to. */
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
            "pushq %rdx\n"                             \
            ".cfi_adjust_cfa_offset 8\n"               \
            "movq 24(%rsp), %rcx\n"                    \
            "call " #answer "\n"                       \
            "movq %rdx, %rcx\n"                        \
            "popq %rdx\n"                              \
            ".cfi_adjust_cfa_offset -8\n"              \
            "popq %rsi\n"                              \
            ".cfi_adjust_cfa_offset -8\n"              \
            "popq %rdi\n"                              \
            ".cfi_adjust_cfa_offset -8\n"              \
            "testq %rax, %rax\n"                       \
            "jne 1f\n" last "jmpq *%rcx\n"             \
            "1: ret\n"                                 \
            ".cfi_endproc\n"                           \
            ".size " #name ", . - " #name "\n")

INTERPOSE(dlopen, before_open, "andl $~8, %esi\n");
INTERPOSE(dlmopen, before_open_in, "andl $~8, %edx\n");
INTERPOSE(dlsym, before_sym, "");
_Static_assert(RTLD_DEEPBIND == 8, "as above");

static void report_deepbind(const char *name, int flags)
{
    if ((flags & RTLD_DEEPBIND) != 0)
        MPRT_LOG_ONCE("dlopen of ", name != NULL ? name : "the program",
                      ": RTLD_DEEPBIND is ignored: with it the library would "
                      "use another malloc than the program");
}

static __attribute__((used)) struct answer before_open(const char *name,
                                                       int flags)
{
    report_deepbind(name, flags);
    return (struct answer){NULL, (void *)MPRT_REAL(dlopen)};
}

/* Libraries of another namespace find their own malloc either way. */
static __attribute__((used)) struct answer
before_open_in(Lmid_t space, const char *name, int flags)
{
    if (space == LM_ID_BASE)
        report_deepbind(name, flags);
    return (struct answer){NULL, (void *)MPRT_REAL(dlmopen)};
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
before_sym(void *handle, const char *name, const void *unused, uintptr_t caller)
{
    (void)unused;
    void *const own = handle != RTLD_DEFAULT && name != NULL
                          ? find_own(handle, name, caller)
                          : NULL;

    if (mprt_trail_is_on) /* dlopen() has returned */
        mprt_module_history_find_loaded();
    return (struct answer){own, (void *)MPRT_REAL(dlsym)};
}
