/* heap_maps.c -- the list of mappings in a heap profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/heap_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Limit of what values of variables add to all paths. */
#define VALUES_BYTES_MAX (1u << 20)

struct path {
    struct mpdata_str text; /* first member: the key of the set */
    uint32_t module;
};

bool mpdata_heap_maps_init(struct mpdata_heap_maps *m,
                           struct mpdata_foreign_errors *errors,
                           struct mpdata_text lines)
{
    const size_t size = (size_t)(lines.end - lines.at);
    const size_t room =
        size != 0 && memchr(lines.at, '$', size) != NULL ? VALUES_BYTES_MAX : 0;

    *m = (struct mpdata_heap_maps){
        .errors = errors,
        .strings = calloc(size + room + 1, 1),
        .value_room = room,
        .modules = {.elem_bytes = sizeof(struct mpdata_raw_module)},
        .segments = {.elem_bytes = sizeof(struct mpdata_raw_segment)}};
    mpdata_set_init(&m->paths, MPDATA_SET_BY_TEXT, sizeof(struct path));
    return m->strings != NULL;
}

void mpdata_heap_maps_fini(struct mpdata_heap_maps *m)
{
    mpdata_set_fini(&m->paths);
    mpdata_vec_fini(&m->modules);
    mpdata_vec_fini(&m->segments);
    free(m->strings);
}

/* Returns the binary of a path, + 1; copies the path. 0 when out of memory. */
static uint32_t intern_module(struct mpdata_heap_maps *m,
                              struct mpdata_str path)
{
    char *const copy = m->strings + m->string_bytes;
    struct path row = {.text = path, .module = m->modules.count};
    bool is_new;

    memmove(copy, path.bytes, path.size);
    copy[path.size] = '\0';
    row.text.bytes = copy;
    uint32_t ref = mpdata_set_add(&m->paths, &row, &is_new);
    if (ref == 0 || !is_new)
        return ref != 0
                   ? ((const struct path *)m->paths.rows.data)[ref - 1].module +
                         1
                   : 0;
    m->string_bytes += path.size + 1;
    struct mpdata_raw_module *module =
        mpdata_foreign_errors_push(m->errors, &m->modules);
    if (module == NULL)
        return 0;
    *module = (struct mpdata_raw_module){
        .path = row.text,
        .build_id = {"", 0},
        .is_trusted = true,
        .flags = m->modules.count == 1 ? MPROF_RAW_MODULE_FL_MAIN : 0};
    return m->modules.count;
}

/* The path up to the end of the line, which may have blanks. */
static struct mpdata_str rest_of(struct mpdata_text *line)
{
    mpdata_text_skip(line);
    if (line->end != line->at && line->end[-1] == '\r')
        line->end--;
    return (struct mpdata_str){line->at, (size_t)(line->end - line->at)};
}

/* Parses " r-xp 00001000 fe:00 11076162 /usr/bin/app". */
static bool take_file(struct mpdata_text *line,
                      struct mpdata_raw_segment *segment,
                      struct mpdata_str *path)
{
    uint64_t ignored;

    mpdata_text_skip(line);
    while (line->at != line->end && *line->at != ' ')
        line->at++;
    if (!mpdata_text_number(line, 16, &segment->file_off) ||
        !mpdata_text_number(line, 16, &ignored) ||
        !mpdata_text_take(line, ":") ||
        !mpdata_text_number(line, 16, &ignored) ||
        !mpdata_text_number(line, 10, &ignored))
        return false;
    *path = rest_of(line);
    return true;
}

/* Parses " /usr/bin/app (@1000) abcdef", as older tools wrote it. */
static void take_brief_file(struct mpdata_text *line,
                            struct mpdata_raw_segment *segment,
                            struct mpdata_str *path)
{
    static const char offset[] = " (@";
    const char *found;

    *path = rest_of(line);
    found = memmem(path->bytes, path->size, offset, sizeof(offset) - 1);
    if (found == NULL)
        return;
    line->at = found + sizeof(offset) - 1;
    if (mpdata_text_number(line, 16, &segment->file_off))
        path->size = (size_t)(found - path->bytes);
}

/* Parses "559b33586000-559b33587000", then one of these. */
static bool take_segment(struct mpdata_text *line,
                         struct mpdata_raw_segment *segment,
                         struct mpdata_str *path)
{
    if (!mpdata_text_number(line, 16, &segment->start) ||
        !mpdata_text_take(line, "-") ||
        !mpdata_text_number(line, 16, &segment->end))
        return false;
    if (!mpdata_text_take(line, ":"))
        return take_file(line, segment, path);
    take_brief_file(line, segment, path);
    return true;
}

/* Takes "build=/usr/bin", a name for a part of later paths: $build/app. */
static bool take_variable(struct mpdata_heap_maps *m, struct mpdata_text line)
{
    struct mpdata_str name;

    mpdata_text_skip(&line);
    name = mpdata_text_until(&line, "= \t");
    if (name.size == 0 || !mpdata_text_take(&line, "="))
        return false;
    m->variable = name;
    m->value = rest_of(&line);
    return true;
}

/* Replaces the variable at the start of a path: copies the path to the free end
 * of m->strings, if there is room. */
static struct mpdata_str expand(struct mpdata_heap_maps *m,
                                struct mpdata_str path)
{
    const size_t used = m->variable.size + 1;
    char *const copy = m->strings + m->string_bytes;

    if (m->variable.size == 0 || path.size < used || path.bytes[0] != '$' ||
        memcmp(path.bytes + 1, m->variable.bytes, used - 1) != 0 ||
        m->value.size > m->value_room)
        return path;
    m->value_room -= m->value.size;
    memcpy(copy, m->value.bytes, m->value.size);
    memcpy(copy + m->value.size, path.bytes + used, path.size - used);
    return (struct mpdata_str){copy, m->value.size + path.size - used};
}

bool mpdata_heap_maps_line(struct mpdata_heap_maps *m, struct mpdata_text *line)
{
    struct mpdata_raw_segment segment = {.start = 0};
    struct mpdata_str path;

    if (take_variable(m, *line) || !take_segment(line, &segment, &path) ||
        path.size == 0 || segment.end <= segment.start)
        return true;
    uint32_t module = intern_module(m, expand(m, path));
    struct mpdata_raw_segment *row =
        module != 0 ? mpdata_foreign_errors_push(m->errors, &m->segments)
                    : NULL;
    if (row == NULL)
        return false;
    segment.module = module - 1;
    *row = segment;
    return true;
}

MPROF_COMPARATOR(compare_starts, struct mpdata_raw_segment, MPROF_UP(start))

MPROF_COMPARATOR(compare_modules, struct mpdata_raw_segment,
                 MPROF_UP(module) ?: MPROF_UP(start))

void mpdata_heap_maps_place(struct mpdata_heap_maps *m,
                            struct mpdata_raw_frame *frames,
                            uint32_t frame_count)
{
    struct mpdata_raw_segment *const segments = m->segments.data;
    struct mpdata_raw_module *const modules = m->modules.data;
    const uint32_t count = m->segments.count;

    if (count == 0)
        return;
    qsort(segments, count, sizeof(*segments), compare_modules);
    for (uint32_t i = count; i-- > 0;)
        modules[segments[i].module].bias =
            segments[i].start - segments[i].file_off;
    qsort(segments, count, sizeof(*segments), compare_starts);
    for (uint32_t i = 0; i < frame_count; i++) {
        const size_t next = mpdata_vec_first(
            segments, count, sizeof(*segments),
            offsetof(struct mpdata_raw_segment, start), frames[i].address + 1);

        if (next == 0 || frames[i].address >= segments[next - 1].end)
            continue;
        frames[i].module = segments[next - 1].module + 1;
        frames[i].address -= modules[segments[next - 1].module].bias;
    }
    qsort(segments, count, sizeof(*segments), compare_modules);
}
