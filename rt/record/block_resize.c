/* block_resize.c -- realloc: a block of another size, in place or moved.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/block_internal.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/pages.h"

/* From this size on, only existing pages of a block are copied. */
#define SPARSE_BYTES_MIN ((size_t)1 << 20)
/* A block shrinks in place while it fills at least 1/4 of its slot. */
#define SHRINK_SHIFT 2

struct copy {
    char *to;
    const char *from;
};

static void copy_part(void *context, const char *from, const char *to)
{
    const struct copy *const copy = context;

    mprt_libc_memcpy(copy->to + (from - copy->from), from, (size_t)(to - from));
}

/* Makes a block of another size with the old block's bytes; the copy is not
 * counted. A large block gets room to grow, so that it is copied once for each
 * doubling. */
static void *copy_block(const void *p, size_t old_size, size_t size,
                        struct mprt_caller caller)
{
    const size_t bytes = old_size < size ? old_size : size;
    const bool is_sparse = bytes >= SPARSE_BYTES_MIN;
    void *const q = mprt_block_new(size, 1, is_sparse, caller);

    if (q == NULL)
        return NULL;
    if (!is_sparse) {
        mprt_libc_memcpy(q, p, bytes);
        return q;
    }
    if (size > old_size)
        mprt_heap_resize(q, 2 * size);
    struct copy copy = {(char *)q, (const char *)p};
    mprt_pages_visit(copy.from, copy.from + bytes, copy_part, &copy);
    return q;
}

/* Ends the old block's count as live before its replacement begins: that both
 * exist for a moment is the heap's doing, not the program's. */
static void end_live(struct mprt_thread *t, const struct header *h, uintptr_t p)
{
    const uint32_t weight = is_sampling() ? weight_of(h, p) : 1;

    if (h->context < mprt_depot_first_id)
        return;
    if (!mprt_thread_enter()) {
        mprt_live_drop(t, h->context, size_of(h), weight);
        return;
    }
    mprt_live_end(t, h->context, size_of(h), weight, mprt_clock_now_in(t),
                  mprt_lock_is_alone());
    mprt_thread_leave();
}

/* Counts the old block as live again. */
static void begin_live(struct mprt_thread *t, const struct header *h,
                       uintptr_t p)
{
    const uint32_t weight = is_sampling() ? weight_of(h, p) : 1;

    if (h->context < mprt_depot_first_id)
        return;
    if (!mprt_thread_enter())
        return;
    mprt_live_begin(t, h->context, size_of(h), weight, mprt_lock_is_alone());
    mprt_thread_leave();
}

/* Moves a block. The old block is as temporary as it was when realloc was
 * called. */
static MPRT_NOINLINE void *replace_block(struct mprt_thread *t,
                                         struct header *h, void *p, size_t size,
                                         struct mprt_caller caller)
{
    const struct mprt_last_block none = {NULL, 0};
    const struct mprt_last_block last_before = t != NULL ? t->last : none;

    end_live(t, h, (uintptr_t)p);
    void *const q = copy_block(p, size_of(h), size, caller);
    if (q == NULL) {
        begin_live(t, h, (uintptr_t)p);
        return NULL;
    }
    const struct mprt_last_block last = t != NULL ? t->last : none;
    if (t != NULL)
        t->last = last_before;
    const struct mprt_block_end end = {.kind = MPROF_DETAIL_REALLOC,
                                       .other = context_at(q),
                                       .size = size,
                                       .named_at = take_name(p)};
    if ((MPROF_UNLIKELY(mprt_hooks_are_set()) && mprt_hooks_free(p)) ||
        !mprt_block_free_with(t, p, &end))
        begin_live(t, h, (uintptr_t)p);
    if (t != NULL)
        t->last = last;
    return q;
}

bool mprt_block_replace(void *p, size_t size, struct mprt_caller caller)
{
    struct mprt_thread *const t = mprt_thread_current();
    uint64_t state;
    const struct header *const h = live_header(p, &state);

    if (h == NULL)
        return mprt_block_report_bad(p, "realloc") != NULL;
    end_live(t, h, (uintptr_t)p);
    const struct mprt_block_end end = {.kind = MPROF_DETAIL_REALLOC,
                                       .other =
                                           mprt_block_call_context(t, caller),
                                       .size = size,
                                       .named_at = take_name(p)};
    return mprt_block_free_with(t, p, &end);
}

/* Extends the slot in place. */
static bool grow(void *memory, size_t before, size_t old_size, size_t size)
{
    const size_t more = size - old_size;

    return size <= mprt_block_size_max &&
           (more < ASKED_BYTES_MIN || mprt_pages_would_map(more)) &&
           mprt_heap_resize(memory, before + size);
}

void *mprt_block_resize(void *p, size_t size, struct mprt_caller caller)
{
    struct mprt_thread *const t = mprt_thread_current();
    uint64_t state;
    struct header *const h = live_header(p, &state);

    if (h == NULL)
        return mprt_block_report_bad(p, "realloc");
    if (size == 0)
        size = 1;
    char *const memory = memory_of(p, state);
    const size_t before = (size_t)((char *)p - memory);
    size_t room = mprt_heap_room(memory) - before;
    if (size > room && grow(memory, before, size_in(state), size))
        room = size;
    const bool is_shrunk = size < size_in(state);
    if (size <= room &&
        (size >= room >> SHRINK_SHIFT || size > MPRT_HEAP_SMALL_BYTES_MAX)) {
        if (MPROF_UNLIKELY(mprt_hooks_are_set()) && mprt_hooks_free(p))
            return copy_block(p, size_in(state), size, caller);
        if (!mprt_block_claim(p, &state))
            return mprt_block_report_bad(p, "realloc");
        const struct mprt_block_end end = {
            .kind = MPROF_DETAIL_REALLOC,
            .other = mprt_block_call_context(t, caller),
            .size = size,
            .named_at = take_name(p)};
        const uint64_t now_ns = mprt_block_end(t, h, (uintptr_t)p, &end);
        if (is_shrunk)
            mprt_heap_resize(memory, before + size);
        mprt_block_begin(t, h, p, size, state & STATE_ALIGN_MASK, now_ns,
                         caller);
        mprt_block_check_due(h->birth_ns);
        if (MPROF_UNLIKELY(mprt_hooks_are_set()))
            mprt_hooks_malloc(p, size);
        return p;
    }
    return replace_block(t, h, p, size, caller);
}
