/* sections_columns.c -- the columns of our sections and their struct members.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/index/sections.h"
#include "profdata/model/run_columns.h"

/* target, below */
#define RULE_REF(of) MPROF_INDEX_##of, 1
#define RULE_ROW(of) MPROF_INDEX_##of, 0
#define RULE_U1(of) 0, UINT64_C(1) << 1
#define RULE_U2(of) 0, UINT64_C(1) << 2
#define RULE_U16(of) 0, UINT64_C(1) << 16
#define RULE_U32(of) 0, UINT64_C(1) << 32
#define RULE_U64(of) 0, 0

const struct mpdata_sections_column mpdata_sections_columns[] = {
#define X(section, tag, name, rule, of, help) \
    {MPROF_INDEX_##section, (tag), RULE_##rule(of)},
    MPROF_INDEX_COLUMNS(X)
#undef X
};

/* X(section, COLUMN, struct, member): columns that a struct of the profile
 * stores unchanged, except that references become ids of the profile. */
#define RUN(column, member, kind) X(RUNS, column, mpdata_run, member)
#define MEMBERS(X)                                      \
    X(PATHS, PARENT, mpdata_path, parent)               \
    X(PATHS, NAME, mpdata_path, name)                   \
    X(FUNCTIONS, NAME, mpdata_function, name)           \
    X(FUNCTIONS, GUID, mpdata_function, guid)           \
    X(FUNCTIONS, PATH, mpdata_function, path)           \
    X(FUNCTIONS, LINE, mpdata_function, line)           \
    X(FUNCTIONS, NEWEST_NS, mpdata_function, newest_ns) \
    X(ENTRIES, FUNCTION, mpdata_frame, function)        \
    X(ENTRIES, COLUMN, mpdata_frame, column)            \
    X(ENTRIES, FLAGS, mpdata_frame, flags)              \
    X(ENTRIES, BINARY, mpdata_frame, binary)            \
    X(ENTRIES, ADDRESS, mpdata_frame, address)          \
    X(ENTRIES, TYPE, mpdata_frame, type)                \
    X(ENTRIES, TYPE_BYTES, mpdata_frame, type_bytes)    \
    X(ENTRIES, TYPE_FIELDS, mpdata_frame, type_fields)  \
    X(BINARIES, PATH, mpdata_binary, path)              \
    X(BINARIES, BUILD_ID, mpdata_binary, build_id)      \
    X(BINARIES, FLAGS, mpdata_binary, flags)            \
    X(TAGGED, NODE, mpdata_tagged, node)                \
    X(TAGGED, FLAGS, mpdata_tagged, flags)              \
    X(TAGGED, KIND, mpdata_tagged, kind)                \
    X(TAGGED, NAME, mpdata_tagged, name)                \
    X(DETAILS, NODE, mpdata_detail, node)               \
    X(DETAILS, KIND, mpdata_detail, kind)               \
    X(DETAILS, KEY, mpdata_detail, key)                 \
    X(DETAILS, COUNT, mpdata_detail, count)             \
    X(DETAILS, BYTES, mpdata_detail, bytes)             \
    X(SERIES, RUN_ID, mpdata_series, run_id)            \
    X(SERIES, STEP_NS, mpdata_series, step_ns)          \
    X(SERIES, DROPPED, mpdata_series, dropped_marks)    \
    X(SERIES, SAMPLES, mpdata_series, sample_count)     \
    X(SERIES, MARKS, mpdata_series, mark_count)         \
    X(SAMPLES, NS, mpdata_sample, ns)                   \
    X(SAMPLES, BYTES, mpdata_sample, bytes)             \
    X(SAMPLES, MOST, mpdata_sample, most)               \
    X(SAMPLES, BLOCKS, mpdata_sample, blocks)           \
    X(SAMPLES, RSS, mpdata_sample, rss)                 \
    X(SAMPLES, MAPPED, mpdata_sample, mapped)           \
    X(MARKS, NS, mpdata_mark, ns)                       \
    X(MARKS, KIND, mpdata_mark, kind)                   \
    X(MARKS, NAME, mpdata_mark, name)                   \
    X(MARKS, BYTES, mpdata_mark, bytes)                 \
    MPDATA_INDEX_RUN_COLUMNS(RUN)

const struct mpdata_member mpdata_sections_members[MPDATA_COLUMNS] = {
#define X(section, column, type, member) \
    [MPDATA_COLUMN_##section##_##column] = MPDATA_MEMBER(type, member),
    MEMBERS(X)
#undef X
};

int mpdata_sections_columns_first(uint32_t section)
{
    int i = 0;

    while (i < MPDATA_COLUMNS && mpdata_sections_columns[i].section != section)
        i++;
    return i;
}
