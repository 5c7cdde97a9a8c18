/* log_list.c -- finds and prints single events of a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/log_list.h"
#include "profdata/base/json_out.h"
#include "profdata/base/units.h"
#include "profdata/query/frame_names.h"
#include "shared/detail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Functions of a line, without --full-stacks. */
#define SHORT_STACK 5u

int log_list_take_size(const struct cmd_arg *arg)
{
    struct log_list *const l = arg->field;
    const char *const dash = strchr(arg->value, '-');
    char low[32] = "";

    if (dash == NULL && cmd_bytes(arg->value, UINT64_MAX, &l->size_min)) {
        l->size_max = l->size_min;
        return 0;
    }
    if (dash != NULL && (size_t)(dash - arg->value) < sizeof(low)) {
        memcpy(low, arg->value, (size_t)(dash - arg->value));
        l->size_max = UINT64_MAX;
        if (cmd_bytes(low, UINT64_MAX, &l->size_min) &&
            (dash[1] == '\0' || cmd_bytes(dash + 1, UINT64_MAX, &l->size_max)))
            return 0;
    }
    return cmd_usage(arg->command, "--%s=%s: not a size like 64, 1K-4K or 1M-",
                     arg->option->name, arg->value);
}

/* -- call stacks ----------------------------------------------------------- */

/* Calls visit for the functions of a call stack, innermost first, until it
 * returns false. */
static void visit_stack(const struct log_list *l,
                        const struct mpdata_view *view, uint32_t stack,
                        bool (*visit)(void *context,
                                      const struct mpdata_frame *frame),
                        void *context)
{
    mpdata_ref node = mpdata_event_stacks_at(&l->stacks, stack)->node;
    bool goes_on = true;

    for (bool is_top = true; node != 0 && goes_on;
         node = l->raw.nodes[node - 1].parent) {
        const struct mpdata_symbolized *const s =
            &l->symbols[l->raw.nodes[node - 1].frame];

        if (s->is_runtime || (is_top && s->is_runtime_top))
            continue;
        is_top = false;
        for (uint32_t i = 0; i < s->count && goes_on; i++)
            goes_on = visit(context, &view->frames[s->frames[i] - 1]);
    }
}

struct match {
    struct log_list *l;
    bool fits;
};

static bool match_frame(void *context, const struct mpdata_frame *frame)
{
    struct match *const m = context;
    const char *const name = mpdata_frame_names_function(m->l->names, frame);

    m->fits = filter_options_fits(&m->l->function, name, &m->l->has_failed);
    return !m->fits;
}

static bool choose_stacks(struct log_list *l, const struct mpdata_view *view)
{
    const uint32_t count = l->stacks.rows.count;

    l->keeps_stack = mpdata_vec_array(count, sizeof(*l->keeps_stack));
    for (uint32_t i = 0; l->keeps_stack != NULL && i < count; i++) {
        struct match m = {.l = l, .fits = l->function.text == NULL};

        if (!m.fits)
            visit_stack(l, view, i, match_frame, &m);
        l->keeps_stack[i] = m.fits;
    }
    return l->keeps_stack != NULL && !l->has_failed;
}

static enum mprof_err read_stacks(struct log_list *l, struct session *session,
                                  const struct mpdata_file *file,
                                  struct mprof_diag *diag)
{
    struct session_profile *const p = &session->profiles[SESSION_NEW];
    enum mprof_err err;

    mpdata_event_stacks_init(&l->stacks);
    err = mpdata_event_rows_stacks(&l->stacks, file->data, file->size, diag);
    if (err == MPROF_E_OK && !mpdata_event_stacks_finish(&l->stacks, &l->raw))
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    l->raw.kind = MPROF_RUN_MEMPROF;
    if (err == MPROF_E_OK)
        err = mpdata_symbolize_frames(&p->load, &l->raw, session->words[0],
                                      &l->symbols, diag);
    if (err != MPROF_E_OK)
        return err;
    const struct mpdata_view view = mpdata_profile_view(p->content.profile);
    l->names = mpdata_frame_names_new(p->content.profile, &session->demangler);
    return l->names != NULL && choose_stacks(l, &view)
               ? MPROF_E_OK
               : mprof_err_fail(diag, MPROF_E_NOMEM, NULL,
                                MPROF_DIAG_NO_OFFSET);
}

/* -- the choice ------------------------------------------------------------ */

static bool keeps(void *context, const struct mpdata_event_life *life,
                  bool is_end)
{
    const struct log_list *const l = context;
    const bool is_replaced = life->end_kind == MPROF_DETAIL_REALLOC;

    if (!l->keeps_stack[life->stack] || life->size < l->size_min ||
        life->size > l->size_max ||
        (l->thread != 0 &&
         l->thread != (is_end ? life->end_thread : life->birth_thread)))
        return false;
    if (l->follow != NULL && l->choice.at != NULL &&
        !mpdata_event_choice_has(&l->choice, life->birth_ns, life->end_ns, 0))
        return false;
    return l->kind == LOG_LIST_ALL || (l->kind == LOG_LIST_ALLOC && !is_end) ||
           (l->kind == LOG_LIST_FREE && is_end && !is_replaced) ||
           (l->kind == LOG_LIST_REALLOC && is_end && is_replaced);
}

/* ADDR[@TIME] of --follow, and the times of --window. */
static enum mprof_err find_times(struct log_list *l, struct session *session,
                                 const struct mpdata_file *file,
                                 struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;
    char *end;

    l->list.to_ns = UINT64_MAX;
    l->list.has_address = l->follow != NULL;
    if (l->follow != NULL) {
        l->list.address = strtoull(l->follow, &end, 16);
        if (end == l->follow || (*end != '\0' && *end != '@'))
            return mpdata_diag_fail(diag, MPROF_E_USAGE, NULL,
                                    MPROF_DIAG_NO_OFFSET,
                                    "--follow=%.60s is no address like "
                                    "0x7f001234 or 0x7f001234@1.5s",
                                    l->follow);
        l->choice.at = *end == '@' ? end + 1 : NULL;
    }
    if (l->choice.at != NULL)
        err =
            mpdata_event_choice_find(&l->choice, file->data, file->size, diag);
    l->choice.peak = 0;
    if (err == MPROF_E_OK && session->choice.window != NULL) {
        err = mpdata_event_choice_find(&session->choice, file->data, file->size,
                                       diag);
        l->list.from_ns = session->choice.from_ns;
        l->list.to_ns = session->choice.at_ns;
    }
    return err;
}

int log_list_find(struct log_list *l, struct session *session,
                  const struct mpdata_file *file)
{
    struct session_profile *const p = &session->profiles[SESSION_NEW];
    char text[MPROF_DIAG_TEXT_BYTES * 2];
    struct mprof_diag diag;
    enum mprof_err err;
    int status = session_open(session, p);

    if (status != 0)
        return status;
    l->list.max = (uint32_t)mprof_max_u64(session->show.top, 1);
    l->list.keeps = keeps;
    l->list.context = l;
    err = find_times(l, session, file, &diag);
    if (err == MPROF_E_OK)
        err = read_stacks(l, session, file, &diag);
    if (err == MPROF_E_OK)
        err = mpdata_event_rows_read(&l->list, file->data, file->size, &diag);
    if (err != MPROF_E_OK) {
        diag.file = session->words[0];
        return cmd_fail(&diag);
    }
    if (l->list.rest.err != MPROF_E_OK)
        mpdata_diag_warn(
            &session->warn, session->words[0],
            "%s; what stands before it is used",
            mpdata_diag_sentence(&l->list.rest, text, sizeof(text)));
    return 0;
}

void log_list_fini(struct log_list *l)
{
    mpdata_event_rows_fini(&l->list);
    mpdata_frame_names_free(l->names);
    free(l->symbols);
    free(l->keeps_stack);
    mpdata_raw_free(&l->raw);
    mpdata_event_stacks_fini(&l->stacks);
    filter_options_free_regex(&l->function);
}

/* -- text ------------------------------------------------------------------ */

struct print {
    const struct log_list *l;
    FILE *out;
    uint32_t count;
    uint32_t max;
    bool has_failed;
};

static bool print_frame(void *context, const struct mpdata_frame *frame)
{
    struct print *const p = context;
    char *const text = mpdata_frame_names_text(p->l->names, frame);

    p->has_failed |= text == NULL;
    if (p->count == p->max)
        fputs(" ...", p->out);
    else
        fprintf(p->out, "%s%s", p->count != 0 ? " < " : "",
                text != NULL ? text : "");
    free(text);
    return p->count++ != p->max;
}

static bool print_stack(const struct log_list *l, const struct session *session,
                        uint32_t stack, FILE *out)
{
    const struct mpdata_view view =
        mpdata_profile_view(session_profile(session, SESSION_NEW));
    struct print p = {.l = l,
                      .out = out,
                      .max =
                          session->show.full_stacks ? UINT32_MAX : SHORT_STACK};

    visit_stack(l, &view, stack, print_frame, &p);
    return !p.has_failed;
}

static const char *kind_of(const struct mpdata_event_row *row)
{
    if (!row->is_end)
        return "alloc";
    return row->life.end_kind == MPROF_DETAIL_REALLOC ? "realloc" : "free";
}

static bool print_row(const struct log_list *l, const struct session *session,
                      const struct mpdata_event_row *row, FILE *out)
{
    const struct mpdata_event_life *const life = &row->life;
    /* The call that ended the block, if it is known. */
    const uint32_t stack =
        row->is_end && life->end_stack != 0 ? life->end_stack - 1 : life->stack;
    bool is_done = true;

    fprintf(out, "%14.9f s  thread %-4" PRIu32 " %-7s 0x%012" PRIx64 " %10s  ",
            (double)mpdata_event_row_ns(row) / 1e9,
            row->is_end ? life->end_thread : life->birth_thread, kind_of(row),
            life->address, mpdata_units_bytes(life->size).text);
    if (row->is_end)
        fprintf(out, "lived %s, ",
                mpdata_units_ns(mprof_sub_sat_u64(life->end_ns, life->birth_ns))
                    .text);
    if (row->is_end && !life->is_unseen)
        fprintf(out, "accessed %s, ",
                mpdata_units_things(life->accesses, "time").text);
    if (row->is_end && life->end_stack == 0)
        fputs("allocated by ", out);
    if (!row->is_end && life->end_ns == UINT64_MAX)
        fputs("never freed, ", out);
    is_done = print_stack(l, session, stack, out);
    fputc('\n', out);
    return is_done;
}

enum mprof_err log_list_text(const struct log_list *l,
                             const struct session *session, FILE *out)
{
    const struct mpdata_event_row *const rows = l->list.rows.data;
    bool is_done = true;

    for (uint32_t i = 0; i < l->list.rows.count; i++)
        is_done &= print_row(l, session, &rows[i], out);
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

static bool write_frame(void *context, const struct mpdata_frame *frame)
{
    struct writer *const w = context;
    char *const text = mpdata_frame_names_text(w->l->names, frame);

    w->has_failed |= text == NULL;
    if (text != NULL)
        mpdata_json_out_text(&w->json, text, strlen(text));
    free(text);
    return true;
}

static void write_stack(struct writer *w, const struct mpdata_view *view,
                        const char *key, uint32_t stack)
{
    mpdata_json_out_array_of(&w->json, key);
    visit_stack(w->l, view, stack, write_frame, w);
    mpdata_json_out_close_array(&w->json);
}

static void write_row(struct writer *w, const struct mpdata_view *view,
                      const struct mpdata_event_row *row)
{
    const struct mpdata_event_life *const life = &row->life;
    struct mpdata_json_out *const json = &w->json;

    mpdata_json_out_row(json);
    mpdata_json_out_number_of(json, "ns", mpdata_event_row_ns(row));
    mpdata_json_out_text_of(json, "kind", kind_of(row));
    mpdata_json_out_number_of(
        json, "thread", row->is_end ? life->end_thread : life->birth_thread);
    mpdata_json_out_id_of(json, "address", life->address);
    mpdata_json_out_number_of(json, "bytes", life->size);
    mpdata_json_out_number_of(json, "birth_ns", life->birth_ns);
    if (life->end_ns != UINT64_MAX)
        mpdata_json_out_number_of(json, "end_ns", life->end_ns);
    if (!life->is_unseen)
        mpdata_json_out_number_of(json, "accesses", life->accesses);
    write_stack(w, view, "stack", life->stack);
    if (life->end_stack != 0)
        write_stack(w, view, "ended_by", life->end_stack - 1);
    mpdata_json_out_close_map(json);
}

enum mprof_err log_list_json(const struct log_list *l,
                             const struct session *session,
                             struct mpdata_sink *sink)
{
    const struct mpdata_event_row *const rows = l->list.rows.data;
    const struct mpdata_view view =
        mpdata_profile_view(session_profile(session, SESSION_NEW));
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
