/* api.c -- the public library (inc/memprofdata.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inc/memprofdata.h"
#include "profdata/base/guid.h"
#include "profdata/base/sink.h"
#include "profdata/base/vec.h"
#include "profdata/llvm/llvm.h"
#include "profdata/index/index.h"
#include "profdata/load/load.h"
#include "profdata/model/content.h"

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
    bool is_complete; /* no dump is pending */
    struct mpdata_load_context load;
    struct mpdata_content content;
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

    return finish(mprof_err_plain(&diag, MPROF_E_NOMEM), &diag, path, error);
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
                                           const struct mpdata_frame *from)
{
    struct memprofdata_frame frame = {
        .function = "",
        .column = from->column,
        .is_inline = (from->flags & MPROF_ENTRY_FL_INLINE) != 0};
    const struct mpdata_function *function;

    if (from->function == 0)
        return frame;
    function = &view->functions[from->function - 1];
    frame.guid = function->guid;
    frame.function = view->strings[function->name].bytes;
    frame.line_offset = from->line - function->line;
    /* Functions without a name in LLVM's files have only a line offset. */
    if (function->name != 0)
        frame.line = from->line;
    return frame;
}

/* Visits one context, unless an earlier visit stopped the walk. */
static void visit_context(struct walk *walk, const struct mpdata_view *view,
                          mpdata_ref node, const struct mprof_mib *mib,
                          const size_t *fields, size_t field_count,
                          uint32_t flags)
{
    struct memprofdata_value values[MPROF_MIB_FIELDS];
    struct memprofdata_context found = {.values = values, .value_count = 0};

    if (walk->stopped != 0 || walk->failed)
        return;
    if ((flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0)
        found.unseen |= MEMPROFDATA_NOT_MEASURED;
    if ((flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0)
        found.unseen |= MEMPROFDATA_NOT_ALL_SEEN;
    walk->frames.count = 0;
    for (; node != 0; node = view->nodes[node - 1].parent) {
        struct memprofdata_frame *frame = mpdata_vec_push(&walk->frames);

        if (frame == NULL) {
            walk->failed = true;
            return;
        }
        *frame = make_frame(view, &view->frames[view->nodes[node - 1].frame]);
    }
    for (size_t i = 0; i < field_count; i++) {
        const size_t field = fields != NULL ? fields[i] : i;

        if (!mprof_mib_is_held(mib, field))
            continue;
        values[found.value_count++] =
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

    *index = NULL;
    if (made == NULL)
        return no_memory(path, error);
    enum mprof_err err = mpdata_file_open(&made->file, path, &diag);
    if (err != MPROF_E_OK) {
        free(made);
        return finish(err, &diag, path, error);
    }
    made->path = strdup(path);
    if (made->path == NULL)
        err = mprof_err_plain(&diag, MPROF_E_NOMEM);
    else
        err = mpdata_index_file_is(made->file.data, made->file.size, &diag);
    if (err == MPROF_E_OK)
        err = mpdata_llvm_read_header(made->file.data, made->file.size, &diag);
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
    visit_context(context, view, node, mib, fields, field_count, 0);
}

int memprofdata_find_guid(const struct memprofdata_index *index, uint64_t guid,
                          memprofdata_visit_fn *visit, void *context,
                          bool *found, struct memprofdata_error *error)
{
    struct walk walk = {
        .visit = visit,
        .context = context,
        .frames = {.elem_bytes = sizeof(struct memprofdata_frame)}};
    bool is_found = false;
    struct mprof_diag diag;
    enum mprof_err err =
        mpdata_llvm_read_find(index->file.data, index->file.size, guid,
                              visit_alloc, &walk, &is_found, &diag);

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
    if (mpdata_content_init(&profile->content) != MPROF_E_OK) {
        mpdata_content_fini(&profile->content);
        free(profile);
        return NULL;
    }
    profile->load.content = &profile->content;
    return profile;
}

void memprofdata_profile_free(struct memprofdata_profile *profile)
{
    if (profile == NULL)
        return;
    mpdata_symbolize_fini(&profile->load);
    mpdata_content_fini(&profile->content);
    free(profile);
}

int memprofdata_profile_binary(struct memprofdata_profile *profile,
                               const char *path,
                               struct memprofdata_error *error)
{
    struct mprof_diag diag;

    return finish(mpdata_load_add_binary(&profile->load, path, &diag), &diag,
                  path, error);
}

int memprofdata_profile_add(struct memprofdata_profile *profile,
                            const char *path, uint64_t weight,
                            struct memprofdata_error *error)
{
    struct mprof_diag diag;

    profile->is_complete = false;
    return finish(mpdata_load_weighted(&profile->load, path,
                                       mprof_max_u64(weight, 1), true, &diag),
                  &diag, path, error);
}

/* Loads the pending dumps, those that wait for others of their run: when the
 * profile is used, all files have been added. */
static enum mprof_err load_pending(struct memprofdata_profile *profile,
                                   struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (!profile->is_complete)
        err = mpdata_load_all_pending(&profile->load, true, diag);
    profile->is_complete = err == MPROF_E_OK;
    return err;
}

size_t memprofdata_profile_context_count(struct memprofdata_profile *profile)
{
    struct mprof_diag diag;

    if (load_pending(profile, &diag) != MPROF_E_OK)
        return 0;
    return mpdata_profile_view(profile->content.profile).context_count;
}

int memprofdata_profile_visit(struct memprofdata_profile *profile,
                              memprofdata_visit_fn *visit, void *context,
                              struct memprofdata_error *error)
{
    struct mprof_diag diag;
    const enum mprof_err err = load_pending(profile, &diag);
    struct walk walk = {
        .visit = visit,
        .context = context,
        .frames = {.elem_bytes = sizeof(struct memprofdata_frame)}};

    if (err != MPROF_E_OK)
        return finish(err, &diag, NULL, error);
    struct mpdata_view view = mpdata_profile_view(profile->content.profile);
    for (uint32_t i = 0; i < view.context_count && walk.stopped == 0; i++) {
        const struct mprof_mib mib = mpdata_view_mib_of_8_bytes(&view, i);

        visit_context(&walk, &view, view.contexts[i].node, &mib, NULL,
                      MPROF_MIB_FIELDS, view.contexts[i].flags);
    }
    mpdata_vec_fini(&walk.frames);
    return walk.failed ? no_memory(NULL, error) : walk.stopped;
}

int memprofdata_profile_write(struct memprofdata_profile *profile,
                              const char *path, struct memprofdata_error *error)
{
    struct mprof_diag diag;
    struct mprof_buf out;
    enum mprof_err err = load_pending(profile, &diag);

    if (err != MPROF_E_OK)
        return finish(err, &diag, NULL, error);
    err = mpdata_profile_canonical_in_place(profile->content.profile);
    mpdata_heapbuf_init(&out);
    if (err == MPROF_E_OK)
        err = mpdata_index_write(&profile->content, NULL, &out);
    mprof_err_plain(&diag, err);
    if (err == MPROF_E_OK)
        err = mpdata_file_write(path, out.data, out.size, &diag);
    mpdata_heapbuf_fini(&out);
    return finish(err, &diag, path, error);
}
