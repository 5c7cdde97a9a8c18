/* advice_words.c -- says in words what a piece of advice is about.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/advice.h"
#include "profdata/base/str.h"
#include "profdata/query/names.h"

#include <stdio.h>
#include <string.h>

#define TYPE_NAME_BYTES 200
#define TYPE_NAME_WIDTH 60

static uint64_t average(uint64_t sum, uint64_t count)
{
    return count != 0 ? (sum + count / 2) / count : 0;
}

struct mpdata_number
mpdata_advice_words_saving(const struct mpdata_advice_row *row,
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
                     row->kind == MPDATA_ADVICE_STEPS ||
                             row->kind == MPDATA_ADVICE_CONCAT
                         ? " allocated"
                     : advice->is_peak ? " at the peak"
                                       : "")
           : row->saved_accesses != 0
               ? mpdata_units_format(
                     "%s%s, %s of all", about,
                     mpdata_metrics_phrase(MPDATA_METRIC_ACCESSES,
                                           row->saved_accesses)
                         .text,
                     mpdata_units_share(row->saved_accesses,
                                        advice->whole_accesses)
                         .text)
               : mpdata_units_format(
                     "%s%s, %s of all", about,
                     mpdata_units_things(row->saved_calls, "block").text,
                     mpdata_units_share(row->saved_calls, advice->whole_blocks)
                         .text);
}

struct mpdata_number
mpdata_advice_words_time(const struct mpdata_advice_row *row)
{
    const uint64_t ns = row->saved_ns;

    return ns != 0 ? mpdata_units_format(", about %s in malloc and free",
                                         mpdata_units_ns(ns).text)
                   : mpdata_units_format("%s", "");
}

/* The name of a type has any length. */
static void put_members(char text[MPDATA_ADVICE_SENTENCE_BYTES],
                        const struct mpdata_advice_row *row,
                        const struct mpdata_advice_type *type,
                        const char *about)
{
    char name[TYPE_NAME_BYTES];

    snprintf(name, sizeof(name), "%s", type->name);
    mpdata_names_cut(name, TYPE_NAME_WIDTH);
    int size = snprintf(
        text, MPDATA_ADVICE_SENTENCE_BYTES,
        "In %s%s of type %s, %s of the type's %s are hardly accessed: %s.",
        about, mpdata_units_things(row->blocks, "block").text, name,
        mpdata_units_bytes(type->cold_bytes).text,
        mpdata_units_bytes(type->bytes).text, type->members);
    if (type->lines_split < type->lines_before)
        snprintf(text + size, MPDATA_ADVICE_SENTENCE_BYTES - (size_t)size,
                 " A visit touches %.2f cache lines, and %.2f without them.",
                 type->lines_before, type->lines_split);
    mpdata_controls_replace(text, strlen(text), '?');
}

/* Blocks at the peak, of the average size of all blocks. */
static void put_small(char text[MPDATA_ADVICE_SENTENCE_BYTES],
                      const struct mpdata_advice_row *row, const char *about)
{
    snprintf(text, MPDATA_ADVICE_SENTENCE_BYTES,
             "At the peak malloc itself takes at least %s for %s%s of %s%s.",
             mpdata_units_bytes(row->saved_bytes).text, about,
             mpdata_units_things(row->number, "block").text,
             mpdata_units_bytes(average(row->bytes, row->blocks)).text,
             row->has_one_size ? "" : " on average");
}

/* What the counted ones of the blocks are. */
static void put_number(char text[MPDATA_ADVICE_SENTENCE_BYTES],
                       const struct mpdata_advice_row *row, const char *about,
                       const char *blocks)
{
    const struct mpdata_number some = mpdata_units_format(
        "%s%s of the ", about, mpdata_units_count(row->number).text);
    const int size = snprintf(text, MPDATA_ADVICE_SENTENCE_BYTES, "%s%s %s ",
                              row->blocks == 1 ? "The " : some.text, blocks,
                              row->number == 1 ? "is" : "are");
    char *const rest = text + size;
    const size_t room = MPDATA_ADVICE_SENTENCE_BYTES - (size_t)size;

    if (row->kind == MPDATA_ADVICE_STALE)
        snprintf(rest, room,
                 "alive at the end and not accessed for %s or longer.",
                 mpdata_units_ns(row->idle_ns).text);
    else if (row->kind == MPDATA_ADVICE_DUPLICATES)
        snprintf(rest, room,
                 "alive at the end with the content of another live one.");
    else if (row->kind == MPDATA_ADVICE_REPEATED)
        snprintf(rest, room, "freed with the content of an earlier one.");
    else if (row->kind == MPDATA_ADVICE_HANDED)
        snprintf(rest, room,
                 "used by another thread than the one that allocates them and "
                 "lie beside another one's: malloc puts several into a cache "
                 "line.");
    else if (row->kind == MPDATA_ADVICE_COPY)
        snprintf(rest, room,
                 "copies that are only read until the function that makes "
                 "them, or its caller, frees them.");
    else
        snprintf(rest, room, "freed before their thread's next allocation.");
}

static void put_steps(char text[MPDATA_ADVICE_SENTENCE_BYTES],
                      const struct mpdata_advice_row *row, const char *about,
                      const char *blocks)
{
    snprintf(text, MPDATA_ADVICE_SENTENCE_BYTES,
             "realloc replaces %s%s of the %s, and adds %s each time.", about,
             mpdata_units_count(row->saved_calls).text, blocks,
             mpdata_units_bytes(average(row->number, row->saved_calls)).text);
}

static void put_shared(char text[MPDATA_ADVICE_SENTENCE_BYTES],
                       const struct mpdata_advice_row *row, const char *about,
                       const char *blocks)
{
    const int size = snprintf(
        text, MPDATA_ADVICE_SENTENCE_BYTES,
        "%s%s to the %s move a cache line from one thread to another, ", about,
        mpdata_metrics_phrase(MPDATA_METRIC_ACCESSES, row->saved_accesses).text,
        blocks);
    char *const rest = text + size;
    const size_t room = MPDATA_ADVICE_SENTENCE_BYTES - (size_t)size;

    if (row->number == 0)
        snprintf(rest, room, "all to bytes that other threads use, too.");
    else
        snprintf(rest, room,
                 "%s of them to 8 bytes that no other thread uses (false "
                 "sharing).",
                 row->number == row->saved_accesses
                     ? "all"
                     : mpdata_units_count(row->number).text);
}

static void put_peak(char text[MPDATA_ADVICE_SENTENCE_BYTES],
                     const struct mpdata_advice_row *row, const char *about)
{
    const int size = snprintf(
        text, MPDATA_ADVICE_SENTENCE_BYTES, "%s%s of %s%s %s at the peak.",
        about, mpdata_units_things(row->number, "block").text,
        mpdata_units_bytes(average(row->saved_bytes, row->number)).text,
        row->has_one_size ? "" : " on average",
        row->number == 1 ? "lives" : "live");

    if (row->other < MPDATA_ADVICE_STEPS &&
        row->other_bytes >= row->saved_bytes / 10)
        snprintf(text + size, MPDATA_ADVICE_SENTENCE_BYTES - (size_t)size,
                 " Other advice for this place: %s, %s.",
                 mpdata_advice_kinds[row->other].name,
                 mpdata_units_bytes(row->other_bytes).text);
}

static struct mpdata_number blocks_of(const struct mpdata_advice_row *row,
                                      const char *about)
{
    return mpdata_units_format(
        "%s%s of %s%s", about, mpdata_units_things(row->blocks, "block").text,
        mpdata_units_bytes(average(row->bytes, row->blocks)).text,
        row->has_one_size ? "" : " on average");
}

void mpdata_advice_words_sentence(const struct mpdata_advice_row *row,
                                  const struct mpdata_advice *advice,
                                  char text[MPDATA_ADVICE_SENTENCE_BYTES])
{
    const char *const about = advice->is_estimate ? "~" : "";
    const struct mpdata_number blocks = blocks_of(row, about);
    const struct mpdata_number number = mpdata_units_count(row->number);
    const char *const are = row->blocks == 1 ? "is" : "are";

#define PUT(...) snprintf(text, MPDATA_ADVICE_SENTENCE_BYTES, __VA_ARGS__)
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
    case MPDATA_ADVICE_HANDED:
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
        put_steps(text, row, about, blocks.text);
        break;
    case MPDATA_ADVICE_SHARED:
        put_shared(text, row, about, blocks.text);
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
