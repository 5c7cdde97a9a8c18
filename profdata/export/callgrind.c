/* callgrind.c -- callgrind's format, for callgrind_annotate and KCachegrind:
 * for each line of a function the costs of its own allocations, and for each
 * function called there the costs below the call. Events are the metrics that
 * the profile holds.
 *
 * The format has no call stacks, and callgrind_annotate takes the sum of all
 * calls of a function for its inclusive cost. So each call stack counts in only
 * one call of a function, the outermost; the first function of the stack is
 * called by "[root]". The inclusive cost then counts each byte once, even with
 * recursion.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/set.h"
#include "profdata/export/pieces.h"
#include "shared/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A function in a file: the key of functions in the format. */
struct function {
    uint32_t name; /* index of names */
    mpdata_ref path;
    uint32_t line; /* its first line, if known; not part of the key */
};

#define SELF UINT32_MAX

/* Costs of a line of a function: its own, or those of a callee. */
struct cost {
    uint32_t function;
    uint32_t line;
    uint32_t callee; /* or SELF */
    uint64_t values[MPDATA_METRIC_COUNT];
};

struct writer {
    const struct mpdata_export *what;
    struct mpdata_sink *sink;
    struct mpdata_view view;
    struct mpdata_set names; /* struct mpdata_str, owned */
    struct mpdata_set functions;
    struct mpdata_set costs;
    uint32_t *function_of;   /* by frame: its function */
    uint32_t *met;           /* by function: last context counted, + 1 */
    uint32_t root;           /* the functions "[root]" and */
    uint32_t unknown;        /* "[unknown]", for blocks without a call stack */
    struct mpdata_vec stack; /* uint32_t: frames of a context, leaf first */
    uint8_t *is_named;       /* by function: is its name written? */
    uint8_t *has_path;       /* by path, likewise */
};

/* -- functions ------------------------------------------------------------- */

/* Frees or keeps `text`; fails if it is NULL. */
static bool add_function(struct writer *w, char *text, mpdata_ref path,
                         uint32_t line, uint32_t *function)
{
    const struct mpdata_str name = {.bytes = text,
                                    .size = text != NULL ? strlen(text) : 0};
    struct function key = {.path = path, .line = line};
    bool is_new = false;
    uint32_t ref = text != NULL ? mpdata_set_add(&w->names, &name, &is_new) : 0;

    if (ref == 0 || !is_new)
        free(text);
    if (ref == 0)
        return false;
    key.name = ref - 1;
    ref = mpdata_set_add(&w->functions, &key, NULL);
    *function = ref - 1;
    return ref != 0;
}

static bool add_functions(struct writer *w)
{
    for (uint32_t i = 0; i < w->view.frame_count; i++) {
        const struct mpdata_frame *const f = &w->view.frames[i];
        const uint32_t line =
            f->function != 0 ? w->view.functions[f->function - 1].line : 0;

        if (!add_function(w, mpdata_pieces_frame(w->what, i), f->path, line,
                          &w->function_of[i]))
            return false;
    }
    return add_function(w, strdup("[root]"), 0, 0, &w->root) &&
           add_function(w, strdup("[unknown]"), 0, 0, &w->unknown);
}

/* -- costs ----------------------------------------------------------------- */

static bool add_cost(struct writer *w, const struct cost *key,
                     const struct mprof_mib *mib)
{
    const uint32_t ref = mpdata_set_add(&w->costs, key, NULL);

    if (ref == 0)
        return false;
    struct cost *row = (struct cost *)w->costs.rows.data + (ref - 1);
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        row->values[m] = mprof_add_sat_u64(
            row->values[m], mpdata_metrics_get(mib, (enum mpdata_metric)m));
    return true;
}

static bool add_context(struct writer *w, uint32_t i)
{
    const struct mpdata_context *const c = &w->view.contexts[i];
    const struct mprof_mib mib = mpdata_view_mib(&w->view, i);
    struct cost key = {.function = w->root, .callee = w->unknown};

    if (!mpdata_pieces_stack(&w->view, c->node, &w->stack))
        return false;
    if (w->stack.count == 0) {
        if (!add_cost(w, &key, &mib))
            return false;
        key.function = w->unknown;
    }
    for (uint32_t at = w->stack.count; at-- > 0;) {
        const uint32_t frame = ((const uint32_t *)w->stack.data)[at];

        key.callee = w->function_of[frame];
        if (w->met[key.callee] != i + 1 && !add_cost(w, &key, &mib))
            return false;
        w->met[key.callee] = i + 1;
        key.function = key.callee;
        key.line = w->view.frames[frame].line;
    }
    key.callee = SELF;
    return add_cost(w, &key, &mib);
}

static int compare_costs(const void *left, const void *right)
{
    const struct cost *const a = left;
    const struct cost *const b = right;

    if (a->function != b->function)
        return mprof_compare_u64(a->function, b->function);
    if (a->line != b->line)
        return mprof_compare_u64(a->line, b->line);
    /* SELF first. */
    return mprof_compare_u64((uint32_t)(a->callee + 1),
                             (uint32_t)(b->callee + 1));
}

/* -- writing --------------------------------------------------------------- */

/* KCachegrind takes names of events without hyphens only. */
static void write_event(const struct writer *w, size_t metric)
{
    for (const char *at = mpdata_metrics[metric].name; *at != '\0'; at++)
        mpdata_sink_char(w->sink, *at == '-' ? '_' : *at);
}

static bool write_header(const struct writer *w)
{
    char *program = mpdata_pieces_program(w->what);

    if (program == NULL)
        return false;
    mpdata_sink_text(w->sink, "# callgrind format\nversion: 1\n"
                              "creator: memprofdata " MPROF_VERSION "\n"
                              "desc: Calls: blocks allocated through them; "
                              "calls themselves are not counted.\n"
                              "desc: Recursion: a call stack counts in the "
                              "outermost call of each function.\n");
    if (program[0] != '\0') {
        mpdata_sink_text(w->sink, "cmd: ");
        mpdata_sink_text(w->sink, program);
        mpdata_sink_char(w->sink, '\n');
    }
    free(program);
    mpdata_sink_text(w->sink, "positions: line\n");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (w->what->held[m]) {
            const struct mprof_mib_field *const field =
                &mprof_mib_fields[mpdata_metrics[m].field];

            mpdata_sink_text(w->sink, "event: ");
            write_event(w, m);
            mpdata_sink_format(
                w->sink, " : %s (%s)\n",
                mpdata_pieces_title(w->what, (enum mpdata_metric)m),
                field->unit);
        }
    }
    mpdata_sink_text(w->sink, "events:");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (w->what->held[m]) {
            mpdata_sink_char(w->sink, ' ');
            write_event(w, m);
        }
    }
    mpdata_sink_char(w->sink, '\n');
    return true;
}

static void write_values(const struct writer *w,
                         const uint64_t values[MPDATA_METRIC_COUNT])
{
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (w->what->held[m])
            mpdata_sink_format(w->sink, " %" PRIu64, values[m]);
    }
    mpdata_sink_char(w->sink, '\n');
}

/* "fl=(3) FILE"; later uses of the same path are just its number. */
static bool write_file(struct writer *w, const char *key, mpdata_ref path)
{
    char *text;

    mpdata_sink_format(w->sink, "%s=(%" PRIu32 ")", key, path + 1);
    if (!w->has_path[path]) {
        text = mpdata_pieces_path(w->what, path);
        if (text == NULL)
            return false;
        mpdata_sink_char(w->sink, ' ');
        mpdata_sink_text(w->sink, text[0] != '\0' ? text : "???");
        free(text);
    }
    mpdata_sink_char(w->sink, '\n');
    w->has_path[path] = true;
    return true;
}

static void write_name(struct writer *w, const char *key, uint32_t function)
{
    const struct function *const f =
        (const struct function *)w->functions.rows.data + function;
    const struct mpdata_str *const name =
        (const struct mpdata_str *)w->names.rows.data + f->name;

    mpdata_sink_format(w->sink, "%s=(%" PRIu32 ")", key, function + 1);
    if (!w->is_named[function]) {
        mpdata_sink_char(w->sink, ' ');
        mpdata_sink_bytes(w->sink, name->bytes, name->size);
    }
    mpdata_sink_char(w->sink, '\n');
    w->is_named[function] = true;
}

static bool write_cost(struct writer *w, const struct cost *cost)
{
    const struct function *const functions = w->functions.rows.data;
    const uint64_t blocks = cost->values[MPDATA_METRIC_BLOCKS];

    if (cost->callee != SELF) {
        const struct function *const callee = &functions[cost->callee];

        /* Only if it differs: callgrind_annotate removes the working directory
         * from the file of "fl", but not here. */
        if (callee->path != functions[cost->function].path &&
            !write_file(w, "cfi", callee->path))
            return false;
        write_name(w, "cfn", cost->callee);
        /* With 0 calls the costs would become the caller's own. */
        mpdata_sink_format(w->sink, "calls=%" PRIu64 " %" PRIu32 "\n",
                           blocks != 0 ? blocks : 1, callee->line);
    }
    mpdata_sink_format(w->sink, "%" PRIu32, cost->line);
    write_values(w, cost->values);
    return true;
}

/* Begins the section of a function. */
static bool write_function(struct writer *w, uint32_t function)
{
    const struct function *const f =
        (const struct function *)w->functions.rows.data + function;

    mpdata_sink_char(w->sink, '\n');
    if (!write_file(w, "fl", f->path))
        return false;
    write_name(w, "fn", function);
    return true;
}

static bool write_all(struct writer *w)
{
    const struct cost *const rows = w->costs.rows.data;
    uint64_t totals[MPDATA_METRIC_COUNT] = {0};

    if (!write_header(w))
        return false;
    for (uint32_t i = 0; i < w->costs.rows.count && !w->sink->failed; i++) {
        if ((i == 0 || rows[i].function != rows[i - 1].function) &&
            !write_function(w, rows[i].function))
            return false;
        /* callgrind_annotate shows only lines with costs of their own, and
         * fails on a file without any: lines with only calls get 0. */
        if (rows[i].callee != SELF &&
            (i == 0 || rows[i].function != rows[i - 1].function ||
             rows[i].line != rows[i - 1].line))
            mpdata_sink_format(w->sink, "%" PRIu32 " 0\n", rows[i].line);
        if (!write_cost(w, &rows[i]))
            return false;
        for (size_t m = 0; m < MPDATA_METRIC_COUNT && rows[i].callee == SELF;
             m++)
            totals[m] = mprof_add_sat_u64(totals[m], rows[i].values[m]);
    }
    mpdata_sink_text(w->sink, "\ntotals:");
    write_values(w, totals);
    return true;
}

/* -- the document --------------------------------------------------------- */

static bool make(struct writer *w)
{
    w->function_of =
        mpdata_vec_array(w->view.frame_count, sizeof(*w->function_of));
    if (w->function_of == NULL || !add_functions(w))
        return false;
    w->met = mpdata_vec_array(w->functions.rows.count, sizeof(*w->met));
    w->is_named = mpdata_vec_array(w->functions.rows.count, 1);
    w->has_path = mpdata_vec_array((size_t)w->view.path_count + 1, 1);
    if (w->met == NULL || w->is_named == NULL || w->has_path == NULL)
        return false;
    for (uint32_t i = 0; i < w->view.context_count; i++) {
        if (!add_context(w, i))
            return false;
    }
    if (w->costs.rows.count != 0)
        qsort(w->costs.rows.data, w->costs.rows.count, sizeof(struct cost),
              compare_costs);
    return true;
}

static void writer_fini(struct writer *w)
{
    for (uint32_t i = 0; i < w->names.rows.count; i++)
        free((void *)(uintptr_t)((const struct mpdata_str *)
                                     w->names.rows.data)[i]
                 .bytes);
    mpdata_set_fini(&w->names);
    mpdata_set_fini(&w->functions);
    mpdata_set_fini(&w->costs);
    mpdata_vec_fini(&w->stack);
    free(w->function_of);
    free(w->met);
    free(w->is_named);
    free(w->has_path);
}

enum mprof_err mpdata_callgrind_write(const struct mpdata_export *what,
                                      struct mpdata_sink *sink)
{
    struct writer w = {
        .what = what, .sink = sink, .view = mpdata_profile_view(what->profile)};

    w.stack.elem_bytes = sizeof(uint32_t);
    mpdata_set_init(&w.names, MPDATA_SET_BY_TEXT, sizeof(struct mpdata_str));
    mpdata_set_init(&w.functions, MPDATA_SET_KEY(struct function, path),
                    sizeof(struct function));
    mpdata_set_init(&w.costs, MPDATA_SET_KEY(struct cost, callee),
                    sizeof(struct cost));
    bool done = make(&w) && write_all(&w);
    writer_fini(&w);
    return done ? MPROF_E_OK : MPROF_E_NOMEM;
}
