/* guid_test.c -- compares GUIDs of functions with those of libLLVM 22.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "profdata/model/profile.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static uint64_t guid(const char *name)
{
    return mpdata_guid(name, strlen(name));
}

static void names_have_llvms_guids(void **state)
{
    (void)state;
    assert_true(guid("_Z3fooi") == UINT64_C(0x110c56e259526faa));
    assert_true(guid("_Z3fooi.cold") == UINT64_C(0xf5ae48f3852d89d5));
    assert_true(guid("_Z3fooi.__uniq.1") == UINT64_C(0x4be437aabd148bfd));
    assert_true(guid("main") == UINT64_C(0xdb956436e78dd5fa));
}

static void suffixes_of_copies_do_not_count(void **state)
{
    (void)state;
    assert_true(guid("_Z3fooi.llvm.123") == guid("_Z3fooi"));
    assert_true(guid("_Z3fooi.part.0") == guid("_Z3fooi"));
    assert_true(guid("_Z3fooi.part.0.llvm.5") == guid("_Z3fooi"));
    assert_true(guid("_Z3fooi.__uniq.1.llvm.2") == guid("_Z3fooi.__uniq.1"));
    assert_true(guid(".llvm.1") == guid(""));
}

static void other_suffixes_count(void **state)
{
    (void)state;
    /* A name with more after the suffix keeps it, as in LLVM. */
    assert_true(guid("f.llvm.1.cold") != guid("f"));
    assert_true(guid("f.part.0.cold") != guid("f"));
    assert_true(guid("f.xllvm.1") != guid("f"));
    assert_true(guid("llvm.") != guid(""));
    assert_true(mpdata_guid(NULL, 0) == guid(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_llvms_guids),
        cmocka_unit_test(suffixes_of_copies_do_not_count),
        cmocka_unit_test(other_suffixes_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
