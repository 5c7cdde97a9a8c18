/* fuzz_text.c -- libFuzzer target: profiles as JSON.
 *
 * An accepted input is written as JSON, which must read as the same profile:
 * both give the same JSON and the same indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/content.h"
#include "profdata/base/sink.h"
#include "profdata/index/index.h"
#include "profdata/json/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A text, and the text written from it. */
struct pass {
    struct mpdata_content content;
    struct mprof_buf text;
    struct mprof_buf index;
};

static void pass_init(struct pass *p)
{
    if (mpdata_content_init(&p->content) != MPROF_E_OK)
        abort();
    mpdata_heapbuf_init(&p->text);
    mpdata_heapbuf_init(&p->index);
}

static void pass_fini(struct pass *p)
{
    mpdata_heapbuf_fini(&p->index);
    mpdata_heapbuf_fini(&p->text);
    mpdata_content_fini(&p->content);
}

static bool read_text(struct pass *p, const void *data, size_t size)
{
    struct mprof_diag diag;

    return mpdata_json_read(data, size, &p->content, &diag) == MPROF_E_OK;
}

/* Aborts if writing fails for reasons other than memory and limits. */
static bool write_again(struct pass *p)
{
    const struct mpdata_index_options options = {.uncompressed = true,
                                                 .memprof_version = 4};
    struct mpdata_sink sink = mpdata_sink_to_buf(&p->text);
    enum mprof_err err = mpdata_profile_canonical_in_place(p->content.profile);

    if (err == MPROF_E_OK)
        err = mpdata_json_write_content(&p->content, &sink);
    if (err == MPROF_E_OK)
        err = mpdata_index_write(&p->content, &options, &p->index);
    if (err != MPROF_E_OK && err != MPROF_E_NOMEM && err != MPROF_E_LIMIT)
        abort();
    return err == MPROF_E_OK;
}

static void expect_same(const struct mprof_buf *a, const struct mprof_buf *b)
{
    if (a->size != b->size ||
        (a->size != 0 && memcmp(a->data, b->data, a->size) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pass first;
    struct pass second;

    pass_init(&first);
    pass_init(&second);
    if (read_text(&first, data, size) && write_again(&first)) {
        if (!read_text(&second, first.text.data, first.text.size))
            abort();
        if (write_again(&second)) {
            expect_same(&first.text, &second.text);
            expect_same(&first.index, &second.index);
        }
    }
    pass_fini(&second);
    pass_fini(&first);
    return 0;
}
