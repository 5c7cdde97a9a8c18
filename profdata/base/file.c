/* file.c -- reads and writes whole files.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reading a small file is cheaper than mapping it. */
#define MAP_BYTES_MIN (256u << 10)
#define READ_BYTES_FIRST (64u << 10)

static const uint8_t nothing[1];

static enum mprof_err fail_io(struct mprof_diag *diag, const char *path,
                              int error)
{
    const enum mprof_err err = error == ENOMEM ? MPROF_E_NOMEM : MPROF_E_IO;

    mpdata_diag_text(diag, err, "%s",
                     err == MPROF_E_NOMEM ? "" : strerror(error));
    if (diag != NULL)
        diag->file = path;
    return err;
}

bool mpdata_file_is_standard(const char *path)
{
    return path[0] == '-' && path[1] == '\0';
}

/* Data of a pipe or device is held in memory: at most half of the machine's
 * memory and of the limit of this process. */
static size_t stream_bytes_max(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    size_t max = SIZE_MAX / 4;
    struct rlimit limit;

    if (pages > 0 && page_bytes > 0)
        max = (size_t)mprof_min_u64(max,
                                    (uint64_t)pages * (uint64_t)page_bytes / 2);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        max = (size_t)mprof_min_u64(max, limit.rlim_cur / 2);
    return max;
}

/* Reads *size bytes, or fewer if the start is rejectable. 0 or an errno. */
static int read_start(int fd, uint8_t **data, size_t *size,
                      mpdata_file_rejectable_fn *is_rejectable)
{
    const size_t max = *size;
    size_t capacity = (size_t)mprof_min_u64(READ_BYTES_FIRST, max);
    size_t n = 0;
    uint8_t *bytes = malloc(capacity);

    while (bytes != NULL) {
        const ssize_t got = read(fd, bytes + n, capacity - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            const int error = errno;

            free(bytes);
            return error;
        }
        n += (size_t)got;
        if (got == 0 || n == max ||
            (n == capacity && n == READ_BYTES_FIRST && is_rejectable != NULL &&
             is_rejectable(bytes, n))) {
            *data = bytes;
            *size = n;
            return 0;
        }
        if (n < capacity)
            continue;
        capacity = (size_t)mprof_min_u64(capacity * 2, max);
        uint8_t *more = realloc(bytes, capacity);
        if (more == NULL)
            free(bytes);
        bytes = more;
    }
    return ENOMEM;
}

/* Reads to the end; EFBIG if there are more than stream_bytes_max() bytes. */
static int read_stream(struct mpdata_file *file, int fd,
                       mpdata_file_rejectable_fn *is_rejectable)
{
    const size_t max = stream_bytes_max();
    uint8_t *data = NULL;
    size_t size = max;
    const int error = read_start(fd, &data, &size, is_rejectable);

    if (error == 0 && size == max) {
        free(data);
        return EFBIG;
    }
    file->owned = data;
    file->data = data;
    file->size = size;
    return error;
}

/* Maps or reads `size` bytes, the file's size when it was opened. */
static int view_plain(struct mpdata_file *file, int fd, size_t size)
{
    uint8_t *data = NULL;

    if (size >= MAP_BYTES_MIN) {
        void *const map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (map != MAP_FAILED) {
            file->mapped = map;
            file->mapped_bytes = size;
            file->data = (const uint8_t *)map;
            file->size = size;
            return 0;
        }
    }
    int error = read_start(fd, &data, &size, NULL);
    file->owned = data;
    file->data = data;
    file->size = size;
    return error;
}

static enum mprof_err fail_kind(struct mprof_diag *diag, const char *path)
{
    mpdata_diag_text(diag, MPROF_E_IO, "it is not a plain file");
    if (diag != NULL)
        diag->file = path;
    return MPROF_E_IO;
}

static enum mprof_err fail_endless(struct mprof_diag *diag, const char *path)
{
    mpdata_diag_text(
        diag, MPROF_E_IO,
        "it is a pipe or device with more than %zu MiB, half of the "
        "memory",
        stream_bytes_max() >> 20);
    if (diag != NULL)
        diag->file = path;
    return MPROF_E_IO;
}

/* A profile may name a pipe. Its writer would take us for its reader, so a pipe
 * is not even opened; O_NONBLOCK avoids waiting if a pipe replaces the file
 * after stat(). At most st_size bytes are read: the kernel's files claim 0
 * bytes and may never end. */
enum mprof_err mpdata_file_open(struct mpdata_file *file, const char *path,
                                struct mprof_diag *diag)
{
    struct stat st;
    int error = 0;

    *file = (struct mpdata_file){.data = NULL};
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return fail_kind(diag, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENXIO ? fail_kind(diag, path)
                              : fail_io(diag, path, errno);
    if (fstat(fd, &st) != 0)
        error = errno;
    else if (S_ISDIR(st.st_mode))
        error = EISDIR;
    if (error == 0 && !S_ISREG(st.st_mode)) {
        close(fd);
        return fail_kind(diag, path);
    }
    if (error == 0)
        error = view_plain(file, fd, (size_t)st.st_size);
    close(fd);
    return error == 0 ? MPROF_E_OK : fail_io(diag, path, error);
}

enum mprof_err mpdata_file_open_input(struct mpdata_file *file,
                                      const char *path,
                                      mpdata_file_rejectable_fn *is_rejectable,
                                      struct mprof_diag *diag)
{
    const bool is_standard = mpdata_file_is_standard(path);
    struct stat st;
    int error;

    *file = (struct mpdata_file){.data = NULL};
    int fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_io(diag, path, errno);
    if (fstat(fd, &st) != 0)
        error = errno;
    else if (S_ISDIR(st.st_mode))
        error = EISDIR;
    else if (S_ISREG(st.st_mode) && !is_standard && st.st_size != 0)
        error = view_plain(file, fd, (size_t)st.st_size);
    else if (S_ISREG(st.st_mode) && st.st_size >= (off_t)MAP_BYTES_MIN &&
             lseek(fd, 0, SEEK_CUR) == 0)
        error = view_plain(file, fd, (size_t)st.st_size);
    else
        error = read_stream(file, fd, is_rejectable);
    if (!is_standard)
        close(fd);
    return error == 0       ? MPROF_E_OK
           : error == EFBIG ? fail_endless(diag, path)
                            : fail_io(diag, path, error);
}

void mpdata_file_forget(const struct mpdata_file *file)
{
    if (file->mapped != NULL)
        (void)madvise(file->mapped, file->size, MADV_DONTNEED);
}

void mpdata_file_close(struct mpdata_file *file)
{
    if (file->mapped != NULL)
        munmap(file->mapped, file->mapped_bytes);
    free(file->owned);
    *file = (struct mpdata_file){.data = nothing};
}

/* Returns 0 or an errno. */
static int write_all(int fd, const uint8_t *data, size_t size)
{
    while (size != 0) {
        const ssize_t n = write(fd, data, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

bool mpdata_file_is_stream(const char *path)
{
    struct stat st;

    return mpdata_file_is_standard(path) ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
            !S_ISDIR(st.st_mode));
}

static enum mprof_err send_standard(const void *data, size_t size,
                                    struct mprof_diag *diag)
{
    if (isatty(STDOUT_FILENO))
        return mpdata_diag_text(
            diag, MPROF_E_USAGE,
            "a profile is not written to a terminal; give a "
            "file with -o or redirect the output");
    int error = write_all(STDOUT_FILENO, (const uint8_t *)data, size);
    return error == 0 ? MPROF_E_OK : fail_io(diag, "standard output", error);
}

enum mprof_err mpdata_file_send(const char *path, int *fd, const void *data,
                                size_t size, struct mprof_diag *diag)
{
    if (mpdata_file_is_standard(path))
        return send_standard(data, size, diag);
    if (*fd < 0)
        *fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = *fd < 0 ? errno : write_all(*fd, (const uint8_t *)data, size);
    return error == 0 ? MPROF_E_OK : fail_io(diag, path, error);
}

enum mprof_err mpdata_file_end_stream(const char *path, int *fd,
                                      struct mprof_diag *diag)
{
    const int error = *fd >= 0 && close(*fd) != 0 ? errno : 0;

    *fd = -1;
    return error == 0 ? MPROF_E_OK : fail_io(diag, path, error);
}

static enum mprof_err write_stream(const char *path, const void *data,
                                   size_t size, struct mprof_diag *diag)
{
    int fd = -1;
    const enum mprof_err err = mpdata_file_send(path, &fd, data, size, diag);
    const enum mprof_err ended =
        mpdata_file_end_stream(path, &fd, err == MPROF_E_OK ? diag : NULL);

    return err != MPROF_E_OK ? err : ended;
}

static mode_t new_file_mode(void)
{
    const mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* Writes and renames the temporary file; removes it on failure. Its name starts
 * with a dot, so nobody takes a killed process's remains for a profile. */
static int write_renamed(const char *path, const void *data, size_t size,
                         mode_t mode)
{
    const char *slash = strrchr(path, '/');
    const int dir_bytes = slash != NULL ? (int)(slash + 1 - path) : 0;
    char *temporary = NULL;
    int error = 0;

    if (asprintf(&temporary, "%.*s.%s.XXXXXX", dir_bytes, path,
                 path + dir_bytes) < 0)
        return ENOMEM;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        error = errno;
        goto out;
    }
    error = write_all(fd, (const uint8_t *)data, size);
    if (error == 0 && fchmod(fd, mode) != 0)
        error = errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(temporary, path) != 0)
        error = errno;
    if (error != 0)
        unlink(temporary);
out:
    free(temporary);
    return error;
}

enum mprof_err mpdata_file_write(const char *path, const void *data,
                                 size_t size, struct mprof_diag *diag)
{
    struct stat st;
    char *target = NULL;
    int error;

    if (mpdata_file_is_stream(path))
        return write_stream(path, data, size, diag);
    if (stat(path, &st) != 0) {
        error = write_renamed(path, data, size, new_file_mode());
    } else if (S_ISDIR(st.st_mode)) {
        error = EISDIR;
    } else {
        /* Replaces the target of a symbolic link, not the link. */
        target = realpath(path, NULL);
        error = target == NULL
                    ? errno
                    : write_renamed(target, data, size, st.st_mode & 0777);
    }
    free(target);
    return error == 0 ? MPROF_E_OK : fail_io(diag, path, error);
}

bool mpdata_file_replace(const char *path, const void *data, size_t size)
{
    return write_renamed(path, data, size, new_file_mode()) == 0;
}
