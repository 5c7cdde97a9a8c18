/* dumps.c -- chooses which of several dumps of one run count.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/dumps.h"
#include "profdata/base/diag.h"
#include "profdata/load/parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limit of the parsed files kept in memory although they could be read again.
 */
#define HELD_BYTES_MAX ((size_t)16 << 20)

struct mpdata_dump_input {
    char *path;                 /* owned */
    struct mpdata_parsed *held; /* owned, or NULL */
};

static struct mpdata_dump_input *input_at(const struct mpdata_dumps *dumps,
                                          uint32_t i)
{
    return (struct mpdata_dump_input *)dumps->inputs.data + i;
}

static struct mpdata_dump_row *row_at(const struct mpdata_dumps *dumps,
                                      uint32_t i)
{
    return (struct mpdata_dump_row *)dumps->rows.data + i;
}

static void free_inputs(struct mpdata_dumps *dumps)
{
    for (uint32_t i = 0; i < dumps->inputs.count; i++) {
        struct mpdata_dump_input *const input = input_at(dumps, i);

        if (input->held != NULL)
            mpdata_parse_free(input->held);
        free(input->held);
        free(input->path);
    }
    mpdata_vec_fini(&dumps->inputs);
    dumps->held_bytes = 0;
}

void mpdata_dumps_fini(struct mpdata_dumps *dumps)
{
    free_inputs(dumps);
    mpdata_vec_fini(&dumps->rows);
    *dumps = (struct mpdata_dumps){.replaced = 0};
}

/* -- pending dumps --------------------------------------------------------- */

bool mpdata_dumps_is_pending(const struct mpdata_raw *raw)
{
    const uint64_t *const n = raw->numbers;
    const bool is_only = n[MPROF_RAW_META_IS_EPOCH] == 0 &&
                         n[MPROF_RAW_META_IS_DUMP] == 1 &&
                         n[MPROF_RAW_META_IS_IS_LAST] != 0;

    return n[MPROF_RAW_META_IS_DUMP] != 0 && !is_only;
}

static bool is_plain_file(const char *path)
{
    struct stat info;

    return !mpdata_file_is_standard(path) && stat(path, &info) == 0 &&
           S_ISREG(info.st_mode);
}

/* Small files are kept too, to save a second read; so are mapped logs, of which
 * little is left when they are read. Only the first profile of a
 * file is found again. */
static bool must_hold(const struct mpdata_dumps *dumps,
                      const struct mpdata_parsed *parsed, const char *path)
{
    return parsed->file.size <= HELD_BYTES_MAX - dumps->held_bytes ||
           (parsed->kind == MPDATA_KIND_LOG && parsed->file.owned == NULL) ||
           parsed->number > 1 || !is_plain_file(path);
}

static bool hold(struct mpdata_dumps *dumps, struct mpdata_dump_input *input,
                 struct mpdata_parsed *parsed)
{
    input->held = malloc(sizeof(*input->held));
    if (input->held == NULL)
        return false;
    *input->held = *parsed;
    parsed->file = (struct mpdata_file){.data = NULL};
    parsed->raw = (struct mpdata_raw_file){.dumps = NULL};
    dumps->held_bytes += mprof_min_u64(input->held->file.size,
                                       HELD_BYTES_MAX - dumps->held_bytes);
    return true;
}

bool mpdata_dumps_note(struct mpdata_dumps *dumps, struct mpdata_parsed *parsed,
                       const char *path, uint64_t weight)
{
    const struct mpdata_raw_file *const raw = &parsed->raw;

    dumps->rows.elem_bytes = sizeof(struct mpdata_dump_row);
    dumps->inputs.elem_bytes = sizeof(struct mpdata_dump_input);
    struct mpdata_dump_input *input = mpdata_vec_push(&dumps->inputs);
    if (input == NULL || (input->path = strdup(path)) == NULL)
        return false;
    for (size_t i = 0; i < raw->count; i++) {
        const uint64_t *const n = raw->dumps[i].numbers;

        if (!mpdata_dumps_is_pending(&raw->dumps[i]))
            continue;
        if (!mpdata_vec_add(&dumps->rows,
                            &(struct mpdata_dump_row){
                                .run_id = n[MPROF_RAW_META_IS_RUN_ID],
                                .weight = weight,
                                .epoch = (uint32_t)n[MPROF_RAW_META_IS_EPOCH],
                                .dump = (uint32_t)n[MPROF_RAW_META_IS_DUMP],
                                .input = dumps->inputs.count - 1,
                                .index = (uint32_t)i,
                                .has_live = true}))
            return false;
    }
    return !must_hold(dumps, parsed, path) || hold(dumps, input, parsed);
}

/* -- the choice ------------------------------------------------------------ */

/* Orders by run, epoch and dump; a row of the profile precedes pending ones of
 * the same dump. */
MPROF_COMPARATOR(compare_dumps, struct mpdata_dump_row,
                 MPROF_UP(run_id) ?: MPROF_UP(epoch) ?: MPROF_UP(dump)
                 ?: MPROF_DOWN(is_merged) ?: MPROF_UP(input) ?: MPROF_UP(index))

MPROF_COMPARATOR(compare_inputs, struct mpdata_dump_row,
                 MPROF_UP(input) ?: MPROF_UP(index))

static bool add_merged(struct mpdata_dumps *dumps,
                       const struct mpdata_view *view)
{
    for (uint32_t i = 0; i < view->run_count; i++) {
        const struct mpdata_run *const run = &view->runs[i];

        if (run->dump == 0)
            continue;
        if (!mpdata_vec_add(&dumps->rows, &(struct mpdata_dump_row){
                                              .run_id = run->run_id,
                                              .epoch = run->epoch,
                                              .dump = run->dump,
                                              .is_merged = true,
                                              .is_middle = run->is_middle != 0,
                                              .has_live = run->has_live != 0}))
            return false;
    }
    return true;
}

static bool is_same_run(const struct mpdata_dump_row *a,
                        const struct mpdata_dump_row *b)
{
    return a->run_id == b->run_id;
}

static bool is_same_epoch(const struct mpdata_dump_row *a,
                          const struct mpdata_dump_row *b)
{
    return is_same_run(a, b) && a->epoch == b->epoch;
}

/* Fails with the process id of the merged run. */
static enum mprof_err fail_merged(const struct mpdata_dumps *dumps,
                                  const struct mpdata_view *view,
                                  const struct mpdata_dump_row *merged,
                                  const struct mpdata_dump_row *latest,
                                  struct mprof_diag *diag)
{
    uint64_t pid = 0;

    for (uint32_t i = 0; i < view->run_count; i++) {
        if (view->runs[i].dump != 0 && view->runs[i].run_id == merged->run_id)
            pid = view->runs[i].pid;
    }
    mpdata_diag_text(diag, MPROF_E_OTHER_DUMP,
                     "of process %" PRIu64
                     "; merge all of its raw profiles in one command instead",
                     pid);
    if (!latest->is_merged)
        diag->file = mpdata_dumps_path(dumps, latest);
    return MPROF_E_OTHER_DUMP;
}

/* Chooses within one epoch: rows[0..count) ordered by dump. Returns the merged
 * row that would have to be removed, or NULL. */
static const struct mpdata_dump_row *choose_epoch(struct mpdata_dumps *dumps,
                                                  struct mpdata_dump_row *rows,
                                                  uint32_t count,
                                                  bool is_latest_epoch)
{
    const uint32_t latest = rows[count - 1].dump;
    struct mpdata_dump_row *chosen = NULL;

    for (uint32_t i = 0; i < count; i++) {
        struct mpdata_dump_row *const row = &rows[i];

        if (row->is_merged) {
            if (row->dump != latest || (!is_latest_epoch && row->has_live))
                return row;
        } else if (row->dump != latest) {
            dumps->replaced++;
        } else if (chosen == NULL) {
            chosen = row;
            row->counts = true;
            row->drops_live = !is_latest_epoch;
        } else {
            /* The same dump was given several times. */
            chosen->weight = mprof_add_sat_u64(chosen->weight, row->weight);
        }
    }
    return NULL;
}

static bool is_of_log(const struct mpdata_dump_row *row)
{
    return row->dump == MPDATA_RAW_DUMP_OF_LOG;
}

/* Chooses within a run of which there is a log, which stands for all dumps. If
 * the whole run is merged already, its log adds nothing. Returns the merged row
 * that would have to be removed, or NULL. */
static const struct mpdata_dump_row *choose_log(struct mpdata_dumps *dumps,
                                                struct mpdata_dump_row *rows,
                                                uint32_t count)
{
    struct mpdata_dump_row *chosen = NULL;
    bool is_whole = false;

    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_dump_row *const row = &rows[i];

        if (!row->is_merged)
            continue;
        if (is_whole ||
            (!is_of_log(row) && (row->is_middle || row->epoch != 0)))
            return row;
        is_whole = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct mpdata_dump_row *const row = &rows[i];

        if (row->is_merged)
            continue;
        if (is_whole || !is_of_log(row)) {
            dumps->replaced++;
        } else if (chosen == NULL) {
            chosen = row;
            row->counts = true;
        } else {
            chosen->weight = mprof_add_sat_u64(chosen->weight, row->weight);
        }
    }
    return NULL;
}

/* Chooses within one run: rows[0..count) ordered by epoch. Returns the merged
 * row that would have to be removed, or NULL. */
static const struct mpdata_dump_row *choose_run(struct mpdata_dumps *dumps,
                                                struct mpdata_dump_row *rows,
                                                uint32_t count)
{
    const struct mpdata_dump_row *bad = NULL;

    for (uint32_t i = 0; i < count; i++) {
        if (is_of_log(&rows[i]))
            return choose_log(dumps, rows, count);
    }
    for (uint32_t i = 0; i < count && bad == NULL;) {
        uint32_t end = i + 1;

        while (end < count && is_same_epoch(&rows[i], &rows[end]))
            end++;
        bad = choose_epoch(dumps, rows + i, end - i, end == count);
        i = end;
    }
    return bad;
}

enum mprof_err mpdata_dumps_choose(struct mpdata_dumps *dumps,
                                   const struct mpdata_view *view,
                                   struct mprof_diag *diag)
{
    const struct mpdata_dump_row *bad = NULL;
    uint32_t count;

    /* Fast path: a single profile, without pending dumps. */
    if (dumps->rows.count == 0 && dumps->added < 2)
        return MPROF_E_OK;
    dumps->rows.elem_bytes = sizeof(struct mpdata_dump_row);
    if (!add_merged(dumps, view))
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    struct mpdata_dump_row *rows = row_at(dumps, 0);
    count = dumps->rows.count;
    if (count != 0)
        qsort(rows, count, sizeof(*rows), compare_dumps);
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;

        while (end < count && is_same_run(&rows[i], &rows[end]))
            end++;
        bad = choose_run(dumps, rows + i, end - i);
        if (bad != NULL)
            return fail_merged(dumps, view, bad, &rows[end - 1], diag);
        i = end;
    }
    if (count != 0)
        qsort(rows, count, sizeof(*rows), compare_inputs);
    dumps->are_chosen = true;
    dumps->next = 0;
    return MPROF_E_OK;
}

/* -- the chosen dumps ------------------------------------------------------ */

const struct mpdata_dump_row *mpdata_dumps_next(struct mpdata_dumps *dumps)
{
    while (dumps->next < dumps->rows.count) {
        const struct mpdata_dump_row *const row = row_at(dumps, dumps->next++);

        if (row->counts)
            return row;
    }
    dumps->rows.count = 0;
    dumps->next = 0;
    dumps->are_chosen = false;
    free_inputs(dumps);
    return NULL;
}

const char *mpdata_dumps_path(const struct mpdata_dumps *dumps,
                              const struct mpdata_dump_row *row)
{
    return input_at(dumps, row->input)->path;
}

struct mpdata_parsed *mpdata_dumps_held(const struct mpdata_dumps *dumps,
                                        const struct mpdata_dump_row *row)
{
    return input_at(dumps, row->input)->held;
}
