/* counts.h -- what a call counts in two blocks of 1 KiB, A and B, and in two
 * blocks of wide characters, WA and WB: read from the counters themselves, which
 * lie where the ABI says.
 *
 * T(a, b, call): the call counts a in A and WA, b in B and WB. OURS(a, b, call):
 * the same for a function that LLVM's runtime does not interpose; left out with
 * -DLLVM_RUNTIME, under which the same expectations are checked against that. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

char *__strdup(const char *s);
extern uint64_t __memprof_shadow_memory_dynamic_address;

#define BLOCK_BYTES 1024

static char *A, *B;
static wchar_t *WA, *WB;
static int failures;

static uint64_t take(void *p)
{
    uint64_t *const counters =
        (uint64_t *)((((uintptr_t)p & ~(uintptr_t)63) >> 3) +
                     __memprof_shadow_memory_dynamic_address);
    uint64_t sum = 0;

    for (int i = 0; i < BLOCK_BYTES / 64; i++) {
        sum += counters[i];
        counters[i] = 0;
    }
    return sum;
}

/* A: 62 characters. B: 26 characters, of which the one at 19 differs from
 * A's. */
static void fill(void)
{
    static const char a[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static const char b[] = "abcdefghijklmnopqrsXuvwxyz";

    memset(A, 0, BLOCK_BYTES);
    memset(B, 0, BLOCK_BYTES);
    for (size_t i = 0; i < sizeof(a); i++) {
        A[i] = a[i];
        WA[i] = a[i];
    }
    for (size_t i = 0; i < sizeof(b); i++) {
        B[i] = b[i];
        WB[i] = b[i];
    }
    take(A);
    take(B);
    take(WA);
    take(WB);
}

static void check(const char *call, uint64_t a, uint64_t b)
{
    const uint64_t real_a = take(A) + take(WA);
    const uint64_t real_b = take(B) + take(WB);

    if (real_a == a && real_b == b)
        return;
    fprintf(stderr, "%s: counts %" PRIu64 " %" PRIu64 ", not %" PRIu64
                    " %" PRIu64 "\n", call, real_a, real_b, a, b);
    failures++;
}

static volatile uintptr_t sink; /* so that the compiler removes no call */

#define T(a, b, call)                                                          \
    do {                                                                       \
        fill();                                                                \
        sink = (uintptr_t)(call);                                              \
        check(#call, a, b);                                                    \
    } while (0)

/* For a call that returns no value. */
#define V(a, b, call) T(a, b, (call, 0))

#ifdef LLVM_RUNTIME
#define OURS(a, b, call)
#else
#define OURS T
#endif

static void make_blocks(void)
{
    A = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
    B = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
    WA = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
    WB = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
    memset(WA, 0, BLOCK_BYTES);
    memset(WB, 0, BLOCK_BYTES);
}

static int finish(void)
{
    _exit(failures != 0);
}
