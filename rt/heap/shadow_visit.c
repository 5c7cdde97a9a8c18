/* shadow_visit.c -- visits the counters of a block one by one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/shadow_internal.h"
#include "rt/base/pages.h"
#include "shared/detail.h"

struct visit {
    mprt_shadow_cells_fn *visit;
    void *to;
    const char *base; /* first cell of the block */
};

/* Number of cells from this one on that one call of visit may get. */
static unsigned group_of(uint64_t cell, uint64_t end)
{
    return (unsigned)mprof_min_u64(end - cell,
                                   MPRT_SHADOW_CELLS_AT_ONCE -
                                       cell % MPRT_SHADOW_CELLS_AT_ONCE);
}

static inline MPRT_ALWAYS_INLINE bool is_any(const void *cells, size_t n)
{
    const uint8_t *const bytes = (const uint8_t *)cells;
    size_t i = 0;
    uint32_t any = 0;

    for (; i + sizeof(any) <= n; i += sizeof(any)) {
        uint32_t word;

        __builtin_memcpy(&word, bytes + i, sizeof(word));
        any |= word;
    }
    for (; i < n; i++)
        any |= bytes[i];
    return any != 0;
}

/* Whether any of n cells is not zero. A full group takes few instructions. */
#define IS_ANY(cells, n)                                                 \
    (MPROF_LIKELY((n) == MPRT_SHADOW_CELLS_AT_ONCE)                      \
         ? is_any(cells, MPRT_SHADOW_CELLS_AT_ONCE * sizeof((cells)[0])) \
         : is_any(cells, (n) * sizeof((cells)[0])))

static void visit_cells(void *context, const char *from, const char *to)
{
    const struct visit *const v = context;
    const uint8_t *const cells = (const uint8_t *)v->base;
    const uint64_t end = (uint64_t)(to - v->base);
    unsigned n;

    for (uint64_t cell = (uint64_t)(from - v->base); cell < end; cell += n) {
        uint32_t counts[MPRT_SHADOW_CELLS_AT_ONCE];

        n = group_of(cell, end);
        if (!IS_ANY(cells + cell, n))
            continue;
        for (unsigned i = 0; i < n; i++)
            counts[i] = cells[cell + i];
        v->visit(v->to, cell, counts, n);
    }
}

static void visit_wide_cells(void *context, const char *from, const char *to)
{
    const struct visit *const v = context;
    const uint32_t *const cells = (const uint32_t *)(const void *)v->base;
    const uint64_t end = (uint64_t)(to - v->base) / sizeof(*cells);
    unsigned n;

    for (uint64_t cell = (uint64_t)(from - v->base) / sizeof(*cells);
         cell < end; cell += n) {
        n = group_of(cell, end);
        if (IS_ANY(cells + cell, n))
            v->visit(v->to, cell, cells + cell, n);
    }
}

uint32_t mprt_shadow_cell_count(uint64_t size)
{
    const uint64_t bytes =
        mprt_shadow_has_fields ? MPROF_FIELDS_BYTES : MPROF_CELL_BYTES;
    const uint64_t side = mprt_shadow_has_fields ? MPROF_FIELDS_COUNTERS : 1;

    return (uint32_t)mprof_min_u64(side * (size / bytes + (size % bytes != 0)),
                                   UINT32_MAX);
}

void mprt_shadow_visit_cells(uintptr_t p, size_t size,
                             mprt_shadow_cells_fn *visit, void *to)
{
    const size_t count = mprt_shadow_cell_count(size);
    struct visit cells = {visit, to, (const char *)cell_of(p)};
    struct visit wide = {visit, to, (const char *)wide_cell_of(p)};

    if (mprt_shadow_mode != MPRT_SHADOW_HISTOGRAM)
        return;
    if (!mprt_shadow_has_fields)
        mprt_pages_visit(cells.base, cells.base + count, visit_cells, &cells);
    mprt_pages_visit(wide.base, wide.base + count * sizeof(uint32_t),
                     visit_wide_cells, &wide);
}

/* Counters of a block at p: `width` counters per granule, from `base` on. */
struct places {
    mprt_shadow_cells_fn *visit;
    void *to;
    const char *base;
    uintptr_t p;
    unsigned width;
};

static void visit_place(const struct places *v, uint64_t granule,
                        uint64_t count)
{
    const uint64_t start = granule * MPROF_GRANULE_BYTES;
    const uint64_t before = v->p % MPROF_GRANULE_BYTES;
    const uint64_t place =
        start > before ? (start - before) / MPROF_DETAIL_PLACE_BYTES : 0;

    while (count != 0) {
        const uint32_t part = (uint32_t)mprof_min_u64(count, UINT32_MAX);

        v->visit(v->to, place, &part, 1);
        count -= part;
    }
}

static void visit_counters(void *context, const char *from, const char *to)
{
    const struct places *const v = context;
    const uint64_t first = (uint64_t)(from - v->base) / sizeof(uint64_t);
    const uint64_t *const counters = (const uint64_t *)(const void *)v->base;
    const uint64_t end = (uint64_t)(to - v->base) / sizeof(uint64_t);

    for (uint64_t i = first; i < end; i++)
        visit_place(v, i / v->width, counters[i]);
}

void mprt_shadow_visit_places(uintptr_t p, size_t size,
                              mprt_shadow_cells_fn *visit, void *to)
{
    const uintptr_t end = end_of(p, size, MPROF_GRANULE_BYTES);
    struct places all = {visit, to, (const char *)mprt_shadow_counter_of(p), p,
                         1};
    struct places rw = {visit, to, (const char *)rw_counters_of(p), p, 2};

    if (mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM || size == 0)
        return;
    mprt_pages_visit(all.base, (const char *)mprt_shadow_counter_of(end),
                     visit_counters, &all);
    if (mprt_shadow_mode == MPRT_SHADOW_RW)
        mprt_pages_visit(rw.base, (const char *)rw_counters_of(end),
                         visit_counters, &rw);
}
