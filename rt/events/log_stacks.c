/* log_stacks.c -- call stacks as blocks of the log. A thread adds a call stack
 * before its first event that refers to it. Who writes the log takes the events
 * first and the call stacks then.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/log_parts.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/os.h"
#include "rt/record/trail.h"
#include "rt/stack/depot.h"
#include "rt/stack/names.h"
#include "rt/stack/pc.h"
#include "rt/stack/vm.h"
#include "shared/raw_format.h"

#define PATIENCE_NS (MPRT_LOG_PATIENCE_MS * UINT64_C(1000000))

static struct mprt_lock lock;
/* The block that is being made. */
static struct {
    struct mprof_buf out;
    size_t start; /* 0: there is none */
    uint64_t address;
    struct mprt_stack last;
    struct mprt_stack stack;
} block;

/* Functions of scripts for the frames of that block. */
static struct {
    struct mprof_buf out;
    size_t start;                           /* 0: there is none */
    bool is_any;                            /* a function is in the log */
    uint8_t written[MPRT_VM_FUNCTIONS / 8]; /* a bit for each function */
} scripts;

/* Names of the threads of call stacks of that block. */
static struct {
    struct mprof_buf out;
    size_t start; /* 0: there is none */
} names;

/* Names of the program's events at call stacks of that block. */
static struct {
    struct mprof_buf out;
    size_t start; /* 0: there is none */
} tags;

void mprt_log_stacks_init(void)
{
    mprt_mapbuf_init(&block.out);
    mprt_mapbuf_init(&scripts.out);
    mprt_mapbuf_init(&names.out);
    mprt_mapbuf_init(&tags.out);
}

static void put_name(uint32_t context)
{
    const uint32_t number = mprt_depot_name(context);
    const bool is_tagged = mprt_depot_is_tagged(context);
    struct mprof_buf *const out = is_tagged ? &tags.out : &names.out;
    size_t *const start = is_tagged ? &tags.start : &names.start;

    if (number == 0 ||
        (is_tagged && mprt_names_kind(number) != MPROF_TAG_EVENT))
        return;
    if (*start == 0)
        *start = mprt_log_blocks_begin(out, is_tagged ? MPROF_LOG_TAGS
                                                      : MPROF_LOG_NAMES);
    mprt_log_blocks_integer(out, context);
    mprt_log_blocks_string(out, mprt_names_text(number));
}

static void need_function(uintptr_t pc)
{
    const uint32_t number = mprt_vm_number(pc);
    const struct mprt_vm_function f = mprt_vm_function_of(pc);

    if ((scripts.written[number / 8] & 1u << number % 8) != 0)
        return;
    scripts.written[number / 8] |= (uint8_t)(1u << number % 8);
    scripts.is_any = true;
    if (scripts.start == 0)
        scripts.start = mprt_log_blocks_begin(&scripts.out, MPROF_LOG_SCRIPT);
    mprt_log_blocks_integer(&scripts.out, number);
    mprt_log_blocks_integer(&scripts.out, f.line);
    mprt_log_blocks_string(&scripts.out, f.name);
    mprt_log_blocks_string(&scripts.out, f.file);
}

/* Appends a block to *out, if it has been begun. */
static void take_block(struct mprof_buf *from, size_t *start,
                       struct mprof_buf *out)
{
    if (*start == 0)
        return;
    mprt_log_blocks_integer(from, 0);
    mprt_log_blocks_end(from, *start);
    mprof_buf_bytes(out, from->data, from->size);
    out->failed |= from->failed;
    from->size = 0;
    *start = 0;
}

static void put_frame(uintptr_t pc)
{
    if (mprt_vm_is_frame(pc))
        need_function(pc);
    const uint64_t address = mprt_pc_address(pc);
    const uint64_t tag = mprt_pc_tag(pc);
    const uint64_t step = mprof_log_signed(address - block.address);

    block.address = address;
    mprt_log_blocks_integer(&block.out, step << 1 | (tag != 0));
    if (tag != 0)
        mprt_log_blocks_integer(&block.out, tag);
}

static void begin_block(void)
{
    block.start = mprt_log_blocks_begin(&block.out, MPROF_LOG_MAPPING);
    block.address = 0;
    block.last.count = 0;
    mprt_log_blocks_integer(&block.out, mprt_clock_now_ns());
    mprt_log_blocks_integer(&block.out, 0);
}

/* Outermost frame first. */
static void put_stack(uint32_t context)
{
    struct mprt_stack *const last = &block.last;
    struct mprt_stack *const s = &block.stack;
    size_t same = 0;

    if (block.start == 0)
        begin_block();
    put_name(context);
    mprt_depot_get(context, s);
    while (same < s->count && same < last->count &&
           s->pcs[s->count - 1 - same] == last->pcs[last->count - 1 - same])
        same++;
    mprt_log_blocks_integer(&block.out, context);
    mprt_log_blocks_integer(&block.out,
                            s->truncated ? MPROF_RAW_CONTEXT_FL_TRUNCATED : 0);
    mprt_log_blocks_integer(&block.out, same);
    mprt_log_blocks_integer(&block.out, s->count - same);
    for (size_t i = same; i < s->count; i++)
        put_frame(s->pcs[s->count - 1 - i]);
    *last = *s;
}

/* The helper may be killed while it holds the lock. It waits itself for a
 * program that is stopped. */
static bool acquire(void)
{
    if (!mprt_identity_is_helper())
        return mprt_lock_try(&lock, PATIENCE_NS);
    mprt_lock_acquire(&lock);
    return true;
}

/* Signals are blocked, so that no handler of the program leaves the lock held.
 */
bool mprt_log_stacks_add(uint32_t context)
{
    const uint64_t signals = mprt_os_block_other_signals();
    const bool is_mine = acquire();

    if (is_mine) {
        if (mprt_trail_add_stack(context))
            put_stack(context);
        mprt_lock_release(&lock);
    }
    mprt_os_restore_signals(signals);
    return is_mine;
}

bool mprt_log_stacks_take(struct mprof_buf *out)
{
    if (!acquire())
        return false;
    if (block.start != 0) {
        mprt_log_blocks_integer(&block.out, 0);
        mprt_log_blocks_integer(&block.out, mprt_clock_now_ns());
        mprt_log_blocks_end(&block.out, block.start);
        take_block(&scripts.out, &scripts.start, out);
        take_block(&names.out, &names.start, out);
        if (out->size == 0) {
            const struct mprof_buf empty = *out;

            *out = block.out;
            block.out = empty;
        } else {
            mprof_buf_bytes(out, block.out.data, block.out.size);
            out->failed |= block.out.failed;
            block.out.size = 0;
        }
        block.start = 0;
        take_block(&tags.out, &tags.start, out);
    }
    mprt_lock_release(&lock);
    return true;
}

void mprt_log_stacks_restart(bool is_child)
{
    if (is_child)
        mprt_lock_reset(&lock);
    if (!acquire())
        return; /* the log ends when it needs the lock */
    mprt_trail_forget_stacks();
    block.out.size = scripts.out.size = names.out.size = tags.out.size = 0;
    block.start = scripts.start = names.start = tags.start = 0;
    if (scripts.is_any)
        mprt_libc_memset(scripts.written, 0, sizeof(scripts.written));
    scripts.is_any = false;
    mprt_lock_release(&lock);
}
