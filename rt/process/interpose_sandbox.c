/* interpose_sandbox.c -- functions by which a program forbids itself to read
 * the time stamp counter, or system calls. If a dump would no longer be
 * possible, the last dump is made before.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/procfs.h"
#include "rt/base/sandbox.h"
#include "rt/base/state.h"
#include "rt/dump/outfile.h"
#include "rt/dump/profile.h"
#include "rt/heap/heap.h"
#include "rt/heap/shadow.h"
#include "rt/process/process.h"
#include "rt/real/real.h"
#include "rt/record/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* -- what a dump needs ----------------------------------------------------- */

/* Whether the filter and all filters in force let the kernel execute the call.
 */
static bool makes(const struct mprt_sandbox_filter *filter,
                  const struct mprt_sandbox_call *call)
{
    return mprt_sandbox_filter_makes(filter, call) && mprt_sandbox_makes(call);
}

static bool can_dump(const struct mprt_sandbox_filter *filter)
{
    static const struct mprt_sandbox_call needed[] = {
        {SYS_getpid, {0}},
        {SYS_gettid, {0}},
        {SYS_mmap,
         {0, 1u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
          UINT64_MAX}},
        {SYS_openat,
         {(uint64_t)AT_FDCWD, 1, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640}},
        {SYS_write, {MPRT_OS_STDERR + 1, 1, 1}},
    };
    static const struct mprt_sandbox_call naming[] = {
        {SYS_renameat2, {(uint64_t)AT_FDCWD, 1, (uint64_t)AT_FDCWD, 1, 1}},
        {SYS_link, {1, 1}},
    };
    bool can_name = false;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(needed); i++) {
        if (!makes(filter, &needed[i]))
            return false;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(naming); i++)
        can_name |= makes(filter, &naming[i]);
    return can_name;
}

static bool can_grow_heap(const struct mprt_sandbox_filter *filter)
{
    static const struct mprt_sandbox_call opening = {
        SYS_mprotect, {1u << 20, 1u << 20, PROT_READ | PROT_WRITE}};

    static const struct mprt_sandbox_call advising = {
        SYS_madvise, {1u << 20, 1u << 20, MADV_DODUMP}};

    return makes(filter, &opening) && makes(filter, &advising);
}

/* -- entering a sandbox ---------------------------------------------------- */

struct entry {
    bool is_strict;
    bool is_landlock; /* it may forbid writing the profile's file */
    struct mprt_sandbox_filter *filter; /* NULL: none */
    bool has_dumped;
    bool has_kept; /* a file that may be out of reach */
};

/* A copy of the filter. NULL if the kernel will refuse it, or without memory.
 */
static struct mprt_sandbox_filter *copy_filter(const struct sock_fprog *program)
{
    struct mprt_sandbox_filter *filter;

    if (!mprt_os_are_readable(program, sizeof(*program)))
        return NULL;
    struct sock_fprog p = *program;
    const size_t bytes = p.len * sizeof(*p.filter);
    if (p.len > MPRT_SANDBOX_FILTER_MAX ||
        !mprt_os_are_readable(p.filter, bytes))
        return NULL;
    filter =
        (struct mprt_sandbox_filter *)mprt_memory_map(sizeof(*filter) + bytes);
    if (filter == NULL)
        return NULL;
    filter->count = p.len;
    mprt_libc_memcpy(filter->code, p.filter, bytes);
    return filter;
}

/* The first call of the allocator of unsampled blocks may need system calls
 * that the sandbox forbids. Without us the program would have made that call.
 */
static void prepare_unsampled(void)
{
    if (mprt_sample_is_outside)
        mprt_real.free(mprt_real.malloc(1));
}

static void enter(struct entry *entry, bool is_for_all)
{
    bool can = true;
    bool can_grow = !entry->is_strict;

    prepare_unsampled();
    /* Other threads outside the sandbox may end the program. */
    is_for_all |= mprt_sandbox_is_first_thread() || mprt_lock_has_one_thread();
    if (entry->filter != NULL) {
        entry->filter->is_for_all = is_for_all;
        can = can_dump(entry->filter);
        can_grow = can_grow_heap(entry->filter);
    }
    if (!can_grow)
        mprt_heap_prepare_sandbox();
    if (entry->is_landlock)
        can = false;
    if (entry->is_strict) {
        can = false;
        mprt_counter_lose();
        mprt_clock_now_ns(); /* keep the last known time */
    }
    /* The helper continues outside, but the program may end before the helper's
     * next round. */
    if (is_for_all && !can && mprt_options.continuous)
        mprt_profile_before_sandbox();
    else if (is_for_all && entry->is_landlock)
        entry->has_kept = mprt_profile_before_change();
    else if (is_for_all && !can)
        entry->has_dumped = mprt_profile_before_exec();
    if (entry->has_dumped)
        mprt_signals_rest(true);
    if (entry->filter != NULL)
        mprt_sandbox_add(entry->filter);
    if (entry->is_strict)
        mprt_sandbox_set_strict(true);
}

static void complete_entry(const struct entry *entry)
{
    if (!entry->has_dumped)
        return;
    mprt_state_end();
    if (mprt_profile_keep_as_last())
        MPRT_LOG(
            "the program forbids itself by seccomp to write a profile: the "
            "profile has been written and ends here");
}

static void undo_entry(const struct entry *entry)
{
    if (entry->is_strict)
        mprt_sandbox_set_strict(false);
    if (entry->filter != NULL)
        mprt_sandbox_take_back(entry->filter);
    if (!entry->has_dumped)
        return;
    mprt_signals_rest(false);
    mprt_profile_after_failed_exec();
}

static void after(const struct entry *entry, bool is_in)
{
    const int saved_errno = errno;

    if (is_in && entry->is_landlock)
        mprt_outfile_enter_landlock();
    if (entry->has_kept)
        mprt_profile_after_change(is_in, false);
    else if (!is_in)
        undo_entry(entry);
    else
        complete_entry(entry);
    errno = saved_errno;
}

/* -- the calls ------------------------------------------------------------- */

/* LANDLOCK_RESTRICT_SELF_TSYNC; older headers lack it. */
#define LANDLOCK_TSYNC (1u << 3)

struct call {
    unsigned long a[MPRT_SYSCALL_ARGUMENTS];
};

/* As in libc, arguments that the caller did not pass have any value. */
#define TAKE_ARGUMENTS(call, last)                             \
    do {                                                       \
        va_list list;                                          \
        va_start(list, last);                                  \
        for (size_t i = 0; i < MPROF_ARRAY_LEN((call).a); i++) \
            (call).a[i] = va_arg(list, unsigned long);         \
        va_end(list);                                          \
    } while (0)

/* Counts the memory that prctl() accesses, for the options that programs use.
 */
static void count_prctl(int option, const void *argument)
{
    if (option == PR_GET_NAME)
        mprt_shadow_count_block((uintptr_t)argument, 16, true);
    else if (option == PR_GET_PDEATHSIG || option == PR_GET_TSC ||
             option == PR_GET_CHILD_SUBREAPER)
        mprt_shadow_count_block((uintptr_t)argument, sizeof(int), true);
}

/* Prepares for prctl() with these arguments. */
static struct entry before_prctl(unsigned long option, unsigned long argument,
                                 unsigned long more)
{
    struct entry entry = {.is_strict = false};

    if (option == PR_SET_TSC && argument == PR_TSC_SIGSEGV)
        mprt_counter_lose();
    /* A child that shares this memory does not restrict us. */
    if (option != PR_SET_SECCOMP || !mprt_identity_is_owner())
        return entry;
    if (argument == SECCOMP_MODE_FILTER)
        entry.filter = copy_filter((const struct sock_fprog *)more);
    entry.is_strict = argument == SECCOMP_MODE_STRICT;
    enter(&entry, false);
    return entry;
}

static struct entry before_seccomp(unsigned long operation, unsigned long flags,
                                   unsigned long argument)
{
    struct entry entry = {.is_strict = false};

    if (!mprt_identity_is_owner())
        return entry;
    if (operation == SECCOMP_SET_MODE_FILTER)
        entry.filter = copy_filter((const struct sock_fprog *)argument);
    entry.is_strict = operation == SECCOMP_SET_MODE_STRICT && flags == 0;
    enter(&entry, (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);
    return entry;
}

MPRT_INTERFACE int prctl(int option, ...)
{
    struct call call;

    TAKE_ARGUMENTS(call, option);
    const struct entry entry =
        before_prctl((unsigned)option, call.a[0], call.a[1]);
    const int result =
        MPRT_REAL(prctl)(option, call.a[0], call.a[1], call.a[2], call.a[3]);
    after(&entry, result == 0);
    count_prctl(option, (const void *)call.a[0]);
    return result;
}

MPRT_INTERFACE long syscall(long number, ...)
{
    struct call call;
    struct entry entry = {.is_strict = false};
    bool gives_fd = false;

    TAKE_ARGUMENTS(call, number);
    mprt_unseen_call(number, call.a);
    if (number == SYS_io_uring_enter)
        mprt_rings_enter((int)call.a[0], (uint32_t)call.a[3]);
    if (number == SYS_exit_group ||
        (number == SYS_exit && mprt_procfs_is_last_thread()))
        mprt_exit_at_death();
    const bool replaces = number == SYS_execve || number == SYS_execveat;
    struct mprt_exit_exec exec;
    if (replaces)
        exec = mprt_exit_before_exec();
    if (number == SYS_prctl) {
        entry = before_prctl((unsigned)call.a[0], call.a[1], call.a[2]);
    } else if (number == SYS_landlock_restrict_self &&
               mprt_identity_is_owner()) {
        entry.is_landlock = true;
        enter(&entry, (call.a[1] & LANDLOCK_TSYNC) != 0);
    } else if (number == SYS_seccomp) {
        entry =
            before_seccomp((unsigned)call.a[0], (unsigned)call.a[1], call.a[2]);
        gives_fd = (call.a[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0;
    }
    const struct mprt_rights rights = mprt_rights_before_call(number, call.a);
    const long result =
        MPRT_REAL(syscall)(number, call.a[0], call.a[1], call.a[2], call.a[3],
                           call.a[4], call.a[5]);
    mprt_rights_after(&rights, result >= 0);
    if (number == SYS_io_uring_setup && result >= 0)
        mprt_rings_add((int)result, call.a[1]);
    if (replaces)
        mprt_exit_after_failed_exec(&exec);
    if (number == SYS_prctl || number == SYS_seccomp || entry.is_landlock)
        after(&entry, result == 0 || (gives_fd && result > 0));
    return result;
}
