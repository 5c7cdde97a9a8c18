/* json_source.c -- yajl's callbacks, queued.
 *
 * The library calls for each token; the readers ask for the next. So a piece of
 * the text is parsed at a time, and its events wait. How deep it is nested is
 * bounded by the readers, which refuse what they do not expect: no more than
 * one piece is ahead of them, or one string that is longer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json_source.h"
#include "profdata/base/heapbuf.h"

#include <string.h>
#include <yajl/yajl_parse.h>

#define PIECE_BYTES 4096u

struct queued {
    enum mpdata_event_kind kind;
    size_t bytes; /* where in source->scalars */
    size_t size;
    uint64_t offset;
};

static int queue(void *context, enum mpdata_event_kind kind, const void *bytes,
                 size_t size)
{
    struct mpdata_json_source *const source =
        (struct mpdata_json_source *)context;
    struct queued *const row = (struct queued *)mpdata_vec_push(&source->queue);

    if (row == NULL)
        return 0;
    *row = (struct queued){.kind = kind,
                           .bytes = source->scalars.size,
                           .size = size,
                           .offset = source->piece +
                                     yajl_get_bytes_consumed(source->parser)};
    mprof_buf_bytes(&source->scalars, bytes, size);
    return !source->scalars.failed;
}

static int on_null(void *context)
{
    return queue(context, MPDATA_EVENT_NULL, "", 0);
}

static int on_bool(void *context, int value)
{
    const char *const text = value ? "true" : "false";

    return queue(context, MPDATA_EVENT_BOOL, text, strlen(text));
}

static int on_number(void *context, const char *digits, size_t size)
{
    return queue(context, MPDATA_EVENT_NUMBER, digits, size);
}

static int on_string(void *context, const unsigned char *bytes, size_t size)
{
    return queue(context, MPDATA_EVENT_TEXT, bytes, size);
}

static int on_key(void *context, const unsigned char *bytes, size_t size)
{
    return queue(context, MPDATA_EVENT_KEY, bytes, size);
}

static int on_map(void *context)
{
    return queue(context, MPDATA_EVENT_MAP, "", 0);
}

static int on_map_end(void *context)
{
    return queue(context, MPDATA_EVENT_MAP_END, "", 0);
}

static int on_list(void *context)
{
    return queue(context, MPDATA_EVENT_LIST, "", 0);
}

static int on_list_end(void *context)
{
    return queue(context, MPDATA_EVENT_LIST_END, "", 0);
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_bool,
                                         .yajl_number = on_number,
                                         .yajl_string = on_string,
                                         .yajl_start_map = on_map,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_map_end,
                                         .yajl_start_array = on_list,
                                         .yajl_end_array = on_list_end};

/* What the library says, in one line. */
static void fail_parser(struct mpdata_json_source *source, yajl_status status)
{
    const size_t at = yajl_get_bytes_consumed(source->parser);
    const struct mpdata_event event = {.offset = source->piece + at};
    unsigned char *text;
    char line[MPROF_DIAG_TEXT_BYTES] = "";

    if (status == yajl_status_client_canceled) {
        mpdata_events_fail_memory(&source->events);
        return;
    }
    text = yajl_get_error(source->parser, 0, NULL, 0);
    memccpy(line, text, '\n', sizeof(line) - 1);
    line[strcspn(line, "\n")] = '\0';
    yajl_free_error(source->parser, text);
    source->events.key = NULL;
    mpdata_events_fail_at(&source->events, MPROF_E_VALUE, &event, line);
}

/* Parses the next piece, or tells the library that there is none. */
static void parse_piece(struct mpdata_json_source *source, size_t most)
{
    const struct mpdata_events *const e = &source->events;
    const size_t left = e->size - source->given;
    const size_t size = left < most ? left : most;
    const uint8_t *const bytes = e->data + source->given;
    yajl_status status;

    if (setjmp(source->memory.escape) != 0) {
        mpdata_events_fail_memory(&source->events);
        return;
    }
    source->piece = source->given;
    source->given += size;
    if (size != 0) {
        status = yajl_parse(source->parser, bytes, size);
    } else {
        source->is_complete = true;
        status = yajl_complete_parse(source->parser);
    }
    if (status != yajl_status_ok)
        fail_parser(source, status);
}

static void advance(struct mpdata_events *events)
{
    struct mpdata_json_source *const source =
        (struct mpdata_json_source *)events;
    const struct queued *row;

    if (source->queue_at == source->queue.count) {
        source->queue_at = source->queue.count = 0;
        source->scalars.size = 0;
        /* The library reads an unfinished string again from its start, so the
         * pieces of a long one grow. */
        for (size_t most = PIECE_BYTES;
             source->queue.count == 0 && !source->is_complete &&
             events->err == MPROF_E_OK;
             most += most)
            parse_piece(source, most);
        if (events->err != MPROF_E_OK)
            return;
    }
    if (source->queue.count == 0) {
        events->next = (struct mpdata_event){.kind = MPDATA_EVENT_END,
                                             .offset = events->size};
        return;
    }
    row = (const struct queued *)source->queue.data + source->queue_at++;
    events->next = (struct mpdata_event){
        .kind = row->kind,
        .bytes = (const char *)source->scalars.data + row->bytes,
        .size = row->size,
        .offset = row->offset};
}

/* The parser, or NULL without memory. */
static struct yajl_handle_t *make_parser(struct mpdata_json_source *source)
{
    if (setjmp(source->memory.escape) != 0)
        return NULL;
    return yajl_alloc(&callbacks, &source->memory.funcs, source);
}

void mpdata_json_source_open(struct mpdata_json_source *source,
                             const void *data, size_t size,
                             struct mprof_diag *diag)
{
    memset(source, 0, sizeof(*source));
    source->events = (struct mpdata_events){
        .advance = advance, .data = data, .size = size, .diag = diag};
    source->queue.elem_bytes = sizeof(struct queued);
    mpdata_heapbuf_init(&source->scalars);
    mpdata_json_memory_init(&source->memory);
    source->parser = make_parser(source);
    if (source->parser != NULL)
        advance(&source->events);
    else
        mpdata_events_fail_memory(&source->events);
}

void mpdata_json_source_close(struct mpdata_json_source *source)
{
    mpdata_events_fini(&source->events);
    mpdata_json_memory_fini(&source->memory);
    mpdata_heapbuf_fini(&source->scalars);
    mpdata_vec_fini(&source->queue);
}
