/* live.h -- the parts of memprofdata live.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/lists.h"
#include "profdata/view/show.h"
#include "shared/base.h"
#include "shared/err.h"

#include <stdio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/un.h>

/* live_rows.c -- the page of memprofdata live: sums of a profile and its call
 * stacks, and what changed since earlier profiles of the same run. */

/* What is remembered of a call stack. */
struct live_row {
    uint64_t key; /* hash of its frames */
    uint64_t live_bytes;
    uint64_t blocks; /* allocated */
};

struct live_sample {
    struct live_row *rows; /* owned, ascending by key */
    uint32_t count;
    uint64_t ns; /* since the start of the run */
    uint64_t blocks;
    uint64_t bytes;
    uint64_t live_bytes;
};

struct live_rows {
    struct live_sample base;   /* growth is since then */
    struct live_sample last;   /* the last page's */
    struct live_sample before; /* rates are since then */
    const char *filter;        /* rows must have this text; "": all */
};

/* Prints a page of at most `rows` rows, of the last profile or a newer one.
 * Error: NOMEM. */
enum mprof_err live_rows_print(struct live_rows *live, FILE *out, size_t rows,
                               const struct mpdata_profile *profile,
                               const struct show_options *options);
/* Growth begins at the next page. */
void live_rows_restart(struct live_rows *live);
void live_rows_fini(struct live_rows *live);

/* live_screen.c -- a terminal that shows one page at a time and gives keys. */

/* Takes the terminal: another screen, keys at once and unseen. stderr goes to a
 * file meanwhile. False if stdin or stdout is no terminal; nothing is changed
 * then. */
bool live_screen_begin(void);
void live_screen_end(void);

/* Rows and columns of the terminal; as much as a page needs without one. */
struct live_size {
    size_t rows;
    size_t columns;
};
struct live_size live_screen_size(void);

/* Shows a text of several lines; cuts what does not fit. Changes `page`. */
void live_screen_show(char *page);

/* Waits for a key. Returns it, 0 if none comes in time, or LIVE_QUIT for the
 * end of input and signals that end the program. */
#define LIVE_QUIT (-1)
int live_screen_key(uint64_t ms);

/* Stores the last line that was printed to stderr since the last call, or "".
 */
void live_screen_message(char *out, size_t size);

/* live_stream.c -- the log that a program sends to a socket (log=unix:PATH), in
 * a file without a name that grows. */

struct live_stream {
    struct sockaddr_un address;
    FILE *file;
    int listener;
    pthread_t thread; /* takes what the program sends */
    bool has_thread;
    _Atomic int peer; /* -1: none yet */
    _Atomic bool has_data;
    _Atomic bool is_over;
    char path[64]; /* of the file */
};

/* Whether `where` is a socket's path behind "unix:" at which nobody listens. */
bool live_stream_is(const char *where);
/* Listens there for one program. The caller calls live_stream_end() in any
 * case. Errors: IO, with text. */
MPROF_NODISCARD enum mprof_err live_stream_begin(struct live_stream *s,
                                                 const char *where,
                                                 struct mprof_diag *diag);
void live_stream_end(struct live_stream *s);
