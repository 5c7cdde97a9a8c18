/* members.c -- finds field names for offsets in blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/members.h"
#include "profdata/query/types.h"
#include "shared/type_format.h"

#include <string.h>

static const char array[] = MPROF_TYPE_ARRAY;

bool mpdata_members_is_single(const struct mpdata_view *view, mpdata_ref leaf)
{
    const char *const text =
        view->strings[mpdata_types_fields(view, leaf)].bytes;

    return text[0] != '\0' && strcmp(text, MPROF_TYPE_FIELDS_SEVERAL) != 0 &&
           strncmp(text, array, strlen(array)) != 0;
}

struct mpdata_members mpdata_members_of(const struct mpdata_view *view,
                                        uint32_t context)
{
    const mpdata_ref leaf = view->contexts[context].node;
    const uint64_t bytes = mpdata_types_bytes(view, leaf);
    const char *const text =
        view->strings[mpdata_types_fields(view, leaf)].bytes;
    const uint64_t least =
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MinSize);
    const uint64_t most =
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MaxSize);

    if (bytes == 0 || text[0] == '\0' ||
        strcmp(text, MPROF_TYPE_FIELDS_SEVERAL) == 0)
        return (struct mpdata_members){.text = NULL};
    if (strncmp(text, array, strlen(array)) == 0)
        return least % bytes == 0 && most % bytes == 0
                   ? (struct mpdata_members){.text = text + strlen(array),
                                             .element_bytes = bytes}
                   : (struct mpdata_members){.text = NULL};
    return (struct mpdata_members){
        .text = least == bytes && most == bytes ? text : NULL};
}

/* Reads a number, which may be arbitrarily large, and moves behind it. */
static uint64_t read_number(const char **at)
{
    uint64_t number = 0;

    for (; **at >= '0' && **at <= '9'; (*at)++)
        number = mprof_add_sat_u64(mprof_mul_sat_u64(number, 10),
                                   (uint64_t)(**at - '0'));
    return number;
}

/* Reads a field. Returns false at malformed text, which ends the list. */
static bool read_field(const char **at, uint64_t *from, uint64_t *to,
                       const char **name)
{
    *from = read_number(at);
    if (*(*at)++ != MPROF_TYPE_FIELD_BYTES)
        return false;
    *to = mprof_add_sat_u64(*from, read_number(at));
    if (*(*at)++ != MPROF_TYPE_FIELD_NAME)
        return false;
    *name = *at;
    *at += strcspn(*at, (const char[]){MPROF_TYPE_FIELD_END, '\0'});
    return true;
}

/* Appends text, truncated between UTF-8 characters if there is no room. */
static void append(char *out, size_t size, const char *text, size_t text_size)
{
    const size_t used = strlen(out);
    const size_t room = size - 1 - used;
    size_t taken = text_size < room ? text_size : room;

    while (taken < text_size && taken != 0 &&
           ((unsigned char)text[taken] & 0xc0) == 0x80)
        taken--;

    memcpy(out + used, text, taken);
    out[used + taken] = '\0';
}

void mpdata_members_at(const struct mpdata_members *fields, uint64_t from,
                       uint64_t to, char *out, size_t size)
{
    const char *at = fields->text;
    const char *name;
    uint64_t first;
    uint64_t end;

    out[0] = '\0';
    while (*at != '\0' && read_field(&at, &first, &end, &name)) {
        if (first < to && end > from) {
            if (out[0] != '\0')
                append(out, size, ", ", 2);
            append(out, size, name, (size_t)(at - name));
        }
        at += *at == MPROF_TYPE_FIELD_END;
    }
}
