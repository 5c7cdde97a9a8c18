/* control.c -- the control socket: its path, connections and lines.
 *
 * No call waits for a client. A client that is silent, or does not read, loses
 * its connection after some seconds, or sooner if another one needs the place.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/process/control.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/mapbuf.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/dump/outfile.h"

#include <errno.h>

#define CLIENTS_MAX 8u
#define BACKLOG 64
#define PATIENCE_NS UINT64_C(10000000000)
/* From the beginning of an answer to its last byte. */
#define ANSWER_NS UINT64_C(60000000000)
#define ROUND_NS UINT64_C(1000000000)
/* Looks at a socket that nobody serves before it is replaced. */
#define LOOKS 3
#define LOOK_NS UINT64_C(10000000)
#define DIRECTORY_MODE 0700

struct client {
    int fd;         /* -1: free */
    bool is_at_end; /* it sends nothing more */
    uint32_t used;
    uint64_t active_ns;     /* last sent or received a byte */
    uint64_t since_ns;      /* began to receive the answer */
    struct mprof_buf bytes; /* of the answer, still to be sent */
    size_t sent;
    char line[MPROF_CONTROL_LINE_MAX + 1];
};

static struct {
    char pattern[MPRT_PATH_BYTES]; /* "": none */
    char path[MPRT_PATH_BYTES]; /* of the owner, this process or its parent */
    uint32_t owner_pid;
    uint64_t identity; /* of the socket at the path; 0: there is none */
    int fd;
    struct client *running; /* whose command is being executed */
    struct mprt_control_answer answer;
    struct client clients[CLIENTS_MAX];
} state;

/* -- the path -------------------------------------------------------------- */

void mprt_control_init(void)
{
    const char *value = mprt_options.control;
    const size_t prefix = sizeof(MPROF_CONTROL_UNIX) - 1;
    struct mprt_textbuf t = {.out = state.pattern,
                             .size = sizeof(state.pattern)};

    if (value == NULL || value[0] == '\0' || mprt_options_is_secure())
        return;
    if (mprt_libc_strlen(value) > prefix &&
        mprt_libc_memcmp(value, MPROF_CONTROL_UNIX, prefix) == 0)
        value += prefix;
    mprt_textbuf_str(&t, value);
    mprt_outname_make_absolute(state.pattern);
}

/* In a directory the name is memprof.PID.sock. */
static void make_path(char path[MPRT_PATH_BYTES])
{
    struct mprt_textbuf t = {.out = path, .size = MPRT_PATH_BYTES};
    uint64_t identity;

    mprt_outname_expand(path, state.pattern, 0);
    const bool is_marked = mprt_outname_base(path)[0] == '\0';
    if (is_marked)
        mprt_os_mkdir(path, DIRECTORY_MODE);
    else if (mprt_os_place(path, &identity) != MPRT_OS_PLACE_DIRECTORY)
        return;
    t.used = mprt_libc_strlen(path);
    MPRT_TEXT(&t, is_marked ? "" : "/", MPROF_CONTROL_NAME,
              MPRT_DEC(mprt_identity_pid()), MPROF_CONTROL_SUFFIX);
}

/* A forked child does not take its parent's place. */
bool mprt_control_is_wanted(void)
{
    char path[MPRT_PATH_BYTES];
    struct mprt_textbuf t = {.out = state.path, .size = sizeof(state.path)};

    if (state.pattern[0] == '\0' || state.owner_pid == mprt_identity_pid())
        return state.pattern[0] != '\0';
    make_path(path); /* one that is too long does not fit a socket's address */
    if (mprt_libc_strcmp(path, state.path) == 0)
        return false;
    mprt_textbuf_str(&t, path);
    state.owner_pid = mprt_identity_pid();
    return true;
}

/* Whether a program that was killed left this socket. One that is bound and
 * does not listen yet looks the same for a moment. */
static bool is_left_over(void)
{
    _Atomic uint32_t nothing = 0;
    uint64_t before;
    uint64_t now;

    for (int i = 0; i < LOOKS; i++) {
        if (mprt_os_place(state.path, &before) != MPRT_OS_PLACE_SOCKET ||
            mprt_os_is_served(state.path))
            return false;
        mprt_os_sleep_privately(&nothing, 0, LOOK_NS);
        mprt_os_place(state.path, &now);
        if (now != before)
            return false;
    }
    return true;
}

static int open_socket(void)
{
    state.fd = mprt_os_listen(state.path, BACKLOG);
    if (state.fd == -EADDRINUSE && is_left_over()) {
        mprt_os_unlink(state.path);
        state.fd = mprt_os_listen(state.path, BACKLOG);
    }
    if (state.fd < 0)
        return state.fd;
    mprt_os_place(state.path, &state.identity);
    return 0;
}

void mprt_control_open(void)
{
    char text[32];

    state.identity = 0;
    state.running = NULL;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        state.clients[i] = (struct client){.fd = -1};
    if (!mprt_control_is_wanted())
        return;
    const int err = open_socket();
    if (err != 0)
        MPRT_LOG_ONCE("no control socket at ", state.path, ": ",
                      err == -EADDRINUSE
                          ? "another program serves it, or it is "
                            "no socket"
                          : mprt_outfile_error(err, text),
                      "; choose another path with control=PATH");
}

bool mprt_control_is_open(void)
{
    return state.identity != 0;
}

/* Not a socket of this name that is another one, for example after chroot(). */
void mprt_control_close(void)
{
    uint64_t now;

    if (state.identity == 0)
        return;
    if (mprt_os_place(state.path, &now) == MPRT_OS_PLACE_SOCKET &&
        now == state.identity)
        mprt_os_unlink(state.path);
    state.identity = 0;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        if (state.clients[i].fd >= 0 && state.clients[i].bytes.size != 0)
            mprt_mapbuf_free(&state.clients[i].bytes);
        state.clients[i].fd = -1;
    }
}

/* -- connections ----------------------------------------------------------- */

static void drop(struct client *c)
{
    if (c->fd >= 0)
        mprt_os_close(c->fd);
    if (c->bytes.size != 0)
        mprt_mapbuf_free(&c->bytes);
    c->bytes.size = 0;
    c->fd = -1;
}

/* What a client does not take at once is lost: answers are short, so it has
 * sent commands without reading any. */
static void send_text(struct client *c, const char *text, size_t n)
{
    if (mprt_os_send(c->fd, text, n) != (int64_t)n)
        drop(c);
}

static void drop_with(struct client *c, const char *answer)
{
    send_text(c, answer, mprt_libc_strlen(answer));
    drop(c);
}

static void send_bytes(struct client *c)
{
    const int64_t n =
        mprt_os_send(c->fd, c->bytes.data + c->sent, c->bytes.size - c->sent);

    if (n < 0) {
        if (n != -EAGAIN)
            drop(c);
        return;
    }
    c->sent += (size_t)n;
    c->active_ns = mprt_os_monotonic_ns();
    if (c->sent < c->bytes.size)
        return;
    mprt_mapbuf_free(&c->bytes);
    c->bytes.size = 0;
}

static void receive(struct client *c)
{
    const int64_t n =
        mprt_os_receive(c->fd, c->line + c->used, sizeof(c->line) - c->used);

    if (n > 0) {
        c->used += (uint32_t)n;
        c->active_ns = mprt_os_monotonic_ns();
    } else if (n == 0) {
        c->is_at_end = true;
    } else if (n != -EAGAIN) {
        drop(c);
    }
}

/* The place of a new connection: a free one, or that of the client which has
 * been silent for the longest time. */
static struct client *choose_place(void)
{
    struct client *place = &state.clients[0];

    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *const c = &state.clients[i];
        if (c->fd < 0)
            return c;
        if (c->active_ns < place->active_ns)
            place = c;
    }
    drop(place);
    return place;
}

static void accept_clients(void)
{
    int fd;

    for (size_t i = 0; i < CLIENTS_MAX && (fd = mprt_os_accept(state.fd)) >= 0;
         i++) {
        struct client *const c = choose_place();
        const bool may = mprt_os_peer_may(fd);

        *c = (struct client){.fd = fd, .active_ns = mprt_os_monotonic_ns()};
        if (!may)
            drop_with(c, MPROF_CONTROL_ERROR " only the program's user and "
                                             "root give commands\n");
        else
            receive(c);
    }
}

/* -- lines ----------------------------------------------------------------- */

/* Length of the first line without its newline; the whole length if it has not
 * ended. */
static uint32_t line_bytes(const struct client *c)
{
    uint32_t n = 0;

    while (n < c->used && c->line[n] != '\n')
        n++;
    return n;
}

static bool has_command(const struct client *c)
{
    return c->fd >= 0 && c->bytes.size == 0 && line_bytes(c) < c->used;
}

static bool is_printable(const char *line, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            return false;
    }
    return true;
}

/* Ends what is over, and what takes too long. */
static void tidy(struct client *c, uint64_t now_ns)
{
    if (c->fd < 0 || has_command(c))
        return;
    if (c->used == sizeof(c->line) && c->bytes.size == 0)
        drop_with(c, MPROF_CONTROL_ERROR " the line is too long\n");
    else if ((c->is_at_end && c->bytes.size == 0) ||
             now_ns - c->active_ns >= PATIENCE_NS ||
             (c->bytes.size != 0 && now_ns - c->since_ns >= ANSWER_NS))
        drop(c);
}

static struct client *find_command(void)
{
    struct client *oldest = NULL;

    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *const c = &state.clients[i];
        if (has_command(c) &&
            (oldest == NULL || c->active_ns < oldest->active_ns))
            oldest = c;
    }
    return oldest;
}

/* Waits for the descriptors. Returns which of them are ready. */
static void wait_for_clients(struct mprt_os_poll places[CLIENTS_MAX + 1],
                             uint64_t ns, uint64_t blocked)
{
    places[0] =
        (struct mprt_os_poll){.fd = state.fd, .events = MPRT_OS_CAN_READ};
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        const struct client *const c = &state.clients[i];
        const bool sends = c->bytes.size != 0;

        places[i + 1] = (struct mprt_os_poll){
            .fd = c->is_at_end && !sends ? -1 : c->fd,
            .events = sends ? MPRT_OS_CAN_WRITE : MPRT_OS_CAN_READ};
    }
    mprt_os_poll(places, CLIENTS_MAX + 1, ns, blocked);
}

static void serve(uint64_t ns, uint64_t blocked)
{
    struct mprt_os_poll places[CLIENTS_MAX + 1];

    wait_for_clients(places, ns, blocked);
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *const c = &state.clients[i];
        if (places[i + 1].seen == 0 || c->fd < 0)
            continue;
        if (c->bytes.size != 0)
            send_bytes(c);
        else
            receive(c);
    }
    if (places[0].seen != 0)
        accept_clients();
    const uint64_t now_ns = mprt_os_monotonic_ns();
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        tidy(&state.clients[i], now_ns);
}

bool mprt_control_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t ns,
                       uint64_t blocked)
{
    const uint64_t start_ns = mprt_os_monotonic_ns();
    uint64_t passed_ns = 0;

    while ((state.running = find_command()) == NULL &&
           atomic_load(word) == seen && passed_ns < ns) {
        serve(mprof_min_u64(ns - passed_ns, ROUND_NS), blocked);
        passed_ns = mprt_os_monotonic_ns() - start_ns;
    }
    return state.running != NULL;
}

bool mprt_control_take_message(const char *line, size_t bytes)
{
    static const char prefix[] = "memprof: ";
    const size_t n = sizeof(prefix) - 1;
    char *const message = state.answer.message;

    if (state.running == NULL)
        return false;
    if (message[0] == '\0' && bytes > n + 1 &&
        bytes - n <= sizeof(state.answer.message)) {
        mprt_libc_memcpy(message, line + n, bytes - n - 1);
        message[bytes - n - 1] = '\0';
    }
    return true;
}

/* Names of files may have any byte. */
static void make_printable(struct mprt_textbuf *t)
{
    for (size_t i = 0; i < t->used; i++) {
        if ((unsigned char)t->out[i] < ' ' || t->out[i] == 0x7f)
            t->out[i] = '?';
    }
}

static void execute(struct client *c, uint32_t n, char *line)
{
    char text[MPROF_CONTROL_ANSWER_MAX];
    struct mprt_control_answer *const answer = &state.answer;

    *answer = (struct mprt_control_answer){
        .text = {.out = text, .size = sizeof(text) - 1}};
    mprt_libc_memcpy(line, c->line, n);
    if (n > 0 && line[n - 1] == '\r')
        n--;
    line[n] = '\0';
    if (is_printable(line, n))
        mprt_control_run(line, answer);
    else
        mprt_textbuf_str(&answer->text, MPROF_CONTROL_ERROR
                         " the line has a control character");
    make_printable(&answer->text);
    text[answer->text.used++] = '\n';
    c->bytes = answer->bytes;
    c->sent = 0;
    c->since_ns = c->active_ns = mprt_os_monotonic_ns();
    send_text(c, text, answer->text.used);
}

void mprt_control_execute(void)
{
    char line[MPROF_CONTROL_LINE_MAX + 1];
    struct client *const c = state.running;
    const uint32_t n = line_bytes(c);

    execute(c, n, line);
    c->used -= n + 1;
    mprt_libc_memmove(c->line, c->line + n + 1, c->used);
    state.running = NULL;
    if (state.answer.ends)
        drop(c);
    else if (c->fd >= 0 && c->bytes.size != 0)
        send_bytes(c);
}
