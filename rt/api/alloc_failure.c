/* alloc_failure.c -- what the runtime does when an allocation fails. By
 * default: print one line, and the caller returns NULL. With
 * allocator_may_return_null=1: return NULL without a message. With
 * allocator_may_return_null=0: print a report in LLVM's words, write the
 * profile and end the program.
 *
 * LLVM's default is 0. Here a user has to ask for 0, because a profiler should
 * not end the program that it measures.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/functions.h"
#include "rt/base/identity.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"
#include "rt/dump/dump.h"
#include "rt/process/process.h"
#include "rt/record/block.h"
#include "rt/stack/module_history.h"
#include "rt/stack/unwind.h"

#define STACK_PRINTED_MAX 64
#define LINE_BYTES 256

static void (*_Atomic death_callback)(void);

void mprt_alloc_failure_set_callback(void (*callback)(void))
{
    atomic_store(&death_callback, callback);
}

static void put(struct mprof_buf *buf, const struct mprt_textbuf *t)
{
    mprof_buf_bytes(buf, t->out, t->used);
}

static void put_stack(struct mprof_buf *buf, struct mprt_caller caller)
{
    uintptr_t pcs[STACK_PRINTED_MAX];
    bool truncated;
    const size_t count =
        mprt_unwind(caller, pcs, STACK_PRINTED_MAX, &truncated);

    mprt_module_history_tag(pcs, count);
    mprt_print_text_stack(buf, pcs, count);
}

/* Starts a line: "==PID==" and `what`. */
static void begin_line(struct mprt_textbuf *t, const char *what)
{
    t->used = 0;
    MPRT_TEXT(t, "==", MPRT_DEC(mprt_identity_pid()), "==", what);
}

static void report(const char *text, const char *kind,
                   struct mprt_caller caller)
{
    char line[LINE_BYTES];
    struct mprt_textbuf t = {.out = line, .size = sizeof(line)};
    struct mprof_buf buf;

    mprt_mapbuf_init(&buf);
    begin_line(&t, "ERROR: MemProfiler: ");
    MPRT_TEXT(&t, text, "\n");
    put(&buf, &t);
    put_stack(&buf, caller);
    begin_line(&t, "HINT: if you don't care about these errors you may "
                   "set allocator_may_return_null=1\n");
    put(&buf, &t);
    if (mprt_options.print_summary) {
        t.used = 0;
        MPRT_TEXT(&t, "SUMMARY: MemProfiler: ", kind, "\n");
        put(&buf, &t);
    }
    mprt_mapbuf_print(&buf);
}

/* text: message of the report's first line. kind: kind of error in the SUMMARY
 * line. */
static void end(const char *text, const char *kind, struct mprt_caller caller)
{
    static _Atomic bool has_failed;
    void (*callback)(void);

    if (!atomic_exchange(&has_failed, true)) {
        if (mprt_thread_enter()) {
            report(text, kind, caller);
            mprt_thread_leave();
        }
        callback = atomic_load(&death_callback);
        if (callback != NULL)
            callback();
    }
    mprt_exit_at_death();
    mprt_os_exit((int)mprt_options.exitcode);
}

static bool is_the_end(void)
{
    return !mprt_options.allocator_may_return_null &&
           mprt_options_was_given(&mprt_options.allocator_may_return_null);
}

MPRT_NOINLINE void mprt_alloc_failure(size_t size, struct mprt_caller caller)
{
    const bool is_too_big = size > mprt_block_size_max;
    char text[LINE_BYTES];
    struct mprt_textbuf t = {.out = text, .size = sizeof(text)};

    if (mprt_options.allocator_may_return_null)
        return;
    if (!is_the_end()) {
        MPRT_LOG_ONCE("an allocation of ", MPRT_DEC(size), " bytes failed");
        return;
    }
    MPRT_TEXT(&t,
              is_too_big ? "requested allocation size 0x"
                         : "allocator is out of memory trying to "
                           "allocate 0x",
              MPRT_HEX(size),
              is_too_big ? " exceeds maximum supported size of 0x" : " bytes");
    if (is_too_big)
        mprt_textbuf_str(&t, MPRT_HEX(mprt_block_size_max));
    end(text, is_too_big ? "allocation-size-too-big" : "out-of-memory", caller);
}

MPRT_NOINLINE void mprt_alloc_failure_overflow(const char *function,
                                               struct mprt_caller caller)
{
    char text[LINE_BYTES];
    char kind[LINE_BYTES];
    struct mprt_textbuf t = {.out = text, .size = sizeof(text)};
    struct mprt_textbuf k = {.out = kind, .size = sizeof(kind)};

    if (!is_the_end()) {
        mprt_alloc_failure(SIZE_MAX, caller);
        return;
    }
    MPRT_TEXT(&t, function,
              " parameters overflow: the size cannot be represented "
              "in type size_t");
    MPRT_TEXT(&k, function, "-overflow");
    end(text, kind, caller);
}

MPRT_NOINLINE void mprt_alloc_failure_alignment(size_t align, bool is_posix,
                                                struct mprt_caller caller)
{
    char text[LINE_BYTES];
    struct mprt_textbuf t = {.out = text, .size = sizeof(text)};

    if (!is_the_end())
        return;
    MPRT_TEXT(&t,
              is_posix ? "invalid alignment requested in posix_memalign: "
                       : "invalid allocation alignment: ",
              MPRT_DEC(align), ", alignment must be a power of two");
    if (is_posix)
        mprt_textbuf_str(&t, " and a multiple of sizeof(void*) == 8");
    end(text,
        is_posix ? "invalid-posix-memalign-alignment"
                 : "invalid-allocation-alignment",
        caller);
}
