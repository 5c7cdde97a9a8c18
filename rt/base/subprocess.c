/* subprocess.c -- a process that shares the program's memory. It has
 * thread-local storage of its own for the runtime's variables, but not for
 * libc's, so it must not call libc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/subprocess.h"
#include "rt/base/counter.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/sandbox.h"
#include "rt/base/thread.h"

/* Bytes below and above the thread pointer. */
#define TLS_BELOW_BYTES ((size_t)64 << 10)
#define TLS_ABOVE_BYTES ((size_t)8 << 10)

/* Prepares zeroed thread-local storage for the runtime's variables and returns
 * its thread pointer. */
static void *make_tls(char *memory, size_t below_bytes)
{
    char *const tp = memory + below_bytes;

    mprt_libc_memcpy(tp, &tp, sizeof(tp)); /* it points to itself */
    if (&__rseq_offset != NULL) {
        /* "Not registered": the CPU number comes by a system call. */
        const int32_t unknown = -1;
        char *const area = tp + __rseq_offset + 4;
        if (area >= memory && area + 4 <= tp + TLS_ABOVE_BYTES)
            mprt_libc_memcpy(area, &unknown, sizeof(unknown));
    }
    return tp;
}

static size_t tls_below_bytes(void)
{
    const uintptr_t tp = (uintptr_t)__builtin_thread_pointer();
    const uintptr_t low = (uintptr_t)&mprt_thread_local;

    return mprof_round_up((tp - low) + TLS_BELOW_BYTES, mprt_os_page_bytes());
}

int mprt_subprocess_start(struct mprt_subprocess *p, size_t stack_bytes,
                          _Atomic uint32_t *tid, void (*function)(void))
{
    const size_t below_bytes = tls_below_bytes();

    if (p->memory == NULL)
        p->memory =
            mprt_memory_map(stack_bytes + below_bytes + TLS_ABOVE_BYTES);
    if (p->memory == NULL)
        return -1;
    char *const tls = p->memory + stack_bytes;
    mprt_libc_memset(tls, 0, below_bytes + TLS_ABOVE_BYTES);
    p->filters = mprt_sandbox_last();
    const uint64_t signals = mprt_os_block_signals();
    const int pid =
        mprt_os_spawn(tls, make_tls(tls, below_bytes), tid, function);
    mprt_os_restore_signals(signals);
    return pid;
}

void mprt_subprocess_begin(const struct mprt_subprocess *p)
{
    mprt_identity_become_helper();
    mprt_sandbox_leave(p->filters);
    mprt_counter_init(); /* for the limits of the thread that made it */
    mprt_thread_local.is_inside = true;
    mprt_thread_local.has_ended = true; /* works without a state */
}
