/* damage.c -- the ways to damage a file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/fuzz/damage.h"
#include "profdata/base/sink.h"
#include "profdata/base/section.h"
#include "shared/index_format.h"
#include "shared/le.h"
#include "shared/raw_format.h"
#include "test/unit/table_write.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define SECTION_BYTES_MAX (1u << 20)
#define ROWS_MAX 2048u
#define COLUMNS_MAX 48u
#define GZIP_WINDOW_BITS (16 + 15)

/* -- chance ---------------------------------------------------------------- */

static uint64_t next(struct damage_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t damage_below(struct damage_random *random, uint64_t limit)
{
    return next(random) % limit;
}

bool damage_chance(struct damage_random *random, uint64_t times)
{
    return damage_below(random, times) == 0;
}

/* A number for which bounds checks tend to be wrong; near: the existing
 * number. */
static uint64_t pick_number(struct damage_random *random, uint64_t near)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       7,
                                       8,
                                       UINT8_MAX,
                                       256,
                                       UINT16_MAX,
                                       UINT16_MAX + 1,
                                       INT32_MAX,
                                       UINT32_MAX - 1,
                                       UINT32_MAX,
                                       UINT64_C(1) << 32,
                                       UINT64_C(1) << 40,
                                       INT64_MAX,
                                       UINT64_C(1) << 63,
                                       UINT64_MAX - 7,
                                       UINT64_MAX};

    switch (damage_below(random, 5)) {
    case 0:
        return near + 1;
    case 1:
        return near - 1;
    case 2:
        return near ^ UINT64_C(1) << damage_below(random, 64);
    case 3:
        return damage_below(random, 64);
    default:
        return numbers[damage_below(random, MPROF_ARRAY_LEN(numbers))];
    }
}

/* -- bytes ------------------------------------------------------------------ */

/* Replaces `gone` bytes by others. */
static void replace(struct damage_file *file, size_t at, size_t gone,
                    const void *bytes, size_t size)
{
    const size_t rest = file->size - at - gone;

    if (file->size - gone + size > DAMAGE_BYTES_MAX)
        return;
    memmove(file->data + at + size, file->data + at + gone, rest);
    if (size != 0)
        memcpy(file->data + at, bytes, size);
    file->size = at + size + rest;
}

/* A piece of at most a quarter of the file, mostly a short one. */
static size_t pick_piece(struct damage_random *random, size_t size, size_t *at)
{
    const size_t max = damage_chance(random, 2) ? size / 4 + 1 : 16;
    const size_t bytes = (size_t)damage_below(random, max) + 1;

    *at = (size_t)damage_below(random, size);
    return bytes < size - *at ? bytes : size - *at;
}

static void damage_word(struct damage_file *file, struct damage_random *random)
{
    const unsigned width = 1u << damage_below(random, 4);
    size_t at = (size_t)damage_below(random, file->size);
    uint64_t near;

    if (!damage_chance(random, 4))
        at -= at % width;
    if (at + width > file->size)
        return;
    /* Words that look like sizes and offsets in the file. */
    near = damage_chance(random, 4) ? file->size
                                    : mprof_le_load(file->data + at, width);
    mprof_le_store(file->data + at, pick_number(random, near), width);
}

static void damage_piece(struct damage_file *file,
                         const struct damage_file *other,
                         struct damage_random *random)
{
    uint8_t piece[DAMAGE_BYTES_MAX / 4 + 16];
    size_t from;
    size_t size = pick_piece(random, file->size, &from);
    size_t at = (size_t)damage_below(random, file->size + 1);
    const uint8_t *source = file->data + from;

    switch (damage_below(random, 5)) {
    case 0: /* removed */
        replace(file, from, size, NULL, 0);
        return;
    case 1: /* the rest removed */
        file->size = from;
        return;
    case 2: /* from another file */
        if (other->size == 0)
            return;
        size = pick_piece(random, other->size, &from);
        source = other->data + from;
        break;
    case 3: /* overwrites something */
        memmove(file->data + (at < file->size - size ? at : file->size - size),
                source, size);
        return;
    default: /* again */
        break;
    }
    if (size > sizeof(piece))
        size = sizeof(piece);
    memcpy(piece, source, size);
    replace(file, at, 0, piece, size);
}

/* The start of one file and the end of the other. */
static void splice(struct damage_file *file, const struct damage_file *other,
                   struct damage_random *random)
{
    const size_t at = (size_t)damage_below(random, file->size + 1);
    const size_t from = (size_t)damage_below(random, other->size + 1);

    replace(file, at, file->size - at, other->data + from, other->size - from);
}

static void damage_bytes(struct damage_file *file,
                         const struct damage_file *other,
                         struct damage_random *random)
{
    uint64_t bit;

    if (file->size == 0)
        return;
    switch (damage_below(random, 8)) {
    case 0:
        bit = damage_below(random, file->size * 8);
        file->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        break;
    case 1:
        damage_piece(file, other, random);
        break;
    case 2:
        if (damage_chance(random, 4))
            splice(file, other, random);
        else
            file->data[damage_below(random, file->size)] =
                (uint8_t)next(random);
        break;
    default:
        damage_word(file, random);
    }
}

/* -- text ------------------------------------------------------------------- */

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Replaces a number, or inserts one anywhere. */
static void damage_number(struct damage_file *file,
                          struct damage_random *random)
{
    static const char *const numbers[] = {
        "0",
        "-1",
        "1",
        "2",
        "4294967295",
        "4294967296",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999999999999999999999",
        "0x7fffffffffffffff",
        "1e999",
        "0.5",
        "null",
        "true",
        "\"\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "[]",
        "{}",
        "*a",
        "&a"};
    const char *number =
        numbers[damage_below(random, MPROF_ARRAY_LEN(numbers))];
    size_t at = (size_t)damage_below(random, file->size);
    size_t end;

    for (size_t i = 0; i < 64 && at < file->size && !is_digit(file->data[at]);
         i++)
        at++;
    if (at >= file->size)
        return;
    while (at > 0 && is_digit(file->data[at - 1]))
        at--;
    for (end = at; end < file->size && is_digit(file->data[end]);)
        end++;
    replace(file, at, end - at, number, strlen(number));
}

/* Deeply nested, or long. */
static void damage_repeat(struct damage_file *file,
                          struct damage_random *random)
{
    static const char *const pieces[] = {"[",    "{\"a\":", "- ", "  ",
                                         "1,",   "\n",      "\"", "{",
                                         "\xff", "- - ",    "? "};
    const char *piece = pieces[damage_below(random, MPROF_ARRAY_LEN(pieces))];
    const size_t at = (size_t)damage_below(random, file->size + 1);
    const size_t times = (size_t)1 << damage_below(random, 11);

    for (size_t i = 0; i < times; i++)
        replace(file, at, 0, piece, strlen(piece));
}

static size_t line_start(const struct damage_file *file, size_t at)
{
    while (at > 0 && file->data[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct damage_file *file, size_t at)
{
    while (at < file->size && file->data[at] != '\n')
        at++;
    return at + (at < file->size);
}

/* A line removed, repeated, or moved. */
static void damage_line(struct damage_file *file, struct damage_random *random)
{
    static uint8_t line[DAMAGE_BYTES_MAX];
    const size_t start =
        line_start(file, (size_t)damage_below(random, file->size));
    const size_t size = line_end(file, start) - start;
    size_t to = line_start(file, (size_t)damage_below(random, file->size));

    memcpy(line, file->data + start, size);
    switch (damage_below(random, 4)) {
    case 0:
        replace(file, start, size, NULL, 0);
        break;
    case 1: /* repeated */
        for (uint64_t n = (uint64_t)1 << damage_below(random, 12); n != 0; n--)
            replace(file, start, 0, line, size);
        break;
    default:
        replace(file, to, 0, line, size);
    }
}

static void damage_text(struct damage_file *file,
                        const struct damage_file *other,
                        struct damage_random *random)
{
    if (file->size == 0)
        return;
    switch (damage_below(random, 6)) {
    case 0:
        damage_repeat(file, random);
        break;
    case 1:
        damage_line(file, random);
        break;
    case 2:
    case 3:
        damage_number(file, random);
        break;
    default:
        damage_bytes(file, other, random);
    }
}

/* -- containers ------------------------------------------------------------- */

/* The format, if it is ours, and the offset of its directory. */
static bool find_directory(const uint8_t *data, size_t size, uint64_t *magic,
                           uint64_t *dir_off)
{
    *dir_off = 0;
    if (size < MPROF_DIR_HEADER_BYTES)
        return false;
    *magic = mprof_le_load64(data);
    if (*magic == MPROF_RAW_MAGIC)
        return true;
    *magic = mprof_le_load64(data + size - 8);
    *dir_off = mprof_le_load64(data + size - MPROF_TRAILER_BYTES);
    return *magic == MPROF_INDEX_EXT_MAGIC &&
           *dir_off <= size - MPROF_DIR_HEADER_BYTES;
}

static bool read_directory(const uint8_t *data, size_t size,
                           struct mprof_dir *dir)
{
    uint64_t dir_off;
    uint64_t magic;

    return find_directory(data, size, &magic, &dir_off) &&
           mprof_dir_read(dir, data, size, dir_off, magic, 0, UINT32_MAX, false,
                          "", NULL) == MPROF_E_OK;
}

/* Corrects every checksum, as far as there is a directory. */
static void reseal(struct damage_file *file)
{
    uint8_t *dir;
    uint64_t dir_off;
    uint64_t magic;
    uint64_t sections;

    if (!find_directory(file->data, file->size, &magic, &dir_off))
        return;
    dir = file->data + dir_off;
    sections = mprof_le_load32(dir + 12);
    if (sections >
        (file->size - dir_off - MPROF_DIR_HEADER_BYTES) / MPROF_DIR_ENTRY_BYTES)
        return;
    mprof_le_store(dir + MPROF_DIR_FILE_SIZE_OFF, file->size, 8);
    for (uint64_t i = 0; i < sections; i++) {
        uint8_t *const entry =
            dir + MPROF_DIR_HEADER_BYTES + i * MPROF_DIR_ENTRY_BYTES;
        const uint64_t at = mprof_le_load64(entry + 8);
        const uint64_t size = mprof_le_load64(entry + 16);

        if (at <= file->size && size <= file->size - at)
            mprof_le_store(entry + 32,
                           mprof_checksum(file->data + at, (size_t)size), 8);
    }
    mprof_le_store(dir + MPROF_DIR_CHECKSUM_OFF, 0, 8);
    mprof_le_store(dir + MPROF_DIR_CHECKSUM_OFF,
                   mprof_checksum(dir, MPROF_DIR_HEADER_BYTES +
                                           sections * MPROF_DIR_ENTRY_BYTES),
                   8);
}

/* Damages a number of the directory, or of the head of an uncompressed table:
 * sections overlap, widths and sizes are wrong. */
static void damage_head(struct damage_file *file, struct damage_random *random)
{
    const struct mprof_section *s;
    struct mprof_dir dir;
    uint64_t dir_off;
    uint64_t magic;
    uint64_t near;
    uint64_t at;

    if (!read_directory(file->data, file->size, &dir) || dir.section_count == 0)
        return;
    find_directory(file->data, file->size, &magic, &dir_off);
    s = &dir.sections[damage_below(random, dir.section_count)];
    if (damage_chance(random, 3)) {
        at = dir_off + MPROF_DIR_HEADER_BYTES +
             (uint64_t)(s - dir.sections) * MPROF_DIR_ENTRY_BYTES +
             8 * damage_below(random, 4);
        near = dir.sections[damage_below(random, dir.section_count)].offset;
    } else {
        at = s->offset + 8 * damage_below(random, 30);
        near = mprof_le_load64(file->data + at % (file->size - 8));
    }
    if (at + 8 > file->size)
        return;
    if (damage_chance(random, 2))
        mprof_le_store(file->data + at, pick_number(random, near), 8);
    else
        mprof_le_store(file->data + at + 4 * damage_below(random, 2),
                       pick_number(random, near), 4);
}

/* -- tables ----------------------------------------------------------------- */

/* A table with all its cells as numbers. */
struct table {
    uint64_t rows;
    uint32_t columns;
    uint32_t blob_tag; /* 0: no blob */
    uint32_t tags[COLUMNS_MAX];
    uint64_t cells[COLUMNS_MAX][ROWS_MAX];
    size_t blob_size;
    uint8_t blob[SECTION_BYTES_MAX];
};

static bool read_table(struct table *t, const struct mpdata_section *section)
{
    struct mprof_table table;

    if (mpdata_section_table(section, &table, NULL) != MPROF_E_OK ||
        table.rows > ROWS_MAX || table.columns > COLUMNS_MAX)
        return false;
    t->rows = table.rows;
    t->columns = table.columns;
    t->blob_tag = 0;
    t->blob_size = 0;
    for (uint32_t i = 0; i < table.columns; i++) {
        const uint32_t tag = t->tags[i] = mprof_table_tag(&table, i);
        const struct mprof_blob blob = mprof_table_blob(&table, tag);
        const struct mprof_column column = mprof_table_column(&table, tag);

        if (blob.data != NULL && blob.size <= sizeof(t->blob)) {
            t->blob_tag = tag;
            t->blob_size = (size_t)blob.size;
            memcpy(t->blob, blob.data, t->blob_size);
        }
        for (uint64_t row = 0; row < t->rows; row++)
            t->cells[i][row] =
                blob.data == NULL ? mprof_column_get(&column, row) : 0;
    }
    return true;
}

static uint64_t get_cell(const void *context, uint32_t tag, uint64_t row)
{
    const struct table *const t = (const struct table *)context;

    for (uint32_t i = 0; i < t->columns; i++) {
        if (t->tags[i] == tag)
            return t->cells[i][row];
    }
    return 0;
}

static void damage_cell(struct table *t, struct damage_random *random)
{
    uint64_t *const column = t->cells[damage_below(random, t->columns)];
    const uint64_t row = damage_below(random, t->rows);
    const uint64_t from = damage_below(random, t->rows);

    switch (damage_below(random, 6)) {
    case 0:
        column[row] = column[from];
        break;
    case 1:
        column[row] = t->rows + damage_below(random, 3) - 1;
        break;
    case 2: /* all of them */
        for (uint64_t i = 0; i < t->rows; i++)
            column[i] = column[row];
        break;
    default:
        column[row] = pick_number(random, column[row]);
    }
}

/* Appends many rows that continue the last two: long paths to the root, many
 * call stacks on each. */
static void stretch_rows(struct table *t, uint64_t doublings)
{
    const uint64_t rows = mprof_min_u64(ROWS_MAX, t->rows << doublings);

    for (uint32_t i = 0; i < t->columns; i++) {
        uint64_t *const cells = t->cells[i];
        const uint64_t step =
            t->rows > 1 ? cells[t->rows - 1] - cells[t->rows - 2] : 1;

        for (uint64_t row = t->rows; row < rows; row++)
            cells[row] = cells[row - 1] + step;
    }
    t->rows = rows;
}

static void damage_rows(struct table *t, struct damage_random *random)
{
    const uint64_t from = damage_below(random, t->rows);
    const uint64_t to = damage_below(random, t->rows);

    switch (damage_below(random, 8)) {
    case 0:
        t->rows = from;
        return;
    case 2:
    case 3:
        stretch_rows(t, damage_below(random, 11));
        return;
    case 1:
        if (t->rows == ROWS_MAX)
            return;
        for (uint32_t i = 0; i < t->columns; i++)
            t->cells[i][t->rows] = t->cells[i][from];
        t->rows++;
        return;
    default:
        for (uint32_t i = 0; i < t->columns; i++) {
            const uint64_t cell = t->cells[i][from];

            t->cells[i][from] = t->cells[i][to];
            t->cells[i][to] = cell;
        }
    }
}

static void damage_columns(struct table *t, struct damage_random *random)
{
    const uint32_t i = (uint32_t)damage_below(random, t->columns);

    if (damage_chance(random, 2)) { /* removed */
        if (t->tags[i] == t->blob_tag)
            t->blob_tag = 0;
        t->columns--;
        memmove(&t->tags[i], &t->tags[i + 1],
                (t->columns - i) * sizeof(t->tags[0]));
        memmove(t->cells[i], t->cells[i + 1],
                (t->columns - i) * sizeof(t->cells[0]));
    } else if (t->tags[i] == t->blob_tag) { /* shorter */
        t->blob_size = (size_t)damage_below(random, t->blob_size + 1);
    } else if (i + 1 == t->columns || t->tags[i] + 1 < t->tags[i + 1]) {
        t->tags[i]++;
    }
}

static void damage_table(struct table *t, struct damage_random *random)
{
    if (t->columns == 0)
        return;
    if (damage_chance(random, 10))
        damage_columns(t, random);
    else if (t->rows != 0 && damage_chance(random, 5))
        damage_rows(t, random);
    else if (t->blob_tag != 0 && t->blob_size != 0 && damage_chance(random, 3))
        t->blob[damage_below(random, t->blob_size)] =
            (uint8_t)pick_number(random, '/');
    else if (t->rows != 0)
        damage_cell(t, random);
}

static void write_cells(struct mprof_buf *out, const struct table *t)
{
    const struct mprof_table_source source = {
        .rows = t->rows,
        .tags = t->tags,
        .tag_count = t->columns,
        .get = get_cell,
        .context = t,
        .blob_tag = t->blob_tag,
        .blob = {.data = t->blob, .size = t->blob_size}};

    write_table(out, &source);
}

/* -- sections, written anew ------------------------------------------------- */

/* A container that is taken apart and reassembled. */
struct rebuild {
    const struct damage_file *file;
    struct mprof_dir dir; /* of the old ones */
    struct mprof_dir made;
    struct mprof_buf out;
    bool may_compress;
    uint64_t doublings; /* of the rows that make call stacks */
};

static void keep_section(struct rebuild *r, uint32_t id, const uint8_t *data,
                         size_t size)
{
    struct mprof_section *const made = &r->made.sections[r->made.section_count];

    if (r->made.section_count < MPROF_DIR_SECTIONS_MAX &&
        mpdata_section_write(id, data, size, r->may_compress, &r->out, made) ==
            MPROF_E_OK)
        r->made.section_count++;
}

/* A section as it is, or with its table damaged. */
static void copy_section(struct rebuild *r, const struct damage_file *from,
                         const struct mprof_section *place, uint32_t id,
                         struct damage_random *random, unsigned damages)
{
    static struct table table;
    struct mpdata_section section;
    struct mprof_buf bytes;

    if (place->decoded_bytes > SECTION_BYTES_MAX ||
        mpdata_section_open(&section, from->data, from->size, place, "", false,
                            NULL) != MPROF_E_OK)
        return;
    mpdata_heapbuf_init(&bytes);
    if ((damages != 0 || r->doublings != 0) && read_table(&table, &section)) {
        /* The same numbers in both formats. */
        if (id >= MPROF_RAW_FRAMES && id <= MPROF_RAW_CONTEXTS)
            stretch_rows(&table, r->doublings);
        while (damages-- != 0)
            damage_table(&table, random);
        write_cells(&bytes, &table);
        keep_section(r, id, bytes.data, bytes.size);
    } else {
        keep_section(r, id, section.data, section.size);
    }
    mpdata_heapbuf_fini(&bytes);
    mpdata_section_close(&section);
}

/* LLVM's profile before our sections, or our directory. */
static bool start_rebuild(struct rebuild *r, struct damage_random *random)
{
    const struct mprof_section *const first = &r->dir.sections[0];

    r->may_compress = damage_chance(random, 4);
    r->made = r->dir;
    r->made.section_count = 0;
    mpdata_heapbuf_init(&r->out);
    if (r->dir.magic == MPROF_INDEX_EXT_MAGIC) {
        if (r->dir.section_count == 0 || first->id != MPROF_INDEX_LLVM)
            return false;
        mprof_buf_bytes(&r->out, r->file->data, (size_t)first->stored_bytes);
        r->made.sections[r->made.section_count++] = *first;
    } else {
        memset(mprof_buf_extend(&r->out, mprof_dir_bytes(r->dir.section_count)),
               0, mprof_dir_bytes(r->dir.section_count));
    }
    return true;
}

static void finish_rebuild(struct rebuild *r, struct damage_file *file)
{
    const bool is_index = r->dir.magic == MPROF_INDEX_EXT_MAGIC;
    const size_t bytes = mprof_dir_bytes(r->made.section_count);
    size_t dir_off = 0;

    if (is_index) {
        mprof_buf_align(&r->out, MPROF_SECTION_ALIGN);
        dir_off = r->out.size;
        mprof_buf_extend(&r->out, bytes);
        mprof_buf_u64(&r->out, dir_off);
        mprof_buf_u64(&r->out, MPROF_INDEX_EXT_MAGIC);
    }
    r->made.file_bytes = r->out.size;
    if (!r->out.failed && r->out.size <= DAMAGE_BYTES_MAX) {
        mprof_dir_write(&r->made, r->out.data + dir_off);
        memcpy(file->data, r->out.data, r->out.size);
        file->size = r->out.size;
    }
}

/* Damages the tables of one or two sections, takes a section of the other file,
 * drops one, or swaps two. */
static void damage_sections(struct damage_file *file,
                            const struct damage_file *other,
                            struct damage_random *random)
{
    struct rebuild r = {.file = file};
    struct mprof_dir theirs = {.section_count = 0};
    uint64_t wrong[2];
    uint64_t how;

    if (!read_directory(file->data, file->size, &r.dir) ||
        r.dir.section_count == 0 || !start_rebuild(&r, random))
        goto out;
    (void)read_directory(other->data, other->size, &theirs);
    wrong[0] = damage_below(random, r.dir.section_count);
    wrong[1] = damage_below(random, r.dir.section_count);
    how = damage_below(random, 16);
    if (how == 4)
        r.doublings = damage_below(random, 11);
    for (uint32_t i = r.made.section_count; i < r.dir.section_count; i++) {
        const struct mprof_section *const s = &r.dir.sections[i];
        const struct mprof_section *const their =
            theirs.magic == r.dir.magic ? mprof_dir_find(&theirs, s->id) : NULL;
        const bool is_wrong = i == wrong[0] || i == wrong[1];

        if (is_wrong && how == 0)
            continue;
        if (is_wrong && how == 1)
            copy_section(&r, file, &r.dir.sections[wrong[0]], s->id, random, 0);
        else if (is_wrong && how <= 3 && their != NULL)
            copy_section(&r, other, their, s->id, random, 0);
        else
            copy_section(&r, file, s, s->id, random,
                         is_wrong && how != 4
                             ? 1 + (unsigned)damage_below(random, 3)
                             : 0);
    }
    finish_rebuild(&r, file);
out:
    mpdata_heapbuf_fini(&r.out);
}

void damage_file(struct damage_file *file, const struct damage_file *other,
                 bool is_text, struct damage_random *random)
{
    struct mprof_dir dir;
    const bool is_container =
        !is_text && read_directory(file->data, file->size, &dir);

    if (is_container && !damage_chance(random, 3))
        damage_sections(file, other, random);
    else if (is_container && damage_chance(random, 3))
        damage_head(file, random);
    else
        for (uint64_t n = damage_below(random, 4) + 1; n != 0; n--) {
            if (is_text)
                damage_text(file, other, random);
            else
                damage_bytes(file, other, random);
        }
    if (is_container && !damage_chance(random, 8))
        reseal(file);
}

/* -- how much it unpacks to -------------------------------------------------- */

static uint64_t count_zstd(const uint8_t *data, size_t size)
{
    static uint8_t window[64 << 10];
    ZSTD_DStream *const stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {.src = data, .size = size};
    uint64_t bytes = 0;

    for (;;) {
        ZSTD_outBuffer out = {.dst = window, .size = sizeof(window)};
        const size_t result = ZSTD_decompressStream(stream, &out, &in);

        bytes += out.pos;
        if (ZSTD_isError(result) || (out.pos == 0 && in.pos == in.size))
            break;
    }
    ZSTD_freeDStream(stream);
    return bytes;
}

static uint64_t count_gzip(const uint8_t *data, size_t size)
{
    static uint8_t window[64 << 10];
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)data,
                       .avail_in = (uInt)size};
    uint64_t bytes = 0;
    int result = inflateInit2(&stream, GZIP_WINDOW_BITS);

    while (result == Z_OK) {
        stream.next_out = window;
        stream.avail_out = sizeof(window);
        result = inflate(&stream, Z_NO_FLUSH);
        bytes += sizeof(window) - stream.avail_out;
    }
    inflateEnd(&stream);
    return bytes;
}

/* A frame, or a table of blocks with a frame each. */
static uint64_t count_section(const uint8_t *data,
                              const struct mprof_section *s)
{
    const uint8_t *const stored = data + s->offset;
    uint64_t blocks;
    uint64_t at;
    uint64_t bytes = 0;

    if (s->codec != MPROF_CODEC_ZSTD_BLOCKS)
        return s->codec == MPROF_CODEC_ZSTD
                   ? count_zstd(stored, (size_t)s->stored_bytes)
                   : 0;
    blocks = s->stored_bytes >= 8 ? mprof_le_load32(stored + 4) : 0;
    at = 8 + 4 * blocks;
    for (uint64_t i = 0; i < blocks && at <= s->stored_bytes; i++) {
        const uint64_t size = mprof_min_u64(mprof_le_load32(stored + 8 + 4 * i),
                                            s->stored_bytes - at);

        bytes += count_zstd(stored + at, (size_t)size);
        at += size;
    }
    return bytes;
}

uint64_t damage_unpacked_bytes(const uint8_t *data, size_t size)
{
    struct mprof_dir dir;
    uint64_t bytes = size;

    if (size >= 4 && mprof_le_load32(data) == ZSTD_MAGICNUMBER)
        return bytes + count_zstd(data, size);
    if (size >= 2 && mprof_le_load(data, 2) == 0x8b1f)
        return bytes + count_gzip(data, size);
    if (!read_directory(data, size, &dir))
        return bytes;
    for (uint32_t i = 0; i < dir.section_count; i++)
        bytes += count_section(data, &dir.sections[i]);
    return bytes;
}
