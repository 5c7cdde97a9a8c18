/* base64_test.c -- the examples of RFC 4648, and lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/gzip.h"
#include "profdata/base/sink.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

/* In pieces of `piece` bytes. */
static void check(const char *in, size_t size, size_t piece, const char *out)
{
    struct mprof_buf buf;
    struct mpdata_sink sink;
    struct mpdata_base64 base64;
    struct mpdata_sink letters;

    mpdata_heapbuf_init(&buf);
    sink = mpdata_sink_to_buf(&buf);
    mpdata_base64_init(&base64, &sink);
    letters = mpdata_base64_sink(&base64);
    for (size_t at = 0; at < size; at += piece)
        mpdata_sink_bytes(&letters, in + at,
                          size - at < piece ? size - at : piece);
    mpdata_base64_finish(&base64);
    assert_false(sink.failed);
    assert_int_equal(buf.size, strlen(out));
    assert_memory_equal(buf.data, out, buf.size);
    mpdata_heapbuf_fini(&buf);
}

static void examples_are_those_of_the_rfc(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 8; piece++) {
        check("", 0, piece, "");
        check("f", 1, piece, "Zg==\n");
        check("fo", 2, piece, "Zm8=\n");
        check("foo", 3, piece, "Zm9v\n");
        check("foob", 4, piece, "Zm9vYg==\n");
        check("fooba", 5, piece, "Zm9vYmE=\n");
        check("foobar", 6, piece, "Zm9vYmFy\n");
    }
    check("\xff\xef\xbe\0", 4, 4, "/+++AA==\n");
}

static void lines_end(void **state)
{
    char in[MPDATA_BASE64_LINE_BYTES * 2 + 1];
    char out[200];

    (void)state;
    memset(in, 0, sizeof(in));
    memset(out, 'A', sizeof(out));
    out[76] = '\n';
    out[153] = '\n';
    memcpy(out + 156, "==\n", 4);
    check(in, sizeof(in), 10, out);
    out[154] = '\0';
    check(in, sizeof(in) - 1, 57, out);
}

static bool refuse(void *context, const char *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return false;
}

static void a_sink_that_fails_is_said(void **state)
{
    struct mpdata_sink sink = {.write = refuse};
    struct mpdata_base64 base64;
    struct mpdata_sink letters;
    char in[100] = "";

    (void)state;
    mpdata_base64_init(&base64, &sink);
    letters = mpdata_base64_sink(&base64);
    mpdata_sink_bytes(&letters, in, sizeof(in));
    mpdata_base64_finish(&base64);
    assert_true(letters.failed && sink.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_those_of_the_rfc),
        cmocka_unit_test(lines_end),
        cmocka_unit_test(a_sink_that_fails_is_said)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
