// Results and errno are those of C, POSIX and glibc for sizes of zero, overflows,
// invalid alignments and lack of memory.
// RUN: %clang %ours-rt -fmemory-profile -O0 -fno-builtin %s -o %t
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw %t 2>&1 | FileCheck %s
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw:allocator_may_return_null=1 %t 2>&1 | FileCheck --check-prefix=QUIET --allow-empty %s
// CHECK: memprof: an allocation of {{[0-9]+}} bytes failed
// CHECK-NOT: memprof
// QUIET-NOT: memprof
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(e)                                              \
    do {                                                      \
        if (!(e)) {                                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, #e);   \
            failed = 1;                                       \
        }                                                     \
    } while (0)
#define FAILS(call, error) \
    (errno = 0, (call) == NULL && errno == (error))

void *__libc_memalign(size_t, size_t);
void cfree(void *);
void free_sized(void *, size_t);
void free_aligned_sized(void *, size_t, size_t);

int main(void)
{
    int failed = 0;
    void *p = NULL;
    errno = 77;
    void *a = malloc(0), *b = malloc(0);
    CHECK(a != NULL && b != NULL && a != b);
    CHECK(malloc_usable_size(a) == 1 && malloc_usable_size(NULL) == 0);
    free(a);
    free(b);
    free(NULL);
    CHECK(errno == 77);
    CHECK(FAILS(malloc(SIZE_MAX), ENOMEM));
    CHECK(FAILS(malloc(((size_t)1 << 40) + 1), ENOMEM));
    CHECK(FAILS(calloc(SIZE_MAX / 2, 3), ENOMEM));
    CHECK(FAILS(reallocarray(NULL, SIZE_MAX / 2, 3), ENOMEM));
    a = malloc(10);
    CHECK(FAILS(realloc(a, SIZE_MAX / 2), ENOMEM));
    CHECK(malloc_usable_size(a) == 10);
    errno = 0;
    CHECK(realloc(a, 0) == NULL && errno == 0);
    a = realloc(NULL, 5);
    CHECK(malloc_usable_size(a) == 5);
    a = realloc(a, 9);
    CHECK(malloc_usable_size(a) == 9);
    a = realloc(a, 3000000);
    CHECK(malloc_usable_size(a) == 3000000);
    free(a);
    CHECK(FAILS(aligned_alloc(SIZE_MAX, 8), EINVAL));
    CHECK(posix_memalign(&p, 0, 8) == EINVAL && p == NULL);
    CHECK(posix_memalign(&p, 4, 8) == EINVAL && p == NULL);
    CHECK(posix_memalign(&p, 24, 8) == EINVAL && p == NULL);
    errno = 0;
    CHECK(posix_memalign(&p, 8, SIZE_MAX) == ENOMEM && p == NULL && errno == ENOMEM);
    for (size_t align = 8; align <= (size_t)1 << 22; align *= 2) {
        CHECK(posix_memalign(&p, align, 100) == 0 && (uintptr_t)p % align == 0);
        CHECK(malloc_usable_size(p) == 100);
        free_aligned_sized(p, align, 100);
        p = memalign(align, 1);
        CHECK((uintptr_t)p % align == 0);
        free_sized(p, 1);
        p = __libc_memalign(align, 0);
        CHECK((uintptr_t)p % align == 0);
        cfree(p);
    }
    p = memalign(48, 10);
    CHECK((uintptr_t)p % 64 == 0);
    free(p);
    CHECK(FAILS(memalign(SIZE_MAX, 1), EINVAL));
    p = valloc(1);
    CHECK((uintptr_t)p % 4096 == 0);
    free(p);
    p = pvalloc(4097);
    CHECK((uintptr_t)p % 4096 == 0 && malloc_usable_size(p) == 8192);
    free(p);
    CHECK(FAILS(pvalloc(SIZE_MAX), ENOMEM));
    CHECK(mallopt(M_MMAP_THRESHOLD, 1) == 1);
    CHECK(mallinfo2().arena != 0);
    malloc_trim(0);
    CHECK(malloc_info(1, NULL) == EINVAL);
    CHECK(malloc_info(0, tmpfile()) == 0);
    return failed;
}
