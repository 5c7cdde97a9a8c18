/* http.c -- a server of HTTP by libmicrohttpd. Each connection has a thread and
 * ends when it is silent; their number is bounded: a further one takes the
 * place of the oldest of those that wait, or else of those that receive an
 * answer, so that no clients, however slow, keep others out.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/serve/http.h"
#include "profdata/base/diag.h"
#include "profdata/base/sink.h"

#include <dlfcn.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY "libmicrohttpd.so.12"
#define CONNECTIONS_MAX 32u
/* With those that are being closed. */
#define SLOTS_MAX (2 * CONNECTIONS_MAX)
#define REQUEST_BYTES_MAX ((size_t)16 << 10)
#define PATIENCE_S 10u
/* For an answer, beside the seconds that it covers. */
#define ANSWER_S 50u

#define FUNCTIONS(X)                   \
    X(MHD_start_daemon)                \
    X(MHD_stop_daemon)                 \
    X(MHD_lookup_connection_value)     \
    X(MHD_get_connection_info)         \
    X(MHD_create_response_from_fd)     \
    X(MHD_create_response_from_buffer) \
    X(MHD_add_response_header)         \
    X(MHD_set_connection_option) X(MHD_queue_response) X(MHD_destroy_response)

/* In the order in which connections give up their place. */
enum slot_state {
    SLOT_WAITS,    /* for a request */
    SLOT_RECEIVES, /* the answer */
    SLOT_BUSY,     /* its answer is being made: it keeps its place */
};

struct slot {
    uint64_t number; /* of its connection, from 1; 0: none */
    int fd;
    enum slot_state state;
    bool is_closing;
};

struct mpdata_http {
    void *library;
    pthread_mutex_t lock; /* of the slots */
    struct slot slots[SLOTS_MAX];
    uint64_t connections; /* so far */
    struct MHD_Daemon *daemon;
    bool checks_host;
    mpdata_http_fn *answer;
    void *context;
#define X(name) __typeof__(name) *name;
    FUNCTIONS(X)
#undef X
};

/* -- connections ----------------------------------------------------------- */

/* Does `a` give up its place before `b` does? */
static bool is_before(const struct slot *a, const struct slot *b)
{
    return a->state != b->state ? a->state < b->state : a->number < b->number;
}

/* Closes a connection if there are too many: the newest one only if the answers
 * of all others are being made. */
static void make_room(struct mpdata_http *s, struct slot *newest)
{
    struct slot *first = newest;
    uint32_t open = 0;

    for (size_t i = 0; i < SLOTS_MAX; i++) {
        struct slot *const slot = &s->slots[i];

        if (slot->number == 0 || slot->is_closing)
            continue;
        open++;
        if (slot != newest && slot->state != SLOT_BUSY &&
            (first == newest || is_before(slot, first)))
            first = slot;
    }
    if (open <= CONNECTIONS_MAX)
        return;
    first->is_closing = true;
    shutdown(first->fd, SHUT_RDWR);
}

/* A connection begins. Returns NULL if it has no slot: it does not go on. */
static struct slot *take_slot(struct mpdata_http *s, int fd)
{
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        if (s->slots[i].number == 0) {
            s->slots[i] = (struct slot){.number = ++s->connections, .fd = fd};
            make_room(s, &s->slots[i]);
            return &s->slots[i];
        }
    }
    shutdown(fd, SHUT_RDWR);
    return NULL;
}

/* The descriptor is open during both calls. */
static void notice(void *context, struct MHD_Connection *connection,
                   void **place, enum MHD_ConnectionNotificationCode code)
{
    struct mpdata_http *const s = context;

    pthread_mutex_lock(&s->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *place =
            take_slot(s, s->MHD_get_connection_info(
                              connection, MHD_CONNECTION_INFO_CONNECTION_FD)
                             ->connect_fd);
    else if (*place != NULL)
        ((struct slot *)*place)->number = 0;
    pthread_mutex_unlock(&s->lock);
}

static void set_state(struct mpdata_http *s, struct MHD_Connection *connection,
                      enum slot_state state)
{
    struct slot *const slot =
        s->MHD_get_connection_info(connection,
                                   MHD_CONNECTION_INFO_SOCKET_CONTEXT)
            ->socket_context;

    pthread_mutex_lock(&s->lock);
    if (slot != NULL)
        slot->state = state;
    pthread_mutex_unlock(&s->lock);
}

/* The answer was received, or the connection ends. */
static void end_request(void *context, struct MHD_Connection *connection,
                        void **request, enum MHD_RequestTerminationCode code)
{
    struct mpdata_http *const s = context;

    (void)request;
    (void)code;
    set_state(s, connection, SLOT_WAITS);
    s->MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                 PATIENCE_S);
}

/* -- requests -------------------------------------------------------------- */

/* No path or value of ours has an escape. One decoded to a zero byte would hide
 * what follows it. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection,
                           char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

static void set_text(struct mpdata_http_answer *a, unsigned status,
                     const char *text)
{
    a->status = status;
    mprof_buf_bytes(&a->text, text, strlen(text));
}

/* pprof posts the addresses that have no name in a profile to these paths, and
 * fails if there is no answer. We have no more names than the profile. */
static bool asks_for_symbols(const char *path)
{
    return strcmp(path, "/debug/pprof/symbol") == 0 ||
           strcmp(path, "/symbolz") == 0;
}

/* Fills the answer. */
static void choose(struct mpdata_http *s, struct MHD_Connection *connection,
                   const char *path, const char *method,
                   struct mpdata_http_answer *a)
{
    struct mpdata_http_request request = {.route = mpdata_route_find(path)};
    const bool is_read = strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
                         strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

    if (s->checks_host &&
        !mpdata_route_is_local_host(s->MHD_lookup_connection_value(
            connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)))
        set_text(a, MHD_HTTP_FORBIDDEN,
                 "the Host of the request is not this machine\n");
    else if (asks_for_symbols(path))
        set_text(a, MHD_HTTP_OK, "num_symbols: 0\n");
    else if (!is_read)
        set_text(a, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is possible\n");
    else if (request.route == MPDATA_ROUTE_COUNT)
        set_text(a, MHD_HTTP_NOT_FOUND, mpdata_route_list);
    else if (!mpdata_route_seconds(
                 s->MHD_lookup_connection_value(
                     connection, MHD_GET_ARGUMENT_KIND, "seconds"),
                 &request.seconds))
        set_text(a, MHD_HTTP_BAD_REQUEST,
                 "seconds must be a number from 0 to 300\n");
    else if (request.seconds != 0 && (request.route == MPDATA_ROUTE_PAGE ||
                                      request.route == MPDATA_ROUTE_METRICS))
        set_text(a, MHD_HTTP_BAD_REQUEST, "seconds is for profiles\n");
    else {
        s->MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                     PATIENCE_S + request.seconds + ANSWER_S);
        set_state(s, connection, SLOT_BUSY);
        s->answer(s->context, &request, a);
        set_state(s, connection, SLOT_RECEIVES);
    }
}

static struct MHD_Response *make_response(const struct mpdata_http *s,
                                          struct mpdata_http_answer *a)
{
    struct stat st;

    if (a->fd < 0)
        return s->MHD_create_response_from_buffer(a->text.size, a->text.data,
                                                  MHD_RESPMEM_MUST_COPY);
    return fstat(a->fd, &st) == 0
               ? s->MHD_create_response_from_fd((size_t)st.st_size, a->fd)
               : NULL;
}

static enum MHD_Result send_answer(const struct mpdata_http *s,
                                   struct MHD_Connection *connection,
                                   struct mpdata_http_answer *a)
{
    struct MHD_Response *const response =
        a->text.failed ? NULL : make_response(s, a);

    if (response == NULL) {
        if (a->fd >= 0)
            close(a->fd);
        return MHD_NO; /* closes the connection */
    }
    s->MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
    s->MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
                               "no-store");
    s->MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (a->warning != NULL)
        s->MHD_add_response_header(response, "Memprof-Warning", a->warning);
    enum MHD_Result result =
        s->MHD_queue_response(connection, a->status, response);
    s->MHD_destroy_response(response);
    return result;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection,
                              const char *path, const char *method,
                              const char *version, const char *data,
                              size_t *size, void **request)
{
    static char seen;
    struct mpdata_http *const s = context;
    struct mpdata_http_answer a = {.type = "text/plain; charset=utf-8",
                                   .fd = -1};

    (void)version;
    (void)data;
    if (*request == NULL) { /* the header */
        *request = &seen;
        return MHD_YES;
    }
    if (*size != 0) { /* of a body */
        *size = 0;
        return MHD_YES;
    }
    mpdata_heapbuf_init(&a.text);
    choose(s, connection, path, method, &a);
    const enum MHD_Result result = send_answer(s, connection, &a);
    mpdata_heapbuf_fini(&a.text);
    free(a.warning);
    return result;
}

static bool load(struct mpdata_http *s)
{
    bool is_complete = true;

    s->library = dlopen(LIBRARY, RTLD_NOW);
    if (s->library == NULL)
        return false;
#define X(name)                                                        \
    s->name = (__typeof__(name) *)(uintptr_t)dlsym(s->library, #name); \
    is_complete = is_complete && s->name != NULL;
    FUNCTIONS(X)
#undef X
    return is_complete;
}

enum mprof_err mpdata_http_start(struct mpdata_http **server, int fd,
                                 bool checks_host, mpdata_http_fn *answer,
                                 void *context, struct mprof_diag *diag)
{
    struct mpdata_http *const s = calloc(1, sizeof(*s));

    *server = s;
    if (s == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    s->checks_host = checks_host;
    s->answer = answer;
    s->context = context;
    pthread_mutex_init(&s->lock, NULL);
    if (!load(s))
        return mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                                "there is no " LIBRARY
                                "; install Debian's package "
                                "libmicrohttpd12");
    s->daemon = s->MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
            MHD_USE_POLL,
        0, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_NOTIFY_CONNECTION, notice, s, MHD_OPTION_NOTIFY_COMPLETED,
        end_request, s, MHD_OPTION_CONNECTION_LIMIT, SLOTS_MAX,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_BYTES_MAX,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE_S, MHD_OPTION_END);
    return s->daemon != NULL
               ? MPROF_E_OK
               : mpdata_diag_text(diag, MPROF_E_IO, "the server did not start");
}

void mpdata_http_stop(struct mpdata_http *server)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL)
        server->MHD_stop_daemon(server->daemon);
    if (server->library != NULL)
        dlclose(server->library);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
