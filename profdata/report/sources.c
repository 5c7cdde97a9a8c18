/* sources.c -- chooses the lines to show and writes their text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document_parts.h"
#include "profdata/base/source_file.h"
#include "profdata/query/run_totals.h"

#include <stdlib.h>
#include <string.h>

/* Number of context lines on both sides. */
#define LINES_AROUND 3
/* Limit of the lines of frames, from the largest call stacks; up to twice as
 * many are collected. */
#define PLACES_MAX 3000
#define LINE_BYTES_MAX 200
#define ALL_BYTES_MAX ((size_t)1 << 20)

struct place {
    mpdata_ref path;
    uint32_t line;
};

struct sources {
    struct mpdata_json_parts *parts;
    struct mpdata_vec places; /* struct place */
    size_t bytes;             /* size of the text written so far */
    uint64_t last_ns;
};

/* -- choosing lines -------------------------------------------------------- */

static int compare_sizes(const void *left, const void *right, void *context)
{
    const struct mpdata_view *const view = context;
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    const int order = mprof_compare_u64(
        mpdata_view_mib_field(view, b, MPROF_MIB_INDEX_TotalSize),
        mpdata_view_mib_field(view, a, MPROF_MIB_INDEX_TotalSize));

    return order != 0 ? order : mprof_compare_u64(a, b);
}

MPROF_COMPARATOR(compare_places, struct place, MPROF_UP(path) ?: MPROF_UP(line))

/* Returns false when out of memory. */
static bool add_stack(struct sources *s, uint32_t context)
{
    const struct mpdata_view *const view = &s->parts->view;

    for (mpdata_ref node = view->contexts[context].node; node != 0;
         node = view->nodes[node - 1].parent) {
        const struct mpdata_frame *const f =
            &view->frames[view->nodes[node - 1].frame];

        if (f->path == 0 || f->line == 0)
            continue;
        if (!mpdata_vec_add(&s->places,
                            &(struct place){.path = f->path, .line = f->line}))
            return false;
    }
    return true;
}

/* Sorts by file and line, and removes duplicates. */
static void sort_places(struct sources *s)
{
    struct place *const places = s->places.data;
    uint32_t kept = 0;

    if (s->places.count == 0)
        return;
    qsort(places, s->places.count, sizeof(*places), compare_places);
    for (uint32_t i = 1; i < s->places.count; i++) {
        if (compare_places(&places[kept], &places[i]) != 0)
            places[++kept] = places[i];
    }
    s->places.count = kept + 1;
}

static bool find_places(struct sources *s)
{
    struct mpdata_view *const view = &s->parts->view;
    uint32_t *const order =
        mpdata_vec_array(view->context_count, sizeof(*order));
    bool is_done = order != NULL;

    for (uint32_t i = 0; is_done && i < view->context_count; i++)
        order[i] = i;
    if (is_done && view->context_count != 0)
        qsort_r(order, view->context_count, sizeof(*order), compare_sizes,
                view);
    for (uint32_t i = 0; is_done && i < view->context_count; i++) {
        is_done = add_stack(s, order[i]);
        /* Call stacks share many frames, so most entries may be duplicates.
         * sort_places() removes them. */
        if (s->places.count >= 2 * PLACES_MAX) {
            sort_places(s);
            if (s->places.count >= PLACES_MAX)
                break;
        }
    }
    if (is_done)
        sort_places(s);
    free(order);
    return is_done;
}

/* -- text ------------------------------------------------------------------ */

/* Does the name look like a source file? C++'s standard headers have no suffix.
 */
static bool is_source_name(const char *path)
{
    static const char *const suffixes[] = {
        ".c",   ".cc",  ".cpp", ".cxx", ".c++", ".C",     ".h",   ".hh",
        ".hpp", ".hxx", ".h++", ".H",   ".inc", ".inl",   ".ipp", ".tcc",
        ".tpp", ".def", ".l",   ".y",   ".m",   ".mm",    ".S",   ".s",
        ".rs",  ".go",  ".d",   ".f90", ".zig", ".swift", ".lua", ".js"};
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    const char *const dot = strrchr(name, '.');

    if (dot == NULL)
        return strstr(path, "/include/c++/") != NULL;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(suffixes); i++) {
        if (dot != name && strcmp(dot, suffixes[i]) == 0)
            return true;
    }
    return false;
}

/* Writes lines from..to, up to the end of the file. */
static void put_lines(struct sources *s, struct mpdata_source_file *file,
                      uint64_t from, uint64_t to)
{
    struct mpdata_json_out *const json = &s->parts->json;
    const char *text;
    size_t size;

    mpdata_json_out_open_array(json);
    mpdata_json_out_number(json, from);
    for (uint64_t line = from; line <= to && line <= UINT32_MAX; line++) {
        if (!mpdata_source_file_line(file, (uint32_t)line, &text, &size))
            break;
        if (size != 0 && text[size - 1] == '\r')
            size--;
        size = (size_t)mprof_min_u64(size, LINE_BYTES_MAX);
        mpdata_json_out_text(json, text, size);
        s->bytes += size;
    }
    mpdata_json_out_close_array(json);
}

static uint64_t first_around(const struct place *place)
{
    return place->line > LINES_AROUND ? place->line - LINES_AROUND : 1;
}

static void put_parts(struct sources *s, struct mpdata_source_file *file,
                      const struct place *places, uint32_t count)
{
    mpdata_json_parts_open_array(s->parts, "lines");
    for (uint32_t i = 0; i < count && s->bytes < ALL_BYTES_MAX;) {
        const uint64_t from = first_around(&places[i]);
        uint64_t to = (uint64_t)places[i++].line + LINES_AROUND;

        /* Join parts that are close. */
        while (i < count && first_around(&places[i]) <= to + 1)
            to = (uint64_t)places[i++].line + LINES_AROUND;
        put_lines(s, file, from, to);
    }
    mpdata_json_out_close_array(&s->parts->json);
}

static void put_file(struct sources *s, const struct place *places,
                     uint32_t count)
{
    char *const path =
        mpdata_profile_path_string(s->parts->what->profile, places->path, NULL);
    struct mpdata_source_file file = {.line = 1};

    s->parts->failed |= path == NULL;
    if (path != NULL && is_source_name(path))
        file = mpdata_source_file_open(path, s->last_ns);
    mpdata_json_out_row(&s->parts->json);
    mpdata_json_out_key(&s->parts->json, "file");
    mpdata_json_parts_path(s->parts, places->path);
    mpdata_json_out_known_flag(&s->parts->json, "missing", !file.is_open);
    mpdata_json_out_known_flag(&s->parts->json, "changed", file.is_newer);
    if (file.is_open)
        put_parts(s, &file, places, count);
    mpdata_json_out_close_map(&s->parts->json);
    mpdata_source_file_close(&file);
    free(path);
}

static void put_files(struct sources *s)
{
    const struct place *const places = s->places.data;

    mpdata_json_parts_open_array(s->parts, "sources");
    for (uint32_t i = 0; i < s->places.count && s->bytes < ALL_BYTES_MAX;) {
        uint32_t count = 1;

        while (i + count < s->places.count &&
               places[i + count].path == places[i].path)
            count++;
        put_file(s, &places[i], count);
        i += count;
    }
    mpdata_json_out_close_array(&s->parts->json);
}

void mpdata_sources_put(struct mpdata_json_parts *parts)
{
    struct sources s = {.parts = parts,
                        .places = {.elem_bytes = sizeof(struct place)}};
    struct mpdata_run_totals runs;

    if (mpdata_run_totals(&parts->view, &runs) == MPROF_E_OK &&
        find_places(&s)) {
        s.last_ns = runs.last_start_ns;
        put_files(&s);
    } else {
        parts->failed = true;
    }
    mpdata_vec_fini(&s.places);
}
