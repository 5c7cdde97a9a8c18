/* log_sink.c -- where the log goes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/log_parts.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/procfs.h"
#include "rt/base/log.h"
#include "rt/base/thread.h"
#include "rt/dump/outfile.h"

#include <errno.h>

#define FILE_MODE 0640
#define NUMBERS_MAX 1000000u
#define FD_PREFIX "fd:"
#define UNIX_PREFIX "unix:"

static char pattern[MPRT_PATH_BYTES];
static char file[MPRT_PATH_BYTES]; /* that open_new() made, or "" */
static char reason[32];

void mprt_log_sink_init(void)
{
    struct mprt_textbuf t = {.out = pattern, .size = sizeof(pattern)};

    mprt_textbuf_str(&t, mprt_options.log);
    mprt_outname_make_absolute(pattern);
}

/* The rest of the option's value behind a prefix, or NULL. */
static const char *behind(const char *prefix)
{
    const size_t n = mprt_libc_strlen(prefix);

    return mprt_libc_strlen(mprt_options.log) >= n &&
                   mprt_libc_memcmp(mprt_options.log, prefix, n) == 0
               ? mprt_options.log + n
               : NULL;
}

static int open_descriptor(const char *text)
{
    const char *digits = text;
    int fd = 0;

    for (; *digits >= '0' && *digits <= '9' && fd < 100000; digits++)
        fd = 10 * fd + *digits - '0';
    return *digits == '\0' && digits != text ? mprt_os_dup(fd) : -EBADF;
}

static int connect_to(const char *path)
{
    const int fd = path[0] != '\0' ? mprt_os_connect(path) : -ENOENT;

    return fd == -ENOENT ? -ECONNREFUSED : fd;
}

/* A new file: a log is never overwritten, the name gets a number instead. */
static int open_new(void)
{
    int fd = -EEXIST;

    for (uint32_t n = 0; n < NUMBERS_MAX && fd == -EEXIST; n++) {
        if (!mprt_outname_expand(file, pattern, n))
            return -ENAMETOOLONG;
        fd = n == 0 ? mprt_os_open_special(file) : -ENOENT;
        if (fd == -ENOENT)
            fd = mprt_os_create_exclusive(file, FILE_MODE);
    }
    /* For a second descriptor, which the helper may open. */
    if (fd >= 0)
        mprt_os_make_appending(fd);
    return fd;
}

static int open_log(void)
{
    const char *const fd = behind(FD_PREFIX);
    const char *const socket = behind(UNIX_PREFIX);

    if (fd != NULL)
        return open_descriptor(fd);
    return socket != NULL ? connect_to(socket) : open_new();
}

bool mprt_log_sink_open(struct mprt_log_sink *sink, const char **why)
{
    if (sink->program.writer != NULL || sink->fd >= 0)
        return true;
    sink->fd = mprt_os_move_high(open_log());
    if (sink->fd < 0) {
        *why = mprt_outfile_error(sink->fd, reason);
        return false;
    }
    sink->is_stream = mprt_os_is_stream(sink->fd);
    sink->identity = mprt_os_file_identity(sink->fd);
    return true;
}

/* Whether the program closed the descriptor, as daemons do, and has another
 * file there now. A sandbox may hide the identity. */
static bool is_of_program(const struct mprt_log_sink *sink, int fd)
{
    const uint64_t identity = mprt_os_file_identity(fd);

    return identity != 0 && identity != sink->identity;
}

static int open_again(const struct mprt_log_sink *sink)
{
    const int fd = file[0] == '/' && !sink->is_stream
                       ? mprt_os_move_high(mprt_os_open_append(file))
                       : -EBADF;

    if (fd < 0 || !is_of_program(sink, fd))
        return fd;
    mprt_os_close(fd);
    return -EBADF;
}

static int write_again(struct mprt_log_sink *sink, const struct mprof_buf *out)
{
    int err = is_of_program(sink, sink->fd)
                  ? -EBADF
                  : mprt_os_write_all(sink->fd, out->data, out->size);

    if (err == -EBADF) {
        sink->fd = open_again(sink);
        err = sink->fd < 0 ? sink->fd
                           : mprt_os_write_all(sink->fd, out->data, out->size);
    }
    return err;
}

/* Where nobody can make a write wait, nothing is to be asked first. */
static bool write_fd(struct mprt_log_sink *sink, const struct mprof_buf *out,
                     const char **why)
{
    mprt_os_set_write_patience(sink->is_stream ? MPRT_LOG_PATIENCE_MS : 0);
    const int err = write_again(sink, out);
    mprt_os_set_write_patience(0);
    if (err == -EBADF)
        *why = "the program closed it";
    else if (err != 0)
        *why = mprt_outfile_error(err, reason);
    return err == 0;
}

/* The program gets its own buffer, filled, and may return another one. */
static bool call_program(struct memprof_log_options *o,
                         const struct mprof_buf *out, const char **why)
{
    for (size_t done = 0; done < out->size;) {
        const size_t part = mprof_min_u64(out->size - done, o->buffer_bytes);

        mprt_libc_memcpy(o->buffer, out->data + done, part);
        mprt_thread_leave();
        const size_t taken = o->writer(&o->buffer, part, o->ctx);
        (void)mprt_thread_enter();
        if (taken != part || o->buffer == NULL) {
            *why = "the writer refused";
            return false;
        }
        done += part;
    }
    return true;
}

bool mprt_log_sink_write(struct mprt_log_sink *sink, struct mprof_buf *out,
                         const char **why)
{
    *why = "no memory";
    const bool is_done =
        !out->failed &&
        (sink->program.writer != NULL ? call_program(&sink->program, out, why)
                                      : write_fd(sink, out, why));
    out->size = 0;
    out->failed = false;
    return is_done;
}

int mprt_log_sink_reopen(const struct mprt_log_sink *sink)
{
    int fd = mprt_procfs_open_fd(sink->fd);

    if (fd == -ENOENT)
        fd = mprt_procfs_append_fd(sink->fd);
    if (fd >= 0 && !is_of_program(sink, fd))
        return fd;
    mprt_os_close(fd);
    return open_again(sink);
}

/* A socket cannot be opened, and a descriptor's position is the program's. */
bool mprt_log_sink_can_reopen(void)
{
    return behind(FD_PREFIX) == NULL && behind(UNIX_PREFIX) == NULL;
}

void mprt_log_sink_close(struct mprt_log_sink *sink)
{
    if (sink->fd >= 0 && !is_of_program(sink, sink->fd))
        mprt_os_close(sink->fd);
    sink->fd = -1;
}

/* No second stream goes into the descriptor or the function of its parent. */
bool mprt_log_sink_forks(const struct mprt_log_sink *sink)
{
    return sink->program.writer == NULL && behind(FD_PREFIX) == NULL;
}
