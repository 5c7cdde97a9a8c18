// memprof_log_start(): the log goes to a function of the program, which may return other
// buffers, allocate, be slow, fail, and end the log; on_stop() is called once, however the log
// ends. log_api.py compares what memprofdata reads with what the program did.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -I%root/inc %s -pthread -o %t
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// DEFINE: %{log} = python3 %S/Inputs/log_api.py %memprofdata %t
// RUN: %{log} plain
// RUN: %{log} buffers
// RUN: %{log} allocates
// RUN: %{log} threads
// RUN: %{log} slow
// Another thread fills its buffers meanwhile: the writer waits for it, and holds no lock.
// RUN: %{log} waits
// RUN: %{log} exit
// RUN: %{log} duration
// RUN: %{log} fail
// RUN: %{log} stop_inside
// RUN: %{log} twice
// RUN: %{log} fork
// A thread of the program writes; the writer only hands its buffers over.
// RUN: %{log} host
// RUN: %{log} often
// RUN: %{log} signals
// RUN: %{log} refused
// RUN: env LOG_OPTIONS=accesses=1/4 %{log} sampled
// Without the profiler nothing happens, but on_stop() is called.
// RUN: %clang -I%root/inc %s -pthread -o %t.plain && %t.plain absent
#include <assert.h>
#include <errno.h>
#include <memprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20000, THREADS = 8, BUFFER = 1000 };

struct sink {
    FILE *file;
    int calls, stops, refuses_at, stops_at, result;
    int allocates, is_slow, waits;
    size_t bytes_max;
    char *buffers[2];
};

static const char *mode;
static char *volatile kept;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

__attribute__((noinline)) static void work(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        char *const p = malloc(10 + i % 100);

        p[0] = 1;
        free(p);
    }
}

// Frees what was allocated before the log, too.
__attribute__((noinline)) static void churn(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        free(kept);
        kept = malloc(7);
    }
}

static void *thread(void *unused)
{
    work(ROUNDS);
    return unused;
}

static size_t take(void **buffer, size_t length, void *ctx)
{
    struct sink *const s = ctx;

    if (++s->calls == s->refuses_at)
        return 0;
    assert(fwrite(*buffer, 1, length, s->file) == length);
    if (s->bytes_max < length)
        s->bytes_max = length;
    if (s->buffers[0] != NULL) {
        assert(*buffer == s->buffers[(s->calls - 1) % 2]);
        *buffer = s->buffers[s->calls % 2];
    }
    if (s->allocates)
        churn(s->calls == 2 ? 20000 : 20); // the first is more than a buffer of events
    if (s->waits && s->calls == 2) {
        pthread_t other;

        assert(pthread_create(&other, NULL, thread, NULL) == 0);
        pthread_join(other, NULL);
    }
    if (s->is_slow)
        usleep(20000);
    if (s->calls == s->stops_at)
        assert(memprof_log_stop() == MEMPROF_LOG_OK);
    return length;
}

static int stopped(void *ctx)
{
    struct sink *const s = ctx;

    s->stops++;
    if (s->file != NULL)
        fclose(s->file);
    free(malloc(100));
    return s->result;
}

static struct memprof_log_options options(struct sink *s, const char *path)
{
    *s = (struct sink){.file = path != NULL ? fopen(path, "wb") : NULL};
    return (struct memprof_log_options){.writer = take, .on_stop = stopped, .ctx = s};
}

static void start(const struct memprof_log_options *o)
{
    const int status = memprof_log_start(o);

    if (status != MEMPROF_LOG_OK)
        fprintf(stderr, "%s\n", memprof_log_error(status));
    assert(status == MEMPROF_LOG_OK && memprof_log_is_running());
}

static void run_threads(void)
{
    pthread_t ids[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
}

// A thread that writes, and the buffers that it has got and not yet written.
static struct host {
    FILE *file;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    char buffers[4][BUFFER];
    size_t lengths[4];
    unsigned taken, written;
    int is_over;
} host = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *host_loop(void *unused)
{
    pthread_mutex_lock(&host.mutex);
    for (;;) {
        while (host.written == host.taken && !host.is_over)
            pthread_cond_wait(&host.changed, &host.mutex);
        if (host.written == host.taken)
            break;
        const unsigned i = host.written % 4;
        pthread_mutex_unlock(&host.mutex);
        assert(fwrite(host.buffers[i], 1, host.lengths[i], host.file) == host.lengths[i]);
        pthread_mutex_lock(&host.mutex);
        host.written++;
        pthread_cond_signal(&host.changed);
    }
    pthread_mutex_unlock(&host.mutex);
    return unused;
}

static size_t host_takes(void **buffer, size_t length, void *ctx)
{
    struct host *const h = ctx;

    pthread_mutex_lock(&h->mutex);
    assert(*buffer == h->buffers[h->taken % 4]);
    h->lengths[h->taken++ % 4] = length;
    while (h->taken - h->written == 4)
        pthread_cond_wait(&h->changed, &h->mutex);
    *buffer = h->buffers[h->taken % 4];
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->mutex);
    return length;
}

static int host_ends(void *ctx)
{
    struct host *const h = ctx;

    pthread_mutex_lock(&h->mutex);
    h->is_over = 1;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->mutex);
    pthread_join(h->thread, NULL);
    return fclose(h->file);
}

static void run_host(void)
{
    const struct memprof_log_options o = {.writer = host_takes,
                                          .on_stop = host_ends,
                                          .ctx = &host,
                                          .buffer = host.buffers[0],
                                          .buffer_bytes = BUFFER};

    host.file = fopen("log", "wb");
    assert(pthread_create(&host.thread, NULL, host_loop, NULL) == 0);
    start(&o);
    run_threads();
    assert(memprof_log_stop() == MEMPROF_LOG_OK && host.is_over && host.written == host.taken);
}

// With an interval of 1 ms the first event after it passes on what is there.
static void often(struct sink *s)
{
    struct memprof_log_options o = options(s, "log");

    o.interval_ms = 1;
    start(&o);
    for (int i = 1; i <= 20; i++) {
        usleep(1500);
        work(1);
        assert(s->calls > i);
    }
    assert(memprof_log_stop() == MEMPROF_LOG_OK);
}

static char *volatile held[64];
static volatile int signals;

static void handle(int number)
{
    const int i = signals++ % 64;

    (void)number;
    free(held[i]);
    held[i] = malloc(10 + (size_t)signals % 500);
}

// Signal handlers allocate, also while the writer runs, which allocates, too.
static void interrupted(struct sink *s)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct memprof_log_options o = options(s, "log");
    const struct itimerval timer = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};

    s->allocates = 1;
    start(&o);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    work(THREADS * ROUNDS);
    while (signals < 300)
        work(1);
    setitimer(ITIMER_REAL, &none, NULL);
    s->allocates = 0;
    assert(memprof_log_stop() == MEMPROF_LOG_OK);
}

static void sampled(struct sink *s)
{
    const struct memprof_log_options o = options(s, NULL);

    assert(memprof_log_start(&o) == MEMPROF_LOG_SAMPLING && s->stops == 1 && s->calls == 0);
    assert(strstr(memprof_log_error(MEMPROF_LOG_SAMPLING), "1/N"));
    assert(memprof_log_stop() == MEMPROF_LOG_NOT_RUNNING && !memprof_log_is_running());
}

// A writer that fails at once: the start says so, and nothing else does.
static void fails_in_start(struct sink *s)
{
    struct memprof_log_options o;

    o = options(s, NULL);
    s->refuses_at = 1;
    assert(memprof_log_start(&o) == MEMPROF_LOG_IO && s->stops == 1 && s->calls == 1);
    assert(!memprof_log_is_running() && memprof_log_stop() == MEMPROF_LOG_NOT_RUNNING);
    o = options(s, "log");
    start(&o);
    assert(memprof_log_stop() == MEMPROF_LOG_OK && s->stops == 1);
}

static void refused(struct sink *s)
{
    struct memprof_log_options o = options(s, NULL);

    assert(memprof_log_start(NULL) == MEMPROF_LOG_ARGUMENT);
    o.writer = NULL;
    assert(memprof_log_start(&o) == MEMPROF_LOG_ARGUMENT && s->stops == 1);
    o.writer = take;
    o.buffer = s;
    o.buffer_bytes = 3;
    assert(memprof_log_start(&o) == MEMPROF_LOG_ARGUMENT && s->stops == 2);
    assert(memprof_log_stop() == MEMPROF_LOG_NOT_RUNNING && s->stops == 2);
    assert(strstr(memprof_log_error(MEMPROF_LOG_NOT_RUNNING), "no log"));
    assert(strstr(memprof_log_error(MEMPROF_LOG_MEMORY), "no memory"));
    assert(strstr(memprof_log_error(77), "unknown"));
    fails_in_start(s);
}

static void absent(struct sink *s)
{
    const struct memprof_log_options o = options(s, NULL);

    assert(memprof_log_start(&o) == MEMPROF_LOG_ABSENT && s->stops == 1);
    assert(memprof_log_start(NULL) == MEMPROF_LOG_ABSENT);
    assert(memprof_log_stop() == MEMPROF_LOG_ABSENT && !memprof_log_is_running());
    assert(strstr(memprof_log_error(MEMPROF_LOG_ABSENT), "without"));
}

static struct sink first, second;

static void at_exit_too(void)
{
    assert(first.stops == 0);
}

int main(int argc, char **argv)
{
    static char buffers[2][BUFFER];

    mode = argv[argc > 1];
    if (is("refused") || is("absent") || is("sampled")) {
        (is("absent") ? absent : is("sampled") ? sampled : refused)(&first);
        return 0;
    }
    kept = malloc(7);
    work(10);
    if (is("host")) {
        run_host();
        return 0;
    }
    if (is("often") || is("signals")) {
        (is("often") ? often : interrupted)(&first);
        return 0;
    }
    struct memprof_log_options o = options(&first, "log");
    if (is("buffers")) {
        for (int i = 0; i < 2; i++)
            first.buffers[i] = buffers[i];
        o.buffer = buffers[0];
        o.buffer_bytes = BUFFER;
    }
    first.allocates = is("allocates");
    first.is_slow = is("slow");
    first.waits = is("waits");
    first.refuses_at = is("fail") ? 2 : 0;
    first.stops_at = is("stop_inside") ? 2 : 0;
    o.duration_ms = is("duration") ? 50 : 0;
    o.interval_ms = is("slow") ? 1 : 0;
    start(&o);
    assert(first.calls > 0); // it has the beginning
    errno = 77;
    struct memprof_log_options other = options(&second, NULL);
    assert(memprof_log_start(&other) == MEMPROF_LOG_RUNNING && second.stops == 1 && errno == 77);
    if (is("threads") || is("slow"))
        run_threads();
    else
        work(THREADS * ROUNDS);
    if (is("slow")) // alone: between two calls of the writer it must get on
        work(ROUNDS);
    if (is("exit")) {
        atexit(at_exit_too);
        return 0;
    }
    if (is("duration")) {
        while (memprof_log_is_running())
            free(malloc(1));
        assert(first.stops == 1 && memprof_log_stop() == MEMPROF_LOG_NOT_RUNNING);
        return 0;
    }
    if (is("fork")) {
        const pid_t child = fork();

        assert(memprof_log_is_running() == (child != 0));
        work(5);
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    if (is("fail")) {
        assert(first.stops == 1 && !memprof_log_is_running());
        assert(memprof_log_stop() == MEMPROF_LOG_IO);
        assert(memprof_log_stop() == MEMPROF_LOG_NOT_RUNNING);
        return 0;
    }
    if (is("stop_inside")) {
        assert(first.stops == 1 && !memprof_log_is_running());
        return 0;
    }
    first.allocates = 0; // what follows are its last blocks
    first.result = is("twice");
    assert(memprof_log_stop() == (is("twice") ? MEMPROF_LOG_IO : MEMPROF_LOG_OK));
    assert(first.stops == 1 && !memprof_log_is_running());
    assert(!is("buffers") || first.bytes_max == BUFFER);
    if (is("twice")) {
        work(10);
        o = options(&second, "log2");
        start(&o);
        work(33);
        assert(memprof_log_stop() == MEMPROF_LOG_OK && second.stops == 1);
    }
    return 0;
}
