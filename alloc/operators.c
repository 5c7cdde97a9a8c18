/* operators.c -- operators new and delete, under their mangled names, and
 * LLVM's forms of operator new that take a hint.
 *
 * All are weak, so the program's own definitions win. As the C++ standard
 * demands, each form calls the form that a program is most likely to replace:
 * arrays call the form for objects, delete with a size calls delete without. If
 * the program has replaced operator new, hints are ignored: the program's
 * operator delete must know every block that operator new returns. The same
 * holds for operators that a library of the program replaced: the dynamic
 * linker never finds them, because it finds ours, the program's, first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "alloc/blocks.h"
#include "shared/bad_alloc.h"

#define WEAK __attribute__((weak, visibility("default")))
#define UNUSED __attribute__((unused))

struct nothrow;
#define NOTHROW const struct nothrow *nothrow UNUSED

static void *plain(size_t size, size_t align)
{
    return align <= MPALLOC_ALIGN ? malloc(size) : memalign(align, size);
}

/* The path without memory. Out of line to keep the fast path short. */
static __attribute__((noinline)) void *retry(size_t size, size_t align,
                                             bool may_throw)
{
    for (;;) {
        mprof_new_handler *const handler = mprof_get_new_handler();

        if (handler == NULL)
            break;
        handler();
        void *const p = plain(size, align);

        if (p != NULL)
            return p;
    }
    if (may_throw)
        mprof_throw_bad_alloc();
    return NULL;
}

static inline void *make(size_t size, size_t align, bool may_throw)
{
    void *const p = plain(size, align);

    if (__builtin_expect(p != NULL, true))
        return p;
    return may_throw ? retry(size, align, true)
                     : mprof_catch((const void *)retry, size, align, 0);
}

/* -- operators that a library replaced ------------------------------------- */

/* Static programs have neither. */
#pragma weak dlsym
#pragma weak dladdr

#define OF_KIND_abi(operator)
#define OF_KIND_api(operator)
#define OF_KIND_hook(operator)
#define OF_KIND_internal(operator)
#define OF_KIND_late(operator)
#define OF_KIND_libc(operator)
#define OF_KIND_own(operator)
#define OF_KIND_cxx(operator) operator
static struct {
#define MPROF_INTERFACE(name, archive, kind) \
    OF_KIND_##kind(_Atomic(void *) name;)
#include "shared/interface.inc"
} of_library;
static atomic_bool is_looked_up;

static const void *library_of(const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);
    Dl_info info;

    return found != NULL && dladdr(found, &info) != 0 ? info.dli_fbase : NULL;
}

/* Returns the operator, unless it is of the C++ library, or of an allocator,
 * whose operators call its malloc, and so ours. */
static void *find_replaced(const char *name)
{
    static const char *const beside[] = {
        "__cxa_throw", "_ZSt15set_new_handlerPFvvE", "malloc"};
    const void *const library = library_of(name);

    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
        if (library == library_of(beside[i]))
            return NULL;
    }
    return library != NULL ? dlsym(RTLD_NEXT, name) : NULL;
}

static __attribute__((noinline)) void look_up(void)
{
    if (&dlsym != NULL && &dladdr != NULL) {
#define MPROF_INTERFACE(name, archive, kind) \
    OF_KIND_##kind(atomic_store(&of_library.name, find_replaced(#name));)
#include "shared/interface.inc"
    }
    atomic_store(&is_looked_up, true);
}

static inline void *in_library(_Atomic(void *) *operator)
{
    if (__builtin_expect(
            !atomic_load_explicit(&is_looked_up, memory_order_acquire), false))
        look_up();
    return atomic_load_explicit(operator, memory_order_relaxed);
}
#define IN_LIBRARY(name) in_library(&of_library.name)
#define TO_LIBRARY(name, arguments)               \
    void *const library = IN_LIBRARY(name);       \
    if (__builtin_expect(library != NULL, false)) \
        return ((__typeof__(&name))library)arguments;

/* -- new ------------------------------------------------------------------- */

typedef void *new_fn(size_t size);
typedef void *new_aligned_fn(size_t size, size_t align);

static new_fn own_new;
static new_aligned_fn own_new_aligned;

/* The operator that the program calls: ours, or its own. */
extern WEAK __attribute__((alias("own_new"))) new_fn _Znwm;
extern WEAK __attribute__((alias("own_new_aligned")))
new_aligned_fn _ZnwmSt11align_val_t;

static void *own_new(size_t size)
{
    TO_LIBRARY(_Znwm, (size))
    return make(size, 1, true);
}

static void *own_new_aligned(size_t size, size_t align)
{
    TO_LIBRARY(_ZnwmSt11align_val_t, (size, align))
    return make(size, align, true);
}

/* Hides the addresses from the compiler: the linker decides whether they are
 * equal. */
static bool is_replaced(const void *called, const void *own)
{
    __asm__("" : "+r"(called), "+r"(own));
    return called != own;
}
#define NEW_REPLACED                                            \
    (is_replaced((const void *)_Znwm, (const void *)own_new) || \
     IN_LIBRARY(_Znwm) != NULL)
#define NEW_ALIGNED_REPLACED                         \
    (is_replaced((const void *)_ZnwmSt11align_val_t, \
                 (const void *)own_new_aligned) ||   \
     IN_LIBRARY(_ZnwmSt11align_val_t) != NULL)

#define DEFINE(result, name, params, ...) \
    result name params;                   \
    WEAK result name params               \
    {                                     \
        __VA_ARGS__;                      \
    }

/* An operator that a library may have replaced. */
#define OPERATOR(result, name, params, arguments, ...) \
    DEFINE(result, name, params, TO_LIBRARY(name, arguments) __VA_ARGS__)

OPERATOR(void *, _Znam, (size_t size), (size), return _Znwm(size))
OPERATOR(void *, _ZnamSt11align_val_t, (size_t size, size_t align),
         (size, align), return _ZnwmSt11align_val_t(size, align))

#define NEW_NOTHROW                                              \
    return NEW_REPLACED ? mprof_catch((const void *)_Znwm, size) \
                        : make(size, 1, false)
#define NEW_ALIGNED_NOTHROW                                                   \
    return NEW_ALIGNED_REPLACED                                               \
               ? mprof_catch((const void *)_ZnwmSt11align_val_t, size, align) \
               : make(size, align, false)
OPERATOR(void *, _ZnwmRKSt9nothrow_t, (size_t size, NOTHROW), (size, nothrow),
         NEW_NOTHROW)
OPERATOR(void *, _ZnamRKSt9nothrow_t, (size_t size, NOTHROW), (size, nothrow),
         NEW_NOTHROW)
OPERATOR(void *, _ZnwmSt11align_val_tRKSt9nothrow_t,
         (size_t size, size_t align, NOTHROW), (size, align, nothrow),
         NEW_ALIGNED_NOTHROW)
OPERATOR(void *, _ZnamSt11align_val_tRKSt9nothrow_t,
         (size_t size, size_t align, NOTHROW), (size, align, nothrow),
         NEW_ALIGNED_NOTHROW)

/* -- new with a hint ------------------------------------------------------- */

static inline void *hinted(size_t size, uint8_t hint)
{
    return NEW_REPLACED ? NULL : mpalloc_blocks_new_plain(size, hint);
}

static inline void *hinted_aligned(size_t size, size_t align, uint8_t hint)
{
    return NEW_ALIGNED_REPLACED ? NULL
                                : mpalloc_blocks_new(size, align, false, hint);
}

#define DEFINE_HINTED(suffix, params, first, otherwise)         \
    DEFINE(void *, _Znw##suffix, params, void *const p = first; \
           return p != NULL ? p : _Znw##otherwise)              \
    DEFINE(void *, _Zna##suffix, params, void *const p = first; \
           return p != NULL ? p : _Zna##otherwise)

DEFINE_HINTED(m12__hot_cold_t, (size_t size, uint8_t hint), hinted(size, hint),
              m(size))
DEFINE_HINTED(mRKSt9nothrow_t12__hot_cold_t,
              (size_t size, NOTHROW, uint8_t hint), hinted(size, hint),
              mRKSt9nothrow_t(size, nothrow))
DEFINE_HINTED(mSt11align_val_t12__hot_cold_t,
              (size_t size, size_t align, uint8_t hint),
              hinted_aligned(size, align, hint), mSt11align_val_t(size, align))
DEFINE_HINTED(mSt11align_val_tRKSt9nothrow_t12__hot_cold_t,
              (size_t size, size_t align, NOTHROW, uint8_t hint),
              hinted_aligned(size, align, hint),
              mSt11align_val_tRKSt9nothrow_t(size, align, nothrow))

/* -- P0901: operator new that returns the size too ------------------------- */

struct sized_ptr {
    void *p;
    size_t n;
};

static struct sized_ptr sized(void *p)
{
    return (struct sized_ptr){p, malloc_usable_size(p)};
}

/* For a block of the program's own operator new, only the requested size is
 * known. */
#define SIZED(replaced, p) \
    void *const block = p; \
    return replaced ? (struct sized_ptr){block, size} : sized(block)

DEFINE(struct sized_ptr, __size_returning_new, (size_t size),
       SIZED(NEW_REPLACED, _Znwm(size)))
DEFINE(struct sized_ptr, __size_returning_new_hot_cold,
       (size_t size, uint8_t hint),
       SIZED(NEW_REPLACED, _Znwm12__hot_cold_t(size, hint)))
DEFINE(struct sized_ptr, __size_returning_new_aligned,
       (size_t size, size_t align),
       SIZED(NEW_ALIGNED_REPLACED, _ZnwmSt11align_val_t(size, align)))
DEFINE(struct sized_ptr, __size_returning_new_aligned_hot_cold,
       (size_t size, size_t align, uint8_t hint),
       SIZED(NEW_ALIGNED_REPLACED,
             _ZnwmSt11align_val_t12__hot_cold_t(size, align, hint)))

/* -- delete ---------------------------------------------------------------- */

#define DELETE(suffix, params, arguments, call) \
    OPERATOR(void, _Zd##suffix, params, arguments, call)

DELETE(lPv, (void *p), (p), free(p))
DELETE(aPv, (void *p), (p), _ZdlPv(p))
DELETE(lPvRKSt9nothrow_t, (void *p, NOTHROW), (p, nothrow), _ZdlPv(p))
DELETE(aPvRKSt9nothrow_t, (void *p, NOTHROW), (p, nothrow), _ZdaPv(p))
DELETE(lPvm, (void *p, size_t size UNUSED), (p, size), _ZdlPv(p))
DELETE(aPvm, (void *p, size_t size UNUSED), (p, size), _ZdaPv(p))
DELETE(lPvSt11align_val_t, (void *p, size_t align UNUSED), (p, align), free(p))
DELETE(aPvSt11align_val_t, (void *p, size_t align), (p, align),
       _ZdlPvSt11align_val_t(p, align))
DELETE(lPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, NOTHROW),
       (p, align, nothrow), _ZdlPvSt11align_val_t(p, align))
DELETE(aPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, NOTHROW),
       (p, align, nothrow), _ZdaPvSt11align_val_t(p, align))
DELETE(lPvmSt11align_val_t, (void *p, size_t size UNUSED, size_t align),
       (p, size, align), _ZdlPvSt11align_val_t(p, align))
DELETE(aPvmSt11align_val_t, (void *p, size_t size UNUSED, size_t align),
       (p, size, align), _ZdaPvSt11align_val_t(p, align))
