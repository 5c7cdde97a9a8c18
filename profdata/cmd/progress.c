/* progress.c -- one line of progress on the terminal during a long merge.
 *
 * A thread draws it, so that the elapsed time advances even while one large
 * file is read. Nothing is drawn in the first second, or if standard error is
 * not a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"
#include "profdata/base/units.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 1000
#define NEXT_MS 200
#define NS_PER_MS 1000000
#define NS_PER_S 1000000000

/* Moves to the start of the line and clears it. */
#define CLEAR_LINE "\r\033[K"

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t thread;
    /* The thread exists; only the main thread uses this flag. */
    bool is_running;
    /* The mutex protects the rest. */
    bool is_ending;
    bool is_shown;
    uint64_t done;
    uint64_t total;
    time_t start_s;
} progress = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct timespec now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

/* Writes with one write(), because others may write to the terminal too. */
static void put(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));

    (void)n; /* a missing progress line is no error */
}

static void draw(void)
{
    char line[3 * MPDATA_UNIT_BYTES];

    if (progress.done < progress.total)
        snprintf(line, sizeof(line), CLEAR_LINE "read %s of %s files, %ld s",
                 mpdata_units_count(progress.done).text,
                 mpdata_units_count(progress.total).text,
                 (long)(now().tv_sec - progress.start_s));
    else
        snprintf(line, sizeof(line), CLEAR_LINE "read %s files, writing, %ld s",
                 mpdata_units_count(progress.total).text,
                 (long)(now().tv_sec - progress.start_s));
    put(line);
    progress.is_shown = true;
}

static void hide(void)
{
    if (progress.is_shown)
        put(CLEAR_LINE);
    progress.is_shown = false;
}

static void *draw_lines(void *unused)
{
    struct timespec next = now();
    long wait_ms = FIRST_MS;

    (void)unused;
    pthread_mutex_lock(&progress.mutex);
    while (!progress.is_ending) {
        next.tv_nsec += wait_ms % 1000 * NS_PER_MS;
        next.tv_sec += wait_ms / 1000 + next.tv_nsec / NS_PER_S;
        next.tv_nsec %= NS_PER_S;
        while (!progress.is_ending &&
               pthread_cond_timedwait(&progress.wake, &progress.mutex, &next) ==
                   0)
            ;
        if (!progress.is_ending)
            draw();
        wait_ms = NEXT_MS;
    }
    hide();
    pthread_mutex_unlock(&progress.mutex);
    return NULL;
}

static bool is_wanted(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

void progress_start(uint64_t total)
{
    pthread_condattr_t attributes;
    sigset_t all;
    sigset_t old;

    if (!is_wanted())
        return;
    progress.total = total;
    progress.done = 0;
    progress.is_ending = false;
    progress.start_s = now().tv_sec;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&progress.wake, &attributes);
    pthread_condattr_destroy(&attributes);
    /* Block all signals in the new thread, so that the main thread handles
     * them. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    progress.is_running =
        pthread_create(&progress.thread, NULL, draw_lines, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void progress_step(void)
{
    pthread_mutex_lock(&progress.mutex);
    progress.done++;
    pthread_mutex_unlock(&progress.mutex);
}

void progress_pause(void)
{
    pthread_mutex_lock(&progress.mutex);
    hide();
    pthread_mutex_unlock(&progress.mutex);
}

void progress_stop(void)
{
    if (!progress.is_running)
        return;
    pthread_mutex_lock(&progress.mutex);
    progress.is_ending = true;
    pthread_cond_signal(&progress.wake);
    pthread_mutex_unlock(&progress.mutex);
    pthread_join(progress.thread, NULL);
    pthread_cond_destroy(&progress.wake);
    progress.is_running = false;
}
