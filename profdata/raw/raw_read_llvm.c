/* raw_read_llvm.c -- reads LLVM's raw profile (shared/raw_llvm.h), versions 3
 * to 5, into one struct mpdata_raw per dump.
 *
 * A dump has run-time addresses, and identifies binaries by build id alone. A
 * binary is a sequence of segments with the same load address and build id; the
 * first is the program. LLVM's runtime stores the load address, which is
 * subtracted to get link-time addresses; symbolize.c checks them against the
 * binary's program headers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"
#include "profdata/base/pairs.h"
#include "profdata/base/set.h"
#include "profdata/raw/raw.h"
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

/* A call stack of the file and its leaf node. */
struct stack {
    uint64_t id;
    mpdata_ref leaf;
};

struct reader {
    const uint8_t *data; /* of the dump */
    struct header header;
    struct mprof_diag *diag;
    struct mpdata_raw raw;
    struct mpdata_set stacks;  /* struct stack, by id */
    struct mpdata_set pcs;     /* uint64_t: the frames */
    struct mpdata_pairs nodes; /* parent, frame */
    /* The previous stack: the next one mostly has the same outermost frames. */
    const uint8_t *last_pcs;
    uint64_t last_count;
    struct mpdata_vec path; /* uint32_t: its nodes, root first */
    uint64_t bucket_count;
};

static struct mprof_cursor section_at(const struct reader *r, uint64_t off,
                                      const char *name)
{
    struct mprof_cursor c =
        mprof_cursor_over(r->data, (size_t)r->header.total_bytes, 0, name);

    mprof_cursor_seek(&c, off);
    return c;
}

static enum mprof_err fail_at(struct reader *r, const struct mprof_cursor *c,
                              enum mprof_err err)
{
    return mprof_err_fail(r->diag, err, c->section, c->file_off + c->pos);
}

/* -- header ---------------------------------------------------------------- */

static enum mprof_err read_header(struct reader *r, const uint8_t *data,
                                  size_t size)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, "LLVM raw header");
    struct header *h = &r->header;

    if (mprof_cursor_u64(&c) != MPROF_RAW_LLVM_MAGIC) {
        c.pos -= c.err == MPROF_E_OK ? 8 : 0;
        mprof_cursor_fail(&c, MPROF_E_MAGIC);
    }
    h->version = mprof_cursor_u64(&c);
    if (c.err == MPROF_E_OK && (h->version < MPROF_RAW_LLVM_VERSION_MIN ||
                                h->version > MPROF_RAW_LLVM_VERSION))
        return mpdata_diag_fail(
            r->diag, MPROF_E_VERSION, c.section, 8,
            "version %" PRIu64 "; versions %d to %d are read", h->version,
            MPROF_RAW_LLVM_VERSION_MIN, MPROF_RAW_LLVM_VERSION);
    h->total_bytes = mprof_cursor_u64(&c);
    h->segments_off = mprof_cursor_u64(&c);
    h->mibs_off = mprof_cursor_u64(&c);
    h->stacks_off = mprof_cursor_u64(&c);
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, r->diag);
    if (h->total_bytes < MPROF_RAW_LLVM_HEADER_BYTES ||
        h->total_bytes % MPROF_RAW_LLVM_ALIGN != 0)
        return mpdata_diag_fail(r->diag, MPROF_E_VALUE, c.section, 16,
                                "a dump of %" PRIu64 " bytes", h->total_bytes);
    if (h->total_bytes > size)
        return mpdata_diag_fail(r->diag, MPROF_E_TRUNCATED, c.section, 16,
                                "the dump has %" PRIu64 " bytes, the file %zu",
                                h->total_bytes, size);
    r->data = data;
    return MPROF_E_OK;
}

/* -- segments and binaries ------------------------------------------------ */

static bool is_same_module(const struct mpdata_raw_module *module,
                           uint64_t base, const uint8_t *id, uint64_t id_size)
{
    return module->bias == base && module->build_id.size == id_size &&
           memcmp(module->build_id.bytes, id, (size_t)id_size) == 0;
}

/* Returns the binary of a segment; appends it if new. Segments of one binary
 * are adjacent. */
static uint32_t module_of_segment(struct mpdata_raw *raw, uint64_t base,
                                  const uint8_t *id, uint64_t id_size)
{
    if (raw->module_count != 0 &&
        is_same_module(&raw->modules[raw->module_count - 1], base, id, id_size))
        return raw->module_count - 1;
    char *copy = raw->strings + (size_t)raw->module_count *
                                    (MPROF_RAW_LLVM_BUILD_ID_BYTES + 1);
    memcpy(copy, id, (size_t)id_size);
    struct mpdata_raw_module *module = &raw->modules[raw->module_count];
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
    raw->segments = mpdata_raw_array(count, sizeof(*raw->segments));
    raw->modules = mpdata_raw_array(count, sizeof(*raw->modules));
    raw->strings = mpdata_raw_array(count, MPROF_RAW_LLVM_BUILD_ID_BYTES + 1);
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

static enum mprof_err no_memory(struct reader *r)
{
    return mprof_err_fail(r->diag, MPROF_E_NOMEM, "LLVM raw stacks",
                          r->header.stacks_off);
}

static uint64_t pc_at(const uint8_t *pcs, uint64_t i)
{
    return mprof_le_load64(pcs + 8 * i);
}

/* Counts the outermost frames that equal those of the previous stack: four at a
 * time, then one by one. */
static uint64_t count_shared(const struct reader *r, const uint8_t *pcs,
                             uint64_t count)
{
    const uint64_t max = mprof_min_u64(count, r->last_count);
    const uint8_t *a = pcs + 8 * count;
    const uint8_t *b = r->last_pcs + 8 * r->last_count;
    uint64_t n = 0;

    while (n + 4 <= max && memcmp(a - 32, b - 32, 32) == 0) {
        n += 4;
        a -= 32;
        b -= 32;
    }
    while (n < max && memcmp(a - 8, b - 8, 8) == 0) {
        n++;
        a -= 8;
        b -= 8;
    }
    return n;
}

/* Adds the nodes of one stack, outermost caller first; *leaf is its leaf. */
static enum mprof_err add_stack(struct reader *r, const uint8_t *pcs,
                                uint64_t count, mpdata_ref *leaf)
{
    const uint64_t shared = count_shared(r, pcs, count);
    uint32_t *path;

    if (count > MPDATA_VEC_ROWS_MAX ||
        (count > r->path.capacity &&
         !mpdata_vec_reserve(&r->path, (uint32_t)count)))
        return no_memory(r);
    path = r->path.data;
    uint32_t node = shared != 0 ? path[shared - 1] : 0;
    for (uint64_t k = shared; k < count; k++) {
        const uint64_t pc = pc_at(pcs, count - 1 - k);
        const uint32_t frame = mpdata_set_add(&r->pcs, &pc, NULL);

        node = frame != 0 ? mpdata_pairs_add(&r->nodes, node, frame - 1) : 0;
        if (node == 0)
            return no_memory(r);
        path[k] = node;
    }
    r->last_pcs = pcs;
    r->last_count = count;
    *leaf = node;
    return MPROF_E_OK;
}

static const struct stack *find_stack(const struct reader *r, uint64_t id)
{
    const uint32_t found =
        mpdata_set_find(&r->stacks, &(struct stack){.id = id});

    return found != 0 ? (const struct stack *)r->stacks.rows.data + found - 1
                      : NULL;
}

static enum mprof_err read_stacks(struct reader *r)
{
    struct mprof_cursor c =
        section_at(r, r->header.stacks_off, "LLVM raw stacks");
    enum mprof_err err = MPROF_E_OK;

    uint64_t stack_count = mprof_cursor_u64(&c);
    if (!mprof_cursor_can_hold(&c, stack_count, STACK_BYTES_MIN))
        return mprof_cursor_status(&c, r->diag);
    for (uint64_t i = 0; i < stack_count && err == MPROF_E_OK; i++) {
        struct stack stack;
        const uint64_t id = mprof_cursor_u64(&c);
        const uint64_t count = mprof_cursor_u64(&c);

        if (!mprof_cursor_can_hold(&c, count, 8))
            return mprof_cursor_status(&c, r->diag);
        if (find_stack(r, id) != NULL)
            return mpdata_diag_fail(r->diag, MPROF_E_DUPLICATE, c.section,
                                    r->header.stacks_off, "stack id %" PRIu64,
                                    id);
        const uint8_t *pcs = mprof_cursor_bytes(&c, count * 8);
        stack.id = id;
        err = add_stack(r, pcs, count, &stack.leaf);
        if (err == MPROF_E_OK && mpdata_set_add(&r->stacks, &stack, NULL) == 0)
            err = no_memory(r);
    }
    return err;
}

/* -- frames ---------------------------------------------------------------- */

/* Compares pairs of a program counter and its number. */
static int compare_pcs(const void *a, const void *b)
{
    return mprof_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

MPROF_COMPARATOR(compare_starts, struct mpdata_raw_segment, MPROF_UP(start))

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

/* Fills frames by ascending program counters in one pass over the segments. */
static void fill_frames(struct mpdata_raw *raw,
                        const struct mpdata_raw_segment *segments,
                        const uint64_t *sorted)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < raw->frame_count; i++) {
        const uint64_t pc = sorted[2 * (size_t)i];

        while (next < raw->segment_count && segments[next].start <= pc)
            next++;
        raw->frames[i] =
            frame_of_pc(raw, next != 0 ? &segments[next - 1] : NULL, pc);
    }
}

/* Frees what only reading stacks needs. */
static void drop_indexes(struct reader *r)
{
    mpdata_set_fini(&r->pcs);
    mpdata_vec_fini(&r->path);
    mpdata_pairs_fini(&r->nodes);
}

/* Numbers the frames by program counter and moves the nodes to the dump. */
static enum mprof_err build_frames(struct reader *r)
{
    struct mpdata_raw *raw = &r->raw;
    const uint32_t count = r->pcs.rows.count;
    const uint64_t *pcs = r->pcs.rows.data;
    uint64_t *sorted = mpdata_raw_array(2 * (uint64_t)count, 8);
    uint32_t *ranks = mpdata_raw_array(count, sizeof(*ranks));
    struct mpdata_raw_segment *segments =
        mpdata_raw_array(raw->segment_count, sizeof(*segments));
    enum mprof_err err = MPROF_E_OK;

    raw->frames = mpdata_raw_array(count, sizeof(*raw->frames));
    if (raw->frames == NULL || sorted == NULL || ranks == NULL ||
        segments == NULL) {
        err = no_memory(r);
        goto out;
    }
    memcpy(segments, raw->segments, raw->segment_count * sizeof(*segments));
    qsort(segments, raw->segment_count, sizeof(*segments), compare_starts);
    for (uint32_t i = 0; i < count; i++) {
        sorted[2 * (size_t)i] = pcs[i];
        sorted[2 * (size_t)i + 1] = i;
    }
    qsort(sorted, count, 2 * sizeof(*sorted), compare_pcs);
    for (uint32_t i = 0; i < count; i++)
        ranks[sorted[2 * (size_t)i + 1]] = i;
    raw->frame_count = count;
    fill_frames(raw, segments, sorted);
    raw->nodes = r->nodes.rows.data;
    raw->node_count = r->nodes.rows.count;
    r->nodes.rows = (struct mpdata_vec){.data = NULL};
    for (uint32_t i = 0; i < raw->node_count; i++)
        raw->nodes[i].frame = ranks[raw->nodes[i].frame];
    /* Frees memory for the contexts, which are next. */
    drop_indexes(r);
out:
    free(segments);
    free(ranks);
    free(sorted);
    return err;
}

/* -- MIBs ------------------------------------------------------------------ */

static unsigned bucket_width(uint64_t version)
{
    return version >= 5 ? 2 : version == 4 ? 8 : 0;
}

static uint64_t bucket_value(const uint8_t *bytes, unsigned width, uint64_t i)
{
    if (width == 2)
        return mprof_histcount_decode(
            (uint16_t)mprof_le_load(bytes + 2 * i, 2));
    return mprof_le_load64(bytes + 8 * i);
}

/* Number of buckets of a packed MIB of version 4 or later. */
static uint64_t histogram_size(const uint8_t *mib)
{
    return mprof_le_load32(mib + MPROF_RAW_LLVM_MIB_BYTES_V3);
}

/* Reads one context; counts the buckets after its MIB. */
static enum mprof_err read_context(struct reader *r, struct mprof_cursor *c,
                                   size_t mib_bytes,
                                   struct mpdata_raw_context *context)
{
    const struct mprof_cursor start = *c;
    const unsigned width = bucket_width(r->header.version);

    context->id = mprof_cursor_u64(c);
    context->mib_off = c->pos;
    const uint8_t *mib = mprof_cursor_bytes(c, mib_bytes);
    if (mib == NULL)
        return mprof_cursor_status(c, r->diag);
    context->blocks = mprof_le_load32(mib);
    uint64_t buckets = width != 0 ? histogram_size(mib) : 0;
    if (buckets != 0 && mprof_cursor_bytes(c, buckets * width) == NULL)
        return mprof_cursor_status(c, r->diag);
    const struct stack *stack = find_stack(r, context->id);
    if (stack == NULL)
        return mpdata_diag_fail(r->diag, MPROF_E_REFERENCE, c->section,
                                start.file_off + start.pos,
                                "no stack with id %" PRIu64, context->id);
    context->node = stack->leaf;
    r->bucket_count += buckets;
    return MPROF_E_OK;
}

static enum mprof_err read_buckets(struct reader *r, size_t mib_bytes)
{
    struct mpdata_raw *raw = &r->raw;
    const unsigned width = bucket_width(r->header.version);
    struct mpdata_cells_builder cells = {.words = NULL};

    for (uint32_t i = 0; r->bucket_count != 0 && i < raw->context_count; i++) {
        struct mpdata_raw_context *context = &raw->contexts[i];
        const uint8_t *mib = r->data + context->mib_off;
        const uint64_t size = histogram_size(mib);

        context->has_cells = size != 0;
        context->cells_first = mpdata_cells_begin(&cells);
        for (uint64_t k = 0; k < size; k++)
            mpdata_cells_add(&cells, k,
                             bucket_value(mib + mib_bytes, width, k));
        context->cells_count = cells.count - context->cells_first;
    }
    raw->cell_words = cells.words;
    return cells.failed ? mprof_err_fail(r->diag, MPROF_E_NOMEM,
                                         "LLVM raw MIBs", r->header.mibs_off)
                        : MPROF_E_OK;
}

static enum mprof_err read_mibs(struct reader *r)
{
    struct mprof_cursor c = section_at(r, r->header.mibs_off, "LLVM raw MIBs");
    const uint64_t count = mprof_cursor_u64(&c);
    const size_t bytes = r->header.version == 3 ? MPROF_RAW_LLVM_MIB_BYTES_V3
                                                : MPROF_RAW_LLVM_MIB_BYTES;
    struct mpdata_raw *raw = &r->raw;

    if (!mprof_cursor_can_hold(&c, count, 8 + bytes))
        return mprof_cursor_status(&c, r->diag);
    raw->contexts = mpdata_raw_array(count, sizeof(*raw->contexts));
    if (raw->contexts == NULL)
        return fail_at(r, &c, MPROF_E_NOMEM);
    for (uint64_t i = 0; i < count; i++) {
        const enum mprof_err err =
            read_context(r, &c, bytes, &raw->contexts[i]);

        if (err != MPROF_E_OK)
            return err;
    }
    raw->context_count = (uint32_t)count;
    raw->stack_count = (uint32_t)count;
    raw->packed_mibs = r->data;
    return read_buckets(r, bytes);
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
    raw->numbers[MPROF_RAW_META_IS_CELL_BYTES] = r->bucket_count != 0 ? 8 : 0;
}

enum mprof_err mpdata_raw_read_llvm_dump(const uint8_t *data, size_t size,
                                         struct mpdata_raw *raw, size_t *used,
                                         struct mprof_diag *diag)
{
    static enum mprof_err (*const steps[])(struct reader *) = {
        read_segments, read_stacks, build_frames, read_mibs};
    struct reader r = {.diag = diag,
                       .last_pcs = data,
                       .path = {.elem_bytes = sizeof(uint32_t)}};
    enum mprof_err err = read_header(&r, data, size);

    mpdata_set_init(&r.stacks, MPDATA_SET_KEY(struct stack, id),
                    sizeof(struct stack));
    mpdata_set_init(&r.pcs, sizeof(uint64_t), sizeof(uint64_t));
    mpdata_pairs_init(&r.nodes);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(steps) && err == MPROF_E_OK; i++)
        err = steps[i](&r);
    mpdata_set_fini(&r.stacks);
    drop_indexes(&r);
    if (err != MPROF_E_OK) {
        mpdata_raw_free(&r.raw);
        return err;
    }
    set_facts(&r);
    *raw = r.raw;
    *used = (size_t)r.header.total_bytes;
    return MPROF_E_OK;
}
