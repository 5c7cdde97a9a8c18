/* symbolize.c -- converts addresses to source-level frames. A raw frame becomes
 * a short list of frames (the function at the address and the functions inlined
 * there), cached by (binary, address) for all inputs of a load.
 *
 * The leaf of each stack of LLVM's runtime is the runtime's own malloc or
 * operator new; a stack of ours starts at the caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "profdata/base/system_lib.h"
#include "profdata/load/symbolize.h"
#include "profdata/model/content.h"
#include "shared/log_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND_BYTES 264 /* the runtime's names have up to 255 */

/* A symbolized address; the first two members are the key. */
struct mpdata_location {
    uint64_t address;
    uint32_t binary; /* index into load->binaries.files */
    uint32_t count;
    uint32_t first; /* index into load->frames */
    bool is_runtime;
    bool is_runtime_top;
    bool has_debug;
    enum mpdata_code_kind code;
};

void mpdata_symbolize_fini(struct mpdata_load_context *load)
{
    mpdata_binaries_fini(&load->binaries);
    mpdata_symbolizer_fini(&load->symbolizer);
    mpdata_alloc_types_fini(&load->types);
    mpdata_dumps_fini(&load->dumps);
    mpdata_set_fini(&load->locations);
    mpdata_vec_fini(&load->frames);
}

static enum mprof_err no_memory(struct mprof_diag *diag)
{
    return mprof_err_plain(diag, MPROF_E_NOMEM);
}

/* -- functions of LLVM's runtime ------------------------------------------- */

/* Source files whose frames llvm-profdata drops. */
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

/* Recognizes allocation functions by name, because LLVM's runtime comes without
 * line tables in distributions. */
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

/* State while one dump is symbolized. */
struct work {
    struct mpdata_load_context *load;
    struct mpdata_raw *raw;
    struct mpdata_module *modules;
    mpdata_ref *module_binaries; /* binaries of the profile, by raw module */
    uint32_t *locations;         /* location + 1 by raw frame; 0: none */
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
                                uint32_t flags,
                                const struct mpdata_alloc_type *type,
                                mpdata_ref binary)
{
    struct mpdata_function function;

    if (symbol->function == NULL)
        return 0;
    size_t size = strlen(symbol->function);
    function = (struct mpdata_function){
        .name = mpdata_profile_string(profile, symbol->function, size),
        .guid = mpdata_guid(symbol->function, size),
        .path = intern_path(profile, symbol->start_file),
        .line = symbol->start_line};
    struct mpdata_frame frame = (struct mpdata_frame){
        .function = mpdata_profile_function(profile, &function),
        .path = symbol->line != 0 ? intern_path(profile, symbol->file) : 0,
        .line = symbol->line,
        .column = symbol->column,
        .discriminator = symbol->discriminator,
        .flags = flags,
        .binary = binary};
    if (type->name != NULL) {
        frame.type =
            mpdata_profile_string(profile, type->name, strlen(type->name));
        frame.type_bytes = type->bytes;
        if (type->fields != NULL)
            frame.type_fields = mpdata_profile_string(profile, type->fields,
                                                      strlen(type->fields));
    }
    return mpdata_profile_frame(profile, &frame);
}

static bool push_frame(struct mpdata_load_context *s, mpdata_ref frame)
{
    return mpdata_vec_add(&s->frames, &frame);
}

/* Should the compiler see the binary's frames? Yes for the program, for files
 * that the user named, and for libraries that contain line tables or have their
 * debug file beside them. No for system libraries with separate debug
 * information: the compiler's input must not depend on which debug packages are
 * installed. */
static bool is_profiled(const struct mpdata_binary_file *binary)
{
    return binary->is_program || binary->is_given || binary->has_lines ||
           binary->debug.kind == MPDATA_DEBUG_FILE;
}

/* Finds the type that a frame's call allocates. Returns false when out of
 * memory. */
static bool find_type(struct mpdata_load_context *s,
                      const struct mpdata_binary_file *binary,
                      const struct mpdata_symbol *symbol,
                      struct mpdata_alloc_type *type)
{
    enum mprof_err err = MPROF_E_OK;

    *type = (struct mpdata_alloc_type){.name = NULL};
    if (symbol->function == NULL)
        return true;
    if (symbol->line != 0)
        err = mpdata_alloc_types_find(&s->types, &s->binaries,
                                      (size_t)(binary - s->binaries.files),
                                      symbol, type);
    if (type->name == NULL)
        *type = mpdata_alloc_types_of_library(symbol->function);
    return err == MPROF_E_OK;
}

/* Adds the location's frames to the profile. */
static bool take_symbols(struct mpdata_load_context *s,
                         const struct mpdata_binary_file *binary,
                         const struct mpdata_symbols *symbols,
                         mpdata_ref module, struct mpdata_location *location)
{
    const struct mpdata_symbol_location *const p =
        mpdata_symbols_find(symbols, location->address);
    const bool is_debug = p->source == MPDATA_SYMBOL_DEBUG;
    const uint32_t flags =
        is_debug && is_profiled(binary) ? 0 : MPROF_ENTRY_FL_NO_LINES;
    const struct mpdata_symbol top = mpdata_symbols_frame(symbols, p->first);

    location->first = s->frames.count;
    location->has_debug = is_debug;
    location->is_runtime = is_runtime_file(top.file);
    location->is_runtime_top = p->count == 1 &&
                               p->source == MPDATA_SYMBOL_TABLE &&
                               is_runtime_name(top.function);
    for (uint32_t i = 0; p->source != MPDATA_SYMBOL_NONE && i < p->count; i++) {
        const struct mpdata_symbol symbol =
            mpdata_symbols_frame(symbols, p->first + i);
        struct mpdata_alloc_type type;

        if (!find_type(s, binary, &symbol, &type))
            return false;
        mpdata_ref frame = intern_symbol(
            s->content->profile, &symbol,
            flags | (i + 1 < p->count ? MPROF_ENTRY_FL_INLINE : 0), &type,
            s->keeps_binaries ? module : 0);
        if (frame != 0 && !push_frame(s, frame))
            return false;
    }
    location->count = s->frames.count - location->first;
    location->code = mpdata_code_find(
        &binary->code, location->address,
        p->source != MPDATA_SYMBOL_NONE
            ? mpdata_symbols_frame(symbols, p->first + p->count - 1).function
            : NULL);
    return true;
}

/* Interns a frame that is a kind of objects, as one of a function that
 * allocates them. */
static mpdata_ref intern_kind(struct mpdata_profile *profile,
                              const struct mpdata_str *kind)
{
    char name[KIND_BYTES];
    const size_t size =
        (size_t)snprintf(name, sizeof(name), MPDATA_PROFILE_KIND "%.*s",
                         KIND_BYTES - 8, kind->bytes);

    /* What stands before a space would be taken for a type of C. */
    for (size_t i = 0; i < size; i++)
        name[i] = name[i] == ' ' ? '-' : name[i];
    const struct mpdata_function function = {
        .name = mpdata_profile_string(profile, name, size),
        .guid = mpdata_guid(name, size)};
    const struct mpdata_frame frame = {
        .function = mpdata_profile_function(profile, &function),
        .flags = MPROF_ENTRY_FL_NO_LINES,
        .type = mpdata_profile_string(profile, kind->bytes, kind->size)};

    return mpdata_profile_frame(profile, &frame);
}

static bool is_kind(const struct mpdata_raw_name *name)
{
    return name->file.size == strlen(MPROF_LOG_SCRIPT_KIND) &&
           memcmp(name->file.bytes, MPROF_LOG_SCRIPT_KIND, name->file.size) ==
               0;
}

/* Interns a frame whose name stands in the raw file. */
static mpdata_ref intern_named(struct mpdata_profile *profile,
                               const struct mpdata_raw_name *name)
{
    const struct mpdata_function function = {
        .name = mpdata_profile_string(profile, name->function.bytes,
                                      name->function.size),
        .guid = mpdata_guid(name->function.bytes, name->function.size),
        .path = name->start_line != 0
                    ? mpdata_profile_path(profile, name->file.bytes,
                                          name->file.size)
                    : 0,
        .line = (uint32_t)mprof_min_u64(name->start_line, UINT32_MAX)};
    struct mpdata_frame frame = {
        .function = mpdata_profile_function(profile, &function),
        .flags = MPROF_ENTRY_FL_NO_LINES};

    if (is_kind(name))
        return intern_kind(profile, &name->function);
    if (name->file.size != 0) {
        frame.path =
            mpdata_profile_path(profile, name->file.bytes, name->file.size);
        frame.line = (uint32_t)mprof_min_u64(name->line, UINT32_MAX);
    }
    return mpdata_profile_frame(profile, &frame);
}

static bool has_name(const struct mpdata_raw *raw, uint32_t frame)
{
    return raw->frame_names != NULL &&
           raw->frame_names[frame].function.size != 0;
}

static const struct mpdata_location *
location_at(const struct mpdata_load_context *s, uint32_t ref)
{
    return (const struct mpdata_location *)s->locations.rows.data + ref - 1;
}

static uint32_t find_location(const struct mpdata_load_context *s,
                              uint32_t binary, uint64_t address)
{
    const struct mpdata_location key = {.address = address, .binary = binary};

    return mpdata_set_find(&s->locations, &key);
}

/* Returns location + 1 of an address in a binary, and creates it if necessary;
 * 0 when out of memory. `module` is the binary in the profile. */
static uint32_t get_location(struct mpdata_load_context *s, uint32_t binary,
                             uint64_t address, mpdata_ref module)
{
    struct mpdata_location location = {.address = address, .binary = binary};
    const uint32_t known = find_location(s, binary, address);

    if (known != 0)
        return known;
    return take_symbols(s, &s->binaries.files[binary],
                        mpdata_symbolizer_symbols(&s->symbolizer, binary),
                        module, &location)
               ? mpdata_set_add(&s->locations, &location, NULL)
               : 0;
}

/* -- the frames of a dump -------------------------------------------------- */

static mpdata_ref intern_binary(struct mpdata_load_context *s,
                                const struct mpdata_raw_module *module,
                                uint32_t binary_ref)
{
    struct mpdata_binary binary = {.path = 0};
    char *path = NULL;

    if (module->path.size != 0) {
        binary.path = mpdata_profile_path(
            s->content->profile, module->path.bytes, module->path.size);
    } else if (binary_ref != 0) {
        path = realpath(s->binaries.files[binary_ref - 1].path, NULL);
        binary.path = intern_path(s->content->profile, path);
        free(path);
    }
    binary.build_id = mpdata_profile_string(
        s->content->profile, module->build_id.bytes, module->build_id.size);
    if ((module->flags & MPROF_RAW_MODULE_FL_INSTRUMENTED) != 0)
        binary.flags |= MPROF_BINARY_FL_INSTRUMENTED;
    if ((module->flags & MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED) != 0)
        binary.flags |= MPROF_BINARY_FL_NOT_INSTRUMENTED;
    return mpdata_profile_binary(s->content->profile, &binary);
}

/* Interns a frame without a name: an address in its binary. */
static mpdata_ref intern_address(struct mpdata_load_context *s,
                                 const struct mpdata_raw_frame *raw,
                                 mpdata_ref binary)
{
    const struct mpdata_frame frame = {.binary = binary,
                                       .address = raw->address,
                                       .flags = MPROF_ENTRY_FL_NO_LINES};

    return mpdata_profile_frame(s->content->profile, &frame);
}

static void mark_program(const struct work *w)
{
    for (uint32_t i = 0; i < w->raw->module_count; i++) {
        const uint32_t ref = w->modules[i].binary_ref;

        if (ref != 0 &&
            (w->raw->modules[i].flags & MPROF_RAW_MODULE_FL_MAIN) != 0)
            w->load->binaries.files[ref - 1].is_program = true;
    }
}

/* Returns index + 1 of the binary whose symbols name the frame; 0: no lookup.
 */
static uint32_t binary_of(const struct work *w, uint32_t frame)
{
    const mpdata_ref module = w->raw->frames[frame].module;

    return module != 0 && !w->load->no_symbols && !has_name(w->raw, frame)
               ? w->modules[module - 1].binary_ref
               : 0;
}

/* Asks the symbolizer for all addresses that are not cached. */
static enum mprof_err find_symbols(struct work *w)
{
    struct mpdata_load_context *const s = w->load;
    const struct mpdata_raw *const raw = w->raw;
    struct mpdata_wanted *const wanted =
        mpdata_raw_array(raw->frame_count, sizeof(*wanted));
    size_t count = 0;

    if (wanted == NULL)
        return no_memory(w->diag);
    for (uint32_t i = 0; i < raw->frame_count; i++) {
        const uint32_t binary = binary_of(w, i);

        if (binary == 0)
            continue;
        w->locations[i] = find_location(s, binary - 1, raw->frames[i].address);
        if (w->locations[i] == 0)
            wanted[count++] = (struct mpdata_wanted){
                .binary = binary - 1, .address = raw->frames[i].address};
    }
    enum mprof_err err =
        count == 0
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
        const mpdata_ref module =
            frame->module != 0 ? w->module_binaries[frame->module - 1] : 0;

        if (binary != 0) {
            if (w->locations[i] == 0)
                w->locations[i] =
                    get_location(w->load, binary - 1, frame->address, module);
            if (w->locations[i] == 0)
                return no_memory(w->diag);
            if (location_at(w->load, w->locations[i])->count != 0)
                continue;
        }
        w->frames[i].address =
            has_name(raw, i) && !w->load->no_symbols
                ? intern_named(w->load->content->profile, &raw->frame_names[i])
                : intern_address(w->load, frame, module);
    }
    return err;
}

/* Warns about a program without debug information, with advice. The system's
 * code in it, which may be all that allocates, has none. A program that cannot
 * be read was reported before. */
static void warn_no_lines(const struct work *w)
{
    const struct mpdata_raw *const raw = w->raw;
    const struct mpdata_binary_file *program = NULL;
    uint32_t looked_up = 0;
    uint32_t named = 0;

    for (uint32_t i = 0; i < raw->frame_count; i++) {
        const mpdata_ref module = raw->frames[i].module;

        if (w->locations[i] == 0 || module == 0 ||
            (raw->modules[module - 1].flags & MPROF_RAW_MODULE_FL_MAIN) == 0)
            continue;
        const struct mpdata_location *location =
            location_at(w->load, w->locations[i]);
        program = &w->load->binaries.files[location->binary];
        if (location->has_debug || program->is_broken)
            return;
        if (location->code == MPDATA_CODE_SYSTEM)
            continue;
        looked_up++;
        named += location->count != 0;
    }
    if (looked_up == 0)
        return;
    if (program->is_cut) {
        mpdata_diag_warn(w->load->warn, w->file,
                         "%s is cut short, so functions have no names and the "
                         "compiler cannot use this profile; give the whole "
                         "file with --profiled-binary",
                         program->path);
        return;
    }
    /* A few dynamic symbols are not a symbol table. */
    if (named < looked_up - named)
        mpdata_diag_warn(
            w->load->warn, w->file,
            "the program was stripped, so functions have no names and "
            "the compiler cannot use this profile; give the file from "
            "before stripping with --profiled-binary, or its debug "
            "file with --debug-dir");
    else
        mpdata_diag_warn(
            w->load->warn, w->file,
            "the program has no line tables with function names, so "
            "the compiler cannot use this profile; compile with "
            "-gline-tables-only -fdebug-info-for-profiling, or with "
            "-fpass-plugin=memprof.so -fmemory-profile of clang 22, "
            "and do not strip");
}

static void fill_frames(struct work *w)
{
    const struct mpdata_load_context *const s = w->load;

    for (uint32_t i = 0; i < w->raw->frame_count; i++) {
        struct mpdata_symbolized *const frame = &w->frames[i];

        if (w->locations[i] != 0) {
            const struct mpdata_location *location =
                location_at(s, w->locations[i]);

            frame->frames =
                (const mpdata_ref *)s->frames.data + location->first;
            frame->count = location->count;
            frame->is_runtime = location->is_runtime;
            frame->is_runtime_top = location->is_runtime_top;
            frame->has_debug = location->has_debug;
            frame->code = location->code;
        }
        if (frame->count == 0) {
            frame->frames = &frame->address;
            frame->count = 1;
        }
    }
}

/* Is the raw module a binary that call stacks go through, or a file that is
 * known to be instrumented or not? */
static bool is_binary(const struct work *w, uint32_t module)
{
    const struct mpdata_raw_module *const m = &w->raw->modules[module];

    return w->modules[module].is_used ||
           (m->path.size != 0 && mpdata_symbolize_is_known(m));
}

/* Warns once for each binary that holds code that does not count. */
static void warn_partly(const struct work *w, struct mpdata_binary_file *file)
{
    const struct mpdata_code *const code = &file->code;

    if (file->is_partly_told)
        return;
    file->is_partly_told = true;
    if (code->others != 0)
        mpdata_diag_warn(w->load->warn, w->file,
                         "%s: accesses by %" PRIu32 " function%s are not "
                         "counted, one is %s; compile all files with "
                         "-fmemory-profile, and none with "
                         "-memprof-access=none",
                         file->path, code->others, code->others == 1 ? "" : "s",
                         code->other);
    else
        mpdata_diag_warn(w->load->warn, w->file,
                         "%s: memprofdata does not know whether all code was "
                         "compiled with -fmemory-profile: %s",
                         file->path,
                         file->is_cut ? "the file is cut short"
                         : code->is_static
                             ? "link static programs with memprof-clang and "
                               "bfd or lld"
                             : "the file is stripped; give the one with "
                               "symbols by --profiled-binary");
}

/* Marks binaries that hold both code that counts and code that does not. */
static void mark_partly(const struct work *w)
{
    for (uint32_t i = 0; i < w->raw->module_count; i++) {
        const uint32_t ref = w->modules[i].binary_ref;
        struct mpdata_raw_module *const module = &w->raw->modules[i];

        if (ref == 0 ||
            !mpdata_code_is_partly(&w->load->binaries.files[ref - 1].code) ||
            mpdata_system_lib_is(module->path.bytes))
            continue;
        warn_partly(w, &w->load->binaries.files[ref - 1]);
        module->flags |= MPROF_RAW_MODULE_FL_INSTRUMENTED |
                         MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED;
    }
}

static bool prepare_work(struct work *w)
{
    const struct mpdata_raw *const raw = w->raw;

    w->module_binaries =
        mpdata_raw_array(raw->module_count, sizeof(*w->module_binaries));
    w->locations = mpdata_raw_array(raw->frame_count, sizeof(*w->locations));
    w->frames = mpdata_raw_array(raw->frame_count, sizeof(*w->frames));
    if (w->module_binaries == NULL || w->locations == NULL || w->frames == NULL)
        return false;
    mark_partly(w);
    for (uint32_t i = 0; i < raw->module_count; i++) {
        if (is_binary(w, i))
            w->module_binaries[i] = intern_binary(w->load, &raw->modules[i],
                                                  w->modules[i].binary_ref);
    }
    return true;
}

/* Sets the executable's path of an LLVM dump, which records none, to the path
 * of its binary. */
static void complete_program(struct work *w)
{
    struct mpdata_raw *const raw = w->raw;

    if (raw->kind == MPROF_RUN_LLVM && raw->module_count != 0 &&
        w->modules[0].binary_ref != 0)
        raw->program = w->module_binaries[0];
}

enum mprof_err mpdata_symbolize_frames(struct mpdata_load_context *load,
                                       struct mpdata_raw *raw, const char *file,
                                       struct mpdata_symbolized **frames,
                                       struct mprof_diag *diag)
{
    struct work w = {.load = load, .raw = raw, .file = file, .diag = diag};
    enum mprof_err err;

    if (load->locations.key_bytes == 0) {
        mpdata_set_init(&load->locations,
                        MPDATA_SET_KEY(struct mpdata_location, binary),
                        sizeof(struct mpdata_location));
        load->frames.elem_bytes = sizeof(mpdata_ref);
    }
    if (load->no_symbols && raw->kind != MPROF_RUN_LLVM)
        err = mpdata_modules_leave(raw, &w.modules, diag);
    else
        err = mpdata_modules_resolve(&load->binaries, raw, file, load->warn,
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
    if (!mpdata_raw_is_foreign(raw))
        warn_no_lines(&w);
    complete_program(&w);
    *frames = w.frames;
    w.frames = NULL;
out:
    free(w.modules);
    free(w.module_binaries);
    free(w.locations);
    free(w.frames);
    return err;
}
