/* moved.c -- finds the locations of a profile in a module.
 *
 * A location is a line, counted from the function's first line, and a column,
 * so edits outside the function do not matter. If a location of a function is
 * not found, the function was edited. Then the calls of the function in the
 * module and in the profile are aligned, keeping their order, so that as many
 * pairs as possible have the same callee; among equal alignments, equal lines
 * and columns decide.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/moved.h"

#include "pass/support/memory.h"

#include <stdlib.h>
#include <string.h>

/* Functions with more calls are not aligned. */
#define CALLS_MAX 1000

/* Scores of a pair of calls. */
#define SCORE_CALLEE 4 /* same callee */
#define SCORE_PLACE 3  /* other callee, but same location */
#define SCORE_COLUMN 2 /* same callee and column */
#define SCORE_LINE 1   /* same callee and line */

/* A frame of a call. */
struct anchor {
    struct mpass_place place;
    uint64_t callee; /* 0: not known */
    bool allocates;
    uint32_t frame;
};

static int compare_anchors(const void *left, const void *right)
{
    const struct mpass_place *a = &((const struct anchor *)left)->place;
    const struct mpass_place *b = &((const struct anchor *)right)->place;

    if (a->guid != b->guid)
        return a->guid < b->guid ? -1 : 1;
    if (a->line_offset != b->line_offset)
        return a->line_offset < b->line_offset ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static bool same_place(const struct mpass_place *a, const struct mpass_place *b)
{
    return a->guid == b->guid && a->line_offset == b->line_offset &&
           a->column == b->column;
}

static void fill_anchors(struct anchor *anchors,
                         const struct mpass_stacks *stacks,
                         const struct mpass_sites *sites)
{
    for (uint32_t i = 0; i < sites->site_count; i++) {
        const struct mpass_site *site = &sites->sites[i];
        uint64_t callee = site->callee;

        for (uint32_t j = 0; j < site->frame_count; j++) {
            const uint32_t at = site->first_frame + j;
            const struct mpass_site_frame *frame = &sites->frames[at];
            const uint64_t guid = sites->functions[frame->function].guid;

            anchors[at] = (struct anchor){
                .place = {.guid = guid,
                          .line_offset = frame->line_offset,
                          .column = stacks->has_columns ? frame->column : 0},
                .callee = callee,
                .allocates = j == 0 && site->allocates != MPASS_ALLOCATION_NONE,
                .frame = at};
            callee = guid;
        }
    }
}

/* -- alignment -------------------------------------------------------------- */

/* The calls of one function, in the module and in the profile. */
struct function_calls {
    const struct mpass_stacks *stacks;
    const struct anchor *anchors;
    uint32_t anchor_count;
    uint32_t *firsts; /* the first anchor of each location */
    uint32_t first_count;
    uint32_t place_first; /* the function's first location in the profile */
    uint32_t place_count;
    uint32_t *found; /* by firsts: location + 1 of the profile, or 0 */
};

/* True if the anchor may call the same function as the location of the profile.
 * A call by pointer, or a location with several callees, is compared by
 * location.
 */
static bool may_be_same(const struct function_calls *calls,
                        const struct anchor *anchor, uint32_t place)
{
    const uint64_t callee = calls->stacks->callees[place];

    if (callee == MPASS_STACKS_ALLOCATION && anchor->allocates)
        return true;
    if (callee <= MPASS_STACKS_SEVERAL || anchor->callee == 0)
        return same_place(&anchor->place, &calls->stacks->places[place]);
    return callee == anchor->callee;
}

/* True if one of the calls at a location (a macro may have several) may call
 * the same function. */
static bool same_callee(const struct function_calls *calls, uint32_t first,
                        uint32_t place)
{
    const uint32_t end = first + 1 < calls->first_count
                             ? calls->firsts[first + 1]
                             : calls->anchor_count;

    for (uint32_t i = calls->firsts[first]; i < end; i++) {
        if (may_be_same(calls, &calls->anchors[i], place))
            return true;
    }
    return false;
}

static unsigned score(const struct function_calls *calls, uint32_t first,
                      uint32_t place)
{
    const struct anchor *anchor = &calls->anchors[calls->firsts[first]];
    const struct mpass_place *other =
        &calls->stacks->places[calls->place_first + place];

    if (same_callee(calls, first, calls->place_first + place))
        return SCORE_CALLEE +
               (anchor->place.column == other->column ? SCORE_COLUMN : 0) +
               (anchor->place.line_offset == other->line_offset ? SCORE_LINE
                                                                : 0);
    return same_place(&anchor->place, other) ? SCORE_PLACE : 0;
}

/* Aligns the calls by dynamic programming: best[i][j] is the best score for the
 * first i calls and the first j locations. */
static void align(struct function_calls *calls)
{
    const uint32_t width = calls->place_count + 1;
    uint32_t *best = mpass_memory_allocate(
        NULL, (size_t)(calls->first_count + 1) * width, sizeof(*best));
    uint32_t i, j;

    memset(best, 0, width * sizeof(*best));
    for (i = 1; i <= calls->first_count; i++) {
        uint32_t *row = best + (size_t)i * width;
        const uint32_t *above = row - width;

        row[0] = 0;
        for (j = 1; j < width; j++) {
            const unsigned fit = score(calls, i - 1, j - 1);

            row[j] = above[j] > row[j - 1] ? above[j] : row[j - 1];
            if (fit != 0 && above[j - 1] + fit > row[j])
                row[j] = above[j - 1] + fit;
        }
    }
    for (i = calls->first_count, j = calls->place_count; i > 0 && j > 0;) {
        const uint32_t *row = best + (size_t)i * width;
        const uint32_t *above = row - width;

        if (row[j] == above[j]) {
            i--;
        } else if (row[j] == row[j - 1]) {
            j--;
        } else {
            calls->found[--i] = calls->place_first + j;
            j--;
        }
    }
    free(best);
}

/* Numbers of locations. */
struct tally {
    uint32_t found;
    uint32_t unmoved; /* found with the same line and column */
    uint32_t agreed;  /* found with the same callee */
};

static struct tally count_found(const struct function_calls *calls)
{
    struct tally tally = {0};

    for (uint32_t i = 0; i < calls->first_count; i++) {
        const struct anchor *anchor = &calls->anchors[calls->firsts[i]];
        const uint32_t place = calls->found[i];

        if (place == 0)
            continue;
        tally.found++;
        tally.unmoved +=
            same_place(&anchor->place, &calls->stacks->places[place - 1]);
        tally.agreed += same_callee(calls, i, place - 1);
    }
    return tally;
}

/* Finds each call by its line and column. */
static void find_same(struct function_calls *calls)
{
    for (uint32_t i = 0; i < calls->first_count; i++)
        calls->found[i] = mpass_stacks_find(
            calls->stacks, &calls->anchors[calls->firsts[i]].place);
}

static void find_moved(struct function_calls *calls)
{
    memset(calls->found, 0, calls->first_count * sizeof(*calls->found));
    align(calls);
}

/* -- all functions ---------------------------------------------------------- */

static bool allocates(const struct anchor *anchors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (anchors[i].allocates)
            return true;
    }
    return false;
}

/* Stores the found locations by frame. */
static void keep_places(const struct function_calls *calls, uint32_t *places)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < calls->anchor_count; i++) {
        first +=
            first + 1 < calls->first_count && i >= calls->firsts[first + 1];
        places[calls->anchors[i].frame] = calls->found[first];
    }
}

/* Leaves out the locations that no call of the module has because the profiled
 * code had none: that of a library without debug information, or calls that the
 * compiler joined. */
static uint32_t count_known(const struct function_calls *calls)
{
    uint32_t count = calls->place_count;

    for (uint32_t i = 0; i < calls->place_count && calls->stacks->has_columns;
         i++) {
        const uint32_t place = calls->place_first + i;
        bool is_lost = calls->stacks->places[place].column == 0;

        for (uint32_t j = 0; is_lost && j < calls->first_count; j++)
            is_lost = calls->found[j] != place + 1;
        count -= is_lost;
    }
    return count;
}

static enum mpass_use_state find_places(struct function_calls *calls,
                                        uint32_t *found_count)
{
    find_same(calls);
    struct tally tally = count_found(calls);
    if ((tally.found != calls->place_count ||
         tally.agreed != calls->place_count) &&
        calls->first_count <= CALLS_MAX && calls->place_count <= CALLS_MAX) {
        find_moved(calls);
        tally = count_found(calls);
    }
    *found_count = tally.found;
    calls->place_count = count_known(calls);
    if (calls->place_count == 0)
        return MPASS_USE_STATE_MISSING;
    if (tally.found != calls->place_count)
        return MPASS_USE_STATE_STALE;
    return tally.unmoved == tally.found ? MPASS_USE_STATE_MATCHED
                                        : MPASS_USE_STATE_MOVED;
}

/* Finds the locations of one function; all anchors are in it. */
static void find_function(struct mpass_moved *moved,
                          const struct mpass_stacks *stacks,
                          const struct mpass_sites *sites,
                          const struct anchor *anchors, uint32_t count)
{
    const uint64_t guid = anchors[0].place.guid;
    struct function_calls calls = {.stacks = stacks,
                                   .anchors = anchors,
                                   .anchor_count = count,
                                   .place_first =
                                       mpass_stacks_first_place(stacks, guid)};
    struct mpass_moved_function *out = &moved->functions[moved->function_count];

    while (calls.place_first + calls.place_count < stacks->place_count &&
           stacks->places[calls.place_first + calls.place_count].guid == guid)
        calls.place_count++;
    if (calls.place_count == 0 && !allocates(anchors, count))
        return;
    *out = (struct mpass_moved_function){
        .function = &sites->functions[sites->frames[anchors[0].frame].function],
        .state = MPASS_USE_STATE_MISSING,
        .place_count = calls.place_count};
    moved->function_count++;
    if (calls.place_count == 0)
        return;
    calls.firsts = mpass_memory_allocate(NULL, count, sizeof(*calls.firsts));
    calls.found = mpass_memory_allocate(NULL, count, sizeof(*calls.found));
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || compare_anchors(&anchors[i], &anchors[i - 1]) != 0)
            calls.firsts[calls.first_count++] = i;
    }
    out->state = find_places(&calls, &out->found_count);
    out->place_count = calls.place_count;
    keep_places(&calls, moved->places);
    free(calls.firsts);
    free(calls.found);
}

void mpass_moved_find(struct mpass_moved *moved,
                      const struct mpass_stacks *stacks,
                      const struct mpass_sites *sites)
{
    const uint32_t count = sites->frame_count;
    struct anchor *anchors =
        mpass_memory_allocate(NULL, count, sizeof(*anchors));
    uint32_t end;

    moved->places = mpass_memory_allocate(NULL, count, sizeof(*moved->places));
    memset(moved->places, 0, count * sizeof(*moved->places));
    moved->functions =
        mpass_memory_allocate(NULL, count, sizeof(*moved->functions));
    moved->function_count = 0;
    fill_anchors(anchors, stacks, sites);
    qsort(anchors, count, sizeof(*anchors), compare_anchors);
    for (uint32_t i = 0; i < count; i = end) {
        for (end = i + 1;
             end < count && anchors[end].place.guid == anchors[i].place.guid;
             end++)
            ;
        find_function(moved, stacks, sites, anchors + i, end - i);
    }
    free(anchors);
}

void mpass_moved_fini(struct mpass_moved *moved)
{
    free(moved->places);
    free(moved->functions);
}
