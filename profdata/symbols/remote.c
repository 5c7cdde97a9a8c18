/* remote.c -- runs memprofdata-symbolizer as a child process, connected by a
 * socket.
 *
 * It is a socket because a write to a closed pipe raises SIGPIPE in the program
 * that uses this library.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer.h"
#include "shared/cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limit of one answer, which is buffered in memory. */
#define ANSWER_BYTES_MAX (UINT64_C(1) << 30)

struct mpdata_remote {
    pid_t pid; /* 0: has ended */
    int fd;    /* -1: closed */
    char error[256];
    uint8_t *answer;
    size_t capacity;
};

/* -- the end of the process ------------------------------------------------ */

static void describe_signal(struct mpdata_remote *r, int number)
{
    if (number == SIGXCPU || number == SIGALRM)
        snprintf(r->error, sizeof(r->error),
                 "the reader of debug information took too long");
    else if (number == SIGABRT)
        snprintf(r->error, sizeof(r->error),
                 "the reader of debug information gave up, or took too "
                 "much memory");
    else
        snprintf(r->error, sizeof(r->error),
                 "the reader of debug information ended with signal %d",
                 number);
}

/* Waits for the process to end; closing the socket ends it. The status is
 * unknown if the program already collected all of its children. */
static void reap(struct mpdata_remote *r, bool say)
{
    int status = 0;
    pid_t pid = -1;

    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    do {
        if (r->pid != 0)
            pid = waitpid(r->pid, &status, 0);
    } while (pid < 0 && r->pid != 0 && errno == EINTR);
    r->pid = 0;
    if (!say || r->error[0] != '\0')
        return;
    if (pid > 0 && WIFSIGNALED(status))
        describe_signal(r, WTERMSIG(status));
    else if (pid > 0 && WEXITSTATUS(status) == MPDATA_REMOTE_IS_OTHER)
        snprintf(r->error, sizeof(r->error),
                 "memprofdata-symbolizer is of another version of memprof");
    else
        snprintf(r->error, sizeof(r->error),
                 "the reader of debug information ended");
}

static bool fail(struct mpdata_remote *r, const char *text)
{
    snprintf(r->error, sizeof(r->error), "%s", text);
    if (r->pid != 0)
        kill(r->pid, SIGKILL);
    reap(r, false);
    return false;
}

const char *mpdata_remote_error(const struct mpdata_remote *remote)
{
    return remote->error;
}

void mpdata_remote_close(struct mpdata_remote *remote)
{
    if (remote == NULL)
        return;
    reap(remote, false);
    free(remote->answer);
    free(remote);
}

/* -- the start of the process ---------------------------------------------- */

static int add_files(posix_spawn_file_actions_t *files, int fd)
{
    int error = posix_spawn_file_actions_adddup2(files, fd, STDIN_FILENO);

    /* Discard LLVM's error output; describe_signal() has a message instead. */
    if (error == 0)
        error = posix_spawn_file_actions_addopen(files, STDOUT_FILENO,
                                                 "/dev/null", O_WRONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(files, STDOUT_FILENO,
                                                 STDERR_FILENO);
    return error;
}

/* Resets signal handling in the child, whatever the program changed. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;

    sigemptyset(&none);
    sigfillset(&all);
    return posix_spawnattr_setsigmask(attributes, &none) != 0 ||
                   posix_spawnattr_setsigdefault(attributes, &all) != 0
               ? EINVAL
               : posix_spawnattr_setflags(attributes,
                                          POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
}

static int spawn(struct mpdata_remote *r, const char *helper, char *const *argv,
                 int fd)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);

    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = add_files(&files, fd);
        if (error == 0)
            error = set_signals(&attributes);
        if (error == 0)
            error = posix_spawn(&r->pid, helper, &files, &attributes, argv,
                                environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static bool start(struct mpdata_remote *r, const char *helper,
                  const struct mpdata_remote_file *file)
{
    const char *argv[] = {
        helper, MPDATA_REMOTE_VERSION, NULL, NULL, NULL, NULL, NULL, NULL};
    char text_bytes[24];
    int ends[2];

    if (file != NULL) {
        argv[2] = file->wants_lines ? MPDATA_REMOTE_LINES : MPDATA_REMOTE_NAMES;
        argv[3] = file->path;
        argv[4] = file->debug;
        argv[5] = file->dwp;
        argv[6] = text_bytes;
        snprintf(text_bytes, sizeof(text_bytes), "%zu", file->text_bytes_max);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        snprintf(r->error, sizeof(r->error), "%s: %s", helper, strerror(errno));
        return false;
    }
    r->fd = ends[0];
    int error = spawn(r, helper, (char *const *)(uintptr_t)argv, ends[1]);
    close(ends[1]);
    if (error == 0)
        return true;
    r->pid = 0;
    snprintf(r->error, sizeof(r->error), "%s: %s", helper, strerror(error));
    return false;
}

/* -- requests -------------------------------------------------------------- */

static bool send_all(struct mpdata_remote *r, const void *data, size_t size)
{
    const char *at = data;

    while (size != 0) {
        const ssize_t n = send(r->fd, at, size, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(struct mpdata_remote *r, void *data, size_t size)
{
    char *at = data;

    while (size != 0) {
        const ssize_t n = recv(r->fd, at, size, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* Receives an answer, valid until the next one. */
static bool receive(struct mpdata_remote *r, struct mprof_cursor *c)
{
    uint64_t bytes;
    uint8_t *more;

    if (!receive_all(r, &bytes, sizeof(bytes))) {
        reap(r, true);
        return false;
    }
    if (bytes > ANSWER_BYTES_MAX)
        return fail(r, "the reader of debug information sent too much data");
    if (bytes > r->capacity) {
        more = realloc(r->answer, (size_t)bytes);
        if (more == NULL)
            return fail(r, "no memory");
        r->answer = more;
        r->capacity = (size_t)bytes;
    }
    if (!receive_all(r, r->answer, (size_t)bytes)) {
        reap(r, true);
        return false;
    }
    *c = mprof_cursor_over(r->answer, (size_t)bytes, 0, NULL);
    return true;
}

static bool ask(struct mpdata_remote *r, uint32_t kind, const void *data,
                size_t size, struct mprof_cursor *c)
{
    const struct mpdata_remote_question question = {.kind = kind,
                                                    .bytes = (uint32_t)size};

    if (r->error[0] != '\0')
        return false;
    if (!send_all(r, &question, sizeof(question)) || !send_all(r, data, size)) {
        reap(r, true);
        return false;
    }
    return receive(r, c);
}

struct mpdata_remote *mpdata_remote_open(const char *helper,
                                         const struct mpdata_remote_file *file)
{
    struct mpdata_remote *const r = calloc(1, sizeof(*r));
    struct mprof_cursor c;

    if (r == NULL)
        return NULL;
    r->fd = -1;
    if (start(r, helper, file) && file != NULL && receive(r, &c) &&
        c.size != 0) {
        snprintf(r->error, sizeof(r->error), "%.*s", (int)c.size,
                 (const char *)c.data);
        reap(r, false);
    }
    return r;
}

/* -- answers --------------------------------------------------------------- */

static bool has_all(const struct mpdata_symbols *symbols,
                    const uint64_t *addresses, size_t count)
{
    size_t known = 0;

    while (known < count &&
           mpdata_symbols_find(symbols, addresses[known]) != NULL)
        known++;
    return known == count && symbols->locations.count == count;
}

bool mpdata_remote_lookup(struct mpdata_remote *remote,
                          const uint64_t *addresses, size_t count,
                          struct mpdata_symbols *symbols)
{
    struct mprof_cursor c;

    if (!ask(remote, MPDATA_REMOTE_LOOKUP, addresses,
             count * sizeof(*addresses), &c))
        return false;
    if (mpdata_symbols_decode(symbols, &c) &&
        has_all(symbols, addresses, count))
        return true;
    mpdata_symbols_fini(symbols);
    mpdata_symbols_init(symbols);
    symbols->failed = c.err == MPROF_E_NOMEM;
    /* Invalid answers are treated like a crash. */
    return fail(remote, "the reader of debug information sent invalid data");
}

char *mpdata_remote_demangle(struct mpdata_remote *remote, const char *name)
{
    const size_t size = strlen(name);
    struct mprof_cursor c;

    if (size > MPDATA_REMOTE_BYTES_MAX)
        return strdup(name);
    return ask(remote, MPDATA_REMOTE_DEMANGLE, name, size, &c)
               ? strndup((const char *)c.data, c.size)
               : NULL;
}
