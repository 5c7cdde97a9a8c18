// If a handler leaves by siglongjmp, the counts that the interrupted function has in
// registers are lost, but hardly more than were added to memory before: the more
// accesses, the less often they are added, also in a loop with a known number of
// rounds, and in a loop that is left in its first rounds each time. The profile has the
// number of such jumps. Jumps inside a handler, and jumps without a handler, do not
// count.
// DEFINE: %{link} =
// DEFINE: %{main} = %clang -O2 -w -c %s -o %t.main.o
// DEFINE: %{check} = rm -rf %t.dir && mkdir %t.dir && \
// DEFINE:   %{main} && %memprof-clang -fmemory-profile -O2 -DKERNELS -c %s -o %t.kernels.o && \
// DEFINE:   %{link} -pthread %t.main.o %t.kernels.o -o %t && \
// DEFINE:   env MEMPROF_PROFILE_FILE=%t.dir/raw %t && \
// DEFINE:   %memprofdata show %t.dir/raw | FileCheck %s
// REDEFINE: %{link} = %memprof-clang -fmemory-profile
// RUN: %{check}
// REDEFINE: %{link} = %memprof-clang -fmemory-profile -shared-libsan -Wl,-rpath,%build/llvm-%llvm-version/resource/lib/linux
// RUN: %{check}
// REDEFINE: %{link} = %build/bin/memprof-clang-%llvm-version -fmemory-profile -static
// RUN: %{check}
// REDEFINE: %{link} = %memprof-clang -fmemory-profile
// REDEFINE: %{main} = %clang -O2 -w -D_FORTIFY_SOURCE=2 -c %s -o %t.main.o
// RUN: %{check}
// CHECK: {{^ *}}note accesses are lower bounds: 162 jumps out of signal handlers (unless compiled with
// CHECK-NEXT: -mllvm -memprof-merge=block)
//
// A merge counts each run of a process once; JSON keeps the number.
// RUN: %memprofdata merge %t.dir/raw -o %t.dir/a.profdata
// RUN: %memprofdata merge --text %t.dir/a.profdata -o %t.dir/a.json
// RUN: %memprofdata merge %t.dir/a.json -o %t.dir/b.profdata && cmp %t.dir/a.profdata %t.dir/b.profdata
// RUN: env MEMPROF_PROFILE_FILE=%t.dir/raw2 %t
// RUN: %memprofdata show %t.dir/b.profdata %t.dir/raw2 | FileCheck %s --check-prefix=TWO
// TWO: accesses are lower bounds: 324 jumps out
//
// With the option no access is lost: each access of the loop is counted.
// RUN: %memprof-clang -fmemory-profile -O2 -DKERNELS -mllvm -memprof-merge=block -c %s -o %t.kernels.o
// RUN: %memprof-clang -fmemory-profile -pthread %t.main.o %t.kernels.o -o %t && env MEMPROF_PROFILE_FILE=%t.dir/raw3 %t exact
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define PAGE 4096
#define ROUNDS 20
#define BYTES 3000 /* before the guard page */
#define RING 1024
#define SHORT 40

/* The loops: bytes until a byte is 1; a number of bytes; SHORT bytes;
 * endless. */
int find(const char *p);
void fill(char *p, const char *values);
void add(char *p, const char *values);
void turn(uint32_t *ring);

#ifdef KERNELS

int find(const char *p)
{
    int n = 0;

    for (; *p != 1; p++)
        n += *p == 2;
    return n;
}

/* Not vectorized, so that the last access is the one that faults. */
void fill(char *p, const char *values)
{
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < BYTES + 1; i++)
        p[i] += values[0];
}

void add(char *p, const char *values)
{
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < SHORT; i++)
        p[i] += values[0];
}

void turn(uint32_t *ring)
{
    for (uint32_t i = 0; ring[i] < UINT32_MAX; i = (i * 5 + 1) % RING)
        ring[i]++;
}

#else

extern uint64_t __memprof_shadow_memory_dynamic_address;

static sigjmp_buf back;
static int is_exact;
static int failures;
static volatile int kept;

static uint64_t take(void *p, size_t bytes)
{
    uint64_t *const counters =
        (uint64_t *)(((uintptr_t)p >> 3) +
                     __memprof_shadow_memory_dynamic_address);
    uint64_t sum = 0;

    for (size_t i = 0; i < bytes / 64; i++) {
        sum += counters[i];
        counters[i] = 0;
    }
    return sum;
}

/* At most half of the accesses and so many more are missing; with the option, so
 * many. */
static void check(const char *what, uint64_t seen, uint64_t truth,
                  uint64_t more)
{
    const uint64_t missing = (is_exact ? 0 : truth / 2) + more;

    if (seen <= truth && seen + missing >= truth)
        return;
    printf("%s: %llu of %llu accesses\n", what, (unsigned long long)seen,
           (unsigned long long)truth);
    failures++;
}

static __attribute__((noinline)) void leave(int number)
{
    siglongjmp(back, number);
}

/* With a jump that stays inside the handler. */
static void handle(int number)
{
    sigjmp_buf inside;

    if (sigsetjmp(inside, 0) == 0)
        siglongjmp(inside, 1);
    leave(number);
}

static void set(int number, void (*handler)(int), int flags)
{
    const struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(number, &action, 0);
}

/* A guard page behind one page of a block. */
static void faults(int flags)
{
    static const char two = 2;
    char *const block = aligned_alloc(PAGE, 3 * PAGE);
    char *const start = block + PAGE - BYTES;

    memset(block, 2, PAGE);
    take(block, 2 * PAGE);
    mprotect(block + PAGE, PAGE, PROT_NONE);
    set(SIGSEGV, handle, flags);
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (sigsetjmp(back, 1) == 0)
            kept = find(start);
    }
    check("find", take(block, 2 * PAGE), ROUNDS * (BYTES + 1), ROUNDS);
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (sigsetjmp(back, 1) == 0)
            fill(start, &two);
    }
    /* The last access faults before it writes. */
    check("fill", take(block, 2 * PAGE), ROUNDS * 2 * (BYTES + 1),
          2 * ROUNDS);
    for (volatile int bytes = 1; bytes < SHORT; bytes++) {
        if (sigsetjmp(back, 1) == 0)
            add(block + PAGE - bytes, &two);
        check("add", take(block, 2 * PAGE), 2 * (uint64_t)bytes + 2, 2);
    }
    mprotect(block + PAGE, PAGE, PROT_READ | PROT_WRITE);
    free(block);
}

/* Ended by a timer: the block has the number of rounds. */
static void alarms(void)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 1}};
    uint32_t *const ring = aligned_alloc(PAGE, RING * sizeof(*ring));
    uint64_t truth = 0;

    memset(ring, 0, RING * sizeof(*ring));
    take(ring, RING * sizeof(*ring));
    set(SIGALRM, handle, SA_ONSTACK);
    for (volatile int i = 0; i < ROUNDS / 5; i++) {
        if (sigsetjmp(back, 1) == 0) {
            setitimer(ITIMER_REAL, &soon, 0);
            turn(ring);
        }
    }
    for (int i = 0; i < RING; i++)
        truth += 2 * (uint64_t)ring[i];
    /* The accesses of an unfinished round. */
    check("turn", take(ring, RING * sizeof(*ring)), truth + 3 * ROUNDS / 5,
          3 * ROUNDS / 5);
    free(ring);
}

int main(int argc, char **argv)
{
    static char space[1 << 16];
    const stack_t stack = {.ss_sp = space, .ss_size = sizeof(space)};

    is_exact = argc > 1;
    sigaltstack(&stack, 0);
    faults(0);
    faults(SA_ONSTACK);
    alarms();
    /* A jump without a handler. */
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (sigsetjmp(back, 1) == 0)
            leave(1);
    }
    return failures != 0;
}

#endif
