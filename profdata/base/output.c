/* output.c -- a file in the making: memory while it is small, then a file
 * without a name (O_TMPFILE), mapped. Whoever kills the process leaves nothing
 * behind.
 *
 * Room in the file is taken before it is touched, so a full disk is an error
 * here and no signal later. Whatever goes wrong, the bytes move to memory, and
 * mpdata_file_write() has the last word, and the error. A stream is none of
 * this: what a sink takes is sent on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/output.h"
#include "profdata/base/file.h"
#include "profdata/base/heapbuf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small files are not worth the system calls. */
#define FILE_BYTES_MIN (320u << 10)
#define NAMES_TRIED 64
/* A file grows by this at most, and so much is in memory of what it has. */
#define FILE_STEP_BYTES (16u << 20)
/* A stream gets that much at a time. */
#define SEND_BYTES (1u << 20)

/* What the output will replace: the file that a link points to, whose
 * permissions it shall have, or what was named. NULL where it is no plain file,
 * or without memory; caller frees. */
static char *find_target(const char *path, bool *is_there, struct stat *st)
{
    *is_there = false;
    if (mpdata_file_is_standard(path))
        return NULL;
    *is_there = stat(path, st) == 0;
    if (!*is_there)
        return strdup(path);
    return S_ISREG(st->st_mode) ? realpath(path, NULL) : NULL;
}

static int directory_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? (int)(slash + 1 - path) : 0;
}

/* A file without a name beside `path`, or -1. */
static int open_unnamed(const char *path)
{
    bool is_there;
    struct stat st;
    char *directory = find_target(path, &is_there, &st);
    int fd;

    if (directory == NULL)
        return -1;
    directory[directory_bytes(directory)] = '\0';
    fd = open(directory[0] != '\0' ? directory : ".",
              O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    free(directory);
    return fd;
}

/* Maps capacity bytes of the file, which has room for them. What is written is
 * the file's to keep. */
static bool map_file(struct mpdata_output *output, size_t capacity)
{
    struct mprof_buf *const buf = &output->buf;
    void *map;

    if (fallocate(output->fd, 0, 0, (off_t)capacity) != 0)
        return false;
    map = buf->capacity != 0
              ? mremap(buf->data, buf->capacity, capacity, MREMAP_MAYMOVE)
              : mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED,
                     output->fd, 0);
    if (map == MAP_FAILED)
        return false;
    (void)madvise(map, buf->capacity, MADV_DONTNEED);
    buf->data = (uint8_t *)map;
    buf->capacity = capacity;
    return true;
}

/* From memory to the file. False: it stays where it is. */
static bool move_to_file(struct mpdata_output *output, size_t capacity)
{
    const struct mprof_buf was = output->buf;

    output->fd = open_unnamed(output->path);
    output->buf.capacity = 0;
    if (output->fd >= 0 && map_file(output, capacity)) {
        memcpy(output->buf.data, was.data, was.size);
        free(was.data);
        return true;
    }
    if (output->fd >= 0)
        close(output->fd);
    output->fd = -1;
    output->is_memory = true;
    output->buf = was;
    return false;
}

static void close_file(struct mpdata_output *output, void *map, size_t bytes)
{
    munmap(map, bytes);
    close(output->fd);
    output->fd = -1;
}

/* And back, because there is no more room in the file. */
static bool move_to_memory(struct mpdata_output *output, size_t capacity)
{
    const struct mprof_buf was = output->buf;
    uint8_t *data = (uint8_t *)malloc(capacity);

    if (data == NULL)
        return false;
    memcpy(data, was.data, was.size);
    close_file(output, was.data, was.capacity);
    output->is_memory = true;
    output->buf.data = data;
    output->buf.capacity = capacity;
    return true;
}

/* Memory up to what a file is not worth, and no more. */
static bool grow_small(struct mprof_buf *buf, size_t capacity)
{
    uint8_t *data;

    if (capacity <= FILE_BYTES_MIN / 4)
        return mpdata_heapbuf_grow(buf, capacity);
    if (capacity < FILE_BYTES_MIN)
        capacity = FILE_BYTES_MIN;
    data = (uint8_t *)realloc(buf->data, capacity);
    if (data == NULL)
        return false;
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

static bool grow(struct mprof_buf *buf, size_t capacity)
{
    struct mpdata_output *const output = (struct mpdata_output *)buf;
    const size_t more = buf->capacity < FILE_STEP_BYTES || output->fd < 0
                            ? buf->capacity
                            : FILE_STEP_BYTES;
    const size_t grown =
        buf->capacity <= SIZE_MAX / 2 ? buf->capacity + more : 0;
    const size_t wanted = capacity < grown ? grown : capacity;

    if (output->fd < 0 && !output->is_memory && capacity > FILE_BYTES_MIN &&
        move_to_file(output, wanted))
        return true;
    if (output->fd < 0 && !output->is_memory)
        return grow_small(buf, capacity);
    if (output->fd < 0)
        return mpdata_heapbuf_grow(buf, capacity);
    return map_file(output, wanted) || map_file(output, capacity) ||
           move_to_memory(output, wanted);
}

void mpdata_output_init(struct mpdata_output *output, const char *path)
{
    *output = (struct mpdata_output){.path = path, .fd = -1, .stream_fd = -1};
    output->buf.grow = grow;
}

void mpdata_output_fini(struct mpdata_output *output)
{
    if (output->fd >= 0)
        close_file(output, output->buf.data, output->buf.capacity);
    else
        free(output->buf.data);
    if (output->stream_fd >= 0)
        close(output->stream_fd);
    mpdata_output_init(output, output->path);
}

/* Gives the file a name of its own, which starts with a dot, so that nobody
 * takes what a killed process left of it for a profile. NULL for failure. */
static char *name_file(int fd, const char *target)
{
    const int dir_bytes = directory_bytes(target);
    char unnamed[32];

    snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", fd);
    for (int i = 0; i < NAMES_TRIED; i++) {
        char *name;

        if (asprintf(&name, "%.*s.%s.%d-%d", dir_bytes, target,
                     target + dir_bytes, (int)getpid(), i) < 0)
            return NULL;
        if (linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
            return name;
        free(name);
    }
    return NULL;
}

/* Puts the file where it belongs. */
static bool publish(const struct mpdata_output *output)
{
    bool is_there;
    struct stat st;
    char *target = find_target(output->path, &is_there, &st);
    char *name = NULL;
    bool is_done = false;

    if (target == NULL ||
        (is_there && fchmod(output->fd, st.st_mode & 0777) != 0) ||
        ftruncate(output->fd, (off_t)output->buf.size) != 0)
        goto out;
    name = name_file(output->fd, target);
    is_done = name != NULL && rename(name, target) == 0;
    if (name != NULL && !is_done)
        unlink(name);
out:
    free(name);
    free(target);
    return is_done;
}

static bool send_bytes(void *context, const char *bytes, size_t size)
{
    struct mpdata_output *const output = (struct mpdata_output *)context;
    struct mprof_buf *const buf = &output->buf;

    mprof_buf_bytes(buf, bytes, size);
    if (buf->size < SEND_BYTES)
        return !buf->failed;
    output->sent_bytes += buf->size;
    if (mpdata_file_send(output->path, &output->stream_fd, buf->data, buf->size,
                         &output->sent) != MPROF_E_OK)
        return false;
    buf->size = 0;
    return !buf->failed;
}

struct mpdata_sink mpdata_output_sink(struct mpdata_output *output)
{
    return mpdata_file_is_stream(output->path)
               ? (struct mpdata_sink){.write = send_bytes, .context = output}
               : mpdata_sink_to_buf(&output->buf);
}

/* Only what is too large is so for this output. */
enum mprof_err mpdata_output_fail(const struct mpdata_output *output,
                                  enum mprof_err err, struct mprof_diag *diag)
{
    if (output->sent.err != MPROF_E_OK) {
        *diag = output->sent;
        return diag->err;
    }
    mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_LIMIT || err == MPROF_E_FRAMES)
        diag->file = output->path;
    return err;
}

enum mprof_err mpdata_output_finish(struct mpdata_output *output,
                                    struct mprof_diag *diag)
{
    enum mprof_err err;

    if (output->fd >= 0 && publish(output))
        return MPROF_E_OK;
    if (output->sent_bytes == 0)
        return mpdata_file_write(output->path, output->buf.data,
                                 output->buf.size, diag);
    err = mpdata_file_send(output->path, &output->stream_fd, output->buf.data,
                           output->buf.size, diag);
    return err == MPROF_E_OK
               ? mpdata_file_end_stream(output->path, &output->stream_fd, diag)
               : err;
}
