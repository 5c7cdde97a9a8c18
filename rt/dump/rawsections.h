/* rawsections.h -- what the sections of our raw profile are made of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/container.h"
#include "shared/table.h"
#include "rt/dump/dump.h"
#include "rt/record/context.h"
#include "shared/tag_format.h"
#include "rt/record/series.h"

/* rawpack.c -- appends sections to the raw profile, compressed if the options
 * ask for it and it saves space. */

/* Appends a table of n bytes as a section, aligned, and describes it in
 * *section. `head` is the beginning of the table; the rest comes from `source`
 * in pieces, so the whole table is never in memory. Sets out->failed on
 * failure. */
void mprt_rawpack_section(struct mprof_buf *out, struct mprof_section *section,
                          uint32_t id, const struct mprof_buf *head,
                          const struct mprof_table_source *source, size_t n);
/* The same with a head made from the source's values. */
void mprt_rawpack_table(struct mprof_buf *out, struct mprof_section *section,
                        uint32_t id, const struct mprof_table_source *source);
/* The same as the next section of the directory. */
void mprt_rawpack_add(struct mprof_buf *out, struct mprof_dir *dir, uint32_t id,
                      const struct mprof_table_source *source);
/* The same for rows that are in memory, each an array of a number per tag. */
struct mprt_rawpack_numbers {
    const uint64_t *numbers;
    uint64_t rows;
    const uint32_t *tags;
    uint32_t tag_count;
};
void mprt_rawpack_numbers(struct mprof_buf *out, struct mprof_dir *dir,
                          uint32_t id,
                          const struct mprt_rawpack_numbers *numbers);

/* The tags in ascending order, as members of a source. */
#define MPRT_RAWPACK_TAGS(...)               \
    .tags = (const uint32_t[]){__VA_ARGS__}, \
    .tag_count = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* rawtree.c -- the call stacks of a raw profile: FRAMES, NODES, and the order
 * of CONTEXTS. */

enum { MPRT_RAWTREE_SECTIONS = 2 };

/* A frame of an interpreted function. */
struct mprt_script_frame {
    uintptr_t pc;
    uint32_t frame; /* FRAMES idx */
};

struct mprt_rawtree {
    uint32_t count;          /* number of contexts */
    uint32_t *order;         /* depot ids, sorted by call stack */
    uint32_t *leaves;        /* NODES idx + 1, in the same order */
    bool has_cut;            /* some call stacks are truncated */
    struct mprof_buf script; /* of struct mprt_script_frame, by FRAMES idx */
    struct mprof_buf stored; /* the sections' bytes, each aligned */
    struct mprof_section
        sections[MPRT_RAWTREE_SECTIONS]; /* offsets in stored */
    /* Inputs of the tree, to compare with the next dump's. */
    uint32_t *ids;    /* NULL: the tree is not kept */
    uint64_t modules; /* a checksum */
};

/* The call stacks of all contexts of the snapshot; NULL without memory. Under
 * the dump lock. With continuous=1 the tree is kept, and made again only if a
 * later dump has other contexts or binaries. It takes 12 bytes per context and
 * the sections' bytes. */
const struct mprt_rawtree *mprt_rawtree_get(const struct mprt_dump *dump);
/* Call when the dump is done; NULL tree is allowed. */
void mprt_rawtree_release(void);

/* rawrows.c -- the rows of a raw profile's CONTEXTS and TAGGED, in the order of
 * the file. */

/* A row has a copy of the snapshot's context, because contexts of neighbouring
 * rows lie far from each other in the snapshot, and each pass over the rows
 * would load them again. */
struct mprt_rawrow {
    struct mprt_context context;
    uint32_t id;   /* depot id of the context */
    uint32_t leaf; /* NODES idx + 1 */
    bool is_live;  /* the row describes live blocks */
};

struct mprt_rawrows {
    const struct mprt_snapshot *snapshot;
    const struct mprt_rawtree *tree;
    struct mprt_rawrow *rows; /* rows of CONTEXTS, then of TAGGED */
    uint32_t context_count;
    uint32_t tagged_count;
    /* Histograms have two cells for each 4 bytes. False if they have no access,
     * so that the file can be added to one with cells of 8 bytes. */
    bool has_fields;
};

/* Lists the rows of the dump's snapshot. False without memory. Call
 * mprt_rawrows_free() in either case. */
bool mprt_rawrows_init(struct mprt_rawrows *rows, const struct mprt_dump *dump,
                       const struct mprt_rawtree *tree);
void mprt_rawrows_free(struct mprt_rawrows *rows);

/* rawcontexts.c -- writes CONTEXTS and TAGGED of a raw profile. */

/* Appends the section `id`, MPROF_RAW_CONTEXTS or MPROF_RAW_TAGGED. names:
 * STRINGS idx by number of a name; names[0] is not 0 if contexts have threads.
 * False without memory. */
bool mprt_rawcontexts_add(const struct mprt_rawrows *rows,
                          const uint32_t *names, uint32_t id,
                          struct mprof_buf *out, struct mprof_dir *dir);

/* Keeps the fields that the format has for tagged rows (tag_format.h). */
void mprt_rawcontexts_keep_tagged(struct mprof_mib *mib,
                                  enum mprof_tag_kind kind);

/* rawdetails.c -- writes DETAILS of a raw profile: distributions of contexts'
 * blocks. */

/* Appends the section if a context has distributions. False without memory. */
bool mprt_rawdetails_add(const struct mprt_rawrows *of, struct mprof_buf *out,
                         struct mprof_dir *dir);

/* rawhistograms.c -- writes HISTOGRAMS and CELLS of a raw profile. */

/* Appends the sections if a context has a histogram. False without memory. */
bool mprt_rawhistograms_add(const struct mprt_rawrows *rows,
                            struct mprof_buf *out, struct mprof_dir *dir);

/* rawseries.c -- the run over time in a raw profile: SERIES and MARKS. */

/* The series at the beginning of the dump. */
struct mprt_rawseries {
    struct mprt_series copy;
    uint64_t step_ns;
    uint16_t rows[MPRT_SERIES_SLOTS]; /* slots with data */
    uint32_t count;
    const struct mprt_series_mark *marks;
    uint32_t mark_count;
    uint64_t dropped_marks;
    /* STRINGS idx; filled in by the writer of the strings */
    uint32_t names[MPRT_SERIES_NAMES];
};

/* Returns NULL without memory. */
struct mprt_rawseries *mprt_rawseries_new(const struct mprt_live_peak *peak);
/* NULL is allowed. */
void mprt_rawseries_free(struct mprt_rawseries *s);
/* Appends the sections that have rows. */
void mprt_rawseries_add(const struct mprt_rawseries *s, struct mprof_buf *out,
                        struct mprof_dir *dir);

/* frameset.c -- the distinct code addresses of a dump. */

struct mprt_frame {
    uintptr_t pc;
    uint64_t address;     /* link-time address */
    uint32_t module_plus; /* MODULES idx + 1, or 0 if unknown */
};

/* Hash table with open addressing. slots hold frame numbers + 1; 0 is free.
 * Zeroed: empty. */
struct mprt_frameset {
    struct mprt_frame *frames; /* indexed by frame number */
    uint32_t count;
    uint32_t capacity; /* room in frames; half the number of slots */
    uint32_t *slots;
};

/* Adds the address if it is new. *number: its index in frames. False without
 * memory. */
bool mprt_frameset_put(struct mprt_frameset *set, uintptr_t pc,
                       uint32_t *number);
/* Number of an address that was added. */
uint32_t mprt_frameset_find(const struct mprt_frameset *set, uintptr_t pc);
void mprt_frameset_free(struct mprt_frameset *set);
