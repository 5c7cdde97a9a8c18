/* fuzz_hint_list.c -- libFuzzer target: lists of hints.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/hint_list.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mpdata_profile *profile;
static struct mpdata_verdicts verdicts;

static void add_function(const char *name)
{
    const struct mprof_mib mib = {.AllocCount = 1, .TotalSize = 8};
    const struct mpdata_function f = {
        .name = mpdata_profile_string(profile, name, strlen(name))};
    const struct mpdata_frame frame = {
        .function = mpdata_profile_function(profile, &f)};
    const mpdata_ref node =
        mpdata_profile_node(profile, 0, mpdata_profile_frame(profile, &frame));

    mpdata_profile_context(profile, node, 0, &mib, (struct mpdata_cells){0});
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    profile = mpdata_profile_new();
    if (profile == NULL)
        return 1;
    add_function("aab");
    add_function("ns::table::find(int)");
    return 0;
}

/* No call stack is decided twice. */
static void apply(struct mpdata_list *list)
{
    uint64_t stacks = 0;

    if (mpdata_verdict_make(&verdicts, profile, MPDATA_VERDICT_FITTING) !=
            MPROF_E_OK ||
        mpdata_hint_list_apply(list, &verdicts, profile, NULL) != MPROF_E_OK)
        abort();
    for (uint32_t i = 0; i < list->rows.count; i++) {
        const struct mpdata_hint_list_row *const row =
            (const struct mpdata_hint_list_row *)list->rows.data + i;

        if (row->pattern[0] == '\0' || row->line == 0)
            abort();
        stacks += row->stacks;
    }
    if (stacks > verdicts.count)
        abort();
    mpdata_verdict_fini(&verdicts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_list list;
    const enum mprof_err err =
        mpdata_hint_list_read(&list, (const char *)data, size);

    if (err == MPROF_E_VALUE && list.bad_line == 0)
        abort();
    if (err == MPROF_E_OK)
        apply(&list);
    mpdata_lines_fini(&list);
    return 0;
}
