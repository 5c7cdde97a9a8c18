/* log_tail.c -- prints events of a log while it grows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/log_tail.h"
#include "profdata/base/sink.h"
#include "profdata/cmd/log_summary.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PART_BYTES (256u << 10)
#define WAIT_NS 50000000

struct tail {
    struct log_list *l;
    struct mpdata_event_tail *events;
    struct mprof_buf bytes; /* read, but not decoded */
    int fd;
    uint32_t known; /* call stacks */
    bool is_file;   /* may grow after its end */
    bool is_old;    /* reads what was there: the last events count */
    bool is_whole;
    bool is_over; /* nobody writes to it any more */
};

static enum mprof_err fail_io(struct mprof_diag *diag)
{
    return mpdata_diag_text(diag, MPROF_E_IO, "%s", strerror(errno));
}

static enum mprof_err open_log(struct tail *t, const char *path,
                               struct mprof_diag *diag)
{
    struct stat st;

    t->fd = mpdata_file_is_standard(path) ? STDIN_FILENO
                                          : open(path, O_RDONLY | O_CLOEXEC);
    if (t->fd < 0 || fstat(t->fd, &st) != 0)
        return fail_io(diag);
    t->is_file = t->is_old = S_ISREG(st.st_mode);
    return MPROF_E_OK;
}

/* -- rows ------------------------------------------------------------------ */

static bool takes_all(void *context, const struct mpdata_event_life *life,
                      bool is_end)
{
    (void)context;
    (void)life;
    (void)is_end;
    return true;
}

/* Keeps the rows that fit: of old ones the last. */
static void choose_rows(struct tail *t)
{
    struct mpdata_vec *const rows = &t->l->list.rows;
    struct mpdata_event_row *const row = rows->data;
    const uint64_t max = t->is_old ? t->l->session->show.top : UINT64_MAX;
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        if (log_list_keeps(t->l, &row[i].life, row[i].is_end))
            row[count++] = row[i];
    }
    rows->count = count;
    mpdata_event_rows_sort(&t->l->list);
    if (count > max) {
        memmove(row, row + (count - max), max * sizeof(*row));
        rows->count = (uint32_t)max;
    }
}

static bool print_rows(struct tail *t)
{
    const struct mpdata_event_row *const row = t->l->list.rows.data;
    bool is_done = true;

    for (uint32_t i = 0; i < t->l->list.rows.count; i++)
        is_done &= log_list_print_row(t->l, &row[i], stdout);
    t->l->list.rows.count = 0;
    t->is_old = false;
    return is_done;
}

/* -- bytes ----------------------------------------------------------------- */

/* Appends bytes of the log; *count: 0 at its end for now. */
static enum mprof_err read_bytes(struct tail *t, size_t *count,
                                 struct mprof_diag *diag)
{
    uint8_t *const room = mprof_buf_extend(&t->bytes, PART_BYTES);
    ssize_t got;

    if (room == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    t->bytes.size -= PART_BYTES;
    do
        got = read(t->fd, room, PART_BYTES);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail_io(diag);
    *count = (size_t)got;
    t->bytes.size += (size_t)got;
    return MPROF_E_OK;
}

static enum mprof_err decode(struct tail *t, struct mprof_diag *diag)
{
    size_t used = 0;
    enum mprof_err err =
        mpdata_event_rows_tail_read(t->events, t->bytes.data, t->bytes.size,
                                    &used, &t->is_whole, &t->l->list.rest);

    memmove(t->bytes.data, t->bytes.data + used, t->bytes.size - used);
    t->bytes.size -= used;
    if (err == MPROF_E_MAGIC || err == MPROF_E_VERSION)
        return log_summary_refuse(t->bytes.data, t->bytes.size, diag);
    if (err == MPROF_E_NOMEM)
        return mprof_err_plain(diag, err);
    t->is_over = err != MPROF_E_OK;
    if (t->l->stacks.rows.count != t->known) {
        t->known = t->l->stacks.rows.count;
        err = log_list_know_stacks(t->l, diag);
        if (err != MPROF_E_OK)
            return err;
    }
    choose_rows(t);
    return MPROF_E_OK;
}

/* A file can be leased for reading if nobody has it open for writing. If that
 * cannot be found out, somebody has. */
static bool has_writer(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return true;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}

/* At the end of what is there. What was written just before the writer went is
 * read once more. */
static void wait_for_more(struct tail *t, bool *was_left)
{
    const struct timespec pause = {.tv_nsec = WAIT_NS};

    t->is_over = !t->is_file || *was_left;
    *was_left = !t->is_over && !has_writer(t->fd);
    if (!t->is_over && !*was_left)
        nanosleep(&pause, NULL);
}

/* -- the whole ------------------------------------------------------------- */

static enum mprof_err follow(struct tail *t, struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;
    bool was_left = false;

    while (err == MPROF_E_OK && !t->is_whole && !t->is_over) {
        size_t count = 0;

        err = read_bytes(t, &count, diag);
        if (err == MPROF_E_OK && count != 0)
            err = decode(t, diag);
        if (err != MPROF_E_OK || (count != 0 && t->is_old))
            continue;
        if (!print_rows(t))
            err = mprof_err_plain(diag, MPROF_E_NOMEM);
        if (fflush(stdout) != 0)
            err = fail_io(diag);
        if (count == 0)
            wait_for_more(t, &was_left);
    }
    if (err == MPROF_E_OK && !print_rows(t))
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    return err;
}

static void say_end(const struct tail *t)
{
    const struct session *const session = t->l->session;
    const struct mprof_diag *const rest = &t->l->list.rest;

    if (t->is_whole)
        return;
    if (rest->err != MPROF_E_OK && rest->err != MPROF_E_TRUNCATED)
        log_summary_warn(&session->warn, session->words[0], rest);
    else
        mpdata_diag_warn(
            &session->warn, session->words[0],
            "the log has no end, and nobody writes to it any more");
}

int log_tail_print(struct log_list *l, struct session *session)
{
    struct tail t = {.l = l, .fd = -1};
    struct mprof_diag diag;
    enum mprof_err err;
    int status = log_list_open(l, session);

    mpdata_heapbuf_init(&t.bytes);
    l->traits = mpdata_foreign_log_traits(NULL, 0);
    l->list.max = UINT32_MAX;
    l->list.keeps = takes_all;
    t.events = mpdata_event_rows_tail_new(&l->list, &l->stacks);
    if (status == 0 && t.events == NULL)
        status = cmd_no_memory();
    if (status == 0) {
        err = open_log(&t, session->words[0], &diag);
        if (err == MPROF_E_OK)
            err = follow(&t, &diag);
        if (err == MPROF_E_OK)
            say_end(&t);
        status =
            err == MPROF_E_OK ? cmd_finish_output(0) : log_list_fail(l, &diag);
    }
    mpdata_event_rows_tail_free(t.events);
    mpdata_heapbuf_fini(&t.bytes);
    if (t.fd > STDIN_FILENO)
        close(t.fd);
    return status;
}
