/* llvm_records_test.c -- tests which records each function gets.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/llvm/llvm_records.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

/* A frame of the function with this GUID, at a line of its own. */
static mpdata_ref frame(struct mpdata_profile *p, uint64_t guid, uint32_t line,
                        uint32_t flags)
{
    const struct mpdata_function f = {.guid = guid, .line = 10};
    const struct mpdata_frame e = {.function = mpdata_profile_function(p, &f),
                                   .line = line,
                                   .flags = flags};

    return mpdata_profile_frame(p, &e);
}

static void context(struct mpdata_profile *p, const mpdata_ref *root_first,
                    size_t n, uint64_t size)
{
    const struct mprof_mib mib = {.AllocCount = 1, .TotalSize = size};
    mpdata_ref node = 0;

    for (size_t i = 0; i < n; i++)
        node = mpdata_profile_node(p, node, root_first[i]);
    mpdata_profile_context(p, node, 0, &mib, MPDATA_CELLS_NONE);
}

static const struct mpdata_llvm_record *
record_of(const struct mpdata_llvm_records *r, uint64_t guid)
{
    const struct mpdata_llvm_record *records = r->records.data;

    for (uint32_t i = 0; i < r->records.count; i++) {
        if (records[i].guid == guid)
            return &records[i];
    }
    return NULL;
}

static uint32_t depth_of(const struct mpdata_llvm_records *r, uint32_t node)
{
    const struct mpdata_llvm_node *nodes = r->nodes.rows.data;
    uint32_t depth = 1;

    for (; nodes[node].parent != 0; node = nodes[node].parent - 1)
        depth++;
    return depth;
}

/* main (1) calls f (2); f has g (3) inlined, which has h (4) inlined, which
 * allocates. */
static void records_are_those_of_llvm_profdata(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const mpdata_ref stack[] = {frame(p, 1, 11, 0), frame(p, 2, 12, 0),
                                frame(p, 3, 13, MPROF_ENTRY_FL_INLINE),
                                frame(p, 4, 14, MPROF_ENTRY_FL_INLINE)};
    struct mpdata_llvm_records r;
    const struct mpdata_llvm_site *calls;

    (void)state;
    context(p, stack, 4, 100);
    assert_int_equal(mpdata_llvm_records_init(&r, p), MPROF_E_OK);
    assert_int_equal(r.records.count, 4);
    /* The allocation: in all functions of the leaf's location. */
    assert_int_equal(record_of(&r, 1)->alloc_count, 0);
    for (uint64_t guid = 2; guid <= 4; guid++)
        assert_int_equal(record_of(&r, guid)->alloc_count, 1);
    /* Call sites: every frame but the leaf, as whole locations. */
    calls = r.call_sites.data;
    assert_int_equal(record_of(&r, 4)->call_count, 0);
    for (uint64_t guid = 2; guid <= 3; guid++) {
        const struct mpdata_llvm_record *record = record_of(&r, guid);

        assert_int_equal(record->call_count, 1);
        assert_int_equal(depth_of(&r, calls[record->call_first].id), 3);
    }
    assert_int_equal(record_of(&r, 1)->call_count, 1);
    assert_int_equal(depth_of(&r, calls[record_of(&r, 1)->call_first].id), 1);
    mpdata_llvm_records_fini(&r);
    mpdata_profile_free(p);
}

static void a_function_inlined_into_itself_is_listed_once(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const mpdata_ref stack[] = {frame(p, 7, 11, 0),
                                frame(p, 7, 12, MPROF_ENTRY_FL_INLINE)};
    struct mpdata_llvm_records r;

    (void)state;
    context(p, stack, 2, 100);
    assert_int_equal(mpdata_llvm_records_init(&r, p), MPROF_E_OK);
    assert_int_equal(r.records.count, 1);
    assert_int_equal(record_of(&r, 7)->alloc_count, 1);
    assert_int_equal(record_of(&r, 7)->call_count, 1);
    mpdata_llvm_records_fini(&r);
    mpdata_profile_free(p);
}

static void stacks_without_line_tables_are_joined_or_dropped(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const mpdata_ref bare = frame(p, 9, 0, MPROF_ENTRY_FL_NO_LINES);
    const mpdata_ref one[] = {frame(p, 1, 11, 0), bare, frame(p, 2, 12, 0)};
    const mpdata_ref two[] = {frame(p, 1, 11, 0), frame(p, 2, 12, 0), bare};
    struct mpdata_llvm_records r;
    struct mprof_mib mib;

    (void)state;
    context(p, one, 3, 100);
    context(p, two, 3, 20);
    context(p, &bare, 1, 3);
    context(p, NULL, 0, 4);
    assert_int_equal(mpdata_llvm_records_init(&r, p), MPROF_E_OK);
    assert_int_equal(r.contexts.count, 1);
    assert_null(record_of(&r, 9));
    mpdata_llvm_records_mib(&r, 0, &mib);
    assert_int_equal(mib.TotalSize, 120);
    assert_int_equal(mib.AllocCount, 2);
    mpdata_llvm_records_fini(&r);
    mpdata_profile_free(p);
}

static void line_offsets_have_16_bits(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const mpdata_ref stack[] = {frame(p, 1, 70010, 0), frame(p, 2, 9, 0)};
    struct mpdata_llvm_records r;
    const struct mpdata_llvm_frame *frames;

    (void)state;
    context(p, stack, 2, 100);
    assert_int_equal(mpdata_llvm_records_init(&r, p), MPROF_E_OK);
    frames = r.frames.rows.data;
    assert_int_equal(frames[0].line_offset, 70000 - 65536);
    assert_int_equal(frames[1].line_offset, 0xffff); /* before the function */
    mpdata_llvm_records_fini(&r);
    mpdata_profile_free(p);
}

static void an_endless_location_is_cut(void **state)
{
    enum { DEPTH = 3000 };
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_llvm_records r;
    mpdata_ref stack[DEPTH];

    (void)state;
    for (uint32_t i = 0; i < DEPTH; i++) {
        stack[i] = frame(p, 100 + i, 11, MPROF_ENTRY_FL_INLINE);
        context(p, stack, i + 1, 100);
    }
    assert_int_equal(mpdata_llvm_records_init(&r, p), MPROF_E_OK);
    assert_true(r.alloc_sites.count <= DEPTH * MPDATA_LLVM_LOCATION_FRAMES_MAX);
    mpdata_llvm_records_fini(&r);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_those_of_llvm_profdata),
        cmocka_unit_test(a_function_inlined_into_itself_is_listed_once),
        cmocka_unit_test(stacks_without_line_tables_are_joined_or_dropped),
        cmocka_unit_test(line_offsets_have_16_bits),
        cmocka_unit_test(an_endless_location_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
