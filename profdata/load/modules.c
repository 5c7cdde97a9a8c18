/* modules.c -- finds the files of the binaries that a dump lists.
 *
 * Our runtime records path and build id of each binary, so its files need no
 * help from the user. LLVM's runtime records build ids only: the user has to
 * name the program, and may name libraries.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/symbolize.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_MASK UINT64_C(4095)
#define LOST_SHARE 4 /* fraction of all blocks that is worth a warning */

/* Returns the binary whose code allocated: that of the leaf, or of the leaf's
 * caller in LLVM's files, where the leaf is the runtime's own malloc. */
static mpdata_ref allocating_module(const struct mpdata_raw *raw,
                                    const struct mpdata_raw_context *context)
{
    const struct mpdata_raw_node *node;

    if (context->node == 0)
        return 0;
    node = &raw->nodes[context->node - 1];
    if (raw->kind == MPROF_RUN_LLVM && node->parent != 0)
        node = &raw->nodes[node->parent - 1];
    return raw->frames[node->frame].module;
}

static void mark_used(const struct mpdata_raw *raw,
                      struct mpdata_module *modules)
{
    for (uint32_t i = 0; i < raw->frame_count; i++) {
        const mpdata_ref module = raw->frames[i].module;

        if (module == 0)
            continue;
        modules[module - 1].is_used = true;
        modules[module - 1].needs_names |=
            raw->frame_names == NULL || raw->frame_names[i].function.size == 0;
    }
    for (uint32_t i = 0; i < raw->context_count; i++) {
        const mpdata_ref module = allocating_module(raw, &raw->contexts[i]);

        if (module != 0)
            modules[module - 1].blocks = mprof_add_sat_u64(
                modules[module - 1].blocks, raw->contexts[i].blocks);
    }
}

/* The vDSO and similar mappings have no file. */
static bool is_without_file(const struct mpdata_raw_module *module)
{
    return module->path.size == 0 || module->path.bytes[0] != '/';
}

static bool is_kernel(const struct mpdata_raw_module *module)
{
    return module->path.size != 0 && module->path.bytes[0] != '/';
}

static bool is_same_build_id(const struct mpdata_raw_module *module,
                             const struct mpdata_binary_file *file)
{
    if (module->is_trusted)
        return true;
    return module->build_id.size == file->build_id_size &&
           memcmp(module->build_id.bytes, file->build_id,
                  file->build_id_size) == 0;
}

static enum mprof_err fail_changed(const struct mpdata_raw_module *module,
                                   const struct mpdata_binary_file *file,
                                   struct mprof_diag *diag)
{
    char was[MPDATA_BUILD_ID_TEXT_BYTES];
    char is[MPDATA_BUILD_ID_TEXT_BYTES];

    return mpdata_diag_text(
        diag, MPROF_E_BUILD_ID,
        "%s was rebuilt since the run (build id %.16s, profiled %.16s); run it "
        "again, or give the old one with --profiled-binary",
        module->path.bytes,
        mpdata_build_id_text(file->build_id, file->build_id_size, is),
        mpdata_build_id_text(module->build_id.bytes, module->build_id.size,
                             was));
}

/* Returns the file at the recorded path, or NULL. Sets *changed if that file
 * has another build id. */
static const struct mpdata_binary_file *
find_by_path(struct mpdata_binaries *binaries,
             const struct mpdata_raw_module *raw_module,
             struct mpdata_module *module,
             const struct mpdata_binary_file **changed)
{
    const char *path = raw_module->path.bytes;
    const struct mpdata_binary_file *file =
        mpdata_binaries_find_path(binaries, path);
    struct mprof_diag ignored;

    if (file == NULL && mpdata_binaries_add(binaries, path, false, &file,
                                            &ignored) != MPROF_E_OK) {
        module->problem = ignored.err == MPROF_E_IO
                              ? "the file cannot be read"
                              : "the file is not an ELF file any more";
        return NULL;
    }
    if (is_same_build_id(raw_module, file))
        return file;
    module->problem = "the file was changed since the run";
    *changed = file;
    return NULL;
}

/* Without a build id the file cannot be verified. */
static void warn_no_build_id(const struct mpdata_raw_module *module,
                             const char *file,
                             const struct mpdata_diag_warn *warn)
{
    if (module->build_id.size == 0 && !module->is_trusted)
        mpdata_diag_warn(warn, file,
                         "%s has no build id, so it cannot be verified as the "
                         "file that ran; link it with -Wl,--build-id",
                         module->path.bytes);
}

/* Searches by build id among known files, then at the recorded path, then where
 * files are stored by build id. A changed program is an error, because all
 * names would be wrong. A changed library only loses its own names. */
static enum mprof_err find_binary(struct mpdata_binaries *binaries,
                                  const struct mpdata_raw_module *raw_module,
                                  struct mpdata_module *module,
                                  const char *path,
                                  const struct mpdata_diag_warn *warn,
                                  struct mprof_diag *diag)
{
    const struct mpdata_str *const id = &raw_module->build_id;
    const struct mpdata_binary_file *changed = NULL;
    const struct mpdata_binary_file *file =
        mpdata_binaries_find(binaries, id->bytes, id->size);

    if (file == NULL && !is_without_file(raw_module)) {
        file = find_by_path(binaries, raw_module, module, &changed);
        if (file != NULL)
            warn_no_build_id(raw_module, path, warn);
    }
    if (file == NULL && !is_kernel(raw_module)) {
        const size_t index =
            changed != NULL ? (size_t)(changed - binaries->files) : 0;

        file = mpdata_binaries_fetch(binaries, id->bytes, id->size);
        if (changed != NULL)
            changed = &binaries->files[index];
    }
    if (file != NULL) {
        module->binary_ref = (uint32_t)(file - binaries->files) + 1;
        return MPROF_E_OK;
    }
    return changed != NULL &&
                   (raw_module->flags & MPROF_RAW_MODULE_FL_MAIN) != 0
               ? fail_changed(raw_module, changed, diag)
               : MPROF_E_OK;
}

/* Returns the number of blocks from which missing names are worth a warning.
 * Most programs have a few blocks of the C++ library, and users do not care for
 * their stacks. */
static uint64_t many_blocks(const struct mpdata_raw *raw)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < raw->context_count; i++)
        all = mprof_add_sat_u64(all, raw->contexts[i].blocks);
    return mprof_max_u64(all / LOST_SHARE, 1);
}

static void warn_lost(const struct mpdata_raw *raw,
                      const struct mpdata_module *modules, const char *file,
                      const struct mpdata_diag_warn *warn)
{
    char text[MPDATA_BUILD_ID_TEXT_BYTES];
    const uint64_t many = many_blocks(raw);

    for (uint32_t i = 0; i < raw->module_count; i++) {
        const struct mpdata_raw_module *m = &raw->modules[i];
        const char *id =
            mpdata_build_id_text(m->build_id.bytes, m->build_id.size, text);

        if (modules[i].binary_ref != 0 || !modules[i].needs_names)
            continue;
        if (modules[i].problem != NULL)
            mpdata_diag_warn(
                warn, file,
                "no function names for %s (build id %s): %s; give the "
                "one that ran with --profiled-binary=",
                m->path.bytes, id, modules[i].problem);
        else if (raw->kind == MPROF_RUN_LLVM && modules[i].blocks >= many)
            mpdata_diag_warn(
                warn, file,
                "no function names for the library with build id %s; "
                "give it with --profiled-binary=",
                id);
    }
}

/* Fails if an LLVM dump has no binary at all, since no frame would have a name.
 */
static enum mprof_err check_any_given(const struct mpdata_raw *raw,
                                      const struct mpdata_binaries *binaries,
                                      const struct mpdata_module *modules,
                                      struct mprof_diag *diag)
{
    char id[MPDATA_BUILD_ID_TEXT_BYTES];

    if (raw->kind != MPROF_RUN_LLVM || raw->context_count == 0)
        return MPROF_E_OK;
    for (uint32_t i = 0; i < raw->module_count; i++) {
        if (modules[i].binary_ref != 0 &&
            (i == 0 || binaries->files[modules[i].binary_ref - 1].is_given))
            return MPROF_E_OK;
    }
    for (size_t i = 0; i < binaries->count; i++) {
        if (binaries->files[i].is_given &&
            binaries->files[i].build_id_size == 0)
            return mpdata_diag_text(
                diag, MPROF_E_NO_BINARY,
                "%s has none; link it with -Wl,--build-id and "
                "run it again",
                binaries->files[i].path);
    }
    return mpdata_diag_text(
        diag, MPROF_E_NO_BINARY,
        "give the profiled program, whose build id is %s, with "
        "--profiled-binary=",
        raw->module_count == 0
            ? "not recorded"
            : mpdata_build_id_text(raw->modules[0].build_id.bytes,
                                   raw->modules[0].build_id.size, id));
}

/* Computes the bias of a binary from its program headers if they contradict the
 * dump: start of the mapped segment minus its address in the file. Older LLVM
 * runtimes do not record the bias. The segments of a binary are adjacent;
 * `first` is the first of them. */
static uint64_t find_bias(const struct mpdata_raw *raw, uint32_t module,
                          uint32_t first, const struct mpdata_binary_file *file)
{
    const uint64_t said = raw->modules[module].bias;
    const struct mpdata_raw_segment *segment = &raw->segments[first];

    for (uint32_t i = first;
         i < raw->segment_count && raw->segments[i].module == module; i++) {
        for (uint32_t k = 0; k < file->load_count; k++) {
            if (((raw->segments[i].start - said) & ~PAGE_MASK) ==
                (file->loads[k].address & ~PAGE_MASK))
                return said;
        }
    }
    if (file->load_count == 0)
        return said;
    for (uint32_t k = 0; k < file->load_count; k++) {
        if (file->loads[k].bytes == segment->end - segment->start)
            return segment->start - file->loads[k].address;
    }
    return (segment->start & ~PAGE_MASK) -
           (file->loads[0].address & ~PAGE_MASK);
}

/* Visits each binary, segment and frame once: the counts come from an untrusted
 * file, so nested loops could take forever. */
static enum mprof_err correct_biases(struct mpdata_raw *raw,
                                     const struct mpdata_binaries *binaries,
                                     const struct mpdata_module *modules)
{
    uint64_t *moves = mpdata_raw_array(raw->module_count, sizeof(*moves));

    if (moves == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < raw->segment_count; i++) {
        const uint32_t m = raw->segments[i].module;
        const uint32_t ref = modules[m].binary_ref;

        if (ref == 0 || (i != 0 && raw->segments[i - 1].module == m))
            continue;
        uint64_t bias = find_bias(raw, m, i, &binaries->files[ref - 1]);
        moves[m] += raw->modules[m].bias - bias;
        raw->modules[m].bias = bias;
    }
    for (uint32_t i = 0; i < raw->frame_count; i++) {
        if (raw->frames[i].module != 0)
            raw->frames[i].address += moves[raw->frames[i].module - 1];
    }
    free(moves);
    return MPROF_E_OK;
}

enum mprof_err mpdata_modules_resolve(struct mpdata_binaries *binaries,
                                      struct mpdata_raw *raw, const char *file,
                                      const struct mpdata_diag_warn *warn,
                                      struct mpdata_module **modules,
                                      struct mprof_diag *diag)
{
    struct mpdata_module *found =
        mpdata_raw_array(raw->module_count, sizeof(*found));
    enum mprof_err err = MPROF_E_OK;

    if (found == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    if (raw->kind == MPROF_RUN_LLVM)
        mpdata_shared_libs_add(binaries);
    mark_used(raw, found);
    for (uint32_t i = 0; i < raw->module_count && err == MPROF_E_OK; i++) {
        if (found[i].is_used)
            err = find_binary(binaries, &raw->modules[i], &found[i], file, warn,
                              diag);
    }
    if (err == MPROF_E_OK)
        err = check_any_given(raw, binaries, found, diag);
    if (err == MPROF_E_OK && raw->kind != MPROF_RUN_MEMPROF) {
        err = correct_biases(raw, binaries, found);
        mprof_err_plain(diag, err);
    }
    if (err != MPROF_E_OK) {
        free(found);
        return err;
    }
    warn_lost(raw, found, file, warn);
    *modules = found;
    return MPROF_E_OK;
}

enum mprof_err mpdata_modules_leave(const struct mpdata_raw *raw,
                                    struct mpdata_module **modules,
                                    struct mprof_diag *diag)
{
    *modules = mpdata_raw_array(raw->module_count, sizeof(**modules));
    if (*modules == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    mark_used(raw, *modules);
    return MPROF_E_OK;
}
