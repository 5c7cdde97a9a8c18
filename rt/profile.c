/* profile.c -- a dump from start to end: place, snapshot, bytes, file.
 *
 * One dump at a time. The place is found before anything is taken out of the
 * program's records, so that a directory that cannot be written costs nothing.
 * Other threads go on allocating; what they do while the snapshot is taken goes
 * into this dump or the next.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump.h"

#include <errno.h>

#define STDERR_FD 2

static struct mprt_lock dump_lock;

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

static void make_bytes(struct mprof_buf *buf, enum mprt_output_kind kind,
                       const struct mprt_snapshot *snapshot)
{
    struct mprt_module_list modules;
    const struct mprt_dump dump = {.snapshot = snapshot, .modules = &modules};

    if (!mprt_modules_list(&modules)) {
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
    mprt_modules_free(&modules);
}

static int finish_dump(struct mprt_output *output)
{
    struct mprt_snapshot *const snapshot =
        mprt_mibmap_snapshot(output->kind != MPRT_OUTPUT_TEXT);
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

int mprt_profile_dump(void)
{
    /* Too large for a small stack; the dump lock guards it. */
    static struct mprt_output output;
    const int saved_errno = errno;
    int result = -1;

    if (!mprt_guard_enter())
        return -1;
    mprt_lock_acquire(&dump_lock);
    if (mprt_output_begin(&output, choose_kind()) == 0)
        result = finish_dump(&output);
    mprt_lock_release(&dump_lock);
    mprt_guard_leave();
    errno = saved_errno;
    return result;
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
    static _Atomic bool done;

    if (!mprt_process_is_owner() || mprt_process_is_blank_child() ||
        atomic_exchange(&done, true))
        return;
    if (mprt_options.print_module_map != 0)
        print_modules();
    if (mprt_options.dump_at_exit)
        mprt_profile_dump();
    if (mprt_options.atexit)
        mprt_stats_print("MemProfiler exit stats:\n");
}

void mprt_profile_reset(void)
{
    if (!mprt_guard_enter())
        return;
    mprt_lock_acquire(&dump_lock);
    mprt_mibmap_reset();
    mprt_output_reset();
    mprt_lock_release(&dump_lock);
    mprt_guard_leave();
}

struct mprt_lock *mprt_profile_lock(void)
{
    return &dump_lock;
}
