/* serve_answer.c -- the answers of memprofdata serve: dumps of the programs go
 * to files without names, and another memprofdata makes of them what is asked
 * for. So each answer has memory of its own, and one that fails harms no other.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/serve_answer.h"
#include "profdata/base/sink.h"
#include "profdata/serve/control.h"
#include "profdata/serve/prometheus.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 100000000
#define STEPS_PER_S 10u
#define WARNING_BYTES 2000u
#define FIXED_WORDS 8

extern char **environ;

/* Profiles of programs at one moment. */
struct dumps {
    int *fds; /* by program; -1: it did not answer */
    size_t count;
};

static void put(struct mprof_buf *buf, const char *text)
{
    mprof_buf_bytes(buf, text, strlen(text));
}

/* -- dumps ----------------------------------------------------------------- */

/* Appends why a program did not answer. */
static void put_error(struct mprof_buf *errors, const struct mprof_diag *diag,
                      const char *where)
{
    put(errors, where);
    put(errors, ": ");
    put(errors, diag->text[0] != '\0' ? diag->text : "no memory");
    put(errors, "\n");
}

/* Returns a file without a name that has the program's profile, or -1. */
static int fetch(const char *where, struct mprof_buf *errors)
{
    struct mpdata_control connection;
    struct mprof_buf bytes;
    struct mprof_diag diag = {.text = ""};
    int fd = -1;

    if (mpdata_control_open(&connection, where, &diag) != MPROF_E_OK) {
        put_error(errors, &diag, where);
        return -1;
    }
    mpdata_heapbuf_init(&bytes);
    if (mpdata_control_dump(&connection, &bytes, &diag) == MPROF_E_OK)
        fd = memfd_create("profile", MFD_CLOEXEC);
    if (fd >= 0 &&
        pwrite(fd, bytes.data, bytes.size, 0) != (ssize_t)bytes.size) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        put_error(errors, &diag, where);
    mpdata_heapbuf_fini(&bytes);
    mpdata_control_close(&connection);
    return fd;
}

static bool fetch_all(struct dumps *d, const struct mpdata_targets *targets,
                      struct mprof_buf *errors)
{
    d->count = targets->program_count;
    d->fds = calloc(d->count + 1, sizeof(*d->fds));
    for (size_t i = 0; d->fds != NULL && i < d->count; i++)
        d->fds[i] = fetch(targets->programs[i], errors);
    return d->fds != NULL;
}

static void close_all(struct dumps *d)
{
    for (size_t i = 0; d->fds != NULL && i < d->count; i++) {
        if (d->fds[i] >= 0)
            close(d->fds[i]);
    }
    free(d->fds);
}

/* Returns a list of the dumps as a file without a name, or -1 if there are
 * none. with: only of programs that answered there, too; or NULL. */
static int list_dumps(const struct dumps *d, const struct dumps *with)
{
    int fd = -1;

    for (size_t i = 0; i < d->count; i++) {
        if (d->fds[i] < 0 || (with != NULL && with->fds[i] < 0))
            continue;
        if (fd < 0)
            fd = memfd_create("list", MFD_CLOEXEC);
        if (fd >= 0)
            dprintf(fd, "/proc/%d/fd/%d\n", (int)getpid(), d->fds[i]);
    }
    return fd;
}

/* -- the other memprofdata ------------------------------------------------- */

/* Adds "PREFIX/proc/PID/fd/N": the child opens our file. */
static char *name_of(const char *prefix, int fd)
{
    char *text = NULL;

    if (asprintf(&text, "%s/proc/%d/fd/%d", prefix, (int)getpid(), fd) < 0)
        return NULL;
    return text;
}

/* Runs memprofdata with its outputs in two files. Returns its exit status. */
static int run_command(char *const words[], int out, int err)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int status = 0;

    if (posix_spawn_file_actions_init(&files) != 0)
        return -1;
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, err, 2);
    const int error =
        posix_spawn(&child, "/proc/self/exe", &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
        return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Appends what the command printed as a message. */
static void put_messages(struct mprof_buf *errors, int fd)
{
    char text[WARNING_BYTES];
    const ssize_t n = pread(fd, text, sizeof(text), 0);

    if (n > 0)
        mprof_buf_bytes(errors, text, (size_t)n);
}

static void run_words(struct serve_state *s, char *const words[],
                      struct mpdata_http_answer *answer,
                      struct mprof_buf *errors)
{
    const int out = memfd_create("answer", MFD_CLOEXEC);
    const int err = memfd_create("messages", MFD_CLOEXEC);
    int status = -1;

    if (out >= 0 && err >= 0) {
        while (sem_wait(&s->free) != 0 && errno == EINTR)
            continue;
        status = run_command(words, out, err);
        sem_post(&s->free);
        put_messages(errors, err);
    }
    if (err >= 0)
        close(err);
    if (status == 0) {
        answer->fd = out;
        answer->status = MHD_HTTP_OK;
        return;
    }
    if (out >= 0)
        close(out);
    answer->status = MHD_HTTP_BAD_GATEWAY;
}

/* -- profiles -------------------------------------------------------------- */

/* Fills the words of the command behind its own. */
static void run_profile(struct serve_state *s, const char *const own[],
                        const struct mpdata_targets *targets, int list,
                        int base, struct mpdata_http_answer *answer,
                        struct mprof_buf *errors)
{
    char **const words =
        calloc(FIXED_WORDS + targets->file_count, sizeof(*words));
    char *const list_name = name_of("@", list);
    char *const base_name = name_of("--base=@", base);
    size_t n = 0;

    if (words != NULL && list_name != NULL && base_name != NULL) {
        for (; own[n] != NULL; n++)
            words[n] = (char *)(uintptr_t)own[n];
        if (base >= 0)
            words[n++] = base_name;
        if (list >= 0)
            words[n++] = list_name;
        for (size_t i = 0; i < targets->file_count; i++)
            words[n++] = targets->files[i];
        run_words(s, words, answer, errors);
    }
    free(words);
    free(list_name);
    free(base_name);
}

static void wait_seconds(const struct serve_state *s, unsigned seconds)
{
    const struct timespec step = {.tv_nsec = STEP_NS};

    for (unsigned i = 0; i < seconds * STEPS_PER_S && !s->is_ending; i++)
        nanosleep(&step, NULL);
}

/* Profiles of now, or of what comes in some seconds. */
static void answer_profile(struct serve_state *s,
                           const struct mpdata_http_request *request,
                           const struct mpdata_targets *targets,
                           struct mpdata_http_answer *answer,
                           struct mprof_buf *errors)
{
    static const char *const page[] = {"memprofdata", "report", "-o", "-",
                                       NULL};
    static const char *const heap[] = {
        "memprofdata", "export", "--format=pprof-go", "--metric=live", NULL};
    static const char *const allocs[] = {
        "memprofdata", "export", "--format=pprof-go", "--metric=bytes", NULL};
    static const char *const all[] = {"memprofdata", "export", "--format=pprof",
                                      "--metric=live", NULL};
    static const char *const *const commands[MPDATA_ROUTE_COUNT] = {
        [MPDATA_ROUTE_PAGE] = page,
        [MPDATA_ROUTE_HEAP] = heap,
        [MPDATA_ROUTE_ALLOCS] = allocs,
        [MPDATA_ROUTE_PROFILE] = all};
    struct dumps before = {.count = 0};
    struct dumps now = {.count = 0};
    int list = -1;
    int base = -1;
    bool is_done = true;

    if (request->seconds != 0) {
        is_done = fetch_all(&before, targets, errors);
        wait_seconds(s, request->seconds);
    }
    is_done = is_done && fetch_all(&now, targets, errors);
    if (is_done)
        list = list_dumps(&now, request->seconds != 0 ? &before : NULL);
    if (is_done && request->seconds != 0)
        base = list_dumps(&before, &now);
    if (list >= 0 || (is_done && targets->file_count != 0))
        run_profile(s, commands[request->route], targets, list, base, answer,
                    errors);
    if (list >= 0)
        close(list);
    if (base >= 0)
        close(base);
    close_all(&now);
    close_all(&before);
}

/* -- numbers --------------------------------------------------------------- */

/* The answer to `status`, malloc'd; NULL if there is none. */
static char *ask_status(const char *where)
{
    struct mpdata_control connection;
    struct mprof_diag diag;
    char *answer = NULL;

    if (mpdata_control_open(&connection, where, &diag) != MPROF_E_OK)
        return NULL;
    if (mpdata_control_ask(&connection, "status", &diag) == MPROF_E_OK)
        answer = strdup(connection.answer);
    mpdata_control_close(&connection);
    return answer;
}

static void answer_metrics(const struct mpdata_targets *targets,
                           struct mpdata_http_answer *answer)
{
    struct mpdata_status *const programs =
        calloc(targets->program_count + 1, sizeof(*programs));

    if (programs == NULL)
        return;
    for (size_t i = 0; i < targets->program_count; i++)
        programs[i] = (struct mpdata_status){targets->programs[i],
                                             ask_status(targets->programs[i])};
    mpdata_prometheus_write(&answer->text, programs, targets->program_count);
    answer->status = MHD_HTTP_OK;
    answer->type = "text/plain; version=0.0.4; charset=utf-8";
    for (size_t i = 0; i < targets->program_count; i++)
        free((char *)(uintptr_t)programs[i].answer);
    free(programs);
}

/* -- all ------------------------------------------------------------------- */

/* Messages beside an answer go into a header, in one line. */
static void set_warning(struct mpdata_http_answer *answer,
                        const struct mprof_buf *errors)
{
    if (errors->size == 0 || errors->failed)
        return;
    answer->warning = strndup((const char *)errors->data,
                              mprof_min_u64(errors->size - 1, WARNING_BYTES));
    for (char *c = answer->warning; c != NULL && *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ';';
    }
}

void serve_answer(void *context, const struct mpdata_http_request *request,
                  struct mpdata_http_answer *answer)
{
    struct serve_state *const s = context;
    struct mpdata_targets targets;
    struct mprof_buf errors;

    mpdata_heapbuf_init(&errors);
    answer->status = MHD_HTTP_SERVICE_UNAVAILABLE;
    if (!mpdata_targets_find(&targets, s->words, s->word_count)) {
        put(&errors, "no memory\n");
    } else if (request->seconds != 0 && targets.file_count != 0) {
        answer->status = MHD_HTTP_BAD_REQUEST;
        put(&errors, "seconds needs programs that run: files do not change\n");
    } else if (request->route == MPDATA_ROUTE_METRICS) {
        answer_metrics(&targets, answer);
    } else {
        answer_profile(s, request, &targets, answer, &errors);
    }
    if (answer->status != MHD_HTTP_OK) {
        mprof_buf_bytes(&answer->text, errors.data, errors.size);
        if (errors.size == 0)
            put(&answer->text, "no program answers\n");
    } else if (request->route != MPDATA_ROUTE_METRICS) {
        answer->type = request->route == MPDATA_ROUTE_PAGE
                           ? "text/html; charset=utf-8"
                           : "application/octet-stream";
        set_warning(answer, &errors);
    }
    mpdata_targets_fini(&targets);
    mpdata_heapbuf_fini(&errors);
}
