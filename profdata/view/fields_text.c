/* fields_text.c -- prints the members of types with their accesses as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/str.h"
#include "profdata/query/names.h"
#include "profdata/view/fields.h"
#include "profdata/view/page.h"

#include <inttypes.h>
#include <stdlib.h>

#define NUMBERS_WIDTH 46 /* columns before a member's name */
#define WRITES_WIDTH 14  /* one column more */
#define LINE_BYTES 64    /* of a cache line */
#define NAME_WIDTH_MIN 12
#define GAP 2 /* columns before a type */

struct page {
    FILE *out;
    const struct show_options *options;
    const struct mpdata_fields *fields;
    const struct mpdata_fields_type *type;
    const struct mpdata_fields_layout *layout;
    bool proposes;
    bool has_peak;
    bool failed; /* out of memory */
};

/* A count, "-" for 0; with NULL nothing. */
static struct mpdata_number text_of(const uint64_t *count)
{
    return count == NULL ? mpdata_units_format("%s", "")
           : *count == 0 ? mpdata_units_format("%s", "-")
                         : mpdata_units_count(*count);
}

/* Prints the columns before a name; count: NULL if there is none. */
static void print_numbers(const struct page *p,
                          const struct mpdata_member *member, char bracket,
                          const struct mpdata_fields_count *count)
{
    const uint64_t all = count != NULL ? count->accesses : 0;
    const uint64_t reads = count != NULL ? all - count->writes : 0;
    char offset[MPDATA_UNIT_BYTES] = "";

    if (member != NULL)
        snprintf(offset, sizeof(offset), "%6" PRIu64 " %6" PRIu64, member->from,
                 member->to - member->from);
    fprintf(p->out, PAGE_INDENT "%13s %c %13s ", offset, bracket,
            text_of(count != NULL ? &reads : NULL).text);
    if (p->fields->has_rw)
        fprintf(p->out, "%13s ",
                text_of(count != NULL ? &count->writes : NULL).text);
    fprintf(p->out, "%8s  ",
            all != 0 ? mpdata_units_share(all, p->type->accesses).text : "");
}

/* malloc'd; without control characters. */
static char *copy_of(const struct mpdata_str *text)
{
    char *const copy = strndup(text->size != 0 ? text->bytes : "", text->size);

    if (copy != NULL)
        mpdata_controls_replace(copy, strlen(copy), '?');
    return copy;
}

/* Cuts the type, or leaves it out, so that a line with `used` columns before it
 * fits into the room. */
static void cut_type(char *type, size_t room, size_t used)
{
    if (room >= used + strlen("..."))
        mpdata_names_cut(type, room - used);
    else
        *type = '\0';
}

/* use: what is known of it besides, or "" (mpdata_fields_layout_use()). It is
 * never cut. */
static void print_member(struct page *p, const struct mpdata_member *member,
                         unsigned width, const char *use)
{
    const struct show_style *const style = &p->options->style;
    const size_t room = page_room(p->options, width);
    const char *const comma = *use != '\0' ? ", " : "";
    const size_t after = strlen(comma) + strlen(use);
    char *const name = copy_of(&member->name);
    char *const type = copy_of(&member->type);

    if (name != NULL && type != NULL) {
        mpdata_names_cut(name, mprof_max_u64(mprof_sub_sat_u64(room, after),
                                             NAME_WIDTH_MIN));
        cut_type(type, room, mpdata_names_columns(name) + after + GAP);
        if (after == 0 && *type == '\0')
            fprintf(p->out, "%s\n", name);
        else
            fprintf(p->out, "%s%s%s%s%*s%s%s\n", name, style->dim, comma, use,
                    *type != '\0' ? GAP : 0, "", type, style->reset);
    }
    p->failed |= name == NULL || type == NULL;
    free(name);
    free(type);
}

static void print_hole(const struct page *p,
                       const struct mpdata_fields_row *row, bool is_in_group)
{
    const uint64_t bytes = row->member.to - row->member.from;

    print_numbers(p, NULL, is_in_group ? '|' : ' ',
                  row->own.accesses != 0 ? &row->own : NULL);
    fprintf(p->out, "%s(%s of %s)%s\n", p->options->style.dim,
            row->member.to == p->type->bytes ? "padding" : "hole",
            mpdata_units_bytes(bytes).text, p->options->style.reset);
}

/* Prints a line where a cache line ends, if it ends there in every block. */
static void print_border(const struct page *p, uint32_t i)
{
    const uint64_t at = p->layout->rows[i].member.from / LINE_BYTES;

    if (i == 0 || at == p->layout->rows[i - 1].member.from / LINE_BYTES ||
        (p->type->has_arrays && p->type->bytes % LINE_BYTES != 0))
        return;
    fprintf(p->out,
            PAGE_INDENT "%s---- %" PRIu64 " bytes from the block's "
                        "start%s\n",
            p->options->style.dim, at * LINE_BYTES, p->options->style.reset);
}

static void print_row(struct page *p, uint32_t i)
{
    const struct mpdata_fields_row *const row = &p->layout->rows[i];
    const struct mpdata_fields_group *const group =
        &p->layout->groups[row->group];
    const bool is_joined = group->count > 1;
    const char *const use =
        mpdata_fields_layout_use(p->fields, p->type, p->layout, group);

    print_numbers(p, &row->member,
                  !is_joined          ? ' '
                  : i == group->first ? '/'
                  : i == group->last  ? '\\'
                                      : '|',
                  i == group->first ? &group->all : NULL);
    print_member(p, &row->member,
                 NUMBERS_WIDTH + (p->fields->has_rw ? WRITES_WIDTH : 0),
                 use != NULL ? use : "");
    if (!is_joined || row->own_bytes == 0)
        return;
    print_numbers(p, NULL, i == group->last ? ' ' : '|', &row->own);
    fprintf(p->out, "  %sof these in %s that no other member shares%s\n",
            p->options->style.dim, mpdata_units_bytes(row->own_bytes).text,
            p->options->style.reset);
}

/* Prints the bytes of the members without accesses. */
static void print_unused(const struct page *p)
{
    uint64_t bytes = 0;
    uint64_t end = 0; /* of the members so far, which may share bytes */
    uint32_t members = 0;

    for (uint32_t i = 0; i < p->layout->row_count; i++) {
        const struct mpdata_fields_row *const row = &p->layout->rows[i];

        if (row->is_hole || p->layout->groups[row->group].all.accesses != 0)
            continue;
        members++;
        bytes += mprof_sub_sat_u64(row->member.to,
                                   mprof_max_u64(row->member.from, end));
        end = mprof_max_u64(end, row->member.to);
    }
    if (members != 0)
        fprintf(p->out, PAGE_INDENT "no access seen: %s of %s\n",
                mpdata_units_things(members, "member").text,
                mpdata_units_bytes(bytes).text);
}

static void print_layout(struct page *p)
{
    const struct mpdata_fields_group *group = NULL;

    fprintf(p->out, PAGE_INDENT "%s%6s %6s   %13s ", p->options->style.dim,
            "offset", "size", p->fields->has_rw ? "reads" : "accesses");
    if (p->fields->has_rw)
        fprintf(p->out, "%13s ", "writes");
    fprintf(p->out, "%8s  member%s\n", "share", p->options->style.reset);
    for (uint32_t i = 0; i < p->layout->row_count; i++) {
        const struct mpdata_fields_row *const row = &p->layout->rows[i];

        print_border(p, i);
        if (row->is_hole) {
            print_hole(p, row, group != NULL && i < group->last);
            continue;
        }
        group = &p->layout->groups[row->group];
        print_row(p, i);
    }
    if (p->type->is_open) {
        print_numbers(p, NULL, ' ', &p->layout->behind);
        fprintf(p->out, "%s(behind it, in the same block)%s\n",
                p->options->style.dim, p->options->style.reset);
    }
    print_unused(p);
}

static void print_order(struct page *p, const struct mpdata_reorder *r)
{
    fprintf(p->out, PAGE_INDENT "%s%6s %6s   %13s %8s  member%s\n",
            p->options->style.dim, "offset", "size", "per 8 B", "of most",
            p->options->style.reset);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct mpdata_reorder_row *const row = &r->rows[i];
        struct mpdata_member member = p->layout->rows[row->row].member;

        fprintf(
            p->out, PAGE_INDENT "%6" PRIu64 " %6" PRIu64 " %c %13s %8s  ",
            row->from, row->to - row->from,
            r->has_split && row->is_cold ? '*' : ' ',
            row->heat > 0 ? mpdata_units_count((uint64_t)row->heat).text : "-",
            row->heat > 0
                ? mpdata_units_format("%.1f %%", 100 * row->heat / r->most).text
                : "");
        print_member(p, &member, NUMBERS_WIDTH, "");
    }
}

static void print_peak(const struct page *p, const struct mpdata_reorder *r)
{
    fprintf(p->out, PAGE_INDENT "objects at the peak take %s",
            mpdata_units_bytes(r->peak_before).text);
    if (r->is_better)
        fprintf(p->out, ", in this order %s",
                mpdata_units_bytes(r->peak_after).text);
    if (r->has_split)
        fprintf(p->out, ", split %s", mpdata_units_bytes(r->peak_split).text);
    fputs(p->type->has_arrays ? "\n" : ", with what malloc adds\n", p->out);
}

/* Prints a better order of the members, and what moving the cold ones saves. */
static void print_proposal(struct page *p)
{
    struct mpdata_reorder r;

    if (mpdata_reorder_make(&r, p->type, p->layout) != MPROF_E_OK)
        p->failed = true;
    else if (!r.is_better && !r.has_split)
        fputs(PAGE_INDENT "no better order found\n", p->out);
    else
        fprintf(p->out,
                PAGE_INDENT "%s: %s instead of %s, %.2f cache lines touched "
                            "instead of %.2f\n",
                r.is_better ? "proposed order" : "by heat",
                mpdata_units_bytes(r.bytes).text,
                mpdata_units_bytes(p->type->bytes).text, r.lines_after,
                r.lines_before);
    if (r.is_better || r.has_split)
        print_order(p, &r);
    if (r.has_split)
        fprintf(p->out,
                PAGE_INDENT "with the members marked * in a block of their "
                            "own: %s and %s, %.2f cache lines\n",
                mpdata_units_bytes(r.hot_bytes).text,
                mpdata_units_bytes(r.cold_bytes).text, r.lines_split);
    if (p->has_peak && (r.is_better || r.has_split))
        print_peak(p, &r);
    mpdata_reorder_fini(&r);
}

static void print_type(struct page *p, const struct mpdata_profile *profile,
                       const struct mpdata_fields *fields, uint32_t i)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mpdata_fields_type *const type = &fields->types[i];
    struct mpdata_fields_layout layout;

    p->type = type;
    p->layout = &layout;
    if (mpdata_fields_layout_make(&layout, fields, i, profile) != MPROF_E_OK) {
        p->failed = true;
    } else {
        fprintf(p->out, "\n%2" PRIu32 ".  ", i + 1);
        p->failed |=
            !page_name(p->out, p->options, view.strings[type->name].bytes,
                       strlen(PAGE_INDENT));
        fprintf(p->out, PAGE_INDENT "%s%s %s %s",
                mpdata_units_bytes(type->bytes).text,
                type->has_arrays ? " each" : "",
                type->is_open ? "at the start of" : "in",
                mpdata_units_things(type->blocks, "block").text);
        if (fields->has_peak)
            fprintf(p->out, ", %s at the peak",
                    mpdata_units_bytes(type->peak_bytes).text);
        fprintf(
            p->out, ", %s%s\n", type->is_at_least ? "at least " : "",
            mpdata_metrics_phrase(MPDATA_METRIC_ACCESSES, type->accesses).text);
        print_layout(p);
        if (p->proposes && !type->is_open)
            print_proposal(p);
    }
    mpdata_fields_layout_fini(&layout);
}

static bool print_left_out(FILE *out, const struct mpdata_fields *fields,
                           const struct show_options *options)
{
    static const char *const sentences[] = {
#define X(id, name, sentence) sentence,
        MPDATA_FIELDS_REASONS(X)
#undef X
    };
    struct page_wrap wrap;
    FILE *const wrapped = page_wrap_start(&wrap);

    if (wrapped == NULL)
        return false;
    for (size_t i = 0; i < MPDATA_FIELDS_REASON_COUNT; i++) {
        const struct mpdata_fields_left_out *const row = &fields->left_out[i];

        if (row->contexts != 0)
            fprintf(wrapped, "Left out: %s with %s, %s\n",
                    mpdata_units_things(row->contexts, "call stack").text,
                    mpdata_metrics_phrase(MPDATA_METRIC_ACCESSES, row->accesses)
                        .text,
                    sentences[i]);
    }
    return page_wrap_finish(&wrap, out, strlen("Left out: "), options->width);
}

enum mprof_err fields_text(FILE *out, const struct mpdata_profile *profile,
                           const struct mpdata_fields *fields,
                           const char *notes, bool proposes,
                           const struct show_options *options)
{
    struct page p = {.out = out,
                     .options = options,
                     .fields = fields,
                     .proposes = proposes,
                     .has_peak = fields->has_peak};
    const uint32_t shown = (uint32_t)mprof_min_u64(fields->count, options->top);

    if (!page_notes(out, options, notes) ||
        !print_left_out(out, fields, options))
        return MPROF_E_NOMEM;
    if (fields->count == 0)
        fputs("No call stack has a histogram and a type with known members.\n",
              out);
    for (uint32_t i = 0; i < shown && !p.failed; i++)
        print_type(&p, profile, fields, i);
    if (fields->count > shown)
        fputc('\n', out);
    page_more(out, &options->style, shown, fields->count, "type", "%s", "");
    return p.failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
