// Input and output count the transferred bytes, as in LLVM's runtime.
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t && %t
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -DLLVM_RUNTIME -c %s -o %t.llvm.o
// RUN: %clang -fmemory-profile %t.llvm.o -o %t.llvm && %t.llvm
#include "counts.h"
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);
char *__getcwd_chk(char *, size_t, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t);
int __gethostname_chk(char *, size_t, size_t);
wchar_t *__fgetws_chk(wchar_t *, size_t, int, FILE *);
ssize_t __getdelim(char **, size_t *, int, FILE *);

/* Half of what there is room for: 20 bytes of B to 48 of A, in two parts; with
 * parts, message and control in B too, at 512. */
static struct iovec *parts(void *first, size_t n, void *second, size_t m)
{
    struct iovec *const v = (struct iovec *)(void *)(B + 512);

    v[0] = (struct iovec){first, n};
    v[1] = (struct iovec){second, m};
    return v;
}

static struct msghdr *message(struct iovec *vector)
{
    static struct msghdr m;

    m = (struct msghdr){.msg_iov = vector, .msg_iovlen = 2};
    return &m;
}

static struct mmsghdr *messages(struct iovec *vector)
{
    static struct mmsghdr m[2];

    m[0].msg_hdr = m[1].msg_hdr = *message(vector);
    return m;
}

static void check_vectors(int file, const int *ends)
{
    static char bytes[20];
    static const struct iovec other[] = {{bytes, sizeof(bytes)}};

    /* 16 bytes of the first part and 4 of the second; 4 words of parts. */
    ftruncate(file, 0);
    T(0, 3 + 4, pwritev(file, parts(B, 16, B + 16, 4), 2, 0));
    OURS(3, 4, preadv(file, parts(A, 16, A + 64, 100), 2, 0));
    OURS(0, 3 + 4, pwritev2(file, parts(B, 16, B + 16, 4), 2, 0, 0));
    OURS(3, 4, preadv2(file, parts(A, 16, A + 64, 100), 2, 0, 0));
    T(0, 0, preadv(-1, parts(A, 16, A + 64, 100), 2, 0));
    /* The other process's 20 bytes are in no block. */
    OURS(3, 4, process_vm_readv(getpid(), parts(A, 16, A + 64, 4), 2, other, 1, 0));
    T(0, 3 + 4, process_vm_writev(getpid(), parts(B, 16, B + 16, 4), 2, other, 1, 0));
    T(0, 0, process_vm_readv(-1, parts(A, 16, A + 64, 4), 2, other, 1, 0));
    /* LLVM's runtime counts the iovec array of sent data twice. */
    OURS(0, 3 + 4, sendmsg(ends[0], message(parts(B, 16, B + 16, 4)), 0));
    OURS(3, 4, recvmsg(ends[1], message(parts(A, 16, A + 64, 100)), 0));
    T(0, 0, recvmsg(-1, message(parts(A, 16, A + 64, 100)), 0));
    OURS(0, 3 + 4, sendmmsg(ends[0], messages(parts(B, 16, B + 16, 4)), 1, 0));
    OURS(3, 4, recvmmsg(ends[1], messages(parts(A, 16, A + 64, 100)), 2,
                     MSG_DONTWAIT, NULL));
}

static void check_streams(FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    wchar_t wide[100];

    rewind(file);
    OURS(3, 0, fread_unlocked(A, 1, 20, file));
    rewind(file);
    OURS(3, 0, __fread_chk(A, 1024, 1, 20, file));
    rewind(file);
    OURS(8, 0, fgets_unlocked(A, 100, file));
    rewind(file);
    OURS(8, 0, __fgets_chk(A, 1024, 100, file));
    OURS(0, 4, fputs_unlocked(B, file));
    OURS(0, 3, fwrite_unlocked(B, 1, 20, file));
    rewind(file);
    line = malloc(1);
    room = 1;
    if (__getdelim(&line, &room, 'd', file) != 4 || strcmp(line, "abcd") != 0)
        failures++;
    free(line);
    if (getline(NULL, NULL, file) != -1)
        failures++;
    file = tmpfile();
    OURS(0, 14, fputws(WB, file));
    rewind(file);
    OURS(14, 0, fgetws(WA, 100, file));
    OURS(0, 0, fgetws(WA, 100, file));
    rewind(file);
    OURS(14, 0, fgetws_unlocked(WA, 100, file));
    rewind(file);
    OURS(14, 0, __fgetws_chk(WA, 256, 100, file));
    OURS(0, 14, fputws_unlocked(WB, file));
}

/* Strings that the kernel returns, for directories and files with known
 * names. */
static void check_names(const int *ends)
{
    char folder[] = "/tmp/counts.XXXXXX", host[100];
    const int watch = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLOUT};
    char *made = NULL;
    const int back = open(".", O_RDONLY);

    /* "/tmp/counts.XXXXXX" and its end: 19 bytes. */
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 ||
        symlink("a target of 24 characters", "link") != 0 ||
        symlink(folder, "up") != 0)
        failures++;
    T(3, 0, getcwd(A, 100));
    T(0, 0, getcwd(A, 3));
    OURS(3, 0, __getcwd_chk(A, 100, 1024));
    made = getcwd(NULL, 0);
    if (take(made) == 0 || strcmp(made, folder) != 0)
        failures++;
    free(made);
    /* readlink() writes no terminator, and only what there is room for. */
    T(4, 1, (strcpy(B, "link"), take(B), readlink(B, A, 100)));
    T(2, 1, (strcpy(B, "link"), take(B), readlink(B, A, 10)));
    T(4, 1, (strcpy(B, "link"), take(B), readlinkat(AT_FDCWD, B, A, 100)));
    OURS(4, 1, (strcpy(B, "link"), take(B), __readlink_chk(B, A, 100, 1024)));
    OURS(0, 1, (strcpy(B, "none"), take(B), readlink(B, A, 100)));
    OURS(3, 1, (strcpy(B, "up"), take(B), realpath(B, A)));
    OURS(0, 1, (strcpy(B, "none"), take(B), realpath(B, A)));
    unlink("link");
    unlink("up");
    if (rmdir(folder) != 0 || fchdir(back) != 0)
        failures++;
    if (gethostname(host, sizeof(host)) != 0)
        failures++;
    OURS((strlen(host) + 8) / 8, 0, gethostname(A, 100));
    OURS((strlen(host) + 8) / 8, 0, __gethostname_chk(A, 100, 1024));
    OURS(4, 0, getentropy(A, 25));
    OURS(0, 0, getentropy(A, 300));
    /* One event of 12 bytes, although there is room for more. */
    epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event);
    OURS(2, 0, epoll_wait(watch, (struct epoll_event *)A, 20, -1));
    OURS(2, 0, epoll_pwait(watch, (struct epoll_event *)A, 20, -1, NULL));
    OURS(0, 0, epoll_wait(-1, (struct epoll_event *)A, 20, 0));
}

int main(void)
{
    int pipe_ends[2], ends[2];
    struct iovec vector;
    FILE *file;

    make_blocks();
    if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    file = tmpfile();
    T(0, 3, write(pipe_ends[1], B, 20));
    T(3, 0, read(pipe_ends[0], A, 100));
    T(0, 0, write(-1, B, 20));
    T(0, 3, (vector = (struct iovec){B, 20}, writev(pipe_ends[1], &vector, 1)));
    T(3, 0, (vector = (struct iovec){A, 100}, readv(pipe_ends[0], &vector, 1)));
    T(0, 3, send(ends[0], B, 20, 0));
    T(3, 0, recv(ends[1], A, 100, 0));
    T(0, 3, sendto(ends[0], B, 20, 0, NULL, 0));
    T(3, 0, recvfrom(ends[1], A, 100, 0, NULL, NULL));
    T(0, 3, pwrite(fileno(file), B, 20, 0));
    T(3, 0, pread(fileno(file), A, 100, 0));
    T(13, 0, getrandom(A, 100, 0));
    T(0, 0, getrandom(A, 100, -1));
    T(3, 0, fread(A, 3, 30, file));
    T(0, 2, fwrite(B, 3, 5, file));
    rewind(file);
    T(5, 0, fgets(A, 100, file));
    T(0, 4, fputs(B, file));
    check_streams(file);
    OURS(3, 0, (write(pipe_ends[1], "twenty bytes of text", 20),
                __read_chk(pipe_ends[0], A, 100, 1024)));
    OURS(3, 0, (send(ends[0], "twenty bytes of text", 20, 0),
                __recv_chk(ends[1], A, 100, 1024, 0)));
    OURS(3, 0, __pread_chk(fileno(file), A, 20, 0, 1024));
    check_vectors(fileno(file), ends);
    check_names(ends);
    return finish();
}
