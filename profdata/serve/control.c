/* control.c -- a client of the control socket.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/serve/control.h"
#include "profdata/base/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_S 60
#define BYTES_FIELD "bytes"

static enum mprof_err fail(const struct mpdata_control *c, enum mprof_err err,
                           struct mprof_diag *diag, const char *text,
                           const char *more)
{
    mpdata_diag_text(diag, err, "%s%s", text, more);
    diag->file = c->where;
    return err;
}

static bool is_unix(const char *where)
{
    return strncmp(where, MPROF_CONTROL_UNIX, strlen(MPROF_CONTROL_UNIX)) == 0;
}

static bool is_number(const char *where)
{
    return where[0] != '\0' && strlen(where) < 11 &&
           strspn(where, "0123456789") == strlen(where);
}

/* -- connections ----------------------------------------------------------- */

static const char *why_not(int error)
{
    switch (error) {
    case ENOENT:
        return "there is no such socket";
    case ECONNREFUSED:
        return "nobody listens there: the program has ended, or the file is no "
               "socket";
    case EACCES:
    case EPERM:
        return "the socket is of another user";
    case EAGAIN:
        return "the program does not accept the connection";
    default:
        return strerror(error);
    }
}

static enum mprof_err connect_to(struct mpdata_control *c,
                                 const struct sockaddr_un *address,
                                 struct mprof_diag *diag)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};

    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        return fail(c, MPROF_E_IO, diag, strerror(errno), "");
    setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (connect(c->fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return MPROF_E_OK;
    const int error = errno;
    close(c->fd);
    return fail(c, MPROF_E_IO, diag, why_not(error), "");
}

enum mprof_err mpdata_control_open(struct mpdata_control *c, const char *where,
                                   struct mprof_diag *diag)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = where;

    *c = (struct mpdata_control){.where = where, .fd = -1};
    if (is_number(where)) {
        if (!mpdata_control_find(strtoull(where, NULL, 10), address.sun_path))
            return fail(c, MPROF_E_IO, diag,
                        "this process has no control socket, or is of another "
                        "user; start the program with "
                        "MEMPROF_OPTIONS=control=DIR",
                        "");
        return connect_to(c, &address, diag);
    }
    if (is_unix(where))
        path += strlen(MPROF_CONTROL_UNIX);
    if (strlen(path) >= sizeof(address.sun_path))
        return fail(c, MPROF_E_IO, diag, "the path is too long for a socket",
                    "");
    memcpy(address.sun_path, path, strlen(path));
    return connect_to(c, &address, diag);
}

void mpdata_control_close(struct mpdata_control *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

/* -- lines ----------------------------------------------------------------- */

static enum mprof_err send_all(struct mpdata_control *c, const char *bytes,
                               size_t size, struct mprof_diag *diag)
{
    while (size != 0) {
        const ssize_t n = send(c->fd, bytes, size, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail(c, MPROF_E_IO, diag, "the program has ended", "");
        bytes += n;
        size -= (size_t)n;
    }
    return MPROF_E_OK;
}

/* Receives more bytes; all before are taken. */
static enum mprof_err receive(struct mpdata_control *c, struct mprof_diag *diag)
{
    ssize_t n;

    do {
        n = recv(c->fd, c->in, sizeof(c->in), 0);
    } while (n < 0 && errno == EINTR);
    c->taken = 0;
    c->used = n > 0 ? (size_t)n : 0;
    if (n > 0)
        return MPROF_E_OK;
    return fail(c, MPROF_E_IO, diag,
                n < 0 && errno == EAGAIN ? "the program does not answer"
                                         : "the program has ended",
                "");
}

static enum mprof_err read_line(struct mpdata_control *c,
                                struct mprof_diag *diag)
{
    size_t n = 0;

    for (;;) {
        if (c->taken == c->used) {
            const enum mprof_err err = receive(c, diag);
            if (err != MPROF_E_OK)
                return err;
        }
        c->answer[n] = c->in[c->taken++];
        if (c->answer[n] == '\n')
            break;
        if (++n == sizeof(c->answer))
            return fail(c, MPROF_E_IO, diag, "the answer has no end", "");
    }
    c->answer[n] = '\0';
    return MPROF_E_OK;
}

/* The text behind the first word of the answer if that is `word`, or NULL. */
static char *behind(char *answer, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(answer, word, n) != 0 ||
        (answer[n] != ' ' && answer[n] != '\0'))
        return NULL;
    return answer + n + (answer[n] == ' ');
}

enum mprof_err mpdata_control_ask(struct mpdata_control *c, const char *command,
                                  struct mprof_diag *diag)
{
    char line[MPROF_CONTROL_LINE_MAX + 1];
    const size_t size = strlen(command);

    if (size >= sizeof(line) || strchr(command, '\n') != NULL)
        return fail(c, MPROF_E_VALUE, diag,
                    "the command is too long, or more than a line", "");
    memcpy(line, command, size);
    line[size] = '\n';
    enum mprof_err err = send_all(c, line, size + 1, diag);
    if (err == MPROF_E_OK)
        err = read_line(c, diag);
    if (err != MPROF_E_OK)
        return err;
    const char *const refusal = behind(c->answer, MPROF_CONTROL_ERROR);
    if (refusal != NULL)
        return fail(c, MPROF_E_VALUE, diag, refusal, "");
    const char *const text = behind(c->answer, MPROF_CONTROL_OK);
    if (text == NULL)
        return fail(c, MPROF_E_IO, diag,
                    "this is not the socket of a program with memprof: it "
                    "answers ",
                    c->answer);
    memmove(c->answer, text, strlen(text) + 1);
    return MPROF_E_OK;
}

/* Returns the number of a field of the answer; 0 if there is none. */
static uint64_t number_of(const struct mpdata_control *c, const char *name)
{
    const size_t n = strlen(name);

    for (const char *s = c->answer; s != NULL && *s != '\0';
         s = strchr(s, ' ')) {
        s += *s == ' ';
        if (strncmp(s, name, n) == 0 && s[n] == '=')
            return strtoull(s + n + 1, NULL, 10);
    }
    return 0;
}

/* -- profiles -------------------------------------------------------------- */

/* The buffer grows as bytes come, whatever size the answer promised. */
static enum mprof_err take_part(struct mpdata_control *c, uint64_t left,
                                struct mprof_buf *bytes,
                                struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (c->taken == c->used)
        err = receive(c, diag);
    if (err != MPROF_E_OK)
        return err;
    const size_t n = (size_t)mprof_min_u64(left, c->used - c->taken);
    mprof_buf_bytes(bytes, c->in + c->taken, n);
    c->taken += n;
    return bytes->failed ? fail(c, MPROF_E_NOMEM, diag, "out of memory", "")
                         : MPROF_E_OK;
}

enum mprof_err mpdata_control_dump(struct mpdata_control *c,
                                   struct mprof_buf *bytes,
                                   struct mprof_diag *diag)
{
    const size_t before = bytes->size;
    enum mprof_err err = mpdata_control_ask(c, "dump -", diag);
    const uint64_t size = number_of(c, BYTES_FIELD);

    while (err == MPROF_E_OK && bytes->size - before < size)
        err = take_part(c, size - (bytes->size - before), bytes, diag);
    return err;
}
