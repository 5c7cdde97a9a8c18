/* json_form.c -- the members of a profile as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json_form.h"
#include "profdata/model/run_columns.h"
#include "shared/index_format.h"

#define FIELD(name, kind, type, member)                               \
    {                                                                 \
        name, MPDATA_JSON_FORM_##kind, MPDATA_MEMBER(type, member), 0 \
    }
#define FLAG(name, type, member, flag)                                 \
    {                                                                  \
        name, MPDATA_JSON_FORM_FLAG, MPDATA_MEMBER(type, member), flag \
    }
#define SKIPPED(name)                                   \
    {                                                   \
        name, MPDATA_JSON_FORM_SKIPPED, {.bytes = 0}, 0 \
    }
#define ROW(fields, needed)                     \
    {                                           \
        fields, MPROF_ARRAY_LEN(fields), needed \
    }

static const struct mpdata_json_form_field run_fields[] = {
#define X(column, member, kind) FIELD(#column, kind, mpdata_run, member),
    MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
};

static const struct mpdata_json_form_field binary_fields[] = {
    FIELD("Path", PATH, mpdata_binary, path),
    FIELD("BuildId", DIGITS, mpdata_binary, build_id),
    FLAG("Instrumented", mpdata_binary, flags, MPROF_BINARY_FL_INSTRUMENTED),
    FLAG("NotInstrumented", mpdata_binary, flags,
         MPROF_BINARY_FL_NOT_INSTRUMENTED),
};

static const struct mpdata_json_form_field function_fields[] = {
    FIELD("Name", STRING, mpdata_function, name),
    FIELD("Guid", ID, mpdata_function, guid),
    FIELD("File", PATH, mpdata_function, path),
    FIELD("Line", NUMBER, mpdata_function, line),
    FIELD("NewestNs", NUMBER, mpdata_function, newest_ns),
};

static const struct mpdata_json_form_field frame_fields[] = {
    FIELD("Function", FUNCTION, mpdata_frame, function),
    FIELD("File", PATH, mpdata_frame, path),
    FIELD("Line", NUMBER, mpdata_frame, line),
    FIELD("Column", NUMBER, mpdata_frame, column),
    FIELD("Discriminator", NUMBER, mpdata_frame, discriminator),
    FLAG("Inline", mpdata_frame, flags, MPROF_ENTRY_FL_INLINE),
    FLAG("NoLines", mpdata_frame, flags, MPROF_ENTRY_FL_NO_LINES),
    FIELD("Binary", BINARY, mpdata_frame, binary),
    FIELD("Type", STRING, mpdata_frame, type),
    FIELD("TypeBytes", NUMBER, mpdata_frame, type_bytes),
    FIELD("TypeFields", STRING, mpdata_frame, type_fields),
    FIELD("Address", ID, mpdata_frame, address),
};

static const struct mpdata_json_form_field context_fields[] = {
    FIELD("Callstack", STACK, mpdata_json_form_context, node),
    FLAG("Truncated", mpdata_json_form_context, flags,
         MPROF_CONTEXT_FL_TRUNCATED),
    SKIPPED("Listed"),
    FLAG("NotMeasured", mpdata_json_form_context, flags,
         MPROF_CONTEXT_FL_NOT_MEASURED),
    FLAG("NotAllSeen", mpdata_json_form_context, flags,
         MPROF_CONTEXT_FL_NOT_ALL_SEEN),
    FIELD("MemInfoBlock", MIB, mpdata_json_form_context, mib),
    FIELD("Histogram", HISTOGRAM, mpdata_json_form_context, cells),
    FIELD("Details", DETAILS, mpdata_json_form_context, node),
};

static const struct mpdata_json_form_field detail_fields[] = {
    FIELD("Kind", NUMBER, mpdata_json_form_detail, kind),
    FIELD("Callstack", STACK, mpdata_json_form_detail, node),
    FIELD("Bucket", NUMBER, mpdata_json_form_detail, bucket),
    FIELD("Place", NUMBER, mpdata_json_form_detail, place),
    FIELD("Blocks", NUMBER, mpdata_json_form_detail, blocks),
    FIELD("Bytes", NUMBER, mpdata_json_form_detail, bytes),
};

static const struct mpdata_json_form_field series_fields[] = {
    FIELD("Run", ID, mpdata_series, run_id),
    FIELD("Step", NUMBER, mpdata_series, step_ns),
    FIELD("Dropped", NUMBER, mpdata_series, dropped_marks),
    FIELD("Samples", SAMPLES, mpdata_series, samples),
    FIELD("Marks", MARKS, mpdata_series, marks),
};

static const struct mpdata_json_form_field mark_fields[] = {
    FIELD("Ns", NUMBER, mpdata_mark, ns),
    FIELD("Kind", NUMBER, mpdata_mark, kind),
    FIELD("Name", STRING, mpdata_mark, name),
    FIELD("Bytes", NUMBER, mpdata_mark, bytes),
};

static const struct mpdata_json_form_field tagged_fields[] = {
    FIELD("Kind", PART_KIND, mpdata_json_form_context, kind),
    FIELD("Name", STRING, mpdata_json_form_context, name),
    FIELD("Callstack", STACK, mpdata_json_form_context, node),
    FLAG("Truncated", mpdata_json_form_context, flags,
         MPROF_CONTEXT_FL_TRUNCATED),
    FIELD("MemInfoBlock", MIB, mpdata_json_form_context, mib),
};

static const struct mpdata_json_form_field counters_fields[] = {
    FIELD("Version", NUMBER, mpdata_counters, version),
    FIELD("Variant", ID, mpdata_counters, variant),
    FIELD("Summary", BLOB, mpdata_counters, summary),
    FIELD("Table", BLOB, mpdata_counters, table),
    FIELD("TableOffset", NUMBER, mpdata_counters, table_off),
    FIELD("VTables", BLOB, mpdata_counters, vtables),
    FIELD("Temporal", BLOB, mpdata_counters, temporal),
    FIELD("BinaryIds", BLOBS, mpdata_counters, binary_ids),
};

const struct mpdata_json_form_row mpdata_json_form_run = ROW(run_fields, 0);
const struct mpdata_json_form_row mpdata_json_form_binary =
    ROW(binary_fields, 0);
const struct mpdata_json_form_row mpdata_json_form_function =
    ROW(function_fields, 0);
const struct mpdata_json_form_row mpdata_json_form_frame = ROW(frame_fields, 0);
const struct mpdata_json_form_row mpdata_json_form_context =
    ROW(context_fields, 0);
const struct mpdata_json_form_row mpdata_json_form_detail =
    ROW(detail_fields, 1 /* Kind */);
const struct mpdata_json_form_row mpdata_json_form_series =
    ROW(series_fields, 0);
const struct mpdata_json_form_row mpdata_json_form_mark = ROW(mark_fields, 0);
const struct mpdata_json_form_row mpdata_json_form_tagged =
    ROW(tagged_fields, 1 /* Kind */);
const struct mpdata_json_form_row mpdata_json_form_counters =
    ROW(counters_fields, 0);
