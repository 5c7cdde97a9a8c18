/* pairing_names.c -- functions and files of two profiles under shared numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/pairing_names.h"
#include "profdata/base/arena.h"
#include "profdata/base/hash.h"
#include "profdata/base/set.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_FUNCTION, KIND_BINARY, KIND_FILE };

/* What a function or a file is, and where it was seen. */
struct thing {
    uint64_t id;
    uint32_t kind;
    uint32_t home;      /* of one of several functions of one name: its file's
                           text, + 1 */
    uint32_t frames[2]; /* of each profile the first, + 1; do not count */
    uint32_t same_as;   /* the row of the old profile's, + 1; 0: itself */
    bool is_paired;     /* it is, or another one is the same as it */
};

static uint64_t hash_thing(const void *key)
{
    const struct thing *const t = (const struct thing *)key;

    return mpdata_hash_words(t->id, (uint64_t)t->home << 32 | t->kind);
}

static bool equal_things(const void *rows, uint32_t row, const void *key)
{
    const struct thing *const a = (const struct thing *)rows + row;
    const struct thing *const b = (const struct thing *)key;

    return a->id == b->id && a->kind == b->kind && a->home == b->home;
}

static const struct mpdata_set_kind things_kind = {.hash = hash_thing,
                                                   .equal = equal_things,
                                                   .elem_bytes =
                                                       sizeof(struct thing)};

/* In what files a profile has functions of a name. */
struct home {
    uint64_t guid;
    uint32_t files[2]; /* of each profile the last one's text, + 1 */
    bool is_several;   /* one of the profiles has two */
    bool is_unknown;   /* of one it is not known */
};

static uint64_t hash_home(const void *key)
{
    return mpdata_hash_words(((const struct home *)key)->guid, 0);
}

static bool equal_homes(const void *rows, uint32_t row, const void *key)
{
    return ((const struct home *)rows + row)->guid ==
           ((const struct home *)key)->guid;
}

static const struct mpdata_set_kind homes_kind = {
    .hash = hash_home, .equal = equal_homes, .elem_bytes = sizeof(struct home)};

static const struct mpdata_set_kind texts_kind = {
    .hash = mpdata_str_hash,
    .equal = mpdata_str_equal,
    .elem_bytes = sizeof(struct mpdata_str)};

struct work {
    const struct mpdata_profile *const *profiles;
    struct mpdata_view views[2];
    struct mpdata_frame_names *names[2]; /* of functions */
    uint32_t *files[2]; /* by function its file's text, + 1; 0: not known */
    struct mpdata_set homes;
    struct mpdata_set things;
    struct mpdata_set texts;    /* whole paths, and names of binaries */
    struct mpdata_set families; /* what is left of names that were cut */
    struct mpdata_arena bytes;  /* of both */
};

static void init(struct work *w, const struct mpdata_profile *const profiles[2])
{
    *w = (struct work){.profiles = profiles};
    mpdata_set_init(&w->homes, &homes_kind);
    mpdata_set_init(&w->things, &things_kind);
    mpdata_set_init(&w->texts, &texts_kind);
    mpdata_set_init(&w->families, &texts_kind);
    for (int side = 0; side < 2; side++)
        w->views[side] = mpdata_profile_view(profiles[side]);
}

static void fini(struct work *w)
{
    for (int side = 0; side < 2; side++) {
        mpdata_frame_names_free(w->names[side]);
        free(w->files[side]);
    }
    mpdata_set_fini(&w->homes);
    mpdata_set_fini(&w->things);
    mpdata_set_fini(&w->texts);
    mpdata_set_fini(&w->families);
    mpdata_arena_fini(&w->bytes);
}

/* A text's row + 1; 0 without memory. */
static uint32_t add_text(struct work *w, struct mpdata_set *set,
                         const char *text)
{
    const size_t size = strlen(text);
    char *const copy = (char *)mpdata_arena_alloc(&w->bytes, size + 1);

    if (copy == NULL)
        return 0;
    memcpy(copy, text, size + 1);
    return mpdata_set_add(set, &(struct mpdata_str){copy, size}, NULL);
}

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* -- things that changed their name ---------------------------------------- */

/* Where the text in angle brackets at `at` ends, or `at` where it is an
 * operator's. */
static const char *skip_arguments(const char *at)
{
    const char *end = at;
    int depth = 0;

    do {
        depth += *end == '<';
        depth -= *end == '>' && end[-1] != '-';
        end++;
    } while (depth > 0 && *end != '\0');
    return depth == 0 ? end : at;
}

/* Leaves what stays the same when parameters or template arguments change. */
static void cut_name(char *name)
{
    static const char operator_word[] = "operator";
    static const char nameless[] = "(anonymous namespace)";
    const size_t operator_size = strlen(operator_word);
    const size_t nameless_size = strlen(nameless);
    char *to = name;
    char *result_end = name;
    const char *c = name;

    while (*c != '\0') {
        if (strncmp(c, operator_word, operator_size) == 0) {
            /* Its name may be of the signs that are looked for below. */
            const size_t size =
                operator_size + strspn(c + operator_size, "<>=-+*/!&|^%~,[] ");

            memmove(to, c, size);
            to += size;
            c += size;
            if (c[0] == '(' && c[1] == ')')
                c += 2;
        } else if (strncmp(c, nameless, nameless_size) == 0) {
            memmove(to, c, nameless_size);
            to += nameless_size;
            c += nameless_size;
        } else if (*c == '(') {
            break;
        } else if (*c == '<' && skip_arguments(c) != c) {
            c = skip_arguments(c);
        } else {
            if (*c == ' ' && strncmp(c + 1, "namespace", 9) != 0)
                result_end = to + 1;
            *to++ = *c++;
        }
    }
    *to = '\0';
    memmove(name, result_end, (size_t)(to - result_end) + 1);
}

/* What a thing that only one profile has may be found by in the other: the
 * first that tells two of them to be the same is taken. */
enum family_kind {
    WHOLE_NAME, /* of a function, as its language writes it: other tools'
                   profiles may lack linkage names */
    CUT_NAME    /* what is left without what may change */
};

/* malloc'd; *is_none where it is not to be looked for. NULL without memory,
 * too. */
static char *family_of(struct work *w, const struct thing *t,
                       enum family_kind kind, bool *is_none)
{
    const int side = t->frames[0] != 0 ? 0 : 1;
    const struct mpdata_frame *const frame =
        &w->views[side].frames[t->frames[side] - 1];
    char *text = NULL;

    if (t->kind == KIND_FUNCTION && w->names[side] != NULL) {
        const char *linkage = mpdata_frame_names_linkage(w->names[side], frame);
        const char *name = mpdata_frame_names_function(w->names[side], frame);

        *is_none = linkage[0] == '\0' ||
                   (kind == CUT_NAME && strncmp(linkage, "_Z", 2) != 0 &&
                    strchr(name, '(') == NULL);
        if (!*is_none)
            text = strdup(name);
        if (text != NULL && kind == CUT_NAME)
            cut_name(text);
        return text;
    }
    *is_none = t->kind != KIND_FILE || kind != CUT_NAME;
    if (*is_none)
        return NULL;
    text = mpdata_profile_path_string(w->profiles[side], frame->path, NULL);
    if (text != NULL)
        memmove(text, base_name(text), strlen(base_name(text)) + 1);
    return text;
}

struct family {
    uint32_t rows[2]; /* of things, + 1: the last of each profile */
    uint32_t counts[2];
};

static bool is_alone(const struct thing *t)
{
    return (t->frames[0] == 0) != (t->frames[1] == 0) && !t->is_paired;
}

static bool count_families(struct work *w, enum family_kind kind,
                           struct family *families)
{
    const struct thing *const things =
        (const struct thing *)w->things.rows.data;

    for (uint32_t i = 0; i < w->things.rows.count; i++) {
        const int side = things[i].frames[0] != 0 ? 0 : 1;
        bool is_none = false;
        char *text;
        uint32_t ref;

        if (!is_alone(&things[i]))
            continue;
        text = family_of(w, &things[i], kind, &is_none);
        if (is_none)
            continue;
        ref = text != NULL ? add_text(w, &w->families, text) : 0;
        free(text);
        if (ref == 0)
            return false;
        families[ref - 1].rows[side] = i + 1;
        families[ref - 1].counts[side]++;
    }
    return true;
}

/* Pairs things of which each profile has one. */
static bool pair_families(struct work *w, enum family_kind kind)
{
    struct thing *const things = (struct thing *)w->things.rows.data;
    struct family *families;
    uint32_t alone[2] = {0, 0};
    bool is_done;

    for (uint32_t i = 0; i < w->things.rows.count; i++) {
        if (is_alone(&things[i]))
            alone[things[i].frames[0] != 0 ? 0 : 1]++;
    }
    if (alone[0] == 0 || alone[1] == 0)
        return true;
    mpdata_set_fini(&w->families);
    mpdata_set_init(&w->families, &texts_kind);
    families = (struct family *)mpdata_vec_array((size_t)alone[0] + alone[1],
                                                 sizeof(*families));
    is_done = families != NULL && count_families(w, kind, families);
    for (uint32_t i = 0; is_done && i < w->families.rows.count; i++) {
        const struct family *const f = &families[i];

        if (f->counts[0] != 1 || f->counts[1] != 1)
            continue;
        things[f->rows[1] - 1].same_as = f->rows[0];
        things[f->rows[1] - 1].is_paired = true;
        things[f->rows[0] - 1].is_paired = true;
    }
    free(families);
    return is_done;
}

/* -- numbering --------------------------------------------------------------- */

/* Notes that a frame is of a thing; false without memory. */
static bool add_thing(struct work *w, int side, uint32_t frame,
                      const struct thing *key, uint32_t *number)
{
    const uint32_t ref = mpdata_set_add(&w->things, key, NULL);
    struct thing *thing;

    if (ref == 0)
        return false;
    thing = (struct thing *)w->things.rows.data + ref - 1;
    if (thing->frames[side] == 0)
        thing->frames[side] = frame + 1;
    *number = ref - 1;
    return true;
}

/* Frames under the numbers of what their things are the same as. */
static bool finish(struct work *w, struct mpdata_pairing_names *names)
{
    const struct thing *things;

    if (!pair_families(w, WHOLE_NAME) || !pair_families(w, CUT_NAME))
        return false;
    things = (const struct thing *)w->things.rows.data;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < w->views[side].frame_count; i++) {
            uint32_t *const number = &names->numbers[side][i];

            if (things[*number].same_as != 0)
                *number = things[*number].same_as - 1;
        }
    }
    names->count = w->things.rows.count;
    return w->names[0] == NULL || (!mpdata_frame_names_failed(w->names[0]) &&
                                   !mpdata_frame_names_failed(w->names[1]));
}

static bool make_arrays(struct work *w, struct mpdata_pairing_names *names)
{
    *names = (struct mpdata_pairing_names){.count = 0};
    for (int side = 0; side < 2; side++)
        names->numbers[side] = (uint32_t *)mpdata_vec_array(
            w->views[side].frame_count, sizeof(uint32_t));
    return names->numbers[0] != NULL && names->numbers[1] != NULL;
}

/* The numbers + 1 of the paths' texts, by mpdata_ref; each path once. */
static uint32_t find_path(struct work *w, int side, mpdata_ref path,
                          bool is_whole, uint32_t *found)
{
    char *text;

    if (found[path] != 0)
        return found[path];
    text = mpdata_profile_path_string(w->profiles[side], path, NULL);
    if (text != NULL)
        found[path] = add_text(w, &w->texts, is_whole ? text : base_name(text));
    free(text);
    return found[path];
}

/* The file name of a frame's binary, or its build id. */
static uint32_t find_binary(struct work *w, int side, mpdata_ref binary,
                            uint32_t *found)
{
    const struct mpdata_view *const view = &w->views[side];
    const struct mpdata_binary *const b =
        binary != 0 ? &view->binaries[binary - 1] : NULL;

    if (b == NULL || b->path != 0)
        return find_path(w, side, b != NULL ? b->path : 0, false, found);
    return mpdata_set_add(&w->texts, &view->strings[b->build_id], NULL);
}

static uint32_t *make_found(const struct work *w, int side)
{
    return (uint32_t *)mpdata_vec_array((size_t)w->views[side].path_count + 1,
                                        sizeof(uint32_t));
}

static bool find_homes(struct work *w, int side)
{
    const struct mpdata_view *const view = &w->views[side];
    uint32_t *const found = make_found(w, side);
    bool is_done = found != NULL;

    w->files[side] =
        (uint32_t *)mpdata_vec_array(view->function_count, sizeof(**w->files));
    is_done = is_done && w->files[side] != NULL;
    for (uint32_t i = 0; is_done && i < view->function_count; i++) {
        const struct mpdata_function *const f = &view->functions[i];
        const uint32_t file =
            f->path != 0 ? find_path(w, side, f->path, false, found) : 0;
        const struct home key = {.guid = f->guid};
        const uint32_t ref = mpdata_set_add(&w->homes, &key, NULL);
        struct home *home;

        is_done = ref != 0 && (file != 0 || f->path == 0);
        if (!is_done)
            break;
        home = (struct home *)w->homes.rows.data + ref - 1;
        home->is_unknown |= file == 0;
        home->is_several |= home->files[side] != 0 && home->files[side] != file;
        home->files[side] = file;
        w->files[side][i] = file;
    }
    free(found);
    return is_done;
}

/* Functions that only their files see may have namesakes in others. */
static struct thing function_key(const struct work *w, int side,
                                 mpdata_ref function)
{
    const struct home key = {.guid =
                                 w->views[side].functions[function - 1].guid};
    const uint32_t ref = mpdata_map_find(&w->homes.map, hash_home(&key),
                                         equal_homes, w->homes.rows.data, &key);
    const struct home *const home =
        (const struct home *)w->homes.rows.data + ref - 1;

    return (struct thing){.kind = KIND_FUNCTION,
                          .id = key.guid,
                          .home = home->is_several && !home->is_unknown
                                      ? w->files[side][function - 1]
                                      : 0};
}

static bool number_functions(struct work *w, int side, uint32_t *numbers)
{
    uint32_t *found = make_found(w, side);
    bool is_done = found != NULL;

    for (uint32_t i = 0; is_done && i < w->views[side].frame_count; i++) {
        const struct mpdata_frame *const f = &w->views[side].frames[i];
        struct thing key = {.kind = KIND_BINARY};

        if (f->function != 0)
            key = function_key(w, side, f->function);
        else
            key.id = find_binary(w, side, f->binary, found);
        is_done = (f->function != 0 || key.id != 0) &&
                  add_thing(w, side, i, &key, &numbers[i]);
    }
    free(found);
    return is_done;
}

enum mprof_err
mpdata_pairing_names_functions(struct mpdata_pairing_names *names,
                               const struct mpdata_profile *const profiles[2],
                               const struct mpdata_demangler *demangler)
{
    struct work w;
    bool is_done;

    init(&w, profiles);
    is_done = make_arrays(&w, names) && find_homes(&w, 0) && find_homes(&w, 1);
    for (int side = 0; is_done && side < 2; side++) {
        w.names[side] = mpdata_frame_names_new(profiles[side], demangler);
        is_done = w.names[side] != NULL &&
                  number_functions(&w, side, names->numbers[side]);
    }
    is_done = is_done && finish(&w, names);
    fini(&w);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

static bool number_files(struct work *w, int side, const uint32_t *functions,
                         uint32_t *numbers)
{
    uint32_t *found = make_found(w, side);
    bool is_done = found != NULL;

    for (uint32_t i = 0; is_done && i < w->views[side].frame_count; i++) {
        const struct mpdata_frame *const f = &w->views[side].frames[i];
        struct thing key = {.kind = KIND_FUNCTION, .id = functions[i]};

        if (f->function != 0 && f->path != 0)
            key =
                (struct thing){.kind = KIND_FILE,
                               .id = find_path(w, side, f->path, true, found)};
        is_done = (key.kind == KIND_FUNCTION || key.id != 0) &&
                  add_thing(w, side, i, &key, &numbers[i]);
    }
    free(found);
    return is_done;
}

enum mprof_err
mpdata_pairing_names_files(struct mpdata_pairing_names *names,
                           const struct mpdata_profile *const profiles[2],
                           const struct mpdata_pairing_names *functions)
{
    struct work w;
    bool is_done;

    init(&w, profiles);
    is_done = make_arrays(&w, names);
    for (int side = 0; is_done && side < 2; side++)
        is_done = number_files(&w, side, functions->numbers[side],
                               names->numbers[side]);
    is_done = is_done && finish(&w, names);
    fini(&w);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_pairing_names_fini(struct mpdata_pairing_names *names)
{
    for (int side = 0; side < 2; side++) {
        free(names->numbers[side]);
        names->numbers[side] = NULL;
    }
}
