/* pprof_drop.c -- matches functions to drop. The expressions come from an
 * untrusted file and have Go's syntax, which PCRE2 accepts; PCRE2 also limits
 * the steps of a match.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "profdata/import/pprof_rows.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

/* Limit of an expression; tcmalloc's has about 1,500 bytes. */
#define PATTERN_BYTES_MAX 16384u
/* Limits of a match: steps, and memory in KiB. An expression for the names of
 * an allocator needs some tens of steps. */
#define STEPS_MAX 2000u
#define HEAP_KIB_MAX 64u

struct mpdata_pprof_drop {
    pcre2_code *drops;
    pcre2_code *keeps; /* NULL: none */
    pcre2_match_context *limits;
    pcre2_match_data *match;
};

static enum mprof_err compile(struct mpdata_str pattern, pcre2_code **code,
                              char *text, size_t text_size)
{
    int error = PCRE2_ERROR_PATTERN_TOO_LARGE;
    PCRE2_SIZE at;

    *code = NULL;
    if (pattern.size == 0)
        return MPROF_E_OK;
    if (pattern.size <= PATTERN_BYTES_MAX)
        *code = pcre2_compile((PCRE2_SPTR)pattern.bytes, pattern.size,
                              PCRE2_ANCHORED | PCRE2_ENDANCHORED |
                                  PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF,
                              &error, &at, NULL);
    if (*code != NULL)
        return MPROF_E_OK;
    if (error == PCRE2_ERROR_HEAP_FAILED)
        return MPROF_E_NOMEM;
    pcre2_get_error_message(error, (PCRE2_UCHAR *)text, text_size);
    return MPROF_E_UNSUPPORTED;
}

enum mprof_err mpdata_pprof_drop_new(struct mpdata_pprof_drop **drop,
                                     struct mpdata_str drops,
                                     struct mpdata_str keeps, char *text,
                                     size_t text_size)
{
    struct mpdata_pprof_drop *d;

    *drop = NULL;
    if (drops.size == 0)
        return MPROF_E_OK;
    d = calloc(1, sizeof(*d));
    if (d == NULL)
        return MPROF_E_NOMEM;
    enum mprof_err err = compile(drops, &d->drops, text, text_size);
    if (err == MPROF_E_OK)
        err = compile(keeps, &d->keeps, text, text_size);
    if (err == MPROF_E_OK) {
        d->limits = pcre2_match_context_create(NULL);
        d->match = pcre2_match_data_create(1, NULL);
        if (d->limits == NULL || d->match == NULL)
            err = MPROF_E_NOMEM;
    }
    if (err != MPROF_E_OK) {
        mpdata_pprof_drop_free(d);
        return err;
    }
    pcre2_set_match_limit(d->limits, STEPS_MAX);
    pcre2_set_heap_limit(d->limits, HEAP_KIB_MAX);
    *drop = d;
    return MPROF_E_OK;
}

void mpdata_pprof_drop_free(struct mpdata_pprof_drop *drop)
{
    if (drop == NULL)
        return;
    pcre2_match_data_free(drop->match);
    pcre2_match_context_free(drop->limits);
    pcre2_code_free(drop->keeps);
    pcre2_code_free(drop->drops);
    free(drop);
}

static enum mprof_err fits(struct mpdata_pprof_drop *d, const pcre2_code *code,
                           struct mpdata_str name, bool *does)
{
    const int found = pcre2_match(code, (PCRE2_SPTR)name.bytes, name.size, 0, 0,
                                  d->match, d->limits);

    *does = found >= 0;
    if (found >= 0 || found == PCRE2_ERROR_NOMATCH)
        return MPROF_E_OK;
    return found == PCRE2_ERROR_NOMEMORY ? MPROF_E_NOMEM : MPROF_E_UNSUPPORTED;
}

/* Simplifies a name as pprof does before it matches: removes the arguments of a
 * C++ function, but not the parentheses of "operator()" and of an unnamed
 * namespace. */
static struct mpdata_str simplify(struct mpdata_str name)
{
    static const char *const inner[] = {"operator()", "(anonymous namespace)"};

    if (name.size != 0 && name.bytes[0] == '.')
        name = (struct mpdata_str){name.bytes + 1, name.size - 1};
    for (size_t i = 0; i < name.size; i++) {
        size_t skipped = 0;

        for (size_t k = 0; k < MPROF_ARRAY_LEN(inner); k++) {
            const size_t size = strlen(inner[k]);

            if (name.size - i >= size &&
                memcmp(name.bytes + i, inner[k], size) == 0)
                skipped = size;
        }
        if (skipped != 0)
            i += skipped - 1;
        else if (name.bytes[i] == '(')
            name.size = i;
    }
    return name;
}

enum mprof_err mpdata_pprof_drop_fits(struct mpdata_pprof_drop *drop,
                                      struct mpdata_str name, bool *is_dropped)
{
    bool is_kept = false;

    *is_dropped = false;
    if (drop == NULL || name.size == 0)
        return MPROF_E_OK;
    name = simplify(name);
    enum mprof_err err = fits(drop, drop->drops, name, is_dropped);
    if (err == MPROF_E_OK && *is_dropped && drop->keeps != NULL) {
        err = fits(drop, drop->keeps, name, &is_kept);
        *is_dropped = !is_kept;
    }
    return err;
}
