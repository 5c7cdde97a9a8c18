/* heap_names.c -- the names that a heap profile gives to addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/heap_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define INLINED "--"

static void add_name(struct mpdata_heap_names *n,
                     const struct mpdata_heap_name *named)
{
    struct mpdata_heap_name *const row =
        mpdata_foreign_errors_push(n->errors, &n->rows);

    if (row != NULL)
        *row = *named;
}

/* Returns the size of the text before the last `c`, or of the whole text if it
 * has none. */
static size_t before_last(struct mpdata_str text, char c)
{
    for (size_t i = text.size; i-- > 0;) {
        if (text.bytes[i] == c)
            return i;
    }
    return text.size;
}

void mpdata_heap_names_go(struct mpdata_heap_names *n, struct mpdata_text line)
{
    struct mpdata_heap_name named = {.address = 0};

    if (!mpdata_text_take(&line, "#") || !mpdata_text_take(&line, "0x") ||
        !mpdata_text_number(&line, 16, &named.address))
        return;
    mpdata_text_skip(&line);
    named.name.function = mpdata_text_until(&line, "\t\r");
    named.name.function.size = before_last(named.name.function, '+');
    mpdata_text_skip(&line);
    struct mpdata_str location = mpdata_text_until(&line, "\t\r");
    named.name.file = location;
    named.name.file.size = before_last(location, ':');
    line.at = location.bytes + named.name.file.size;
    if (mpdata_text_take(&line, ":"))
        mpdata_text_number(&line, 10, &named.name.line);
    add_name(n, &named);
}

void mpdata_heap_names_symbol(struct mpdata_heap_names *n,
                              struct mpdata_text line)
{
    struct mpdata_heap_name named = {.address = 0};
    struct mpdata_str *const name = &named.name.function;

    if (!mpdata_text_take(&line, "0x") ||
        !mpdata_text_number(&line, 16, &named.address))
        return;
    mpdata_text_skip(&line);
    *name = mpdata_text_until(&line, "\r");
    const char *inlined =
        memmem(name->bytes, name->size, INLINED, sizeof(INLINED) - 1);
    if (inlined != NULL)
        name->size = (size_t)(inlined - name->bytes);
    add_name(n, &named);
}

/* Orders by address; of several names for one address the first comes first. */
MPROF_COMPARATOR(compare_names, struct mpdata_heap_name,
                 MPROF_UP(address) ?: MPROF_UP(name.function.bytes))

/* Returns the name of an address, or NULL. */
static const struct mpdata_heap_name *
find_name(const struct mpdata_heap_names *n, uint64_t address)
{
    const struct mpdata_heap_name *const names = n->rows.data;
    const size_t at =
        mpdata_vec_first(names, n->rows.count, sizeof(*names),
                         offsetof(struct mpdata_heap_name, address), address);

    return at < n->rows.count && names[at].address == address ? &names[at]
                                                              : NULL;
}

struct mpdata_raw_name *
mpdata_heap_names_frames(struct mpdata_heap_names *n,
                         const struct mpdata_raw_frame *frames, uint32_t count)
{
    struct mpdata_raw_name *names;

    if (n->rows.count == 0)
        return NULL;
    names = calloc((size_t)count + 1, sizeof(*names));
    if (names == NULL) {
        mpdata_foreign_errors_no_memory(n->errors);
        return NULL;
    }
    qsort(n->rows.data, n->rows.count, sizeof(struct mpdata_heap_name),
          compare_names);
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_heap_name *named = find_name(n, frames[i].address);

        if (named == NULL)
            named = find_name(n, frames[i].address + 1);
        if (named != NULL)
            names[i] = named->name;
    }
    return names;
}
