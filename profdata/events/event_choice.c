/* event_choice.c -- finds the moments that a user wrote in a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_choice.h"
#include "profdata/base/diag.h"
#include "profdata/base/units.h"
#include "profdata/events/event_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters of names of marks in a sentence. */
#define NAMES_BYTES 120

/* A log, and what is known of it. */
struct search {
    const uint8_t *data;
    size_t size;
    struct mpdata_event_stats marks;
    struct mpdata_event_stats all; /* if it was needed */
    bool has_all;
    uint32_t peak; /* number of the peak, if the moment is one */
    bool may_note_peak;
    uint64_t peak_bytes;
    struct mprof_diag *diag;
};

static enum mprof_err need_all(struct search *s)
{
    if (s->has_all)
        return MPROF_E_OK;
    s->has_all = true;
    return mpdata_event_stats_read(&s->all, s->data, s->size, 0, s->diag);
}

static enum mprof_err find_end(struct search *s, uint64_t *ns)
{
    enum mprof_err err = MPROF_E_OK;

    *ns = s->marks.duration_ns;
    if (*ns == 0)
        err = need_all(s);
    if (err == MPROF_E_OK && *ns == 0)
        *ns = s->all.duration_ns;
    return err;
}

static enum mprof_err find_peak(struct search *s, uint64_t *ns)
{
    const struct mpdata_event_stats *const marks = &s->marks;
    enum mprof_err err;

    if (s->may_note_peak && marks->is_whole && marks->has_peak) {
        *ns = marks->peak_ns;
        s->peak = marks->peak;
        s->peak_bytes = marks->peak_bytes;
        return MPROF_E_OK;
    }
    if (!marks->traits.has_ends)
        return mpdata_diag_text(s->diag, MPROF_E_USAGE,
                                "the log does not tell which objects ended, so "
                                "its peak is unknown");
    err = need_all(s);
    if (err != MPROF_E_OK)
        return err;
    *ns = s->all.peak_ns;
    s->peak = s->all.peak;
    return s->all.has_peak
               ? MPROF_E_OK
               : mpdata_diag_text(s->diag, MPROF_E_USAGE,
                                  "the log has no blocks, so there is no peak");
}

/* Index + 1 of the mark, or 0. NAME#2 is the second one of this name. */
static uint32_t find_mark(const struct search *s, const char *text, size_t size)
{
    const struct mpdata_event_mark *const marks = s->marks.marks.data;
    const char *const sign = memchr(text, '#', size);
    uint64_t number = 1;
    uint64_t seen = 0;
    size_t name = size;
    char *end;

    for (uint32_t i = 0; i < s->marks.marks.count; i++) {
        if (size != 0 && marks[i].name.size == size &&
            memcmp(marks[i].name.bytes, text, size) == 0)
            return i + 1;
    }
    if (sign == NULL || sign[1] < '1' || sign[1] > '9')
        return 0;
    name = (size_t)(sign - text);
    number = strtoull(sign + 1, &end, 10);
    if (end != text + size)
        return 0;
    for (uint32_t i = 0; i < s->marks.marks.count; i++) {
        if (marks[i].name.size == name &&
            memcmp(marks[i].name.bytes, text, name) == 0 && ++seen == number)
            return i + 1;
    }
    return 0;
}

/* Is the text a number with a unit, or of a log without times one without?
 * *is_share: of the run's length. */
static bool is_number(const struct search *s, const char *text, size_t size,
                      double *number, bool *is_share)
{
    static const struct {
        const char *text;
        double ns;
    } units[] = {{"%", 0},  {"s", 1e9},   {"ms", 1e6},  {"us", 1e3},
                 {"ns", 1}, {"h", 36e11}, {"min", 6e10}};
    char *end;

    if (size == 0 || text[0] < '0' || text[0] > '9')
        return false;
    *number = strtod(text, &end);
    if (s->marks.traits.unit != NULL && *end != '%')
        return end == text + size && isfinite(*number);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(units); i++) {
        if (strlen(units[i].text) != (size_t)(text + size - end) ||
            memcmp(units[i].text, end, (size_t)(text + size - end)) != 0)
            continue;
        *is_share = i == 0;
        if (i != 0)
            *number = round(*number * units[i].ns);
        return isfinite(*number);
    }
    return false;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Has an earlier mark the name of mark i? */
static bool is_repeated(const struct mpdata_event_mark *marks, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (is_word(marks[k].name.bytes, marks[k].name.size,
                    marks[i].name.bytes))
            return true;
    }
    return false;
}

/* Names of marks and phases, each once, as many as fit. */
static void list_marks(const struct search *s, char *to, size_t room)
{
    const struct mpdata_event_mark *const marks = s->marks.marks.data;
    size_t used = 0;

    to[0] = '\0';
    for (uint32_t i = 0; i < s->marks.marks.count && used + 8 < room; i++) {
        if (marks[i].name.size == 0 || is_repeated(marks, i))
            continue;
        const int n = snprintf(
            to + used, room - used, "%s%.*s", used != 0 ? ", " : "",
            (int)mprof_min_u64(marks[i].name.size, 40), marks[i].name.bytes);
        if (n < 0 || (size_t)n >= room - used) {
            memcpy(to + (used != 0 ? used : 0), used != 0 ? ", ..." : "...",
                   used != 0 ? 6 : 4);
            return;
        }
        used += (size_t)n;
    }
}

static enum mprof_err refuse(struct search *s, const char *text, size_t size)
{
    char names[NAMES_BYTES];

    list_marks(s, names, sizeof(names));
    return mpdata_diag_text(
        s->diag, MPROF_E_USAGE,
        "%.*s is no moment of the log: %s%s%s, 50%%, peak, end, or a mark or "
        "phase (%s)",
        (int)mprof_min_u64(size, 40), text,
        s->marks.traits.unit != NULL ? "a number of its " : "1.5s",
        s->marks.traits.unit != NULL ? s->marks.traits.unit : "",
        s->marks.traits.unit != NULL ? "s" : "",
        names[0] != '\0' ? names : "the program named none");
}

static enum mprof_err refuse_late(struct search *s, uint64_t ns, uint64_t end)
{
    return mpdata_diag_text(
        s->diag, MPROF_E_USAGE,
        "%s is after the end of the log, which is %s long",
        mpdata_foreign_log_time(&s->marks.traits, ns).text,
        mpdata_foreign_log_time(&s->marks.traits, end).text);
}

static enum mprof_err find_number(struct search *s, double number,
                                  bool is_share, uint64_t *ns)
{
    uint64_t end = 0;
    const enum mprof_err err = find_end(s, &end);

    if (err != MPROF_E_OK)
        return err;
    if (is_share && number > 100)
        return mpdata_diag_text(s->diag, MPROF_E_USAGE,
                                "a moment cannot be after 100%% of the log");
    if (is_share)
        number = number == 100 ? (double)end : (double)end * number / 100;
    *ns = number < 1.8e19 ? (uint64_t)number : UINT64_MAX;
    if (is_share && number >= (double)end)
        *ns = end;
    return *ns <= end ? MPROF_E_OK : refuse_late(s, *ns, end);
}

static enum mprof_err find(struct search *s, const char *text, size_t size,
                           uint64_t *ns)
{
    const uint32_t mark = find_mark(s, text, size);
    double number = 0;
    bool is_share = false;

    *ns = 0;
    s->peak = 0;
    if (is_word(text, size, "peak"))
        return find_peak(s, ns);
    if (is_word(text, size, "start"))
        return MPROF_E_OK;
    if (is_word(text, size, "end") || is_word(text, size, "exit"))
        return find_end(s, ns);
    if (mark != 0) {
        *ns = ((const struct mpdata_event_mark *)s->marks.marks.data)[mark - 1]
                  .mark.ns;
        return MPROF_E_OK;
    }
    return is_number(s, text, size, &number, &is_share)
               ? find_number(s, number, is_share, ns)
               : refuse(s, text, size);
}

/* A phase lasts until the next one begins. */
static enum mprof_err find_phase(struct search *s, const char *name,
                                 uint64_t *from, uint64_t *to)
{
    const struct mpdata_event_mark *const marks = s->marks.marks.data;
    uint32_t at = find_mark(s, name, strlen(name));

    if (at == 0 || marks[at - 1].mark.kind != MPROF_RAW_MARK_PHASE)
        return mpdata_diag_text(
            s->diag, MPROF_E_USAGE,
            "%.60s is neither two moments with a comma between them nor a "
            "phase that the program named",
            name);
    *from = marks[at - 1].mark.ns;
    while (at < s->marks.marks.count &&
           marks[at].mark.kind != MPROF_RAW_MARK_PHASE)
        at++;
    if (at == s->marks.marks.count)
        return find_end(s, to);
    *to = marks[at].mark.ns;
    return MPROF_E_OK;
}

static enum mprof_err find_window(struct search *s, const char *text,
                                  uint64_t *from, uint64_t *to)
{
    const char *const comma = strchr(text, ',');
    enum mprof_err err;

    if (comma == NULL)
        return find_phase(s, text, from, to);
    err = find(s, text, (size_t)(comma - text), from);
    if (err == MPROF_E_OK)
        err = find(s, comma + 1, strlen(comma + 1), to);
    if (err == MPROF_E_OK && *from >= *to)
        err = mpdata_diag_text(s->diag, MPROF_E_USAGE,
                               "the window %.60s ends before it begins", text);
    return err;
}

enum mprof_err mpdata_event_choice_find(struct mpdata_event_choice *choice,
                                        const uint8_t *data, size_t size,
                                        struct mprof_diag *diag)
{
    struct search s = {.data = data,
                       .size = size,
                       .may_note_peak =
                           choice->may_note_peak && choice->window == NULL,
                       .diag = diag};
    enum mprof_err err;

    if (choice->moments != NULL)
        return mpdata_event_moments_find(choice->moments, data, size, diag);
    if (choice->numbers_stacks)
        return MPROF_E_OK;
    err = mpdata_event_stats_marks(&s.marks, data, size, diag);

    choice->from_ns = UINT64_MAX;
    if (err == MPROF_E_OK && choice->window != NULL)
        err = find_window(&s, choice->window, &choice->from_ns, &choice->at_ns);
    else if (err == MPROF_E_OK)
        err = find(&s, choice->at, strlen(choice->at), &choice->at_ns);
    choice->peak = s.peak;
    choice->peak_bytes = s.peak_bytes;
    choice->unit = s.marks.traits.unit;
    if (err == MPROF_E_OK)
        err = find_end(&s, &choice->end_ns);
    choice->is_found = err == MPROF_E_OK;
    mpdata_event_stats_fini(&s.marks);
    if (s.has_all)
        mpdata_event_stats_fini(&s.all);
    return err;
}
