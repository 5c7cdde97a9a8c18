/* fields.h -- which members of a type are accessed: the histograms of all call
 * stacks that allocate objects of the type, by member.
 *
 * A histogram counts the accesses to each cell of 8 bytes, or the reads and the
 * writes of each 4 bytes. Members that share a cell are one group with one
 * count: the profile does not say which of them was accessed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/members.h"

/* Why call stacks are left out. X(ID, name, sentence) */
#define MPDATA_FIELDS_REASONS(X)                                            \
    X(NO_CELLS, "no_histogram",                                             \
      "without counts of members: compile with -mllvm "                     \
      "-memprof-access=fields or -memprof-histogram; logs have only the "   \
      "latter")                                                             \
    X(NO_TYPE, "no_type", "of no known type")                               \
    X(NO_MEMBERS, "no_members", "of a type whose members are not known")    \
    X(OTHER_SIZE, "other_size",                                             \
      "with blocks whose sizes do not say which objects of the type "       \
      "they hold")                                                          \
    X(SHARED_CELLS, "shared_cells",                                         \
      "of arrays whose elements share counters: their size is no multiple " \
      "of a counter's bytes")

enum mpdata_fields_reason {
#define X(id, name, sentence) MPDATA_FIELDS_##id,
    MPDATA_FIELDS_REASONS(X)
#undef X
        MPDATA_FIELDS_REASON_COUNT
};

struct mpdata_fields_left_out {
    uint32_t contexts;
    uint64_t accesses; /* to their blocks, as far as they were counted */
};

struct mpdata_fields_type {
    mpdata_string name;
    uint32_t bytes;
    const char *text; /* the list of members; borrowed from the profile */
    uint32_t first;   /* of its contexts in mpdata_fields.contexts */
    uint32_t count;
    bool has_arrays;  /* a block may hold several objects */
    bool is_open;     /* an object begins a block, and more may follow */
    bool is_at_least; /* more accesses than were counted */
    bool is_doubtful; /* there may be more, or realloc moved objects */
    uint64_t blocks;
    uint64_t objects; /* in these */
    uint64_t peak_bytes;
    uint64_t accesses;
};

struct mpdata_fields {
    struct mpdata_fields_type *types; /* owned */
    uint32_t count;
    uint32_t *contexts; /* owned; of a type: most accesses first */
    bool has_peak;      /* the profile has bytes at the peak */
    bool has_rw;        /* and reads and writes apart */
    bool is_doubtful;   /* code may have made accesses that do not count */
    uint32_t cell_bytes;
    struct mpdata_fields_left_out left_out[MPDATA_FIELDS_REASON_COUNT];
};

/* Lists the types whose members and histograms are known, most accesses first.
 * Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_fields_make(struct mpdata_fields *fields,
                   const struct mpdata_profile *profile);
/* The same of call stacks `chosen`, by context; NULL: all. */
MPROF_NODISCARD enum mprof_err
mpdata_fields_make_of(struct mpdata_fields *fields,
                      const struct mpdata_profile *profile,
                      const uint8_t *chosen);
void mpdata_fields_fini(struct mpdata_fields *fields);
/* Accesses to a context's blocks that its histogram has. */
uint64_t mpdata_fields_counted(const struct mpdata_view *view,
                               uint32_t context);

/* -- fields_layout.c: the members of one type ------------------------------ */

struct mpdata_fields_count {
    uint64_t accesses;
    uint64_t writes; /* of these, with has_rw */
};

/* A member, or a hole between members or at the end. */
struct mpdata_fields_row {
    struct mpdata_member member; /* of a hole: without a name */
    bool is_hole;
    uint32_t group; /* unused for a hole */
    /* Size of the cells that no other member shares, and accesses to them. */
    uint64_t own_bytes;
    struct mpdata_fields_count own;
};

/* Members that share cells, directly or by members between them. */
struct mpdata_fields_group {
    uint32_t first, last; /* rows; holes may be between them */
    uint32_t count;       /* of members */
    struct mpdata_fields_count all;
};

struct mpdata_fields_layout {
    struct mpdata_fields_row *rows; /* owned; ascending by offset */
    uint32_t row_count;
    struct mpdata_fields_group *groups; /* owned; ascending by offset */
    uint32_t group_count;
    struct mpdata_fields_count behind; /* of is_open: to what follows */
};

/* Reads all members of a type into rows, which may be NULL. Returns their
 * number; 0: there are none, or the list is malformed. */
uint32_t mpdata_fields_layout_members(const char *text, uint64_t bytes,
                                      struct mpdata_fields_row *rows);

/* Makes the members of fields->types[type]. Call _fini() even after a failure.
 * Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_fields_layout_make(struct mpdata_fields_layout *layout,
                          const struct mpdata_fields *fields, uint32_t type,
                          const struct mpdata_profile *profile);
void mpdata_fields_layout_fini(struct mpdata_fields_layout *layout);

/* What is known of the reads and writes of members, as an adjective; NULL:
 * nothing, or they are read and written more often. Such as "never read",
 * "never written", "written about once": there are as many writes as objects,
 * or half as many, and the member shares no cell. */
const char *mpdata_fields_layout_use(const struct mpdata_fields *fields,
                                     const struct mpdata_fields_type *type,
                                     const struct mpdata_fields_layout *layout,
                                     const struct mpdata_fields_group *group);
