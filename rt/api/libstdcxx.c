/* libstdcxx.c -- accesses by the functions of libstdc++ behind its iterators
 * and lists to nodes, and by dynamic_cast to objects. Instrumented code calls
 * these functions before it calls libstdc++'s, and they count what those are
 * about to access.
 *
 * Each value is read once, as by libstdc++'s code for x86-64.
 *
 * Source of the layouts: libstdc++'s ABI (bits/stl_tree.h: _Rb_tree_node_base,
 * bits/stl_list.h: _List_node_base), the C++ ABI (tables of virtual functions).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

struct tree_node {
    int color; /* 0: red */
    const struct tree_node *parent;
    const struct tree_node *left;
    const struct tree_node *right;
};

struct list_node {
    const struct list_node *next;
    const struct list_node *previous;
};

void __memprof_tree_next_v1(const struct tree_node *x);
void __memprof_tree_previous_v1(const struct tree_node *x);
void __memprof_list_hook_v1(const struct list_node *node,
                            const struct list_node *behind);
void __memprof_list_unhook_v1(const struct list_node *node);
void __memprof_list_transfer_v1(const struct list_node *to,
                                const struct list_node *first,
                                const struct list_node *end);
void __memprof_list_swap_v1(const struct list_node *a,
                            const struct list_node *b);
void __memprof_list_reverse_v1(const struct list_node *list);
void __memprof_dynamic_cast_v1(const intptr_t *const *object);

/* Counts a read of a member and returns its value. */
#define READ(member) (mprt_count_read(&(member), sizeof(member)), (member))
#define WRITE(member) mprt_count_write(&(member), sizeof(member))

MPRT_INTERFACE void __memprof_tree_next_v1(const struct tree_node *x)
{
    const struct tree_node *y;

    if (mprt_count_is_off())
        return;
    if ((y = READ(x->right)) != NULL) {
        while ((y = READ(y->left)) != NULL)
            ;
        return;
    }
    y = READ(x->parent);
    if (x != READ(y->right))
        return;
    do {
        x = y;
        y = READ(x->parent);
    } while (x == READ(y->right));
    (void)READ(x->right); /* is x the root, and y the end? */
}

MPRT_INTERFACE void __memprof_tree_previous_v1(const struct tree_node *x)
{
    const struct tree_node *y;

    if (mprt_count_is_off())
        return;
    if (READ(x->color) == 0) {
        y = READ(x->parent);
        if (x == READ(y->parent)) { /* x is the end */
            (void)READ(x->right);
            return;
        }
    }
    if ((y = READ(x->left)) != NULL) {
        while ((y = READ(y->right)) != NULL)
            ;
        return;
    }
    for (y = READ(x->parent); x == READ(y->left); y = READ(x->parent))
        x = y;
}

MPRT_INTERFACE void __memprof_list_hook_v1(const struct list_node *node,
                                           const struct list_node *behind)
{
    if (mprt_count_is_off())
        return;
    WRITE(node->next);
    WRITE(node->previous);
    WRITE(READ(behind->previous)->next);
    WRITE(behind->previous);
}

MPRT_INTERFACE void __memprof_list_unhook_v1(const struct list_node *node)
{
    if (mprt_count_is_off())
        return;
    WRITE(READ(node->previous)->next);
    WRITE(READ(node->next)->previous);
}

MPRT_INTERFACE void __memprof_list_transfer_v1(const struct list_node *to,
                                               const struct list_node *first,
                                               const struct list_node *end)
{
    if (mprt_count_is_off() || to == end)
        return;
    WRITE(READ(end->previous)->next);
    WRITE(READ(first->previous)->next);
    WRITE(READ(to->previous)->next);
    WRITE(to->previous);
    (void)READ(first->previous);
    WRITE(end->previous);
    WRITE(first->previous);
}

/* Counts that the first and the last node of a list get another neighbour. */
static void relink(const struct list_node *list, const struct list_node *first)
{
    if (first == list)
        return;
    WRITE(first->previous);
    WRITE(READ(list->previous)->next);
}

MPRT_INTERFACE void __memprof_list_swap_v1(const struct list_node *a,
                                           const struct list_node *b)
{
    if (mprt_count_is_off())
        return;
    const struct list_node *const of_a = READ(a->next);
    const struct list_node *const of_b = READ(b->next);

    if (of_a == a && of_b == b)
        return;
    relink(a, of_a);
    relink(b, of_b);
    WRITE(a->next);
    WRITE(a->previous);
    WRITE(b->next);
    WRITE(b->previous);
}

MPRT_INTERFACE void __memprof_list_reverse_v1(const struct list_node *list)
{
    const struct list_node *node = list;

    if (mprt_count_is_off())
        return;
    do {
        (void)READ(node->previous);
        (void)READ(node->previous); /* the library loads it again */
        WRITE(node->next);
        WRITE(node->previous);
        node = READ(node->next);
    } while (node != list);
}

/* The library finds the whole object by the offset in the table of virtual
 * functions, and compares the type there. */
MPRT_INTERFACE void __memprof_dynamic_cast_v1(const intptr_t *const *object)
{
    if (mprt_count_is_off())
        return;
    const intptr_t offset = READ(*object)[-2];

    (void)READ(
        *(const intptr_t *const *)((uintptr_t)object + (uintptr_t)offset));
}
