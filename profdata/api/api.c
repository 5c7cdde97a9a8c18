/* api.c -- the public library (inc/memprofdata.h) over the inner one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inc/memprofdata.h"
#include "profdata/model/counters.h"
#include "profdata/base/heapbuf.h"
#include "profdata/llvm/index_llvm_read.h"
#include "profdata/index/index_write.h"
#include "profdata/llvm/llvm_sites.h"
#include "profdata/load/load.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(MEMPROFDATA_NO_MEMORY == MPROF_E_NOMEM, "public numbers");
_Static_assert(MEMPROFDATA_NO_MEMORY_PROFILE == MPROF_E_NO_MEMPROF,
               "public numbers");

struct memprofdata_index {
    struct mpdata_file file;
    char *path;
};

struct memprofdata_profile {
    struct mpdata_session session;
    struct mpdata_counters counters;
    struct mpdata_llvm_sites sites;
};

static int finish(enum mprof_err err, struct mprof_diag *diag, const char *path,
                  struct memprofdata_error *error)
{
    if (error == NULL || err == MPROF_E_OK)
        return (int)err;
    if (diag->file == NULL)
        diag->file = path;
    error->number = (int)err;
    error->offset = diag->offset;
    mpdata_diag_sentence(diag, error->text, sizeof(error->text));
    return (int)err;
}

static int no_memory(const char *path, struct memprofdata_error *error)
{
    struct mprof_diag diag;

    return finish(
        mprof_err_fail(&diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET), &diag,
        path, error);
}

/* -- contexts ---------------------------------------------------------------- */

struct walk {
    memprofdata_visit_fn *visit;
    void *context;
    struct mpdata_vec frames; /* struct memprofdata_frame, of one context */
    int stopped;              /* what visit returned */
    bool failed;
};

static struct memprofdata_frame make_frame(const struct mpdata_view *view,
                                           const struct mpdata_entry *entry)
{
    struct memprofdata_frame frame = {
        .function = "",
        .column = entry->column,
        .is_inline = (entry->flags & MPROF_ENTRY_FL_INLINE) != 0};
    const struct mpdata_function *function;

    if (entry->function == 0)
        return frame;
    function = &view->functions[entry->function - 1];
    frame.guid = function->guid;
    frame.function = view->strings[function->name].bytes;
    frame.line_offset = entry->line - function->line;
    /* Where LLVM's files have no name, they have no line but the offset. */
    if (function->name != 0)
        frame.line = entry->line;
    return frame;
}

/* One context, unless an earlier visit stopped the walk. */
static void visit_context(struct walk *walk, const struct mpdata_view *view,
                          mpdata_ref node, const struct mprof_mib *mib,
                          const size_t *fields, size_t field_count)
{
    struct memprofdata_value values[MPROF_MIB_FIELDS];
    struct memprofdata_context found = {.values = values,
                                        .value_count = field_count};

    if (walk->stopped != 0 || walk->failed)
        return;
    walk->frames.count = 0;
    for (; node != 0; node = view->nodes[node - 1].parent) {
        struct memprofdata_frame *frame = mpdata_vec_push(&walk->frames);

        if (frame == NULL) {
            walk->failed = true;
            return;
        }
        *frame = make_frame(view, &view->entries[view->nodes[node - 1].entry]);
    }
    for (size_t i = 0; i < field_count; i++) {
        const size_t field = fields != NULL ? fields[i] : i;

        values[i] =
            (struct memprofdata_value){.tag = mprof_mib_fields[field].tag,
                                       .name = mprof_mib_fields[field].name,
                                       .unit = mprof_mib_fields[field].unit,
                                       .value = mprof_mib_get(mib, field)};
    }
    found.frames = walk->frames.data;
    found.frame_count = walk->frames.count;
    walk->stopped = walk->visit(walk->context, &found);
}

/* -- one indexed file -------------------------------------------------------- */

int memprofdata_open(const char *path, struct memprofdata_index **index,
                     struct memprofdata_error *error)
{
    struct memprofdata_index *made = calloc(1, sizeof(*made));
    struct mprof_diag diag;
    enum mprof_err err;

    *index = NULL;
    if (made == NULL)
        return no_memory(path, error);
    err = mpdata_file_open(&made->file, path, &diag);
    if (err != MPROF_E_OK) {
        free(made);
        return finish(err, &diag, path, error);
    }
    made->path = strdup(path);
    if (made->path == NULL)
        err = mprof_err_fail(&diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    else
        err = mpdata_index_llvm_check_header(made->file.data, made->file.size,
                                             &diag);
    if (err != MPROF_E_OK) {
        memprofdata_close(made);
        return finish(err, &diag, path, error);
    }
    *index = made;
    return 0;
}

void memprofdata_close(struct memprofdata_index *index)
{
    if (index == NULL)
        return;
    mpdata_file_close(&index->file);
    free(index->path);
    free(index);
}

static void visit_alloc(void *context, const struct mpdata_view *view,
                        mpdata_ref node, const struct mprof_mib *mib,
                        const size_t *fields, size_t field_count)
{
    visit_context(context, view, node, mib, fields, field_count);
}

int memprofdata_find_guid(const struct memprofdata_index *index, uint64_t guid,
                          memprofdata_visit_fn *visit, void *context,
                          bool *found, struct memprofdata_error *error)
{
    struct walk walk = {
        .visit = visit,
        .context = context,
        .frames = {.elem_bytes = sizeof(struct memprofdata_frame)}};
    const struct mpdata_llvm_visitor visitor = {.context = &walk,
                                                .alloc = visit_alloc};
    bool is_found = false;
    struct mprof_diag diag;
    enum mprof_err err = mpdata_index_llvm_find(
        index->file.data, index->file.size, guid, &visitor, &is_found, &diag);

    mpdata_vec_fini(&walk.frames);
    if (found != NULL)
        *found = is_found;
    if (err == MPROF_E_OK && walk.failed)
        return no_memory(index->path, error);
    if (err != MPROF_E_OK)
        return finish(err, &diag, index->path, error);
    return walk.stopped;
}

uint64_t memprofdata_guid(const char *name)
{
    return mpdata_guid(name, strlen(name));
}

int memprofdata_find_name(const struct memprofdata_index *index,
                          const char *name, memprofdata_visit_fn *visit,
                          void *context, bool *found,
                          struct memprofdata_error *error)
{
    return memprofdata_find_guid(index, memprofdata_guid(name), visit, context,
                                 found, error);
}

/* -- whole profiles ---------------------------------------------------------- */

struct memprofdata_profile *memprofdata_profile_new(void)
{
    struct memprofdata_profile *profile = calloc(1, sizeof(*profile));

    if (profile == NULL)
        return NULL;
    profile->session.profile = mpdata_profile_new();
    if (profile->session.profile == NULL) {
        free(profile);
        return NULL;
    }
    mpdata_counters_init(&profile->counters);
    profile->session.counters = &profile->counters;
    mpdata_llvm_sites_init(&profile->sites);
    profile->session.sites = &profile->sites;
    return profile;
}

void memprofdata_profile_free(struct memprofdata_profile *profile)
{
    if (profile == NULL)
        return;
    mpdata_profile_free(profile->session.profile);
    mpdata_session_fini(&profile->session);
    mpdata_counters_fini(&profile->counters);
    mpdata_llvm_sites_fini(&profile->sites);
    free(profile);
}

int memprofdata_profile_binary(struct memprofdata_profile *profile,
                               const char *path,
                               struct memprofdata_error *error)
{
    struct mprof_diag diag;

    return finish(mpdata_binaries_add(&profile->session.binaries, path, true,
                                      NULL, &diag),
                  &diag, path, error);
}

int memprofdata_profile_add(struct memprofdata_profile *profile,
                            const char *path, uint64_t weight,
                            struct memprofdata_error *error)
{
    struct mprof_diag diag;

    return finish(mpdata_load_weighted(&profile->session, path,
                                       mprof_max_u64(weight, 1), true, &diag),
                  &diag, path, error);
}

size_t
memprofdata_profile_context_count(const struct memprofdata_profile *profile)
{
    return mpdata_profile_view(profile->session.profile).context_count;
}

int memprofdata_profile_visit(const struct memprofdata_profile *profile,
                              memprofdata_visit_fn *visit, void *context,
                              struct memprofdata_error *error)
{
    const struct mpdata_view view =
        mpdata_profile_view(profile->session.profile);
    struct walk walk = {
        .visit = visit,
        .context = context,
        .frames = {.elem_bytes = sizeof(struct memprofdata_frame)}};

    for (uint32_t i = 0; i < view.context_count && walk.stopped == 0; i++)
        visit_context(&walk, &view, view.contexts[i].node,
                      &view.contexts[i].mib, NULL, MPROF_MIB_FIELDS);
    mpdata_vec_fini(&walk.frames);
    return walk.failed ? no_memory(NULL, error) : walk.stopped;
}

int memprofdata_profile_write(const struct memprofdata_profile *profile,
                              const char *path, struct memprofdata_error *error)
{
    struct mpdata_profile *canonical =
        mpdata_profile_canonical(profile->session.profile);
    struct mpdata_counters counters;
    struct mpdata_llvm_sites sites;
    const struct mpdata_index_options options = {.counters = &counters,
                                                 .sites = &sites};
    struct mprof_diag diag;
    struct mprof_buf out;
    enum mprof_err err = MPROF_E_NOMEM;

    mpdata_heapbuf_init(&out);
    /* A copy, because what is in order for writing cannot be added to. */
    mpdata_counters_init(&counters);
    mpdata_llvm_sites_init(&sites);
    if (canonical != NULL)
        err = mpdata_counters_merge(&counters, &profile->counters, 1);
    mpdata_counters_canonical(&counters);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_sites_canonical(&profile->sites, &sites);
    if (err == MPROF_E_OK)
        err = mpdata_index_write(canonical, &options, &out);
    mprof_err_fail(&diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK)
        err = mpdata_file_write(path, out.data, out.size, &diag);
    mpdata_heapbuf_fini(&out);
    mpdata_counters_fini(&counters);
    mpdata_llvm_sites_fini(&sites);
    mpdata_profile_free(canonical);
    return finish(err, &diag, path, error);
}
