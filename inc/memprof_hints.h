/* memprof_hints.h -- allocation functions that are told how hot a block will
 * be. An allocator that defines some of them is called by programs which were
 * compiled with a memory profile and the plugin (docs/using-profiles.md);
 * with any other allocator those programs call the plain functions.
 *
 * Each function is the one without `__memprof_` and `_hint` in its name with
 * one more argument at the end; result, errors and errno are the same, and so
 * is what frees the block. A program may be told to call a hinted form of a
 * function of its own, f: __memprof_f_hint, likewise.
 *
 * C++ programs call LLVM's forms of operator new, which take the same number as
 * `enum class __hot_cold_t : uint8_t`; they are declared below.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MEMPROF_HINTS_H
#define MEMPROF_HINTS_H

#include <stddef.h>
#include <stdint.h>

/* The numbers are LLVM's; an allocator takes those between as it likes. */
#define MEMPROF_HINT_COLD 1      /* hardly accessed */
#define MEMPROF_HINT_NOTCOLD 128 /* as if there were no hint */
#define MEMPROF_HINT_AMBIGUOUS                                         \
    222                      /* both; LLVM's pass passes it on request \
                              */
#define MEMPROF_HINT_HOT 254 /* accessed often */

#ifdef __cplusplus
extern "C" {
#endif

void *__memprof_malloc_hint(size_t size, uint8_t hint);
void *__memprof_calloc_hint(size_t count, size_t size, uint8_t hint);
/* The hint is that of the new block. */
void *__memprof_realloc_hint(void *block, size_t size, uint8_t hint);
void *__memprof_reallocarray_hint(void *block, size_t count, size_t size,
                                  uint8_t hint);
void *__memprof_aligned_alloc_hint(size_t alignment, size_t size, uint8_t hint);
void *__memprof_memalign_hint(size_t alignment, size_t size, uint8_t hint);
int __memprof_posix_memalign_hint(void **block, size_t alignment, size_t size,
                                  uint8_t hint);
char *__memprof_strdup_hint(const char *text, uint8_t hint);
char *__memprof_strndup_hint(const char *text, size_t size, uint8_t hint);

#ifdef __cplusplus
}

#include <new>

/* LLVM's names; they are global. */
enum class __hot_cold_t : uint8_t;

void *operator new(size_t size, __hot_cold_t hint);
void *operator new[](size_t size, __hot_cold_t hint);
void *operator new(size_t size, const std::nothrow_t &,
                   __hot_cold_t hint) noexcept;
void *operator new[](size_t size, const std::nothrow_t &,
                     __hot_cold_t hint) noexcept;
#ifdef __cpp_aligned_new
void *operator new(size_t size, std::align_val_t alignment, __hot_cold_t hint);
void *operator new[](size_t size, std::align_val_t alignment,
                     __hot_cold_t hint);
void *operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t &, __hot_cold_t hint) noexcept;
void *operator new[](size_t size, std::align_val_t alignment,
                     const std::nothrow_t &, __hot_cold_t hint) noexcept;
#endif
#endif

#endif
