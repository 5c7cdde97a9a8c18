/* hash_test.c -- checks that the author of a file cannot choose the slots of
 * its keys.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/hash.h"
#include "profdata/base/map.h"
#include "test/unit/cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEYS = 20000 };

/* Random words, the same in each run of the test. */
#define ANY_SECRET UINT64_C(0xd6e8feb86659fd93), UINT64_C(0xa0761d6478bd642f)

static uint64_t compared;
static uint64_t taken[2]; /* the process's own random words */

static void with_secret(uint64_t a, uint64_t b)
{
    mpdata_hash_secret[0] = a;
    mpdata_hash_secret[1] = b;
}

/* Keys that share a slot if the random words are 0: the hash of 8 bytes is then
 * 8 times the word, and a table uses the exclusive or of its halves. */
static uint64_t colliding(uint64_t i)
{
    return (i + 1) << 32 | (i + 1);
}

static bool equal_word(const void *rows, uint32_t row, const void *key)
{
    compared++;
    return ((const uint64_t *)rows)[row] == *(const uint64_t *)key;
}

/* Number of key comparisons while all keys are added. */
static uint64_t compare_all(void)
{
    static uint64_t keys[KEYS];
    struct mpdata_map map = {.slots = NULL};

    compared = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t hash;

        keys[i] = colliding(i);
        hash = mpdata_hash_bytes(&keys[i], sizeof(keys[i]));
        assert_int_equal(
            mpdata_map_find(&map, hash, equal_word, keys, &keys[i]), 0);
        assert_true(mpdata_map_add(&map, hash, i + 1));
    }
    mpdata_map_fini(&map);
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

/* The random words of another process, which prints them. */
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
        cmocka_unit_test(each_process_has_words_of_its_own),
        cmocka_unit_test(every_byte_counts),
    };

    memcpy(taken, mpdata_hash_secret, sizeof(taken));
    if (argc == 2 && strcmp(argv[1], "secret") == 0) {
        printf("%" PRIx64 " %" PRIx64 "\n", taken[0], taken[1]);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
