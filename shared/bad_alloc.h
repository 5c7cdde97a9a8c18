/* bad_alloc.h -- throws std::bad_alloc and reads the new handler from C. Both
 * belong to the C++ library of the program, so they are weak imports.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stddef.h>

typedef void mprof_new_handler(void);

/* std::get_new_handler() and std::__throw_bad_alloc(): libstdc++ and libc++. */
extern mprof_new_handler *_ZSt15get_new_handlerv(void) __attribute__((weak));
extern _Noreturn void _ZSt17__throw_bad_allocv(void) __attribute__((weak));
/* Fallback by the Itanium ABI: vtable, type and destructor of std::bad_alloc.
 */
extern void *__cxa_allocate_exception(size_t size) __attribute__((weak));
extern _Noreturn void __cxa_throw(void *object, void *type,
                                  void (*destructor)(void *))
    __attribute__((weak));
extern void *_ZTVSt9bad_alloc[] __attribute__((weak));
extern char _ZTISt9bad_alloc[] __attribute__((weak));
extern void _ZNSt9bad_allocD1Ev(void *object) __attribute__((weak));

/* Throws std::bad_alloc; traps if the program has no C++ library. */
static inline _Noreturn void mprof_throw_bad_alloc(void)
{
    if (&_ZSt17__throw_bad_allocv != NULL)
        _ZSt17__throw_bad_allocv();
    if (&__cxa_allocate_exception != NULL && &__cxa_throw != NULL &&
        _ZTVSt9bad_alloc != NULL && _ZTISt9bad_alloc != NULL) {
        void **const object = __cxa_allocate_exception(sizeof(void *));
        object[0] = &_ZTVSt9bad_alloc[2];
        __cxa_throw(object, _ZTISt9bad_alloc, _ZNSt9bad_allocD1Ev);
    }
    __builtin_trap();
}

/* The new handler; NULL if none is set or there is no C++ library. */
static inline mprof_new_handler *mprof_get_new_handler(void)
{
    return &_ZSt15get_new_handlerv != NULL ? _ZSt15get_new_handlerv() : NULL;
}
