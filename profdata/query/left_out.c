/* left_out.c -- describes which call stacks were filtered out of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/left_out.h"
#include "profdata/base/str.h"
#include "profdata/base/units.h"
#include "shared/tag_format.h"

#include <stdio.h>
#include <string.h>

/* Skips blanks. Returns the size of the next word; 0 at the end. */
static size_t next_word(const char **at)
{
    *at += strspn(*at, " ");
    return strcspn(*at, " ");
}

static bool has_word(const char *text, const char *word, size_t word_size)
{
    size_t size;

    for (const char *at = text; (size = next_word(&at)) != 0; at += size) {
        if (size == word_size && memcmp(at, word, size) == 0)
            return true;
    }
    return false;
}

/* More than the number of options: a file's list may be arbitrarily long. */
#define WORDS_MAX 64

void mpdata_left_out_name(struct mpdata_left_out *row, const char *options)
{
    const char *at = options;
    size_t size;

    for (int i = 0; i < WORDS_MAX && (size = next_word(&at)) != 0; i++) {
        const size_t used = strlen(row->by);

        if (used + strlen(" ") + size < sizeof(row->by) &&
            !has_word(row->by, at, size))
            snprintf(row->by + used, sizeof(row->by) - used, "%s%.*s",
                     used != 0 ? " " : "", (int)size, at);
        at += size;
    }
}

/* Formats "--function", "merge --function and --file", or "the filters of
 * merge". */
static int format_who(const struct mpdata_left_out *row, char *out, size_t size)
{
    const char *words[2] = {"", ""};
    int sizes[2] = {0, 0};
    int count = 0;
    size_t length;

    for (const char *at = row->by; (length = next_word(&at)) != 0;
         at += length) {
        if (count < 2) {
            words[count] = at;
            sizes[count] = (int)length;
        }
        count++;
    }
    if (count == 0 || count > 2)
        return snprintf(out, size, "the filters%s",
                        row->is_by_merge ? " of merge" : "");
    return snprintf(out, size, "%s%.*s%s%.*s", row->is_by_merge ? "merge " : "",
                    sizes[0], words[0], count == 2 ? " and " : "", sizes[1],
                    words[1]);
}

/* Formats "3 of 8 call stacks", or "up to 3 call stacks" if only a limit is
 * known. */
static struct mpdata_number format_stacks(const struct mpdata_left_out *row)
{
    const struct mpdata_number all =
        mpdata_units_things(row->contexts, "call stack");
    const struct mpdata_number gone =
        mpdata_units_things(row->gone_contexts, "call stack");

    if (row->is_at_most)
        return mpdata_units_format(
            "%s%s", row->gone_contexts != 0 ? "up to " : "", gone.text);
    return mpdata_units_format(
        "%s of %s", mpdata_units_count(row->gone_contexts).text, all.text);
}

const char *mpdata_left_out_text(const struct mpdata_left_out *row, char *out,
                                 size_t size)
{
    const size_t used = (size_t)format_who(row, out, size);

    /* A file's text may contain control characters. */
    mpdata_controls_replace(out, strlen(out), '?');
    if (row->uncounted != NULL)
        snprintf(out + used, size - used,
                 " filtered out an unknown number of call stacks of %s",
                 row->uncounted);
    else
        snprintf(
            out + used, size - used, " filtered out %s, with %s of %s bytes",
            format_stacks(row).text, mpdata_units_count(row->gone_bytes).text,
            mpdata_units_count(row->bytes).text);
    return out;
}

/* With these options, a row of a raw profile is a call stack and a thread, so
 * call stacks may be counted several times. */
static bool is_by_thread(const struct mpdata_left_out *row)
{
    static const char *const options[] = {"--thread", "--exclude-thread"};

    return has_word(row->by, options[0], strlen(options[0])) ||
           has_word(row->by, options[1], strlen(options[1]));
}

bool mpdata_left_out_is_at_most(const struct mpdata_left_out *row,
                                const struct mprof_mib *gone, uint64_t dumps)
{
    return dumps != 1 || gone->AllocCount > gone->MaxSize || is_by_thread(row);
}

/* Returns the number of merged dumps; 0 if unknown. */
static uint64_t count_dumps(const struct mpdata_view *view)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < view->run_count; i++)
        count = mprof_add_sat_u64(count, view->runs[i].count);
    return count;
}

bool mpdata_left_out_by_merge(const struct mpdata_view *view,
                              struct mpdata_left_out *row)
{
    const struct mprof_mib kept = mpdata_profile_totals(view);
    struct mprof_mib gone = {.AllocCount = 0};

    *row = (struct mpdata_left_out){.is_by_merge = true};
    for (uint32_t i = 0; i < view->tagged_count; i++) {
        const struct mpdata_tagged *const tagged = &view->tagged_rows[i];
        const struct mprof_mib mib = mpdata_view_tagged_mib(view, i);

        if (tagged->kind != MPROF_TAG_LEFT_OUT)
            continue;
        mpdata_left_out_name(row, view->strings[tagged->name].bytes);
        mprof_mib_merge(&gone, &mib);
    }
    row->is_at_most = mpdata_left_out_is_at_most(row, &gone, count_dumps(view));
    row->gone_contexts = gone.AllocCount;
    row->contexts = mprof_add_sat_u64(gone.AllocCount, view->context_count);
    row->gone_bytes = gone.TotalSize;
    row->bytes = mprof_add_sat_u64(gone.TotalSize, kept.TotalSize);
    return gone.AllocCount != 0;
}
