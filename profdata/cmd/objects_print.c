/* objects_print.c -- prints the objects of a virtual machine: by type, by line,
 * by what they retain, and ways from the root.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/objects_print.h"
#include "profdata/base/str.h"
#include "profdata/base/json_out.h"
#include "profdata/base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 64u /* of a way in one line */
#define NONE MPDATA_OBJECTS_NONE
#define NS_PER_SECOND UINT64_C(1000000000)

static const struct mpdata_object *at(const struct objects_print *p, uint32_t i)
{
    return mpdata_objects_at(&p->objects, i);
}

static const char *text_of(const struct objects_print *p, uint32_t text)
{
    return mpdata_objects_text(&p->objects, text);
}

static const struct mpdata_object_ref *ref_at(const struct objects_print *p,
                                              uint32_t i)
{
    return (const struct mpdata_object_ref *)p->objects.refs.data + i;
}

/* -- sums ------------------------------------------------------------------ */

/* Objects of one type and, by line, of one line. */
struct group {
    uint32_t type;
    uint32_t made;
    uint64_t objects;
    uint64_t bytes;
    uint64_t accesses;
    uint64_t unread; /* objects that were never read */
    uint64_t unread_bytes;
    uint64_t idle; /* that were not accessed for idle_seconds */
    uint64_t idle_bytes;
    uint64_t never; /* of them: never accessed */
    bool has_reads;
};

struct sums {
    struct mpdata_set types; /* struct group */
    struct mpdata_set lines;
    struct group all;
};

static bool is_unread(const struct mpdata_object *o)
{
    return o->has_reads && o->reads == 0;
}

static bool is_idle(const struct objects_print *p,
                    const struct mpdata_object *o)
{
    return o->has_idle && o->idle_ns / NS_PER_SECOND >= p->idle_seconds;
}

static void add(const struct objects_print *p, struct group *g,
                const struct mpdata_object *o)
{
    g->objects++;
    g->bytes = mprof_add_sat_u64(g->bytes, o->bytes);
    g->accesses = mprof_add_sat_u64(g->accesses, o->accesses);
    if (is_unread(o)) {
        g->unread++;
        g->unread_bytes = mprof_add_sat_u64(g->unread_bytes, o->bytes);
    }
    g->has_reads |= o->has_reads;
    if (is_idle(p, o)) {
        g->idle++;
        g->idle_bytes = mprof_add_sat_u64(g->idle_bytes, o->bytes);
        g->never += o->accesses == 0;
    }
}

static bool add_to(const struct objects_print *p, struct mpdata_set *groups,
                   const struct mpdata_object *o, uint32_t made)
{
    const struct group key = {.type = o->type, .made = made};
    const uint32_t number = mpdata_set_add(groups, &key, NULL);

    if (number != 0)
        add(p, (struct group *)groups->rows.data + number - 1, o);
    return number != 0;
}

MPROF_COMPARATOR(by_bytes, struct group,
                 MPROF_DOWN(bytes) ?: MPROF_DOWN(objects) ?: MPROF_UP(made)
                 ?: MPROF_UP(type))

static void sort(struct mpdata_set *groups)
{
    if (groups->rows.count != 0)
        qsort(groups->rows.data, groups->rows.count, sizeof(struct group),
              by_bytes);
}

/* False when out of memory; _fini() is due either way. */
static bool make_sums(struct sums *s, const struct objects_print *p)
{
    bool is_done = true;

    *s = (struct sums){.all.objects = 0};
    mpdata_set_init(&s->types, MPDATA_SET_KEY(struct group, made),
                    sizeof(struct group));
    mpdata_set_init(&s->lines, MPDATA_SET_KEY(struct group, made),
                    sizeof(struct group));
    for (uint32_t i = 1; i < p->objects.rows.count && is_done; i++) {
        const struct mpdata_object *const o = at(p, i);

        add(p, &s->all, o);
        is_done = add_to(p, &s->types, o, 0) &&
                  (o->made == 0 || add_to(p, &s->lines, o, o->made));
    }
    sort(&s->types);
    sort(&s->lines);
    return is_done;
}

static void sums_fini(struct sums *s)
{
    mpdata_set_fini(&s->types);
    mpdata_set_fini(&s->lines);
}

/* Objects of one kind that retain most: their indexes, by what they retain. */
struct list {
    struct mpdata_ranked *rows;
    uint32_t all;
    uint32_t count; /* p->top at most */
};

struct found {
    struct mpdata_ranked *memory; /* NULL: out of memory */
    struct list objects;
    struct list unread;
    struct list idle;
};

static void pick(struct list *list, struct mpdata_ranked *rows, uint64_t top)
{
    list->rows = rows;
    list->count = (uint32_t)mprof_min_u64(top, list->all);
}

static struct found find_biggest(const struct objects_print *p)
{
    const uint32_t all = p->objects.rows.count - 1;
    struct mpdata_ranked *const rows =
        mpdata_vec_array(3 * (size_t)all, sizeof(*rows));
    struct found found = {.memory = rows, .objects.all = all};

    if (rows == NULL)
        return found;
    for (uint32_t i = 0; i < all; i++)
        rows[i] = (struct mpdata_ranked){p->graph.retained[i + 1], i + 1};
    mpdata_vec_rank(rows, all);
    for (uint32_t i = 0; i < all; i++) {
        const struct mpdata_object *const o = at(p, rows[i].row);

        if (is_unread(o))
            rows[all + found.unread.all++] = rows[i];
        if (is_idle(p, o))
            rows[2 * (size_t)all + found.idle.all++] = rows[i];
    }
    pick(&found.objects, rows, p->top);
    pick(&found.unread, rows + all, p->top);
    pick(&found.idle, rows + 2 * (size_t)all, p->top);
    return found;
}

/* -- text ------------------------------------------------------------------ */

static void put(FILE *out, const char *text)
{
    const size_t size = strlen(text);

    for (size_t i = 0; i < size;) {
        const size_t control = mpdata_controls_bytes(text + i, size - i);

        fputc(control != 0 ? '?' : text[i], out);
        i += control != 0 ? control : 1;
    }
}

/* Prints the names of the references to the object, from the root on. */
static void print_way(const struct objects_print *p, uint32_t object, FILE *out)
{
    uint32_t steps[STEPS_MAX];
    uint32_t count = 0;

    for (; p->graph.before[object] != NONE && count < STEPS_MAX;
         object = p->graph.before[object])
        steps[count++] = p->graph.by[object];
    fputs(count == STEPS_MAX ? "..." : "", out);
    for (uint32_t i = count; i-- > 0;) {
        const char *const name = text_of(p, ref_at(p, steps[i])->name);

        if (i + 1 != count && name[0] != '.' && name[0] != '[')
            fputs(" > ", out);
        put(out, name);
    }
}

/* "table", or "string" and its text, and where it was allocated. */
static void print_what(const struct objects_print *p,
                       const struct mpdata_object *o, FILE *out)
{
    put(out, text_of(p, o->type));
    if (o->text != 0) {
        fputs(" \"", out);
        put(out, text_of(p, o->text));
        fputc('"', out);
    }
    if (o->made != 0) {
        fputs(" of ", out);
        put(out, text_of(p, o->made));
    }
}

static void print_groups(const struct objects_print *p,
                         const struct mpdata_set *groups, uint64_t bytes,
                         FILE *out)
{
    const struct group *const g = groups->rows.data;
    const uint64_t count = mprof_min_u64(groups->rows.count, p->top);

    for (uint64_t i = 0; i < count; i++) {
        fprintf(out, "  %10s  %7s  %10s  ", mpdata_units_bytes(g[i].bytes).text,
                mpdata_units_share(g[i].bytes, bytes).text,
                mpdata_units_count(g[i].objects).text);
        if (p->objects.is_counted)
            fprintf(out, "%10s  %8s  %12s  ",
                    mpdata_units_rate(g[i].accesses, g[i].objects).text,
                    g[i].has_reads ? mpdata_units_count(g[i].unread).text : "",
                    g[i].unread != 0
                        ? mpdata_units_bytes(g[i].unread_bytes).text
                        : "");
        if (p->objects.has_idle)
            fprintf(out, "%8s  %10s  ", mpdata_units_count(g[i].idle).text,
                    g[i].idle != 0 ? mpdata_units_bytes(g[i].idle_bytes).text
                                   : "");
        put(out, text_of(p, g[i].type));
        fputs(g[i].made != 0 ? " of " : "", out);
        put(out, text_of(p, g[i].made));
        fputc('\n', out);
    }
    if (count < groups->rows.count)
        fprintf(out, "  ... %s more (--top)\n",
                mpdata_units_count(groups->rows.count - count).text);
}

static void print_title(const struct objects_print *p, const char *title,
                        FILE *out)
{
    fprintf(out, "\n%s\n\n  %10s  %7s  %10s  ", title, "bytes", "", "objects");
    if (p->objects.is_counted)
        fprintf(out, "%10s  %8s  %12s  ", "accesses", "unread", "unread bytes");
    if (p->objects.has_idle)
        fprintf(out, "%8s  %10s  ", "idle", "idle bytes");
    fputs("type\n", out);
}

static void print_sums(const struct objects_print *p, const struct sums *s,
                       FILE *out)
{
    const uint32_t count = p->objects.rows.count - 1;
    const uint32_t weak = count + 1 - p->graph.strong_count;

    put(out, text_of(p, p->objects.machine));
    fprintf(out, ": %s", mpdata_units_things(count, "object").text);
    if (s->all.bytes != 0)
        fprintf(out, " in %s", mpdata_units_bytes(s->all.bytes).text);
    else
        fputs(" of unknown sizes", out);
    if (p->objects.used_bytes != 0)
        fprintf(out, "; it uses %s",
                mpdata_units_bytes(p->objects.used_bytes).text);
    fputc('\n', out);
    if (weak != 0)
        fprintf(out, "%s without a strong reference from the root\n",
                mpdata_units_things(weak, "object").text);
    if (!p->objects.is_counted)
        fputs("Accesses were not counted.\n", out);
    if (p->objects.has_idle) {
        fprintf(out, "Idle: not accessed for %" PRIu64 " s or longer: %s",
                p->idle_seconds,
                mpdata_units_things(s->all.idle, "object").text);
        fprintf(out, " in %s", mpdata_units_bytes(s->all.idle_bytes).text);
        if (s->all.never != 0)
            fprintf(out, ", %s of them never accessed",
                    mpdata_units_count(s->all.never).text);
        fputc('\n', out);
    }
    print_title(p, "By type", out);
    print_groups(p, &s->types, s->all.bytes, out);
    if (s->lines.rows.count == 0)
        return;
    print_title(p, "By the line that allocated them", out);
    print_groups(p, &s->lines, s->all.bytes, out);
}

static void print_biggest(const struct objects_print *p, const char *title,
                          const struct list *list, uint64_t bytes, FILE *out)
{
    fprintf(out, "\n%s\n\n  %10s  %7s  %10s  ", title, "retained", "",
            "own bytes");
    if (p->objects.has_idle)
        fprintf(out, "%8s  ", "idle");
    fprintf(out, "%-14s  type, and the way from the root\n", "address");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct mpdata_object *const o = at(p, list->rows[i].row);
        const uint64_t retained = list->rows[i].value;

        fprintf(out, "  %10s  %7s  %10s  ", mpdata_units_bytes(retained).text,
                mpdata_units_share(retained, bytes).text,
                mpdata_units_bytes(o->bytes).text);
        if (p->objects.has_idle)
            fprintf(out, "%8s  ",
                    o->has_idle ? mpdata_units_ns(o->idle_ns).text : "");
        fprintf(out, "0x%-12" PRIx64 "  ", o->address);
        print_what(p, o, out);
        fputs(": ", out);
        print_way(p, list->rows[i].row, out);
        fputc('\n', out);
    }
}

/* From the object back to the root: the other direction needs memory. */
static void print_path(const struct objects_print *p, FILE *out)
{
    fprintf(out,
            "What keeps 0x%" PRIx64 " alive\n\n  %10s  %10s  %-14s  type, "
            "and the reference to it\n",
            at(p, p->path)->address, "retained", "own bytes", "address");
    for (uint32_t i = p->path; p->graph.before[i] != NONE;
         i = p->graph.before[i]) {
        const struct mpdata_object_ref *const ref = ref_at(p, p->graph.by[i]);

        fprintf(out, "  %10s  %10s  0x%-12" PRIx64 "  ",
                mpdata_units_bytes(p->graph.retained[i]).text,
                mpdata_units_bytes(at(p, i)->bytes).text, at(p, i)->address);
        print_what(p, at(p, i), out);
        fputs(ref->is_weak ? ", weakly by " : ", by ", out);
        put(out, text_of(p, ref->name));
        fputc('\n', out);
    }
}

static void print_found(const struct objects_print *p, const struct found *f,
                        uint64_t bytes, FILE *out)
{
    const struct {
        const char *title;
        const struct list *list;
    } parts[] = {{"Never read, by what they retain", &f->unread},
                 {"Idle, by what they retain", &f->idle}};

    print_biggest(p, "By what they retain", &f->objects, bytes, out);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(parts); i++) {
        const struct list *const list = parts[i].list;

        if (list->all == 0)
            continue;
        print_biggest(p, parts[i].title, list, bytes, out);
        if (list->count < list->all)
            fprintf(out, "  ... %s more (--top)\n",
                    mpdata_units_count(list->all - list->count).text);
    }
}

enum mprof_err objects_print_text(const struct objects_print *p, FILE *out)
{
    struct sums s;

    if (p->path != 0) {
        print_path(p, out);
        return MPROF_E_OK;
    }
    const struct found found = find_biggest(p);
    const bool is_done = make_sums(&s, p) && found.memory != NULL;
    if (is_done) {
        print_sums(p, &s, out);
        print_found(p, &found, s.all.bytes, out);
    }
    sums_fini(&s);
    free(found.memory);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- the snapshot ---------------------------------------------------------- */

static void print_part(const struct objects_print *p,
                       const struct mpdata_object *o, bool is_array, FILE *out)
{
    const struct mpdata_object_ref *const refs =
        mpdata_objects_refs(&p->objects, o);

    fputs(is_array ? "  ARRAY PART:\n" : "  HASH PART:\n", out);
    for (uint32_t i = 0; i < o->count; i++) {
        const char *const name = text_of(p, refs[i].name);
        const bool is_index =
            name[0] == '[' && name[1] >= '0' && name[1] <= '9';

        if (is_index != is_array || name[0] == '(')
            continue;
        fputs("    ", out);
        put(out, name);
        fprintf(out, " => 0x%" PRIx64 "\n", at(p, refs[i].target)->address);
    }
}

static void print_object(const struct objects_print *p,
                         const struct mpdata_object *o, FILE *out)
{
    static const char *const types[][2] = {
        {"string", "LJ_TSTR"},      {"upvalue", "LJ_TUPVAL"},
        {"thread", "LJ_TTHREAD"},   {"Lua function", "LJ_TFUNC"},
        {"C function", "LJ_TFUNC"}, {"cdata", "LJ_TCDATA"},
        {"table", "LJ_TTAB"},       {"userdata", "LJ_TUDATA"}};
    const struct mpdata_object_ref *const refs =
        mpdata_objects_refs(&p->objects, o);
    const char *const type = text_of(p, o->type);
    const char *name = type;
    const bool is_table = strcmp(type, "table") == 0;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(types); i++) {
        if (strcmp(type, types[i][0]) == 0)
            name = types[i][1];
    }
    put(out, name);
    fprintf(out, " 0x%" PRIx64 " holds %" PRIu64 " bytes\n", o->address,
            o->bytes);
    for (uint32_t i = 0; i < o->count; i++) {
        const char *const by = text_of(p, refs[i].name);

        if (is_table && strcmp(by, "(metatable)") != 0)
            continue;
        fputs("  ", out);
        put(out, by);
        fprintf(out, " => 0x%" PRIx64 "\n", at(p, refs[i].target)->address);
    }
    if (is_table) {
        print_part(p, o, true, out);
        print_part(p, o, false, out);
    }
}

void objects_print_snapshot(const struct objects_print *p, FILE *out)
{
    fputs("===== MEMORY SNAPSHOT\n", out);
    for (uint32_t i = 1; i < p->objects.rows.count; i++)
        print_object(p, at(p, i), out);
}

/* -- JSON ------------------------------------------------------------------ */

static void write_text(const struct objects_print *p,
                       struct mpdata_json_out *json, const char *key,
                       uint32_t text)
{
    const char *const bytes = text_of(p, text);

    if (text == 0)
        return;
    mpdata_json_out_key(json, key);
    mpdata_json_out_text(json, bytes, strlen(bytes));
}

static void write_groups(const struct objects_print *p,
                         struct mpdata_json_out *json, const char *key,
                         const struct mpdata_set *groups)
{
    const struct group *const g = groups->rows.data;

    mpdata_json_out_array_of(json, key);
    for (uint32_t i = 0; i < groups->rows.count; i++) {
        mpdata_json_out_row(json);
        write_text(p, json, "type", g[i].type);
        write_text(p, json, "line", g[i].made);
        mpdata_json_out_number_of(json, "objects", g[i].objects);
        mpdata_json_out_number_of(json, "bytes", g[i].bytes);
        if (p->objects.is_counted)
            mpdata_json_out_number_of(json, "accesses", g[i].accesses);
        if (g[i].has_reads) {
            mpdata_json_out_number_of(json, "unread", g[i].unread);
            mpdata_json_out_number_of(json, "unread_bytes", g[i].unread_bytes);
        }
        if (p->objects.has_idle) {
            mpdata_json_out_number_of(json, "idle", g[i].idle);
            mpdata_json_out_number_of(json, "idle_bytes", g[i].idle_bytes);
        }
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_object(const struct objects_print *p,
                         struct mpdata_json_out *json, uint32_t i)
{
    const struct mpdata_object *const o = at(p, i);

    mpdata_json_out_row(json);
    mpdata_json_out_id_of(json, "address", o->address);
    write_text(p, json, "type", o->type);
    write_text(p, json, "text", o->text);
    write_text(p, json, "line", o->made);
    mpdata_json_out_number_of(json, "bytes", o->bytes);
    mpdata_json_out_number_of(json, "retained", p->graph.retained[i]);
    if (p->objects.is_counted)
        mpdata_json_out_number_of(json, "accesses", o->accesses);
    if (o->has_reads)
        mpdata_json_out_number_of(json, "reads", o->reads);
    if (o->has_idle)
        mpdata_json_out_number_of(json, "idle_ns", o->idle_ns);
    if (p->graph.before[i] != NONE) {
        const struct mpdata_object_ref *const ref = ref_at(p, p->graph.by[i]);

        write_text(p, json, "reference", ref->name);
        mpdata_json_out_bool_of(json, "is_weak", ref->is_weak);
        mpdata_json_out_id_of(json, "from", at(p, p->graph.before[i])->address);
    }
    mpdata_json_out_close_map(json);
}

static void write_objects(const struct objects_print *p,
                          struct mpdata_json_out *json, const char *key,
                          const struct list *list)
{
    mpdata_json_out_array_of(json, key);
    for (uint32_t i = 0; i < list->count; i++)
        write_object(p, json, list->rows[i].row);
    mpdata_json_out_close_array(json);
}

static void write_all(const struct objects_print *p,
                      struct mpdata_json_out *json, const struct sums *s,
                      const struct found *f)
{
    mpdata_json_out_open_map(json);
    mpdata_json_out_number_of(json, "memprofdata_objects", 1);
    write_text(p, json, "machine", p->objects.machine);
    mpdata_json_out_number_of(json, "objects", s->all.objects);
    mpdata_json_out_number_of(json, "bytes", s->all.bytes);
    mpdata_json_out_number_of(json, "used_bytes", p->objects.used_bytes);
    mpdata_json_out_bool_of(json, "is_counted", p->objects.is_counted);
    mpdata_json_out_number_of(json, "strong", p->graph.strong_count - 1);
    write_groups(p, json, "types", &s->types);
    write_groups(p, json, "lines", &s->lines);
    write_objects(p, json, "biggest", &f->objects);
    write_objects(p, json, "unread", &f->unread);
    if (p->objects.has_idle) {
        mpdata_json_out_number_of(json, "idle_seconds", p->idle_seconds);
        write_objects(p, json, "idle", &f->idle);
    }
    if (p->path != 0) {
        mpdata_json_out_array_of(json, "path");
        for (uint32_t i = p->path; p->graph.before[i] != NONE;
             i = p->graph.before[i])
            write_object(p, json, i);
        mpdata_json_out_close_array(json);
    }
    mpdata_json_out_close_map(json);
    mpdata_json_out_line(json);
}

enum mprof_err objects_print_json(const struct objects_print *p,
                                  struct mpdata_sink *sink)
{
    struct mpdata_json_out json;
    struct sums s;
    const struct found found = find_biggest(p);
    const bool has_sums = make_sums(&s, p);
    const bool is_done =
        mpdata_json_out_init(&json, sink) && has_sums && found.memory != NULL;

    if (is_done)
        write_all(p, &json, &s, &found);
    mpdata_json_out_fini(&json);
    sums_fini(&s);
    free(found.memory);
    return is_done ? MPROF_E_OK : MPROF_E_NOMEM;
}
