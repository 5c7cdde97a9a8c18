/* fuzz_options.c -- libFuzzer target: the parser of runtime options. A file
 * named by include= has the same text as the input.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/options.c"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *given;
static size_t given_bytes;
static size_t included_bytes;

/* -- what options.c asks for ----------------------------------------------- */

void mprt_log(const char *part, ...)
{
    (void)part;
}

/* One word may give two strings; they are never freed. */
static char strings[1 << 20];
static size_t strings_used;

void *mprt_memory_map(size_t bytes)
{
    void *p = strings + strings_used;

    if (bytes > sizeof(strings) - strings_used)
        return NULL;
    memset(p, 0, bytes);
    strings_used += (bytes + 15) & ~(size_t)15;
    return p;
}

void *mprt_memory_cut(struct mprt_memory_chunk *chunk, size_t bytes,
                      size_t chunk_bytes)
{
    (void)chunk;
    (void)chunk_bytes;
    return mprt_memory_map(bytes);
}

void mprt_memory_unmap(void *addr, size_t bytes)
{
    (void)addr;
    (void)bytes;
}

int mprt_os_open_read(const char *path)
{
    included_bytes = 0;
    return path[0] == 'n' ? -2 : 3;
}

int mprt_os_close(int fd)
{
    return fd;
}

int64_t mprt_os_read(int fd, void *data, size_t n)
{
    const size_t left = given_bytes - included_bytes;
    const size_t bytes = n < left ? n : left;

    (void)fd;
    memcpy(data, given + included_bytes, bytes);
    included_bytes += bytes;
    return (int64_t)bytes;
}

int mprt_os_write_all(int fd, const void *data, size_t n)
{
    (void)fd;
    (void)data;
    (void)n;
    return 0;
}

uint64_t mprt_os_auxv(uint64_t type)
{
    return type & 0;
}

const char *mprt_os_getenv(const char *name)
{
    (void)name;
    return NULL;
}

/* -- the target ------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mprt_options options;
    char *text;

    /* A file that includes itself four levels deep has many words. */
    if (size > 256)
        return 0;
    text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    given = data;
    given_bytes = size;
    set_defaults(&options);
    parse_text(&options, text, "fuzzer");
    if (options.malloc_context_size < 1 || options.malloc_context_size > 255 ||
        options.include == NULL)
        abort();
    free(text);
    return 0;
}
