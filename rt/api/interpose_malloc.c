/* interpose_malloc.c -- malloc and its relatives, with the errors that C, POSIX
 * and glibc prescribe, and the functions that the C++ operators call.
 *
 * Each function takes its caller's address and frame itself, so that call
 * stacks begin at the caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/functions.h"
#include "rt/api/behind.h"
#include "rt/api/count.h"
#include "rt/api/cxx.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/base/log.h"
#include "rt/heap/heap.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/record/hooks.h"
#include "rt/record/sample.h"

#include <errno.h>
#include <malloc.h>

#define ALIGN_DEFAULT 16
#define ALIGN_MAX (SIZE_MAX / 2 + 1)

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void *reallocarray(void *p, size_t count, size_t size);
void free(void *p);
void cfree(void *p);
void free_sized(void *p, size_t size);
void free_aligned_sized(void *p, size_t align, size_t size);
void *__libc_malloc(size_t size);
void *__libc_memalign(size_t align, size_t size);
void *aligned_alloc(size_t align, size_t size);
int posix_memalign(void **out, size_t align, size_t size);

static inline bool is_power_of_two(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Rounds up to a power of two; align is 1 to ALIGN_MAX. */
static inline size_t round_alignment(size_t align)
{
    return is_power_of_two(align) ? align
                                  : (size_t)1 << (64 - __builtin_clzll(align));
}

/* Returns p. If p is NULL, reports the failure and sets errno. */
static inline void *result(void *p, size_t size, struct mprt_caller caller)
{
    if (MPROF_UNLIKELY(p == NULL)) {
        mprt_alloc_failure(size, caller);
        errno = ENOMEM;
    }
    return p;
}

/* Whether sampling leaves out a new block of this size. */
static inline bool is_left_out(size_t size)
{
    return MPROF_UNLIKELY(mprt_sample_period != 0) &&
           size <= mprt_block_size_max && mprt_sample_leaves_out(size);
}

/* In our heap. Inside the guard a block is not recorded. */
static void *make_in_heap(size_t size, size_t align, bool zero)
{
    const bool is_first = mprt_thread_enter();
    void *const p = mprt_block_new(size, align, zero, MPRT_NO_CALLER);

    if (is_first)
        mprt_thread_leave();
    return p;
}

static void *make_unsampled(size_t size, size_t align, bool zero)
{
    void *const p = mprt_sample_is_outside ? mprt_behind_new(size, align, zero)
                                           : make_in_heap(size, align, zero);

    if (p != NULL && mprt_hooks_are_set())
        mprt_hooks_malloc(p, size);
    return p;
}

static MPRT_NOINLINE void *make_unusual(size_t size, size_t align, bool zero,
                                        struct mprt_caller caller)
{
    if (!mprt_state_is_ready()) {
        mprt_start_init();
        if (mprt_behind_serves)
            return mprt_behind_new(size, align, zero);
    }
    return result(is_left_out(size) ? make_unsampled(size, align, zero)
                                    : mprt_block_new(size, align, zero, caller),
                  size, caller);
}

static inline void *make(size_t size, size_t align, bool zero,
                         struct mprt_caller caller)
{
    void *const p = mprt_state_get() == 0 && align <= ALIGN_DEFAULT && !zero
                        ? mprt_block_new_usual(size, caller)
                        : NULL;

    return p != NULL ? p : make_unusual(size, align, zero, caller);
}

/* An unsampled block; NULL: call make(). state: mprt_state_get(). */
static inline void *try_unsampled(size_t size, uint32_t state)
{
    return mprt_sample_is_outside && size <= mprt_block_size_max &&
                   MPROF_LIKELY((state & MPRT_STATE_HOOKS) == 0) &&
                   mprt_sample_passes(size)
               ? mprt_real.malloc(size)
               : NULL;
}

static inline void release(void *p, struct mprt_caller caller)
{
    if (MPROF_LIKELY(mprt_state_get() == 0))
        mprt_block_free_usual(p, caller);
    else if (!mprt_behind_has(p))
        mprt_block_free(p, caller);
    else if (!mprt_hooks_are_set() || p == NULL || !mprt_hooks_free(p))
        mprt_real.free(p);
}

/* Result of an allocation whose size overflows size_t. */
static void *overflow(const char *function, struct mprt_caller caller)
{
    mprt_state_require();
    mprt_alloc_failure_overflow(function, caller);
    errno = ENOMEM;
    return NULL;
}

/* realloc of a block that is unsampled, was born unsampled before, or is to be
 * so: makes another block, unless both are of the allocator behind ours. */
static MPRT_NOINLINE void *resize_sampling(void *p, size_t size,
                                           struct mprt_caller caller)
{
    const bool is_left = is_left_out(size);
    const bool is_behinds = mprt_behind_has(p);
    size_t old_size;

    if (is_behinds && is_left && MPROF_LIKELY(!mprt_hooks_are_set()))
        return mprt_real.realloc(p, size != 0 ? size : 1);
    if (is_behinds)
        old_size = mprt_real.malloc_usable_size(p);
    else if (!is_left || !mprt_block_find(p, &old_size))
        return mprt_block_resize(p, size, caller);
    void *const q = is_left
                        ? make_unsampled(size, ALIGN_DEFAULT, false)
                        : mprt_block_new(size, ALIGN_DEFAULT, false, caller);
    if (q == NULL)
        return NULL;
    mprt_libc_memcpy(q, p, old_size < size ? old_size : size);
    if (is_behinds)
        release(p, caller);
    else if (!mprt_hooks_are_set() || !mprt_hooks_free(p))
        mprt_block_replace(p, size, caller);
    return q;
}

static inline void *resize(void *p, size_t size, struct mprt_caller caller)
{
    void *other;

    if (p == NULL)
        return make(size, ALIGN_DEFAULT, false, caller);
    if (MPROF_UNLIKELY(!mprt_heap_contains(p)) && !mprt_sample_is_outside &&
        mprt_behind_resize(p, size, &other))
        return other;
    if (size == 0 &&
        mprt_options.allocator_frees_and_returns_null_on_realloc_zero) {
        release(p, caller);
        return NULL;
    }
    void *const q = MPROF_UNLIKELY(mprt_sample_period != 0)
                        ? resize_sampling(p, size, caller)
                        : mprt_block_resize(p, size, caller);
    size_t old_size;
    if (MPROF_UNLIKELY(q == NULL) && !mprt_behind_has(p) &&
        !mprt_block_find(p, &old_size)) {
        errno = EINVAL; /* p is not a block: already reported */
        return NULL;
    }
    return result(q, size, caller);
}

/* Second names of functions that the program may define itself. */
#define OWN_FUNCTIONS(X)  \
    X(malloc)             \
    X(calloc)             \
    X(realloc)            \
    X(reallocarray)       \
    X(free)               \
    X(cfree)              \
    X(memalign)           \
    X(aligned_alloc)      \
    X(posix_memalign)     \
    X(valloc)             \
    X(pvalloc)            \
    X(malloc_usable_size) \
    X(__libc_malloc)      \
    X(__libc_calloc)      \
    X(__libc_realloc)     \
    X(__libc_free)        \
    X(__libc_memalign)
#define DECLARE(name)                             \
    extern MPRT_HIDDEN char own_##name[] __asm__( \
        "mprt_interpose_malloc_" #name);          \
    __asm__(".set mprt_interpose_malloc_" #name ", " #name);
OWN_FUNCTIONS(DECLARE)
#undef DECLARE

static const struct {
    const char *name;
    char *function;
} own_functions[] = {
#define NAMED(name) {#name, own_##name},
    OWN_FUNCTIONS(NAMED)
#undef NAMED
};

/* The wrapped functions of a program that is linked with --wrap=malloc or
 * --wrap=realloc, else NULL. lld resolves the names here, too, to the program's
 * __wrap_malloc. */
extern __attribute__((weak)) void *__real_malloc(size_t size);
extern __attribute__((weak)) void *__real_realloc(void *p, size_t size);

typedef void *malloc_fn(size_t size);
typedef void *realloc_fn(void *p, size_t size);

/* A call of malloc reaches this file although &malloc differs from own_malloc
 * (a stub of the program). */
static _Atomic bool is_called_by_stub;

/* The malloc that the program calls. */
static malloc_fn *called_malloc(void)
{
    malloc_fn *const volatile wrapped = __real_malloc;
    malloc_fn *const volatile called = malloc;

    return wrapped != NULL ? wrapped : called;
}

static bool is_other_malloc(void)
{
    return (uintptr_t)called_malloc() != (uintptr_t)own_malloc &&
           !MPRT_LOAD(is_called_by_stub);
}

/* The program has the address of our malloc, so its own malloc may call
 * ours. */
static _Atomic bool is_given_out;

static void note_other_malloc(void)
{
    atomic_store(&mprt_state_other_malloc,
                 is_other_malloc() && !atomic_load(&is_given_out));
}

static void give_out(void)
{
    if (MPROF_UNLIKELY(!MPRT_LOAD(is_given_out))) {
        atomic_store(&is_given_out, true);
        atomic_store(&mprt_state_other_malloc, false);
    }
}

void *mprt_interpose_malloc_own(const char *name)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(own_functions); i++) {
        if (mprt_libc_strcmp(own_functions[i].name, name) == 0)
            return own_functions[i].function;
    }
    return NULL;
}

void *mprt_interpose_malloc_give_out(void *own)
{
    if (own == (void *)own_malloc || own == (void *)own___libc_malloc)
        give_out();
    return own;
}

/* Whether the block that `allocate` returns is ours. The guard keeps the block
 * out of the profile, and our malloc takes it from our heap. No count has it.
 */
static bool gives_ours(malloc_fn *allocate)
{
    const bool is_first = mprt_thread_enter();
    struct mprt_thread *const t = mprt_thread_current();
    struct mprt_thread_counts *const counts =
        t != NULL ? &t->counts : &mprt_thread_orphan_counts;
    const struct mprt_thread_counts before = *counts;
    const bool has_unsampled = mprt_sample_is_outside;
    size_t size;

    mprt_sample_is_outside = false;
    void *const p = allocate(1);
    const bool is_ours = p != NULL && mprt_block_find(p, &size);
    /* The program may have wrapped free(), for blocks of its own malloc only.
     */
    if (is_ours)
        release(p, MPRT_CALLER());
    else
        free(p);
    mprt_sample_is_outside = has_unsampled;
    *counts = before;
    if (is_first)
        mprt_thread_leave();
    return is_ours;
}

static void *allocate_in_libc(size_t size)
{
    (void)size;
    return MPRT_REAL(__strdup)("");
}

void mprt_interpose_malloc_init(void)
{
    note_other_malloc();
    /* dlsym() also finds a malloc with a version, which libc does not call. */
    if (!mprt_real_form.is_static && !is_other_malloc() &&
        !gives_ours(allocate_in_libc))
        mprt_behind_begin_serving(
            "the linker keeps the program's malloc from the C library (a "
            "version script makes it local, or gives it a version)");
}

bool mprt_interpose_malloc_try(void)
{
    if (is_other_malloc())
        atomic_store(&is_called_by_stub, gives_ours(called_malloc()));
    note_other_malloc();
    return !is_other_malloc();
}

void *mprt_interpose_malloc_new(size_t n, struct mprt_caller caller)
{
    if (MPROF_UNLIKELY(is_other_malloc()))
        return called_malloc()(n); /* the program has its own free */
    return make(n, alignof(max_align_t), false, caller);
}

/* -- C --------------------------------------------------------------------- */

MPRT_WEAK void *malloc(size_t size)
{
    const uint32_t state = mprt_state_get();
    void *const p = MPROF_LIKELY(state == 0)
                        ? mprt_block_new_usual(size, MPRT_CALLER())
                        : try_unsampled(size, state);

    return p != NULL ? p
                     : make_unusual(size, ALIGN_DEFAULT, false, MPRT_CALLER());
}

MPRT_WEAK void *calloc(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return overflow("calloc", MPRT_CALLER());
    return make(bytes, ALIGN_DEFAULT, true, MPRT_CALLER());
}

MPRT_WEAK void *realloc(void *p, size_t size)
{
    return resize(p, size, MPRT_CALLER());
}

MPRT_WEAK void *reallocarray(void *p, size_t count, size_t size)
{
    realloc_fn *const volatile called = realloc;
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return overflow("reallocarray", MPRT_CALLER());
    /* Another allocator may lack this function. The C library's calls the first
     * realloc, too, but not a wrapped one. */
    if ((uintptr_t)called != (uintptr_t)own_realloc && __real_realloc == NULL)
        return called(p, bytes);
    return resize(p, bytes, MPRT_CALLER());
}

MPRT_WEAK void free(void *p)
{
    release(p, MPRT_CALLER());
}

MPRT_WEAK void cfree(void *p)
{
    release(p, MPRT_CALLER());
}

MPRT_WEAK void free_sized(void *p, size_t size)
{
    (void)size;
    release(p, MPRT_CALLER());
}

MPRT_WEAK void free_aligned_sized(void *p, size_t align, size_t size)
{
    (void)align;
    (void)size;
    release(p, MPRT_CALLER());
}

/* -- by glibc's own names -------------------------------------------------- */

/* A malloc that the program defines may call this function. */
MPRT_WEAK void *__libc_malloc(size_t size)
{
    give_out();
    return make(size, ALIGN_DEFAULT, false, MPRT_CALLER());
}

#define SAME(name, as)                                               \
    __asm__(".weak " #name "\n.set " #name ", " #as "\n.type " #name \
            ", @function")
SAME(__libc_calloc, calloc);
SAME(__libc_realloc, realloc);
SAME(__libc_free, free);
#undef SAME

/* -- alignments ------------------------------------------------------------ */

/* Like glibc's memalign: rounds the alignment up to a power of two; fails if no
 * power of two is large enough. */
static inline void *make_aligned(size_t align, size_t size,
                                 struct mprt_caller caller)
{
    if (align > ALIGN_MAX) {
        mprt_state_require();
        mprt_alloc_failure_alignment(align, false, caller);
        errno = EINVAL;
        return NULL;
    }
    if (align < ALIGN_DEFAULT)
        align = ALIGN_DEFAULT;
    return make(size, round_alignment(align), false, caller);
}

MPRT_WEAK void *memalign(size_t align, size_t size)
{
    return make_aligned(align, size, MPRT_CALLER());
}

MPRT_WEAK void *__libc_memalign(size_t align, size_t size)
{
    return make_aligned(align, size, MPRT_CALLER());
}

/* Like glibc until 2.37: accepts every alignment that memalign accepts. */
MPRT_WEAK void *aligned_alloc(size_t align, size_t size)
{
    return make_aligned(align, size, MPRT_CALLER());
}

/* Sets errno if there is no memory, as glibc does. */
MPRT_WEAK int posix_memalign(void **out, size_t align, size_t size)
{
    if (!is_power_of_two(align) || align % sizeof(void *) != 0) {
        mprt_state_require();
        mprt_alloc_failure_alignment(align, true, MPRT_CALLER());
        return EINVAL;
    }
    void *const p = make(size, align, false, MPRT_CALLER());
    if (p == NULL)
        return ENOMEM;
    *out = p;
    mprt_count_write(out, sizeof(*out));
    return 0;
}

MPRT_WEAK void *valloc(size_t size)
{
    return make(size, mprt_os_page_bytes(), false, MPRT_CALLER());
}

MPRT_WEAK void *pvalloc(size_t size)
{
    const size_t page = mprt_os_page_bytes();

    if (size > SIZE_MAX - page)
        return overflow("pvalloc", MPRT_CALLER());
    /* pvalloc(0) gets one page, like glibc's. */
    return make(size != 0 ? mprof_round_up(size, page) : page, page, false,
                MPRT_CALLER());
}

/* Of our heap, and of the allocator behind ours. */
MPRT_WEAK size_t malloc_usable_size(void *p)
{
    size_t size;

    if (mprt_behind_has(p))
        return mprt_real.malloc_usable_size(p);
    return p != NULL &&
                   (mprt_block_find(p, &size) || mprt_behind_size(p, &size))
               ? size
               : 0;
}

/* -- C++, see interpose_cxx.c ---------------------------------------------- */

MPRT_INTERFACE void *__memprof_cxx_new(size_t size, size_t align, uintptr_t pc,
                                       uintptr_t frame)
{
    /* An alignment that is not a power of two is the program's error: the block
     * gets the next power of two. If there is none, ALIGN_MAX makes the
     * allocation fail. */
    if (MPROF_UNLIKELY(align > ALIGN_DEFAULT))
        align = align > ALIGN_MAX ? ALIGN_MAX : round_alignment(align);
    void *const p = align <= ALIGN_DEFAULT && align <= size
                        ? try_unsampled(size, mprt_state_get())
                        : NULL;

    return p != NULL
               ? p
               : make(size, align, false, (struct mprt_caller){pc, frame});
}

MPRT_INTERFACE void __memprof_cxx_delete(void *p, uintptr_t pc, uintptr_t frame)
{
    release(p, (struct mprt_caller){pc, frame});
}
