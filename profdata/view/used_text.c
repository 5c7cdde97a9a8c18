/* used_text.c -- prints what compilations used of a profile as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "profdata/view/plain.h"
#include "profdata/view/used.h"
#include "shared/use_own.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "  %-20s"
#define COLUMN "%12s"

struct page {
    FILE *out;
    const struct mpdata_use_log *log;
    const struct used_options *options;
};

static const struct mpdata_use_module *module_at(const struct page *p,
                                                 uint32_t i)
{
    return (const struct mpdata_use_module *)p->log->modules.data + i;
}

static void print_heading(const struct page *p, const char *text)
{
    fprintf(p->out, "\n%s%s%s\n", p->options->show.style.strong, text,
            p->options->show.style.reset);
}

/* -- sums ------------------------------------------------------------------ */

/* Prints "120: 100 matched, 20 stale". */
static void print_counts(const struct page *p, const char *title,
                         const struct mpdata_use_word *words,
                         const uint64_t *counts, int count)
{
    const char *before = ": ";
    char text[MPDATA_UNIT_BYTES];
    uint64_t all = 0;

    for (int i = 0; i < count; i++)
        all += counts[i];
    fprintf(p->out, TITLE "%s", title,
            mpdata_units_count(all, text, sizeof(text)));
    for (int i = 0; i < count; i++) {
        if (counts[i] == 0)
            continue;
        fprintf(p->out, "%s%s %s", before,
                mpdata_units_count(counts[i], text, sizeof(text)),
                words[i].word);
        before = ", ";
    }
    fputc('\n', p->out);
}

static void print_bytes(const struct page *p, const char *title, uint64_t bytes)
{
    char text[MPDATA_UNIT_BYTES];
    char share[MPDATA_UNIT_BYTES];

    if (bytes == 0)
        return;
    fprintf(
        p->out, TITLE "%s, %s\n", title,
        mpdata_units_bytes(bytes, text, sizeof(text)),
        mpdata_units_share(bytes, p->log->sums.bytes, share, sizeof(share)));
}

/* Warns if the profile may be of another program. */
static void print_unknown(const struct page *p)
{
    const struct mpdata_use_function *const rows =
        (const struct mpdata_use_function *)p->log->functions.data;
    struct mprof_use_own own = {0};
    char text[MPDATA_UNIT_BYTES];

    for (uint32_t i = 0; i < p->log->functions.count; i++)
        mprof_use_own_add(&own, rows[i].name, strlen(rows[i].name),
                          rows[i].found,
                          rows[i].state == MPDATA_USE_STATE_MATCHED);
    if (mprof_use_own_unknown(&own) != 0)
        fprintf(p->out, "  0 of %s " MPROF_USE_OWN_UNKNOWN "\n",
                mpdata_units_count(mprof_use_own_unknown(&own), text,
                                   sizeof(text)));
}

static void print_sums(const struct page *p)
{
    const struct mpdata_use_sums *const sums = &p->log->sums;
    const uint64_t modules = p->log->modules.count - p->log->replaced;
    char text[MPDATA_UNIT_BYTES];
    char found[MPDATA_UNIT_BYTES];

    fprintf(p->out, "%sUsed in %s module%s%s\n", p->options->show.style.strong,
            mpdata_units_count(modules, text, sizeof(text)),
            mpdata_units_plural(modules), p->options->show.style.reset);
    print_unknown(p);
    print_counts(p, "functions", mpdata_use_states, sums->functions,
                 MPDATA_USE_STATES);
    fprintf(p->out, TITLE "%s of %s found\n", "calls",
            mpdata_units_count(sums->found, found, sizeof(found)),
            mpdata_units_count(sums->places, text, sizeof(text)));
    print_counts(p, "allocation calls", mpdata_use_outcomes, sums->sites,
                 MPDATA_USE_OUTCOMES);
    fprintf(p->out, TITLE "%s\n", "allocated bytes",
            mpdata_units_bytes(sums->bytes, text, sizeof(text)));
    print_bytes(p, "  cold hint", sums->cold_bytes);
    print_bytes(p, "  hot hint", sums->hot_bytes);
    print_bytes(p, "  left to the link", sums->link_bytes);
    print_bytes(p, "  without a hint", sums->lost_bytes);
}

/* -- modules --------------------------------------------------------------- */

static int compare_modules(const void *left, const void *right)
{
    const struct mpdata_use_module *const a =
        *(const struct mpdata_use_module *const *)left;
    const struct mpdata_use_module *const b =
        *(const struct mpdata_use_module *const *)right;

    if (a->sums.bytes != b->sums.bytes)
        return a->sums.bytes > b->sums.bytes ? -1 : 1;
    return (a > b) - (a < b);
}

static void print_module(const struct page *p,
                         const struct mpdata_use_module *m)
{
    char bytes[3][MPDATA_UNIT_BYTES];

    fprintf(p->out, COLUMN COLUMN COLUMN "  ",
            mpdata_units_bytes(m->sums.bytes, bytes[0], sizeof(bytes[0])),
            mpdata_units_bytes(m->sums.cold_bytes, bytes[1], sizeof(bytes[1])),
            mpdata_units_bytes(m->sums.hot_bytes, bytes[2], sizeof(bytes[2])));
    fprintf(p->out, "%5" PRIu64 " of %-5" PRIu64 "  ", m->sums.found,
            m->sums.places);
    plain_print(p->out, m->name);
    fputc('\n', p->out);
}

static bool print_modules(const struct page *p)
{
    const uint32_t all = p->log->modules.count;
    const struct mpdata_use_module **const sorted =
        (const struct mpdata_use_module **)calloc((size_t)all + 1,
                                                  sizeof(*sorted));
    uint32_t count = 0;

    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < all; i++) {
        if (!module_at(p, i)->is_replaced)
            sorted[count++] = module_at(p, i);
    }
    qsort((void *)sorted, count, sizeof(*sorted), compare_modules);
    print_heading(p, "Modules, most bytes first");
    fprintf(p->out, COLUMN COLUMN COLUMN "  %-14s  %s\n", "bytes", "cold hint",
            "hot hint", "  calls found", "module");
    for (uint32_t i = 0; i < count && i < p->options->show.top; i++)
        print_module(p, sorted[i]);
    if (count > p->options->show.top)
        fprintf(p->out, "%s%" PRIu64 " more; --top=%" PRIu32 " shows all%s\n",
                p->options->show.style.dim, count - p->options->show.top, count,
                p->options->show.style.reset);
    free((void *)sorted);
    return true;
}

/* -- functions ------------------------------------------------------------- */

static uint64_t lost_of(const struct mpdata_use_function *f)
{
    return f->state == MPDATA_USE_STATE_STALE ? f->places - f->found : 0;
}

static int compare_functions(const void *left, const void *right)
{
    const struct mpdata_use_function *const a =
        *(const struct mpdata_use_function *const *)left;
    const struct mpdata_use_function *const b =
        *(const struct mpdata_use_function *const *)right;

    if (lost_of(a) != lost_of(b))
        return lost_of(a) > lost_of(b) ? -1 : 1;
    return (a > b) - (a < b);
}

/* Prints functions that changed since the profile: not all of their calls were
 * found. */
static bool print_stale(const struct page *p)
{
    const struct mpdata_use_function *const rows =
        (const struct mpdata_use_function *)p->log->functions.data;
    const struct mpdata_use_function **const sorted =
        (const struct mpdata_use_function **)calloc(
            (size_t)p->log->functions.count + 1, sizeof(*sorted));
    uint32_t count = 0;

    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < p->log->functions.count; i++) {
        if (rows[i].state == MPDATA_USE_STATE_STALE)
            sorted[count++] = &rows[i];
    }
    qsort((void *)sorted, count, sizeof(*sorted), compare_functions);
    if (count != 0)
        print_heading(p, "Functions that have changed since the profile");
    for (uint32_t i = 0; i < count && i < p->options->show.top; i++) {
        fprintf(p->out, "  %" PRIu64 " of %" PRIu64 " calls found  ",
                sorted[i]->found, sorted[i]->places);
        plain_print(p->out, sorted[i]->name);
        fputc('\n', p->out);
    }
    if (count > p->options->show.top)
        fprintf(p->out, "%s%" PRIu64 " more; --top=%" PRIu32 " shows all%s\n",
                p->options->show.style.dim, count - p->options->show.top, count,
                p->options->show.style.reset);
    free((void *)sorted);
    return true;
}

enum mprof_err used_text(FILE *out, const struct mpdata_use_log *log,
                         const struct used_options *options)
{
    const struct page p = {.out = out, .log = log, .options = options};

    print_sums(&p);
    if (log->modules.count == 0)
        return MPROF_E_OK;
    return print_modules(&p) && print_stale(&p) ? MPROF_E_OK : MPROF_E_NOMEM;
}
