/* read-profile.c -- prints the call stacks of an indexed profile on which a
 * function allocated; without a function, all call stacks.
 *
 *   cc read-profile.c $(pkg-config --cflags --libs memprofdata) -o read-profile
 *   read-profile app.profdata [LINKAGE-NAME]
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <memprofdata.h>
#include <stdio.h>

static int print_context(void *context, const struct memprofdata_context *c)
{
    (void)context;
    for (size_t i = 0; i < c->value_count; i++) {
        if (c->values[i].value != 0)
            printf("%s=%" PRIu64 " ", c->values[i].name, c->values[i].value);
    }
    putchar('\n');
    for (size_t i = 0; i < c->frame_count; i++) {
        const struct memprofdata_frame *f = &c->frames[i];

        printf("  %016" PRIx64 " +%" PRIu32 ":%" PRIu32 "%s %s\n", f->guid,
               f->line_offset, f->column, f->is_inline ? " inlined" : "",
               f->function);
    }
    return 0; /* continue */
}

static int print_function(const char *path, const char *name,
                          struct memprofdata_error *error)
{
    struct memprofdata_index *index;
    bool found = false;
    int result = memprofdata_open(path, &index, error);

    if (result != 0)
        return result;
    result =
        memprofdata_find_name(index, name, print_context, NULL, &found, error);
    if (result == 0 && !found)
        printf("%s allocated nothing\n", name);
    memprofdata_close(index);
    return result;
}

static int print_all(const char *path, struct memprofdata_error *error)
{
    struct memprofdata_profile *profile = memprofdata_profile_new();
    int result;

    if (profile == NULL) {
        error->text[0] = '\0';
        return MEMPROFDATA_NO_MEMORY;
    }
    result = memprofdata_profile_add(profile, path, 1, error);
    if (result == 0)
        result = memprofdata_profile_visit(profile, print_context, NULL, error);
    memprofdata_profile_free(profile);
    return result;
}

int main(int argc, char **argv)
{
    struct memprofdata_error error;
    int result;

    if (argc < 2 || argc > 3) {
        fputs("usage: read-profile FILE [LINKAGE-NAME]\n", stderr);
        return 2;
    }
    result = argc == 3 ? print_function(argv[1], argv[2], &error)
                       : print_all(argv[1], &error);
    if (result != 0)
        fprintf(stderr, "%s\n", error.text);
    return result != 0;
}
