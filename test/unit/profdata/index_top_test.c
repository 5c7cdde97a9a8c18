/* index_top_test.c -- the first contexts of a file are those that reading all
 * of it gives, and no more of the file is looked at than they need.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/index_top.h"
#include "shared/container.h"
#include "shared/table.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static const size_t fields[] = {
    MPROF_MIB_INDEX_TotalSize, MPROF_MIB_INDEX_AllocCount,
    MPROF_MIB_INDEX_TotalAccessCount, MPROF_MIB_INDEX_LiveBytes};

/* A profile's file; the profile itself is put in order. */
static struct mpdata_profile *write_file(uint64_t seed, unsigned contexts,
                                         struct mprof_buf *out)
{
    struct mpdata_profile *p = gen_profile(seed, contexts);

    assert_int_equal(mpdata_profile_canonical_in_place(p), MPROF_E_OK);
    assert_int_equal(gen_write(p, NULL, out), MPROF_E_OK);
    return p;
}

static enum mprof_err read_top(const struct mprof_buf *file, bool verify,
                               size_t field, uint64_t max,
                               struct mpdata_profile *into,
                               struct mpdata_top *top, struct mprof_diag *diag)
{
    struct mpdata_index_file opened;
    const enum mprof_err err =
        mpdata_index_file_open(&opened, file->data, file->size, verify, diag);

    return err == MPROF_E_OK
               ? mpdata_index_top_read(&opened, field, max, into, top, diag)
               : err;
}

static void assert_stacks_equal(const struct mpdata_view *a, mpdata_ref node_a,
                                const struct mpdata_view *b, mpdata_ref node_b)
{
    while (node_a != 0 && node_b != 0) {
        const struct mpdata_node *n = &a->nodes[node_a - 1];
        const struct mpdata_node *m = &b->nodes[node_b - 1];
        const struct mpdata_frame *e = &a->frames[n->frame];
        const struct mpdata_frame *f = &b->frames[m->frame];

        assert_int_equal(e->line, f->line);
        assert_int_equal(e->column, f->column);
        assert_int_equal(e->discriminator, f->discriminator);
        assert_int_equal(e->flags, f->flags);
        assert_int_equal(e->address, f->address);
        assert_int_equal(e->binary != 0, f->binary != 0);
        assert_int_equal(e->function != 0, f->function != 0);
        if (e->function != 0)
            assert_string_equal(
                a->strings[a->functions[e->function - 1].name].bytes,
                b->strings[b->functions[f->function - 1].name].bytes);
        node_a = n->parent;
        node_b = m->parent;
    }
    assert_int_equal(node_a, node_b);
}

static void assert_contexts_equal(const struct mpdata_view *a, uint32_t i,
                                  const struct mpdata_view *b, uint32_t k)
{
    const struct mpdata_context *c = &a->contexts[i];
    const struct mpdata_context *d = &b->contexts[k];
    const struct mprof_mib mib = mpdata_view_mib(a, i);
    const struct mprof_mib same = mpdata_view_mib(b, k);

    assert_memory_equal(&mib, &same, sizeof(mib));
    assert_int_equal(c->flags, d->flags);
    assert_int_equal(c->cells.words != NULL, d->cells.words != NULL);
    assert_int_equal(c->cells.count, d->cells.count);
    if (c->cells.count != 0)
        assert_memory_equal(c->cells.words, d->cells.words,
                            c->cells.count * sizeof(*c->cells.words));
    assert_stacks_equal(a, c->node, b, d->node);
}

/* The row with the most of the field that is not taken yet; equal ones by row.
 * UINT32_MAX where nothing is left. */
static uint32_t next_row(const struct mpdata_view *view, size_t field,
                         bool *is_taken)
{
    uint32_t best = UINT32_MAX;
    uint64_t most = 0;

    for (uint32_t i = 0; i < view->context_count; i++) {
        const uint64_t value = mpdata_view_mib_field(view, i, field);

        if (!is_taken[i] && value > most) {
            most = value;
            best = i;
        }
    }
    if (best != UINT32_MAX)
        is_taken[best] = true;
    return best;
}

static void check_top(const struct mpdata_profile *all,
                      const struct mprof_buf *file, size_t field,
                      uint64_t count)
{
    const struct mpdata_view view = mpdata_profile_view(all);
    struct mpdata_profile *some = mpdata_profile_new();
    bool *is_taken = calloc(view.context_count + 1, 1);
    const struct mprof_mib totals = mpdata_profile_totals(&view);
    struct mpdata_top top;
    struct mpdata_view shown;
    struct mprof_diag diag;
    uint64_t listed = 0;

    assert_int_equal(read_top(file, true, field, count, some, &top, &diag),
                     MPROF_E_OK);
    shown = mpdata_profile_view(some);
    for (uint32_t i = 0; i < view.context_count; i++)
        listed += mpdata_view_mib_field(&view, i, field) != 0;
    assert_memory_equal(&top.totals, &totals, sizeof(totals));
    assert_int_equal(top.context_count, view.context_count);
    assert_int_equal(top.listed_count, listed);
    assert_int_equal(shown.context_count, mprof_min_u64(count, listed));
    assert_int_equal(shown.run_count, view.run_count);
    for (uint32_t i = 0; i < shown.context_count; i++)
        assert_contexts_equal(&shown, i, &view,
                              next_row(&view, field, is_taken));
    free(is_taken);
    mpdata_profile_free(some);
}

static void is_what_reading_all_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct mprof_buf file;
        struct mpdata_profile *all = write_file(
            seed, seed % 20 == 0 ? 6000 : 10 * (unsigned)seed, &file);

        for (size_t i = 0; i < MPROF_ARRAY_LEN(fields); i++)
            check_top(all, &file, fields[i], (seed * 7 + i) % 30);
        mpdata_heapbuf_fini(&file);
        mpdata_profile_free(all);
    }
}

/* What may become of a damaged file: an error with its section, or a list in
 * order, no longer than was asked for. True for the list. */
static bool is_sound(enum mprof_err err, const struct mprof_diag *diag,
                     const struct mpdata_profile *some, size_t field,
                     uint64_t max)
{
    const struct mpdata_view view = mpdata_profile_view(some);

    if (err != MPROF_E_OK) {
        assert_int_not_equal(err, MPROF_E_NOMEM);
        assert_non_null(diag->section);
        return false;
    }
    assert_true(view.context_count <= max);
    for (uint32_t i = 1; i < view.context_count; i++)
        assert_true(mpdata_view_mib_field(&view, i - 1, field) >=
                    mpdata_view_mib_field(&view, i, field));
    return true;
}

/* A flipped bit in each byte: the checksums are left out so that the damage
 * reaches what lies behind them. */
static void damage_does_no_harm(void **state)
{
    struct mpdata_index_options options = {.uncompressed = true};
    struct mpdata_profile *p = gen_profile(3, 6);
    struct mprof_buf file;
    size_t lists = 0;

    (void)state;
    assert_int_equal(gen_write(p, &options, &file), MPROF_E_OK);
    for (size_t byte = 0; byte < file.size; byte++) {
        const size_t bit = 8 * byte + byte % 8;
        struct mpdata_profile *some = mpdata_profile_new();
        const size_t field = fields[byte % MPROF_ARRAY_LEN(fields)];
        struct mprof_diag diag = {.section = NULL};
        struct mpdata_top top;

        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        lists += is_sound(read_top(&file, false, field, 5, some, &top, &diag),
                          &diag, some, field, 5);
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        mpdata_profile_free(some);
    }
    /* Some of it is not read, and some is. */
    assert_true(lists > 0 && lists < file.size);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
}

static void open_directory(const struct mprof_buf *file, struct mprof_dir *dir,
                           uint64_t *dir_off)
{
    memcpy(dir_off, file->data + file->size - MPROF_TRAILER_BYTES, 8);
    assert_int_equal(
        mprof_dir_read(dir, file->data, file->size, *dir_off,
                       MPROF_INDEX_EXT_MAGIC, MPROF_INDEX_EXT_VERSION,
                       MPROF_INDEX_EXT_VERSION, false, "dir", NULL),
        MPROF_E_OK);
}

/* A damaged section is found when it is read. */
static void all_that_is_read_is_verified(void **state)
{
    struct mprof_buf file;
    struct mpdata_profile *all = write_file(5, 3000, &file);
    struct mprof_dir dir;
    uint64_t dir_off = 0;

    (void)state;
    open_directory(&file, &dir, &dir_off);
    for (uint32_t i = 0; i < dir.section_count; i++) {
        const struct mprof_section *s = &dir.sections[i];
        struct mpdata_profile *some = mpdata_profile_new();
        struct mpdata_top top;
        struct mprof_diag diag = {.offset = 0};

        if (s->id == MPROF_INDEX_PARTS) { /* no top list has them */
            mpdata_profile_free(some);
            continue;
        }
        file.data[s->offset + s->stored_bytes / 2] ^= 1;
        assert_int_equal(
            read_top(&file, true, fields[0], 500, some, &top, &diag),
            MPROF_E_CHECKSUM);
        assert_int_equal(diag.offset, s->offset);
        file.data[s->offset + s->stored_bytes / 2] ^= 1;
        mpdata_profile_free(some);
    }
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(all);
}

/* Checksums as if all had been written so. */
static void seal(struct mprof_buf *file)
{
    struct mprof_dir dir;
    uint64_t dir_off = 0;

    open_directory(file, &dir, &dir_off);
    for (uint32_t i = 0; i < dir.section_count; i++)
        dir.sections[i].checksum =
            mprof_checksum(file->data + dir.sections[i].offset,
                           (size_t)dir.sections[i].stored_bytes);
    mprof_dir_write(&dir, file->data + dir_off);
}

/* Makes all rows of a column what row `from` has. */
static void fill_column(struct mprof_buf *file, uint32_t section, uint32_t tag,
                        uint64_t from)
{
    struct mprof_table table;
    struct mprof_column column;
    struct mprof_dir dir;
    const struct mprof_section *s;
    uint64_t dir_off = 0;
    uint8_t *rows;

    open_directory(file, &dir, &dir_off);
    s = mprof_dir_find(&dir, section);
    assert_int_equal(mprof_table_open(&table, file->data + s->offset,
                                      (size_t)s->stored_bytes, 0, "table",
                                      NULL),
                     MPROF_E_OK);
    column = mprof_table_column(&table, tag);
    assert_true(column.width != 0);
    rows = file->data + (column.data - file->data);
    for (uint64_t i = 0; i < column.rows; i++)
        memmove(rows + i * column.width, rows + from * column.width,
                column.width);
    seal(file);
}

/* A file with good checksums may say anything: here that all call stacks are
 * one, so that the list is shorter than the file's count of contexts. */
static void rows_that_are_one_are_refused(void **state)
{
    static const struct {
        uint32_t section;
        uint32_t tag;
    } columns[] = {{MPROF_INDEX_CONTEXTS, MPROF_INDEX_CONTEXTS_NODE},
                   {MPROF_INDEX_NODES, MPROF_INDEX_NODES_ENTRY},
                   {MPROF_INDEX_ENTRIES, MPROF_INDEX_ENTRIES_PLACE}};
    const struct mpdata_index_options options = {.uncompressed = true};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(columns); i++) {
        struct mpdata_profile *p = gen_profile(11, 40);
        struct mprof_buf file;

        assert_int_equal(gen_write(p, &options, &file), MPROF_E_OK);
        fill_column(&file, columns[i].section, columns[i].tag, 4);
        for (size_t f = 0; f < MPROF_ARRAY_LEN(fields); f++) {
            struct mpdata_profile *some = mpdata_profile_new();
            struct mpdata_top top;
            struct mprof_diag diag;

            assert_int_not_equal(
                read_top(&file, true, fields[f], 35, some, &top, &diag),
                MPROF_E_OK);
            assert_non_null(diag.section);
            mpdata_profile_free(some);
        }
        mpdata_heapbuf_fini(&file);
        mpdata_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_reading_all_gives),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(all_that_is_read_is_verified),
        cmocka_unit_test(rows_that_are_one_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
