/* sanitizer_api.c -- functions for programs: <sanitizer/memprof_interface.h>,
 * <sanitizer/allocator_interface.h> and the parts of
 * <sanitizer/common_interface_defs.h> that LLVM's runtime has. The hooks are in
 * rt/record/hooks.c, the functions for the name of the profile in
 * rt/dump/outname.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/api/functions.h"
#include "rt/api/behind.h"
#include "rt/base/clock.h"
#include "rt/base/mapbuf.h"
#include "rt/base/state.h"
#include "rt/base/log.h"
#include "rt/base/thread.h"
#include "rt/dump/modules.h"
#include "rt/dump/dump.h"
#include "rt/dump/profile.h"
#include "rt/heap/heap.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/stack/module_history.h"
#include "rt/stack/unwind.h"
#include "shared/abi.h"
#include "shared/raw_format.h"

#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/memprof_interface.h>

#define STACK_PRINTED_MAX 64

/* -- The profile ----------------------------------------------------------- */

MPRT_INTERFACE int __memprof_profile_dump(void)
{
    mprt_state_require();
    mprt_profile_dump();
    return 0;
}

/* The public header declares void; LLVM's tests and its runtime use int.
 * Returning 0 fits both. */
MPRT_INTERFACE int
mprt_sanitizer_api_profile_reset(void) __asm__(MPROF_SYM_PREFIX
                                               "profile_reset");

int mprt_sanitizer_api_profile_reset(void)
{
    mprt_state_require();
    mprt_profile_reset();
    return 0;
}

MPRT_INTERFACE void __memprof_start(void)
{
    mprt_state_require();
    if (mprt_state_is_running())
        mprt_state_set_recording(true);
}

MPRT_INTERFACE void __memprof_stop(void)
{
    mprt_state_require();
    mprt_state_set_recording(false);
}

MPRT_INTERFACE int __memprof_is_running(void)
{
    mprt_state_require();
    return mprt_state_is_recording();
}

static void mark(uint32_t kind, const char *name)
{
    mprt_state_require();
    mprt_block_check_due(mprt_clock_now_ns());
    if (!mprt_state_is_running() || !mprt_thread_enter())
        return;
    mprt_live_mark(kind, name);
    mprt_thread_leave();
}

MPRT_INTERFACE void __memprof_phase(const char *name)
{
    mark(MPROF_RAW_MARK_PHASE, name);
}

MPRT_INTERFACE void __memprof_mark(const char *name)
{
    if (name != NULL)
        mark(MPROF_RAW_MARK_MARK, name);
}

/* -- Statistics ------------------------------------------------------------ */

MPRT_INTERFACE void __memprof_print_accumulated_stats(void)
{
    mprt_state_require();
    mprt_stats_print("");
}

/* -- The allocator --------------------------------------------------------- */

MPRT_INTERFACE size_t __sanitizer_get_estimated_allocated_size(size_t size)
{
    return size;
}

MPRT_INTERFACE int __sanitizer_get_ownership(const volatile void *p)
{
    return p != NULL &&
           __sanitizer_get_allocated_begin((const void *)(uintptr_t)p) == p;
}

MPRT_INTERFACE const void *__sanitizer_get_allocated_begin(const void *p)
{
    size_t size;
    void *const block = mprt_block_holding(p, &size);

    /* Of an unsampled block only the start is known, and only glibc's blocks
     * can be told from other memory. */
    return block == NULL && mprt_behind_has(p) && mprt_behind_is_glibc &&
                   mprt_behind_size((void *)(uintptr_t)p, &size)
               ? p
               : block;
}

MPRT_INTERFACE size_t __sanitizer_get_allocated_size(const volatile void *p)
{
    void *const block = (void *)(uintptr_t)p;
    size_t size;

    return mprt_block_find(block, &size) ||
                   (mprt_behind_has(block) && mprt_behind_size(block, &size))
               ? size
               : 0;
}

MPRT_INTERFACE size_t
__sanitizer_get_allocated_size_fast(const volatile void *p)
{
    return __sanitizer_get_allocated_size(p);
}

MPRT_INTERFACE size_t __sanitizer_get_current_allocated_bytes(void)
{
    struct mprt_block_stats stats;

    mprt_block_stats(&stats);
    return stats.live_bytes;
}

MPRT_INTERFACE size_t __sanitizer_get_heap_size(void)
{
    struct mprt_heap_stats stats;

    mprt_heap_stats(&stats);
    return stats.heap_bytes;
}

MPRT_INTERFACE size_t __sanitizer_get_free_bytes(void)
{
    struct mprt_heap_stats stats;

    mprt_heap_stats(&stats);
    return stats.free_bytes;
}

MPRT_INTERFACE size_t __sanitizer_get_unmapped_bytes(void)
{
    return 0;
}

/* There is no quarantine to drain. */
MPRT_INTERFACE void __sanitizer_purge_allocator(void)
{
}

/* -- Exit and crashes ------------------------------------------------------ */

MPRT_INTERFACE void __sanitizer_set_death_callback(void (*callback)(void))
{
    mprt_alloc_failure_set_callback(callback);
}

/* The public header declares no parameter list. */
int __sanitizer_acquire_crash_state(void);

MPRT_INTERFACE int __sanitizer_acquire_crash_state(void)
{
    static _Atomic bool taken;

    return !atomic_exchange(&taken, true);
}

/* -- Reports --------------------------------------------------------------- */

/* Prints to stderr, never to the file of the profile. */
MPRT_INTERFACE void __sanitizer_print_stack_trace(void)
{
    const struct mprt_caller caller = MPRT_CALLER();
    uintptr_t pcs[STACK_PRINTED_MAX];
    struct mprof_buf buf;
    bool truncated;

    mprt_state_require();
    if (!mprt_thread_enter())
        return;
    mprt_mapbuf_init(&buf);
    const size_t count =
        mprt_unwind(caller, pcs, STACK_PRINTED_MAX, &truncated);
    mprt_module_history_tag(pcs, count);
    mprt_print_text_stack(&buf, pcs, count);
    mprt_mapbuf_print(&buf);
    mprt_thread_leave();
}

MPRT_INTERFACE int __sanitizer_get_module_and_offset_for_pc(void *pc,
                                                            char *path,
                                                            size_t path_size,
                                                            void **offset)
{
    struct mprt_textbuf t = {.out = path, .size = path_size};
    struct mprt_module_list modules;

    if (!mprt_modules_list(&modules))
        return 0;
    const uint32_t i = mprt_modules_find_mapped(&modules, (uintptr_t)pc);
    const bool found = i < modules.count;
    if (found) {
        if (path != NULL)
            mprt_textbuf_str(&t, modules.modules[i].path);
        if (offset != NULL)
            *offset = (void *)((uintptr_t)pc - modules.modules[i].bias);
    }
    mprt_modules_free(&modules);
    return found;
}

/* Ignores the format: the runtime knows no function names, so it prints binary
 * and offset. */
MPRT_INTERFACE void __sanitizer_symbolize_pc(void *pc, const char *format,
                                             char *out, size_t size)
{
    struct mprt_textbuf t = {.out = out, .size = size};
    char path[512];
    void *offset;

    (void)format;
    if (size == 0)
        return;
    out[0] = '\0';
    if (__sanitizer_get_module_and_offset_for_pc(pc, path, sizeof(path),
                                                 &offset)) {
        MPRT_TEXT(&t, path, "+0x", MPRT_HEX((uintptr_t)offset));
    }
}

MPRT_INTERFACE void __sanitizer_symbolize_global(void *data, const char *format,
                                                 char *out, size_t size)
{
    __sanitizer_symbolize_pc(data, format, out, size);
}

MPRT_INTERFACE void
__sanitizer_sandbox_on_notify(__sanitizer_sandbox_arguments *args)
{
    (void)args;
}

/* -- Unaligned accesses ---------------------------------------------------- */

#define UNALIGNED(bits)                                                       \
    struct unaligned##bits {                                                  \
        uint##bits##_t value;                                                 \
    } __attribute__((packed, may_alias));                                     \
                                                                              \
    MPRT_INTERFACE uint##bits##_t __sanitizer_unaligned_load##bits(           \
        const void *p)                                                        \
    {                                                                         \
        mprt_shadow_count_range((uintptr_t)p, sizeof(uint##bits##_t), false); \
        return ((const struct unaligned##bits *)p)->value;                    \
    }                                                                         \
                                                                              \
    MPRT_INTERFACE void __sanitizer_unaligned_store##bits(void *p,            \
                                                          uint##bits##_t x)   \
    {                                                                         \
        mprt_shadow_count_range((uintptr_t)p, sizeof(uint##bits##_t), true);  \
        ((struct unaligned##bits *)p)->value = x;                             \
    }

UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)
