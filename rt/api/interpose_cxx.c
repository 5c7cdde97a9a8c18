/* interpose_cxx.c -- operators new and delete, under their mangled names. They
 * are an archive of their own that is linked into C++ programs only.
 *
 * When memory runs out, operator new calls the program's new handler until
 * there is none, and then throws std::bad_alloc (shared/bad_alloc.h). The
 * nothrow forms return NULL if the throwing form, which the program may have
 * replaced, or the handler throws.
 *
 * Hot/cold hints only suggest where to place a block. This allocator has one
 * place, so it ignores them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/cxx.h"
#include "shared/bad_alloc.h"

#define ALIGN_DEFAULT 16

struct nothrow;

/* The path without memory. Out of line to keep the fast path short. */
static MPRT_NOINLINE void *retry(size_t size, size_t align, bool may_throw,
                                 uintptr_t pc, uintptr_t frame)
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

    if (MPROF_LIKELY(p != NULL))
        return p;
    return may_throw
               ? retry(size, align, true, pc, frame)
               : mprof_catch((const void *)retry, size, align, 0, pc, frame);
}

#define NEW(size, align, may_throw) \
    make(size, align, may_throw, MPRT_CALLER_PC(), MPRT_CALLER_FRAME())

/* Parameters that the operators ignore. */
#define UNUSED __attribute__((unused))
#define NOTHROW const struct nothrow *nothrow UNUSED
#define HINT uint8_t hint UNUSED

/* -- operators that the program replaced ----------------------------------- */

/* Second names for the operators of this file. The program may define the
 * original names itself. */
#define DECLARE(type, name, params)                                       \
    type name params;                                                     \
    extern MPRT_HIDDEN char own_##name[] __asm__("mprt_interpose" #name); \
    __asm__(".set mprt_interpose" #name ", " #name);
DECLARE(void *, _Znwm, (size_t size))
DECLARE(void *, _Znam, (size_t size))
DECLARE(void *, _ZnwmRKSt9nothrow_t, (size_t size, NOTHROW))
DECLARE(void *, _ZnamRKSt9nothrow_t, (size_t size, NOTHROW))
DECLARE(void *, _ZnwmSt11align_val_t, (size_t size, size_t align))
DECLARE(void *, _ZnamSt11align_val_t, (size_t size, size_t align))
DECLARE(void *, _ZnwmSt11align_val_tRKSt9nothrow_t,
        (size_t size, size_t align, NOTHROW))
DECLARE(void *, _ZnamSt11align_val_tRKSt9nothrow_t,
        (size_t size, size_t align, NOTHROW))
DECLARE(void, _ZdlPv, (void *p))
DECLARE(void, _ZdaPv, (void *p))
DECLARE(void, _ZdlPvSt11align_val_t, (void *p, size_t align))
DECLARE(void, _ZdaPvSt11align_val_t, (void *p, size_t align))
#undef DECLARE

static inline bool is_own(uintptr_t address, const char *own)
{
    /* Both names may be of one function: the compiler must not assume that
     * their addresses differ. */
    __asm__("" : "+r"(address));
    return address == (uintptr_t)own;
}

/* The operators that a library of the program replaced, else NULL. The dynamic
 * linker never finds them, because it finds ours, the program's, first. */
#define OF_KIND_abi(operator)
#define OF_KIND_api(operator)
#define OF_KIND_hook(operator)
#define OF_KIND_internal(operator)
#define OF_KIND_late(operator)
#define OF_KIND_libc(operator)
#define OF_KIND_own(operator)
#define OF_KIND_cxx(operator) operator
static struct {
#define MPROF_INTERFACE(name, archive, kind) OF_KIND_##kind(void *name;)
#include "shared/interface.inc"
} of_library;

void __memprof_cxx_init(void *(*find)(const char *name))
{
#define MPROF_INTERFACE(name, archive, kind) \
    OF_KIND_##kind(of_library.name = find(#name);)
#include "shared/interface.inc"
}

#define TO_LIBRARY(name, arguments)              \
    if (MPROF_UNLIKELY(of_library.name != NULL)) \
        return ((__typeof__(&name))of_library.name)arguments;

/* A default operator calls another operator ([new.delete.single],
 * [new.delete.array]), which the program or a library may have replaced.
 * FORWARD calls the replacement. FORWARD_NEW calls one that may throw, for a
 * nothrow form. */
#define FORWARD(name, arguments)                              \
    if (MPROF_UNLIKELY(!is_own((uintptr_t)name, own_##name))) \
        return name arguments;                                \
    TO_LIBRARY(name, arguments)
#define FORWARD_NEW(name, ...)                                \
    if (MPROF_UNLIKELY(!is_own((uintptr_t)name, own_##name))) \
        return mprof_catch((const void *)name, __VA_ARGS__);  \
    if (MPROF_UNLIKELY(of_library.name != NULL))              \
        return mprof_catch(of_library.name, __VA_ARGS__);

/* -- operators ------------------------------------------------------------- */

/* An operator and its array form, with the operators that they call by
 * default. */
#define OPERATORS_NEW(suffix, params, arguments, align, may_throw, scalar, \
                      array)                                               \
    void *_Znw##suffix params;                                             \
    MPRT_WEAK void *_Znw##suffix params                                    \
    {                                                                      \
        TO_LIBRARY(_Znw##suffix, arguments)                                \
        scalar return NEW(size, align, may_throw);                         \
    }                                                                      \
    void *_Zna##suffix params;                                             \
    MPRT_WEAK void *_Zna##suffix params                                    \
    {                                                                      \
        TO_LIBRARY(_Zna##suffix, arguments)                                \
        array return NEW(size, align, may_throw);                          \
    }

#define OPERATORS_DELETE(suffix, params, arguments, scalar, array)      \
    void _Zdl##suffix params;                                           \
    MPRT_WEAK void _Zdl##suffix params                                  \
    {                                                                   \
        TO_LIBRARY(_Zdl##suffix, arguments)                             \
        scalar;                                                         \
        __memprof_cxx_delete(p, MPRT_CALLER_PC(), MPRT_CALLER_FRAME()); \
    }                                                                   \
    void _Zda##suffix params;                                           \
    MPRT_WEAK void _Zda##suffix params                                  \
    {                                                                   \
        TO_LIBRARY(_Zda##suffix, arguments)                             \
        array;                                                          \
        __memprof_cxx_delete(p, MPRT_CALLER_PC(), MPRT_CALLER_FRAME()); \
    }

/* The operators that a default calls, from the nearest to the farthest. */
#define TO_NEW FORWARD(_Znwm, (size))
#define TO_ARRAY_NEW FORWARD(_Znam, (size)) TO_NEW
#define TRY_NEW FORWARD_NEW(_Znwm, size)
#define TRY_ARRAY_NEW FORWARD_NEW(_Znam, size) TRY_NEW
#define TO_NOTHROW_NEW FORWARD(_ZnwmRKSt9nothrow_t, (size, nothrow)) TRY_NEW
#define TO_NOTHROW_ARRAY_NEW \
    FORWARD(_ZnamRKSt9nothrow_t, (size, nothrow)) TRY_ARRAY_NEW
#define TO_ALIGNED_NEW FORWARD(_ZnwmSt11align_val_t, (size, align))
#define TO_ALIGNED_ARRAY_NEW \
    FORWARD(_ZnamSt11align_val_t, (size, align)) TO_ALIGNED_NEW
#define TRY_ALIGNED_NEW FORWARD_NEW(_ZnwmSt11align_val_t, size, align)
#define TRY_ALIGNED_ARRAY_NEW \
    FORWARD_NEW(_ZnamSt11align_val_t, size, align) TRY_ALIGNED_NEW
#define TO_ALIGNED_NOTHROW_NEW                                          \
    FORWARD(_ZnwmSt11align_val_tRKSt9nothrow_t, (size, align, nothrow)) \
    TRY_ALIGNED_NEW
#define TO_ALIGNED_NOTHROW_ARRAY_NEW                                    \
    FORWARD(_ZnamSt11align_val_tRKSt9nothrow_t, (size, align, nothrow)) \
    TRY_ALIGNED_ARRAY_NEW
#define TO_DELETE FORWARD(_ZdlPv, (p))
#define TO_ARRAY_DELETE FORWARD(_ZdaPv, (p)) TO_DELETE
#define TO_ALIGNED_DELETE FORWARD(_ZdlPvSt11align_val_t, (p, align))
#define TO_ALIGNED_ARRAY_DELETE \
    FORWARD(_ZdaPvSt11align_val_t, (p, align)) TO_ALIGNED_DELETE

OPERATORS_NEW(m, (size_t size), (size), ALIGN_DEFAULT, true, , TO_NEW)
OPERATORS_NEW(mRKSt9nothrow_t, (size_t size, NOTHROW), (size, nothrow),
              ALIGN_DEFAULT, false, TRY_NEW, TRY_ARRAY_NEW)
OPERATORS_NEW(mSt11align_val_t, (size_t size, size_t align), (size, align),
              align, true, , TO_ALIGNED_NEW)
OPERATORS_NEW(mSt11align_val_tRKSt9nothrow_t,
              (size_t size, size_t align, NOTHROW), (size, align, nothrow),
              align, false, TRY_ALIGNED_NEW, TRY_ALIGNED_ARRAY_NEW)

OPERATORS_NEW(m12__hot_cold_t, (size_t size, HINT), (size, hint), ALIGN_DEFAULT,
              true, TO_NEW, TO_ARRAY_NEW)
OPERATORS_NEW(mRKSt9nothrow_t12__hot_cold_t, (size_t size, NOTHROW, HINT),
              (size, nothrow, hint), ALIGN_DEFAULT, false, TO_NOTHROW_NEW,
              TO_NOTHROW_ARRAY_NEW)
OPERATORS_NEW(mSt11align_val_t12__hot_cold_t, (size_t size, size_t align, HINT),
              (size, align, hint), align, true, TO_ALIGNED_NEW,
              TO_ALIGNED_ARRAY_NEW)
OPERATORS_NEW(mSt11align_val_tRKSt9nothrow_t12__hot_cold_t,
              (size_t size, size_t align, NOTHROW, HINT),
              (size, align, nothrow, hint), align, false,
              TO_ALIGNED_NOTHROW_NEW, TO_ALIGNED_NOTHROW_ARRAY_NEW)

OPERATORS_DELETE(Pv, (void *p), (p), , TO_DELETE)
OPERATORS_DELETE(PvRKSt9nothrow_t, (void *p, NOTHROW), (p, nothrow), TO_DELETE,
                 TO_ARRAY_DELETE)
OPERATORS_DELETE(Pvm, (void *p, size_t size UNUSED), (p, size), TO_DELETE,
                 TO_ARRAY_DELETE)
OPERATORS_DELETE(PvSt11align_val_t, (void *p, size_t align UNUSED), (p, align),
                 , TO_ALIGNED_DELETE)
OPERATORS_DELETE(PvSt11align_val_tRKSt9nothrow_t,
                 (void *p, size_t align, NOTHROW), (p, align, nothrow),
                 TO_ALIGNED_DELETE, TO_ALIGNED_ARRAY_DELETE)
OPERATORS_DELETE(PvmSt11align_val_t,
                 (void *p, size_t size UNUSED, size_t align), (p, size, align),
                 TO_ALIGNED_DELETE, TO_ALIGNED_ARRAY_DELETE)

/* P0901: operator new that returns the block's size too. We return the
 * requested size. */
struct sized_ptr {
    void *p;
    size_t n;
};

struct sized_ptr __size_returning_new(size_t size);
MPRT_WEAK struct sized_ptr __size_returning_new(size_t size)
{
    if (!is_own((uintptr_t)_Znwm, own__Znwm))
        return (struct sized_ptr){_Znwm(size), size};
    return (struct sized_ptr){NEW(size, ALIGN_DEFAULT, true), size};
}

struct sized_ptr __size_returning_new_hot_cold(size_t size, HINT);
MPRT_WEAK struct sized_ptr __size_returning_new_hot_cold(size_t size, HINT)
{
    if (!is_own((uintptr_t)_Znwm, own__Znwm))
        return (struct sized_ptr){_Znwm(size), size};
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
