/* use_log.c -- logs of how compilations used a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/use_log.h"
#include "shared/abi.h"
#include "shared/digit.h"

#include <stdlib.h>
#include <string.h>

const struct mpdata_use_word mpdata_use_states[MPDATA_USE_STATES] = {
#define MPROF_USE_STATE(id, word, help) {word, help},
#include "shared/use_log.inc"
};

const struct mpdata_use_word mpdata_use_outcomes[MPDATA_USE_OUTCOMES] = {
#define MPROF_USE_OUTCOME(id, word, help) {word, help},
#include "shared/use_log.inc"
};

/* -- lines ----------------------------------------------------------------- */

enum line {
#define MPROF_USE_LINE(id, word, help) LINE_##id,
#include "shared/use_log.inc"
    LINES
};

static const char *const line_words[LINES] = {
#define MPROF_USE_LINE(id, word, help) word,
#include "shared/use_log.inc"
};

enum type { NUMBER, GUID, WORD, TEXT };

/* The fields of all lines. */
enum field {
#define MPROF_USE_FIELD(line, id, name, type, help) line##_##id,
#include "shared/use_log.inc"
    FIELDS
};

static const struct {
    enum line line;
    enum type type;
} fields[FIELDS] = {
#define MPROF_USE_FIELD(line, id, name, type, help) {LINE_##line, type},
#include "shared/use_log.inc"
};

/* The value of a field: a number or text. */
struct value {
    uint64_t number;
    const char *text;
};

/* Parses a whole number without other characters. */
static bool parse_number(const char *text, unsigned base, uint64_t *number)
{
    *number = 0;
    if (text[0] == '\0')
        return false;
    for (; *text != '\0'; text++) {
        const unsigned digit = mprof_digit(*text);

        if (digit >= base || *number > (UINT64_MAX - digit) / base)
            return false;
        *number = *number * base + digit;
    }
    return true;
}

static bool find_word(const struct mpdata_use_word *words, int count,
                      const char *text, int *found)
{
    for (*found = 0; *found < count; ++*found) {
        if (strcmp(words[*found].word, text) == 0)
            return true;
    }
    return false;
}

/* Returns the text up to the next tab, which becomes a NUL; NULL at the end. */
static char *next_field(char **rest)
{
    char *const field = *rest;
    char *const tab = field != NULL ? strchr(field, '\t') : NULL;

    *rest = tab != NULL ? tab + 1 : NULL;
    if (tab != NULL)
        *tab = '\0';
    return field;
}

/* Parses the fields after the line's word. */
static bool parse_fields(enum line line, char *rest,
                         struct value values[FIELDS])
{
    for (int f = 0; f < FIELDS; f++) {
        const char *text;

        if (fields[f].line != line)
            continue;
        text = next_field(&rest);
        if (text == NULL)
            return false;
        values[f].text = text;
        if (fields[f].type == NUMBER &&
            !parse_number(text, 10, &values[f].number))
            return false;
        if (fields[f].type == GUID &&
            !parse_number(text, 16, &values[f].number))
            return false;
    }
    return true;
}

/* -- entries
 * ---------------------------------------------------------------- */

static enum mprof_err take_module(struct mpdata_use_log *log,
                                  const struct value values[FIELDS])
{
    struct mpdata_use_module *module;

    if (values[MODULE_VERSION].number != MPROF_USE_LOG_VERSION)
        return MPROF_E_VERSION;
    module = mpdata_vec_push(&log->modules);
    if (module == NULL)
        return MPROF_E_NOMEM;
    *module =
        (struct mpdata_use_module){.name = values[MODULE_NAME].text,
                                   .profile = values[MODULE_PROFILE].text};
    return MPROF_E_OK;
}

static enum mprof_err take_function(struct mpdata_use_log *log,
                                    const struct value values[FIELDS])
{
    struct mpdata_use_function *f;
    int state;

    if (!find_word(mpdata_use_states, MPDATA_USE_STATES,
                   values[FUNCTION_STATE].text, &state) ||
        values[FUNCTION_FOUND].number > values[FUNCTION_PLACES].number)
        return MPROF_E_VALUE;
    f = mpdata_vec_push(&log->functions);
    if (f == NULL)
        return MPROF_E_NOMEM;
    *f = (struct mpdata_use_function){.guid = values[FUNCTION_GUID].number,
                                      .state = (enum mpdata_use_state)state,
                                      .places = values[FUNCTION_PLACES].number,
                                      .found = values[FUNCTION_FOUND].number,
                                      .name = values[FUNCTION_NAME].text,
                                      .module = log->modules.count - 1};
    return MPROF_E_OK;
}

static enum mprof_err take_site(struct mpdata_use_log *log,
                                const struct value values[FIELDS])
{
    struct mpdata_use_site *site;
    int outcome;

    if (!find_word(mpdata_use_outcomes, MPDATA_USE_OUTCOMES,
                   values[SITE_OUTCOME].text, &outcome))
        return MPROF_E_VALUE;
    site = mpdata_vec_push(&log->sites);
    if (site == NULL)
        return MPROF_E_NOMEM;
    *site =
        (struct mpdata_use_site){.id = values[SITE_ID].number,
                                 .outcome = (enum mpdata_use_outcome)outcome,
                                 .stacks = values[SITE_STACKS].number,
                                 .bytes = values[SITE_BYTES].number,
                                 .cold_bytes = values[SITE_COLD_BYTES].number,
                                 .hot_bytes = values[SITE_HOT_BYTES].number,
                                 .callee = values[SITE_CALLEE].text,
                                 .function = values[SITE_FUNCTION].text,
                                 .place = values[SITE_PLACE].text,
                                 .module = log->modules.count - 1};
    return MPROF_E_OK;
}

/* A file must begin with the line of a module; unknown lines are skipped. */
static enum mprof_err take_line(struct mpdata_use_log *log, char *line,
                                bool is_first)
{
    struct value values[FIELDS] = {{.number = 0}};
    const char *const word = next_field(&line);
    int kind = 0;

    while (kind < LINES && strcmp(word, line_words[kind]) != 0)
        kind++;
    if (is_first && kind != LINE_MODULE)
        return MPROF_E_VALUE;
    if (kind == LINES)
        return MPROF_E_OK;
    if (!parse_fields((enum line)kind, line, values))
        return MPROF_E_VALUE;
    switch ((enum line)kind) {
    case LINE_MODULE:
        return take_module(log, values);
    case LINE_FUNCTION:
        return take_function(log, values);
    case LINE_SITE:
        return take_site(log, values);
    case LINES:
        break;
    }
    return MPROF_E_VALUE;
}

/* -- a file ---------------------------------------------------------------- */

void mpdata_use_log_init(struct mpdata_use_log *log)
{
    *log = (struct mpdata_use_log){
        .texts = {.elem_bytes = sizeof(char *)},
        .modules = {.elem_bytes = sizeof(struct mpdata_use_module)},
        .functions = {.elem_bytes = sizeof(struct mpdata_use_function)},
        .sites = {.elem_bytes = sizeof(struct mpdata_use_site)}};
}

void mpdata_use_log_fini(struct mpdata_use_log *log)
{
    for (uint32_t i = 0; i < log->texts.count; i++)
        free(((char **)log->texts.data)[i]);
    mpdata_vec_fini(&log->texts);
    mpdata_vec_fini(&log->modules);
    mpdata_vec_fini(&log->functions);
    mpdata_vec_fini(&log->sites);
}

/* Makes a copy that is cut into lines and fields; the log owns it. */
static char *keep_text(struct mpdata_use_log *log, const char *text,
                       size_t size)
{
    char **const row = mpdata_vec_push(&log->texts);
    char *const copy = row != NULL ? malloc(size + 1) : NULL;

    if (copy == NULL)
        return NULL;
    if (size != 0)
        memcpy(copy, text, size);
    copy[size] = '\0';
    return *row = copy;
}

/* Skips the last line, which has no end; an only line must begin like a log. */
static enum mprof_err take_cut(struct mpdata_use_log *log, const char *line)
{
    const char *const word = line_words[LINE_MODULE];

    if (log->bad_line == 1 && strncmp(line, word, strlen(word)) != 0)
        return MPROF_E_VALUE;
    log->cut_line = log->bad_line;
    return MPROF_E_OK;
}

enum mprof_err mpdata_use_log_read(struct mpdata_use_log *log, const char *text,
                                   size_t size)
{
    char *line = keep_text(log, text, size);
    const char *const end = line + size;
    enum mprof_err err = MPROF_E_OK;

    log->bad_line = 0;
    log->cut_line = 0;
    if (line == NULL)
        return MPROF_E_NOMEM;
    while (line < end && err == MPROF_E_OK) {
        char *const stop = memchr(line, '\n', (size_t)(end - line));

        log->bad_line++;
        /* Lines have no NUL, and are complete unless the disk was full. */
        if (memchr(line, '\0', (size_t)((stop != NULL ? stop : end) - line)) !=
            NULL)
            return MPROF_E_VALUE;
        if (stop == NULL)
            return take_cut(log, line);
        *stop = '\0';
        err = take_line(log, line, log->bad_line == 1);
        line = stop + 1;
    }
    return err;
}

/* -- sums ------------------------------------------------------------------ */

/* By name and profile, the latest first. */
static int compare_modules(const void *left, const void *right)
{
    const struct mpdata_use_module *const a =
        *(const struct mpdata_use_module *const *)left;
    const struct mpdata_use_module *const b =
        *(const struct mpdata_use_module *const *)right;
    int order = strcmp(a->name, b->name);

    if (order == 0)
        order = strcmp(a->profile, b->profile);
    return order != 0 ? order : (a < b) - (a > b);
}

static bool find_replaced(struct mpdata_use_log *log)
{
    struct mpdata_use_module *const modules = log->modules.data;
    const uint32_t count = log->modules.count;
    struct mpdata_use_module **const sorted =
        mpdata_vec_array(count, sizeof(*sorted));

    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &modules[i];
    if (count != 0)
        qsort((void *)sorted, count, sizeof(*sorted), compare_modules);
    for (uint32_t i = 1; i < count; i++) {
        sorted[i]->is_replaced =
            strcmp(sorted[i]->name, sorted[i - 1]->name) == 0 &&
            strcmp(sorted[i]->profile, sorted[i - 1]->profile) == 0;
        log->replaced += sorted[i]->is_replaced;
    }
    free((void *)sorted);
    return true;
}

static void add_to(uint64_t *sum, uint64_t value)
{
    *sum = mprof_add_sat_u64(*sum, value);
}

static void add_function(struct mpdata_use_sums *sums,
                         const struct mpdata_use_function *f)
{
    sums->functions[f->state]++;
    add_to(&sums->places, f->places);
    add_to(&sums->found, f->found);
}

static void add_site(struct mpdata_use_sums *sums,
                     const struct mpdata_use_site *site)
{
    const uint64_t both = mprof_add_sat_u64(site->cold_bytes, site->hot_bytes);

    sums->sites[site->outcome]++;
    add_to(&sums->bytes, site->bytes);
    switch (site->outcome) {
    case MPDATA_USE_OUTCOME_COLD:
    case MPDATA_USE_OUTCOME_CLONED:
        add_to(&sums->cold_bytes, site->cold_bytes);
        add_to(&sums->lost_bytes, site->hot_bytes);
        break;
    case MPDATA_USE_OUTCOME_HOT:
        add_to(&sums->hot_bytes, site->hot_bytes);
        add_to(&sums->lost_bytes, site->cold_bytes);
        break;
    case MPDATA_USE_OUTCOME_LINK:
        add_to(&sums->link_bytes, both);
        break;
    case MPDATA_USE_OUTCOME_DENSE:
    case MPDATA_USE_OUTCOME_POOL:
    case MPDATA_USE_OUTCOME_CLONED_POOL:
    case MPDATA_USE_OUTCOME_NONE:
    case MPDATA_USE_OUTCOME_MIXED:
    case MPDATA_USE_OUTCOMES:
        add_to(&sums->lost_bytes, both);
        break;
    }
}

/* Equal GUIDs next to each other, the worst state first. */
MPROF_COMPARATOR(compare_functions, struct mpdata_use_function,
                 MPROF_UP(guid) ?: MPROF_DOWN(state) ?: MPROF_UP(module))

MPROF_COMPARATOR(compare_sites, struct mpdata_use_site,
                 MPROF_UP(id) ?: MPROF_DOWN(module))

static void finish_functions(struct mpdata_use_log *log)
{
    struct mpdata_use_module *const modules = log->modules.data;
    struct mpdata_use_function *const rows = log->functions.data;
    uint32_t kept = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < log->functions.count; i++) {
        if (modules[rows[i].module].is_replaced)
            continue;
        add_function(&modules[rows[i].module].sums, &rows[i]);
        rows[kept++] = rows[i];
    }
    if (kept != 0)
        qsort(rows, kept, sizeof(*rows), compare_functions);
    for (uint32_t i = 0; i < kept; i++) {
        if (count != 0 && rows[count - 1].guid == rows[i].guid)
            continue;
        add_function(&log->sums, &rows[i]);
        rows[count++] = rows[i];
    }
    log->functions.count = count;
}

static void finish_sites(struct mpdata_use_log *log)
{
    struct mpdata_use_module *const modules = log->modules.data;
    struct mpdata_use_site *const rows = log->sites.data;
    uint32_t kept = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < log->sites.count; i++) {
        if (modules[rows[i].module].is_replaced)
            continue;
        add_site(&modules[rows[i].module].sums, &rows[i]);
        rows[kept++] = rows[i];
    }
    if (kept != 0)
        qsort(rows, kept, sizeof(*rows), compare_sites);
    for (uint32_t i = 0; i < kept; i++) {
        if (count != 0 && rows[count - 1].id == rows[i].id)
            continue;
        add_site(&log->sums, &rows[i]);
        rows[count++] = rows[i];
    }
    log->sites.count = count;
}

enum mprof_err mpdata_use_log_finish(struct mpdata_use_log *log)
{
    if (!find_replaced(log))
        return MPROF_E_NOMEM;
    finish_functions(log);
    finish_sites(log);
    return MPROF_E_OK;
}
