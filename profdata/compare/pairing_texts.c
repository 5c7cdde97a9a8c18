/* pairing_texts.c -- names that two profiles share letter by letter.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/pairing_texts.h"
#include "profdata/base/set.h"
#include "profdata/base/str.h"

#include <stdlib.h>
#include <string.h>

static const struct mpdata_set_kind texts_kind = {
    .hash = mpdata_str_hash,
    .equal = mpdata_str_equal,
    .elem_bytes = sizeof(struct mpdata_str)};

/* *number: of a text that outlives the set. False without memory. */
static bool add_text(struct mpdata_set *texts, struct mpdata_str text,
                     uint32_t *number)
{
    const uint32_t ref = mpdata_set_add(texts, &text, NULL);

    *number = ref - 1;
    return ref != 0;
}

static bool add_strings(struct mpdata_set *texts,
                        const struct mpdata_profile *profile,
                        uint32_t **numbers)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    bool is_done;

    *numbers =
        (uint32_t *)mpdata_vec_array(view.string_count, sizeof(**numbers));
    is_done = *numbers != NULL;
    for (uint32_t i = 0; is_done && i < view.string_count; i++)
        is_done = add_text(texts, view.strings[i], &(*numbers)[i]);
    return is_done;
}

enum mprof_err
mpdata_pairing_texts_strings(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2])
{
    struct mpdata_set texts;
    bool is_done = true;

    *names = (struct mpdata_pairing_names){.count = 0};
    mpdata_set_init(&texts, &texts_kind);
    for (int side = 0; is_done && side < 2; side++)
        is_done = add_strings(&texts, profiles[side], &names->numbers[side]);
    names->count = texts.rows.count;
    mpdata_set_fini(&texts);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- modules ----------------------------------------------------------------- */

/* The last part of a path; a build id where there is none. */
static struct mpdata_str module_name(const struct mpdata_view *view,
                                     const struct mpdata_binary *binary,
                                     const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;

    return path[0] != '\0'
               ? (struct mpdata_str){.bytes = name, .size = strlen(name)}
               : view->strings[binary->build_id];
}

/* A number for each binary, and one for none. */
static bool add_binaries(struct mpdata_set *texts, char **paths,
                         const struct mpdata_profile *profile,
                         uint32_t *numbers)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mpdata_str none = {.bytes = "", .size = 0};
    bool is_done = add_text(texts, none, &numbers[0]);

    for (uint32_t i = 0; is_done && i < view.binary_count; i++) {
        paths[i] =
            mpdata_profile_path_string(profile, view.binaries[i].path, NULL);
        is_done =
            paths[i] != NULL &&
            add_text(texts, module_name(&view, &view.binaries[i], paths[i]),
                     &numbers[i + 1]);
    }
    return is_done;
}

static bool add_modules(struct mpdata_set *texts, char **paths,
                        const struct mpdata_profile *profile,
                        uint32_t **numbers)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint32_t *const binaries = (uint32_t *)mpdata_vec_array(
        (size_t)view.binary_count + 1, sizeof(*binaries));
    bool is_done;

    *numbers =
        (uint32_t *)mpdata_vec_array(view.frame_count, sizeof(**numbers));
    is_done = *numbers != NULL && binaries != NULL &&
              add_binaries(texts, paths, profile, binaries);
    for (uint32_t i = 0; is_done && i < view.frame_count; i++)
        (*numbers)[i] = binaries[view.frames[i].binary];
    free(binaries);
    return is_done;
}

enum mprof_err
mpdata_pairing_texts_modules(struct mpdata_pairing_names *names,
                             const struct mpdata_profile *const profiles[2])
{
    struct mpdata_set texts;
    char **paths[2] = {NULL};
    uint32_t counts[2];
    bool is_done = true;

    *names = (struct mpdata_pairing_names){.count = 0};
    mpdata_set_init(&texts, &texts_kind);
    for (int side = 0; side < 2; side++) {
        counts[side] = mpdata_profile_view(profiles[side]).binary_count;
        paths[side] =
            (char **)mpdata_vec_array(counts[side], sizeof(*paths[side]));
        is_done = is_done && paths[side] != NULL &&
                  add_modules(&texts, paths[side], profiles[side],
                              &names->numbers[side]);
    }
    names->count = texts.rows.count;
    mpdata_set_fini(&texts);
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; paths[side] != NULL && i < counts[side]; i++)
            free(paths[side][i]);
        free(paths[side]);
    }
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
