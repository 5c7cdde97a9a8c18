/* luajit_log.c -- reads a stream of LuaJIT's memory profiler. Tarantool writes
 * version 3 since 2.10, and version 1 before.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/luajit_log.h"
#include "shared/cursor.h"

#include <stdlib.h>
#include <string.h>

#define SYMBOLS "LuaJIT symbol table"
#define EVENTS "LuaJIT events"
#define MAGIC_BYTES 3
#define HEADER_BYTES 7
#define VERSION_MAX 3
#define FINAL 0x80u
#define MARK 0x40u
#define SYMBOL_KIND 3u
#define EVENT_KIND 3u
#define SOURCE_SHIFT 2
#define SOURCE_MASK 7u
/* Version 2 has no symbols of C functions, and traces have its number. */
enum { SYMBOL_LUA, SYMBOL_C, SYMBOL_TRACE };

/* A symbol as it stands in the stream. */
struct entry {
    uint32_t kind;
    struct mpdata_luajit_symbol symbol;
    uint64_t number; /* of a trace */
    uint64_t start;  /* address of the function where it starts */
};

/* The last symbol of a place. */
struct latest {
    uint64_t place;
    uint32_t source;
    uint32_t symbol; /* index + 1 */
};

static uint8_t byte(struct mprof_cursor *c)
{
    const uint8_t *const p = mprof_cursor_bytes(c, 1);

    return p != NULL ? *p : 0;
}

static struct mpdata_str string(struct mprof_cursor *c)
{
    const uint64_t size = mprof_cursor_uleb(c);
    const uint8_t *const bytes = mprof_cursor_bytes(c, size);

    return bytes != NULL ? (struct mpdata_str){.bytes = (const char *)bytes,
                                               .size = (size_t)size}
                         : (struct mpdata_str){.bytes = "", .size = 0};
}

/* Returns the version. */
static uint8_t header(struct mprof_cursor *c, const char *magic)
{
    const uint8_t *const p = mprof_cursor_bytes(c, HEADER_BYTES);

    if (p == NULL)
        return 0;
    c->pos -= HEADER_BYTES;
    if (memcmp(p, magic, MAGIC_BYTES) != 0)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    else if (p[MAGIC_BYTES] == 0 || p[MAGIC_BYTES] > VERSION_MAX)
        mprof_cursor_fail(c, MPROF_E_VERSION);
    else
        c->pos += HEADER_BYTES;
    return p[MAGIC_BYTES];
}

/* -- symbols --------------------------------------------------------------- */

static struct entry read_symbol(struct mprof_cursor *c, uint32_t kind,
                                uint8_t version)
{
    struct entry e = {.kind = kind};

    if (kind == SYMBOL_TRACE) {
        e.number = mprof_cursor_uleb(c);
        if (version == 2)
            mprof_cursor_uleb(c); /* machine code */
        e.start = mprof_cursor_uleb(c);
        e.symbol.place = mprof_cursor_uleb(c);
        return e;
    }
    e.symbol.place = mprof_cursor_uleb(c);
    e.symbol.text = string(c);
    if (kind == SYMBOL_LUA)
        e.symbol.line = mprof_cursor_uleb(c);
    return e;
}

/* Reads an entry of the table. *is_last: the end of the table. */
static struct entry read_entry(struct mprof_cursor *c, uint8_t version,
                               bool *is_last)
{
    const uint8_t code = byte(c);
    uint32_t kind = code & SYMBOL_KIND;

    *is_last = (code & FINAL) != 0;
    if (*is_last)
        return (struct entry){.kind = kind};
    if (kind >= version)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    if (version == 2 && kind == SYMBOL_C)
        kind = SYMBOL_TRACE;
    return read_symbol(c, kind, version);
}

static struct latest *latest_of(const struct mpdata_luajit_log *log,
                                uint32_t source, uint64_t place)
{
    const struct latest key = {.place = place, .source = source};
    const uint32_t at = mpdata_set_find(&log->latest, &key);

    return at != 0 ? (struct latest *)log->latest.rows.data + (at - 1) : NULL;
}

static uint32_t find_symbol(const struct mpdata_luajit_log *log,
                            uint32_t source, uint64_t place)
{
    const struct latest *const latest = latest_of(log, source, place);

    return latest != NULL ? latest->symbol : 0;
}

/* A chunk of several lines is source text. */
static bool set_alias(struct mpdata_luajit_log *log,
                      struct mpdata_luajit_symbol *s)
{
    if (s->text.size == 0 || memchr(s->text.bytes, '\n', s->text.size) == NULL)
        return true;
    s->alias = mpdata_set_add(&log->aliases, &s->text, NULL);
    return s->alias != 0;
}

/* Adds a symbol; the last one of a place counts from now on. */
static bool add_symbol(struct mpdata_luajit_log *log, const struct entry *e)
{
    const bool is_trace = e->kind == SYMBOL_TRACE;
    const struct latest key = {.place = is_trace ? e->number : e->symbol.place,
                               .source = is_trace ? MPDATA_LUAJIT_TRACE
                                                  : MPDATA_LUAJIT_LUA,
                               .symbol = log->symbols.count + 1};
    struct mpdata_luajit_symbol *const s =
        mpdata_vec_push(e->kind == SYMBOL_C ? &log->c : &log->symbols);

    if (s == NULL)
        return false;
    *s = e->symbol;
    if (e->kind == SYMBOL_C)
        return true;
    if (is_trace)
        s->start = find_symbol(log, MPDATA_LUAJIT_LUA, e->start);
    if (!set_alias(log, s) || mpdata_set_add(&log->latest, &key, NULL) == 0)
        return false;
    latest_of(log, key.source, key.place)->symbol = key.symbol;
    return true;
}

/* Streams of the first proposal have the address of the VM before the symbols.
 * Skips it if the events follow the symbols only then. */
static void skip_vm(struct mprof_cursor *c, uint8_t version)
{
    for (int with_vm = 0; with_vm <= 1; with_vm++) {
        struct mprof_cursor ahead = *c;
        bool is_last = false;

        if (with_vm)
            mprof_cursor_uleb(&ahead);
        const size_t start = ahead.pos;
        while (!is_last && ahead.err == MPROF_E_OK)
            read_entry(&ahead, version, &is_last);
        header(&ahead, "ljm");
        if (ahead.err == MPROF_E_OK) {
            c->pos = start;
            return;
        }
    }
}

static bool read_symbols(struct mpdata_luajit_log *log, struct mprof_cursor *c)
{
    const uint8_t version = header(c, "ljs");

    if (c->err == MPROF_E_OK)
        skip_vm(c, version);
    while (c->err == MPROF_E_OK) {
        bool is_last = false;
        const struct entry e = read_entry(c, version, &is_last);

        if (is_last)
            break;
        if (c->err == MPROF_E_OK && !add_symbol(log, &e))
            return false;
    }
    return true;
}

/* -- events ---------------------------------------------------------------- */

/* Returns the site + 1, or 0 after an error or without memory. */
static uint32_t read_site(struct mpdata_luajit_log *log, struct mprof_cursor *c,
                          uint32_t source)
{
    struct mpdata_luajit_site site = {.source = source};

    if (source < MPDATA_LUAJIT_INTERNAL || source > MPDATA_LUAJIT_TRACE)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    if (source != MPDATA_LUAJIT_INTERNAL)
        site.place = mprof_cursor_uleb(c);
    if (source == MPDATA_LUAJIT_LUA)
        site.line = mprof_cursor_uleb(c);
    if (source == MPDATA_LUAJIT_LUA || source == MPDATA_LUAJIT_TRACE)
        site.symbol = find_symbol(log, source, site.place);
    return c->err == MPROF_E_OK ? mpdata_set_add(&log->sites, &site, NULL) : 0;
}

/* False without memory. */
static bool read_late_symbol(struct mpdata_luajit_log *log,
                             struct mprof_cursor *c, uint32_t source)
{
    static const uint32_t kinds[] = {[MPDATA_LUAJIT_LUA] = SYMBOL_LUA,
                                     [MPDATA_LUAJIT_C] = SYMBOL_C,
                                     [MPDATA_LUAJIT_TRACE] = SYMBOL_TRACE};
    struct entry e;

    if (source < MPDATA_LUAJIT_LUA || source > MPDATA_LUAJIT_TRACE) {
        mprof_cursor_fail(c, MPROF_E_VALUE);
        return true;
    }
    e = read_symbol(c, kinds[source], VERSION_MAX);
    return c->err != MPROF_E_OK || add_symbol(log, &e);
}

/* The first event of a second has a mark. */
static bool read_event(struct mpdata_luajit_log *log, struct mprof_cursor *c,
                       uint8_t code, mpdata_luajit_visit_fn *visit,
                       void *context)
{
    const uint32_t source = code >> SOURCE_SHIFT & SOURCE_MASK;
    struct mpdata_luajit_event e = {.kind = code & EVENT_KIND};

    if (e.kind == MPDATA_LUAJIT_SYMBOL)
        return read_late_symbol(log, c, source);
    const uint32_t site = read_site(log, c, source);
    if (site == 0)
        return c->err != MPROF_E_OK;
    e.site = site - 1;
    if (e.kind != MPDATA_LUAJIT_ALLOC) {
        e.old_address = mprof_cursor_uleb(c);
        e.old_size = mprof_cursor_uleb(c);
    }
    if (e.kind != MPDATA_LUAJIT_FREE) {
        e.address = mprof_cursor_uleb(c);
        e.size = mprof_cursor_uleb(c);
    }
    if (c->err != MPROF_E_OK)
        return true;
    log->seconds += (code & MARK) != 0;
    log->events++;
    e.second = log->seconds;
    return visit(context, &e);
}

/* Fails at the start of an event that is not whole. */
static bool read_events(struct mpdata_luajit_log *log, struct mprof_cursor *c,
                        mpdata_luajit_visit_fn *visit, void *context)
{
    const uint8_t version = header(c, "ljm");
    /* The third bit of a source is for traces, which version 1 has not. */
    static const uint8_t unused_bits[] = {0, 0x30, 0x20, 0x60};
    const uint32_t unused =
        version <= VERSION_MAX ? unused_bits[version] : UINT8_MAX;

    c->section = EVENTS;
    while (c->err == MPROF_E_OK) {
        const size_t start = c->pos;
        const uint8_t code = byte(c);

        if ((code & FINAL) != 0) {
            if (mprof_cursor_left(c) != 0)
                mprof_cursor_fail(c, MPROF_E_TRAILING);
            return true;
        }
        if ((code & unused) != 0 ||
            ((code & EVENT_KIND) == 0 && version < VERSION_MAX))
            mprof_cursor_fail(c, MPROF_E_VALUE);
        if (c->err == MPROF_E_OK && !read_event(log, c, code, visit, context))
            return false;
        if (c->err != MPROF_E_OK)
            c->err_pos = start;
    }
    return true;
}

/* -- the file -------------------------------------------------------------- */

MPROF_COMPARATOR(compare_c, struct mpdata_luajit_symbol, MPROF_UP(place))

/* Moves symbols of C functions behind the others. A site has the one that
 * begins last before it. */
static bool place_c(struct mpdata_luajit_log *log)
{
    struct mpdata_luajit_symbol *const c = log->c.data;
    struct mpdata_luajit_site *const sites = log->sites.rows.data;
    const uint32_t before = log->symbols.count;

    if (log->c.count == 0)
        return true;
    qsort(c, log->c.count, sizeof(*c), compare_c);
    for (uint32_t i = 0; i < log->c.count; i++) {
        struct mpdata_luajit_symbol *const s = mpdata_vec_push(&log->symbols);

        if (s == NULL)
            return false;
        *s = c[i];
    }
    for (uint32_t i = 0; i < log->sites.rows.count; i++) {
        const size_t after =
            sites[i].source == MPDATA_LUAJIT_C
                ? mpdata_vec_first(c, log->c.count, sizeof(*c),
                                   offsetof(struct mpdata_luajit_symbol, place),
                                   mprof_add_sat_u64(sites[i].place, 1))
                : 0;

        if (after != 0)
            sites[i].symbol = before + (uint32_t)after;
    }
    return true;
}

bool mpdata_luajit_log_is(const uint8_t *data, size_t size)
{
    return size >= HEADER_BYTES && memcmp(data, "ljs", MAGIC_BYTES) == 0 &&
           memcmp(data + MAGIC_BYTES + 1, "\0\0\0", 3) == 0;
}

enum mprof_err mpdata_luajit_log_read(struct mpdata_luajit_log *log,
                                      const uint8_t *data, size_t size,
                                      mpdata_luajit_visit_fn *visit,
                                      void *context, struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, SYMBOLS);

    *log = (struct mpdata_luajit_log){
        .symbols = {.elem_bytes = sizeof(struct mpdata_luajit_symbol)},
        .c = {.elem_bytes = sizeof(struct mpdata_luajit_symbol)}};
    mpdata_set_init(&log->sites,
                    MPDATA_SET_KEY(struct mpdata_luajit_site, symbol),
                    sizeof(struct mpdata_luajit_site));
    mpdata_set_init(&log->aliases, MPDATA_SET_BY_TEXT,
                    sizeof(struct mpdata_str));
    mpdata_set_init(&log->latest, MPDATA_SET_KEY(struct latest, source),
                    sizeof(struct latest));
    if (!read_symbols(log, &c))
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, diag);
    if (!read_events(log, &c, visit, context) || !place_c(log))
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    if (mprof_cursor_status(&c, &log->rest) == MPROF_E_OK || log->events != 0)
        return MPROF_E_OK;
    *diag = log->rest;
    return log->rest.err;
}

void mpdata_luajit_log_fini(struct mpdata_luajit_log *log)
{
    mpdata_set_fini(&log->sites);
    mpdata_set_fini(&log->aliases);
    mpdata_set_fini(&log->latest);
    mpdata_vec_fini(&log->symbols);
    mpdata_vec_fini(&log->c);
}
