/* interpose_cxx.c -- the operators new and delete, by their mangled names. An
 * archive of its own, linked into C++ programs only.
 *
 * When memory runs out, operator new asks the program's new handler until there
 * is none and throws std::bad_alloc (shared/bad_alloc.h). The nothrow forms
 * return NULL when the throwing form would throw; a handler that throws itself
 * is not caught there (this is C).
 *
 * Hot/cold hints only say where a block should go; we have one place.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/cxx.h"
#include "shared/bad_alloc.h"

#define ALIGN_DEFAULT 16

struct nothrow;

/* Out of line: what happens when there is no memory. */
static __attribute__((noinline)) void *
retry(size_t size, size_t align, bool may_throw, uintptr_t pc, uintptr_t frame)
{
    for (;;) {
        mprof_new_handler *const handler = mprof_get_new_handler();
        if (handler == NULL)
            break;
        handler();
        void *const p = __memprof_cxx_new(size, align, pc, frame);
        if (p != NULL)
            return p;
    }
    if (may_throw)
        mprof_throw_bad_alloc();
    return NULL;
}

static inline void *make(size_t size, size_t align, bool may_throw,
                         uintptr_t pc, uintptr_t frame)
{
    void *const p = __memprof_cxx_new(size, align, pc, frame);

    return MPROF_LIKELY(p != NULL) ? p
                                   : retry(size, align, may_throw, pc, frame);
}

#define NEW(size, align, may_throw) \
    make(size, align, may_throw, MPRT_CALLER_PC(), MPRT_CALLER_FRAME())

/* One operator and its array form. */
#define OPERATORS_NEW(suffix, params, align, may_throw) \
    void *_Znw##suffix params;                          \
    MPRT_WEAK void *_Znw##suffix params                 \
    {                                                   \
        return NEW(size, align, may_throw);             \
    }                                                   \
    void *_Zna##suffix params;                          \
    MPRT_WEAK void *_Zna##suffix params                 \
    {                                                   \
        return NEW(size, align, may_throw);             \
    }

#define OPERATORS_DELETE(suffix, params)                                \
    void _Zdl##suffix params;                                           \
    MPRT_WEAK void _Zdl##suffix params                                  \
    {                                                                   \
        __memprof_cxx_delete(p, MPRT_CALLER_PC(), MPRT_CALLER_FRAME()); \
    }                                                                   \
    void _Zda##suffix params;                                           \
    MPRT_WEAK void _Zda##suffix params                                  \
    {                                                                   \
        __memprof_cxx_delete(p, MPRT_CALLER_PC(), MPRT_CALLER_FRAME()); \
    }

/* Parameters that we do not look at. */
#define UNUSED __attribute__((unused))
#define NOTHROW const struct nothrow *nothrow UNUSED
#define HINT uint8_t hint UNUSED

OPERATORS_NEW(m, (size_t size), ALIGN_DEFAULT, true)
OPERATORS_NEW(mRKSt9nothrow_t, (size_t size, NOTHROW), ALIGN_DEFAULT, false)
OPERATORS_NEW(mSt11align_val_t, (size_t size, size_t align), align, true)
OPERATORS_NEW(mSt11align_val_tRKSt9nothrow_t,
              (size_t size, size_t align, NOTHROW), align, false)

OPERATORS_NEW(m12__hot_cold_t, (size_t size, HINT), ALIGN_DEFAULT, true)
OPERATORS_NEW(mRKSt9nothrow_t12__hot_cold_t, (size_t size, NOTHROW, HINT),
              ALIGN_DEFAULT, false)
OPERATORS_NEW(mSt11align_val_t12__hot_cold_t, (size_t size, size_t align, HINT),
              align, true)
OPERATORS_NEW(mSt11align_val_tRKSt9nothrow_t12__hot_cold_t,
              (size_t size, size_t align, NOTHROW, HINT), align, false)

OPERATORS_DELETE(Pv, (void *p))
OPERATORS_DELETE(PvRKSt9nothrow_t, (void *p, NOTHROW))
OPERATORS_DELETE(Pvm, (void *p, size_t size UNUSED))
OPERATORS_DELETE(PvSt11align_val_t, (void *p, size_t align UNUSED))
OPERATORS_DELETE(PvSt11align_val_tRKSt9nothrow_t,
                 (void *p, size_t align UNUSED, NOTHROW))
OPERATORS_DELETE(PvmSt11align_val_t,
                 (void *p, size_t size UNUSED, size_t align UNUSED))

/* P0901: new that says how many bytes there are. Ours are those asked for. */
struct sized_ptr {
    void *p;
    size_t n;
};

struct sized_ptr __size_returning_new(size_t size);
MPRT_WEAK struct sized_ptr __size_returning_new(size_t size)
{
    return (struct sized_ptr){NEW(size, ALIGN_DEFAULT, true), size};
}

struct sized_ptr __size_returning_new_hot_cold(size_t size, HINT);
MPRT_WEAK struct sized_ptr __size_returning_new_hot_cold(size_t size, HINT)
{
    return (struct sized_ptr){NEW(size, ALIGN_DEFAULT, true), size};
}

struct sized_ptr __size_returning_new_aligned(size_t size, size_t align);
MPRT_WEAK struct sized_ptr __size_returning_new_aligned(size_t size,
                                                        size_t align)
{
    return (struct sized_ptr){NEW(size, align, true), size};
}

struct sized_ptr __size_returning_new_aligned_hot_cold(size_t size,
                                                       size_t align, HINT);
MPRT_WEAK struct sized_ptr
__size_returning_new_aligned_hot_cold(size_t size, size_t align, HINT)
{
    return (struct sized_ptr){NEW(size, align, true), size};
}
