/* rawwrite_test.c -- writes a hand-made snapshot as raw profiles and reads them
 * back; the bytes of our format must equal the golden file.
 * MPROF_UPDATE_GOLDEN=1 writes that file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/overhead.h"
#include "rt/base/procfs.h"
#include "rt/base/state.h"
#include "rt/dump/dump.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/record/sample.h"
#include "rt/record/series.h"
#include "rt/stack/depot.h"
#include "rt/stack/call_values.h"
#include "rt/stack/jump.h"
#include "rt/stack/module_history.h"
#include "rt/stack/names.h"
#include "rt/stack/vm.h"
#include "rt/record/resident.h"
#include "shared/raw_format.h"
#include "shared/raw_llvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

/* -- The core of the runtime, as far as the writers ask for it ------------- */

struct mprt_options mprt_options;
enum mprt_shadow_mode mprt_shadow_mode = MPRT_SHADOW_HISTOGRAM;
bool mprt_shadow_has_fields;

/* The stacks of the contexts below, leaf first: 4 is empty, 5 was cut, 6 has
 * code of no binary. */
static const uintptr_t stacks[][4] = {
    {0x401010, 0x401100, 0x401200},           {0x401020, 0x401100, 0x401200},
    {0x7f0000001010, 0x401100, 0x401200},     {0},
    {0x401010, 0x401010, 0x401010, 0x401010}, {0x123}};
static const size_t depths[] = {3, 3, 3, 0, 4, 1};

/* A hand-made depot. */
static struct {
    uintptr_t pc;
    uint32_t parent;
} nodes[32];
static uint32_t node_count = MPRT_DEPOT_ROOT_CUT;
static uint32_t leaves[7];

uint32_t mprt_depot_child(uint32_t parent, uintptr_t pc)
{
    for (uint32_t i = MPRT_DEPOT_ROOT_CUT + 1; i <= node_count; i++) {
        if (nodes[i].parent == parent && nodes[i].pc == pc)
            return i;
    }
    return 0;
}

static void make_depot(void)
{
    node_count = MPRT_DEPOT_ROOT_CUT;
    for (uint32_t id = 1; id <= 6; id++) {
        uint32_t node = id == 5 ? MPRT_DEPOT_ROOT_CUT : MPRT_DEPOT_ROOT;
        for (size_t k = depths[id - 1]; k > 0; k--) {
            const uintptr_t pc = stacks[id - 1][k - 1];
            const uint32_t child = mprt_depot_child(node, pc);
            if (child == 0) {
                nodes[++node_count].pc = pc;
                nodes[node_count].parent = node;
            }
            node = child != 0 ? child : node_count;
        }
        leaves[id] = node;
    }
}

uint32_t mprt_depot_leaf(uint32_t id)
{
    return leaves[id];
}

bool mprt_depot_is_cut(uint32_t id)
{
    return id == 5;
}

static uint32_t threads[7];
static const char *const thread_names[] = {"", "main", "io", "main"};

uint32_t mprt_depot_name(uint32_t id)
{
    return threads[id];
}

const char *mprt_names_text(uint32_t number)
{
    return number < MPRT_THREADNAMES ? thread_names[number] : "hit";
}

enum mprof_tag_kind mprt_names_kind(uint32_t number)
{
    return number < MPRT_THREADNAMES ? MPROF_TAG_THREAD : MPROF_TAG_EVENT;
}

int mprt_libc_strcmp(const char *a, const char *b)
{
    return strcmp(a, b);
}

uintptr_t mprt_depot_node(uint32_t node, uint32_t *parent)
{
    *parent = nodes[node].parent;
    return nodes[node].pc;
}

uint32_t mprt_depot_node_count(void)
{
    return node_count;
}

void mprt_depot_get(uint32_t id, struct mprt_stack *stack)
{
    stack->count = depths[id - 1];
    stack->truncated = mprt_depot_is_cut(id);
    for (size_t i = 0; i < stack->count; i++)
        stack->pcs[i] = stacks[id - 1][i];
}

uint64_t mprt_sample_period = 524288;
uint32_t mprt_bursts_period = 32;

void mprt_block_stats(struct mprt_block_stats *stats)
{
    *stats = (struct mprt_block_stats){.dropped_blocks = 3, .foreign_frees = 4};
}

static struct mprt_call_values_checks context_checks;

struct mprt_call_values_checks mprt_call_values_checks(void)
{
    return context_checks;
}

_Atomic bool mprt_state_other_malloc;
static uint64_t handler_jumps;

uint64_t mprt_jump_count(void)
{
    return handler_jumps;
}

uint64_t mprt_clock_start_realtime_ns(void)
{
    return UINT64_C(1700000000000000000);
}

uint64_t mprt_clock_now_ns(void)
{
    return 5000000000;
}

uint64_t mprt_clock_resolution_ns(void)
{
    return 100000;
}

const char *mprt_clock_name(void)
{
    return "test";
}

uint64_t mprt_overhead_ns(uint64_t *calls)
{
    *calls = 12;
    return 3400000;
}

uint64_t mprt_stats_memory_bytes(void)
{
    return 4096;
}

uint64_t mprt_os_random(void)
{
    return 0x0123456789abcdef;
}

uint32_t mprt_identity_pid(void)
{
    return 4711;
}

struct mprt_vm_function mprt_vm_function_of(uintptr_t pc)
{
    (void)pc;
    return (struct mprt_vm_function){.name = "script", .file = "s.lua"};
}

void *mprt_memory_map(size_t bytes)
{
    return calloc(1, bytes);
}

void *mprt_memory_reserve(size_t bytes)
{
    void *const p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p != MAP_FAILED ? p : NULL;
}

void mprt_memory_unmap(void *addr, size_t bytes)
{
    (void)bytes;
    free(addr);
}

int mprt_os_write_all(int fd, const void *data, size_t n)
{
    (void)data;
    fail_msg("writes %zu bytes to %d", n, fd);
    return -1;
}

const char *mprt_options_given(void)
{
    return "malloc_context_size=4";
}

void mprt_procfs_read_setting(const char *path, char *out, size_t size)
{
    (void)path;
    snprintf(out, size, "golden");
}

_Atomic uintptr_t mprt_module_history_high;

bool mprt_modules_holds(const struct mprt_module *module, uintptr_t address)
{
    return address >= module->segments[0].start &&
           address < module->segments[0].end;
}

uint32_t mprt_modules_find(const struct mprt_module_list *modules, uintptr_t pc)
{
    uint32_t i = 0;

    while (i < modules->count && !mprt_modules_holds(&modules->modules[i], pc))
        i++;
    return i;
}

const char *mprt_textbuf_digits(char out[21], uint64_t value, unsigned base)
{
    (void)base;
    fail_msg("says something about %llu", (unsigned long long)value);
    return out;
}

void mprt_log_once(uint32_t *once, const char *part, ...)
{
    (void)once;
    (void)part;
}
void mprt_log(const char *part, ...)
{
    fail_msg("says %s", part);
}

void *mprt_libc_memcpy(void *to, const void *from, size_t n)
{
    return memcpy(to, from, n);
}

int mprt_libc_memcmp(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n);
}

void *mprt_libc_memset(void *to, int byte, size_t n)
{
    return memset(to, byte, n);
}

size_t mprt_libc_strlen(const char *s)
{
    return strlen(s);
}

/* -- The snapshot ---------------------------------------------------------- */

static const struct mprt_segment segments[] = {
    {.start = 0x401000, .end = 0x402000, .file_off = 0x1000},
    {.start = 0x7f0000001000, .end = 0x7f0000002000, .file_off = 0x1000}};

static const struct mprt_module module_array[] = {
    {.path = "/bin/app",
     .build_id = {0xab, 0xcd},
     .build_id_bytes = 2,
     .flags = MPROF_RAW_MODULE_FL_MAIN | MPROF_RAW_MODULE_FL_INSTRUMENTED,
     .segments = &segments[0],
     .segment_count = 1},
    {.path = "/lib/libx.so",
     .bias = 0x7f0000000000,
     .flags = MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED,
     .segments = &segments[1],
     .segment_count = 1}};

static const struct mprt_module_list modules = {.modules = module_array,
                                                .count = 2};

/* By context: the counts of its cells, and their offsets. 5 has none. */
#define CELLS 5
static const struct {
    uint64_t size;
    uint32_t cells[CELLS];
    uint32_t counts[CELLS];
} histograms[6] = {
    [1] = {5, {0, 1, 2}, {1, 5000, 3}},
    [3] = {3000, {5, 8, 15, 2000, 2999}, {1, 2, 3, 4, 5}},
    [5] = {2, {0}, {0}},
};
static struct mprt_cells_pool pool;

static void make_cells(struct mprt_mib_entry *entry, uint32_t i)
{
    struct mprt_cells_adder adder = {
        .pool = &pool, .cells = &entry->cells, .weight = 1};

    entry->cells = (struct mprt_cells){.root = 0};
    entry->mib.AccessHistogramSize = histograms[i].size;
    for (size_t k = 0; k < CELLS; k++)
        mprt_cells_add_block(&adder, histograms[i].cells[k],
                             &histograms[i].counts[k], 1);
    assert_false(adder.failed);
}

/* Of the second context: a block in another bucket than the common one, one
 * that realloc replaced at the first context, one that was freed at the last
 * context. */
static struct mprt_log2_counts_pool counts_pool;

const struct mprt_log2_counts_pool *
mprt_mibmap_counts(const struct mprt_mibmap_taken *taken, bool is_live)
{
    (void)taken;
    (void)is_live;
    return &counts_pool;
}

static void make_log2_counts(struct mprt_context *c)
{
    struct mprt_log2_counts *const own_counts = &c->entry->log2_counts;

    if (counts_pool.nodes == NULL)
        assert_true(mprt_log2_counts_pool_init(&counts_pool));
    memset(counts_pool.nodes, 0, 64 * sizeof(*counts_pool.nodes));
    counts_pool.used = 0;
    *own_counts = (struct mprt_log2_counts){.sizes = 0};
    c->common_buckets = mprt_log2_counts_of(5, 1);
    assert_true(mprt_log2_counts_add_many(&counts_pool, own_counts,
                                          c->common_buckets,
                                          mprt_log2_counts_of(200, 1), 1));
    assert_true(mprt_log2_counts_add_link(&counts_pool, own_counts,
                                          MPROF_DETAIL_REALLOC, 1, 50, 1));
    assert_true(mprt_log2_counts_add_link(&counts_pool, own_counts,
                                          MPROF_DETAIL_FREE, 6, 200, 1));
}

const struct mprt_residents *mprt_resident_all(void)
{
    static const struct mprt_residents residents = {
        .peak = {{1, 2, 3, 4, 5, 6, 7, 8}},
        .end = {{1, 1, 2, 3, 4, 5, 6, 7}},
        .highest = 50};

    return &residents;
}

/* The live bytes over time, and the program's marks. */
static const struct mprt_series_mark marks[] = {
    {.ns = 1000, .bytes = 5, .kind = MPROF_RAW_MARK_PHASE, .name = 1},
    {.ns = 2000, .bytes = 6, .kind = MPROF_RAW_MARK_MARK, .name = 2},
    {.ns = 3000, .bytes = 7, .kind = MPROF_RAW_MARK_PHASE}};

void mprt_series_copy(struct mprt_series *copy, struct mprt_series_peak peak)
{
    copy->shift = 22;
    copy->slots[0] = (struct mprt_series_slot){.samples = 2,
                                               .bytes = 10,
                                               .most = peak.bytes,
                                               .blocks = 3,
                                               .rss = 4096,
                                               .mapped = 8192};
    copy->slots[7] = (struct mprt_series_slot){
        .samples = 1, .bytes = 600, .most = 600, .blocks = 5};
}

const struct mprt_series_mark *mprt_series_marks(uint32_t *count,
                                                 uint64_t *dropped)
{
    *count = MPROF_ARRAY_LEN(marks);
    *dropped = 9;
    return marks;
}

const char *mprt_series_name(uint32_t number)
{
    return number == 1 ? "first" : "second";
}

static struct mprt_context contexts[7];
static struct mprt_context live[7];
static struct mprt_mib_entry entries[7];
static uint32_t context_ids[] = {1, 2, 3, 4, 5, 6};
static struct mprt_snapshot snapshot = {
    .rows = contexts,
    .live = live,
    .ids = context_ids,
    .count = 6,
    .taken = {.first = 1, .last = 6},
    .peak = {.bytes = 7000, .ns = 1234567, .number = 1},
    .bursts = 480};
#define NAME                                                       \
    {                                                              \
        .run_id = 0x1234, .epoch = 1, .number = 2, .is_last = true \
    }
static const struct mprt_dump dump = {
    .snapshot = &snapshot, .modules = &modules, .name = NAME};

static int set_up(void **state)
{
    (void)state;
    make_depot();
    memset(contexts, 0, sizeof(contexts));
    memset(live, 0, sizeof(live));
    memset(threads, 0, sizeof(threads));
    mprt_options.malloc_context_size = 4;
    mprt_options.compress = false;
    mprt_options.per_thread = false;
    for (uint32_t i = 0; i < 6; i++) {
        const struct mprof_block_life life = {.size = 100 * (i + 1),
                                              .access_count = 7 * i,
                                              .alloc_ns = 1000000,
                                              .dealloc_ns = 3000000 + i,
                                              .is_live = i == 2};

        struct mprt_context *const c =
            life.is_live ? &live[i + 1] : &contexts[i + 1];

        *c = (struct mprt_context){
            .common_buckets =
                mprt_log2_counts_of(life.size, life.dealloc_ns - life.alloc_ns),
            .entry = &entries[i + 1]};
        mprof_mib_from_block(&entries[i + 1].mib, &life);
        if (i % 2 == 0) {
            entries[i + 1].mib.MeasuredCount = 1;
            entries[i + 1].mib.MaxLiveCount = 1;
            entries[i + 1].mib.MaxLiveBytes = life.size;
        }
    }
    entries[2].mib.LeakCheckedCount = entries[2].mib.AllocCount;
    entries[2].mib.LeakedCount = 3;
    entries[2].mib.LeakedBytes = 77;
    entries[2].mib.SampledCount = 1;
    entries[2].mib.AllocCountVariance = 6;
    entries[2].mib.TotalSizeVariance = 240000;
    make_log2_counts(&contexts[2]);
    mprof_mib_add_rw(&entries[2].mib,
                     &(struct mprof_block_rw){.reads = 5,
                                              .writes = 2,
                                              .read_bytes = 40,
                                              .write_bytes = 9,
                                              .is_measured = true,
                                              .has_bytes = true},
                     1);
    pool.used = 0;
    if (pool.nodes == NULL)
        assert_true(mprt_cells_pool_init(&pool));
    memset(pool.nodes, 0, 64 * sizeof(*pool.nodes));
    for (uint32_t i = 1; i < 6; i += 2)
        make_cells(&entries[i + 1], i);
    /* Larger than LLVM's 32-bit fields. */
    entries[6].mib.MaxSize = UINT64_C(1) << 33;
    return 0;
}

static struct mpdata_raw read_back(const struct mprof_buf *buf)
{
    struct mpdata_raw_file file = {0};
    struct mprof_diag diag = {0};

    enum mprof_err err;

    assert_false(buf->failed);
    err = mpdata_raw_file_read(buf->data, buf->size, true, &file, &diag);
    if (err != MPROF_E_OK)
        fail_msg("%s: %s", diag.section, mprof_err_text(diag.err));
    assert_int_equal(file.count, 1);
    return file.dumps[0];
}

static void assert_cells_equal(const struct mpdata_raw *raw, uint32_t row,
                               uint32_t i)
{
    struct mpdata_cells cells = mpdata_raw_cells(raw, row);
    struct mpdata_cells_run run;
    size_t k = 0;

    assert_int_equal(mpdata_raw_mib(raw, row).AccessHistogramSize,
                     histograms[i].size);
    assert_int_equal(cells.words != NULL, histograms[i].size != 0);
    while (mpdata_cells_next_run(&cells, &run)) {
        for (uint64_t c = 0; c < run.count; c++) {
            if (run.counts[c] == 0)
                continue;
            assert_int_equal(run.first + c, histograms[i].cells[k]);
            assert_int_equal(run.counts[c], histograms[i].counts[k]);
            k++;
        }
    }
    assert_true(k == CELLS || histograms[i].counts[k] == 0);
}

static void assert_details_equal(const struct mpdata_raw *raw)
{
    static const struct mpdata_detail want[] = {
        {.kind = MPROF_DETAIL_SIZE, .key = 7, .count = 1},
        {.kind = MPROF_DETAIL_FREE, .count = 1, .bytes = 200},
        {.kind = MPROF_DETAIL_REALLOC, .count = 1, .bytes = 50}};
    const uint32_t owners[] = {1, 6, 1};

    assert_int_equal(raw->detail_count, MPROF_ARRAY_LEN(want));
    for (uint32_t row = 0; row < raw->context_count; row++) {
        const struct mpdata_raw_context *const c = &raw->contexts[row];

        if (mpdata_raw_mib(raw, row).TotalSize != 200) {
            assert_int_equal(c->detail_count, 0);
            continue;
        }
        assert_int_equal(c->detail_count, raw->detail_count);
        for (uint32_t i = 0; i < c->detail_count; i++) {
            const struct mpdata_detail *const d =
                &raw->details[c->details_first + i];

            assert_int_equal(d->kind, want[i].kind);
            assert_int_equal(d->count, want[i].count);
            assert_int_equal(d->bytes, want[i].bytes);
            if (i == 0)
                assert_int_equal(d->key, want[i].key);
            for (uint32_t k = 0; i != 0 && k < raw->context_count; k++) {
                if (mpdata_raw_mib(raw, k).TotalSize == 100 * owners[i])
                    assert_int_equal(d->key, raw->contexts[k].node);
            }
        }
    }
}

static void assert_series_equal(const struct mpdata_raw *raw)
{
    const struct mpdata_series *const s = &raw->series;

    assert_int_equal(s->run_id, 0x1234);
    assert_int_equal(s->step_ns, 1 << 22);
    assert_int_equal(s->dropped_marks, 9);
    assert_int_equal(s->sample_count, 2);
    assert_int_equal(s->samples[0].most, 7000);
    assert_int_equal(s->samples[0].rss, 4096);
    assert_int_equal(s->samples[1].ns, 7 << 22);
    assert_int_equal(s->samples[1].bytes, 600);
    assert_int_equal(s->samples[1].blocks, 5);
    assert_int_equal(s->mark_count, MPROF_ARRAY_LEN(marks));
    for (uint32_t i = 0; i < s->mark_count; i++) {
        assert_int_equal(s->marks[i].ns, marks[i].ns);
        assert_int_equal(s->marks[i].kind, marks[i].kind);
        assert_int_equal(s->marks[i].bytes, marks[i].bytes);
        assert_string_equal(raw->string_table[s->marks[i].name].bytes,
                            i == 0   ? "first"
                            : i == 1 ? "second"
                                     : "");
    }
}

static void assert_contexts_equal(const struct mpdata_raw *raw, bool llvm)
{
    for (uint32_t row = 0; row < raw->context_count; row++) {
        const struct mpdata_raw_context *const c = &raw->contexts[row];
        const struct mprof_mib mib = mpdata_raw_mib(raw, row);
        const uint32_t i = (uint32_t)(mib.TotalSize / 100 - 1);
        mpdata_ref node = c->node;

        assert_true(i < 6);
        for (size_t k = 0; k < depths[i]; k++) {
            const struct mpdata_raw_frame *frame;
            uint64_t pc;

            assert_int_not_equal(node, 0);
            frame = &raw->frames[raw->nodes[node - 1].frame];
            pc = frame->address +
                 (frame->module ? raw->modules[frame->module - 1].bias : 0);
            assert_int_equal(pc, stacks[i][k]);
            node = raw->nodes[node - 1].parent;
        }
        assert_int_equal(node, 0);
        assert_int_equal(mib.TotalAccessCount, 7 * i);
        assert_int_equal(mib.LiveCount, !llvm && i == 2);
        if (raw->version >= 2 && !llvm)
            assert_int_equal(c->flags & MPROF_RAW_CONTEXT_FL_LIVE,
                             i == 2 ? MPROF_RAW_CONTEXT_FL_LIVE : 0);
        if (i == 1 || raw->version >= 3)
            assert_cells_equal(raw, row, i);
        if (i == 5)
            assert_int_equal(mib.MaxSize,
                             llvm ? UINT32_MAX : UINT64_C(1) << 33);
    }
}

/* One call stack has reads and writes; or none has, and they are unknown. */
static void assert_rw_equal(const struct mpdata_raw *raw, bool has_rw)
{
    for (uint32_t row = 0; row < raw->context_count; row++) {
        const struct mprof_mib mib = mpdata_raw_mib(raw, row);
        const bool has = has_rw && mib.TotalSize == 200;

        assert_int_equal(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_TotalReads),
                         has);
        assert_int_equal(mib.TotalReads, has ? 5 : 0);
        assert_int_equal(mib.TotalWrites, has ? 2 : 0);
        assert_int_equal(mib.TotalReadBytes, has ? 40 : 0);
        assert_int_equal(mib.TotalWriteBytes, has ? 9 : 0);
        assert_int_equal(mib.MeasuredRwBytes, has);
    }
}

static void assert_leaks_equal(const struct mpdata_raw *raw, bool has_leaks)
{
    for (uint32_t row = 0; row < raw->context_count; row++) {
        const struct mprof_mib mib = mpdata_raw_mib(raw, row);
        const bool has = has_leaks && mib.TotalSize == 200;

        assert_int_equal(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_LeakedBytes),
                         has);
        assert_int_equal(mib.LeakedCount, has ? 3 : 0);
        assert_int_equal(mib.LeakedBytes, has ? 77 : 0);
    }
}

static void test_ours_is_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    raw = read_back(&buf);
    assert_int_equal(raw.context_count, 6);
    assert_contexts_equal(&raw, false);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_PID], 4711);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_RUN_ID], 0x1234);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_EPOCH], 1);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_DUMP], 2);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_IS_LAST], 1);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_TRUNCATED_STACKS], 1);
    assert_int_equal(raw.module_count, 2);
    assert_int_equal(raw.modules[0].build_id.size, 2);
    for (uint32_t i = 0; i < raw.module_count; i++)
        assert_int_equal(raw.modules[i].flags, module_array[i].flags);
    assert_rw_equal(&raw, true);
    assert_leaks_equal(&raw, true);
    /* Shared prefixes are stored once: main, its caller and three leaves; a
     * recursion of four; one alone. */
    assert_int_equal(raw.node_count, 5 + 4 + 1);
    mprt_mapbuf_free(&buf);
}

/* Old files, and those of programs that do not jump, have no such number. */
static void test_jumps_are_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    handler_jumps = 12;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    handler_jumps = 0;
    raw = read_back(&buf);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_HANDLER_JUMPS], 12);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_FOREIGN_FREES], 4);
    mprt_mapbuf_free(&buf);
}

static void test_context_checks_are_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    context_checks = (struct mprt_call_values_checks){500, 3};
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    context_checks = (struct mprt_call_values_checks){0, 0};
    raw = read_back(&buf);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_CONTEXT_CHECKS], 500);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_CONTEXT_DIFFERENCES], 3);
    mprt_mapbuf_free(&buf);
}

static void test_known_leaks_are_read_back(void **state)
{
    struct mprt_dump again = dump;
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    again.known_leaks = "leak:one\nleak:two";
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &again);
    raw = read_back(&buf);
    assert_string_equal(raw.texts[MPROF_RAW_META_IS_KNOWN_LEAKS].bytes,
                        again.known_leaks);
    mprt_mapbuf_free(&buf);
    again.known_leaks = "";
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &again);
    raw = read_back(&buf);
    assert_int_equal(raw.texts[MPROF_RAW_META_IS_KNOWN_LEAKS].size, 0);
    mprt_mapbuf_free(&buf);
}

static void test_other_malloc_is_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    mprt_state_other_malloc = true;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    mprt_state_other_malloc = false;
    raw = read_back(&buf);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_OTHER_MALLOC], 1);
    mprt_mapbuf_free(&buf);
}

static void test_exec_is_read_back(void **state)
{
    struct mprt_dump before_exec = dump;
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    before_exec.name.is_before_exec = true;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &before_exec);
    raw = read_back(&buf);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_BEFORE_EXEC], 1);
    mprt_mapbuf_free(&buf);
}

static void test_compressed_is_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    mprt_options.compress = true;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    raw = read_back(&buf);
    assert_int_equal(raw.context_count, 6);
    assert_contexts_equal(&raw, false);
    mprt_mapbuf_free(&buf);
}

static void check_golden(const char *name);

static void check_again(const struct mprt_dump *again, uint32_t module_count,
                        uint32_t frame_module, uint64_t bytes)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, again);
    raw = read_back(&buf);
    assert_int_equal(raw.module_count, module_count);
    for (uint32_t i = 0; i < raw.frame_count; i++) {
        if (raw.frames[i].address == stacks[2][0] - module_array[1].bias)
            assert_int_equal(raw.frames[i].module, frame_module);
    }
    assert_contexts_equal(&raw, false);
    for (uint32_t row = 0; row < raw.context_count; row++)
        bytes -= mpdata_raw_mib(&raw, row).TotalSize;
    assert_int_equal(bytes, 0);
    mprt_mapbuf_free(&buf);
}

/* With continuous=1 stacks are kept, and rebuilt if others were written
 * meanwhile. */
static void test_kept_stacks_are_those_of_the_dump(void **state)
{
    struct mprt_module moved[3] = {module_array[0], module_array[0],
                                   module_array[1]};
    const struct mprt_module_list more = {.modules = moved, .count = 3};
    const struct mprt_snapshot five = {.rows = contexts,
                                       .live = live,
                                       .ids = &context_ids[1],
                                       .count = 5,
                                       .taken = {.first = 1, .last = 6}};
    const struct mprt_dump with_more = {
        .snapshot = &snapshot, .modules = &more, .name = NAME};
    const struct mprt_dump of_five = {
        .snapshot = &five, .modules = &modules, .name = NAME};
    const struct mprt_snapshot others = {.rows = contexts,
                                         .live = live,
                                         .ids = context_ids,
                                         .count = 5,
                                         .taken = {.first = 1, .last = 6}};
    const struct mprt_dump of_others = {
        .snapshot = &others, .modules = &modules, .name = NAME};
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    mprt_options.continuous = true;
    for (int i = 0; i < 2; i++) {
        check_again(&dump, 2, 2, 2100);
        check_again(&dump, 2, 2, 2100);
        check_again(&with_more, 3, 3, 2100);
        check_again(&of_five, 2, 2, 2000);
        check_again(&of_others, 2, 2, 1500);
    }
    check_golden("six-contexts.raw");
    /* The MIBs are the current ones. */
    entries[6].mib.MaxSize = 123;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    raw = read_back(&buf);
    for (uint32_t row = 0; row < raw.context_count; row++) {
        if (mpdata_raw_mib(&raw, row).TotalSize == 600)
            assert_int_equal(mpdata_raw_mib(&raw, row).MaxSize, 123);
    }
    mprt_mapbuf_free(&buf);
    mprt_options.continuous = false;
    mprt_rawwrite(&buf, &of_five); /* frees what was kept */
    mprt_mapbuf_free(&buf);
}

static void test_nothing_is_read_back(void **state)
{
    const struct mprt_snapshot none = {
        .rows = contexts, .live = live, .ids = context_ids};
    const struct mprt_dump empty = {
        .snapshot = &none, .modules = &modules, .name = NAME};
    struct mprof_buf buf;

    (void)state;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &empty);
    assert_int_equal(read_back(&buf).context_count, 0);
    mprt_mapbuf_free(&buf);
    mprt_rawwrite_llvm(&buf, &empty);
    assert_int_equal(read_back(&buf).context_count, 0);
    mprt_mapbuf_free(&buf);
}

static void test_llvm_is_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    contexts[3] = live[3]; /* as in a snapshot for this format */
    mprt_mapbuf_init(&buf);
    mprt_rawwrite_llvm(&buf, &dump);
    assert_int_equal(buf.size % MPROF_RAW_LLVM_ALIGN, 0);
    raw = read_back(&buf);
    assert_int_equal(raw.version, 5);
    assert_int_equal(raw.context_count, 6);
    assert_contexts_equal(&raw, true);
    mprt_mapbuf_free(&buf);
}

/* Each form that was ever written, the newest first. Version 1 did not say
 * which dump of its run a file is, the first form of it not what profiling
 * took; version 2 had all cells of histograms, here of one only; version 3 did
 * not say what lived at the peak, nor reads and writes apart; version 4 had no
 * events, no details and nothing over time. Files up to "bursts" did not say
 * what was resident and mapped. */
static const struct {
    const char *name;
    uint32_t version;
    bool has_flags;
} folders[] = {{"raw-v5-threads", 5, true},   {"raw-v5-resident", 5, true},
               {"raw-v5-bursts", 5, true},    {"raw-v5-unseen", 5, true},
               {"raw-v5", 5, true},           {"raw-v4", 4, true},
               {"raw-v3", 3, true},           {"raw-v2", 2, false},
               {"raw-v1-own-time", 1, false}, {"raw-v1", 1, false}};

/* So many of them, from the first, say what was resident. */
#define RESIDENT_FORMS 2

static void golden_path(char *out, size_t size, const char *folder,
                        const char *name)
{
    const char *const root = getenv("MEMPROF_TEST_ROOT");

    snprintf(out, size, "%s/test/golden/%s/%s", root != NULL ? root : ".",
             folder, name);
}

static size_t golden_read(const char *folder, const char *name, uint8_t *bytes,
                          size_t room)
{
    char path[4096];
    FILE *file;
    size_t n;

    golden_path(path, sizeof(path), folder, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    n = fread(bytes, 1, room, file);
    fclose(file);
    return n;
}

static void test_old_files_are_read(void **state)
{
    static uint8_t golden[65536];

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(folders); i++) {
        const size_t n = golden_read(folders[i].name, "six-contexts.raw",
                                     golden, sizeof(golden));
        const struct mprof_buf buf = {.data = golden, .size = n};
        struct mpdata_raw raw = read_back(&buf);

        assert_int_equal(raw.version, folders[i].version);
        assert_int_equal(raw.context_count, 6);
        assert_contexts_equal(&raw, false);
        assert_int_equal(
            raw.modules[1].flags,
            folders[i].has_flags ? MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED : 0);
        assert_int_equal(raw.numbers[MPROF_RAW_META_IS_PEAK_BYTES],
                         folders[i].version >= 4 ? 7000 : 0);
        assert_int_equal(raw.numbers[MPROF_RAW_META_IS_RSS_PEAK_OTHER],
                         i < RESIDENT_FORMS ? 8 : 0);
        assert_int_equal(raw.numbers[MPROF_RAW_META_IS_RSS_END_BLOCKS],
                         i < RESIDENT_FORMS ? 1 : 0);
        assert_rw_equal(&raw, folders[i].version >= 4);
        assert_leaks_equal(&raw, folders[i].version >= 5);
        if (folders[i].version >= 5) {
            assert_details_equal(&raw);
            assert_series_equal(&raw);
            assert_int_equal(raw.series.samples[0].mapped,
                             i < RESIDENT_FORMS ? 8192 : 0);
        } else {
            assert_int_equal(raw.detail_count, 0);
            assert_int_equal(raw.series.sample_count, 0);
        }
    }
}

static void check_golden_of(const char *folder, const char *name)
{
    char path[4096];
    uint8_t golden[65536];
    struct mprof_buf buf;
    FILE *file;
    size_t n;

    golden_path(path, sizeof(path), folder, name);
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    if (getenv("MPROF_UPDATE_GOLDEN") != NULL) {
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(buf.data, 1, buf.size, file), buf.size);
        fclose(file);
    }
    n = golden_read(folder, name, golden, sizeof(golden));
    assert_int_equal(n, buf.size);
    assert_memory_equal(golden, buf.data, n);
    mprt_mapbuf_free(&buf);
}

static void check_golden(const char *name)
{
    check_golden_of(folders[0].name, name);
}

static void test_bytes_are_those_of_the_golden_file(void **state)
{
    (void)state;
    check_golden("six-contexts.raw");
}

static void test_cells_of_4_bytes_have_a_version(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    mprt_shadow_has_fields = true;
    check_golden_of("raw-v7-fields", "six-contexts.raw");
    for (uint32_t i = 1; i <= 6; i++)
        entries[i].cells = (struct mprt_cells){.root = 0};
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    mprt_shadow_has_fields = false;
    raw = read_back(&buf);
    assert_int_equal(raw.version, MPROF_RAW_VERSION);
    assert_int_equal(raw.numbers[MPROF_RAW_META_IS_CELL_BYTES],
                     MPROF_CELL_BYTES);
    for (uint32_t row = 0; row < raw.context_count; row++)
        assert_true(mpdata_raw_mib(&raw, row).AccessHistogramSize <= 750);
    mprt_mapbuf_free(&buf);
}

/* 1 and 3 have the same name under two numbers; 4 has none. */
static void set_threads(void)
{
    mprt_options.per_thread = true;
    for (uint32_t id = 1; id <= 6; id++)
        threads[id] = id % 4;
}

static void test_threads_are_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;

    (void)state;
    set_threads();
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    raw = read_back(&buf);
    assert_int_equal(raw.context_count, 6);
    assert_contexts_equal(&raw, false);
    assert_true(raw.has_threads);
    for (uint32_t row = 0; row < raw.context_count; row++) {
        const uint64_t id = mpdata_raw_mib(&raw, row).TotalSize / 100;

        assert_string_equal(raw.string_table[raw.contexts[row].thread].bytes,
                            thread_names[id % 4]);
    }
    mprt_mapbuf_free(&buf);
    check_golden("threads.raw");
}

/* Context 4 belongs to events, which no thread allocated; 3 and 5 have no
 * thread. */
static void test_events_are_read_back(void **state)
{
    struct mprof_buf buf;
    struct mpdata_raw raw;
    struct mprof_mib mib;

    (void)state;
    threads[4] = MPRT_THREADNAMES + 7;
    mprt_mapbuf_init(&buf);
    mprt_rawwrite(&buf, &dump);
    raw = read_back(&buf);
    assert_int_equal(raw.context_count, 5);
    assert_int_equal(raw.tagged_count, 1);
    assert_false(raw.has_threads);
    assert_int_equal(raw.tagged_rows[0].kind, MPROF_TAG_EVENT);
    assert_string_equal(raw.string_table[raw.tagged_rows[0].name].bytes, "hit");
    mib = mpdata_raw_tagged_mib(&raw, 0);
    assert_int_equal(mib.TotalSize, 400);
    assert_int_not_equal(mib.AllocCount, 0);
    assert_int_equal(mib.TotalAccessCount, 0);
    assert_int_equal(mib.MeasuredCount, 0);
    for (uint32_t row = 0; row < raw.context_count; row++)
        assert_int_not_equal(mpdata_raw_mib(&raw, row).TotalSize, 400);
    mprt_mapbuf_free(&buf);
    check_golden("events.raw");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_ours_is_read_back, set_up),
        cmocka_unit_test_setup(test_jumps_are_read_back, set_up),
        cmocka_unit_test_setup(test_context_checks_are_read_back, set_up),
        cmocka_unit_test_setup(test_known_leaks_are_read_back, set_up),
        cmocka_unit_test_setup(test_other_malloc_is_read_back, set_up),
        cmocka_unit_test_setup(test_exec_is_read_back, set_up),
        cmocka_unit_test_setup(test_compressed_is_read_back, set_up),
        cmocka_unit_test_setup(test_kept_stacks_are_those_of_the_dump, set_up),
        cmocka_unit_test_setup(test_nothing_is_read_back, set_up),
        cmocka_unit_test_setup(test_llvm_is_read_back, set_up),
        cmocka_unit_test_setup(test_bytes_are_those_of_the_golden_file, set_up),
        cmocka_unit_test_setup(test_cells_of_4_bytes_have_a_version, set_up),
        cmocka_unit_test_setup(test_old_files_are_read, set_up),
        cmocka_unit_test_setup(test_threads_are_read_back, set_up),
        cmocka_unit_test_setup(test_events_are_read_back, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
