/* sandbox.c -- seccomp of the program: strict mode, and filters, which we run
 * before the kernel does.
 *
 * A filter is a loop-free program of classic BPF over the call's number and
 * arguments. We know the instructions that libseccomp and Chromium generate. A
 * filter that the kernel would refuse, that comes to another instruction, or
 * whose result depends on the address of the call, counts as forbidding.
 *
 * Filters belong to threads. We know the thread that sets a filter, but not its
 * children. A filter therefore applies to all threads but the program's first,
 * and to the first if it set the filter, or the call asked for all threads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/sandbox.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

/* Offsets in struct seccomp_data. */
#define NUMBER_AT 0
#define ARCH_AT 4
#define ARGUMENTS_AT 16

_Atomic bool mprt_sandbox_there;

static _Atomic(struct mprt_sandbox_filter *) filters;
static _Thread_local bool is_first_thread;
static _Thread_local bool is_strict;
/* A process of the runtime has the filters from before its start. */
static _Thread_local bool has_left;
static _Thread_local struct mprt_sandbox_filter *left_with;

void mprt_sandbox_init(void)
{
    is_first_thread = true;
}

bool mprt_sandbox_is_first_thread(void)
{
    return is_first_thread;
}

struct mprt_sandbox_filter *mprt_sandbox_last(void)
{
    return atomic_load(&filters);
}

void mprt_sandbox_leave(struct mprt_sandbox_filter *last)
{
    left_with = last;
    has_left = true;
}

void mprt_sandbox_set_strict(bool is_strict_now)
{
    is_strict = is_strict_now;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store(&mprt_sandbox_there, true);
}

void mprt_sandbox_add(struct mprt_sandbox_filter *filter)
{
    struct mprt_sandbox_filter *first = atomic_load(&filters);

    do {
        filter->next = first;
    } while (!atomic_compare_exchange_weak(&filters, &first, filter));
    atomic_store(&mprt_sandbox_there, true);
}

void mprt_sandbox_take_back(struct mprt_sandbox_filter *filter)
{
    atomic_store(&filter->is_void, true);
}

/* -- one filter ------------------------------------------------------------ */

/* Loads a word of struct seccomp_data. False if it is not known. */
static bool load(const struct mprt_sandbox_call *call, uint32_t at, uint32_t *a)
{
    if (at == NUMBER_AT)
        *a = (uint32_t)call->number;
    else if (at == ARCH_AT)
        *a = AUDIT_ARCH_X86_64;
    else if (at >= ARGUMENTS_AT && at < sizeof(struct seccomp_data) &&
             at % sizeof(uint32_t) == 0)
        *a = (uint32_t)(call->arguments[(at - ARGUMENTS_AT) / 8] >>
                        (at % 8 * 8));
    else
        return false;
    return true;
}

/* Result of the filter; SECCOMP_RET_KILL_PROCESS if unknown. */
static uint32_t run(const struct sock_filter *code, uint32_t count,
                    const struct mprt_sandbox_call *call)
{
    uint32_t a = 0;

    for (uint64_t i = 0; i < count; i++) {
        const struct sock_filter *const s = &code[i];
        switch (s->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (!load(call, s->k, &a))
                return SECCOMP_RET_KILL_PROCESS;
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= s->k;
            break;
        case BPF_JMP | BPF_JA:
            i += s->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            i += a == s->k ? s->jt : s->jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            i += a > s->k ? s->jt : s->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            i += a >= s->k ? s->jt : s->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            i += (a & s->k) != 0 ? s->jt : s->jf;
            break;
        case BPF_RET | BPF_K:
            return s->k;
        default:
            return SECCOMP_RET_KILL_PROCESS;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

bool mprt_sandbox_filter_makes(const struct mprt_sandbox_filter *filter,
                               const struct mprt_sandbox_call *call)
{
    switch (run(filter->code, filter->count, call) & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_TRACE:
    case SECCOMP_RET_USER_NOTIF:
        return true;
    default:
        return false;
    }
}

/* False if the program would die of the call. */
static bool allows(const struct mprt_sandbox_filter *filter,
                   const struct mprt_sandbox_call *call)
{
    return mprt_sandbox_filter_makes(filter, call) ||
           (run(filter->code, filter->count, call) & SECCOMP_RET_ACTION_FULL) ==
               SECCOMP_RET_ERRNO;
}

/* -- all filters ----------------------------------------------------------- */

/* Whether the call passes all filters that apply to this thread. */
static bool all_pass(const struct mprt_sandbox_call *call,
                     bool (*pass)(const struct mprt_sandbox_filter *,
                                  const struct mprt_sandbox_call *))
{
    for (const struct mprt_sandbox_filter *f = has_left ? left_with
                                                        : atomic_load(&filters);
         f != NULL; f = f->next) {
        if ((f->is_for_all || !is_first_thread) && !atomic_load(&f->is_void) &&
            !pass(f, call))
            return false;
    }
    return true;
}

bool mprt_sandbox_allows(const struct mprt_sandbox_call *call)
{
    if (is_strict)
        return call->number == SYS_read || call->number == SYS_write;
    return all_pass(call, allows);
}

bool mprt_sandbox_makes(const struct mprt_sandbox_call *call)
{
    return all_pass(call, mprt_sandbox_filter_makes);
}
