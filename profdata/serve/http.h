/* http.h -- a server of HTTP: libmicrohttpd, which is loaded when it is needed,
 * so that other commands do not depend on it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"
#include "shared/err.h"
#include "shared/base.h"

#include <sys/types.h>

/* route.c -- what a request of HTTP asks for. */

/* Longest time that a profile may cover. */
#define MPDATA_ROUTE_SECONDS_MAX 300u

/* X(id, path, what) */
#define MPDATA_ROUTES(X)                                                     \
    X(PAGE, "/", "the report page of now")                                   \
    X(HEAP, "/debug/pprof/heap", "a profile for pprof: live memory first")   \
    X(ALLOCS, "/debug/pprof/allocs", "a profile for pprof: all allocations") \
    X(PROFILE, "/profile", "a profile for pprof with all metrics")           \
    X(METRICS, "/metrics", "numbers for Prometheus")

enum mpdata_route {
#define X(id, path, what) MPDATA_ROUTE_##id,
    MPDATA_ROUTES(X)
#undef X
        MPDATA_ROUTE_COUNT
};

/* The route of a path; COUNT if there is none. */
enum mpdata_route mpdata_route_find(const char *path);
/* Text that lists the routes. */
extern const char mpdata_route_list[];
/* Parses ?seconds=N (NULL: not given, 0). False if it is no number up to
 * MPDATA_ROUTE_SECONDS_MAX. */
bool mpdata_route_seconds(const char *text, unsigned *seconds);
/* Whether the Host header (NULL: none) names this machine by an address or as
 * localhost. Another name means that a web page had a browser resolve its own
 * name to this address. */
bool mpdata_route_is_local_host(const char *host);

/* http.c */

struct mpdata_http_request {
    enum mpdata_route route;
    unsigned seconds;
};
/* A file, which the server closes, or text. */
struct mpdata_http_answer {
    unsigned status; /* 200, ... */
    const char *type;
    int fd; /* -1: text */
    struct mprof_buf text;
    char *warning; /* malloc'd header Memprof-Warning, or NULL */
};

/* Answers a request. Called in threads of the server, several at a time. */
typedef void mpdata_http_fn(void *context,
                            const struct mpdata_http_request *request,
                            struct mpdata_http_answer *answer);

struct mpdata_http;
/* Serves at a socket that listens, until mpdata_http_stop(). checks_host: the
 * Host header must be local. Errors: UNSUPPORTED without the library, with a
 * sentence in diag->text; IO. */
MPROF_NODISCARD enum mprof_err mpdata_http_start(struct mpdata_http **server,
                                                 int fd, bool checks_host,
                                                 mpdata_http_fn *answer,
                                                 void *context,
                                                 struct mprof_diag *diag);
/* NULL is allowed. */
void mpdata_http_stop(struct mpdata_http *server);
