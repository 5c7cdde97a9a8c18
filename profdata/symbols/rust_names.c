/* rust_names.c -- Rust's older names: paths whose last component is a hash,
 * with what C++ does not allow in names spelled between dollar signs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/rust_names.h"

#include <stdlib.h>
#include <string.h>

#define HASH_DIGITS 16u

static const struct {
    const char *word;
    char letter;
} escapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
               {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};

/* Where "::h" and the hash start, or NULL. */
static char *find_hash(char *name)
{
    const size_t size = strlen(name);
    char *hash;

    if (size < HASH_DIGITS + 4)
        return NULL;
    hash = name + size - HASH_DIGITS - 3;
    return memcmp(hash, "::h", 3) == 0 &&
                   strspn(hash + 3, "0123456789abcdef") == HASH_DIGITS
               ? hash
               : NULL;
}

/* Reads one escape, or nothing: bytes of it, and the letter it stands for. */
static size_t read_escape(const char *text, char *letter)
{
    unsigned long code;
    char *end;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(escapes); i++) {
        const size_t size = strlen(escapes[i].word);

        if (strncmp(text, escapes[i].word, size) == 0) {
            *letter = escapes[i].letter;
            return size;
        }
    }
    if (text[0] != '$' || text[1] != 'u')
        return 0;
    code = strtoul(text + 2, &end, 16);
    if (end == text + 2 || *end != '$' || code < ' ' || code > '~')
        return 0;
    *letter = (char)code;
    return (size_t)(end - text) + 1;
}

bool mpdata_rust_names_unescape(char *name)
{
    char *const hash = find_hash(name);
    const char *from = name;
    char *to = name;

    if (hash == NULL)
        return false;
    *hash = '\0';
    while (*from != '\0') {
        const bool is_start = from == name || from[-1] == ':';
        size_t size;
        char letter;

        if (is_start && from[0] == '_' && from[1] == '$')
            from++;
        size = read_escape(from, &letter);
        if (size != 0) {
            *to++ = letter;
            from += size;
        } else if (from[0] == '.' && from[1] == '.') {
            *to++ = ':';
            *to++ = ':';
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return true;
}
