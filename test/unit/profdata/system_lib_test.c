/* system_lib_test.c -- tests which files are system libraries.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/system_lib.h"
#include "test/unit/cmocka_all.h"

static void those_of_the_list_are(void **state)
{
    static const char *const paths[] = {
        "",
        "/lib64/ld-linux-x86-64.so.2",
        "/lib/x86_64-linux-gnu/ld-2.31.so",
        "/lib/x86_64-linux-gnu/libc.so.6",
        "/lib/x86_64-linux-gnu/libc-2.31.so",
        "/lib/x86_64-linux-gnu/libnss_files.so.2",
        "/lib/x86_64-linux-gnu/libcap.so.2",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
        "/usr/lib/llvm-22/lib/libc++abi.so.1",
        "libm.so.6",
        "/usr/lib/llvm-22/lib/libomp.so",
        "/usr/lib/x86_64-linux-gnu/libomp.so.5",
        "/usr/lib/x86_64-linux-gnu/gconv/UTF-16.so",
        "/usr/lib/memprof/libclang_rt.memprof-x86_64.so",
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(paths); i++)
        assert_true(mpdata_system_lib_is(paths[i]));
}

static void others_are_not(void **state)
{
    static const char *const paths[] = {
        "/usr/bin/app",
        "/usr/bin/ld",
        "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
        "/usr/lib/x86_64-linux-gnu/libcap-ng.so.0",
        "/usr/lib/x86_64-linux-gnu/libcurl.so.4",
        "/usr/lib/x86_64-linux-gnu/libmount.so.1",
        "/opt/libc.so.6/app",
        "/opt/libc-client.so.2007e",
        "/opt/mylibc.so.6",
        "/opt/libnss.so",
        "/opt/libc",
        "/opt/app/libutil.so",
        "./libm.so",
        "/opt/app/librt.so.old",
        "/opt/app/libcrypt.so.",
        "/opt/libomp_rules.so",
        "UTF-16.so",
        "/opt/gconv",
        "/opt/gconv/of/libx.so",
        "/opt/mygconv/libx.so",
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(paths); i++)
        assert_false(mpdata_system_lib_is(paths[i]));
}

static void the_cxx_library_is_told_apart(void **state)
{
    (void)state;
    assert_true(mpdata_system_lib_is_cxx("/usr/lib/libstdc++.so.6.0.30"));
    assert_true(mpdata_system_lib_is_cxx("libc++abi.so.1"));
    assert_false(mpdata_system_lib_is_cxx("/lib/x86_64-linux-gnu/libc.so.6"));
    assert_false(mpdata_system_lib_is_cxx("/usr/lib/libgcc_s.so.1"));
    assert_false(mpdata_system_lib_is_cxx("/usr/bin/app"));
    assert_false(mpdata_system_lib_is_cxx(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_the_list_are),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(the_cxx_library_is_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
