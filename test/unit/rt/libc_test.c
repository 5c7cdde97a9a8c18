/* libc_test.c -- compares rt/base/libc.c with the C library.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/libc.h"
#include "test/unit/cmocka_all.h"

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
                assert_ptr_equal(mprt_libc_memmove(b + to, b + from, n),
                                 b + to);
                assert_memory_equal(a, b, ROOM);
            }
            fill();
            memcpy(a + from, a + 600, n);
            assert_ptr_equal(mprt_libc_memcpy(b + from, b + 600, n), b + from);
            assert_memory_equal(a, b, ROOM);
            memset(a + from, (int)n, n);
            assert_ptr_equal(mprt_libc_memset(b + from, (int)n, n), b + from);
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
        assert_int_equal(mprt_libc_memcmp(a, b, n), 0);
        for (size_t i = 0; i < n; i++) {
            b[i] ^= 0x80;
            assert_int_equal(sign(mprt_libc_memcmp(a, b, n)),
                             sign(memcmp(a, b, n)));
            b[i] ^= 0x80;
        }
    }
    assert_int_equal(mprt_libc_strlen(""), 0);
    assert_int_equal(mprt_libc_strlen("twelve bytes"), 12);
    assert_true(mprt_libc_strcmp("a", "ab") < 0 &&
                mprt_libc_strcmp("\xff", "a") > 0);
    assert_int_equal(mprt_libc_strcmp("ab", "ab"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_moves),
        cmocka_unit_test(compares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
