/* known_leaks.c -- removes known leaks and prints which patterns matched.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/known_leaks.h"
#include "profdata/base/sink.h"
#include "profdata/cmd/cmd.h"

#include <inttypes.h>
#include <stdlib.h>

enum mprof_err known_leaks_leave_out(struct mpdata_list *known,
                                     uint64_t cost_max,
                                     struct mpdata_profile **profile,
                                     const struct mpdata_demangler *demangler,
                                     uint64_t *bytes, uint64_t *blocks)
{
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(*profile, demangler);
    struct mpdata_profile *some = NULL;
    const enum mprof_err err =
        names != NULL
            ? mpdata_suppressions_apply(known, *profile, names, cost_max, &some)
            : MPROF_E_NOMEM;
    const struct mpdata_suppressions_row *const rows = known->rows.data;

    mpdata_frame_names_free(names);
    if (err != MPROF_E_OK)
        return err;
    mpdata_profile_free(*profile);
    *profile = some;
    for (uint32_t i = 0; i < known->rows.count; i++) {
        *bytes = mprof_add_sat_u64(*bytes, rows[i].bytes);
        *blocks = mprof_add_sat_u64(*blocks, rows[i].blocks);
        if (rows[i].blocks != 0)
            cmd_say("suppressed: leak:%s: %" PRIu64 " bytes in %" PRIu64
                    " block%s",
                    rows[i].pattern, rows[i].bytes, rows[i].blocks,
                    rows[i].blocks == 1 ? "" : "s");
    }
    return MPROF_E_OK;
}

/* -- lists of programs ----------------------------------------------------- */

/* Limit of patterns times bytes of names, some seconds: the lists come from an
 * untrusted file. */
#define OWN_COST_MAX (UINT64_C(1) << 32)

/* Appends a list if it is valid, else prints a message. */
static enum mprof_err append_list(struct mprof_buf *lists,
                                  const struct mpdata_str *text)
{
    struct mpdata_list list;
    const enum mprof_err err =
        mpdata_suppressions_read(&list, text->bytes, text->size);

    mpdata_lines_fini(&list);
    if (err == MPROF_E_VALUE)
        cmd_say("__lsan_default_suppressions(), line %" PRIu32
                ": not \"leak:PATTERN\"; the list is ignored",
                list.bad_line);
    if (err != MPROF_E_OK)
        return err == MPROF_E_VALUE ? MPROF_E_OK : err;
    mprof_buf_bytes(lists, text->bytes, text->size);
    mprof_buf_bytes(lists, "\n", 1);
    return lists->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

/* Appends the lists of all runs, each distinct list once. */
static enum mprof_err gather_lists(struct mprof_buf *lists,
                                   const struct mpdata_view *view)
{
    bool *const is_taken =
        mpdata_vec_array(view->string_count, sizeof(*is_taken));
    enum mprof_err err = is_taken != NULL ? MPROF_E_OK : MPROF_E_NOMEM;

    for (uint32_t i = 0; i < view->run_count && err == MPROF_E_OK; i++) {
        const mpdata_string known = view->runs[i].known_leaks;

        if (known == 0 || is_taken[known])
            continue;
        is_taken[known] = true;
        err = append_list(lists, &view->strings[known]);
    }
    free(is_taken);
    return err;
}

static enum mprof_err leave_out_listed(struct mpdata_list *known,
                                       struct mpdata_profile **profile,
                                       const struct mpdata_demangler *demangler,
                                       uint64_t *bytes, uint64_t *blocks)
{
    enum mprof_err err = MPROF_E_OK;

    if (known->rows.count != 0)
        err = known_leaks_leave_out(known, OWN_COST_MAX, profile, demangler,
                                    bytes, blocks);
    if (err != MPROF_E_LIMIT)
        return err;
    cmd_say("__lsan_default_suppressions(): %" PRIu32
            " pattern%s would take too long, and %s not heeded",
            known->rows.count, known->rows.count == 1 ? "" : "s",
            known->rows.count == 1 ? "is" : "are");
    return MPROF_E_OK;
}

enum mprof_err
known_leaks_leave_out_own(struct mpdata_profile **profile,
                          const struct mpdata_demangler *demangler,
                          uint64_t *bytes, uint64_t *blocks)
{
    const struct mpdata_view view = mpdata_profile_view(*profile);
    struct mpdata_list known = {.text = NULL};
    struct mprof_buf lists;

    mpdata_heapbuf_init(&lists);
    enum mprof_err err = gather_lists(&lists, &view);
    if (err == MPROF_E_OK)
        err = mpdata_suppressions_read(&known, (const char *)lists.data,
                                       lists.size);
    if (err == MPROF_E_OK)
        err = leave_out_listed(&known, profile, demangler, bytes, blocks);
    mpdata_lines_fini(&known);
    mpdata_heapbuf_fini(&lists);
    return err;
}
