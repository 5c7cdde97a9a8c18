/* block_new.c -- birth of blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/block_internal.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/overhead.h"
#include "rt/base/pages.h"
#include "rt/record/links.h"
#include "rt/record/trail.h"
#include "rt/stack/call_values.h"
#include "rt/stack/vm.h"

/* About the size from which libc maps blocks separately. */
#define SEPARATE_BYTES_MIN ((size_t)127 << 10)
#define SIZE_MAX_DEFAULT ((size_t)1 << 40)
#define MIB_SHIFT 20

_Static_assert(SIZE_MAX_DEFAULT < UINT64_MAX >> STATE_SIZE_SHIFT,
               "each size fits");

size_t mprt_block_size_max = SIZE_MAX_DEFAULT;
_Atomic uint64_t mprt_block_due_ns = UINT64_MAX;
void (*mprt_block_when_due)(void);
static _Atomic uint32_t last_thread;

void mprt_block_init(void)
{
    const int64_t limit_mb = mprt_options.max_allocation_size_mb;

    if (limit_mb > 0 && (uint64_t)limit_mb < SIZE_MAX_DEFAULT >> MIB_SHIFT)
        mprt_block_size_max = (size_t)limit_mb << MIB_SHIFT;
}

/* Numbers repeat after 2^19 threads. */
void mprt_block_start_thread(struct mprt_thread *t)
{
    t->cpu_thread = (atomic_fetch_add(&last_thread, 1) + 1)
                    << CPU_THREAD_CPU_BITS;
    t->last = (struct mprt_last_block){NULL, 0};
}

static MPRT_NOINLINE void report_full(void)
{
    MPRT_ADD(mprt_block_dropped, 1);
    MPRT_LOG_ONCE("too many call stacks; further ones are not recorded");
}

static MPRT_NOINLINE void note_stack(uintptr_t frame)
{
    mprt_block_mark_unseen((const void *)frame);
}

/* mprt_block_begin(), inlined. is_usual: a constant; true only if
 * mprt_state_get() is 0. */
static inline MPRT_ALWAYS_INLINE void
begin_block(struct mprt_thread *t, struct header *h, void *p, size_t size,
            uint64_t align, uint64_t now_ns, struct mprt_caller caller,
            bool is_usual)
{
    const bool is_first =
        (is_usual || mprt_state_is_recording()) && mprt_thread_enter();
    const bool is_sampled = !is_usual && is_sampling();
    const uint64_t state =
        next_state(h, size, is_sampled ? mprt_sample_rate_of(t) : 0, align);
    uint32_t weight = 0;

    if (!is_usual)
        mprt_shadow_begin((uintptr_t)p, size);
    if (MPROF_LIKELY(is_first)) {
        /* Code does not count accesses to its own stack. */
        if (MPROF_UNLIKELY(mprt_heap_contains((const void *)caller.frame)))
            note_stack(caller.frame);
        uint32_t context = mprt_call_values_context(t, caller);
        if (!is_usual)
            context = mprt_vm_context(t, context);
        h->context = context;
        h->cpu_thread = cpu_thread_of(t);
        h->birth_ns =
            mprt_live_birth_ns(now_ns != 0 ? now_ns : mprt_clock_now_in(t));
        if (MPROF_LIKELY(context != 0)) {
            weight = is_sampled ? weight_at((uintptr_t)p, state) : 1;
            mprt_live_begin(t, context, size, weight, mprt_lock_is_alone());
            if (!is_usual && MPROF_UNLIKELY(mprt_trail_is_on))
                mprt_trail_birth(t, (uintptr_t)p, size, context, weight,
                                 cpu_in(h->cpu_thread), h->birth_ns);
        } else {
            report_full();
        }
        mprt_thread_leave();
    } else {
        h->context = 0;
        h->birth_ns = 0;
    }
    set_live(h, state);
    if (MPROF_LIKELY(t != NULL))
        t->last = (struct mprt_last_block){h, state};
    count_blocks(t, state, weight, true);
}

void mprt_block_begin(struct mprt_thread *t, struct header *h, void *p,
                      size_t size, uint64_t align, uint64_t now_ns,
                      struct mprt_caller caller)
{
    begin_block(t, h, p, size, align, now_ns, caller, false);
}

/* A slot for a block of this size and alignment. Stores the alignment field of
 * the state. The contents are undefined unless *is_zero. */
static struct mprt_heap_slot new_slot(size_t size, size_t align,
                                      uint64_t *state_align, bool *is_zero)
{
    const struct mprt_heap_slot none = {NULL, NULL, 0};

    *state_align = 0;
    if (size > mprt_block_size_max || align > mprt_block_size_max ||
        (size >= ASKED_BYTES_MIN && !mprt_pages_would_map(size)))
        return none;
    if (align <= MPRT_HEAP_ALIGN)
        return mprt_heap_alloc(size, is_zero);
    /* The memory of a slot of whole granules begins at a granule. */
    if (align > MPROF_GRANULE_BYTES)
        size += align - MPROF_GRANULE_BYTES;
    size = (size_t)mprof_round_up(size, MPROF_GRANULE_BYTES);
    /* A program that asks for page alignment may protect the pages. libc maps
     * and unmaps such blocks. */
    const struct mprt_heap_slot slot =
        align >= mprt_os_page_bytes() && size >= SEPARATE_BYTES_MIN
            ? mprt_heap_alloc_separate(size, is_zero)
            : mprt_heap_alloc(size, is_zero);
    if ((uintptr_t)slot.memory % align != 0)
        *state_align = (uint64_t)__builtin_ctzll(align) << STATE_ALIGN_SHIFT;
    return slot;
}

/* t may be NULL if that is a compile-time constant. is_usual: as in
 * begin_block(). */
static inline MPRT_ALWAYS_INLINE void *
new_block(struct mprt_thread *t, size_t size, size_t align, bool zero,
          struct mprt_caller caller, bool is_usual)
{
    uint64_t state_align = 0;
    bool is_zero = false;
    void *h = NULL;
    char *p = NULL;

    if (MPROF_LIKELY(align <= MPRT_HEAP_ALIGN))
        p = mprt_heap_pop(t, size, &h);
    if (MPROF_UNLIKELY(p == NULL)) {
        if (size == 0)
            size = 1; /* as in LLVM: each block has its own address */
        const struct mprt_heap_slot slot =
            new_slot(size, align, &state_align, &is_zero);
        if (slot.memory == NULL)
            return NULL;
        h = slot.header;
        p = block_in(slot.memory, state_align);
    }
    if (MPROF_UNLIKELY(zero) && !is_zero)
        mprt_libc_memset(p, 0, size);
    begin_block(t, h, p, size, state_align, 0, caller, is_usual);
    if (is_usual)
        return p;
    /* Not via t->last, which a signal handler may have changed. */
    mprt_block_check_due(((const struct header *)h)->birth_ns);
    if (MPROF_UNLIKELY(mprt_hooks_are_set()))
        mprt_hooks_malloc(p, size);
    return p;
}

/* Allocates for a thread without a state, or in a call that is timed. */
static MPRT_NOINLINE void *unusual_new(size_t size, size_t align, bool zero,
                                       struct mprt_caller caller)
{
    if (mprt_thread_local.state == NULL) {
        if (mprt_thread_make() == NULL)
            return new_block(NULL, size, align, zero, caller, false);
        return mprt_block_new(size, align, zero, caller);
    }
    sample_live(mprt_thread_local.state);
    const struct mprt_timed timed = mprt_overhead_begin();
    void *const p = mprt_block_new(size, align, zero, caller);
    mprt_overhead_end(timed);
    if (MPROF_UNLIKELY(mprt_options.links) && p != NULL)
        mprt_links_sample(mprt_thread_local.state, p);
    return p;
}

void *mprt_block_new(size_t size, size_t align, bool zero,
                     struct mprt_caller caller)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (MPROF_UNLIKELY(t == NULL || mprt_overhead_is_due(t)))
        return unusual_new(size, align, zero, caller);
    return new_block(t, size, align, zero, caller, false);
}

void *mprt_block_new_usual(size_t size, struct mprt_caller caller)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (MPROF_UNLIKELY(t == NULL || mprt_overhead_is_due(t)))
        return unusual_new(size, 1, false, caller);
    return new_block(t, size, 1, false, caller, true);
}
