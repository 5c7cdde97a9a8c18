/* suppressions_test.c -- tests LeakSanitizer's suppressions and which leaks
 * they match.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/suppressions.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct mpdata_suppressions_row *row_of(const struct mpdata_list *s,
                                                    uint32_t i)
{
    return (const struct mpdata_suppressions_row *)s->rows.data + i;
}

static void reads_lines(void **state)
{
    static const char text[] =
        "# a comment\n\n  leak:one  \r\nleak: two\n\t# more\nleak:^x*y$";
    struct mpdata_list s;

    (void)state;
    assert_int_equal(mpdata_suppressions_read(&s, text, strlen(text)),
                     MPROF_E_OK);
    assert_int_equal(s.rows.count, 3);
    assert_string_equal(row_of(&s, 0)->pattern, "one");
    assert_string_equal(row_of(&s, 1)->pattern, " two");
    assert_string_equal(row_of(&s, 2)->pattern, "^x*y$");
    mpdata_lines_fini(&s);
}

static void says_which_line_is_none(void **state)
{
    static const struct {
        const char *text;
        uint32_t line;
    } cases[] = {
        {"race:x", 1}, {"leak:a\n\nleak\n", 3}, {"leak:", 1}, {"#\nLeak:x", 2}};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_list s;

        assert_int_equal(
            mpdata_suppressions_read(&s, cases[i].text, strlen(cases[i].text)),
            MPROF_E_VALUE);
        assert_int_equal(s.bad_line, cases[i].line);
        mpdata_lines_fini(&s);
    }
}

static void hides_nothing_behind_a_nul(void **state)
{
    static const char text[] = "leak:a\nleak:b\0\nleak:c\n";
    struct mpdata_list s;

    (void)state;
    assert_int_equal(mpdata_suppressions_read(&s, text, sizeof(text) - 1),
                     MPROF_E_VALUE);
    assert_int_equal(s.bad_line, 2);
    mpdata_lines_fini(&s);
}

static mpdata_ref add(struct mpdata_profile *p, const char *function,
                      const char *file, const char *binary, uint64_t leaked)
{
    const struct mpdata_function f = {
        .name = mpdata_profile_string(p, function, strlen(function))};
    const struct mpdata_binary b = {
        .path = mpdata_profile_path(p, binary, strlen(binary))};
    const struct mpdata_frame frame = {
        .function = mpdata_profile_function(p, &f),
        .path = mpdata_profile_path(p, file, strlen(file)),
        .binary = mpdata_profile_binary(p, &b)};
    const mpdata_ref node =
        mpdata_profile_node(p, 0, mpdata_profile_frame(p, &frame));
    const struct mprof_mib mib = {.AllocCount = 9,
                                  .TotalSize = 900,
                                  .LiveCount = 5,
                                  .LiveBytes = 500,
                                  .LeakedCount = leaked,
                                  .LeakedBytes = 100 * leaked,
                                  .IndirectLeakedCount = leaked / 2,
                                  .IndirectLeakedBytes = leaked / 2 * 100,
                                  .LeakCheckedCount = 9};

    mpdata_profile_context(p, node, 0, &mib, (struct mpdata_cells){0});
    return node;
}

static char *copy(void *context, const char *name)
{
    (void)context;
    return strdup(name);
}

static void takes_what_fits(void **state)
{
    static const char text[] = "leak:^one$\nleak:/b.c\nleak:libz\nleak:none";
    const struct mpdata_demangler demangler = {copy, NULL};
    struct mpdata_profile *const p = mpdata_profile_new();
    struct mpdata_list s;

    (void)state;
    add(p, "one", "/src/a.c", "/bin/x", 3);
    add(p, "done", "/src/a.c", "/bin/x", 4);
    add(p, "two", "/src/b.c", "/bin/x", 2);
    add(p, "three", "/src/a.c", "/lib/libz.so", 5);
    add(p, "none", "/src/a.c", "/bin/x", 0);
    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    assert_int_equal(mpdata_suppressions_read(&s, text, strlen(text)),
                     MPROF_E_OK);
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(p, &demangler);
    struct mpdata_profile *q;
    assert_int_equal(mpdata_suppressions_apply(&s, p, names, UINT64_MAX, &q),
                     MPROF_E_OK);
    const struct mpdata_view view = mpdata_profile_view(q);
    const struct mprof_mib totals = mpdata_profile_totals(&view);
    assert_int_equal(totals.LeakedCount, 4);
    assert_int_equal(totals.LeakedBytes, 400);
    assert_int_equal(totals.IndirectLeakedCount, 2);
    assert_int_equal(totals.LiveCount, 25);
    assert_int_equal(totals.LeakCheckedCount, 45);
    static const uint64_t blocks[] = {3, 2, 5, 0};
    for (uint32_t i = 0; i < MPROF_ARRAY_LEN(blocks); i++) {
        assert_int_equal(row_of(&s, i)->blocks, blocks[i]);
        assert_int_equal(row_of(&s, i)->bytes, 100 * blocks[i]);
    }
    mpdata_profile_free(q);
    mpdata_frame_names_free(names);
    mpdata_lines_fini(&s);
    mpdata_profile_free(p);
}

static void hold(struct mpdata_profile *p, mpdata_ref holder, mpdata_ref node,
                 uint64_t blocks)
{
    const struct mpdata_detail detail = {.node = node,
                                         .kind = MPROF_DETAIL_HOLDER,
                                         .key = holder,
                                         .count = blocks,
                                         .bytes = 100 * blocks};

    mpdata_profile_detail(p, &detail);
}

/* How many of the 20 leaked blocks of "held" are removed: 10 of them are held
 * by leaks. */
struct held_case {
    const char *text;
    uint64_t by_one; /* how many "one", with 4 leaked blocks, holds */
    uint64_t by_two; /* and "two", also with 4 */
    uint64_t two_by_one;
    uint64_t one_by_two;
    uint64_t gone;
};

static void takes_held(const struct held_case *c)
{
    const struct mpdata_demangler demangler = {copy, NULL};
    struct mpdata_profile *const p = mpdata_profile_new();
    struct mpdata_list s;

    const mpdata_ref one = add(p, "one", "/src/a.c", "/bin/x", 4);
    const mpdata_ref two = add(p, "two", "/src/a.c", "/bin/x", 4);
    const mpdata_ref held = add(p, "held", "/src/a.c", "/bin/x", 20);
    hold(p, one, held, c->by_one);
    hold(p, two, held, c->by_two);
    hold(p, one, two, c->two_by_one);
    hold(p, two, one, c->one_by_two);
    struct mpdata_profile *const canonical = gen_in_order(p);
    assert_non_null(canonical);
    assert_int_equal(mpdata_suppressions_read(&s, c->text, strlen(c->text)),
                     MPROF_E_OK);
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(canonical, &demangler);
    struct mpdata_profile *q;
    assert_int_equal(
        mpdata_suppressions_apply(&s, canonical, names, UINT64_MAX, &q),
        MPROF_E_OK);
    const struct mpdata_view view = mpdata_profile_view(q);
    const struct mprof_mib totals = mpdata_profile_totals(&view);
    assert_int_equal(totals.LeakedCount, 28 - c->gone);
    assert_int_equal(totals.LeakedBytes, 100 * (28 - c->gone));
    assert_int_equal(row_of(&s, 0)->blocks, c->gone);
    assert_int_equal(row_of(&s, 0)->bytes, 100 * c->gone);
    mpdata_profile_free(q);
    mpdata_frame_names_free(names);
    mpdata_lines_fini(&s);
    mpdata_profile_free(canonical);
    mpdata_profile_free(p);
}

static void takes_what_is_held(void **state)
{
    static const struct held_case cases[] = {
        {"leak:one", 3, 0, 0, 0, 4 + 3},
        {"leak:two", 3, 0, 0, 0, 4},
        {"leak:held", 3, 2, 0, 0, 20},
        /* Different blocks, as far as there are enough. */
        {"leak:/src/a.c", 3, 2, 0, 0, 28},
        {"leak:o", 3, 2, 0, 0, 8 + 5},
        {"leak:o", 8, 7, 0, 0, 8 + 10},
        /* Some blocks of "two" are held by "one": the others hold blocks,
         * too. */
        {"leak:o", 3, 2, 3, 0, 8 + 5},
        /* All of it. */
        {"leak:o", 3, 2, 4, 0, 8 + 3},
        {"leak:o", 2, 3, 0, 4, 8 + 3},
        /* A ring. */
        {"leak:o", 3, 3, 4, 4, 8 + 3},
        {"leak:one", 3, 3, 2, 2, 4 + 3 + 2},
        {"leak:one", 0, 3, 2, 0, 4 + 2},
        /* For a ring the profile names one holder. */
        {"leak:one", 0, 3, 4, 4, 8 + 3},
        {"leak:two", 0, 3, 4, 4, 8 + 3},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++)
        takes_held(&cases[i]);
}

/* The leaks of a profile that a pattern does not match. */
static struct mprof_mib leaks_left(const struct mpdata_profile *p,
                                   const char *text)
{
    const struct mpdata_demangler demangler = {copy, NULL};
    struct mpdata_profile *const canonical = gen_in_order(p);
    struct mpdata_list s;

    assert_non_null(canonical);
    assert_int_equal(mpdata_suppressions_read(&s, text, strlen(text)),
                     MPROF_E_OK);
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(canonical, &demangler);
    struct mpdata_profile *q;
    assert_int_equal(
        mpdata_suppressions_apply(&s, canonical, names, UINT64_MAX, &q),
        MPROF_E_OK);
    const struct mpdata_view view = mpdata_profile_view(q);
    const struct mprof_mib left = mpdata_profile_totals(&view);
    mpdata_profile_free(q);
    mpdata_frame_names_free(names);
    mpdata_lines_fini(&s);
    mpdata_profile_free(canonical);
    return left;
}

static mpdata_ref add_numbered(struct mpdata_profile *p, const char *file,
                               uint32_t number)
{
    char name[16];

    snprintf(name, sizeof(name), "f%06u", number);
    return add(p, name, file, "/bin/x", 4);
}

/* Data that no runtime writes: each call stack holds the one before it, and the
 * last one is suppressed. Searching all for each would take hours. */
static void follows_long_chains(void **state)
{
    const uint32_t length = 200000;
    struct mpdata_profile *const p = mpdata_profile_new();
    mpdata_ref before = add_numbered(p, "/src/a.c", 0);

    (void)state;
    for (uint32_t i = 1; i < length; i++) {
        const mpdata_ref node = add_numbered(p, "/src/a.c", i);

        hold(p, node, before, 4);
        before = node;
    }
    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    assert_int_equal(leaks_left(p, "leak:f199999").LeakedCount, 0);
    assert_int_equal(leaks_left(p, "leak:f000000").LeakedCount,
                     4 * (length - 1));
    mpdata_profile_free(p);
}

/* All are suppressed, and hold the one of which nothing is known. */
static void follows_to_no_stack(void **state)
{
    const struct mprof_mib leaked = {.AllocCount = 4,
                                     .TotalSize = 400,
                                     .LeakCheckedCount = 4,
                                     .LeakedCount = 4,
                                     .LeakedBytes = 400};
    struct mpdata_profile *const p = mpdata_profile_new();

    (void)state;
    /* As many as fill a malloc'd array to the last byte. */
    for (uint32_t i = 0; i < 6; i++)
        hold(p, add_numbered(p, "/src/a.c", i), 0, i == 0 ? 4 : 0);
    mpdata_profile_context(p, 0, 0, &leaked, (struct mpdata_cells){0});
    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    assert_int_equal(leaks_left(p, "leak:/src/a.c").LeakedCount, 0);
    mpdata_profile_free(p);
}

/* Each suppressed one holds all the others and everything else. */
static void follows_many_holders(void **state)
{
    enum { COUNT = 400 };
    mpdata_ref holders[COUNT];
    struct mpdata_profile *const p = mpdata_profile_new();

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        holders[i] = add_numbered(p, "/src/a.c", i);
        for (uint32_t k = 0; k < i; k++) {
            hold(p, holders[i], holders[k], 1);
            hold(p, holders[k], holders[i], 1);
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const mpdata_ref held = add_numbered(p, "/src/b.c", i);

        for (uint32_t k = 0; k < COUNT; k++)
            hold(p, holders[k], held, 1);
    }
    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    const struct mprof_mib left = leaks_left(p, "leak:/src/a.c");
    /* Two of the four blocks are held by leaks. */
    assert_int_equal(left.LeakedCount, 2 * COUNT);
    assert_int_equal(left.IndirectLeakedCount, 0);
    mpdata_profile_free(p);
}

/* The cost is known: patterns times names, and the patterns themselves. */
static void costs_no_more_than_it_may(void **state)
{
    static const char text[] = "leak:x\nleak:y";
    const struct mpdata_demangler demangler = {copy, NULL};
    struct mpdata_profile *const p = mpdata_profile_new();
    struct mpdata_list s;
    struct mpdata_profile *q;
    /* Its linkage name and its demangled name; a file; a binary. */
    const uint64_t cost = 2 * (sizeof("one") + sizeof("one") +
                               sizeof("/src/a.c") + sizeof("/bin/x")) +
                          4 * (sizeof(text) - 1);

    (void)state;
    add(p, "one", "/src/a.c", "/bin/x", 3);
    assert_int_equal(mpdata_suppressions_read(&s, text, strlen(text)),
                     MPROF_E_OK);
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(p, &demangler);
    assert_int_equal(mpdata_suppressions_apply(&s, p, names, cost - 1, &q),
                     MPROF_E_LIMIT);
    assert_null(q);
    assert_int_equal(mpdata_suppressions_apply(&s, p, names, cost, &q),
                     MPROF_E_OK);
    mpdata_profile_free(q);
    mpdata_frame_names_free(names);
    mpdata_lines_fini(&s);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines),
        cmocka_unit_test(says_which_line_is_none),
        cmocka_unit_test(hides_nothing_behind_a_nul),
        cmocka_unit_test(takes_what_fits),
        cmocka_unit_test(takes_what_is_held),
        cmocka_unit_test(follows_long_chains),
        cmocka_unit_test(follows_to_no_stack),
        cmocka_unit_test(follows_many_holders),
        cmocka_unit_test(costs_no_more_than_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
