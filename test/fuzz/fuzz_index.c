/* fuzz_index.c -- libFuzzer target: the readers of indexed files.
 *
 * Bit 0 of the first input byte chooses whether checksums are verified
 * (without, damage reaches the parsers); the rest is the file. An accepted file
 * is brought into canonical order, written, and must read back as it was
 * written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/index/index.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes canonical content to *out; aborts if that fails for reasons other than
 * memory and limits. */
static bool write_ordered(const struct mpdata_content *content,
                          struct mprof_buf *out)
{
    static const struct mpdata_index_options options = {.uncompressed = true,
                                                        .memprof_version = 4};
    enum mprof_err err;

    mpdata_heapbuf_init(out);
    err = mpdata_index_write(content, &options, out);
    if (err != MPROF_E_OK && err != MPROF_E_NOMEM && err != MPROF_E_LIMIT)
        abort();
    return err == MPROF_E_OK;
}

/* Brings *content into canonical order and writes it to *all; then its call
 * stacks alone to *stacks, because data that only LLVM's records list is
 * written only with its contexts. */
static bool write_again(struct mpdata_content *content, struct mprof_buf *all,
                        struct mprof_buf *stacks)
{
    const enum mprof_err err =
        mpdata_profile_canonical_in_place(content->profile);
    const struct mpdata_content alone = {.profile = content->profile};

    if (err != MPROF_E_OK && err != MPROF_E_NOMEM)
        abort();
    return err == MPROF_E_OK && write_ordered(content, all) &&
           write_ordered(&alone, stacks);
}

static bool read_all(const uint8_t *data, size_t size, bool verify,
                     struct mpdata_content *content)
{
    struct mpdata_index_file file;
    struct mprof_diag diag;

    return mpdata_index_file_open(&file, data, size, verify, &diag) ==
               MPROF_E_OK &&
           mpdata_index_read(&file, content, &diag) == MPROF_E_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_content p;
    struct mpdata_content q;
    struct mprof_buf all[2] = {{.data = NULL}, {.data = NULL}};
    struct mprof_buf stacks[2] = {{.data = NULL}, {.data = NULL}};

    if (mpdata_content_init(&p) != MPROF_E_OK ||
        mpdata_content_init(&q) != MPROF_E_OK)
        abort();
    if (size > 0 && read_all(data + 1, size - 1, (data[0] & 1) != 0, &p) &&
        write_again(&p, &all[0], &stacks[0])) {
        if (!read_all(all[0].data, all[0].size, true, &q))
            abort();
        if (write_again(&q, &all[1], &stacks[1]) &&
            stacks[1].size != stacks[0].size)
            abort();
    }
    for (int i = 0; i < 2; i++) {
        mpdata_heapbuf_fini(&all[i]);
        mpdata_heapbuf_fini(&stacks[i]);
    }
    mpdata_content_fini(&q);
    mpdata_content_fini(&p);
    return 0;
}
