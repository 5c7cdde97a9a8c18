/* fuzz_index.c -- libFuzzer target: both readers of indexed files.
 *
 * The first input byte chooses: bit 0, verify checksums or not (without, damage
 * reaches the parsers); the rest is the file. What is accepted must survive
 * being put in order and written again, and read back as what was written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/data_access.h"
#include "profdata/base/heapbuf.h"
#include "profdata/index/index_read.h"
#include "profdata/index/index_write.h"
#include "profdata/model/llvm_sites.h"

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

/* What stands beside the call stacks: it must be read or refused. */
static void read_rest(const uint8_t *data, size_t size)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_data_access access;
    struct mpdata_data_access ordered;
    struct mpdata_llvm_sites sites;
    struct mpdata_llvm_sites sorted;
    struct mprof_diag diag;
    struct mprof_buf out;

    mpdata_data_access_init(&access);
    mpdata_data_access_init(&ordered);
    mpdata_llvm_sites_init(&sites);
    mpdata_llvm_sites_init(&sorted);
    mpdata_heapbuf_init(&out);
    if (p != NULL &&
        mpdata_index_read_sites(data, size, false, p, &sites, &diag) ==
            MPROF_E_OK &&
        mpdata_llvm_data_access_read(data, size, &access, &diag) ==
            MPROF_E_OK &&
        mpdata_llvm_sites_canonical(&sites, &sorted) == MPROF_E_OK &&
        mpdata_data_access_canonical(&access, &ordered) == MPROF_E_OK &&
        mpdata_llvm_data_access_write(&ordered, &out) == MPROF_E_LIMIT)
        abort();
    mpdata_heapbuf_fini(&out);
    mpdata_llvm_sites_fini(&sorted);
    mpdata_llvm_sites_fini(&sites);
    mpdata_data_access_fini(&ordered);
    mpdata_data_access_fini(&access);
    mpdata_profile_free(p);
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
    if (size > 0)
        read_rest(data + 1, size - 1);
    mpdata_heapbuf_fini(&second);
    mpdata_heapbuf_fini(&first);
    mpdata_profile_free(q);
    mpdata_profile_free(p);
    return 0;
}
