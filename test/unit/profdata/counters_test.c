/* counters_test.c -- PGO counters: what tools do not make on demand.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "profdata/model/counters.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

/* One function "f" with shape 7: two counters and one value site. */
struct shape {
    const char *name;
    uint64_t hash;
    uint64_t counts[2];
    uint64_t count_count;
    struct mpdata_value values[3];
    uint32_t value_count;
    uint32_t site_count;
};

static void make(struct mpdata_counters *c, const struct shape *s)
{
    struct mpdata_counter_function f = {
        .name = s->name,
        .name_size = strlen(s->name),
        .key = mpdata_guid(s->name, strlen(s->name)),
        .records = {.elem_bytes = sizeof(struct mpdata_counter_record)}};
    struct mpdata_counter_record *r;

    if (!c->is_present)
        mpdata_counters_init(c);
    r = mpdata_vec_push(&f.records);
    *r = (struct mpdata_counter_record){.hash = s->hash,
                                        .count_count = s->count_count};
    r->counts = mpdata_arena_alloc(&c->arena, 16);
    memcpy(r->counts, s->counts, 16);
    r->bitmap = mpdata_arena_alloc(&c->arena, 0);
    for (int i = 0; i < MPDATA_VALUE_KINDS; i++)
        r->sites[i] = mpdata_arena_alloc(&c->arena, sizeof(**r->sites));
    r->site_counts[0] = s->site_count;
    r->sites[0][0].count = s->value_count;
    r->sites[0][0].values = mpdata_arena_alloc(&c->arena, sizeof(s->values));
    memcpy(r->sites[0][0].values, s->values, sizeof(s->values));
    assert_int_not_equal(mpdata_set_add(&c->functions, &f, NULL), 0);
    c->is_present = true;
    c->version = MPROF_INDEX_VERSION;
    c->variant = MPROF_INDEX_VARIANT_IR;
}

static const struct mpdata_counter_record *
record(const struct mpdata_counters *c, uint32_t function)
{
    const struct mpdata_counter_function *f = c->functions.rows.data;

    assert_true(function < c->functions.rows.count);
    return f[function].records.data;
}

static enum mprof_err add(struct mpdata_counters *into, const struct shape *s,
                          uint64_t weight)
{
    struct mpdata_counters from = {.is_present = false};
    enum mprof_err err;

    make(&from, s);
    err = mpdata_counters_match(into, &from, NULL);
    if (err == MPROF_E_OK)
        err = mpdata_counters_merge(into, &from, weight);
    mpdata_counters_fini(&from);
    return err;
}

static const struct shape plain = {"f", 7, {10, 20}, 2, {{1, 5}, {2, 6}}, 2, 1};

static void counts_are_summed_and_saturate(void **state)
{
    struct shape big = plain;
    struct mpdata_counters c;

    (void)state;
    big.counts[1] = UINT64_MAX - 10;
    mpdata_counters_init(&c);
    assert_int_equal(add(&c, &plain, 3), MPROF_E_OK);
    assert_int_equal(record(&c, 0)->counts[0], 30);
    assert_int_equal(record(&c, 0)->sites[0][0].values[1].count, 18);
    assert_int_equal(add(&c, &big, 1), MPROF_E_OK);
    assert_int_equal(record(&c, 0)->counts[0], 40);
    assert_int_equal(record(&c, 0)->counts[1], MPROF_INDEX_COUNT_MAX);
    mpdata_counters_fini(&c);
}

static void sites_are_joined_by_value(void **state)
{
    struct shape other = plain;
    const struct mpdata_value_site *site;
    struct mpdata_counters c;

    (void)state;
    other.values[0].value = 9;
    mpdata_counters_init(&c);
    assert_int_equal(add(&c, &plain, 1), MPROF_E_OK);
    assert_int_equal(add(&c, &other, 1), MPROF_E_OK);
    mpdata_counters_canonical(&c);
    site = &record(&c, 0)->sites[0][0];
    assert_int_equal(site->count, 3);
    assert_int_equal(site->values[0].value, 2);
    assert_int_equal(site->values[0].count, 12);
    assert_int_equal(site->values[1].value, 1);
    assert_int_equal(site->values[2].value, 9);
    mpdata_counters_fini(&c);
}

static void what_does_not_fit_is_refused(void **state)
{
    struct shape fewer = plain;
    struct shape pseudo = plain;
    struct shape no_site = plain;
    struct shape other = plain;
    struct mpdata_counters c;

    (void)state;
    fewer.count_count = 1;
    pseudo.counts[0] = UINT64_MAX;
    no_site.site_count = 0;
    other.hash = 8;
    other.count_count = 1;
    mpdata_counters_init(&c);
    assert_int_equal(add(&c, &plain, 1), MPROF_E_OK);
    assert_int_equal(add(&c, &fewer, 1), MPROF_E_MIXED);
    assert_int_equal(add(&c, &pseudo, 1), MPROF_E_MIXED);
    assert_int_equal(add(&c, &no_site, 1), MPROF_E_MIXED);
    assert_int_equal(add(&c, &other, 1), MPROF_E_OK);
    assert_int_equal(record(&c, 0)->counts[0], 10);
    mpdata_counters_fini(&c);
}

static void write_index(struct mpdata_counters *c, struct mprof_buf *out)
{
    struct mpdata_content content = {.profile = mpdata_profile_new()};

    mpdata_counters_canonical(c);
    content.counters = *c; /* lent */
    mpdata_heapbuf_init(out);
    assert_int_equal(mpdata_index_write(&content, NULL, out), MPROF_E_OK);
    mpdata_profile_free(content.profile);
}

static void marks_of_sample_profiles_survive(void **state)
{
    struct shape hot = plain;
    struct shape warm = plain;
    struct mpdata_counters c;

    (void)state;
    hot.counts[0] = UINT64_MAX;
    warm.counts[0] = UINT64_MAX - 1;
    mpdata_counters_init(&c);
    assert_int_equal(add(&c, &warm, 1), MPROF_E_OK);
    assert_int_equal(add(&c, &hot, 2), MPROF_E_OK);
    assert_int_equal(add(&c, &warm, 1), MPROF_E_OK);
    assert_true(record(&c, 0)->counts[0] == UINT64_MAX);
    mpdata_counters_fini(&c);
}

static void make_file(struct mprof_buf *file)
{
    static const char *const names[] = {"a", "f", "gee", "main"};
    struct mpdata_counters c;

    mpdata_counters_init(&c);
    for (size_t i = 0; i < 12; i++) {
        struct shape s = plain;

        s.name = names[i % 4];
        s.hash = i / 4 % 2;
        s.counts[0] = i;
        assert_int_equal(add(&c, &s, 1), MPROF_E_OK);
    }
    write_index(&c, file);
    mpdata_counters_fini(&c);
}

static void files_read_back(void **state)
{
    struct mpdata_counters c;
    struct mprof_buf first;
    struct mprof_buf second;

    (void)state;
    make_file(&first);
    mpdata_counters_init(&c);
    assert_int_equal(mpdata_counters_read(first.data, first.size, &c, NULL),
                     MPROF_E_OK);
    assert_true(c.is_present);
    assert_int_equal(c.functions.rows.count, 4);
    write_index(&c, &second);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    mpdata_counters_fini(&c);
    mpdata_heapbuf_fini(&second);
    mpdata_heapbuf_fini(&first);
}

/* Every single-bit flip and every length: no crash, and no reading beyond. */
static void damage_is_survived(void **state)
{
    struct mpdata_counters c;
    struct mprof_buf file;

    (void)state;
    make_file(&file);
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        enum mprof_err err;

        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        mpdata_counters_init(&c);
        err = mpdata_counters_read(file.data, file.size, &c, NULL);
        assert_true(err == MPROF_E_OK || !c.is_present);
        mpdata_counters_fini(&c);
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *part = malloc(size + 1);
        enum mprof_err err;

        memcpy(part, file.data, size);
        mpdata_counters_init(&c);
        err = mpdata_counters_read(part, size, &c, NULL);
        assert_true(err == MPROF_E_OK || !c.is_present);
        mpdata_counters_fini(&c);
        free(part);
    }
    mpdata_heapbuf_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_summed_and_saturate),
        cmocka_unit_test(sites_are_joined_by_value),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(marks_of_sample_profiles_survive),
        cmocka_unit_test(files_read_back),
        cmocka_unit_test(damage_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
