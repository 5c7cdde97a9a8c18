/* wrappers.c -- functions that only allocate for their callers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frames.h"
#include "profdata/query/names.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Parts of the names of wrappers. */
static const char *const parts[] = {"alloc", "operator new", "strdup"};

static bool is_wrapper(const char *name)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(parts); i++) {
        if (mpdata_names_has(name, parts[i]))
            return true;
    }
    return mpdata_names_is_library(name);
}

static const struct mpdata_frame *frame_of(const struct mpdata_view *view,
                                           mpdata_ref node)
{
    return &view->frames[view->nodes[node - 1].frame];
}

/* Is the node's function a part of its caller: _grow() of grow() or
 * growSlowly()? */
static bool is_part(const struct mpdata_view *view,
                    struct mpdata_frame_names *names, mpdata_ref node)
{
    const mpdata_ref up = view->nodes[node - 1].parent;
    const char *name = mpdata_frame_names_function(names, frame_of(view, node));

    if (name[0] != '_' || up == 0)
        return false;
    name += strspn(name, "_");
    return name[0] != '\0' &&
           strncmp(mpdata_frame_names_function(names, frame_of(view, up)), name,
                   strlen(name)) == 0;
}

/* Returns the innermost node whose function is neither in passed[] nor a part
 * of its caller, else the leaf. passed: by ref of a function. */
static mpdata_ref caller_of(const struct mpdata_view *view,
                            struct mpdata_frame_names *names,
                            const bool *passed, mpdata_ref leaf)
{
    for (mpdata_ref at = leaf; at != 0; at = view->nodes[at - 1].parent) {
        if (!passed[frame_of(view, at)->function] && !is_part(view, names, at))
            return at;
    }
    return leaf;
}

mpdata_ref *mpdata_wrappers_callers(const struct mpdata_profile *profile,
                                    struct mpdata_frame_names *names,
                                    bool has_name)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    bool *const passed =
        mpdata_vec_array((size_t)view.function_count + 1, sizeof(*passed));
    mpdata_ref *const callers =
        mpdata_vec_array(view.context_count, sizeof(*callers));

    for (mpdata_ref f = 0; passed != NULL && f <= view.function_count; f++)
        passed[f] = f == 0 ? has_name
                           : is_wrapper(mpdata_frame_names_function(
                                 names, &(struct mpdata_frame){.function = f}));
    for (uint32_t i = 0;
         passed != NULL && callers != NULL && i < view.context_count; i++)
        callers[i] = caller_of(&view, names, passed, view.contexts[i].node);
    free(passed);
    if (passed != NULL)
        return callers;
    free(callers);
    return NULL;
}

mpdata_ref *mpdata_wrappers_ends(const struct mpdata_profile *profile,
                                 const struct mpdata_demangler *demangler,
                                 uint32_t *count)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(profile, demangler);
    mpdata_ref *const callers =
        names != NULL ? mpdata_wrappers_callers(profile, names, false) : NULL;
    mpdata_ref *ends = NULL;

    if (callers != NULL && !mpdata_frame_names_failed(names))
        ends = mpdata_vec_array((size_t)view.node_count + 1, sizeof(*ends));
    *count = 0;
    for (uint32_t i = 0; ends != NULL && i <= view.node_count; i++)
        ends[i] = i;
    for (uint32_t i = 0; ends != NULL && i < view.context_count; i++) {
        const mpdata_ref node = view.contexts[i].node;

        ends[node] = callers[i];
        *count += callers[i] != node;
    }
    free(callers);
    mpdata_frame_names_free(names);
    return ends;
}
