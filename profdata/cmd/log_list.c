/* log_list.c -- finds and prints single events of a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/log_list.h"
#include "profdata/cmd/log_json.h"
#include "profdata/cmd/log_summary.h"
#include "profdata/base/json_out.h"
#include "profdata/base/units.h"
#include "profdata/import/foreign.h"
#include "profdata/load/symbolize.h"
#include "profdata/query/frames.h"
#include "profdata/query/names.h"
#include "shared/detail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Functions of a line, and characters of a name, without --full-stacks. */
#define SHORT_STACK 5u
#define SHORT_NAME 48u

static struct mpdata_view view_of(const struct log_list *l)
{
    return mpdata_profile_view(session_profile(l->session, SESSION_NEW));
}

/* -- call stacks ----------------------------------------------------------- */

/* Adds the call stacks to the profile. */
static enum mprof_err add_stacks(struct log_list *l, struct mpdata_raw *raw,
                                 struct mprof_diag *diag)
{
    struct session_profile *const p = &l->session->profiles[SESSION_NEW];
    const uint32_t count = l->stack_count = l->stacks.rows.count;
    mpdata_ref *const nodes = mpdata_vec_array(raw->node_count, sizeof(*nodes));
    enum mprof_err err = MPROF_E_NOMEM;

    l->leaves = mpdata_vec_array(count, sizeof(*l->leaves));
    if (nodes != NULL && l->leaves != NULL)
        err = mpdata_add_dump_nodes(&p->load, raw, l->session->words[0], nodes,
                                    diag);
    else
        mprof_err_plain(diag, err);
    for (uint32_t i = 0; err == MPROF_E_OK && i < count; i++) {
        const mpdata_ref node = mpdata_event_stacks_at(&l->stacks, i)->node;

        l->leaves[i] = node != 0 ? nodes[node - 1] : 0;
    }
    free(nodes);
    return err;
}

static bool choose_stacks(struct log_list *l)
{
    struct session *const session = l->session;
    const struct mpdata_view view = view_of(l);
    const uint32_t count = l->stack_count;
    bool *const fits = mpdata_prune_nodes(
        session->profiles[SESSION_NEW].content.profile, &session->prune);

    l->keeps_stack = mpdata_vec_array(count, sizeof(*l->keeps_stack));
    for (uint32_t i = 0; fits != NULL && l->keeps_stack != NULL && i < count;
         i++)
        l->keeps_stack[i] =
            fits[l->leaves[i]] &&
            filter_options_keeps_type(&session->filter, &view, l->leaves[i]);
    free(fits);
    return fits != NULL && l->keeps_stack != NULL &&
           !session->filter.has_failed;
}

static void forget_stacks(struct log_list *l)
{
    mpdata_frame_names_free(l->names);
    free(l->leaves);
    free(l->keeps_stack);
    l->names = NULL;
    l->leaves = NULL;
    l->keeps_stack = NULL;
}

static enum mprof_err name_stacks(struct log_list *l, struct mprof_diag *diag)
{
    struct session *const session = l->session;

    l->names = mpdata_frame_names_new(session_profile(session, SESSION_NEW),
                                      &session->demangler);
    return l->names != NULL && choose_stacks(l)
               ? MPROF_E_OK
               : mprof_err_plain(diag, MPROF_E_NOMEM);
}

enum mprof_err log_list_know_stacks(struct log_list *l, struct mprof_diag *diag)
{
    struct session *const session = l->session;
    struct mpdata_raw raw = {.kind = MPROF_RUN_MEMPROF};
    enum mprof_err err = MPROF_E_OK;

    forget_stacks(l);
    filter_options_forget_types(&session->filter);
    if (!mpdata_event_stacks_finish(&l->stacks, &raw))
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    if (err == MPROF_E_OK)
        err = add_stacks(l, &raw, diag);
    mpdata_raw_free(&raw);
    return err == MPROF_E_OK ? name_stacks(l, diag) : err;
}

/* Those of another tool's log have names. */
static enum mprof_err read_foreign(struct log_list *l,
                                   const struct mpdata_file *file,
                                   struct mprof_diag *diag)
{
    struct mpdata_foreign_stacks stacks = {.count = 0};
    const enum mprof_err err = mpdata_foreign_read_stacks(
        file->data, file->size, session_profile(l->session, SESSION_NEW),
        &stacks, diag);

    l->leaves = stacks.leaves;
    l->stack_count = stacks.count;
    return err == MPROF_E_OK ? name_stacks(l, diag) : err;
}

static enum mprof_err read_stacks(struct log_list *l,
                                  const struct mpdata_file *file,
                                  struct mprof_diag *diag)
{
    const bool is_foreign = l->traits.title != NULL;
    enum mprof_err err = is_foreign
                             ? read_foreign(l, file, diag)
                             : mpdata_event_rows_stacks(&l->stacks, file->data,
                                                        file->size, diag);

    if (err == MPROF_E_OK && !is_foreign)
        err = log_list_know_stacks(l, diag);
    if (err != MPROF_E_OK)
        return err;
    const struct mpdata_view view = view_of(l);
    return filter_options_check_types(&l->session->filter, &view, diag);
}

/* -- the choice ------------------------------------------------------------ */

static bool value_of(const void *of, enum mpdata_metric metric, uint64_t *value)
{
    const struct mpdata_event_life *const life = of;

    switch (metric) {
    case MPDATA_METRIC_BYTES:
        *value = life->size;
        return true;
    case MPDATA_METRIC_ACCESSES:
        *value = life->accesses;
        return !life->is_unseen;
    default: /* others are refused */
        *value = mprof_sub_sat_u64(life->end_ns, life->birth_ns);
        return life->end_ns != UINT64_MAX;
    }
}

static bool is_of_blocks(enum mpdata_metric metric)
{
    return metric == MPDATA_METRIC_BYTES || metric == MPDATA_METRIC_ACCESSES ||
           metric == MPDATA_METRIC_LIFETIME;
}

static int check_filter(const struct session *session)
{
    for (size_t i = 0; i < session->filter.metric_count; i++) {
        const struct mpdata_metric_filter *const f =
            &session->filter.metrics[i];

        if (!is_of_blocks(f->metric) || (f->is_ratio && !is_of_blocks(f->per)))
            return cmd_usage(session->command,
                             "--filter=%s: a single block has bytes, accesses "
                             "and lifetime",
                             f->text);
    }
    return 0;
}

bool log_list_keeps(void *list, const struct mpdata_event_life *life,
                    bool is_end)
{
    const struct log_list *const l = list;
    const bool is_replaced = life->end_kind == MPROF_DETAIL_REALLOC;

    if (!l->keeps_stack[life->stack] ||
        !mpdata_metric_filter_fits(l->session->filter.metrics,
                                   l->session->filter.metric_count, value_of,
                                   life) ||
        (l->thread != 0 &&
         l->thread != (is_end ? life->end_thread : life->birth_thread)))
        return false;
    if (life->is_event)
        return (l->kind == LOG_LIST_ALL || l->kind == LOG_LIST_EVENT) &&
               l->session->filter.metric_count == 0;
    if (l->follow != NULL && l->choice.at != NULL &&
        !mpdata_event_choice_has(&l->choice, life->birth_ns, life->end_ns, 0))
        return false;
    return l->kind == LOG_LIST_ALL || (l->kind == LOG_LIST_ALLOC && !is_end) ||
           (l->kind == LOG_LIST_FREE && is_end && !is_replaced) ||
           (l->kind == LOG_LIST_REALLOC && is_end && is_replaced);
}

/* ADDR[@TIME] of --follow. */
static enum mprof_err take_address(struct log_list *l, struct mprof_diag *diag)
{
    char *end;

    l->list.to_ns = UINT64_MAX;
    l->list.has_address = l->follow != NULL;
    if (l->follow == NULL)
        return MPROF_E_OK;
    l->list.address = strtoull(l->follow, &end, 16);
    if (end == l->follow || (*end != '\0' && *end != '@'))
        return mpdata_diag_text(
            diag, MPROF_E_USAGE,
            "--follow=%.60s is no address like 0x7f001234 or 0x7f001234@1.5s",
            l->follow);
    l->choice.at = *end == '@' ? end + 1 : NULL;
    return MPROF_E_OK;
}

/* The times of --follow and --window. */
static enum mprof_err find_times(struct log_list *l,
                                 const struct mpdata_file *file,
                                 struct mprof_diag *diag)
{
    struct mpdata_event_choice *const window = &l->session->choice;
    enum mprof_err err = MPROF_E_OK;

    if (l->choice.at != NULL)
        err =
            mpdata_event_choice_find(&l->choice, file->data, file->size, diag);
    l->choice.peak = 0;
    if (err == MPROF_E_OK && window->window != NULL) {
        err = mpdata_event_choice_find(window, file->data, file->size, diag);
        l->list.from_ns = window->from_ns;
        l->list.to_ns = window->at_ns;
    }
    return err;
}

int log_list_open(struct log_list *l, struct session *session)
{
    struct mprof_diag diag;
    int status = check_filter(session);

    l->session = session;
    l->list.context = l;
    mpdata_event_stacks_init(&l->stacks);
    if (status == 0 && take_address(l, &diag) != MPROF_E_OK)
        status = log_list_fail(l, &diag);
    return status == 0 ? session_open(session, &session->profiles[SESSION_NEW])
                       : status;
}

int log_list_fail(const struct log_list *l, struct mprof_diag *diag)
{
    diag->file = l->session->words[0];
    return cmd_fail(diag);
}

int log_list_find(struct log_list *l, struct session *session,
                  const struct mpdata_file *file)
{
    struct mprof_diag diag;
    const int status = log_list_open(l, session);

    if (status != 0)
        return status;
    l->traits = mpdata_foreign_log_traits(file->data, file->size);
    l->list.max = (uint32_t)session->show.top;
    l->list.keeps = log_list_keeps;
    enum mprof_err err = find_times(l, file, &diag);
    if (err == MPROF_E_OK)
        err = read_stacks(l, file, &diag);
    if (err == MPROF_E_OK)
        err = mpdata_event_rows_read(&l->list, file->data, file->size, &diag);
    if (err != MPROF_E_OK)
        return log_list_fail(l, &diag);
    log_summary_warn(&session->warn, session->words[0], &l->list.rest);
    return 0;
}

void log_list_fini(struct log_list *l)
{
    mpdata_event_rows_fini(&l->list);
    forget_stacks(l);
    mpdata_event_stacks_fini(&l->stacks);
}

/* -- text ------------------------------------------------------------------ */

/* Whether the frame is one of those that show folds: inside the C++ library, or
 * of start-up. */
static bool is_folded(const struct log_list *l,
                      const struct mpdata_frame *frame)
{
    return frame->function != 0 &&
           (mpdata_names_is_library(
                mpdata_frame_names_function(l->names, frame)) ||
            mpdata_names_is_start(mpdata_frame_names_linkage(l->names, frame)));
}

static bool print_stack(const struct log_list *l, uint32_t stack, FILE *out)
{
    const struct mpdata_view view = view_of(l);
    const bool is_full = l->session->show.full_stacks;
    const uint32_t max = is_full ? UINT32_MAX : SHORT_STACK;
    mpdata_ref node = l->leaves[stack];
    uint32_t printed = 0;

    while (printed < max && node != 0) {
        const struct mpdata_node *const n = &view.nodes[node - 1];
        const struct mpdata_frame *const frame = &view.frames[n->frame];

        node = n->parent;
        if (!is_full && is_folded(l, frame) && (node != 0 || printed != 0))
            continue;
        char *const text = mpdata_frame_names_text(l->names, frame);
        if (text == NULL)
            return false;
        if (!is_full)
            mpdata_names_shorten(text, SHORT_NAME);
        fprintf(out, "%s%s", printed++ != 0 ? " < " : "", text);
        free(text);
    }
    if (node != 0)
        fputs(" ...", out);
    return true;
}

/* Prints a type's name, shortened unless stacks are full. */
static bool print_type(const struct log_list *l, const char *type, FILE *out)
{
    char *const text = strdup(type);

    if (text == NULL)
        return false;
    if (!l->session->show.full_stacks)
        mpdata_names_shorten(text, SHORT_NAME);
    fprintf(out, "type %s, ", text);
    free(text);
    return true;
}

static const char *kind_of(const struct mpdata_event_row *row)
{
    if (row->life.is_event)
        return "event";
    if (!row->is_end)
        return "alloc";
    return row->life.end_kind == MPROF_DETAIL_REALLOC ? "realloc" : "free";
}

/* Name of the type of a call stack's objects, or "". */
static const char *type_of(const struct log_list *l, uint32_t stack)
{
    const struct mpdata_view view = view_of(l);

    return view.strings[mpdata_types_of(&view, l->leaves[stack])].bytes;
}

/* Name of the program's events at a call stack. */
static struct mpdata_str name_of(const struct log_list *l, uint32_t stack)
{
    return mpdata_event_stacks_at(&l->stacks, stack)->name;
}

static uint32_t thread_of(const struct mpdata_event_row *row)
{
    return row->is_end ? row->life.end_thread : row->life.birth_thread;
}

static void print_time(const struct log_list *l, uint64_t ns, FILE *out)
{
    if (l->traits.unit != NULL)
        fprintf(out, "%s %-10" PRIu64 "  ", l->traits.unit, ns);
    else
        fprintf(out, "%14.9f s  ", (double)ns / 1e9);
}

/* An event of the program. */
static bool print_event(const struct log_list *l,
                        const struct mpdata_event_life *life, FILE *out)
{
    print_time(l, life->birth_ns, out);
    fprintf(out, "thread %-4" PRIu32 " event   ", life->birth_thread);
    log_summary_print_name(name_of(l, life->stack), out);
    fprintf(out, ", weight %s, ", mpdata_units_count(life->size).text);
    const bool is_done = print_stack(l, life->stack, out);
    fputc('\n', out);
    return is_done;
}

bool log_list_print_row(const struct log_list *l,
                        const struct mpdata_event_row *row, FILE *out)
{
    const struct mpdata_event_life *const life = &row->life;
    const char *const type = type_of(l, life->stack);
    /* The call that ended the block, if it is known. */
    const uint32_t stack =
        row->is_end && life->end_stack != 0 ? life->end_stack - 1 : life->stack;
    bool is_done = true;

    if (life->is_event)
        return print_event(l, life, out);
    print_time(l, mpdata_event_row_ns(row), out);
    if (l->traits.has_threads)
        fprintf(out, "thread %-4" PRIu32 " ", thread_of(row));
    fprintf(out, "%-7s ", kind_of(row));
    if (l->traits.has_addresses)
        fprintf(out, "0x%012" PRIx64 " ", life->address);
    fprintf(out, "%10s  ", mpdata_units_bytes(life->size).text);
    if (type[0] != '\0')
        is_done = print_type(l, type, out);
    if (life->weight != 0)
        fprintf(out, "stands for %s, ",
                mpdata_units_things(life->weight, "block").text);
    if (row->is_end)
        fprintf(out, "lived %s, ",
                mpdata_foreign_log_time(
                    &l->traits, mprof_sub_sat_u64(life->end_ns, life->birth_ns))
                    .text);
    if (row->is_end && !life->is_unseen)
        fprintf(out, "accessed %s, ",
                mpdata_units_things(life->accesses, "time").text);
    if (row->is_end && life->end_stack == 0)
        fputs("allocated by ", out);
    if (!row->is_end && life->end_ns == UINT64_MAX && !l->is_tail &&
        l->traits.has_ends)
        fputs("never freed, ", out);
    is_done &= print_stack(l, stack, out);
    fputc('\n', out);
    return is_done;
}

enum mprof_err log_list_text(const struct log_list *l, FILE *out)
{
    const struct mpdata_event_row *const rows = l->list.rows.data;
    bool is_done = true;

    for (uint32_t i = 0; i < l->list.rows.count; i++)
        is_done &= log_list_print_row(l, &rows[i], out);
    if (l->list.found > l->list.rows.count)
        fprintf(out,
                "\nthe first %s of %s; --top=N prints more, --window=T1,T2 "
                "others\n",
                mpdata_units_count(l->list.rows.count).text,
                mpdata_units_things(l->list.found, "event").text);
    else if (l->list.found == 0)
        fprintf(out, l->follow != NULL ? "no block contained the address\n"
                                       : "no event fits\n");
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- JSON ------------------------------------------------------------------ */

struct writer {
    const struct log_list *l;
    struct mpdata_json_out json;
    bool has_failed;
};

static void write_stack(struct writer *w, const struct mpdata_view *view,
                        const char *key, uint32_t stack)
{
    mpdata_ref node = w->l->leaves[stack];

    mpdata_json_out_array_of(&w->json, key);
    while (node != 0) {
        const struct mpdata_node *const n = &view->nodes[node - 1];
        char *const text =
            mpdata_frame_names_text(w->l->names, &view->frames[n->frame]);

        w->has_failed |= text == NULL;
        if (text != NULL)
            mpdata_json_out_text(&w->json, text, strlen(text));
        free(text);
        node = n->parent;
    }
    mpdata_json_out_close_array(&w->json);
}

static void write_event(struct writer *w, const struct mpdata_view *view,
                        const struct mpdata_event_life *life)
{
    const struct mpdata_str name = name_of(w->l, life->stack);
    struct mpdata_json_out *const json = &w->json;

    log_json_time(json, &w->l->traits, "", life->birth_ns);
    mpdata_json_out_text_of(json, "kind", "event");
    mpdata_json_out_number_of(json, "thread", life->birth_thread);
    mpdata_json_out_string_of(json, "name", &name);
    mpdata_json_out_number_of(json, "weight", life->size);
    write_stack(w, view, "stack", life->stack);
}

static void write_block(struct writer *w, const struct mpdata_view *view,
                        const struct mpdata_event_row *row)
{
    const struct mpdata_event_life *const life = &row->life;
    const char *const type = type_of(w->l, life->stack);
    const struct mpdata_log_traits *const traits = &w->l->traits;
    struct mpdata_json_out *const json = &w->json;

    log_json_time(json, traits, "", mpdata_event_row_ns(row));
    mpdata_json_out_text_of(json, "kind", kind_of(row));
    if (traits->has_threads)
        mpdata_json_out_number_of(json, "thread", thread_of(row));
    if (traits->has_addresses)
        mpdata_json_out_id_of(json, "address", life->address);
    mpdata_json_out_number_of(json, "bytes", life->size);
    mpdata_json_out_known_number(json, "stands_for", life->weight);
    log_json_time(json, traits, "birth_", life->birth_ns);
    if (life->end_ns != UINT64_MAX)
        log_json_time(json, traits, "end_", life->end_ns);
    if (!life->is_unseen)
        mpdata_json_out_number_of(json, "accesses", life->accesses);
    if (type[0] != '\0')
        mpdata_json_out_text_of(json, "type", type);
    write_stack(w, view, "stack", life->stack);
    if (life->end_stack != 0)
        write_stack(w, view, "ended_by", life->end_stack - 1);
}

static void write_row(struct writer *w, const struct mpdata_view *view,
                      const struct mpdata_event_row *row)
{
    mpdata_json_out_row(&w->json);
    if (row->life.is_event)
        write_event(w, view, &row->life);
    else
        write_block(w, view, row);
    mpdata_json_out_close_map(&w->json);
}

enum mprof_err log_list_json(const struct log_list *l, struct mpdata_sink *sink)
{
    const struct mpdata_event_row *const rows = l->list.rows.data;
    const struct mpdata_view view = view_of(l);
    struct writer w = {.l = l};
    const bool is_there = mpdata_json_out_init(&w.json, sink);

    if (is_there) {
        mpdata_json_out_open_map(&w.json);
        mpdata_json_out_number_of(&w.json, "memprofdata_events", 1);
        mpdata_json_out_number_of(&w.json, "found", l->list.found);
        mpdata_json_out_array_of(&w.json, "events");
        for (uint32_t i = 0; i < l->list.rows.count; i++)
            write_row(&w, &view, &rows[i]);
        mpdata_json_out_close_array(&w.json);
        mpdata_json_out_close_map(&w.json);
    }
    mpdata_json_out_fini(&w.json);
    return is_there && !w.has_failed && !sink->failed ? MPROF_E_OK
                                                      : MPROF_E_NOMEM;
}
