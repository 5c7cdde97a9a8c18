/* event_stacks.c -- the call stacks of a log as a tree of nodes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_stacks.h"

#include <string.h>

void mpdata_event_stacks_init(struct mpdata_event_stacks *s)
{
    *s = (struct mpdata_event_stacks){
        .rows.elem_bytes = sizeof(struct mpdata_event_stack),
        .nodes.elem_bytes = sizeof(struct mpdata_raw_node),
        .last.elem_bytes = sizeof(mpdata_ref)};
    mpdata_event_frames_init(&s->frames);
}

void mpdata_event_stacks_fini(struct mpdata_event_stacks *s)
{
    mpdata_event_frames_fini(&s->frames);
    mpdata_vec_fini(&s->rows);
    mpdata_vec_fini(&s->nodes);
    mpdata_vec_fini(&s->last);
}

struct mpdata_event_stack *
mpdata_event_stacks_at(const struct mpdata_event_stacks *s, uint32_t i)
{
    return (struct mpdata_event_stack *)s->rows.data + i;
}

bool mpdata_event_stacks_begin(struct mpdata_event_stacks *s, uint32_t flags,
                               uint32_t shared)
{
    struct mpdata_event_stack *const row = mpdata_vec_push(&s->rows);

    if (row == NULL)
        return false;
    *row = (struct mpdata_event_stack){
        .flags = flags,
        .node = shared != 0 ? ((mpdata_ref *)s->last.data)[shared - 1] : 0};
    s->last.count = shared;
    return true;
}

bool mpdata_event_stacks_frame(struct mpdata_event_stacks *s,
                               const struct mpdata_log_frame *frame)
{
    struct mpdata_event_stack *const row =
        mpdata_event_stacks_at(s, s->rows.count - 1);
    const uint32_t at = mpdata_event_frames_add(&s->frames, frame);
    struct mpdata_raw_node *const node = mpdata_vec_push(&s->nodes);
    mpdata_ref *const last = mpdata_vec_push(&s->last);

    if (at == 0 || node == NULL || last == NULL)
        return false;
    *node = (struct mpdata_raw_node){.parent = row->node, .frame = at - 1};
    row->node = *last = s->nodes.count;
    return true;
}

bool mpdata_event_stacks_name(struct mpdata_event_stacks *s, uint32_t i,
                              struct mpdata_str name)
{
    return mpdata_event_frames_text(&s->frames, name,
                                    &mpdata_event_stacks_at(s, i)->name);
}

bool mpdata_event_stacks_move(struct mpdata_vec *from, void *to,
                              uint32_t *count)
{
    void *data =
        from->data != NULL ? from->data : mpdata_raw_array(0, from->elem_bytes);

    *(void **)to = data;
    *count = from->count;
    from->data = NULL;
    return data != NULL;
}

bool mpdata_event_stacks_finish(struct mpdata_event_stacks *s,
                                struct mpdata_raw *raw)
{
    raw->node_count = s->nodes.count;
    raw->nodes = mpdata_raw_array(s->nodes.count, sizeof(*raw->nodes));
    if (raw->nodes != NULL && s->nodes.count != 0)
        memcpy(raw->nodes, s->nodes.data, s->nodes.count * sizeof(*raw->nodes));
    return raw->nodes != NULL && mpdata_event_frames_finish(&s->frames, raw);
}
