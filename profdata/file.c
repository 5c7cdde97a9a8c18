/* file.c -- whole files in, whole files out.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/file.h"
#include "profdata/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small files are read: that is cheaper than a mapping and its faults. */
#define MAP_BYTES_MIN (256u << 10)
#define READ_BYTES_FIRST (64u << 10)

static const uint8_t nothing[1];

static enum mprof_err fail_io(struct mprof_diag *diag, const char *path,
                              int error)
{
    const enum mprof_err err = error == ENOMEM ? MPROF_E_NOMEM : MPROF_E_IO;

    if (err == MPROF_E_NOMEM)
        mprof_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    else
        mpdata_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET, "%s",
                    strerror(error));
    if (diag != NULL)
        diag->file = path;
    return err;
}

bool mpdata_file_is_standard(const char *path)
{
    return path[0] == '-' && path[1] == '\0';
}

/* Reads to the end, whatever the descriptor is. 0 or an errno. */
static int read_all(int fd, uint8_t **data, size_t *size)
{
    size_t capacity = READ_BYTES_FIRST;
    size_t n = 0;
    uint8_t *bytes = (uint8_t *)malloc(capacity);

    while (bytes != NULL) {
        const ssize_t got = read(fd, bytes + n, capacity - n);
        uint8_t *more;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            const int error = errno;

            free(bytes);
            return error;
        }
        n += (size_t)got;
        if (got == 0) {
            *data = bytes;
            *size = n;
            return 0;
        }
        if (n < capacity)
            continue;
        capacity *= 2;
        more = (uint8_t *)realloc(bytes, capacity);
        if (more == NULL)
            free(bytes);
        bytes = more;
    }
    return ENOMEM;
}

static int view_fd(struct mpdata_file *file, int fd)
{
    struct stat st;
    uint8_t *data = NULL;
    int error;

    if (fstat(fd, &st) != 0)
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (S_ISREG(st.st_mode) && st.st_size >= MAP_BYTES_MIN) {
        void *const map =
            mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (map != MAP_FAILED) {
            file->mapped = map;
            file->data = (const uint8_t *)map;
            file->size = (size_t)st.st_size;
            return 0;
        }
    }
    error = read_all(fd, &data, &file->size);
    file->owned = data;
    file->data = data;
    return error;
}

enum mprof_err mpdata_file_open(struct mpdata_file *file, const char *path,
                                struct mprof_diag *diag)
{
    const int fd = mpdata_file_is_standard(path)
                       ? STDIN_FILENO
                       : open(path, O_RDONLY | O_CLOEXEC);
    int error;

    *file = (struct mpdata_file){.data = NULL};
    if (fd < 0)
        return fail_io(diag, path, errno);
    error = view_fd(file, fd);
    if (fd != STDIN_FILENO)
        close(fd);
    return error == 0 ? MPROF_E_OK : fail_io(diag, path, error);
}

void mpdata_file_close(struct mpdata_file *file)
{
    if (file->mapped != NULL)
        munmap(file->mapped, file->size);
    free(file->owned);
    *file = (struct mpdata_file){.data = nothing};
}

/* 0 or an errno. */
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

static enum mprof_err write_standard(const void *data, size_t size,
                                     struct mprof_diag *diag)
{
    int error;

    if (isatty(STDOUT_FILENO))
        return mpdata_fail(diag, MPROF_E_USAGE, NULL, MPROF_DIAG_NO_OFFSET,
                           "a profile is not written to a terminal; give a "
                           "file with -o or redirect the output");
    error = write_all(STDOUT_FILENO, (const uint8_t *)data, size);
    return error == 0 ? MPROF_E_OK : fail_io(diag, "standard output", error);
}

static int write_in_place(const char *path, const void *data, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error;

    if (fd < 0)
        return errno;
    error = write_all(fd, (const uint8_t *)data, size);
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

static mode_t new_file_mode(void)
{
    const mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* Everything up to the rename; removes the temporary file on failure. Its name
 * starts with a dot, so that nobody takes what a killed process left of it for
 * a profile. */
static int write_renamed(const char *path, const void *data, size_t size,
                         mode_t mode)
{
    const char *slash = strrchr(path, '/');
    const int dir_bytes = slash != NULL ? (int)(slash + 1 - path) : 0;
    char *temporary = NULL;
    int error = 0;
    int fd;

    if (asprintf(&temporary, "%.*s.%s.XXXXXX", dir_bytes, path,
                 path + dir_bytes) < 0)
        return ENOMEM;
    fd = mkostemp(temporary, O_CLOEXEC);
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

    if (mpdata_file_is_standard(path))
        return write_standard(data, size, diag);
    if (stat(path, &st) != 0) {
        error = write_renamed(path, data, size, new_file_mode());
    } else if (!S_ISREG(st.st_mode)) {
        error = S_ISDIR(st.st_mode) ? EISDIR : write_in_place(path, data, size);
    } else {
        /* Through a link: what it points to is replaced, not the link. */
        target = realpath(path, NULL);
        error = target == NULL
                    ? errno
                    : write_renamed(target, data, size, st.st_mode & 0777);
    }
    free(target);
    return error == 0 ? MPROF_E_OK : fail_io(diag, path, error);
}
