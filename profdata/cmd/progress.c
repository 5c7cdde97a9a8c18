/* progress.c -- one line of progress on the terminal during a long merge.
 *
 * Nothing is drawn in the first second, or if standard error is not a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"
#include "profdata/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 1000
#define NEXT_MS 200

/* Moves to the start of the line and clears it. */
#define CLEAR_LINE "\r\033[K"

static struct {
    bool is_wanted;
    bool is_shown;
    uint64_t done;
    uint64_t total;
    uint64_t start_ms;
    uint64_t next_ms; /* when the line is drawn again */
} progress;

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Writes with one write(), because others may write to the terminal too. */
static void put(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));

    (void)n; /* a missing progress line is no error */
}

static void draw(uint64_t seconds)
{
    char line[3 * MPDATA_UNIT_BYTES];

    if (progress.done < progress.total)
        snprintf(line, sizeof(line),
                 CLEAR_LINE "read %s of %s files, %" PRIu64 " s",
                 mpdata_units_count(progress.done).text,
                 mpdata_units_count(progress.total).text, seconds);
    else
        snprintf(line, sizeof(line),
                 CLEAR_LINE "read %s files, writing, %" PRIu64 " s",
                 mpdata_units_count(progress.total).text, seconds);
    put(line);
    progress.is_shown = true;
}

void progress_start(uint64_t total)
{
    const char *const term = getenv("TERM");

    progress.is_wanted =
        isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
    progress.total = total;
    progress.done = 0;
    progress.start_ms = now_ms();
    progress.next_ms = progress.start_ms + FIRST_MS;
}

void progress_step(void)
{
    progress.done++;
    if (!progress.is_wanted)
        return;
    uint64_t now = now_ms();
    if (now < progress.next_ms)
        return;
    draw((now - progress.start_ms) / 1000);
    progress.next_ms = now + NEXT_MS;
}

void progress_pause(void)
{
    if (progress.is_shown)
        put(CLEAR_LINE);
    progress.is_shown = false;
}

void progress_stop(void)
{
    progress_pause();
    progress.is_wanted = false;
}
