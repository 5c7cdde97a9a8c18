/* pairing_names.c -- numbers functions, files, binaries and strings of two
 * profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/pairing.h"
#include "profdata/base/arena.h"
#include "profdata/base/set.h"
#include "profdata/base/str.h"

#include <stdlib.h>
#include <string.h>

/* What a frame is compared by. */
struct thing {
    enum { KIND_FUNCTION, KIND_BINARY, KIND_FILE } kind;
    /* Text that distinguishes things of the same id; 0: unknown. */
    uint32_t qualifier;
    uint64_t id;
};

/* All things with one kind and id. */
struct namesakes {
    /* Without a qualifier. */
    struct thing key;
    uint32_t qualifiers[2]; /* the last one of each profile */
    bool is_several;        /* one of the profiles has two */
    bool is_unknown;        /* a qualifier is unknown */
};

enum { BASE_NAME, WHOLE_PATH, PATH_FORMS };

struct work {
    const struct mpdata_profile *const *profiles;
    struct mpdata_view views[2];
    /* Numbers of functions, when files are numbered. */
    const struct mpdata_pairing_names *functions;
    /* By mpdata_ref: number of its text; 0: not yet. */
    uint32_t *paths[2][PATH_FORMS];
    struct mpdata_set namesakes;
    struct mpdata_set things;
    struct mpdata_set texts;
    struct mpdata_arena bytes; /* memory of the texts */
};

/* -- texts ------------------------------------------------------------------- */

/* Returns the number of a path's text, from 1; 0 when out of memory. */
static uint32_t text_of_path(struct work *w, int side, mpdata_ref path,
                             int form)
{
    uint32_t *const found = &w->paths[side][form][path];

    if (*found != 0)
        return *found;
    char *whole = mpdata_profile_path_string(w->profiles[side], path, NULL);
    if (whole == NULL)
        return 0;
    const char *text = form == BASE_NAME ? strrchr(whole, '/') : NULL;
    text = text != NULL ? text + 1 : whole;
    size_t size = strlen(text);
    char *copy = mpdata_arena_alloc(&w->bytes, size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size + 1);
        *found =
            mpdata_set_add(&w->texts, &(struct mpdata_str){copy, size}, NULL);
    }
    free(whole);
    return *found;
}

/* -- keys of frames -------------------------------------------------------- */

/* Sets the key of a frame. Returns false when out of memory. */
typedef bool key_fn(struct work *w, int side, uint32_t frame,
                    struct thing *key);

static bool binary_key(struct work *w, int side, uint32_t frame,
                       struct thing *key)
{
    const struct mpdata_view *const view = &w->views[side];
    const mpdata_ref ref = view->frames[frame].binary;
    const struct mpdata_binary *const b =
        ref != 0 ? &view->binaries[ref - 1] : NULL;

    key->kind = KIND_BINARY;
    key->id =
        b == NULL || b->path != 0
            ? text_of_path(w, side, b != NULL ? b->path : 0, BASE_NAME)
            : mpdata_set_add(&w->texts, &view->strings[b->build_id], NULL);
    return key->id != 0;
}

static bool function_key(struct work *w, int side, uint32_t frame,
                         struct thing *key)
{
    const mpdata_ref ref = w->views[side].frames[frame].function;

    if (ref == 0)
        return binary_key(w, side, frame, key);
    const struct mpdata_function *f = &w->views[side].functions[ref - 1];
    key->kind = KIND_FUNCTION;
    key->id = f->guid;
    key->qualifier =
        f->path != 0 ? text_of_path(w, side, f->path, BASE_NAME) : 0;
    return key->qualifier != 0 || f->path == 0;
}

static bool file_key(struct work *w, int side, uint32_t frame,
                     struct thing *key)
{
    const struct mpdata_frame *const f = &w->views[side].frames[frame];

    if (f->function == 0 || f->path == 0) {
        key->kind = KIND_FUNCTION;
        key->id = w->functions->numbers[side][frame];
        return true;
    }
    key->kind = KIND_FILE;
    key->id = text_of_path(w, side, f->path, BASE_NAME);
    key->qualifier = text_of_path(w, side, f->path, WHOLE_PATH);
    return key->id != 0 && key->qualifier != 0;
}

/* -- numbering --------------------------------------------------------------- */

/* Returns NULL when out of memory. */
static struct namesakes *find_namesakes(struct work *w, const struct thing *key)
{
    const struct namesakes row = {.key = {.kind = key->kind, .id = key->id}};
    const uint32_t ref = mpdata_set_add(&w->namesakes, &row, NULL);

    return ref != 0 ? (struct namesakes *)w->namesakes.rows.data + ref - 1
                    : NULL;
}

static bool note_qualifier(struct work *w, int side, const struct thing *key)
{
    struct namesakes *const n = find_namesakes(w, key);

    if (n == NULL)
        return false;
    n->is_unknown |= key->qualifier == 0;
    n->is_several |=
        n->qualifiers[side] != 0 && n->qualifiers[side] != key->qualifier;
    n->qualifiers[side] = key->qualifier;
    return true;
}

/* Numbers a thing. The qualifier is part of the key only if things have the
 * same id and all their qualifiers are known. */
static bool number_thing(struct work *w, struct thing *key, uint32_t *number)
{
    const struct namesakes *const n = find_namesakes(w, key);

    if (n == NULL)
        return false;
    if (!n->is_several || n->is_unknown)
        key->qualifier = 0;
    *number = mpdata_set_add(&w->things, key, NULL) - 1;
    return *number != UINT32_MAX;
}

static bool number_frames(struct work *w, struct mpdata_pairing_names *names,
                          key_fn *key_of)
{
    for (int step = 0; step < 2; step++) {
        for (int side = 0; side < 2; side++) {
            for (uint32_t i = 0; i < w->views[side].frame_count; i++) {
                struct thing key = {.qualifier = 0};

                if (!key_of(w, side, i, &key) ||
                    !(step == 0
                          ? note_qualifier(w, side, &key)
                          : number_thing(w, &key, &names->numbers[side][i])))
                    return false;
            }
        }
    }
    names->count = w->things.rows.count;
    return true;
}

static bool start(struct work *w, struct mpdata_pairing_names *names)
{
    bool is_done = true;

    *names = (struct mpdata_pairing_names){.count = 0};
    mpdata_set_init(&w->namesakes, sizeof(struct thing),
                    sizeof(struct namesakes));
    mpdata_set_init(&w->things, sizeof(struct thing), sizeof(struct thing));
    mpdata_set_init(&w->texts, MPDATA_SET_BY_TEXT, sizeof(struct mpdata_str));
    for (int side = 0; side < 2; side++) {
        w->views[side] = mpdata_profile_view(w->profiles[side]);
        names->numbers[side] =
            mpdata_vec_array(w->views[side].frame_count, sizeof(uint32_t));
        is_done = is_done && names->numbers[side] != NULL;
        for (int form = 0; form < PATH_FORMS; form++) {
            w->paths[side][form] = mpdata_vec_array(
                (size_t)w->views[side].path_count + 1, sizeof(uint32_t));
            is_done = is_done && w->paths[side][form] != NULL;
        }
    }
    return is_done;
}

enum mprof_err
mpdata_pairing_names_frames(struct mpdata_pairing_names *names,
                            const struct mpdata_profile *const profiles[2],
                            enum mpdata_by by,
                            const struct mpdata_pairing_names *functions)
{
    key_fn *const key_of = by == MPDATA_BY_BINARY ? binary_key
                           : by == MPDATA_BY_FILE ? file_key
                                                  : function_key;
    struct work w = {.profiles = profiles, .functions = functions};
    const bool is_done = start(&w, names) && number_frames(&w, names, key_of);

    for (int side = 0; side < 2; side++) {
        for (int form = 0; form < PATH_FORMS; form++)
            free(w.paths[side][form]);
    }
    mpdata_set_fini(&w.namesakes);
    mpdata_set_fini(&w.things);
    mpdata_set_fini(&w.texts);
    mpdata_arena_fini(&w.bytes);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

enum mprof_err
mpdata_pairing_names_strings(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2])
{
    struct mpdata_set texts;
    bool is_done = true;

    *names = (struct mpdata_pairing_names){.count = 0};
    mpdata_set_init(&texts, MPDATA_SET_BY_TEXT, sizeof(struct mpdata_str));
    for (int side = 0; is_done && side < 2; side++) {
        const struct mpdata_view view = mpdata_profile_view(profiles[side]);
        uint32_t *const numbers =
            mpdata_vec_array(view.string_count, sizeof(*numbers));

        names->numbers[side] = numbers;
        is_done = numbers != NULL;
        for (uint32_t i = 0; is_done && i < view.string_count; i++) {
            numbers[i] = mpdata_set_add(&texts, &view.strings[i], NULL) - 1;
            is_done = numbers[i] != UINT32_MAX;
        }
    }
    names->count = texts.rows.count;
    mpdata_set_fini(&texts);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_pairing_names_fini(struct mpdata_pairing_names *names)
{
    for (int side = 0; side < 2; side++) {
        free(names->numbers[side]);
        names->numbers[side] = NULL;
    }
}
