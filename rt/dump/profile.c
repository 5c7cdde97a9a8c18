/* profile.c -- a dump from start to end: place, snapshot, bytes, file.
 *
 * One dump at a time. The place is found before anything is taken out of the
 * program's records, so that a directory that cannot be written costs nothing.
 * Other threads go on allocating; what they do while the snapshot is taken goes
 * into this dump or the next.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/record/mibmap.h"

#include <errno.h>

#define STDERR_FD 2

#define STACK_BYTES ((size_t)1 << 20)
/* How long the end of the program waits for a dump of another thread. */
#define END_PATIENCE_NS UINT64_C(10000000000)

/* How often who waits for a dump looks whether the helper lives. */
#define HELPER_PATIENCE_NS UINT64_C(100000000)
/* In the helper: how often it begins again where a library went away. */
#define MODULES_TRIES 100

static struct mprt_lock dump_lock;
static _Atomic uint32_t dump_tid; /* who holds it */

/* Under the dump lock. */
static struct {
    struct mprt_output output; /* too large for a small stack */
    char *stack;
    struct mprt_output_mark mark; /* before an exec */
    bool exec_wrote;
} the_dump;

/* It may have held locks of the snapshot: nobody waits for ever any more. */
static _Atomic bool helper_was_killed;

/* The last dump: whose it is, and that it is over. */
static _Atomic uint32_t end_tid;
static _Atomic bool end_is_over;

struct modules {
    struct mprt_module_list list;
    bool are_listed;
};

static bool is_llvm_format(void)
{
    static uint32_t once;

    if (mprt_strcmp(mprt_options.raw_format, "llvm") == 0)
        return true;
    if (mprt_strcmp(mprt_options.raw_format, "memprof") != 0)
        mprt_log_once(&once, "raw_format must be memprof or llvm, not '",
                      mprt_options.raw_format, "'; taking memprof", NULL);
    return false;
}

static enum mprt_output_kind choose_kind(void)
{
    if (mprt_options.print_text)
        return MPRT_OUTPUT_TEXT;
    return is_llvm_format() ? MPRT_OUTPUT_RAW_LLVM : MPRT_OUTPUT_RAW;
}

static void list_modules(void *argument)
{
    struct modules *const modules = (struct modules *)argument;

    modules->are_listed = mprt_modules_list(&modules->list);
}

/* In the helper, a library may go away under its eyes. */
static bool find_modules(struct modules *modules)
{
    modules->are_listed = false;
    if (!mprt_helper_is_here())
        list_modules(modules);
    for (unsigned i = 0; mprt_helper_is_here() && i < MODULES_TRIES; i++) {
        if (mprt_helper_try(list_modules, modules))
            break;
    }
    return modules->are_listed;
}

static void make_bytes(struct mprof_buf *buf, enum mprt_output_kind kind,
                       const struct mprt_snapshot *snapshot)
{
    struct modules modules;
    const struct mprt_dump dump = {.snapshot = snapshot,
                                   .modules = &modules.list};

    if (!find_modules(&modules)) {
        buf->failed = true;
        return;
    }
    switch (kind) {
    case MPRT_OUTPUT_RAW:
        mprt_rawwrite(buf, &dump);
        break;
    case MPRT_OUTPUT_RAW_LLVM:
        mprt_rawwrite_llvm(buf, &dump);
        break;
    case MPRT_OUTPUT_TEXT:
        mprt_text_write(buf, &dump);
        break;
    }
    mprt_modules_free(&modules.list);
}

static int finish_dump(struct mprt_output *output, bool takes)
{
    struct mprt_snapshot *const snapshot =
        mprt_mibmap_snapshot(takes && output->kind != MPRT_OUTPUT_TEXT);
    struct mprof_buf buf;
    int result = -1;

    mprt_mapbuf_init(&buf);
    if (snapshot != NULL) {
        make_bytes(&buf, output->kind, snapshot);
        mprt_mibmap_free_snapshot(snapshot);
    }
    if (snapshot == NULL || buf.failed) {
        mprt_log("no memory to write the profile", NULL);
        mprt_output_cancel(output);
    } else {
        result = mprt_output_finish(output, buf.data, buf.size);
    }
    mprt_mapbuf_free(&buf);
    return result;
}

/* With continuous=1 the one file has everything, each time. */
static bool takes_all(void)
{
    return !mprt_options.continuous;
}

struct run {
    bool takes;
    int result;
};

static void run_here(void *argument)
{
    struct run *const run = (struct run *)argument;

    if (mprt_output_begin(&the_dump.output, choose_kind()) == 0)
        run->result = finish_dump(&the_dump.output, run->takes);
}

/* The dump lock is held. On a stack of our own: the program's may be a small
 * one, or at its end. */
static int run_dump(bool takes)
{
    struct run run = {takes, -1};

    if (the_dump.stack == NULL)
        the_dump.stack = (char *)mprt_sys_map(STACK_BYTES);
    if (the_dump.stack != NULL)
        mprt_sys_call_on(the_dump.stack + STACK_BYTES, run_here, &run);
    else
        run_here(&run);
    return run.result;
}

static bool is_dumping(void)
{
    return atomic_load(&dump_tid) == mprt_sys_tid();
}

static void lock_dump(void)
{
    if (mprt_helper_is_here() || !mprt_helper_look())
        mprt_lock_acquire(&dump_lock);
    else
        /* It may be killed with the lock in its hand. */
        while (!mprt_lock_try(&dump_lock, HELPER_PATIENCE_NS))
            mprt_helper_look();
    atomic_store(&dump_tid, mprt_sys_tid());
}

static void unlock_dump(void)
{
    atomic_store(&dump_tid, 0);
    mprt_lock_release(&dump_lock);
}

/* By another thread: this one may be cut short at any moment. */
static bool has_ended(void)
{
    const uint32_t tid = atomic_load(&end_tid);

    return tid != 0 && tid != mprt_sys_tid();
}

int mprt_profile_dump(void)
{
    const int saved_errno = errno;
    int result;

    if (is_dumping() || !mprt_guard_enter())
        return -1;
    /* No handler of the program's ends or replaces it in the middle. */
    const uint64_t signals = mprt_sys_block_other_signals();
    lock_dump();
    result = has_ended() ? -1 : run_dump(takes_all());
    unlock_dump();
    mprt_sys_restore_signals(signals);
    mprt_guard_leave();
    errno = saved_errno;
    return result;
}

/* -- While the program runs ------------------------------------------------ */

void mprt_profile_from_helper(void)
{
    lock_dump();
    if (!mprt_process_is_blank_child() && atomic_load(&end_tid) == 0)
        run_dump(takes_all());
    unlock_dump();
}

void mprt_profile_after_helper_died(uint32_t pid)
{
    uint32_t owner = pid;

    if (!atomic_compare_exchange_strong(&dump_tid, &owner, 0))
        return;
    atomic_store(&helper_was_killed, true);
    mprt_lock_reset(&dump_lock);
    mprt_log("the process that writes dumps was killed at one; what it had in "
             "hand is lost",
             NULL);
}

/* -- Before the program is replaced ---------------------------------------- */

bool mprt_profile_before_exec(void)
{
    const int saved_errno = errno;

    if (!mprt_process_is_owner() || mprt_process_is_blank_child() ||
        !mprt_options.dump_at_exit || !mprt_is_running() ||
        atomic_load(&end_tid) != 0 || is_dumping() || !mprt_guard_enter())
        return false;
    const uint64_t signals = mprt_sys_block_other_signals();
    lock_dump();
    mprt_output_mark(&the_dump.mark);
    the_dump.exec_wrote = run_dump(false) == 0;
    mprt_sys_restore_signals(signals);
    mprt_guard_leave();
    errno = saved_errno;
    return true;
}

void mprt_profile_after_failed_exec(void)
{
    const uint64_t signals = mprt_sys_block_other_signals();

    if (the_dump.exec_wrote)
        mprt_output_undo(&the_dump.output, &the_dump.mark);
    unlock_dump();
    mprt_sys_restore_signals(signals);
}

/* -- At the end ------------------------------------------------------------ */

/* False where the last dump was made, or is by this thread, or was until now by
 * another. */
static bool claim_end(void)
{
    const uint64_t start_ns = mprt_sys_monotonic_ns();
    const uint32_t tid = mprt_sys_tid();
    uint32_t owner = 0;

    if (atomic_compare_exchange_strong(&end_tid, &owner, tid))
        return true;
    while (owner != tid && !atomic_load(&end_is_over) &&
           mprt_sys_monotonic_ns() - start_ns < END_PATIENCE_NS)
        mprt_sys_yield();
    return false;
}

void mprt_profile_abandon(void)
{
    if (is_dumping())
        mprt_output_cancel(&the_dump.output);
}

static void dump_bounded(void)
{
    void *bail[5];

    if (__builtin_setjmp(bail) == 0) {
        mprt_lock_bail = bail;
        if (!mprt_lock_try(&dump_lock, END_PATIENCE_NS))
            __builtin_longjmp(mprt_lock_bail, 1);
        atomic_store(&dump_tid, mprt_sys_tid());
        run_dump(takes_all());
        unlock_dump();
    } else {
        if (is_dumping())
            mprt_profile_abandon();
        else
            mprt_output_forsake(&the_dump.output);
        mprt_log("the program ends inside the profiler; what was recorded "
                 "since the last profile is lost",
                 NULL);
    }
    mprt_lock_bail = NULL;
}

void mprt_profile_at_death(void)
{
    const int saved_errno = errno;

    if (mprt_lock_bail != NULL)
        __builtin_longjmp(mprt_lock_bail, 1); /* a fault in the last dump */
    if (!mprt_process_is_owner() || mprt_process_is_blank_child() ||
        !mprt_options.dump_at_exit || !mprt_is_running() || is_dumping() ||
        !claim_end())
        return;
    const uint64_t signals = mprt_sys_block_other_signals();
    const bool was_first = mprt_guard_enter();
    mprt_helper_stop();
    dump_bounded();
    if (was_first)
        mprt_guard_leave();
    atomic_store(&end_is_over, true);
    mprt_sys_restore_signals(signals);
    errno = saved_errno;
}

/* The program may run on: threads that were not joined do until the end. */
static void dump_at_exit(void)
{
    if (!atomic_load(&helper_was_killed)) {
        mprt_profile_dump();
        return;
    }
    const bool was_first = mprt_guard_enter();
    dump_bounded();
    if (was_first)
        mprt_guard_leave();
}

static void print_modules(void)
{
    struct mprt_module_list modules;
    struct mprof_buf buf;

    if (!mprt_guard_enter())
        return;
    mprt_mapbuf_init(&buf);
    if (mprt_modules_list(&modules)) {
        mprt_text_modules(&buf, &modules);
        mprt_modules_free(&modules);
    }
    if (!buf.failed && buf.data != NULL)
        mprt_sys_write_all(STDERR_FD, buf.data, buf.size);
    mprt_mapbuf_free(&buf);
    mprt_guard_leave();
}

void mprt_profile_at_exit(void)
{
    if (!mprt_process_is_owner() || mprt_process_is_blank_child() ||
        !claim_end())
        return;
    if (mprt_options.print_module_map != 0)
        print_modules();
    mprt_helper_stop();
    if (mprt_options.dump_at_exit)
        dump_at_exit();
    if (mprt_options.atexit)
        mprt_stats_print("MemProfiler exit stats:\n");
    atomic_store(&end_is_over, true);
}

void mprt_profile_reset(void)
{
    if (!mprt_guard_enter())
        return;
    lock_dump();
    mprt_mibmap_reset();
    mprt_output_reset();
    unlock_dump();
    mprt_guard_leave();
}

bool mprt_profile_before_fork(void)
{
    if (is_dumping())
        return false;
    lock_dump();
    return true;
}

void mprt_profile_after_fork(bool is_child, bool was_locked)
{
    if (is_child) {
        mprt_lock_reset(&dump_lock);
        atomic_store(&dump_tid, 0);
        mprt_mibmap_after_fork();
        mprt_output_reset();
    } else if (was_locked) {
        unlock_dump();
    }
}
