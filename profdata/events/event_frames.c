/* event_frames.c -- the binaries and code addresses of a log. A log names a
 * binary when it is mapped, when a call stack goes through it and at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_frames.h"

#include <stdlib.h>
#include <string.h>

/* Segments that may begin before an address and overlap the one that holds it.
 */
#define LOOK_BACK 16

struct segment {
    uint64_t tag;
    struct mpdata_raw_segment s;
};

void mpdata_event_frames_init(struct mpdata_event_frames *f)
{
    *f = (struct mpdata_event_frames){
        .modules = {.elem_bytes = sizeof(struct mpdata_raw_module)},
        .segments = {.elem_bytes = sizeof(struct segment)}};
    mpdata_set_init(&f->frames, MPDATA_SET_KEY(struct mpdata_log_frame, tag),
                    sizeof(struct mpdata_log_frame));
    mpdata_set_init(&f->functions,
                    MPDATA_SET_KEY(struct mpdata_log_function, number),
                    sizeof(struct mpdata_log_function));
}

void mpdata_event_frames_fini(struct mpdata_event_frames *f)
{
    mpdata_set_fini(&f->frames);
    mpdata_set_fini(&f->functions);
    mpdata_vec_fini(&f->modules);
    mpdata_vec_fini(&f->segments);
    mpdata_map_fini(&f->by_name);
    mpdata_arena_fini(&f->texts);
}

static struct mpdata_raw_module *module_at(const struct mpdata_event_frames *f,
                                           uint32_t i)
{
    return (struct mpdata_raw_module *)f->modules.data + i;
}

bool mpdata_event_frames_text(struct mpdata_event_frames *f,
                              struct mpdata_str text, struct mpdata_str *kept)
{
    char *const copy =
        f->copies ? mpdata_arena_alloc(&f->texts, text.size + 1) : NULL;

    *kept = text;
    if (copy != NULL) {
        memcpy(copy, text.size != 0 ? text.bytes : "", text.size);
        copy[text.size] = '\0';
        kept->bytes = copy;
    }
    return copy != NULL || !f->copies;
}

static bool is_same_text(struct mpdata_str a, struct mpdata_str b)
{
    return a.size == b.size &&
           (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* The path of the program is not known while the program starts. */
static bool is_same(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_raw_module *const m =
        (const struct mpdata_raw_module *)rows + row;
    const struct mpdata_log_loaded *const l = key;

    return m->bias == l->bias && is_same_text(m->build_id, l->build_id) &&
           (is_same_text(m->path, l->path) || m->path.size == 0 ||
            l->path.size == 0);
}

bool mpdata_event_frames_loaded(struct mpdata_event_frames *f,
                                const struct mpdata_log_loaded *loaded)
{
    const uint64_t hash = mpdata_hash_words(
        mpdata_hash_bytes(loaded->build_id.bytes, loaded->build_id.size),
        loaded->bias);
    const uint32_t known =
        mpdata_map_find(&f->by_name, hash, is_same, f->modules.data, loaded);

    f->tag = loaded->tag;
    f->is_known = known != 0 && f->tag == 0;
    f->module = known - 1;
    if (known != 0) {
        if (loaded->flags != 0)
            module_at(f, f->module)->flags = loaded->flags;
        return loaded->path.size == 0 ||
               mpdata_event_frames_text(f, loaded->path,
                                        &module_at(f, f->module)->path);
    }
    struct mpdata_raw_module *const m = mpdata_vec_push(&f->modules);
    if (m == NULL)
        return false;
    *m = (struct mpdata_raw_module){.bias = loaded->bias,
                                    .flags = loaded->flags};
    if (!mpdata_event_frames_text(f, loaded->path, &m->path) ||
        !mpdata_event_frames_text(f, loaded->build_id, &m->build_id))
        return false;
    if (m->build_id.bytes == NULL)
        m->build_id.bytes = "";
    f->module = f->modules.count - 1;
    return mpdata_map_add(&f->by_name, hash, f->modules.count);
}

bool mpdata_event_frames_segment(struct mpdata_event_frames *f, uint64_t start,
                                 uint64_t end, uint64_t file_off)
{
    struct segment *s;

    if (f->is_known)
        return true;
    s = mpdata_vec_push(&f->segments);
    if (s != NULL)
        *s = (struct segment){.tag = f->tag,
                              .s = {.module = f->module,
                                    .start = start,
                                    .end = end,
                                    .file_off = file_off}};
    return s != NULL;
}

bool mpdata_event_frames_function(struct mpdata_event_frames *f,
                                  const struct mpdata_log_function *function)
{
    struct mpdata_log_function kept = *function;

    return mpdata_event_frames_text(f, function->name, &kept.name) &&
           mpdata_event_frames_text(f, function->file, &kept.file) &&
           mpdata_set_add(&f->functions, &kept, NULL) != 0;
}

uint32_t mpdata_event_frames_add(struct mpdata_event_frames *f,
                                 const struct mpdata_log_frame *frame)
{
    return mpdata_set_add(&f->frames, frame, NULL);
}

MPROF_COMPARATOR(compare, struct segment,
                 MPROF_UP(tag) ?: MPROF_UP(s.start) ?: MPROF_UP(s.module)
                 ?: MPROF_UP(s.end))

/* The segment of an address: of several the binary that was named first. */
static const struct segment *find(const struct mpdata_event_frames *f,
                                  const struct mpdata_log_frame *frame)
{
    const struct segment *const all = f->segments.data;
    const struct segment *found = NULL;
    uint32_t low = 0;
    uint32_t high = f->segments.count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (all[middle].tag < frame->tag ||
            (all[middle].tag == frame->tag &&
             all[middle].s.start <= frame->address))
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = 0; i < LOOK_BACK && low-- > 0; i++) {
        if (all[low].tag == frame->tag && frame->address < all[low].s.end &&
            (found == NULL || all[low].s.module < found->s.module))
            found = &all[low];
    }
    return found;
}

static bool move_segments(struct mpdata_event_frames *f, struct mpdata_raw *raw)
{
    const struct segment *const all = f->segments.data;

    raw->segments = mpdata_raw_array(f->segments.count, sizeof(*raw->segments));
    for (uint32_t i = 0; raw->segments != NULL && i < f->segments.count; i++)
        raw->segments[raw->segment_count++] = all[i].s;
    return raw->segments != NULL;
}

/* Names the frame if it is one of a script. */
static void name_frame(const struct mpdata_event_frames *f,
                       const struct mpdata_log_frame *frame,
                       struct mpdata_raw_name *name)
{
    const struct mpdata_log_function wanted = {
        .number = (uint32_t)(frame->address >> MPROF_LOG_SCRIPT_LINE_BITS) &
                  (MPROF_LOG_SCRIPT_FUNCTIONS - 1)};
    const uint32_t at = frame->tag == MPROF_LOG_SCRIPT_TAG
                            ? mpdata_set_find(&f->functions, &wanted)
                            : 0;
    const struct mpdata_log_function *const all = f->functions.rows.data;

    if (at != 0)
        *name = (struct mpdata_raw_name){
            .function = all[at - 1].name,
            .file = all[at - 1].file,
            .line = frame->address &
                    ((UINT32_C(1) << MPROF_LOG_SCRIPT_LINE_BITS) - 1),
            .start_line = all[at - 1].line};
}

static bool name_frames(const struct mpdata_event_frames *f,
                        struct mpdata_raw *raw)
{
    const struct mpdata_log_frame *const frames = f->frames.rows.data;

    if (f->functions.rows.count == 0)
        return true;
    raw->frame_names =
        mpdata_raw_array(f->frames.rows.count, sizeof(*raw->frame_names));
    for (uint32_t i = 0; raw->frame_names != NULL && i < f->frames.rows.count;
         i++)
        name_frame(f, &frames[i], &raw->frame_names[i]);
    return raw->frame_names != NULL;
}

bool mpdata_event_frames_finish(struct mpdata_event_frames *f,
                                struct mpdata_raw *raw)
{
    const uint32_t count = f->frames.rows.count;
    const struct mpdata_log_frame *const frames = f->frames.rows.data;

    if (f->segments.count != 0)
        qsort(f->segments.data, f->segments.count, sizeof(struct segment),
              compare);
    raw->frames = mpdata_raw_array(count, sizeof(*raw->frames));
    if (raw->frames == NULL || !move_segments(f, raw) || !name_frames(f, raw))
        return false;
    raw->modules = mpdata_raw_array(f->modules.count, sizeof(*raw->modules));
    raw->module_count = f->modules.count;
    for (uint32_t i = 0; raw->modules != NULL && i < f->modules.count; i++)
        raw->modules[i] = *module_at(f, i);
    for (uint32_t i = 0; raw->modules != NULL && i < count; i++) {
        const struct segment *const s = find(f, &frames[i]);

        raw->frames[i].module = s != NULL ? s->s.module + 1 : 0;
        raw->frames[i].address =
            frames[i].address -
            (s != NULL ? raw->modules[s->s.module].bias : 0);
    }
    raw->frame_count = count;
    return raw->modules != NULL;
}
