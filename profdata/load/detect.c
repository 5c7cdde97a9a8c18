/* detect.c -- finds the kind of a file from its first bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
#include "profdata/events/event_log.h"
#include "profdata/import/foreign.h"
#include "profdata/import/heap_text.h"
#include "profdata/json/json_form.h"
#include "shared/index_llvm.h"
#include "shared/le.h"
#include "shared/raw_format.h"
#include "shared/raw_llvm.h"
#include "shared/record_format.h"

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

#define NO_HEAP(of) \
    "it is a profile of " of "; that of the heap is another file"

/* Other files that people pass by mistake. */
static const struct lookalike lookalikes[] = {
    LOOKALIKE("\x7f"
              "ELF",
              "it is an ELF file; binaries are given with --profiled-binary"),
    LOOKALIKE(
        "\x81rforpl\xff",
        "it is a raw PGO profile (default.profraw); run llvm-profdata merge "
        "FILE -o FILE.profdata first"),
    LOOKALIKE(
        "\x81Rforpl\xff",
        "it is a raw PGO profile (default.profraw) of a 32-bit program; run "
        "llvm-profdata merge FILE -o FILE.profdata first"),
    LOOKALIKE("\xff"
              "mprofr\x81",
              "it is an LLVM raw memory profile of a big-endian machine"),
    LOOKALIKE("\xff"
              "lprofr\x81",
              "it is a raw PGO profile of a big-endian machine"),
    LOOKALIKE("\xff"
              "Rprofr\x81",
              "it is a raw PGO profile of a big-endian machine of 32 bits"),
    LOOKALIKE("SPROF42\xff", "it is a sample profile"),
    LOOKALIKE("\xfd"
              "7zXZ",
              "it is compressed with xz; unpack it first"),
    LOOKALIKE("BZh", "it is compressed with bzip2; unpack it first"),
    LOOKALIKE("PK\3\4", "it is a zip archive; unpack it first"),
    LOOKALIKE("Recorded MIBs",
              "it is the text of print_text=1; run the program without that "
              "option"),
    LOOKALIKE("PERFILE2", "it is a file of perf record"),
    LOOKALIKE("FLR\0", "it is a recording of Java's Flight Recorder; convert "
                       "its allocations to pprof"),
    LOOKALIKE("memray", "it is a recording of memray"),
    LOOKALIKE("desc: ", "it is a file of massif, which export writes and no "
                        "command reads"),
    LOOKALIKE("{\"dhatFileVersion\"", "it is a file of DHAT, which export "
                                      "writes and no command reads"),
    LOOKALIKE("--- heapz", "it is a heap profile of Java as text; convert it "
                           "with pprof -proto"),
    LOOKALIKE("goroutine ", NO_HEAP("goroutines")),
    LOOKALIKE("threadcreate profile:", NO_HEAP("threads")),
    LOOKALIKE("--- threadz", NO_HEAP("threads")),
    LOOKALIKE("--- contention", NO_HEAP("contention")),
    LOOKALIKE("--- mutex", NO_HEAP("contention")),
    LOOKALIKE("{", "it is JSON, but not of a memory profile"),
    LOOKALIKE("---\n", "it is YAML, but not of a memory profile"),
};

/* Bytes in which the marks of LLVM's texts are searched. */
#define TEXT_BYTES_MAX (64u << 10)

static bool starts_with(const uint8_t *data, size_t size, const char *start)
{
    const size_t length = strlen(start);

    return size >= length && memcmp(data, start, length) == 0;
}

static bool holds(const uint8_t *data, size_t size, const char *text)
{
    return memmem(data, size < TEXT_BYTES_MAX ? size : TEXT_BYTES_MAX, text,
                  strlen(text)) != NULL;
}

/* Skips empty lines and comment lines at the start. */
static const uint8_t *skip_comments(const uint8_t *data, size_t *size)
{
    while (*size != 0 && (data[0] == '#' || data[0] == '\n')) {
        const uint8_t *const end = memchr(data, '\n', *size);
        const size_t line = end != NULL ? (size_t)(end - data) + 1 : *size;

        data += line;
        *size -= line;
    }
    return data;
}

static bool is_llvm_yaml(const uint8_t *data, size_t size)
{
    static const char *const keys[] = {"HeapProfileRecords:",
                                       "DataAccessProfiles:"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(keys); i++) {
        if (starts_with(data, size, "---") && holds(data, size, keys[i]))
            return true;
    }
    return false;
}

/* Detects the text with a header line, and without one as llvm-profdata writes
 * it. */
static bool is_counters_text(const uint8_t *data, size_t size)
{
    static const char *const starts[] = {":ir\n", ":fe\n", ":csir\n",
                                         ":entry_first\n",
                                         ":temporal_prof_traces\n"};

    if (holds(data, size, "\n# Func Hash:\n"))
        return true;
    data = skip_comments(data, &size);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(starts); i++) {
        if (starts_with(data, size, starts[i]))
            return true;
    }
    return false;
}

static size_t skip_space(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && (data[at] == ' ' || data[at] == '\n' ||
                         data[at] == '\t' || data[at] == '\r'))
        at++;
    return at;
}

/* Is it a JSON object whose first key is that of our text? */
static bool is_json(const uint8_t *data, size_t size)
{
    size_t at = skip_space(data, size, 0);

    if (at == size || data[at] != '{')
        return false;
    at = skip_space(data, size, at + 1);
    return starts_with(data + at, size - at,
                       "\"" MPDATA_JSON_FORM_VERSION_KEY "\"");
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
    case MPROF_RECORD_MAGIC:
        return MPDATA_KIND_RECORD;
    default:
        if (mpdata_event_log_is(data, size))
            return MPDATA_KIND_LOG;
        if (is_json(data, size))
            return MPDATA_KIND_TEXT;
        if (is_llvm_yaml(data, size) || is_counters_text(data, size))
            return MPDATA_KIND_LLVM_TEXT;
        if (mpdata_heap_text_is(data, size))
            return MPDATA_KIND_HEAP_TEXT;
        return mpdata_foreign_find(data, size) != NULL ? MPDATA_KIND_FOREIGN
                                                       : MPDATA_KIND_UNKNOWN;
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

const char *mpdata_detect_llvm_text(const uint8_t *data, size_t size)
{
    return is_llvm_yaml(data, size)
               ? "it is LLVM's YAML of a memory profile; run llvm-profdata "
                 "merge --memprof-full-schema FILE -o FILE.profdata first"
               : "it is LLVM's text of PGO counters; run llvm-profdata merge "
                 "FILE -o FILE.profdata first";
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
