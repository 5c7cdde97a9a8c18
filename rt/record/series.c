/* series.c -- the run over time. If another thread is adding a sample, a thread
 * skips its own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/series.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"
#include "shared/raw_format.h"

/* Attempts to copy the series while slots are being joined. */
#define COPIES 1000

static struct mprt_series the_series;
static atomic_flag is_busy = ATOMIC_FLAG_INIT;
static _Atomic int64_t unrecorded_blocks;
static _Atomic uint64_t mapped_bytes;
void (*mprt_series_note_resident)(uint64_t rss, uint64_t live_bytes);

static void raise(_Atomic uint64_t *most, uint64_t n)
{
    if (n > MPRT_LOAD(*most))
        MPRT_STORE(*most, n);
}

/* -- slots ----------------------------------------------------------------- */

static uint32_t shift_of(const struct mprt_series *s)
{
    const uint32_t shift = MPRT_LOAD(s->shift);

    return shift != 0 ? shift : MPRT_SERIES_SHIFT_MIN;
}

/* Joins two slots; b is the later one. */
static void join(struct mprt_series_slot *to, const struct mprt_series_slot *a,
                 const struct mprt_series_slot *b)
{
    const struct mprt_series_slot *const first =
        MPRT_LOAD(a->samples) != 0 ? a : b;
    const struct mprt_series_slot *const last =
        MPRT_LOAD(b->samples) != 0 ? b : a;
    const uint64_t samples = MPRT_LOAD(a->samples) + MPRT_LOAD(b->samples);
    const uint64_t most = mprof_max_u64(MPRT_LOAD(a->most), MPRT_LOAD(b->most));
    const uint64_t bytes = MPRT_LOAD(last->bytes);
    const uint64_t blocks = MPRT_LOAD(first->blocks);
    const uint64_t rss = MPRT_LOAD(first->rss);
    const uint64_t mapped =
        mprof_max_u64(MPRT_LOAD(a->mapped), MPRT_LOAD(b->mapped));

    MPRT_STORE(to->samples, samples);
    MPRT_STORE(to->bytes, bytes);
    MPRT_STORE(to->most, most);
    MPRT_STORE(to->blocks, blocks);
    MPRT_STORE(to->rss, rss);
    MPRT_STORE(to->mapped, mapped);
}

static void halve(struct mprt_series *s)
{
    static const struct mprt_series_slot none;

    atomic_fetch_add(&s->halvings, 1);
    for (uint32_t i = 0; i < MPRT_SERIES_SLOTS / 2; i++)
        join(&s->slots[i], &s->slots[2 * i], &s->slots[2 * i + 1]);
    for (uint32_t i = MPRT_SERIES_SLOTS / 2; i < MPRT_SERIES_SLOTS; i++)
        join(&s->slots[i], &none, &none);
    MPRT_STORE(s->shift, shift_of(s) + 1);
    atomic_fetch_add(&s->halvings, 1);
}

/* The slot of a time. Joins slots until the time fits. */
static struct mprt_series_slot *slot_at(struct mprt_series *s, uint64_t now_ns)
{
    const uint64_t ns = mprof_sub_sat_u64(now_ns, s->start_ns);

    while (ns >> shift_of(s) >= MPRT_SERIES_SLOTS)
        halve(s);
    return &s->slots[ns >> shift_of(s)];
}

static uint64_t live_blocks(void)
{
    int64_t blocks = -MPRT_LOAD(unrecorded_blocks);

    blocks += (int64_t)(MPRT_LOAD(mprt_thread_orphan_counts.allocated_blocks) -
                        MPRT_LOAD(mprt_thread_orphan_counts.freed_blocks));
    MPRT_EACH_THREAD(t)
        blocks += (int64_t)(MPRT_LOAD(t->counts.allocated_blocks) -
                            MPRT_LOAD(t->counts.freed_blocks));
    return blocks > 0 ? (uint64_t)blocks : 0;
}

/* Resident memory: the second number of /proc/self/statm, in pages. 0 if it
 * cannot be read. */
static uint64_t resident_bytes(void)
{
    char text[128];
    const int fd = mprt_os_open_read("/proc/self/statm");
    uint64_t pages = 0;

    if (fd < 0)
        return 0;
    const int64_t n = mprt_os_read(fd, text, sizeof(text));
    mprt_os_close(fd);
    int64_t at = 0;
    while (at < n && text[at] != ' ')
        at++;
    for (at++; at < n && text[at] >= '0' && text[at] <= '9'; at++)
        pages = 10 * pages + (uint64_t)(text[at] - '0');
    return pages * mprt_os_page_bytes();
}

static void add(struct mprt_series *s, uint64_t bytes, uint64_t ending,
                uint64_t now_ns)
{
    struct mprt_series_slot *const slot = slot_at(s, now_ns);

    if (MPRT_LOAD(slot->samples) == 0) {
        MPRT_STORE(slot->blocks, live_blocks());
        MPRT_STORE(slot->rss, resident_bytes());
        if (mprt_series_note_resident != NULL)
            mprt_series_note_resident(MPRT_LOAD(slot->rss), bytes + ending);
    }
    raise(&slot->most, bytes);
    raise(&slot->mapped, MPRT_LOAD(mapped_bytes));
    MPRT_STORE(slot->bytes, bytes);
    MPRT_STORE(slot->samples, MPRT_LOAD(slot->samples) + 1);
}

void mprt_series_sample(uint64_t bytes, uint64_t ending, uint64_t now_ns)
{
    if (atomic_flag_test_and_set_explicit(&is_busy, memory_order_acquire))
        return;
    add(&the_series, bytes, ending, now_ns);
    atomic_flag_clear_explicit(&is_busy, memory_order_release);
}

void mprt_series_set_mapped(uint64_t bytes)
{
    MPRT_STORE(mapped_bytes, bytes);
}

void mprt_series_count_unrecorded(int64_t blocks)
{
    MPRT_ADD(unrecorded_blocks, blocks);
}

/* If a thread was killed while it joined slots, copies them as they are. */
void mprt_series_copy(struct mprt_series *copy, struct mprt_series_peak peak)
{
    for (int i = 0; i < COPIES; i++) {
        const uint32_t before = atomic_load(&the_series.halvings);

        mprt_libc_memcpy(copy, &the_series, sizeof(*copy));
        atomic_thread_fence(memory_order_acquire);
        if ((before & 1) == 0 && before == atomic_load(&the_series.halvings))
            break;
    }
    if (peak.bytes == 0)
        return;
    struct mprt_series_slot *const slot =
        slot_at(copy, mprof_max_u64(peak.ns, copy->start_ns));
    if (MPRT_LOAD(slot->samples) == 0) {
        MPRT_STORE(slot->samples, 1);
        MPRT_STORE(slot->bytes, peak.bytes);
    }
    raise(&slot->most, peak.bytes);
}

/* -- phases and marks of the program --------------------------------------- */

static struct mprt_lock lock;
static struct mprt_series_mark marks[MPRT_SERIES_MARKS];
static _Atomic uint32_t mark_count;
static _Atomic uint64_t marks_dropped;
/* name 0 means none */
static char names[MPRT_SERIES_NAMES][MPRT_SERIES_NAME_BYTES];
static uint32_t name_count;

/* Length of the name, cut at a whole UTF-8 character. */
static size_t cut(const char *name)
{
    size_t n = 0;

    while (name[n] != '\0' && n < MPRT_SERIES_NAME_BYTES - 1)
        n++;
    while (n > 0 && name[n] != '\0' && ((uint8_t)name[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* Number of the name, or MPRT_SERIES_NAMES if there is no room. */
static uint32_t number_of(const char *name)
{
    const size_t n = cut(name);

    for (uint32_t i = 1; i <= name_count; i++) {
        if (mprt_libc_memcmp(names[i], name, n) == 0 && names[i][n] == '\0')
            return i;
    }
    if (name_count + 1 == MPRT_SERIES_NAMES)
        return MPRT_SERIES_NAMES;
    mprt_libc_memcpy(names[name_count + 1], name, n);
    return ++name_count;
}

void mprt_series_mark(uint32_t kind, const char *name, uint64_t bytes,
                      uint64_t now_ns)
{
    mprt_lock_acquire(&lock);
    const uint32_t count = MPRT_LOAD(mark_count);
    const uint32_t number = name != NULL ? number_of(name) : 0;
    if (count < MPRT_SERIES_MARKS && number < MPRT_SERIES_NAMES) {
        marks[count] = (struct mprt_series_mark){
            .ns = now_ns, .bytes = bytes, .kind = kind, .name = number};
        /* Pairs with the load in mprt_series_marks(). */
        MPRT_STORE_RELEASE(mark_count, count + 1);
    } else {
        atomic_fetch_add(&marks_dropped, 1);
    }
    mprt_lock_release(&lock);
}

const struct mprt_series_mark *mprt_series_marks(uint32_t *count,
                                                 uint64_t *dropped)
{
    *count = MPRT_LOAD_ACQUIRE(mark_count);
    *dropped = atomic_load(&marks_dropped);
    return marks;
}

const char *mprt_series_name(uint32_t number)
{
    return names[number];
}

/* -- fork ------------------------------------------------------------------ */

static void keep_phase(void)
{
    struct mprt_series_mark last = {.kind = 0};

    for (uint32_t i = 0; i < MPRT_LOAD(mark_count); i++) {
        if (marks[i].kind == MPROF_RAW_MARK_PHASE)
            last = marks[i];
    }
    MPRT_STORE(mark_count, 0);
    MPRT_STORE(marks_dropped, 0);
    if (last.name != 0) {
        last.ns = the_series.start_ns;
        last.bytes = 0;
        marks[0] = last;
        MPRT_STORE(mark_count, 1);
    }
}

void mprt_series_in_child(void)
{
    atomic_flag_clear(&is_busy);
    mprt_lock_reset(&lock);
    mprt_libc_memset(&the_series, 0, sizeof(the_series));
    the_series.start_ns = mprt_clock_now_ns();
    MPRT_STORE(unrecorded_blocks, 0);
    MPRT_STORE(unrecorded_blocks, (int64_t)live_blocks());
    keep_phase();
}
