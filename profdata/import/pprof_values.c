/* pprof_values.c -- interprets the values and labels of a pprof sample.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/pprof_rows.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <string.h>

#define NAME_SHOWN_BYTES 40 /* limit in messages */
/* Marks types of values that are added up: Java's, tcmalloc's of blocks that
 * its profile of lifetimes did not see freed. */
static const char *const added[] = {"_tlab_", "censored_"};

static const struct {
    const char *name;
    enum mpdata_pprof_role role;
} role_names[] = {
    {MPROF_PPROF_ACCESSES, MPDATA_PPROF_ROLE_ACCESSES},
    {MPROF_PPROF_LIFETIME, MPDATA_PPROF_ROLE_LIFETIME},
    /* tcmalloc: live blocks */
    {"objects", MPDATA_PPROF_ROLE_LIVE_BLOCKS},
    {"space", MPDATA_PPROF_ROLE_LIVE_BYTES},
};

/* Most profilers' names of blocks and bytes: one of these, then one of those
 * below, with "_" for "-" and blanks, and in lower case. */
static const struct {
    const char *word;
    bool is_live;
    bool may_be_alone; /* the unit tells what it is */
} moments[] = {
    {"alloc", false, true},
    {"allocs", false, true},      /* Julia */
    {"allocations", false, true}, /* pprof's example, async-profiler */
    {"allocated", false, true},
    {"censored_allocated", false, false},
    {"alloc_sample", false, false},
    {"malloc", false, true}, /* async-profiler */
    {"alloc_in_new_tlab", false, false},
    {"alloc_outside_tlab", false, false},
    {"total", false, false}, /* Perfetto */
    {"total_malloc", false, false},
    {"total_allocation", false, false},
    {"inuse", true, true},
    {"in_use", true, true},
    {"live", true, true},
    {"heap", true, false}, /* Datadog */
    {"heap_live", true, true},
    {"unreleased", true, false}, /* Perfetto */
    {"unreleased_malloc", true, false},
};
static const struct {
    const char *word;
    bool is_bytes;
} amounts[] = {
    {"objects", false}, {"count", false}, {"samples", false}, {"blocks", false},
    {"space", true},    {"size", true},   {"bytes", true},
};

/* The MIB field of a role, which has its unit. */
static const size_t role_fields[MPDATA_PPROF_ROLE_COUNT] = {
    [MPDATA_PPROF_ROLE_BLOCKS] = MPROF_MIB_INDEX_AllocCount,
    [MPDATA_PPROF_ROLE_BYTES] = MPROF_MIB_INDEX_TotalSize,
    [MPDATA_PPROF_ROLE_LIVE_BLOCKS] = MPROF_MIB_INDEX_LiveCount,
    [MPDATA_PPROF_ROLE_LIVE_BYTES] = MPROF_MIB_INDEX_LiveBytes,
    [MPDATA_PPROF_ROLE_ACCESSES] = MPROF_MIB_INDEX_TotalAccessCount,
    [MPDATA_PPROF_ROLE_LIFETIME] = MPROF_MIB_INDEX_TotalLifetimeNs,
#define X(name, field, by) MPROF_MIB_INDEX_##field,
    MPROF_PPROF_MEASURED_TYPES(X)
#undef X
};

static const struct {
    const char *name;
    size_t field;
    size_t by; /* the MIB field with the number of measured blocks */
} measured_types[] = {
#define X(name, field, by) \
    {name, MPROF_MIB_INDEX_##field, MPROF_MIB_INDEX_##by},
    MPROF_PPROF_MEASURED_TYPES(X)
#undef X
};

static bool is_text(struct mpdata_str s, const char *text)
{
    return s.size == strlen(text) && memcmp(s.bytes, text, s.size) == 0;
}

/* -- types of values -------------------------------------------------------- */

static enum mpdata_pprof_role role_by(bool is_live, bool is_bytes)
{
    if (is_bytes)
        return is_live ? MPDATA_PPROF_ROLE_LIVE_BYTES : MPDATA_PPROF_ROLE_BYTES;
    return is_live ? MPDATA_PPROF_ROLE_LIVE_BLOCKS : MPDATA_PPROF_ROLE_BLOCKS;
}

static enum mpdata_pprof_role role_of_words(const char *name,
                                            struct mpdata_str unit)
{
    for (size_t m = 0; m < MPROF_ARRAY_LEN(moments); m++) {
        const size_t size = strlen(moments[m].word);

        if (strncmp(name, moments[m].word, size) != 0)
            continue;
        if (name[size] == '\0' && moments[m].may_be_alone)
            return role_by(moments[m].is_live,
                           unit.size != 0 &&
                               mpdata_pprof_units_factor(
                                   unit, MPROF_PPROF_UNIT_BYTES) != 0);
        for (size_t a = 0; name[size] == '_' && a < MPROF_ARRAY_LEN(amounts);
             a++) {
            if (strcmp(name + size + 1, amounts[a].word) == 0)
                return role_by(moments[m].is_live, amounts[a].is_bytes);
        }
    }
    return MPDATA_PPROF_ROLE_NONE;
}

/* Copies a name in the form of moments[]; "" if it is too long. */
static void normalize(char *to, size_t size, struct mpdata_str name)
{
    for (size_t i = 0; i < name.size && name.size < size; i++) {
        const char c = name.bytes[i];

        to[i] = c == '-' || c == ' ' || c == '\0' ? '_'
                : c >= 'A' && c <= 'Z'            ? (char)(c - 'A' + 'a')
                                                  : c;
    }
    to[name.size < size ? name.size : 0] = '\0';
}

static enum mpdata_pprof_role role_of(const struct mpdata_pprof_type_text *type,
                                      bool has_allocations)
{
    const struct mpdata_str name = type->name;
    char words[NAME_SHOWN_BYTES];

    if (has_allocations && (is_text(name, "space") || is_text(name, "size")))
        return MPDATA_PPROF_ROLE_BYTES;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(role_names); i++) {
        if (is_text(name, role_names[i].name))
            return role_names[i].role;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(measured_types); i++) {
        if (is_text(name, measured_types[i].name))
            return (enum mpdata_pprof_role)(MPDATA_PPROF_ROLE_MEASURED + i);
    }
    normalize(words, sizeof(words), name);
    return role_of_words(words, type->unit);
}

/* Returns the factor from a unit to that of a MIB field; refuses other units.
 */
static uint64_t factor_of(struct mpdata_str name, struct mpdata_str unit,
                          size_t field, struct mpdata_foreign_errors *errors)
{
    const char *const base = mprof_mib_fields[field].unit;
    const uint64_t factor = mpdata_pprof_units_factor(unit, base);

    if (factor == 0)
        mpdata_foreign_errors_say(
            errors, MPROF_E_UNSUPPORTED, NULL,
            "the unit of %.*s is '%.*s', which is not a unit of %s",
            (int)mprof_min_u64(name.size, NAME_SHOWN_BYTES), name.bytes,
            (int)mprof_min_u64(unit.size, NAME_SHOWN_BYTES), unit.bytes,
            strcmp(base, "ns") == 0 ? "time" : base);
    return factor;
}

static bool is_added(struct mpdata_str name)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(added); i++) {
        if (memmem(name.bytes, name.size, added[i], strlen(added[i])) != NULL)
            return true;
    }
    return false;
}

/* Sets the role of a type of values. Of several types with one role only the
 * first counts, except those that are added up. */
static void take_role(struct mpdata_pprof_values *v,
                      struct mpdata_pprof_type_text *type,
                      enum mpdata_pprof_role role,
                      struct mpdata_foreign_errors *errors)
{
    const struct mpdata_str name = type->name;

    if (role == MPDATA_PPROF_ROLE_NONE ||
        (v->has_role[role] && !is_added(name)))
        return;
    v->has_role[role] = true;
    type->role = role;
    type->factor = factor_of(name, type->unit, role_fields[role], errors);
}

void mpdata_pprof_values_find_roles(struct mpdata_pprof_values *v,
                                    struct mpdata_foreign_errors *errors)
{
    bool has_allocations = false;

    for (uint32_t i = 0; i < v->count; i++)
        has_allocations |= is_text(v->types[i].name, "allocations") ||
                           is_text(v->types[i].name, "allocs");
    for (uint32_t i = 0; i < v->count; i++)
        take_role(v, &v->types[i], role_of(&v->types[i], has_allocations),
                  errors);
    if (!v->has_role[MPDATA_PPROF_ROLE_BLOCKS] &&
        !v->has_role[MPDATA_PPROF_ROLE_BYTES] &&
        !v->has_role[MPDATA_PPROF_ROLE_LIVE_BLOCKS] &&
        !v->has_role[MPDATA_PPROF_ROLE_LIVE_BYTES])
        mpdata_foreign_errors_say(
            errors, MPROF_E_UNSUPPORTED, NULL,
            "its values are not the blocks and bytes of a heap");
}

static bool is_live_only(const struct mpdata_pprof_values *v)
{
    return !v->has_role[MPDATA_PPROF_ROLE_BLOCKS] &&
           !v->has_role[MPDATA_PPROF_ROLE_BYTES];
}

uint32_t mpdata_pprof_values_run_kind(const struct mpdata_pprof_values *v)
{
    const bool *const has = v->has_role;
    const bool is_live = is_live_only(v);

    if (!has[is_live ? MPDATA_PPROF_ROLE_LIVE_BLOCKS
                     : MPDATA_PPROF_ROLE_BLOCKS])
        return is_live ? MPROF_RUN_FOREIGN_LIVE_BYTES : MPROF_RUN_FOREIGN_BYTES;
    if (is_live)
        return has[MPDATA_PPROF_ROLE_LIVE_BYTES]
                   ? MPROF_RUN_FOREIGN_LIVE
                   : MPROF_RUN_FOREIGN_LIVE_BLOCKS;
    const bool is_split = has[MPDATA_PPROF_ROLE_LIVE_BYTES] &&
                          !has[MPDATA_PPROF_ROLE_LIVE_BLOCKS];
    if (!has[MPDATA_PPROF_ROLE_BYTES])
        return is_split ? MPROF_RUN_FOREIGN_SPLIT : MPROF_RUN_FOREIGN_BLOCKS;
    return is_split ? MPROF_RUN_FOREIGN_LIVE_UNCOUNTED : MPROF_RUN_FOREIGN;
}

/* -- a sample --------------------------------------------------------------- */

/* Values are signed, and negative in a difference of two profiles. */
void mpdata_pprof_values_add(const struct mpdata_pprof_values *v,
                             struct mpdata_pprof_sample *s, uint64_t value,
                             struct mpdata_foreign_errors *errors,
                             const uint8_t *at)
{
    const struct mpdata_pprof_type_text *const type = &v->types[s->value_count];

    if (s->value_count == v->count) {
        mpdata_foreign_errors_say(errors, MPROF_E_VALUE, at,
                                  "a sample of more than %" PRIu32
                                  " values, which have types",
                                  v->count);
    } else if (value > INT64_MAX) {
        mpdata_foreign_errors_say(errors, MPROF_E_VALUE, at,
                                  "a sample with a negative value, as in a "
                                  "difference of profiles");
    } else {
        s->values[type->role] = mprof_add_sat_u64(
            s->values[type->role], mprof_mul_sat_u64(value, type->factor));
        s->value_count++;
    }
}

static void take_text(struct mpdata_pprof_sample *s, struct mpdata_str key,
                      struct mpdata_foreign_string *text)
{
    if (is_text(key, MPROF_PPROF_LABEL_STACK) &&
        is_text(text->text, MPROF_PPROF_LABEL_STACK_CUT))
        s->flags |= MPROF_CONTEXT_FL_TRUNCATED;
    if (is_text(key, MPROF_PPROF_LABEL_THREAD))
        s->thread = text;
    if (is_text(key, MPROF_PPROF_LABEL_TYPE))
        s->type = text;
    if (!is_text(key, MPROF_PPROF_LABEL_ACCESSES))
        return;
    if (is_text(text->text, MPROF_PPROF_LABEL_NOT_MEASURED))
        s->flags |= MPROF_CONTEXT_FL_NOT_MEASURED;
    else if (is_text(text->text, MPROF_PPROF_LABEL_NOT_ALL_SEEN))
        s->flags |= MPROF_CONTEXT_FL_NOT_ALL_SEEN;
}

static uint64_t number_of(const struct mpdata_pprof_label_text *label,
                          size_t field, struct mpdata_foreign_errors *errors)
{
    return mprof_mul_sat_u64(mpdata_pprof_units_known(label->number),
                             factor_of(label->key, label->unit, field, errors));
}

void mpdata_pprof_values_label(struct mpdata_pprof_sample *s,
                               const struct mpdata_pprof_label_text *label,
                               struct mpdata_foreign_errors *errors)
{
    static const struct {
        const char *key;
        size_t field;
    } labels[] = {
#define X(key, name, ...) {key, MPROF_MIB_INDEX_##name},
        MPROF_PPROF_LABELS(X) MPROF_PPROF_MORE_LABELS(X)
            MPROF_PPROF_MEASURED_LABELS(X)
#undef X
    };

    if (label->text != NULL) {
        take_text(s, label->key, label->text);
        return;
    }
    if (is_text(label->key, MPROF_PPROF_LABEL_BYTES))
        s->block_bytes = number_of(label, MPROF_MIB_INDEX_MaxSize, errors);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(labels); i++) {
        if (!is_text(label->key, labels[i].key))
            continue;
        mprof_mib_set(&s->mib, labels[i].field,
                      number_of(label, labels[i].field, errors));
        s->has_label[labels[i].field] = true;
    }
}

/* Has the profile a type of values, or the sample a label, whose number of
 * measured blocks is field `by`? Those that are missing count as 0. */
static bool has_measured(const struct mpdata_pprof_values *v,
                         const struct mpdata_pprof_sample *s, size_t by)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(measured_types); i++) {
        if (measured_types[i].by == by &&
            v->has_role[MPDATA_PPROF_ROLE_MEASURED + i])
            return true;
    }
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (s->has_label[i] && i != by && mprof_mib_measured_by(i) == by)
            return true;
    }
    return false;
}

/* Sets the measured fields. The number of measured blocks is that of a label,
 * else of all blocks. */
static void fill_measured(const struct mpdata_pprof_values *v,
                          struct mpdata_pprof_sample *s)
{
    struct mprof_mib *const mib = &s->mib;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(measured_types); i++) {
        const size_t by = measured_types[i].by;
        const uint64_t said =
            s->has_label[by] ? mprof_mib_get(mib, by) : mib->AllocCount;

        mprof_mib_set(
            mib, by,
            has_measured(v, s, by) ? mprof_min_u64(said, mib->AllocCount) : 0);
        s->has_label[by] = true;
        mprof_mib_set(mib, measured_types[i].field,
                      s->values[MPDATA_PPROF_ROLE_MEASURED + i]);
    }
    mib->PeakCount = mprof_max_u64(mib->PeakCount, mib->PeakBytes != 0);
    mib->LeakedCount = mprof_max_u64(mib->LeakedCount, mib->LeakedBytes != 0);
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (!mprof_mib_is_held(mib, i))
            mprof_mib_set(mib, i, 0);
    }
}

static bool has_value(const struct mpdata_pprof_sample *s)
{
    for (size_t i = MPDATA_PPROF_ROLE_NONE + 1; i < MPDATA_PPROF_ROLE_COUNT;
         i++) {
        if (s->values[i] != 0)
            return true;
    }
    return false;
}

void mpdata_pprof_values_fill(const struct mpdata_pprof_values *v,
                              struct mpdata_pprof_sample *s,
                              struct mpdata_foreign_errors *errors,
                              const uint8_t *at)
{
    struct mprof_mib *const mib = &s->mib;
    const uint64_t *const n = s->values;

    if (s->value_count != v->count) {
        mpdata_foreign_errors_say(errors, MPROF_E_VALUE, at,
                                  "a sample of %" PRIu32
                                  " values, and there are %" PRIu32 " types",
                                  s->value_count, v->count);
        return;
    }
    /* Bytes, or another value, are of at least one block; the run's kind tells
     * if the profile has no numbers of blocks. */
    mib->LiveBytes = n[MPDATA_PPROF_ROLE_LIVE_BYTES];
    mib->LiveCount =
        mprof_max_u64(n[MPDATA_PPROF_ROLE_LIVE_BLOCKS], mib->LiveBytes != 0);
    mib->TotalSize =
        is_live_only(v) ? mib->LiveBytes : n[MPDATA_PPROF_ROLE_BYTES];
    mib->AllocCount = mprof_max_u64(
        is_live_only(v) ? mib->LiveCount : n[MPDATA_PPROF_ROLE_BLOCKS],
        has_value(s));
    mib->TotalAccessCount = n[MPDATA_PPROF_ROLE_ACCESSES];
    mib->TotalLifetimeNs = n[MPDATA_PPROF_ROLE_LIFETIME];
    if (mib->MaxSize == 0 && s->block_bytes != 0)
        mib->MinSize = mib->MaxSize = s->block_bytes;
    if (!v->has_role[MPDATA_PPROF_ROLE_ACCESSES])
        s->flags |= MPROF_CONTEXT_FL_NOT_MEASURED;
    fill_measured(v, s);
}
