/* yaml_text.c -- text of ours (form: text_write.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/text_write.h"
#include "profdata/model/run_columns.h"
#include "profdata/base/vec.h"
#include "profdata/text/yaml_parse.h"
#include "shared/index_format.h"

#include <stdlib.h>

struct text {
    struct mpdata_yaml *y;
    struct mpdata_content *parts;
    struct mpdata_profile *profile;
    struct mpdata_vec binaries;  /* mpdata_ref, by number */
    struct mpdata_vec functions; /* mpdata_ref */
    struct mpdata_vec frames;    /* mpdata_ref */
    struct mpdata_vec scratch;   /* mpdata_ref: the stack at hand */
    struct mpdata_vec cells;     /* uint64_t */
};

static uint32_t number32(struct text *t)
{
    return (uint32_t)mpdata_yaml_events_number(t->y, UINT32_MAX);
}

static void keep_ref(struct text *t, struct mpdata_vec *refs, mpdata_ref ref)
{
    mpdata_ref *row = t->y->err == MPROF_E_OK ? mpdata_vec_push(refs) : NULL;

    if (row != NULL)
        *row = ref;
    else
        mpdata_yaml_events_fail(t->y, MPROF_E_NOMEM, "no memory");
}

/* What a number stands for in one of the lists that came before. */
static mpdata_ref read_ref(struct text *t, const struct mpdata_vec *refs)
{
    const uint64_t i = mpdata_yaml_events_number(t->y, UINT32_MAX);

    if (t->y->err != MPROF_E_OK)
        return 0;
    if (i < refs->count)
        return ((const mpdata_ref *)refs->data)[i];
    mpdata_yaml_events_fail(t->y, MPROF_E_REFERENCE, "number %u", (unsigned)i);
    return 0;
}

static mpdata_string read_string(struct text *t)
{
    const struct mpdata_str s = mpdata_yaml_events_string(t->y);

    return mpdata_profile_string(t->profile, s.bytes, s.size);
}

static mpdata_ref read_path(struct text *t)
{
    const struct mpdata_str s = mpdata_yaml_events_string(t->y);

    return mpdata_profile_path(t->profile, s.bytes, s.size);
}

/* -- rows of the tables ---------------------------------------------------------- */

/* The value of a column of the RUNS section. */
static uint64_t read_run_value(struct text *t, uint32_t tag)
{
    switch (tag) {
    case MPROF_INDEX_RUNS_EXECUTABLE:
        return read_path(t);
    case MPROF_INDEX_RUNS_HOST:
    case MPROF_INDEX_RUNS_OPTIONS:
    case MPROF_INDEX_RUNS_TOOL:
        return read_string(t);
    case MPROF_INDEX_RUNS_KIND:
        return number32(t);
    default:
        return mpdata_yaml_events_number(t->y, UINT64_MAX);
    }
}

static void read_run(struct text *t)
{
    static const uint32_t tags[] = {
#define X(column, member) MPROF_INDEX_RUNS_##column,
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    };
    static const char *const names[] = {
#define X(column, member) #column,
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    };
    struct mpdata_yaml_keys keys = {.names = names,
                                    .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_run run = {.run_id = 0};
    size_t key;

    if (mpdata_yaml_events_map(t->y)) {
        while (mpdata_yaml_events_key(t->y, &keys, &key)) {
            const uint64_t value = read_run_value(t, tags[key]);

            switch (tags[key]) {
#define X(column, member)                           \
    case MPROF_INDEX_RUNS_##column:                 \
        run.member = (__typeof__(run.member))value; \
        break;
                MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
            default:
                break;
            }
        }
    }
    mpdata_profile_run(t->profile, &run);
}

static void read_binary(struct text *t)
{
    enum { MPDATA_TEXT_BINARY(MPDATA_TEXT_ID) };
    static const char *const names[] = {MPDATA_TEXT_BINARY(MPDATA_TEXT_KEY)};
    struct mpdata_yaml_keys keys = {.names = names,
                                    .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_binary binary = {.path = 0};
    size_t key;

    if (mpdata_yaml_events_map(t->y)) {
        while (mpdata_yaml_events_key(t->y, &keys, &key)) {
            if (key == PATH)
                binary.path = read_path(t);
            else
                binary.build_id = read_string(t);
        }
    }
    keep_ref(t, &t->binaries, mpdata_profile_binary(t->profile, &binary));
}

static void read_function(struct text *t)
{
    enum { MPDATA_TEXT_FUNCTION(MPDATA_TEXT_ID) };
    static const char *const names[] = {MPDATA_TEXT_FUNCTION(MPDATA_TEXT_KEY)};
    struct mpdata_yaml_keys keys = {.names = names,
                                    .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_function function = {.name = 0};
    size_t key;

    if (mpdata_yaml_events_map(t->y)) {
        while (mpdata_yaml_events_key(t->y, &keys, &key)) {
            if (key == NAME)
                function.name = read_string(t);
            else if (key == GUID)
                function.guid = mpdata_yaml_events_number(t->y, UINT64_MAX);
            else if (key == FILE_PATH)
                function.path = read_path(t);
            else
                function.line = number32(t);
        }
    }
    keep_ref(t, &t->functions, mpdata_profile_function(t->profile, &function));
}

static void read_frame(struct text *t)
{
    enum { MPDATA_TEXT_FRAME(MPDATA_TEXT_ID) };
    static const char *const names[] = {MPDATA_TEXT_FRAME(MPDATA_TEXT_KEY)};
    struct mpdata_yaml_keys keys = {.names = names,
                                    .count = MPROF_ARRAY_LEN(names)};
    struct mpdata_frame e = {.function = 0};
    size_t key;

    if (mpdata_yaml_events_map(t->y)) {
        while (mpdata_yaml_events_key(t->y, &keys, &key)) {
            if (key == FUNCTION)
                e.function = read_ref(t, &t->functions);
            else if (key == FILE_PATH)
                e.path = read_path(t);
            else if (key == LINE)
                e.line = number32(t);
            else if (key == COLUMN)
                e.column = number32(t);
            else if (key == DISCRIMINATOR)
                e.discriminator = number32(t);
            else if (key == INLINE)
                e.flags |=
                    mpdata_yaml_events_bool(t->y) ? MPROF_ENTRY_FL_INLINE : 0;
            else if (key == NO_LINES)
                e.flags |=
                    mpdata_yaml_events_bool(t->y) ? MPROF_ENTRY_FL_NO_LINES : 0;
            else if (key == BINARY)
                e.binary = read_ref(t, &t->binaries);
            else
                e.address = mpdata_yaml_events_number(t->y, UINT64_MAX);
        }
    }
    keep_ref(t, &t->frames, mpdata_profile_frame(t->profile, &e));
}

/* -- contexts -------------------------------------------------------------------- */

static mpdata_ref read_stack(struct text *t)
{
    const mpdata_ref *frames;
    mpdata_ref node = 0;

    t->scratch.count = 0;
    if (mpdata_yaml_events_seq(t->y)) {
        while (mpdata_yaml_events_item(t->y)) {
            mpdata_yaml_stack_room(t->y, t->scratch.count);
            keep_ref(t, &t->scratch, read_ref(t, &t->frames));
        }
    }
    frames = t->scratch.data;
    for (uint32_t i = t->scratch.count; i-- > 0 && t->y->err == MPROF_E_OK;)
        node = mpdata_profile_node(t->profile, node, frames[i]);
    return node;
}

static void read_mib(struct text *t, struct mprof_mib *mib)
{
    const char *names[MPROF_MIB_FIELDS];
    struct mpdata_yaml_keys keys = {.names = names, .count = MPROF_MIB_FIELDS};
    size_t key;

    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++)
        names[i] = mprof_mib_fields[i].name;
    if (mpdata_yaml_events_map(t->y)) {
        while (mpdata_yaml_events_key(t->y, &keys, &key))
            mprof_mib_set(mib, key,
                          mpdata_yaml_events_number(t->y, UINT64_MAX));
    }
}

static void read_cells(struct text *t)
{
    if (!mpdata_yaml_events_seq(t->y))
        return;
    while (mpdata_yaml_events_item(t->y)) {
        uint64_t *cell = mpdata_vec_push(&t->cells);

        if (cell != NULL)
            *cell = mpdata_yaml_events_number(t->y, UINT64_MAX);
        else
            mpdata_yaml_events_fail(t->y, MPROF_E_NOMEM, "no memory");
    }
}

static void read_context(struct text *t)
{
    enum { MPDATA_TEXT_CONTEXT(MPDATA_TEXT_ID) };
    static const char *const names[] = {MPDATA_TEXT_CONTEXT(MPDATA_TEXT_KEY)};
    struct mpdata_yaml_keys keys = {.names = names,
                                    .count = MPROF_ARRAY_LEN(names)};
    struct mprof_mib mib = {.AllocCount = 0};
    mpdata_ref node = 0;
    uint32_t flags = 0;
    size_t key;

    t->cells.count = 0;
    if (mpdata_yaml_events_map(t->y)) {
        while (mpdata_yaml_events_key(t->y, &keys, &key)) {
            if (key == CALLSTACK)
                node = read_stack(t);
            else if (key == TRUNCATED)
                flags |= mpdata_yaml_events_bool(t->y)
                             ? MPROF_CONTEXT_FL_TRUNCATED
                             : 0;
            else if (key == LISTED)
                flags |=
                    mpdata_yaml_events_bool(t->y) ? MPROF_CONTEXT_FL_LISTED : 0;
            else if (key == MIB)
                read_mib(t, &mib);
            else
                read_cells(t);
        }
    }
    if (t->cells.count != 0 && t->cells.count != mib.AccessHistogramSize)
        mpdata_yaml_events_fail(
            t->y, MPROF_E_VALUE,
            "a histogram of another size than its context says");
    if (t->y->err == MPROF_E_OK)
        mpdata_profile_context(t->profile, node, flags, &mib,
                               t->cells.count != 0 ? t->cells.data : NULL);
}

/* -- the document ----------------------------------------------------------------- */

static void read_row(struct text *t, size_t key)
{
    enum { MPDATA_TEXT_TOP(MPDATA_TEXT_ID) };

    switch (key) {
    case RUNS:
        read_run(t);
        break;
    case BINARIES:
        read_binary(t);
        break;
    case FUNCTIONS:
        read_function(t);
        break;
    case FRAMES:
        read_frame(t);
        break;
    case CONTEXTS:
        read_context(t);
        break;
    default:
        break;
    }
}

static void read_value(struct text *t, size_t key)
{
    enum { MPDATA_TEXT_TOP(MPDATA_TEXT_ID) };

    if (key == DATA_ACCESS) {
        mpdata_yaml_llvm_data_access(t->y, &t->parts->data_access);
    } else if (key == COUNTERS) {
        mpdata_yaml_counters(t->y, &t->parts->counters);
    } else if (key == LISTED) {
        mpdata_yaml_llvm_listed(t->y, &t->parts->sites);
    } else if (mpdata_yaml_events_seq(t->y)) {
        while (mpdata_yaml_events_item(t->y))
            read_row(t, key);
    }
}

void mpdata_yaml_text(struct mpdata_yaml *y, struct mpdata_content *parts)
{
    static const char *const names[] = {MPDATA_TEXT_TOP(MPDATA_TEXT_KEY)};
    struct mpdata_yaml_keys keys = {.names = names,
                                    .count = MPROF_ARRAY_LEN(names)};
    struct text t = {.y = y,
                     .parts = parts,
                     .profile = parts->profile,
                     .binaries = {.elem_bytes = sizeof(mpdata_ref)},
                     .functions = {.elem_bytes = sizeof(mpdata_ref)},
                     .frames = {.elem_bytes = sizeof(mpdata_ref)},
                     .scratch = {.elem_bytes = sizeof(mpdata_ref)},
                     .cells = {.elem_bytes = sizeof(uint64_t)}};
    const uint64_t version = mpdata_yaml_events_number(y, UINT64_MAX);
    size_t key;

    if (y->err == MPROF_E_OK && version != MPDATA_TEXT_VERSION)
        mpdata_yaml_events_fail(y, MPROF_E_VERSION, "version %u",
                                (unsigned)version);
    while (mpdata_yaml_events_key(y, &keys, &key))
        read_value(&t, key);
    if (y->err == MPROF_E_OK && mpdata_profile_status(t.profile) != MPROF_E_OK)
        mpdata_yaml_events_fail(y, mpdata_profile_status(t.profile),
                                "too much");
    mpdata_vec_fini(&t.binaries);
    mpdata_vec_fini(&t.functions);
    mpdata_vec_fini(&t.frames);
    mpdata_vec_fini(&t.scratch);
    mpdata_vec_fini(&t.cells);
}
