/* pattern.c -- patterns of names with stars. Each piece between two stars is
 * searched after the previous one; the first match is as good as any later one.
 * A search takes time linear in the text that it reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/pattern.h"

#include <string.h>

struct rest {
    const char *at;
    size_t size;
};

static bool begins_with(const struct rest *name, const char *piece, size_t size)
{
    return name->size >= size && memcmp(name->at, piece, size) == 0;
}

static bool ends_with(const struct rest *name, const char *piece, size_t size)
{
    return name->size >= size &&
           memcmp(name->at + name->size - size, piece, size) == 0;
}

static void skip(struct rest *name, size_t size)
{
    name->at += size;
    name->size -= size;
}

/* Finds the piece, at the start or anywhere, and skips to its end. */
static bool find(struct rest *name, const char *piece, size_t size,
                 bool is_start)
{
    const char *const found =
        is_start ? (begins_with(name, piece, size) ? name->at : NULL)
                 : (const char *)memmem(name->at, name->size, piece, size);

    if (found == NULL)
        return false;
    skip(name, (size_t)(found - name->at) + size);
    return true;
}

/* is_start, is_end: the pattern begins and ends with the name. */
static bool fits(const char *piece, size_t size, const char *text,
                 bool is_start, bool is_end)
{
    struct rest name = {text, strlen(text)};
    const char *const end = piece + size;
    const char *star;

    for (; (star = memchr(piece, '*', (size_t)(end - piece))) != NULL;
         piece = star + 1) {
        if (!find(&name, piece, (size_t)(star - piece), is_start))
            return false;
        is_start = false;
    }
    size = (size_t)(end - piece);
    if (!is_end)
        return find(&name, piece, size, is_start);
    return ends_with(&name, piece, size) && (!is_start || name.size == size);
}

bool mpdata_pattern_fits(const char *pattern, const char *text)
{
    const bool is_start = pattern[0] == '^';
    const size_t size = strlen(pattern + is_start);
    const bool is_end = size != 0 && pattern[is_start + size - 1] == '$';

    return fits(pattern + is_start, size - is_end, text, is_start, is_end);
}

bool mpdata_pattern_fits_whole(const char *pattern, const char *text)
{
    return fits(pattern, strlen(pattern), text, true, true);
}
