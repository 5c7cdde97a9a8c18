/* log_blocks.c -- blocks of the log about the run: what it is, its binaries,
 * its marks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/events/log_parts.h"
#include "rt/record/resident.h"
#include "rt/record/sample.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/overhead.h"
#include "rt/base/procfs.h"
#include "rt/base/state.h"
#include "rt/base/log.h"
#include "rt/dump/dump.h"
#include "rt/dump/modules.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/record/series.h"
#include "rt/record/trail.h"
#include "rt/stack/call_values.h"
#include "rt/stack/jump.h"
#include "rt/stack/module_history.h"
#include "shared/raw_format.h"
#include "shared/version.h"

#define NS_PER_US 1000
#define LOADED_BINARY 1
/* Bytes of a block's size, which is known at its end. */
#define SIZE_BYTES 5

/* What is in the log. */
static struct {
    uint32_t seen_modules;
    uint32_t module_changes;
    uint32_t marks;
    uint32_t dumps;
} written;

void mprt_log_blocks_integer(struct mprof_buf *out, uint64_t n)
{
    uint8_t bytes[MPROF_LOG_INTEGER_BYTES_MAX];

    mprof_buf_bytes(out, bytes, (size_t)(mprof_log_put(bytes, n) - bytes));
}

void mprt_log_blocks_string(struct mprof_buf *out, const char *text)
{
    mprof_buf_bytes(out, text, mprt_libc_strlen(text) + 1);
}

size_t mprt_log_blocks_begin(struct mprof_buf *out, enum mprof_log_block code)
{
    mprof_buf_uint(out, code, 1);
    mprof_buf_extend(out, SIZE_BYTES);
    return out->size;
}

void mprt_log_blocks_end(struct mprof_buf *out, size_t start)
{
    const uint64_t size = out->size - start;

    if (out->failed)
        return;
    for (unsigned i = 0; i < SIZE_BYTES; i++)
        out->data[start - SIZE_BYTES + i] =
            (uint8_t)((size >> 7 * i & 127) | (i == SIZE_BYTES - 1 ? 128 : 0));
}

#define PUT(n) mprt_log_blocks_integer(out, n)

/* flags: 0 as long as the binary's constructors may not have run, which tell
 * whether it is instrumented. */
static void put_loaded(struct mprof_buf *out, const struct mprt_module *module,
                       uint32_t tag, uint32_t flags, uint64_t loaded_ns)
{
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_LOADED);

    PUT(LOADED_BINARY);
    PUT(loaded_ns);
    PUT(mprof_max_u64(mprt_clock_now_ns(), loaded_ns + 1));
    PUT(0);
    mprt_log_blocks_string(out, module->path);
    PUT(module->build_id_bytes);
    mprof_buf_bytes(out, module->build_id, module->build_id_bytes);
    PUT(tag);
    PUT(flags);
    PUT(module->bias);
    PUT(module->segment_count);
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct mprt_segment *const s = &module->segments[i];

        PUT(s->start);
        PUT(s->end - s->start);
        PUT(s->file_off);
    }
    mprt_log_blocks_end(out, start);
}

static void put_unloaded(struct mprof_buf *out,
                         const struct mprt_module *module, uint32_t tag,
                         uint64_t loaded_ns, uint64_t unloaded_ns)
{
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_UNLOADED);

    PUT(LOADED_BINARY);
    PUT(loaded_ns);
    PUT(unloaded_ns);
    PUT(0);
    mprt_log_blocks_string(out, module->path);
    PUT(tag);
    PUT(module->bias);
    mprt_log_blocks_end(out, start);
}

/* What is mapped at the start. When a binary was loaded, put_changes() tells.
 */
static void put_mapped(struct mprof_buf *out)
{
    struct mprt_module_list list;

    if (!mprt_modules_list(&list))
        return;
    for (uint32_t i = 0; i < list.mapped_count; i++)
        put_loaded(out, &list.modules[i], 0,
                   list.modules[i].flags & MPROF_RAW_MODULE_FL_MAIN, 0);
    mprt_modules_free(&list);
}

/* All binaries with their flags. */
static void put_binaries(struct mprof_buf *out)
{
    struct mprt_module_list list;

    if (!mprt_modules_list(&list))
        return;
    for (uint32_t i = 0; i < list.mapped_count; i++)
        put_loaded(out, &list.modules[i], 0, list.modules[i].flags, 0);
    for (uint32_t i = 0; i < list.seen_count; i++) {
        const struct mprt_module *const m = &list.modules[list.of_seen[i]];

        if ((m->flags & MPROF_RAW_MODULE_FL_UNLOADED) != 0)
            put_loaded(out, m, mprt_module_history_at(i)->tag, m->flags, 0);
    }
    mprt_modules_free(&list);
}

/* What call stacks of the next blocks go through, and which binaries came and
 * went. */
static void put_changes(struct mprof_buf *out)
{
    const uint32_t changes = mprt_module_history_changes();
    const uint32_t count = mprt_module_history_count();

    for (uint32_t i = 0; i < count && changes != written.module_changes; i++) {
        struct mprt_seen_module *const m = mprt_module_history_at(i);
        const uint64_t loaded_ns = atomic_load(&m->loaded_ns);
        const uint64_t unloaded_ns = atomic_load(&m->unloaded_ns);

        if (i >= written.seen_modules || loaded_ns != m->logged_loaded_ns)
            put_loaded(out, &m->module, m->tag, 0, loaded_ns);
        if (unloaded_ns != 0 &&
            (i >= written.seen_modules || unloaded_ns != m->logged_unloaded_ns))
            put_unloaded(out, &m->module, m->tag, loaded_ns, unloaded_ns);
        m->logged_loaded_ns = loaded_ns;
        m->logged_unloaded_ns = unloaded_ns;
    }
    written.seen_modules = count;
    written.module_changes = changes;
}

static void put_fact(struct mprof_buf *out, uint32_t key, uint64_t number,
                     const char *text)
{
    PUT(key + 1);
    PUT(number);
    mprt_log_blocks_string(out, text);
}
#define FACT(name, number) put_fact(out, MPROF_RAW_META_IS_##name, number, "")
#define TEXT(name, text) put_fact(out, MPROF_RAW_META_IS_##name, 0, text)

static uint64_t start_us(void)
{
    return mprt_clock_start_realtime_ns() / NS_PER_US;
}

static void put_first_facts(struct mprof_buf *out, const char *program,
                            uint64_t run_id)
{
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_FACTS);
    char host[128];

    mprt_procfs_read_setting(MPRT_PROCFS_HOST_NAME, host, sizeof(host));
    FACT(RUN_ID, run_id);
    FACT(PID, mprt_identity_pid());
    FACT(START_NS, mprt_clock_start_realtime_ns());
    FACT(CLOCK_RESOLUTION_NS, mprt_clock_resolution_ns());
    TEXT(CLOCK, mprt_clock_name());
    TEXT(OPTIONS, mprt_options_given());
    TEXT(EXECUTABLE, program);
    TEXT(HOST, host);
    TEXT(TOOL, "memprof " MPROF_VERSION);
    FACT(STACK_DEPTH_MAX,
         mprof_min_u64((uint64_t)mprt_options.malloc_context_size,
                       MPRT_STACK_FRAMES_MAX));
    if (mprt_state_other_malloc)
        FACT(OTHER_MALLOC, 1);
    if (mprt_sample_period != 0)
        FACT(SAMPLE_PERIOD, mprt_sample_period);
    PUT(0);
    mprt_log_blocks_end(out, start);
}

static uint64_t version(void)
{
    return mprt_sample_period != 0 ? MPROF_LOG_VERSION_SAMPLED
                                   : MPROF_LOG_VERSION;
}

void mprt_log_blocks_intro(struct mprof_buf *out, uint64_t run_id)
{
    char program[MPRT_PATH_BYTES];
    struct mprt_textbuf t = {.out = program, .size = sizeof(program)};

    mprt_object_main_path(&t);
    mprof_buf_uint(out, MPROF_LOG_INTRO, 1);
    PUT(version());
    mprt_log_blocks_string(out, program);
    PUT(0);
    PUT(start_us());
    put_first_facts(out, program, run_id);
    put_mapped(out);
}

static void put_marks(struct mprof_buf *out)
{
    uint32_t count;
    uint64_t dropped;
    const struct mprt_series_mark *const marks =
        mprt_series_marks(&count, &dropped);

    if (written.marks >= count)
        return;
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_MARKS);
    for (; written.marks < count; written.marks++) {
        const struct mprt_series_mark *const m = &marks[written.marks];

        PUT(m->kind);
        PUT(m->ns);
        PUT(m->bytes);
        mprt_log_blocks_string(out,
                               m->name != 0 ? mprt_series_name(m->name) : "");
    }
    PUT(0);
    mprt_log_blocks_end(out, start);
}

static void put_dumps(struct mprof_buf *out)
{
    const uint32_t count = mprt_dumped_count();

    if (written.dumps == count)
        return;
    if (count - written.dumps > MPRT_DUMPED_KEPT)
        written.dumps = count - MPRT_DUMPED_KEPT;
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_DUMPS);
    for (; written.dumps != count; written.dumps++) {
        const struct mprt_dumped dumped = mprt_dumped_at(written.dumps);

        PUT(dumped.ns + 1);
        PUT(dumped.epoch);
        PUT(dumped.number);
        PUT(dumped.is_last);
    }
    PUT(0);
    mprt_log_blocks_end(out, start);
}

static void put_clock(struct mprof_buf *out)
{
    const uint64_t now_ns = mprt_clock_now_ns();
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_CLOCK);

    PUT(now_ns);
    PUT(start_us() + now_ns / NS_PER_US);
    mprt_log_blocks_end(out, start);
}

void mprt_log_blocks_news(struct mprof_buf *out)
{
    put_changes(out);
    put_marks(out);
    put_dumps(out);
    put_clock(out);
}

/* Returns the length of a slot. */
static uint64_t put_series(struct mprof_buf *out, struct mprt_series_peak peak)
{
    static struct mprt_series copy;

    mprt_series_copy(&copy, peak);
    const uint64_t step_ns =
        UINT64_C(1) << mprof_max_u64(copy.shift, MPRT_SERIES_SHIFT_MIN);
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_MAPPED);
    for (uint64_t i = 0; i < MPRT_SERIES_SLOTS; i++) {
        const struct mprt_series_slot *const slot = &copy.slots[i];

        if (slot->samples == 0)
            continue;
        PUT(copy.start_ns + i * step_ns + 1);
        PUT(slot->bytes);
        PUT(slot->most);
        PUT(slot->blocks);
        PUT(slot->rss);
        PUT(slot->mapped);
    }
    PUT(0);
    mprt_log_blocks_end(out, start);
    return step_ns;
}

static void put_resident(struct mprof_buf *out, uint64_t live_bytes)
{
    const struct mprt_residents *const resident = mprt_resident_all();

    mprt_resident_read_end(live_bytes);
    if (resident->highest == 0)
        return;
    for (uint32_t i = 0; i < MPROF_RESIDENT_COUNT; i++) {
        put_fact(out, MPROF_RAW_META_IS_RSS_PEAK_BLOCKS + i,
                 resident->peak.bytes[i], "");
        put_fact(out, MPROF_RAW_META_IS_RSS_END_BLOCKS + i,
                 resident->end.bytes[i], "");
    }
    FACT(RSS_HIGHEST, resident->highest);
}

static void put_last_facts(struct mprof_buf *out, uint64_t step_ns)
{
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_FACTS);
    const struct mprt_call_values_checks checks = mprt_call_values_checks();
    struct mprt_block_stats stats;
    uint64_t timed_calls;
    uint64_t dropped_marks;
    uint32_t marks;
    const uint64_t own_time_ns = mprt_overhead_ns(&timed_calls);

    mprt_block_stats(&stats);
    mprt_series_marks(&marks, &dropped_marks);
    FACT(DURATION_NS, mprt_dumped_duration_ns != 0 ? mprt_dumped_duration_ns
                                                   : mprt_clock_now_ns());
    FACT(DROPPED_BLOCKS, stats.dropped_blocks);
    FACT(OWN_MEMORY_BYTES, mprt_stats_memory_bytes());
    FACT(FOREIGN_FREES, stats.foreign_frees);
    FACT(HANDLER_JUMPS, mprt_jump_count());
    FACT(CONTEXT_CHECKS, checks.checks);
    FACT(CONTEXT_DIFFERENCES, checks.differences);
    FACT(DROPPED_MARKS, dropped_marks);
    FACT(SERIES_STEP_NS, step_ns);
    FACT(OWN_TIME_NS, own_time_ns);
    FACT(TIMED_CALLS, timed_calls);
    FACT(CELL_BYTES,
         mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM && !mprt_shadow_has_fields
             ? MPROF_CELL_BYTES
             : 0);
    put_resident(out, stats.live_bytes);
    FACT(IS_LAST, 1);
    PUT(0);
    mprt_log_blocks_end(out, start);
}

void mprt_log_blocks_last(struct mprof_buf *out)
{
    const struct mprt_live_peak peak = mprt_trail_last_peak;
    const uint64_t now_ns = mprt_clock_now_ns();

    put_binaries(out);
    put_last_facts(
        out, put_series(out, (struct mprt_series_peak){peak.bytes, peak.ns}));
    const size_t start = mprt_log_blocks_begin(out, MPROF_LOG_END);
    PUT(version());
    PUT(now_ns);
    PUT(start_us() + now_ns / NS_PER_US);
    mprt_log_blocks_end(out, start);
}

void mprt_log_blocks_restart(void)
{
    written.seen_modules = written.module_changes = written.marks = 0;
    written.dumps = mprt_dumped_count();
}
