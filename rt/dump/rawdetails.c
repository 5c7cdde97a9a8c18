/* rawdetails.c -- distributions of contexts' blocks in a raw profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/mapbuf.h"
#include "shared/raw_format.h"

/* A row for each bucket or link of a context. Small, because there are many. */
struct detail_row {
    uint32_t context; /* CONTEXTS idx */
    uint32_t key;
    uint64_t count : 56;
    uint64_t kind : 8;
    uint64_t bytes;
};
_Static_assert(sizeof(struct detail_row) == 24, "no bytes for nothing");

struct details {
    const struct mprt_rawrows *of;
    struct detail_row *rows; /* NULL in the pass that counts */
    uint64_t count;
    uint64_t room;    /* room in rows */
    uint32_t *leaves; /* NODES idx + 1 by context; NULL until needed */
    bool failed;
};

static void put_detail(struct details *d, uint64_t row, uint32_t kind,
                       uint32_t key, uint64_t count, uint64_t bytes)
{
    if (d->count < d->room)
        d->rows[d->count] = (struct detail_row){.context = (uint32_t)row,
                                                .kind = (uint8_t)kind,
                                                .key = key,
                                                .count = count,
                                                .bytes = bytes};
    d->count++;
}

static void put_buckets(struct details *d,
                        const struct mprt_log2_counts_pool *pool,
                        const struct mprt_context *c, uint64_t row,
                        uint32_t kind)
{
    const uint64_t blocks = mprt_context_get(c, MPROF_MIB_INDEX_AllocCount);
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    if (!mprt_log2_counts_sum(pool, c->entry->log2_counts,
                              kind == MPROF_DETAIL_SIZE
                                  ? c->common_buckets.size
                                  : c->common_buckets.lifetime,
                              kind, blocks, counts))
        return;
    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++) {
        if (counts[i] != 0)
            put_detail(d, row, kind, i, counts[i], 0);
    }
}

static uint32_t leaf_of(struct details *d, uint32_t id)
{
    const struct mprt_rawtree *const tree = d->of->tree;

    if (d->leaves == NULL) {
        d->leaves = mprt_mapbuf_new_array(
            (size_t)d->of->snapshot->taken.last + 1, sizeof(*d->leaves));
        d->failed = d->failed || d->leaves == NULL;
        for (uint32_t i = 0; d->leaves != NULL && i < tree->count; i++)
            d->leaves[tree->order[i]] = tree->leaves[i];
    }
    return d->leaves != NULL && id <= d->of->snapshot->taken.last
               ? d->leaves[id]
               : 0;
}

static void put_links(struct details *d,
                      const struct mprt_log2_counts_pool *pool,
                      const struct mprt_context *c, uint64_t row)
{
    const struct mprt_log2_counts own_counts = c->entry->log2_counts;
    const struct mprt_log2_counts_link *link = NULL;

    while ((link = mprt_log2_counts_next_link(pool, own_counts, link)) !=
           NULL) {
        if (mprof_detail_is_stack(link->kind))
            put_detail(d, row, link->kind, leaf_of(d, link->key), link->count,
                       link->bytes);
        else if (mprof_detail_buckets(link->kind) != MPROF_DETAIL_BUCKETS)
            put_detail(d, row, link->kind, link->key, link->count, link->bytes);
    }
}

/* Links of a context that has live blocks only are in the row of its ended
 * blocks, which is not written. */
static void put_ended_links(struct details *d, uint64_t row)
{
    const struct mprt_snapshot *const s = d->of->snapshot;
    const struct mprt_context *const ended = &s->rows[d->of->rows[row].id];

    if (d->of->rows[row].is_live && ended->entry != NULL &&
        !mprt_context_has_blocks(ended))
        put_links(d, mprt_mibmap_counts(&s->taken, false), ended, row);
}

/* Adds places of accesses for a context without a histogram. */
static void put_places(struct details *d, const struct mprt_context *c,
                       uint64_t row)
{
    struct mprt_cells_reader reader = {.counts = NULL};
    uint64_t place = 0;
    uint64_t count;

    if (c->entry->mib.AccessHistogramSize != 0)
        return;
    reader.cells = c->entry->cells;
    while ((count = mprt_cells_next(&reader, &place)) != 0 &&
           place <= UINT32_MAX)
        put_detail(d, row, MPROF_DETAIL_PLACE, (uint32_t)place++, count, 0);
}

static void put_details(struct details *d)
{
    d->count = 0;
    for (uint64_t row = 0; row < d->of->context_count; row++) {
        const struct mprt_context *const c = &d->of->rows[row].context;
        const struct mprt_log2_counts_pool *const pool = mprt_mibmap_counts(
            &d->of->snapshot->taken, d->of->rows[row].is_live);

        put_buckets(d, pool, c, row, MPROF_DETAIL_SIZE);
        put_buckets(d, pool, c, row, MPROF_DETAIL_LIFETIME);
        put_links(d, pool, c, row);
        put_ended_links(d, row);
        put_places(d, c, row);
    }
}

static uint64_t get_detail(const void *context, uint32_t tag, uint64_t row)
{
    const struct detail_row *const detail =
        &((const struct details *)context)->rows[row];

    switch (tag) {
    case MPROF_RAW_DETAILS_CONTEXT:
        return detail->context;
    case MPROF_RAW_DETAILS_KIND:
        return detail->kind;
    case MPROF_RAW_DETAILS_KEY:
        return detail->key;
    case MPROF_RAW_DETAILS_COUNT:
        return detail->count;
    default:
        return detail->bytes;
    }
}

/* Two passes: the first counts the rows, the second makes them. The rows of a
 * snapshot do not change in between. */
bool mprt_rawdetails_add(const struct mprt_rawrows *of, struct mprof_buf *out,
                         struct mprof_dir *dir)
{
    struct details d = {.of = of};

    put_details(&d);
    const uint64_t count = d.count;
    if (count == 0)
        return !d.failed;
    d.rows = mprt_mapbuf_new_array(count, sizeof(*d.rows));
    d.room = d.rows != NULL ? count : 0;
    put_details(&d);
    const bool is_made = !d.failed && d.rows != NULL;
    if (is_made)
        mprt_rawpack_add(
            out, dir, MPROF_RAW_DETAILS,
            &(struct mprof_table_source){
                MPRT_RAWPACK_TAGS(MPROF_RAW_DETAILS_CONTEXT,
                                  MPROF_RAW_DETAILS_KIND, MPROF_RAW_DETAILS_KEY,
                                  MPROF_RAW_DETAILS_COUNT,
                                  MPROF_RAW_DETAILS_BYTES),
                .rows = count, .get = get_detail, .context = &d});
    mprt_mapbuf_free_array(d.rows, count, sizeof(*d.rows));
    mprt_mapbuf_free_array(d.leaves, (size_t)of->snapshot->taken.last + 1,
                           sizeof(*d.leaves));
    return is_made;
}
