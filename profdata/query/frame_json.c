/* frame_json.c -- writes frames and call stacks as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frame_json.h"
#include "profdata/base/build_id.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_path(struct mpdata_frame_json *from,
                     struct mpdata_json_out *json, const char *key,
                     mpdata_ref path)
{
    char *const text = mpdata_profile_path_string(from->profile, path, NULL);

    from->failed |= text == NULL;
    mpdata_json_out_known_text(json, key, text != NULL ? text : "");
    free(text);
}

static void put_binary(struct mpdata_frame_json *from,
                       struct mpdata_json_out *json,
                       const struct mpdata_frame *frame)
{
    const struct mpdata_binary *binary;
    const struct mpdata_str *build_id;
    char id[MPDATA_BUILD_ID_TEXT_BYTES];

    if (frame->binary == 0)
        return;
    binary = &from->view.binaries[frame->binary - 1];
    build_id = &from->view.strings[binary->build_id];
    put_path(from, json, "binary", binary->path);
    if (build_id->size != 0)
        mpdata_json_out_known_text(
            json, "build_id",
            mpdata_build_id_text(build_id->bytes, build_id->size, id));
}

static void put_function(struct mpdata_frame_json *from,
                         struct mpdata_json_out *json,
                         const struct mpdata_frame *frame)
{
    char *const name = mpdata_frame_names_text(from->names, frame);
    const char *const linkage =
        frame->function != 0 ? mpdata_frame_names_linkage(from->names, frame)
                             : "";

    from->failed |= name == NULL;
    mpdata_json_out_known_text(json, "function", name != NULL ? name : "");
    if (name != NULL && strcmp(linkage, name) != 0)
        mpdata_json_out_known_text(json, "linkage_name", linkage);
    free(name);
}

static void put_address(struct mpdata_frame_json *from,
                        struct mpdata_json_out *json,
                        const struct mpdata_frame *frame)
{
    put_binary(from, json, frame);
    mpdata_json_out_id_of(json, "address", frame->address);
}

void mpdata_frame_json_members(struct mpdata_frame_json *from,
                               struct mpdata_json_out *json, uint32_t frame,
                               enum mpdata_by by)
{
    const struct mpdata_frame *const f = &from->view.frames[frame];

    if (by == MPDATA_BY_BINARY) {
        put_binary(from, json, f);
        return;
    }
    if (by != MPDATA_BY_FILE || (f->path == 0 && f->function != 0))
        put_function(from, json, f);
    if (f->function == 0) {
        (by == MPDATA_BY_FILE ? put_binary : put_address)(from, json, f);
        return;
    }
    put_path(from, json, "file", f->path);
    if (by == MPDATA_BY_LINE || by == MPDATA_BY_CALL || by == MPDATA_BY_STACK)
        mpdata_json_out_known_number(json, "line", f->line);
    if (by != MPDATA_BY_STACK)
        return;
    mpdata_json_out_known_number(json, "column", f->column);
    if ((f->flags & MPROF_ENTRY_FL_INLINE) != 0) {
        mpdata_json_out_bool_of(json, "inlined", true);
    }
}

void mpdata_frame_json_stack(struct mpdata_frame_json *from,
                             struct mpdata_json_out *json, mpdata_ref node)
{
    const struct mpdata_node *const nodes = from->view.nodes;

    mpdata_json_out_array_of(json, "stack");
    for (mpdata_ref at = node; at != 0; at = nodes[at - 1].parent) {
        mpdata_json_out_open_map(json);
        mpdata_frame_json_members(from, json, nodes[at - 1].frame,
                                  MPDATA_BY_STACK);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}
