// A program that limits its own memory gets that limit without the address space that
// the runtime has reserved: it starts threads, gets memory below the limit and no more,
// and its profile is written.
// RUN: %memprof-clang -O1 -fmemory-profile %s -pthread -o %t
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %t as > as.out 2>&1 && ls memprof.profraw.*.raw | count 1
// RUN: FileCheck --input-file=as.out %s
// RUN: rm *.raw && %t data > data.out 2>&1 && ls memprof.profraw.*.raw | count 1
// RUN: FileCheck --input-file=data.out %s
// CHECK: memprof: an allocation of 2147483648 bytes failed
// CHECK-NOT: {{.}}
// The soft limit may exist at the start; an executed program gets it.
// RUN: rm *.raw && sh -c 'ulimit -Sv 1048576 && exec %t soft' > soft.out 2>&1
// RUN: ls memprof.profraw.*.raw | count 1
// RUN: FileCheck --input-file=soft.out %s
// RUN: %t exec | FileCheck --check-prefix=EXEC %s
// EXEC: {{^}}1048576
// The same of files: how many, and how large.
// RUN: rm *.raw && %t files 2>&1 | FileCheck --check-prefix=FILES %s
// FILES: {{^}}0 9{{$}}
// FILES-NOT: {{.}}
// RUN: %memprofdata show *.raw
// More files may be open than the limit allows, all descriptors below may be in use, and the
// limit may be soft.
// RUN: rm *.raw && %t open 200 100 2>&1 | count 0
// RUN: %t full 100 10 2>&1 | count 0
// RUN: %t soft-open 300 3 2>&1 | count 0
// RUN: ls memprof.profraw.*.raw | count 3
// RUN: %memprofdata show *.raw
// What the kernel does not let the program open any more is not a matter of the place.
// RUN: %t none 20 3 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: memprof: cannot write the profile {{.*}}.raw: too many open files{{$}}
// NONE-NOT: {{.}}
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            printf("%d: " #condition " is false\n", __LINE__); \
            return 1;                                           \
        }                                                       \
    } while (0)

#define LIMIT ((rlim_t)1 << 30)

static void *volatile block;

static void *run(void *argument)
{
    block = malloc(1000);
    free(block);
    return argument;
}

static int is_limited(void)
{
    char *p;
    pthread_t thread;

    block = malloc(100 << 20);
    p = block;
    CHECK(p != NULL);
    memset(p, 1, 100 << 20);
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    block = malloc(2 * LIMIT);
    CHECK(block == NULL);
    CHECK(mmap(NULL, 2 * LIMIT, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    /* Memory of blocks is not available for anything else. */
    CHECK(mmap(NULL, LIMIT - (50 << 20), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    free(p);
    return 0;
}

static int limits_files(void)
{
    const struct rlimit size = {0, 0}, number = {3, 9}, most = {9, 9},
                        more = {9, 99};
    struct rlimit now;

    fflush(stdout);
    CHECK(setrlimit(RLIMIT_FSIZE, &size) == 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &number) == 0);
    CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
    CHECK(setrlimit(RLIMIT_NOFILE, &more) == 0 ||
          (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max == 9));
    CHECK(getrlimit(RLIMIT_FSIZE, &now) == 0 && now.rlim_max == 0);
    free(malloc(10));
    if (fork() == 0) {
        CHECK(setrlimit(RLIMIT_NOFILE, &most) == 0);
        execl("/bin/sh", "sh", "-c", "echo $(ulimit -Hf) $(ulimit -Hn)", NULL);
    }
    wait(NULL);
    CHECK(setrlimit(RLIMIT_NOFILE, &number) == 0);
    return 0;
}

/* Opens files, then allows fewer. */
static int opens_before(const char *mode, int count, rlim_t most)
{
    struct rlimit limit = {(rlim_t)count + 3, (rlim_t)count + 80};
    int fd = 0;

    if (strcmp(mode, "full") == 0)
        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while (count-- > 0 && fd >= 0)
        fd = open("/dev/null", O_RDONLY);
    limit = (struct rlimit){most, most};
    if (strcmp(mode, "soft-open") == 0)
        CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = most;
    if (strcmp(mode, "none") == 0)
        CHECK(syscall(SYS_setrlimit, RLIMIT_NOFILE, &limit) == 0);
    else
        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
    free(malloc(10));
    return 0;
}

int main(int argc, char **argv)
{
    const struct rlimit limit = {LIMIT, LIMIT};
    const struct rlimit wrong = {LIMIT, LIMIT - 1};
    const int resource =
        strcmp(argv[argc - 1], "data") == 0 ? RLIMIT_DATA : RLIMIT_AS;
    struct rlimit *volatile const nowhere = (struct rlimit *)8;
    struct rlimit now, before;

    if (strcmp(argv[1], "files") == 0)
        return limits_files();
    if (argc == 4)
        return opens_before(argv[1], atoi(argv[2]), (rlim_t)atoi(argv[3]));
    if (strcmp(argv[1], "soft") != 0)
        CHECK(setrlimit(resource, &limit) == 0);
    CHECK(getrlimit(resource, &now) == 0 && now.rlim_cur == LIMIT);
    CHECK(prlimit(getpid(), resource, &now, &before) == 0);
    CHECK(before.rlim_cur == now.rlim_cur && before.rlim_max == now.rlim_max);
    CHECK(setrlimit(resource, &wrong) == -1 && errno == EINVAL);
    CHECK(getrlimit(resource, nowhere) == -1 && errno == EFAULT);
    CHECK(setrlimit(resource, nowhere) == -1 && errno == EFAULT);
    if (strcmp(argv[1], "exec") == 0)
        execl("/bin/sh", "sh", "-c", "ulimit -Sv", NULL);
    return is_limited();
}
