/* hostile.c -- damages small files at every position and reads them like merge,
 * under the sanitizers.
 *
 *   hostile [-step N] FILE...
 *
 * Each file is cut at every byte and has every bit flipped (every N-th of both
 * with -step N), with checksums and without. Each damaged copy must be read
 * without a crash, within a second of this process's CPU time, with memory of
 * at most a small multiple of the file, and end with success or an error with
 * its position. With checksums, success means the same result as from the
 * undamaged file, if the format is ours; LLVM's format has no checksums.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/content.h"
#include "profdata/base/sink.h"
#include "profdata/index/index.h"
#include "profdata/llvm/llvm.h"
#include "profdata/load/load.h"
#include "profdata/load/parse.h"
#include "shared/container.h"
#include "shared/le.h"
#include "test/fuzz/live_bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
/* Memory limit of a file: the tables of an empty profile and the window of a
 * decompressor, plus a number of bytes per input byte. */
#define BYTES_FIXED (9u << 20)
#define BYTES_PER_BYTE 256u

/* -- one reading ----------------------------------------------------------- */

struct outcome {
    enum mprof_err err;
    struct mprof_diag diag;
    uint64_t sum; /* of the output of merge; 0 after an error */
    uint64_t ns;
    int64_t bytes;
};

static int shared_fd;
static char shared_path[32];

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

static enum mprof_err write_sum(struct mpdata_content *content, uint64_t *sum)
{
    const struct mpdata_index_options options = {.uncompressed = true};
    struct mprof_buf out;
    enum mprof_err err = mpdata_profile_canonical_in_place(content->profile);

    mpdata_heapbuf_init(&out);
    if (err == MPROF_E_OK)
        err = mpdata_index_write(content, &options, &out);
    if (err == MPROF_E_OK)
        *sum = mprof_checksum(out.data, out.size);
    mpdata_heapbuf_fini(&out);
    return err;
}

static enum mprof_err merge(bool verify, struct outcome *o)
{
    struct mpdata_content content;
    struct mpdata_load_context load = {.content = &content};

    o->err = mpdata_content_init(&content);
    if (o->err == MPROF_E_OK)
        o->err = mpdata_load_weighted(&load, shared_path, 1, verify, &o->diag);
    if (o->err == MPROF_E_OK) {
        o->err = write_sum(&content, &o->sum);
        /* "Too large for LLVM's part" is a valid result. */
        if (o->err != MPROF_E_OK)
            mprof_err_plain(&o->diag, o->err);
    }
    mpdata_symbolize_fini(&load);
    mpdata_content_fini(&content);
    return o->err;
}

/* LLVM's part alone, as check and the library read it. */
static void look_into_index(const uint8_t *data, size_t size)
{
    struct mpdata_profile *profile = mpdata_profile_new();
    struct mprof_diag diag;

    if (profile != NULL &&
        mpdata_llvm_read_header(data, size, &diag) == MPROF_E_OK &&
        mpdata_llvm_read(data, size, profile, &diag) == MPROF_E_OK &&
        mpdata_profile_canonical_in_place(profile) == MPROF_E_OK)
        (void)mpdata_profile_view(profile);
    mpdata_profile_free(profile);
}

static struct outcome read_damaged(const uint8_t *data, size_t size,
                                   bool verify)
{
    struct outcome o = {.sum = 0};
    const int64_t before = live_bytes;
    const uint64_t start = now_ns();

    if (ftruncate(shared_fd, 0) != 0 ||
        pwrite(shared_fd, data, size, 0) != (ssize_t)size)
        abort();
    peak_bytes = live_bytes;
    merge(verify, &o);
    if (!verify)
        look_into_index(data, size);
    o.bytes = peak_bytes - before;
    o.ns = now_ns() - start;
    if (live_bytes != before) {
        fprintf(stderr, "%" PRId64 " bytes are not freed\n",
                live_bytes - before);
        abort();
    }
    return o;
}

/* -- many readings --------------------------------------------------------- */

struct file {
    const char *path;
    uint8_t *data;
    size_t size;
    bool is_ours; /* checksums cover everything that counts */
    uint64_t sum;
    struct outcome whole;
};

static uint64_t cases;
static uint64_t failures;
static uint64_t worst_ns;
static int64_t worst_bytes;

/* An error of the whole file has no position. */
static bool needs_place(enum mprof_err err)
{
    switch (err) {
    case MPROF_E_VERSION:
    case MPROF_E_TRUNCATED:
    case MPROF_E_CHECKSUM:
    case MPROF_E_OFFSET:
    case MPROF_E_REFERENCE:
    case MPROF_E_VALUE:
    case MPROF_E_CODEC:
    case MPROF_E_DUPLICATE:
        return true;
    default:
        return false;
    }
}

static const char *find_fault(const struct file *file, size_t size,
                              bool is_whole, bool verify,
                              const struct outcome *o)
{
    if (o->ns > SECOND_NS)
        return "takes too long";
    if (o->bytes > (int64_t)(BYTES_FIXED + BYTES_PER_BYTE * size))
        return "takes too much memory";
    if (o->err == MPROF_E_NOMEM)
        return "asks for memory that is not there";
    if (o->err == MPROF_E_OK)
        return verify && file->is_ours && !is_whole && o->sum != file->sum
                   ? "gives another result"
                   : NULL;
    if (needs_place(o->err) &&
        (o->diag.section == NULL || o->diag.offset == MPROF_DIAG_NO_OFFSET))
        return "does not say where";
    return NULL;
}

static void try_damage(const struct file *file, const uint8_t *data,
                       size_t size, const char *what, uint64_t at)
{
    for (int verify = 0; verify < 2; verify++) {
        const struct outcome o = read_damaged(data, size, verify != 0);
        const char *fault = find_fault(file, size, false, verify != 0, &o);
        char sentence[1024];

        cases++;
        worst_ns = mprof_max_u64(worst_ns, o.ns);
        if (o.bytes > worst_bytes)
            worst_bytes = o.bytes;
        if (fault == NULL)
            continue;
        failures++;
        printf("%s: %s %" PRIu64 "%s: %s (%" PRIu64 " ms, %" PRId64
               " bytes): %s\n",
               file->path, what, at, verify ? "" : " without checksums", fault,
               o.ns / 1000000, o.bytes,
               o.err == MPROF_E_OK
                   ? ""
                   : mpdata_diag_sentence(&o.diag, sentence, sizeof(sentence)));
    }
}

static bool open_file(struct file *file, const char *path)
{
    struct mpdata_file in;
    struct mpdata_file plain;
    struct mpdata_index_file index;
    struct mprof_diag diag;

    *file = (struct file){.path = path};
    if (mpdata_file_open(&in, path, &diag) != MPROF_E_OK)
        return false;
    file->size = in.size;
    file->data = malloc(in.size + 1);
    memcpy(file->data, in.data, in.size);
    mpdata_file_close(&in);
    if (mpdata_file_open(&plain, path, &diag) != MPROF_E_OK ||
        mpdata_unpack(&plain, &diag) != MPROF_E_OK)
        return false;
    file->is_ours = mpdata_detect(plain.data, plain.size) == MPDATA_KIND_RAW ||
                    (mpdata_index_file_open(&index, plain.data, plain.size,
                                            true, &diag) == MPROF_E_OK &&
                     index.is_ours);
    mpdata_file_close(&plain);
    file->whole = read_damaged(file->data, file->size, true);
    file->sum = file->whole.sum;
    return true;
}

/* Returns false if the undamaged file cannot be used: then nothing was
 * tried. */
static bool damage(const char *path, size_t step)
{
    struct file file;

    if (!open_file(&file, path) ||
        (file.whole.err != MPROF_E_OK && file.whole.err != MPROF_E_NO_BINARY)) {
        char sentence[1024];

        printf(
            "%s: cannot be used: %s\n", path,
            mpdata_diag_sentence(&file.whole.diag, sentence, sizeof(sentence)));
        fflush(stdout);
        free(file.data);
        return false;
    }
    for (size_t size = 0; size < file.size; size += step) {
        /* At the end of a block, so that a read past its end is found. */
        uint8_t *copy = malloc(size + (size == 0));

        memcpy(copy, file.data, size);
        try_damage(&file, copy, size, "cut at", size);
        free(copy);
    }
    for (size_t bit = 0; bit < file.size * 8; bit += step) {
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        try_damage(&file, file.data, file.size, "flipped bit", bit);
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(file.data);
    return true;
}

int main(int argc, char **argv)
{
    size_t step = 1;
    int first = 1;

    if (argc > 2 && strcmp(argv[1], "-step") == 0) {
        step = strtoul(argv[2], NULL, 10);
        first = 3;
    }
    shared_fd = memfd_create("damaged", 0);
    snprintf(shared_path, sizeof(shared_path), "/proc/self/fd/%d", shared_fd);
    if (first >= argc || shared_fd < 0 || step == 0 ||
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) ==
            0) {
        fputs("usage: hostile [-step N] FILE...\n", stderr);
        return 2;
    }
    for (int i = first; i < argc; i++) {
        if (!damage(argv[i], step))
            failures++;
    }
    printf("%" PRIu64 " damaged files, %" PRIu64 " wrong; at most %" PRIu64
           " ms and %" PRId64 " kB each\n",
           cases, failures, worst_ns / 1000000, worst_bytes / 1000);
    return failures != 0;
}
