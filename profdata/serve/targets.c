/* targets.c -- the programs and files that the operands of `serve` stand for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/serve/control.h"
#include "shared/control.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Adds a string that it owns; NULL: there was no memory. */
static bool add(char ***list, size_t *count, char *text)
{
    char **const longer =
        text != NULL ? realloc(*list, (*count + 1) * sizeof(*longer)) : NULL;

    if (longer == NULL) {
        free(text);
        return false;
    }
    *list = longer;
    longer[(*count)++] = text;
    return true;
}

static bool add_program(struct mpdata_targets *t, const char *folder,
                        const char *name)
{
    char *path = NULL;

    if (folder == NULL)
        path = strdup(name);
    else if (asprintf(&path, MPROF_CONTROL_UNIX "%s/%s", folder, name) < 0)
        path = NULL;
    return add(&t->programs, &t->program_count, path);
}

static bool is_control_name(const char *name)
{
    const size_t n = strlen(name);
    const size_t begin = sizeof(MPROF_CONTROL_NAME) - 1;
    const size_t end = sizeof(MPROF_CONTROL_SUFFIX) - 1;

    return n > begin + end && strncmp(name, MPROF_CONTROL_NAME, begin) == 0 &&
           strcmp(name + n - end, MPROF_CONTROL_SUFFIX) == 0;
}

/* Adds the programs of a directory; the directory as a file if it has none. */
static bool add_folder(struct mpdata_targets *t, const char *folder)
{
    const size_t before = t->program_count;
    DIR *const dir = opendir(folder);
    const struct dirent *entry;
    bool is_done = true;

    while (dir != NULL && is_done && (entry = readdir(dir)) != NULL) {
        if (is_control_name(entry->d_name))
            is_done = add_program(t, folder, entry->d_name);
    }
    if (dir != NULL)
        closedir(dir);
    if (is_done && t->program_count == before)
        is_done = add(&t->files, &t->file_count, strdup(folder));
    return is_done;
}

static bool add_word(struct mpdata_targets *t, const char *word)
{
    struct stat st;

    if (strspn(word, "0123456789") == strlen(word) ||
        strncmp(word, MPROF_CONTROL_UNIX, strlen(MPROF_CONTROL_UNIX)) == 0)
        return add_program(t, NULL, word);
    if (stat(word, &st) == 0 && S_ISSOCK(st.st_mode))
        return add_program(t, NULL, word);
    if (stat(word, &st) == 0 && S_ISDIR(st.st_mode))
        return add_folder(t, word);
    return add(&t->files, &t->file_count, strdup(word));
}

bool mpdata_targets_find(struct mpdata_targets *targets,
                         const char *const *words, size_t count)
{
    *targets = (struct mpdata_targets){.program_count = 0};
    for (size_t i = 0; i < count; i++) {
        if (!add_word(targets, words[i]))
            return false;
    }
    return true;
}

void mpdata_targets_fini(struct mpdata_targets *targets)
{
    for (size_t i = 0; i < targets->program_count; i++)
        free(targets->programs[i]);
    for (size_t i = 0; i < targets->file_count; i++)
        free(targets->files[i]);
    free(targets->programs);
    free(targets->files);
}
