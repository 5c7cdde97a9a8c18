/* heap_text.c -- reads heap profiles as text.
 *
 * jemalloc:    heap_v2/524288
 *                t*: 28106: 56637512 [0: 0]        all threads; "t0:" is one
 *              @ 0x5f86da8 0x5f5a1dc ...           leaf first
 *                t*: 13: 6688 [0: 0]
 * gperftools:  heap profile: 250: 1250000 [ 1000: 5000000] @ heapprofile
 *              250: 1250000 [ 1000: 5000000] @ 0x559b3358716a ...
 * Go:          heap profile: 1: 1024 [3: 3072] @ heap/1048576
 *              1: 1024 [3: 3072] @ 0x4a0001 0x4a0101
 *              #	0x4a0000	main.leaf+0x20	/src/x.go:7
 *
 * jeprof:      --- symbol                          written by `jeprof --raw`
 *              binary=/usr/bin/app
 *              0x0000559b3358716a leaf--inlined into
 *              ---
 *              --- heap                            then any of the above
 *
 * Each row has the number and bytes of live blocks and, in brackets, of all
 * allocated blocks (0: not recorded). After the rows follow the lines of
 * /proc/PID/maps.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/import/heap_text.h"
#include "shared/container.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "heap profile"
#define JEMALLOC_START "heap_v2/"
#define GPERFTOOLS_START "heap profile:"
#define SYMBOLS_START "--- symbol"
#define SYMBOLS_END "---"
#define PROFILE_START "--- "
#define MAPS_START "MAPPED_LIBRARIES:"
#define MAPS_OTHER_START "--- Memory map:" /* older gperftools */
/* Message for a malformed row. */
#define BLOCKS_FORM "not of the form BLOCKS: BYTES [BLOCKS: BYTES]"

/* What the next line of a sum ("t*:") applies to. */
enum jemalloc_state {
    JEMALLOC_ALL,
    JEMALLOC_STACK, /* the call stack of the previous line */
    JEMALLOC_DONE   /* nothing: the sum was read */
};

struct reader {
    struct mpdata_foreign_errors errors;
    struct mpdata_text text;
    const char *tool;
    uint64_t period;
    /* struct mpdata_raw_frame, without binaries until the maps are read. */
    struct mpdata_set addresses;
    struct mpdata_vec nodes;    /* struct mpdata_raw_node */
    struct mpdata_vec contexts; /* struct mpdata_raw_context */
    struct mpdata_vec blocks;   /* struct mpdata_raw_blocks */
    struct mpdata_vec stack;    /* uint32_t, frames of the current call stack */
    struct mpdata_heap_names names;
    struct mpdata_heap_maps maps;
    bool is_live_only;  /* ignore what is in brackets */
    bool has_allocated; /* a row has allocated blocks in brackets */
};

static void refuse(struct reader *r, const struct mpdata_text *line,
                   const char *what)
{
    mpdata_foreign_errors_say(&r->errors, MPROF_E_VALUE, line->at, "%s", what);
}

/* -- rows -------------------------------------------------------------------- */

/* Is it the first line of a profile? */
static bool is_head(struct mpdata_text line)
{
    return mpdata_text_take(&line, JEMALLOC_START) ||
           mpdata_text_take(&line, GPERFTOOLS_START);
}

static void refuse_second(struct reader *r, const struct mpdata_text *line)
{
    mpdata_foreign_errors_say(&r->errors, MPROF_E_DUPLICATE, line->at,
                              MPDATA_FOREIGN_ERRORS_SECOND);
}

/* Reads the next row. Returns false at the end of the rows, where the mappings
 * begin. */
static bool next_row(struct reader *r, struct mpdata_text *line)
{
    if (r->errors.err != MPROF_E_OK || !mpdata_text_line(&r->text, line) ||
        mpdata_text_take(line, MAPS_START) ||
        mpdata_text_take(line, MAPS_OTHER_START))
        return false;
    if (is_head(*line))
        refuse_second(r, line);
    return r->errors.err == MPROF_E_OK;
}

/* Parses "13: 6688 [0: 0]". */
static bool take_blocks(struct mpdata_text *line, struct mpdata_raw_blocks *b)
{
    return mpdata_text_number(line, 10, &b->live_count) &&
           mpdata_text_take(line, ":") &&
           mpdata_text_number(line, 10, &b->live_bytes) &&
           mpdata_text_take(line, "[") &&
           mpdata_text_number(line, 10, &b->count) &&
           mpdata_text_take(line, ":") &&
           mpdata_text_number(line, 10, &b->bytes) &&
           mpdata_text_take(line, "]");
}

/* Scales sampled values to estimates of the real ones: a block is sampled with
 * a probability of 1 - exp(-bytes / period). Rounds down, as pprof and jeprof
 * do. */
static void scale(uint64_t period, uint64_t *count, uint64_t *bytes)
{
    const double limit = 9e18;

    if (period <= 1 || *count == 0 || *bytes == 0)
        return;
    double factor =
        -1 / expm1(-((double)*bytes / (double)*count) / (double)period);
    *count = (uint64_t)fmin((double)*count * factor, limit);
    *bytes = (uint64_t)fmin((double)*bytes * factor, limit);
}

/* Bytes are of at least one block, even if the file has none. */
static void add_context(struct reader *r, mpdata_ref node,
                        struct mpdata_raw_blocks b)
{
    if (r->is_live_only)
        b.count = b.bytes = 0;
    if ((b.count | b.bytes | b.live_count | b.live_bytes) == 0)
        return;
    r->has_allocated |= (b.count | b.bytes) != 0;
    b.count = mprof_max_u64(b.count, b.bytes != 0);
    b.live_count = mprof_max_u64(b.live_count, b.live_bytes != 0);
    scale(r->period, &b.live_count, &b.live_bytes);
    scale(r->period, &b.count, &b.bytes);
    struct mpdata_raw_context *context =
        mpdata_foreign_errors_push(&r->errors, &r->contexts);
    struct mpdata_raw_blocks *row =
        mpdata_foreign_errors_push(&r->errors, &r->blocks);
    if (context == NULL || row == NULL)
        return;
    *row = b;
    *context =
        (struct mpdata_raw_context){.node = node, .id = r->blocks.count - 1};
}

/* Live blocks are also the allocated ones if no row has those. A call stack
 * has at least one block. */
static void count_allocated(struct reader *r)
{
    struct mpdata_raw_context *const contexts = r->contexts.data;
    struct mpdata_raw_blocks *const blocks = r->blocks.data;

    for (uint32_t i = 0; i < r->blocks.count; i++) {
        if (!r->has_allocated) {
            blocks[i].count = blocks[i].live_count;
            blocks[i].bytes = blocks[i].live_bytes;
        }
        blocks[i].count = mprof_max_u64(blocks[i].count, 1);
        contexts[i].blocks = blocks[i].count;
    }
}

/* Reads the addresses of a call stack, which are return addresses. */
static void read_stack(struct reader *r, struct mpdata_text *line)
{
    r->stack.count = 0;
    while (r->errors.err == MPROF_E_OK && mpdata_text_take(line, "0x")) {
        struct mpdata_raw_frame frame = {.module = 0};

        if (!mpdata_text_number(line, 16, &frame.address)) {
            refuse(r, line, "not an address of 64 bits");
            return;
        }
        frame.address -= frame.address != 0;
        uint32_t ref = mpdata_set_add(&r->addresses, &frame, NULL);
        uint32_t *row =
            (uint32_t *)mpdata_foreign_errors_push(&r->errors, &r->stack);
        if (ref == 0)
            mpdata_foreign_errors_no_memory(&r->errors);
        if (ref != 0 && row != NULL)
            *row = ref - 1;
    }
    if (!mpdata_text_is_empty(line))
        refuse(r, line, "not an address");
    else if (mpdata_text_is_cut(&r->text, line))
        mpdata_foreign_errors_say(&r->errors, MPROF_E_TRUNCATED, line->at,
                                  MPDATA_FOREIGN_ERRORS_CUT);
}

/* Returns the node of the current call stack, whose leaf comes first. */
static mpdata_ref add_nodes(struct reader *r)
{
    mpdata_ref node = 0;

    for (uint32_t i = r->stack.count; i-- > 0 && r->errors.err == MPROF_E_OK;) {
        struct mpdata_raw_node *const row =
            mpdata_foreign_errors_push(&r->errors, &r->nodes);

        if (row == NULL)
            break;
        *row = (struct mpdata_raw_node){
            .parent = node, .frame = ((const uint32_t *)r->stack.data)[i]};
        node = r->nodes.count;
    }
    return node;
}

/* Parses "t*:", or "t12:" for one thread. */
static bool take_thread(struct mpdata_text *line)
{
    uint64_t number;

    return mpdata_text_take(line, "t*:") ||
           (mpdata_text_take(line, "t") &&
            mpdata_text_number(line, 10, &number) &&
            mpdata_text_take(line, ":"));
}

/* Reads a line with the sum over all threads: that of the call stack of the
 * previous line, or that of the whole profile at its start. */
static void read_sum(struct reader *r, struct mpdata_text *line,
                     enum jemalloc_state *state)
{
    struct mpdata_raw_blocks b = {.count = 0};

    if (*state == JEMALLOC_DONE)
        refuse(r, line, "a second line t*: of one call stack");
    else if (!take_blocks(line, &b))
        refuse(r, line, BLOCKS_FORM);
    else if (*state == JEMALLOC_STACK)
        add_context(r, add_nodes(r), b);
    *state = JEMALLOC_DONE;
}

/* Reads the rows of jemalloc: a line with "@", then lines of its threads, the
 * first of which is their sum. */
static void read_jemalloc(struct reader *r)
{
    enum jemalloc_state state = JEMALLOC_ALL;
    struct mpdata_text stack = r->text;
    struct mpdata_text line;

    while (next_row(r, &line)) {
        const bool is_stack = mpdata_text_take(&line, "@");

        if (state == JEMALLOC_STACK && is_stack)
            break;
        if (is_stack) {
            stack = line;
            read_stack(r, &line);
            state = JEMALLOC_STACK;
        } else if (mpdata_text_take(&line, "t*:")) {
            read_sum(r, &line, &state);
        } else if (!mpdata_text_is_empty(&line) && !take_thread(&line)) {
            refuse(r, &line, "not a line of a heap profile of jemalloc");
        }
    }
    if (state == JEMALLOC_STACK)
        refuse(r, &stack, "a call stack without a line t*:");
}

/* Reads the section of names and the first line of the next section. */
static void read_symbols(struct reader *r)
{
    struct mpdata_text line;

    while (r->errors.err == MPROF_E_OK && mpdata_text_line(&r->text, &line)) {
        struct mpdata_text start = line;

        if (mpdata_text_take(&start, PROFILE_START) &&
            !mpdata_text_take(&line, SYMBOLS_START))
            return;
        mpdata_heap_names_symbol(&r->names, line);
    }
}

static void read_gperftools(struct reader *r)
{
    struct mpdata_text line;

    while (next_row(r, &line)) {
        struct mpdata_raw_blocks b = {.count = 0};

        if (!mpdata_text_is_empty(&line) && *line.at == '#')
            mpdata_heap_names_go(&r->names, line);
        if (mpdata_text_is_empty(&line) || *line.at == '#')
            continue;
        if (!take_blocks(&line, &b) || !mpdata_text_take(&line, "@")) {
            refuse(r, &line, BLOCKS_FORM " @ ADDRESS...");
            return;
        }
        read_stack(r, &line);
        if (r->errors.err == MPROF_E_OK)
            add_context(r, add_nodes(r), b);
    }
}

/* Is it a row, which must not follow the mappings? */
static bool is_row(struct mpdata_text line)
{
    struct mpdata_text copy = line;
    struct mpdata_raw_blocks b;

    return mpdata_text_take(&copy, "@") || take_thread(&copy) ||
           (take_blocks(&line, &b) && mpdata_text_take(&line, "@"));
}

static void read_maps(struct reader *r)
{
    struct mpdata_text line;

    if (!mpdata_heap_maps_init(&r->maps, &r->errors, r->text))
        mpdata_foreign_errors_no_memory(&r->errors);
    while (r->errors.err == MPROF_E_OK && mpdata_text_line(&r->text, &line)) {
        if (is_head(line) || is_row(line))
            refuse_second(r, &line);
        else if (!mpdata_heap_maps_line(&r->maps, &line))
            mpdata_foreign_errors_no_memory(&r->errors);
    }
}

/* -- the file -------------------------------------------------------------- */

bool mpdata_heap_text_is(const uint8_t *data, size_t size)
{
    struct mpdata_text text = {(const char *)data, (const char *)data + size};

    return size != 0 && *text.at != ' ' &&
           (mpdata_text_take(&text, JEMALLOC_START) ||
            mpdata_text_take(&text, GPERFTOOLS_START) ||
            mpdata_text_take(&text, SYMBOLS_START));
}

/* Reads how "heap profile:" was sampled, by the same rules as pprof. The period
 * follows a slash; without one nothing was sampled. tcmalloc samples live
 * blocks and writes their numbers twice. */
static void read_kind(struct reader *r, struct mpdata_text *line,
                      const struct mpdata_raw_blocks *all)
{
    static const struct {
        const char *kind; /* no entry is a prefix of a later one */
        const char *tool;
        bool is_sampled;
        bool is_live_only; /* other numbers in brackets mean nothing */
        uint64_t divisor;
    } kinds[] = {
        {"heapprofile", "gperftools", false, false, 1},
        {"heapz_v2", "tcmalloc", true, false, 1},
        {"heap_v2", "gperftools", true, false, 1},
        {"heap", "go", true, false, 2},
        {"growth", "tcmalloc", false, true, 1},
        {"fragmentation", "tcmalloc", false, true, 1},
    };
    uint64_t period;

    mpdata_text_skip(line);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(kinds); i++) {
        struct mpdata_text rest = *line;

        if (!mpdata_text_take(&rest, kinds[i].kind))
            continue;
        if (!kinds[i].is_sampled)
            mpdata_text_take(&rest, "z");
        if (mpdata_text_take(&rest, "/") &&
            mpdata_text_number(&rest, 10, &period) && kinds[i].is_sampled)
            r->period = period / kinds[i].divisor;
        r->tool = kinds[i].tool;
        r->is_live_only =
            kinds[i].is_live_only ||
            (kinds[i].is_sampled && all->count == all->live_count &&
             all->bytes == all->live_bytes);
        if (mpdata_text_is_empty(&rest))
            return;
    }
    mpdata_foreign_errors_say(
        &r->errors, MPROF_E_UNSUPPORTED, line->at,
        "its numbers are not those of a heap profile; expected heapprofile, "
        "heap_v2/PERIOD or heap/PERIOD");
}

/* Reads the first line, which tells the kind of the profile and its sampling.
 */
static void read_head(struct reader *r)
{
    struct mpdata_raw_blocks all = {.count = 0};
    struct mpdata_text line;

    if (r->text.at != r->text.end && *r->text.at == '\0') {
        mpdata_foreign_errors_say(
            &r->errors, MPROF_E_UNSUPPORTED, r->text.at,
            "binary numbers, as google-pprof --raw writes them, do not tell "
            "what they are; read the file that it was given");
        return;
    }
    if (!mpdata_text_line(&r->text, &line)) {
        mpdata_foreign_errors_say(
            &r->errors, MPROF_E_EMPTY, r->text.at,
            "no profile follows the names, as if jeprof --raw was given a "
            "local file; read that file");
        return;
    }
    if (mpdata_text_take(&line, JEMALLOC_START)) {
        r->tool = "jemalloc";
        if (!mpdata_text_number(&line, 10, &r->period))
            refuse(r, &line, "not a sampling period");
        return;
    }
    r->tool = "gperftools";
    if (!mpdata_text_take(&line, GPERFTOOLS_START) ||
        !take_blocks(&line, &all) || !mpdata_text_take(&line, "@"))
        refuse(r, &line, BLOCKS_FORM " @ KIND");
    else
        read_kind(r, &line, &all);
}

/* Go's rows have lines for all callers but runtime.goexit, which is outermost.
 */
static void name_goexit(const struct reader *r, struct mpdata_raw_name *names)
{
    const struct mpdata_raw_node *const nodes = r->nodes.data;

    if (names == NULL || strcmp(r->tool, "go") != 0)
        return;
    for (uint32_t i = 0; i < r->nodes.count; i++) {
        struct mpdata_str *const name = &names[nodes[i].frame].function;

        if (nodes[i].parent == 0 && name->size == 0)
            *name = (struct mpdata_str){"runtime.goexit", 14};
    }
}

static void *move_rows(struct mpdata_vec *vec)
{
    void *const rows = vec->data;

    vec->data = NULL;
    vec->count = vec->capacity = 0;
    return rows;
}

static void move_dump(struct reader *r, size_t size, struct mpdata_raw *raw)
{
    const struct mpdata_raw_module *const modules = r->maps.modules.data;

    *raw = (struct mpdata_raw){
        .kind = r->has_allocated ? MPROF_RUN_FOREIGN : MPROF_RUN_FOREIGN_LIVE,
        .has_live = true,
        .sample_period_bytes = r->period > 1 ? r->period : 0,
        .module_count = r->maps.modules.count,
        .segment_count = r->maps.segments.count,
        .frame_count = r->addresses.rows.count,
        .node_count = r->nodes.count,
        .context_count = r->contexts.count,
        .stack_count = r->contexts.count};
    for (size_t i = 0; i < MPROF_ARRAY_LEN(raw->texts); i++)
        raw->texts[i] = (struct mpdata_str){"", 0};
    raw->numbers[MPROF_RAW_META_IS_RUN_ID] =
        mprof_checksum(r->errors.data, size);
    raw->texts[MPROF_RAW_META_IS_TOOL] =
        (struct mpdata_str){r->tool, strlen(r->tool)};
    if (r->maps.modules.count != 0)
        raw->texts[MPROF_RAW_META_IS_EXECUTABLE] = modules[0].path;
    raw->modules = move_rows(&r->maps.modules);
    raw->segments = move_rows(&r->maps.segments);
    raw->frames = move_rows(&r->addresses.rows);
    raw->nodes = move_rows(&r->nodes);
    raw->contexts = move_rows(&r->contexts);
    raw->blocks = move_rows(&r->blocks);
    raw->strings = r->maps.strings;
    r->maps.strings = NULL;
}

enum mprof_err mpdata_heap_text_read(const uint8_t *data, size_t size,
                                     struct mpdata_raw_file *file,
                                     struct mprof_diag *diag)
{
    struct reader r = {
        .errors = {.data = (const char *)data,
                   .section = SECTION,
                   .has_lines = true,
                   .diag = diag},
        .text = {(const char *)data, (const char *)data + size},
        .nodes = {.elem_bytes = sizeof(struct mpdata_raw_node)},
        .contexts = {.elem_bytes = sizeof(struct mpdata_raw_context)},
        .blocks = {.elem_bytes = sizeof(struct mpdata_raw_blocks)},
        .stack = {.elem_bytes = sizeof(uint32_t)},
        .names = {.rows = {.elem_bytes = sizeof(struct mpdata_heap_name)}}};
    struct mpdata_text first = r.text;
    struct mpdata_raw raw;

    r.names.errors = &r.errors;
    mpdata_set_init(&r.addresses,
                    MPDATA_SET_KEY(struct mpdata_raw_frame, address),
                    sizeof(struct mpdata_raw_frame));
    if (mpdata_text_take(&first, SYMBOLS_START))
        read_symbols(&r);
    if (r.errors.err == MPROF_E_OK)
        read_head(&r);
    if (r.errors.err == MPROF_E_OK && strcmp(r.tool, "jemalloc") == 0)
        read_jemalloc(&r);
    else if (r.errors.err == MPROF_E_OK)
        read_gperftools(&r);
    read_maps(&r);
    struct mpdata_raw_name *names =
        r.errors.err == MPROF_E_OK
            ? mpdata_heap_names_frames(&r.names, r.addresses.rows.data,
                                       r.addresses.rows.count)
            : NULL;
    name_goexit(&r, names);
    if (r.errors.err == MPROF_E_OK) {
        mpdata_heap_maps_place(&r.maps, r.addresses.rows.data,
                               r.addresses.rows.count);
        count_allocated(&r);
        move_dump(&r, size, &raw);
        raw.frame_names = names;
        if (!mpdata_raw_file_add(file, &raw)) {
            mpdata_raw_free(&raw);
            r.errors.err = mprof_err_plain(diag, MPROF_E_NOMEM);
        }
    }
    mpdata_heap_maps_fini(&r.maps);
    mpdata_set_fini(&r.addresses);
    mpdata_vec_fini(&r.nodes);
    mpdata_vec_fini(&r.contexts);
    mpdata_vec_fini(&r.blocks);
    mpdata_vec_fini(&r.stack);
    mpdata_vec_fini(&r.names.rows);
    return r.errors.err;
}
