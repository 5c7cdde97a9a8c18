/* memprof_hints.h -- allocation functions with an argument that says how hot a
 * block will be. Programs compiled with a memory profile and the plugin
 * (docs/using-profiles.md) call them if the allocator defines them, and the
 * plain functions otherwise.
 *
 * Each function does what the one without `__memprof_` and `_hint` in its name
 * does, with the same result, errors, errno and way to free the block, and
 * takes one more argument at the end. For an allocation function f of the
 * program itself the form with a hint is __memprof_f_hint.
 *
 * C++ programs call LLVM's forms of operator new, which take the same number as
 * `enum class __hot_cold_t : uint8_t`; they are declared below.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MEMPROF_HINTS_H
#define MEMPROF_HINTS_H

#include <stddef.h>
#include <stdint.h>

/* The values are LLVM's; what values in between mean is up to the allocator. */
#define MEMPROF_HINT_COLD 1      /* hardly accessed */
#define MEMPROF_HINT_NOTCOLD 128 /* the same as no hint */

/* Ours: libmemprof_alloc lays small blocks of one pool together, in the order
 * of allocation. A dense block needs an alignment of 8 bytes only. Without a
 * number, dense blocks share a pool, and dense hot ones another. Allocators
 * that do not know pools treat these values as no hint. */
#define MEMPROF_HINT_POOLS 31                  /* numbers are 1 to 31 */
#define MEMPROF_HINT_POOL(n) (128 + (n))       /* 129 to 159 */
#define MEMPROF_HINT_DENSE_POOL(n) (159 + (n)) /* 160 to 190 */
#define MEMPROF_HINT_DENSE 191
#define MEMPROF_HINT_DENSE_HOT 192

#define MEMPROF_HINT_AMBIGUOUS 222 /* both; LLVM's pass, on request */
#define MEMPROF_HINT_HOT 254       /* accessed often */

#ifdef __cplusplus
extern "C" {
#endif

void *__memprof_malloc_hint(size_t size, uint8_t hint);
void *__memprof_calloc_hint(size_t count, size_t size, uint8_t hint);
/* The hint is for the new block. */
void *__memprof_realloc_hint(void *block, size_t size, uint8_t hint);
void *__memprof_reallocarray_hint(void *block, size_t count, size_t size,
                                  uint8_t hint);
void *__memprof_aligned_alloc_hint(size_t alignment, size_t size, uint8_t hint);
void *__memprof_memalign_hint(size_t alignment, size_t size, uint8_t hint);
int __memprof_posix_memalign_hint(void **block, size_t alignment, size_t size,
                                  uint8_t hint);
char *__memprof_strdup_hint(const char *text, uint8_t hint);
char *__memprof_strndup_hint(const char *text, size_t size, uint8_t hint);

/* With MEMPROF_HINT_HOT: most of the program's memory is accessed all the time.
 * libmemprof_alloc then asks the kernel for huge pages for what its arenas take
 * beyond 32 MiB, and for single blocks of 8 MiB and more. Programs compiled
 * with a profile that calls for it do so before main(). Other hints do nothing,
 * nor does a second call. Any thread may call it at any time, but no signal
 * handler. It cannot fail, and keeps errno. */
void __memprof_huge_pages_hint(uint8_t hint);

#ifdef __cplusplus
}

#include <new>

/* LLVM's name, in the global namespace. */
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
