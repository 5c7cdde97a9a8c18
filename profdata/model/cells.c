/* cells.c -- histograms as runs of cells.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/cells.h"
#include "profdata/base/json_out.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_AT_ONCE 64u
/* The most cells without accesses that follow each other in a run. */
#define GAP_MAX MPDATA_CELLS_HEAD_WORDS

bool mpdata_cells_next_run(struct mpdata_cells *cells,
                           struct mpdata_cells_run *run)
{
    uint64_t *const words = cells->words;

    if (cells->count == 0)
        return false;
    *run = (struct mpdata_cells_run){.first = words[0],
                                     .count = words[1],
                                     .counts = words + MPDATA_CELLS_HEAD_WORDS};
    size_t used = MPDATA_CELLS_HEAD_WORDS + (size_t)run->count;
    cells->words += used;
    cells->count -= used;
    return true;
}

static bool next_cell(struct mpdata_cells_cursor *c)
{
    for (;;) {
        while (c->at < c->run.count && c->run.counts[c->at] == 0)
            c->at++;
        if (c->at < c->run.count)
            break;
        if (!mpdata_cells_next_run(&c->rest, &c->run)) {
            c->run.count = 0;
            return false;
        }
        c->at = 0;
    }
    c->cell = c->run.first + c->at;
    c->count = c->run.counts[c->at++];
    return true;
}

/* Of the cells for 8 bytes, each second one counts accesses that began before.
 */
bool mpdata_cells_next(struct mpdata_cells_cursor *c)
{
    const uint64_t cells = 2 * c->unit_cells;
    uint64_t group = 0;
    uint64_t sum = 0;

    while (next_cell(c)) {
        if (cells == 0)
            return true;
        if (sum != 0 && c->cell / cells != group) {
            c->at--; /* it is the next call's */
            break;
        }
        group = c->cell / cells;
        if (c->cell % 2 == 0)
            sum = mprof_add_sat_u64(sum, c->count);
    }
    c->cell = group;
    c->count = sum;
    return sum != 0;
}

static void put_as_8_bytes(struct mpdata_json_out *json,
                           struct mpdata_cells cells, unsigned unit_cells)
{
    struct mpdata_cells_cursor c = {.rest = cells, .unit_cells = unit_cells};
    uint64_t next = UINT64_MAX;

    while (mpdata_cells_next(&c)) {
        if (c.cell != next) {
            if (next != UINT64_MAX)
                mpdata_json_out_close_array(json);
            mpdata_json_out_open_array(json);
            mpdata_json_out_number(json, c.cell);
        }
        mpdata_json_out_number(json, c.count);
        next = c.cell + 1;
    }
    if (next != UINT64_MAX)
        mpdata_json_out_close_array(json);
}

void mpdata_cells_json(struct mpdata_json_out *json, struct mpdata_cells cells,
                       unsigned unit_cells)
{
    struct mpdata_cells_run run;

    mpdata_json_out_open_array(json);
    if (unit_cells != 0) {
        put_as_8_bytes(json, cells, unit_cells);
        cells.count = 0;
    }
    while (mpdata_cells_next_run(&cells, &run)) {
        mpdata_json_out_open_array(json);
        mpdata_json_out_number(json, run.first);
        for (uint64_t i = 0; i < run.count; i++)
            mpdata_json_out_number(json, run.counts[i]);
        mpdata_json_out_close_array(json);
    }
    mpdata_json_out_close_array(json);
}

/* -- building -------------------------------------------------------------- */

static bool make_room(struct mpdata_cells_builder *b, size_t words)
{
    const size_t capacity = mprof_max_u64(
        b->capacity + b->capacity / 2 + WORDS_AT_ONCE, b->count + words);
    uint64_t *more;

    if (b->failed || words <= b->capacity - b->count)
        return !b->failed;
    more = reallocarray(b->words, capacity, sizeof(*more));
    if (more == NULL) {
        b->failed = true;
        return false;
    }
    b->words = more;
    b->capacity = capacity;
    return true;
}

void mpdata_cells_add(struct mpdata_cells_builder *b, uint64_t cell,
                      uint64_t count)
{
    if (count == 0 || !make_room(b, MPDATA_CELLS_HEAD_WORDS + 1))
        return;
    if (b->end == 0 || cell - b->end > GAP_MAX) {
        b->run = b->count;
        b->words[b->count++] = cell;
        b->words[b->count++] = 0;
        b->end = cell;
    }
    for (; b->end < cell; b->end++)
        b->words[b->count++] = 0;
    b->words[b->count++] = count;
    b->end++;
    b->words[b->run + 1] = b->end - b->words[b->run];
}

size_t mpdata_cells_begin(struct mpdata_cells_builder *b)
{
    b->end = 0;
    return b->count;
}

void mpdata_cells_clear(struct mpdata_cells_builder *b)
{
    b->count = 0;
    b->end = 0;
}

struct mpdata_cells mpdata_cells_of(uint64_t *words, size_t first, size_t count)
{
    static uint64_t none[1];

    return (struct mpdata_cells){count != 0 ? words + first : none, count};
}

/* The only histogram of the builder, without spare capacity. */
static struct mpdata_cells finish(struct mpdata_cells_builder *b)
{
    uint64_t *less;

    if (b->failed || !make_room(b, 1)) {
        mpdata_cells_fini(b);
        return MPDATA_CELLS_NONE;
    }
    less = reallocarray(b->words, b->count + 1, sizeof(*less));
    return (struct mpdata_cells){less != NULL ? less : b->words, b->count};
}

void mpdata_cells_fini(struct mpdata_cells_builder *b)
{
    free(b->words);
    *b = (struct mpdata_cells_builder){.words = NULL};
}

/* -- sums ------------------------------------------------------------------ */

struct mpdata_cells mpdata_cells_sum(struct mpdata_cells a,
                                     struct mpdata_cells b)
{
    struct mpdata_cells_builder sum = {.words = NULL};
    struct mpdata_cells_cursor x = {.rest = a};
    struct mpdata_cells_cursor y = {.rest = b};
    bool has_x = mpdata_cells_next(&x);
    bool has_y = mpdata_cells_next(&y);

    make_room(&sum, a.count + b.count);
    while (has_x || has_y) {
        const bool takes_x = has_x && (!has_y || x.cell <= y.cell);
        const bool takes_y = has_y && (!has_x || y.cell <= x.cell);

        mpdata_cells_add(
            &sum, takes_x ? x.cell : y.cell,
            mprof_add_sat_u64(takes_x ? x.count : 0, takes_y ? y.count : 0));
        has_x = takes_x ? mpdata_cells_next(&x) : has_x;
        has_y = takes_y ? mpdata_cells_next(&y) : has_y;
    }
    return finish(&sum);
}

struct mpdata_cells mpdata_cells_copy(struct mpdata_cells cells)
{
    const struct mpdata_cells copy = {
        (uint64_t *)reallocarray(NULL, cells.count + 1, sizeof(*copy.words)),
        cells.count};

    if (copy.words != NULL && cells.count != 0)
        memcpy(copy.words, cells.words, cells.count * sizeof(*copy.words));
    return copy;
}

/* Moves to the run that contains all of `inner`; false if there is none. */
static bool find_holder(struct mpdata_cells *rest,
                        struct mpdata_cells_run *holder,
                        const struct mpdata_cells_run *inner)
{
    while (holder->first + holder->count <= inner->first) {
        if (!mpdata_cells_next_run(rest, holder))
            return false;
    }
    return holder->first <= inner->first &&
           inner->first - holder->first + inner->count <= holder->count;
}

static bool is_within(struct mpdata_cells a, struct mpdata_cells b)
{
    struct mpdata_cells_run holder = {.count = 0};
    struct mpdata_cells_run run;

    while (mpdata_cells_next_run(&b, &run)) {
        if (!find_holder(&a, &holder, &run))
            return false;
    }
    return true;
}

bool mpdata_cells_add_within(struct mpdata_cells a, struct mpdata_cells b)
{
    struct mpdata_cells_run holder = {.count = 0};
    struct mpdata_cells_run run;

    if (!is_within(a, b))
        return false;
    while (mpdata_cells_next_run(&b, &run) && find_holder(&a, &holder, &run)) {
        uint64_t *const into = holder.counts + (run.first - holder.first);

        for (uint64_t i = 0; i < run.count; i++)
            into[i] = mprof_add_sat_u64(into[i], run.counts[i]);
    }
    return true;
}
