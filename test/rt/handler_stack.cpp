// A signal handler on a small alternate stack allocates or frees: a call uses at most 3
// KiB of the stack, even if nothing is known yet of the thread and the code. Also
// tested as on a kernel that cannot scan page tables (before Linux 6.7).
// RUN: %memprof-clangxx -O1 -fmemory-profile -fno-builtin %s -pthread -o %t
// RUN: rm -f %t.out %t.err
// RUN: for how in scan words; do for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do env MEMPROF_PROFILE_FILE=%t.raw %t $how $i >> %t.out 2>> %t.err || exit 1; done; done
// RUN: FileCheck %s < %t.out
// CHECK-COUNT-28: enough
// CHECK-NOT: too much
//
// Only the messages of a malloc that fails.
// RUN: not grep -v failed %t.err
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { BYTES = 64 * 1024, PATTERN = 0x5a, MAX = 3072, LARGE = 64 << 20 };

extern "C" int __memprof_profile_dump(void);

static unsigned char stack[BYTES];
static unsigned char *volatile top;
static void *volatile block;
static void *volatile large; /* with a byte written in each MiB */
static void *volatile made;

static void first_malloc(void)
{
    made = malloc(40);
}
static void first_calloc(void)
{
    made = calloc(5, 8);
}
static void first_large_calloc(void)
{
    made = calloc(1, LARGE);
}
static void first_realloc(void)
{
    made = realloc(NULL, 40);
}
static void grow(void)
{
    made = realloc(block, 4000);
}
static void grow_large(void)
{
    made = realloc(large, 2 * (size_t)LARGE);
}
static void shrink_large(void)
{
    made = realloc(large, 100);
}
static void first_free(void)
{
    free(block);
}
static void free_large(void)
{
    free(large);
    made = calloc(1, LARGE);
}
static void first_new(void)
{
    made = operator new(40);
}
static void first_delete(void)
{
    operator delete(block);
}
static void aligned(void)
{
    made = aligned_alloc(64, 128);
}
static void fail(void)
{
    made = malloc((size_t)1 << 46);
}
static void dump(void)
{
    __memprof_profile_dump();
}

static void (*const calls[])(void) = {
    first_malloc, first_calloc, first_large_calloc, first_realloc, grow,
    grow_large,   shrink_large, first_free,         free_large,    first_new,
    first_delete, aligned,      fail,               dump};
static void (*call)(void);

/* Like an older kernel, which does not know the request. */
static void forbid_scan(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {4, code};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        perror("seccomp");
}

__attribute__((noinline)) static void handle(int number)
{
    (void)number;
    top = (unsigned char *)__builtin_frame_address(0);
    /* The kernel's frame is above, and the red zone is not used. */
    for (unsigned char *p = stack; p < top - 512; p++)
        *(volatile unsigned char *)p = PATTERN;
    call();
}

static void *run(void *argument)
{
    stack_t alternate = {};

    alternate.ss_sp = stack;
    alternate.ss_size = BYTES;
    sigaltstack(&alternate, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    return argument;
}

int main(int argc, char **argv)
{
    struct sigaction action = {};
    const int which = argc == 3 ? atoi(argv[2]) : -1;
    const unsigned char *lowest = stack;
    pthread_t thread;

    if (which < 0 || which >= (int)(sizeof(calls) / sizeof(calls[0])))
        return 1;
    call = calls[which];
    if (strcmp(argv[1], "words") == 0)
        forbid_scan();
    block = malloc(40);
    large = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i += 1 << 20)
        ((char *)large)[i] = 1;
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    while (lowest < top && *lowest == PATTERN)
        lowest++;
    printf("%d: %td bytes, %s\n", which, top - lowest,
           top - lowest <= MAX ? "enough" : "too much");
    return 0;
}
