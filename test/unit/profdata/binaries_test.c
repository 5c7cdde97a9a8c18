/* binaries_test.c -- build ids and executable segments of ELF files.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/binaries.h"
#include "shared/le.h"
#include "test/unit/cmocka_all.h"

#include <elf.h>
#include <string.h>

#define NOTE_OFF (sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr))
#define FILE_BYTES (NOTE_OFF + 64)

/* A note with a build id after another note, an executable segment, another
 * segment. */
static void build(uint8_t file[FILE_BYTES])
{
    const Elf64_Ehdr ehdr = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
        .e_phoff = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 3};
    const Elf64_Phdr phdrs[3] = {
        {.p_type = PT_NOTE, .p_offset = NOTE_OFF, .p_filesz = 52, .p_align = 4},
        {.p_type = PT_LOAD,
         .p_flags = PF_R | PF_X,
         .p_vaddr = 0x1000,
         .p_memsz = 0x234,
         .p_offset = 0x1000},
        {.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0x9000}};
    const uint32_t notes[] = {
        4, 4, 9, 0x554e47, 77, 4, 12, NT_GNU_BUILD_ID, 0x554e47};

    memset(file, 0, FILE_BYTES);
    memcpy(file, &ehdr, sizeof(ehdr));
    memcpy(file + sizeof(ehdr), phdrs, sizeof(phdrs));
    memcpy(file + NOTE_OFF, notes, sizeof(notes));
    memcpy(file + NOTE_OFF + sizeof(notes), "0123456789ab", 12);
}

static void finds_build_id_and_code(void **state)
{
    uint8_t file[FILE_BYTES];
    struct mpdata_elf elf;
    struct mprof_diag diag;

    (void)state;
    build(file);
    assert_int_equal(mpdata_elf_read(&elf, file, sizeof(file), &diag), 0);
    assert_int_equal(elf.build_id.size, 12);
    assert_memory_equal(elf.build_id.bytes, "0123456789ab", 12);
    assert_int_equal(elf.load_count, 1);
    assert_int_equal(elf.loads[0].address, 0x1000);
    assert_int_equal(elf.loads[0].bytes, 0x234);
}

/* Sections: names, and line tables of 4 bytes. */
static void sees_line_tables_by_their_section(void **state)
{
    const Elf64_Shdr sections[2] = {
        {.sh_name = 0, .sh_offset = FILE_BYTES + 128, .sh_size = 13},
        {.sh_name = 1, .sh_size = 4}};
    uint8_t file[FILE_BYTES + 141];
    struct mpdata_elf elf;
    struct mprof_diag diag;

    (void)state;
    memset(file, 0, sizeof(file));
    build(file);
    assert_int_equal(mpdata_elf_read(&elf, file, sizeof(file), &diag), 0);
    assert_false(elf.has_lines);
    memcpy(file + FILE_BYTES, sections, sizeof(sections));
    memcpy(file + FILE_BYTES + 128, "\0.debug_line", 13);
    mprof_le_store(file + offsetof(Elf64_Ehdr, e_shoff), FILE_BYTES, 8);
    mprof_le_store(file + offsetof(Elf64_Ehdr, e_shentsize), 64, 2);
    mprof_le_store(file + offsetof(Elf64_Ehdr, e_shnum), 2, 2);
    assert_int_equal(mpdata_elf_read(&elf, file, sizeof(file), &diag), 0);
    assert_true(elf.has_lines);
    for (size_t i = FILE_BYTES; i < sizeof(file); i++) {
        const uint8_t old = file[i];

        file[i] = 0xff;
        assert_int_equal(mpdata_elf_read(&elf, file, sizeof(file), &diag), 0);
        assert_int_equal(mpdata_elf_read(&elf, file, i, &diag), 0);
        file[i] = old;
    }
}

static void survives_any_damage(void **state)
{
    uint8_t file[FILE_BYTES];

    (void)state;
    for (size_t i = 0; i < FILE_BYTES; i++) {
        static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};

        for (size_t k = 0; k < sizeof(values); k++) {
            struct mpdata_elf elf;
            struct mprof_diag diag;

            build(file);
            file[i] = values[k];
            (void)!mpdata_elf_read(&elf, file, sizeof(file), &diag);
            (void)!mpdata_elf_read(&elf, file, i, &diag);
        }
    }
}

static void refuses_what_is_no_elf_file(void **state)
{
    struct mpdata_elf elf;
    struct mprof_diag diag;
    uint8_t file[FILE_BYTES];

    (void)state;
    assert_int_equal(
        mpdata_elf_read(&elf, (const uint8_t *)"#!/bin/sh", 9, &diag),
        MPROF_E_NOT_ELF);
    build(file);
    file[EI_CLASS] = ELFCLASS32;
    assert_int_equal(mpdata_elf_read(&elf, file, sizeof(file), &diag),
                     MPROF_E_NOT_ELF);
}

static void finds_binaries_again(void **state)
{
    struct mpdata_binaries binaries = {.files = NULL};
    const struct mpdata_binary_file *self;
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(
        mpdata_binaries_add(&binaries, "/proc/self/exe", true, &self, &diag),
        0);
    assert_true(self->load_count >= 1);
    assert_ptr_equal(mpdata_binaries_find_path(&binaries, "/proc/self/exe"),
                     self);
    if (self->build_id_size != 0)
        assert_ptr_equal(mpdata_binaries_find(&binaries, self->build_id,
                                              self->build_id_size),
                         self);
    assert_ptr_equal(
        mpdata_binaries_find_path(&binaries, "/proc/self/../self/exe"), self);
    assert_null(mpdata_binaries_find_path(&binaries, "/dev/null"));
    assert_null(mpdata_binaries_find_path(&binaries, "no/such/file"));
    assert_null(mpdata_binaries_find(&binaries, "", 0));
    assert_null(mpdata_binaries_find(&binaries, "x", 1));
    assert_int_equal(
        mpdata_binaries_add(&binaries, "/dev/null", true, NULL, &diag),
        MPROF_E_IO);
    assert_string_equal(diag.file, "/dev/null");
    mpdata_binaries_fini(&binaries);
}

static void writes_build_ids_in_hexadecimal(void **state)
{
    char text[MPDATA_BUILD_ID_TEXT_BYTES];
    char longest[100];

    (void)state;
    memset(longest, 0xab, sizeof(longest));
    assert_string_equal(mpdata_build_id_text("\x01\xfe", 2, text), "01fe");
    assert_ptr_equal(mpdata_build_id_text("", 0, text), text);
    assert_string_equal(text, "none");
    assert_int_equal(strlen(mpdata_build_id_text(longest, 100, text)), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_build_id_and_code),
        cmocka_unit_test(sees_line_tables_by_their_section),
        cmocka_unit_test(survives_any_damage),
        cmocka_unit_test(refuses_what_is_no_elf_file),
        cmocka_unit_test(finds_binaries_again),
        cmocka_unit_test(writes_build_ids_in_hexadecimal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
