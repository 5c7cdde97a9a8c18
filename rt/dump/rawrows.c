/* rawrows.c -- lists the rows of CONTEXTS and TAGGED.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/mapbuf.h"
#include "rt/stack/depot.h"

/* Lists two rows per context: its ended blocks and its live blocks, if any.
 * are_parts: only tagged contexts; otherwise only the others. Returns the
 * number of rows. */
static uint32_t list_rows(const struct mprt_rawrows *r,
                          struct mprt_rawrow *rows, bool are_tagged_rows)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->snapshot->count; i++) {
        const uint32_t id = r->tree->order[i];
        struct mprt_rawrow row = {.context = r->snapshot->rows[id],
                                  .id = id,
                                  .leaf = r->tree->leaves[i]};

        if (mprt_depot_is_tagged(id) != are_tagged_rows)
            continue;
        if (mprt_context_has_blocks(&row.context))
            rows[count++] = row;
        row.context = r->snapshot->live[id];
        row.is_live = true;
        if (mprt_context_has_blocks(&row.context))
            rows[count++] = row;
    }
    return count;
}

static bool has_fields(const struct mprt_rawrows *rows)
{
    struct mprt_cells_reader reader;
    bool has_accesses = false;

    for (uint32_t i = 0;
         mprt_shadow_has_fields && !has_accesses && i < rows->context_count;
         i++) {
        uint64_t cell = 0;

        mprt_context_cells(&rows->rows[i].context, &reader);
        has_accesses = mprt_cells_next(&reader, &cell) != 0;
    }
    return has_accesses;
}

bool mprt_rawrows_init(struct mprt_rawrows *rows, const struct mprt_dump *dump,
                       const struct mprt_rawtree *tree)
{
    *rows = (struct mprt_rawrows){.snapshot = dump->snapshot, .tree = tree};
    rows->rows = mprt_mapbuf_new_array(2 * (size_t)rows->snapshot->count,
                                       sizeof(*rows->rows));
    if (rows->rows == NULL)
        return false;
    rows->context_count = list_rows(rows, rows->rows, false);
    rows->tagged_count =
        list_rows(rows, rows->rows + rows->context_count, true);
    rows->has_fields = has_fields(rows);
    return true;
}

void mprt_rawrows_free(struct mprt_rawrows *rows)
{
    if (rows->rows != NULL)
        mprt_mapbuf_free_array(rows->rows, 2 * (size_t)rows->snapshot->count,
                               sizeof(*rows->rows));
}
