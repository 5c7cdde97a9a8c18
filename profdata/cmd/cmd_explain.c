/* cmd_explain.c -- memprofdata explain: what is cold, what is hot, and why.
 *
 * All of the profile is judged; options choose of what is shown.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/base/file.h"
#include "profdata/base/heapbuf.h"
#include "profdata/base/output.h"
#include "profdata/cmd/hints_file.h"
#include "profdata/cmd/profile_output.h"
#include "profdata/cmd/terminal.h"
#include "profdata/cmd/filter_options.h"
#include "profdata/query/notes.h"
#include "profdata/view/explain.h"

#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 10

#define NAME_(id, name) name " "
#define RULE_NAMES MPDATA_VERDICT_RULES(NAME_)
#define VERDICT_NAMES MPDATA_VERDICTS(NAME_)

struct explain {
    const char *output;
    enum terminal_color color;
    const char *hints; /* a file */
    bool is_json;
    enum mpdata_verdict_rule rule;
    struct mpdata_explain_choice choice;
    struct explain_options view;
    struct cmd_regex function;
    bool has_failed; /* there was no memory for an answer */
    struct profile_output profile;
    bool *is_frame; /* of --function; owned */
    struct mpdata_hint_list list;
    struct mpdata_demangler demangler;
    struct mpdata_verdicts verdicts;
    struct mpdata_explain sites;
};

/* -- options --------------------------------------------------------------- */

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct explain *const e = (struct explain *)state;

    (void)command;
    (void)option;
    return profile_output_add(&e->profile, value);
}

#define AT(member) offsetof(struct explain, member)

static const struct cmd_option options[] = {
    {"function", 0, "REGEX",
     "show call stacks with a function whose name REGEX fits (any part of it; "
     "extended); what is said of them is still by the whole profile",
     filter_options_regex, AT(function)},
    {"verdict", 0, "VERDICT:" VERDICT_NAMES,
     "show call stacks that are taken for this", cmd_take_choice,
     AT(choice.kind)},
    {"hints", 0, "FILE",
     "take what FILE says in the place of the profile: lines \"cold "
     "FUNCTION\", "
     "\"hot FUNCTION\" and \"none FUNCTION\", as for -mllvm "
     "-memprof-hint-list=FILE",
     cmd_take_text, AT(hints)},
    {"rule", 0, "RULE:" RULE_NAMES,
     "by what is judged: by the rest of the profile (auto, the default), or by "
     "LLVM's thresholds (llvm)",
     cmd_take_choice, AT(rule)},
    {"top", 0, "N", "show N sites (default: 10, with --json all)",
     cmd_take_count, AT(view.top)},
    {"json", 0, NULL, "print JSON", cmd_take_flag, AT(is_json)},
    {"full-stacks", 0, NULL, "every frame, with whole names and paths",
     cmd_take_flag, AT(view.show.full_stacks)},
    CMD_SYMBOL_OPTIONS(AT(profile.symbols)),
    {"output", 'o', "FILE", "print to FILE", cmd_take_text, AT(output)},
    {"color", 0, "WHEN:auto always never", TERMINAL_COLOR_HELP, cmd_take_choice,
     AT(color)},
    {"no-verify", 0, NULL, "read inputs whose checksums do not match",
     cmd_take_flag, AT(profile.no_verify)},
};

/* -- printing -------------------------------------------------------------- */

static enum mprof_err print_text(void *context, FILE *out,
                                 struct mprof_diag *diag)
{
    struct explain *const e = (struct explain *)context;
    enum mprof_err err;

    terminal_set_style(&e->view.show, e->color, out);
    err = explain_text(out, e->profile.content.profile, &e->verdicts, &e->sites,
                       &e->view, &e->demangler);
    return mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

static enum mprof_err print_json(struct explain *e, struct mprof_diag *diag)
{
    struct mpdata_output out;
    struct mpdata_sink sink;
    enum mprof_err err;

    mpdata_output_init(&out, e->output != NULL ? e->output : "-");
    sink = mpdata_output_sink(&out);
    err = explain_json(&sink, e->profile.content.profile, &e->verdicts,
                       &e->sites, &e->view, &e->demangler);
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, diag)
                            : mpdata_output_fail(&out, err, diag);
    mpdata_output_fini(&out);
    return err;
}

static int print(struct explain *e)
{
    const bool is_file =
        e->output != NULL && !mpdata_file_is_standard(e->output);
    struct mprof_diag diag;
    enum mprof_err err;

    if (e->view.top == CMD_TOP_UNSET)
        e->view.top = e->is_json ? UINT32_MAX : TOP_DEFAULT;
    err = e->is_json ? print_json(e, &diag)
                     : terminal_print(e->output, print_text, e, &diag);
    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    return is_file || e->is_json ? 0 : cmd_finish_output(0);
}

/* -- the command ----------------------------------------------------------- */

static bool matches(void *context, const char *name)
{
    struct explain *const e = (struct explain *)context;

    return filter_options_fits(&e->function, name, &e->has_failed);
}

static enum mprof_err judge(struct explain *e, struct mpdata_frame_names *names)
{
    const struct mpdata_profile *const profile = e->profile.content.profile;
    const struct mpdata_name_matcher matcher = {.matches = matches,
                                                .context = e};
    enum mprof_err err = mpdata_verdict_make(&e->verdicts, profile, e->rule);

    if (err == MPROF_E_OK && e->hints != NULL)
        err = mpdata_hint_list_apply(&e->list, &e->verdicts, profile, names);
    if (err == MPROF_E_OK && e->function.text != NULL) {
        e->is_frame = mpdata_frame_match(profile, names, &matcher);
        e->choice.is_frame = e->is_frame;
        if (e->is_frame == NULL || e->has_failed)
            err = MPROF_E_NOMEM;
    }
    if (err == MPROF_E_OK)
        err = mpdata_explain_make(&e->sites, profile, &e->verdicts, names,
                                  &e->choice);
    return err == MPROF_E_OK && mpdata_frame_names_failed(names) ? MPROF_E_NOMEM
                                                                 : err;
}

static int print_with_notes(struct explain *e)
{
    struct mprof_buf notes;
    enum mprof_err err;
    int status;

    mpdata_heapbuf_init(&notes);
    err = mpdata_notes_of_profile(e->profile.content.profile, &notes);
    mprof_buf_bytes(&notes, "", 1);
    e->view.notes = (const char *)notes.data;
    status = err != MPROF_E_OK || notes.failed ? cmd_no_memory() : print(e);
    mpdata_heapbuf_fini(&notes);
    return status;
}

static int explain_profile(struct explain *e)
{
    struct mpdata_frame_names *names;
    enum mprof_err err = MPROF_E_NOMEM;

    e->demangler = symbol_options_demangler(&e->profile.load);
    names = mpdata_frame_names_new(e->profile.content.profile, &e->demangler);
    if (names != NULL)
        err = judge(e, names);
    mpdata_frame_names_free(names);
    if (err != MPROF_E_OK)
        return cmd_no_memory();
    if (e->hints != NULL)
        hints_file_say_unused(e->hints, &e->list);
    return print_with_notes(e);
}

static int explain_inputs(struct explain *e, const struct cmd_command *command)
{
    const char *const output = e->output != NULL ? e->output : "-";
    int status;

    if (!e->profile.has_inputs)
        return cmd_usage(command, "no input files");
    e->profile.output = output;
    e->profile.filter.is_said = !e->is_json;
    status = input_options_settle_text(&e->profile.inputs, command, output);
    if (status == 0 && e->hints != NULL)
        status = hints_file_read(e->hints, &e->list);
    if (status == 0)
        status = profile_output_load(&e->profile);
    e->view.show.left_out = &e->profile.filter.left_out;
    return status == 0 ? explain_profile(e) : status;
}

static int run(const struct cmd_call *call)
{
    struct explain e = {.color = TERMINAL_AUTO,
                        .choice = {.kind = MPDATA_VERDICT_KINDS},
                        .view = {.top = CMD_TOP_UNSET}};
    int status = profile_output_init(&e.profile, call);

    if (status == 0 && cmd_take_all(call, &e, take_input, &status))
        status = explain_inputs(&e, call->command);
    mpdata_explain_fini(&e.sites);
    mpdata_verdict_fini(&e.verdicts);
    mpdata_hint_list_fini(&e.list);
    filter_options_free_regex(&e.function);
    free(e.is_frame);
    profile_output_fini(&e.profile);
    return status;
}

const struct cmd_command cmd_explain = {
    .name = "explain",
    .usage = "[OPTION]... FILE...",
    .summary = "say what is cold or hot, and why",
    .details =
        "Reads profiles as show does, several as one, and says of each place "
        "that allocates whether its blocks are cold, hot or neither, why, and "
        "what a hint to the allocator would save. What lives long is compared "
        "by the accesses for each byte and second; what lives a short time, "
        "and what was not measured, is never cold. A compilation with "
        "-fprofile-use=FILE and memprof.so decides the same.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
