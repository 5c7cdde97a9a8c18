/* use.c -- uses a memory profile in one module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/use.h"

#include "pass/bridge/heat.h"
#include "pass/bridge/ir.h"
#include "pass/support/message.h"
#include "pass/support/options.h"
#include "pass/use/clone.h"
#include "pass/use/hints.h"
#include "pass/use/log.h"
#include "shared/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_mode(const struct mpass_options *options, const char *mode)
{
    return strcmp(options->hints, mode) == 0;
}

bool mpass_use_is_left_to_llvm(void)
{
    const struct mpass_options options = mpass_options_read();

    return !mpass_heat_is_supported() ||
           is_mode(&options, MPROF_PASS_HINTS_LLVM);
}

static void report(LLVMModuleRef module, LLVMDiagnosticSeverity severity,
                   const char *path, const char *what, const char *why)
{
    char message[MPASS_MESSAGE_BYTES];

    snprintf(message, sizeof(message), "%s: %s '%s': %s", MPASS_NAME, what,
             path, why);
    mpass_ir_diagnose(LLVMGetModuleContext(module), severity, message);
}

static struct mpass_stacks *load(LLVMModuleRef module, const char *path)
{
    struct mprof_diag diag = {.offset = MPROF_DIAG_NO_OFFSET};
    struct mpass_stacks *stacks;
    const enum mprof_err err = mpass_stacks_load(&stacks, path, &diag);

    if (err != MPROF_E_OK)
        report(module, LLVMDSError, path, "memory profile",
               mprof_err_text(err));
    return stacks;
}

/* Those that cannot be told apart here: the link may. */
static void leave_to_link(LLVMModuleRef module, struct mpass_matches *matches)
{
    const struct mpass_match *mixed = NULL;

    for (uint32_t i = 0; i < matches->count; i++) {
        if (matches->rows[i].outcome != MPASS_USE_OUTCOME_MIXED)
            continue;
        matches->rows[i].outcome = MPASS_USE_OUTCOME_LINK;
        mixed = &matches->rows[i];
    }
    (void)module;
    if (mixed != NULL || matches->count > 0)
        mpass_heat_remark(
            mixed != NULL ? mixed->site->call : matches->rows[0].site->call,
            false, "NeedsLink",
            "hints are given when the program is linked: by memprof-clang, or "
            "by lld with --load-pass-plugin=memprof.so, -mllvm "
            "-supports-hot-cold-new and -mllvm "
            "-enable-memprof-context-disambiguation");
}

static void say_stale(const struct mpass_sites *sites,
                      const struct mpass_moved *moved)
{
    for (uint32_t i = 0; i < moved->function_count; i++) {
        const struct mpass_moved_function *row = &moved->functions[i];
        const struct mpass_site *site = sites->sites;
        char text[MPASS_MESSAGE_BYTES];

        if (row->state != MPASS_USE_STATE_STALE)
            continue;
        while (&sites->functions[sites->frames[site->first_frame].function] !=
                   row->function &&
               site + 1 < sites->sites + sites->site_count)
            site++;
        snprintf(text, sizeof(text),
                 "the profile of '%.*s' is older than its source: %u of %u "
                 "calls found",
                 (int)row->function->name_size, row->function->name,
                 row->found_count, row->place_count);
        mpass_heat_remark(site->call, false, "Stale", text);
    }
}

static void run(LLVMModuleRef module, const char *profile,
                const struct mpass_stacks *stacks, void *analyses,
                const struct mpass_options *options)
{
    struct mpass_matches matches;
    struct mpass_sites sites;
    struct mpass_moved moved;
    size_t size;
    int error;

    mpass_sites_collect(&sites, module, options->alloc_fn);
    mpass_moved_find(&moved, stacks, &sites);
    mpass_match_run(&matches, stacks, &sites, &moved,
                    !is_mode(options, MPROF_PASS_HINTS_COLD));
    say_stale(&sites, &moved);
    if (mpass_heat_is_before_link(module))
        leave_to_link(module, &matches);
    else
        mpass_clone_run(module, analyses, &matches, stacks,
                        options->clone_growth);
    error = *options->use_log == '\0'
                ? 0
                : mpass_log_append(options->use_log,
                                   LLVMGetSourceFileName(module, &size),
                                   profile, &moved, &matches);
    if (error != 0)
        report(module, LLVMDSWarning, options->use_log, "log", strerror(error));
    mpass_match_fini(&matches);
    mpass_moved_fini(&moved);
    mpass_sites_fini(&sites);
}

void mpass_use_match(LLVMModuleRef module, const char *profile, void *analyses)
{
    const struct mpass_options options = mpass_options_read();
    const char *conflict = mpass_options_use_conflict(&options);
    struct mpass_stacks *stacks;

    if (conflict != NULL) {
        char message[MPASS_MESSAGE_BYTES];

        snprintf(message, sizeof(message), "%s: %s", MPASS_NAME, conflict);
        mpass_ir_diagnose(LLVMGetModuleContext(module), LLVMDSError, message);
        return;
    }
    if (is_mode(&options, MPROF_PASS_HINTS_OFF))
        return;
    stacks = load(module, profile);
    if (stacks == NULL)
        return;
    run(module, profile, stacks, analyses, &options);
    mpass_stacks_free(stacks);
}

bool mpass_use_hint(LLVMModuleRef module, bool before_link)
{
    const struct mpass_options options = mpass_options_read();

    if (before_link || mpass_use_is_left_to_llvm() ||
        is_mode(&options, MPROF_PASS_HINTS_OFF))
        return false;
    return mpass_hints_run(module, options.alloc_fn,
                           is_mode(&options, MPROF_PASS_HINTS_ALL));
}
