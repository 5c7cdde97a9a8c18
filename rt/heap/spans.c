/* spans.c -- spans of small slots, and each class's shared stack of batches.
 *
 * The stack is lock-free: its head is a slot's number with a count of changes,
 * which detects a head that was removed and came back. A span always belongs to
 * its class.
 *
 * Trimming takes all batches off the stack and finds the spans whose slots are
 * all among them. Their memory goes back to the system, and the class carves
 * them again before it takes a new span: to readers without a lock they are
 * spans of slots that were never used.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/spans.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/os.h"
#include "rt/heap/shadow.h"

#define PAGE_SHIFT MPRT_HEAP_PAGE_SHIFT

/* A class is trimmed when nearly all of its slots are free and these have this
 * many bytes; then again when twice as many are, so that a program which
 * allocates and frees again and again keeps its memory. */
#define TRIM_BYTES ((size_t)1 << 20)
#define TRIM_USED_SHIFT 6

struct class
{
    _Atomic uint64_t batches;     /* head of the stack, see HEAD_* */
    _Atomic uint64_t free_count;  /* slots in the stack */
    _Atomic uint64_t slots_count; /* slots carved from spans */
    _Atomic uint64_t trim_at;     /* see TRIM_BYTES */
    struct mprt_lock lock;        /* protects the members below */
    uint32_t left;
    uint32_t empty;        /* list of trimmed spans: first page + 1 */
    struct mprt_run *span; /* slots are carved from this span */
    char *bump;
} __attribute__((aligned(64)));

/* A head: a slot's number, from 1 (0: none), and a count of changes. */
#define HEAD_NUMBER_BITS 38
#define HEAD_NUMBER_MASK ((UINT64_C(1) << HEAD_NUMBER_BITS) - 1)
_Static_assert(MPRT_HEAP_REGION_BYTES / MPRT_HEAP_ALIGN <= HEAD_NUMBER_MASK,
               "every slot has a number");

static struct class classes[MPRT_HEAP_CLASSES];
static _Atomic uint32_t empty_pages; /* pages of trimmed spans */

static uint64_t enter(struct mprt_lock *lock)
{
    const uint64_t signals = mprt_os_block_signals();

    mprt_lock_acquire(lock);
    return signals;
}

static void leave(struct mprt_lock *lock, uint64_t signals)
{
    mprt_lock_release(lock);
    mprt_os_restore_signals(signals);
}

void mprt_spans_init(void)
{
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        MPRT_STORE(classes[class].trim_at,
                   TRIM_BYTES / mprt_classes[class].bytes);
}

void mprt_spans_before_fork(void)
{
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        mprt_lock_acquire(&classes[class].lock);
}

void mprt_spans_after_fork(bool is_child)
{
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        mprt_lock_after_fork(&classes[class].lock, is_child, true);
}

uint64_t mprt_spans_used_bytes(void)
{
    uint64_t used = 0;

    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        used += (MPRT_LOAD(classes[class].slots_count) -
                 MPRT_LOAD(classes[class].free_count)) *
                mprt_classes[class].whole;
    return used;
}

uint32_t mprt_spans_empty_pages(void)
{
    return MPRT_LOAD(empty_pages);
}

/* -- the stack of batches -------------------------------------------------- */

static void *memory_of(uint64_t number)
{
    return mprt_runs_region + (number - 1) * MPRT_HEAP_ALIGN;
}

void mprt_spans_push(unsigned class, void *first, uint64_t count)
{
    struct class *const c = &classes[class];
    struct mprt_heap_free *const header = mprt_spans_header(class, first);
    const uint64_t number =
        (uint64_t)((char *)first - mprt_runs_region) / MPRT_HEAP_ALIGN + 1;
    uint64_t head = MPRT_LOAD(c->batches);

    do {
        MPRT_STORE(header->batch,
                   (head & HEAD_NUMBER_MASK) | count << HEAD_NUMBER_BITS);
        /* Pairs with the acquire in pop_batch(), which reads the batch. */
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) | number,
        memory_order_release, memory_order_relaxed));
    MPRT_ADD(c->free_count, count);
}

/* Pops all batches. Returns the first slot's number, or 0. */
static uint64_t pop_all(unsigned class)
{
    struct class *const c = &classes[class];
    uint64_t head = MPRT_LOAD_ACQUIRE(c->batches);

    while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head, (head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1,
        memory_order_acquire, memory_order_acquire))
        ;
    return head & HEAD_NUMBER_MASK;
}

/* Pops a batch from the class's stack, or returns NULL. *count: its size. */
static void *pop_batch(unsigned class, uint32_t *count)
{
    struct class *const c = &classes[class];
    uint64_t head = MPRT_LOAD_ACQUIRE(c->batches);
    uint64_t batch;
    void *first;

    do {
        const uint64_t number = head & HEAD_NUMBER_MASK;
        if (number == 0)
            return NULL;
        first = memory_of(number);
        /* Another thread may have popped and overwritten the batch. Then the
         * head has changed and the exchange fails. */
        batch = MPRT_LOAD(mprt_spans_header(class, first)->batch);
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) |
            (batch & HEAD_NUMBER_MASK),
        memory_order_acquire, memory_order_acquire));
    *count = (uint32_t)(batch >> HEAD_NUMBER_BITS);
    atomic_fetch_sub_explicit(&c->free_count, *count, memory_order_relaxed);
    return first;
}

/* -- new slots ------------------------------------------------------------- */

/* Marks all slots of a new span as never used. */
static void clear_headers(unsigned class, char *span)
{
    const struct mprt_class *const c = &mprt_classes[class];

    for (uint32_t i = 0; i < c->end / c->bytes; i++)
        mprt_libc_memset(span + (size_t)i * c->stride, 0,
                         MPRT_HEAP_HEADER_BYTES);
}

/* Makes the class carve slots from this span. Its lock is held. */
static void begin_span(unsigned class, uint32_t first)
{
    struct class *const c = &classes[class];

    c->span = &mprt_runs[first];
    c->bump = mprt_runs_start(first) + mprt_classes[class].first;
    c->left = mprt_classes[class].end / mprt_classes[class].bytes;
}

/* Adds a span to the class. Its lock is held. */
static bool add_span(unsigned class)
{
    const uint32_t count = mprt_classes[class].pages;
    bool is_zero;

    const uint64_t signals = mprt_runs_enter();
    const uint32_t run =
        mprt_runs_take(count, MPRT_RUN_SMALL + class, false, &is_zero);
    if (run != 0) {
        const uint32_t first = run - 1;
        if (!is_zero)
            clear_headers(class, mprt_runs_start(first));
        MPRT_STORE(mprt_runs[first].carved, 0);
        for (uint32_t i = 1; i < count; i++) {
            mprt_runs[first + i].first = first;
            MPRT_STORE(mprt_runs[first + i].kind, MPRT_RUN_SMALL + class);
        }
        mprt_libc_memset(&mprt_heap_small[first], (int)class + 1, count);
    }
    mprt_runs_leave(signals);
    if (run != 0)
        begin_span(class, run - 1);
    return run != 0;
}

/* The same, but prefers trimmed spans. */
static bool next_span(unsigned class)
{
    struct class *const c = &classes[class];
    const uint32_t run = c->empty;

    if (run == 0)
        return add_span(class);
    c->empty = mprt_runs[run - 1].next;
    atomic_fetch_sub_explicit(&empty_pages, mprt_runs[run - 1].pages,
                              memory_order_relaxed);
    begin_span(class, run - 1);
    return true;
}

/* Makes a list of up to `want` new slots of the class. *got: their number. */
static void *carve_slots(unsigned class, uint32_t want, uint32_t *got)
{
    struct class *const c = &classes[class];
    const size_t bytes = mprt_classes[class].bytes;
    void *list = NULL;
    uint32_t n = 0;

    const uint64_t signals = enter(&c->lock);
    /* A trim may have had the batches. */
    if (c->left == 0)
        list = pop_batch(class, &n);
    if (list == NULL && (c->left != 0 || next_span(class))) {
        n = want < c->left ? want : c->left;
        list = c->bump;
        for (uint32_t i = 1; i < n; i++) {
            mprt_spans_header(class, c->bump)->next = c->bump + bytes;
            c->bump += bytes;
        }
        mprt_spans_header(class, c->bump)->next = NULL;
        c->bump += bytes;
        c->left -= n;
        MPRT_ADD(c->slots_count, n);
        /* Pairs with the acquire in mprt_heap_walk(). */
        atomic_fetch_add_explicit(&c->span->carved, n, memory_order_release);
    }
    leave(&c->lock, signals);
    *got = n;
    return list;
}

void *mprt_spans_take(unsigned class, uint32_t *got)
{
    void *const list = pop_batch(class, got);

    return list != NULL ? list
                        : carve_slots(class, mprt_classes[class].batch, got);
}

/* -- trimming: for the holder of the class's lock -------------------------- */

static struct mprt_run *span_of(const void *memory)
{
    return &mprt_runs[mprt_runs[mprt_runs_page(memory)].first];
}

/* Number of the first slot of the next batch, or 0. */
static uint64_t batch_after(unsigned class, uint64_t number)
{
    return MPRT_LOAD(mprt_spans_header(class, memory_of(number))->batch) &
           HEAD_NUMBER_MASK;
}

/* Counts the free slots of each span in these batches. Returns the sum. */
static uint64_t count_free(unsigned class, uint64_t number)
{
    uint64_t count = 0;

    for (; number != 0; number = batch_after(class, number)) {
        for (void *p = memory_of(number); p != NULL;
             p = mprt_spans_header(class, p)->next) {
            span_of(p)->free++;
            count++;
        }
    }
    return count;
}

/* Pushes those slots again whose spans have others that are not free. Returns
 * the list of the other spans: first page + 1. */
static uint32_t push_used(unsigned class, uint64_t number)
{
    void *list = NULL;
    uint32_t count = 0;
    uint32_t empty = 0;

    for (uint64_t next; number != 0; number = next) {
        next = batch_after(class, number);
        for (void *p = memory_of(number), *after; p != NULL; p = after) {
            struct mprt_run *const span = span_of(p);
            after = mprt_spans_header(class, p)->next;
            if (span->free == MPRT_LOAD(span->carved)) {
                if (p ==
                    mprt_runs_start(span->first) + mprt_classes[class].first) {
                    span->next = empty;
                    empty = span->first + 1;
                }
                continue;
            }
            span->free--;
            mprt_spans_header(class, p)->next = list;
            list = p;
            if (++count == mprt_classes[class].batch) {
                mprt_spans_push(class, list, count);
                list = NULL;
                count = 0;
            }
        }
    }
    if (list != NULL)
        mprt_spans_push(class, list, count);
    return empty;
}

/* Empties a span. False if the system does not take its memory. */
static bool empty_span(unsigned class, struct mprt_run *span)
{
    struct class *const c = &classes[class];
    char *const start = mprt_runs_start(span->first);
    const size_t bytes = (size_t)span->pages << PAGE_SHIFT;

    if (span == c->span)
        c->left = 0;
    atomic_fetch_sub_explicit(&c->slots_count, span->free,
                              memory_order_relaxed);
    span->free = 0;
    MPRT_STORE(span->carved, 0);
    MPRT_ADD(empty_pages, span->pages);
    span->next = c->empty;
    c->empty = span->first + 1;
    mprt_shadow_clear_span((uintptr_t)start, bytes);
    if (mprt_os_discard(start, bytes))
        return true;
    clear_headers(class, start);
    return false;
}

bool mprt_spans_trim(unsigned class)
{
    struct class *const c = &classes[class];
    bool has_some = false;

    const uint64_t signals = enter(&c->lock);
    const uint64_t number = pop_all(class);
    atomic_fetch_sub_explicit(&c->free_count, count_free(class, number),
                              memory_order_relaxed);
    for (uint32_t run = push_used(class, number), next; run != 0; run = next) {
        next = mprt_runs[run - 1].next;
        has_some |= empty_span(class, &mprt_runs[run - 1]);
    }
    leave(&c->lock, signals);
    return has_some;
}

void mprt_spans_trim_surplus(unsigned class)
{
    struct class *const c = &classes[class];
    const uint64_t free = MPRT_LOAD(c->free_count);
    const uint64_t slots = MPRT_LOAD(c->slots_count);

    if (MPROF_LIKELY(free < MPRT_LOAD(c->trim_at)) ||
        free < slots - (slots >> TRIM_USED_SHIFT))
        return;
    MPRT_STORE(c->trim_at, 2 * free);
    mprt_spans_trim(class);
}
