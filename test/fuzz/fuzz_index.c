/* fuzz_index.c -- libFuzzer target: the readers of indexed files.
 *
 * The first input byte chooses: bit 0, verify checksums or not (without, damage
 * reaches the parsers); the rest is the file. What is accepted must survive
 * being put in order and written again, and read back as what was written. A
 * top list of it must be read or refused, too.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/heapbuf.h"
#include "profdata/index/index_read.h"
#include "profdata/index/index_top.h"
#include "profdata/index/index_write.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Puts *content in order and writes it to *out; aborts where that fails for
 * other reasons than memory and limits. */
static bool write_again(struct mpdata_content *content, struct mprof_buf *out)
{
    static const struct mpdata_index_options options = {.uncompressed = true,
                                                        .memprof_version = 4};
    enum mprof_err err = mpdata_content_canonical_in_place(content);

    mpdata_heapbuf_init(out);
    if (err == MPROF_E_OK)
        err = mpdata_index_write(content, &options, out);
    if (err != MPROF_E_OK && err != MPROF_E_NOMEM && err != MPROF_E_LIMIT)
        abort();
    return err == MPROF_E_OK;
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

static void read_top(const uint8_t *data, size_t size, size_t field)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_index_file file;
    struct mpdata_top top;
    struct mprof_diag diag;

    if (p != NULL &&
        mpdata_index_file_open(&file, data, size, false, &diag) == MPROF_E_OK &&
        file.is_ours)
        (void)!mpdata_index_top_read(&file, field, 20, p, &top, &diag);
    mpdata_profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_content p;
    struct mpdata_content q;
    struct mprof_buf first = {.data = NULL};
    struct mprof_buf second = {.data = NULL};

    if (mpdata_content_init(&p) != MPROF_E_OK ||
        mpdata_content_init(&q) != MPROF_E_OK)
        abort();
    if (size > 0 && read_all(data + 1, size - 1, (data[0] & 1) != 0, &p) &&
        write_again(&p, &first)) {
        if (!read_all(first.data, first.size, true, &q))
            abort();
        if (write_again(&q, &second) && second.size != first.size)
            abort();
    }
    if (size > 0) {
        read_top(data + 1, size - 1, MPROF_MIB_INDEX_TotalSize);
        read_top(data + 1, size - 1, MPROF_MIB_INDEX_AllocCount);
    }
    mpdata_heapbuf_fini(&second);
    mpdata_heapbuf_fini(&first);
    mpdata_content_fini(&q);
    mpdata_content_fini(&p);
    return 0;
}
