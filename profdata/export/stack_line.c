/* stack_line.c -- a call stack as one line of text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/stack_line.h"
#include "profdata/base/vec.h"
#include "profdata/export/clean_text.h"

#include <stdlib.h>
#include <string.h>

static void add_name(struct mprof_buf *line, const char *name)
{
    const size_t start = line->size;

    if (start != 0)
        mprof_buf_bytes(line, ";", 1);
    mprof_buf_bytes(line, name, strlen(name));
    mpdata_clean_text((char *)line->data + start, line->size - start);
    for (size_t i = start != 0 ? start + 1 : 0; i < line->size; i++) {
        if (line->data[i] == ';')
            line->data[i] = ',';
    }
}

/* The stack's frames, leaf first; false without memory. */
static bool collect(const struct mpdata_view *view, mpdata_ref node,
                    struct mpdata_vec *frames)
{
    for (mpdata_ref at = node; at != 0; at = view->nodes[at - 1].parent) {
        uint32_t *const frame = (uint32_t *)mpdata_vec_push(frames);

        if (frame == NULL)
            return false;
        *frame = view->nodes[at - 1].frame;
    }
    return true;
}

bool mpdata_stack_line(const struct mpdata_export *what, mpdata_ref node,
                       struct mprof_buf *line)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    struct mpdata_vec frames = {.elem_bytes = sizeof(uint32_t)};
    bool done = collect(&view, node, &frames);

    line->size = 0;
    if (node == 0)
        add_name(line, MPDATA_FORMATS_UNKNOWN);
    for (uint32_t i = frames.count; i-- > 0 && done;) {
        const uint32_t frame = ((const uint32_t *)frames.data)[i];
        char *name = mpdata_frame_names_text(what->names, &view.frames[frame]);

        done = name != NULL;
        if (done)
            add_name(line, name);
        free(name);
    }
    mpdata_vec_fini(&frames);
    return done && !line->failed;
}
