// A block that only the kernel accesses, in calls by syscall(), is not reported as never
// accessed, also if a list of buffers leads to it. Each call below has blocks of its own that
// the program does not touch.
// RUN: %memprof-clang -fmemory-profile -O0 -w -fno-builtin %debugflags %s -o %t && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show --top=1000 %t.raw | FileCheck %s --implicit-check-not='never accessed' --implicit-check-not='no access seen'
// RUN: %build/bin/memprof-clang-%llvm-version -shared-libsan -fmemory-profile -O0 -w -fno-builtin %debugflags %s -o %t.shared && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t.shared
// RUN: %memprofdata show --top=1000 %t.raw | FileCheck %s --implicit-check-not='never accessed' --implicit-check-not='no access seen'
// RUN: %build/bin/memprof-clang-%llvm-version -static -fmemory-profile -O0 -w -fno-builtin %debugflags %s -o %t.static && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t.static
// RUN: %memprofdata show --top=1000 %t.raw | FileCheck %s --implicit-check-not='never accessed' --implicit-check-not='no access seen'
// CHECK: check_last
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SIZE 256
#define EACH 4

static int zero, null, ends[2];

/* A block that the program never writes; its source line is its call stack. */
#define BLOCK() ((char *)calloc(1, SIZE))

static void check_vectors(void)
{
    struct iovec in[] = {{BLOCK(), SIZE},
                         {BLOCK(), SIZE}};
    struct iovec out[] = {{BLOCK(), SIZE},
                          {BLOCK(), SIZE}};

    syscall(SYS_readv, zero, in, 2);
    syscall(SYS_writev, null, out, 2);
    in[0].iov_base = BLOCK();
    syscall(SYS_preadv, zero, in, 1, 0, 0);
    in[0].iov_base = BLOCK();
    syscall(SYS_preadv2, zero, in, 1, 0, 0, 0);
    out[0].iov_base = BLOCK();
    syscall(SYS_pwritev, null, out, 1, 0, 0);
    out[0].iov_base = BLOCK();
    syscall(SYS_pwritev2, null, out, 1, 0, 0, 0);
    in[0].iov_base = BLOCK();
    syscall(SYS_process_vm_readv, getpid(), in, 1, out + 1, 1, 0);
    pipe(ends);
    out[0].iov_base = BLOCK();
    syscall(SYS_vmsplice, ends[1], out, 1, 0);
    close(ends[0]);
    close(ends[1]);
}

static void check_messages(void)
{
    struct iovec part = {BLOCK(), SIZE};
    struct mmsghdr messages[2] = {
        {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}}};

    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    syscall(SYS_sendmsg, ends[0], &messages[0].msg_hdr, 0);
    part.iov_base = BLOCK();
    messages[0].msg_hdr.msg_control = BLOCK();
    messages[0].msg_hdr.msg_controllen = SIZE;
    messages[0].msg_hdr.msg_name = BLOCK();
    messages[0].msg_hdr.msg_namelen = SIZE;
    syscall(SYS_recvmsg, ends[1], &messages[0].msg_hdr, 0);
    messages[0].msg_hdr = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
    struct iovec second = {BLOCK(), SIZE};
    messages[1].msg_hdr = (struct msghdr){.msg_iov = &second, .msg_iovlen = 1};
    syscall(SYS_sendmmsg, ends[0], messages, 2, 0);
    part.iov_base = BLOCK();
    second.iov_base = BLOCK();
    syscall(SYS_recvmmsg, ends[1], messages, 2, 0, NULL);
    syscall(SYS_sendto, ends[0], BLOCK(), SIZE, 0, NULL, 0);
    syscall(SYS_recvfrom, ends[1], BLOCK(), SIZE, 0, NULL, NULL);
    close(ends[0]);
    close(ends[1]);
}

static void check_requests(void)
{
    aio_context_t queue = 0;
    struct iovec part = {BLOCK(), SIZE};
    struct iocb plain = {.aio_lio_opcode = IOCB_CMD_PREAD,
                         .aio_fildes = zero,
                         .aio_buf = (unsigned long)BLOCK(),
                         .aio_nbytes = SIZE};
    struct iocb vector = {.aio_lio_opcode = IOCB_CMD_PREADV,
                          .aio_fildes = zero,
                          .aio_buf = (unsigned long)&part,
                          .aio_nbytes = 1};
    struct iocb *requests[] = {&plain, &vector};

    syscall(SYS_io_setup, 2, &queue);
    syscall(SYS_io_submit, queue, 2, requests);
    syscall(SYS_io_getevents, queue, 1, SIZE / sizeof(struct io_event), BLOCK(),
            NULL);
}

static void *map(int ring, size_t bytes, unsigned long offset)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                ring, (off_t)offset);
}

static void check_ring(void)
{
    struct io_uring_params params = {0};
    struct iovec part;
    const int ring = (int)syscall(SYS_io_uring_setup, EACH, &params);

    if (ring < 0)
        return; /* not allowed here */
    char *const queue = map(ring, params.sq_off.array + params.sq_entries * 4,
                            IORING_OFF_SQ_RING);
    struct io_uring_sqe *const requests = map(
        ring, params.sq_entries * sizeof(*requests), IORING_OFF_SQES);
    part = (struct iovec){BLOCK(), SIZE};
    requests[0] = (struct io_uring_sqe){.opcode = IORING_OP_READV,
                                        .fd = zero,
                                        .addr = (unsigned long)&part,
                                        .len = 1};
    requests[1] =
        (struct io_uring_sqe){.opcode = IORING_OP_WRITE,
                              .fd = null,
                              .addr = (unsigned long)BLOCK(),
                              .len = SIZE};
    for (unsigned i = 0; i < 2; i++)
        ((unsigned *)(queue + params.sq_off.array))[i] = i;
    __atomic_store_n((unsigned *)(queue + params.sq_off.tail), 2,
                     __ATOMIC_RELEASE);
    syscall(SYS_io_uring_enter, ring, 2, 2, IORING_ENTER_GETEVENTS, NULL, 0);
    part = (struct iovec){BLOCK(), SIZE};
    syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &part, 1);
    close(ring);
}

static void check_others(void)
{
    struct {
        unsigned long flags, pidfd, child_tid, parent_tid, signal, stack, size;
    } none = {.stack = (unsigned long)BLOCK()}; /* the kernel refuses it */
    const int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};

    syscall(SYS_poll, BLOCK(), 1, 0);
    syscall(SYS_ppoll, BLOCK(), 1, BLOCK(),
            NULL, 8);
    syscall(SYS_select, 0, BLOCK(),
            BLOCK(),
            BLOCK(),
            BLOCK());
    pipe(ends);
    write(ends[1], "x", 1);
    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    syscall(SYS_epoll_wait, set, BLOCK(), 1, 0);
    syscall(SYS_futex, BLOCK(), 1, 1);
    syscall(SYS_copy_file_range, zero, BLOCK(), null,
            BLOCK(), 1, 0);
    syscall(SYS_splice, zero, BLOCK(), ends[1], NULL, 1, 0);
    syscall(SYS_sendfile, null, zero, BLOCK(), 1);
    syscall(SYS_getdents64, open("/", O_RDONLY), BLOCK(), SIZE);
    syscall(SYS_statx, AT_FDCWD, "/", 0, STATX_ALL, BLOCK());
    syscall(SYS_newfstatat, AT_FDCWD, "/", BLOCK(), 0);
    syscall(SYS_openat, AT_FDCWD, BLOCK(), O_RDONLY);
    syscall(SYS_getxattr, "/", "user.none", BLOCK(), SIZE);
    syscall(SYS_getrandom, BLOCK(), SIZE, 0);
    syscall(SYS_rt_sigprocmask, 0, NULL, BLOCK(), 8);
    syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, BLOCK());
    char *strings[] = {BLOCK(), NULL};
    syscall(SYS_execve, BLOCK(), strings,
            strings);
    syscall(SYS_clone3, &none, sizeof(none));
}

/* A list that cannot be read makes the call fail, and nothing else. */
static void check_wrong(void)
{
    static const long calls[] = {SYS_readv, SYS_preadv2, SYS_sendmsg,
                                 SYS_recvmmsg, SYS_process_vm_readv,
                                 SYS_execve, SYS_bpf};
    struct iovec *const parts = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct msghdr message = {.msg_iov = (struct iovec *)8, .msg_iovlen = 1};

    munmap((char *)parts + 4096, 4096);
    for (int i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        syscall(calls[i], -1, 8L, 2L, 0L, 0L);
        syscall(calls[i], -1, -1L, -1L, 0L, 0L);
        syscall(calls[i], -1, (char *)parts + 4090, 2L, 0L, 0L);
    }
    syscall(SYS_sendmsg, ends[0], &message, 0);
    syscall(SYS_io_submit, 0L, 2L, (char *)parts + 4088);
    syscall(SYS_execve, "/", (char *)parts + 4090, NULL);
    if (syscall(SYS_readv, zero, (char *)parts + 4096 - sizeof(*parts), 2) !=
            -1 || errno != EFAULT)
        exit(1);
}

static void check_last(void)
{
    char *const last = (char *)calloc(1, 1 << 20);
    last[0] = 1;
}

int main(void)
{
    zero = open("/dev/zero", O_RDONLY);
    null = open("/dev/null", O_WRONLY);
    check_vectors();
    check_messages();
    check_requests();
    check_ring();
    check_others();
    check_wrong();
    check_last();
    return 0;
}
