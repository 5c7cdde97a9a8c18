/* used_text.c -- prints what compilations used of a profile as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/vec.h"
#include "profdata/view/page.h"
#include "profdata/view/views.h"
#include "shared/use_own.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "  %-20s"
#define COLUMN "%12s"

struct page {
    FILE *out;
    const struct mpdata_use_log *log;
    const struct show_options *options;
};

static const struct mpdata_use_module *module_at(const struct page *p,
                                                 uint32_t i)
{
    return (const struct mpdata_use_module *)p->log->modules.data + i;
}

static void print_heading(const struct page *p, const char *text)
{
    fprintf(p->out, "\n%s%s%s\n", p->options->style.strong, text,
            p->options->style.reset);
}

/* Something to be listed. */
struct item {
    const void *row;
    uint64_t weight;
};

/* The heaviest first; equal ones in the order of their rows. */
MPROF_COMPARATOR(compare_items, struct item,
                 MPROF_DOWN(weight) ?: MPROF_UP(row))

/* Prints the heaviest rows, options->top of them, and frees the items. */
static void print_items(const struct page *p, struct item *items,
                        uint32_t count,
                        void (*print)(const struct page *p, const void *row))
{
    const uint64_t top = p->options->top;

    qsort(items, count, sizeof(*items), compare_items);
    for (uint32_t i = 0; i < count && i < top; i++)
        print(p, items[i].row);
    page_more(p->out, &p->options->style, top, count, NULL, "%s", "");
    free(items);
}

/* -- sums ------------------------------------------------------------------ */

/* Prints "120: 100 matched, 20 stale". */
static void print_counts(const struct page *p, const char *title,
                         const struct mpdata_use_word *words,
                         const uint64_t *counts, int count)
{
    const char *before = ": ";
    uint64_t all = 0;

    for (int i = 0; i < count; i++)
        all += counts[i];
    fprintf(p->out, TITLE "%s", title, mpdata_units_count(all).text);
    for (int i = 0; i < count; i++) {
        if (counts[i] == 0)
            continue;
        fprintf(p->out, "%s%s %s", before, mpdata_units_count(counts[i]).text,
                words[i].word);
        before = ", ";
    }
    fputc('\n', p->out);
}

static void print_bytes(const struct page *p, const char *title, uint64_t bytes)
{
    if (bytes == 0)
        return;
    fprintf(p->out, TITLE "%s, %s\n", title, mpdata_units_bytes(bytes).text,
            mpdata_units_share(bytes, p->log->sums.bytes).text);
}

/* Warns if the profile may be of another program. */
static void print_unknown(const struct page *p)
{
    const struct mpdata_use_function *const rows = p->log->functions.data;
    struct mprof_use_own own = {0};

    for (uint32_t i = 0; i < p->log->functions.count; i++)
        mprof_use_own_add(&own, rows[i].name, strlen(rows[i].name),
                          rows[i].found,
                          rows[i].state == MPDATA_USE_STATE_MATCHED);
    if (mprof_use_own_unknown(&own) != 0)
        fprintf(p->out, "  0 of %s " MPROF_USE_OWN_UNKNOWN "\n",
                mpdata_units_count(mprof_use_own_unknown(&own)).text);
}

static void print_sums(const struct page *p)
{
    const struct mpdata_use_sums *const sums = &p->log->sums;
    const uint64_t modules = p->log->modules.count - p->log->replaced;

    fprintf(p->out, "%sUsed in %s%s\n", p->options->style.strong,
            mpdata_units_things(modules, "module").text,
            p->options->style.reset);
    print_unknown(p);
    print_counts(p, "functions", mpdata_use_states, sums->functions,
                 MPDATA_USE_STATES);
    fprintf(p->out, TITLE "%s of %s found\n", "calls",
            mpdata_units_count(sums->found).text,
            mpdata_units_count(sums->places).text);
    print_counts(p, "allocation calls", mpdata_use_outcomes, sums->sites,
                 MPDATA_USE_OUTCOMES);
    fprintf(p->out, TITLE "%s\n", "allocated bytes",
            mpdata_units_bytes(sums->bytes).text);
    print_bytes(p, "  cold hint", sums->cold_bytes);
    print_bytes(p, "  hot hint", sums->hot_bytes);
    print_bytes(p, "  left to the link", sums->link_bytes);
    print_bytes(p, "  without a hint", sums->lost_bytes);
}

/* -- modules --------------------------------------------------------------- */

static void print_module(const struct page *p, const void *row)
{
    const struct mpdata_use_module *const m =
        (const struct mpdata_use_module *)row;

    fprintf(p->out, COLUMN COLUMN COLUMN "  ",
            mpdata_units_bytes(m->sums.bytes).text,
            mpdata_units_bytes(m->sums.cold_bytes).text,
            mpdata_units_bytes(m->sums.hot_bytes).text);
    fprintf(p->out, "%5" PRIu64 " of %-5" PRIu64 "  ", m->sums.found,
            m->sums.places);
    page_plain(p->out, m->name);
    fputc('\n', p->out);
}

static bool print_modules(const struct page *p)
{
    const uint32_t all = p->log->modules.count;
    struct item *const items = mpdata_vec_array(all, sizeof(*items));
    uint32_t count = 0;

    if (items == NULL)
        return false;
    for (uint32_t i = 0; i < all; i++) {
        const struct mpdata_use_module *const m = module_at(p, i);

        if (!m->is_replaced)
            items[count++] = (struct item){m, m->sums.bytes};
    }
    print_heading(p, "Modules, most bytes first");
    fprintf(p->out, COLUMN COLUMN COLUMN "  %-14s  %s\n", "bytes", "cold hint",
            "hot hint", "  calls found", "module");
    print_items(p, items, count, print_module);
    return true;
}

/* -- functions ------------------------------------------------------------- */

static void print_function(const struct page *p, const void *row)
{
    const struct mpdata_use_function *const f =
        (const struct mpdata_use_function *)row;

    const struct mpdata_demangler *const demangler = p->options->demangler;
    char *const name = demangler->demangle(demangler->context, f->name);

    fprintf(p->out, "  %" PRIu64 " of %" PRIu64 " calls found  ", f->found,
            f->places);
    page_plain(p->out, name != NULL ? name : f->name);
    fputc('\n', p->out);
    free(name);
}

/* Prints the functions of which not all calls were found. */
static bool print_stale(const struct page *p)
{
    const struct mpdata_use_function *const rows = p->log->functions.data;
    struct item *const items =
        mpdata_vec_array(p->log->functions.count, sizeof(*items));
    uint32_t count = 0;

    if (items == NULL)
        return false;
    for (uint32_t i = 0; i < p->log->functions.count; i++) {
        if (rows[i].state == MPDATA_USE_STATE_STALE)
            items[count++] =
                (struct item){&rows[i], rows[i].places - rows[i].found};
    }
    if (count != 0) {
        print_heading(p, "Functions with calls that were not found");
        fputs(
            "  The source was edited, calls were optimized away, or functions "
            "of other files\n  or programs have the same name.\n",
            p->out);
    }
    print_items(p, items, count, print_function);
    return true;
}

enum mprof_err used_text(FILE *out, const struct mpdata_use_log *log,
                         const struct show_options *options)
{
    const struct page p = {.out = out, .log = log, .options = options};

    print_sums(&p);
    if (log->modules.count == 0)
        return MPROF_E_OK;
    return print_modules(&p) && print_stale(&p) ? MPROF_E_OK : MPROF_E_NOMEM;
}
