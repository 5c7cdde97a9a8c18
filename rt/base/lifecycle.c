/* lifecycle.c -- runs the table of the runtime's parts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/lifecycle.h"
#include "rt/base/lock.h"

static const struct mprt_part *parts;
static size_t part_count;

void mprt_lifecycle_set(const struct mprt_part *table, size_t count)
{
    parts = table;
    part_count = count;
}

void mprt_lifecycle_init(void)
{
    for (size_t i = part_count; i-- > 0;) {
        if (parts[i].init != NULL)
            parts[i].init();
    }
}

void mprt_lifecycle_init_with_libc(void)
{
    for (size_t i = part_count; i-- > 0;) {
        if (parts[i].init_with_libc != NULL)
            parts[i].init_with_libc();
    }
}

void mprt_lifecycle_start_thread(struct mprt_thread *t)
{
    for (size_t i = part_count; i-- > 0;) {
        if (parts[i].thread_start != NULL)
            parts[i].thread_start(t);
    }
}

void mprt_lifecycle_end_thread(struct mprt_thread *t)
{
    for (size_t i = 0; i < part_count; i++) {
        if (parts[i].thread_end != NULL)
            parts[i].thread_end(t);
    }
}

void mprt_lifecycle_before_fork(bool is_outermost)
{
    for (size_t i = 0; i < part_count; i++) {
        if (parts[i].lock != NULL && is_outermost)
            mprt_lock_acquire(parts[i].lock);
        if (parts[i].before_fork != NULL)
            parts[i].before_fork(is_outermost);
    }
}

void mprt_lifecycle_after_fork(bool is_child, bool is_outermost)
{
    for (size_t i = part_count; i-- > 0;) {
        if (is_child && parts[i].in_child != NULL)
            parts[i].in_child();
        if (parts[i].after_fork != NULL)
            parts[i].after_fork(is_child, is_outermost);
        if (parts[i].lock != NULL)
            mprt_lock_after_fork(parts[i].lock, is_child, is_outermost);
    }
}
