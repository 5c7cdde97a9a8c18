/* luajit_report.c -- the report of Tarantool's parser of LuaJIT's memory
 * profiler. A second reading writes the snapshots: names of C functions are
 * known at the end of the first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/luajit_report.h"
#include "profdata/base/sink.h"
#include "profdata/events/event_live.h"
#include "profdata/events/luajit_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Alive blocks of a site, and all that ever were. */
struct heap {
    uint64_t bytes;
    uint64_t allocs;
    uint64_t frees;
};

struct sums {
    uint64_t events;
    uint64_t allocated;
    uint64_t freed;
};

struct site_sums {
    struct sums of[MPDATA_LUAJIT_REALLOC + 1]; /* by kind of event */
    struct heap heap;
};

/* Events of a site that end blocks of another one. */
struct override {
    uint32_t kind;
    uint32_t site;
    uint32_t other;
    uint32_t zero;
};

/* A row of a table: a site by its text. */
struct line {
    struct mpdata_str text;
    uint64_t order;
    uint32_t site;
    struct heap heap;
};

struct report {
    const struct mpdata_luajit_report_options *options;
    struct mpdata_sink *sink;
    struct mpdata_luajit_log log;
    struct mpdata_vec sites; /* struct site_sums */
    struct mpdata_set overrides;
    struct mpdata_event_live live;
    const struct mpdata_str *names; /* by site; in the second reading */
    uint64_t next;                  /* second of the next snapshot */
    bool failed;                    /* no memory */
};

/* -- events ---------------------------------------------------------------- */

static struct site_sums *sums_at(const struct report *r, uint32_t site)
{
    return (struct site_sums *)r->sites.data + site;
}

static void end_block(struct report *r, const struct mpdata_luajit_event *e,
                      uint64_t address)
{
    const struct mpdata_log_event end = {.at = address};
    struct override key = {.kind = e->kind, .site = e->site};
    struct mpdata_live_block block;

    if (!mpdata_event_live_end(&r->live, &end, &block, &r->failed))
        return;
    uint64_t *const bytes = &sums_at(r, block.row)->heap.bytes;
    *bytes = mprof_sub_sat_u64(*bytes, block.size);
    sums_at(r, block.row)->heap.frees++;
    key.other = block.row;
    if (e->kind != MPDATA_LUAJIT_ALLOC)
        r->failed |= mpdata_set_add(&r->overrides, &key, NULL) == 0;
}

static void begin_block(struct report *r, const struct mpdata_luajit_event *e)
{
    const struct mpdata_live_block block = {
        .address = e->address, .size = e->size, .row = e->site};
    bool failed = false;

    mpdata_event_live_begin(&r->live, &block, &failed);
    r->failed |= failed;
    uint64_t *const bytes = &sums_at(r, e->site)->heap.bytes;
    *bytes = mprof_add_sat_u64(*bytes, e->size);
    sums_at(r, e->site)->heap.allocs++;
}

static void write_snapshots(struct report *r, uint64_t second);

static bool add_event(void *context, const struct mpdata_luajit_event *e)
{
    struct report *const r = context;

    if (r->names != NULL)
        write_snapshots(r, e->second);
    while (r->sites.count <= e->site) {
        if (mpdata_vec_push(&r->sites) == NULL)
            return false;
    }
    struct sums *const sums = &sums_at(r, e->site)->of[e->kind];
    sums->events++;
    sums->allocated = mprof_add_sat_u64(sums->allocated, e->size);
    sums->freed = mprof_add_sat_u64(sums->freed, e->old_size);
    if (e->kind != MPDATA_LUAJIT_ALLOC)
        end_block(r, e, e->old_address);
    if (e->kind != MPDATA_LUAJIT_FREE) {
        end_block(r, &(struct mpdata_luajit_event){.kind = MPDATA_LUAJIT_ALLOC},
                  e->address);
        begin_block(r, e);
    }
    return !r->failed;
}

/* -- names ----------------------------------------------------------------- */

static void write_lua(struct mpdata_sink *sink,
                      const struct mpdata_luajit_symbol *s, uint64_t line)
{
    if (s->alias != 0)
        mpdata_sink_format(sink, "function_alias_%" PRIu32, s->alias);
    else
        mpdata_sink_bytes(sink, s->text.bytes, s->text.size);
    mpdata_sink_format(sink, ":%" PRIu64, line);
}

static void write_site(struct mpdata_sink *sink,
                       const struct mpdata_luajit_log *log,
                       const struct mpdata_luajit_site *site)
{
    const struct mpdata_luajit_symbol *const symbols = log->symbols.data;
    const struct mpdata_luajit_symbol *const s =
        site->symbol != 0 ? &symbols[site->symbol - 1] : NULL;

    if (site->source == MPDATA_LUAJIT_INTERNAL) {
        mpdata_sink_text(sink, "INTERNAL");
    } else if (site->source == MPDATA_LUAJIT_TRACE) {
        mpdata_sink_format(sink, "TRACE [%" PRIu64 "]", site->place);
        if (s != NULL && s->start != 0) {
            mpdata_sink_text(sink, " started at ");
            write_lua(sink, &symbols[s->start - 1], s->place);
        }
    } else if (s == NULL) {
        mpdata_sink_format(sink, "CFUNC %#" PRIx64, site->place);
    } else if (site->source == MPDATA_LUAJIT_LUA) {
        write_lua(sink, s, site->line);
    } else {
        mpdata_sink_bytes(sink, s->text.bytes, s->text.size);
        mpdata_sink_format(sink, ":%#" PRIx64, s->place);
    }
}

/* The texts of all sites, in one buffer. NULL without memory. */
static struct mpdata_str *name_sites(const struct report *r,
                                     struct mprof_buf *buf)
{
    const struct mpdata_set *const sites = &r->log.sites;
    struct mpdata_str *const names =
        mpdata_vec_array(sites->rows.count, sizeof(*names));
    struct mpdata_sink sink = mpdata_sink_to_buf(buf);

    for (uint32_t i = 0; names != NULL && i < sites->rows.count; i++) {
        const size_t start = buf->size;

        write_site(&sink, &r->log,
                   (const struct mpdata_luajit_site *)sites->rows.data + i);
        names[i].size = buf->size - start;
    }
    if (sink.failed) {
        free(names);
        return NULL;
    }
    for (size_t i = 0, at = 0; names != NULL && i < sites->rows.count; i++) {
        names[i].bytes = (const char *)buf->data + at;
        at += names[i].size;
    }
    return names;
}

/* -- the report ------------------------------------------------------------ */

MPROF_COMPARATOR(compare_lines, struct line,
                 MPROF_DOWN(order) ?: mpdata_str_compare(&a->text, &b->text))

static void write_bytes(const struct report *r, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double number = (double)bytes;
    size_t unit = 0;

    for (; r->options->is_human_readable && number >= 1024 &&
           unit + 1 < MPROF_ARRAY_LEN(units);
         unit++)
        number /= 1024;
    if (unit == 0 || number == (double)(uint64_t)number)
        mpdata_sink_format(r->sink, "%" PRIu64 "%s",
                           unit == 0 ? bytes : (uint64_t)number, units[unit]);
    else
        mpdata_sink_format(r->sink, "%.2f%s", number, units[unit]);
}

/* Lines of the sites that `of` gives a number; the caller frees them. */
static struct line *list_sites(struct report *r, const struct mpdata_str *names,
                               uint64_t (*of)(const struct site_sums *sums,
                                              unsigned kind),
                               unsigned kind, uint32_t *count)
{
    struct line *const lines = mpdata_vec_array(r->sites.count, sizeof(*lines));

    *count = 0;
    r->failed |= lines == NULL;
    for (uint32_t i = 0; lines != NULL && i < r->sites.count; i++) {
        const uint64_t number = of(sums_at(r, i), kind);

        if (number != 0)
            lines[(*count)++] = (struct line){.text = names[i],
                                              .order = number,
                                              .site = i,
                                              .heap = sums_at(r, i)->heap};
    }
    if (*count != 0)
        qsort(lines, *count, sizeof(*lines), compare_lines);
    return lines;
}

static uint64_t events_of(const struct site_sums *sums, unsigned kind)
{
    return sums->of[kind].events;
}

static uint64_t bytes_of(const struct site_sums *sums, unsigned kind)
{
    (void)kind;
    return sums->heap.bytes;
}

MPROF_COMPARATOR(compare_overrides, struct override,
                 MPROF_UP(kind) ?: MPROF_UP(site))

/* Writes the sites whose blocks the events of this one ended. */
static void write_overrides(struct report *r, const struct mpdata_str *names,
                            unsigned kind, uint32_t site)
{
    const struct override *const rows = r->overrides.rows.data;
    const struct override key = {.kind = kind, .site = site};
    uint32_t low = 0;
    uint32_t end = r->overrides.rows.count;

    while (low < end) {
        const uint32_t middle = low + (end - low) / 2;

        if (compare_overrides(&rows[middle], &key) < 0)
            low = middle + 1;
        else
            end = middle;
    }
    for (end = low; end < r->overrides.rows.count &&
                    compare_overrides(&rows[end], &key) == 0;)
        end++;
    struct line *const lines = mpdata_vec_array(end - low, sizeof(*lines));
    r->failed |= lines == NULL;
    if (lines == NULL || end == low) {
        free(lines);
        return;
    }
    for (uint32_t i = low; i < end; i++)
        lines[i - low] = (struct line){.text = names[rows[i].other]};
    qsort(lines, end - low, sizeof(*lines), compare_lines);
    mpdata_sink_text(r->sink, "\tOverrides:\n");
    for (uint32_t i = 0; i < end - low; i++) {
        mpdata_sink_text(r->sink, "\t\t");
        mpdata_sink_bytes(r->sink, lines[i].text.bytes, lines[i].text.size);
        mpdata_sink_char(r->sink, '\n');
    }
    mpdata_sink_char(r->sink, '\n');
    free(lines);
}

static void write_section(struct report *r, const struct mpdata_str *names,
                          const char *title, unsigned kind)
{
    uint32_t count;
    struct line *const lines = list_sites(r, names, events_of, kind, &count);

    mpdata_sink_text(r->sink, title);
    mpdata_sink_char(r->sink, '\n');
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        const struct sums *const sums = &sums_at(r, lines[i].site)->of[kind];

        mpdata_sink_bytes(r->sink, lines[i].text.bytes, lines[i].text.size);
        mpdata_sink_format(r->sink, ": %" PRIu64 " events\t+", sums->events);
        write_bytes(r, sums->allocated);
        mpdata_sink_text(r->sink, "\t-");
        write_bytes(r, sums->freed);
        mpdata_sink_char(r->sink, '\n');
        write_overrides(r, names, kind, lines[i].site);
    }
    mpdata_sink_char(r->sink, '\n');
    free(lines);
}

/* Writes what is alive, by site. */
static void write_heap(struct report *r, const struct mpdata_str *names,
                       bool has_counts)
{
    uint32_t count;
    struct line *const lines = list_sites(r, names, bytes_of, 0, &count);

    for (uint32_t i = 0; i < count; i++) {
        mpdata_sink_bytes(r->sink, lines[i].text.bytes, lines[i].text.size);
        mpdata_sink_text(r->sink, " holds ");
        write_bytes(r, lines[i].heap.bytes);
        if (has_counts)
            mpdata_sink_format(r->sink,
                               ": %" PRIu64 " allocs, %" PRIu64 " frees",
                               lines[i].heap.allocs, lines[i].heap.frees);
        mpdata_sink_char(r->sink, '\n');
    }
    mpdata_sink_char(r->sink, '\n');
    free(lines);
}

static void write_snapshots(struct report *r, uint64_t second)
{
    for (; r->next <= second && !r->failed;
         r->next += r->options->every_seconds) {
        mpdata_sink_format(r->sink,
                           "===== HEAP SNAPSHOT, %" PRIu64 " seconds passed\n",
                           r->next);
        write_heap(r, r->names, false);
    }
}

/* Writes the source text that stands for a file, with numbers of lines. */
static void write_aliases(const struct report *r)
{
    const struct mpdata_str *const texts = r->log.aliases.rows.data;

    if (r->log.aliases.rows.count != 0)
        mpdata_sink_text(r->sink, "ALIASES:\n");
    for (uint32_t i = 0; i < r->log.aliases.rows.count; i++) {
        const char *at = texts[i].bytes;
        const char *const end = at + texts[i].size;

        mpdata_sink_format(r->sink, "function_alias_%" PRIu32 ":\n", i + 1);
        for (unsigned line = 1; at < end; line++) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));

            if (newline == NULL)
                newline = end;
            mpdata_sink_format(r->sink, "%u\t| ", line);
            mpdata_sink_bytes(r->sink, at, (size_t)(newline - at));
            mpdata_sink_char(r->sink, '\n');
            at = newline + 1;
        }
        mpdata_sink_text(r->sink, "\n\n");
    }
}

static void write_all(struct report *r, const struct mpdata_str *names)
{
    if (r->overrides.rows.count != 0)
        qsort(r->overrides.rows.data, r->overrides.rows.count,
              sizeof(struct override), compare_overrides);
    if (!r->options->is_leak_only) {
        write_section(r, names, "ALLOCATIONS", MPDATA_LUAJIT_ALLOC);
        write_section(r, names, "REALLOCATIONS", MPDATA_LUAJIT_REALLOC);
        write_section(r, names, "DEALLOCATIONS", MPDATA_LUAJIT_FREE);
    }
    mpdata_sink_text(r->sink, "HEAP SUMMARY:\n");
    write_heap(r, names, true);
    write_aliases(r);
}

static enum mprof_err read(struct report *r, const uint8_t *data, size_t size,
                           struct mprof_diag *diag)
{
    r->sites = (struct mpdata_vec){.elem_bytes = sizeof(struct site_sums)};
    r->live = (struct mpdata_event_live){.blocks.elem_bytes =
                                             sizeof(struct mpdata_live_block)};
    mpdata_set_init(&r->overrides, sizeof(struct override),
                    sizeof(struct override));
    return mpdata_luajit_log_read(&r->log, data, size, add_event, r, diag);
}

static void free_report(struct report *r)
{
    mpdata_vec_fini(&r->sites);
    mpdata_set_fini(&r->overrides);
    mpdata_event_live_fini(&r->live);
    mpdata_luajit_log_fini(&r->log);
}

static enum mprof_err write_all_snapshots(const struct report *first,
                                          const struct mpdata_str *names,
                                          const uint8_t *data, size_t size,
                                          struct mprof_diag *diag)
{
    struct report second = {.options = first->options,
                            .sink = first->sink,
                            .names = names,
                            .next = first->options->every_seconds};
    enum mprof_err err;

    if (first->log.seconds == 0)
        return mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                                "its events have no marks of seconds, which "
                                "snapshots need");
    err = read(&second, data, size, diag);
    free_report(&second);
    return err;
}

enum mprof_err
mpdata_luajit_report(const uint8_t *data, size_t size,
                     const struct mpdata_luajit_report_options *options,
                     struct mpdata_sink *sink,
                     const struct mpdata_diag_warn *warn, const char *path,
                     struct mprof_diag *diag)
{
    struct report r = {.options = options, .sink = sink};
    char text[MPROF_DIAG_TEXT_BYTES * 2];
    struct mpdata_str *names = NULL;
    struct mprof_buf buf;
    enum mprof_err err;

    mpdata_heapbuf_init(&buf);
    err = read(&r, data, size, diag);
    if (err == MPROF_E_OK) {
        names = name_sites(&r, &buf);
        if (names == NULL)
            r.failed = true;
        else if (options->every_seconds != 0)
            err = write_all_snapshots(&r, names, data, size, diag);
    }
    if (err == MPROF_E_OK && !r.failed)
        write_all(&r, names);
    if (r.failed)
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    else if (err == MPROF_E_OK && r.log.rest.err != MPROF_E_OK)
        mpdata_diag_warn(warn, path, "%s; what stands before it is used",
                         mpdata_diag_sentence(&r.log.rest, text, sizeof(text)));
    free(names);
    mpdata_heapbuf_fini(&buf);
    free_report(&r);
    return err;
}
