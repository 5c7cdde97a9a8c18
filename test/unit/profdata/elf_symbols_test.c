/* elf_symbols_test.c -- which symbol an address gets.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/elf_symbols.h"
#include "test/unit/cmocka_all.h"

#include <elf.h>
#include <string.h>

static const char names[] = "\0file.c\0local\0global\0small\0data\0none\0cut";

enum {
    FILE_NAME = 1,
    LOCAL = 8,
    GLOBAL = 14,
    SMALL = 21,
    DATA = 27,
    NONE = 32
};

#define SYM(name, bind, type, at, size, section)                     \
    {                                                                \
        .st_name = (name), .st_info = ELF64_ST_INFO((bind), (type)), \
        .st_shndx = (section), .st_value = (at), .st_size = (size)   \
    }

static const Elf64_Sym table[] = {
    {.st_name = 0},
    SYM(FILE_NAME, STB_LOCAL, STT_FILE, 0, 0, SHN_ABS),
    SYM(GLOBAL, STB_GLOBAL, STT_FUNC, 0x100, 0x10, 1),
    SYM(LOCAL, STB_LOCAL, STT_FUNC, 0x100, 0x10, 1),
    SYM(SMALL, STB_GLOBAL, STT_FUNC, 0x100, 0x8, 1),
    SYM(LOCAL, STB_LOCAL, STT_FUNC, 0x200, 0x20, 1),
    SYM(DATA, STB_GLOBAL, STT_OBJECT, 0x300, 0, 1),
    SYM(NONE, STB_GLOBAL, STT_FUNC, 0x310, 0x10, SHN_UNDEF),
    SYM(NONE, STB_GLOBAL, STT_TLS, 0x310, 0x10, 1),
    SYM(1000, STB_GLOBAL, STT_FUNC, 0x400, 0x10, 1),
};

static const struct mpdata_elf_bytes symbols = {(const uint8_t *)table,
                                                sizeof(table)};
static const struct mpdata_elf_bytes strings = {(const uint8_t *)names,
                                                sizeof(names)};

static void chooses_the_last_symbol_before_an_address(void **state)
{
    struct mpdata_elf_name rows[] = {{.address = 0xff},  {.address = 0x100},
                                     {.address = 0x108}, {.address = 0x10f},
                                     {.address = 0x110}, {.address = 0x200},
                                     {.address = 0x220}, {.address = 0x300},
                                     {.address = 0x3ff}, {.address = 0x400}};
    static const char *const expected[] = {NULL,   "global", "global", "global",
                                           NULL,   "local",  NULL,     "data",
                                           "data", NULL};

    (void)state;
    assert_true(mpdata_elf_symbols_find(&symbols, &strings, rows, 10));
    for (size_t i = 0; i < 10; i++) {
        if (expected[i] == NULL)
            assert_null(rows[i].name);
        else
            assert_string_equal(rows[i].name, expected[i]);
    }
    assert_null(rows[1].file);
    assert_string_equal(rows[5].file, "file.c");
}

static void survives_any_size(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof(table); size++) {
        for (size_t text = 0; text <= sizeof(names); text++) {
            const struct mpdata_elf_bytes s = {symbols.data, size};
            const struct mpdata_elf_bytes t = {strings.data, text};
            struct mpdata_elf_name rows[] = {
                {.address = 0}, {.address = 0x105}, {.address = UINT64_MAX}};

            assert_true(mpdata_elf_symbols_find(&s, &t, rows, 3));
            assert_true(mpdata_elf_symbols_find(&s, &t, rows, 0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_the_last_symbol_before_an_address),
        cmocka_unit_test(survives_any_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
