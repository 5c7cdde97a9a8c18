/* trail_test.c -- rt/record/trail.c: a thread keeps its events in a buffer of
 * its own, and takes no lock while the buffer has room.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include "rt/record/trail.c"

#include <pthread.h>

enum { ROOMY = 1000, CONTEXT = 5 };

static int writes, stacks_added;
static uint32_t bytes_written;

/* Like the log's: what is in the buffer is written. */
static void write_trail(struct mprt_trail *full)
{
    writes++;
    assert_non_null(full);
    bytes_written = mprt_trail_read(full).size;
    mprt_trail_empty(full);
}

static void add_stack(uint32_t context)
{
    stacks_added += mprt_trail_add_stack(context);
}

static const struct mprt_trail_log test_log = {.write = write_trail,
                                               .add_stack = add_stack};

static int begin(void **state)
{
    (void)state;
    writes = stacks_added = 0;
    mprt_trail_forget_stacks();
    mprt_trail_due_ns = UINT64_MAX;
    return mprt_trail_start(&test_log, 0) ? 0 : -1;
}

static void append(struct mprt_thread *t, unsigned i)
{
    const struct mprt_trail_end end = {
        .ns = 2 * i + 1, .birth_ns = 2 * i, .code = MPROF_LOG_EVENT_FREE};

    mprt_trail_birth(t, 0x10000 + 16 * (i % 7), 24, CONTEXT, 0, 0, 2 * i);
    mprt_trail_end(t, 0x10000 + 16 * (i % 7), &end);
}

static void a_buffer_with_room_takes_no_lock(void **state)
{
    (void)state;
    mprt_lock_acquire(&orphan_lock); /* whoever needs it waits for ever */
    for (unsigned i = 0; i < ROOMY; i++)
        append(mprt_thread_current(), i);
    mprt_lock_release(&orphan_lock);
    assert_int_equal(writes, 0);
    assert_int_equal(stacks_added, 1);
    /* Deltas: 4 bytes an event or 5. */
    assert_in_range(mprt_trail_read(mprt_thread_current()->trail).size,
                    2 * ROOMY * 3, 2 * ROOMY * 5);
}

static void a_full_buffer_is_written_and_begins_anew(void **state)
{
    struct mprt_trail_part part;

    (void)state;
    for (unsigned i = 0; writes == 0; i++)
        append(mprt_thread_current(), i);
    assert_in_range(bytes_written, MPRT_TRAIL_BYTES - ROOM, MPRT_TRAIL_BYTES);
    part = mprt_trail_read(mprt_thread_current()->trail);
    assert_true(part.is_first);
    assert_in_range(part.size, 1, 2 * ROOM); /* of one or two events */
}

static void *append_some(void *trail)
{
    append(mprt_thread_current(), 0);
    *(struct mprt_trail **)trail = mprt_thread_current()->trail;
    return NULL;
}

static void each_thread_has_a_buffer(void **state)
{
    pthread_t thread;
    struct mprt_trail *other = NULL;

    (void)state;
    append(mprt_thread_current(), 0);
    assert_int_equal(pthread_create(&thread, NULL, append_some, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(other);
    assert_ptr_not_equal(other, mprt_thread_current()->trail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_buffer_with_room_takes_no_lock, begin),
        cmocka_unit_test_setup(a_full_buffer_is_written_and_begins_anew, begin),
        cmocka_unit_test_setup(each_thread_has_a_buffer, begin),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
