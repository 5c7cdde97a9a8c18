/* operators.c -- operators new and delete, under their mangled names, and
 * LLVM's forms of operator new that take a hint.
 *
 * All are weak, so the program's own definitions win. As the C++ standard
 * demands, each form calls the form that a program is most likely to replace:
 * arrays call the form for objects, delete with a size calls delete without. If
 * the program has replaced operator new, hints are ignored: the program's
 * operator delete must know every block that operator new returns.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <malloc.h>
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

/* -- new ------------------------------------------------------------------- */

typedef void *new_fn(size_t size);
typedef void *new_aligned_fn(size_t size, size_t align);

static void *own_new(size_t size)
{
    return make(size, 1, true);
}

static void *own_new_aligned(size_t size, size_t align)
{
    return make(size, align, true);
}

/* The operator that the program calls: ours, or its own. */
extern WEAK __attribute__((alias("own_new"))) new_fn _Znwm;
extern WEAK __attribute__((alias("own_new_aligned")))
new_aligned_fn _ZnwmSt11align_val_t;

/* Hides the addresses from the compiler: the linker decides whether they are
 * equal. */
static bool is_replaced(const void *called, const void *own)
{
    __asm__("" : "+r"(called), "+r"(own));
    return called != own;
}
#define NEW_REPLACED is_replaced((const void *)_Znwm, (const void *)own_new)
#define NEW_ALIGNED_REPLACED                        \
    is_replaced((const void *)_ZnwmSt11align_val_t, \
                (const void *)own_new_aligned)

#define DEFINE(result, name, params, ...) \
    result name params;                   \
    WEAK result name params               \
    {                                     \
        __VA_ARGS__;                      \
    }

DEFINE(void *, _Znam, (size_t size), return _Znwm(size))
DEFINE(void *, _ZnamSt11align_val_t, (size_t size, size_t align),
       return _ZnwmSt11align_val_t(size, align))

#define NEW_NOTHROW                                              \
    return NEW_REPLACED ? mprof_catch((const void *)_Znwm, size) \
                        : make(size, 1, false)
#define NEW_ALIGNED_NOTHROW                                                   \
    return NEW_ALIGNED_REPLACED                                               \
               ? mprof_catch((const void *)_ZnwmSt11align_val_t, size, align) \
               : make(size, align, false)
DEFINE(void *, _ZnwmRKSt9nothrow_t, (size_t size, NOTHROW), NEW_NOTHROW)
DEFINE(void *, _ZnamRKSt9nothrow_t, (size_t size, NOTHROW), NEW_NOTHROW)
DEFINE(void *, _ZnwmSt11align_val_tRKSt9nothrow_t,
       (size_t size, size_t align, NOTHROW), NEW_ALIGNED_NOTHROW)
DEFINE(void *, _ZnamSt11align_val_tRKSt9nothrow_t,
       (size_t size, size_t align, NOTHROW), NEW_ALIGNED_NOTHROW)

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

#define DELETE(suffix, params, call) DEFINE(void, _Zd##suffix, params, call)

DELETE(lPv, (void *p), free(p))
DELETE(aPv, (void *p), _ZdlPv(p))
DELETE(lPvRKSt9nothrow_t, (void *p, NOTHROW), _ZdlPv(p))
DELETE(aPvRKSt9nothrow_t, (void *p, NOTHROW), _ZdaPv(p))
DELETE(lPvm, (void *p, size_t size UNUSED), _ZdlPv(p))
DELETE(aPvm, (void *p, size_t size UNUSED), _ZdaPv(p))
DELETE(lPvSt11align_val_t, (void *p, size_t align UNUSED), free(p))
DELETE(aPvSt11align_val_t, (void *p, size_t align),
       _ZdlPvSt11align_val_t(p, align))
DELETE(lPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, NOTHROW),
       _ZdlPvSt11align_val_t(p, align))
DELETE(aPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t align, NOTHROW),
       _ZdaPvSt11align_val_t(p, align))
DELETE(lPvmSt11align_val_t, (void *p, size_t size UNUSED, size_t align),
       _ZdlPvSt11align_val_t(p, align))
DELETE(aPvmSt11align_val_t, (void *p, size_t size UNUSED, size_t align),
       _ZdaPvSt11align_val_t(p, align))
