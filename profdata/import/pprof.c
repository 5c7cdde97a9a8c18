/* pprof.c -- heap profiles that pprof reads (shared/pprof_format.h), of Go,
 * tcmalloc, jemalloc, and our own.
 *
 * The bytes are gone through twice for the tables, which have as many rows as
 * the first time counted, and once for the samples; of a location the frames
 * are made when the first sample asks for it. So what a file can make us take
 * is bounded by its size.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/foreign.h"
#include "profdata/import/foreign_errors.h"
#include "profdata/base/protobuf.h"
#include "profdata/base/vec.h"
#include "profdata/import/foreign_stack.h"
#include "profdata/import/pprof_drop.h"
#include "profdata/import/pprof_rows.h"
#include "shared/container.h"
#include "shared/digit.h"
#include "shared/index_format.h"
#include "shared/part_format.h"
#include "shared/pprof_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "pprof profile"
#define TYPES_MAX 64
/* Frames that all samples may have in sum: so many for each byte of the file,
 * of which a location takes one at least, and a frame of it two. */
#define FRAMES_PER_BYTE 64u
#define BUILD_ID_BYTES_MAX 64
#define NAME_SHOWN_BYTES 40 /* in messages */
/* In Java's types of values, which are parts of a sum. */
#define TLAB "_tlab_"

/* What a value is. */
enum role {
    ROLE_NONE,
    ROLE_BLOCKS,
    ROLE_BYTES,
    ROLE_LIVE_BLOCKS,
    ROLE_LIVE_BYTES,
    ROLE_ACCESSES,
    ROLE_LIFETIME,
    ROLE_MEASURED, /* the first of those of MPROF_PPROF_MEASURED_TYPES */
    ROLE_COUNT = ROLE_MEASURED
#define X(name, field, by) +1
        MPROF_PPROF_MEASURED_TYPES(X)
#undef X
};

struct frame {
    mpdata_ref ref;
    bool is_dropped;
};

struct reader {
    struct mpdata_foreign_errors errors;
    size_t size;
    struct mpdata_profile *profile;
    struct mpdata_foreign_string *strings;
    struct mpdata_foreign_string none; /* "" */
    struct mpdata_pprof_mapping *mappings;
    struct mpdata_pprof_function *functions;
    struct mpdata_pprof_location *locations;
    uint32_t string_count;
    uint32_t mapping_count;
    uint32_t function_count;
    uint32_t location_count;
    uint32_t sample_count;
    struct mpdata_pprof_type types[TYPES_MAX];
    enum role roles[TYPES_MAX];
    uint64_t factors[TYPES_MAX];
    bool has_role[ROLE_COUNT];
    uint32_t type_count;
    struct mpdata_pprof_type period_type;
    uint64_t period;
    uint64_t time_ns;
    uint64_t duration_ns;
    uint64_t program; /* string: file of the first mapping */
    uint64_t drop;    /* string: fields 7 and 8 */
    uint64_t keep;
    struct mpdata_vec frames; /* struct frame, of all locations */
    struct mpdata_vec stack;  /* mpdata_ref, of the sample at hand */
    uint32_t last_dropped;    /* of its frames up to this one, the last is to
                                 be dropped; 0: none */
    uint32_t dropped;         /* so many are, from the leaf */
    uint64_t frames_left;     /* that samples may have */
    uint64_t nodes_max;
};

/* -- errors ---------------------------------------------------------------- */

/* A failed cursor's error, if no other came before. */
static void check(struct reader *r, const struct mprof_cursor *c)
{
    if (r->errors.err == MPROF_E_OK && c->err != MPROF_E_OK)
        r->errors.err = mprof_cursor_status(c, r->errors.diag);
}

static struct mprof_cursor over(const struct reader *r)
{
    return mprof_cursor_over(r->errors.data, r->size, 0, SECTION);
}

/* -- counting ---------------------------------------------------------------- */

/* Fields that stand for themselves. */
static void take_number(struct reader *r, const struct mpdata_protobuf_field *f)
{
    switch (f->number) {
    case MPROF_PPROF_TIME_NS:
        r->time_ns = f->value;
        break;
    case MPROF_PPROF_DURATION_NS:
        r->duration_ns = f->value;
        break;
    case MPROF_PPROF_PERIOD:
        r->period = f->value;
        break;
    case MPROF_PPROF_DROP_FRAMES:
        r->drop = f->value;
        break;
    case MPROF_PPROF_KEEP_FRAMES:
        r->keep = f->value;
        break;
    default:
        break;
    }
}

static void count_message(struct reader *r, struct mpdata_protobuf_field *f)
{
    switch (f->number) {
    case MPROF_PPROF_SAMPLE_TYPE:
        if (r->type_count == TYPES_MAX) {
            mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, f->bytes.data,
                                      "more than %d types of values",
                                      TYPES_MAX);
        } else {
            mpdata_pprof_rows_type(&f->bytes, &r->types[r->type_count++]);
            check(r, &f->bytes);
        }
        break;
    case MPROF_PPROF_PERIOD_TYPE:
        mpdata_pprof_rows_type(&f->bytes, &r->period_type);
        check(r, &f->bytes);
        break;
    case MPROF_PPROF_SAMPLE:
        r->sample_count++;
        break;
    case MPROF_PPROF_MAPPING:
        r->mapping_count++;
        break;
    case MPROF_PPROF_LOCATION:
        r->location_count++;
        break;
    case MPROF_PPROF_FUNCTION:
        r->function_count++;
        break;
    case MPROF_PPROF_STRING:
        r->string_count++;
        break;
    default:
        break;
    }
}

static void count_all(struct reader *r)
{
    struct mprof_cursor c = over(r);
    struct mpdata_protobuf_field f;

    /* A row takes two bytes at least. */
    if (r->size / 2 > MPDATA_VEC_ROWS_MAX)
        mpdata_foreign_errors_add(&r->errors, MPROF_E_LIMIT, NULL);
    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (f.has_bytes)
            count_message(r, &f);
        else
            take_number(r, &f);
    }
    check(r, &c);
}

/* -- tables ------------------------------------------------------------------ */

/* The rows that count_all() counted, in the file's order. */
static void read_tables(struct reader *r)
{
    struct mprof_cursor c = over(r);
    struct mpdata_protobuf_field f;
    struct mpdata_foreign_string *string = r->strings;
    struct mpdata_pprof_mapping *mapping = r->mappings;
    struct mpdata_pprof_function *function = r->functions;
    struct mpdata_pprof_location *location = r->locations;

    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (!f.has_bytes)
            continue;
        if (f.number == MPROF_PPROF_STRING)
            (string++)->text =
                (struct mpdata_str){(const char *)f.bytes.data, f.bytes.size};
        else if (f.number == MPROF_PPROF_MAPPING)
            mpdata_pprof_rows_mapping(&f.bytes, mapping++);
        else if (f.number == MPROF_PPROF_FUNCTION)
            mpdata_pprof_rows_function(&f.bytes, function++);
        else if (f.number == MPROF_PPROF_LOCATION)
            mpdata_pprof_rows_location(&f.bytes, location++);
        check(r, &f.bytes);
    }
}

/* All rows begin with their id. */
static int compare_ids(const void *left, const void *right)
{
    return mprof_compare_u64(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* By id, each once and none 0. */
static void sort_rows(struct reader *r, const char *what, void *rows,
                      uint32_t count, size_t row_bytes)
{
    const char *const bytes = (const char *)rows;
    uint64_t last = 0;

    if (count != 0)
        qsort(rows, count, row_bytes, compare_ids);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t id =
            *(const uint64_t *)(const void *)(bytes + i * row_bytes);

        if (id == 0)
            mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, NULL,
                                      "a %s without a number", what);
        else if (id == last)
            mpdata_foreign_errors_say(
                &r->errors, MPROF_E_DUPLICATE, NULL,
                "%s %" PRIu64 "; of two profiles in one file make a file each",
                what, id);
        last = id;
    }
}

static void *find_row(struct reader *r, const char *what, void *rows,
                      uint32_t count, size_t row_bytes, uint64_t id,
                      const uint8_t *at)
{
    void *const row =
        count != 0 ? bsearch(&id, rows, count, row_bytes, compare_ids) : NULL;

    if (row == NULL)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_REFERENCE, at,
                                  "%s %" PRIu64, what, id);
    return row;
}

static struct mpdata_foreign_string *string_at(struct reader *r,
                                               uint64_t number)
{
    if (number < r->string_count)
        return &r->strings[number];
    mpdata_foreign_errors_say(&r->errors, MPROF_E_REFERENCE, NULL,
                              "string %" PRIu64 ", and there are %" PRIu32,
                              number, r->string_count);
    return &r->none;
}

static bool is_text(struct reader *r, uint64_t number, const char *text)
{
    const struct mpdata_str s = string_at(r, number)->text;

    return s.size == strlen(text) && memcmp(s.bytes, text, s.size) == 0;
}

static void make_tables(struct reader *r)
{
    r->strings = (struct mpdata_foreign_string *)mpdata_vec_array(
        r->string_count, sizeof(*r->strings));
    r->mappings = (struct mpdata_pprof_mapping *)mpdata_vec_array(
        r->mapping_count, sizeof(*r->mappings));
    r->functions = (struct mpdata_pprof_function *)mpdata_vec_array(
        r->function_count, sizeof(*r->functions));
    r->locations = (struct mpdata_pprof_location *)mpdata_vec_array(
        r->location_count, sizeof(*r->locations));
    if (r->strings == NULL || r->mappings == NULL || r->functions == NULL ||
        r->locations == NULL) {
        mpdata_foreign_errors_no_memory(&r->errors);
        return;
    }
    read_tables(r);
    if (r->string_count == 0 || r->strings[0].text.size != 0)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, NULL,
                                  "string 0 is not empty");
    if (r->mapping_count != 0)
        r->program = r->mappings[0].file;
    sort_rows(r, "mapping", r->mappings, r->mapping_count,
              sizeof(*r->mappings));
    sort_rows(r, "function", r->functions, r->function_count,
              sizeof(*r->functions));
    sort_rows(r, "location", r->locations, r->location_count,
              sizeof(*r->locations));
}

/* -- values ------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum role role;
} role_names[] = {
    {MPROF_PPROF_ALLOC_BLOCKS, ROLE_BLOCKS},
    {MPROF_PPROF_ALLOC_BYTES, ROLE_BYTES},
    {MPROF_PPROF_LIVE_BLOCKS, ROLE_LIVE_BLOCKS},
    {MPROF_PPROF_LIVE_BYTES, ROLE_LIVE_BYTES},
    {MPROF_PPROF_ACCESSES, ROLE_ACCESSES},
    {MPROF_PPROF_LIFETIME, ROLE_LIFETIME},
    /* tcmalloc's, of the heap as it is */
    {"objects", ROLE_LIVE_BLOCKS},
    {"space", ROLE_LIVE_BYTES},
    /* Datadog's */
    {"alloc-samples", ROLE_BLOCKS},
    {"alloc-space", ROLE_BYTES},
    {"heap-live-samples", ROLE_LIVE_BLOCKS},
    {"heap-live-size", ROLE_LIVE_BYTES},
    {"heap-space", ROLE_LIVE_BYTES},
    {"inuse-objects", ROLE_LIVE_BLOCKS},
    {"inuse-space", ROLE_LIVE_BYTES},
    /* Java's: in buffers of threads, and others, which are added up */
    {"alloc_in_new_tlab_objects", ROLE_BLOCKS},
    {"alloc_in_new_tlab_bytes", ROLE_BYTES},
    {"alloc_outside_tlab_objects", ROLE_BLOCKS},
    {"alloc_outside_tlab_bytes", ROLE_BYTES},
};

/* Factors of units, in lower case and without a plural's s, as pprof takes
 * them: K is 1024. */
static const struct {
    const char *unit;
    uint8_t shift;
} byte_units[] = {
    {"", 0},       {"b", 0},         {"byte", 0},      {"kb", 10}, {"kib", 10},
    {"kbyte", 10}, {"kilobyte", 10}, {"kibibyte", 10}, {"mb", 20}, {"mib", 20},
    {"mbyte", 20}, {"megabyte", 20}, {"mebibyte", 20}, {"gb", 30}, {"gib", 30},
    {"gbyte", 30}, {"gigabyte", 30}, {"gibibyte", 30}, {"tb", 40}, {"tib", 40},
    {"tbyte", 40}, {"terabyte", 40}, {"tebibyte", 40}, {"pb", 50}, {"pib", 50},
    {"pbyte", 50}, {"petabyte", 50}, {"pebibyte", 50},
};

static const struct {
    const char *name;
    size_t field;
    size_t by; /* the field with the blocks of which it was measured */
} measured_types[] = {
#define X(name, field, by) \
    {name, MPROF_MIB_INDEX_##field, MPROF_MIB_INDEX_##by},
    MPROF_PPROF_MEASURED_TYPES(X)
#undef X
};

/* pprof's example of a profile of all allocations has this beside "space". */
#define ALLOCATIONS "allocations"

static enum role role_of(struct reader *r, const struct mpdata_pprof_type *type,
                         bool has_allocations)
{
    if (is_text(r, type->name, ALLOCATIONS))
        return ROLE_BLOCKS;
    if (has_allocations && is_text(r, type->name, "space"))
        return ROLE_BYTES;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(role_names); i++) {
        if (is_text(r, type->name, role_names[i].name))
            return role_names[i].role;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(measured_types); i++) {
        if (is_text(r, type->name, measured_types[i].name))
            return (enum role)(ROLE_MEASURED + i);
    }
    return ROLE_NONE;
}

static bool is_unit(struct mpdata_str text, const char *unit)
{
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.bytes[i];

        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != unit[i])
            return false; /* also at its NUL */
    }
    return unit[text.size] == '\0';
}

/* Bytes of a unit; 0 where it is none. */
static uint64_t bytes_of_unit(struct mpdata_str unit)
{
    if (unit.size > 2 && (unit.bytes[unit.size - 1] | 0x20) == 's')
        unit.size--;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(byte_units); i++) {
        if (is_unit(unit, byte_units[i].unit))
            return UINT64_C(1) << byte_units[i].shift;
    }
    return 0;
}

/* The role of a type of values. What has two of one role counts the first, but
 * for parts of a sum. */
static void take_role(struct reader *r, uint32_t type, enum role role)
{
    const struct mpdata_str name = string_at(r, r->types[type].name)->text;
    const struct mpdata_str unit = string_at(r, r->types[type].unit)->text;
    const bool is_bytes = role == ROLE_BYTES || role == ROLE_LIVE_BYTES;

    if (role == ROLE_NONE ||
        (r->has_role[role] &&
         memmem(name.bytes, name.size, TLAB, sizeof(TLAB) - 1) == NULL))
        return;
    r->has_role[role] = true;
    r->roles[type] = role;
    r->factors[type] = is_bytes ? bytes_of_unit(unit) : 1;
    if (r->factors[type] == 0)
        mpdata_foreign_errors_say(
            &r->errors, MPROF_E_UNSUPPORTED, NULL,
            "the unit of %.*s is '%.*s', which is not one of bytes",
            (int)mprof_min_u64(name.size, NAME_SHOWN_BYTES), name.bytes,
            (int)mprof_min_u64(unit.size, NAME_SHOWN_BYTES), unit.bytes);
}

static void find_roles(struct reader *r)
{
    bool has_allocations = false;

    for (uint32_t i = 0; i < r->type_count; i++)
        has_allocations |= is_text(r, r->types[i].name, ALLOCATIONS);
    for (uint32_t i = 0; i < r->type_count; i++)
        take_role(r, i, role_of(r, &r->types[i], has_allocations));
    if (!r->has_role[ROLE_BLOCKS] && !r->has_role[ROLE_BYTES] &&
        !r->has_role[ROLE_LIVE_BLOCKS] && !r->has_role[ROLE_LIVE_BYTES])
        mpdata_foreign_errors_say(
            &r->errors, MPROF_E_UNSUPPORTED, NULL,
            "its values are not the blocks and bytes of a heap");
}

/* -- frames -------------------------------------------------------------------- */

static void push_frame(struct reader *r, mpdata_ref ref, bool is_dropped)
{
    struct frame *const row =
        (struct frame *)mpdata_foreign_errors_push(&r->errors, &r->frames);

    if (row != NULL)
        *row = (struct frame){ref, is_dropped};
    if (row == NULL || ref == 0)
        mpdata_foreign_errors_no_memory(&r->errors);
}

/* What a frame to be dropped called goes with it, if the program's own code is
 * behind it: not all of a stack. */
static void push(struct reader *r, const struct frame *frame)
{
    mpdata_ref *const row =
        (mpdata_ref *)mpdata_foreign_errors_push(&r->errors, &r->stack);

    if (row == NULL)
        return;
    *row = frame->ref;
    if (frame->is_dropped)
        r->last_dropped = r->stack.count;
    else
        r->dropped = r->last_dropped;
}

/* Hexadecimal digits; Go has other ids too, which are taken as they stand. */
static mpdata_string intern_build_id(struct reader *r,
                                     struct mpdata_foreign_string *string)
{
    const struct mpdata_str text = string->text;
    uint8_t bytes[BUILD_ID_BYTES_MAX];
    const size_t size = text.size / 2;
    bool is_hex = text.size % 2 == 0 && size <= sizeof(bytes);

    for (size_t i = 0; i < size && is_hex; i++) {
        const unsigned high = mprof_digit(text.bytes[2 * i]);
        const unsigned low = mprof_digit(text.bytes[2 * i + 1]);

        is_hex = high < 16 && low < 16;
        bytes[i] = (uint8_t)(high << 4 | (low & 15));
    }
    return is_hex ? mpdata_profile_string(r->profile, bytes, size)
                  : mpdata_foreign_stack_name(r->profile, string);
}

static mpdata_ref binary_of(struct reader *r, struct mpdata_pprof_mapping *m)
{
    struct mpdata_foreign_string *const file = string_at(r, m->file);
    struct mpdata_foreign_string *const build_id = string_at(r, m->build_id);
    struct mpdata_binary binary;

    if (r->errors.err != MPROF_E_OK || m->binary != 0 ||
        file->text.size + build_id->text.size == 0)
        return m->binary;
    binary = (struct mpdata_binary){
        .path = mpdata_foreign_stack_path(r->profile, file),
        .build_id = intern_build_id(r, build_id)};
    m->binary = mpdata_profile_binary(r->profile, &binary);
    return m->binary;
}

/* A location without a name: where it is in its file, as far as the mapping
 * says it. */
static void add_address(struct reader *r, uint64_t mapping, uint64_t address)
{
    struct mpdata_pprof_mapping *m = NULL;

    if (mapping != 0)
        m = (struct mpdata_pprof_mapping *)find_row(r, "mapping", r->mappings,
                                                    r->mapping_count,
                                                    sizeof(*m), mapping, NULL);
    if (m != NULL && address >= m->start)
        address = address - m->start + m->offset;
    if (r->errors.err == MPROF_E_OK)
        push_frame(r,
                   mpdata_foreign_stack_address(
                       r->profile, m != NULL ? binary_of(r, m) : 0, address),
                   false);
}

static void add_line(struct reader *r, const struct mpdata_pprof_line *line,
                     bool is_inlined, const uint8_t *at)
{
    struct mpdata_foreign_frame frame = {
        .line = line->line, .column = line->column, .is_inlined = is_inlined};
    const struct mpdata_pprof_function *function =
        (const struct mpdata_pprof_function *)find_row(
            r, "function", r->functions, r->function_count, sizeof(*function),
            line->function, at);

    if (function == NULL)
        return;
    frame.name = string_at(r, function->linkage);
    if (frame.name->text.size == 0)
        frame.name = string_at(r, function->name);
    frame.file = string_at(r, function->file);
    frame.first_line = function->line;
    if (r->errors.err != MPROF_E_OK)
        return;
    push_frame(r,
               frame.name->text.size != 0
                   ? mpdata_foreign_stack_frame(r->profile, &frame)
                   : mpdata_foreign_stack_address(r->profile, 0, 0),
               function->is_dropped);
}

/* Makes the frames of a location: its lines, else its address. */
static void make_frames(struct reader *r,
                        struct mpdata_pprof_location *location)
{
    struct mprof_cursor c = mprof_cursor_over(
        location->bytes, location->size,
        (uint64_t)((const char *)location->bytes - r->errors.data), SECTION);
    struct mpdata_protobuf_field f;
    struct mpdata_pprof_line line = {.line = 0};
    bool has_line = false;
    uint64_t mapping = 0;
    uint64_t address = 0;

    location->first_frame = r->frames.count;
    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (!f.has_bytes && f.number == MPROF_PPROF_LOCATION_MAPPING)
            mapping = f.value;
        else if (!f.has_bytes && f.number == MPROF_PPROF_LOCATION_ADDRESS)
            address = f.value;
        if (!f.has_bytes || f.number != MPROF_PPROF_LOCATION_LINE)
            continue;
        /* Each but the last is inlined. */
        if (has_line)
            add_line(r, &line, true, location->bytes);
        line = mpdata_pprof_rows_line(&f.bytes);
        check(r, &f.bytes);
        has_line = true;
    }
    if (has_line && r->errors.err == MPROF_E_OK)
        add_line(r, &line, false, location->bytes);
    else if (r->errors.err == MPROF_E_OK)
        add_address(r, mapping, address);
    location->frame_count = (uint32_t)(r->frames.count - location->first_frame);
}

/* -- samples --------------------------------------------------------------- */

struct sample {
    uint64_t values[ROLE_COUNT];
    uint32_t value_count;
    uint32_t flags;
    struct mprof_mib mib; /* what labels say */
    uint64_t block_bytes; /* size of each block; 0: not said */
    uint64_t thread;      /* string: name of the thread that allocates */
    bool is_said[MPROF_MIB_FIELDS]; /* by a label */
};

static void add_location(struct reader *r, uint64_t id, const uint8_t *at)
{
    struct mpdata_pprof_location *const location =
        (struct mpdata_pprof_location *)find_row(r, "location", r->locations,
                                                 r->location_count,
                                                 sizeof(*location), id, at);

    if (location == NULL)
        return;
    if (location->frame_count == 0)
        make_frames(r, location);
    if (r->errors.err != MPROF_E_OK)
        return;
    if (location->frame_count > r->frames_left ||
        location->frame_count > r->nodes_max - r->stack.count) {
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, at,
                                  MPDATA_FOREIGN_STACK_TOO_MANY);
        return;
    }
    r->frames_left -= location->frame_count;
    for (uint32_t i = 0; i < location->frame_count; i++)
        push(
            r,
            &((const struct frame *)r->frames.data)[location->first_frame + i]);
}

static void take_value(struct sample *s, enum role role, uint64_t value)
{
    s->values[role] = mprof_add_sat_u64(s->values[role], value);
    s->value_count++;
}

/* Differences of profiles have negative values. */
static void add_value(struct reader *r, struct sample *s, uint64_t value,
                      const uint8_t *at)
{
    if (s->value_count == r->type_count)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, at,
                                  "a sample of more than %" PRIu32
                                  " values, which have types",
                                  r->type_count);
    else if (value > INT64_MAX)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, at,
                                  "a sample with a negative value, as in a "
                                  "difference of profiles");
    else
        take_value(s, r->roles[s->value_count],
                   mprof_mul_sat_u64(value, r->factors[s->value_count]));
}

static void take_label_text(struct reader *r, struct sample *s, uint64_t key,
                            uint64_t text)
{
    if (is_text(r, key, MPROF_PPROF_LABEL_STACK) &&
        is_text(r, text, MPROF_PPROF_LABEL_STACK_CUT))
        s->flags |= MPROF_CONTEXT_FL_TRUNCATED;
    if (is_text(r, key, MPROF_PPROF_LABEL_THREAD))
        s->thread = text;
    if (!is_text(r, key, MPROF_PPROF_LABEL_ACCESSES))
        return;
    if (is_text(r, text, MPROF_PPROF_LABEL_NOT_MEASURED))
        s->flags |= MPROF_CONTEXT_FL_NOT_MEASURED;
    else if (is_text(r, text, MPROF_PPROF_LABEL_NOT_ALL_SEEN))
        s->flags |= MPROF_CONTEXT_FL_NOT_ALL_SEEN;
}

static void take_label_number(struct reader *r, struct sample *s, uint64_t key,
                              uint64_t number)
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

    if (is_text(r, key, MPROF_PPROF_LABEL_BYTES))
        s->block_bytes = number;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(labels); i++) {
        if (!is_text(r, key, labels[i].key))
            continue;
        mprof_mib_set(&s->mib, labels[i].field, number);
        s->is_said[labels[i].field] = true;
    }
}

static void read_label(struct reader *r, struct sample *s,
                       struct mprof_cursor c)
{
    struct mpdata_protobuf_field f;
    uint64_t key = 0;
    uint64_t text = 0;
    uint64_t number = 0;

    while (mpdata_protobuf_next(&c, &f)) {
        if (f.has_bytes)
            continue;
        if (f.number == MPROF_PPROF_LABEL_KEY)
            key = f.value;
        else if (f.number == MPROF_PPROF_LABEL_STRING)
            text = f.value;
        else if (f.number == MPROF_PPROF_LABEL_NUMBER)
            number = f.value;
    }
    check(r, &c);
    if (text != 0)
        take_label_text(r, s, key, text);
    else
        take_label_number(r, s, key, number);
}

/* Does the profile have all types of values that are measured together? */
static bool has_measured(const struct reader *r, size_t by)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(measured_types); i++) {
        if (measured_types[i].by == by && !r->has_role[ROLE_MEASURED + i])
            return false;
    }
    return true;
}

/* What was measured of all blocks, or of as many as a label says. */
static void fill_measured(const struct reader *r, struct sample *s)
{
    struct mprof_mib *const mib = &s->mib;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(measured_types); i++) {
        const size_t by = measured_types[i].by;
        const uint64_t said =
            s->is_said[by] ? mprof_mib_get(mib, by) : mib->AllocCount;

        mprof_mib_set(mib, by,
                      has_measured(r, by) ? mprof_min_u64(said, mib->AllocCount)
                                          : 0);
        s->is_said[by] = true;
        mprof_mib_set(mib, measured_types[i].field,
                      s->values[ROLE_MEASURED + i]);
    }
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (!mprof_mib_is_held(mib, i))
            mprof_mib_set(mib, i, 0);
    }
}

static bool has_allocated(const struct reader *r)
{
    return r->has_role[ROLE_BLOCKS] || r->has_role[ROLE_BYTES];
}

/* What the values and labels of a sample come to. */
static void fill_mib(const struct reader *r, struct sample *s)
{
    struct mprof_mib *const mib = &s->mib;
    const uint64_t *const v = s->values;

    mib->LiveCount = v[ROLE_LIVE_BLOCKS];
    mib->LiveBytes = v[ROLE_LIVE_BYTES];
    /* A block for a sample: the run's kind says that blocks are not known. */
    if (!r->has_role[ROLE_LIVE_BLOCKS])
        mib->LiveCount = mib->LiveBytes != 0;
    /* What lives was allocated, whatever a file says. */
    mib->AllocCount = mprof_max_u64(
        r->has_role[ROLE_BLOCKS] ? v[ROLE_BLOCKS] : v[ROLE_BYTES] != 0,
        mib->LiveCount);
    mib->TotalSize = mprof_max_u64(v[ROLE_BYTES], mib->LiveBytes);
    mib->TotalAccessCount = v[ROLE_ACCESSES];
    mib->TotalLifetimeNs = v[ROLE_LIFETIME];
    if (mib->MaxSize == 0 && s->block_bytes != 0)
        mib->MinSize = mib->MaxSize = s->block_bytes;
    if (!r->has_role[ROLE_ACCESSES])
        s->flags |= MPROF_CONTEXT_FL_NOT_MEASURED;
    fill_measured(r, s);
}

static void add_context(struct reader *r, const struct sample *s)
{
    struct mpdata_foreign_string *const thread = string_at(r, s->thread);
    const struct mpdata_vec shown = {
        .data = r->dropped == 0 ? r->stack.data
                                : (mpdata_ref *)r->stack.data + r->dropped,
        .count = r->stack.count - r->dropped,
        .elem_bytes = r->stack.elem_bytes};
    const mpdata_ref node =
        mpdata_foreign_stack_node(r->profile, &shown, r->nodes_max);
    struct mpdata_part part;

    mpdata_profile_context(r->profile, node, s->flags, &s->mib,
                           MPDATA_CELLS_NONE);
    if (thread->text.size == 0)
        return;
    part = (struct mpdata_part){
        .kind = MPROF_PART_THREAD,
        .name = mpdata_foreign_stack_name(r->profile, thread),
        .node = node,
        .flags = s->flags & MPROF_CONTEXT_FL_TRUNCATED};
    mpdata_profile_part(r->profile, &part, &s->mib);
}

static void read_sample(struct reader *r, struct mprof_cursor c)
{
    struct sample s = {.flags = 0};
    struct mpdata_protobuf_field f;
    uint64_t number;

    r->stack.count = r->last_dropped = r->dropped = 0;
    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        const bool is_label = f.number == MPROF_PPROF_SAMPLE_LABEL;

        if (is_label && f.has_bytes)
            read_label(r, &s, f.bytes);
        if (f.number != MPROF_PPROF_SAMPLE_LOCATION &&
            f.number != MPROF_PPROF_SAMPLE_VALUE)
            continue;
        while (r->errors.err == MPROF_E_OK &&
               mpdata_protobuf_next_number(&f, &number))
            f.number == MPROF_PPROF_SAMPLE_LOCATION
                ? add_location(r, number, c.data)
                : add_value(r, &s, number, c.data);
        check(r, &f.bytes);
    }
    check(r, &c);
    if (r->errors.err == MPROF_E_OK && s.value_count != r->type_count)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, c.data,
                                  "a sample of %" PRIu32
                                  " values, and there are %" PRIu32 " types",
                                  s.value_count, r->type_count);
    if (r->errors.err != MPROF_E_OK)
        return;
    fill_mib(r, &s);
    if (s.mib.AllocCount != 0)
        add_context(r, &s);
    if (mpdata_profile_status(r->profile) != MPROF_E_OK)
        mpdata_foreign_errors_add(&r->errors, mpdata_profile_status(r->profile),
                                  NULL);
    else if (mpdata_profile_view(r->profile).node_count > r->nodes_max)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, c.data,
                                  MPDATA_FOREIGN_STACK_TOO_MANY);
}

static void read_samples(struct reader *r)
{
    struct mprof_cursor c = over(r);
    struct mpdata_protobuf_field f;

    while (r->errors.err == MPROF_E_OK && mpdata_protobuf_next(&c, &f)) {
        if (f.number == MPROF_PPROF_SAMPLE && f.has_bytes)
            read_sample(r, f.bytes);
    }
}

/* -- the file -------------------------------------------------------------- */

/* Binaries that no location without a name is in, too. */
static void add_binaries(struct reader *r)
{
    for (uint32_t i = 0; i < r->mapping_count && r->errors.err == MPROF_E_OK;
         i++)
        binary_of(r, &r->mappings[i]);
}

/* What is known: of allocations, if there are any, else of what lives. */
static uint32_t run_kind(const struct reader *r)
{
    const bool is_live_only = !has_allocated(r);
    const bool *const has = r->has_role;

    if (!has[is_live_only ? ROLE_LIVE_BLOCKS : ROLE_BLOCKS])
        return is_live_only ? MPROF_RUN_FOREIGN_LIVE_BYTES
                            : MPROF_RUN_FOREIGN_BYTES;
    if (!has[is_live_only ? ROLE_LIVE_BYTES : ROLE_BYTES])
        return is_live_only ? MPROF_RUN_FOREIGN_LIVE_BLOCKS
                            : MPROF_RUN_FOREIGN_BLOCKS;
    if (is_live_only)
        return MPROF_RUN_FOREIGN_LIVE;
    return has[ROLE_LIVE_BYTES] && !has[ROLE_LIVE_BLOCKS]
               ? MPROF_RUN_FOREIGN_LIVE_UNCOUNTED
               : MPROF_RUN_FOREIGN;
}

static void add_run(struct reader *r)
{
    static const char tool[] = "pprof";
    const struct mpdata_str unit = string_at(r, r->period_type.unit)->text;
    const uint64_t period =
        unit.size != 0 ? mprof_mul_sat_u64(r->period, bytes_of_unit(unit)) : 0;
    const struct mpdata_run run = {
        .run_id = mprof_checksum(r->errors.data, r->size),
        .count = 1,
        .kind = run_kind(r),
        .has_live =
            r->has_role[ROLE_LIVE_BLOCKS] || r->has_role[ROLE_LIVE_BYTES],
        .start_ns = r->time_ns,
        .duration_ns = r->duration_ns,
        .contexts = r->sample_count,
        .sample_period_bytes = period > 1 ? period : 0,
        .executable =
            mpdata_foreign_stack_path(r->profile, string_at(r, r->program)),
        .tool = mpdata_profile_string(r->profile, tool, sizeof(tool) - 1)};

    if (r->errors.err == MPROF_E_OK)
        mpdata_profile_run(r->profile, &run);
}

/* Marks functions by their names, of which each is matched once. */
static enum mprof_err match_functions(struct reader *r,
                                      struct mpdata_pprof_drop *drop)
{
    enum { UNKNOWN, KEPT, DROPPED };
    uint8_t *const known = (uint8_t *)mpdata_vec_array(r->string_count, 1);
    enum mprof_err err = known != NULL ? MPROF_E_OK : MPROF_E_NOMEM;

    for (uint32_t i = 0; i < r->function_count && err == MPROF_E_OK; i++) {
        struct mpdata_pprof_function *const f = &r->functions[i];
        const struct mpdata_str name = string_at(r, f->name)->text;

        if (r->errors.err != MPROF_E_OK)
            break;
        if (known[f->name] == UNKNOWN) {
            err = mpdata_pprof_drop_fits(drop, name, &f->is_dropped);
            known[f->name] = f->is_dropped ? DROPPED : KEPT;
        }
        f->is_dropped = known[f->name] == DROPPED;
    }
    free(known);
    return err;
}

/* Which functions are not to be shown. */
static void find_dropped(struct reader *r)
{
    const struct mpdata_str drops = string_at(r, r->drop)->text;
    const struct mpdata_str keeps = string_at(r, r->keep)->text;
    struct mpdata_pprof_drop *drop = NULL;
    char why[128] = "a match takes too long";
    enum mprof_err err = r->errors.err;

    if (err == MPROF_E_OK)
        err = mpdata_pprof_drop_new(&drop, drops, keeps, why, sizeof(why));
    if (err == MPROF_E_OK && drop != NULL)
        err = match_functions(r, drop);
    mpdata_pprof_drop_free(drop);
    if (err == MPROF_E_NOMEM)
        mpdata_foreign_errors_no_memory(&r->errors);
    else if (err != MPROF_E_OK)
        mpdata_foreign_errors_say(
            &r->errors, err, NULL,
            "its drop_frames or keep_frames cannot be used: %s", why);
}

/* What the tables are for. */
static void read_content(struct reader *r)
{
    find_roles(r);
    find_dropped(r);
    read_samples(r);
    add_binaries(r);
    add_run(r);
}

enum mprof_err mpdata_pprof_read(const uint8_t *data, size_t size,
                                 struct mpdata_profile *into,
                                 struct mprof_diag *diag)
{
    struct reader r = {.errors = {.data = (const char *)data,
                                  .section = SECTION,
                                  .diag = diag},
                       .size = size,
                       .profile = into,
                       .none = {.text = {"", 0}},
                       .frames = {.elem_bytes = sizeof(struct frame)},
                       .stack = {.elem_bytes = sizeof(mpdata_ref)},
                       .nodes_max = mpdata_foreign_stack_nodes_max(size),
                       .frames_left = mprof_mul_sat_u64(size, FRAMES_PER_BYTE)};

    count_all(&r);
    if (r.errors.err == MPROF_E_OK)
        make_tables(&r);
    if (r.errors.err == MPROF_E_OK)
        read_content(&r);
    if (r.errors.err == MPROF_E_OK && mpdata_profile_status(into) != MPROF_E_OK)
        mpdata_foreign_errors_add(&r.errors, mpdata_profile_status(into), NULL);
    mpdata_vec_fini(&r.stack);
    mpdata_vec_fini(&r.frames);
    free(r.strings);
    free(r.mappings);
    free(r.functions);
    free(r.locations);
    return r.errors.err;
}
