/* event_log.c -- the log of every block: opens it, writes what threads have
 * kept, ends it.
 *
 * A thread whose buffer is full takes the lock, makes blocks of its events and
 * of the call stacks and binaries that the log does not have yet, writes them
 * in an order in which everything is defined before it is used, and unlocks.
 * Other threads go on in their buffers meanwhile. A thread that sees that a
 * second has passed does this for all buffers.
 *
 * Whatever fails stops the log with one message; the program goes on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/event_log.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/textbuf.h"
#include "rt/base/thread.h"
#include "rt/dump/outfile.h"
#include "rt/dump/profile.h"
#include "rt/events/log_blocks.h"
#include "rt/events/log_events.h"
#include "rt/events/log_stacks.h"
#include "rt/record/snapshot.h"

#include <errno.h>

#define FILE_MODE 0640
#define NUMBERS_MAX 1000000u
#define FLUSH_NS UINT64_C(1000000000)
/* How long a thread waits for a pipe or socket, and for another thread that
 * writes the log. */
#define PATIENCE_MS 10000
#define PATIENCE_NS UINT64_C(10000000000)
#define FD_PREFIX "fd:"
#define UNIX_PREFIX "unix:"

static struct mprt_lock lock;
static struct {
    int fd; /* -1: not yet open */
    bool is_begun;
    bool is_stream;
    struct mprof_buf pending; /* what is to be written */
    struct mprof_buf stacks;
    struct mprof_buf events;
    char pattern[MPRT_PATH_BYTES];
} state = {.fd = -1};

bool mprt_event_log_is_on(void)
{
    return mprt_trail_is_on;
}

static void stop(const char *why)
{
    mprt_trail_is_on = false;
    mprt_trail_takes_snapshot = false;
    mprt_log("the log ", mprt_options.log, " ends here: ", why, NULL);
}

/* -- where to -------------------------------------------------------------- */

/* The rest of the option's value behind a prefix, or NULL. */
static const char *behind(const char *prefix)
{
    const size_t n = mprt_libc_strlen(prefix);

    return mprt_libc_strlen(mprt_options.log) > n &&
                   mprt_libc_memcmp(mprt_options.log, prefix, n) == 0
               ? mprt_options.log + n
               : NULL;
}

static int open_descriptor(const char *digits)
{
    int fd = 0;

    for (; *digits >= '0' && *digits <= '9' && fd < 100000; digits++)
        fd = 10 * fd + *digits - '0';
    return *digits == '\0' ? mprt_os_dup(fd) : -EBADF;
}

/* A new file: a log is never overwritten, the name gets a number instead. */
static int open_new(void)
{
    char path[MPRT_PATH_BYTES];
    int fd = -EEXIST;

    for (uint32_t n = 0; n < NUMBERS_MAX && fd == -EEXIST; n++) {
        if (!mprt_outname_expand(path, state.pattern, n))
            return -ENAMETOOLONG;
        fd = n == 0 ? mprt_os_open_special(path) : -ENOENT;
        if (fd == -ENOENT)
            fd = mprt_os_create_exclusive(path, FILE_MODE);
    }
    return fd;
}

static int open_log(void)
{
    const char *const fd = behind(FD_PREFIX);
    const char *const socket = behind(UNIX_PREFIX);

    if (fd != NULL)
        return open_descriptor(fd);
    return socket != NULL ? mprt_os_connect(socket) : open_new();
}

/* -- writing; the lock is held --------------------------------------------- */

static bool write_buffer(struct mprof_buf *buf)
{
    char text[32];
    /* Where nobody can make a write wait, nothing is to be asked first. */
    mprt_os_set_write_patience(state.is_stream ? PATIENCE_MS : 0);
    const int err = buf->failed
                        ? -ENOMEM
                        : mprt_os_write_all(state.fd, buf->data, buf->size);
    mprt_os_set_write_patience(0);
    buf->size = 0;
    buf->failed = false;
    if (err == 0)
        return true;
    stop(mprt_outfile_error(err, text));
    return false;
}

/* Opens the log of a forked child at its first event. */
static bool begin(void)
{
    char text[32];

    if (state.is_begun)
        return true;
    if (state.fd < 0)
        state.fd = open_log();
    if (state.fd < 0) {
        stop(mprt_outfile_error(state.fd, text));
        return false;
    }
    state.is_begun = true;
    state.is_stream = mprt_os_is_stream(state.fd);
    mprt_log_blocks_intro(&state.pending, mprt_profile_run_id());
    return true;
}

static void add(struct mprof_buf *blocks)
{
    mprof_buf_bytes(&state.pending, blocks->data, blocks->size);
    state.pending.failed |= blocks->failed;
    blocks->failed = false;
    blocks->size = 0;
}

/* Each block has what the blocks before it in the file need, because it is
 * taken earlier: events, call stacks, binaries. */
static void make_blocks(struct mprt_trail *full)
{
    for (struct mprt_trail *t = full != NULL ? full : mprt_trail_first();
         t != NULL; t = full != NULL ? NULL : t->next)
        mprt_log_events_write(t, &state.events);
    if (full != NULL)
        mprt_trail_empty(full);
    mprt_log_stacks_take(&state.stacks);
    mprt_log_blocks_news(&state.pending);
    add(&state.stacks);
    add(&state.events);
}

/* Signals are blocked, so that no handler of the program leaves the lock held.
 */
static void flush(struct mprt_trail *full)
{
    if (!mprt_trail_is_on)
        return;
    const uint64_t signals = mprt_os_block_other_signals();
    if (!mprt_lock_try(&lock, PATIENCE_NS)) {
        stop("nobody reads it fast enough");
    } else {
        if (mprt_trail_is_on && begin()) {
            make_blocks(full);
            write_buffer(&state.pending);
        }
        mprt_lock_release(&lock);
    }
    mprt_os_restore_signals(signals);
}

/* One thread writes for all that see that it is time. */
static void write_trails(struct mprt_trail *full)
{
    const uint64_t now_ns = mprt_clock_now_ns();
    uint64_t due_ns =
        atomic_load_explicit(&mprt_trail_due_ns, memory_order_relaxed);

    if (now_ns >= due_ns && atomic_compare_exchange_strong(
                                &mprt_trail_due_ns, &due_ns, now_ns + FLUSH_NS))
        flush(NULL);
    if (full != NULL)
        flush(full);
}

void mprt_event_log_flush(void)
{
    if (!mprt_trail_is_on || !mprt_thread_enter())
        return;
    flush(NULL);
    mprt_thread_leave();
}

/* -- start and end --------------------------------------------------------- */

static const struct mprt_trail_log trail_log = {
    .write = write_trails, .add_stack = mprt_log_stacks_add};

void mprt_event_log_init(void)
{
    struct mprt_textbuf t = {.out = state.pattern,
                             .size = sizeof(state.pattern)};

    if (mprt_options.log == NULL || mprt_options.log[0] == '\0' ||
        mprt_options_is_secure())
        return;
    if (mprt_options.sample != 0 || mprt_options_access_period() > 1) {
        mprt_log("log= needs all blocks and accesses and does not work with ",
                 mprt_options.sample != 0 ? "sample=N" : "accesses=1/N",
                 "; no log is written", NULL);
        return;
    }
    mprt_textbuf_str(&t, mprt_options.log);
    mprt_outname_make_absolute(state.pattern);
    mprt_mapbuf_init(&state.pending);
    mprt_mapbuf_init(&state.stacks);
    mprt_mapbuf_init(&state.events);
    mprt_log_stacks_init();
    atomic_store(&mprt_trail_due_ns, FLUSH_NS);
    if (!mprt_trail_start(&trail_log))
        stop("no memory");
}

/* Now, because the program may change its rights. */
void mprt_event_log_open(void)
{
    flush(NULL);
}

void mprt_event_log_before_last(void)
{
    mprt_trail_takes_snapshot = mprt_trail_is_on;
}

void mprt_event_log_take_snapshot(void)
{
    mprt_event_log_before_last();
    if (!mprt_trail_takes_snapshot || !mprt_thread_enter())
        return;
    mprt_snapshot_free(mprt_snapshot_make(false, true));
    mprt_thread_leave();
}

static void end(void)
{
    struct mprof_buf last;

    mprt_trail_takes_snapshot = false;
    flush(NULL);
    if (!mprt_trail_is_on)
        return;
    mprt_trail_is_on = false;
    mprt_mapbuf_init(&last); /* made without the lock: the loader has its own */
    mprt_log_blocks_last(&last);
    if (mprt_lock_try(&lock, MPRT_LOCK_PATIENCE_NS)) {
        write_buffer(&last);
        mprt_os_close(state.fd);
        state.fd = -1;
        mprt_lock_release(&lock);
    }
    mprt_mapbuf_free(&last);
}

void mprt_event_log_end(void)
{
    if (!mprt_trail_is_on)
        return;
    const bool was_first = mprt_thread_enter();
    const uint64_t signals = mprt_os_block_other_signals();
    end();
    mprt_os_restore_signals(signals);
    if (was_first)
        mprt_thread_leave();
}

void mprt_event_log_before_fork(bool is_outermost)
{
    mprt_lock_before_fork(&lock, is_outermost);
}

/* A child has a log of its own, but no second stream into the descriptor of its
 * parent. */
void mprt_event_log_after_fork(bool is_child, bool is_outermost)
{
    mprt_lock_after_fork(&lock, is_child, is_outermost);
    if (!is_child || !mprt_trail_is_on)
        return;
    mprt_os_close(state.fd);
    state.fd = -1;
    state.is_begun = false;
    state.pending.size = state.stacks.size = state.events.size = 0;
    mprt_log_stacks_restart();
    mprt_log_blocks_restart();
    mprt_trail_is_on = behind(FD_PREFIX) == NULL;
}
