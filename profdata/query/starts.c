/* starts.c -- frames of start-up: what runs before main() or before a thread's
 * function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/system_lib.h"
#include "profdata/base/vec.h"
#include "profdata/query/frames.h"
#include "profdata/query/names.h"

#include <stdlib.h>
#include <string.h>

enum kind {
    UNKNOWN,
    OWN,
    NAMELESS, /* code of the system whose function is unknown */
    LIBRARY,  /* inside the C++ library: std::thread's, perhaps */
    START,
    MAIN,
    BUILD /* the root that merge --by-build adds */
};

/* Where a call stack is, from the outermost frame on. */
enum state { BEFORE, STARTED, PASSED };

struct starts {
    struct mpdata_view view;
    struct mpdata_frame_names *names;
    uint8_t *kinds;  /* by ref of a function */
    uint8_t *states; /* by node ref */
    bool *is_start;  /* by node ref */
};

static enum kind ask(const struct starts *s, const struct mpdata_frame *frame)
{
    const char *const name = mpdata_frame_names_linkage(s->names, frame);

    if (strcmp(name, "main") == 0)
        return MAIN;
    if (mpdata_names_is_start(name))
        return START;
    if (strncmp(name, MPDATA_PROFILE_BUILD, strlen(MPDATA_PROFILE_BUILD)) == 0)
        return BUILD;
    return mpdata_names_is_library(mpdata_frame_names_function(s->names, frame))
               ? LIBRARY
               : OWN;
}

static bool is_of_system(const struct mpdata_view *view,
                         const struct mpdata_frame *frame)
{
    const mpdata_ref path =
        frame->binary != 0 ? view->binaries[frame->binary - 1].path : 0;

    return path != 0 && mpdata_system_lib_is(
                            view->strings[view->paths[path - 1].name].bytes);
}

static enum kind kind_of(const struct starts *s, mpdata_ref node)
{
    const struct mpdata_frame *const frame =
        &s->view.frames[s->view.nodes[node - 1].frame];
    uint8_t *const kind = &s->kinds[frame->function];

    if (frame->function == 0)
        return is_of_system(&s->view, frame) ? NAMELESS : OWN;
    if (*kind == UNKNOWN)
        *kind = (uint8_t)ask(s, frame);
    return *kind;
}

/* Marks a node and what is outside of it. */
static void mark(struct starts *s, mpdata_ref node)
{
    for (; node != 0 && !s->is_start[node];
         node = s->view.nodes[node - 1].parent)
        s->is_start[node] = kind_of(s, node) != BUILD;
}

/* The frames of the system behind a start function are start-up if they call
 * the program, not if they allocate for themselves. */
static enum state pass(struct starts *s, mpdata_ref node, enum state state)
{
    const mpdata_ref parent = s->view.nodes[node - 1].parent;

    switch (kind_of(s, node)) {
    case BUILD:
    case NAMELESS:
        return state;
    case LIBRARY:
        return state == STARTED ? STARTED : PASSED;
    case START:
        mark(s, node);
        return STARTED;
    case MAIN:
        mark(s, parent);
        return PASSED;
    default:
        if (state == STARTED)
            mark(s, parent);
        return PASSED;
    }
}

bool *mpdata_starts(const struct mpdata_profile *profile,
                    struct mpdata_frame_names *names)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const size_t count = (size_t)view.node_count + 1;
    struct starts s = {.view = view,
                       .names = names,
                       .kinds =
                           mpdata_vec_array((size_t)view.function_count + 1, 1),
                       .states = mpdata_vec_array(count, 1),
                       .is_start = mpdata_vec_array(count, sizeof(bool))};

    if (s.kinds == NULL || s.states == NULL) {
        free(s.is_start);
        s.is_start = NULL;
    }
    for (mpdata_ref i = 1; s.is_start != NULL && i < count; i++) {
        const enum state state = s.states[view.nodes[i - 1].parent];

        s.states[i] = (uint8_t)(state == PASSED ? PASSED : pass(&s, i, state));
    }
    free(s.kinds);
    free(s.states);
    return s.is_start;
}
