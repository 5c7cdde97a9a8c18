/* advice_text.c -- prints what to change in a program as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/views.h"
#include "profdata/view/page.h"
#include "profdata/base/str.h"
#include "profdata/query/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TYPE_NAME_BYTES 200
#define TYPE_NAME_WIDTH 60

/* -- sentences ------------------------------------------------------------- */

static uint64_t average(uint64_t sum, uint64_t count)
{
    return count != 0 ? (sum + count / 2) / count : 0;
}

struct mpdata_number advice_text_saving(const struct mpdata_advice_row *row,
                                        const struct mpdata_advice *advice)
{
    const char *const about = advice->is_estimate ? "~" : "";
    const uint64_t whole = mpdata_advice_whole(advice, row->kind);
    const double bytes =
        whole != 0 ? (double)row->saved_bytes / (double)whole : 0;

    return row->saved_bytes != 0 &&
                   (bytes >= row->share || row->kind == MPDATA_ADVICE_CONCAT)
               ? mpdata_units_format(
                     "%s%s, %s of the bytes%s", about,
                     mpdata_units_bytes(row->saved_bytes).text,
                     mpdata_units_share(row->saved_bytes, whole).text,
                     whole != advice->whole_bytes ? " allocated"
                     : advice->is_peak            ? " at the peak"
                                                  : "")
               : mpdata_units_format(
                     "%s%s, %s of all", about,
                     mpdata_units_things(row->saved_calls, "block").text,
                     mpdata_units_share(row->saved_calls, advice->whole_blocks)
                         .text);
}

/* The name of a type has any length. */
static void put_members(char text[ADVICE_SENTENCE_BYTES],
                        const struct mpdata_advice_row *row,
                        const struct mpdata_advice_type *type,
                        const char *about)
{
    char name[TYPE_NAME_BYTES];

    snprintf(name, sizeof(name), "%s", type->name);
    mpdata_names_cut(name, TYPE_NAME_WIDTH);
    int size = snprintf(
        text, ADVICE_SENTENCE_BYTES,
        "In %s%s of type %s, %s of the type's %s are hardly accessed: %s.",
        about, mpdata_units_things(row->blocks, "block").text, name,
        mpdata_units_bytes(type->cold_bytes).text,
        mpdata_units_bytes(type->bytes).text, type->members);
    if (type->lines_split < type->lines_before)
        snprintf(text + size, ADVICE_SENTENCE_BYTES - (size_t)size,
                 " A visit touches %.2f cache lines, and %.2f without them.",
                 type->lines_before, type->lines_split);
    mpdata_controls_replace(text, strlen(text), '?');
}

/* Blocks at the peak, of the average size of all blocks. */
static void put_small(char text[ADVICE_SENTENCE_BYTES],
                      const struct mpdata_advice_row *row, const char *about)
{
    snprintf(text, ADVICE_SENTENCE_BYTES,
             "At the peak malloc itself takes at least %s for %s%s of %s%s.",
             mpdata_units_bytes(row->saved_bytes).text, about,
             mpdata_units_things(row->number, "block").text,
             mpdata_units_bytes(average(row->bytes, row->blocks)).text,
             row->has_one_size ? "" : " on average");
}

/* What the counted ones of the blocks are. */
static void put_number(char text[ADVICE_SENTENCE_BYTES],
                       const struct mpdata_advice_row *row, const char *about,
                       const char *blocks)
{
    const struct mpdata_number some = mpdata_units_format(
        "%s%s of the ", about, mpdata_units_count(row->number).text);
    const int size = snprintf(text, ADVICE_SENTENCE_BYTES, "%s%s %s ",
                              row->blocks == 1 ? "The " : some.text, blocks,
                              row->number == 1 ? "is" : "are");
    char *const rest = text + size;
    const size_t room = ADVICE_SENTENCE_BYTES - (size_t)size;

    if (row->kind == MPDATA_ADVICE_STALE)
        snprintf(rest, room,
                 "alive at the end and not accessed for %s or longer.",
                 mpdata_units_ns(row->idle_ns).text);
    else if (row->kind == MPDATA_ADVICE_DUPLICATES)
        snprintf(rest, room,
                 "alive at the end with the content of another live one.");
    else if (row->kind == MPDATA_ADVICE_REPEATED)
        snprintf(rest, room, "freed with the content of an earlier one.");
    else if (row->kind == MPDATA_ADVICE_COPY)
        snprintf(rest, room,
                 "copies that are only read until the function that makes "
                 "them, or its caller, frees them.");
    else
        snprintf(rest, room, "freed before their thread's next allocation.");
}

static void put_peak(char text[ADVICE_SENTENCE_BYTES],
                     const struct mpdata_advice_row *row, const char *about)
{
    const int size = snprintf(
        text, ADVICE_SENTENCE_BYTES, "%s%s of %s%s %s at the peak.", about,
        mpdata_units_things(row->number, "block").text,
        mpdata_units_bytes(average(row->saved_bytes, row->number)).text,
        row->has_one_size ? "" : " on average",
        row->number == 1 ? "lives" : "live");

    if (row->other < MPDATA_ADVICE_STEPS &&
        row->other_bytes >= row->saved_bytes / 10)
        snprintf(text + size, ADVICE_SENTENCE_BYTES - (size_t)size,
                 " Other advice for this place: %s, %s.",
                 mpdata_advice_kinds[row->other].name,
                 mpdata_units_bytes(row->other_bytes).text);
}

void advice_text_sentence(const struct mpdata_advice_row *row,
                          const struct mpdata_advice *advice,
                          char text[ADVICE_SENTENCE_BYTES])
{
    const char *const about = advice->is_estimate ? "~" : "";
    const struct mpdata_number blocks = mpdata_units_format(
        "%s%s of %s%s", about, mpdata_units_things(row->blocks, "block").text,
        mpdata_units_bytes(average(row->bytes, row->blocks)).text,
        row->has_one_size ? "" : " on average");
    const struct mpdata_number number = mpdata_units_count(row->number);
    const char *const are = row->blocks == 1 ? "is" : "are";

#define PUT(...) snprintf(text, ADVICE_SENTENCE_BYTES, __VA_ARGS__)
    switch (row->kind) {
    case MPDATA_ADVICE_LEAKED:
        PUT("Nothing points to %s of the %s any more.", number.text,
            blocks.text);
        break;
    case MPDATA_ADVICE_UNUSED:
        PUT("Nothing reads or writes the %s.", blocks.text);
        break;
    case MPDATA_ADVICE_UNREAD:
        PUT("The %s %s written, but never read.", blocks.text, are);
        break;
    case MPDATA_ADVICE_STALE:
    case MPDATA_ADVICE_DUPLICATES:
    case MPDATA_ADVICE_COPY:
    case MPDATA_ADVICE_REPEATED:
    case MPDATA_ADVICE_TEMPORARY:
        put_number(text, row, about, blocks.text);
        break;
    case MPDATA_ADVICE_TAIL:
        PUT("Nothing accesses the %s from offset %s on.", blocks.text,
            number.text);
        break;
    case MPDATA_ADVICE_COLD:
        PUT("The %s %s long and %s hardly accessed.", blocks.text,
            row->blocks == 1 ? "lives" : "live", are);
        break;
    case MPDATA_ADVICE_MEMBERS:
        put_members(text, row, &advice->types[row->number], about);
        break;
    case MPDATA_ADVICE_SMALL:
        put_small(text, row, about);
        break;
    case MPDATA_ADVICE_STEPS:
        PUT("realloc replaces %s%s of the %s, and adds %s each time.", about,
            mpdata_units_count(row->saved_calls).text, blocks.text,
            mpdata_units_bytes(average(row->number, row->saved_calls)).text);
        break;
    case MPDATA_ADVICE_LOCAL:
        PUT("The function that allocates the %s frees %s%s of them.",
            blocks.text, about, number.text);
        break;
    case MPDATA_ADVICE_CHURN:
        PUT("Of the %s, %s, at most %s live at the same time.", blocks.text,
            row->has_one_size ? "all of one size"
                              : "of one size for each call stack",
            number.text);
        break;
    case MPDATA_ADVICE_CONCAT:
        PUT("The %s are concatenated texts, which grow to %s and are dropped.",
            blocks.text, mpdata_units_bytes(row->size).text);
        break;
    case MPDATA_ADVICE_PEAK:
        put_peak(text, row, about);
        break;
    case MPDATA_ADVICE_KIND_COUNT:
        text[0] = '\0';
        break;
    }
#undef PUT
}

/* -- the page -------------------------------------------------------------- */

static void print_row(FILE *out, uint32_t number,
                      const struct mpdata_advice_row *row,
                      const struct mpdata_advice *advice,
                      const struct show_options *options,
                      struct show_stack *stack)
{
    const struct show_style *const style = &options->style;
    const struct mpdata_advice_kind_row *const kind =
        &mpdata_advice_kinds[row->kind];
    char sentence[ADVICE_SENTENCE_BYTES];
    struct page_wrap wrap;

    fprintf(out, "%s%2" PRIu32 ".  %s%s%s  %s\n", number > 1 ? "\n" : "",
            number, style->accent, kind->name, style->reset,
            advice_text_saving(row, advice).text);
    FILE *wrapped = page_wrap_start(&wrap);
    advice_text_sentence(row, advice, sentence);
    if (wrapped != NULL)
        fprintf(wrapped, PAGE_INDENT "%s %s\n", sentence, kind->action);
    if (wrapped == NULL ||
        !page_wrap_finish(&wrap, out, strlen(PAGE_INDENT), options->width))
        show_stack_fail(stack);
    if (row->contexts > 1)
        fprintf(out, PAGE_INDENT "%" PRIu32 " call stacks, the largest is\n",
                row->contexts);
    show_stack_print(out, stack, row->node, number - 1);
}

/* What the sites of --lower-peak have together. */
static void print_cut(FILE *out, const struct mpdata_advice *advice)
{
    const char *const about = advice->is_estimate ? "~" : "";

    if (!advice->is_peak)
        fputs("The peak was not measured.\n", out);
    else
        fprintf(out,
                "\n%s together: %s%s, %s of the %s%s at the peak%s%s.\n"
                "Without these blocks another moment may be the peak.\n",
                mpdata_units_things(advice->count, "place").text, about,
                mpdata_units_bytes(advice->cut_bytes).text,
                mpdata_units_share(advice->cut_bytes, advice->whole_bytes).text,
                about, mpdata_units_bytes(advice->whole_bytes).text,
                advice->runs > 1 ? ", summed over all runs" : "",
                (double)advice->cut_bytes <
                        advice->cut_share * (double)advice->whole_bytes
                    ? "; the others are silenced"
                    : "");
}

static void print_end(FILE *out, const struct mpdata_advice *advice)
{
    if (advice->cut_share > 0)
        print_cut(out, advice);
    else if (advice->count == 0)
        fputs("Nothing to change was found.\n", out);
    if (advice->silenced != 0)
        fprintf(out, "\n%s silenced\n",
                mpdata_units_things(advice->silenced, "finding").text);
    if (advice->unplaced != 0)
        fprintf(out,
                "\n%s not judged: the source line is unknown (compile "
                "with -g)\n",
                mpdata_units_things(advice->unplaced, "call stack").text);
}

enum mprof_err advice_text(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_advice *advice,
                           const struct show_options *options)
{
    const uint32_t shown = (uint32_t)mprof_min_u64(advice->count, options->top);
    struct show_stack *const stack = show_stack_new(profile, options);
    bool is_done = stack != NULL;

    if (is_done) {
        if (advice->cut_share > 0)
            page_title(out, &options->style,
                       "What to cut to lower the peak by %g %%",
                       100 * advice->cut_share);
        else
            page_title(out, &options->style, "What to change, most first%s",
                       advice->is_estimate ? " (estimates)" : "");
        for (uint32_t i = 0; i < shown; i++)
            print_row(out, i + 1, &advice->rows[i], advice, options, stack);
        if (advice->count > shown)
            fputc('\n', out);
        page_more(out, &options->style, shown, advice->count, "finding", "%s",
                  "");
        print_end(out, advice);
        is_done = !show_stack_failed(stack);
    }
    show_stack_free(stack);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
