/* json_out_test.c -- tests pieces of JSON: names of any bytes, numbers with all
 * digits, lack of memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/base/sink.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

struct fixture {
    struct mprof_buf buf;
    struct mpdata_sink sink;
    struct mpdata_json_out json;
};

static void begin(struct fixture *f)
{
    mpdata_heapbuf_init(&f->buf);
    f->sink = mpdata_sink_to_buf(&f->buf);
    assert_true(mpdata_json_out_init(&f->json, &f->sink));
    mpdata_json_out_open_array(&f->json);
}

static void expect(struct fixture *f, const char *text)
{
    mpdata_json_out_close_array(&f->json);
    assert_false(f->sink.failed);
    assert_int_equal(f->buf.size, strlen(text));
    assert_memory_equal(f->buf.data, text, f->buf.size);
    mpdata_json_out_fini(&f->json);
    mpdata_heapbuf_fini(&f->buf);
}

#define TEXT(f, s) mpdata_json_out_text(&(f)->json, s, sizeof(s) - 1)
#define EXACT(f, s) mpdata_json_out_exact(&(f)->json, s, sizeof(s) - 1)

static void text_is_always_utf8(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    TEXT(&f, "");
    TEXT(&f, "a\"b\\c\n\001");
    TEXT(&f, "\xc3\xa4\xf0\x9f\x98\x80");
    TEXT(&f, "\xff");
    TEXT(&f, "a\xc3");            /* cut */
    TEXT(&f, "\xc0\xaf");         /* overlong */
    TEXT(&f, "\xed\xa0\x80z");    /* a surrogate */
    TEXT(&f, "\xf4\x90\x80\x80"); /* above U+10FFFF */
    expect(&f, "[\"\",\"a\\\"b\\\\c\\n\\u0001\","
               "\"\xc3\xa4\xf0\x9f\x98\x80\",\"\xef\xbf\xbd\","
               "\"a\xef\xbf\xbd\",\"\xef\xbf\xbd\xef\xbf\xbd\","
               "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\","
               "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"]");
}

static void exact_text_loses_nothing(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    EXACT(&f, "plain");
    EXACT(&f, "\xff\x01");
    mpdata_json_out_hex(&f.json, "\x0a\xf0", 2);
    expect(&f, "[\"plain\",{\"hex\":\"ff01\"},\"0af0\"]");
}

static void numbers_have_all_digits(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    mpdata_json_out_number(&f.json, 0);
    mpdata_json_out_number(&f.json, 10);
    mpdata_json_out_number(&f.json, UINT64_MAX);
    mpdata_json_out_id(&f.json, 0);
    mpdata_json_out_id(&f.json, UINT64_MAX);
    mpdata_json_out_bool(&f.json, true);
    mpdata_json_out_null(&f.json);
    expect(&f, "[0,10,18446744073709551615,\"0x0\",\"0xffffffffffffffff\","
               "true,null]");
}

static void many_numbers_are_as_one_by_one(void **state)
{
    uint32_t numbers[200];
    struct mprof_buf one_by_one;
    struct fixture f;

    (void)state;
    for (uint32_t i = 0; i < MPROF_ARRAY_LEN(numbers); i++)
        numbers[i] = i % 3 == 0 ? UINT32_MAX - i : i;
    begin(&f);
    for (uint32_t i = 0; i < MPROF_ARRAY_LEN(numbers); i++)
        mpdata_json_out_number(&f.json, numbers[i]);
    mpdata_json_out_close_array(&f.json);
    mpdata_json_out_fini(&f.json);
    mprof_buf_bytes(&f.buf, "", 1);
    one_by_one = f.buf;
    begin(&f);
    mpdata_json_out_numbers(&f.json, numbers, 0);
    mpdata_json_out_numbers(&f.json, numbers, 1);
    mpdata_json_out_numbers(&f.json, numbers + 1, 199);
    expect(&f, (const char *)one_by_one.data);
    mpdata_heapbuf_fini(&one_by_one);
}

static void fractions_and_negative_numbers(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    mpdata_json_out_signed(&f.json, true, 3);
    mpdata_json_out_millionths(&f.json, 1500000);
    mpdata_json_out_millionths(&f.json, 42);
    expect(&f, "[-3,1.500000,0.000042]");
}

static bool refuse(void *context, const char *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return false;
}

static void a_sink_that_is_full_stays_so(void **state)
{
    struct mpdata_sink sink = {.write = refuse};
    struct mpdata_json_out json;

    (void)state;
    assert_true(mpdata_json_out_init(&json, &sink));
    mpdata_json_out_open_map(&json);
    mpdata_json_out_key(&json, "a");
    mpdata_json_out_text(&json, "\xff", 1);
    mpdata_json_out_close_map(&json);
    assert_true(sink.failed);
    mpdata_json_out_fini(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_always_utf8),
        cmocka_unit_test(exact_text_loses_nothing),
        cmocka_unit_test(numbers_have_all_digits),
        cmocka_unit_test(many_numbers_are_as_one_by_one),
        cmocka_unit_test(fractions_and_negative_numbers),
        cmocka_unit_test(a_sink_that_is_full_stays_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
