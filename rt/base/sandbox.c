/* sandbox.c -- seccomp of the program: strict mode, and filters, which we run
 * before the kernel does.
 *
 * A filter is a loop-free program of classic BPF over the call's number and
 * arguments. A filter that the kernel would refuse, or whose result depends on
 * the address of the call, counts as forbidding.
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

struct machine {
    uint32_t a;
    uint32_t x;
    uint32_t memory[BPF_MEMWORDS];
    const struct mprt_sandbox_call *call;
};

static bool load(struct machine *m, uint32_t at)
{
    if (at == NUMBER_AT)
        m->a = (uint32_t)m->call->number;
    else if (at == ARCH_AT)
        m->a = AUDIT_ARCH_X86_64;
    else if (at >= ARGUMENTS_AT && at < sizeof(struct seccomp_data) &&
             at % sizeof(uint32_t) == 0)
        m->a = (uint32_t)(m->call->arguments[(at - ARGUMENTS_AT) / 8] >>
                          (at % 8 * 8));
    else
        return false;
    return true;
}

static bool move(struct machine *m, const struct sock_filter *s)
{
    switch (s->code) {
    case BPF_LD | BPF_W | BPF_ABS:
        return load(m, s->k);
    case BPF_LD | BPF_W | BPF_LEN:
        m->a = sizeof(struct seccomp_data);
        return true;
    case BPF_LDX | BPF_W | BPF_LEN:
        m->x = sizeof(struct seccomp_data);
        return true;
    case BPF_LD | BPF_IMM:
        m->a = s->k;
        return true;
    case BPF_LDX | BPF_IMM:
        m->x = s->k;
        return true;
    case BPF_MISC | BPF_TAX:
        m->x = m->a;
        return true;
    case BPF_MISC | BPF_TXA:
        m->a = m->x;
        return true;
    default:
        break;
    }
    if (s->k >= BPF_MEMWORDS)
        return false;
    switch (s->code) {
    case BPF_LD | BPF_MEM:
        m->a = m->memory[s->k];
        return true;
    case BPF_LDX | BPF_MEM:
        m->x = m->memory[s->k];
        return true;
    case BPF_ST:
        m->memory[s->k] = m->a;
        return true;
    case BPF_STX:
        m->memory[s->k] = m->x;
        return true;
    default:
        return false;
    }
}

static uint32_t operand(const struct machine *m, const struct sock_filter *s)
{
    return BPF_SRC(s->code) == BPF_X ? m->x : s->k;
}

static bool compute(struct machine *m, const struct sock_filter *s)
{
    const uint32_t b = operand(m, s);

    switch (BPF_OP(s->code)) {
    case BPF_ADD:
        m->a += b;
        return true;
    case BPF_SUB:
        m->a -= b;
        return true;
    case BPF_MUL:
        m->a *= b;
        return true;
    case BPF_DIV:
        m->a = b != 0 ? m->a / b : 0;
        return b != 0;
    case BPF_AND:
        m->a &= b;
        return true;
    case BPF_OR:
        m->a |= b;
        return true;
    case BPF_XOR:
        m->a ^= b;
        return true;
    case BPF_LSH:
        m->a = b < 32 ? m->a << b : 0;
        return b < 32;
    case BPF_RSH:
        m->a = b < 32 ? m->a >> b : 0;
        return b < 32;
    case BPF_NEG:
        m->a = 0 - m->a;
        return true;
    default:
        return false;
    }
}

/* Number of instructions to skip. */
static uint32_t jump(const struct machine *m, const struct sock_filter *s)
{
    const uint32_t b = operand(m, s);

    switch (BPF_OP(s->code)) {
    case BPF_JA:
        return s->k;
    case BPF_JEQ:
        return m->a == b ? s->jt : s->jf;
    case BPF_JGT:
        return m->a > b ? s->jt : s->jf;
    case BPF_JGE:
        return m->a >= b ? s->jt : s->jf;
    case BPF_JSET:
        return (m->a & b) != 0 ? s->jt : s->jf;
    default:
        return UINT32_MAX;
    }
}

/* Result of the filter; SECCOMP_RET_KILL_PROCESS if unknown. */
static uint32_t run(const struct sock_filter *code, uint32_t count,
                    const struct mprt_sandbox_call *call)
{
    struct machine m = {.call = call};

    for (uint64_t i = 0; i < count; i++) {
        const struct sock_filter *const s = &code[i];
        bool is_known = true;
        switch (BPF_CLASS(s->code)) {
        case BPF_RET:
            return BPF_RVAL(s->code) == BPF_A ? m.a : s->k;
        case BPF_JMP:
            i += jump(&m, s);
            break;
        case BPF_ALU:
            is_known = compute(&m, s);
            break;
        default:
            is_known = move(&m, s);
            break;
        }
        if (!is_known)
            break;
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
