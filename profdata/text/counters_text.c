/* counters_text.c -- PGO counters as LLVM's text: what llvm-profdata reads,
 * read as it reads it. Counters of one function with one shape that are there
 * twice are summed, as those of two files.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/counters_text.h"
#include "profdata/base/diag.h"
#include "profdata/base/guid.h"
#include "profdata/base/heapbuf.h"
#include "profdata/text/events.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SECTION "text of counters"
#define EXTERNAL_SYMBOL "** External Symbol **"
#define NAMES_SEPARATOR 1 /* in the section of vtables' names */
/* What tells counters from other texts is in the first bytes. */
#define BEGINNING_BYTES ((size_t)64 << 10)

/* -- lines ------------------------------------------------------------------- */

struct lines {
    const char *data;
    size_t size;
    size_t next;     /* where the line behind this one starts */
    const char *at;  /* this one, without its end */
    size_t bytes;    /* of it */
    uint64_t number; /* of it, from 1 */
    bool is_end;     /* there is none */
};

static void take_any(struct lines *l)
{
    const char *const start = l->data + l->next;
    const size_t left = l->size - l->next;
    const char *const end = left != 0 ? memchr(start, '\n', left) : NULL;

    l->is_end = left == 0;
    l->at = start;
    l->bytes = end != NULL ? (size_t)(end - start) : left;
    l->next += l->bytes + (end != NULL);
    l->number++;
    if (end != NULL && l->bytes != 0 && end[-1] == '\r')
        l->bytes--;
}

/* The next line that counts. */
static void advance(struct lines *l)
{
    do
        take_any(l);
    while (!l->is_end && (l->bytes == 0 || l->at[0] == '#'));
}

static struct lines open_lines(const void *data, size_t size)
{
    struct lines l = {.data = (const char *)data, .size = size};

    advance(&l);
    return l;
}

/* Spaces and tabs around it do not count. */
static void trim(const char **text, size_t *size)
{
    while (*size != 0 && (**text == ' ' || **text == '\t')) {
        (*text)++;
        (*size)--;
    }
    while (*size != 0 &&
           ((*text)[*size - 1] == ' ' || (*text)[*size - 1] == '\t'))
        (*size)--;
}

static bool starts_with(const struct lines *l, char c)
{
    return !l->is_end && l->at[0] == c;
}

/* -- numbers ----------------------------------------------------------------- */

static bool parse_decimal(const char *text, size_t size, uint64_t *number)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' ||
            __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return false;
    }
    *number = value;
    return size != 0;
}

typedef bool parse_fn(const char *text, size_t size, uint64_t *number);

/* -- is it one? -------------------------------------------------------------- */

static const struct {
    const char *name;
    uint64_t sets;
    uint64_t clears;
} headers[] = {
    {"ir", MPROF_INDEX_VARIANT_IR, 0},
    {"fe", 0, 0},
    {"csir", MPROF_INDEX_VARIANT_IR | MPROF_INDEX_VARIANT_CSIR, 0},
    {"entry_first", MPROF_INDEX_VARIANT_ENTRY_FIRST, 0},
    {"not_entry_first", 0, MPROF_INDEX_VARIANT_ENTRY_FIRST},
    {"instrument_loop_entries", MPROF_INDEX_VARIANT_LOOP_ENTRIES, 0},
    {"single_byte_coverage", MPROF_INDEX_VARIANT_BYTE_COVERAGE, 0},
    {"temporal_prof_traces", MPROF_INDEX_VARIANT_TEMPORAL, 0},
};

/* The header that the line is, or a number too large. */
static size_t find_header(const struct lines *l)
{
    size_t i = 0;

    while (i < MPROF_ARRAY_LEN(headers) &&
           (l->bytes - 1 != strlen(headers[i].name) ||
            strncasecmp(l->at + 1, headers[i].name, l->bytes - 1) != 0))
        i++;
    return i;
}

bool mpdata_counters_text_is(const void *data, size_t size)
{
    struct lines l =
        open_lines(data, size < BEGINNING_BYTES ? size : BEGINNING_BYTES);
    uint64_t number = 0;

    if (l.is_end)
        return false;
    if (l.at[0] == ':')
        return find_header(&l) < MPROF_ARRAY_LEN(headers);
    if (parse_decimal(l.at, l.bytes, &number))
        return false; /* many files are nothing but numbers */
    advance(&l);
    if (l.is_end || !mpdata_events_parse_number(l.at, l.bytes, &number))
        return false;
    for (int i = 0; i < 2; i++) {
        advance(&l);
        if (l.is_end || !parse_decimal(l.at, l.bytes, &number))
            return false;
    }
    return true;
}

/* -- reading ----------------------------------------------------------------- */

struct reading {
    struct lines lines;
    struct mpdata_counters *counters;
    struct mpdata_counters one; /* the record at hand, as if alone in a file */
    struct mpdata_vec counts;   /* uint64_t, of it */
    struct mpdata_vec bitmap;   /* uint64_t */
    struct mpdata_vec sites;    /* struct mpdata_value_site, of a kind */
    struct mpdata_vec values;   /* struct mpdata_value, of a site */
    struct mpdata_vec vtables;  /* struct mpdata_bytes: names in the text */
    struct mprof_buf temporal;
    enum mprof_err err;
    struct mprof_diag *diag;
};

static void fail(struct reading *r, enum mprof_err err, const char *text)
{
    if (r->err != MPROF_E_OK)
        return;
    r->err = mpdata_diag_fail(
        r->diag, err, SECTION, (uint64_t)(r->lines.at - r->lines.data),
        "line %llu: %s", (unsigned long long)r->lines.number, text);
}

static void fail_memory(struct reading *r)
{
    fail(r, MPROF_E_NOMEM, "no memory");
}

static void *push(struct reading *r, struct mpdata_vec *vec)
{
    void *const row = r->err == MPROF_E_OK ? mpdata_vec_push(vec) : NULL;

    if (row == NULL)
        fail_memory(r);
    return row;
}

/* A copy of rows that lives as long as the record at hand. */
static void *keep(struct reading *r, const struct mpdata_vec *rows)
{
    const size_t size = (size_t)rows->count * rows->elem_bytes;
    void *const copy = mpdata_arena_alloc(&r->one.arena, size);

    if (copy == NULL)
        fail_memory(r);
    else if (size != 0)
        memcpy(copy, rows->data, size);
    return copy;
}

/* True where there is a line to be taken. */
static bool is_there(struct reading *r)
{
    if (r->lines.is_end)
        fail(r, MPROF_E_TRUNCATED, "it ends in the middle of a record");
    return r->err == MPROF_E_OK;
}

/* The number that the next line is; `what` is said where it is none. */
static uint64_t take_number(struct reading *r, parse_fn *parse, uint64_t max,
                            const char *what)
{
    uint64_t number = 0;

    if (!is_there(r))
        return 0;
    if (!parse(r->lines.at, r->lines.bytes, &number) || number > max) {
        fail(r, MPROF_E_VALUE, what);
        return 0;
    }
    advance(&r->lines);
    return number;
}

static void take_numbers(struct reading *r, struct mpdata_vec *numbers,
                         uint64_t count, parse_fn *parse, uint64_t max,
                         const char *what)
{
    for (uint64_t i = 0; i < count && r->err == MPROF_E_OK; i++) {
        const uint64_t number = take_number(r, parse, max, what);
        uint64_t *const row = push(r, numbers);

        if (row != NULL)
            *row = number;
    }
}

/* -- headers ----------------------------------------------------------------- */

/* Names with commas in between, as hashes. */
static void read_trace(struct reading *r)
{
    const uint64_t weight =
        take_number(r, mpdata_events_parse_number, UINT64_MAX,
                    "the weight of a trace is no number");
    const char *at = r->lines.at;
    size_t left = r->lines.bytes;
    uint64_t count = 0;
    size_t count_off;

    if (!is_there(r))
        return;
    mprof_buf_u64(&r->temporal, weight);
    count_off = r->temporal.size;
    mprof_buf_u64(&r->temporal, 0);
    while (left != 0) {
        const char *const comma = memchr(at, ',', left);
        size_t size = comma != NULL ? (size_t)(comma - at) : left;
        const size_t step = size + (comma != NULL);
        const char *name = at;

        trim(&name, &size);
        if (step > 1 || comma == NULL) { /* as LLVM, not between two commas */
            mprof_buf_u64(&r->temporal, mpdata_guid_of(name, size));
            count++;
        }
        at += step;
        left -= step;
    }
    if (!r->temporal.failed)
        mprof_buf_patch(&r->temporal, count_off, count, 8);
    advance(&r->lines);
}

static void read_traces(struct reading *r)
{
    const uint64_t count =
        take_number(r, mpdata_events_parse_number, UINT32_MAX,
                    "the number of traces is no number");
    const uint64_t stream_size =
        take_number(r, mpdata_events_parse_number, UINT64_MAX,
                    "the size of the stream of traces is no number");

    if (r->temporal.size != 0)
        fail(r, MPROF_E_DUPLICATE, "temporal traces");
    mprof_buf_u64(&r->temporal, count);
    mprof_buf_u64(&r->temporal, stream_size);
    for (uint64_t i = 0; i < count && r->err == MPROF_E_OK; i++)
        read_trace(r);
    if (r->temporal.failed)
        fail_memory(r);
}

static void read_headers(struct reading *r)
{
    uint64_t variant = 0;

    while (r->err == MPROF_E_OK && starts_with(&r->lines, ':')) {
        const size_t i = find_header(&r->lines);

        if (i == MPROF_ARRAY_LEN(headers)) {
            fail(r, MPROF_E_VALUE, "no header that is known");
            return;
        }
        advance(&r->lines);
        variant = (variant | headers[i].sets) & ~headers[i].clears;
        if (headers[i].sets == MPROF_INDEX_VARIANT_TEMPORAL)
            read_traces(r);
    }
    r->counters->variant = variant;
    /* Text says nothing of versions: the newest front end's. */
    r->counters->version = (variant & MPROF_INDEX_VARIANT_IR) != 0
                               ? MPROF_INDEX_VERSION
                               : MPROF_INDEX_VERSION_MAX;
}

/* -- values ------------------------------------------------------------------ */

static uint64_t hash_of_name(struct reading *r, unsigned kind, const char *name,
                             size_t size)
{
    struct mpdata_bytes *row;

    if (size == sizeof(EXTERNAL_SYMBOL) - 1 &&
        memcmp(name, EXTERNAL_SYMBOL, size) == 0)
        return 0;
    if (kind == MPDATA_VALUE_VTABLE) {
        row = push(r, &r->vtables);
        if (row != NULL)
            *row = (struct mpdata_bytes){.data = (const uint8_t *)name,
                                         .size = size};
    }
    return mpdata_guid_of(name, size);
}

/* "VALUE:COUNT" */
static void read_value(struct reading *r, unsigned kind)
{
    const char *const line = r->lines.at;
    const char *colon;
    struct mpdata_value value = {.value = 0};
    struct mpdata_value *row;

    if (!is_there(r))
        return;
    colon = memrchr(line, ':', r->lines.bytes);
    if (colon == NULL ||
        !parse_decimal(colon + 1, r->lines.bytes - (size_t)(colon + 1 - line),
                       &value.count) ||
        (kind == MPDATA_VALUE_SIZE &&
         !parse_decimal(line, (size_t)(colon - line), &value.value))) {
        fail(r, MPROF_E_VALUE, "not a value and its count");
        return;
    }
    if (kind != MPDATA_VALUE_SIZE)
        value.value = hash_of_name(r, kind, line, (size_t)(colon - line));
    row = push(r, &r->values);
    if (row != NULL)
        *row = value;
    advance(&r->lines);
}

static void read_site(struct reading *r, unsigned kind)
{
    const uint64_t count = take_number(r, parse_decimal, UINT32_MAX,
                                       "the number of values is no number");
    struct mpdata_value_site *row;

    r->values.count = 0;
    for (uint64_t i = 0; i < count && r->err == MPROF_E_OK; i++)
        read_value(r, kind);
    row = push(r, &r->sites);
    if (row != NULL)
        *row = (struct mpdata_value_site){.values = keep(r, &r->values),
                                          .count = r->values.count};
}

static void read_kind(struct reading *r, struct mpdata_counter_record *record)
{
    const unsigned kind =
        (unsigned)take_number(r, parse_decimal, MPDATA_VALUE_KINDS - 1,
                              "a kind of values that is not known");
    const uint64_t count = take_number(r, parse_decimal, UINT32_MAX,
                                       "the number of sites is no number");

    if (record->sites[kind] != NULL)
        fail(r, MPROF_E_DUPLICATE, "a kind of values");
    if (count == 0 || r->err != MPROF_E_OK)
        return;
    r->sites.count = 0;
    for (uint64_t i = 0; i < count && r->err == MPROF_E_OK; i++)
        read_site(r, kind);
    record->sites[kind] = keep(r, &r->sites);
    record->site_counts[kind] = r->sites.count;
}

/* Where the next line is a number, it says how many kinds there are; else it is
 * the next function. */
static void read_kinds(struct reading *r, struct mpdata_counter_record *record)
{
    uint64_t kinds;

    if (r->err != MPROF_E_OK || r->lines.is_end ||
        !parse_decimal(r->lines.at, r->lines.bytes, &kinds) ||
        kinds > UINT32_MAX)
        return;
    if (kinds == 0 || kinds > MPDATA_VALUE_KINDS) {
        fail(r, MPROF_E_VALUE, "no number of kinds of values");
        return;
    }
    advance(&r->lines);
    for (uint64_t i = 0; i < kinds && r->err == MPROF_E_OK; i++)
        read_kind(r, record);
}

/* -- records ----------------------------------------------------------------- */

/* "$M", and as many bytes. */
static void read_bitmap(struct reading *r)
{
    const char *at = r->lines.at + 1;
    size_t size = r->lines.bytes - 1;
    uint64_t count = 0;

    trim(&at, &size);
    if (!mpdata_events_parse_number(at, size, &count)) {
        fail(r, MPROF_E_VALUE, "the number of bitmap bytes is no number");
        return;
    }
    advance(&r->lines);
    take_numbers(r, &r->bitmap, count, mpdata_events_parse_number, UINT8_MAX,
                 "not a byte of a bitmap");
}

static void add_record(struct reading *r, struct mpdata_counter_function *f,
                       const struct mpdata_counter_record *record)
{
    struct mpdata_counter_record *const row = push(r, &f->records);
    enum mprof_err err;

    if (row == NULL)
        return;
    *row = *record;
    if (mpdata_set_add(&r->one.functions, f, NULL) == 0) {
        fail_memory(r);
        return;
    }
    /* Its own by now. */
    f->records = (struct mpdata_vec){.elem_bytes = sizeof(*record)};
    r->one.is_present = true;
    err = mpdata_counters_match(r->counters, &r->one, r->diag);
    if (err == MPROF_E_OK &&
        mpdata_counters_shapes(r->counters, f) >= MPDATA_COUNTER_SHAPES_MAX)
        fail(r, MPROF_E_LIMIT, "too many shapes of one function");
    if (err == MPROF_E_OK && r->err == MPROF_E_OK)
        err = mpdata_counters_merge(r->counters, &r->one, 1);
    if (err == MPROF_E_NOMEM)
        fail_memory(r);
    else if (r->err == MPROF_E_OK)
        r->err = err;
}

static void read_record(struct reading *r)
{
    struct mpdata_counter_record record = {.hash = 0};
    struct mpdata_counter_function f = {
        .name = r->lines.at,
        .name_size = r->lines.bytes,
        .key = mpdata_guid_of(r->lines.at, r->lines.bytes),
        .records = {.elem_bytes = sizeof(record)}};
    uint64_t count;

    advance(&r->lines);
    record.hash = take_number(r, mpdata_events_parse_number, UINT64_MAX,
                              "the hash of a function is no number");
    count = take_number(r, parse_decimal, UINT64_MAX,
                        "the number of counters is no number");
    if (count == 0)
        fail(r, MPROF_E_VALUE, "a function without counters");
    r->counts.count = 0;
    r->bitmap.count = 0;
    take_numbers(r, &r->counts, count, parse_decimal, UINT64_MAX,
                 "a counter is no number");
    if (r->err == MPROF_E_OK && starts_with(&r->lines, '$'))
        read_bitmap(r);
    read_kinds(r, &record);
    record.counts = keep(r, &r->counts);
    record.count_count = r->counts.count;
    record.bitmap = keep(r, &r->bitmap);
    record.bitmap_count = r->bitmap.count;
    if (r->err == MPROF_E_OK)
        add_record(r, &f, &record);
    mpdata_vec_fini(&f.records);
}

/* -- what stands beside the functions ---------------------------------------- */

static int compare_names(const void *left, const void *right)
{
    const struct mpdata_bytes *const a = (const struct mpdata_bytes *)left;
    const struct mpdata_bytes *const b = (const struct mpdata_bytes *)right;
    const size_t n = a->size < b->size ? a->size : b->size;
    const int order = n != 0 ? memcmp(a->data, b->data, n) : 0;

    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static void put_uleb(struct mprof_buf *out, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        mprof_buf_uint(out, (value & 0x7f) | 0x80, 1);
    mprof_buf_uint(out, value, 1);
}

static bool keep_part(struct reading *r, const struct mprof_buf *from,
                      struct mpdata_bytes *part)
{
    uint8_t *const copy =
        from->failed ? NULL
                     : mpdata_arena_alloc(&r->counters->arena, from->size);

    if (copy == NULL)
        return false;
    if (from->size != 0)
        memcpy(copy, from->data, from->size);
    *part = (struct mpdata_bytes){.data = copy, .size = from->size};
    return true;
}

/* The section of names: bytes, bytes if they were compressed or 0, the names.
 */
static void keep_vtables(struct reading *r)
{
    struct mpdata_bytes *const names = (struct mpdata_bytes *)r->vtables.data;
    struct mprof_buf joined;
    struct mprof_buf section;

    if (r->vtables.count == 0)
        return;
    mpdata_heapbuf_init(&joined);
    mpdata_heapbuf_init(&section);
    qsort(names, r->vtables.count, sizeof(*names), compare_names);
    for (uint32_t i = 0; i < r->vtables.count; i++) {
        if (i != 0 && compare_names(&names[i - 1], &names[i]) == 0)
            continue;
        if (i != 0)
            mprof_buf_uint(&joined, NAMES_SEPARATOR, 1);
        mprof_buf_bytes(&joined, names[i].data, names[i].size);
    }
    put_uleb(&section, joined.size);
    put_uleb(&section, 0);
    mprof_buf_bytes(&section, joined.data, joined.size);
    section.failed |= joined.failed;
    if (!keep_part(r, &section, &r->counters->vtables))
        fail_memory(r);
    mpdata_heapbuf_fini(&section);
    mpdata_heapbuf_fini(&joined);
}

static void read_all(struct reading *r)
{
    read_headers(r);
    while (r->err == MPROF_E_OK && !r->lines.is_end) {
        mpdata_counters_init(&r->one);
        r->one.variant = r->counters->variant;
        r->one.version = r->counters->version;
        read_record(r);
        mpdata_counters_fini(&r->one);
    }
    if (r->err == MPROF_E_OK)
        keep_vtables(r);
    if (r->err == MPROF_E_OK &&
        !keep_part(r, &r->temporal, &r->counters->temporal))
        fail_memory(r);
    r->counters->is_present =
        r->counters->functions.rows.count != 0 ||
        (r->counters->variant & MPROF_INDEX_VARIANT_IR) != 0;
    /* Order and summary are due. */
    r->counters->is_merged = true;
}

enum mprof_err mpdata_counters_text_read(const void *data, size_t size,
                                         struct mpdata_counters *counters,
                                         struct mprof_diag *diag)
{
    struct reading r = {
        .lines = open_lines(data, size),
        .counters = counters,
        .counts = {.elem_bytes = sizeof(uint64_t)},
        .bitmap = {.elem_bytes = sizeof(uint64_t)},
        .sites = {.elem_bytes = sizeof(struct mpdata_value_site)},
        .values = {.elem_bytes = sizeof(struct mpdata_value)},
        .vtables = {.elem_bytes = sizeof(struct mpdata_bytes)},
        .diag = diag};

    mpdata_heapbuf_init(&r.temporal);
    read_all(&r);
    mpdata_heapbuf_fini(&r.temporal);
    mpdata_vec_fini(&r.counts);
    mpdata_vec_fini(&r.bitmap);
    mpdata_vec_fini(&r.sites);
    mpdata_vec_fini(&r.values);
    mpdata_vec_fini(&r.vtables);
    return r.err;
}
