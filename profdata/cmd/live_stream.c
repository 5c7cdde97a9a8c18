/* live_stream.c -- takes the log that a program sends to a socket. A thread
 * does, because a program waits for nobody longer than some seconds, and a page
 * may take longer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/live.h"
#include "profdata/base/diag.h"
#include "shared/control.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_BYTES 65536

static bool set_address(struct sockaddr_un *address, const char *where)
{
    const size_t prefix = strlen(MPROF_CONTROL_UNIX);

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strncmp(where, MPROF_CONTROL_UNIX, prefix) != 0 ||
        strlen(where + prefix) >= sizeof(address->sun_path))
        return false;
    memcpy(address->sun_path, where + prefix, strlen(where + prefix));
    return true;
}

bool live_stream_is(const char *where)
{
    struct sockaddr_un address;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_free =
        fd >= 0 && set_address(&address, where) &&
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 &&
        (errno == ENOENT || errno == ECONNREFUSED);

    if (fd >= 0)
        close(fd);
    return is_free;
}

/* Is more there already? */
static bool has_more(int fd)
{
    struct pollfd in = {.fd = fd, .events = POLLIN};

    return poll(&in, 1, 0) > 0;
}

static void *take(void *context)
{
    struct live_stream *const s = context;
    const int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    char part[PART_BYTES];
    ssize_t n;

    atomic_store(&s->peer, fd);
    unlink(s->address.sun_path); /* nobody takes a second log */
    while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0 &&
           write(fileno(s->file), part, (size_t)n) == n)
        if (!has_more(fd))
            atomic_store(&s->has_data, true);
    if (fd >= 0)
        shutdown(fd, SHUT_RDWR);
    atomic_store(&s->is_over, true);
    return NULL;
}

/* Removes the socket of a command that was killed, but no other file. */
static bool bind_to(struct live_stream *s)
{
    const struct sockaddr *const a = (const struct sockaddr *)&s->address;
    struct stat st;

    if (lstat(s->address.sun_path, &st) == 0 && S_ISSOCK(st.st_mode))
        unlink(s->address.sun_path);
    return bind(s->listener, a, sizeof(s->address)) == 0;
}

enum mprof_err live_stream_begin(struct live_stream *s, const char *where,
                                 struct mprof_diag *diag)
{
    *s = (struct live_stream){.listener = -1, .peer = -1};
    set_address(&s->address, where);
    s->file = tmpfile();
    if (s->file != NULL)
        s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->listener < 0 || !bind_to(s) || listen(s->listener, 1) != 0)
        return mpdata_diag_fail(diag, MPROF_E_IO, where, MPROF_DIAG_NO_OFFSET,
                                "cannot listen there: %s", strerror(errno));
    snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", fileno(s->file));
    s->has_thread = pthread_create(&s->thread, NULL, take, s) == 0;
    return s->has_thread ? MPROF_E_OK : mprof_err_plain(diag, MPROF_E_NOMEM);
}

void live_stream_end(struct live_stream *s)
{
    if (s->listener >= 0)
        shutdown(s->listener, SHUT_RDWR);
    if (atomic_load(&s->peer) >= 0)
        shutdown(atomic_load(&s->peer), SHUT_RDWR);
    if (s->has_thread)
        pthread_join(s->thread, NULL);
    if (atomic_load(&s->peer) >= 0)
        close(atomic_load(&s->peer));
    if (s->listener >= 0)
        close(s->listener);
    if (s->file != NULL)
        fclose(s->file);
}
