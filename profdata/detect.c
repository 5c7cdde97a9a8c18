/* detect.c -- kinds of files by their first bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/detect.h"
#include "shared/index_llvm.h"
#include "shared/le.h"
#include "shared/raw_format.h"
#include "shared/raw_llvm.h"

#include <string.h>

struct lookalike {
    const char *start;
    size_t size;
    const char *what;
};

#define LOOKALIKE(start, what)         \
    {                                  \
        start, sizeof(start) - 1, what \
    }

/* Files that people give by mistake. */
static const struct lookalike lookalikes[] = {
    LOOKALIKE("\x7f"
              "ELF",
              "it is an ELF file; binaries are given with --profiled-binary"),
    LOOKALIKE("\x81rforpl\xff",
              "it is a raw counter profile (default.profraw) of "
              "-fprofile-generate; llvm-profdata reads those"),
    LOOKALIKE("\x81Rforpl\xff",
              "it is a raw counter profile (default.profraw) of a 32-bit "
              "program; llvm-profdata reads those"),
    LOOKALIKE("\xff"
              "mprofr\x81",
              "it is an LLVM raw memory profile of a big-endian machine"),
    LOOKALIKE("\xff"
              "lprofr\x81",
              "it is a raw counter profile of a big-endian machine"),
    LOOKALIKE("SPROF42\xff", "it is a sample profile"),
    LOOKALIKE("\xfd"
              "7zXZ",
              "it is compressed with xz; unpack it first"),
    LOOKALIKE("heap profile:", "it is a gperftools heap profile"),
    LOOKALIKE("heap_v2/", "it is a jemalloc heap profile"),
    LOOKALIKE("Recorded MIBs",
              "it is the text of print_text=1; run the program without that "
              "option"),
    LOOKALIKE("PERFILE2", "it is a file of perf record"),
};

/* Files of text start with one of these, after comments and empty lines. */
static const char *const yaml_starts[] = {
    "---", "HeapProfileRecords:", "DataAccessProfiles:", "MemprofdataText:"};

static bool is_yaml(const uint8_t *data, size_t size)
{
    size_t at = 0;

    while (at < size && (data[at] == '#' || data[at] == '\n')) {
        const uint8_t *end = memchr(data + at, '\n', size - at);

        if (end == NULL)
            return false;
        at = (size_t)(end - data) + 1;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(yaml_starts); i++) {
        const size_t length = strlen(yaml_starts[i]);

        if (size - at >= length &&
            memcmp(data + at, yaml_starts[i], length) == 0)
            return true;
    }
    return false;
}

enum mpdata_kind mpdata_detect(const uint8_t *data, size_t size)
{
    if (size < 8)
        return MPDATA_KIND_UNKNOWN;
    switch (mprof_le_load64(data)) {
    case MPROF_RAW_MAGIC:
        return MPDATA_KIND_RAW;
    case MPROF_RAW_LLVM_MAGIC:
        return MPDATA_KIND_RAW_LLVM;
    case MPROF_INDEX_MAGIC:
        return MPDATA_KIND_INDEXED;
    default:
        return is_yaml(data, size) ? MPDATA_KIND_YAML : MPDATA_KIND_UNKNOWN;
    }
}

static bool is_text(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size && i < 64; i++) {
        if (data[i] < ' ' && data[i] != '\n' && data[i] != '\t' &&
            data[i] != '\r')
            return false;
    }
    return true;
}

const char *mpdata_detect_lookalike(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(lookalikes); i++) {
        if (size >= lookalikes[i].size &&
            memcmp(data, lookalikes[i].start, lookalikes[i].size) == 0)
            return lookalikes[i].what;
    }
    return is_text(data, size) ? "it is a text file" : NULL;
}
