/* use.c -- uses a memory profile in one module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/use.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/support/memory.h"
#include "pass/support/message.h"
#include "pass/support/options.h"
#include "pass/use/steps.h"
#include "pass/use/copyable.h"
#include "shared/abi.h"
#include "shared/use_own.h"

#include <inttypes.h>
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

    /* With a list, it is a conflict, which mpass_use_match() reports. */
    return !mpass_hotness_is_supported() ||
           (is_mode(&options, MPROF_PASS_HINTS_LLVM) &&
            *options.hint_list == '\0');
}

static void report(LLVMModuleRef module, LLVMDiagnosticSeverity severity,
                   const char *path, const char *what, const char *why)
{
    char message[MPASS_MESSAGE_BYTES];

    snprintf(message, sizeof(message), "%s: %s '%s': %s", MPASS_NAME, what,
             path, why);
    mpass_ir_diagnose(LLVMGetModuleContext(module), severity, message);
}

static struct mpass_stacks *load(LLVMModuleRef module,
                                 const struct mpass_sites *sites,
                                 const char *path, const char *hint_list)
{
    struct mprof_diag diag = {.offset = MPROF_DIAG_NO_OFFSET};
    uint64_t *const functions =
        mpass_memory_allocate(NULL, sites->function_count, sizeof(*functions));
    struct mpass_stacks *stacks;

    for (uint32_t i = 0; i < sites->function_count; i++)
        functions[i] = sites->functions[i].guid;
    const enum mprof_err err =
        mpass_stacks_load(&stacks, path, hint_list, mpass_hotness_demangle,
                          functions, sites->function_count, &diag);
    free(functions);
    const char *const why =
        *diag.text != '\0' ? diag.text : mprof_err_text(err);
    if (err != MPROF_E_OK && diag.file == hint_list)
        report(module, LLVMDSError, hint_list, "list of hints", why);
    else if (err != MPROF_E_OK)
        report(module, LLVMDSError, path, "memory profile", why);
    return stacks;
}

/* Leaves calls with cold and other stacks to LTO, which clones for them. One
 * remark per module says how to link. */
static void leave_to_link(LLVMModuleRef module, struct mpass_matches *matches,
                          const struct mpass_stacks *stacks)
{
    mpass_admit_agree(matches, stacks);
    for (uint32_t i = 0; i < matches->count; i++) {
        if (mpass_hotness_cold_depth(matches->rows[i].site->call) != 0)
            matches->rows[i].outcome = MPASS_USE_OUTCOME_LINK;
    }
    if (matches->count == 0)
        return;
    mpass_ir_set_flag(module, MPROF_MODULE_FLAG_HINTS);
    mpass_hotness_remark(
        matches->rows[0].site->call, false, "NeedsLink",
        "hints are given when the program is linked: by memprof-clang, or "
        "by lld with --load-pass-plugin=memprof.so, -mllvm "
        "-supports-hot-cold-new and -mllvm "
        "-enable-memprof-context-disambiguation");
}

static void remark_stale(const struct mpass_sites *sites,
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
        snprintf(
            text, sizeof(text),
            "%u of %u calls of the profile were found in '%.*s': the source "
            "was edited, calls were optimized away, or another function has "
            "this name",
            row->found_count, row->place_count, (int)row->function->name_size,
            row->function->name);
        mpass_hotness_remark(site->call, false, "Stale", text);
    }
}

/* Emits one remark, and returns true, if the profile has none of the module's
 * functions. */
static bool remark_unknown(const struct mpass_sites *sites,
                           const struct mpass_moved *moved)
{
    const struct mpass_site *site = sites->sites;
    struct mprof_use_own own = {0};
    char text[MPASS_MESSAGE_BYTES];

    for (uint32_t i = 0; i < moved->function_count; i++) {
        const struct mpass_moved_function *row = &moved->functions[i];

        mprof_use_own_add(&own, row->function->name, row->function->name_size,
                          row->found_count,
                          row->state == MPASS_USE_STATE_MATCHED);
    }
    if (mprof_use_own_unknown(&own) == 0)
        return false;
    while (site->allocates == MPASS_ALLOCATION_NONE &&
           site + 1 < sites->sites + sites->site_count)
        site++;
    snprintf(text, sizeof(text), "0 of %" PRIu64 " " MPROF_USE_OWN_UNKNOWN,
             mprof_use_own_unknown(&own));
    mpass_hotness_remark(site->call, false, "Unknown", text);
    return true;
}

/* Clones for one kind of call stacks of each call after the other: LLVM knows
 * only cold ones and others. */
static void clone(LLVMModuleRef module, struct mpass_matches *matches,
                  const struct mpass_match_input *input, void *analyses,
                  int percent)
{
    const LLVMValueRef last = LLVMGetLastFunction(module);
    uint64_t budget = mpass_clone_budget(module, percent);

    mpass_clone_run(module, analyses, matches, input->stacks, &budget);
    while (budget > 0 && mpass_match_next(matches, input)) {
        (void)mpass_copyable_strip(module);
        mpass_clone_rename(last);
        mpass_clone_run(module, analyses, matches, input->stacks, &budget);
    }
    mpass_match_note_rest(matches);
}

static void run(LLVMModuleRef module, const char *profile,
                struct mpass_sites *sites, const struct mpass_stacks *stacks,
                void *analyses, mpass_use_dense_fn *dense,
                const struct mpass_options *options)
{
    const bool with_hot = !is_mode(options, MPROF_PASS_HINTS_COLD);
    struct mpass_matches matches;
    struct mpass_moved moved;
    size_t size;

    mpass_moved_find(&moved, stacks, sites);
    const struct mpass_match_input input = {.stacks = stacks,
                                            .sites = sites,
                                            .moved = &moved,
                                            .with_hot = with_hot,
                                            .dense = with_hot ? dense : NULL};
    mpass_match_run(&matches, &input);
    if (!remark_unknown(sites, &moved))
        remark_stale(sites, &moved);
    (void)mpass_copyable_strip(module);
    if (mpass_hotness_is_before_link(module))
        leave_to_link(module, &matches, stacks);
    else
        clone(module, &matches, &input, analyses, options->clone_growth);
    if (with_hot && stacks->gains_by_huge_pages)
        mpass_huge_ask(module, stacks->busy_bytes);
    const int error =
        *options->use_log == '\0'
            ? 0
            : mpass_log_append(options->use_log,
                               LLVMGetSourceFileName(module, &size), profile,
                               &moved, &matches);
    if (error != 0)
        report(module, LLVMDSWarning, options->use_log, "log", strerror(error));
    mpass_match_fini(&matches);
    mpass_moved_fini(&moved);
}

void mpass_use_match(LLVMModuleRef module, const char *profile, void *analyses,
                     mpass_use_dense_fn *dense)
{
    const struct mpass_options options = mpass_options_read();
    const char *conflict = mpass_options_use_conflict(&options);
    struct mpass_sites sites;

    if (conflict != NULL) {
        char message[MPASS_MESSAGE_BYTES];

        snprintf(message, sizeof(message), "%s: %s", MPASS_NAME, conflict);
        mpass_ir_diagnose(LLVMGetModuleContext(module), LLVMDSError, message);
        return;
    }
    if (is_mode(&options, MPROF_PASS_HINTS_OFF))
        return;
    mpass_sites_collect(&sites, module, options.alloc_fn);
    struct mpass_stacks *const stacks =
        load(module, &sites, profile, options.hint_list);
    if (stacks != NULL)
        run(module, profile, &sites, stacks, analyses, dense, &options);
    mpass_stacks_free(stacks);
    mpass_sites_fini(&sites);
}

bool mpass_use_hint(LLVMModuleRef module, bool before_link)
{
    const struct mpass_options options = mpass_options_read();

    /* Inlining may have moved calls with metadata into functions that cannot be
     * cloned. */
    if (before_link)
        return mpass_copyable_strip(module);
    if (mpass_use_is_left_to_llvm() || is_mode(&options, MPROF_PASS_HINTS_OFF))
        return false;
    return mpass_hints_run(module, options.alloc_fn,
                           is_mode(&options, MPROF_PASS_HINTS_ALL));
}
