/* code_test.c -- tests which code counts accesses, and which library the rest
 * belongs to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/code.h"
#include "test/unit/cmocka_all.h"

#include <elf.h>
#include <string.h>

/* At 0x8000: functions at 0x1000 of 0x100 bytes, 0x1200 of 0x80 and 0x1300 of
 * none. */
static const uint8_t records[] = {0x00, 0x90, 0xff, 0xff, 0x80, 0x02,
                                  0xfa, 0x91, 0xff, 0xff, 0x80, 0x01,
                                  0xf4, 0x92, 0xff, 0xff, 0x00};

struct named {
    const char *name;
    uint64_t address;
    unsigned char bind;
};

struct symbols {
    Elf64_Sym table[16];
    char names[512];
};

/* A text section of 0x1000 bytes at 0x1000 with these functions. */
static struct mpdata_elf build(struct symbols *symbols,
                               const struct named *functions, size_t count)
{
    size_t end = 1;

    memset(symbols, 0, sizeof(*symbols));
    for (size_t i = 0; i < count; i++) {
        symbols->table[i] = (Elf64_Sym){.st_name = (Elf64_Word)end,
                                        .st_info = (unsigned char)ELF64_ST_INFO(
                                            functions[i].bind, STT_FUNC),
                                        .st_shndx = 1,
                                        .st_value = functions[i].address,
                                        .st_size = 16};
        strcpy(symbols->names + end, functions[i].name);
        end += strlen(functions[i].name) + 1;
    }
    return (struct mpdata_elf){
        .texts = {{.address = 0x1000, .bytes = 0x1000}},
        .text_count = 1,
        .code = {.bytes = {.data = records, .size = sizeof(records)},
                 .address = 0x8000},
        .symbols = {.data = (const uint8_t *)symbols->table,
                    .size = count * sizeof(Elf64_Sym)},
        .symbol_names = {.data = (const uint8_t *)symbols->names,
                         .size = sizeof(symbols->names)}};
}

static void finds_code_by_records(void **state)
{
    const struct named functions[] = {{"main", 0x1000, STB_GLOBAL},
                                      {"empty", 0x1300, STB_GLOBAL},
                                      {"plain", 0x1800, STB_GLOBAL}};
    struct symbols symbols;
    const struct mpdata_elf elf = build(&symbols, functions, 3);
    struct mpdata_code code;

    (void)state;
    assert_true(mpdata_code_read(&code, &elf));
    assert_int_equal(mpdata_code_find(&code, 0x1000, "main"),
                     MPDATA_CODE_COUNTED);
    assert_int_equal(mpdata_code_find(&code, 0x10ff, NULL),
                     MPDATA_CODE_COUNTED);
    assert_int_equal(mpdata_code_find(&code, 0x1100, NULL), MPDATA_CODE_OTHER);
    assert_int_equal(mpdata_code_find(&code, 0x127f, NULL),
                     MPDATA_CODE_COUNTED);
    assert_int_equal(mpdata_code_find(&code, 0x1280, "OUTLINED_FUNCTION_0"),
                     MPDATA_CODE_COUNTED);
    assert_int_equal(mpdata_code_find(&code, 0x1280, "main.cold"),
                     MPDATA_CODE_COUNTED);
    assert_int_equal(mpdata_code_find(&code, 0x1800, "_ZNSt6vectorIiE1fEv"),
                     MPDATA_CODE_SYSTEM);
    assert_int_equal(mpdata_code_find(&code, 0x3000, "plain"),
                     MPDATA_CODE_SYSTEM);
    assert_true(mpdata_code_is_partly(&code));
    assert_int_equal(code.others, 1);
    assert_string_equal(code.other, "plain");
    mpdata_code_fini(&code);
}

static void knows_whose_functions_they_are(void **state)
{
    static const char *const system[] = {"_ZNSt6thread4joinEv",
                                         "_ZNKSt9exception4whatEv",
                                         "_ZThn16_NSdD1Ev",
                                         "_ZTv0_n24_NSoD0Ev",
                                         "_ZN9__gnu_cxx4poolE",
                                         "_ZZNSt12basic_fileIcE5closeEvENK1aEv",
                                         "_Znwm",
                                         "_ZGTtNKSt9exceptionD1Ev",
                                         "__udivti3",
                                         "__truncdfhf2",
                                         "_Unwind_Resume",
                                         "__cxa_throw",
                                         "memprof.module_ctor.3",
                                         "sancov.module_ctor_8bit_counters",
                                         "__typeid__ZTS1A_0_branch_funnel",
                                         "__gmon_start__",
                                         "__safestack_init",
                                         "__morestack",
                                         "llvm_gcda_start_file",
                                         "getValueProfRecordHeaderSize",
                                         "_start",
                                         "__pthread_atfork",
                                         "set_fast_math",
                                         "__do_init",
                                         "_GLOBAL__sub_I_a.cpp"};
    static const char *const own[] = {"main",
                                      "_ZN3app3runEv",
                                      "_ZThn16_N3app3runEv",
                                      "_RNvC3app3run",
                                      "__gmpz_set_si",
                                      "_nc_init",
                                      "__db_open",
                                      "_ZTW5value",
                                      "_Z4makei",
                                      "_Z",
                                      "_ZT",
                                      "_ZTh",
                                      "",
                                      "_"};
    struct symbols symbols;
    const struct mpdata_elf elf = build(&symbols, NULL, 0);
    struct mpdata_code code;

    (void)state;
    assert_true(mpdata_code_read(&code, &elf));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(system); i++) {
        if (mpdata_code_find(&code, 0x1800, system[i]) != MPDATA_CODE_SYSTEM)
            fail_msg("%s", system[i]);
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(own); i++) {
        if (mpdata_code_find(&code, 0x1800, own[i]) != MPDATA_CODE_OTHER)
            fail_msg("%s", own[i]);
    }
    mpdata_code_fini(&code);
}

/* Local functions of a library have arbitrary names. */
static void takes_local_functions_for_what_is_beside_them(void **state)
{
    const struct named library[] = {{"main", 0x1000, STB_GLOBAL},
                                    {"pool", 0x1800, STB_LOCAL},
                                    {"free_it", 0x1810, STB_LOCAL},
                                    {"__cxa_throw", 0x1820, STB_GLOBAL}};
    const struct named program[] = {{"frame_dummy", 0x1110, STB_LOCAL},
                                    {"helper", 0x1120, STB_LOCAL},
                                    {"main", 0x1200, STB_GLOBAL}};
    struct symbols symbols;
    struct mpdata_elf elf = build(&symbols, library, 4);
    struct mpdata_code code;

    (void)state;
    assert_true(mpdata_code_read(&code, &elf));
    assert_false(mpdata_code_is_partly(&code));
    mpdata_code_fini(&code);
    elf = build(&symbols, program, 3);
    assert_true(mpdata_code_read(&code, &elf));
    assert_int_equal(code.others, 1);
    mpdata_code_fini(&code);
}

static void says_where_nothing_tells(void **state)
{
    const struct named functions[] = {{"__libc_start_main", 0x1800, STB_GLOBAL},
                                      {"printf", 0x1900, STB_GLOBAL}};
    struct symbols symbols;
    struct mpdata_elf elf = build(&symbols, functions, 2);
    struct mpdata_code code;

    (void)state;
    assert_true(mpdata_code_read(&code, &elf));
    assert_true(code.is_static && mpdata_code_is_partly(&code));
    mpdata_code_fini(&code);
    /* Stripped: 0x100 bytes between the records, at the entry point and not. */
    elf.symbols.size = 0;
    elf.texts[0].bytes = 0x280;
    elf.entry = 0x1100;
    assert_true(mpdata_code_read(&code, &elf));
    assert_false(mpdata_code_is_partly(&code));
    mpdata_code_fini(&code);
    elf.entry = 0x1000;
    assert_true(mpdata_code_read(&code, &elf));
    assert_true(code.is_stripped && mpdata_code_is_partly(&code));
    mpdata_code_fini(&code);
}

static void knows_nothing_without_records(void **state)
{
    struct symbols symbols;
    struct mpdata_elf elf = build(&symbols, NULL, 0);
    struct mpdata_code code;

    (void)state;
    elf.code.bytes.size = 3; /* a damaged record counts as missing */
    assert_true(mpdata_code_read(&code, &elf));
    assert_int_equal(mpdata_code_find(&code, 0x1000, "main"),
                     MPDATA_CODE_UNKNOWN);
    mpdata_code_fini(&code);
    elf.code.bytes.size = 0;
    assert_true(mpdata_code_read(&code, &elf));
    assert_int_equal(mpdata_code_find(&code, 0x1000, "main"),
                     MPDATA_CODE_UNKNOWN);
    assert_false(mpdata_code_is_partly(&code));
    mpdata_code_fini(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_code_by_records),
        cmocka_unit_test(knows_whose_functions_they_are),
        cmocka_unit_test(takes_local_functions_for_what_is_beside_them),
        cmocka_unit_test(says_where_nothing_tells),
        cmocka_unit_test(knows_nothing_without_records)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
