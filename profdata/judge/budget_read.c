/* budget_read.c -- reads a file of limits.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/lines.h"
#include "profdata/judge/advice.h"
#include "profdata/judge/budget.h"

#include <stdio.h>
#include <string.h>

#define SPACES " \t\r"
#define BASELINE "baseline"

/* Removes outer spaces and a comment: '#' at the start or after a space. */
static char *trim(char *text)
{
    size_t size;

    for (char *c = strchr(text, '#'); c != NULL; c = strchr(c + 1, '#')) {
        if (c == text || strchr(SPACES, c[-1]) != NULL) {
            *c = '\0';
            break;
        }
    }
    text += strspn(text, SPACES);
    size = strlen(text);
    while (size != 0 && strchr(SPACES, text[size - 1]) != NULL)
        size--;
    text[size] = '\0';
    return text;
}

/* "baseline = PATH" */
static bool is_baseline(const char *text)
{
    const size_t size = strlen(BASELINE);

    return strncmp(text, BASELINE, size) == 0 &&
           text[size + strspn(text + size, SPACES)] == '=';
}

static enum mprof_err read_match(struct mpdata_budget *b,
                                 struct mpdata_budget_limit *limit,
                                 const char *match)
{
    char why[80];
    const int error = regcomp(&limit->regex, match, REG_EXTENDED | REG_NOSUB);

    if (error == REG_ESPACE)
        return MPROF_E_NOMEM;
    if (error != 0) {
        regerror(error, &limit->regex, why, sizeof(why));
        return mpdata_budget_fail(b, limit->line, "%.80s: %s", match, why);
    }
    limit->match = match;
    return MPROF_E_OK;
}

/* Reads "SCOPE:REGEX:" before the conditions, which have no colons. */
static enum mprof_err read_scope(struct mpdata_budget *b,
                                 struct mpdata_budget_limit *limit, char *text)
{
    char *const colon = strrchr(text, ':');
    char *const first = strchr(text, ':');

    limit->text = text;
    if (colon == NULL)
        return MPROF_E_OK;
    *first = '\0';
    text = trim(text);
    limit->text = trim(colon + 1);
    for (int i = MPDATA_BUDGET_FUNCTION; i <= MPDATA_BUDGET_ADVICE; i++) {
        if (strcmp(text, mpdata_budget_scope_name(
                             (enum mpdata_budget_scope)i)) != 0 ||
            colon == first)
            continue;
        *colon = '\0';
        limit->scope = (enum mpdata_budget_scope)i;
        return read_match(b, limit, trim(first + 1));
    }
    return mpdata_budget_fail(
        b, limit->line,
        "%.40s:%s is neither function:REGEX: nor file:REGEX: nor "
        "type:REGEX: nor advice:REGEX:",
        text, colon == first ? "" : "REGEX:");
}

/* Advice has the savings only. */
static bool is_of_advice(const struct mpdata_budget_limit *limit)
{
    for (size_t i = 0; i < limit->condition_count; i++) {
        const struct mpdata_metric_filter *const c = &limit->conditions[i];

        if (c->is_growth || c->is_ratio ||
            c->metric != limit->conditions[0].metric ||
            (c->metric != MPDATA_METRIC_BYTES &&
             c->metric != MPDATA_METRIC_BLOCKS &&
             c->metric != MPDATA_METRIC_ACCESSES))
            return false;
    }
    return true;
}

static bool is_known_advice(const struct mpdata_budget_limit *limit)
{
    int kind = 0;

    while (kind < MPDATA_ADVICE_KIND_COUNT &&
           !mpdata_budget_is_kind(limit, kind))
        kind++;
    return kind < MPDATA_ADVICE_KIND_COUNT;
}

static enum mprof_err read_limit(struct mpdata_budget *b,
                                 struct mpdata_budget_limit *limit, char *text)
{
    const enum mprof_err err = read_scope(b, limit, text);

    if (err != MPROF_E_OK)
        return err;
    limit->condition_count = mpdata_metric_filter_parse(
        limit->text, true, limit->conditions, MPDATA_BUDGET_CONDITIONS_MAX);
    if (limit->scope == MPDATA_BUDGET_ADVICE && !is_of_advice(limit))
        return mpdata_budget_fail(
            b, limit->line,
            "a limit of advice is one of bytes, blocks or accesses");
    if (limit->scope == MPDATA_BUDGET_ADVICE && !is_known_advice(limit))
        return mpdata_budget_fail(
            b, limit->line,
            "%.60s fits no kind of advice (see memprofdata advise "
            "--help)",
            limit->match);
    if (limit->condition_count != 0)
        return MPROF_E_OK;
    return mpdata_budget_fail(
        b, limit->line,
        "%.60s%s: expected a condition like bytes <= 64M, leaked = 0 "
        "or blocks-growth <= 5%%; metrics are" MPDATA_METRIC_WORDS,
        limit->text, strlen(limit->text) > 60 ? "..." : "");
}

static enum mprof_err take_line(void *context, char *line, uint32_t number)
{
    struct mpdata_budget *const b = context;
    char *const text = trim(line);
    struct mpdata_budget_limit *limit;

    if (is_baseline(text)) {
        b->baseline = trim(strchr(text, '=') + 1);
        return MPROF_E_OK;
    }
    limit = mpdata_vec_push(&b->limits);
    if (limit == NULL)
        return MPROF_E_NOMEM;
    *limit = (struct mpdata_budget_limit){.line = number};
    return read_limit(b, limit, text);
}

enum mprof_err mpdata_budget_read(struct mpdata_budget *b, const char *text,
                                  size_t size)
{
    enum mprof_err err;

    *b = (struct mpdata_budget){
        .limits = {.elem_bytes = sizeof(struct mpdata_budget_limit)}};
    err = mpdata_lines_read(text, size, take_line, b, &b->text, &b->bad_line);
    if (err == MPROF_E_VALUE && b->why[0] == '\0')
        return mpdata_budget_fail(b, b->bad_line,
                                  "the line contains a NUL byte");
    if (err == MPROF_E_OK && b->limits.count == 0)
        return mpdata_budget_fail(b, 1, "the file contains no limits");
    return err;
}
