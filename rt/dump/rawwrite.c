/* rawwrite.c -- our raw profile, as described in shared/raw_format.h.
 *
 * rawtree.c makes the call stacks and the order of contexts. The sections are
 * tables; each is made in pieces, compressed and appended before the next one.
 *
 * All runs of a program give the same bytes except for META and run-time
 * addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/procfs.h"
#include "rt/base/state.h"
#include "rt/base/overhead.h"
#include "rt/dump/rawsections.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/record/resident.h"
#include "rt/record/sample.h"
#include "rt/stack/depot.h"
#include "rt/stack/call_values.h"
#include "rt/stack/jump.h"
#include "rt/stack/names.h"
#include "rt/stack/vm.h"
#include "shared/raw_format.h"
#include "shared/table.h"
#include "shared/version.h"

/* Tests that compare bytes set a constant version. */
#ifndef MPRT_TOOL_TEXT
#define MPRT_TOOL_TEXT "memprof " MPROF_VERSION
#endif

struct writer {
    const struct mprt_dump *dump;
    const struct mprt_rawtree *tree;
    struct mprt_rawrows rows;
    uint32_t *names; /* STRINGS idx by number of a name; 0: not written */
    struct mprof_buf strings;
    struct mprof_buf string_ends; /* of u64 */
    struct mprof_buf script;      /* of struct script_row */
    struct mprof_dir dir;
    struct mprt_rawseries *series;
    bool failed;
};

/* -- strings --------------------------------------------------------------- */

/* Adds a string and returns its index. Does not look for an equal string: each
 * is written once. */
static uint64_t put_string(struct writer *w, const void *data, size_t n)
{
    mprof_buf_bytes(&w->strings, data, n);
    mprof_buf_u64(&w->string_ends, w->strings.size);
    return w->string_ends.size / 8 - 1;
}

static uint64_t put_text(struct writer *w, const char *text)
{
    return text[0] == '\0' ? 0 : put_string(w, text, mprt_libc_strlen(text));
}

/* Number of an earlier equal name, or the name's own number. */
static uint32_t first_number(const struct writer *w, uint32_t number)
{
    for (uint32_t i = 1; i < number; i++) {
        if (w->names[i] != 0 &&
            mprt_libc_strcmp(mprt_names_text(i), mprt_names_text(number)) == 0)
            return i;
    }
    return number;
}

/* Writes the names of tagged rows and, with per_thread=1, of threads. Contexts
 * without a thread's name then have the name "". */
static void put_names(struct writer *w)
{
    const struct mprt_snapshot *const snapshot = w->dump->snapshot;

    if (mprt_options.per_thread)
        w->names[0] = (uint32_t)put_string(w, "", 0);
    for (uint32_t i = 0; i < snapshot->count; i++) {
        const uint32_t number = mprt_depot_name(snapshot->ids[i]);

        if (number == 0 || w->names[number] != 0)
            continue;
        const uint32_t first = first_number(w, number);
        const char *const name = mprt_names_text(number);
        w->names[number] =
            first != number
                ? w->names[first]
                : (uint32_t)put_string(w, name, mprt_libc_strlen(name));
    }
}

/* Writes the names of marks, each once. */
static void put_marks(struct writer *w)
{
    struct mprt_rawseries *const s = w->series;

    for (uint32_t i = 0; i < s->mark_count; i++) {
        const uint32_t number = s->marks[i].name;

        if (number != 0 && s->names[number] == 0)
            s->names[number] = (uint32_t)put_text(w, mprt_series_name(number));
    }
}

/* A row of SCRIPT. */
struct script_row {
    uint64_t frame;
    uint64_t function; /* STRINGS idx */
    uint64_t file;
    uint64_t line;
    uint64_t start_line;
};

/* Writes the names of interpreted functions. Frames of one function follow each
 * other. */
static void put_script(struct writer *w)
{
    const struct mprt_script_frame *const frames =
        (const struct mprt_script_frame *)(const void *)w->tree->script.data;
    struct mprt_vm_function last = {.name = NULL};
    struct script_row row = {.frame = 0};

    for (size_t i = 0; i < w->tree->script.size / sizeof(*frames); i++) {
        const struct mprt_vm_function f = mprt_vm_function_of(frames[i].pc);

        if (f.name != last.name) {
            row.function = put_text(w, f.name);
            if (last.name == NULL || mprt_libc_strcmp(f.file, last.file) != 0)
                row.file = put_text(w, f.file);
            row.start_line = f.line;
        }
        last = f;
        row.frame = frames[i].frame;
        row.line = mprt_vm_line(frames[i].pc);
        mprof_buf_bytes(&w->script, &row, sizeof(row));
    }
}

/* -- sections -------------------------------------------------------------- */

struct facts {
    uint64_t facts[MPROF_RAW_META_COUNT][3]; /* key, number, string */
    uint32_t count;
};

/* Adds an entry of META, one for each key. */
static void add_fact(struct facts *facts, uint32_t key, uint64_t number,
                     uint64_t string)
{
    uint64_t *const fact = facts->facts[facts->count];

    if (facts->count == MPROF_ARRAY_LEN(facts->facts))
        return;
    fact[0] = key;
    fact[1] = number;
    fact[2] = string;
    facts->count++;
}

static uint64_t count_truncated(const struct mprt_snapshot *snapshot)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < snapshot->count; i++)
        count += !mprt_depot_is_tagged(snapshot->ids[i]) &&
                 mprt_depot_is_cut(snapshot->ids[i]);
    return count;
}

static void gather_resident(struct facts *facts)
{
    const struct mprt_residents *const resident = mprt_resident_all();

    if (resident->highest == 0)
        return;
    for (uint32_t i = 0; i < MPROF_RESIDENT_COUNT; i++) {
        add_fact(facts, MPROF_RAW_META_IS_RSS_PEAK_BLOCKS + i,
                 resident->peak.bytes[i], 0);
        add_fact(facts, MPROF_RAW_META_IS_RSS_END_BLOCKS + i,
                 resident->end.bytes[i], 0);
    }
    add_fact(facts, MPROF_RAW_META_IS_RSS_HIGHEST, resident->highest, 0);
}

static uint64_t cell_bytes(const struct writer *w)
{
    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM)
        return 0;
    return w->rows.has_fields ? MPROF_FIELDS_BYTES : MPROF_CELL_BYTES;
}

static uint64_t take_duration(const struct writer *w)
{
    const uint64_t now_ns = mprt_clock_now_ns();

    if (w->dump->name.is_last)
        mprt_dumped_duration_ns = now_ns;
    return now_ns;
}

static void gather_facts(struct writer *w, struct facts *facts)
{
    const struct mprt_module_list *const modules = w->dump->modules;
    const struct mprt_live_peak *const peak = &w->dump->snapshot->peak;
    const struct mprt_call_values_checks checks = mprt_call_values_checks();
    struct mprt_block_stats stats;
    char host[128];
    uint64_t timed_calls;
    const uint64_t own_time_ns = mprt_overhead_ns(&timed_calls);

    mprt_block_stats(&stats);
    mprt_procfs_read_setting(MPRT_PROCFS_HOST_NAME, host, sizeof(host));
#define FACT(name, number) add_fact(facts, MPROF_RAW_META_IS_##name, number, 0)
#define TEXT(name, text) \
    add_fact(facts, MPROF_RAW_META_IS_##name, 0, put_text(w, text))
    FACT(RUN_ID, w->dump->name.run_id);
    FACT(EPOCH, w->dump->name.epoch);
    FACT(DUMP, w->dump->name.number);
    FACT(IS_LAST, w->dump->name.is_last);
    if (w->dump->name.is_before_exec)
        FACT(BEFORE_EXEC, 1);
    FACT(PID, mprt_identity_pid());
    FACT(START_NS, mprt_clock_start_realtime_ns());
    FACT(DURATION_NS, take_duration(w));
    FACT(CLOCK_RESOLUTION_NS, mprt_clock_resolution_ns());
    TEXT(CLOCK, mprt_clock_name());
    TEXT(OPTIONS, mprt_options_given());
    TEXT(EXECUTABLE, modules->count != 0 ? modules->modules[0].path : "");
    TEXT(HOST, host);
    TEXT(TOOL, MPRT_TOOL_TEXT);
    if (w->dump->known_leaks != NULL && w->dump->known_leaks[0] != '\0')
        TEXT(KNOWN_LEAKS, w->dump->known_leaks);
    if (mprt_state_other_malloc)
        FACT(OTHER_MALLOC, 1);
    FACT(CELL_BYTES, cell_bytes(w));
    FACT(STACK_DEPTH_MAX,
         mprof_min_u64((uint64_t)mprt_options.malloc_context_size,
                       MPRT_STACK_FRAMES_MAX));
    FACT(TRUNCATED_STACKS,
         w->tree->has_cut ? count_truncated(w->dump->snapshot) : 0);
    FACT(DROPPED_BLOCKS, stats.dropped_blocks);
    FACT(OWN_MEMORY_BYTES, mprt_stats_memory_bytes());
    FACT(FOREIGN_FREES, stats.foreign_frees);
    if (mprt_jump_count() != 0)
        FACT(HANDLER_JUMPS, mprt_jump_count());
    if (checks.checks != 0) {
        FACT(CONTEXT_CHECKS, checks.checks);
        FACT(CONTEXT_DIFFERENCES, checks.differences);
    }
    if (peak->bytes != 0) {
        FACT(PEAK_BYTES, peak->bytes);
        FACT(PEAK_NS, peak->ns);
    }
    if (w->series->count != 0)
        FACT(SERIES_STEP_NS, w->series->step_ns);
    if (w->series->dropped_marks != 0)
        FACT(DROPPED_MARKS, w->series->dropped_marks);
    if (mprt_sample_period != 0)
        FACT(SAMPLE_PERIOD, mprt_sample_period);
    if (mprt_bursts_are_on()) {
        FACT(ACCESS_PERIOD, mprt_bursts_period);
        FACT(BURSTS, w->dump->snapshot->bursts);
    }
    if (timed_calls != 0) {
        FACT(OWN_TIME_NS, own_time_ns);
        FACT(TIMED_CALLS, timed_calls);
    }
#undef FACT
#undef TEXT
}

static uint64_t get_string(const void *context, uint32_t tag, uint64_t row)
{
    const struct writer *const w = context;

    (void)tag;
    return mprof_le_load64(w->string_ends.data + 8 * row);
}

/* A row of MODULES with the indices of its strings. */
struct module_row {
    uint64_t path;
    uint64_t build_id;
    uint64_t bias;
    uint64_t flags;
};

/* The segments of all binaries follow each other in the section. */
static uint64_t get_segment(const void *context, uint32_t tag, uint64_t row)
{
    const struct mprt_module_list *const list =
        (const struct mprt_module_list *)context;
    uint32_t module = 0;

    while (row >= list->modules[module].segment_count)
        row -= list->modules[module++].segment_count;
    const struct mprt_segment *const segment =
        &list->modules[module].segments[row];
    switch (tag) {
    case MPROF_RAW_SEGMENTS_MODULE:
        return module;
    case MPROF_RAW_SEGMENTS_START:
        return segment->start;
    case MPROF_RAW_SEGMENTS_END:
        return segment->end;
    default:
        return segment->file_off;
    }
}

/* -- the sections in the order of their ids -------------------------------- */

static void add_stacks(struct writer *w, struct mprof_buf *out)
{
    const struct mprof_buf *const stored = &w->tree->stored;

    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    const uint64_t start = out->size;
    mprof_buf_bytes(out, stored->data, stored->size);
    for (size_t i = 0; i < MPRT_RAWTREE_SECTIONS; i++) {
        struct mprof_section *const section =
            &w->dir.sections[w->dir.section_count++];

        *section = w->tree->sections[i];
        section->offset += start;
    }
}

static void add_script(struct writer *w, struct mprof_buf *out)
{
    if (w->script.size != 0)
        mprt_rawpack_numbers(
            out, &w->dir, MPROF_RAW_SCRIPT,
            &(struct mprt_rawpack_numbers){
                MPRT_RAWPACK_TAGS(MPROF_RAW_SCRIPT_FRAME,
                                  MPROF_RAW_SCRIPT_FUNCTION,
                                  MPROF_RAW_SCRIPT_FILE, MPROF_RAW_SCRIPT_LINE,
                                  MPROF_RAW_SCRIPT_START_LINE),
                .rows = w->script.size / sizeof(struct script_row),
                .numbers = (const uint64_t *)(const void *)w->script.data});
}

static void add_segments(struct writer *w, struct mprof_buf *out)
{
    const struct mprt_module_list *const modules = w->dump->modules;
    uint64_t rows = 0;

    for (uint32_t i = 0; i < modules->count; i++)
        rows += modules->modules[i].segment_count;
    mprt_rawpack_add(
        out, &w->dir, MPROF_RAW_SEGMENTS,
        &(struct mprof_table_source){
            MPRT_RAWPACK_TAGS(MPROF_RAW_SEGMENTS_MODULE,
                              MPROF_RAW_SEGMENTS_START, MPROF_RAW_SEGMENTS_END,
                              MPROF_RAW_SEGMENTS_FILE_OFF),
            .rows = rows, .get = get_segment, .context = modules});
}

/* META, STRINGS, MODULES: all strings must be known before STRINGS is written.
 */
static void add_facts(struct writer *w, struct mprof_buf *out,
                      struct module_row *rows)
{
    const struct mprt_module_list *const modules = w->dump->modules;
    struct facts facts = {.count = 0};

    put_string(w, "", 0);
    gather_facts(w, &facts);
    gather_resident(&facts);
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct mprt_module *const m = &modules->modules[i];

        rows[i].path = put_text(w, m->path);
        rows[i].build_id = m->build_id_bytes != 0
                               ? put_string(w, m->build_id, m->build_id_bytes)
                               : 0;
        rows[i].bias = m->bias;
        rows[i].flags = m->flags;
    }
    put_names(w);
    put_marks(w);
    put_script(w);
    w->failed = w->failed || w->strings.failed || w->string_ends.failed ||
                w->script.failed;
    if (w->failed)
        return;
    mprt_rawpack_numbers(
        out, &w->dir, MPROF_RAW_META,
        &(struct mprt_rawpack_numbers){
            MPRT_RAWPACK_TAGS(MPROF_RAW_META_KEY, MPROF_RAW_META_NUMBER,
                              MPROF_RAW_META_STRING),
            .rows = facts.count, .numbers = facts.facts[0]});
    mprt_rawpack_add(
        out, &w->dir, MPROF_RAW_STRINGS,
        &(struct mprof_table_source){
            MPRT_RAWPACK_TAGS(MPROF_RAW_STRINGS_END, MPROF_RAW_STRINGS_BYTES),
            .rows = w->string_ends.size / 8, .get = get_string, .context = w,
            .blob_tag = MPROF_RAW_STRINGS_BYTES,
            .blob = {.data = w->strings.data, .size = w->strings.size}});
    mprt_rawpack_numbers(
        out, &w->dir, MPROF_RAW_MODULES,
        &(struct mprt_rawpack_numbers){
            MPRT_RAWPACK_TAGS(MPROF_RAW_MODULES_PATH,
                              MPROF_RAW_MODULES_BUILD_ID,
                              MPROF_RAW_MODULES_BIAS, MPROF_RAW_MODULES_FLAGS),
            .rows = modules->count, .numbers = &rows->path});
}

_Static_assert(MPROF_RAW_SECTION_COUNT <= MPROF_DIR_SECTIONS_MAX,
               "a directory holds all sections");

static void write_sections(struct writer *w, struct mprof_buf *out)
{
    const size_t modules = w->dump->modules->count;
    struct module_row *const rows =
        (struct module_row *)mprt_mapbuf_new_array(modules, sizeof(*rows));
    const size_t start = out->size;

    if (rows == NULL) {
        w->failed = true;
        return;
    }
    /* Reserve a directory for all possible sections; unused entries stay as
     * unused bytes behind it. */
    mprof_buf_extend(out, mprof_dir_bytes(MPROF_RAW_SECTION_COUNT));
    add_facts(w, out, rows);
    if (!w->failed) {
        add_segments(w, out);
        add_stacks(w, out);
        w->failed = !mprt_rawcontexts_add(&w->rows, w->names,
                                          MPROF_RAW_CONTEXTS, out, &w->dir) ||
                    !mprt_rawhistograms_add(&w->rows, out, &w->dir);
        add_script(w, out);
        w->failed = w->failed ||
                    (w->rows.tagged_count != 0 &&
                     !mprt_rawcontexts_add(&w->rows, w->names, MPROF_RAW_TAGGED,
                                           out, &w->dir)) ||
                    !mprt_rawdetails_add(&w->rows, out, &w->dir);
        mprt_rawseries_add(w->series, out, &w->dir);
    }
    mprt_mapbuf_free_array(rows, modules, sizeof(*rows));
    if (w->failed || out->failed)
        return;
    w->dir.magic = MPROF_RAW_MAGIC;
    w->dir.version =
        w->rows.has_fields ? MPROF_RAW_VERSION_FIELDS : MPROF_RAW_VERSION;
    w->dir.file_bytes = out->size - start;
    mprt_libc_memset(out->data + start, 0,
                     mprof_dir_bytes(MPROF_RAW_SECTION_COUNT));
    mprof_dir_write(&w->dir, out->data + start);
}

void mprt_rawwrite(struct mprof_buf *buf, const struct mprt_dump *dump)
{
    struct writer w = {.dump = dump,
                       .tree = mprt_rawtree_get(dump),
                       .series = mprt_rawseries_new(&dump->snapshot->peak)};

    mprt_mapbuf_init(&w.strings);
    mprt_mapbuf_init(&w.string_ends);
    mprt_mapbuf_init(&w.script);
    w.names = mprt_mapbuf_new_array(MPRT_NAMES, sizeof(*w.names));
    if (w.tree != NULL && w.series != NULL && w.names != NULL &&
        mprt_rawrows_init(&w.rows, dump, w.tree))
        write_sections(&w, buf);
    else
        w.failed = true;
    mprt_rawrows_free(&w.rows);
    mprt_mapbuf_free_array(w.names, MPRT_NAMES, sizeof(*w.names));
    buf->failed = buf->failed || w.failed;
    mprt_mapbuf_free(&w.strings);
    mprt_mapbuf_free(&w.string_ends);
    mprt_mapbuf_free(&w.script);
    mprt_rawseries_free(w.series);
    mprt_rawtree_release();
}
