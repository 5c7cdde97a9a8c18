/* writer.c -- pairs of malloc and free, whose log goes to a function of the
 * program that writes it to the file of the option log, or lends it to a thread
 * that does. Without the option there is no log.
 *
 * usage: writer PAIRS HAS_THREAD
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

#include "inc/memprof.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BUFFERS = 8, BUFFER_BYTES = 64 << 10 };

static struct {
    FILE *file;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    size_t lengths[BUFFERS];
    unsigned long lent; /* buffers that the thread has got */
    unsigned long written;
    int has_thread;
    int is_over;
    char buffers[BUFFERS][BUFFER_BYTES];
} log = {.mutex = PTHREAD_MUTEX_INITIALIZER,
         .changed = PTHREAD_COND_INITIALIZER};

static void write_out(unsigned long i)
{
    if (fwrite(log.buffers[i % BUFFERS], 1, log.lengths[i % BUFFERS],
               log.file) != log.lengths[i % BUFFERS])
        abort();
}

static void *write_all(void *unused)
{
    pthread_mutex_lock(&log.mutex);
    while (!log.is_over || log.written != log.lent) {
        if (log.written == log.lent) {
            pthread_cond_wait(&log.changed, &log.mutex);
            continue;
        }
        pthread_mutex_unlock(&log.mutex);
        write_out(log.written);
        pthread_mutex_lock(&log.mutex);
        log.written++;
        pthread_cond_broadcast(&log.changed);
    }
    pthread_mutex_unlock(&log.mutex);
    return unused;
}

static size_t take(void **buffer, size_t length, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&log.mutex);
    log.lengths[log.lent % BUFFERS] = length;
    if (log.has_thread) {
        log.lent++;
        pthread_cond_broadcast(&log.changed);
        while (log.lent - log.written == BUFFERS)
            pthread_cond_wait(&log.changed, &log.mutex);
        *buffer = log.buffers[log.lent % BUFFERS];
    } else {
        write_out(0);
    }
    pthread_mutex_unlock(&log.mutex);
    return length;
}

static int end(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&log.mutex);
    log.is_over = 1;
    pthread_cond_broadcast(&log.changed);
    pthread_mutex_unlock(&log.mutex);
    if (log.has_thread)
        pthread_join(log.thread, NULL);
    return fclose(log.file);
}

/* Instead of the log of the option, whose file it overwrites. */
static void begin(int has_thread)
{
    const char *const options = getenv("MEMPROF_OPTIONS");
    const char *const path = options != NULL ? strstr(options, "log=") : NULL;
    const struct memprof_log_options o = {.writer = take,
                                          .on_stop = end,
                                          .buffer = log.buffers[0],
                                          .buffer_bytes = BUFFER_BYTES};
    char name[256];

    if (path == NULL || sscanf(path, "log=%255[^:]", name) != 1)
        return;
    memprof_log_stop();
    log.file = fopen(name, "wb");
    log.has_thread = has_thread;
    if (log.file == NULL ||
        (has_thread && pthread_create(&log.thread, NULL, write_all, NULL)) ||
        memprof_log_start(&o) != MEMPROF_LOG_OK)
        abort();
}

BENCH_NOINLINE static unsigned long run(long pairs)
{
    unsigned long result = 0;

    for (long i = 0; i < pairs; i++) {
        char *volatile block = (char *)malloc(16 + (size_t)i % 100);

        block[0] = (char)i;
        result += (unsigned char)block[0];
        free(block);
    }
    return result;
}

int main(int argc, char **argv)
{
    const long pairs = bench_argument(argc, argv, 1, 1000000);
    const long has_thread = bench_argument(argc, argv, 2, 0);

    bench_begin();
    begin(has_thread != 0);
    const unsigned long result = run(pairs);
    if (log.file != NULL)
        memprof_log_stop();
    bench_end(pairs);
    bench_result(result);
    return 0;
}
