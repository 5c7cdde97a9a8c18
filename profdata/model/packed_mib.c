/* packed_mib.c -- a MIB as its difference from another.
 *
 * A difference has two bits per field, whether it differs and whether its value
 * needs 64 bits, and then the values of 32 or 64 bits. Counting bits finds the
 * value of a field.
 *
 * The base is the empty MIB until MIBs come that are far from it and near to
 * each other, like those of a file with large numbers in columns that take no
 * bytes. One of SAMPLE_EVERY far MIBs is kept as a sample; the next far MIB
 * becomes a base if it is near to the sample.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/packed_mib.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64
#define WORDS ((MPROF_MIB_FIELDS + WORD_BITS - 1) / WORD_BITS)

/* A MIB with more 32-bit values than this is far from the base. */
#define FAR_VALUES 8u
#define SAMPLE_EVERY 16u

struct mpdata_mib_difference {
    uint64_t differs[WORDS]; /* a bit per field */
    uint64_t is_wide[WORDS]; /* of these, fields with two values */
    uint32_t values[];
};

_Static_assert(sizeof(struct mprof_mib) == MPROF_MIB_FIELDS * sizeof(uint64_t),
               "a MIB is an array of fields");

static const uint64_t *fields_of(const struct mprof_mib *mib)
{
    return (const uint64_t *)(const void *)mib;
}

/* Fills the bits of *d, not its values; returns the number of values. */
static uint32_t compare(struct mpdata_mib_difference *d,
                        const struct mprof_mib *mib,
                        const struct mprof_mib *base)
{
    const uint64_t *const a = fields_of(mib);
    const uint64_t *const b = fields_of(base);
    uint32_t count = 0;

    for (size_t w = 0; w < WORDS; w++) {
        const size_t first = w * WORD_BITS;
        uint64_t differs = 0;
        uint64_t is_wide = 0;

        for (size_t i = first; i < first + WORD_BITS && i < MPROF_MIB_FIELDS;
             i++) {
            differs |= (uint64_t)(a[i] != b[i]) << (i - first);
            is_wide |= (uint64_t)(a[i] > UINT32_MAX) << (i - first);
        }
        d->differs[w] = differs;
        d->is_wide[w] = differs & is_wide;
        count += (uint32_t)(__builtin_popcountll(differs) +
                            __builtin_popcountll(d->is_wide[w]));
    }
    return count;
}

static uint32_t count_values(const struct mpdata_mib_difference *d)
{
    uint32_t count = 0;

    for (size_t w = 0; w < WORDS; w++)
        count += (uint32_t)(__builtin_popcountll(d->differs[w]) +
                            __builtin_popcountll(d->is_wide[w]));
    return count;
}

static void put_values(struct mpdata_mib_difference *d,
                       const struct mprof_mib *mib)
{
    const uint64_t *const fields = fields_of(mib);
    uint32_t *to = d->values;

    for (size_t w = 0; w < WORDS; w++) {
        for (uint64_t left = d->differs[w]; left != 0; left &= left - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            const uint64_t value = fields[w * WORD_BITS + bit];

            *to++ = (uint32_t)value;
            if ((d->is_wide[w] >> bit & 1) != 0)
                *to++ = (uint32_t)(value >> 32);
        }
    }
}

static uint64_t load_value(const uint32_t *from, bool is_wide)
{
    return from[0] | (is_wide ? (uint64_t)from[1] << 32 : 0);
}

bool mpdata_packed_mib_bases_init(struct mpdata_mib_bases *bases)
{
    *bases = (struct mpdata_mib_bases){
        .rows = {.elem_bytes = sizeof(struct mprof_mib)}};
    return mpdata_vec_push(&bases->rows) != NULL;
}

void mpdata_packed_mib_bases_fini(struct mpdata_mib_bases *bases)
{
    mpdata_vec_fini(&bases->rows);
}

/* Should *mib, with `count` values unlike the last base's, become a base? */
static bool is_base(struct mpdata_mib_bases *bases, const struct mprof_mib *mib,
                    uint32_t count)
{
    struct mpdata_mib_difference d;

    if (count <= FAR_VALUES)
        return false;
    switch (bases->far_count++ % SAMPLE_EVERY) {
    case 0:
        bases->sample = *mib;
        return false;
    case 1:
        return compare(&d, mib, &bases->sample) <= count / 2;
    default:
        return false;
    }
}

/* Replaces *packed by *mib. */
static bool set(struct mpdata_packed_mib *packed,
                struct mpdata_mib_bases *bases, const struct mprof_mib *mib)
{
    const struct mprof_mib *const rows = bases->rows.data;
    struct mpdata_mib_difference d;
    struct mpdata_mib_difference *own = packed->own;
    uint32_t count = compare(&d, mib, &rows[bases->rows.count - 1]);

    if (is_base(bases, mib, count)) {
        if (!mpdata_vec_add(&bases->rows, mib))
            return false;
        count = 0;
    }
    if (count == 0) {
        free(own);
        own = NULL;
    } else {
        if (own == NULL || count_values(own) != count)
            own = realloc(own, sizeof(d) + count * sizeof(*own->values));
        if (own == NULL)
            return false;
        *own = d;
        put_values(own, mib);
    }
    packed->base = bases->rows.count - 1;
    packed->own = own;
    return true;
}

bool mpdata_packed_mib_merge(struct mpdata_packed_mib *packed,
                             struct mpdata_mib_bases *bases,
                             const struct mprof_mib *mib)
{
    const bool is_new = mpdata_packed_mib_is_empty(packed);

    /* mprof_mib_merge() would leave such a MIB unchanged. */
    if (is_new && mib->AllocCount != 0 && mib->AccessHistogram == 0)
        return set(packed, bases, mib);
    struct mprof_mib all = mpdata_packed_mib_get(packed, bases->rows.data);
    mprof_mib_merge(&all, mib);
    return set(packed, bases, &all);
}

void mpdata_packed_mib_free(struct mpdata_packed_mib *packed)
{
    free(packed->own);
    *packed = (struct mpdata_packed_mib){.base = 0};
}

struct mprof_mib mpdata_packed_mib_get(const struct mpdata_packed_mib *packed,
                                       const struct mprof_mib *bases)
{
    const struct mpdata_mib_difference *const d = packed->own;
    struct mprof_mib mib = bases[packed->base];
    uint64_t *const fields = (uint64_t *)(void *)&mib;

    if (d == NULL)
        return mib;
    const uint32_t *from = d->values;
    for (size_t w = 0; w < WORDS; w++) {
        for (uint64_t left = d->differs[w]; left != 0; left &= left - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            const bool is_wide = (d->is_wide[w] >> bit & 1) != 0;

            fields[w * WORD_BITS + bit] = load_value(from, is_wide);
            from += 1 + is_wide;
        }
    }
    return mib;
}

uint64_t mpdata_packed_mib_field(const struct mpdata_packed_mib *packed,
                                 const struct mprof_mib *bases, size_t index)
{
    const size_t word = index / WORD_BITS;
    const uint64_t bit = UINT64_C(1) << index % WORD_BITS;
    size_t at = 0;

    if (index >= MPROF_MIB_FIELDS)
        return 0;
    const struct mpdata_mib_difference *d = packed->own;
    if (d == NULL || (d->differs[word] & bit) == 0)
        return fields_of(&bases[packed->base])[index];
    for (size_t w = 0; w <= word; w++) {
        const uint64_t before = w < word ? UINT64_MAX : bit - 1;

        at += (size_t)__builtin_popcountll(d->differs[w] & before);
        if ((d->is_wide[w] & before) != 0)
            at += (size_t)__builtin_popcountll(d->is_wide[w] & before);
    }
    return load_value(d->values + at, (d->is_wide[word] & bit) != 0);
}
