/* note_test.c -- build ids in ELF notes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/note.h"
#include "shared/le.h"
#include "test/unit/cmocka_all.h"

#include <elf.h>
#include <string.h>

static uint8_t notes[128];
static size_t used;

static void add(uint32_t type, size_t desc_bytes, char fill, size_t align)
{
    mprof_le_store(notes + used, 4, 4);
    mprof_le_store(notes + used + 4, desc_bytes, 4);
    mprof_le_store(notes + used + 8, type, 4);
    memcpy(notes + used + 12, "GNU", 4);
    memset(notes + used + 16, fill, desc_bytes);
    used = (size_t)mprof_round_up(used + 16 + desc_bytes, align);
}

static int begin(void **state)
{
    (void)state;
    memset(notes, 0, sizeof(notes));
    used = 0;
    return 0;
}

static void finds(size_t align)
{
    size_t bytes = 0;
    const uint8_t *const id = mprof_note_build_id(notes, used, align, &bytes);

    assert_non_null(id);
    assert_int_equal(bytes, 20);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(id[i], 'i');
    for (size_t cut = 0; cut < (size_t)(id + bytes - notes); cut++)
        assert_null(mprof_note_build_id(notes, cut, align, &bytes));
}

static void descriptors_of_4_follow_their_name(void **state)
{
    (void)state;
    add(NT_GNU_ABI_TAG, 5, 'a', 4);
    add(NT_GNU_BUILD_ID, 20, 'i', 4);
    finds(4);
}

static void notes_of_8_are_counted_from_the_start(void **state)
{
    (void)state;
    add(NT_GNU_ABI_TAG, 4, 'a', 8);
    add(NT_GNU_BUILD_ID, 20, 'i', 8);
    finds(8);
}

static void a_segment_of_8_may_hold_notes_of_4(void **state)
{
    (void)state;
    add(NT_GNU_PROPERTY_TYPE_0, 16, 'p', 8);
    add(NT_GNU_ABI_TAG, 4, 'a', 4);
    add(NT_GNU_BUILD_ID, 20, 'i', 4);
    finds(8);
}

/* The runtime keeps as much of it as memprofdata compares. */
static void long_ids_are_cut(void **state)
{
    size_t bytes = 0;

    (void)state;
    add(NT_GNU_BUILD_ID, MPROF_BUILD_ID_BYTES_MAX + 36, 'i', 4);
    assert_non_null(mprof_note_build_id(notes, used, 4, &bytes));
    assert_int_equal(bytes, MPROF_BUILD_ID_BYTES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(descriptors_of_4_follow_their_name, begin),
        cmocka_unit_test_setup(notes_of_8_are_counted_from_the_start, begin),
        cmocka_unit_test_setup(a_segment_of_8_may_hold_notes_of_4, begin),
        cmocka_unit_test_setup(long_ids_are_cut, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
