/* json_write_test.c -- checks that JSON holds all of a profile: generated
 * profiles give the same indexed file after a round trip through JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static const struct mpdata_index_options options = {.uncompressed = true};

static void write_text(const struct mpdata_profile *p, struct mprof_buf *text)
{
    struct mpdata_content content = {.profile = gen_in_order(p)};
    struct mpdata_sink sink = mpdata_sink_to_buf(text);

    mpdata_heapbuf_init(text);
    assert_non_null(content.profile);
    assert_int_equal(mpdata_json_write_content(&content, &sink), MPROF_E_OK);
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
    err = mpdata_json_read(data, size, &content, diag);
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

static void add_named(struct mpdata_profile *p, const void *name, size_t size)
{
    const struct mpdata_function function = {
        .name = mpdata_profile_string(p, name, size), .guid = UINT64_MAX};
    const struct mpdata_frame frame = {
        .function = mpdata_profile_function(p, &function)};
    const struct mprof_mib mib = {.AllocCount = 1, .TotalSize = UINT64_MAX};

    mpdata_profile_context(
        p, mpdata_profile_node(p, 0, mpdata_profile_frame(p, &frame)), 0, &mib,
        MPDATA_CELLS_NONE);
}

static bool has_name(const struct mpdata_profile *p, const void *name,
                     size_t size)
{
    const struct mpdata_view view = mpdata_profile_view(p);

    for (uint32_t i = 0; i < view.function_count; i++) {
        const struct mpdata_str *s = &view.strings[view.functions[i].name];

        if (s->size == size && memcmp(s->bytes, name, size) == 0)
            return true;
    }
    return false;
}

/* A path is complete, whatever bytes it has. */
static void paths_may_have_any_bytes(void **state)
{
    static const char path[] = "/a\0b/c\0/d\xff";
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_profile *q = mpdata_profile_new();
    const struct mpdata_binary binary = {
        .path = mpdata_profile_path(p, path, sizeof(path) - 1)};
    struct mprof_buf before;
    struct mprof_buf after;
    struct mprof_buf text;

    (void)state;
    assert_int_not_equal(mpdata_profile_binary(p, &binary), 0);
    write_text(p, &text);
    assert_int_equal(read_text(text.data, text.size, q, NULL), MPROF_E_OK);
    assert_int_equal(gen_write(p, &options, &before), MPROF_E_OK);
    assert_int_equal(gen_write(q, &options, &after), MPROF_E_OK);
    expect_same(&before, &after);
    mpdata_heapbuf_fini(&after);
    mpdata_heapbuf_fini(&before);
    mpdata_heapbuf_fini(&text);
    mpdata_profile_free(q);
    mpdata_profile_free(p);
}

/* Each byte alone, characters of each length and invalid ones, and random
 * bytes: the JSON is UTF-8, and reads as what was written. */
static void names_may_have_any_bytes(void **state)
{
    static const char *const odd[] = {"\xc3\xa9",
                                      "\xe2\x82\xac",
                                      "\xf0\x9f\x98\x80",
                                      "\xc0\xaf",
                                      "\xe0\x80\xaf",
                                      "\xf0\x80\x80\xaf",
                                      "\xed\xa0\x80",
                                      "\xf4\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xc3",
                                      "\xe2\x82",
                                      "\xf0\x9f\x98",
                                      "a\xff",
                                      "\xef\xbf\xbf",
                                      "\\u00e9\\\"\n\t/",
                                      "{\"hex\":\"ff\"}",
                                      "\x7f\x01\x1f"};
    struct gen g = {.state = 11};
    uint8_t random[300][9];
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_profile *q = mpdata_profile_new();
    struct mprof_buf text;

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(random); i++) {
        for (size_t k = 0; k < sizeof(random[i]); k++)
            random[i][k] = (uint8_t)gen_next(&g);
        random[i][0] = (uint8_t)i;
        add_named(p, random[i], i < 256 ? 1 : sizeof(random[i]));
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(odd); i++)
        add_named(p, odd[i], strlen(odd[i]));
    write_text(p, &text);
    assert_int_equal(read_text(text.data, text.size, q, NULL), MPROF_E_OK);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(random); i++)
        assert_true(has_name(q, random[i], i < 256 ? 1 : sizeof(random[i])));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(odd); i++)
        assert_true(has_name(q, odd[i], strlen(odd[i])));
    mpdata_heapbuf_fini(&text);
    mpdata_profile_free(q);
    mpdata_profile_free(p);
}

/* The text is read in pieces: each token is once split by the end of a
 * piece. */
static void pieces_may_end_anywhere(void **state)
{
    static const char json[] =
        "{ \"MemprofProfile\" : 1, \"Functions\" : [ { \"Name\" : "
        "\"gr\xc3\xbcn\\u20ac\\n\", \"Guid\" : \"0xffffffffffffffff\" } ], "
        "\"Frames\" : [ { \"Function\" : 0, \"Line\" : 12345, \"Inline\" : "
        "true "
        "} ], \"Contexts\" : [ { \"Callstack\" : [ 0, 0 ], \"MemInfoBlock\" : "
        "{ "
        "\"AllocCount\" : 18446744073709551615 } } ] }";
    char text[4096 + sizeof(json)];

    (void)state;
    for (size_t spaces = 4096 - sizeof(json); spaces < 4096; spaces++) {
        struct mpdata_profile *p = mpdata_profile_new();
        struct mpdata_view view;

        memset(text, ' ', spaces);
        memcpy(text + spaces, json, sizeof(json) - 1);
        assert_int_equal(read_text(text, spaces + sizeof(json) - 1, p, NULL),
                         MPROF_E_OK);
        view = mpdata_profile_view(p);
        assert_true(has_name(p, "gr\xc3\xbcn\xe2\x82\xac\n", 9));
        assert_true(view.functions[0].guid == UINT64_MAX);
        assert_int_equal(view.frames[0].line, 12345);
        assert_true(mpdata_view_mib(&view, 0).AllocCount == UINT64_MAX);
        mpdata_profile_free(p);
    }
}

/* A text that is truncated anywhere is refused or has fewer rows; the profile
 * that it was added to does not change. */
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
        cmocka_unit_test(names_may_have_any_bytes),
        cmocka_unit_test(paths_may_have_any_bytes),
        cmocka_unit_test(pieces_may_end_anywhere),
        cmocka_unit_test(a_cut_text_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
