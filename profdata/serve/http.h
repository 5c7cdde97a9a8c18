/* http.h -- a server of HTTP: libmicrohttpd, which is loaded when it is needed,
 * so that other commands do not depend on it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/serve/route.h"
#include "shared/buf.h"
#include "shared/err.h"

#include <sys/types.h>

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
