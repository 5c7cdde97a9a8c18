/* verdict.c -- cold, hot or neither.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/verdict.h"
#include "profdata/base/vec.h"
#include "profdata/judge/chunk.h"
#include "profdata/model/details.h"
#include "profdata/model/hotness.h"
#include "profdata/query/metrics.h"

#include <math.h>
#include <stdlib.h>

/* docs/decisions/0041-verdicts.md says how these values were chosen. */

/* Blocks are long-lived if their average lifetime, and the lifetime of at least
 * half of them, is at least this share of an average run. */
#define LONG_SHARE 0.01
#define NOT_TEMPORARY_SHARE 0.1 /* for blocks that all live so long */
/* Bounds of heat: at most COLD_HEAT is cold, at least HOT_HEAT is hot. */
#define COLD_HEAT 0.1
#define HOT_HEAT 4.0
/* All cold blocks together have at most this share of the accesses that count.
 * Each hot call stack has at least this share. */
#define COLD_ACCESS_SHARE 0.01
#define HOT_ACCESS_SHARE 0.01
/* Each cold call stack has at most this share of all accesses, and one of big
 * blocks that are not only filled at most the second. */
#define COLD_ALL_SHARE 0.5
#define COLD_BIG_SHARE 0.0001
/* Bytes that stay in a core's first cache wherever they are. */
#define NEAR_BYTES (32.0 * 1024)
/* Blocks of this average size share no page with others. */
#define BIG_BYTES (64.0 * 1024)
/* Small blocks lie at multiples of 16 bytes, and of 32 from 128 bytes on
 * (jemalloc), up to a size from which the rest does not matter. Dense blocks
 * lie at multiples of 8. */
#define LOOSE_BYTES_MAX 256
#define LOOSE_STEP(bytes) ((bytes) <= 128 ? 16 : 32)
#define DENSE_STEP 8
/* A gain of less than one byte of so many is none. */
#define LOOSE_SHARE 20
/* Blocks die one by one if the last one dies so much later than the average
 * one, as a share of the average lifetime. Their own pages would be half empty
 * meanwhile. This matters if they hold at least this share of the run's peak.
 */
#define PIECEMEAL_SHARE 0.25
#define PIECEMEAL_BYTES_SHARE 0.05
/* Busy bytes from which on huge pages gain. */
#define HUGE_BYTES (4.0 * 1024 * 1024)
/* Bytes that stay in a core's second cache. */
#define SECOND_BYTES (256.0 * 1024)
/* Savings below this share of the live bytes are none. */
#define SAVED_SHARE 0.01

#define NS_PER_S 1e9

const char *const mpdata_verdict_words[MPDATA_VERDICT_KINDS] = {
#define X(id, word) word,
    MPDATA_VERDICTS(X)
#undef X
};

const char *const mpdata_verdict_rule_names[MPDATA_VERDICT_RULE_COUNT] = {
#define X(id, name) name,
    MPDATA_VERDICT_RULES(X)
#undef X
};

const struct mpdata_verdict_reason_row
    mpdata_verdict_reasons[MPDATA_VERDICT_REASON_COUNT] = {
#define X(id, name, verdict, sentence) \
    {name, sentence, MPDATA_VERDICT_##verdict},
        MPDATA_VERDICT_REASONS(X)
#undef X
};

const struct mpdata_verdict_number_row
    mpdata_verdict_numbers[MPDATA_VERDICT_NUMBER_COUNT] = {
#define X(id, member, is_whole, known, help) {#member, is_whole},
        MPDATA_VERDICT_NUMBERS(X)
#undef X
};

/* -- measures -------------------------------------------------------------- */

/* Measures of a context, besides its verdict. */
struct facts {
    double used;       /* accesses beyond filling */
    double possible;   /* accesses that may be beyond filling */
    double error;      /* of bursts only: sampling estimates sizes alike */
    double residence;  /* bytes * ns */
    double most_bytes; /* most live bytes at a time */
    bool is_big;
    bool is_unseen; /* some accesses not seen: a lower bound */
    bool is_piecemeal;
};

struct judge {
    struct mpdata_verdicts *out;
    struct mpdata_view view;
    struct mpdata_run_totals runs;
    struct facts *facts;
    uint32_t *picked; /* picked_count contexts, in some order */
    uint32_t picked_count;
    bool has_accesses; /* of the profile as a whole */
    bool has_lifetimes;
    double run_count;
    double peak_bytes; /* of an average run */
    double longest_ns; /* of the runs */
    double used;       /* sum of the contexts compared with */
    double residence;  /* likewise */
    double used_long;  /* sum of all long-lived contexts */
};

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Runs of LLVM's files lack a duration: the last end of a block stands in. */
static void measure_runs(struct judge *j, const struct mprof_mib *totals)
{
    j->run_count = (double)mprof_max_u64(
        mpdata_run_totals_lived(&j->runs, &j->out->run_ns), 1);
    j->peak_bytes =
        ratio((double)j->runs.peak_bytes, (double)j->runs.peak_runs);
    for (uint32_t i = 0; i < j->view.run_count; i++)
        j->longest_ns =
            fmax(j->longest_ns, (double)j->view.runs[i].duration_ns);
    if (j->out->run_ns <= 0)
        j->out->run_ns = (double)totals->DeallocTimestamp * MPROF_NS_PER_MS;
}

/* Did most blocks live less than `ns`? Excludes the bucket of `ns`. */
static bool is_mostly_shorter(const struct mpdata_view *view,
                              const struct mpdata_context *context, double ns)
{
    uint64_t counts[MPROF_DETAIL_BUCKETS];
    const uint64_t all =
        mpdata_details_buckets(view, context, MPROF_DETAIL_LIFETIME, counts);
    uint64_t shorter = 0;

    for (uint32_t b = 0;
         b < MPROF_DETAIL_BUCKETS && (double)mprof_detail_high(b) < ns; b++)
        shorter = mprof_add_sat_u64(shorter, counts[b]);
    return shorter > all / 2;
}

/* Are most blocks temporary, and live some of them less than `ns`? */
static bool is_mostly_temporary(const struct mprof_mib *mib, double ns)
{
    return mib->MeasuredCount != 0 && (double)mib->MinLifetimeNs < ns &&
           mib->TemporaryCount > mib->AllocCount / 2;
}

/* Bytes * ns, assuming all blocks have one size. */
static double residence_of(const struct mprof_mib *mib)
{
    return (double)mib->TotalSize / (double)mprof_max_u64(mib->AllocCount, 1) *
           (double)mib->TotalLifetimeNs;
}

/* LLVM's files with only the compiler's fields have no access counts but the
 * access density: 100 times the accesses per byte and second. */
static uint64_t accesses_of(const struct mprof_mib *mib)
{
    const double density = (double)mib->TotalLifetimeAccessDensity /
                           (double)mprof_max_u64(mib->AllocCount, 1) / 100;

    if (mpdata_metrics_has_accesses(mib))
        return mib->TotalAccessCount;
    return mpdata_verdict_whole(density * residence_of(mib) / NS_PER_S);
}

/* Accesses, or writes if they are known, fill the blocks first. If they are too
 * few to fill them, they may also all go to a hot spot: of those that would
 * fill a third, two thirds are possibly use. */
static void measure_used(struct facts *facts, const struct mprof_mib *mib,
                         uint64_t accesses)
{
    const uint64_t cells = mib->TotalSize / MPDATA_VERDICT_FILL_BYTES;
    const bool is_rw = mib->MeasuredRw == mib->AllocCount;
    const uint64_t fills =
        mprof_min_u64(is_rw ? mib->TotalWrites : accesses, cells);
    const double part = ratio((double)fills, (double)cells);

    facts->used = (double)mprof_sub_sat_u64(accesses, fills);
    facts->possible = fmax((double)accesses - (double)fills * part, 0);
}

/* Blocks that are freed together die no later than their average lifetime after
 * the last birth. Both times have whole ms, and are those of the longest of
 * several runs, or of a shorter one. */
static bool is_piecemeal(const struct judge *j, const struct mprof_mib *mib,
                         double most_bytes)
{
    const double later_ns =
        ((double)mib->DeallocTimestamp - (double)mib->AllocTimestamp - 1) *
        MPROF_NS_PER_MS * ratio(j->out->run_ns, j->longest_ns);
    const double life_ns =
        ratio((double)mib->TotalLifetimeNs, (double)mib->AllocCount);

    return mib->MeasuredCount != 0 && j->peak_bytes > 0 &&
           most_bytes >= j->peak_bytes * PIECEMEAL_BYTES_SHARE &&
           later_ns - life_ns > life_ns * PIECEMEAL_SHARE;
}

static void measure(struct judge *j, uint32_t i, const struct mprof_mib *mib)
{
    const struct mpdata_context *const context = &j->view.contexts[i];
    struct mpdata_verdict *const v = &j->out->rows[i];
    struct facts *const facts = &j->facts[i];
    const double blocks = (double)mprof_max_u64(mib->AllocCount, 1);
    const double run_ns = j->out->run_ns;

    v->blocks = mib->AllocCount;
    v->bytes = mib->TotalSize;
    v->accesses = accesses_of(mib);
    v->has_accesses =
        j->has_accesses &&
        mpdata_metrics_is_measured(MPDATA_METRIC_ACCESSES, &j->view, i);
    v->has_lifetime = j->has_lifetimes && run_ns > 0 &&
                      mpdata_metrics_has_lifetime(context, mib, &j->runs);
    if (mib->TotalSize != 0)
        v->accesses_per_byte = (double)v->accesses / (double)mib->TotalSize;
    measure_used(facts, mib, v->accesses);
    facts->error = sqrt((double)mib->BurstVariance);
    facts->residence = residence_of(mib);
    facts->is_unseen = mib->UnseenCount != 0;
    facts->is_big = (double)mib->TotalSize / blocks >= BIG_BYTES;
    if (!v->has_lifetime)
        return;
    v->resident_bytes = facts->residence / run_ns / j->run_count;
    v->life_share = (double)mib->TotalLifetimeNs / blocks / run_ns;
    facts->most_bytes =
        mib->MeasuredCount != 0 ? (double)mib->MaxLiveBytes : v->resident_bytes;
    v->is_long = v->life_share >= LONG_SHARE &&
                 !is_mostly_temporary(mib, run_ns * NOT_TEMPORARY_SHARE) &&
                 !is_mostly_shorter(&j->view, context, run_ns * LONG_SHARE);
    facts->is_piecemeal = is_piecemeal(j, mib, facts->most_bytes);
}

static uint64_t round_up(uint64_t bytes, uint64_t step)
{
    return (bytes + step - 1) / step * step;
}

/* Bytes that dense blocks would save of the resident ones. None if a block
 * fills whole cache lines: it would lie in one more. */
static uint64_t loose_bytes(const struct mpdata_verdict *v)
{
    const uint64_t average = v->bytes / mprof_max_u64(v->blocks, 1);
    const uint64_t dense = round_up(average, DENSE_STEP);
    const uint64_t loose = round_up(average, LOOSE_STEP(average));
    const uint64_t spare = loose - dense;

    if (!v->is_long || average > LOOSE_BYTES_MAX || dense <= DENSE_STEP ||
        loose % MPDATA_CACHE_LINE_BYTES == 0 || spare * LOOSE_SHARE < dense)
        return 0;
    return mpdata_verdict_whole(v->resident_bytes / (double)dense *
                                (double)spare);
}

static void classify(struct judge *j, uint32_t i)
{
    const struct mprof_mib mib = mpdata_view_mib(&j->view, i);
    struct mpdata_verdict *const v = &j->out->rows[i];

    measure(j, i, &mib);
    v->loose_bytes = loose_bytes(v);
    if (!v->has_accesses)
        v->reason = MPDATA_REASON_NOT_MEASURED;
    else if (!v->has_lifetime)
        v->reason = MPDATA_REASON_NO_LIFETIME;
    else if (!v->is_long)
        v->reason = MPDATA_REASON_TEMPORARY;
    else
        v->reason = MPDATA_REASON_AVERAGE;
}

static bool counts(const struct judge *j, uint32_t i)
{
    return j->out->rows[i].reason == MPDATA_REASON_AVERAGE;
}

static void pick(struct judge *j, uint32_t i)
{
    j->picked[j->picked_count++] = i;
}

/* Sorts the picked contexts, the coldest first. */
static int compare_heat(const void *left, const void *right, void *context)
{
    const struct facts *const facts = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    const double x = ratio(facts[a].possible, facts[a].residence);
    const double y = ratio(facts[b].possible, facts[b].residence);

    if (x != y)
        return x < y ? -1 : 1;
    return (a > b) - (a < b);
}

static void sort_picked(struct judge *j)
{
    qsort_r(j->picked, j->picked_count, sizeof(*j->picked), compare_heat,
            j->facts);
}

static void add_up(struct judge *j)
{
    for (uint32_t i = 0; i < j->out->count; i++) {
        j->out->resident_bytes += j->out->rows[i].resident_bytes;
        j->out->accesses =
            mprof_add_sat_u64(j->out->accesses, j->out->rows[i].accesses);
        if (!counts(j, i))
            continue;
        j->used_long += j->facts[i].used;
        j->residence += j->facts[i].residence;
        pick(j, i);
    }
    j->used = j->used_long;
}

/* An interpreter's stack has nearly all accesses, so everything else would look
 * cold. So the hottest blocks that fit into the first cache are excluded from
 * the average, unless all long-lived blocks fit, or the rest is not used. */
static void exclude_near(struct judge *j)
{
    struct judge rest = *j;
    double near_bytes = 0, bytes = 0;

    for (uint32_t k = 0; k < j->picked_count; k++)
        bytes += j->facts[j->picked[k]].most_bytes;
    if (bytes <= NEAR_BYTES)
        return;
    sort_picked(j);
    for (uint32_t k = j->picked_count; k-- > 0;) {
        const uint32_t i = j->picked[k];

        near_bytes += j->facts[i].most_bytes;
        if (near_bytes > NEAR_BYTES)
            break;
        rest.used -= j->facts[i].used;
        rest.residence -= j->facts[i].residence;
    }
    if (rest.used > 0)
        *j = rest;
}

static void compare_with_rest(struct judge *j)
{
    const double usual = ratio(j->used, j->residence);

    for (uint32_t i = 0; i < j->out->count; i++) {
        struct mpdata_verdict *const v = &j->out->rows[i];
        const struct facts *const facts = &j->facts[i];

        v->resident_share = ratio(v->resident_bytes, j->out->resident_bytes);
        v->access_share = ratio((double)v->accesses, (double)j->out->accesses);
        v->heat = ratio(ratio(facts->used, facts->residence), usual);
    }
}

/* -- the verdicts ---------------------------------------------------------- */

static void judge_alone(struct judge *j, uint32_t i)
{
    struct mpdata_verdict *const v = &j->out->rows[i];
    const struct facts *const facts = &j->facts[i];
    const double error = v->heat * ratio(facts->error, facts->used);

    if ((v->heat <= COLD_HEAT && v->heat + error > COLD_HEAT) ||
        (v->heat >= HOT_HEAT && v->heat - error < HOT_HEAT)) {
        v->reason = MPDATA_REASON_UNSURE;
    } else if (v->heat <= COLD_HEAT) {
        /* Accesses to a large block may all go to a hot part of it. */
        if (facts->is_unseen)
            v->reason = MPDATA_REASON_NOT_ALL_SEEN;
        else if (facts->is_big && facts->possible > 0 &&
                 v->access_share > COLD_BIG_SHARE)
            v->reason = MPDATA_REASON_BIG;
        else if (facts->is_piecemeal)
            v->reason = MPDATA_REASON_PIECEMEAL;
        else
            pick(j, i);
    } else if (v->heat >= HOT_HEAT) {
        v->reason = facts->is_big ? MPDATA_REASON_BIG
                    : facts->used < j->used_long * HOT_ACCESS_SHARE
                        ? MPDATA_REASON_FEW_ACCESSES
                        : MPDATA_REASON_HOT;
    }
}

/* Accepts the coldest first, while all together have few accesses. */
static void accept_cold(struct judge *j)
{
    double possible = 0;

    sort_picked(j);
    for (uint32_t k = 0; k < j->picked_count; k++) {
        struct mpdata_verdict *const v = &j->out->rows[j->picked[k]];

        possible += j->facts[j->picked[k]].possible;
        v->reason = possible <= j->used * COLD_ACCESS_SHARE &&
                            v->access_share <= COLD_ALL_SHARE
                        ? MPDATA_REASON_COLD
                        : MPDATA_REASON_RISK;
    }
}

static void judge_by_llvm(struct judge *j, uint32_t i)
{
    struct mpdata_verdict *const v = &j->out->rows[i];
    const struct mprof_mib mib = mpdata_view_mib(&j->view, i);

    if (v->reason == MPDATA_REASON_NOT_MEASURED)
        return;
    v->reason = mpdata_hotness_is_cold(&mib) ? MPDATA_REASON_LLVM_COLD
                                             : MPDATA_REASON_LLVM_NOT_COLD;
}

static void judge_all(struct judge *j)
{
    struct mpdata_verdicts *const out = j->out;

    for (uint32_t i = 0; i < out->count; i++)
        classify(j, i);
    add_up(j);
    exclude_near(j);
    j->picked_count = 0;
    compare_with_rest(j);
    for (uint32_t i = 0; i < out->count; i++) {
        if (out->rule == MPDATA_VERDICT_LLVM)
            judge_by_llvm(j, i);
        else if (counts(j, i))
            judge_alone(j, i);
    }
    accept_cold(j);
    for (uint32_t i = 0; i < out->count; i++)
        mpdata_verdict_set(out, i, out->rows[i].reason);
}

enum mprof_err mpdata_verdict_make(struct mpdata_verdicts *verdicts,
                                   const struct mpdata_profile *profile,
                                   enum mpdata_verdict_rule rule)
{
    struct judge j = {.out = verdicts, .view = mpdata_profile_view(profile)};
    const struct mprof_mib totals = mpdata_profile_totals(&j.view);
    const uint32_t count = j.view.context_count;
    enum mprof_err err = mpdata_run_totals(&j.view, &j.runs);

    *verdicts = (struct mpdata_verdicts){
        .rows = calloc((size_t)count + 1, sizeof(*verdicts->rows)),
        .count = count,
        .rule = rule};
    j.facts = calloc((size_t)count + 1, sizeof(*j.facts));
    j.picked = mpdata_vec_array(count, sizeof(*j.picked));
    if (err == MPROF_E_OK &&
        (verdicts->rows == NULL || j.facts == NULL || j.picked == NULL))
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK) {
        measure_runs(&j, &totals);
        verdicts->peak_bytes = totals.PeakBytes;
        j.has_lifetimes =
            mpdata_metrics_is_held(MPDATA_METRIC_LIFETIME, &totals, &j.runs);
        j.has_accesses =
            !mpdata_metrics_has_accesses(&totals) ||
            mpdata_metrics_is_held(MPDATA_METRIC_ACCESSES, &totals, &j.runs);
        judge_all(&j);
    }
    free(j.facts);
    free(j.picked);
    return err;
}

void mpdata_verdict_fini(struct mpdata_verdicts *verdicts)
{
    free(verdicts->rows);
    *verdicts = (struct mpdata_verdicts){.rows = NULL};
}

void mpdata_verdict_set(struct mpdata_verdicts *verdicts, uint32_t context,
                        enum mpdata_verdict_reason reason)
{
    struct mpdata_verdict *const v = &verdicts->rows[context];

    v->reason = reason;
    v->kind = mpdata_verdict_reasons[reason].kind;
    v->saved_bytes = v->kind == MPDATA_VERDICT_COLD
                         ? mpdata_verdict_whole(v->resident_bytes)
                         : 0;
    if (v->kind == MPDATA_VERDICT_COLD || reason == MPDATA_REASON_LISTED_NONE)
        v->loose_bytes = 0; /* gets another hint, or shall get none */
}

double mpdata_verdict_busy_bytes(const struct mpdata_verdicts *verdicts)
{
    double bytes = 0;

    for (uint32_t i = 0; i < verdicts->count; i++) {
        const struct mpdata_verdict *const v = &verdicts->rows[i];

        if (v->is_long && v->has_accesses && v->kind != MPDATA_VERDICT_COLD)
            bytes += v->resident_bytes;
    }
    return bytes;
}

bool mpdata_verdict_gains_by_huge_pages(const struct mpdata_verdicts *verdicts)
{
    return verdicts->rule == MPDATA_VERDICT_FITTING &&
           mpdata_verdict_busy_bytes(verdicts) >= HUGE_BYTES;
}

const char *mpdata_verdict_no_gain(const struct mpdata_verdicts *verdicts)
{
    const double all = verdicts->resident_bytes;
    double saved = 0, hot = 0, unknown = 0;
    bool has_pools = false;

    if (verdicts->rule != MPDATA_VERDICT_FITTING || all <= 0)
        return NULL;
    for (uint32_t i = 0; i < verdicts->count; i++) {
        const struct mpdata_verdict *const v = &verdicts->rows[i];

        if (v->kind == MPDATA_VERDICT_NOT_MEASURED)
            unknown += v->resident_bytes;
        has_pools = has_pools || v->pool != 0;
        saved += (double)v->saved_bytes + (double)v->loose_bytes;
        hot += v->kind == MPDATA_VERDICT_HOT ? v->resident_bytes : 0;
    }
    if (unknown >= all / 2)
        return NULL;
    if (verdicts->peak_bytes != 0 && verdicts->peak_bytes <= SECOND_BYTES)
        return "all live blocks fit into a core's second cache";
    if (mpdata_verdict_gains_by_huge_pages(verdicts) || has_pools)
        return NULL;
    return saved < SAVED_SHARE * all && hot <= NEAR_BYTES
               ? "long-lived blocks are accessed alike, their sizes fit the "
                 "allocator's, and a pool would not load fewer cache lines"
               : NULL;
}

/* -- numbers --------------------------------------------------------------- */

static bool is_in_time(const struct mpdata_verdict *v)
{
    return v->has_lifetime;
}

static bool is_accessed(const struct mpdata_verdict *v)
{
    return v->has_accesses;
}

static bool is_compared(const struct mpdata_verdict *v)
{
    return v->has_lifetime && v->has_accesses;
}

static bool is_cold(const struct mpdata_verdict *v)
{
    return v->has_lifetime && v->kind == MPDATA_VERDICT_COLD;
}

bool mpdata_verdict_number(const struct mpdata_verdict *v,
                           enum mpdata_verdict_number which, double *value)
{
    switch (which) {
#define X(id, member, is_whole, known, help) \
    case MPDATA_VERDICT_NUMBER_##id:         \
        *value = (double)v->member;          \
        return is_##known(v);
        MPDATA_VERDICT_NUMBERS(X)
#undef X
    case MPDATA_VERDICT_NUMBER_COUNT:
        break;
    }
    return false;
}

void mpdata_verdict_json(struct mpdata_json_out *json,
                         const struct mpdata_verdict *v)
{
    for (int n = 0; n < MPDATA_VERDICT_NUMBER_COUNT; n++) {
        double value;

        if (!mpdata_verdict_number(v, (enum mpdata_verdict_number)n, &value))
            continue;
        mpdata_json_out_key(json, mpdata_verdict_numbers[n].name);
        if (mpdata_verdict_numbers[n].is_whole)
            mpdata_json_out_number(json, mpdata_verdict_whole(value));
        else
            mpdata_json_out_real(json, value);
    }
}
