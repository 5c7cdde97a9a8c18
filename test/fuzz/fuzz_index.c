/* fuzz_index.c -- libFuzzer target: both readers of indexed files.
 *
 * The first input byte chooses: bit 0, verify checksums or not (without, damage
 * reaches the parsers); the rest is the file. What is accepted must survive
 * being put in order and written again, and read back as what was written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/heapbuf.h"
#include "profdata/index_read.h"
#include "profdata/index_write.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes *p in order to *out; aborts where that fails for other reasons than
 * memory and limits. */
static bool write_again(const struct mpdata_profile *p, struct mprof_buf *out)
{
    static const struct mpdata_index_options options = {.uncompressed = true};
    struct mpdata_profile *canonical = mpdata_profile_canonical(p);
    enum mprof_err err = MPROF_E_NOMEM;

    mpdata_heapbuf_init(out);
    if (canonical != NULL)
        err = mpdata_index_write(canonical, &options, out);
    mpdata_profile_free(canonical);
    if (err != MPROF_E_OK && err != MPROF_E_NOMEM && err != MPROF_E_LIMIT)
        abort();
    return err == MPROF_E_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_profile *q = mpdata_profile_new();
    struct mprof_diag diag;
    struct mprof_buf first = {.data = NULL};
    struct mprof_buf second = {.data = NULL};

    if (size > 0 &&
        mpdata_index_read(data + 1, size - 1, (data[0] & 1) != 0, p, &diag) ==
            MPROF_E_OK &&
        write_again(p, &first)) {
        if (mpdata_index_read(first.data, first.size, true, q, &diag) !=
            MPROF_E_OK)
            abort();
        if (write_again(q, &second) && second.size != first.size)
            abort();
    }
    mpdata_heapbuf_fini(&second);
    mpdata_heapbuf_fini(&first);
    mpdata_profile_free(q);
    mpdata_profile_free(p);
    return 0;
}
