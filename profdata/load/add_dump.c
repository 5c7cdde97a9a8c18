/* add_dump.c -- adds a symbolized raw dump to a profile.
 *
 * A raw node becomes the node of its innermost frame, below the node of its raw
 * parent. Parents precede their children, so one pass suffices.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/symbolize.h"
#include "profdata/base/build_id.h"
#include "profdata/base/guid.h"
#include "profdata/base/system_lib.h"
#include "profdata/model/content.h"
#include "shared/abi.h"
#include "shared/tag_format.h"

#include <stdlib.h>
#include <string.h>

/* Returns the same frame, marked as not for the compiler. The compiler decides
 * by accesses, and other tools' profiles have none. */
static mpdata_ref hide_frame(struct mpdata_profile *profile, mpdata_ref ref)
{
    if (ref == 0)
        return 0;
    struct mpdata_frame frame = mpdata_profile_view(profile).frames[ref - 1];
    frame.flags |= MPROF_ENTRY_FL_NO_LINES;
    return mpdata_profile_frame(profile, &frame);
}

/* Adds the frames of one raw frame below the node `parent`, outermost first.
 * Returns the node of the innermost one. */
static mpdata_ref add_node(struct mpdata_profile *profile, mpdata_ref parent,
                           const struct mpdata_symbolized *frame,
                           bool is_foreign)
{
    mpdata_ref node = parent;

    for (uint32_t i = frame->count; !frame->is_runtime && i-- > 0;)
        node = mpdata_profile_node(profile, node,
                                   is_foreign
                                       ? hide_frame(profile, frame->frames[i])
                                       : frame->frames[i]);
    return node;
}

static const struct mpdata_raw_module *
find_program(const struct mpdata_raw *raw)
{
    for (uint32_t i = 0; i < raw->module_count; i++) {
        if ((raw->modules[i].flags & MPROF_RAW_MODULE_FL_MAIN) != 0)
            return &raw->modules[i];
    }
    return raw->module_count != 0 ? &raw->modules[0] : NULL;
}

/* Returns the node of a frame that is named after the build of the program. */
static mpdata_ref add_build(struct mpdata_profile *profile,
                            const struct mpdata_raw *raw)
{
    const struct mpdata_raw_module *const program = find_program(raw);
    char name[sizeof(MPDATA_PROFILE_BUILD) + MPDATA_BUILD_ID_TEXT_BYTES] =
        MPDATA_PROFILE_BUILD;
    struct mpdata_function function = {.guid = 0};
    struct mpdata_frame frame = {.flags = MPROF_ENTRY_FL_NO_LINES};

    mpdata_build_id_text(program != NULL ? program->build_id.bytes : NULL,
                         program != NULL ? program->build_id.size : 0,
                         name + strlen(name));
    function.guid = mpdata_guid(name, strlen(name));
    function.name = mpdata_profile_string(profile, name, strlen(name));
    frame.function = mpdata_profile_function(profile, &function);
    return mpdata_profile_node(profile, 0,
                               mpdata_profile_frame(profile, &frame));
}

/* A binary with both instrumented and other code has both flags. */
static bool is_not_instrumented(const struct mpdata_raw_module *module)
{
    return (module->flags & MPROF_RAW_MODULE_FL_NOT_INSTRUMENTED) != 0;
}

static bool is_instrumented(const struct mpdata_raw_module *module)
{
    return (module->flags & MPROF_RAW_MODULE_FL_INSTRUMENTED) != 0;
}

/* Flags of all contexts of a dump: NOT_ALL_SEEN if code that is not
 * instrumented and not a system library may have accessed the blocks, or if a
 * jump out of a signal handler lost counts. */
static uint32_t common_flags(const struct mpdata_raw *raw)
{
    if (raw->numbers[MPROF_RAW_META_IS_HANDLER_JUMPS] != 0)
        return MPROF_CONTEXT_FL_NOT_ALL_SEEN;
    for (uint32_t i = 0; i < raw->module_count; i++) {
        if (is_not_instrumented(&raw->modules[i]) &&
            !mpdata_system_lib_is(raw->modules[i].path.bytes))
            return MPROF_CONTEXT_FL_NOT_ALL_SEEN;
    }
    return 0;
}

/* Code outside of all binaries (module 0) was generated at run time. It counts
 * as not instrumented if the dump records which binaries are. */
static bool is_not_measured(const struct mpdata_raw *raw, mpdata_ref module)
{
    if (module != 0)
        return is_not_instrumented(&raw->modules[module - 1]) &&
               !is_instrumented(&raw->modules[module - 1]);
    return raw->module_count != 0 &&
           mpdata_symbolize_is_known(&raw->modules[0]);
}

static mpdata_ref module_of(const struct mpdata_raw *raw, mpdata_ref node)
{
    return raw->frames[raw->nodes[node - 1].frame].module;
}

static enum mpdata_code_kind code_of(const struct mpdata_raw *raw,
                                     const struct mpdata_symbolized *frames,
                                     mpdata_ref node)
{
    return frames[raw->nodes[node - 1].frame].code;
}

/* Returns the innermost frame that is not in the C++ library, or the leaf if
 * there is none. The library instantiates templates such as std::string for its
 * caller, and their accesses go through functions that the runtime counts. */
static mpdata_ref user_of(const struct mpdata_raw *raw,
                          const struct mpdata_symbolized *frames,
                          mpdata_ref leaf)
{
    mpdata_ref node = leaf;

    while (node != 0 && module_of(raw, node) != 0 &&
           (code_of(raw, frames, node) == MPDATA_CODE_SYSTEM ||
            mpdata_system_lib_is_cxx(
                raw->modules[module_of(raw, node) - 1].path.bytes)))
        node = raw->nodes[node - 1].parent;
    return node != 0 ? node : leaf;
}

/* Does the leaf belong to an object that was not compiled with the plugin, such
 * as the C library in a static program? Without records of code
 * (symbols/code.h), line tables decide: the plugin makes clang write them. */
static bool is_foreign_object(const struct mpdata_raw *raw,
                              const struct mpdata_symbolized *frames,
                              const bool *has_debug, mpdata_ref node)
{
    const mpdata_ref module = module_of(raw, node);
    const enum mpdata_code_kind code = code_of(raw, frames, node);

    if (code != MPDATA_CODE_UNKNOWN)
        return code != MPDATA_CODE_COUNTED;
    return module != 0 && has_debug[module - 1] &&
           mpdata_symbolize_is_known(&raw->modules[module - 1]) &&
           !frames[raw->nodes[node - 1].frame].has_debug;
}

/* Were most blocks of the context accessed by code that does not count? */
static bool is_mostly_unseen(const struct mprof_mib *mib)
{
    return mib->UnseenCount > mib->AllocCount / 2 || mib->TotalAccessCount == 0;
}

/* Is the binary one of the allocators in which call stacks of other tools end?
 * Known by file name. */
static bool is_allocator(const struct mpdata_raw_module *module)
{
    static const char *const names[] = {"libjemalloc.", "libtcmalloc"};
    const char *const path = module->path.bytes;
    const char *const slash = strrchr(path, '/');

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (slash != NULL &&
            strncmp(slash + 1, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

/* Returns the innermost node that is not part of an allocator or of LLVM's
 * runtime. */
static mpdata_ref leaf_of(const struct mpdata_raw *raw,
                          const struct mpdata_symbolized *frames,
                          mpdata_ref leaf)
{
    if (leaf != 0 && raw->kind == MPROF_RUN_LLVM &&
        frames[raw->nodes[leaf - 1].frame].is_runtime_top)
        return raw->nodes[leaf - 1].parent;
    while (leaf != 0 && mpdata_raw_is_foreign(raw) &&
           (frames[raw->nodes[leaf - 1].frame].is_runtime_top ||
            (module_of(raw, leaf) != 0 &&
             is_allocator(&raw->modules[module_of(raw, leaf) - 1]))))
        leaf = raw->nodes[leaf - 1].parent;
    return leaf;
}

/* has_debug[i]: does binary i have a frame with debug information? */
static uint32_t context_flags(const struct mpdata_raw *raw,
                              const struct mpdata_symbolized *frames,
                              const bool *has_debug,
                              const struct mpdata_raw_context *context,
                              const struct mprof_mib *mib)
{
    const bool is_seen = mib->TotalAccessCount != 0;
    const mpdata_ref leaf = leaf_of(raw, frames, context->node);
    const mpdata_ref node = is_seen ? user_of(raw, frames, leaf) : leaf;
    uint32_t flags = 0;

    if ((context->flags & MPROF_RAW_CONTEXT_FL_TRUNCATED) != 0)
        flags |= MPROF_CONTEXT_FL_TRUNCATED;
    if (node != 0 &&
        (is_not_measured(raw, module_of(raw, node)) ||
         code_of(raw, frames, node) == MPDATA_CODE_OTHER ||
         (!is_seen && is_foreign_object(raw, frames, has_debug, node))))
        flags |= MPROF_CONTEXT_FL_NOT_MEASURED;
    if (!is_seen && mib->NoBurstCount > mib->AllocCount / 2)
        flags |= MPROF_CONTEXT_FL_NOT_MEASURED;
    if (mib->UnseenCount != 0)
        flags |= is_mostly_unseen(mib) ? MPROF_CONTEXT_FL_NOT_MEASURED
                                       : MPROF_CONTEXT_FL_NOT_ALL_SEEN;
    return flags;
}

/* Returns has_debug of context_flags(), owned; NULL when out of memory. */
static bool *find_debug(const struct mpdata_raw *raw,
                        const struct mpdata_symbolized *frames)
{
    bool *const has_debug =
        mpdata_raw_array(raw->module_count, sizeof(*has_debug));

    for (uint32_t i = 0; i < raw->frame_count && has_debug != NULL; i++) {
        if (raw->frames[i].module != 0 && frames[i].has_debug)
            has_debug[raw->frames[i].module - 1] = true;
    }
    return has_debug;
}

static mpdata_ref node_of(const struct mpdata_raw *raw,
                          const struct mpdata_symbolized *frames,
                          const mpdata_ref *nodes, mpdata_ref raw_node)
{
    const mpdata_ref leaf = leaf_of(raw, frames, raw_node);

    return leaf != 0 ? nodes[leaf - 1] : 0;
}

static void add_details(struct mpdata_profile *profile,
                        const struct mpdata_raw *raw,
                        const struct mpdata_symbolized *frames,
                        const struct mpdata_raw_context *context,
                        const mpdata_ref *nodes)
{
    for (uint32_t i = 0; i < context->detail_count; i++) {
        struct mpdata_detail detail = raw->details[context->details_first + i];

        detail.node = node_of(raw, frames, nodes, context->node);
        if (mprof_detail_is_stack(detail.kind))
            detail.key = node_of(raw, frames, nodes, detail.key);
        mpdata_profile_detail(profile, &detail);
    }
}

static mpdata_string intern_text(struct mpdata_profile *profile,
                                 const struct mpdata_str *text)
{
    return mpdata_profile_string(profile, text->bytes, text->size);
}

/* Interns string i of the dump; names[] caches the results. */
static mpdata_string intern_name(struct mpdata_profile *profile,
                                 const struct mpdata_raw *raw,
                                 mpdata_string *names, uint32_t i)
{
    if (names[i] == 0)
        names[i] = intern_text(profile, &raw->string_table[i]);
    return names[i];
}

static uint32_t tagged_flags(uint32_t raw_flags)
{
    return (raw_flags & MPROF_RAW_CONTEXT_FL_TRUNCATED) != 0
               ? MPROF_CONTEXT_FL_TRUNCATED
               : 0;
}

/* Adds the context's memory info block to the rows of its thread's name.
 * Threads without a name get no row. */
static void add_thread(struct mpdata_profile *profile,
                       const struct mpdata_raw *raw,
                       const struct mpdata_raw_context *c, mpdata_ref node,
                       const struct mprof_mib *mib, mpdata_string *names)
{
    const struct mpdata_tagged tagged = {
        .kind = MPROF_TAG_THREAD,
        .name = intern_name(profile, raw, names, c->thread),
        .node = node,
        .flags = tagged_flags(c->flags)};

    if (tagged.name != 0)
        mpdata_profile_tagged(profile, &tagged, mib);
}

/* Is it the buffer of a stream, allocated by the C++ library? Streams read and
 * write their buffers inside of the library, where not all accesses count. */
static bool is_of_stream(const struct mpdata_view *view, mpdata_ref node)
{
    for (; node != 0; node = view->nodes[node - 1].parent) {
        const struct mpdata_frame *const frame =
            &view->frames[view->nodes[node - 1].frame];
        const char *const name =
            frame->function != 0
                ? view->strings[view->functions[frame->function - 1].name].bytes
                : "";

        if (strncmp(name, "_ZNSt", 5) != 0 && strncmp(name, "_ZNKSt", 6) != 0 &&
            strncmp(name, "_ZSt", 4) != 0)
            return false;
        if (strstr(name, "3strEv") != NULL) /* its result is the program's */
            return false;
        if (strstr(name, "basic_stringbuf") != NULL ||
            strstr(name, "basic_filebuf") != NULL ||
            strstr(name, "stringstream") != NULL)
            return true;
    }
    return false;
}

static void add_contexts(struct mpdata_profile *profile,
                         const struct mpdata_raw *raw,
                         const struct mpdata_symbolized *frames,
                         const bool *has_debug, const mpdata_ref *nodes,
                         mpdata_string *names)
{
    const uint32_t flags = mpdata_raw_is_foreign(raw)
                               ? MPROF_CONTEXT_FL_NOT_MEASURED
                               : common_flags(raw);

    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mpdata_raw_context *c = &raw->contexts[i];
        const struct mprof_mib mib = mpdata_raw_mib(raw, i);
        const mpdata_ref node = node_of(raw, frames, nodes, c->node);
        const struct mpdata_view view = mpdata_profile_view(profile);

        mpdata_profile_context(
            profile, node,
            flags | context_flags(raw, frames, has_debug, c, &mib) |
                (is_of_stream(&view, node) ? MPROF_CONTEXT_FL_NOT_ALL_SEEN : 0),
            &mib, mpdata_raw_cells(raw, i));
        add_details(profile, raw, frames, c, nodes);
        if (raw->has_threads)
            add_thread(profile, raw, c, node, &mib, names);
    }
}

static void add_tagged_rows(struct mpdata_profile *profile,
                            const struct mpdata_raw *raw,
                            const mpdata_ref *nodes, mpdata_string *names)
{
    for (uint32_t i = 0; i < raw->tagged_count; i++) {
        const struct mpdata_raw_tagged *const p = &raw->tagged_rows[i];
        const struct mprof_mib mib = mpdata_raw_tagged_mib(raw, i);
        const struct mpdata_tagged tagged = {
            .kind = p->kind,
            .name =
                p->name != 0 ? intern_name(profile, raw, names, p->name) : 0,
            .node = p->node != 0 ? nodes[p->node - 1] : 0,
            .flags = tagged_flags(p->flags)};

        mpdata_profile_tagged(profile, &tagged, &mib);
    }
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
        .contexts = raw->stack_count,
        .handler_jumps = n[MPROF_RAW_META_IS_HANDLER_JUMPS],
        .context_checks = n[MPROF_RAW_META_IS_CONTEXT_CHECKS],
        .context_differences = n[MPROF_RAW_META_IS_CONTEXT_DIFFERENCES],
        .peak_bytes = n[MPROF_RAW_META_IS_PEAK_BYTES],
        .peak_ns = n[MPROF_RAW_META_IS_PEAK_NS],
        .cell_bytes = n[MPROF_RAW_META_IS_CELL_BYTES],
        .stack_depth_max = n[MPROF_RAW_META_IS_STACK_DEPTH_MAX],
        .executable =
            mpdata_profile_path(profile, executable->bytes, executable->size),
        .host = intern_text(profile, &t[MPROF_RAW_META_IS_HOST]),
        .options = intern_text(profile, &t[MPROF_RAW_META_IS_OPTIONS]),
        .tool = intern_text(profile, &t[MPROF_RAW_META_IS_TOOL]),
        .has_other_malloc = n[MPROF_RAW_META_IS_OTHER_MALLOC] != 0,
        .known_leaks = intern_text(profile, &t[MPROF_RAW_META_IS_KNOWN_LEAKS]),
        .epoch = (uint32_t)n[MPROF_RAW_META_IS_EPOCH],
        .dump = (uint32_t)n[MPROF_RAW_META_IS_DUMP],
        .is_middle = n[MPROF_RAW_META_IS_DUMP] != 0 &&
                     n[MPROF_RAW_META_IS_IS_LAST] == 0 &&
                     n[MPROF_RAW_META_IS_BEFORE_EXEC] == 0,
        .alive_ns = raw->alive_ns,
        .after_ns = raw->after_ns,
        .has_live = raw->has_live,
        .sample_period_bytes = raw->sample_period_bytes,
        .access_period = n[MPROF_RAW_META_IS_ACCESS_PERIOD],
#define Y(X, number, name, member, text) .member = n[MPROF_RAW_META_IS_##name],
        MPROF_RESIDENT(Y, )
#undef Y
            .bursts = n[MPROF_RAW_META_IS_BURSTS]};

    if (raw->program != 0)
        run.executable =
            mpdata_profile_view(profile).binaries[raw->program - 1].path;
    mpdata_profile_run(profile, &run);
}

/* A series without a run id cannot be assigned to a run and is dropped. */
static void add_series(struct mpdata_profile *profile,
                       const struct mpdata_raw *raw, mpdata_string *names)
{
    struct mpdata_series series = raw->series;

    if (series.sample_count == 0 || series.run_id == 0)
        return;
    series.marks = mpdata_raw_array(series.mark_count, sizeof(*series.marks));
    for (uint32_t i = 0; series.marks != NULL && i < series.mark_count; i++) {
        const struct mpdata_mark *const mark = &raw->series.marks[i];

        series.marks[i] = *mark;
        series.marks[i].name =
            mark->name != 0 ? intern_name(profile, raw, names, mark->name) : 0;
    }
    mpdata_profile_series(profile, &series);
    free(series.marks);
}

static void date_functions(struct mpdata_profile *profile,
                           const struct mpdata_symbolized *frame,
                           uint64_t start_ns)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const struct mpdata_view view = mpdata_profile_view(profile);
        /* 0: out of memory. */
        const mpdata_ref ref = frame->frames[i] != 0
                                   ? view.frames[frame->frames[i] - 1].function
                                   : 0;

        if (ref != 0 && view.functions[ref - 1].newest_ns < start_ns) {
            struct mpdata_function function = view.functions[ref - 1];

            function.newest_ns = start_ns;
            mpdata_profile_function(profile, &function);
        }
    }
}

/* *frames: owned by the caller, also after failure. */
static enum mprof_err add_nodes(struct mpdata_load_context *load,
                                struct mpdata_raw *raw, const char *file,
                                struct mpdata_symbolized **frames,
                                mpdata_ref *nodes, struct mprof_diag *diag)
{
    const enum mprof_err err =
        mpdata_symbolize_frames(load, raw, file, frames, diag);

    const mpdata_ref root = err == MPROF_E_OK && load->by_build
                                ? add_build(load->content->profile, raw)
                                : 0;

    for (uint32_t i = 0; err == MPROF_E_OK && i < raw->node_count; i++) {
        const struct mpdata_raw_node *node = &raw->nodes[i];

        nodes[i] =
            add_node(load->content->profile,
                     node->parent != 0 ? nodes[node->parent - 1] : root,
                     &(*frames)[node->frame], mpdata_raw_is_foreign(raw));
        if (load->dates_functions)
            date_functions(load->content->profile, &(*frames)[node->frame],
                           raw->numbers[MPROF_RAW_META_IS_START_NS]);
    }
    return err;
}

enum mprof_err mpdata_add_dump_nodes(struct mpdata_load_context *load,
                                     struct mpdata_raw *raw, const char *file,
                                     mpdata_ref *nodes, struct mprof_diag *diag)
{
    struct mpdata_symbolized *frames = NULL;
    enum mprof_err err = add_nodes(load, raw, file, &frames, nodes, diag);

    free(frames);
    if (err == MPROF_E_OK && mpdata_profile_status(load->content->profile) != 0)
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    return err;
}

static enum mprof_err take_cells(struct mpdata_profile *profile,
                                 const struct mpdata_raw *raw)
{
    const unsigned unit_cells =
        raw->numbers[MPROF_RAW_META_IS_CELL_BYTES] == MPROF_FIELDS_BYTES
            ? mprof_raw_cells_of_4_bytes(raw->version)
            : 0;
    bool has_cells = false;

    for (uint32_t i = 0; i < raw->context_count; i++)
        has_cells |= raw->contexts[i].cells_count != 0;
    return has_cells ? mpdata_profile_take_cells(profile, unit_cells)
                     : MPROF_E_OK;
}

enum mprof_err mpdata_add_dump(struct mpdata_load_context *load,
                               struct mpdata_raw *raw, const char *file,
                               struct mprof_diag *diag)
{
    struct mpdata_profile *const profile = load->content->profile;
    struct mpdata_symbolized *frames = NULL;
    bool *has_debug = NULL;
    mpdata_ref *nodes = mpdata_raw_array(raw->node_count, sizeof(*nodes));
    mpdata_string *names = mpdata_raw_array(raw->string_count, sizeof(*names));
    enum mprof_err err = nodes != NULL && names != NULL
                             ? take_cells(profile, raw)
                             : MPROF_E_NOMEM;

    mprof_err_plain(diag, err);
    if (err == MPROF_E_OK)
        err = add_nodes(load, raw, file, &frames, nodes, diag);
    if (err != MPROF_E_OK)
        goto out;
    has_debug = find_debug(raw, frames);
    if (has_debug == NULL) {
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
        goto out;
    }
    add_contexts(profile, raw, frames, has_debug, nodes, names);
    add_tagged_rows(profile, raw, nodes, names);
    add_run(profile, raw);
    add_series(profile, raw, names);
    err = mpdata_profile_status(profile);
    mprof_err_plain(diag, err);
out:
    free(frames);
    free(has_debug);
    free(nodes);
    free(names);
    return err;
}
