/* symbolize.c -- from addresses to call stacks of source-level frames.
 *
 * A raw frame becomes a short list of entries (an address and what was inlined
 * there), kept by (binary, address) for all inputs of a session. A raw node
 * becomes the profile's node of its innermost entry, under the node of its raw
 * parent: one pass over the nodes, since parents stand first.
 *
 * LLVM's runtime records its own malloc or operator new as the leaf of each
 * stack; ours starts at the caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/symbolize.h"
#include "profdata/load/modules.h"
#include "shared/container.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct mpdata_place {
    uint64_t address;
    uint32_t binary; /* into session->binaries.files */
    uint32_t count;
    size_t first; /* into session->entries */
    bool is_runtime;
    bool is_runtime_top;
    bool has_debug;
};

void mpdata_session_fini(struct mpdata_session *session)
{
    mpdata_binaries_fini(&session->binaries);
    mpdata_symbolizer_fini(&session->symbolizer);
    mpdata_map_fini(&session->place_map);
    free(session->places);
    free(session->entries);
    session->places = NULL;
    session->entries = NULL;
}

const mpdata_ref *mpdata_session_place(const struct mpdata_session *session,
                                       uint32_t place, uint32_t *count)
{
    *count = session->places[place - 1].count;
    return session->entries + session->places[place - 1].first;
}

static enum mprof_err no_memory(struct mprof_diag *diag)
{
    return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
}

/* -- what LLVM's runtime looks like ---------------------------------------- */

/* The files that llvm-profdata drops. */
static bool is_runtime_file(const char *file)
{
    static const char *const names[] = {"memprof_malloc_linux.cpp",
                                        "memprof_interceptors.cpp",
                                        "memprof_new_delete.cpp"};
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : file;

    for (size_t i = 0; name != NULL && i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Allocation functions by their symbol: the runtime of a distribution has no
 * line tables. */
static bool is_runtime_name(const char *name)
{
    static const char *const names[] = {
        "malloc",  "calloc",   "realloc",       "reallocarray",   "memalign",
        "valloc",  "pvalloc",  "aligned_alloc", "posix_memalign", "strdup",
        "strndup", "__strdup", "__strndup",     "asprintf",       "free"};

    if (name == NULL)
        return false;
    if (strncmp(name, "_Znw", 4) == 0 || strncmp(name, "_Zna", 4) == 0)
        return true;
    if (strncmp(name, "__interceptor_", 14) == 0)
        name += 14;
    else if (strncmp(name, "___interceptor_", 15) == 0)
        name += 15;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* -- one address ----------------------------------------------------------- */

/* A dump on its way. */
struct work {
    struct mpdata_session *session;
    struct mpdata_raw *raw;
    struct mpdata_module *modules;
    mpdata_ref *module_binaries; /* of the profile */
    uint32_t *places;            /* row + 1 per frame, 0 for none */
    struct mpdata_symbolized *frames;
    const char *file; /* for messages */
    struct mprof_diag *diag;
};

static mpdata_ref intern_path(struct mpdata_profile *profile, const char *path)
{
    return path != NULL ? mpdata_profile_path(profile, path, strlen(path)) : 0;
}

static mpdata_ref intern_symbol(struct mpdata_profile *profile,
                                const struct mpdata_symbol *symbol,
                                uint32_t flags)
{
    struct mpdata_function function;
    struct mpdata_entry entry;
    size_t size;

    if (symbol->function == NULL)
        return 0;
    size = strlen(symbol->function);
    function = (struct mpdata_function){
        .name = mpdata_profile_string(profile, symbol->function, size),
        .guid = mpdata_guid(symbol->function, size),
        .path = intern_path(profile, symbol->start_file),
        .line = symbol->start_line};
    entry = (struct mpdata_entry){
        .function = mpdata_profile_function(profile, &function),
        .path = symbol->line != 0 ? intern_path(profile, symbol->file) : 0,
        .line = symbol->line,
        .column = symbol->column,
        .discriminator = symbol->discriminator,
        .flags = flags};
    return mpdata_profile_entry(profile, &entry);
}

static bool push_entry(struct mpdata_session *s, mpdata_ref entry)
{
    if (s->entry_count == s->entry_capacity) {
        const size_t capacity = s->entry_capacity * 2 + 256;
        mpdata_ref *const more =
            (mpdata_ref *)reallocarray(s->entries, capacity, sizeof(*more));

        if (more == NULL)
            return false;
        s->entries = more;
        s->entry_capacity = capacity;
    }
    s->entries[s->entry_count++] = entry;
    return true;
}

/* Whether the compiler is to see the binary's frames: the program, what the
 * user named, and libraries that were compiled with line tables. Not the
 * system's, whose debug information lies in files of its own: what the compiler
 * is told must not depend on which of those are installed. */
static bool is_profiled(const struct mpdata_binary_file *binary)
{
    return binary->is_program || binary->is_given || binary->has_lines ||
           binary->debug.kind == MPDATA_DEBUG_FILE;
}

/* The place's entries in the profile. */
static bool take_symbols(struct mpdata_session *s,
                         const struct mpdata_binary_file *binary,
                         const struct mpdata_symbols *symbols,
                         struct mpdata_place *place)
{
    const struct mpdata_symbol_place *const p =
        mpdata_symbols_find(symbols, place->address);
    const bool is_debug = p->source == MPDATA_SYMBOL_DEBUG;
    const uint32_t flags =
        is_debug && is_profiled(binary) ? 0 : MPROF_ENTRY_FL_NO_LINES;
    const struct mpdata_symbol top = mpdata_symbols_frame(symbols, p->first);

    place->first = s->entry_count;
    place->has_debug = is_debug;
    place->is_runtime = is_runtime_file(top.file);
    place->is_runtime_top = p->count == 1 && p->source == MPDATA_SYMBOL_TABLE &&
                            is_runtime_name(top.function);
    for (uint32_t i = 0; p->source != MPDATA_SYMBOL_NONE && i < p->count; i++) {
        const struct mpdata_symbol symbol =
            mpdata_symbols_frame(symbols, p->first + i);
        const mpdata_ref entry = intern_symbol(
            s->profile, &symbol,
            flags | (i + 1 < p->count ? MPROF_ENTRY_FL_INLINE : 0));

        if (entry != 0 && !push_entry(s, entry))
            return false;
    }
    place->count = (uint32_t)(s->entry_count - place->first);
    return true;
}

static bool is_same_place(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_place *const a =
        (const struct mpdata_place *)rows + row;
    const struct mpdata_place *const b = (const struct mpdata_place *)key;

    return a->address == b->address && a->binary == b->binary;
}

static uint64_t hash_place(const struct mpdata_place *place)
{
    const uint64_t words[2] = {place->address, place->binary};

    return mprof_checksum(words, sizeof(words));
}

static bool push_place(struct mpdata_session *s,
                       const struct mpdata_place *place)
{
    if (s->place_count == s->place_capacity) {
        const uint32_t capacity = s->place_capacity * 2 + 64;
        struct mpdata_place *const more = (struct mpdata_place *)reallocarray(
            s->places, capacity, sizeof(*more));

        if (more == NULL)
            return false;
        s->places = more;
        s->place_capacity = capacity;
    }
    s->places[s->place_count++] = *place;
    return mpdata_map_add(&s->place_map, hash_place(place), s->place_count);
}

static uint32_t find_place(const struct mpdata_session *s, uint32_t binary,
                           uint64_t address)
{
    const struct mpdata_place place = {.address = address, .binary = binary};

    return mpdata_map_find(&s->place_map, hash_place(&place), is_same_place,
                           s->places, &place);
}

/* The row + 1 of an address in a binary, made at the first time; 0 without
 * memory. */
static uint32_t get_place(struct mpdata_session *s, uint32_t binary,
                          uint64_t address)
{
    struct mpdata_place place = {.address = address, .binary = binary};
    const uint32_t known = find_place(s, binary, address);

    if (known != 0)
        return known;
    if (!take_symbols(s, &s->binaries.files[binary],
                      mpdata_symbolizer_symbols(&s->symbolizer, binary),
                      &place) ||
        !push_place(s, &place))
        return 0;
    return s->place_count;
}

/* -- the frames of a dump -------------------------------------------------- */

static mpdata_ref intern_binary(struct mpdata_session *s,
                                const struct mpdata_raw_module *module,
                                uint32_t binary_ref)
{
    struct mpdata_binary binary = {.path = 0};
    char *path = NULL;

    if (module->path.size != 0) {
        binary.path = mpdata_profile_path(s->profile, module->path.bytes,
                                          module->path.size);
    } else if (binary_ref != 0) {
        path = realpath(s->binaries.files[binary_ref - 1].path, NULL);
        binary.path = intern_path(s->profile, path);
        free(path);
    }
    binary.build_id = mpdata_profile_string(s->profile, module->build_id.bytes,
                                            module->build_id.size);
    return mpdata_profile_binary(s->profile, &binary);
}

/* Without a name: the address in its module. */
static mpdata_ref intern_address(struct mpdata_session *s,
                                 const struct mpdata_raw_frame *frame,
                                 mpdata_ref binary)
{
    const struct mpdata_entry entry = {.binary = binary,
                                       .address = frame->address,
                                       .flags = MPROF_ENTRY_FL_NO_LINES};

    return mpdata_profile_entry(s->profile, &entry);
}

static void mark_program(const struct work *w)
{
    for (uint32_t i = 0; i < w->raw->module_count; i++) {
        const uint32_t ref = w->modules[i].binary_ref;

        if (ref != 0 &&
            (w->raw->modules[i].flags & MPROF_RAW_MODULE_FL_MAIN) != 0)
            w->session->binaries.files[ref - 1].is_program = true;
    }
}

/* The binary that a frame lies in, + 1, or 0. */
static uint32_t binary_of(const struct work *w, uint32_t frame)
{
    const mpdata_ref module = w->raw->frames[frame].module;

    return module != 0 ? w->modules[module - 1].binary_ref : 0;
}

/* Asks for the symbols of all addresses that are new. */
static enum mprof_err find_symbols(struct work *w)
{
    struct mpdata_session *const s = w->session;
    const struct mpdata_raw *const raw = w->raw;
    struct mpdata_wanted *const wanted =
        (struct mpdata_wanted *)mpdata_raw_array(raw->frame_count,
                                                 sizeof(*wanted));
    size_t count = 0;
    enum mprof_err err;

    if (wanted == NULL)
        return no_memory(w->diag);
    for (uint32_t i = 0; i < raw->frame_count; i++) {
        const uint32_t binary = binary_of(w, i);

        if (binary == 0)
            continue;
        w->places[i] = find_place(s, binary - 1, raw->frames[i].address);
        if (w->places[i] == 0)
            wanted[count++] = (struct mpdata_wanted){
                .binary = binary - 1, .address = raw->frames[i].address};
    }
    err = count == 0
              ? MPROF_E_OK
              : mpdata_symbolizer_find(&s->symbolizer, &s->binaries, wanted,
                                       count, w->file, s->warn, w->diag);
    free(wanted);
    return err;
}

static enum mprof_err look_up_frames(struct work *w)
{
    struct mpdata_raw *const raw = w->raw;
    const enum mprof_err err = find_symbols(w);

    for (uint32_t i = 0; err == MPROF_E_OK && i < raw->frame_count; i++) {
        const struct mpdata_raw_frame *frame = &raw->frames[i];
        const uint32_t binary = binary_of(w, i);

        if (binary != 0) {
            if (w->places[i] == 0)
                w->places[i] =
                    get_place(w->session, binary - 1, frame->address);
            if (w->places[i] == 0)
                return no_memory(w->diag);
            if (w->session->places[w->places[i] - 1].count != 0)
                continue;
        }
        w->frames[i].address = intern_address(
            w->session, frame,
            frame->module != 0 ? w->module_binaries[frame->module - 1] : 0);
    }
    return err;
}

/* The program's own code without debug information: say what to do. */
static void warn_no_lines(const struct work *w)
{
    const struct mpdata_raw *const raw = w->raw;
    uint32_t looked_up = 0;
    uint32_t named = 0;

    for (uint32_t i = 0; i < raw->frame_count; i++) {
        const mpdata_ref module = raw->frames[i].module;
        const struct mpdata_place *place;

        if (w->places[i] == 0 || module == 0 ||
            (raw->modules[module - 1].flags & MPROF_RAW_MODULE_FL_MAIN) == 0)
            continue;
        place = &w->session->places[w->places[i] - 1];
        if (place->has_debug)
            return;
        looked_up++;
        named += place->count != 0;
    }
    if (looked_up == 0)
        return;
    /* A few names of dynamic symbols make no symbol table. */
    if (named < looked_up - named)
        mpdata_warn(w->session->warn, w->file,
                    "the program was stripped, so functions have no names and "
                    "the compiler cannot use this profile; give the file from "
                    "before stripping with --profiled-binary, or its debug "
                    "file with --debug-dir");
    else
        mpdata_warn(w->session->warn, w->file,
                    "the program has no line tables with function names, so "
                    "the compiler cannot use this profile; compile with "
                    "-gline-tables-only -fdebug-info-for-profiling, or with "
                    "-fpass-plugin=memprof.so -fmemory-profile of clang 22, "
                    "and do not strip");
}

static void fill_frames(struct work *w)
{
    const struct mpdata_session *const s = w->session;

    for (uint32_t i = 0; i < w->raw->frame_count; i++) {
        struct mpdata_symbolized *const frame = &w->frames[i];

        if (w->places[i] != 0) {
            const struct mpdata_place *place = &s->places[w->places[i] - 1];

            frame->place = w->places[i];
            frame->entries = s->entries + place->first;
            frame->count = place->count;
            frame->is_runtime = place->is_runtime;
            frame->is_runtime_top = place->is_runtime_top;
        }
        if (frame->count == 0) {
            frame->entries = &frame->address;
            frame->count = 1;
        }
    }
}

static bool prepare_work(struct work *w)
{
    const struct mpdata_raw *const raw = w->raw;

    w->module_binaries = (mpdata_ref *)mpdata_raw_array(
        raw->module_count, sizeof(*w->module_binaries));
    w->places =
        (uint32_t *)mpdata_raw_array(raw->frame_count, sizeof(*w->places));
    w->frames = (struct mpdata_symbolized *)mpdata_raw_array(
        raw->frame_count, sizeof(*w->frames));
    if (w->module_binaries == NULL || w->places == NULL || w->frames == NULL)
        return false;
    for (uint32_t i = 0; i < raw->module_count; i++) {
        if (w->modules[i].is_used)
            w->module_binaries[i] = intern_binary(w->session, &raw->modules[i],
                                                  w->modules[i].binary_ref);
    }
    return true;
}

/* The executable's path for an LLVM dump, which has none: that of its binary.
 */
static void complete_program(struct work *w)
{
    struct mpdata_raw *const raw = w->raw;

    if (raw->kind == MPROF_RUN_LLVM && raw->module_count != 0 &&
        w->modules[0].binary_ref != 0)
        raw->program = w->module_binaries[0];
}

enum mprof_err mpdata_symbolize_frames(struct mpdata_session *session,
                                       struct mpdata_raw *raw, const char *file,
                                       struct mpdata_symbolized **frames,
                                       struct mprof_diag *diag)
{
    struct work w = {
        .session = session, .raw = raw, .file = file, .diag = diag};
    enum mprof_err err;

    err = mpdata_modules_resolve(&session->binaries, raw, file, session->warn,
                                 &w.modules, diag);

    if (err != MPROF_E_OK)
        return err;
    if (!prepare_work(&w)) {
        err = no_memory(diag);
        goto out;
    }
    mark_program(&w);
    err = look_up_frames(&w);
    if (err != MPROF_E_OK)
        goto out;
    fill_frames(&w);
    warn_no_lines(&w);
    complete_program(&w);
    *frames = w.frames;
    w.frames = NULL;
out:
    free(w.modules);
    free(w.module_binaries);
    free(w.places);
    free(w.frames);
    return err;
}

/* -- the whole dump -------------------------------------------------------- */

/* The profile's node for a raw one: its frames' entries, outermost first, under
 * its parent's node. */
static mpdata_ref add_node(struct mpdata_profile *profile, mpdata_ref parent,
                           const struct mpdata_symbolized *frame)
{
    mpdata_ref node = parent;

    for (uint32_t i = frame->count; !frame->is_runtime && i-- > 0;)
        node = mpdata_profile_node(profile, node, frame->entries[i]);
    return node;
}

static void add_contexts(struct mpdata_profile *profile,
                         const struct mpdata_raw *raw,
                         const struct mpdata_symbolized *frames,
                         const mpdata_ref *nodes)
{
    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mpdata_raw_context *c = &raw->contexts[i];
        const struct mprof_mib mib = mpdata_raw_mib(raw, i);
        mpdata_ref leaf = c->node;

        if (leaf != 0 && raw->kind == MPROF_RUN_LLVM &&
            frames[raw->nodes[leaf - 1].frame].is_runtime_top)
            leaf = raw->nodes[leaf - 1].parent;
        mpdata_profile_context(profile, leaf != 0 ? nodes[leaf - 1] : 0,
                               (c->flags & MPROF_RAW_CONTEXT_FL_TRUNCATED) != 0
                                   ? MPROF_CONTEXT_FL_TRUNCATED
                                   : 0,
                               &mib, c->cells);
    }
}

static mpdata_string intern_text(struct mpdata_profile *profile,
                                 const struct mpdata_str *text)
{
    return mpdata_profile_string(profile, text->bytes, text->size);
}

static void add_run(struct mpdata_profile *profile,
                    const struct mpdata_raw *raw)
{
    const uint64_t *const n = raw->numbers;
    const struct mpdata_str *const t = raw->texts;
    const struct mpdata_str *executable = &t[MPROF_RAW_META_IS_EXECUTABLE];
    struct mpdata_run run = {
        .run_id = n[MPROF_RAW_META_IS_RUN_ID],
        .count = 1,
        .kind = raw->kind,
        .pid = n[MPROF_RAW_META_IS_PID],
        .start_ns = n[MPROF_RAW_META_IS_START_NS],
        .duration_ns = n[MPROF_RAW_META_IS_DURATION_NS],
        .clock_resolution_ns = n[MPROF_RAW_META_IS_CLOCK_RESOLUTION_NS],
        .truncated_stacks = n[MPROF_RAW_META_IS_TRUNCATED_STACKS],
        .dropped_blocks = n[MPROF_RAW_META_IS_DROPPED_BLOCKS],
        .own_memory_bytes = n[MPROF_RAW_META_IS_OWN_MEMORY_BYTES],
        .foreign_frees = n[MPROF_RAW_META_IS_FOREIGN_FREES],
        .own_time_ns = n[MPROF_RAW_META_IS_OWN_TIME_NS],
        .timed_calls = n[MPROF_RAW_META_IS_TIMED_CALLS],
        .contexts = raw->context_count,
        .cell_bytes = n[MPROF_RAW_META_IS_CELL_BYTES],
        .stack_depth_max = n[MPROF_RAW_META_IS_STACK_DEPTH_MAX],
        .executable =
            mpdata_profile_path(profile, executable->bytes, executable->size),
        .host = intern_text(profile, &t[MPROF_RAW_META_IS_HOST]),
        .options = intern_text(profile, &t[MPROF_RAW_META_IS_OPTIONS]),
        .tool = intern_text(profile, &t[MPROF_RAW_META_IS_TOOL])};

    if (raw->program != 0)
        run.executable =
            mpdata_profile_view(profile).binaries[raw->program - 1].path;
    mpdata_profile_run(profile, &run);
}

enum mprof_err mpdata_symbolize(struct mpdata_session *session,
                                struct mpdata_raw *raw, const char *file,
                                struct mprof_diag *diag)
{
    struct mpdata_profile *const profile = session->profile;
    struct mpdata_symbolized *frames = NULL;
    mpdata_ref *nodes =
        (mpdata_ref *)mpdata_raw_array(raw->node_count, sizeof(*nodes));
    enum mprof_err err = nodes != NULL ? MPROF_E_OK : no_memory(diag);

    if (err == MPROF_E_OK)
        err = mpdata_symbolize_frames(session, raw, file, &frames, diag);
    if (err != MPROF_E_OK)
        goto out;
    for (uint32_t i = 0; i < raw->node_count; i++) {
        const struct mpdata_raw_node *node = &raw->nodes[i];

        nodes[i] =
            add_node(profile, node->parent != 0 ? nodes[node->parent - 1] : 0,
                     &frames[node->frame]);
    }
    add_contexts(profile, raw, frames, nodes);
    add_run(profile, raw);
    err = mpdata_profile_status(profile);
    if (err != MPROF_E_OK)
        mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
out:
    free(frames);
    free(nodes);
    return err;
}
