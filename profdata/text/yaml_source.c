/* yaml_source.c -- libyaml's events.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/yaml_source.h"

#include <string.h>

/* -- tabs ------------------------------------------------------------------ */

/* To LLVM's reader a tab is a space wherever it separates; libyaml takes none
 * where a key could begin, not even before a comment: in front of a line's
 * first character, and behind the - or ? of an item. There it gets spaces. */
static uint8_t without_tab(enum mpdata_yaml_place *place, uint8_t c)
{
    const bool is_blank = c == ' ' || c == '\t';
    const enum mpdata_yaml_place before = *place;

    if (c == '\n' || c == '\r')
        *place = MPDATA_YAML_LINE;
    else if (before <= MPDATA_YAML_LINE_START && (c == '-' || c == '?'))
        *place = MPDATA_YAML_INDICATOR;
    else if (before <= MPDATA_YAML_INDICATOR && is_blank)
        *place = MPDATA_YAML_LINE_START;
    else if (!is_blank)
        *place = MPDATA_YAML_REST;
    return is_blank && before != MPDATA_YAML_REST ? ' ' : c;
}

static int read_input(void *data, unsigned char *buffer, size_t size,
                      size_t *size_read)
{
    struct mpdata_yaml_source *const source = (struct mpdata_yaml_source *)data;
    const size_t left = source->events.size - source->used;

    *size_read = size < left ? size : left;
    for (size_t i = 0; i < *size_read; i++) {
        const uint8_t c = source->events.data[source->used + i];

        source->directives += source->place == MPDATA_YAML_LINE && c == '%';
        buffer[i] = without_tab(&source->place, c);
    }
    source->used += *size_read;
    return source->directives <= MPDATA_YAML_DIRECTIVES_MAX;
}

/* -- events ---------------------------------------------------------------- */

static bool is_null(const yaml_event_t *event)
{
    const char *const value = (const char *)event->data.scalar.value;

    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (value[0] == '\0' || strcmp(value, "null") == 0 ||
            strcmp(value, "~") == 0);
}

static enum mpdata_event_kind kind_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_MAPPING_START_EVENT:
        return MPDATA_EVENT_MAP;
    case YAML_MAPPING_END_EVENT:
        return MPDATA_EVENT_MAP_END;
    case YAML_SEQUENCE_START_EVENT:
        return MPDATA_EVENT_LIST;
    case YAML_SEQUENCE_END_EVENT:
        return MPDATA_EVENT_LIST_END;
    case YAML_SCALAR_EVENT:
        return is_null(event) ? MPDATA_EVENT_NULL : MPDATA_EVENT_TEXT;
    default:
        return MPDATA_EVENT_END;
    }
}

static struct mpdata_event at_mark(const yaml_mark_t *mark)
{
    return (struct mpdata_event){.offset = mark->index, .line = mark->line + 1};
}

static void fail_parser(struct mpdata_yaml_source *source)
{
    const yaml_parser_t *const p = &source->parser;
    const char *problem = p->problem;
    const struct mpdata_event event =
        at_mark(p->error == YAML_READER_ERROR ? &p->mark : &p->problem_mark);

    if (source->directives > MPDATA_YAML_DIRECTIVES_MAX)
        problem = "more than 100 lines begin with %";
    mpdata_events_fail_at(
        &source->events,
        p->error == YAML_MEMORY_ERROR ? MPROF_E_NOMEM : MPROF_E_VALUE, &event,
        problem != NULL ? problem : "it cannot be parsed");
}

static void advance(struct mpdata_events *events)
{
    struct mpdata_yaml_source *const source =
        (struct mpdata_yaml_source *)events;
    yaml_event_t *const event = &source->event;

    yaml_event_delete(event);
    if (!yaml_parser_parse(&source->parser, event)) {
        memset(event, 0, sizeof(*event));
        fail_parser(source);
        return;
    }
    events->next = at_mark(&event->start_mark);
    events->next.kind = kind_of(event);
    if (event->type == YAML_SCALAR_EVENT) {
        events->next.bytes = (const char *)event->data.scalar.value;
        events->next.size = event->data.scalar.length;
    }
    if (event->type == YAML_ALIAS_EVENT)
        mpdata_events_fail_at(events, MPROF_E_UNSUPPORTED, &events->next,
                              "aliases are not accepted");
}

/* To the next document that holds something; false where there is none. */
static bool find_document(struct mpdata_yaml_source *source)
{
    struct mpdata_events *const e = &source->events;

    while (e->err == MPROF_E_OK &&
           source->event.type != YAML_STREAM_END_EVENT) {
        if (e->next.kind != MPDATA_EVENT_END &&
            e->next.kind != MPDATA_EVENT_NULL)
            return true;
        mpdata_events_take(e);
    }
    return false;
}

void mpdata_yaml_source_open(struct mpdata_yaml_source *source,
                             const void *data, size_t size, bool *is_empty,
                             struct mprof_diag *diag)
{
    struct mpdata_events *const e = &source->events;

    memset(source, 0, sizeof(*source));
    *e = (struct mpdata_events){.advance = advance,
                                .section = "YAML",
                                .data = data,
                                .size = size,
                                .diag = diag};
    *is_empty = true;
    if (!yaml_parser_initialize(&source->parser)) {
        e->err = mprof_err_fail(diag, MPROF_E_NOMEM, e->section, 0);
        return;
    }
    yaml_parser_set_input(&source->parser, read_input, source);
    yaml_parser_set_encoding(&source->parser, YAML_UTF8_ENCODING);
    advance(e);
    *is_empty = !find_document(source);
}

void mpdata_yaml_source_finish(struct mpdata_yaml_source *source)
{
    if (find_document(source))
        mpdata_events_fail_at(&source->events, MPROF_E_VALUE,
                              &source->events.next,
                              "a second document; give each as a file of its "
                              "own");
}

void mpdata_yaml_source_close(struct mpdata_yaml_source *source)
{
    yaml_event_delete(&source->event);
    yaml_parser_delete(&source->parser);
    mpdata_events_fini(&source->events);
}
