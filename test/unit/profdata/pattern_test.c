/* pattern_test.c -- tests patterns that match names.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/pattern.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static void patterns_fit(void **state)
{
    static const struct {
        const char *pattern;
        const char *name;
        bool fits;
    } cases[] = {
        {"abc", "abc", true},
        {"abc", "xabcx", true},
        {"abc", "ababc", true},
        {"abc", "ab", false},
        {"abc", "", false},
        {"^abc", "abcx", true},
        {"^abc", "xabc", false},
        {"^abc", "ababc", false},
        {"abc$", "xabc", true},
        {"abc$", "abcabc", true},
        {"abc$", "abcx", false},
        {"^abc$", "abc", true},
        {"^abc$", "abcabc", false},
        {"a*c", "xabbbcx", true},
        {"a*c$", "abcd", false},
        {"a*c$", "abcdc", true},
        {"^a*c$", "abcdc", true},
        {"^a*c$", "xac", false},
        {"*", "", true},
        {"*", "abc", true},
        {"^*c", "abc", true},
        {"a**c", "ac", true},
        {"aab", "aaab", true},
        {"^a*ab$", "aaaab", true},
        {"^a*b*c$", "axxbyybzzc", true},
        {"^a*b*c$", "axxcyybzz", false},
        {"a$b", "xa$by", true}, /* no end of a pattern */
        {"$", "abc", true},
        {"^$", "", true},
        {"^$", "a", false},
        {"b$", "ab$", false},
        {"b$$", "ab$", true},
        {"^b*b$", "b", false},
        {"a*a$", "a", false},
        {"/libx.so", "/usr/lib/libx.so.1", true},
        {"std::*::insert", "void std::insert(int)", false},
        {"std::*insert", "void std::map<int>::insert(int)", true},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        if (mpdata_pattern_fits(cases[i].pattern, cases[i].name) !=
            cases[i].fits)
            fail_msg("%s, %s", cases[i].pattern, cases[i].name);
    }
}

/* Hostile patterns: work proportional to the product of the lengths would never
 * end. */
static void long_ones_take_no_longer(void **state)
{
    enum { SIZE = 1 << 22 };
    char *const name = (char *)malloc(SIZE + 1);
    char *const pattern = (char *)malloc(SIZE / 2 + 2);

    (void)state;
    assert_true(name != NULL && pattern != NULL);
    memset(name, 'a', SIZE);
    name[SIZE] = '\0';
    memset(pattern, 'a', SIZE / 2);
    strcpy(&pattern[SIZE / 2], "b");
    assert_false(mpdata_pattern_fits(pattern, name));
    for (size_t i = 0; i < SIZE / 2; i += 2)
        pattern[i] = '*';
    assert_false(mpdata_pattern_fits(pattern, name));
    free(pattern);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_fit),
        cmocka_unit_test(long_ones_take_no_longer)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
