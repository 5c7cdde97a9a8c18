/* content_test.c -- tests the content of an input: a memory profile with the
 * data beside it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/content.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

/* Call stacks from a seed. */
static void fill(struct mpdata_content *content, uint64_t seed)
{
    assert_int_equal(mpdata_content_init(content), MPROF_E_OK);
    mpdata_profile_free(content->profile);
    content->profile = gen_profile(seed, 20);
}

static void write_content(struct mpdata_content *content, struct mprof_buf *out)
{
    const struct mpdata_index_options options = {.uncompressed = true,
                                                 .memprof_version = 4};

    assert_int_equal(mpdata_profile_canonical_in_place(content->profile),
                     MPROF_E_OK);
    mpdata_heapbuf_init(out);
    assert_int_equal(mpdata_index_write(content, &options, out), MPROF_E_OK);
}

/* Weights and the order of merging do not change the bytes. */
static void a_weight_is_so_many_merges(void **state)
{
    struct mpdata_content once;
    struct mpdata_content weighted;
    struct mprof_buf a;
    struct mprof_buf b;

    (void)state;
    fill(&once, 1);
    fill(&weighted, 2);
    for (unsigned i = 0; i < 5; i++) {
        struct mpdata_content more;

        fill(&more, 2);
        assert_int_equal(mpdata_content_merge(&once, &more, 1, NULL),
                         MPROF_E_OK);
        mpdata_content_fini(&more);
    }
    {
        struct mpdata_content more;

        fill(&more, 1);
        assert_int_equal(mpdata_content_merge(&more, &weighted, 5, NULL),
                         MPROF_E_OK);
        write_content(&more, &b);
        mpdata_content_fini(&more);
    }
    write_content(&once, &a);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    mpdata_heapbuf_fini(&a);
    mpdata_heapbuf_fini(&b);
    mpdata_content_fini(&weighted);
    mpdata_content_fini(&once);
}

/* Read back, all is there. */
static void all_parts_go_through_a_file(void **state)
{
    struct mpdata_content content;
    struct mpdata_content again;
    struct mpdata_index_file file;
    struct mprof_buf a;
    struct mprof_buf b;

    (void)state;
    fill(&content, 4);
    write_content(&content, &a);
    assert_int_equal(mpdata_content_init(&again), MPROF_E_OK);
    assert_int_equal(mpdata_index_file_open(&file, a.data, a.size, true, NULL),
                     MPROF_E_OK);
    assert_int_equal(mpdata_index_read(&file, &again, NULL), MPROF_E_OK);
    write_content(&again, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    mpdata_heapbuf_fini(&a);
    mpdata_heapbuf_fini(&b);
    mpdata_content_fini(&again);
    mpdata_content_fini(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_is_so_many_merges),
        cmocka_unit_test(all_parts_go_through_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
