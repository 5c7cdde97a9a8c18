/* luajit.c -- a stream of LuaJIT's memory profiler as a profile. A site is a
 * call stack of one frame, of a trace of two: the trace, and where it starts.
 *
 * The stream has no times but the marks of the first proposal, one a second.
 * Peak and temporary blocks follow from the order of events.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/block_fold.h"
#include "profdata/events/luajit_log.h"
#include "profdata/import/foreign.h"
#include "profdata/import/foreign_stack.h"
#include "shared/container.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define NAME_BYTES 256

bool mpdata_luajit_is(const uint8_t *data, size_t size)
{
    return mpdata_luajit_log_is(data, size);
}

static bool add_event(void *context, const struct mpdata_luajit_event *e)
{
    struct mpdata_block_fold *const fold = context;

    /* Moments are numbers of events, as in foreign_log.c. */
    fold->ns = fold->choice != NULL
                   ? fold->ns + 1
                   : mprof_mul_sat_u64(e->second, NS_PER_SECOND);
    if (e->kind != MPDATA_LUAJIT_ALLOC)
        mpdata_block_fold_end(fold, e->old_address, e->site,
                              e->kind == MPDATA_LUAJIT_FREE
                                  ? MPROF_DETAIL_FREE
                                  : MPROF_DETAIL_REALLOC,
                              e->size);
    if (e->kind != MPDATA_LUAJIT_FREE)
        mpdata_block_fold_begin(fold, e->address, e->size, e->site);
    return !fold->failed;
}

/* -- names ----------------------------------------------------------------- */

static mpdata_ref add_frame(struct mpdata_profile *profile, const char *name,
                            struct mpdata_str file, uint64_t line,
                            uint64_t first_line)
{
    struct mpdata_foreign_string function = {.text = {name, strlen(name)}};
    struct mpdata_foreign_string path = {.text = file};
    const struct mpdata_foreign_frame frame = {.name = &function,
                                               .file = &path,
                                               .line = line,
                                               .first_line = first_line};

    return mpdata_foreign_stack_frame(profile, &frame);
}

static struct mpdata_str base_of(struct mpdata_str path)
{
    const char *const slash = memrchr(path.bytes, '/', path.size);
    const size_t start = slash != NULL ? (size_t)(slash - path.bytes) + 1 : 0;

    return (struct mpdata_str){path.bytes + start, path.size - start};
}

/* A Lua function has no name: its file and first line are. A chunk is "@FILE",
 * "=NAME", or source text. */
static mpdata_ref lua_frame(struct mpdata_profile *profile,
                            const struct mpdata_luajit_symbol *s, uint64_t line)
{
    struct mpdata_str file = s->text;
    char name[NAME_BYTES];

    if (s->alias != 0) {
        snprintf(name, sizeof(name), "function_alias_%" PRIu32 ":%" PRIu64,
                 s->alias, s->line);
        return add_frame(profile, name, (struct mpdata_str){"", 0}, 0, 0);
    }
    if (file.size != 0 && (*file.bytes == '@' || *file.bytes == '='))
        file = (struct mpdata_str){file.bytes + 1, file.size - 1};
    struct mpdata_str base =
        s->line == 0 && s->text.size != 0 && *s->text.bytes == '='
            ? file
            : base_of(file);
    if (s->line == 0 && s->text.size != 0 && *s->text.bytes == '=') {
        snprintf(name, sizeof(name), "%.*s", (int)base.size, base.bytes);
        return add_frame(profile, name, (struct mpdata_str){"", 0}, 0, 0);
    }
    if (s->line == 0)
        snprintf(name, sizeof(name), "main chunk of %.*s", (int)base.size,
                 base.bytes);
    else
        snprintf(name, sizeof(name), "%.*s:%" PRIu64, (int)base.size,
                 base.bytes, s->line);
    return add_frame(profile, name, file, line, s->line);
}

static mpdata_ref site_node(struct mpdata_profile *profile,
                            const struct mpdata_luajit_log *log,
                            const struct mpdata_luajit_site *site)
{
    const struct mpdata_luajit_symbol *const symbols = log->symbols.data;
    const struct mpdata_luajit_symbol *const s =
        site->symbol != 0 ? &symbols[site->symbol - 1] : NULL;
    const struct mpdata_str none = {"", 0};
    mpdata_ref parent = 0;
    char name[NAME_BYTES] = "INTERNAL";

    if (site->source == MPDATA_LUAJIT_TRACE) {
        snprintf(name, sizeof(name), "TRACE [%" PRIu64 "]", site->place);
        if (s != NULL && s->start != 0)
            parent = mpdata_profile_node(
                profile, 0,
                lua_frame(profile, &symbols[s->start - 1], s->place));
    } else if (site->source == MPDATA_LUAJIT_C && s != NULL) {
        snprintf(name, sizeof(name), "%.*s", (int)s->text.size, s->text.bytes);
    } else if (site->source != MPDATA_LUAJIT_INTERNAL) {
        snprintf(name, sizeof(name), "CFUNC %#" PRIx64, site->place);
    }
    mpdata_ref frame = site->source == MPDATA_LUAJIT_LUA && s != NULL
                           ? lua_frame(profile, s, site->line)
                           : add_frame(profile, name, none, 0, 0);
    return mpdata_profile_node(profile, parent, frame);
}

/* -- the file -------------------------------------------------------------- */

/* Nodes by site, or NULL without memory. */
static mpdata_ref *site_nodes(struct mpdata_profile *profile,
                              const struct mpdata_luajit_log *log)
{
    const struct mpdata_luajit_site *const sites = log->sites.rows.data;
    mpdata_ref *const nodes =
        mpdata_vec_array(log->sites.rows.count, sizeof(*nodes));

    for (uint32_t i = 0; nodes != NULL && i < log->sites.rows.count; i++)
        nodes[i] = site_node(profile, log, &sites[i]);
    return nodes;
}

static bool add_blocks(struct mpdata_profile *profile,
                       const struct mpdata_luajit_log *log,
                       struct mpdata_block_fold *fold)
{
    mpdata_ref *const nodes = site_nodes(profile, log);
    const bool is_done =
        nodes != NULL && mpdata_block_fold_finish(fold, profile, nodes);

    free(nodes);
    return is_done;
}

static void add_run(struct mpdata_profile *profile,
                    const struct mpdata_luajit_log *log,
                    const struct mpdata_block_fold *fold, uint64_t id)
{
    static const char tool[] = "LuaJIT memprof";
    const struct mpdata_event_choice *const choice = fold->choice;
    struct mpdata_run run = {
        .run_id = id,
        .count = 1,
        .kind = MPROF_RUN_FOREIGN,
        .has_live = true,
        .duration_ns = mprof_mul_sat_u64(log->seconds, NS_PER_SECOND),
        .clock_resolution_ns = log->seconds != 0 ? NS_PER_SECOND : 0,
        .contexts = fold->rows.rows.count,
        .peak_bytes = choice == NULL ? fold->most : 0,
        .peak_ns = choice == NULL ? fold->most_ns : 0,
        .tool = mpdata_profile_string(profile, tool, sizeof(tool) - 1)};

    if (choice != NULL) {
        run.duration_ns = run.clock_resolution_ns = 0;
        run.alive_ns = choice->at_ns + 1;
        run.after_ns = choice->from_ns + 1; /* UINT64_MAX: at any time */
    }
    mpdata_profile_run(profile, &run);
}

static enum mprof_err read_blocks(const uint8_t *data, size_t size,
                                  const struct mpdata_event_choice *choice,
                                  struct mpdata_profile *into,
                                  struct mprof_diag *diag)
{
    struct mpdata_luajit_log log;
    struct mpdata_block_fold fold;

    mpdata_block_fold_init(&fold);
    fold.choice = choice;
    enum mprof_err err =
        mpdata_luajit_log_read(&log, data, size, add_event, &fold, diag);
    if (err == MPROF_E_OK) {
        err = add_blocks(into, &log, &fold) ? MPROF_E_OK : MPROF_E_NOMEM;
        add_run(into, &log, &fold, mprof_checksum(data, size));
        if (err == MPROF_E_OK)
            err = mpdata_profile_status(into);
        if (err != MPROF_E_OK)
            mprof_err_plain(diag, err);
        else if (log.rest.err != MPROF_E_OK && diag != NULL)
            *diag = log.rest;
    }
    mpdata_block_fold_fini(&fold);
    mpdata_luajit_log_fini(&log);
    return err;
}

enum mprof_err mpdata_luajit_read(const uint8_t *data, size_t size,
                                  struct mpdata_profile *into,
                                  struct mprof_diag *diag)
{
    return read_blocks(data, size, NULL, into, diag);
}

enum mprof_err mpdata_luajit_moment(const uint8_t *data, size_t size,
                                    struct mpdata_event_choice *choice,
                                    struct mpdata_profile *into,
                                    struct mprof_diag *diag)
{
    const enum mprof_err err =
        mpdata_event_choice_find(choice, data, size, diag);

    return err == MPROF_E_OK ? read_blocks(data, size, choice, into, diag)
                             : err;
}

static bool skip_event(void *context, const struct mpdata_luajit_event *e)
{
    (void)context;
    (void)e;
    return true;
}

enum mprof_err mpdata_luajit_stacks(const uint8_t *data, size_t size,
                                    struct mpdata_profile *into,
                                    struct mpdata_foreign_stacks *stacks,
                                    struct mprof_diag *diag)
{
    struct mpdata_luajit_log log;
    enum mprof_err err =
        mpdata_luajit_log_read(&log, data, size, skip_event, NULL, diag);

    if (err == MPROF_E_OK) {
        stacks->count = log.sites.rows.count;
        stacks->leaves = site_nodes(into, &log);
        err = stacks->leaves != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
    }
    mpdata_luajit_log_fini(&log);
    return err;
}
