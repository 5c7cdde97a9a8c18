/* members.c -- finds field names for offsets in blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/members.h"
#include "profdata/query/frames.h"
#include "shared/type_format.h"

#include <string.h>

static const char array[] = MPROF_TYPE_ARRAY;
static const char open[] = MPROF_TYPE_OPEN;

bool mpdata_members_is_single(const struct mpdata_view *view, mpdata_ref leaf)
{
    const char *const text =
        view->strings[mpdata_types_fields(view, leaf)].bytes;

    return text[0] != '\0' && strcmp(text, MPROF_TYPE_FIELDS_SEVERAL) != 0 &&
           strncmp(text, array, strlen(array)) != 0;
}

struct mpdata_members mpdata_members_through(const struct mpdata_view *view,
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
    if (text[0] == open[0])
        return (struct mpdata_members){
            .text = bytes <= least ? text + strlen(open) : NULL,
            .is_open = true};
    return (struct mpdata_members){
        .text = least == bytes && most == bytes ? text : NULL};
}

struct mpdata_members mpdata_members_of(const struct mpdata_view *view,
                                        uint32_t context)
{
    struct mpdata_members members = mpdata_members_through(view, context);

    const mpdata_ref leaf = view->contexts[context].node;

    if (members.is_open && mpdata_types_node(view, leaf) != leaf)
        members.text = NULL;
    return members;
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

bool mpdata_members_next(const char **list, struct mpdata_member *member)
{
    static const char ends[] = {MPROF_TYPE_FIELD_TYPE, MPROF_TYPE_FIELD_END, 0};
    const char *at = *list;

    member->from = read_number(&at);
    if (*at != MPROF_TYPE_FIELD_BYTES)
        return false;
    at++;
    member->to = mprof_add_sat_u64(member->from, read_number(&at));
    if (*at != MPROF_TYPE_FIELD_NAME)
        return false;
    at++;
    member->name = (struct mpdata_str){.bytes = at, .size = strcspn(at, ends)};
    at += member->name.size;
    at += *at == MPROF_TYPE_FIELD_TYPE;
    member->type =
        (struct mpdata_str){.bytes = at, .size = strcspn(at, ends + 1)};
    at += member->type.size;
    *list = at + (*at == MPROF_TYPE_FIELD_END);
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
    struct mpdata_member member;

    out[0] = '\0';
    while (mpdata_members_next(&at, &member)) {
        if (member.from >= to || member.to <= from)
            continue;
        if (out[0] != '\0')
            append(out, size, ", ", 2);
        append(out, size, member.name.bytes, member.name.size);
    }
}
