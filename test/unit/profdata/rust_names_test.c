/* rust_names_test.c -- Rust's older names, as LLVM leaves them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/rust_names.h"
#include "test/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#define HASH "::h0123456789abcdef"

static void check(const char *name, const char *expected)
{
    char text[256];

    snprintf(text, sizeof(text), "%s", name);
    assert_int_equal(mpdata_rust_names_unescape(text),
                     strcmp(name, expected) != 0);
    assert_string_equal(text, expected);
}

static void unescapes_names_with_a_hash(void **state)
{
    (void)state;
    check("alloc::vec::Vec$LT$T$GT$::push" HASH, "alloc::vec::Vec<T>::push");
    check("_$LT$alloc..string..String$u20$as$u20$core..fmt..Write$GT$::write_"
          "str" HASH,
          "<alloc::string::String as core::fmt::Write>::write_str");
    check("a::_$u7b$$u7b$closure$u7d$$u7d$" HASH, "a::{{closure}}");
    check("f$LP$$RF$mut$u20$T$C$$BP$U$RP$" HASH, "f(&mut T,*U)");
}

static void keeps_what_it_does_not_know(void **state)
{
    (void)state;
    check("std::vector<int>::push_back(int const&)",
          "std::vector<int>::push_back(int const&)");
    check("name::h0123456789abcde", "name::h0123456789abcde");
    check("name::h0123456789abcdeg", "name::h0123456789abcdeg");
    check("", "");
    check("a$u1$b$uffffff$c$u$d$" HASH, "a$u1$b$uffffff$c$u$d$");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unescapes_names_with_a_hash),
        cmocka_unit_test(keeps_what_it_does_not_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
