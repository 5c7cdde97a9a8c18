/* pairing.c -- gives equal call stacks of two profiles the same number.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/pairing.h"
#include "profdata/base/guid.h"
#include "profdata/query/names.h"
#include "profdata/base/set.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* LLVM's profiles store line offsets in 16 bits. */
#define LINE_MASK 0xffffu

/* What was allocated below a node. One struct, not two arrays: contexts visit
 * nodes out of order, and each visit should touch one cache line. */
struct amount {
    uint64_t blocks;
    uint64_t bytes;
};

struct side {
    struct mpdata_view view;
    const uint32_t *functions; /* by frame: number of its function */
    struct mpdata_set sites;   /* struct mpdata_site */
    uint32_t *calls;           /* by node: the call site of its caller, + 1 */
    uint32_t *leaves;     /* by context: the call site that allocates, + 1 */
    struct amount *below; /* by node: allocated there and below */
};

/* -- call sites ------------------------------------------------------------ */

/* Returns a line as offset from the function's first line, because LLVM's files
 * have only offsets; an address if the function is unknown. */
static uint64_t call_offset(const struct mpdata_view *view,
                            const struct mpdata_frame *frame)
{
    if (frame->function == 0)
        return frame->address;
    return (frame->line - view->functions[frame->function - 1].line) &
           LINE_MASK;
}

/* Returns the site + 1 of a call in the function of a node, and adds the amount
 * to it; 0 when out of memory. */
static uint32_t add_site(struct side *s, mpdata_ref node, uint32_t callee,
                         const struct amount *amount)
{
    const uint32_t frame = s->view.nodes[node - 1].frame;
    const struct mpdata_frame *const f = &s->view.frames[frame];
    const struct mpdata_site key = {.function = s->functions[frame],
                                    .callee = callee,
                                    .offset = call_offset(&s->view, f),
                                    .column = f->column};
    const uint32_t ref = mpdata_set_add(&s->sites, &key, NULL);

    if (ref == 0)
        return 0;
    struct mpdata_site *site =
        (struct mpdata_site *)s->sites.rows.data + ref - 1;
    site->blocks = mprof_add_sat_u64(site->blocks, amount->blocks);
    site->bytes = mprof_add_sat_u64(site->bytes, amount->bytes);
    return ref;
}

static void add_amount(struct amount *to, const struct amount *from)
{
    to->blocks = mprof_add_sat_u64(to->blocks, from->blocks);
    to->bytes = mprof_add_sat_u64(to->bytes, from->bytes);
}

/* Adds the sites of allocations, one per context. */
static bool add_leaves(struct side *s)
{
    for (uint32_t i = 0; i < s->view.context_count; i++) {
        const struct mpdata_context *const c = &s->view.contexts[i];
        const struct amount own = {.blocks = mpdata_view_mib_field(
                                       &s->view, i, MPROF_MIB_INDEX_AllocCount),
                                   .bytes = mpdata_view_mib_field(
                                       &s->view, i, MPROF_MIB_INDEX_TotalSize)};

        if (c->node == 0)
            continue;
        add_amount(&s->below[c->node - 1], &own);
        s->leaves[i] = add_site(s, c->node, MPDATA_SITE_ALLOCATES, &own);
        if (s->leaves[i] == 0)
            return false;
    }
    return true;
}

/* Adds the sites of calls, one per node. Backwards, since parents precede their
 * children and sum up their amounts. */
static bool add_calls(struct side *s)
{
    for (mpdata_ref node = s->view.node_count; node != 0; node--) {
        const mpdata_ref parent = s->view.nodes[node - 1].parent;
        const struct amount *const below = &s->below[node - 1];

        if (parent == 0)
            continue;
        add_amount(&s->below[parent - 1], below);
        s->calls[node - 1] = add_site(
            s, parent, s->functions[s->view.nodes[node - 1].frame], below);
        if (s->calls[node - 1] == 0)
            return false;
    }
    return true;
}

static bool find_sites(struct side *s)
{
    const size_t nodes = s->view.node_count;

    s->calls = mpdata_vec_array(nodes, sizeof(*s->calls));
    s->leaves = mpdata_vec_array(s->view.context_count, sizeof(*s->leaves));
    s->below = mpdata_vec_array(nodes, sizeof(*s->below));
    bool is_done = s->calls != NULL && s->leaves != NULL && s->below != NULL &&
                   add_leaves(s) && add_calls(s);
    free(s->below);
    s->below = NULL;
    return is_done;
}

static uint32_t number_of(const struct side *s, uint32_t site)
{
    return ((const struct mpdata_site *)s->sites.rows.data)[site - 1].number;
}

/* -- call stacks ------------------------------------------------------------- */

/* Kinds of nodes. Start-up code of programs and threads differs between C
 * libraries, so it is ignored when call stacks are compared. */
enum {
    INSIDE,
    OUTSIDE, /* unknown function, below nothing but OUTSIDE or START */
    START,   /* starts main() or a thread, below the same */
    MAIN
};

static uint8_t find_kind(const struct mpdata_view *view, uint32_t frame)
{
    const uint32_t function = view->frames[frame].function;

    if (function == 0)
        return OUTSIDE;
    if (view->functions[function - 1].guid == mpdata_guid("main", 4))
        return MAIN;
    return mpdata_names_is_start(
               view->strings[view->functions[function - 1].name].bytes)
               ? START
               : INSIDE;
}

/* Returns the kind of each node; NULL when out of memory. */
static uint8_t *find_kinds(const struct mpdata_view *view)
{
    uint8_t *kinds = mpdata_vec_array(view->node_count, 1);
    uint8_t *of_frames = mpdata_vec_array(view->frame_count, 1);

    for (uint32_t i = 0; of_frames != NULL && i < view->frame_count; i++)
        of_frames[i] = find_kind(view, i);
    for (uint32_t i = 0;
         kinds != NULL && of_frames != NULL && i < view->node_count; i++) {
        const mpdata_ref parent = view->nodes[i].parent;
        const uint8_t kind = of_frames[view->nodes[i].frame];
        const bool is_outside = parent == 0 || kinds[parent - 1] == OUTSIDE ||
                                kinds[parent - 1] == START;

        kinds[i] = is_outside || kind == MAIN ? kind : INSIDE;
    }
    if (of_frames == NULL) {
        free(kinds);
        kinds = NULL;
    }
    free(of_frames);
    return kinds;
}

/* A call stack: its callers and its last call. */
struct step {
    uint32_t above; /* row of the callers' step + 1; 0: none */
    uint32_t call;
};

/* Replaces the site of each node and of each context by the step (call stack)
 * that ends there. */
static bool take_steps(struct side *s, const uint8_t *kinds,
                       struct mpdata_set *steps)
{
    for (uint32_t i = 0; i < s->view.node_count; i++) {
        const mpdata_ref parent = s->view.nodes[i].parent;
        struct step step;

        if (parent == 0 || kinds[parent - 1] == START || kinds[i] == START ||
            kinds[i] == MAIN) {
            s->calls[i] = 0;
            continue;
        }
        step.above = s->calls[parent - 1];
        step.call = number_of(s, s->calls[i]);
        s->calls[i] = mpdata_set_add(steps, &step, NULL);
        if (s->calls[i] == 0)
            return false;
    }
    for (uint32_t i = 0; i < s->view.context_count; i++) {
        struct step step;

        if (s->leaves[i] == 0) {
            s->leaves[i] = NONE;
            continue;
        }
        step.above = s->calls[s->view.contexts[i].node - 1];
        step.call = number_of(s, s->leaves[i]);
        s->leaves[i] = mpdata_set_add(steps, &step, NULL) - 1;
        if (s->leaves[i] == NONE)
            return false;
    }
    return true;
}

static bool pair_stacks(struct mpdata_pairing *pairing, struct side sides[2])
{
    struct mpdata_set steps;
    bool is_done = true;

    mpdata_set_init(&steps, sizeof(struct step), sizeof(struct step));
    for (int side = 0; is_done && side < 2; side++) {
        uint8_t *const kinds = find_kinds(&sides[side].view);

        is_done = kinds != NULL && take_steps(&sides[side], kinds, &steps);
        pairing->stacks[side] = sides[side].leaves;
        sides[side].leaves = NULL;
        free(kinds);
    }
    pairing->count = steps.rows.count;
    mpdata_set_fini(&steps);
    return is_done;
}

/* -- lines --------------------------------------------------------------------- */

/* A line of a function: its offset in the new profile or, for lines that only
 * the old profile has, in the old one. */
struct line {
    uint64_t offset;
    uint32_t function;
    uint32_t is_old;
};

/* Computes for each number of a site: the number of its line, + 1. */
static bool number_lines(const struct side sides[2], struct mpdata_set *lines,
                         uint32_t *line_of)
{
    for (int side = 1; side >= 0; side--) {
        const struct mpdata_site *const sites = sides[side].sites.rows.data;

        for (uint32_t i = 0; i < sides[side].sites.rows.count; i++) {
            const struct line line = {.offset = sites[i].offset,
                                      .function = sites[i].function,
                                      .is_old = side == 0};

            if (line_of[sites[i].number] != 0)
                continue;
            line_of[sites[i].number] = mpdata_set_add(lines, &line, NULL);
            if (line_of[sites[i].number] == 0)
                return false;
        }
    }
    return true;
}

static uint32_t line_at(const struct side *s, uint32_t site,
                        const uint32_t *line_of)
{
    return site != 0 ? line_of[number_of(s, site)] - 1 : NONE;
}

/* Sets the numbers of lines by node. Returns false when out of memory. */
static bool take_lines(struct side *s, const uint32_t *line_of,
                       uint32_t **groups, uint32_t **leaves)
{
    uint32_t *const by_node =
        mpdata_vec_array(s->view.node_count, sizeof(*by_node));

    for (uint32_t i = 0; i < s->view.node_count; i++)
        s->calls[i] = line_at(s, s->calls[i], line_of);
    *groups = s->calls;
    *leaves = by_node;
    s->calls = NULL;
    if (by_node == NULL)
        return false;
    for (uint32_t i = 0; i < s->view.node_count; i++)
        by_node[i] = NONE;
    for (uint32_t i = 0; i < s->view.context_count; i++) {
        if (s->leaves[i] != 0)
            by_node[s->view.contexts[i].node - 1] =
                line_at(s, s->leaves[i], line_of);
    }
    return true;
}

static bool pair_lines(struct mpdata_pairing *pairing, struct side sides[2],
                       uint32_t numbers)
{
    uint32_t *line_of = mpdata_vec_array(numbers, sizeof(*line_of));
    struct mpdata_set lines;

    mpdata_set_init(&lines, sizeof(struct line), sizeof(struct line));
    bool is_done = line_of != NULL && number_lines(sides, &lines, line_of);
    for (int side = 0; is_done && side < 2; side++)
        is_done = take_lines(&sides[side], line_of, &pairing->groups[side],
                             &pairing->leaves[side]);
    pairing->count = lines.rows.count;
    mpdata_set_fini(&lines);
    free(line_of);
    return is_done;
}

/* -- pairing --------------------------------------------------------------- */

static bool has_build(const struct mpdata_view *view,
                      const struct mpdata_str *id)
{
    for (uint32_t i = 0; i < view->binary_count; i++) {
        const struct mpdata_str *const its =
            &view->strings[view->binaries[i].build_id];

        if (its->size == id->size &&
            memcmp(its->bytes, id->bytes, id->size) == 0)
            return true;
    }
    return false;
}

static bool has_path(const struct mpdata_view *view, mpdata_ref path)
{
    for (uint32_t i = 0; path != 0 && i < view->binary_count; i++) {
        if (view->binaries[i].path == path)
            return true;
    }
    return false;
}

/* The programs of all runs are among a profile's binaries, which have build ids
 * and are those of the other one, too. */
static bool is_within(const struct mpdata_view *view,
                      const struct mpdata_view *other)
{
    for (uint32_t i = 0; i < view->binary_count; i++) {
        const struct mpdata_str *const id =
            &view->strings[view->binaries[i].build_id];

        if (id->size == 0 || !has_build(other, id))
            return false;
    }
    for (uint32_t i = 0; i < view->run_count; i++) {
        if (!has_path(view, view->runs[i].executable))
            return false;
    }
    return view->run_count != 0;
}

static enum mprof_err pair_calls(struct mpdata_pairing *pairing,
                                 const struct mpdata_profile *const profiles[2],
                                 const uint64_t runs[2],
                                 const struct mpdata_pairing_names *functions)
{
    struct side sides[2];
    struct mpdata_site *sites[2];
    uint32_t counts[2];
    uint32_t numbers = 0;
    bool is_done = true;

    for (int side = 0; side < 2; side++) {
        sides[side] = (struct side){.view = mpdata_profile_view(profiles[side]),
                                    .functions = functions->numbers[side]};
        mpdata_set_init(&sides[side].sites,
                        MPDATA_SET_KEY(struct mpdata_site, column),
                        sizeof(struct mpdata_site));
        is_done = is_done && find_sites(&sides[side]);
        sites[side] = sides[side].sites.rows.data;
        counts[side] = sides[side].sites.rows.count;
    }
    const bool is_one_build = is_within(&sides[0].view, &sides[1].view) ||
                              is_within(&sides[1].view, &sides[0].view);
    is_done = is_done && mpdata_pairing_calls(sites, counts, runs, is_one_build,
                                              &numbers) == MPROF_E_OK;
    if (is_done && pairing->by == MPDATA_BY_STACK)
        is_done = pair_stacks(pairing, sides);
    else if (is_done)
        is_done = pair_lines(pairing, sides, numbers);
    for (int side = 0; side < 2; side++) {
        mpdata_set_fini(&sides[side].sites);
        free(sides[side].calls);
        free(sides[side].leaves);
    }
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

static void take_names(struct mpdata_pairing *pairing,
                       struct mpdata_pairing_names *names)
{
    for (int side = 0; side < 2; side++) {
        pairing->groups[side] = names->numbers[side];
        names->numbers[side] = NULL;
    }
    pairing->count = names->count;
}

/* Pairs binaries and strings, which need no functions. */
static enum mprof_err pair_texts(struct mpdata_pairing *pairing,
                                 const struct mpdata_profile *const profiles[2])
{
    struct mpdata_pairing_names texts;
    const enum mprof_err err =
        pairing->by == MPDATA_BY_BINARY
            ? mpdata_pairing_names_frames(&texts, profiles, pairing->by, NULL)
            : mpdata_pairing_names_strings(&texts, profiles);

    take_names(pairing, &texts);
    return err;
}

static enum mprof_err
pair_functions(struct mpdata_pairing *pairing,
               const struct mpdata_profile *const profiles[2],
               const uint64_t runs[2])
{
    struct mpdata_pairing_names functions;
    struct mpdata_pairing_names files = {.count = 0};
    enum mprof_err err = mpdata_pairing_names_frames(&functions, profiles,
                                                     MPDATA_BY_FUNCTION, NULL);

    if (err == MPROF_E_OK && pairing->by == MPDATA_BY_FILE) {
        err = mpdata_pairing_names_frames(&files, profiles, pairing->by,
                                          &functions);
        take_names(pairing, &files);
    } else if (err == MPROF_E_OK && pairing->by == MPDATA_BY_FUNCTION) {
        take_names(pairing, &functions);
    } else if (err == MPROF_E_OK) {
        err = pair_calls(pairing, profiles, runs, &functions);
    }
    mpdata_pairing_names_fini(&functions);
    mpdata_pairing_names_fini(&files);
    return err;
}

enum mprof_err
mpdata_pairing_make(struct mpdata_pairing *pairing,
                    const struct mpdata_profile *const profiles[2],
                    const uint64_t runs[2], enum mpdata_by by)
{
    *pairing = (struct mpdata_pairing){.by = by};
    return by == MPDATA_BY_BINARY || mpdata_by_is_name(by)
               ? pair_texts(pairing, profiles)
               : pair_functions(pairing, profiles, runs);
}

void mpdata_pairing_fini(struct mpdata_pairing *pairing)
{
    for (int side = 0; side < 2; side++) {
        free(pairing->stacks[side]);
        free(pairing->groups[side]);
        free(pairing->leaves[side]);
        pairing->stacks[side] = NULL;
        pairing->groups[side] = NULL;
        pairing->leaves[side] = NULL;
    }
}
