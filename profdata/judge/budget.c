/* budget.c -- limits for what a program may allocate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/budget.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH "-growth"
/* A percent, in what amounts of percents are counted in. */
#define PERCENT 1000u

static enum mprof_err MPROF_PRINTF(3, 4)
    fail(struct mpdata_budget *b, uint32_t line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(b->why, sizeof(b->why), format, args);
    va_end(args);
    b->bad_line = line;
    return MPROF_E_VALUE;
}

/* -- amounts ----------------------------------------------------------------- */

struct unit {
    const char *of; /* of which unit of a field */
    const char *name;
    uint64_t factor;
};

static const struct unit units[] = {
    {"bytes", "B", 1},
    {"bytes", "KiB", UINT64_C(1) << 10},
    {"bytes", "MiB", UINT64_C(1) << 20},
    {"bytes", "GiB", UINT64_C(1) << 30},
    {"bytes", "kB", 1000},
    {"bytes", "MB", 1000000},
    {"bytes", "GB", 1000000000},
    {"ns", "ns", 1},
    {"ns", "us", 1000},
    {"ns", "ms", 1000000},
    {"ns", "s", 1000000000},
    {"%", "%", PERCENT},
};

static uint64_t find_factor(const char *of, const char *name)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(units); i++) {
        if (strcmp(units[i].of, of) == 0 && strcmp(units[i].name, name) == 0)
            return units[i].factor;
    }
    return 0;
}

/* The digits at *text, from the first to a point if there is one, then those
 * behind it, as a number and what that is to be divided by; false where there
 * are none, or too many. */
static bool read_decimal(const char **text, uint64_t *number, uint64_t *divisor)
{
    const char *c = *text;
    bool is_behind = false;

    *number = 0;
    *divisor = 1;
    for (; (*c >= '0' && *c <= '9') || (*c == '.' && !is_behind); c++) {
        if (*c == '.') {
            is_behind = true;
            continue;
        }
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*c - '0'), number) ||
            (is_behind && __builtin_mul_overflow(*divisor, 10, divisor)))
            return false;
    }
    if (c == *text || c[-1] == '.' || **text == '.')
        return false;
    *text = c;
    return true;
}

/* "64 MiB", "1.5 GiB", "5 %", "300". */
static bool read_amount(const char *text, const char *of,
                        struct mpdata_budget_limit *limit)
{
    uint64_t number;
    uint64_t divisor;
    uint64_t factor = 1;
    unsigned __int128 amount;

    if (!read_decimal(&text, &number, &divisor))
        return false;
    text += strspn(text, " ");
    limit->is_percent = limit->is_growth && strcmp(text, "%") == 0;
    if (*text != '\0')
        factor = find_factor(limit->is_percent ? "%" : of, text);
    amount = (unsigned __int128)number * factor / divisor;
    limit->amount = (uint64_t)amount;
    return factor != 0 && amount <= UINT64_MAX;
}

/* -- the file ---------------------------------------------------------------- */

/* The metric that a key is for; false where there is none. */
static bool find_metric(const char *key, struct mpdata_budget_limit *limit)
{
    const size_t size = strlen(key);
    const size_t growth = strlen(GROWTH);

    limit->is_growth =
        size > growth && strcmp(key + size - growth, GROWTH) == 0;
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        const char *const name = mpdata_metrics[m].name;

        if (strlen(name) == size - (limit->is_growth ? growth : 0) &&
            strncmp(key, name, strlen(name)) == 0) {
            limit->metric = (enum mpdata_metric)m;
            return true;
        }
    }
    return false;
}

static enum mprof_err read_limit(struct mpdata_budget *b, uint32_t part,
                                 const struct mpdata_toml_value *v)
{
    struct mpdata_budget_limit limit = {.part = part, .line = v->line};
    const char *unit;
    void *row;

    if (!find_metric(v->key, &limit))
        return fail(b, v->line,
                    "there is no key %.40s; there are" MPDATA_METRIC_WORDS
                    " and each with " GROWTH,
                    v->key);
    unit = mprof_mib_fields[mpdata_metrics[limit.metric].field].unit;
    if (v->kind == MPDATA_TOML_NUMBER && v->number >= 0)
        limit.amount = (uint64_t)v->number;
    else if (v->kind != MPDATA_TOML_STRING ||
             !read_amount(v->text, unit, &limit))
        return fail(b, v->line, "%.40s takes a number%s%s", v->key,
                    strcmp(unit, "bytes") == 0 ? ", or as \"1.5 MiB\""
                    : strcmp(unit, "ns") == 0  ? ", or as \"1.5 ms\""
                                               : "",
                    limit.is_growth ? ", or as \"5 %\"" : "");
    row = mpdata_vec_push(&b->limits);
    if (row == NULL)
        return MPROF_E_NOMEM;
    memcpy(row, &limit, sizeof(limit));
    return MPROF_E_OK;
}

static enum mprof_err read_match(struct mpdata_budget *b,
                                 struct mpdata_budget_part *part,
                                 const struct mpdata_toml_value *v)
{
    char why[80];
    int error;

    if (v->kind != MPDATA_TOML_STRING)
        return fail(b, v->line, "match takes a string: a regular expression");
    error = regcomp(&part->regex, v->text, REG_EXTENDED | REG_NOSUB);
    if (error == REG_ESPACE)
        return MPROF_E_NOMEM;
    if (error != 0) {
        regerror(error, &part->regex, why, sizeof(why));
        return fail(b, v->line, "match: %s", why);
    }
    part->match = v->text;
    return MPROF_E_OK;
}

/* What stands before all tables. */
static enum mprof_err read_setting(struct mpdata_budget *b,
                                   const struct mpdata_toml_value *v)
{
    if (strcmp(v->key, "baseline") != 0)
        return fail(b, v->line,
                    "there is no key %.40s; outside of tables there is "
                    "baseline",
                    v->key);
    if (v->kind != MPDATA_TOML_STRING)
        return fail(b, v->line, "baseline takes a string: a path");
    b->baseline = v->text;
    b->baseline_line = v->line;
    return MPROF_E_OK;
}

static enum mprof_err read_part(struct mpdata_budget *b,
                                const struct mpdata_toml_table *table)
{
    static const struct {
        const char *name;
        bool is_array;
    } tables[] = {[MPDATA_BUDGET_TOTAL] = {"total", false},
                  [MPDATA_BUDGET_FUNCTION] = {"function", true},
                  [MPDATA_BUDGET_FILE] = {"file", true}};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(tables); i++) {
        struct mpdata_budget_part *part;

        if (strcmp(tables[i].name, table->name) != 0 ||
            tables[i].is_array != table->is_array)
            continue;
        part = (struct mpdata_budget_part *)mpdata_vec_push(&b->parts);
        if (part == NULL)
            return MPROF_E_NOMEM;
        part->scope = (enum mpdata_budget_scope)i;
        part->line = table->line;
        return MPROF_E_OK;
    }
    return fail(b, table->line,
                "there is no table %.40s; there are [total], [[function]] and "
                "[[file]]",
                table->name);
}

static struct mpdata_budget_part *part_at(const struct mpdata_budget *b,
                                          uint32_t i)
{
    return (struct mpdata_budget_part *)b->parts.data + i;
}

/* Tables but the first are parts, in the same order. */
static enum mprof_err read_value(struct mpdata_budget *b,
                                 const struct mpdata_toml_value *v)
{
    if (v->table == 0)
        return read_setting(b, v);
    if (strcmp(v->key, "match") == 0 &&
        part_at(b, v->table - 1)->scope != MPDATA_BUDGET_TOTAL)
        return read_match(b, part_at(b, v->table - 1), v);
    return read_limit(b, v->table - 1, v);
}

static enum mprof_err check_parts(struct mpdata_budget *b)
{
    for (uint32_t i = 0; i < b->parts.count; i++) {
        const struct mpdata_budget_part *const part = part_at(b, i);

        if (part->scope != MPDATA_BUDGET_TOTAL && part->match == NULL)
            return fail(b, part->line, "match is missing");
    }
    return b->limits.count != 0 ? MPROF_E_OK
                                : fail(b, 1, "there are no limits");
}

enum mprof_err mpdata_budget_read(struct mpdata_budget *b,
                                  const struct mpdata_toml *toml)
{
    const struct mpdata_toml_table *const tables = toml->tables.data;
    const struct mpdata_toml_value *const values = toml->values.data;
    enum mprof_err err = MPROF_E_OK;

    *b = (struct mpdata_budget){
        .parts = {.elem_bytes = sizeof(struct mpdata_budget_part)},
        .limits = {.elem_bytes = sizeof(struct mpdata_budget_limit)}};
    for (uint32_t i = 1; err == MPROF_E_OK && i < toml->tables.count; i++)
        err = read_part(b, &tables[i]);
    for (uint32_t i = 0; err == MPROF_E_OK && i < toml->values.count; i++)
        err = read_value(b, &values[i]);
    return err == MPROF_E_OK ? check_parts(b) : err;
}

void mpdata_budget_fini(struct mpdata_budget *b)
{
    for (uint32_t i = 0; i < b->parts.count; i++) {
        if (part_at(b, i)->match != NULL)
            regfree(&part_at(b, i)->regex);
    }
    mpdata_vec_fini(&b->parts);
    mpdata_vec_fini(&b->limits);
}

uint32_t mpdata_budget_growth_line(const struct mpdata_budget *b)
{
    const struct mpdata_budget_limit *const limits = b->limits.data;

    for (uint32_t i = 0; i < b->limits.count; i++) {
        if (limits[i].is_growth)
            return limits[i].line;
    }
    return 0;
}

/* -- which call stacks ------------------------------------------------------- */

struct marker {
    const struct mpdata_budget_part *part;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    struct mpdata_frame_names *names;
    uint8_t *found;  /* by function or path, by mpdata_ref: 1 no, 2 yes */
    uint8_t *frames; /* by frame */
    bool failed;
};

static bool matches(struct marker *m, const char *text)
{
    int result;

    if (text == NULL) {
        m->failed = true;
        return false;
    }
    errno = 0;
    result = regexec(&m->part->regex, text, 0, NULL, 0);
    /* glibc may say that there is no match where there is no memory. */
    if (result != 0 && (result != REG_NOMATCH || errno == ENOMEM))
        m->failed = true;
    return result == 0;
}

/* By linkage name, then by whole name. */
static bool matches_function(struct marker *m, const struct mpdata_frame *frame)
{
    return matches(m, mpdata_frame_names_linkage(m->names, frame)) ||
           matches(m, mpdata_frame_names_function(m->names, frame));
}

static bool matches_path(struct marker *m, mpdata_ref path)
{
    char *text = mpdata_profile_path_string(m->profile, path, NULL);
    const bool is_match = matches(m, text);

    free(text);
    return is_match;
}

static void mark_frames(struct marker *m)
{
    const bool is_file = m->part->scope == MPDATA_BUDGET_FILE;

    for (uint32_t i = 0; i < m->view.frame_count; i++) {
        const struct mpdata_frame *const f = &m->view.frames[i];
        const mpdata_ref ref = is_file ? f->path : f->function;

        if (ref == 0)
            continue;
        if (m->found[ref] == 0)
            m->found[ref] =
                1 + (is_file ? matches_path(m, ref) : matches_function(m, f));
        m->frames[i] = m->found[ref] == 2;
    }
}

static void mark_contexts(const struct marker *m, uint8_t *marks)
{
    for (uint32_t i = 0; i < m->view.context_count; i++) {
        mpdata_ref node = m->view.contexts[i].node;

        while (node != 0 && !m->frames[m->view.nodes[node - 1].frame])
            node = m->view.nodes[node - 1].parent;
        marks[i] = node != 0;
    }
}

static enum mprof_err mark(const struct mpdata_budget_part *part,
                           const struct mpdata_profile *profile,
                           const struct mpdata_demangler *demangler,
                           uint8_t *marks)
{
    struct marker m = {
        .part = part, .profile = profile, .view = mpdata_profile_view(profile)};
    const uint32_t refs = part->scope == MPDATA_BUDGET_FILE
                              ? m.view.path_count
                              : m.view.function_count;

    if (part->match == NULL) {
        memset(marks, 1, m.view.context_count);
        return MPROF_E_OK;
    }
    m.names = mpdata_frame_names_new(profile, demangler);
    m.found = (uint8_t *)mpdata_vec_array((size_t)refs + 1, 1);
    m.frames = (uint8_t *)mpdata_vec_array(m.view.frame_count, 1);
    if (m.names != NULL && m.found != NULL && m.frames != NULL) {
        mark_frames(&m);
        mark_contexts(&m, marks);
        m.failed |= mpdata_frame_names_failed(m.names);
    } else {
        m.failed = true;
    }
    mpdata_frame_names_free(m.names);
    free(m.found);
    free(m.frames);
    return m.failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

/* -- limits ------------------------------------------------------------------ */

struct sum {
    uint64_t value; /* of all runs */
    uint64_t runs;
    bool is_any; /* is a call stack marked? */
};

/* VALUE where it does not hold the metric. */
static enum mprof_err add_up(const struct mpdata_profile *profile,
                             enum mpdata_metric metric, const uint8_t *marks,
                             struct sum *sum)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mprof_mib totals = mpdata_profile_totals(&view);
    struct mpdata_run_totals runs;

    *sum = (struct sum){.value = 0};
    if (mpdata_run_totals(&view, &runs) != MPROF_E_OK)
        return MPROF_E_NOMEM;
    sum->runs = mprof_max_u64(runs.runs, 1);
    for (uint32_t i = 0; i < view.context_count; i++) {
        if (marks[i] == 0)
            continue;
        sum->is_any = true;
        sum->value = mprof_add_sat_u64(sum->value,
                                       mpdata_metrics_value(&view, i, metric));
    }
    return mpdata_metrics_is_held(metric, &totals, &runs) ? MPROF_E_OK
                                                          : MPROF_E_VALUE;
}

static uint64_t of_one_run(const struct sum *sum)
{
    return sum->value / sum->runs +
           (sum->value % sum->runs >= sum->runs - sum->runs / 2);
}

static bool is_over(const struct mpdata_budget_limit *limit,
                    const struct sum *now, const struct sum *old)
{
    /* Multiplied by the runs of the other, in place of being divided. */
    const unsigned __int128 a = (unsigned __int128)now->value * old->runs;
    const unsigned __int128 b = (unsigned __int128)old->value * now->runs;
    const unsigned __int128 runs = (unsigned __int128)old->runs * now->runs;

    if (!limit->is_growth)
        return now->value / now->runs > limit->amount ||
               (now->value / now->runs == limit->amount &&
                now->value % now->runs != 0);
    if (a <= b)
        return false;
    if (!limit->is_percent)
        return (a - b + runs - 1) / runs > limit->amount;
    return (double)(a - b) * 100 * PERCENT > (double)b * (double)limit->amount;
}

static enum mprof_err fail_held(struct mpdata_budget *b,
                                const struct mpdata_budget_limit *limit,
                                const char *which)
{
    return fail(b, limit->line, "%s: not measured in the %s%s",
                mpdata_metrics[limit->metric].title, which,
                mpdata_metrics_how(limit->metric));
}

enum mprof_err mpdata_budget_check(struct mpdata_budget *b,
                                   const struct mpdata_budget_limit *limit,
                                   const struct mpdata_profile *profile,
                                   const struct mpdata_profile *baseline,
                                   const struct mpdata_demangler *demangler,
                                   uint8_t *marks, uint8_t *old_marks,
                                   struct mpdata_budget_result *result)
{
    const struct mpdata_budget_part *const part = part_at(b, limit->part);
    struct sum now;
    struct sum old = {.runs = 1};
    enum mprof_err err = mark(part, profile, demangler, marks);

    if (err == MPROF_E_OK)
        err = add_up(profile, limit->metric, marks, &now);
    if (err == MPROF_E_VALUE)
        return fail_held(b, limit, "profile");
    if (err == MPROF_E_OK && limit->is_growth) {
        err = mark(part, baseline, demangler, old_marks);
        if (err == MPROF_E_OK)
            err = add_up(baseline, limit->metric, old_marks, &old);
        if (err == MPROF_E_VALUE)
            return fail_held(b, limit, "baseline");
    }
    if (err != MPROF_E_OK)
        return err;
    *result = (struct mpdata_budget_result){
        .is_broken = is_over(limit, &now, &old),
        .is_unmatched = part->match != NULL && !now.is_any && !old.is_any,
        .value = of_one_run(&now),
        .old_value = of_one_run(&old)};
    return MPROF_E_OK;
}
