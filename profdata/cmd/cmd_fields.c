/* cmd_fields.c -- memprofdata fields: which members of a type are accessed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/judge/whatif.h"
#include "profdata/query/left_out.h"
#include "profdata/view/fields.h"

struct fields {
    struct session session;
    struct mpdata_fields fields;
    struct mprof_buf notes;
    const char *site; /* NULL: all */
    bool proposes;
};

static const struct cmd_option options[] = {
    {"top", 0, "N", "show N types (default: 10, with --json all)",
     cmd_take_count, SESSION_AT(show.top)},
    {"site", 0, "NAME",
     "count only what the function NAME allocates, or the source line NAME "
     "(FILE:LINE); see show --by=line",
     cmd_take_text, offsetof(struct fields, site)},
    {"propose", 0, NULL,
     "show a better order of each type's members, if there is one",
     cmd_take_flag, offsetof(struct fields, proposes)},
    SESSION_JSON_OPTION,
    SESSION_STACK_OPTIONS,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
    SESSION_VERIFY_OPTION,
};

static enum mprof_err print_text(struct session *session, FILE *out)
{
    const struct fields *const f = (struct fields *)session;

    return fields_text(out, session_profile(session, SESSION_NEW), &f->fields,
                       (const char *)f->notes.data, f->proposes,
                       &session->show);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    const struct fields *const f = (struct fields *)session;

    return fields_json(sink, session_profile(session, SESSION_NEW), &f->fields,
                       (const char *)f->notes.data, &session->show);
}

static int make_of_site(struct fields *f, const struct mpdata_profile *profile)
{
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(profile, &f->session.demangler);
    struct mpdata_whatif of_site = {.kinds = NULL};
    const char *unknown = NULL;
    enum mprof_err err = MPROF_E_NOMEM;

    if (names != NULL)
        err =
            mpdata_whatif_pool(&of_site, profile, names, &f->site, 1, &unknown);
    if (err == MPROF_E_OK && unknown == NULL)
        err = mpdata_fields_make_of(&f->fields, profile, of_site.kinds);
    if (names == NULL || mpdata_frame_names_failed(names))
        err = MPROF_E_NOMEM;
    mpdata_frame_names_free(names);
    mpdata_whatif_fini(&of_site);
    if (err != MPROF_E_OK)
        return cmd_no_memory();
    return unknown == NULL
               ? 0
               : cmd_usage(f->session.command,
                           "--site=%s: no function or FILE:LINE of this name "
                           "allocates; memprofdata show --by=line lists them",
                           unknown);
}

static int make(struct fields *f)
{
    const struct mpdata_profile *const profile =
        session_profile(&f->session, SESSION_NEW);

    if (f->site != NULL)
        return make_of_site(f, profile);
    return mpdata_fields_make(&f->fields, profile) == MPROF_E_OK
               ? 0
               : cmd_no_memory();
}

static int fields(struct session *session)
{
    struct fields *const f = (struct fields *)session;
    int status = session_take_inputs(session);

    if (status == 0)
        status = session_load(session, &session->profiles[SESSION_NEW]);
    if (status != 0)
        return status;
    status = make(f);
    if (status != 0)
        return status;
    if (mpdata_notes_of_profile(session_profile(session, SESSION_NEW),
                                &f->notes) != MPROF_E_OK)
        return cmd_no_memory();
    mprof_buf_bytes(&f->notes, "", 1);
    return f->notes.failed ? cmd_no_memory()
                           : session_print(session, print_text, print_json);
}

static int run(const struct cmd_call *call)
{
    struct fields f = {.session = {.command = NULL}};

    mpdata_heapbuf_init(&f.notes);
    int status = session_run(&f.session, call, fields);
    mpdata_heapbuf_fini(&f.notes);
    mpdata_fields_fini(&f.fields);
    return status;
}

const struct cmd_command cmd_fields = {
    .name = "fields",
    .usage = "[OPTION]... FILE...",
    .summary = "show which members of a type are accessed",
    .details =
        "Reads profiles as show does, merges them, and adds up the histograms "
        "of all call stacks that allocate objects of a type, by its members: "
        "a struct's layout with holes and the accesses to each member, types "
        "with the most accesses first. The program must be compiled with "
        "-mllvm -memprof-access=fields or -mllvm -memprof-histogram. Accesses "
        "are counted for each 4 or 8 bytes, so members that share these have "
        "one count.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
