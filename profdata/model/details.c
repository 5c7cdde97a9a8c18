/* details.c -- distributions of one call stack.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/details.h"

#include <string.h>

static bool is_before(const struct mpdata_detail *detail, mpdata_ref node,
                      uint32_t kind)
{
    return detail->node != node ? detail->node < node : detail->kind < kind;
}

struct mpdata_details mpdata_details_of(const struct mpdata_view *view,
                                        const struct mpdata_context *context,
                                        uint32_t kind)
{
    const struct mpdata_detail *const rows = view->details;
    uint32_t low = 0;
    uint32_t high = view->detail_count;
    uint32_t end;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (is_before(&rows[middle], context->node, kind))
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < view->detail_count &&
                    rows[end].node == context->node && rows[end].kind == kind;)
        end++;
    return (struct mpdata_details){.rows = rows + low, .count = end - low};
}

struct mpdata_details_idle
mpdata_details_idle(const struct mpdata_details *details, uint32_t from,
                    bool is_to_last)
{
    const struct mpdata_detail *const rows = details->rows;
    struct mpdata_details_idle sum = {.end = from};

    for (; sum.end < details->count &&
           (is_to_last || rows[sum.end].key >> MPROF_DETAIL_FINE_BITS ==
                              rows[from].key >> MPROF_DETAIL_FINE_BITS);
         sum.end++) {
        if (sum.end == from)
            sum.ns = mprof_detail_fine_low(rows[from].key);
        sum.blocks = mprof_add_sat_u64(sum.blocks, rows[sum.end].count);
        sum.bytes = mprof_add_sat_u64(sum.bytes, rows[sum.end].bytes);
    }
    return sum;
}

struct mpdata_details_contents
mpdata_details_contents(const struct mpdata_view *view,
                        const struct mpdata_context *context, uint32_t kind)
{
    const struct mpdata_details details =
        mpdata_details_of(view, context, kind);
    struct mpdata_details_contents sum = {.blocks = 0};

    for (uint32_t i = 0; i < details.count; i++) {
        const struct mpdata_detail *const row = &details.rows[i];

        sum.blocks = mprof_add_sat_u64(sum.blocks, row->count);
        sum.bytes = mprof_add_sat_u64(sum.bytes, row->bytes);
        if (row->key != 0) {
            sum.repeated_blocks = row->count;
            sum.repeated_bytes = row->bytes;
        }
    }
    return sum;
}

uint64_t mpdata_details_buckets(const struct mpdata_view *view,
                                const struct mpdata_context *context,
                                uint32_t kind,
                                uint64_t counts[MPROF_DETAIL_BUCKETS])
{
    const struct mprof_mib mib = mpdata_view_mib_of(view, context);
    const uint32_t only = mprof_detail_only(&mib, kind);
    uint64_t sum = 0;

    memset(counts, 0, MPROF_DETAIL_BUCKETS * sizeof(*counts));
    if (only != MPROF_DETAIL_BUCKETS)
        return counts[only] = mib.AllocCount;
    struct mpdata_details details = mpdata_details_of(view, context, kind);
    for (uint32_t i = 0; i < details.count; i++) {
        counts[details.rows[i].key] = details.rows[i].count;
        sum = mprof_add_sat_u64(sum, details.rows[i].count);
    }
    return sum;
}
