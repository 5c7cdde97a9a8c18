/* commands.c -- runs whole commands on damaged files, any number of them.
 *
 *   commands [-runs N] [-seed N] [-jobs N] [-only N] WORK SEED...
 *
 * Each run damages a seed (damage.h) and lets a command read it; most damaged
 * files get valid checksums. Each run must end without a crash under the
 * sanitizers, within a few seconds of this process's CPU time, with at most 32
 * times the unpacked input and 64 MiB of memory, without a leak, and with a
 * documented exit status. A run is determined by its number and the seed's
 * number: -only repeats one and shows all its output.
 *
 * The runs are made in child processes, many in each, so that a crash ends the
 * child and the parent counts it. Requests to malloc are counted, but not the
 * sanitizers' own memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inc/memprofdata.h"
#include "profdata/cmd/commands.h"
#include "profdata/export/formats.h"
#include "profdata/load/parse.h"
#include "profdata/query/metrics.h"
#include "profdata/symbols/symbolizer.h"
#include "shared/index_format.h"
#include "shared/le.h"
#include "test/fuzz/damage.h"
#include "test/unit/raw_build.h"
#include "test/fuzz/live_bytes.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sanitizer/common_interface_defs.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#define BYTES_PER_BYTE 32
#define BYTES_FIXED (INT64_C(64) << 20)
/* CPU time of this process, under the sanitizers. */
#define SECONDS_MAX 10
#define CHILD_RUNS 2000u
#define JOBS_MAX 64u
#define WORDS_MAX 16
#define WORD_BYTES 64
#define SEEDS_MAX 256
#define STATUS_MAX 5

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16:"
           "malloc_context_size=12";
}

/* -- seeds ----------------------------------------------------------------- */

#define KINDS(X)                               \
    X(RAW, "raw, ours")                        \
    X(RAW_LLVM, "raw, LLVM's")                 \
    X(INDEX, "indexed, ours")                  \
    X(INDEX_LLVM, "indexed, LLVM's")           \
    X(JSON, "JSON")                            \
    X(FOREIGN, "of other tools")               \
    X(LOG, "log of blocks")                    \
    X(PACKED, "compressed")                    \
    X(BINARY, "binary with debug information") \
    X(LIST, "list of inputs")                  \
    X(CACHE, "cache of symbols")               \
    X(BUDGET, "budget")                        \
    X(HINTS, "list of hints")                  \
    X(USE_LOG, "log of a profile's use")       \
    X(OBJECTS, "objects of a virtual machine") \
    X(LEAKS, "list of suppressions")

enum kind {
#define X(name, text) KIND_##name,
    KINDS(X)
#undef X
        KIND_COUNT
};

static const char *const kind_texts[] = {
#define X(name, text) text,
    KINDS(X)
#undef X
};

struct seed {
    enum kind kind;
    struct damage_file file;
};

static struct seed *seeds;
static uint32_t seed_count;
static const struct damage_file *good_index;
static const struct damage_file *good_budget;
static const struct damage_file *good_leaks;

static enum kind find_kind(const struct damage_file *file)
{
    const uint8_t *const data = file->data;

    switch (mpdata_detect(data, file->size)) {
    case MPDATA_KIND_RAW:
        return KIND_RAW;
    case MPDATA_KIND_RAW_LLVM:
        return KIND_RAW_LLVM;
    case MPDATA_KIND_INDEXED:
        return mprof_le_load64(data + file->size - 8) == MPROF_INDEX_EXT_MAGIC
                   ? KIND_INDEX
                   : KIND_INDEX_LLVM;
    case MPDATA_KIND_TEXT:
        return KIND_JSON;
    case MPDATA_KIND_FOREIGN:
    case MPDATA_KIND_HEAP_TEXT:
        return KIND_FOREIGN;
    case MPDATA_KIND_LOG:
        return KIND_LOG;
    default:
        break;
    }
    if (file->size >= 8 && mprof_le_load64(data) == MPDATA_SYMCACHE_MAGIC)
        return KIND_CACHE;
    if (memcmp(data, "# budget", 8) == 0)
        return KIND_BUDGET;
    if (memcmp(data, "# hints", 7) == 0)
        return KIND_HINTS;
    if (memcmp(data, "{\"MemprofObj", 12) == 0)
        return KIND_OBJECTS;
    if (memcmp(data, "module\t", 7) == 0)
        return KIND_USE_LOG;
    if (memcmp(data, "leak:", 5) == 0)
        return KIND_LEAKS;
    if (memcmp(data,
               "\x7f"
               "ELF",
               4) == 0)
        return KIND_BINARY;
    return memcmp(data, "\x1f\x8b", 2) == 0 ||
                   memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0
               ? KIND_PACKED
               : KIND_LIST;
}

/* Damaged by line and by word. */
static bool is_text(const struct damage_file *file)
{
    for (size_t i = 0; i < file->size; i++) {
        if (file->data[i] < '\t')
            return false;
    }
    return true;
}

static void add_seed(const void *data, size_t size)
{
    struct seed *const seed = &seeds[seed_count];

    if (seed_count == SEEDS_MAX || size > DAMAGE_BYTES_MAX) {
        fprintf(stderr, "too many seeds, or too large\n");
        exit(2);
    }
    memcpy(seed->file.data, data, size);
    seed->file.size = size;
    seed->kind = find_kind(&seed->file);
    seed_count++;
}

static void read_seed(const char *path)
{
    static uint8_t bytes[DAMAGE_BYTES_MAX + 1];
    FILE *in = fopen(path, "rb");

    if (in == NULL) {
        perror(path);
        exit(2);
    }
    add_seed(bytes, fread(bytes, 1, sizeof(bytes), in));
    fclose(in);
}

static const struct damage_file *find_seed(enum kind kind)
{
    for (uint32_t i = 0; i < seed_count; i++) {
        if (seeds[i].kind == kind)
            return &seeds[i].file;
    }
    fprintf(stderr, "there is no seed: %s\n", kind_texts[kind]);
    exit(2);
}

/* -- files ----------------------------------------------------------------- */

enum file {
    FILE_DAMAGED,
    FILE_GOOD,
    FILE_BINARY,
    FILE_BUDGET,
    FILE_LEAKS,
    FILES
};

static int file_fds[FILES];
static char file_paths[FILES][WORD_BYTES];

static void write_file(enum file which, const struct damage_file *file)
{
    if (ftruncate(file_fds[which], 0) != 0 ||
        pwrite(file_fds[which], file->data, file->size, 0) !=
            (ssize_t)file->size)
        abort();
}

/* The same places in each child, which has its own copies of the files. */
static void open_files(void)
{
    for (int i = 0; i < FILES; i++) {
        const int fd = memfd_create("file", 0);

        if (fd < 0)
            abort();
        if (file_fds[i] == 0)
            file_fds[i] = fd;
        else if (dup2(fd, file_fds[i]) < 0 || close(fd) != 0)
            abort();
        snprintf(file_paths[i], sizeof(file_paths[i]), "/proc/self/fd/%d",
                 file_fds[i]);
    }
}

/* The build id of all files that raw_llvm_build() makes. */
#define BUILD_ID                                                           \
    "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" \
    "\x01\x01\x01"
/* Addresses of the seeds' code. */
#define CODE_START UINT64_C(0x400000)
#define CODE_BYTES UINT64_C(0x1000)
#define FRAMES 12u

/* A raw profile of the program in FILE_BINARY, with its path. */
static void add_raw_of_binary(const char *build_id)
{
    struct raw_table tables[] = {
        {MPROF_RAW_META, {1, 2, 3}, 3, 1, {MPROF_RAW_META_IS_PID, 1, 0}, NULL},
        {MPROF_RAW_STRINGS, {1, 2}, 2, 3, {0}, NULL},
        {MPROF_RAW_MODULES, {1, 2, 3, 4}, 4, 1, {1, 2, 0, 1}, NULL},
        {MPROF_RAW_SEGMENTS,
         {1, 2, 3, 4},
         4,
         1,
         {0, CODE_START, CODE_START + CODE_BYTES, 0},
         NULL},
        {MPROF_RAW_FRAMES, {1, 2}, 2, FRAMES, {0}, NULL},
        {MPROF_RAW_NODES, {1, 2}, 2, FRAMES, {0}, NULL},
        {MPROF_RAW_CONTEXTS,
         {MPROF_MIB_TAG_AllocCount, MPROF_MIB_TAG_TotalSize,
          MPROF_RAW_CONTEXTS_NODE},
         3,
         FRAMES / 3,
         {0},
         NULL}};
    const struct raw_table *all[MPROF_ARRAY_LEN(tables)];
    char strings[2 * WORD_BYTES];
    struct mprof_buf out;

    snprintf(strings, sizeof(strings), "%s%s", file_paths[FILE_BINARY],
             build_id);
    tables[1].blob = strings;
    tables[1].values[1] = strlen(file_paths[FILE_BINARY]);
    tables[1].values[2] = strlen(strings);
    for (uint64_t i = 0; i < FRAMES; i++) {
        tables[4].values[2 * i] = 1;
        tables[4].values[2 * i + 1] = CODE_START + 0x150 + 7 * i;
        tables[5].values[2 * i] = i % 3 != 0;
        tables[5].values[2 * i + 1] = i;
        tables[6].values[i] = i % 3 == 2 ? i + 1 : i;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(tables); i++)
        all[i] = &tables[i];
    raw_build(&out, all, MPROF_ARRAY_LEN(tables), false);
    add_seed(out.data, out.size);
    mpdata_heapbuf_fini(&out);
}

/* LLVM's raw profile, which has the program's build id. */
static void add_llvm_of_binary(uint64_t version)
{
    const uint64_t code = CODE_START + 0x150;
    const struct raw_llvm raw = {
        .version = version,
        .segments = {CODE_START, CODE_START + CODE_BYTES, CODE_START},
        .segment_count = 1,
        .mibs = {1, 10, 2, 20},
        .mib_count = 2,
        .buckets = version > 3 ? 2 : 0,
        .stacks = {1, 3, code + 5, code + 0x19, code + 0x3b, 2, 2, code + 9,
                   code + 0x4a},
        .stack_words = 9,
        .stack_count = 2};
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    raw_llvm_build(&out, &raw);
    add_seed(out.data, out.size);
    mpdata_heapbuf_fini(&out);
}

/* The last seeds: raw profiles of the program in FILE_BINARY. */
#define RAWS_OF_BINARY 5u

static void add_raws_of_binary(void)
{
    add_raw_of_binary("");
    add_raw_of_binary(BUILD_ID);
    for (uint64_t version = 3; version <= 5; version++)
        add_llvm_of_binary(version);
}

/* -- commands -------------------------------------------------------------- */

#define PROFILES ((1u << KIND_LIST) - 1)
#define LOGS (1u << KIND_LOG)
#define RAWS (1u << KIND_RAW | 1u << KIND_RAW_LLVM | 1u << KIND_BINARY)

/* The commands and the kinds of files that they read. %F: the damaged file, or
 * a path to it; %G: a valid file; %B: the binary; %T, %L: a valid budget and
 * list of suppressions; %O: an output; %V: --no-verify or nothing; %X, %K, %N:
 * a format of export, a key of --sort, a number. */
static const struct action {
    unsigned kinds;
    const char *words;
} actions[] = {
    {PROFILES, "show %V --no-cache %F"},
    {PROFILES, "show %V --no-cache --top=%N --sort=%K %F"},
    {PROFILES, "show %V --no-cache --by=function --sort=%K %F"},
    {PROFILES, "show %V --no-cache --by=line --top=%N --sort=%K %F"},
    {PROFILES, "show %V --no-cache --by=file --full-stacks %F"},
    {PROFILES, "show %V --no-cache --tree --sort=%K %F"},
    {PROFILES, "show %V --no-cache --tree --details --threshold=0 %F"},
    {PROFILES, "show %V --no-cache --callers=[a-m] --sort=%K %F"},
    {PROFILES, "show %V --no-cache --callees=. --threshold=0 %F"},
    {PROFILES, "show %V --no-cache --list=. --sort=%K %F"},
    {PROFILES, "show %V --no-cache --file=c --exclude-function=a "
               "--filter=bytes/blocks<99 %F"},
    {PROFILES, "show %V --no-cache --histogram --element=24 %F"},
    {PROFILES, "show %V --no-cache --histogram --json --top=%N %F"},
    {PROFILES, "show %V --no-cache --by=type --top=%N %F"},
    {PROFILES, "show %V --no-cache --by=type --json %F"},
    {PROFILES, "show %V --no-cache --by=thread --top=%N %F"},
    {PROFILES, "show %V --no-cache --by=thread --json %F"},
    {PROFILES, "show %V --no-cache --events --top=%N %F"},
    {PROFILES, "show %V --no-cache --events --json %F"},
    {PROFILES, "show %V --no-cache --copies --top=%N %F"},
    {PROFILES, "show %V --no-cache --copies --json %F"},
    {PROFILES, "show %V --no-cache --pools --top=%N %F"},
    {PROFILES, "show %V --no-cache --by=pool --json %F"},
    {PROFILES, "show %V --no-cache --pools --tree --json %F"},
    {PROFILES, "show %V --no-cache --leaks %F"},
    {PROFILES, "show %V --no-cache --leaks --json --suppressions=%L %F"},
    {1u << KIND_LEAKS, "show --leaks --suppressions=%F %G"},
    {1u << KIND_LEAKS, "show --leaks --tree --json --suppressions=%F %G"},
    {PROFILES, "show %V --no-cache --sizes --top=%N --sort=%K %F"},
    {PROFILES, "show %V --no-cache --ends --json %F"},
    {PROFILES, "show %V --no-cache --sizes --json %F"},
    {PROFILES, "show %V --no-cache --lifetimes --top=%N %F %G"},
    {PROFILES, "show %V --no-cache --lifetimes --json --top=%N %F"},
    {PROFILES, "show %V --no-cache --ends --full-stacks --top=%N %F"},
    {PROFILES, "show %V --no-cache --timeline %F"},
    {PROFILES, "show %V --no-cache --timeline --json %F %G"},
    {PROFILES, "show %V --no-cache --at=peak --exclude-file=c %F"},
    {PROFILES, "show %V --no-cache --temporary --by=file --exclude-thread=w "
               "--filter=temporary>0|leaked<%N %F"},
    {PROFILES, "export --format=pprof --no-cache --base=%G %F -o %O"},
    {LOGS, "live --count=1 --no-cache %F"},
    {LOGS, "show %V --no-cache --at=peak --tree %F"},
    {LOGS, "show %V --no-cache --at=1us --json %F"},
    {LOGS, "show %V --no-cache --window=start,end --sort=%K %F"},
    {LOGS, "events %F"},
    {LOGS, "events --json --every=1us %F -o %O"},
    {LOGS, "events --no-cache --list --kind=free --size=1-4K --top=%N %F"},
    {LOGS, "events --no-cache --list --json --window=1us,peak --top=9 %F"},
    {LOGS, "events --no-cache --follow=7b7ef56b0b80@peak %F -o %O"},
    {LOGS, "replay --rounds=1 --allocator=glibc %F"},
    {LOGS, "merge -j1 %V --no-cache --at=a --text %F -o %O"},
    {LOGS, "report %V --no-cache --at=peak %F -o %O"},
    {LOGS, "report %V --no-cache %F -o %O"},
    {LOGS, "export %V --no-cache --window=a --format=%X %F -o %O"},
    {RAWS, "show %V --no-cache --by=module --profiled-binary=%B %F"},
    {PROFILES, "show %V --no-cache --json --sort=%K %F"},
    {PROFILES, "show %V --no-cache --json --by=line %F -o %O"},
    {PROFILES, "show %V --no-cache --json --tree %F"},
    {PROFILES, "show %V --no-cache --json --callers=[a-m] %F"},
    {PROFILES, "show %V --no-cache --json --list=. %F"},
    {PROFILES, "show %V --no-cache --full-stacks --color=always %F -o %O"},
    {PROFILES, "show %V --no-cache --function=(a|b|m)+ %F"},
    {PROFILES, "show %V --no-cache --type=[a-m] --exclude-type=x|y %F"},
    {PROFILES, "show %V --no-cache %F %G"},
    {RAWS, "show %V --no-cache --profiled-binary=%B %F"},
    {RAWS, "show %V --no-cache --binary=(l|x|f)i*[bd] --thread=. %F"},
    {PROFILES, "diff %V --no-cache --sort=%K %G %F"},
    {PROFILES, "diff %V --no-cache --by=line --full-stacks %F %G -o %O"},
    {PROFILES, "diff %V --no-cache --by=file --absolute %F %G"},
    {PROFILES, "diff %V --no-cache --json --by=function %F %F"},
    {PROFILES, "diff %V --no-cache --json --function=(a|b|m)+ %G %F -o %O"},
    {PROFILES, "check-budget %V --no-cache --baseline=%G %T %F"},
    {PROFILES, "check-budget %V --no-cache --baseline=%F %T %G"},
    {1u << KIND_BUDGET, "check-budget --baseline=%G %F %G"},
    {PROFILES, "explain %V --no-cache %F"},
    {PROFILES, "explain %V --no-cache --full-stacks --top=%N %F %G -o %O"},
    {PROFILES, "explain %V --no-cache --json --rule=llvm --verdict=none %F"},
    {PROFILES, "advise %V --no-cache --min=0 %F"},
    {PROFILES, "advise %V --no-cache --format=sarif --top=%N %F %G -o %O"},
    {PROFILES, "advise %V --no-cache --json --baseline=%F %G"},
    {PROFILES, "fields %V --no-cache --propose --top=%N %F"},
    {PROFILES, "fields %V --no-cache --json --type=[a-m] %F %G -o %O"},
    {PROFILES, "whatif %V --no-cache --hot-cold %F"},
    {PROFILES, "whatif %V --no-cache --pool=main --json %F %G -o %O"},
    {PROFILES, "whatif %V --no-cache --reorder=item %F"},
    {LOGS, "whatif %V --no-cache --pool=main %F"},
    {LOGS, "whatif %V --no-cache --hot-cold --json %F -o %O"},
    {1u << KIND_HINTS, "explain --hints=%F %G"},
    {1u << KIND_HINTS, "explain --json --hints=%F %G -o %O"},
    {1u << KIND_OBJECTS, "objects --top=%N %F"},
    {1u << KIND_OBJECTS, "objects --json --path=0xb000 %F -o %O"},
    {1u << KIND_OBJECTS, "objects --snapshot %F -o %O"},
    {1u << KIND_USE_LOG, "usage --top=%N %F"},
    {1u << KIND_USE_LOG, "usage --json %F %F -o %O"},
    {PROFILES, "check %F"},
    {PROFILES, "events --json %F"},
    {PROFILES, "events --every=%N %F -o %O"},
    {PROFILES, "events --list --top=%N --function=[a-m] %F"},
    {PROFILES, "events --follow=1040@end --json %F"},
    {PROFILES, "events --lua-report %F"},
    {PROFILES, "events --lua-report --human-readable --heap-snap-interval=%N "
               "%F -o %O"},
    {PROFILES, "check --quiet %F %G"},
    {PROFILES, "report %V --no-cache %F -o %O"},
    {PROFILES, "report %V --no-cache --no-source --function=(a|b|m)+ "
               "--filter=bytes/blocks<99 %F -o %O"},
    {PROFILES, "report %V --no-cache %F %G -o %O"},
    {PROFILES, "report %V --no-cache --diff %F %G -o %O"},
    {PROFILES, "report %V --no-cache --diff --absolute %G %F -o %O"},
    {PROFILES, "export %V --no-cache --format=%X %F"},
    {PROFILES, "export %V --no-cache --format=%X %F %G -o %O"},
    {PROFILES, "export %V --no-cache --format=%X --type=. --filter=bytes>9 %F"},
    {PROFILES, "export %V --no-cache --format=folded --metric=%K %F -o %O"},
    {PROFILES, "export %V --no-cache --format=pprof --metric=%K %F %G -o %O"},
    {PROFILES, "merge -j1 %V --no-cache %F -o %O"},
    {PROFILES, "merge -j1 %V --no-cache --text %F -o %O"},
    {PROFILES, "merge -j1 %V --no-cache --memprof-version=2 "
               "--memprof-full-schema %F -o %O"},
    {PROFILES, "merge -j1 %V --no-cache --memprof-version=4 %F %G -o %O"},
    {PROFILES, "merge -j1 %V --no-cache --llvm-only -w5,%F %G -o %O"},
    {PROFILES, "merge -j3 %V --failure-mode=warn %G %F %F -o %O"},
    {PROFILES, "merge -j1 %V --no-cache --min-bytes=9 --max-depth=%N "
               "--max-contexts=9 --function=. %F -o %O"},
    {PROFILES,
     "merge -j1 %V --no-cache --strip-paths --hash-names=%B %F -o %O"},
    {PROFILES,
     "merge -j1 %V --no-cache --failure-mode=all --decay=7d %F %G -o %O"},
    {PROFILES, "merge -j1 %V --no-cache --across-builds %F %G -o %O"},
    {PROFILES, "merge -j1 %V --no-cache --memprof-random-hotness %F -o %O"},
    {RAWS, "export %V --no-cache --format=%X --profiled-binary=%B %F"},
    {RAWS, "merge -j1 %V --no-cache --memprof-version=4 --profiled-binary=%B "
           "%F -o %O"},
    {RAWS, "merge -j2 %V --profiled-binary=%B %F -o %O"},
    {PROFILES, "library %F"},
    {1u << KIND_LIST, "show %V @%F"},
    {1u << KIND_LIST, "check @%F"},
    {1u << KIND_LIST, "export --format=%X @%F"},
    {1u << KIND_LIST, "merge -j1 @%F -o %O"},
    {1u << KIND_LIST, "merge -j3 --failure-mode=all -f %F %G -o %O"},
    {1u << KIND_CACHE, "cache %F"},
};

static int count_context(void *context, const struct memprofdata_context *found)
{
    *(size_t *)context += found->frame_count + found->value_count;
    return 0;
}

static int run_library(const char *path)
{
    struct memprofdata_profile *const profile = memprofdata_profile_new();
    struct memprofdata_index *index = NULL;
    struct memprofdata_error error;
    size_t count = 0;
    bool found;

    if (memprofdata_open(path, &index, &error) == 0) {
        (void)memprofdata_find_name(index, "main", count_context, &count,
                                    &found, &error);
        (void)memprofdata_find_guid(index, memprofdata_guid("a"), count_context,
                                    &count, &found, &error);
    }
    memprofdata_close(index);
    if (memprofdata_profile_add(profile, path, 3, &error) == 0 &&
        memprofdata_profile_visit(profile, count_context, &count, &error) == 0)
        (void)memprofdata_profile_write(profile, "out", &error);
    memprofdata_profile_free(profile);
    return 0;
}

/* With the key of the seed. */
static int run_cache(const char *path)
{
    struct mpdata_symbols symbols;

    mpdata_symbols_init(&symbols);
    (void)mpdata_symcache_load(path, 0, &symbols);
    mpdata_symbols_fini(&symbols);
    return 0;
}

struct words {
    int count;
    char *list[WORDS_MAX];
    char bytes[WORDS_MAX][WORD_BYTES];
};

static const char *pick_format(struct damage_random *random)
{
    size_t count = 0;

    while (mpdata_formats[count].name != NULL)
        count++;
    return mpdata_formats[damage_below(random, count)].name;
}

/* The replacement of the letter after a percent sign. */
static const char *find_word(char letter, struct damage_random *random)
{
    static const char *const keys[] = {
#define X(id, name, field, held, title, one, many) name,
        MPDATA_METRICS(X)
#undef X
    };
    static const char *const numbers[] = {"1", "2", "5", "100", "4000000000"};

    switch (letter) {
    case 'F':
        return file_paths[FILE_DAMAGED];
    case 'G':
        return file_paths[FILE_GOOD];
    case 'T':
        return file_paths[FILE_BUDGET];
    case 'L':
        return file_paths[FILE_LEAKS];
    case 'B':
        return file_paths[FILE_BINARY];
    case 'O':
        return damage_chance(random, 4) ? "out" : "-";
    case 'X':
        return pick_format(random);
    case 'K':
        return keys[damage_below(random, MPROF_ARRAY_LEN(keys))];
    case 'N':
        return numbers[damage_below(random, MPROF_ARRAY_LEN(numbers))];
    default:
        return damage_chance(random, 2) ? "--no-verify" : "";
    }
}

static void make_words(struct words *words, const char *text,
                       struct damage_random *random)
{
    words->count = 0;
    while (*text != '\0') {
        char *out = words->bytes[words->count];
        size_t size = 0;

        for (; *text != '\0' && *text != ' '; text++) {
            if (*text == '%')
                size += (size_t)snprintf(out + size, WORD_BYTES - size, "%s",
                                         find_word(*++text, random));
            else
                out[size++] = *text;
        }
        out[size] = '\0';
        words->list[words->count] = out;
        words->count += size != 0;
        text += *text == ' ';
    }
    words->list[words->count] = NULL;
}

static int run_words(struct words *words)
{
    struct cmd_call call = {.command = cmd_find(commands, words->list[0]),
                            .all = commands,
                            .argc = words->count,
                            .argv = words->list};

    if (call.command != NULL)
        return call.command->run(&call);
    return strcmp(words->list[0], "library") == 0 ? run_library(words->list[1])
                                                  : run_cache(words->list[1]);
}

/* Every command that reads profiles is here. */
static bool are_all_there(void)
{
    for (const struct cmd_command *const *c = commands; *c != NULL; c++) {
        const size_t size = strlen((*c)->name);
        bool found = strcmp((*c)->name, "help") == 0 ||
                     strcmp((*c)->name, "control") == 0 ||
                     strcmp((*c)->name, "serve") == 0 ||
                     strcmp((*c)->name, "version") == 0;

        for (size_t i = 0; i < MPROF_ARRAY_LEN(actions); i++)
            found |= strncmp(actions[i].words, (*c)->name, size) == 0 &&
                     actions[i].words[size] == ' ';
        if (!found) {
            fprintf(stderr, "commands.c does not run %s\n", (*c)->name);
            return false;
        }
    }
    return true;
}

/* -- one run --------------------------------------------------------------- */

struct run {
    enum kind kind;
    struct damage_file file;
    const struct damage_file *binary; /* if that is not damaged */
    const struct damage_file *raw;    /* that leads to a damaged binary */
    uint64_t base_bytes; /* of everything that it reads, unpacked */
    struct words words;
};

/* In one frame of zstd. */
static void pack(struct damage_file *file)
{
    static uint8_t packed[DAMAGE_BYTES_MAX];
    const size_t n =
        ZSTD_compress(packed, sizeof(packed), file->data, file->size, 1);

    if (ZSTD_isError(n))
        return;
    memcpy(file->data, packed, n);
    file->size = n;
}

/* Only names in the directory of the run are inputs. */
static void keep_inside(struct damage_file *list)
{
    for (size_t i = 0; i < list->size; i++) {
        if (list->data[i] == '/' || list->data[i] == '.')
            list->data[i] = '_';
    }
}

static const struct action *pick_action(enum kind kind,
                                        struct damage_random *random)
{
    const struct action *action;

    do
        action = &actions[damage_below(random, MPROF_ARRAY_LEN(actions))];
    while ((action->kinds & 1u << kind) == 0);
    return action;
}

static const struct seed *pick_seed(struct damage_random *random)
{
    return &seeds[damage_below(random, seed_count)];
}

/* The n-th run from `start`. */
static void make_run(struct run *run, uint64_t start, uint64_t n)
{
    struct damage_random random = {.state =
                                       start * UINT64_C(0x2545f4914f6cdd1d) +
                                       n * UINT64_C(0xd1342543de82ef95)};
    const enum kind kind = (enum kind)damage_below(&random, KIND_COUNT);
    const struct seed *seed;
    const struct seed *other;
    const struct seed *binary;

    do
        seed = pick_seed(&random);
    while (seed->kind != kind &&
           !(kind == KIND_PACKED && seed->kind < KIND_PACKED));
    do
        binary = pick_seed(&random);
    while (binary->kind != KIND_BINARY);
    other = pick_seed(&random);
    run->binary = &binary->file;
    run->raw =
        &seeds[seed_count - 1 - damage_below(&random, RAWS_OF_BINARY)].file;
    run->kind = kind;
    run->file.size = seed->file.size;
    memcpy(run->file.data, seed->file.data, seed->file.size);
    damage_file(&run->file, &other->file, is_text(&seed->file), &random);
    if (kind == KIND_PACKED && seed->kind != KIND_PACKED)
        pack(&run->file);
    if (kind == KIND_LIST)
        keep_inside(&run->file);
    make_words(&run->words, pick_action(kind, &random)->words, &random);
}

/* Puts the files where the command finds them. */
static void place_files(struct run *run)
{
    const bool is_binary = run->kind == KIND_BINARY;
    const struct damage_file *const binary =
        is_binary ? &run->file : run->binary;
    const struct damage_file *const first = is_binary ? run->raw : &run->file;

    write_file(FILE_DAMAGED, first);
    write_file(FILE_BINARY, binary);
    run->base_bytes = damage_unpacked_bytes(first->data, first->size) +
                      binary->size + good_index->size;
}

/* Shared by all workers. */
struct tally {
    _Atomic uint64_t runs;
    _Atomic uint64_t of_kind[KIND_COUNT];
    _Atomic uint64_t of_status[STATUS_MAX];
    _Atomic uint64_t crashes;
    _Atomic uint64_t hangs;
    _Atomic uint64_t large;
    _Atomic uint64_t wrong;
    _Atomic uint64_t worst_ns;
    _Atomic uint64_t worst_share; /* of the allowed memory, per mille */
    _Atomic uint64_t worst_bytes;
    _Atomic uint64_t now[JOBS_MAX]; /* the current run of a worker */
};

static struct tally *tally;
static FILE *report;

static void raise_to(_Atomic uint64_t *worst, uint64_t value)
{
    uint64_t was = *worst;

    while (was < value && !atomic_compare_exchange_weak(worst, &was, value))
        continue;
}

static void say_run(uint64_t n, const struct run *run, const char *what)
{
    fprintf(report, "run %" PRIu64 ": %s:", n, kind_texts[run->kind]);
    for (int i = 0; i < run->words.count; i++)
        fprintf(report, " %s", run->words.list[i]);
    fprintf(report, ": %s\n", what);
    fflush(report);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Returns the exit status; sets *bytes to the memory used and *kept to the
 * memory leaked. */
static int measure(struct run *run, int64_t *bytes, int64_t *kept)
{
    const int64_t before = live_bytes;
    int status;

    peak_bytes = before;
    status = run_words(&run->words);
    fflush(stdout);
    *bytes = peak_bytes - before;
    *kept = live_bytes - before;
    return status;
}

static void judge(struct run *run, uint64_t n)
{
    const int64_t allowed =
        BYTES_PER_BYTE * (int64_t)run->base_bytes + BYTES_FIXED;
    const uint64_t start = now_ns();
    char what[80];
    int64_t bytes;
    int64_t kept;
    int status = measure(run, &bytes, &kept);

    raise_to(&tally->worst_ns, now_ns() - start);
    raise_to(&tally->worst_bytes, (uint64_t)bytes);
    raise_to(&tally->worst_share, (uint64_t)(bytes / (allowed / 1000)));
    if (status < 0 || status >= STATUS_MAX) {
        tally->wrong++;
        say_run(n, run, "an exit status that there is not");
    } else {
        tally->of_status[status]++;
    }
    if (bytes > allowed) {
        tally->large++;
        snprintf(what, sizeof(what),
                 "takes %" PRId64 " kB of memory for %" PRIu64 " bytes",
                 bytes / 1000, run->base_bytes);
        say_run(n, run, what);
    }
    /* libc keeps memory at the first run only. */
    if (kept > 0)
        (void)measure(run, &bytes, &kept);
    if (kept > 0) {
        tally->wrong++;
        snprintf(what, sizeof(what), "%" PRId64 " bytes are not freed", kept);
        say_run(n, run, what);
    }
}

/* -- many runs ------------------------------------------------------------- */

struct plan {
    uint64_t start;
    uint64_t runs;
    uint64_t jobs;
};

static struct run current;

static void limit_time(time_t seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};

    setitimer(ITIMER_PROF, &timer, NULL);
}

static void write_good_files(void)
{
    write_file(FILE_GOOD, good_index);
    write_file(FILE_BUDGET, good_budget);
    write_file(FILE_LEAKS, good_leaks);
}

static void run_one(const struct plan *plan, uint64_t n)
{
    make_run(&current, plan->start, n);
    place_files(&current);
    limit_time(SECONDS_MAX);
    judge(&current, n);
    limit_time(0);
    tally->runs++;
    tally->of_kind[current.kind]++;
}

/* In a child: runs from `first` on, until its share is done. */
static void run_share(const struct plan *plan, uint64_t job, uint64_t first)
{
    const int null = open("/dev/null", O_RDWR);

    __sanitizer_set_report_fd((void *)(intptr_t)fileno(report));
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0 || dup2(null, STDIN_FILENO) < 0)
        abort();
    open_files();
    write_good_files();
    for (uint64_t i = 0, n = first; i < CHILD_RUNS && n < plan->runs;
         i++, n += plan->jobs) {
        tally->now[job] = n;
        run_one(plan, n);
    }
    /* Discards what stdio has buffered. */
    _exit(0);
}

/* Counts the end of a child that did not finish its runs. */
static void take_end(const struct plan *plan, uint64_t n, int status)
{
    const bool is_hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;

    make_run(&current, plan->start, n);
    tally->runs++;
    tally->of_kind[current.kind]++;
    if (is_hang)
        tally->hangs++;
    else
        tally->crashes++;
    say_run(n, &current, is_hang ? "takes too long" : "crashes");
}

static void run_job(const struct plan *plan, uint64_t job)
{
    char directory[32];
    uint64_t n = job;

    snprintf(directory, sizeof(directory), "%" PRIu64, job);
    if (mkdir(directory, 0777) != 0 || chdir(directory) != 0)
        abort();
    setenv("XDG_CACHE_HOME", "/nowhere", 1);
    while (n < plan->runs) {
        const pid_t child = fork();
        int status;

        if (child == 0)
            run_share(plan, job, n);
        if (child < 0 || waitpid(child, &status, 0) != child)
            abort();
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            take_end(plan, tally->now[job], status);
        n = tally->now[job] + plan->jobs;
    }
}

static void run_jobs(const struct plan *plan)
{
    for (uint64_t job = 0; job < plan->jobs; job++) {
        if (fork() == 0) {
            run_job(plan, job);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        continue;
}

/* Repeats one run with all its output. */
static int repeat(const struct plan *plan, uint64_t n)
{
    FILE *out;

    make_run(&current, plan->start, n);
    write_good_files();
    place_files(&current);
    out = fopen("damaged", "wb");
    if (out != NULL) {
        fwrite(current.file.data, 1, current.file.size, out);
        fclose(out);
    }
    say_run(n, &current, "the file is in WORK/damaged");
    judge(&current, n);
    return tally->large + tally->wrong != 0;
}

static int print_tally(const struct plan *plan)
{
    const uint64_t faults =
        tally->crashes + tally->hangs + tally->large + tally->wrong;

    for (int i = 0; i < KIND_COUNT; i++)
        fprintf(report, "%-32s%" PRIu64 "\n", kind_texts[i], tally->of_kind[i]);
    for (int i = 0; i < STATUS_MAX; i++)
        fprintf(report, "exit status %-20d%" PRIu64 "\n", i,
                tally->of_status[i]);
    fprintf(report,
            "%" PRIu64 " runs, %" PRIu64 " crashes, %" PRIu64 " hangs, %" PRIu64
            " with too much memory, %" PRIu64
            " otherwise wrong; at most %" PRIu64 " ms, %" PRIu64 " kB, %" PRIu64
            ".%" PRIu64 " %% of the memory allowed\n",
            tally->runs, tally->crashes, tally->hangs, tally->large,
            tally->wrong, tally->worst_ns / 1000000, tally->worst_bytes / 1000,
            tally->worst_share / 10, tally->worst_share % 10);
    return faults != 0 || tally->runs != plan->runs;
}

static void read_seeds(char **paths)
{
    static const char list[] = "good\n2,good\n# a comment\n 3,good \n\ngood\n";

    seeds = (struct seed *)calloc(SEEDS_MAX, sizeof(*seeds));
    if (seeds == NULL)
        abort();
    for (; *paths != NULL; paths++)
        read_seed(*paths);
    add_seed(list, sizeof(list) - 1);
    add_raws_of_binary();
    for (int kind = 0; kind < KIND_COUNT; kind++)
        (void)find_seed((enum kind)kind);
    good_index = find_seed(KIND_INDEX);
    good_budget = find_seed(KIND_BUDGET);
    good_leaks = find_seed(KIND_LEAKS);
}

static int usage(void)
{
    fputs("usage: commands [-runs N] [-seed N] [-jobs N] [-only N] WORK "
          "SEED...\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct plan plan = {.start = 1, .runs = 1000, .jobs = 1};
    uint64_t only = UINT64_MAX;
    int first = 1;

    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        uint64_t *const number =
            strcmp(argv[first], "-runs") == 0   ? &plan.runs
            : strcmp(argv[first], "-seed") == 0 ? &plan.start
            : strcmp(argv[first], "-jobs") == 0 ? &plan.jobs
            : strcmp(argv[first], "-only") == 0 ? &only
                                                : NULL;

        if (number == NULL)
            return usage();
        *number = strtoull(argv[first + 1], NULL, 10);
    }
    if (first + 1 >= argc || plan.jobs == 0 || plan.jobs > JOBS_MAX ||
        !are_all_there())
        return usage();
    report = fdopen(dup(STDOUT_FILENO), "w");
    tally = (struct tally *)mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == NULL || tally == MAP_FAILED)
        return 2;
    open_files();
    read_seeds(argv + first + 1);
    if (chdir(argv[first]) != 0 || __sanitizer_install_malloc_and_free_hooks(
                                       count_malloc, count_free) == 0)
        return 2;
    if (only != UINT64_MAX)
        return repeat(&plan, only);
    run_jobs(&plan);
    return print_tally(&plan);
}
