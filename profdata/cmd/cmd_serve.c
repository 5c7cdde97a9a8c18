/* cmd_serve.c -- memprofdata serve: profiles of programs that run, over HTTP.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/serve_answer.h"
#include "profdata/base/vec.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define DEFAULT_LISTEN "127.0.0.1:7007"
#define UNIX "unix:"
#define BACKLOG 32
#define AT_ONCE 2
#define NAME_BYTES 256

struct serve {
    const char *listen;
    struct serve_state state;
};

static int take_operand(const struct cmd_arg *arg)
{
    struct serve *const s = (struct serve *)arg->field;

    s->state.words[s->state.word_count++] = arg->value;
    return 0;
}

static const struct cmd_option options[] = {
    {"listen", 0, "ADDRESS",
     "serve at HOST:PORT or unix:PATH (default: " DEFAULT_LISTEN
     "; port 0: any "
     "that is free). Whoever reaches the address can read the profiles",
     cmd_take_text, offsetof(struct serve, listen)},
};

/* -- the socket ------------------------------------------------------------ */

static int fail_listen(const struct serve *s, int fd)
{
    cmd_say("cannot listen at %s: %s; choose another address with --listen",
            s->listen, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static int listen_at_path(const struct serve *s, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return fail_listen(s, fd);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    const mode_t mask = umask(S_IXUSR | S_IRWXG | S_IRWXO);
    const bool is_bound =
        fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
    umask(mask);
    if (!is_bound || listen(fd, BACKLOG) != 0)
        return fail_listen(s, fd);
    printf("memprofdata serves at %s\n", s->listen);
    return fd;
}

/* Splits "HOST:PORT" or "[HOST]:PORT". */
static bool split(char *text, const char **host, const char **port)
{
    char *const colon = strrchr(text, ':');
    const size_t n = colon != NULL ? (size_t)(colon - text) : 0;

    if (colon == NULL || colon[1] == '\0')
        return false;
    *colon = '\0';
    *port = colon + 1;
    *host = text;
    if (n > 1 && text[0] == '[' && text[n - 1] == ']') {
        text[n - 1] = '\0';
        *host = text + 1;
    }
    return true;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return (ntohl(((const struct sockaddr_in *)(const void *)address)
                          ->sin_addr.s_addr) >>
                24) == 127;
    return IN6_IS_ADDR_LOOPBACK(
        &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static void print_address(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    char host[NAME_BYTES] = "";
    char port[NAME_BYTES] = "";

    if (getsockname(fd, (struct sockaddr *)&address, &size) == 0)
        getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port,
                    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
    printf(address.ss_family == AF_INET6
               ? "memprofdata serves at http://[%s]:%s/\n"
               : "memprofdata serves at http://%s:%s/\n",
           host, port);
}

static int listen_at(const struct serve *s, const struct addrinfo *info)
{
    const int on = 1;
    const int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(fd, info->ai_addr, info->ai_addrlen) != 0 ||
        listen(fd, BACKLOG) != 0)
        return fail_listen(s, fd);
    print_address(fd);
    return fd;
}

static int listen_at_port(const struct serve *s, bool *checks_host)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *info = NULL;
    char text[NAME_BYTES];
    const char *host;
    const char *port;
    int error = EAI_NONAME;

    snprintf(text, sizeof(text), "%s", s->listen);
    if (split(text, &host, &port))
        error = getaddrinfo(host, port, &hints, &info);
    if (error != 0) {
        cmd_say("--listen=%s: expected HOST:PORT, such as " DEFAULT_LISTEN
                ", or unix:PATH",
                s->listen);
        return -1;
    }
    *checks_host = is_loopback(info->ai_addr);
    const int fd = listen_at(s, info);
    freeaddrinfo(info);
    return fd;
}

/* -- the command ----------------------------------------------------------- */

/* Serves until a signal ends the command. */
static int serve_at(struct serve *s, int fd, bool checks_host,
                    const sigset_t *ends)
{
    struct mpdata_http *server;
    struct mprof_diag diag;
    int status = 0;
    int signal;

    fflush(stdout);
    if (mpdata_http_start(&server, fd, checks_host, serve_answer, &s->state,
                          &diag) == MPROF_E_OK)
        sigwait(ends, &signal);
    else
        status = cmd_fail(&diag);
    s->state.is_ending = true;
    mpdata_http_stop(server);
    return status;
}

static int serve(struct serve *s)
{
    const bool is_unix = strncmp(s->listen, UNIX, strlen(UNIX)) == 0;
    bool checks_host = false;
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL); /* in the server's threads, too */
    signal(SIGPIPE, SIG_IGN);
    const int fd = is_unix ? listen_at_path(s, s->listen + strlen(UNIX))
                           : listen_at_port(s, &checks_host);
    if (fd < 0)
        return mprof_err_exit(MPROF_E_IO);
    const int status = serve_at(s, fd, checks_host, &ends);
    if (is_unix)
        unlink(s->listen + strlen(UNIX));
    return status;
}

static int run(const struct cmd_call *call)
{
    struct serve s = {.listen = DEFAULT_LISTEN};
    int status = 0;

    s.state.words =
        mpdata_vec_array((size_t)call->argc, sizeof(*s.state.words));
    if (s.state.words == NULL)
        return cmd_no_memory();
    sem_init(&s.state.free, 0, AT_ONCE);
    if (cmd_take_all(call, &s, take_operand, &status))
        status = s.state.word_count != 0
                     ? serve(&s)
                     : cmd_usage(call->command,
                                 "a process, socket, directory or profile is "
                                 "needed");
    sem_destroy(&s.state.free);
    free(s.state.words);
    return status;
}

const struct cmd_command cmd_serve = {
    .name = "serve",
    .usage = "[OPTION]... PID|unix:PATH|DIR|FILE...",
    .summary = "serve profiles of programs that run over HTTP",
    .details =
        "Serves the report page at /, profiles for pprof and what scrapes them "
        "at /debug/pprof/heap and /debug/pprof/allocs, a profile with all "
        "metrics at /profile (with ?seconds=N only what was allocated in N "
        "seconds), and numbers for Prometheus at /metrics. Each request reads "
        "the heaps of the programs as they are "
        "now, merged. They were started with MEMPROF_OPTIONS=control=DIR or "
        "control=PATH; DIR stands for all programs that have their socket in "
        "it. Files and directories of profiles are served, too. Ends at "
        "SIGINT or SIGTERM.\n"
        "\n"
        "Example: memprofdata serve /run/demo & go tool pprof "
        "http://127.0.0.1:7007/debug/pprof/heap",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
