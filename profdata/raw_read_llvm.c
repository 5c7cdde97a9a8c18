/* raw_read_llvm.c -- LLVM's raw profile (shared/raw_llvm.h), versions 3 to 5,
 * to one struct mpdata_raw per dump.
 *
 * A dump names code by run-time addresses and modules by build id alone. A
 * module here is a row of segments with one load address and build id; the
 * first is the program. Addresses become link-time addresses by taking the load
 * address off, which is what LLVM's runtime stores; symbolize.c checks that
 * against the binary's own program headers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/diag.h"
#include "profdata/raw.h"
#include "shared/cursor.h"
#include "shared/histcount.h"
#include "shared/le.h"
#include "shared/raw_llvm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS 1000000u
#define STACK_BYTES_MIN 16 /* an id and a length */

struct header {
    uint64_t version;
    uint64_t total_bytes;
    uint64_t segments_off;
    uint64_t mibs_off;
    uint64_t stacks_off;
};

/* A stack of the file: where its program counters stand, and its leaf node. */
struct stack {
    uint64_t id;
    const uint8_t *pcs;
    uint64_t pc_count;
    mpdata_ref leaf;
};

struct reader {
    const uint8_t *data; /* of the dump */
    uint64_t file_off;
    struct header header;
    struct mprof_diag *diag;
    struct mpdata_raw raw;
    struct stack *stacks; /* ascending by id */
    uint64_t stack_count;
    uint64_t pc_count;
    uint64_t *pcs; /* distinct, ascending: the frames */
    uint64_t distinct_pcs;
    uint64_t cell_count;
};

static struct mprof_cursor section_at(const struct reader *r, uint64_t off,
                                      const char *name)
{
    struct mprof_cursor c = mprof_cursor_over(
        r->data, (size_t)r->header.total_bytes, r->file_off, name);

    mprof_cursor_seek(&c, off);
    return c;
}

static enum mprof_err fail_at(struct reader *r, const struct mprof_cursor *c,
                              enum mprof_err err)
{
    return mprof_fail(r->diag, err, c->section, c->file_off + c->pos);
}

/* -- header ---------------------------------------------------------------- */

static enum mprof_err read_header(struct reader *r, const uint8_t *data,
                                  size_t size, uint64_t file_off)
{
    struct mprof_cursor c =
        mprof_cursor_over(data, size, file_off, "LLVM raw header");
    struct header *h = &r->header;

    if (mprof_cursor_u64(&c) != MPROF_RAW_LLVM_MAGIC) {
        c.pos -= c.err == MPROF_E_OK ? 8 : 0;
        mprof_cursor_fail(&c, MPROF_E_MAGIC);
    }
    h->version = mprof_cursor_u64(&c);
    if (c.err == MPROF_E_OK && (h->version < MPROF_RAW_LLVM_VERSION_MIN ||
                                h->version > MPROF_RAW_LLVM_VERSION))
        return mpdata_fail(r->diag, MPROF_E_VERSION, c.section, file_off + 8,
                           "version %" PRIu64 "; versions %d to %d are read",
                           h->version, MPROF_RAW_LLVM_VERSION_MIN,
                           MPROF_RAW_LLVM_VERSION);
    h->total_bytes = mprof_cursor_u64(&c);
    h->segments_off = mprof_cursor_u64(&c);
    h->mibs_off = mprof_cursor_u64(&c);
    h->stacks_off = mprof_cursor_u64(&c);
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, r->diag);
    if (h->total_bytes < MPROF_RAW_LLVM_HEADER_BYTES ||
        h->total_bytes % MPROF_RAW_LLVM_ALIGN != 0)
        return mpdata_fail(r->diag, MPROF_E_VALUE, c.section, file_off + 16,
                           "a dump of %" PRIu64 " bytes", h->total_bytes);
    if (h->total_bytes > size)
        return mpdata_fail(r->diag, MPROF_E_TRUNCATED, c.section, file_off + 16,
                           "the dump has %" PRIu64 " bytes, the file %zu",
                           h->total_bytes, size);
    r->data = data;
    r->file_off = file_off;
    return MPROF_E_OK;
}

/* -- segments and modules -------------------------------------------------- */

static bool is_same_module(const struct mpdata_raw_module *module,
                           uint64_t base, const uint8_t *id, uint64_t id_size)
{
    return module->bias == base && module->build_id.size == id_size &&
           memcmp(module->build_id.bytes, id, (size_t)id_size) == 0;
}

/* The module of a segment, appended where it is new. Segments of one module
 * follow each other. */
static uint32_t module_of_segment(struct mpdata_raw *raw, uint64_t base,
                                  const uint8_t *id, uint64_t id_size)
{
    struct mpdata_raw_module *module;
    char *copy;

    if (raw->module_count != 0 &&
        is_same_module(&raw->modules[raw->module_count - 1], base, id, id_size))
        return raw->module_count - 1;
    copy = raw->strings +
           (size_t)raw->module_count * (MPROF_RAW_LLVM_BUILD_ID_BYTES + 1);
    memcpy(copy, id, (size_t)id_size);
    module = &raw->modules[raw->module_count];
    *module = (struct mpdata_raw_module){
        .path = {.bytes = "", .size = 0},
        .build_id = {.bytes = copy, .size = (size_t)id_size},
        .bias = base,
        .flags = raw->module_count == 0 ? MPROF_RAW_MODULE_FL_MAIN : 0};
    return raw->module_count++;
}

static enum mprof_err read_segments(struct reader *r)
{
    struct mprof_cursor c =
        section_at(r, r->header.segments_off, "LLVM raw segments");
    const uint64_t count = mprof_cursor_u64(&c);
    struct mpdata_raw *raw = &r->raw;

    if (!mprof_cursor_can_hold(&c, count, MPROF_RAW_LLVM_SEGMENT_BYTES))
        return mprof_cursor_status(&c, r->diag);
    raw->segments = (struct mpdata_raw_segment *)mpdata_raw_array(
        count, sizeof(*raw->segments));
    raw->modules = (struct mpdata_raw_module *)mpdata_raw_array(
        count, sizeof(*raw->modules));
    raw->strings =
        (char *)mpdata_raw_array(count, MPROF_RAW_LLVM_BUILD_ID_BYTES + 1);
    if (raw->segments == NULL || raw->modules == NULL || raw->strings == NULL)
        return fail_at(r, &c, MPROF_E_NOMEM);
    for (uint64_t i = 0; i < count; i++) {
        const size_t at = c.pos;
        const uint64_t start = mprof_cursor_u64(&c);
        const uint64_t end = mprof_cursor_u64(&c);
        const uint64_t base = mprof_cursor_u64(&c);
        const uint64_t id_size = mprof_cursor_u64(&c);
        const uint8_t *id =
            mprof_cursor_bytes(&c, MPROF_RAW_LLVM_BUILD_ID_BYTES);

        if (id == NULL || end < start ||
            id_size > MPROF_RAW_LLVM_BUILD_ID_BYTES) {
            c.pos = at;
            return fail_at(r, &c, MPROF_E_VALUE);
        }
        raw->segments[i] = (struct mpdata_raw_segment){
            .module = module_of_segment(raw, base, id, id_size),
            .start = start,
            .end = end,
            .file_off = base};
    }
    raw->segment_count = (uint32_t)count;
    return MPROF_E_OK;
}

/* -- stacks ---------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_stacks(const void *a, const void *b)
{
    const struct stack *const x = (const struct stack *)a;
    const struct stack *const y = (const struct stack *)b;

    return compare_u64(x->id, y->id);
}

static int compare_pcs(const void *a, const void *b)
{
    return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

static enum mprof_err read_stack_table(struct reader *r)
{
    struct mprof_cursor c =
        section_at(r, r->header.stacks_off, "LLVM raw stacks");

    r->stack_count = mprof_cursor_u64(&c);
    if (!mprof_cursor_can_hold(&c, r->stack_count, STACK_BYTES_MIN))
        return mprof_cursor_status(&c, r->diag);
    r->stacks =
        (struct stack *)mpdata_raw_array(r->stack_count, sizeof(*r->stacks));
    if (r->stacks == NULL)
        return fail_at(r, &c, MPROF_E_NOMEM);
    for (uint64_t i = 0; i < r->stack_count; i++) {
        struct stack *stack = &r->stacks[i];

        stack->id = mprof_cursor_u64(&c);
        stack->pc_count = mprof_cursor_u64(&c);
        if (!mprof_cursor_can_hold(&c, stack->pc_count, 8))
            return mprof_cursor_status(&c, r->diag);
        stack->pcs = mprof_cursor_bytes(&c, stack->pc_count * 8);
        r->pc_count += stack->pc_count;
    }
    qsort(r->stacks, (size_t)r->stack_count, sizeof(*r->stacks),
          compare_stacks);
    for (uint64_t i = 1; i < r->stack_count; i++) {
        if (r->stacks[i].id == r->stacks[i - 1].id)
            return mpdata_fail(r->diag, MPROF_E_DUPLICATE, c.section,
                               r->file_off + r->header.stacks_off,
                               "stack id %" PRIu64, r->stacks[i].id);
    }
    return MPROF_E_OK;
}

static uint64_t pc_at(const struct stack *stack, uint64_t i)
{
    return mprof_le_load64(stack->pcs + 8 * i);
}

/* The distinct program counters of all stacks, ascending. */
static enum mprof_err collect_pcs(struct reader *r)
{
    uint64_t n = 0;

    r->pcs = (uint64_t *)mpdata_raw_array(r->pc_count, sizeof(*r->pcs));
    if (r->pcs == NULL)
        return mprof_fail(r->diag, MPROF_E_NOMEM, "LLVM raw stacks",
                          r->file_off + r->header.stacks_off);
    for (uint64_t i = 0; i < r->stack_count; i++) {
        for (uint64_t k = 0; k < r->stacks[i].pc_count; k++)
            r->pcs[n++] = pc_at(&r->stacks[i], k);
    }
    qsort(r->pcs, (size_t)n, sizeof(*r->pcs), compare_pcs);
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || r->pcs[i] != r->pcs[r->distinct_pcs - 1])
            r->pcs[r->distinct_pcs++] = r->pcs[i];
    }
    return MPROF_E_OK;
}

static int compare_starts(const void *a, const void *b)
{
    const struct mpdata_raw_segment *const x =
        (const struct mpdata_raw_segment *)a;
    const struct mpdata_raw_segment *const y =
        (const struct mpdata_raw_segment *)b;

    return compare_u64(x->start, y->start);
}

static struct mpdata_raw_frame frame_of_pc(const struct mpdata_raw *raw,
                                           const struct mpdata_raw_segment *s,
                                           uint64_t pc)
{
    if (s != NULL && pc >= s->start && pc < s->end)
        return (struct mpdata_raw_frame){.module = s->module + 1,
                                         .address =
                                             pc - raw->modules[s->module].bias};
    return (struct mpdata_raw_frame){.module = 0, .address = pc};
}

/* Program counters ascend, so one walk over the segments by start serves all of
 * them. */
static enum mprof_err build_frames(struct reader *r)
{
    struct mpdata_raw *raw = &r->raw;
    const uint32_t count = raw->segment_count;
    struct mpdata_raw_segment *sorted =
        (struct mpdata_raw_segment *)mpdata_raw_array(count, sizeof(*sorted));
    uint32_t next = 0;

    raw->frames = (struct mpdata_raw_frame *)mpdata_raw_array(
        r->distinct_pcs, sizeof(*raw->frames));
    if (raw->frames == NULL || sorted == NULL) {
        free(sorted);
        return mprof_fail(r->diag, MPROF_E_NOMEM, "LLVM raw stacks",
                          r->file_off + r->header.stacks_off);
    }
    memcpy(sorted, raw->segments, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_starts);
    for (uint64_t i = 0; i < r->distinct_pcs; i++) {
        while (next < count && sorted[next].start <= r->pcs[i])
            next++;
        raw->frames[i] =
            frame_of_pc(raw, next != 0 ? &sorted[next - 1] : NULL, r->pcs[i]);
    }
    raw->frame_count = (uint32_t)r->distinct_pcs;
    free(sorted);
    return MPROF_E_OK;
}

/* A chain of nodes per stack, outermost caller first. Nothing is shared here:
 * the profile that is made of it shares equal ends. */
static enum mprof_err build_nodes(struct reader *r)
{
    struct mpdata_raw *raw = &r->raw;

    raw->nodes = (struct mpdata_raw_node *)mpdata_raw_array(
        r->pc_count, sizeof(*raw->nodes));
    if (raw->nodes == NULL)
        return mprof_fail(r->diag, MPROF_E_NOMEM, "LLVM raw stacks",
                          r->file_off + r->header.stacks_off);
    for (uint64_t i = 0; i < r->stack_count; i++) {
        struct stack *stack = &r->stacks[i];

        for (uint64_t k = stack->pc_count; k-- > 0;) {
            const uint64_t pc = pc_at(stack, k);
            const uint64_t *at = (const uint64_t *)bsearch(
                &pc, r->pcs, (size_t)r->distinct_pcs, sizeof(pc), compare_pcs);

            raw->nodes[raw->node_count++] = (struct mpdata_raw_node){
                .parent = stack->leaf, .frame = (uint32_t)(at - r->pcs)};
            stack->leaf = raw->node_count;
        }
    }
    return MPROF_E_OK;
}

/* -- MIBs ------------------------------------------------------------------ */

static void read_mib(struct mprof_cursor *c, uint32_t max_tag,
                     struct mprof_mib *mib)
{
#define MPROF_MIB(tag, name, type, merge, unit, help)                 \
    if ((tag) <= max_tag)                                             \
        mib->name = MPROF_MIB_WIDTH_##type == 4 ? mprof_cursor_u32(c) \
                                                : mprof_cursor_u64(c);
#include "shared/MIBDef.inc"
#undef MPROF_MIB
    mib->AccessHistogram = 0;
    mib->TotalLifetimeNs = mprof_mul_sat_u64(mib->TotalLifetime, NS_PER_MS);
    mib->MinLifetimeNs = mib->MinLifetime * NS_PER_MS;
    mib->MaxLifetimeNs = mib->MaxLifetime * NS_PER_MS;
}

static unsigned cell_width(uint64_t version)
{
    return version >= 5 ? 2 : version == 4 ? 8 : 0;
}

static uint64_t cell_value(const uint8_t *bytes, unsigned width, uint64_t i)
{
    if (width == 2)
        return mprof_histcount_decode(
            (uint16_t)mprof_le_load(bytes + 2 * i, 2));
    return mprof_le_load64(bytes + 8 * i);
}

/* One MIB; *cells is its histogram in the file, or NULL. */
static void read_context(struct mprof_cursor *c, uint64_t version,
                         struct mpdata_raw_context *context,
                         const uint8_t **cells)
{
    const unsigned width = cell_width(version);

    context->id = mprof_cursor_u64(c);
    read_mib(c,
             version == 3 ? MPROF_MIB_LLVM_V3_TAG_MAX : MPROF_MIB_LLVM_TAG_MAX,
             &context->mib);
    *cells = NULL;
    if (context->mib.AccessHistogramSize != 0)
        *cells =
            mprof_cursor_bytes(c, context->mib.AccessHistogramSize * width);
}

static enum mprof_err find_stack(struct reader *r, const struct mprof_cursor *c,
                                 struct mpdata_raw_context *context)
{
    const struct stack key = {.id = context->id};
    const struct stack *const found = (const struct stack *)bsearch(
        &key, r->stacks, (size_t)r->stack_count, sizeof(key), compare_stacks);

    if (found == NULL)
        return mpdata_fail(r->diag, MPROF_E_REFERENCE, c->section,
                           c->file_off + c->pos, "no stack with id %" PRIu64,
                           context->id);
    context->node = found->leaf;
    return MPROF_E_OK;
}

/* Both passes over the section: the first counts cells (fill == false), the
 * second copies them. */
static enum mprof_err walk_mibs(struct reader *r, bool fill)
{
    struct mprof_cursor c = section_at(r, r->header.mibs_off, "LLVM raw MIBs");
    const uint64_t count = mprof_cursor_u64(&c);
    const unsigned width = cell_width(r->header.version);
    uint64_t *out = r->raw.cells;

    for (uint64_t i = 0; i < count; i++) {
        const struct mprof_cursor at = c;
        struct mpdata_raw_context context = {.node = 0};
        const uint8_t *cells;
        enum mprof_err err;

        read_context(&c, r->header.version, &context, &cells);
        if (c.err != MPROF_E_OK)
            return mprof_cursor_status(&c, r->diag);
        err = find_stack(r, &at, &context);
        if (err != MPROF_E_OK)
            return err;
        r->cell_count += fill ? 0 : context.mib.AccessHistogramSize;
        if (!fill)
            continue;
        if (cells != NULL) {
            context.cells = out;
            for (uint64_t k = 0; k < context.mib.AccessHistogramSize; k++)
                *out++ = cell_value(cells, width, k);
        }
        r->raw.contexts[i] = context;
    }
    return MPROF_E_OK;
}

static enum mprof_err read_mibs(struct reader *r)
{
    struct mprof_cursor c = section_at(r, r->header.mibs_off, "LLVM raw MIBs");
    const uint64_t count = mprof_cursor_u64(&c);
    const size_t bytes =
        8 + (r->header.version == 3 ? MPROF_RAW_LLVM_MIB_BYTES_V3
                                    : MPROF_RAW_LLVM_MIB_BYTES);
    struct mpdata_raw *raw = &r->raw;
    enum mprof_err err;

    if (!mprof_cursor_can_hold(&c, count, bytes))
        return mprof_cursor_status(&c, r->diag);
    err = walk_mibs(r, false);
    if (err != MPROF_E_OK)
        return err;
    raw->cells =
        (uint64_t *)mpdata_raw_array(r->cell_count, sizeof(*raw->cells));
    raw->contexts = (struct mpdata_raw_context *)mpdata_raw_array(
        count, sizeof(*raw->contexts));
    if (raw->cells == NULL || raw->contexts == NULL)
        return fail_at(r, &c, MPROF_E_NOMEM);
    raw->context_count = (uint32_t)count;
    return walk_mibs(r, true);
}

/* -- dumps ----------------------------------------------------------------- */

static void set_facts(struct reader *r)
{
    struct mpdata_raw *raw = &r->raw;

    raw->kind = MPROF_RUN_LLVM;
    raw->version = (uint32_t)r->header.version;
    for (size_t i = 0; i < MPDATA_RAW_METAS; i++)
        raw->texts[i] = (struct mpdata_str){.bytes = "", .size = 0};
    raw->numbers[MPROF_RAW_META_IS_RUN_ID] =
        mprof_checksum(r->data, (size_t)r->header.total_bytes);
    raw->numbers[MPROF_RAW_META_IS_CLOCK_RESOLUTION_NS] = NS_PER_MS;
    raw->numbers[MPROF_RAW_META_IS_CELL_BYTES] = r->cell_count != 0 ? 8 : 0;
}

/* One dump at data[0..size), of which it may be a part; *used bytes. */
static enum mprof_err read_dump(const uint8_t *data, size_t size,
                                uint64_t file_off, struct mpdata_raw *raw,
                                size_t *used, struct mprof_diag *diag)
{
    static enum mprof_err (*const steps[])(struct reader *) = {
        read_segments, read_stack_table, collect_pcs,
        build_frames,  build_nodes,      read_mibs};
    struct reader r = {.diag = diag};
    enum mprof_err err = read_header(&r, data, size, file_off);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(steps) && err == MPROF_E_OK; i++)
        err = steps[i](&r);
    free(r.stacks);
    free(r.pcs);
    if (err != MPROF_E_OK) {
        mpdata_raw_free(&r.raw);
        return err;
    }
    set_facts(&r);
    *raw = r.raw;
    *used = (size_t)r.header.total_bytes;
    return MPROF_E_OK;
}

static bool add_dump(struct mpdata_raw_file *file, const struct mpdata_raw *raw)
{
    struct mpdata_raw *const more = (struct mpdata_raw *)reallocarray(
        file->dumps, file->count + 1, sizeof(*more));

    if (more == NULL)
        return false;
    file->dumps = more;
    file->dumps[file->count++] = *raw;
    return true;
}

enum mprof_err mpdata_raw_read_llvm(const uint8_t *data, size_t size,
                                    struct mpdata_raw_file *file,
                                    struct mprof_diag *diag)
{
    struct mpdata_raw_file read = {.dumps = NULL};
    size_t done = 0;
    enum mprof_err err = MPROF_E_OK;

    if (size == 0)
        return mprof_fail(diag, MPROF_E_EMPTY, NULL, MPROF_DIAG_NO_OFFSET);
    while (err == MPROF_E_OK && done < size) {
        struct mpdata_raw raw;
        size_t used;

        err = read_dump(data + done, size - done, done, &raw, &used, diag);
        if (err != MPROF_E_OK)
            break;
        if (!add_dump(&read, &raw)) {
            mpdata_raw_free(&raw);
            err = mprof_fail(diag, MPROF_E_NOMEM, NULL, done);
        }
        done += used;
    }
    if (err == MPROF_E_OK)
        *file = read;
    else
        mpdata_raw_file_free(&read);
    return err;
}
