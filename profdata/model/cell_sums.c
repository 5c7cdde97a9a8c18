/* cell_sums.c -- histograms that wait, the least of an owner's first, each of
 * more than twice the words of the one before: so many are added up at once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/cell_sums.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

/* What joins histograms of so few words never waits. */
#define SMALL_WORDS 1024u

struct sum {
    struct mpdata_cells cells; /* owned */
    uint32_t next;             /* of the same owner, + 1 */
};

struct mpdata_cell_sums {
    struct mpdata_vec heads; /* uint32_t by owner: the first sum, + 1; or 0 */
    struct mpdata_vec sums;  /* struct sum */
    uint32_t unused;         /* the first such sum, + 1 */
    bool failed;             /* no memory */
};

static struct sum *sum_at(const struct mpdata_cell_sums *s, uint32_t ref)
{
    return (struct sum *)s->sums.data + ref - 1;
}

/* The owner's first; NULL where nothing waits for it, or any behind it. */
static uint32_t *head_of(const struct mpdata_cell_sums *s, uint32_t owner)
{
    return owner < s->heads.count ? (uint32_t *)s->heads.data + owner : NULL;
}

/* -- one to another -------------------------------------------------------- */

static bool add(struct mpdata_cells *into, struct mpdata_cells cells)
{
    struct mpdata_cells sum;

    if (mpdata_cells_add_within(*into, cells))
        return true;
    sum = mpdata_cells_sum(*into, cells);
    if (sum.words == NULL)
        return false;
    free(into->words);
    *into = sum;
    return true;
}

/* Is it too little to be added at once? */
static bool waits(struct mpdata_cells into, struct mpdata_cells cells)
{
    return into.count > SMALL_WORDS && cells.count < into.count / 2;
}

/* -- what waits ------------------------------------------------------------ */

static bool make_heads(struct mpdata_cell_sums *s, uint32_t owner)
{
    while (s->heads.count <= owner) {
        if (mpdata_vec_push(&s->heads) == NULL)
            return false;
    }
    return true;
}

static bool push(struct mpdata_cell_sums *s, uint32_t owner,
                 struct mpdata_cells cells)
{
    uint32_t ref = s->unused;
    uint32_t *head;

    if (!make_heads(s, owner))
        return false;
    head = head_of(s, owner);
    if (ref != 0) {
        s->unused = sum_at(s, ref)->next;
    } else {
        if (mpdata_vec_push(&s->sums) == NULL)
            return false;
        ref = s->sums.count;
    }
    *sum_at(s, ref) = (struct sum){.cells = cells, .next = *head};
    *head = ref;
    return true;
}

/* The first's cells, which are the caller's now; none where nothing waits. */
static struct mpdata_cells pop(struct mpdata_cell_sums *s, uint32_t owner)
{
    uint32_t *const head = head_of(s, owner);
    struct mpdata_cells cells;
    uint32_t ref;

    if (head == NULL || *head == 0)
        return MPDATA_CELLS_NONE;
    ref = *head;
    cells = sum_at(s, ref)->cells;
    *head = sum_at(s, ref)->next;
    *sum_at(s, ref) = (struct sum){.next = s->unused};
    s->unused = ref;
    return cells;
}

/* Adds to *more what waits and is not more than twice that. */
static bool gather(struct mpdata_cell_sums *s, uint32_t owner,
                   struct mpdata_cells *more)
{
    const uint32_t *head = head_of(s, owner);
    bool is_ok = true;

    while (is_ok && head != NULL && *head != 0 &&
           sum_at(s, *head)->cells.count <= 2 * more->count) {
        struct mpdata_cells sum = pop(s, owner);

        is_ok = add(&sum, *more);
        free(more->words);
        *more = sum;
    }
    return is_ok;
}

/* -- for others ------------------------------------------------------------ */

struct mpdata_cell_sums *mpdata_cell_sums_new(void)
{
    struct mpdata_cell_sums *const sums =
        (struct mpdata_cell_sums *)calloc(1, sizeof(*sums));

    if (sums != NULL) {
        sums->heads.elem_bytes = sizeof(uint32_t);
        sums->sums.elem_bytes = sizeof(struct sum);
    }
    return sums;
}

void mpdata_cell_sums_free(struct mpdata_cell_sums *sums)
{
    if (sums == NULL)
        return;
    for (uint32_t ref = 1; ref <= sums->sums.count; ref++)
        free(sum_at(sums, ref)->cells.words);
    mpdata_vec_fini(&sums->heads);
    mpdata_vec_fini(&sums->sums);
    free(sums);
}

void mpdata_cell_sums_add(struct mpdata_cell_sums *sums, uint32_t owner,
                          struct mpdata_cells *into, struct mpdata_cells cells)
{
    struct mpdata_cells more;

    if (!waits(*into, cells)) {
        sums->failed |= !add(into, cells);
        return;
    }
    more = mpdata_cells_copy(cells);
    if (more.words == NULL || !gather(sums, owner, &more))
        sums->failed = true;
    else if (waits(*into, more) && push(sums, owner, more))
        return;
    else
        sums->failed |= !add(into, more);
    free(more.words);
}

void mpdata_cell_sums_flush(struct mpdata_cell_sums *sums,
                            struct mpdata_cells *first, size_t row_bytes)
{
    if (sums->heads.count == 0)
        return;
    for (uint32_t owner = 0; owner < sums->heads.count; owner++) {
        struct mpdata_cells *const into =
            (struct mpdata_cells *)((uint8_t *)first + owner * row_bytes);
        struct mpdata_cells more = pop(sums, owner);

        for (; more.words != NULL; more = pop(sums, owner)) {
            sums->failed |= !add(into, more);
            free(more.words);
        }
    }
    mpdata_vec_fini(&sums->heads);
}

void mpdata_cell_sums_drop(struct mpdata_cell_sums *sums, uint32_t owner)
{
    struct mpdata_cells more = pop(sums, owner);

    for (; more.words != NULL; more = pop(sums, owner))
        free(more.words);
}

bool mpdata_cell_sums_failed(const struct mpdata_cell_sums *sums)
{
    return sums->failed;
}
