/* symcache_test.c -- tests the cache of symbols: writing, reading, and damage.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/symbols/symcache.c"
#include "test/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY UINT64_C(0x1122334455667788)

static const struct mpdata_symbol inlined[2] = {
    {.function = "inner",
     .file = "/src/a.c",
     .start_file = "/src/a.c",
     .line = 10,
     .column = 3,
     .start_line = 8,
     .discriminator = 2},
    {.function = "outer", .file = "/src/a.c", .line = 20}};
static const struct mpdata_symbol unknown = {.function = NULL};

static void fill(struct mpdata_symbols *s)
{
    mpdata_symbols_init(s);
    mpdata_symbols_add(s, 0x2000, MPDATA_SYMBOL_DEBUG, inlined, 2);
    mpdata_symbols_add(s, 0x1000, MPDATA_SYMBOL_NONE, &unknown, 1);
    assert_false(s->failed);
}

static void check_filled(const struct mpdata_symbols *s)
{
    const struct mpdata_symbol_location *p = mpdata_symbols_find(s, 0x2000);
    struct mpdata_symbol frame;

    assert_non_null(p);
    assert_int_equal(p->source, MPDATA_SYMBOL_DEBUG);
    assert_int_equal(p->count, 2);
    frame = mpdata_symbols_frame(s, p->first);
    assert_string_equal(frame.function, "inner");
    assert_string_equal(frame.file, "/src/a.c");
    assert_int_equal(frame.line, 10);
    assert_int_equal(frame.column, 3);
    assert_int_equal(frame.start_line, 8);
    assert_int_equal(frame.discriminator, 2);
    frame = mpdata_symbols_frame(s, p->first + 1);
    assert_string_equal(frame.function, "outer");
    assert_null(frame.start_file);
    p = mpdata_symbols_find(s, 0x1000);
    assert_int_equal(p->source, MPDATA_SYMBOL_NONE);
    assert_null(mpdata_symbols_frame(s, p->first).function);
    assert_null(mpdata_symbols_find(s, 0x1001));
}

static void keeps_each_string_once(void **state)
{
    struct mpdata_symbols s;
    struct mpdata_symbols other;
    size_t size;

    (void)state;
    fill(&s);
    check_filled(&s);
    size = s.bytes_size;
    mpdata_symbols_add(&s, 0x3000, MPDATA_SYMBOL_DEBUG, inlined, 2);
    assert_int_equal(s.bytes_size, size);
    mpdata_symbols_init(&other);
    mpdata_symbols_merge(&other, &s);
    mpdata_symbols_merge(&other, &s);
    check_filled(&other);
    assert_int_equal(other.locations.count, 3);
    assert_int_equal(other.bytes_size, size);
    mpdata_symbols_fini(&s);
    mpdata_symbols_fini(&other);
}

static void encode_two(struct mprof_buf *out)
{
    struct mpdata_symbols s;
    const struct mpdata_symcache_entry entries[] = {
        {.key = KEY - 1, .symbols = &s}, {.key = KEY, .symbols = &s}};

    fill(&s);
    mpdata_symbols_add_split(&s, "/nowhere/a.dwo", 0);
    mpdata_symbols_add_split(&s, "/nowhere/a.dwo", 0);
    mpdata_heapbuf_init(out);
    mprof_buf_u64(out, MPDATA_SYMCACHE_MAGIC);
    encode(out, &entries[0]);
    encode(out, &entries[1]);
    assert_false(out->failed);
    mpdata_symbols_fini(&s);
}

static bool find_filled(const uint8_t *data, size_t size, uint64_t key,
                        bool verify, bool check)
{
    struct mpdata_symbols s;
    bool is_found;

    mpdata_symbols_init(&s);
    is_found = mpdata_symcache_find(data, size, key, verify, &s);
    if (check) {
        assert_true(is_found);
        check_filled(&s);
        assert_int_equal(s.splits.count, 1);
        mpdata_symbols_add(&s, 0x4000, MPDATA_SYMBOL_DEBUG, inlined, 2);
        check_filled(&s);
        assert_false(s.failed);
    }
    mpdata_symbols_fini(&s);
    return is_found;
}

static void comes_back_as_it_was(void **state)
{
    struct mprof_buf out;

    (void)state;
    encode_two(&out);
    (void)find_filled(out.data, out.size, KEY, true, true);
    (void)find_filled(out.data, out.size, KEY - 1, false, true);
    assert_false(find_filled(out.data, out.size, KEY + 1, true, false));
    mpdata_heapbuf_fini(&out);
}

/* With the checksum each flipped bit of the record is found; without, nothing
 * may crash. */
static void survives_any_damage(void **state)
{
    struct mprof_buf out;

    (void)state;
    encode_two(&out);
    for (size_t i = 0; i < out.size; i++) {
        uint8_t *const copy = malloc(i + 1);

        assert_non_null(copy);
        memcpy(copy, out.data, i);
        assert_false(find_filled(copy, i, KEY, true, false));
        assert_false(find_filled(copy, i, KEY, false, false));
        free(copy);
        for (unsigned bit = 0; bit < 8; bit++) {
            out.data[i] ^= (uint8_t)(1u << bit);
            /* The second record starts in the middle of the file. */
            if (i >= 8 + (out.size - 8) / 2)
                assert_false(find_filled(out.data, out.size, KEY, true, false));
            (void)find_filled(out.data, out.size, KEY, false, false);
            out.data[i] ^= (uint8_t)(1u << bit);
        }
    }
    mpdata_heapbuf_fini(&out);
}

static void expect_path(const char *path)
{
    char *const found = mpdata_symcache_path();

    assert_string_equal(found, path);
    free(found);
}

static void has_a_path_by_the_environment(void **state)
{
    (void)state;
    setenv("HOME", "/home/me", 1);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    expect_path("/cache/memprof/symbols");
    /* As the specification demands: a relative path is ignored. */
    setenv("XDG_CACHE_HOME", "cache", 1);
    expect_path("/home/me/.cache/memprof/symbols");
    unsetenv("HOME");
    assert_null(mpdata_symcache_path());
}

/* The second save keeps the first one's record. A file of split DWARF that
 * appears makes a record outdated. */
static void keeps_records_and_sees_split_files(void **state)
{
    char directory[] = "/tmp/symcache-test-XXXXXX";
    struct mpdata_symbols s;
    struct mpdata_symcache_entry entry = {.key = KEY, .symbols = &s};
    char path[64];
    char split[64];
    FILE *file;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/cache", directory);
    snprintf(split, sizeof(split), "%s/a.dwo", directory);
    fill(&s);
    mpdata_symbols_add_split(&s, split, 0);
    mpdata_symcache_save(path, &entry, 1);
    entry.key = KEY + 1;
    mpdata_symcache_save(path, &entry, 1);
    for (uint64_t key = KEY; key <= KEY + 1; key++) {
        mpdata_symbols_fini(&s);
        mpdata_symbols_init(&s);
        assert_true(mpdata_symcache_load(path, key, &s));
        check_filled(&s);
    }
    file = fopen(split, "w");
    assert_non_null(file);
    fputc('x', file);
    fclose(file);
    mpdata_symbols_fini(&s);
    mpdata_symbols_init(&s);
    assert_false(mpdata_symcache_load(path, KEY, &s));
    assert_int_equal(s.locations.count, 0);
    assert_int_equal(s.splits.count, 0);
    remove(split);
    remove(path);
    remove(directory);
    mpdata_symbols_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_each_string_once),
        cmocka_unit_test(comes_back_as_it_was),
        cmocka_unit_test(survives_any_damage),
        cmocka_unit_test(has_a_path_by_the_environment),
        cmocka_unit_test(keeps_records_and_sees_split_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
