/* shadow_count.c -- counts accesses for code that does not count them itself.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/shadow_internal.h"
#include "rt/heap/transfers.h"

static void add_words(uint64_t *counter, uint64_t words)
{
    if (MPROF_LIKELY(mprt_shadow_is_plain))
        *counter += words;
    else
        __atomic_fetch_add(counter, words, __ATOMIC_RELAXED);
}

static void count_in(uint32_t *cell)
{
    *cell += *cell != MPROF_WIDE_CELL_MAX;
}

/* Counts one access to n bytes in the 4 bytes that it touches. */
static void count_in_fields(uintptr_t addr, size_t n, bool is_write)
{
    uint32_t *cell =
        wide_cell_of(addr) + (is_write ? MPROF_FIELDS_COUNTERS / 2 : 0);
    const uint32_t *const last = wide_cell_of(addr + n - 1);

    for (count_in(cell); cell < last; cell += MPROF_FIELDS_COUNTERS)
        count_in(cell + MPROF_FIELDS_COUNTERS + 1); /* it goes on there */
}

/* Counts one access to n bytes, atomically if instrumented code does, but never
 * for cells. Uses the wide cell, which holds more. */
static void count_one(uintptr_t addr, size_t n, bool is_write)
{
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM)
        add_words(mprt_shadow_counter_of(addr), 1);
    else if (mprt_shadow_has_fields)
        count_in_fields(addr, n, is_write);
    else
        count_in(wide_cell_of(addr));
}

void mprt_shadow_count_callback(uintptr_t addr)
{
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM ||
        (MPRT_LOAD(mprt_shadow_callbacks_are_wide) &&
         !mprt_shadow_has_fields)) {
        count_one(addr, 1, false);
    } else {
        uint8_t *const cell = cell_of(addr);
        *cell += *cell != MPROF_CELL_MAX;
    }
}

/* Adds `words` to each of counters[0..count). */
static void add_to_all(uint64_t *counters, size_t count, uint64_t words)
{
    const counter_pair add = {words, words};
    size_t i = 0;

    for (; !mprt_shadow_is_plain && i < count; i++)
        add_words(counters + i, words);
    for (; i + 2 <= count; i += 2)
        *(counter_pair *)(void *)(counters + i) += add;
    if (i < count)
        counters[i] += words;
}

/* As in LLVM, the words of a range begin at addr + 8 * i, whatever the
 * alignment of addr. The first granule counts the words that begin in it, the
 * others eight each, the last one the rest. */
void mprt_shadow_count_range(uintptr_t addr, size_t n, bool is_write)
{
    const uint64_t words_per_granule =
        MPROF_GRANULE_BYTES / MPROF_RANGE_WORD_BYTES;
    const uint64_t words =
        n / MPROF_RANGE_WORD_BYTES + (n % MPROF_RANGE_WORD_BYTES != 0);
    const uint64_t first = (MPROF_GRANULE_BYTES - addr % MPROF_GRANULE_BYTES +
                            MPROF_RANGE_WORD_BYTES - 1) /
                           MPROF_RANGE_WORD_BYTES;

    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM) {
        for (uint64_t i = 0; i < words; i++)
            count_one(addr + i * MPROF_RANGE_WORD_BYTES,
                      mprof_min_u64(n - i * MPROF_RANGE_WORD_BYTES,
                                    MPROF_RANGE_WORD_BYTES),
                      is_write);
        return;
    }
    uint64_t *counters = mprt_shadow_counter_of(addr);
    if (words <= first) {
        add_words(counters, words);
        return;
    }
    add_words(counters++, first);
    if (MPROF_LIKELY(words - first <= words_per_granule)) {
        add_words(counters, words - first);
        return;
    }
    add_to_all(counters, (words - first) / words_per_granule,
               words_per_granule);
    counters += (words - first) / words_per_granule;
    if ((words - first) % words_per_granule != 0)
        add_words(counters, (words - first) % words_per_granule);
}

void mprt_shadow_count_range_callback(uintptr_t addr, size_t n)
{
    if (!mprt_shadow_has_fields) {
        mprt_shadow_count_range(addr, n, false);
        return;
    }
    for (size_t i = 0; i < n; i += MPROF_RANGE_WORD_BYTES)
        mprt_shadow_count_callback(addr + i);
}

void mprt_shadow_count_thread(uintptr_t addr, size_t n, bool is_write)
{
    if (mprt_shadow_is_off)
        return;
    mprt_shadow_count_callback(addr);
    if (mprt_shadow_has_threads && mprt_heap_contains((const void *)addr))
        mprt_transfers_note(addr, n, is_write);
}

static void add_rw(uint64_t *counter, uint64_t n)
{
    if (__memprof_atomic_v1)
        __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
    else
        *counter += n;
}

/* Counts all of the range in its first granule, because the range lies in one
 * block. */
void mprt_shadow_count_rw(uintptr_t addr, size_t n, bool is_write)
{
    if (mprt_shadow_has_threads) {
        mprt_transfers_note(addr, n, is_write);
        add_words(mprt_shadow_counter_of(addr),
                  n / MPROF_RANGE_WORD_BYTES +
                      (n % MPROF_RANGE_WORD_BYTES != 0));
        return;
    }
    add_rw(rw_counters_of(addr) + is_write,
           n / MPROF_RANGE_WORD_BYTES + (n % MPROF_RANGE_WORD_BYTES != 0));
    if (mprt_shadow_rw_state == RW_ALL_BYTES)
        add_rw(rw_bytes_of(addr) + is_write, n);
}
