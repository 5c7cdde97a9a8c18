/* cmd_live.c -- memprofdata live: the heap of a program while it runs.
 *
 * Each page is a profile: the bytes of a dump that came through the control
 * socket, in a file without a name, or the log as far as it is written or was
 * sent. The loader reads it as it reads all profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/live.h"
#include "profdata/cmd/session.h"
#include "profdata/serve/control.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define INTERVAL_S 1
#define MS_PER_S 1000
#define WAIT_MS 100
#define HEAD_ROWS 7 /* lines beside the rows */
#define TEXT_BYTES 512
#define KEYS "s sort  / filter  p pause  z growth from here  d dump  q quit"

struct live {
    struct session session;
    uint64_t interval_s;
    uint64_t count; /* pages; 0: until the end */
    const char *where;
    const char *log; /* the path of the log, or NULL */
    struct live_stream stream;
    bool is_paused;
    bool is_typing; /* the filter */
    bool is_over;   /* the program has ended */
    char filter[TEXT_BYTES];
    char message[TEXT_BYTES];
    struct live_rows rows;
};

#define AT(member) offsetof(struct live, member)

static const struct cmd_option options[] = {
    {"interval", 'i', "SECONDS", "refresh every SECONDS (default: 1)",
     cmd_take_positive, AT(interval_s)},
    {"count", 'n', "N", "end after N pages", cmd_take_positive, AT(count)},
    {"sort", 0, "KEY:" MPDATA_METRIC_NAMES,
     MPDATA_METRIC_NAMES "(default: live)", cmd_take_choice,
     SESSION_AT(show.sort)},
    SESSION_WRAPPERS_OPTION,
    SESSION_HIDE_OPTION,
    SESSION_FILTER_OPTIONS,
    SESSION_SYMBOL_OPTIONS,
};

/* -- the profile ----------------------------------------------------------- */

static int fail(const struct mprof_diag *diag)
{
    if (diag->text[0] == '\0' || diag->file == NULL)
        return cmd_fail(diag);
    cmd_say("%s: %s", diag->file, diag->text);
    return mprof_err_exit(diag->err);
}

/* Stores a dump in a file without a name. */
static int fetch(const struct live *l, int fd)
{
    struct mpdata_control connection;
    struct mprof_buf bytes;
    struct mprof_diag diag;
    int status = 0;

    if (mpdata_control_open(&connection, l->where, &diag) != MPROF_E_OK)
        return fail(&diag);
    mpdata_heapbuf_init(&bytes);
    if (mpdata_control_dump(&connection, &bytes, &diag) != MPROF_E_OK)
        status = fail(&diag);
    else if (pwrite(fd, bytes.data, bytes.size, 0) != (ssize_t)bytes.size)
        status = cmd_no_memory();
    mpdata_heapbuf_fini(&bytes);
    mpdata_control_close(&connection);
    return status;
}

static void forget_profile(struct session_profile *p)
{
    mpdata_symbolize_fini(&p->load);
    mpdata_content_fini(&p->content);
    mpdata_inputs_fini(&p->inputs);
    mpdata_heapbuf_fini(&p->left_out);
    *p = (struct session_profile){.joined = 0};
    mpdata_inputs_init(&p->inputs);
    mpdata_heapbuf_init(&p->left_out);
}

static int load(struct live *l, const char *path)
{
    struct session_profile *const p = &l->session.profiles[SESSION_NEW];

    forget_profile(p);
    int status = session_add(p, path, 1);
    if (status == 0)
        status = session_load(&l->session, p);
    return status == 0 ? session_hide(&l->session, p, true) : status;
}

static int load_now(struct live *l)
{
    char path[64];

    if (l->log != NULL)
        return load(l, l->log);
    const int fd = memfd_create("dump", MFD_CLOEXEC);
    if (fd < 0)
        return cmd_no_memory();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int status = fetch(l, fd);
    if (status == 0)
        status = load(l, path);
    close(fd);
    return status;
}

/* -- the page -------------------------------------------------------------- */

static void print_head(const struct live *l, FILE *out)
{
    const char *const state = l->is_over
                                  ? "the program has ended, or does not answer"
                              : l->is_paused ? "paused"
                                             : "running";

    fprintf(out, "memprofdata live %s: %s, sorted by %s%s%s%s\n", l->where,
            state, mpdata_metrics_title(l->session.show.sort, !l->is_over),
            l->filter[0] != '\0' || l->is_typing ? ", with " : "", l->filter,
            l->is_typing ? "_" : "");
}

static enum mprof_err print_page(struct live *l, FILE *out)
{
    const size_t rows = live_screen_size().rows;
    struct session *const s = &l->session;

    print_head(l, out);
    l->rows.filter = l->filter;
    const enum mprof_err err =
        live_rows_print(&l->rows, out, rows > HEAD_ROWS ? rows - HEAD_ROWS : 1,
                        session_profile(s, SESSION_NEW), &s->show);
    fprintf(out, "%s\n",
            l->message[0] != '\0' ? l->message
            : l->count == 0       ? KEYS
                                  : "");
    return err;
}

static int show_page(struct live *l)
{
    char *page = NULL;
    size_t size;
    FILE *const out = open_memstream(&page, &size);
    enum mprof_err err = MPROF_E_NOMEM;

    if (out == NULL)
        return cmd_no_memory();
    if (session_profile(&l->session, SESSION_NEW) != NULL)
        err = print_page(l, out);
    if (fclose(out) == 0 && err == MPROF_E_OK)
        live_screen_show(page);
    free(page);
    return err == MPROF_E_OK ? 0 : cmd_no_memory();
}

/* Loads and shows the profile of now. If that fails after the first page, the
 * last one stays. */
static int refresh(struct live *l, bool is_first)
{
    const bool is_last = atomic_load(&l->stream.is_over);
    const int status = load_now(l);
    char message[TEXT_BYTES];

    live_screen_message(message, sizeof(message));
    if (is_first && status != 0)
        memcpy(l->message, message, sizeof(message));
    l->is_over = status != 0 || is_last;
    return status == 0 ? show_page(l) : status;
}

/* -- keys ------------------------------------------------------------------ */

static void choose_next_sort(struct live *l)
{
    static const enum mpdata_metric metrics[] = {
        MPDATA_METRIC_LIVE, MPDATA_METRIC_BYTES, MPDATA_METRIC_BLOCKS,
        MPDATA_METRIC_ACCESSES, MPDATA_METRIC_PEAK};
    size_t i = 0;

    while (i < MPROF_ARRAY_LEN(metrics) && metrics[i] != l->session.show.sort)
        i++;
    l->session.show.sort = metrics[(i + 1) % MPROF_ARRAY_LEN(metrics)];
}

static void dump_there(struct live *l)
{
    struct mpdata_control connection;
    struct mprof_diag diag;

    if (l->log != NULL)
        cmd_say("a log has no program to ask for a dump");
    else if (mpdata_control_open(&connection, l->where, &diag) != MPROF_E_OK)
        fail(&diag);
    else {
        if (mpdata_control_ask(&connection, "dump", &diag) != MPROF_E_OK)
            fail(&diag);
        else
            cmd_say("the program wrote %s", connection.answer);
        mpdata_control_close(&connection);
    }
    live_screen_message(l->message, sizeof(l->message));
}

/* A key of the filter's text: Enter ends it, Escape drops it. */
static void type(struct live *l, int key)
{
    const size_t n = strlen(l->filter);

    if (key == '\033')
        l->filter[0] = '\0';
    if (key == '\033' || key == '\r' || key == '\n')
        l->is_typing = false;
    else if (key == '\b' || key == 0x7f)
        l->filter[n != 0 ? n - 1 : 0] = '\0';
    else if (key >= ' ' && n + 1 < sizeof(l->filter))
        memcpy(l->filter + n, (const char[]){(char)key, '\0'}, 2);
}

/* Returns whether the key ends the command. */
static bool take_key(struct live *l, int key)
{
    l->message[0] = '\0';
    if (key == LIVE_QUIT)
        return true;
    if (l->is_typing) {
        type(l, key);
        return false;
    }
    switch (key) {
    case 's':
        choose_next_sort(l);
        break;
    case '/':
        l->is_typing = true;
        l->filter[0] = '\0';
        break;
    case 'p':
        l->is_paused = !l->is_paused;
        break;
    case 'z':
        live_rows_restart(&l->rows);
        break;
    case 'd':
        dump_there(l);
        break;
    default:
        break;
    }
    return key == 'q';
}

/* -- the command ----------------------------------------------------------- */

/* Returns false if the user ends the command before a program comes. */
static bool wait_for_program(const struct live *l)
{
    char page[TEXT_BYTES];
    int key = 0;

    snprintf(page, sizeof(page),
             "memprofdata live %s: waits for a program that is started with "
             "MEMPROF_OPTIONS=\"log='%s'\"; q quits\n",
             l->where, l->where);
    live_screen_show(page);
    while (key != 'q' && key != LIVE_QUIT) {
        if (atomic_load(&l->stream.has_data) || atomic_load(&l->stream.is_over))
            return true;
        key = live_screen_key(WAIT_MS);
    }
    return false;
}

/* Shows pages until the user or the program ends. A page that fails ends a
 * command without a terminal. */
static int run_pages(struct live *l, bool has_screen)
{
    if (l->log == l->stream.path && !wait_for_program(l))
        return 0;
    int status = refresh(l, true);
    uint64_t pages = 1;

    while (status == 0 && (l->count == 0 || pages < l->count)) {
        const int key = live_screen_key(l->interval_s * MS_PER_S);

        if (key != 0 && take_key(l, key))
            break;
        if (key == 0 && !l->is_paused && !l->is_over) {
            pages++;
            if (refresh(l, false) != 0 && !has_screen)
                break;
        } else if (key != 0) {
            status = show_page(l);
        }
        if (l->is_over && !has_screen)
            break;
        if (l->is_over)
            show_page(l);
    }
    return status;
}

static bool is_file(const char *where)
{
    struct stat st;

    return strncmp(where, MPROF_CONTROL_UNIX, strlen(MPROF_CONTROL_UNIX)) !=
               0 &&
           strspn(where, "0123456789") != strlen(where) &&
           (stat(where, &st) != 0 || !S_ISSOCK(st.st_mode));
}

static int live(struct session *session)
{
    struct live *const l = (struct live *)session;
    struct mprof_diag diag;
    char last[TEXT_BYTES];

    if (session->word_count != 1)
        return cmd_usage(session->command,
                         "one process, socket or log is needed");
    l->where = session->words[0];
    if (is_file(l->where))
        l->log = l->where;
    if (live_stream_is(l->where)) {
        if (live_stream_begin(&l->stream, l->where, &diag) != MPROF_E_OK)
            return cmd_fail(&diag);
        l->log = l->stream.path;
    }
    const bool has_screen = live_screen_begin();
    terminal_set_style(&session->show, TERMINAL_NEVER, stdout);
    int status = run_pages(l, has_screen);
    memcpy(last, l->message, sizeof(last));
    live_screen_end();
    if (status != 0 && has_screen && last[0] != '\0')
        fprintf(stderr, "%s\n", last);
    return status == 0 ? cmd_finish_output(0) : status;
}

static int run(const struct cmd_call *call)
{
    struct live l = {.session.show.sort = MPDATA_METRIC_LIVE,
                     .session.filter.joins_wrapped = true,
                     .interval_s = INTERVAL_S,
                     .stream = {.listener = -1, .peer = -1}};
    const int status = session_run(&l.session, call, live);

    live_stream_end(&l.stream);
    live_rows_fini(&l.rows);
    return status;
}

const struct cmd_command cmd_live = {
    .name = "live",
    .usage = "[OPTION]... PID|unix:PATH|LOG",
    .summary = "watch the heap of a program while it runs",
    .details =
        "Shows live bytes, growth, rates and the largest call stacks of a "
        "program that was started with MEMPROF_OPTIONS=control=DIR or "
        "control=PATH, or of one that writes a log (log=FILE), and refreshes "
        "them every second. If nobody listens at unix:PATH, the command does, "
        "and waits for a program that is started with "
        "MEMPROF_OPTIONS=\"log='unix:PATH'\". Growth is that since the first "
        "page.\n"
        "\n"
        "Keys: s sorts by the next metric; / and a text keep the call stacks "
        "that contain the text (Enter ends it, Escape drops it); p pauses; z "
        "lets growth begin now; d has the program write a profile; q quits. "
        "The program does not notice when the command ends.\n"
        "\n"
        "If standard output is no terminal, pages follow one another.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
