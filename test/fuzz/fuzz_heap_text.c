/* fuzz_heap_text.c -- libFuzzer target: heap profiles as text, of jemalloc and
 * gperftools.
 *
 * An accepted input must give a valid struct mpdata_raw and take no more memory
 * than 32 times its size and 64 MiB.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/heap_text.h"
#include "test/fuzz/live_bytes.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_PER_BYTE 32
#define BYTES_FIXED (64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_so)
{
    if (!is_so)
        abort();
}

static void check(const struct mpdata_raw *raw)
{
    for (uint32_t i = 0; i < raw->module_count; i++)
        expect(strlen(raw->modules[i].path.bytes) <= raw->modules[i].path.size);
    for (uint32_t i = 0; i < raw->segment_count; i++)
        expect(raw->segments[i].module < raw->module_count &&
               raw->segments[i].start < raw->segments[i].end);
    for (uint32_t i = 0; i < raw->frame_count; i++)
        expect(raw->frames[i].module <= raw->module_count);
    for (uint32_t i = 0; i < raw->node_count; i++)
        expect(raw->nodes[i].parent <= i &&
               raw->nodes[i].frame < raw->frame_count);
    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mprof_mib mib = mpdata_raw_mib(raw, i);

        expect(raw->contexts[i].node <= raw->node_count);
        expect(mib.AllocCount != 0 &&
               (mib.LiveCount != 0 || mib.LiveBytes == 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool has_hooks;
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;
    int64_t before;

    if (!has_hooks)
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
    has_hooks = true;
    mpdata_heap_text_is(data, size);
    before = live_bytes;
    peak_bytes = live_bytes;
    if (mpdata_heap_text_read(data, size, &file, &diag) == MPROF_E_OK)
        check(&file.dumps[0]);
    expect(peak_bytes - before <= BYTES_FIXED + BYTES_PER_BYTE * (int64_t)size);
    mpdata_raw_file_free(&file);
    return 0;
}
