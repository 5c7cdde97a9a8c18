/* log.c -- writes the log of how a profile was used.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/steps.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "shared/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define PLACE_BYTES 4096

static const char *const states[] = {
#define MPROF_USE_STATE(id, word, help) word,
#include "shared/use_log.inc"
};

static const char *const outcomes[] = {
#define MPROF_USE_OUTCOME(id, word, help) word,
#include "shared/use_log.inc"
};

/* Kinds of lines, and their first words. */
enum {
#define MPROF_USE_LINE(id, word, help) LINE_##id,
#include "shared/use_log.inc"
};
static const char *const lines[] = {
#define MPROF_USE_LINE(id, word, help) word,
#include "shared/use_log.inc"
};

/* Writes a text field; replaces tabs and newlines by spaces. */
static void put_text(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size && text[i] != '\0'; i++)
        fputc(text[i] == '\t' || text[i] == '\n' ? ' ' : text[i], out);
}

static void put_module(FILE *out, const char *module, const char *profile)
{
    fprintf(out, "%s\t%d\t", lines[LINE_MODULE], MPROF_USE_LOG_VERSION);
    put_text(out, module, SIZE_MAX);
    fputc('\t', out);
    put_text(out, profile, SIZE_MAX);
    fputc('\n', out);
}

static void put_function(FILE *out, const struct mpass_moved_function *row)
{
    fprintf(out, "%s\t%016" PRIx64 "\t%s\t%" PRIu32 "\t%" PRIu32 "\t",
            lines[LINE_FUNCTION], row->function->guid, states[row->state],
            row->place_count, row->found_count);
    put_text(out, row->function->name, row->function->name_size);
    fputc('\n', out);
}

static void put_site(FILE *out, const struct mpass_match *match)
{
    const LLVMValueRef call = match->site->call;
    const LLVMValueRef function = mpass_ir_function_of(call);
    char place[PLACE_BYTES];
    uint64_t bytes = 0;
    size_t size;

    for (int kind = 0; kind < MPASS_STACK_KINDS; kind++)
        bytes += match->bytes[kind];
    fprintf(out,
            "%s\t%016" PRIx64 "\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64
            "\t%" PRIu64 "\t",
            lines[LINE_SITE], match->id, outcomes[match->outcome],
            match->stack_count, bytes, match->bytes[MPASS_STACK_COLD],
            match->bytes[MPASS_STACK_HOT]);
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &size);
    put_text(out, name, size);
    fputc('\t', out);
    name = LLVMGetValueName2(function, &size);
    put_text(out, name, size);
    mpass_hotness_place(call, place, sizeof(place));
    fputc('\t', out);
    put_text(out, place, SIZE_MAX);
    fputc('\n', out);
}

/* Appends whole lines, or nothing: if the disk is full, removes the part that
 * was written. A lock makes other compilations wait meanwhile, if the file
 * system supports locks. */
static int append(const char *path, const char *text, size_t size)
{
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    int error = 0;

    if (fd < 0)
        return errno;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    const off_t end = lseek(fd, 0, SEEK_END);
    const ssize_t written = write(fd, text, size);
    if (written != (ssize_t)size)
        error = written < 0 ? errno : ENOSPC;
    if (written > 0 && error != 0 && ftruncate(fd, end) != 0)
        error = errno;
    close(fd);
    return error;
}

int mpass_log_append(const char *path, const char *module, const char *profile,
                     const struct mpass_moved *moved,
                     const struct mpass_matches *matches)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int error = ENOMEM;

    if (out == NULL)
        return error;
    put_module(out, module, profile);
    for (uint32_t i = 0; i < moved->function_count; i++)
        put_function(out, &moved->functions[i]);
    for (uint32_t i = 0; i < matches->count; i++)
        put_site(out, &matches->rows[i]);
    if (fclose(out) == 0)
        error = append(path, text, size);
    free(text);
    return error;
}
