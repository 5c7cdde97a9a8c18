/* symbolize_test.c -- tests raw dumps as profiles without names: the shape of
 * call stacks, runs, flags. test/profdata tests names, where the symbolizer can
 * be loaded.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/symbolize.h"
#include "profdata/model/content.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

/* Stacks 0x10 <- 0x30 and 0x20 <- 0x30, one of no binary, an empty one. */
static struct mpdata_raw_module module = {.path = {"[vdso]", 6},
                                          .build_id = {"id", 2}};
static struct mpdata_raw_frame frames[] = {
    {0x10, 1}, {0x20, 1}, {0x30, 1}, {0x99, 0}};
static struct mpdata_raw_node nodes[] = {{0, 2}, {1, 0}, {1, 1}, {0, 3}};
static uint64_t cell_words[] = {0, 2, 5, 6};
static struct mpdata_raw_context contexts[] = {
    {.id = 0, .node = 2, .blocks = 1, .has_cells = true, .cells_count = 4},
    {.id = 1, .node = 3, .blocks = 2, .flags = MPROF_RAW_CONTEXT_FL_TRUNCATED},
    {.id = 2, .node = 4, .blocks = 4},
    {.id = 3, .node = 0, .blocks = 8}};
static const struct mprof_mib mibs[] = {
    {.AllocCount = 1, .TotalSize = 10, .AccessHistogramSize = 2},
    {.AllocCount = 2, .TotalSize = 20},
    {.AllocCount = 4, .TotalSize = 40},
    {.AllocCount = 8, .TotalSize = 80}};
static uint64_t values[MPROF_MIB_FIELDS][MPROF_ARRAY_LEN(mibs)];
static struct mpdata_mib_columns columns;

/* The MIBs as columns. */
static void make_columns(void)
{
    columns.count = MPROF_MIB_FIELDS;
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        for (size_t i = 0; i < MPROF_ARRAY_LEN(mibs); i++)
            values[f][i] = mprof_mib_get(&mibs[i], f);
        columns.fields[f] = f;
        columns.columns[f] =
            (struct mprof_column){.data = (const uint8_t *)values[f],
                                  .rows = MPROF_ARRAY_LEN(mibs),
                                  .width = 8};
    }
}

static struct mpdata_raw make_dump(void)
{
    struct mpdata_raw raw = {.kind = MPROF_RUN_MEMPROF,
                             .modules = &module,
                             .module_count = 1,
                             .frames = frames,
                             .frame_count = 4,
                             .nodes = nodes,
                             .node_count = 4,
                             .contexts = contexts,
                             .context_count = 4,
                             .cell_words = cell_words,
                             .mib_columns = &columns};

    make_columns();
    for (size_t i = 0; i < MPDATA_RAW_METAS; i++)
        raw.texts[i] = (struct mpdata_str){"", 0};
    raw.numbers[MPROF_RAW_META_IS_RUN_ID] = 77;
    raw.numbers[MPROF_RAW_META_IS_PID] = 5;
    raw.texts[MPROF_RAW_META_IS_EXECUTABLE] = (struct mpdata_str){"/bin/x", 6};
    return raw;
}

static const struct mpdata_context *find_context(const struct mpdata_view *view,
                                                 uint64_t blocks)
{
    for (uint32_t i = 0; i < view->context_count; i++) {
        if (mpdata_view_mib(view, i).AllocCount == blocks)
            return &view->contexts[i];
    }
    return NULL;
}

static const struct mpdata_frame *frame_at(const struct mpdata_view *view,
                                           mpdata_ref node)
{
    return &view->frames[view->nodes[node - 1].frame];
}

static void check_profile(struct mpdata_profile *profile, uint64_t times)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mpdata_context *a = find_context(&view, times);
    const struct mpdata_context *b = find_context(&view, 2 * times);
    const struct mpdata_context *c = find_context(&view, 4 * times);
    const struct mpdata_context *d = find_context(&view, 8 * times);
    struct mpdata_run run;

    assert_int_equal(view.context_count, 4);
    assert_int_equal(frame_at(&view, a->node)->address, 0x10);
    assert_int_equal(frame_at(&view, b->node)->address, 0x20);
    assert_int_equal(view.nodes[a->node - 1].parent,
                     view.nodes[b->node - 1].parent);
    assert_int_equal(frame_at(&view, a->node)->flags, MPROF_ENTRY_FL_NO_LINES);
    assert_int_equal(frame_at(&view, a->node)->binary, 1);
    assert_int_equal(frame_at(&view, c->node)->binary, 0);
    assert_int_equal(frame_at(&view, c->node)->address, 0x99);
    assert_int_equal(d->node, 0);
    assert_int_equal(a->cells.words[3], 6 * times);
    assert_int_equal(a->flags, 0);
    assert_int_equal(b->flags, MPROF_CONTEXT_FL_TRUNCATED);
    assert_int_equal(view.run_count, 1);
    run = view.runs[0];
    assert_int_equal(run.run_id, 77);
    assert_int_equal(run.count, times);
    assert_int_equal(run.pid, 5);
    assert_int_not_equal(run.executable, 0);
}

static void makes_stacks_of_addresses_and_sums_dumps(void **state)
{
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content};

    (void)state;
    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    for (uint64_t times = 1; times <= 3; times++) {
        struct mpdata_raw raw = make_dump();
        struct mprof_diag diag;

        assert_int_equal(mpdata_add_dump(&load, &raw, "f", &diag), 0);
        check_profile(content.profile, times);
    }
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
}

/* The symbolizer is not next to this test, as if it were not installed; the
 * debug information of the test is compressed, which only LLVM reads. */
static void says_when_the_symbolizer_is_missing(void **state)
{
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content};
    struct mpdata_raw raw = make_dump();
    struct mpdata_raw_module self = {.path = {"/proc/self/exe", 14}};
    struct mprof_diag diag;
    char *name;

    (void)state;
    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    assert_int_equal(mpdata_binaries_add(&load.binaries, "/proc/self/exe", true,
                                         NULL, &diag),
                     0);
    self.build_id = (struct mpdata_str){load.binaries.files[0].build_id,
                                        load.binaries.files[0].build_id_size};
    raw.modules = &self;
    assert_int_equal(mpdata_add_dump(&load, &raw, "f", &diag),
                     MPROF_E_NO_SYMBOLIZER);
    name = mpdata_bridge_demangle(&load.symbolizer, "_Z1fv");
    assert_string_equal(name, "_Z1fv");
    free(name);
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_stacks_of_addresses_and_sums_dumps),
        cmocka_unit_test(says_when_the_symbolizer_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
