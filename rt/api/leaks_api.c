/* leaks_api.c -- how programs control and query leak detection: inc/memprof.h,
 * and <sanitizer/lsan_interface.h> of compiler-rt.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/base/log.h"
#include "rt/base/state.h"
#include "rt/dump/profile.h"
#include "rt/leaks/leaks.h"
#include "rt/record/block.h"
#include "rt/record/ignored.h"

#include <sanitizer/lsan_interface.h>

struct answer {
    uint64_t bytes;
    uint64_t blocks;
    bool is_known;
};

static void look(void *argument)
{
    struct answer *const a = argument;

    a->is_known = mprt_profile_dump_leaks(&a->bytes, &a->blocks);
}

MPRT_INTERFACE long long __memprof_leaks(void)
{
    struct answer answer = {.is_known = false};

    mprt_state_require();
    mprt_leaks_from_here(look, &answer);
    return answer.is_known ? (long long)answer.bytes : -1;
}

/* -- LeakSanitizer's ------------------------------------------------------- */

MPRT_INTERFACE void __lsan_disable(void)
{
    mprt_state_require();
    mprt_ignored_disable();
}

MPRT_INTERFACE void __lsan_enable(void)
{
    mprt_ignored_enable();
}

MPRT_INTERFACE void __lsan_ignore_object(const void *p)
{
    size_t size;

    mprt_state_require();
    const void *const block = mprt_block_holding(p, &size);
    if (block != NULL)
        mprt_ignored_add(block);
}

MPRT_INTERFACE void __lsan_register_root_region(const void *p, size_t size)
{
    mprt_state_require();
    mprt_ignored_add_region(p, size);
}

MPRT_INTERFACE void __lsan_unregister_root_region(const void *p, size_t size)
{
    mprt_state_require();
    if (!mprt_ignored_remove_region(p, size))
        MPRT_LOG_ONCE("__lsan_unregister_root_region(): no such region is "
                      "registered");
}

/* The profile reports the leaks, so the program does not end because of
 * them. */
MPRT_INTERFACE int __lsan_do_recoverable_leak_check(void)
{
    struct answer answer = {.is_known = false};

    mprt_state_require();
    mprt_leaks_from_here(look, &answer);
    return answer.blocks != 0;
}

MPRT_INTERFACE void __lsan_do_leak_check(void)
{
    struct answer answer = {.is_known = false};

    mprt_state_require();
    mprt_leaks_from_here(look, &answer);
}
