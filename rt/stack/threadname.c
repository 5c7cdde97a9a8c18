/* threadname.c -- per_thread=1: who allocates, by the kernel's name of the
 * thread.
 *
 * The name is asked for at each allocation: that is one system call, and no
 * name that is set late, or again, or by another thread, is missed. Names have
 * numbers from 1, which are never given back. Two threads that add one name at
 * the same time may use up two numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/threadname.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/os.h"
#include "rt/stack/depot.h"

/* The last number is that of all names that come too late. */
#define NAMES_MAX (MPRT_THREADNAMES - 2)
#define NUMBER_OTHER (MPRT_THREADNAMES - 1)

struct name {
    char text[MPRT_THREADNAME_BYTES];
    _Atomic bool is_written;
};

static struct name names[NAMES_MAX + 1]; /* by number */
static _Atomic uint32_t last_number;

static bool is_name(uint32_t number, const char *text)
{
    /* Pairs with the release in add_name(). */
    return atomic_load_explicit(&names[number].is_written,
                                memory_order_acquire) &&
           mprt_libc_memcmp(names[number].text, text, MPRT_THREADNAME_BYTES) ==
               0;
}

static uint32_t add_name(const char *text)
{
    static uint32_t once;
    uint32_t last = atomic_load_explicit(&last_number, memory_order_relaxed);

    do {
        if (last == NAMES_MAX) {
            mprt_log_once(&once,
                          "there are too many names of threads: what those "
                          "with further names allocate counts as of a thread "
                          "other",
                          NULL);
            return NUMBER_OTHER;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &last_number, &last, last + 1, memory_order_relaxed,
        memory_order_relaxed));
    mprt_libc_memcpy(names[last + 1].text, text, MPRT_THREADNAME_BYTES);
    /* Pairs with the acquire in is_name(). */
    atomic_store_explicit(&names[last + 1].is_written, true,
                          memory_order_release);
    return last + 1;
}

static uint32_t number_of(const char *text)
{
    const uint32_t last =
        atomic_load_explicit(&last_number, memory_order_relaxed);

    for (uint32_t number = 1; number <= last; number++) {
        if (is_name(number, text))
            return number;
    }
    return add_name(text);
}

uint32_t mprt_threadname_now(uint32_t last)
{
    char text[MPRT_THREADNAME_BYTES] = {0};

    mprt_os_thread_name(text);
    return last != 0 && last != NUMBER_OTHER && is_name(last, text)
               ? last
               : number_of(text);
}

const char *mprt_threadname(uint32_t number)
{
    return number == NUMBER_OTHER ? "other" : names[number].text;
}
