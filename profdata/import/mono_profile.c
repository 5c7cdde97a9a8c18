/* mono_profile.c -- allocations in logs of Mono's profilers as a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/mono_profile.h"
#include "profdata/import/foreign_stack.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 512

static bool starts_with(struct mpdata_str text, const char *start)
{
    const size_t size = strlen(start);

    return text.size >= size && memcmp(text.bytes, start, size) == 0;
}

/* Methods by which the runtime allocates: of no use at the end of a stack. */
static bool is_allocator(struct mpdata_str name)
{
    return starts_with(name, "(wrapper alloc)") ||
           starts_with(name, "(wrapper managed-to-native) object:__icall_");
}

static mpdata_ref add_frame(struct mpdata_profile *profile,
                            struct mpdata_str name)
{
    struct mpdata_foreign_string text = {.text = name};
    struct mpdata_foreign_string file = {.text = {"", 0}};
    const struct mpdata_foreign_frame frame = {.name = &text, .file = &file};

    return mpdata_foreign_stack_frame(profile, &frame);
}

/* In some logs the name has no class. */
static mpdata_ref add_method(struct mpdata_profile *profile,
                             const struct mpdata_mono_heap *heap,
                             const struct mpdata_mono_name *method)
{
    const struct mpdata_mono_name key = {.id = method->other};
    const uint32_t at = key.id != 0 ? mpdata_set_find(&heap->classes, &key) : 0;
    const struct mpdata_str class =
        at != 0 ? mpdata_mono_heap_class_name(heap, at - 1)
                : (struct mpdata_str){"", 0};
    char text[NAME_BYTES];

    if (method->text.size != 0 && class.size == 0)
        return add_frame(profile, method->text);
    if (method->text.size != 0)
        snprintf(text, sizeof(text), "%.*s:%.*s", (int)class.size, class.bytes,
                 (int)method->text.size, method->text.bytes);
    else
        snprintf(text, sizeof(text), "method %#" PRIx64, method->id);
    return add_frame(profile, (struct mpdata_str){text, strlen(text)});
}

/* The frame that allocates. */
static mpdata_ref add_new(struct mpdata_profile *profile,
                          struct mpdata_str class)
{
    char text[NAME_BYTES];
    struct mpdata_frame frame;

    if (class.size == 0)
        return add_frame(profile, (struct mpdata_str){"new", 3});
    snprintf(text, sizeof(text), "new %.*s", (int)class.size, class.bytes);
    const mpdata_ref at =
        add_frame(profile, (struct mpdata_str){text, strlen(text)});
    if (at == 0)
        return 0;
    frame = mpdata_profile_view(profile).frames[at - 1];
    frame.type = mpdata_profile_string(profile, class.bytes, class.size);
    return mpdata_profile_frame(profile, &frame);
}

static void add_row(struct mpdata_profile *profile,
                    const struct mpdata_mono_heap *heap,
                    const struct mpdata_mono_row *row, const mpdata_ref *nodes)
{
    const struct mprof_mib mib = {.AllocCount = row->count,
                                  .TotalSize = row->bytes,
                                  .MinSize = row->smallest,
                                  .MaxSize = row->largest};
    const mpdata_ref frame =
        add_new(profile, mpdata_mono_heap_class_name(heap, row->type));

    if (frame != 0)
        mpdata_profile_context(
            profile, mpdata_profile_node(profile, nodes[row->node], frame),
            MPROF_CONTEXT_FL_NOT_MEASURED, &mib, MPDATA_CELLS_NONE);
}

/* Nodes of the profile by those of the log, [0] for none. */
static mpdata_ref *add_nodes(struct mpdata_profile *profile,
                             const struct mpdata_mono_heap *heap)
{
    const struct mpdata_mono_name *const methods = heap->methods.rows.data;
    const struct mpdata_mono_node *const rows = heap->nodes.rows.data;
    const uint32_t count = heap->nodes.rows.count;
    mpdata_ref *const nodes =
        mpdata_vec_array((size_t)count + 1, sizeof(*nodes));

    for (uint32_t i = 0; nodes != NULL && i < count; i++) {
        const struct mpdata_mono_name *const method = &methods[rows[i].method];

        nodes[i + 1] = nodes[rows[i].parent];
        if (!is_allocator(method->text))
            nodes[i + 1] = mpdata_profile_node(
                profile, nodes[i + 1], add_method(profile, heap, method));
    }
    return nodes;
}

enum mprof_err mpdata_mono_profile(const struct mpdata_mono_heap *heap,
                                   struct mpdata_profile *profile,
                                   const struct mpdata_run *run)
{
    static const char tool[] = "Mono profiler";
    mpdata_ref *const nodes = add_nodes(profile, heap);
    struct mpdata_run all = *run;

    for (uint32_t i = 0; nodes != NULL && i < heap->rows.rows.count; i++)
        add_row(profile, heap,
                (const struct mpdata_mono_row *)heap->rows.rows.data + i,
                nodes);
    all.count = 1;
    all.kind = MPROF_RUN_FOREIGN;
    all.contexts = heap->rows.rows.count;
    all.tool = mpdata_profile_string(profile, tool, sizeof(tool) - 1);
    mpdata_profile_run(profile, &all);
    if (nodes == NULL)
        return MPROF_E_NOMEM;
    free(nodes);
    return mpdata_profile_status(profile);
}
