/* rt_mini_test.c -- rt/base/libc.c against the C library.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include <string.h>

enum { ROOM = 1200 };
static unsigned char a[ROOM];
static unsigned char b[ROOM];

static void fill(void)
{
    for (int i = 0; i < ROOM; i++)
        a[i] = b[i] = (unsigned char)(i * 7 + i / 256);
}

static void copies_and_moves(void **state)
{
    (void)state;
    for (size_t n = 0; n < 600; n += n / 16 + 1) {
        for (size_t from = 0; from < 24; from += 5) {
            for (size_t to = 0; to < 24; to += 3) {
                fill();
                memmove(a + to, a + from, n);
                assert_ptr_equal(mprt_memmove(b + to, b + from, n), b + to);
                assert_memory_equal(a, b, ROOM);
            }
            fill();
            memcpy(a + from, a + 600, n);
            assert_ptr_equal(mprt_memcpy(b + from, b + 600, n), b + from);
            assert_memory_equal(a, b, ROOM);
            memset(a + from, (int)n, n);
            assert_ptr_equal(mprt_memset(b + from, (int)n, n), b + from);
            assert_memory_equal(a, b, ROOM);
        }
    }
}

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static void compares(void **state)
{
    (void)state;
    fill();
    for (size_t n = 0; n < 40; n++) {
        assert_int_equal(mprt_memcmp(a, b, n), 0);
        for (size_t i = 0; i < n; i++) {
            b[i] ^= 0x80;
            assert_int_equal(sign(mprt_memcmp(a, b, n)), sign(memcmp(a, b, n)));
            b[i] ^= 0x80;
        }
    }
    assert_int_equal(mprt_strlen(""), 0);
    assert_int_equal(mprt_strlen("twelve bytes"), 12);
    assert_true(mprt_strcmp("a", "ab") < 0 && mprt_strcmp("\xff", "a") > 0);
    assert_int_equal(mprt_strcmp("ab", "ab"), 0);
}

static void texts_are_cut_at_their_room(void **state)
{
    char out[12];
    struct mprt_text t = {out, sizeof(out), 0};

    (void)state;
    mprt_text_uint(&t, 0);
    mprt_text_char(&t, ' ');
    mprt_text_hex(&t, 0xbeef);
    assert_string_equal(out, "0 beef");
    mprt_text_str(&t, "0123456789");
    assert_string_equal(out, "0 beef01234");
    mprt_text_uint(&t, UINT64_MAX);
    assert_int_equal(t.used, sizeof(out) - 1);
    char big[24];
    struct mprt_text number = {big, sizeof(big), 0};
    mprt_text_uint(&number, UINT64_MAX);
    assert_string_equal(big, "18446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_moves),
        cmocka_unit_test(compares),
        cmocka_unit_test(texts_are_cut_at_their_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
