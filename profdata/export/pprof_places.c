/* pprof_places.c -- strings, functions, locations and mappings for pprof.
 *
 * A location is either a frame with a function, and the frames it is inlined
 * into, or an address in a binary. The binaries of named functions are unknown,
 * so only addresses have a mapping. A profile's addresses are those of the
 * linker, so the mapping goes from 0 to the end.
 *
 * Ids count from 1 in the order of the file: Parca demands it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/pprof_places.h"
#include "profdata/base/sink.h"
#include "profdata/base/protobuf.h"
#include "profdata/base/str.h"
#include "shared/container.h"
#include "shared/index_format.h"
#include "profdata/base/pprof_format.h"

#include <stdlib.h>
#include <string.h>

/* The part of a function in one file. */
struct function {
    mpdata_ref function;
    mpdata_ref path;
    uint32_t frame; /* one of its frames, for its name */
};

/* A frame and the frames inlined into it. */
struct chain {
    uint32_t inner; /* chains + 1; 0: none */
    uint32_t frame;
    uint32_t location; /* id; 0: it is none */
};

void mpdata_pprof_places_init(struct mpdata_pprof_places *p,
                              const struct mpdata_export *what)
{
    *p =
        (struct mpdata_pprof_places){.what = what,
                                     .view = mpdata_profile_view(what->profile),
                                     .rows = {.elem_bytes = sizeof(uint32_t)},
                                     .lines = {.elem_bytes = sizeof(uint32_t)}};
    mpdata_set_init(&p->strings, MPDATA_SET_BY_TEXT, sizeof(struct mpdata_str));
    mpdata_set_init(&p->functions, MPDATA_SET_KEY(struct function, path),
                    sizeof(struct function));
    mpdata_set_init(&p->chains, MPDATA_SET_KEY(struct chain, frame),
                    sizeof(struct chain));
    mpdata_heapbuf_init(&p->row);
    mpdata_heapbuf_init(&p->part);
    p->locations = mpdata_vec_array(p->view.node_count, sizeof(*p->locations));
    p->mappings = mpdata_vec_array(p->view.binary_count, sizeof(*p->mappings));
    p->failed = p->locations == NULL || p->mappings == NULL;
    /* Number 0 is the empty string. */
    mpdata_pprof_places_text(p, "");
}

void mpdata_pprof_places_fini(struct mpdata_pprof_places *p)
{
    mpdata_heapbuf_fini(&p->part);
    mpdata_heapbuf_fini(&p->row);
    free(p->locations);
    free(p->mappings);
    mpdata_vec_fini(&p->rows);
    mpdata_vec_fini(&p->lines);
    mpdata_set_fini(&p->chains);
    mpdata_set_fini(&p->functions);
    mpdata_set_fini(&p->strings);
    mpdata_arena_fini(&p->arena);
}

/* -- strings --------------------------------------------------------------- */

/* A copy as valid UTF-8; NULL when out of memory. */
static char *copy_text(struct mpdata_pprof_places *p, const char *bytes,
                       size_t size)
{
    char *const copy = mpdata_arena_alloc(&p->arena, size + 1);
    size_t i = 0;

    if (copy == NULL)
        return NULL;
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    while (i < size) {
        const size_t n =
            mpdata_utf8_character((const uint8_t *)copy + i, size - i);

        if (n == 0)
            copy[i] = '?';
        i += n != 0 ? n : 1;
    }
    return copy;
}

static uint64_t intern_string(struct mpdata_pprof_places *p, const char *bytes,
                              size_t size)
{
    struct mpdata_str text = {.bytes = bytes, .size = size};
    const bool is_text = mpdata_utf8_is((const uint8_t *)bytes, size);
    const char *copy = NULL;
    bool is_new = false;

    if (p->failed)
        return 0;
    if (!is_text)
        text.bytes = copy = copy_text(p, bytes, size);
    uint32_t ref =
        text.bytes != NULL ? mpdata_set_add(&p->strings, &text, &is_new) : 0;
    if (ref != 0 && is_new && copy == NULL) {
        copy = copy_text(p, bytes, size);
        ((struct mpdata_str *)p->strings.rows.data)[ref - 1].bytes = copy;
    }
    p->failed = ref == 0 || (is_new && copy == NULL);
    return p->failed ? 0 : ref - 1;
}

uint64_t mpdata_pprof_places_text(struct mpdata_pprof_places *p,
                                  const char *text)
{
    return intern_string(p, text, strlen(text));
}

static uint64_t path_string(struct mpdata_pprof_places *p, mpdata_ref path)
{
    size_t size;
    char *text = mpdata_profile_path_string(p->what->profile, path, &size);
    uint64_t number = 0;

    p->failed |= text == NULL;
    if (text != NULL)
        number = intern_string(p, text, size);
    free(text);
    return number;
}

/* -- locations ------------------------------------------------------------- */

static const struct mpdata_frame *frame_of(const struct mpdata_pprof_places *p,
                                           mpdata_ref node)
{
    return &p->view.frames[p->view.nodes[node - 1].frame];
}

/* Is the node's frame inlined into its parent's? */
static bool is_inlined(const struct mpdata_pprof_places *p, mpdata_ref node)
{
    const mpdata_ref parent = p->view.nodes[node - 1].parent;

    return (frame_of(p, node)->flags & MPROF_ENTRY_FL_INLINE) != 0 &&
           parent != 0 && frame_of(p, node)->function != 0 &&
           frame_of(p, parent)->function != 0;
}

/* The id of the location that the row is. */
static uint32_t number_location(struct mpdata_pprof_places *p, uint32_t row)
{
    struct chain *const chain = (struct chain *)p->chains.rows.data + row - 1;

    if (chain->location == 0) {
        row--;
        p->failed |= !mpdata_vec_add(&p->rows, &row);
        chain->location = p->rows.count;
    }
    return chain->location;
}

static void make_location(struct mpdata_pprof_places *p, mpdata_ref node)
{
    struct chain chain = {.frame = p->view.nodes[node - 1].frame};
    uint32_t row = mpdata_set_add(&p->chains, &chain, NULL);

    for (mpdata_ref at = node; row != 0 && is_inlined(p, at);) {
        at = p->view.nodes[at - 1].parent;
        chain =
            (struct chain){.inner = row, .frame = p->view.nodes[at - 1].frame};
        row = mpdata_set_add(&p->chains, &chain, NULL);
    }
    p->failed |= row == 0;
    if (row != 0)
        p->locations[node - 1] = number_location(p, row);
}

uint64_t mpdata_pprof_places_next(struct mpdata_pprof_places *p,
                                  mpdata_ref *node)
{
    const mpdata_ref first = *node;

    while (is_inlined(p, *node))
        *node = p->view.nodes[*node - 1].parent;
    *node = p->view.nodes[*node - 1].parent;
    if (p->failed)
        return 0;
    if (p->locations[first - 1] == 0)
        make_location(p, first);
    return p->locations[first - 1];
}

/* -- writing --------------------------------------------------------------- */

static void write_row(struct mpdata_pprof_places *p, uint32_t field,
                      struct mpdata_sink *sink)
{
    p->part.size = 0;
    mpdata_protobuf_put_bytes(&p->part, field, p->row.data, p->row.size);
    p->failed |= p->row.failed || p->part.failed;
    if (!p->failed)
        mpdata_sink_bytes(sink, (const char *)p->part.data, p->part.size);
    p->row.size = 0;
}

/* The id of the frame's function; the frame must have one. */
static uint64_t function_id(struct mpdata_pprof_places *p, uint32_t frame)
{
    const struct mpdata_frame *const f = &p->view.frames[frame];
    const struct mpdata_function *const function =
        &p->view.functions[f->function - 1];
    const struct function key = {.function = f->function,
                                 .path =
                                     f->path != 0 ? f->path : function->path,
                                 .frame = frame};
    const uint32_t id = mpdata_set_add(&p->functions, &key, NULL);

    p->failed |= id == 0;
    return id;
}

/* Without a path the line belongs to no file, so it is omitted. */
static void put_line(struct mpdata_pprof_places *p, uint32_t frame)
{
    const struct mpdata_frame *const f = &p->view.frames[frame];

    p->part.size = 0;
    mpdata_protobuf_put_number(&p->part, MPROF_PPROF_LINE_FUNCTION,
                               function_id(p, frame));
    if (f->path != 0) {
        mpdata_protobuf_put_number(&p->part, MPROF_PPROF_LINE_LINE, f->line);
        mpdata_protobuf_put_number(&p->part, MPROF_PPROF_LINE_COLUMN,
                                   f->column);
    }
    mpdata_protobuf_put_bytes(&p->row, MPROF_PPROF_LOCATION_LINE, p->part.data,
                              p->part.size);
}

/* Chains lead from the outermost frame inwards; pprof wants the reverse. */
static void put_lines(struct mpdata_pprof_places *p, uint32_t row)
{
    const struct chain *const chains = p->chains.rows.data;

    p->lines.count = 0;
    for (uint32_t at = row + 1; at != 0; at = chains[at - 1].inner)
        p->failed |= !mpdata_vec_add(&p->lines, &chains[at - 1].frame);
    for (uint32_t i = p->lines.count; i-- > 0;)
        put_line(p, ((const uint32_t *)p->lines.data)[i]);
}

/* The size keeps what follows apart. */
static void add_text(struct mpdata_pprof_places *p, const char *bytes,
                     size_t size)
{
    mprof_buf_u64(&p->part, size);
    mprof_buf_bytes(&p->part, bytes, size);
}

static void add_path(struct mpdata_pprof_places *p, mpdata_ref ref)
{
    size_t size;
    char *const path = mpdata_profile_path_string(p->what->profile, ref, &size);

    p->failed |= path == NULL;
    if (path != NULL)
        add_text(p, path, size);
    free(path);
}

static void add_place(struct mpdata_pprof_places *p, uint32_t frame)
{
    const struct mpdata_frame *const f = &p->view.frames[frame];
    const struct mpdata_function *const function =
        &p->view.functions[f->function - 1];
    const struct mpdata_str *const name = &p->view.strings[function->name];

    add_text(p, name->bytes, name->size);
    add_path(p, function->path);
    add_path(p, f->path);
    mprof_buf_u32(&p->part, function->line);
    mprof_buf_u32(&p->part, f->line);
    mprof_buf_u32(&p->part, f->column);
    mprof_buf_u32(&p->part, f->discriminator);
    mprof_buf_u32(&p->part, f->flags);
}

/* A number that another profile has for the same place, and for no other one:
 * readers that subtract profiles know call stacks by their addresses. */
static uint64_t made_address(struct mpdata_pprof_places *p, uint32_t row)
{
    const struct chain *const chains = p->chains.rows.data;

    p->part.size = 0;
    for (uint32_t at = row + 1; at != 0; at = chains[at - 1].inner)
        add_place(p, chains[at - 1].frame);
    return p->part.failed ? 0 : mprof_checksum(p->part.data, p->part.size);
}

static void put_address(struct mpdata_pprof_places *p,
                        const struct mpdata_frame *f)
{
    if (f->binary != 0)
        mpdata_protobuf_put_number(&p->row, MPROF_PPROF_LOCATION_MAPPING,
                                   p->mappings[f->binary - 1]);
    mpdata_protobuf_put_number(&p->row, MPROF_PPROF_LOCATION_ADDRESS,
                               f->address);
}

static void write_locations(struct mpdata_pprof_places *p,
                            struct mpdata_sink *sink)
{
    const struct chain *const chains = p->chains.rows.data;
    const uint32_t *const rows = p->rows.data;

    for (uint32_t i = 0; i < p->rows.count && !p->failed; i++) {
        const struct mpdata_frame *const f =
            &p->view.frames[chains[rows[i]].frame];

        mpdata_protobuf_put_number(&p->row, MPROF_PPROF_LOCATION_ID,
                                   (uint64_t)i + 1);
        if (f->function == 0)
            put_address(p, f);
        else if (p->has_addresses)
            mpdata_protobuf_put_number(&p->row, MPROF_PPROF_LOCATION_ADDRESS,
                                       made_address(p, rows[i]));
        if (f->function != 0)
            put_lines(p, rows[i]);
        write_row(p, MPROF_PPROF_LOCATION, sink);
    }
}

static void write_functions(struct mpdata_pprof_places *p,
                            struct mpdata_sink *sink)
{
    for (uint32_t i = 0; i < p->functions.rows.count && !p->failed; i++) {
        const struct function *const key =
            (const struct function *)p->functions.rows.data + i;
        const struct mpdata_frame *const frame = &p->view.frames[key->frame];
        const struct mpdata_function *const f =
            &p->view.functions[key->function - 1];
        const struct mpdata_str *const linkage = &p->view.strings[f->name];
        char *name = mpdata_frame_names_text(p->what->names, frame);

        p->failed |= name == NULL;
        mpdata_protobuf_put_number(&p->row, MPROF_PPROF_FUNCTION_ID,
                                   (uint64_t)i + 1);
        mpdata_protobuf_put_number(
            &p->row, MPROF_PPROF_FUNCTION_NAME,
            mpdata_pprof_places_text(p, name != NULL ? name : ""));
        mpdata_protobuf_put_number(
            &p->row, MPROF_PPROF_FUNCTION_LINKAGE,
            intern_string(p, linkage->bytes, linkage->size));
        mpdata_protobuf_put_number(&p->row, MPROF_PPROF_FUNCTION_FILE,
                                   path_string(p, key->path));
        if (key->path == f->path)
            mpdata_protobuf_put_number(&p->row, MPROF_PPROF_FUNCTION_LINE,
                                       f->line);
        free(name);
        write_row(p, MPROF_PPROF_FUNCTION, sink);
    }
}

/* The build id in hexadecimal. */
static uint64_t build_id_string(struct mpdata_pprof_places *p,
                                const struct mpdata_str *id)
{
    static const char digits[] = "0123456789abcdef";
    char *const text = mpdata_vec_array(id->size, 2);
    uint64_t number = 0;

    p->failed |= text == NULL;
    for (size_t i = 0; text != NULL && i < id->size; i++) {
        text[2 * i] = digits[(uint8_t)id->bytes[i] >> 4];
        text[2 * i + 1] = digits[(uint8_t)id->bytes[i] & 15];
    }
    if (text != NULL)
        number = intern_string(p, text, 2 * id->size);
    free(text);
    return number;
}

/* `is_named`: pprof need not symbolize anything in it. */
static void write_mapping(struct mpdata_pprof_places *p, uint64_t id,
                          mpdata_ref path, mpdata_string build_id,
                          bool is_named, struct mpdata_sink *sink)
{
    mpdata_protobuf_put_number(&p->row, MPROF_PPROF_MAPPING_ID, id);
    mpdata_protobuf_put_number(&p->row, MPROF_PPROF_MAPPING_LIMIT, UINT64_MAX);
    mpdata_protobuf_put_number(&p->row, MPROF_PPROF_MAPPING_FILE,
                               path_string(p, path));
    mpdata_protobuf_put_number(&p->row, MPROF_PPROF_MAPPING_BUILD_ID,
                               build_id_string(p, &p->view.strings[build_id]));
    for (uint32_t has = MPROF_PPROF_MAPPING_HAS_FUNCTIONS;
         has <= MPROF_PPROF_MAPPING_HAS_INLINED; has++)
        mpdata_protobuf_put_number(&p->row, has, is_named);
    write_row(p, MPROF_PPROF_MAPPING, sink);
}

/* Marks the binaries that have a location with only an address. */
static void find_unnamed(const struct mpdata_pprof_places *p, bool *unnamed)
{
    const struct chain *const chains = p->chains.rows.data;

    for (uint32_t i = 0; i < p->chains.rows.count; i++) {
        const struct mpdata_frame *const f = &p->view.frames[chains[i].frame];

        if (chains[i].location != 0 && f->function == 0 && f->binary != 0)
            unnamed[f->binary - 1] = true;
    }
}

static bool is_program(const struct mpdata_pprof_places *p, mpdata_ref path)
{
    for (uint32_t i = 0; i < p->view.run_count && path != 0; i++) {
        if (p->view.runs[i].executable == path)
            return true;
    }
    return false;
}

/* Writes the binaries that are programs, or those that are not. Returns the
 * number of all that were written. */
static uint32_t write_binaries(struct mpdata_pprof_places *p, bool programs,
                               uint32_t written, const bool *unnamed,
                               struct mpdata_sink *sink)
{
    for (uint32_t i = 0; i < p->view.binary_count; i++) {
        const struct mpdata_binary *const binary = &p->view.binaries[i];

        if (is_program(p, binary->path) != programs)
            continue;
        p->mappings[i] = ++written;
        write_mapping(p, written, binary->path, binary->build_id, !unnamed[i],
                      sink);
    }
    return written;
}

/* Programs first: pprof names the profile after the first mapping. If no binary
 * is a program, the first run's executable gets a mapping. */
static void write_mappings(struct mpdata_pprof_places *p,
                           struct mpdata_sink *sink)
{
    const uint32_t count = p->view.binary_count;
    bool *const unnamed = mpdata_vec_array(count, sizeof(*unnamed));

    p->failed |= unnamed == NULL;
    if (unnamed == NULL)
        return;
    find_unnamed(p, unnamed);
    uint32_t written = write_binaries(p, true, 0, unnamed, sink);
    if (written == 0 && p->view.run_count != 0 &&
        p->view.runs[0].executable != 0)
        write_mapping(p, ++written, p->view.runs[0].executable, 0, true, sink);
    write_binaries(p, false, written, unnamed, sink);
    free(unnamed);
}

static void write_strings(struct mpdata_pprof_places *p,
                          struct mpdata_sink *sink)
{
    for (uint32_t i = 0; i < p->strings.rows.count && !p->failed; i++) {
        const struct mpdata_str *const s =
            (const struct mpdata_str *)p->strings.rows.data + i;

        mprof_buf_bytes(&p->row, s->bytes, s->size);
        write_row(p, MPROF_PPROF_STRING, sink);
    }
}

void mpdata_pprof_places_write(struct mpdata_pprof_places *p,
                               struct mpdata_sink *sink)
{
    if (!p->failed)
        write_mappings(p, sink);
    write_locations(p, sink);
    write_functions(p, sink);
    write_strings(p, sink);
}
