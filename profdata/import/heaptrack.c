/* heaptrack.c -- reads files of heaptrack, versions 2 and 3 of its format:
 * lines with a letter and hexadecimal numbers.
 *
 *   v TOOL FORMAT            first line
 *   X COMMAND                the command that ran
 *   s LENGTH BYTES           a string; version 2 has no LENGTH
 *   i IP MODULE [FUNCTION [FILE LINE]]...   an address; inlined functions
 *                            come first; MODULE, FUNCTION, FILE are strings
 *   t IP PARENT              a call stack: i, and t or 0
 *   a SIZE TRACE             an allocation size at a call stack
 *   + A, - A                 a block of `a` begins, ends
 *   c MS                     time since the start
 *
 * Strings, i and t are numbered from 1, a from 0. Other lines are skipped.
 *
 * The format does not tell which block ends, so there are no lifetimes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/vec.h"
#include "profdata/import/foreign.h"
#include "profdata/import/foreign_stack.h"
#include "profdata/import/text.h"
#include "shared/container.h"
#include "shared/digit.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <string.h>

#define SECTION "heaptrack file"
#define FORMAT 3
#define FORMAT_OF_LINES 2 /* heaptrack 1.0 to 1.2, bytehound */
#define NS_PER_MS 1000000u

/* An address: a range of frames, leaf first. */
struct location {
    uint32_t first;
    uint32_t count;
};

struct frame {
    mpdata_ref ref;
    bool is_allocator;
};

/* A call stack: complete (node), and without the allocation functions at its
 * leaf (shown). */
struct trace {
    mpdata_ref node;
    mpdata_ref shown;
};

/* Blocks of one size of one call stack. */
struct blocks {
    mpdata_ref node;
    uint64_t size;
    uint64_t count;
    uint64_t freed;
};

struct reader {
    struct mpdata_foreign_errors errors;
    uint64_t format;
    size_t size;
    struct mpdata_profile *profile;
    struct mpdata_text text;
    struct mpdata_vec strings;         /* struct mpdata_foreign_string */
    struct mpdata_vec frames;          /* struct frame */
    struct mpdata_vec locations;       /* struct location */
    struct mpdata_vec traces;          /* struct trace */
    struct mpdata_vec blocks;          /* struct blocks */
    struct mpdata_foreign_string none; /* "" */
    struct mpdata_str command;
    uint64_t duration_ms;
    /* Frames that all call stacks together may still have. */
    uint64_t frames_left;
};

/* -- text ------------------------------------------------------------------- */

/* Is there another number on the line? */
static bool has_more(const struct mpdata_text *line)
{
    return line->at != line->end && *line->at == ' ';
}

/* Parses the number after a blank; records an error if there is none. */
static uint64_t take(struct reader *r, struct mpdata_text *line)
{
    uint64_t number = 0;

    if (has_more(line))
        line->at++;
    const char *start = line->at;
    while (line->at != line->end && mprof_digit(*line->at) < 16 &&
           number <= UINT64_MAX >> 4)
        number = number << 4 | mprof_digit(*line->at++);
    if (line->at == start || (line->at != line->end && *line->at != ' '))
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, line->at,
                                  "not a hexadecimal number of 64 bits");
    return number;
}

/* Returns row `number`, counted from 1, or NULL after recording an error. */
static void *row_at(struct reader *r, struct mpdata_vec *vec, const char *what,
                    uint64_t number, const char *at)
{
    if (number == 0 || number > vec->count) {
        mpdata_foreign_errors_say(&r->errors, MPROF_E_REFERENCE, at,
                                  "%s %" PRIu64 ", and there are %" PRIu32
                                  " so far",
                                  what, number, vec->count);
        return NULL;
    }
    return (char *)vec->data + (number - 1) * vec->elem_bytes;
}

/* Returns a string; number 0 is "". */
static struct mpdata_foreign_string *string_at(struct reader *r,
                                               uint64_t number, const char *at)
{
    struct mpdata_foreign_string *const s =
        number != 0 ? (struct mpdata_foreign_string *)row_at(
                          r, &r->strings, "string", number, at)
                    : NULL;

    return s != NULL ? s : &r->none;
}

/* -- lines ------------------------------------------------------------------ */

/* Reads the version; refuses a second profile, which would start its numbers
 * anew. */
static void read_version(struct reader *r, struct mpdata_text *line)
{
    if (line->at != r->errors.data + 1)
        mpdata_foreign_errors_say(&r->errors, MPROF_E_DUPLICATE, line->at - 1,
                                  MPDATA_FOREIGN_ERRORS_SECOND);
    take(r, line);
    if (r->errors.err == MPROF_E_OK)
        r->format = take(r, line);
    if (r->format != FORMAT && r->format != FORMAT_OF_LINES)
        mpdata_foreign_errors_add(&r->errors, MPROF_E_VERSION, line->at);
}

static void push_string(struct reader *r, struct mpdata_str text)
{
    struct mpdata_foreign_string *const row =
        mpdata_foreign_errors_push(&r->errors, &r->strings);

    if (row != NULL)
        row->text = text;
}

/* Reads a string. With a length it may contain newlines. */
static void read_string(struct reader *r, struct mpdata_text *line)
{
    const bool is_sized = r->format == FORMAT;
    const uint64_t size = is_sized ? take(r, line) : 0;

    if (r->errors.err != MPROF_E_OK)
        return;
    if (!has_more(line) || size > (uint64_t)(r->text.end - line->at - 1)) {
        mpdata_foreign_errors_add(&r->errors, MPROF_E_TRUNCATED, line->at);
        return;
    }
    line->at++;
    if (!is_sized) {
        push_string(
            r, (struct mpdata_str){line->at, (size_t)(line->end - line->at)});
        return;
    }
    push_string(r, (struct mpdata_str){line->at, (size_t)size});
    r->text.at = line->at + size;
    if (r->text.at != r->text.end && *r->text.at++ != '\n')
        mpdata_foreign_errors_say(
            &r->errors, MPROF_E_VALUE, line->at,
            "a string whose length differs from the stated one");
}

/* heaptrack itself removes only malloc() from call stacks. */
static bool is_allocator(struct mpdata_str name)
{
    static const char word[] = "operator new";
    const size_t size = sizeof(word) - 1;

    return name.size > size && memcmp(name.bytes, word, size) == 0 &&
           (name.bytes[size] == '(' || name.bytes[size] == '[');
}

static void push_frame(struct reader *r, mpdata_ref ref, struct mpdata_str name)
{
    struct frame *const row =
        mpdata_foreign_errors_push(&r->errors, &r->frames);

    if (row != NULL)
        *row = (struct frame){ref, is_allocator(name)};
}

/* Adds a frame without a name: an address in the process, and its binary. */
static void add_address(struct reader *r, uint64_t module, uint64_t address,
                        const char *at)
{
    const struct mpdata_binary binary = {
        .path =
            mpdata_foreign_stack_path(r->profile, string_at(r, module, at))};

    if (r->errors.err == MPROF_E_OK)
        push_frame(r,
                   mpdata_foreign_stack_address(
                       r->profile,
                       binary.path != 0
                           ? mpdata_profile_binary(r->profile, &binary)
                           : 0,
                       address),
                   (struct mpdata_str){"", 0});
}

/* Adds a function. The last one of an address may have no file. */
static void add_function(struct reader *r, struct mpdata_text *line)
{
    const char *const at = line->at;
    struct mpdata_foreign_frame frame = {.file = &r->none};

    frame.name = string_at(r, take(r, line), at);
    if (has_more(line)) {
        frame.file = string_at(r, take(r, line), at);
        frame.line = take(r, line);
    }
    frame.is_inlined = has_more(line);
    if (r->errors.err == MPROF_E_OK)
        push_frame(r, mpdata_foreign_stack_frame(r->profile, &frame),
                   frame.name->text);
}

static void read_location(struct reader *r, struct mpdata_text *line)
{
    const char *const at = line->at;
    const uint64_t address = take(r, line);
    const uint64_t module = take(r, line);
    struct location location = {.first = r->frames.count};

    while (r->errors.err == MPROF_E_OK && has_more(line))
        add_function(r, line);
    if (r->frames.count == location.first)
        add_address(r, module, address, at);
    location.count = r->frames.count - location.first;
    struct location *row = (struct location *)mpdata_foreign_errors_push(
        &r->errors, &r->locations);
    if (row != NULL)
        *row = location;
}

/* Reads a call stack; limits the number of frames, since a short file could ask
 * for many. */
static void read_trace(struct reader *r, struct mpdata_text *line)
{
    const char *const at = line->at;
    const struct location *const location = (const struct location *)row_at(
        r, &r->locations, "address", take(r, line), at);
    const uint64_t parent = take(r, line);
    const struct trace *const above =
        parent != 0 ? (const struct trace *)row_at(r, &r->traces, "call stack",
                                                   parent, at)
                    : NULL;
    struct trace trace = above != NULL ? *above : (struct trace){0, 0};

    if (r->errors.err != MPROF_E_OK || location == NULL)
        return;
    if (location->count > r->frames_left) {
        mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, at,
                                  MPDATA_FOREIGN_STACK_TOO_MANY);
        return;
    }
    r->frames_left -= location->count;
    for (uint32_t i = location->count; i-- > 0;) {
        const struct frame *const frame =
            (const struct frame *)r->frames.data + location->first + i;

        trace.node = mpdata_profile_node(r->profile, trace.node, frame->ref);
        if (!frame->is_allocator)
            trace.shown = trace.node;
    }
    struct trace *row =
        (struct trace *)mpdata_foreign_errors_push(&r->errors, &r->traces);
    if (row != NULL)
        *row = trace;
}

static void read_blocks(struct reader *r, struct mpdata_text *line)
{
    const char *const at = line->at;
    const uint64_t size = take(r, line);
    const uint64_t trace = take(r, line);
    const struct trace *const stack =
        trace != 0 ? (const struct trace *)row_at(r, &r->traces, "call stack",
                                                  trace, at)
                   : NULL;

    if (r->errors.err != MPROF_E_OK)
        return;
    struct blocks *row =
        (struct blocks *)mpdata_foreign_errors_push(&r->errors, &r->blocks);
    if (row != NULL)
        *row = (struct blocks){.node = stack != NULL ? stack->shown : 0,
                               .size = size};
}

static void read_event(struct reader *r, struct mpdata_text *line, bool is_free)
{
    const char *const at = line->at;
    const uint64_t number = take(r, line);
    struct blocks *const b =
        r->errors.err == MPROF_E_OK && number < UINT64_MAX
            ? (struct blocks *)row_at(r, &r->blocks, "allocation", number + 1,
                                      at)
            : NULL;

    if (b == NULL)
        return;
    /* Ignore the end of an empty block that never began: our export separates
     * other events with it. */
    if (is_free && b->count == 0 && b->size == 0)
        return;
    b->count += !is_free;
    b->freed += is_free;
    if (b->freed > b->count)
        mpdata_foreign_errors_say(
            &r->errors, MPROF_E_VALUE, at,
            "more of these blocks were freed than allocated");
}

static void read_line(struct reader *r, char letter, struct mpdata_text *line)
{
    switch (letter) {
    case 'v':
        read_version(r, line);
        break;
    case 'X':
        if (has_more(line))
            r->command = (struct mpdata_str){
                line->at + 1, (size_t)(line->end - line->at - 1)};
        break;
    case 's':
        read_string(r, line);
        break;
    case 'i':
        read_location(r, line);
        break;
    case 't':
        read_trace(r, line);
        break;
    case 'a':
        read_blocks(r, line);
        break;
    case '+':
    case '-':
        read_event(r, line, letter == '-');
        break;
    case 'c':
        r->duration_ms = take(r, line);
        break;
    case 'x':
    case 'm':
        mpdata_foreign_errors_say(&r->errors, MPROF_E_UNSUPPORTED, line->at,
                                  "it was recorded with --raw; run heaptrack "
                                  "--interpret first, which finds names");
        break;
    default:
        break;
    }
}

/* -- the file -------------------------------------------------------------- */

/* Recognizes "v 10400 3". */
bool mpdata_heaptrack_is(const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data;
    size_t at = 2;

    if (size < 8 || memcmp(text, "v ", 2) != 0)
        return false;
    while (at < size && at < 16 && mprof_digit(text[at]) < 16)
        at++;
    return at > 2 && at + 2 < size && text[at] == ' ' &&
           mprof_digit(text[at + 1]) < 16 && text[at + 2] == '\n';
}

static void add_contexts(struct reader *r)
{
    for (uint32_t i = 0; i < r->blocks.count && r->errors.err == MPROF_E_OK;
         i++) {
        const struct blocks *const b =
            (const struct blocks *)r->blocks.data + i;
        const struct mprof_mib mib = {
            .AllocCount = b->count,
            .TotalSize = mprof_mul_sat_u64(b->count, b->size),
            .MinSize = b->size,
            .MaxSize = b->size,
            .LiveCount = b->count - b->freed,
            .LiveBytes = mprof_mul_sat_u64(b->count - b->freed, b->size)};

        if (b->count != 0)
            mpdata_profile_context(r->profile, b->node,
                                   MPROF_CONTEXT_FL_NOT_MEASURED, &mib,
                                   MPDATA_CELLS_NONE);
    }
}

/* Adds the run. The program is the first word of the command. */
static void add_run(struct reader *r)
{
    static const char tool[] = "heaptrack";
    const char *const blank =
        r->command.size != 0 ? memchr(r->command.bytes, ' ', r->command.size)
                             : NULL;
    const struct mpdata_run run = {
        .run_id = mprof_checksum(r->errors.data, r->size),
        .count = 1,
        .kind = MPROF_RUN_FOREIGN,
        .has_live = true,
        .duration_ns = mprof_mul_sat_u64(r->duration_ms, NS_PER_MS),
        .contexts = r->blocks.count,
        .executable = mpdata_profile_path(
            r->profile, r->command.bytes,
            blank != NULL ? (size_t)(blank - r->command.bytes)
                          : r->command.size),
        .tool = mpdata_profile_string(r->profile, tool, sizeof(tool) - 1)};

    mpdata_profile_run(r->profile, &run);
}

enum mprof_err mpdata_heaptrack_read(const uint8_t *data, size_t size,
                                     struct mpdata_profile *into,
                                     struct mprof_diag *diag)
{
    struct reader r = {
        .errors = {.data = (const char *)data,
                   .section = SECTION,
                   .has_lines = true,
                   .diag = diag},
        .size = size,
        .profile = into,
        .text = {(const char *)data, (const char *)data + size},
        .strings = {.elem_bytes = sizeof(struct mpdata_foreign_string)},
        .frames = {.elem_bytes = sizeof(struct frame)},
        .locations = {.elem_bytes = sizeof(struct location)},
        .traces = {.elem_bytes = sizeof(struct trace)},
        .blocks = {.elem_bytes = sizeof(struct blocks)},
        .none = {.text = {"", 0}},
        .command = {"", 0},
        .frames_left = mpdata_foreign_stack_nodes_max(size)};
    struct mpdata_text line;

    while (r.errors.err == MPROF_E_OK && mpdata_text_line(&r.text, &line)) {
        if (mpdata_text_is_cut(&r.text, &line)) {
            mpdata_foreign_errors_say(&r.errors, MPROF_E_TRUNCATED, line.at,
                                      MPDATA_FOREIGN_ERRORS_CUT);
        } else if (line.at != line.end) {
            const char letter = *line.at++;

            read_line(&r, letter, &line);
        }
    }
    add_contexts(&r);
    if (r.errors.err == MPROF_E_OK)
        add_run(&r);
    if (r.errors.err == MPROF_E_OK && mpdata_profile_status(into) != MPROF_E_OK)
        r.errors.err = mprof_err_plain(diag, mpdata_profile_status(into));
    mpdata_vec_fini(&r.strings);
    mpdata_vec_fini(&r.frames);
    mpdata_vec_fini(&r.locations);
    mpdata_vec_fini(&r.traces);
    mpdata_vec_fini(&r.blocks);
    return r.errors.err;
}
