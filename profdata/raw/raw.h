/* raw.h -- one dump of one process as its file tells it: addresses, no names.
 * Built by raw_file.c with raw_read.c (our format) and raw_read_llvm.c
 * (LLVM's), turned into a profile by symbolize.c.
 *
 * Every index in it was checked by the reader: module < module_count and so on,
 * a node's parent stands before the node.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RAW_H
#define MPDATA_RAW_H

#include "profdata/model/mib_columns.h"
#include "profdata/model/profile.h"
#include "profdata/base/section.h"
#include "shared/index_format.h"
#include "shared/raw_format.h"

/* One more than the highest key of MPROF_RAW_METAS. */
enum {
    MPDATA_RAW_METAS = sizeof(union {
#define X(key, name, what, help) char name[(key) + 1];
        MPROF_RAW_METAS(X)
#undef X
    })
};

struct mpdata_raw_module {
    struct mpdata_str path;     /* "" where the format has none */
    struct mpdata_str build_id; /* raw bytes, "" for none */
    uint64_t bias;              /* run-time minus link-time addresses */
    uint32_t flags;             /* MPROF_RAW_MODULE_FL_* */
    bool
        is_trusted; /* no build id was recorded: the file at the path will do */
};

struct mpdata_raw_segment {
    uint32_t module; /* index */
    uint64_t start;
    uint64_t end;
    uint64_t file_off; /* LLVM's files: what they call Offset */
};

struct mpdata_raw_frame {
    /* Link-time return address - 1; run-time without module. */
    uint64_t address;
    mpdata_ref module; /* 0: code outside any module */
};

/* What a file says of a frame's code; function "": nothing. */
struct mpdata_raw_name {
    struct mpdata_str function;
    struct mpdata_str file;
    uint64_t line;
};

struct mpdata_raw_node {
    mpdata_ref parent; /* nodes, an earlier one */
    uint32_t frame;    /* index */
};

/* MIBs are large and most are looked at once, so they stay in the file's own
 * form until mpdata_raw_mib() asks for one. */
struct mpdata_raw_context {
    mpdata_ref node;        /* leaf; 0: empty stack */
    uint32_t flags;         /* MPROF_RAW_CONTEXT_FL_* */
    uint32_t thread;        /* index of the thread's name in string_table */
    uint64_t id;            /* LLVM's stack id, else the row */
    uint64_t blocks;        /* AllocCount of its MIB */
    uint64_t mib_off;       /* LLVM's files: of its MIB */
    uint32_t details_first; /* of the dump's */
    uint32_t detail_count;
    bool has_cells;
    size_t cells_first; /* words of the histogram, in the dump's */
    size_t cells_count;
};

/* A row of PARTS; its MIB as above. */
struct mpdata_raw_part {
    mpdata_ref node; /* leaf; 0: empty stack */
    uint32_t flags;  /* MPROF_RAW_CONTEXT_FL_* */
    uint32_t kind;   /* enum mprof_part_kind */
    uint32_t name;   /* index in string_table */
    uint32_t row;
};

/* What another tool's file says of the blocks of a context. */
struct mpdata_raw_blocks {
    uint64_t count;
    uint64_t bytes;
    uint64_t live_count;
    uint64_t live_bytes;
};

/* Owns what it points to, but for the bytes of the file. */
struct mpdata_raw {
    enum mprof_run_kind kind; /* not INDEXED */
    uint32_t version;
    uint64_t numbers[MPDATA_RAW_METAS]; /* by enum mprof_raw_meta */
    struct mpdata_str texts[MPDATA_RAW_METAS];
    struct mpdata_raw_module *modules;
    struct mpdata_raw_segment *segments;
    struct mpdata_raw_frame *frames;
    struct mpdata_raw_name *frame_names; /* by frame; NULL: none has one */
    struct mpdata_raw_node *nodes;
    struct mpdata_raw_context *contexts;
    struct mpdata_raw_blocks *blocks;
    uint64_t sample_period_bytes;
    /* Where MIBs are: in LLVM's packed form, or in columns; or in `blocks`. */
    const uint8_t *packed_mibs; /* borrowed from the file's bytes */
    struct mpdata_mib_columns *mib_columns;
    struct mpdata_section mib_section; /* of the columns */
    struct mpdata_series series;       /* names are in string_table */
    struct mpdata_raw_part *parts;
    struct mpdata_mib_columns *part_columns;
    struct mpdata_section part_section;
    uint64_t *cell_words;
    struct mpdata_detail *details; /* by context; keys of stacks are nodes */
    bool has_threads;              /* contexts[].thread counts */
    bool has_live;    /* blocks that were alive, and what was at the peak */
    bool has_no_peak; /* that is left out: of another epoch */
    bool is_pending;  /* until the other dumps of its run are known
                         (load/dumps.h) */
    uint32_t string_count;
    mpdata_ref program; /* binary of a profile; set by symbolize.c for LLVM's */
    char *strings;
    struct mpdata_str *string_table;
    uint32_t module_count;
    uint32_t segment_count;
    uint32_t frame_count;
    uint32_t node_count;
    uint32_t context_count;
    uint32_t detail_count;
    uint32_t part_count;
    uint32_t stack_count; /* contexts, those of ended and live blocks as one */
};

/* Was it written by another tool, so that it knows of no accesses? */
static inline bool mpdata_raw_is_foreign(const struct mpdata_raw *raw)
{
    return raw->kind == MPROF_RUN_FOREIGN ||
           raw->kind == MPROF_RUN_FOREIGN_LIVE;
}

/* The dumps of one file. */
struct mpdata_raw_file {
    struct mpdata_raw *dumps;
    size_t count;
    struct mprof_diag rest; /* why what follows them could not be read, or OK */
    struct mprof_dir dir;   /* of the last, where it is ours */
};

/* Reads the whole file data[0..size), which must outlive *file: a stream of
 * dumps, of our format or LLVM's each. Where one behind the first is damaged,
 * file->rest says so and those before it are there. On failure *file is
 * untouched. Free with mpdata_raw_file_free(), which accepts a zeroed one. Any
 * number of threads may read files at a time. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_file_read(const uint8_t *data, size_t size, bool verify_checksums,
                     struct mpdata_raw_file *file, struct mprof_diag *diag);

/* One dump of our format or LLVM's at data[0..size), which others may follow:
 * dir->file_bytes or *used. Offsets in *diag are from data. On failure *raw is
 * untouched. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_read_dump(const uint8_t *data, size_t size, bool verify_checksums,
                     struct mpdata_raw *raw, struct mprof_dir *dir,
                     struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err
mpdata_raw_read_llvm_dump(const uint8_t *data, size_t size,
                          struct mpdata_raw *raw, size_t *used,
                          struct mprof_diag *diag);

/* The MIB of contexts[i]. */
struct mprof_mib mpdata_raw_mib(const struct mpdata_raw *raw, uint32_t i);
/* The MIB of parts[i]. */
struct mprof_mib mpdata_raw_part_mib(const struct mpdata_raw *raw, uint32_t i);
/* Is contexts[i] that of live blocks, behind that of the same stack's ended
 * ones? */
bool mpdata_raw_is_second(const struct mpdata_raw *raw, uint32_t i);
/* Takes contexts and parts of live blocks out, what was alive at the peak, and
 * the series: those of the run's last dump count. */
void mpdata_raw_drop_live(struct mpdata_raw *raw);
/* Adds a dump to those of a file; false without memory. */
bool mpdata_raw_file_add(struct mpdata_raw_file *file,
                         const struct mpdata_raw *raw);
/* Its histogram, or none; the words are the dump's. */
struct mpdata_cells mpdata_raw_cells(const struct mpdata_raw *raw, uint32_t i);
void mpdata_raw_free(struct mpdata_raw *raw);
void mpdata_raw_file_free(struct mpdata_raw_file *file);

/* calloc() of count items that refuses more than an id can name. A count of 0
 * gives a valid pointer. */
void *mpdata_raw_array(uint64_t count, size_t item_bytes);

#endif
