/* hash_test.c -- nobody who makes a file can choose where its keys fall.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/hash.h"
#include "profdata/base/pairs.h"
#include "profdata/base/set.h"
#include "profdata/model/profile.h"
#include "test/unit/cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

enum { KEYS = 20000 };

/* Random words that are the same in each run of the test. */
#define ANY_SECRET UINT64_C(0xd6e8feb86659fd93), UINT64_C(0xa0761d6478bd642f)

static uint64_t compared;
static uint64_t taken[2]; /* the words that the process started with */

static void with_secret(uint64_t a, uint64_t b)
{
    mpdata_hash_secret[0] = a;
    mpdata_hash_secret[1] = b;
}

/* Keys that fall on one slot for who takes the random words for 0: the hash of
 * 8 bytes is then 8 times the word, and a table uses both its halves,
 * exclusively or'd. */
static uint64_t colliding(uint64_t i)
{
    return (i + 1) << 32 | (i + 1);
}

static uint64_t hash_word(const void *key)
{
    return mpdata_hash_bytes(key, sizeof(uint64_t));
}

static bool equal_word(const void *rows, uint32_t row, const void *key)
{
    compared++;
    return ((const uint64_t *)rows)[row] == *(const uint64_t *)key;
}

static const struct mpdata_set_kind word_kind = {hash_word, equal_word,
                                                 sizeof(uint64_t)};

/* How often keys were compared while all were added. */
static uint64_t compare_all(void)
{
    struct mpdata_set set;

    mpdata_set_init(&set, &word_kind);
    compared = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t key = colliding(i);

        assert_int_equal(mpdata_set_add(&set, &key, NULL), i + 1);
    }
    mpdata_set_fini(&set);
    return compared;
}

static void keys_made_against_seed_0_take_linear_time(void **state)
{
    (void)state;
    with_secret(0, 0);
    assert_true(compare_all() > (uint64_t)KEYS * KEYS / 3);
    with_secret(ANY_SECRET);
    assert_true(compare_all() < KEYS / 10);
}

/* The linker puts this in front of mpdata_str_equal(). */
bool __real_mpdata_str_equal(const void *rows, uint32_t row, const void *key);
bool __wrap_mpdata_str_equal(const void *rows, uint32_t row, const void *key);

bool __wrap_mpdata_str_equal(const void *rows, uint32_t row, const void *key)
{
    compared++;
    return __real_mpdata_str_equal(rows, row, key);
}

/* The same for names, which are text: of 8 letters, the last 4 of which are the
 * first 4, each with the last bit changed. */
static uint64_t compare_names(void)
{
    struct mpdata_profile *const profile = mpdata_profile_new();
    char name[8];

    assert_non_null(profile);
    compared = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        for (uint32_t k = 0, n = i; k < 4; k++, n /= 24) {
            name[k] = (char)('b' + n % 24);
            name[k + 4] = (char)(name[k] ^ 1);
        }
        assert_int_equal(mpdata_profile_string(profile, name, sizeof(name)),
                         i + 1);
    }
    mpdata_profile_free(profile);
    return compared;
}

static void names_made_against_seed_0_take_linear_time(void **state)
{
    (void)state;
    with_secret(0, 0);
    assert_true(compare_names() > (uint64_t)KEYS * KEYS / 3);
    with_secret(ANY_SECRET);
    assert_true(compare_names() < KEYS / 10);
}

/* How far the furthest of the pairs stands from the slot where it is sought
 * first, by what the table shows: the longest run of slots in use. */
static uint32_t longest_run(void)
{
    struct mpdata_pairs pairs;
    uint32_t longest = 0;
    uint32_t run = 0;

    mpdata_pairs_init(&pairs);
    for (uint32_t i = 0; i < KEYS; i++)
        assert_int_equal(mpdata_pairs_add(&pairs, i << 12, 0), i + 1);
    for (uint32_t i = 0; i < pairs.capacity; i++) {
        run = pairs.slots[i] != 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    mpdata_pairs_fini(&pairs);
    return longest;
}

static void pairs_made_against_seed_0_spread(void **state)
{
    (void)state;
    with_secret(0, 0);
    assert_true(longest_run() >= KEYS);
    with_secret(ANY_SECRET);
    assert_true(longest_run() < KEYS / 10);
}

/* The words of another process, which prints them. */
static void ask_another(uint64_t secret[2])
{
    FILE *const other = popen("exec /proc/$PPID/exe secret", "r");

    assert_non_null(other);
    assert_int_equal(
        fscanf(other, "%" SCNx64 " %" SCNx64, &secret[0], &secret[1]), 2);
    assert_int_equal(pclose(other), 0);
}

static void each_process_has_words_of_its_own(void **state)
{
    uint64_t other[2];

    (void)state;
    ask_another(other);
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(taken[i], 0);
        assert_int_not_equal(taken[i], other[i]);
    }
}

/* The kernel's 16 bytes are where libc takes its canary from. */
static void the_words_are_not_those_of_the_canary(void **state)
{
    const void *const random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    uint64_t kernels[2];

    (void)state;
    assert_non_null(random);
    memcpy(kernels, random, sizeof(kernels));
    for (int i = 0; i < 2; i++) {
        assert_true(taken[i] != (kernels[0] | 1));
        assert_true(taken[i] != (kernels[1] | 1));
    }
}

static void bytes_of_each_length_differ(void **state)
{
    static const char zeros[64];

    (void)state;
    for (size_t i = 0; i < sizeof(zeros); i++) {
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(mpdata_hash_bytes(zeros, i),
                                 mpdata_hash_bytes(zeros, k));
    }
    assert_int_equal(mpdata_hash_bytes(NULL, 0), mpdata_hash_bytes("", 0));
}

static void every_byte_counts(void **state)
{
    char bytes[40] = {0};
    const uint64_t none = mpdata_hash_bytes(bytes, sizeof(bytes) - 1);

    (void)state;
    for (size_t i = 0; i < sizeof(bytes) - 1; i++) {
        bytes[i] = 1;
        assert_int_not_equal(mpdata_hash_bytes(bytes, sizeof(bytes) - 1), none);
        bytes[i] = 0;
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_made_against_seed_0_take_linear_time),
        cmocka_unit_test(names_made_against_seed_0_take_linear_time),
        cmocka_unit_test(pairs_made_against_seed_0_spread),
        cmocka_unit_test(each_process_has_words_of_its_own),
        cmocka_unit_test(the_words_are_not_those_of_the_canary),
        cmocka_unit_test(bytes_of_each_length_differ),
        cmocka_unit_test(every_byte_counts),
    };

    memcpy(taken, mpdata_hash_secret, sizeof(taken));
    if (argc == 2 && strcmp(argv[1], "secret") == 0) {
        printf("%" PRIx64 " %" PRIx64 "\n", taken[0], taken[1]);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
