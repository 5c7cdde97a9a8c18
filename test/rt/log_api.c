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
// RUN: %{log} refused
// Without the profiler nothing happens, but on_stop() is called.
// RUN: %clang -I%root/inc %s -pthread -o %t.plain && %t.plain absent
#include <assert.h>
#include <errno.h>
#include <memprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void refused(struct sink *s)
{
    struct memprof_log_options o = options(s, NULL);

    o.writer = NULL;
    assert(memprof_log_start(&o) == MEMPROF_LOG_ARGUMENT && s->stops == 1);
    o.writer = take;
    o.buffer = s;
    o.buffer_bytes = 3;
    assert(memprof_log_start(&o) == MEMPROF_LOG_ARGUMENT && s->stops == 2);
    assert(memprof_log_stop() == MEMPROF_LOG_NOT_RUNNING && s->stops == 2);
    assert(strstr(memprof_log_error(MEMPROF_LOG_NOT_RUNNING), "no log"));
    assert(strstr(memprof_log_error(77), "unknown"));
}

static void absent(struct sink *s)
{
    const struct memprof_log_options o = options(s, NULL);

    assert(memprof_log_start(&o) == MEMPROF_LOG_ABSENT && s->stops == 1);
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
    if (is("refused") || is("absent")) {
        (is("absent") ? absent : refused)(&first);
        return 0;
    }
    kept = malloc(7);
    work(10);
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
