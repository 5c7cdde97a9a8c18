/* prefetch_test.c -- tests inputs that several threads read: the bytes and the
 * errors are those of one thread, for any number of threads and order of
 * inputs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"
#include "profdata/model/content.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"
#include "test/unit/raw_build.h"

#include <unistd.h>

#define FILES 24
#define PATH_BYTES 64

static char folder[] = "prefetch_test.XXXXXX";
static char paths[FILES][PATH_BYTES];

static void write_file(const char *path, const struct mprof_buf *bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
}

/* A raw file of ours from a seed: a few addresses without a binary, a forest of
 * eight nodes, four contexts. */
static void build_raw(struct gen *g, struct mprof_buf *out)
{
    struct raw_table meta = {MPROF_RAW_META, {1, 2, 3}, 3, 1, {0}, NULL};
    struct raw_table strings = {MPROF_RAW_STRINGS, {1, 2}, 2, 1, {0}, ""};
    struct raw_table modules = {MPROF_RAW_MODULES, {1}, 1, 0, {0}, NULL};
    struct raw_table segments = {MPROF_RAW_SEGMENTS, {1}, 1, 0, {0}, NULL};
    struct raw_table frames = {MPROF_RAW_FRAMES, {1, 2}, 2, 4, {0}, NULL};
    struct raw_table nodes = {MPROF_RAW_NODES, {1, 2}, 2, 8, {0}, NULL};
    struct raw_table contexts = {
        MPROF_RAW_CONTEXTS,
        {MPROF_MIB_TAG_AllocCount, MPROF_MIB_TAG_TotalSize,
         MPROF_MIB_TAG_MinSize, MPROF_MIB_TAG_LiveBytes,
         MPROF_RAW_CONTEXTS_NODE},
        5,
        4,
        {0},
        NULL};
    const struct raw_table *const tables[] = {
        &meta, &strings, &modules, &segments, &frames, &nodes, &contexts};

    meta.values[0] = MPROF_RAW_META_IS_RUN_ID;
    meta.values[1] = gen_next(g);
    for (uint64_t i = 0; i < frames.rows; i++)
        frames.values[2 * i + 1] = 0x100 * i + gen_below(g, 3);
    for (uint64_t i = 0; i < nodes.rows; i++) {
        nodes.values[2 * i] = gen_below(g, i + 1);
        nodes.values[2 * i + 1] = gen_below(g, frames.rows);
    }
    for (uint64_t i = 0; i < contexts.rows; i++) {
        for (uint64_t k = 0; k < 4; k++)
            contexts.values[5 * i + k] = 1 + gen_below(g, 1000);
        contexts.values[5 * i + 4] = gen_below(g, nodes.rows + 1);
    }
    raw_build(out, tables, MPROF_ARRAY_LEN(tables), gen_below(g, 2) != 0);
}

static int make_files(void **state)
{
    struct gen g = {.state = 77};

    (void)state;
    if (mkdtemp(folder) == NULL)
        return 1;
    for (unsigned i = 0; i < FILES; i++) {
        struct mprof_buf bytes;

        snprintf(paths[i], PATH_BYTES, "%s/%u", folder, i);
        if (gen_below(&g, 4) == 0) {
            struct mpdata_profile *p = gen_profile(gen_next(&g), 20);

            assert_int_equal(gen_write(p, NULL, &bytes), MPROF_E_OK);
            mpdata_profile_free(p);
        } else {
            build_raw(&g, &bytes);
        }
        write_file(paths[i], &bytes);
        mpdata_heapbuf_fini(&bytes);
    }
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FILES; i++)
        unlink(paths[i]);
    return rmdir(folder);
}

static void shuffle(struct gen *g, uint32_t *order, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint64_t k = gen_below(g, i);
        const uint32_t other = order[k];

        order[k] = order[i - 1];
        order[i - 1] = other;
    }
}

static void merge(const uint32_t *order, uint32_t threads,
                  struct mprof_buf *out)
{
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content};
    struct mpdata_inputs inputs;
    struct mpdata_prefetch *ahead;

    assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
    mpdata_inputs_init(&inputs);
    for (uint32_t i = 0; i < FILES; i++)
        assert_int_equal(mpdata_inputs_add(&inputs, paths[order[i]],
                                           1 + (order[i] % 5 == 0) * order[i],
                                           NULL),
                         MPROF_E_OK);
    ahead = mpdata_prefetch_start(&inputs, threads, true, NULL);
    assert_non_null(ahead);
    for (uint32_t i = 0; i < FILES; i++) {
        const struct mpdata_input *input;
        struct mprof_diag diag;

        assert_int_equal(mpdata_prefetch_load(ahead, &load, &input, &diag),
                         MPROF_E_OK);
        assert_string_equal(input->path, paths[order[i]]);
    }
    mpdata_prefetch_stop(ahead);
    mpdata_inputs_fini(&inputs);
    assert_int_equal(mpdata_profile_canonical_in_place(content.profile),
                     MPROF_E_OK);
    mpdata_heapbuf_init(out);
    assert_int_equal(mpdata_index_write(&content, NULL, out), MPROF_E_OK);
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
}

static void any_threads_and_order_give_the_same_bytes(void **state)
{
    uint32_t order[FILES];
    struct mprof_buf expected;
    struct gen g = {.state = 1};

    (void)state;
    for (uint32_t i = 0; i < FILES; i++)
        order[i] = i;
    merge(order, 0, &expected);
    for (uint32_t trial = 0; trial < 60; trial++) {
        struct mprof_buf out;

        shuffle(&g, order, FILES);
        merge(order, trial % 9, &out);
        assert_int_equal(out.size, expected.size);
        assert_memory_equal(out.data, expected.data, out.size);
        mpdata_heapbuf_fini(&out);
    }
    mpdata_heapbuf_fini(&expected);
}

static char missing[] = "no/such/file";

/* Errors are reported for their input, in order, and stopping early is
 * allowed. */
static void errors_come_in_order(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads < 4; threads++) {
        struct mpdata_content content;
        struct mpdata_load_context load = {.content = &content};
        struct mpdata_inputs inputs;
        struct mpdata_prefetch *ahead;
        struct mprof_diag diag;

        assert_int_equal(mpdata_content_init(&content), MPROF_E_OK);
        mpdata_inputs_init(&inputs);
        for (uint32_t i = 0; i < FILES; i++)
            assert_int_equal(mpdata_inputs_add(&inputs,
                                               i == 5 ? missing : paths[i], 1,
                                               &diag),
                             MPROF_E_OK);
        ahead = mpdata_prefetch_start(&inputs, threads, true, NULL);
        for (uint32_t i = 0; i < 8; i++) {
            const struct mpdata_input *input;
            const enum mprof_err err =
                mpdata_prefetch_load(ahead, &load, &input, &diag);

            assert_int_equal(err, i == 5 ? MPROF_E_IO : MPROF_E_OK);
            if (i == 5)
                assert_string_equal(diag.file, missing);
        }
        mpdata_prefetch_stop(ahead);
        mpdata_inputs_fini(&inputs);
        mpdata_symbolize_fini(&load);
        mpdata_content_fini(&content);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_threads_and_order_give_the_same_bytes),
        cmocka_unit_test(errors_come_in_order),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
