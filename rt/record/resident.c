/* resident.c -- what the resident memory of the program consists of.
 *
 * The first line of a mapping in /proc/self/smaps says what it is, the line
 * "Rss:" what is resident, and "VmFlags:" ends it. The kernel joins
 * neighbouring mappings into one; then mincore() says which pages of those that
 * the program mapped are resident. Memory that the runtime reserves is mapped
 * as stacks are (memory.c), which shows; its other mappings are taken from what
 * is left over.
 *
 * The peak: a sample of the series reads again if resident memory has grown by
 * 1/16 since the highest reading, and if the readings take at most 1 % of the
 * time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/resident.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"
#include "rt/heap/heap.h"
#include "rt/record/mapping.h"
#include "rt/record/series.h"

#define LINE_BYTES 512
#define GROWTH 16
#define TIME_SHARE 100
/* The thread that samples waits for its reading: none follows one that took
 * longer. */
#define LONGEST_NS UINT64_C(20000000)
/* How long a dump waits for another reading, and a reading for the mappings. */
#define PATIENCE_NS UINT64_C(200000000)

struct mprt_lock mprt_resident_lock; /* protects everything below */
static struct {
    int fd;
    int64_t used;
    int64_t at;
    char buffer[4096];
    char line[LINE_BYTES];
    unsigned char pages[4096];
    /* The mapping at hand. */
    uintptr_t start;
    uintptr_t end;
    uint64_t rss; /* what is not attributed yet */
    enum mprof_resident_kind kind;
    uintptr_t file_end; /* of the last mapping of a file */
    bool has_mappings;  /* their table can be read */
    struct mprt_resident sums;
} r;
static struct mprt_residents results;
static struct mprt_residents written; /* results, at the last dump */
static uint64_t peak_rss;
static uint64_t next_ns; /* no reading of the peak before */

/* -- text ------------------------------------------------------------------ */

/* Reads a line, cut at LINE_BYTES. False at the end. */
static bool read_line(void)
{
    size_t length = 0;

    for (;;) {
        if (r.at == r.used) {
            r.used = mprt_os_read(r.fd, r.buffer, sizeof(r.buffer));
            r.at = 0;
            if (r.used <= 0)
                return false;
        }
        const char c = r.buffer[r.at++];
        if (c == '\n')
            break;
        if (length < LINE_BYTES - 1)
            r.line[length++] = c;
    }
    r.line[length] = '\0';
    return true;
}

static bool open_file(const char *path)
{
    r.used = r.at = 0;
    r.fd = mprt_os_open_read(path);
    return r.fd >= 0;
}

/* What follows if the text begins so; otherwise NULL. */
static const char *after(const char *text, const char *start)
{
    while (*start != '\0' && *text == *start) {
        text++;
        start++;
    }
    return *start == '\0' ? text : NULL;
}

static const char *skip_word(const char *text)
{
    while (*text != ' ' && *text != '\0')
        text++;
    while (*text == ' ')
        text++;
    return text;
}

static uint64_t read_hex(const char **text)
{
    uint64_t number = 0;

    for (;; (*text)++) {
        const char c = **text;

        if (c >= '0' && c <= '9')
            number = number << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number << 4 | (uint64_t)(c - 'a' + 10);
        else
            return number;
    }
}

/* Bytes of "   12 kB". */
static uint64_t read_kib(const char *text)
{
    uint64_t kib = 0;

    for (; *text == ' ' || *text == '\t' || (*text >= '0' && *text <= '9');
         text++) {
        if (*text >= '0')
            kib = 10 * kib + (uint64_t)(*text - '0');
    }
    return kib << 10;
}

/* -- mappings -------------------------------------------------------------- */

static bool has_stack(void)
{
    MPRT_EACH_THREAD(t) {
        if (t->stack_low >= r.start && t->stack_low < r.end)
            return true;
    }
    return false;
}

/* Of "START-END PERMISSIONS OFFSET DEVICE INODE NAME". Memory behind a file's
 * last page is that of variables which are zero at first. */
static void begin_mapping(void)
{
    const char *text = r.line;

    r.start = read_hex(&text);
    text++;
    r.end = read_hex(&text);
    const char *const permissions = text + 1;
    const char *const inode = skip_word(skip_word(skip_word(permissions)));
    const char *const name = skip_word(inode);
    const bool is_file = *inode != '0';

    if (permissions[0] != '\0' && permissions[3] == 's') {
        r.kind = MPROF_RESIDENT_SHARED;
    } else if (is_file || (r.start == r.file_end && *name == '\0')) {
        r.kind = MPROF_RESIDENT_CODE;
        r.file_end = is_file ? r.end : 0;
    } else if (after(name, "[heap]") != NULL ||
               mprt_heap_contains((const void *)r.start)) {
        r.kind = MPROF_RESIDENT_HELD;
    } else if (after(name, "[stack]") != NULL || has_stack()) {
        r.kind = MPROF_RESIDENT_STACKS;
    } else {
        r.kind = *name == '[' ? MPROF_RESIDENT_CODE : MPROF_RESIDENT_OTHER;
    }
}

static uint64_t resident_bytes(uintptr_t from, uintptr_t to)
{
    const size_t page = mprt_os_page_bytes();
    uint64_t pages = 0;

    from = mprof_round_down(from, page);
    while (from < to) {
        const size_t count = mprof_min_u64(
            mprof_round_up(to - from, page) / page, sizeof(r.pages));

        if (!mprt_os_are_resident(from, count * page, r.pages))
            break;
        for (size_t i = 0; i < count; i++)
            pages += r.pages[i] & 1;
        from += count * page;
    }
    return pages * page;
}

static void attribute(enum mprof_resident_kind kind, uint64_t bytes)
{
    bytes = mprof_min_u64(bytes, r.rss);
    r.sums.bytes[kind] += bytes;
    r.rss -= bytes;
}

static void add_part(uintptr_t from, uintptr_t to, enum mprt_mapping_kind kind)
{
    if (r.rss == 0)
        return;
    attribute(kind == MPRT_MAPPING_STACKS ? MPROF_RESIDENT_STACKS
                                          : MPROF_RESIDENT_MAPPED,
              from == r.start && to == r.end ? r.rss
                                             : resident_bytes(from, to));
}

/* is_runtime: mapped as a stack. */
static void end_mapping(bool is_runtime)
{
    if (r.rss != 0 && r.kind != MPROF_RESIDENT_SHARED && r.has_mappings)
        r.has_mappings =
            mprt_mapping_visit(r.start, r.end, PATIENCE_NS, add_part);
    attribute(is_runtime && r.kind == MPROF_RESIDENT_OTHER
                  ? MPROF_RESIDENT_PROFILER
                  : r.kind,
              r.rss);
}

/* -- readings -------------------------------------------------------------- */

static bool has_flag(const char *flags, const char *flag)
{
    for (; *flags != '\0'; flags = skip_word(flags)) {
        if (after(flags, flag) != NULL)
            return true;
    }
    return false;
}

static bool read_smaps(uint64_t live_bytes)
{
    uint64_t *const sums = r.sums.bytes;
    const char *rest;

    mprt_libc_memset(&r.sums, 0, sizeof(r.sums));
    r.file_end = 0;
    r.has_mappings = true;
    if (!open_file("/proc/self/smaps"))
        return false;
    while (read_line()) {
        if ((rest = after(r.line, "Rss:")) != NULL)
            r.rss = read_kib(rest);
        else if ((rest = after(r.line, "VmFlags: ")) != NULL)
            end_mapping(has_flag(rest, "gd"));
        else if (r.line[0] < 'A' || r.line[0] > 'Z')
            begin_mapping();
    }
    mprt_os_close(r.fd);
    /* Pages of live blocks that were never touched are not resident. */
    sums[MPROF_RESIDENT_BLOCKS] =
        mprof_min_u64(live_bytes, sums[MPROF_RESIDENT_HELD]);
    sums[MPROF_RESIDENT_HELD] -= sums[MPROF_RESIDENT_BLOCKS];
    const uint64_t own =
        mprof_min_u64(mprt_memory_mapped_bytes(), sums[MPROF_RESIDENT_OTHER]);
    sums[MPROF_RESIDENT_OTHER] -= own;
    sums[MPROF_RESIDENT_PROFILER] += own;
    return true;
}

static uint64_t sum_of(const struct mprt_resident *resident)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < MPROF_RESIDENT_COUNT; i++)
        sum += resident->bytes[i];
    return sum;
}

static void keep_if_highest(void)
{
    if (sum_of(&r.sums) <= sum_of(&results.peak))
        return;
    results.peak = r.sums;
    peak_rss = mprof_max_u64(peak_rss, sum_of(&r.sums));
}

static void read_peak(uint64_t rss, uint64_t live_bytes, uint64_t now_ns)
{
    if (read_smaps(live_bytes))
        keep_if_highest();
    const uint64_t end_ns = mprt_os_monotonic_ns();
    /* What was read may be less, when memory was given back meanwhile. */
    peak_rss = mprof_max_u64(peak_rss, rss);
    next_ns = end_ns - now_ns > LONGEST_NS
                  ? UINT64_MAX
                  : end_ns + (end_ns - now_ns) * TIME_SHARE;
}

static void read_if_higher(uint64_t rss, uint64_t live_bytes)
{
    const uint64_t now_ns = mprt_os_monotonic_ns();
    const uint64_t signals = mprt_os_block_other_signals();

    if (mprt_lock_try(&mprt_resident_lock, 0)) {
        if (rss > peak_rss + peak_rss / GROWTH && now_ns >= next_ns)
            read_peak(rss, live_bytes, now_ns);
        mprt_lock_release(&mprt_resident_lock);
    }
    mprt_os_restore_signals(signals);
}

/* The kernel adds up some pages of each thread late. */
static void read_highest(void)
{
    const char *rest;

    if (!open_file("/proc/self/status"))
        return;
    while (read_line()) {
        if ((rest = after(r.line, "VmHWM:")) != NULL)
            results.highest =
                mprof_max_u64(read_kib(rest), sum_of(&results.peak));
    }
    mprt_os_close(r.fd);
}

void mprt_resident_read_end(uint64_t live_bytes)
{
    const uint64_t signals = mprt_os_block_other_signals();

    mprt_libc_memset(&written.end, 0, sizeof(written.end));
    if (mprt_lock_try(&mprt_resident_lock, PATIENCE_NS)) {
        mprt_libc_memset(&results.end, 0, sizeof(results.end));
        if (read_smaps(live_bytes)) {
            results.end = r.sums;
            keep_if_highest();
        }
        read_highest();
        written = results;
        mprt_lock_release(&mprt_resident_lock);
    }
    mprt_os_restore_signals(signals);
}

const struct mprt_residents *mprt_resident_all(void)
{
    return &written;
}

void mprt_resident_init(void)
{
    mprt_series_note_resident = read_if_higher;
}

void mprt_resident_in_child(void)
{
    mprt_libc_memset(&results, 0, sizeof(results));
    mprt_libc_memset(&written, 0, sizeof(written));
    peak_rss = next_ns = 0;
}
