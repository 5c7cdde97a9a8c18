/* foreign_stack.c -- converts frames and call stacks of other tools.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/foreign_stack.h"
#include "profdata/base/guid.h"
#include "shared/digit.h"
#include "shared/index_format.h"

#define BUILD_ID_BYTES_MAX 64

static uint32_t limit(uint64_t number)
{
    return (uint32_t)mprof_min_u64(number, UINT32_MAX);
}

mpdata_string mpdata_foreign_stack_name(struct mpdata_profile *profile,
                                        struct mpdata_foreign_string *string)
{
    if (string->name == 0 && string->text.size != 0) {
        string->name = mpdata_profile_string(profile, string->text.bytes,
                                             string->text.size);
        string->guid = mpdata_guid(string->text.bytes, string->text.size);
    }
    return string->name;
}

mpdata_ref mpdata_foreign_stack_path(struct mpdata_profile *profile,
                                     struct mpdata_foreign_string *string)
{
    if (string->path == 0)
        string->path =
            mpdata_profile_path(profile, string->text.bytes, string->text.size);
    return string->path;
}

mpdata_string
mpdata_foreign_stack_build_id(struct mpdata_profile *profile,
                              struct mpdata_foreign_string *string)
{
    const struct mpdata_str text = string->text;
    uint8_t bytes[BUILD_ID_BYTES_MAX];
    const size_t size = text.size / 2;
    bool is_hex = text.size % 2 == 0 && size <= sizeof(bytes);

    for (size_t i = 0; i < size && is_hex; i++) {
        const unsigned high = mprof_digit(text.bytes[2 * i]);
        const unsigned low = mprof_digit(text.bytes[2 * i + 1]);

        is_hex = high < 16 && low < 16;
        bytes[i] = (uint8_t)(high << 4 | (low & 15));
    }
    return is_hex ? mpdata_profile_string(profile, bytes, size)
                  : mpdata_foreign_stack_name(profile, string);
}

mpdata_ref mpdata_foreign_stack_address(struct mpdata_profile *profile,
                                        mpdata_ref binary, uint64_t address)
{
    const struct mpdata_frame frame = {
        .binary = binary, .address = address, .flags = MPROF_ENTRY_FL_NO_LINES};

    return mpdata_profile_frame(profile, &frame);
}

mpdata_ref mpdata_foreign_stack_frame(struct mpdata_profile *profile,
                                      const struct mpdata_foreign_frame *f)
{
    const mpdata_ref path = mpdata_foreign_stack_path(profile, f->file);
    const mpdata_string name = mpdata_foreign_stack_name(profile, f->name);
    const struct mpdata_function function = {.name = name,
                                             .guid = f->name->guid,
                                             .path = path,
                                             .line = limit(f->first_line)};
    const struct mpdata_frame frame = {
        .function = name != 0 ? mpdata_profile_function(profile, &function) : 0,
        .path = f->line != 0 ? path : 0,
        .line = path != 0 ? limit(f->line) : 0,
        .column = path != 0 ? limit(f->column) : 0,
        .flags = MPROF_ENTRY_FL_NO_LINES |
                 (f->is_inlined ? MPROF_ENTRY_FL_INLINE : 0)};

    return mpdata_profile_frame(profile, &frame);
}

mpdata_ref mpdata_foreign_stack_typed(struct mpdata_profile *profile,
                                      mpdata_ref at, mpdata_string type)
{
    if (at == 0)
        return 0;
    struct mpdata_frame frame = mpdata_profile_view(profile).frames[at - 1];
    frame.type = type;
    return mpdata_profile_frame(profile, &frame);
}

mpdata_ref mpdata_foreign_stack_node(struct mpdata_profile *profile,
                                     const struct mpdata_vec *frames,
                                     uint64_t nodes_max)
{
    const mpdata_ref *const refs = frames->data;
    mpdata_ref node = 0;

    for (uint32_t i = frames->count; i-- > 0 && node <= nodes_max;)
        node = mpdata_profile_node(profile, node, refs[i]);
    return node;
}
