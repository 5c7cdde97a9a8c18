/* event_log.c -- the log of every block: begins it, writes what threads have
 * kept, ends it.
 *
 * A thread whose buffer is full takes the lock, makes blocks of its events and
 * of the call stacks and binaries that the log does not have yet, in an order
 * in which everything is defined before it is used, and unlocks. A thread that
 * sees that an interval has passed does this for all buffers; the helper does
 * it if no thread does. One thread at a time then has the turn to write the
 * blocks; others leave theirs to it, until too many are pending. So no lock is
 * held while a function of the program runs, whose own allocations go into the
 * log, too. Whatever fails stops the log; the program goes on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/event_log.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"
#include "rt/dump/profile.h"
#include "rt/events/log_parts.h"
#include "rt/record/snapshot.h"

#define NS_PER_MS UINT64_C(1000000)
#define INTERVAL_NS (1000 * NS_PER_MS)
#define PATIENCE_NS (MPRT_LOG_PATIENCE_MS * NS_PER_MS)
#define BUFFER_BYTES ((size_t)64 << 10)
#define BUFFER_BYTES_MIN 16
/* From so many bytes on a thread waits for the one that writes; with twice as
 * many the log ends. */
#define PENDING_MAX ((size_t)4 << 20)
#define WRITER_KILLED "the process that writes it was killed"

static struct mprt_lock lock;
static struct mprt_lock turn;     /* of the thread that writes */
static _Thread_local bool writes; /* this thread has the turn */
static int helpers_fd = -1;       /* the helper's descriptor of the log */
static struct {
    bool is_begun;
    uint64_t interval_ns;
    uint64_t until_ns;        /* the log ends then */
    struct mprof_buf pending; /* what is to be written */
    struct mprof_buf stacks;
    struct mprof_buf events;
    /* Of the thread that writes. */
    struct mprof_buf outgoing;
    struct mprt_log_sink sink;
    void *own_buffer; /* what a program gets that has none */
} state = {.sink.fd = -1};

static _Atomic bool is_taken;   /* a log has begun and is not over */
static _Atomic bool is_open;    /* nobody has begun to end it */
static _Atomic bool owes_stop;  /* on_stop() is to be called */
static _Atomic uint32_t status; /* enum memprof_log_status, of the last log */

static void stop(const char *why, enum memprof_log_status reason)
{
    const bool is_programs = state.sink.program.writer != NULL;

    mprt_trail_is_on = false;
    mprt_trail_takes_snapshot = false;
    atomic_store(&status, reason);
    if (!is_programs)
        MPRT_LOG("the log ", mprt_options.log, " ends here: ", why);
}

/* -- writing --------------------------------------------------------------- */

/* The lock is held. Opens the log of a forked child at its first event. */
static bool begin(void)
{
    const char *why;

    if (state.is_begun)
        return true;
    if (!mprt_log_sink_open(&state.sink, &why)) {
        stop(why, MEMPROF_LOG_IO);
        return false;
    }
    state.is_begun = true;
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
    if (mprt_log_stacks_take(&state.stacks)) {
        mprt_log_blocks_news(&state.pending);
        add(&state.stacks);
        add(&state.events);
    } else {
        stop(WRITER_KILLED, MEMPROF_LOG_IO);
    }
}

/* The helper waits for nobody: a program that is stopped may hold the locks. */
static uint64_t patience(void)
{
    return mprt_identity_is_helper() ? 0 : PATIENCE_NS;
}

/* Signals are blocked while locks are held, so that no handler of the program
 * leaves them held. Returns how many bytes are pending. */
static size_t collect(struct mprt_trail *full)
{
    const uint64_t signals = mprt_os_block_other_signals();
    size_t pending = 0;

    if (!mprt_lock_try(&lock, patience())) {
        if (!mprt_identity_is_helper())
            stop("nobody reads it fast enough", MEMPROF_LOG_IO);
    } else {
        if (mprt_trail_is_on && begin())
            make_blocks(full);
        pending = state.pending.size;
        mprt_lock_release(&lock);
    }
    mprt_os_restore_signals(signals);
    return pending;
}

/* Moves what is pending to `outgoing`. */
static bool take_pending(void)
{
    const uint64_t signals = mprt_os_block_other_signals();
    bool is_some = false;

    if (mprt_lock_try(&lock, patience())) {
        const struct mprof_buf empty = state.outgoing;

        is_some = state.pending.size != 0 || state.pending.failed;
        state.outgoing = state.pending;
        state.pending = empty;
        mprt_lock_release(&lock);
    }
    mprt_os_restore_signals(signals);
    return is_some;
}

/* Has the turn. Signals are blocked except while the program is called. */
static void write_outgoing(struct mprt_log_sink *sink)
{
    const bool is_fd = sink->program.writer == NULL;
    const uint64_t signals = is_fd ? mprt_os_block_other_signals() : 0;
    const char *why;

    if (!mprt_log_sink_write(sink, &state.outgoing, &why))
        stop(why, MEMPROF_LOG_IO);
    if (is_fd)
        mprt_os_restore_signals(signals);
}

static bool take_turn(uint64_t patience_ns)
{
    if (writes || !mprt_lock_try(&turn, patience_ns))
        return false;
    writes = true;
    return true;
}

static void give_turn(void)
{
    mprt_lock_release(&turn);
    writes = false;
}

/* Calls on_stop() once if the log has ended. */
static void settle(void)
{
    struct memprof_log_options *const o = &state.sink.program;

    if (mprt_trail_is_on || !atomic_load(&owes_stop) || writes ||
        !mprt_lock_try(&turn, PATIENCE_NS))
        return;
    const struct memprof_log_options was = *o;
    const bool is_mine = atomic_exchange(&owes_stop, false);
    if (is_mine)
        o->writer = NULL;
    mprt_lock_release(&turn);
    if (!is_mine)
        return;
    mprt_thread_leave();
    const int result = was.on_stop != NULL ? was.on_stop(was.ctx) : 0;
    (void)mprt_thread_enter();
    if (result != 0 && atomic_load(&status) == MEMPROF_LOG_OK)
        atomic_store(&status, MEMPROF_LOG_IO);
    atomic_store(&is_taken, false);
}

/* A function of the program is not called while a lock is held: by a thread
 * without a state, or by one that makes a snapshot. */
static bool may_write(void)
{
    return state.sink.program.writer == NULL ||
           (mprt_thread_local.state != NULL && !mprt_trail_takes_snapshot);
}

static void write_pending(size_t pending)
{
    const bool is_much = pending > PENDING_MAX;

    if (!may_write())
        return;
    if (take_turn(is_much ? PATIENCE_NS : 0)) {
        /* Once: a writer's own events would keep this thread here for ever. */
        if (mprt_trail_is_on && take_pending())
            write_outgoing(&state.sink);
        give_turn();
        settle();
    } else if (pending > 2 * PENDING_MAX) {
        stop("nobody reads it fast enough", MEMPROF_LOG_IO);
    }
}

static void flush(struct mprt_trail *full)
{
    if (mprt_trail_is_on)
        write_pending(collect(full));
}

static uint64_t due_after(uint64_t now_ns)
{
    return mprof_min_u64(now_ns + state.interval_ns, state.until_ns);
}

/* One thread writes for all that see that it is time. */
static void write_trails(struct mprt_trail *full)
{
    const uint64_t now_ns = mprt_clock_now_ns();
    uint64_t due_ns = MPRT_LOAD(mprt_trail_due_ns);

    const bool is_last = now_ns >= state.until_ns;

    if (now_ns >= due_ns && (!is_last || may_write()) &&
        atomic_compare_exchange_strong(&mprt_trail_due_ns, &due_ns,
                                       is_last ? UINT64_MAX
                                               : due_after(now_ns))) {
        flush(NULL);
        if (is_last) {
            mprt_trail_is_on = false;
            settle();
        } else { /* the program's function may take longer than the interval */
            atomic_store(&mprt_trail_due_ns, due_after(mprt_clock_now_ns()));
        }
    }
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

/* -- in the helper --------------------------------------------------------- */

bool mprt_event_log_wants_helper(void)
{
    return mprt_trail_is_on && state.sink.program.writer == NULL &&
           (state.sink.fd >= 0 || mprt_log_sink_can_reopen());
}

int mprt_event_log_begin_helper(void)
{
    helpers_fd = mprt_event_log_wants_helper() ? state.sink.fd : -1;
    return helpers_fd;
}

uint64_t mprt_event_log_help_in_ns(void)
{
    const uint64_t now_ns = mprt_clock_now_ns();
    const uint64_t due_ns = atomic_load(&mprt_trail_due_ns);

    if (!mprt_event_log_wants_helper())
        return helpers_fd >= 0 ? 0 : UINT64_MAX;
    if (state.sink.fd < 0) /* the program opens it */
        return state.interval_ns;
    return due_ns > now_ns ? due_ns - now_ns : 0;
}

/* Has the turn. */
static void write_for_program(void)
{
    struct mprt_log_sink sink = {.fd = helpers_fd,
                                 .is_stream = state.sink.is_stream,
                                 .identity = state.sink.identity};

    if (mprt_trail_is_on && may_write() && take_pending())
        write_outgoing(&sink);
    helpers_fd = sink.fd;
}

/* A forked child opens its log after it has started its helper. */
static bool has_descriptor(void)
{
    if (helpers_fd < 0 && state.sink.fd >= 0)
        helpers_fd = mprt_log_sink_reopen(&state.sink);
    return helpers_fd >= 0;
}

void mprt_event_log_help(void)
{
    if (!mprt_event_log_wants_helper()) {
        mprt_os_close(helpers_fd);
        helpers_fd = -1;
        return;
    }
    atomic_store(&mprt_trail_due_ns, due_after(mprt_clock_now_ns()));
    if (!mprt_trail_has_news() || !has_descriptor())
        return;
    collect(NULL);
    if (take_turn(0)) {
        write_for_program();
        give_turn();
    }
}

/* -- start and end --------------------------------------------------------- */

static void add_stack(uint32_t context)
{
    if (!mprt_log_stacks_add(context))
        stop(WRITER_KILLED, MEMPROF_LOG_IO);
}

static const struct mprt_trail_log trail_log = {.write = write_trails,
                                                .add_stack = add_stack,
                                                .add_snapshot =
                                                    mprt_log_contexts_keep};

static void restart(bool is_child)
{
    state.is_begun = false;
    state.pending.size = state.stacks.size = state.events.size = 0;
    mprt_log_stacks_restart(is_child);
    mprt_log_contexts_restart(is_child);
    mprt_log_blocks_restart();
}

static bool start(uint64_t now_ns)
{
    if (state.pending.grow == NULL) {
        mprt_mapbuf_init(&state.pending);
        mprt_mapbuf_init(&state.outgoing);
        mprt_mapbuf_init(&state.stacks);
        mprt_mapbuf_init(&state.events);
        mprt_log_contexts_init();
        mprt_log_stacks_init();
    }
    atomic_store(&status, MEMPROF_LOG_OK);
    atomic_store(&is_open, true);
    atomic_store(&mprt_trail_due_ns, due_after(now_ns));
    return mprt_trail_start(&trail_log, now_ns);
}

void mprt_event_log_init(void)
{
    if (mprt_options.log == NULL || mprt_options.log[0] == '\0' ||
        mprt_options_is_secure())
        return;
    if (mprt_options_access_period() > 1) {
        MPRT_LOG("log= needs all accesses and does not work with "
                 "accesses=1/N; no log is written");
        return;
    }
    mprt_log_sink_init();
    state.interval_ns = INTERVAL_NS;
    state.until_ns = UINT64_MAX;
    atomic_store(&is_taken, true);
    if (!start(0))
        stop("no memory", MEMPROF_LOG_MEMORY);
}

/* Now, because the program may change its rights. */
void mprt_event_log_open(void)
{
    flush(NULL);
}

static enum memprof_log_status take_options(const struct memprof_log_options *o,
                                            uint64_t now_ns)
{
    struct memprof_log_options *const own = &state.sink.program;

    *own = *o;
    if (own->buffer == NULL) {
        own->buffer_bytes = BUFFER_BYTES;
        if (state.own_buffer == NULL)
            state.own_buffer = mprt_memory_map(BUFFER_BYTES);
        own->buffer = state.own_buffer;
    }
    state.interval_ns =
        o->interval_ms != 0 ? o->interval_ms * NS_PER_MS : INTERVAL_NS;
    state.until_ns =
        o->duration_ms != 0 ? now_ns + o->duration_ms * NS_PER_MS : UINT64_MAX;
    return own->buffer != NULL ? MEMPROF_LOG_OK : MEMPROF_LOG_MEMORY;
}

static enum memprof_log_status refuse(const struct memprof_log_options *o)
{
    if (o == NULL || o->writer == NULL ||
        (o->buffer != NULL && o->buffer_bytes < BUFFER_BYTES_MIN))
        return MEMPROF_LOG_ARGUMENT;
    return atomic_exchange(&is_taken, true) ? MEMPROF_LOG_RUNNING
                                            : MEMPROF_LOG_OK;
}

bool mprt_event_log_change(bool (*change)(const char *), const char *value,
                           bool *is_done)
{
    /* A program that was stopped or killed may hold the lock. */
    const bool has_lock = mprt_lock_try(&lock, PATIENCE_NS);
    const bool is_off = has_lock && !mprt_trail_is_on;
    *is_done = is_off && change(value);
    if (has_lock)
        mprt_lock_release(&lock);
    return is_off;
}

/* With the lock: what a log states at its start does not change afterwards. */
static enum memprof_log_status start_for_program(uint64_t now_ns)
{
    const uint64_t signals = mprt_os_block_other_signals();
    enum memprof_log_status result = MEMPROF_LOG_SAMPLING;

    mprt_lock_acquire(&lock);
    if (mprt_options_access_period() <= 1)
        result = start(now_ns) ? MEMPROF_LOG_OK : MEMPROF_LOG_MEMORY;
    mprt_lock_release(&lock);
    mprt_os_restore_signals(signals);
    return result;
}

/* Nobody else uses the state: is_taken was false. */
static enum memprof_log_status
begin_program(const struct memprof_log_options *o)
{
    const uint64_t now_ns = mprt_clock_now_ns();

    restart(false);
    enum memprof_log_status result = take_options(o, now_ns);
    if (result == MEMPROF_LOG_OK)
        result = start_for_program(now_ns);
    if (result == MEMPROF_LOG_OK) {
        atomic_store(&owes_stop, true);
        return result;
    }
    state.sink.program.writer = NULL;
    atomic_store(&is_taken, false);
    return result;
}

int mprt_event_log_start(const struct memprof_log_options *o)
{
    enum memprof_log_status result = MEMPROF_LOG_RUNNING;
    const bool was_first = mprt_thread_enter();

    if (was_first) {
        result = refuse(o);
        if (result == MEMPROF_LOG_OK)
            result = begin_program(o);
        mprt_thread_leave();
    }
    if (result != MEMPROF_LOG_OK) {
        if (o != NULL && o->on_stop != NULL)
            o->on_stop(o->ctx);
        return (int)result;
    }
    mprt_event_log_flush();
    return (int)atomic_exchange(&status, MEMPROF_LOG_OK);
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

static void write_last(void)
{
    struct mprof_buf last;
    const char *why;

    mprt_mapbuf_init(&last); /* made without the lock: the loader has its own */
    mprt_log_contexts_take(&last);
    mprt_log_blocks_last(&last);
    if (take_turn(MPRT_LOCK_PATIENCE_NS)) {
        if (take_pending())
            write_outgoing(&state.sink);
        if (!mprt_log_sink_write(&state.sink, &last, &why))
            stop(why, MEMPROF_LOG_IO);
        mprt_log_sink_close(&state.sink);
        give_turn();
    }
    mprt_mapbuf_free(&last);
}

static void end(bool may_call)
{
    mprt_trail_takes_snapshot = false;
    if (state.sink.program.writer != NULL && !may_call) {
        mprt_trail_is_on = false;
        return;
    }
    flush(NULL);
    if (mprt_trail_is_on && atomic_exchange(&is_open, false)) {
        mprt_trail_is_on = false;
        write_last();
    }
    settle();
}

void mprt_event_log_end(bool may_call)
{
    if (!mprt_trail_is_on)
        return;
    const bool was_first = mprt_thread_enter();
    const uint64_t signals = mprt_os_block_other_signals();
    end(may_call);
    mprt_os_restore_signals(signals);
    if (was_first)
        mprt_thread_leave();
}

int mprt_event_log_stop(void)
{
    if (writes) { /* called by the writer: the log ends when it returns */
        mprt_trail_is_on = false;
        return MEMPROF_LOG_OK;
    }
    if (!atomic_load(&is_taken) && atomic_load(&status) == MEMPROF_LOG_OK)
        return MEMPROF_LOG_NOT_RUNNING;
    mprt_event_log_take_snapshot();
    if (mprt_thread_enter()) {
        end(true);
        mprt_thread_leave();
    }
    if (!atomic_load(&owes_stop))
        atomic_store(&is_taken, false);
    return (int)atomic_exchange(&status, MEMPROF_LOG_OK);
}

void mprt_event_log_before_fork(bool is_outermost)
{
    /* With a limit, because the helper may have been killed with the lock. */
    if (is_outermost && !mprt_lock_try(&lock, PATIENCE_NS))
        stop("the process that writes it was killed", MEMPROF_LOG_IO);
}

/* A child has a log of its own if it can. */
void mprt_event_log_after_fork(bool is_child, bool is_outermost)
{
    mprt_lock_after_fork(&lock, is_child, is_outermost);
    if (!is_child || !atomic_load(&is_taken))
        return;
    mprt_lock_reset(&turn);
    writes = false;
    atomic_store(&owes_stop, false);
    mprt_log_sink_close(&state.sink);
    state.outgoing.size = 0; /* the parent writes it */
    restart(true);
    atomic_store(&mprt_trail_due_ns, 0); /* the first event opens the log */
    atomic_store(&is_open, true);
    if (mprt_log_sink_forks(&state.sink))
        return;
    mprt_trail_is_on = false;
    state.sink.program.writer = NULL;
    atomic_store(&is_taken, false);
}
