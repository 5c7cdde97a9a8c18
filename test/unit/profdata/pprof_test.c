/* pprof_test.c -- tests heap profiles of pprof: their content, and what is
 * refused.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/base/protobuf.h"
#include "profdata/import/foreign.h"
#include "profdata/import/pprof_rows.h"
#include "shared/index_format.h"
#include "profdata/base/pprof_format.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

/* A profile that is being built. The rows of tables are numbered: string N is
 * "sN" except for the names of types, function N has name N, location N is in
 * function N. */
struct file {
    struct mprof_buf bytes;
    struct mprof_buf row;
};

enum {
    STRING_EMPTY,
    STRING_ALLOC_OBJECTS,
    STRING_COUNT,
    STRING_ALLOC_SPACE,
    STRING_BYTES,
    STRING_MAIN,
    STRING_MAKE,
    STRING_FILE,
    STRING_SPACE
};

static const char *const strings[] = {
    "",     "alloc_objects", "count", "alloc_space", "bytes",
    "main", "make",          "a.c",   "space"};

static void begin(struct file *f)
{
    mpdata_heapbuf_init(&f->bytes);
    mpdata_heapbuf_init(&f->row);
}

static void end(struct file *f)
{
    mpdata_heapbuf_fini(&f->bytes);
    mpdata_heapbuf_fini(&f->row);
}

static void end_row(struct file *f, uint32_t field)
{
    mpdata_protobuf_put_bytes(&f->bytes, field, f->row.data, f->row.size);
    f->row.size = 0;
}

static void number(struct file *f, uint32_t field, uint64_t value)
{
    mpdata_protobuf_put_number(&f->row, field, value);
}

static void add_type(struct file *f, uint32_t field, uint64_t type,
                     uint64_t unit)
{
    number(f, MPROF_PPROF_VALUE_TYPE, type);
    number(f, MPROF_PPROF_VALUE_UNIT, unit);
    end_row(f, field);
}

static void add_types(struct file *f)
{
    add_type(f, MPROF_PPROF_SAMPLE_TYPE, STRING_ALLOC_OBJECTS, STRING_COUNT);
    add_type(f, MPROF_PPROF_SAMPLE_TYPE, STRING_ALLOC_SPACE, STRING_BYTES);
}

static void add_strings(struct file *f)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(strings); i++)
        mpdata_protobuf_put_bytes(&f->bytes, MPROF_PPROF_STRING, strings[i],
                                  strlen(strings[i]));
}

/* A sample with one location, or without one. */
static void add_sample(struct file *f, uint64_t location, uint64_t blocks,
                       uint64_t bytes)
{
    struct mprof_buf packed;

    mpdata_heapbuf_init(&packed);
    number(f, MPROF_PPROF_SAMPLE_LOCATION, location);
    mpdata_protobuf_put(&packed, blocks);
    mpdata_protobuf_put(&packed, bytes);
    mpdata_protobuf_put_bytes(&f->row, MPROF_PPROF_SAMPLE_VALUE, packed.data,
                              packed.size);
    end_row(f, MPROF_PPROF_SAMPLE);
    mpdata_heapbuf_fini(&packed);
}

static void add_function(struct file *f, uint64_t id, uint64_t name)
{
    number(f, MPROF_PPROF_FUNCTION_ID, id);
    number(f, MPROF_PPROF_FUNCTION_NAME, name);
    number(f, MPROF_PPROF_FUNCTION_FILE, STRING_FILE);
    end_row(f, MPROF_PPROF_FUNCTION);
}

static void put_line(struct file *f, uint64_t function, uint64_t line)
{
    struct mprof_buf part;

    mpdata_heapbuf_init(&part);
    mpdata_protobuf_put_number(&part, MPROF_PPROF_LINE_FUNCTION, function);
    mpdata_protobuf_put_number(&part, MPROF_PPROF_LINE_LINE, line);
    mpdata_protobuf_put_bytes(&f->row, MPROF_PPROF_LOCATION_LINE, part.data,
                              part.size);
    mpdata_heapbuf_fini(&part);
}

/* Two functions, of which the first is inlined into the second. */
static void add_location(struct file *f, uint64_t id)
{
    number(f, MPROF_PPROF_LOCATION_ID, id);
    put_line(f, 1, 7);
    put_line(f, 2, 9);
    end_row(f, MPROF_PPROF_LOCATION);
}

static void add_tables(struct file *f)
{
    add_location(f, 1);
    add_function(f, 2, STRING_MAIN);
    add_function(f, 1, STRING_MAKE);
    add_strings(f);
}

/* Reads it and frees it. */
static enum mprof_err read_file(struct file *f, struct mpdata_profile *profile)
{
    struct mprof_diag diag;
    const enum mprof_err err =
        mpdata_pprof_read(f->bytes.data, f->bytes.size, profile, &diag);

    if (err != MPROF_E_OK)
        assert_int_equal(diag.err, err);
    end(f);
    return err;
}

static void expect(struct file *f, enum mprof_err err)
{
    struct mpdata_profile *profile = mpdata_profile_new();

    assert_int_equal(read_file(f, profile), err);
    mpdata_profile_free(profile);
}

static void test_read(void **state)
{
    struct mpdata_profile *profile = mpdata_profile_new();
    struct mpdata_view v;
    struct file f;

    (void)state;
    begin(&f);
    add_types(&f);
    add_sample(&f, 1, 3, 96);
    add_sample(&f, 1, 1, 4);
    add_sample(&f, 0, 0, 0);
    add_tables(&f);
    mpdata_protobuf_put_number(&f.bytes, MPROF_PPROF_TIME_NS, 77);
    mpdata_protobuf_put_number(&f.bytes, MPROF_PPROF_PERIOD, 4096);
    add_type(&f, MPROF_PPROF_PERIOD_TYPE, STRING_SPACE, STRING_BYTES);
    assert_true(mpdata_pprof_is(f.bytes.data, f.bytes.size));
    assert_true(mpdata_pprof_is(f.bytes.data, 20));
    assert_int_equal(read_file(&f, profile), MPROF_E_OK);
    v = mpdata_profile_view(profile);
    assert_int_equal(v.context_count, 1);
    assert_int_equal(mpdata_view_mib(&v, 0).AllocCount, 4);
    assert_int_equal(mpdata_view_mib(&v, 0).TotalSize, 100);
    assert_true((v.contexts[0].flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0);
    assert_int_equal(v.node_count, 2);
    assert_int_equal(v.frames[v.nodes[1].frame].line, 7);
    assert_true((v.frames[v.nodes[1].frame].flags & MPROF_ENTRY_FL_INLINE) !=
                0);
    assert_int_equal(v.frames[v.nodes[0].frame].line, 9);
    assert_int_equal(v.run_count, 1);
    assert_int_equal(v.runs[0].kind, MPROF_RUN_FOREIGN);
    assert_int_equal(v.runs[0].start_ns, 77);
    assert_int_equal(v.runs[0].sample_period_bytes, 4096);
    mpdata_profile_free(profile);
}

/* Reads a stack of make, inlined into main, in a file that drops some
 * functions: expects this many frames, or none after an error. */
static uint32_t count_frames(const char *drop, const char *keep,
                             enum mprof_err err)
{
    struct mpdata_profile *profile = mpdata_profile_new();
    uint32_t count = 0;
    struct file f;

    begin(&f);
    add_types(&f);
    add_sample(&f, 1, 3, 96);
    add_tables(&f);
    mpdata_protobuf_put_bytes(&f.bytes, MPROF_PPROF_STRING, drop, strlen(drop));
    mpdata_protobuf_put_bytes(&f.bytes, MPROF_PPROF_STRING, keep, strlen(keep));
    mpdata_protobuf_put_number(&f.bytes, MPROF_PPROF_DROP_FRAMES,
                               MPROF_ARRAY_LEN(strings));
    mpdata_protobuf_put_number(&f.bytes, MPROF_PPROF_KEEP_FRAMES,
                               MPROF_ARRAY_LEN(strings) + 1);
    assert_int_equal(read_file(&f, profile), err);
    if (err == MPROF_E_OK) {
        const struct mpdata_view v = mpdata_profile_view(profile);

        assert_int_equal(v.context_count, 1);
        assert_int_equal(mpdata_view_mib(&v, 0).TotalSize, 96);
        for (mpdata_ref node = v.contexts[0].node; node != 0;
             node = v.nodes[node - 1].parent)
            count++;
    }
    mpdata_profile_free(profile);
    return count;
}

static void test_dropped(void **state)
{
    (void)state;
    assert_int_equal(count_frames("", "", MPROF_E_OK), 2);
    assert_int_equal(count_frames("malloc|make", "", MPROF_E_OK), 1);
    assert_int_equal(count_frames("mak", "", MPROF_E_OK), 2);
    assert_int_equal(count_frames("ma.*", "ma.e", MPROF_E_OK), 2);
    /* Never the whole stack. */
    assert_int_equal(count_frames("main", "", MPROF_E_OK), 2);
    assert_int_equal(count_frames("ma.*", "", MPROF_E_OK), 2);
    assert_int_equal(count_frames("ma.*", "main", MPROF_E_OK), 1);
    count_frames("(", "", MPROF_E_UNSUPPORTED);
    count_frames("a", "[", MPROF_E_UNSUPPORTED);
}

static bool is_dropped(const char *drop, const char *name, enum mprof_err err)
{
    struct mpdata_pprof_drop *d;
    char why[128];
    bool does = false;

    assert_int_equal(
        mpdata_pprof_drop_new(&d, (struct mpdata_str){drop, strlen(drop)},
                              (struct mpdata_str){"", 0}, why, sizeof(why)),
        MPROF_E_OK);
    assert_int_equal(mpdata_pprof_drop_fits(
                         d, (struct mpdata_str){name, strlen(name)}, &does),
                     err);
    mpdata_pprof_drop_free(d);
    return does;
}

/* As pprof compares names: without a C++ function's arguments. */
static void test_dropped_names(void **state)
{
    (void)state;
    assert_true(is_dropped("a::b", "a::b(int, char*)", MPROF_E_OK));
    assert_true(is_dropped(".*::operator\\(\\)", "f::operator()(int) const",
                           MPROF_E_OK));
    assert_true(is_dropped("\\(anonymous namespace\\)::f",
                           "(anonymous namespace)::f(long)", MPROF_E_OK));
    assert_true(is_dropped("f", ".f", MPROF_E_OK));
    assert_false(is_dropped("f", "", MPROF_E_OK));
    /* A pattern that is meant to take forever. */
    is_dropped("(x+x+)+[yz]", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
               MPROF_E_UNSUPPORTED);
}

/* Files with a missing or duplicate row of a table, or invalid values. */
static void test_refused(void **state)
{
    struct file f;

    (void)state;
    begin(&f);
    add_types(&f);
    add_sample(&f, 2, 1, 1);
    add_tables(&f);
    expect(&f, MPROF_E_REFERENCE);

    begin(&f);
    add_types(&f);
    add_sample(&f, 1, 1, 1);
    add_location(&f, 1);
    add_strings(&f);
    expect(&f, MPROF_E_REFERENCE);

    begin(&f);
    add_types(&f);
    add_function(&f, 1, 1000);
    add_location(&f, 1);
    add_function(&f, 2, STRING_MAIN);
    add_sample(&f, 1, 1, 1);
    add_strings(&f);
    expect(&f, MPROF_E_REFERENCE);

    begin(&f);
    add_types(&f);
    add_location(&f, 1);
    add_tables(&f);
    expect(&f, MPROF_E_DUPLICATE);

    begin(&f);
    add_types(&f);
    add_location(&f, 0);
    add_tables(&f);
    expect(&f, MPROF_E_VALUE);

    /* A difference of profiles. */
    begin(&f);
    add_types(&f);
    add_sample(&f, 1, (uint64_t)-1, 1);
    add_tables(&f);
    expect(&f, MPROF_E_VALUE);

    /* Three types and two values. */
    begin(&f);
    add_types(&f);
    add_type(&f, MPROF_PPROF_SAMPLE_TYPE, STRING_SPACE, STRING_BYTES);
    add_sample(&f, 1, 1, 1);
    add_tables(&f);
    expect(&f, MPROF_E_VALUE);

    /* Not a heap profile. */
    begin(&f);
    add_type(&f, MPROF_PPROF_SAMPLE_TYPE, STRING_MAIN, STRING_COUNT);
    add_tables(&f);
    expect(&f, MPROF_E_UNSUPPORTED);

    /* String 0 is not "". */
    begin(&f);
    add_types(&f);
    mpdata_protobuf_put_bytes(&f.bytes, MPROF_PPROF_STRING, "x", 1);
    add_tables(&f);
    expect(&f, MPROF_E_VALUE);

    begin(&f);
    add_types(&f);
    add_tables(&f);
    f.bytes.size--;
    expect(&f, MPROF_E_TRUNCATED);
}

/* A negative number is unknown. */
static void test_period(void **state)
{
    const struct mpdata_str bytes = {"kB", 2};
    const struct mpdata_str none = {"", 0};

    (void)state;
    assert_int_equal(mpdata_pprof_units_period(512, bytes), 512 << 10);
    assert_int_equal(mpdata_pprof_units_period((uint64_t)-5, bytes), 0);
    assert_int_equal(mpdata_pprof_units_period(512, none), 0);
}

/* A stack of a location with 40,000 frames, repeated. */
static void expect_deep(int times, enum mprof_err err)
{
    struct file f;

    begin(&f);
    add_types(&f);
    number(&f, MPROF_PPROF_LOCATION_ID, 1);
    for (int i = 0; i < 40000; i++)
        put_line(&f, 1, 0);
    end_row(&f, MPROF_PPROF_LOCATION);
    add_function(&f, 1, STRING_MAKE);
    for (int i = 0; i < times; i++)
        number(&f, MPROF_PPROF_SAMPLE_LOCATION, 1);
    for (int i = 0; i < 2; i++)
        number(&f, MPROF_PPROF_SAMPLE_VALUE, 1);
    end_row(&f, MPROF_PPROF_SAMPLE);
    add_strings(&f);
    expect(&f, err);
}

/* A short file must not stand for endless long stacks. */
static void test_deep(void **state)
{
    (void)state;
    expect_deep(2, MPROF_E_OK);
    expect_deep(40, MPROF_E_VALUE);
}

static bool is(const char *bytes, size_t size)
{
    return mpdata_pprof_is((const uint8_t *)bytes, size);
}

static void test_detected(void **state)
{
    (void)state;
    assert_false(is("", 0));
    assert_false(is("\n\nsome text that begins with lines", 34));
    assert_false(is("\n\x02xy\n\x02xy", 8));
    assert_false(is("\n\x00\x12\x00", 4));
    assert_false(is("\x12\x02\x08\x01", 4));
    assert_true(is("\n\x04\x08\x01\x10\x02\x12", 7));
    /* Go's files begin with the period. */
    assert_true(
        is("Z\x04\x08\x01\x10\x02`\x80\x80 \n\x04\x08\x03\x10\x04\"", 17));
}

/* Fields may have any order, and unknown ones may stand between them. */
static void test_detected_order(void **state)
{
    struct file f;

    (void)state;
    begin(&f);
    mpdata_protobuf_put_number(&f.bytes, MPROF_PPROF_FIELD_MAX, 1);
    mpdata_protobuf_put_number(&f.bytes, MPROF_PPROF_DROP_FRAMES, 1);
    mpdata_protobuf_put_bytes(&f.bytes, MPROF_PPROF_FIELD_MAX + 1, "x", 1);
    add_tables(&f);
    add_sample(&f, 1, 3, 96);
    assert_false(mpdata_pprof_is(f.bytes.data, f.bytes.size));
    assert_true(mpdata_pprof_is(f.bytes.data, f.bytes.size - 1));
    add_types(&f);
    assert_true(mpdata_pprof_is(f.bytes.data, f.bytes.size));
    end(&f);
    /* Types that follow more than what decides. */
    begin(&f);
    for (int i = 0; i < 10000; i++)
        add_sample(&f, 1, 3, 96);
    add_types(&f);
    assert_true(mpdata_pprof_is(f.bytes.data, f.bytes.size));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_deep),     cmocka_unit_test(test_period),
        cmocka_unit_test(test_detected), cmocka_unit_test(test_detected_order),
        cmocka_unit_test(test_dropped),  cmocka_unit_test(test_dropped_names)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
