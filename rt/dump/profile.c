/* profile.c -- makes dumps: output, snapshot, bytes, file.
 *
 * One dump is made at a time. The output is opened before the program's records
 * are taken, so that an unwritable directory costs nothing. Other threads go on
 * allocating; what they do while the snapshot is made goes into this dump or
 * the next.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/profile.h"
#include "rt/base/identity.h"
#include "rt/base/limit.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/dump/outfile.h"
#include "rt/dump/dump.h"
#include "rt/leaks/leaks.h"
#include "rt/stack/depot.h"

#include <errno.h>

#define STACK_BYTES ((size_t)1 << 20)
/* How long the end of the program waits for another thread's dump. */
#define END_PATIENCE_NS UINT64_C(10000000000)

/* Interval after which a thread that waits for a dump checks whether the helper
 * is alive. */
#define HELPER_PATIENCE_NS UINT64_C(100000000)
/* Interval after which a fork that waits for a dump checks whether the dump
 * waits for the loader. */
#define FORK_STEP_NS UINT64_C(1000000)

static struct mprt_lock dump_lock;
static _Atomic uint32_t dump_tid; /* the holder of the lock, or 0 */

/* Protected by the dump lock. */
static struct {
    struct mprt_outfile output; /* too large for a small stack */
    char *stack;
    struct mprt_outfile_mark mark; /* before an exec */
    bool exec_wrote;
    bool is_forking; /* the lock was taken for a fork, not for a dump */
    /* Name of the last dump; run_id 0: none. Taking or resetting the records
     * begins a new epoch. */
    struct mprt_dump_name name;
} the_dump;

/* A dump was cut short and may still hold locks of the snapshot, so later dumps
 * do not wait forever. */
static _Atomic bool was_cut_short;

/* The program has asked for leaks. */
static _Atomic bool end_looks_for_leaks;

/* The last dump: the thread that makes it, and that it is over. */
static _Atomic uint32_t end_tid;
static _Atomic bool end_is_over;

enum occasion { MIDDLE, BY_SIGNAL, BEFORE_EXEC, AT_THE_END };

/* Whether the dump empties the records. LLVM's format cannot tell which dumps
 * are of one run, so each dump must contain only new records. Before an exec,
 * which may fail, the records stay. */
static bool takes_all(enum occasion occasion, enum mprt_outname_kind kind)
{
    if (mprt_options.continuous || kind == MPRT_OUTNAME_TEXT)
        return false;
    return occasion == AT_THE_END ||
           (occasion != BEFORE_EXEC &&
            (mprt_options.dump_delta || kind == MPRT_OUTNAME_RAW_LLVM));
}

static void begin_epoch(void)
{
    the_dump.name.epoch++;
    the_dump.name.number = 0;
}

uint64_t mprt_profile_run_id(void)
{
    uint64_t none = 0;

    __atomic_compare_exchange_n(&the_dump.name.run_id, &none,
                                mprt_os_random() | 1, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return __atomic_load_n(&the_dump.name.run_id, __ATOMIC_RELAXED);
}

static void name_dump(enum occasion occasion)
{
    mprt_profile_run_id();
    the_dump.name.number++;
    the_dump.name.is_last = occasion == AT_THE_END; /* an exec may fail */
    the_dump.name.is_before_exec = occasion == BEFORE_EXEC;
    mprt_dumped_add(&the_dump.name);
}

struct run {
    enum occasion occasion;
    struct mprt_leaks *leaks; /* to look for; NULL: not asked for */
    struct mprt_profile_order *order;
    int result;
};

/* Makes the bytes of a dump. Returns 0, or -1 after a message. */
static int make_bytes(struct mprof_buf *buf, enum mprt_outname_kind kind,
                      bool takes, const struct run *run)
{
    if (run->leaks != NULL)
        mprt_leaks_find(run->leaks);
    name_dump(run->occasion);
    const bool is_made =
        mprt_dump_make(buf, kind, takes, run->leaks, the_dump.name);
    if (takes)
        begin_epoch();
    if (!is_made)
        MPRT_LOG("no memory to write the profile");
    return is_made ? 0 : -1;
}

static int finish_dump(struct mprt_outfile *output, const struct run *run)
{
    const bool takes = takes_all(run->occasion, output->kind);
    struct mprof_buf buf;

    mprt_mapbuf_init(&buf);
    int result = make_bytes(&buf, output->kind, takes, run);
    if (result == 0)
        result = mprt_outfile_finish(output, buf.data, buf.size);
    else
        mprt_outfile_cancel(output);
    mprt_mapbuf_free(&buf);
    return result;
}

static void reset(bool accesses)
{
    if (accesses)
        mprt_snapshot_reset_accesses();
    else
        mprt_snapshot_reset();
    begin_epoch();
    mprt_outfile_reset();
}

static void run_here(void *argument)
{
    struct run *const run = argument;
    struct mprt_profile_order *const order = run->order;

    if (order != NULL && order->resets) {
        reset(order->accesses);
        run->result = 0;
    } else if (order != NULL && order->bytes != NULL) {
        run->result = make_bytes(order->bytes, MPRT_OUTNAME_RAW, false, run);
    } else if (mprt_outfile_begin(&the_dump.output, mprt_outname_choose_kind(),
                                  order != NULL ? order->file : NULL,
                                  run->occasion >= BEFORE_EXEC,
                                  run->occasion == BY_SIGNAL) == 0) {
        run->result = finish_dump(&the_dump.output, run);
    }
    if (order != NULL)
        mprt_libc_memcpy(order->path, the_dump.output.path,
                         sizeof(order->path));
}

/* The dump lock is held. Uses a stack of our own, because the program's may be
 * small or nearly full. */
static int run_dump(struct run *run)
{
    run->result = -1;
    if (the_dump.stack == NULL)
        the_dump.stack = mprt_memory_map(STACK_BYTES);
    mprt_limit_before_dump();
    if (the_dump.stack != NULL)
        mprt_os_call_on(the_dump.stack + STACK_BYTES, run_here, run);
    else
        run_here(run);
    mprt_limit_after_dump();
    return run->result;
}

bool mprt_profile_is_dumping(void)
{
    return atomic_load(&dump_tid) == mprt_os_tid();
}

void mprt_profile_after_helper_died(uint32_t pid)
{
    uint32_t owner = pid;

    if (!atomic_compare_exchange_strong(&dump_tid, &owner, 0))
        return;
    atomic_store(&was_cut_short, true);
    mprt_outfile_abandon(&the_dump.output);
    mprt_lock_reset(&dump_lock);
    MPRT_LOG("the process that writes dumps was killed at one; what it had in "
             "hand is lost");
}

/* Whether this program has a helper. If the helper was killed, releases its
 * locks. */
static bool look_after_helper(void)
{
    const uint32_t pid = mprt_identity_helper.pid;

    if (mprt_identity_is_helper() || pid == 0 || !mprt_identity_is_owner())
        return false;
    if (atomic_load(&mprt_identity_helper.tid) == 0)
        mprt_profile_after_helper_died(pid);
    return true;
}

static void lock_dump(void)
{
    if (!look_after_helper())
        mprt_lock_acquire(&dump_lock);
    else
        /* The helper may be killed while it holds the lock. */
        while (!mprt_lock_try(&dump_lock, HELPER_PATIENCE_NS))
            look_after_helper();
    atomic_store(&dump_tid, mprt_os_tid());
}

static void unlock_dump(void)
{
    atomic_store(&dump_tid, 0);
    mprt_lock_release(&dump_lock);
}

/* Whether another thread makes the last dump; this one may be ended at any
 * moment. */
static bool has_ended(void)
{
    const uint32_t tid = atomic_load(&end_tid);

    return tid != 0 && tid != mprt_os_tid();
}

bool mprt_profile_is_ours(void)
{
    return mprt_identity_is_owner() &&
           !(mprt_identity_is_forked() && mprt_depot_is_blank());
}

/* Whether a dump makes sense and no other thread makes the last one. */
static bool is_due(void)
{
    if (mprt_identity_is_helper())
        return !(mprt_identity_is_forked() && mprt_depot_is_blank()) &&
               atomic_load(&end_tid) == 0;
    return !has_ended();
}

static void dump_bounded(void);

/* Gives up a dump. A thread that failed to get the dump lock at the end of the
 * program retries with a longer timeout; all other waits stay short. */
static void cut_short(enum occasion occasion)
{
    atomic_store(&was_cut_short, true);
    if (mprt_profile_is_dumping()) {
        mprt_profile_abandon();
        unlock_dump();
    } else if (occasion == AT_THE_END) {
        dump_bounded();
    }
}

/* Waits for another dump and for other locks, but not once a thread that may
 * hold them waits, in a signal handler, for the end of the program. */
static int dump_unless_stuck(struct run *run)
{
    void *bail[5];
    int result;

    if (__builtin_setjmp(bail) == 0) {
        mprt_lock_bail_when_stuck = bail;
        lock_dump();
        result = is_due() ? run_dump(run) : -1;
        unlock_dump();
    } else {
        result = -1;
        cut_short(run->occasion);
    }
    mprt_lock_bail_when_stuck = NULL;
    mprt_lock_bail = NULL;
    return result;
}

static int dump(enum occasion occasion, struct mprt_leaks *leaks)
{
    struct run run = {.occasion = occasion, .leaks = leaks};
    const int saved_errno = errno;

    if (mprt_profile_is_dumping() || !mprt_thread_enter())
        return -1;
    /* Block signals, so that no handler of the program ends or replaces it
     * during the dump. */
    const uint64_t signals = mprt_os_block_other_signals();
    const int result = dump_unless_stuck(&run);
    mprt_os_restore_signals(signals);
    mprt_thread_leave();
    errno = saved_errno;
    return result;
}

int mprt_profile_dump(void)
{
    return dump(MIDDLE, NULL);
}

/* The last dump must contain these leaks, too, because it replaces this one. */
bool mprt_profile_dump_leaks(uint64_t *bytes, uint64_t *blocks)
{
    struct mprt_leaks leaks = {.contexts = NULL};

    atomic_store(&end_looks_for_leaks, true);
    dump(MIDDLE, &leaks);
    const bool are_known = leaks.contexts != NULL;
    *bytes = leaks.bytes;
    *blocks = leaks.blocks;
    mprt_leaks_free(&leaks);
    return are_known;
}

/* -- while the program runs ------------------------------------------------ */

int mprt_profile_from_helper(bool is_by_signal,
                             struct mprt_profile_order *order)
{
    const bool makes_file =
        order == NULL || (order->bytes == NULL && !order->resets);
    struct mprt_leaks leaks = {.contexts = NULL};
    struct run run = {.occasion = is_by_signal ? BY_SIGNAL : MIDDLE,
                      .order = order};

    if (is_by_signal && makes_file && mprt_options.leaks)
        run.leaks = &leaks;
    const int result = dump_unless_stuck(&run);
    mprt_leaks_free(&leaks);
    return result;
}

void mprt_profile_before_sandbox(void)
{
    if (mprt_profile_is_ours() && mprt_options.dump_at_exit &&
        mprt_state_is_running() &&
        !(mprt_identity_is_forked() && mprt_depot_is_blank()))
        mprt_profile_dump();
}

void mprt_profile_abandon(void)
{
    if (mprt_profile_is_dumping())
        mprt_outfile_cancel(&the_dump.output);
}

/* -- exec ------------------------------------------------------------------ */

/* The dump lock is held. */
static void run_before_exec(void)
{
    atomic_store(&dump_tid, mprt_os_tid());
    mprt_outfile_mark(&the_dump.mark);
    the_dump.exec_wrote = run_dump(&(struct run){.occasion = BEFORE_EXEC}) == 0;
}

/* In a signal handler, which may have interrupted a thread that holds a lock.
 * False if nothing was written; the dump lock is not held then. */
static bool run_before_exec_bounded(void)
{
    void *bail[5];

    if (__builtin_setjmp(bail) == 0) {
        mprt_lock_bail = bail;
        if (!mprt_lock_try(&dump_lock, MPRT_LOCK_PATIENCE_NS))
            __builtin_longjmp(mprt_lock_bail, 1);
        run_before_exec();
        mprt_lock_bail = NULL;
        return true;
    }
    mprt_lock_bail = NULL;
    if (mprt_profile_is_dumping()) {
        atomic_store(&was_cut_short, true);
        mprt_profile_abandon();
        unlock_dump();
    }
    MPRT_LOG("a signal's handler replaces the program inside the profiler; "
             "the profile is lost");
    return false;
}

bool mprt_profile_before_exec(void)
{
    const int saved_errno = errno;
    bool is_done = true;

    if (!mprt_profile_is_ours() || !mprt_options.dump_at_exit ||
        !mprt_state_is_running() || mprt_profile_is_dumping())
        return false;
    if (has_ended())
        mprt_profile_claim_end(); /* the program may be about to die */
    if (atomic_load(&end_tid) != 0)
        return false;
    const bool was_first = mprt_thread_enter();
    const uint64_t signals = mprt_os_block_other_signals();
    if (was_first) {
        lock_dump();
        run_before_exec();
        mprt_thread_leave();
    } else {
        is_done = run_before_exec_bounded();
    }
    mprt_os_restore_signals(signals);
    errno = saved_errno;
    return is_done;
}

void mprt_profile_after_failed_exec(void)
{
    const uint64_t signals = mprt_os_block_other_signals();

    if (the_dump.exec_wrote)
        mprt_outfile_undo(&the_dump.output, &the_dump.mark);
    unlock_dump();
    mprt_os_restore_signals(signals);
}

/* -- Before the program gives up rights ------------------------------------ */

/* With continuous=1 the file cannot be kept open, because the helper replaces
 * it. */
bool mprt_profile_before_change(void)
{
    if (mprt_options.continuous && !mprt_outfile_is_out_of_reach())
        mprt_profile_before_sandbox();
    if (mprt_options.continuous || mprt_outname_descriptor() >= 0 ||
        mprt_outfile_is_kept() || !mprt_profile_before_exec())
        return false;
    if (the_dump.exec_wrote)
        mprt_outfile_keep_open(&the_dump.output);
    return true;
}

void mprt_profile_after_change(bool is_changed, bool is_root_folder)
{
    const bool is_lost =
        is_changed && the_dump.exec_wrote &&
        (is_root_folder || !mprt_outfile_can_replace(&the_dump.output));

    if (is_lost)
        the_dump.exec_wrote = false; /* it stays */
    else
        mprt_outfile_let_go();
    mprt_profile_after_failed_exec();
}

bool mprt_profile_keep_as_last(void)
{
    const bool is_written = the_dump.exec_wrote;

    atomic_store(&end_tid, atomic_load(&dump_tid));
    atomic_store(&end_is_over, true);
    unlock_dump();
    return is_written;
}

/* -- end of the program ---------------------------------------------------- */

bool mprt_profile_claim_end(void)
{
    const uint64_t start_ns = mprt_os_monotonic_ns();
    const uint32_t tid = mprt_os_tid();
    uint32_t owner = 0;

    if (atomic_compare_exchange_strong(&end_tid, &owner, tid))
        return true;
    while (owner != tid && !atomic_load(&end_is_over) &&
           mprt_os_monotonic_ns() - start_ns < END_PATIENCE_NS)
        mprt_os_yield();
    return false;
}

static void dump_bounded(void)
{
    void *bail[5];

    if (__builtin_setjmp(bail) == 0) {
        mprt_lock_bail = bail;
        if (!mprt_lock_try(&dump_lock, END_PATIENCE_NS))
            __builtin_longjmp(mprt_lock_bail, 1);
        atomic_store(&dump_tid, mprt_os_tid());
        run_dump(&(struct run){.occasion = AT_THE_END});
        unlock_dump();
    } else {
        if (mprt_profile_is_dumping())
            mprt_profile_abandon();
        else
            mprt_outfile_abandon(&the_dump.output);
        MPRT_LOG("the program ends inside the profiler; what was recorded "
                 "since the last profile is lost");
    }
    mprt_lock_bail = NULL;
}

void mprt_profile_dump_last(void)
{
    const bool was_first = mprt_thread_enter();

    dump_bounded();
    if (was_first)
        mprt_thread_leave();
}

/* The program may still run: threads that were not joined do until the end. If
 * a signal handler called exit(), the interrupted code may hold locks. */
void mprt_profile_dump_at_exit(void)
{
    const bool may_be_stuck =
        atomic_load(&was_cut_short) || mprt_thread_local.is_inside;
    const bool looks = mprt_options.leaks || atomic_load(&end_looks_for_leaks);
    struct mprt_leaks leaks = {.contexts = NULL};

    if (may_be_stuck && !mprt_profile_is_dumping()) {
        const uint64_t signals = mprt_os_block_other_signals();
        mprt_profile_dump_last();
        mprt_os_restore_signals(signals);
        if (looks)
            mprt_leaks_say_not_looked();
    } else {
        dump(AT_THE_END, looks ? &leaks : NULL);
        mprt_leaks_free(&leaks);
    }
}

void mprt_profile_end_is_over(void)
{
    atomic_store(&end_is_over, true);
}

void mprt_profile_reset(void)
{
    if (!mprt_thread_enter())
        return;
    lock_dump();
    reset(false);
    unlock_dump();
    mprt_thread_leave();
}

static bool lock_for_fork(void)
{
    uint64_t waited_ns = 0;

    while (!mprt_lock_try(&dump_lock, FORK_STEP_NS)) {
        waited_ns += FORK_STEP_NS;
        if (atomic_load(&mprt_dump_is_at_loader) ||
            waited_ns >= MPRT_LOCK_PATIENCE_NS)
            return false;
    }
    return true;
}

void mprt_profile_before_fork(bool is_outermost)
{
    if (!is_outermost || mprt_profile_is_dumping())
        return;
    /* Does not wait forever: a handler may fork while its thread is in the
     * loader, for whose lock the dump waits. Then the fork goes on without the
     * lock. */
    look_after_helper();
    if (!lock_for_fork())
        return;
    atomic_store(&dump_tid, mprt_os_tid());
    the_dump.is_forking = true;
}

void mprt_profile_after_fork(bool is_child, bool is_outermost)
{
    /* The lock is this thread's if it was taken for the fork; otherwise another
     * thread may hold it. */
    const bool was_locked =
        is_outermost && mprt_profile_is_dumping() && the_dump.is_forking;

    if (is_child) {
        the_dump.is_forking = false;
        atomic_store(&mprt_dump_is_at_loader, false);
        the_dump.name = (struct mprt_dump_name){.run_id = 0};
        mprt_lock_reset(&dump_lock);
        atomic_store(&dump_tid, 0);
    } else if (was_locked) {
        the_dump.is_forking = false;
        unlock_dump();
    }
}
