/* pairing_ways.c -- call stacks of two profiles as ways through one tree.
 *
 * The tree is made from its root on, depth first. What is not done yet is a
 * stack of its nodes, each with a list of the nodes of both profiles, its
 * places, that are reached by the same calls. A node's children are numbered
 * one after the other, so one number a call says which of them it leads to;
 * with a hash table for (node, call) in its place, this took eight times as
 * long.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/pairing_ways.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

#define NO_PLACE UINT64_MAX

struct way {
    uint32_t number;
    uint64_t first; /* places: nodes, twice their number and the side */
    uint64_t last;
};

struct forest {
    const struct mpdata_pairing_ways_side *side;
    uint32_t *end;    /* by node: the first behind what is below it */
    uint32_t *owners; /* by ref of a node: its context + 1 */
    uint64_t *next;   /* by node: the next place of its list */
};

struct maker {
    struct forest forests[2];
    struct mpdata_vec open; /* struct way */
    uint32_t *made;         /* by call: the last way that it ends */
    uint32_t count;         /* of ways */
};

static struct way *push(struct maker *m, uint32_t number)
{
    struct way *const way = (struct way *)mpdata_vec_push(&m->open);

    if (way != NULL)
        *way = (struct way){number, NO_PLACE, NO_PLACE};
    return way;
}

static void add_place(struct maker *m, struct way *way, uint64_t place)
{
    m->forests[place & 1].next[place >> 1] = NO_PLACE;
    if (way->first == NO_PLACE)
        way->first = place;
    else
        m->forests[way->last & 1].next[way->last >> 1] = place;
    way->last = place;
}

/* The way on by a call, from one whose ways on are numbered from `first` and
 * lie in m->open from `base` on; NULL without memory. */
static struct way *go_on(struct maker *m, uint32_t call, uint32_t first,
                         uint32_t base)
{
    if (m->made[call] < first) {
        if (push(m, m->count) == NULL)
            return NULL;
        m->made[call] = m->count++;
    }
    return (struct way *)m->open.data + base + (m->made[call] - first);
}

/* What a place calls and allocates. */
static bool go_on_from(struct maker *m, uint64_t place, uint32_t first,
                       uint32_t base)
{
    const struct forest *const f = &m->forests[place & 1];
    const uint32_t node = (uint32_t)(place >> 1);
    const uint32_t owner = f->owners[node + 1];
    struct way *way;

    for (uint32_t i = node + 1; i < f->end[node]; i = f->end[i]) {
        if (f->side->calls[i] == MPDATA_PAIRING_WAYS_START)
            continue;
        way = go_on(m, f->side->calls[i], first, base);
        if (way == NULL)
            return false;
        add_place(m, way, (uint64_t)i << 1 | (place & 1));
    }
    if (owner == 0)
        return true;
    way = go_on(m, f->side->stacks[owner - 1], first, base);
    if (way != NULL)
        f->side->stacks[owner - 1] = way->number;
    return way != NULL;
}

static bool number_ways(struct maker *m)
{
    while (m->open.count != 0) {
        const uint32_t base = m->open.count - 1;
        const uint32_t first = m->count;
        uint64_t place = ((const struct way *)m->open.data)[base].first;
        uint64_t next;

        m->open.count = base;
        for (; place != NO_PLACE; place = next) {
            next = m->forests[place & 1].next[place >> 1];
            if (!go_on_from(m, place, first, base))
                return false;
        }
    }
    return true;
}

/* All call stacks of both profiles begin in one place. */
static bool add_start(struct maker *m)
{
    struct way *const way = push(m, m->count++);

    for (uint64_t side = 0; way != NULL && side < 2; side++) {
        const struct mpdata_pairing_ways_side *const s = m->forests[side].side;

        for (uint32_t i = 0; i < s->view->node_count; i++) {
            if (s->calls[i] == MPDATA_PAIRING_WAYS_START)
                add_place(m, way, (uint64_t)i << 1 | side);
        }
    }
    return way != NULL;
}

static bool open_forest(struct forest *f)
{
    const struct mpdata_view *const view = f->side->view;
    const size_t nodes = (size_t)view->node_count + 1;

    f->end = (uint32_t *)mpdata_vec_array(nodes, sizeof(*f->end));
    f->owners = (uint32_t *)mpdata_vec_array(nodes, sizeof(*f->owners));
    f->next = (uint64_t *)mpdata_vec_array(nodes, sizeof(*f->next));
    if (f->end == NULL || f->owners == NULL || f->next == NULL)
        return false;
    for (uint32_t i = 0; i < view->context_count; i++) {
        f->owners[view->contexts[i].node] = i + 1;
        if (view->contexts[i].node == 0)
            f->side->stacks[i] = UINT32_MAX;
    }
    for (uint32_t i = view->node_count; i-- > 0;) {
        const mpdata_ref up = view->nodes[i].parent;

        f->end[i] = (uint32_t)mprof_max_u64(f->end[i], i + 1);
        if (up != 0)
            f->end[up - 1] = (uint32_t)mprof_max_u64(f->end[up - 1], f->end[i]);
    }
    return true;
}

enum mprof_err
mpdata_pairing_ways_number(const struct mpdata_pairing_ways_side sides[2],
                           uint32_t call_count, uint32_t *stack_count)
{
    struct maker m = {
        .forests = {{.side = &sides[0]}, {.side = &sides[1]}},
        .open = {.elem_bytes = sizeof(struct way)},
        .made = (uint32_t *)mpdata_vec_array(call_count, sizeof(*m.made))};
    const bool is_done = m.made != NULL && open_forest(&m.forests[0]) &&
                         open_forest(&m.forests[1]) && add_start(&m) &&
                         number_ways(&m);

    *stack_count = m.count;
    for (int side = 0; side < 2; side++) {
        free(m.forests[side].end);
        free(m.forests[side].owners);
        free(m.forests[side].next);
    }
    free(m.made);
    mpdata_vec_fini(&m.open);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
