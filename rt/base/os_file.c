/* os_file.c -- files, directories, pipes and terminals.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"
#include "rt/base/log.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#define NS_PER_MS UINT64_C(1000000)
#define STANDARD_FD_MAX 2
/* Few programs get there, and the soft limit of most systems is above. */
#define HIGH_FD 1000
#define RENAME_EXCLUSIVE 1   /* RENAME_NOREPLACE of <linux/fs.h> */
#define FOR_WRITING 4        /* POLLOUT of <poll.h> */
#define PIPE_PART_BYTES 4096 /* PIPE_BUF */
#define STREAM_PATIENCE_MS 10000
#define DESCRIPTORS_MAX 65536

/* If the program closed its standard descriptors, our files must not get their
 * numbers: the program's output would go into them. */
static int64_t keep_off_standard(int64_t fd)
{
    if (fd < 0 || fd > STANDARD_FD_MAX)
        return fd;
    const int64_t higher =
        call4(SYS_fcntl, (uint64_t)fd, F_DUPFD_CLOEXEC, STANDARD_FD_MAX + 1, 0);
    mprt_os_close((int)fd);
    return higher;
}

static int open_file(const char *path, int flags, unsigned mode)
{
    int64_t result;

    do {
        result = call4(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
                       (uint64_t)(flags | O_CLOEXEC), mode);
    } while (result == ERROR_INTERRUPTED);
    return (int)keep_off_standard(result);
}

int mprt_os_open_read(const char *path)
{
    return open_file(path, O_RDONLY, 0);
}

int mprt_os_dup(int fd)
{
    return (int)call4(SYS_fcntl, (uint64_t)fd, F_DUPFD_CLOEXEC,
                      STANDARD_FD_MAX + 1, 0);
}

/* Restores the owner's permissions that the umask removed, because nobody could
 * read the file otherwise. */
static int create_file(const char *path, int flags, unsigned mode)
{
    const int fd = open_file(path, O_RDWR | flags, mode);
    struct stat st;

    if (fd >= 0 && call4(SYS_fstat, (uint64_t)fd, (uintptr_t)&st, 0, 0) == 0 &&
        (~st.st_mode & mode & S_IRWXU) != 0)
        call4(SYS_fchmod, (uint64_t)fd, (st.st_mode | mode) & S_IRWXU, 0, 0);
    return fd;
}

int mprt_os_create_exclusive(const char *path, unsigned mode)
{
    return create_file(path, O_CREAT | O_EXCL, mode);
}

int mprt_os_create_unnamed(const char *dir, unsigned mode)
{
    return create_file(dir, O_TMPFILE, mode);
}

int mprt_os_name_file(int fd, const char *path)
{
    char source[32];
    struct mprt_textbuf t = {.out = source, .size = sizeof(source)};

    MPRT_TEXT(&t, "/proc/self/fd/", MPRT_DEC((uint64_t)fd));
    return (int)mprt_os_call(SYS_linkat, (uint64_t)AT_FDCWD, (uintptr_t)source,
                             (uint64_t)AT_FDCWD, (uintptr_t)path,
                             AT_SYMLINK_FOLLOW, 0);
}

int mprt_os_close(int fd)
{
    return (int)call4(SYS_close, (uint64_t)fd, 0, 0, 0);
}

bool mprt_os_can_open(void)
{
    const int64_t fd = call4(SYS_eventfd2, 0, O_CLOEXEC, 0, 0);

    if (!is_error(fd))
        mprt_os_close((int)fd);
    return fd != ERROR_TOO_MANY_FILES;
}

int mprt_os_move_high(int fd)
{
    const int64_t high =
        fd < 0 ? fd
               : call4(SYS_fcntl, (uint64_t)fd, F_DUPFD_CLOEXEC, HIGH_FD, 0);

    if (high < 0)
        return fd;
    mprt_os_close(fd);
    return (int)high;
}

int mprt_os_open_high(const char *path)
{
    return mprt_os_move_high(open_file(path, O_WRONLY, 0));
}

int mprt_os_open_append(const char *path)
{
    return open_file(path, O_WRONLY | O_APPEND, 0);
}

void mprt_os_make_appending(int fd)
{
    call4(SYS_fcntl, (uint64_t)fd, F_SETFL, O_APPEND, 0);
}

uint64_t mprt_os_file_identity(int fd)
{
    struct stat st;

    return call4(SYS_fstat, (uint64_t)fd, (uintptr_t)&st, 0, 0) == 0
               ? st.st_ino ^ st.st_dev << 32
               : 0;
}

int mprt_os_empty(int fd)
{
    const int result = (int)call4(SYS_ftruncate, (uint64_t)fd, 0, 0, 0);

    call4(SYS_lseek, (uint64_t)fd, 0, SEEK_SET, 0);
    return result;
}

int64_t mprt_os_read(int fd, void *data, size_t n)
{
    int64_t result;

    do {
        result = call4(SYS_read, (uint64_t)fd, (uintptr_t)data, n, 0);
    } while (result == ERROR_INTERRUPTED);
    return result;
}

int64_t mprt_os_read_at(int fd, void *data, size_t n, uint64_t offset)
{
    int64_t result;

    do {
        result = call4(SYS_pread64, (uint64_t)fd, (uintptr_t)data, n, offset);
    } while (result == ERROR_INTERRUPTED);
    return result;
}

static _Thread_local int write_patience_ms;

void mprt_os_set_write_patience(int milliseconds)
{
    write_patience_ms = milliseconds;
}

/* False if fd takes nothing for too long. */
static bool wait_to_write(int fd)
{
    struct {
        int fd;
        int16_t events;
        int16_t seen;
    } place = {fd, FOR_WRITING, 0};
    int64_t result;

    if (write_patience_ms == 0)
        return true;
    do {
        result = call4(SYS_poll, (uintptr_t)&place, 1,
                       (uint64_t)write_patience_ms, 0);
    } while (result == ERROR_INTERRUPTED);
    return result != 0;
}

static int write_all(int fd, const void *data, size_t n)
{
    const char *p = data;

    while (n != 0) {
        /* A pipe that poll() reports as ready takes at least this much. */
        const size_t part =
            write_patience_ms != 0 ? mprof_min_u64(n, PIPE_PART_BYTES) : n;
        if (!wait_to_write(fd))
            return ERROR_AGAIN;
        const int64_t result =
            call4(SYS_write, (uint64_t)fd, (uintptr_t)p, part, 0);
        if (result == ERROR_INTERRUPTED)
            continue;
        if (result <= 0)
            return result == 0 ? ERROR_IO : (int)result;
        p += result;
        n -= (size_t)result;
    }
    return 0;
}

/* Exceeding the limit of a file's size and writing to a pipe without a reader
 * raise signals that would end the program. Here the error is enough, so the
 * signals are blocked and taken back. Signals that were pending before stay
 * pending. */
int mprt_os_write_all(int fd, const void *data, size_t n)
{
    const uint64_t unwanted =
        mprt_os_signal_bit(SIGXFSZ) | mprt_os_signal_bit(SIGPIPE);
    const struct timespec at_once = {0, 0};
    const uint64_t before = mprt_os_change_signals(true, unwanted);
    uint64_t waiting = 0;
    uint64_t raised = 0;

    call4(SYS_rt_sigpending, (uintptr_t)&waiting, sizeof(waiting), 0, 0);
    const int result = write_all(fd, data, n);
    if (result != 0) {
        raised = unwanted & ~waiting;
        while (raised != 0 &&
               !is_error(call4(SYS_rt_sigtimedwait, (uintptr_t)&raised, 0,
                               (uintptr_t)&at_once, sizeof(raised))))
            continue;
    }
    mprt_os_restore_signals(before);
    return result;
}

bool mprt_os_is_stream(int fd)
{
    struct stat st;

    return call4(SYS_fstat, (uint64_t)fd, (uintptr_t)&st, 0, 0) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* Only pipes and sockets need the lock. The kernel keeps one write to a file
 * together, and devices are shared by all programs. */
bool mprt_os_lock_stream(int fd)
{
    const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int patience =
        write_patience_ms != 0 ? write_patience_ms : STREAM_PATIENCE_MS;
    _Atomic uint32_t nothing = 0;

    if (!mprt_os_is_stream(fd))
        return false;
    for (int ms = 0; ms < patience; ms++) {
        const int64_t result =
            call4(SYS_fcntl, (uint64_t)fd, F_SETLK, (uintptr_t)&lock, 0);
        if (result != ERROR_AGAIN && result != ERROR_ACCESS)
            return result == 0;
        mprt_os_sleep_privately(&nothing, 0, NS_PER_MS);
    }
    return false;
}

void mprt_os_unlock_stream(int fd)
{
    const struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    call4(SYS_fcntl, (uint64_t)fd, F_SETLK, (uintptr_t)&lock, 0);
}

int mprt_os_truncate(const char *path, uint64_t bytes)
{
    return (int)call4(SYS_truncate, (uintptr_t)path, bytes, 0, 0);
}

int mprt_os_rename_exclusive(const char *from, const char *to)
{
    int64_t result =
        mprt_os_call(SYS_renameat2, (uint64_t)AT_FDCWD, (uintptr_t)from,
                     (uint64_t)AT_FDCWD, (uintptr_t)to, RENAME_EXCLUSIVE, 0);

    if (result != ERROR_INVALID && result != ERROR_NO_SYSCALL &&
        result != ERROR_PERMISSION)
        return (int)result;
    /* Some file systems and sandboxes do not support the flag: make a second
     * link, then remove the first. */
    result = call4(SYS_link, (uintptr_t)from, (uintptr_t)to, 0, 0);
    if (!is_error(result))
        mprt_os_unlink(from);
    return (int)result;
}

int mprt_os_rename_over(const char *from, const char *to)
{
    return (int)call4(SYS_rename, (uintptr_t)from, (uintptr_t)to, 0, 0);
}

int mprt_os_unlink(const char *path)
{
    return (int)call4(SYS_unlink, (uintptr_t)path, 0, 0, 0);
}

int mprt_os_mkdir(const char *path, unsigned mode)
{
    const int err = (int)call4(SYS_mkdir, (uintptr_t)path, mode, 0, 0);
    struct stat st;

    if (err == 0 &&
        call4(SYS_stat, (uintptr_t)path, (uintptr_t)&st, 0, 0) == 0 &&
        (~st.st_mode & mode & S_IRWXU) != 0)
        call4(SYS_chmod, (uintptr_t)path, (st.st_mode | mode) & S_IRWXU, 0, 0);
    return err;
}

int64_t mprt_os_readlink(const char *path, char *out, size_t size)
{
    return call4(SYS_readlink, (uintptr_t)path, (uintptr_t)out, size, 0);
}

bool mprt_os_getcwd(char *out, size_t size)
{
    return call4(SYS_getcwd, (uintptr_t)out, size, 0, 0) > 0 && out[0] == '/';
}

int mprt_os_open_special(const char *path)
{
    struct stat st;

    if (call4(SYS_newfstatat, (uint64_t)AT_FDCWD, (uintptr_t)path,
              (uintptr_t)&st, 0) != 0 ||
        S_ISREG(st.st_mode))
        return ERROR_NO_ENTRY;
    const int64_t fd = open_file(path, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd >= 0)
        call4(SYS_fcntl, (uint64_t)fd, F_SETFL, O_WRONLY, 0);
    return (int)fd;
}

/* Layout of getdents64(). */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

bool mprt_os_is_number(const char *name, uint32_t *number)
{
    *number = 0;
    if (*name == '\0')
        return false;
    for (; *name >= '0' && *name <= '9'; name++)
        *number = 10 * *number + (uint32_t)(*name - '0');
    return *name == '\0';
}

void mprt_os_visit_numbers(int dir,
                           bool (*visit)(void *context, uint32_t number),
                           void *context)
{
    _Alignas(struct entry) char entries[2048];
    int64_t n;
    uint32_t number;

    while ((n = call4(SYS_getdents64, (uint64_t)dir, (uintptr_t)entries,
                      sizeof(entries), 0)) > 0) {
        for (int64_t at = 0; at < n;) {
            const struct entry *const e =
                (const struct entry *)(const void *)(entries + at);
            if (mprt_os_is_number(e->name, &number) && !visit(context, number))
                return;
            at += e->bytes;
        }
    }
}

static bool close_from_to(uint32_t first, uint32_t last)
{
    return first > last || !is_error(call4(SYS_close_range, first, last, 0, 0));
}

void mprt_os_close_all(int kept)
{
    if ((kept <= 0 || close_from_to(0, (uint32_t)kept - 1)) &&
        close_from_to((uint32_t)(kept + 1), UINT32_MAX))
        return;
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        if (fd != kept)
            mprt_os_close(fd);
    }
}
