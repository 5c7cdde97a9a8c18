/* os_socket.c -- sockets with a name in the file system.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"

#include <asm-generic/socket.h>
#include <fcntl.h>
#include <linux/un.h>
#include <sys/stat.h>
#include <time.h>

#define STANDARD_FD_MAX 2
#define FAMILY_UNIX 1 /* AF_UNIX and SOCK_* of <sys/socket.h> */
#define SOCKET_STREAM 1
#define SOCKET_AT_ONCE O_NONBLOCK
#define WITHOUT_SIGNAL 0x4000 /* MSG_NOSIGNAL, MSG_DONTWAIT */
#define AT_ONCE 0x40
#define OWNER_ONLY (S_IRUSR | S_IWUSR)

static bool set_address(struct sockaddr_un *address, const char *path)
{
    size_t n = 0;

    *address = (struct sockaddr_un){.sun_family = FAMILY_UNIX};
    for (; path[n] != '\0' && n + 1 < sizeof(address->sun_path); n++)
        address->sun_path[n] = path[n];
    return path[n] == '\0';
}

/* If the program closed its standard descriptors, ours must not get their
 * numbers. */
static int keep_off_standard(int64_t fd)
{
    if (fd < 0 || fd > STANDARD_FD_MAX)
        return (int)fd;
    const int higher = mprt_os_dup((int)fd);
    mprt_os_close((int)fd);
    return higher;
}

/* Makes a socket and connects or binds it. The name of a bound one has the
 * socket's mode from the beginning. */
static int make_socket(const char *path, int flags, long call)
{
    struct sockaddr_un address;

    if (!set_address(&address, path))
        return ERROR_NAME_TOO_LONG;
    const int fd = keep_off_standard(
        call4(SYS_socket, FAMILY_UNIX,
              (uint64_t)(SOCKET_STREAM | O_CLOEXEC | flags), 0, 0));
    if (fd < 0)
        return fd;
    call4(SYS_fchmod, (uint64_t)fd, OWNER_ONLY, 0, 0);
    const int64_t err =
        call4(call, (uint64_t)fd, (uintptr_t)&address, sizeof(address), 0);
    if (!is_error(err))
        return fd;
    mprt_os_close(fd);
    return (int)err;
}

int mprt_os_connect(const char *path)
{
    return make_socket(path, 0, SYS_connect);
}

int mprt_os_listen(const char *path, unsigned backlog)
{
    const int fd = make_socket(path, SOCKET_AT_ONCE, SYS_bind);

    if (fd < 0)
        return fd;
    const int64_t err = call4(SYS_listen, (uint64_t)fd, backlog, 0, 0);
    if (!is_error(err))
        return fd;
    mprt_os_unlink(path);
    mprt_os_close(fd);
    return (int)err;
}

bool mprt_os_is_served(const char *path)
{
    const int fd = make_socket(path, SOCKET_AT_ONCE, SYS_connect);

    if (fd >= 0)
        mprt_os_close(fd);
    return fd >= 0 || fd == ERROR_AGAIN || fd == ERROR_ACCESS;
}

enum mprt_os_place mprt_os_place(const char *path, uint64_t *identity)
{
    struct stat st;

    *identity = 0;
    if (is_error(call4(SYS_lstat, (uintptr_t)path, (uintptr_t)&st, 0, 0)))
        return MPRT_OS_PLACE_FREE;
    *identity = st.st_ino ^ st.st_dev << 32;
    if (S_ISSOCK(st.st_mode))
        return MPRT_OS_PLACE_SOCKET;
    if (S_ISLNK(st.st_mode) &&
        is_error(call4(SYS_stat, (uintptr_t)path, (uintptr_t)&st, 0, 0)))
        return MPRT_OS_PLACE_OTHER;
    return S_ISDIR(st.st_mode) ? MPRT_OS_PLACE_DIRECTORY : MPRT_OS_PLACE_OTHER;
}

int mprt_os_accept(int fd)
{
    return keep_off_standard(
        call4(SYS_accept4, (uint64_t)fd, 0, 0, O_CLOEXEC | SOCKET_AT_ONCE));
}

bool mprt_os_peer_may(int fd)
{
    struct {
        int32_t pid;
        uint32_t user;
        uint32_t group;
    } peer = {0, UINT32_MAX, 0};
    uint32_t bytes = sizeof(peer);

    return mprt_os_call(SYS_getsockopt, (uint64_t)fd, SOL_SOCKET, SO_PEERCRED,
                        (uintptr_t)&peer, (uintptr_t)&bytes, 0) == 0 &&
           (peer.user == 0 ||
            peer.user == (uint64_t)call4(SYS_geteuid, 0, 0, 0, 0));
}

int64_t mprt_os_receive(int fd, void *data, size_t n)
{
    return mprt_os_call(SYS_recvfrom, (uint64_t)fd, (uintptr_t)data, n, AT_ONCE,
                        0, 0);
}

int64_t mprt_os_send(int fd, const void *data, size_t n)
{
    return mprt_os_call(SYS_sendto, (uint64_t)fd, (uintptr_t)data, n,
                        AT_ONCE | WITHOUT_SIGNAL, 0, 0);
}

void mprt_os_poll(struct mprt_os_poll *places, size_t count, uint64_t ns,
                  uint64_t blocked)
{
    const struct timespec timeout = {.tv_sec = (time_t)(ns / NS_PER_S),
                                     .tv_nsec = (long)(ns % NS_PER_S)};

    if (mprt_os_call(SYS_ppoll, (uintptr_t)places, count, (uintptr_t)&timeout,
                     (uintptr_t)&blocked, sizeof(blocked), 0) > 0)
        return;
    for (size_t i = 0; i < count; i++)
        places[i].seen = 0;
}
