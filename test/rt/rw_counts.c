// What functions of the C library and the kernel read and write, in bytes, if the
// program counts reads and writes apart; one object file with that mode is enough.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: echo 'int nothing;' > %t.c && env MEMPROF_PASS_OPTIONS=-memprof-access=rw-bytes %memprof-clang -fmemory-profile -c %t.c -o %t.rw.o
// RUN: %memprof-clang -fmemory-profile %t.o %t.rw.o -o %t && %t
#define LLVM_RUNTIME
#include "counts.h"
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

extern uint64_t __memprof_rw_shadow_v1, __memprof_rw_bytes_shadow_v1;

struct rw {
    uint64_t read, written;
};

static struct rw take_from(uint64_t base, void *p)
{
    uint64_t *const counters =
        (uint64_t *)((((uintptr_t)p & ~(uintptr_t)63) >> 2) + base);
    struct rw sum = {0, 0};

    for (int i = 0; i < BLOCK_BYTES / 64 * 2; i += 2) {
        sum.read += counters[i];
        sum.written += counters[i + 1];
        counters[i] = counters[i + 1] = 0;
    }
    return sum;
}

static struct rw take_both(void *p, void *wide)
{
    const struct rw a = take_from(__memprof_rw_bytes_shadow_v1, p);
    const struct rw b = take_from(__memprof_rw_bytes_shadow_v1, wide);

    take_from(__memprof_rw_shadow_v1, p);
    take_from(__memprof_rw_shadow_v1, wide);
    return (struct rw){a.read + b.read, a.written + b.written};
}

static void check_rw(const char *call, struct rw a, struct rw b)
{
    const struct rw real_a = take_both(A, WA), real_b = take_both(B, WB);

    if (memcmp(&real_a, &a, sizeof(a)) == 0 &&
        memcmp(&real_b, &b, sizeof(b)) == 0 && take(A) + take(B) == 0)
        return;
    fprintf(stderr, "%s: A %" PRIu64 " %" PRIu64 ", B %" PRIu64 " %" PRIu64
                    "\n", call, real_a.read, real_a.written, real_b.read,
            real_b.written);
    failures++;
}

/* Bytes read and written of A (and WA), and of B (and WB). */
#define D(a_read, a_written, b_read, b_written, call)                          \
    do {                                                                       \
        fill();                                                                \
        take_both(A, WA);                                                      \
        take_both(B, WB);                                                      \
        sink = (uintptr_t)(call);                                              \
        check_rw(#call, (struct rw){a_read, a_written},                        \
                 (struct rw){b_read, b_written});                              \
    } while (0)

int main(void)
{
    int pipe_ends[2], ends[2];
    struct iovec vector;
    const char *narrow;
    mbstate_t *state;
    FILE *file;

    make_blocks();
    state = (mbstate_t *)(A + 512);
    if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    file = tmpfile();
    D(0, 26, 26, 0, memcpy(A, B, 26));
    D(0, 65, 65, 0, memcpy(A, B, 65));
    D(30, 30, 0, 0, memmove(A, A + 8, 30));
    D(0, 30, 0, 0, memset(A, 1, 30));
    D(0, 26, 0, 0, (bzero(A, 26), 0));
    D(0, 0, 26, 26, (bcopy(B, B + 100, 26), 0));
    D(0, 10, 10, 0, memccpy(A, B, 'j', 26));
    D(26, 0, 26, 0, memcmp(A, B, 26)); /* strict_memcmp */
    D(10, 0, 0, 0, memchr(A, 'j', 40));
    D(62, 0, 10, 0, memmem(A, 62, B, 10));
    D(63, 0, 0, 0, strlen(A));
    D(0, 27, 27, 0, strcpy(A, B));
    D(0, 40, 27, 0, strncpy(A, B, 40));
    D(62, 27, 27, 0, strcat(A, B));
    D(62, 11, 10, 0, strncat(A, B, 10));
    D(20, 0, 20, 0, strcmp(A, B));
    D(10, 0, 0, 0, strchr(A, 'j'));
    D(0, 0, 27, 0, (free(strdup(B)), 0));
    D(3, 8, 0, 0, (strcpy(A + 700, "12x"), take_both(A, WA),
                   strtol(A + 700, (char **)(A + 800), 10)));
    D(0, 27 * 4, 27 * 4, 0, wcscpy(WA, WB));
    D(62 * 4 + 4, 27 * 4, 27 * 4, 0, wcscat(WA, WB));
    D(0, 27 * 4, 0, 0, mbstowcs(WA, B, 100));
    D(sizeof(*state), 27 * 4, 0, 0,
      (narrow = B, mbsrtowcs(WA, &narrow, 100, state)));
    D(0, 27, 0, 0, wcstombs(A, WB, 100));
    D(0, 26 * 4, 26 * 4, 0, wmemcpy(WA, WB, 26));
    D(0, 0, 20, 0, write(pipe_ends[1], B, 20));
    D(0, 20, 0, 0, read(pipe_ends[0], A, 100));
    D(0, 0, 20, 0, (vector = (struct iovec){B, 20},
                    writev(pipe_ends[1], &vector, 1)));
    D(0, 20, 0, 0, (vector = (struct iovec){A, 100},
                    readv(pipe_ends[0], &vector, 1)));
    D(0, 0, 20, 0, send(ends[0], B, 20, 0));
    D(0, 20, 0, 0, recv(ends[1], A, 100, 0));
    D(0, 0, 20, 0, sendto(ends[0], B, 20, 0, NULL, 0));
    D(0, 20, 0, 0, recvfrom(ends[1], A, 100, 0, NULL, NULL));
    D(0, 0, 20, 0, pwrite(fileno(file), B, 20, 0));
    D(0, 20, 0, 0, pread(fileno(file), A, 100, 0));
    D(0, 100, 0, 0, getrandom(A, 100, 0));
    D(0, 18, 0, 0, fread(A, 3, 6, file));
    D(0, 0, 15, 0, fwrite(B, 3, 5, file));
    rewind(file);
    D(0, 34, 0, 0, fgets(A, 100, file));
    D(0, 0, 27, 0, fputs(B, file));
    D(0, 0, 27, 0, fprintf(file, "%s", B));
    D(0, 27 + 4, 27, 0, sprintf(A, "%s%n", B, (int *)(A + 800)));
    D(0, 27, 27, 0, sscanf(B, "%s", A));
    D(5, 4, 0, 0, (strcpy(A + 700, "1234"), take_both(A, WA),
                   sscanf(A + 700, "%d", (int *)(A + 800))));
    return finish();
}
