/* json_write_test.c -- JSON says all that a profile holds: generated profiles
 * through text give the same indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/json_write.h"
#include "profdata/text/text.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static const struct mpdata_index_options options = {.uncompressed = true};

static void write_text(const struct mpdata_profile *p, struct mprof_buf *text)
{
    struct mpdata_content content = {.profile = mpdata_profile_canonical(p)};

    mpdata_heapbuf_init(text);
    assert_non_null(content.profile);
    assert_int_equal(mpdata_json_write(&content, text), MPROF_E_OK);
    mpdata_profile_free(content.profile);
}

static enum mprof_err read_text(const void *data, size_t size,
                                struct mpdata_profile *into,
                                struct mprof_diag *diag)
{
    struct mpdata_content content;
    enum mprof_err err;

    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    mpdata_profile_free(content.profile);
    content.profile = into;
    err = mpdata_text_read(data, size, &content, diag);
    content.profile = NULL;
    mpdata_content_fini(&content);
    return err;
}

static void expect_same(const struct mprof_buf *a, const struct mprof_buf *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static void text_and_back_is_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct mpdata_profile *p = gen_profile(seed, (unsigned)seed);
        struct mpdata_profile *q = mpdata_profile_new();
        struct mprof_buf before;
        struct mprof_buf after;
        struct mprof_buf text;
        struct mprof_buf again;

        write_text(p, &text);
        assert_int_equal(read_text(text.data, text.size, q, NULL), MPROF_E_OK);
        write_text(q, &again);
        expect_same(&text, &again);
        assert_int_equal(gen_write(p, &options, &before), MPROF_E_OK);
        assert_int_equal(gen_write(q, &options, &after), MPROF_E_OK);
        expect_same(&before, &after);
        mpdata_heapbuf_fini(&again);
        mpdata_heapbuf_fini(&text);
        mpdata_heapbuf_fini(&after);
        mpdata_heapbuf_fini(&before);
        mpdata_profile_free(q);
        mpdata_profile_free(p);
    }
}

/* Cut anywhere, a text is refused or is one of fewer rows; what it was added to
 * is as it was. */
static void a_cut_text_leaves_no_trace(void **state)
{
    struct mpdata_profile *p = gen_profile(7, 3);
    struct mprof_buf text;

    (void)state;
    write_text(p, &text);
    for (size_t size = 0; size < text.size; size++) {
        struct mpdata_profile *into = mpdata_profile_new();
        struct mprof_diag diag;

        if (read_text(text.data, size, into, &diag) != MPROF_E_OK) {
            assert_int_equal(mpdata_profile_view(into).context_count, 0);
            assert_int_equal(mpdata_profile_view(into).run_count, 0);
            assert_true(diag.section != NULL);
            assert_true(diag.offset <= size);
        }
        mpdata_profile_free(into);
    }
    mpdata_heapbuf_fini(&text);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_back_is_the_same),
        cmocka_unit_test(a_cut_text_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
