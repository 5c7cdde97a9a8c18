/* json_parts.c -- what formats of JSON write of a profile in the same way.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/json_parts.h"
#include "profdata/base/heapbuf.h"

#include <stdlib.h>
#include <string.h>

bool mpdata_json_parts_init(struct mpdata_json_parts *parts,
                            const struct mpdata_export *what,
                            struct mpdata_sink *sink)
{
    parts->what = what;
    parts->view = mpdata_profile_view(what->profile);
    parts->stack = (struct mpdata_vec){.elem_bytes = sizeof(uint32_t)};
    parts->failed = !mpdata_json_out_init(&parts->json, sink);
    return !parts->failed;
}

enum mprof_err mpdata_json_parts_fini(struct mpdata_json_parts *parts)
{
    mpdata_json_out_fini(&parts->json);
    mpdata_vec_fini(&parts->stack);
    return parts->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

void mpdata_json_parts_number(struct mpdata_json_parts *parts, const char *key,
                              uint64_t number)
{
    mpdata_json_out_key(&parts->json, key);
    mpdata_json_out_number(&parts->json, number);
}

void mpdata_json_parts_string(struct mpdata_json_parts *parts, const char *key,
                              const char *text)
{
    mpdata_json_out_key(&parts->json, key);
    mpdata_json_out_text(&parts->json, text, strlen(text));
}

void mpdata_json_parts_open_map(struct mpdata_json_parts *parts,
                                const char *key)
{
    mpdata_json_out_key(&parts->json, key);
    mpdata_json_out_open_map(&parts->json);
}

void mpdata_json_parts_open_array(struct mpdata_json_parts *parts,
                                  const char *key)
{
    mpdata_json_out_line(&parts->json);
    mpdata_json_out_key(&parts->json, key);
    mpdata_json_out_open_array(&parts->json);
}

void mpdata_json_parts_path(struct mpdata_json_parts *parts, mpdata_ref path)
{
    size_t size = 0;
    char *const text =
        mpdata_profile_path_string(parts->what->profile, path, &size);

    parts->failed |= text == NULL;
    mpdata_json_out_text(&parts->json, text != NULL ? text : "", size);
    free(text);
}

void mpdata_json_parts_name(struct mpdata_json_parts *parts,
                            const struct mpdata_frame *frame)
{
    char *const text = mpdata_frame_names_text(parts->what->names, frame);

    parts->failed |= text == NULL;
    mpdata_json_out_text(&parts->json, text != NULL ? text : "",
                         text != NULL ? strlen(text) : 0);
    free(text);
}

/* Did an earlier run have it? */
static bool is_repeated(const struct mpdata_view *view, uint32_t run)
{
    uint32_t i = 0;

    while (i < run && view->runs[i].executable != view->runs[run].executable)
        i++;
    return i < run;
}

void mpdata_json_parts_programs(struct mpdata_json_parts *parts)
{
    struct mprof_buf all;

    mpdata_heapbuf_init(&all);
    for (uint32_t i = 0; i < parts->view.run_count; i++) {
        const mpdata_ref path = parts->view.runs[i].executable;
        size_t size = 0;
        char *text;

        if (path == 0 || is_repeated(&parts->view, i))
            continue;
        text = mpdata_profile_path_string(parts->what->profile, path, &size);
        parts->failed |= text == NULL;
        if (all.size != 0)
            mprof_buf_bytes(&all, ", ", 2);
        mprof_buf_bytes(&all, text != NULL ? text : "", size);
        free(text);
    }
    parts->failed |= all.failed;
    mpdata_json_out_text(&parts->json,
                         all.size != 0 ? (const char *)all.data : "", all.size);
    mpdata_heapbuf_fini(&all);
}

void mpdata_json_parts_cells(struct mpdata_json_parts *parts,
                             struct mpdata_cells cells)
{
    struct mpdata_cells_run run;

    mpdata_json_out_open_array(&parts->json);
    while (mpdata_cells_next_run(&cells, &run)) {
        mpdata_json_out_open_array(&parts->json);
        mpdata_json_out_number(&parts->json, run.first);
        for (uint64_t i = 0; i < run.count; i++)
            mpdata_json_out_number(&parts->json, run.counts[i]);
        mpdata_json_out_close_array(&parts->json);
    }
    mpdata_json_out_close_array(&parts->json);
}

uint32_t *mpdata_json_parts_stack(struct mpdata_json_parts *parts,
                                  mpdata_ref node, uint32_t *count)
{
    const struct mpdata_node *const nodes = parts->view.nodes;

    parts->stack.count = 0;
    for (mpdata_ref at = node; at != 0; at = nodes[at - 1].parent) {
        uint32_t *const frame = (uint32_t *)mpdata_vec_push(&parts->stack);

        if (frame == NULL) {
            parts->failed = true;
            break;
        }
        *frame = nodes[at - 1].frame;
    }
    *count = parts->stack.count;
    return (uint32_t *)parts->stack.data;
}

uint64_t mpdata_json_parts_pid(const struct mpdata_json_parts *parts)
{
    const struct mpdata_view *const view = &parts->view;
    uint64_t pid = view->run_count != 0 ? view->runs[0].pid : 0;

    for (uint32_t i = 1; i < view->run_count; i++)
        pid = view->runs[i].pid == pid ? pid : 0;
    return pid;
}

bool mpdata_json_parts_has_unknown(const struct mpdata_json_parts *parts)
{
    uint32_t i = 0;

    while (i < parts->view.context_count && parts->view.contexts[i].node != 0)
        i++;
    return i < parts->view.context_count;
}
