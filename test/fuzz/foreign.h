/* foreign.h -- shared code of the fuzz targets for other tools' profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TEST_FUZZ_FOREIGN_H
#define TEST_FUZZ_FOREIGN_H

#include "profdata/base/heapbuf.h"
#include "profdata/import/foreign.h"
#include "profdata/index/index.h"
#include "profdata/model/content.h"
#include "test/fuzz/live_bytes.h"

#include <stdlib.h>

#define BYTES_PER_BYTE 32
#define BYTES_FIXED (64 << 20)

static void fuzz_foreign_write(struct mpdata_content *content)
{
    const struct mpdata_index_options options = {.uncompressed = true};
    enum mprof_err err = mpdata_profile_canonical_in_place(content->profile);
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    if (err == MPROF_E_OK)
        err = mpdata_index_write(content, &options, &out);
    if (err != MPROF_E_OK && err != MPROF_E_NOMEM && err != MPROF_E_LIMIT &&
        err != MPROF_E_FRAMES)
        abort();
    mpdata_heapbuf_fini(&out);
}

static int fuzz_foreign(mpdata_foreign_is_fn *is, mpdata_foreign_read_fn *read,
                        const uint8_t *data, size_t size)
{
    static bool has_hooks;
    struct mpdata_content content;
    struct mprof_diag diag;
    int64_t before;
    enum mprof_err err;

    if (!has_hooks)
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
    has_hooks = true;
    is(data, size);
    before = live_bytes;
    peak_bytes = live_bytes;
    if (mpdata_content_init(&content) != MPROF_E_OK)
        abort();
    err = read(data, size, content.profile, &diag);
    if (peak_bytes - before > BYTES_FIXED + BYTES_PER_BYTE * (int64_t)size)
        abort();
    if (err == MPROF_E_OK)
        fuzz_foreign_write(&content);
    mpdata_content_fini(&content);
    return 0;
}

#endif
