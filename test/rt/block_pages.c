// If a program has discarded or protected pages of a large block, the next block there
// is writable, and zero after calloc().
// RUN: %memprof-clang -O1 -fmemory-profile %s -o %t
// RUN: for how in lock protect guard read share file hide sandbox; do for size in 200000 35000000; do env MEMPROF_PROFILE_FILE=%t.raw %t $how $size || exit 1; done; done
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define BLOCKS 4

static void forbid_madvise(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {4, code};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        perror("seccomp");
}

static void change(const char *how, char *page)
{
    int fd = open("/proc/self/exe", O_RDONLY);

    if (strcmp(how, "lock") == 0)
        mlock(page, 64);
    else if (strcmp(how, "protect") == 0 || strcmp(how, "guard") == 0)
        mprotect(page, PAGE, PROT_NONE);
    else if (strcmp(how, "read") == 0)
        mprotect(page, PAGE, PROT_READ);
    else if (strcmp(how, "share") == 0)
        mmap(page, PAGE, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    else if (strcmp(how, "file") == 0)
        mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
             0);
    else if (strcmp(how, "hide") == 0)
        madvise(page, PAGE, MADV_DONTFORK);
    close(fd);
    if (strcmp(how, "share") == 0)
        memset(page, 1, PAGE);
}

static int check_zero(const char *p, size_t size)
{
    for (size_t i = 0; i < size; i += 64) {
        if (p[i] != 0)
            return fprintf(stderr, "byte %zu of calloc is %d\n", i, p[i]);
    }
    return 0;
}

/* A forked child has the block, too. */
static int check_child(char *p, size_t size)
{
    int status;
    const pid_t child = fork();

    if (child == 0) {
        memset(p, 4, size);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

/* The first whole page, or one in the middle. */
static char *page_in(char *p, const char *how, size_t size)
{
    const uintptr_t at =
        (uintptr_t)p + PAGE - 1 + (strcmp(how, "guard") == 0 ? 0 : size / 2);

    return (char *)(at / PAGE * PAGE);
}

int main(int argc, char **argv)
{
    const char *const how = argv[1];
    const size_t size = strtoul(argv[argc - 1], NULL, 10);
    char *all[BLOCKS];
    int bad = 0;

    if (strcmp(how, "sandbox") == 0)
        forbid_madvise();
    /* Allocate all before the first free, so that libc maps each. */
    for (int i = 0; i < BLOCKS; i++) {
        all[i] = malloc(size);
        memset(all[i], 1, size);
        change(how, page_in(all[i], how, size));
    }
    for (int i = 0; i < BLOCKS; i++)
        free(all[i]);

    char *const p = aligned_alloc(PAGE, size / PAGE * PAGE);
    memset(p, 2, size / PAGE * PAGE);
    change(how, page_in(p, how, size));
    free(p);

    char *const q = calloc(1, size);
    bad |= check_zero(q, size);
    memset(q, 3, size);
    bad |= check_child(q, size);
    free(q);
    char *const r = malloc(size);
    memset(r, 5, size);
    free(r);
    return bad != 0;
}
