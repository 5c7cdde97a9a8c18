/* call_tree_test.c -- compares the call tree with sums that are computed in a
 * slow, simple way.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/call_tree.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static const enum mpdata_metric metrics[] = {MPDATA_METRIC_BLOCKS,
                                             MPDATA_METRIC_BYTES};

static struct mpdata_call_tree_of tree_of(enum mpdata_by by)
{
    return (struct mpdata_call_tree_of){
        .by = by, .metrics = metrics, .metric_count = MPROF_ARRAY_LEN(metrics)};
}

/* The node's depth, 0 for the root. */
static uint32_t depth_of(const struct mpdata_call_tree *t, uint32_t node)
{
    uint32_t depth = 0;

    for (; node != 0; node = t->nodes[node].parent)
        depth++;
    return depth;
}

/* Whether the outermost frames of a call stack are in the groups on the path to
 * a node. *is_end: whether it is the whole stack. */
static bool goes_through(const struct mpdata_view *view,
                         const struct mpdata_call_tree *t, mpdata_ref leaf,
                         uint32_t node, bool *is_end)
{
    uint32_t length = 0;
    uint32_t depth = depth_of(t, node);
    mpdata_ref at = leaf;

    for (mpdata_ref n = leaf; n != 0; n = view->nodes[n - 1].parent)
        length++;
    *is_end = length == depth;
    if (length < depth)
        return false;
    for (; length > depth; length--)
        at = view->nodes[at - 1].parent;
    for (; at != 0; at = view->nodes[at - 1].parent) {
        if (t->groups.of_frame[view->nodes[at - 1].frame] !=
            t->nodes[node].group)
            return false;
        node = t->nodes[node].parent;
    }
    return true;
}

static void check_node(const struct mpdata_view *view,
                       const struct mpdata_call_tree *t, uint32_t node)
{
    uint64_t self[2] = {0, 0};
    uint64_t total[2] = {0, 0};

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_context *const c = &view->contexts[i];
        bool is_end;

        if (!goes_through(view, t, c->node, node, &is_end))
            continue;
        for (size_t f = 0; f < MPROF_ARRAY_LEN(metrics); f++) {
            const uint64_t value = mpdata_metrics_value(view, i, metrics[f]);

            total[f] = mprof_add_sat_u64(total[f], value);
            if (is_end)
                self[f] = mprof_add_sat_u64(self[f], value);
        }
    }
    for (size_t f = 0; f < MPROF_ARRAY_LEN(metrics); f++) {
        assert_true(mpdata_call_tree_self(t, node, f) == self[f]);
        assert_true(mpdata_call_tree_total(t, node, f) == total[f]);
    }
}

/* Each node occurs once, below its parent, siblings in order. */
static void check_walk(const struct mpdata_call_tree *t)
{
    uint32_t seen = 1;
    uint32_t depth = 0;

    for (uint32_t at = mpdata_call_tree_next(t, 0, &depth); at != 0;
         at = mpdata_call_tree_next(t, at, &depth)) {
        const struct mpdata_call_node *const n = &t->nodes[at];

        seen++;
        assert_int_equal(depth, depth_of(t, at));
        assert_true(n->parent < at);
        if (n->sibling == 0)
            continue;
        assert_int_equal(t->nodes[n->sibling].parent, n->parent);
        assert_true(t->nodes[n->sibling].group != n->group);
        assert_true(mpdata_call_tree_total(t, at, 0) >=
                    mpdata_call_tree_total(t, n->sibling, 0));
    }
    assert_int_equal(depth, 0);
    assert_int_equal(seen, t->count);
}

/* What frames are grouped by. */
static const enum mpdata_by groupings[] = {MPDATA_BY_FUNCTION, MPDATA_BY_LINE,
                                           MPDATA_BY_FILE, MPDATA_BY_BINARY,
                                           MPDATA_BY_CALL};

static void each_node_has_what_goes_through_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = gen_canonical(seed, 40);
        const struct mpdata_view view = mpdata_profile_view(p);

        for (size_t n = 0; n < MPROF_ARRAY_LEN(groupings); n++) {
            const enum mpdata_by by = groupings[n];
            const struct mpdata_call_tree_of of = tree_of(by);
            struct mpdata_call_tree tree;

            assert_int_equal(mpdata_call_tree_make(&tree, p, &of), MPROF_E_OK);
            assert_int_equal(mpdata_call_tree_sort(&tree), MPROF_E_OK);
            for (uint32_t i = 0; i < tree.count; i++)
                check_node(&view, &tree, i);
            check_walk(&tree);
            mpdata_call_tree_fini(&tree);
        }
        mpdata_profile_free(p);
    }
}

static void skipping_leaves_out_what_is_below(void **state)
{
    struct mpdata_profile *p = gen_canonical(3, 40);
    const struct mpdata_call_tree_of of = tree_of(MPDATA_BY_FUNCTION);
    struct mpdata_call_tree tree;
    uint32_t depth = 1;
    uint32_t children = 0;

    (void)state;
    assert_int_equal(mpdata_call_tree_make(&tree, p, &of), MPROF_E_OK);
    for (uint32_t at = tree.nodes[0].child; at != 0;
         at = mpdata_call_tree_skip(&tree, at, &depth)) {
        assert_int_equal(depth, 1);
        children++;
    }
    assert_int_equal(depth, 0);
    assert_true(children != 0);
    assert_int_equal(children, tree.nodes[0].children);
    mpdata_call_tree_fini(&tree);
    mpdata_profile_free(p);
}

/* Trees of one function have the sums of the call stacks through it, and so
 * does each level of them together; the function does not occur again below or
 * above itself. */
static void a_function_counts_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct mpdata_profile *p = gen_canonical(seed, 60);
        const struct mpdata_view view = mpdata_profile_view(p);
        const mpdata_ref wanted = 1 + (mpdata_ref)(seed % view.function_count);
        bool *is_frame = (bool *)calloc(view.frame_count, sizeof(bool));
        struct mpdata_call_tree_of of = tree_of(MPDATA_BY_CALL);
        struct mpdata_call_tree trees[2];
        uint64_t through = 0;
        uint64_t at_leaf = 0;

        for (uint32_t i = 0; i < view.frame_count; i++)
            is_frame[i] = view.frames[i].function == wanted;
        for (uint32_t i = 0; i < view.context_count; i++) {
            const struct mpdata_context *const c = &view.contexts[i];
            mpdata_ref n = c->node;

            if (n != 0 && is_frame[view.nodes[n - 1].frame])
                at_leaf = mprof_add_sat_u64(
                    at_leaf,
                    mpdata_metrics_value(&view, i, MPDATA_METRIC_BYTES));
            while (n != 0 && !is_frame[view.nodes[n - 1].frame])
                n = view.nodes[n - 1].parent;
            if (n != 0)
                through = mprof_add_sat_u64(
                    through,
                    mpdata_metrics_value(&view, i, MPDATA_METRIC_BYTES));
        }
        of.is_frame = is_frame;
        assert_int_equal(mpdata_call_tree_make(&trees[0], p, &of), MPROF_E_OK);
        of.is_upwards = true;
        assert_int_equal(mpdata_call_tree_make(&trees[1], p, &of), MPROF_E_OK);
        assert_true(mpdata_call_tree_self(&trees[0], 0, 1) == at_leaf);
        for (size_t t = 0; t < MPROF_ARRAY_LEN(trees); t++) {
            assert_true(mpdata_call_tree_total(&trees[t], 0, 1) == through);
            for (uint32_t i = 1; i < trees[t].count; i++)
                assert_false(is_frame[trees[t].nodes[i].frame]);
            mpdata_call_tree_fini(&trees[t]);
        }
        free(is_frame);
        mpdata_profile_free(p);
    }
}

static uint32_t child_of_group(const struct mpdata_call_tree *t, uint32_t node,
                               uint32_t group)
{
    uint32_t child = t->nodes[node].child;

    while (child != 0 && t->nodes[child].group != group)
        child = t->nodes[child].sibling;
    return child;
}

/* The path from the root to each node of a tree, in a tree that has all
 * nodes. */
static void check_part(const struct mpdata_call_tree *part,
                       const struct mpdata_call_tree *all, double percent)
{
    uint32_t *const same = (uint32_t *)calloc(part->count, sizeof(*same));
    const uint64_t whole = mpdata_call_tree_total(all, 0, 0);
    uint32_t open = 0;

    assert_true((double)part->least <= (double)whole * percent / 100 ||
                part->least == 1);
    assert_true((double)(part->least + 1) > (double)whole * percent / 100);
    for (uint32_t i = 0; i < part->count; i++) {
        const struct mpdata_call_node *const n = &part->nodes[i];
        const bool is_open =
            i == 0 || mpdata_call_tree_total(part, i, 0) >= part->least;

        if (i != 0)
            same[i] = child_of_group(all, same[n->parent], n->group);
        assert_true(i == 0 || same[i] != 0);
        assert_int_equal(n->children,
                         is_open ? all->nodes[same[i]].children : 0);
        for (size_t k = 0; k < MPROF_ARRAY_LEN(metrics); k++) {
            assert_true(mpdata_call_tree_self(part, i, k) ==
                        mpdata_call_tree_self(all, same[i], k));
            assert_true(mpdata_call_tree_total(part, i, k) ==
                        mpdata_call_tree_total(all, same[i], k));
        }
        open += is_open;
    }
    for (uint32_t i = 0; i < all->count; i++)
        open -= i == 0 || mpdata_call_tree_total(all, i, 0) >= part->least;
    assert_int_equal(open, 0);
    free(same);
}

static void what_has_too_little_is_not_looked_into(void **state)
{
    static const double percents[] = {0.5, 5, 20, 100};

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = gen_canonical(seed, 60);
        struct mpdata_call_tree_of of = tree_of(MPDATA_BY_FUNCTION);
        struct mpdata_call_tree all;

        assert_int_equal(mpdata_call_tree_make(&all, p, &of), MPROF_E_OK);
        assert_true(all.least == 0);
        for (size_t i = 0; i < MPROF_ARRAY_LEN(percents); i++) {
            struct mpdata_call_tree part;

            of.percent = percents[i];
            assert_int_equal(mpdata_call_tree_make(&part, p, &of), MPROF_E_OK);
            check_part(&part, &all, percents[i]);
            mpdata_call_tree_fini(&part);
        }
        mpdata_call_tree_fini(&all);
        mpdata_profile_free(p);
    }
}

static void nothing_is_a_root(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const struct mpdata_call_tree_of of = tree_of(MPDATA_BY_CALL);
    struct mpdata_call_tree tree;
    uint32_t depth = 0;

    (void)state;
    assert_int_equal(mpdata_call_tree_make(&tree, p, &of), MPROF_E_OK);
    assert_int_equal(mpdata_call_tree_sort(&tree), MPROF_E_OK);
    assert_int_equal(tree.count, 1);
    assert_int_equal(mpdata_call_tree_next(&tree, 0, &depth), 0);
    mpdata_call_tree_fini(&tree);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_has_what_goes_through_it),
        cmocka_unit_test(skipping_leaves_out_what_is_below),
        cmocka_unit_test(a_function_counts_once),
        cmocka_unit_test(what_has_too_little_is_not_looked_into),
        cmocka_unit_test(nothing_is_a_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
