/* mono.c -- allocations in logs of Mono's profilers as a profile: the
 * profiler `log` (.mlpd), and the first one. The leaf of a call stack is "new
 * CLASS", which has the type CLASS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"
#include "profdata/events/event_choice.h"
#include "profdata/events/mono_shots.h"
#include "profdata/import/foreign.h"
#include "profdata/import/foreign_stack.h"
#include "shared/container.h"
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

    if (class.size == 0)
        return add_frame(profile, (struct mpdata_str){"new", 3});
    snprintf(text, sizeof(text), "new %.*s", (int)class.size, class.bytes);
    const mpdata_ref at =
        add_frame(profile, (struct mpdata_str){text, strlen(text)});
    return mpdata_foreign_stack_typed(
        profile, at, mpdata_profile_string(profile, class.bytes, class.size));
}

/* The node of a row, or 0 without memory. nodes: of its call stack. */
static mpdata_ref row_node(struct mpdata_profile *profile,
                           const struct mpdata_mono_heap *heap,
                           const struct mpdata_mono_row *row,
                           const mpdata_ref *nodes)
{
    const mpdata_ref frame =
        add_new(profile, mpdata_mono_heap_class_name(heap, row->type));

    return frame != 0 ? mpdata_profile_node(profile, nodes[row->node], frame)
                      : 0;
}

static void add_row(struct mpdata_profile *profile,
                    const struct mpdata_mono_heap *heap,
                    const struct mpdata_mono_row *row, const mpdata_ref *nodes)
{
    const struct mprof_mib mib = {.AllocCount = row->count,
                                  .TotalSize = row->bytes,
                                  .MinSize = row->smallest,
                                  .MaxSize = row->largest};
    const mpdata_ref node =
        row->count != 0 ? row_node(profile, heap, row, nodes) : 0;

    if (node != 0)
        mpdata_profile_context(profile, node, MPROF_CONTEXT_FL_NOT_MEASURED,
                               &mib, MPDATA_CELLS_NONE);
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

/* choice: NULL, or the moment that the rows are of. */
static bool add_profile(const struct mpdata_mono_heap *heap,
                        struct mpdata_profile *profile,
                        const struct mpdata_mono_run *of,
                        const struct mpdata_event_choice *choice, uint64_t id)
{
    static const char tool[] = "Mono profiler";
    mpdata_ref *const nodes = add_nodes(profile, heap);
    struct mpdata_run run = {.run_id = id,
                             .start_ns = of->start_ns,
                             .duration_ns = of->duration_ns,
                             .pid = of->pid,
                             .count = 1,
                             .kind = MPROF_RUN_FOREIGN,
                             .contexts = heap->rows.rows.count};

    if (choice != NULL) {
        run.alive_ns = choice->at_ns + 1;
        run.after_ns = choice->from_ns + 1; /* UINT64_MAX: at any time */
    }
    for (uint32_t i = 0; nodes != NULL && i < heap->rows.rows.count; i++)
        add_row(profile, heap,
                (const struct mpdata_mono_row *)heap->rows.rows.data + i,
                nodes);
    free(nodes);
    run.tool = mpdata_profile_string(profile, tool, sizeof(tool) - 1);
    if (of->program.size != 0)
        run.executable =
            mpdata_profile_path(profile, of->program.bytes, of->program.size);
    mpdata_profile_run(profile, &run);
    return nodes != NULL;
}

static enum mprof_err finish(const struct mpdata_mono_heap *heap,
                             const uint8_t *data, size_t size,
                             const struct mpdata_mono_run *run,
                             const struct mpdata_event_choice *choice,
                             struct mpdata_profile *into,
                             struct mprof_diag *diag)
{
    const enum mprof_err err =
        add_profile(heap, into, run, choice, mprof_checksum(data, size))
            ? mpdata_profile_status(into)
            : MPROF_E_NOMEM;

    if (err != MPROF_E_OK)
        mprof_err_plain(diag, err);
    else if (run->rest.err != MPROF_E_OK && diag != NULL)
        *diag = run->rest;
    return err;
}

static enum mprof_err read_profile(mpdata_mono_read_fn *read_log,
                                   const uint8_t *data, size_t size,
                                   struct mpdata_profile *into,
                                   struct mprof_diag *diag)
{
    struct mpdata_mono_heap heap;
    struct mpdata_mono_run run;

    mpdata_mono_heap_init(&heap);
    enum mprof_err err = read_log(&heap, data, size, &run, diag);
    if (err == MPROF_E_OK)
        err = finish(&heap, data, size, &run, NULL, into, diag);
    mpdata_mono_heap_fini(&heap);
    return err;
}

/* -- what a heapshot found ------------------------------------------------- */

struct moment {
    const struct mpdata_event_choice *choice;
    struct mpdata_mono_shots shots;
    struct mpdata_vec found; /* struct mpdata_mono_object */
    uint64_t first_tick;
    bool is_found; /* a heapshot at the moment */
};

static bool note_alloc(void *context, const struct mpdata_mono_alloc *alloc)
{
    return mpdata_mono_shots_alloc(&((struct moment *)context)->shots, alloc);
}

static bool note_found(struct moment *m)
{
    const struct mpdata_mono_object *const objects = m->shots.objects.rows.data;

    m->is_found = true;
    m->found.count = 0;
    for (uint32_t i = 0; i < m->shots.objects.rows.count; i++) {
        if (objects[i].row == MPDATA_MONO_NO_OBJECT ||
            !mpdata_event_choice_has(
                m->choice, mprof_sub_sat_u64(objects[i].tick, m->first_tick),
                UINT64_MAX, 0))
            continue;
        if (!mpdata_vec_add(&m->found, &objects[i]))
            return false;
    }
    return true;
}

static bool note_shot(void *context, const struct mpdata_mono_shot_event *event)
{
    struct moment *const m = context;

    return mpdata_mono_shots_add(&m->shots, event) &&
           (event->kind != MPDATA_MONO_SHOT_ENDS ||
            mprof_sub_sat_u64(m->shots.tick, m->first_tick) !=
                m->choice->at_ns ||
            note_found(m));
}

/* Leaves what was found in the rows. */
static void keep_found(struct mpdata_mono_heap *heap, const struct moment *m)
{
    struct mpdata_mono_row *const rows = heap->rows.rows.data;
    const struct mpdata_mono_object *const found = m->found.data;

    for (uint32_t i = 0; i < heap->rows.rows.count; i++) {
        rows[i].count = rows[i].bytes = rows[i].largest = 0;
        rows[i].smallest = UINT64_MAX;
    }
    for (uint32_t i = 0; i < m->found.count; i++)
        mpdata_mono_heap_count(&rows[found[i].row], found[i].size);
}

static enum mprof_err refuse(uint32_t shots, struct mprof_diag *diag)
{
    if (shots == 0)
        return mpdata_diag_text(diag, MPROF_E_USAGE, MPDATA_FOREIGN_NO_ENDS);
    return mpdata_diag_text(
        diag, MPROF_E_USAGE,
        "the log tells what was alive at its heapshots only, of which there "
        "are %" PRIu32 ": \"heapshot 1\" is the first",
        shots);
}

static enum mprof_err read_moment(struct moment *m, const uint8_t *data,
                                  size_t size, struct mpdata_profile *into,
                                  struct mprof_diag *diag)
{
    struct mpdata_mono_heap heap;
    struct mpdata_mono_run run;

    mpdata_mono_heap_init(&heap);
    heap.visit = note_alloc;
    heap.shot = note_shot;
    heap.context = m;
    enum mprof_err err = mpdata_mlpd_log_read(&heap, data, size, &run, diag);
    if (err == MPROF_E_OK && !m->is_found)
        err = refuse(m->shots.count, diag);
    if (err == MPROF_E_OK) {
        keep_found(&heap, m);
        err = finish(&heap, data, size, &run, m->choice, into, diag);
    }
    mpdata_mono_heap_fini(&heap);
    return err;
}

/* Times follow from the first one in the log, so it is read before. */
static enum mprof_err read_start(uint64_t *first_tick, const uint8_t *data,
                                 size_t size, struct mprof_diag *diag)
{
    struct mpdata_mono_heap heap;
    struct mpdata_mono_run run;

    mpdata_mono_heap_init(&heap);
    const enum mprof_err err =
        mpdata_mlpd_log_read(&heap, data, size, &run, diag);
    *first_tick = run.first_tick;
    mpdata_mono_heap_fini(&heap);
    return err;
}

enum mprof_err mpdata_mono_mlpd_moment(const uint8_t *data, size_t size,
                                       struct mpdata_event_choice *choice,
                                       struct mpdata_profile *into,
                                       struct mprof_diag *diag)
{
    struct moment m = {.choice = choice,
                       .found.elem_bytes = sizeof(struct mpdata_mono_object)};
    enum mprof_err err = mpdata_event_choice_find(choice, data, size, diag);

    if (err == MPROF_E_OK)
        err = read_start(&m.first_tick, data, size, diag);
    if (err != MPROF_E_OK)
        return err;
    mpdata_mono_shots_init(&m.shots);
    err = read_moment(&m, data, size, into, diag);
    mpdata_mono_shots_fini(&m.shots);
    mpdata_vec_fini(&m.found);
    return err;
}

/* -- call stacks ----------------------------------------------------------- */

static bool add_stacks(const struct mpdata_mono_heap *heap,
                       struct mpdata_profile *profile,
                       struct mpdata_foreign_stacks *stacks)
{
    mpdata_ref *const nodes = add_nodes(profile, heap);

    stacks->count = heap->rows.rows.count;
    stacks->leaves = mpdata_vec_array(stacks->count, sizeof(*stacks->leaves));
    for (uint32_t i = 0;
         nodes != NULL && stacks->leaves != NULL && i < stacks->count; i++)
        stacks->leaves[i] = row_node(
            profile, heap,
            (const struct mpdata_mono_row *)heap->rows.rows.data + i, nodes);
    free(nodes);
    return nodes != NULL && stacks->leaves != NULL;
}

static enum mprof_err read_stacks(mpdata_mono_read_fn *read_log,
                                  const uint8_t *data, size_t size,
                                  struct mpdata_profile *into,
                                  struct mpdata_foreign_stacks *stacks,
                                  struct mprof_diag *diag)
{
    struct mpdata_mono_heap heap;
    struct mpdata_mono_run run;

    mpdata_mono_heap_init(&heap);
    enum mprof_err err = read_log(&heap, data, size, &run, diag);
    if (err == MPROF_E_OK && !add_stacks(&heap, into, stacks))
        err = MPROF_E_NOMEM;
    mpdata_mono_heap_fini(&heap);
    return err;
}

/* -- the formats ----------------------------------------------------------- */

#define FORMAT(name, is_log, read_log)                                    \
    bool mpdata_##name##_is(const uint8_t *data, size_t size)             \
    {                                                                     \
        return is_log(data, size);                                        \
    }                                                                     \
    enum mprof_err mpdata_##name##_read(const uint8_t *data, size_t size, \
                                        struct mpdata_profile *into,      \
                                        struct mprof_diag *diag)          \
    {                                                                     \
        return read_profile(read_log, data, size, into, diag);            \
    }                                                                     \
    enum mprof_err mpdata_##name##_stacks(                                \
        const uint8_t *data, size_t size, struct mpdata_profile *into,    \
        struct mpdata_foreign_stacks *stacks, struct mprof_diag *diag)    \
    {                                                                     \
        return read_stacks(read_log, data, size, into, stacks, diag);     \
    }

FORMAT(mono_mlpd, mpdata_mlpd_log_is, mpdata_mlpd_log_read)
FORMAT(mono_first, mpdata_mono_blocks_is, mpdata_mono_blocks_read)
