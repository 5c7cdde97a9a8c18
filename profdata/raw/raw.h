/* raw.h -- one dump of one process in the form of its file: addresses, no
 * names. Built by raw_file.c with raw_read.c (our format) and raw_read_llvm.c
 * (LLVM's); symbolize.c makes a profile of it.
 *
 * The reader has checked every index: module < module_count etc.; a node's
 * parent comes before the node.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

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
    struct mpdata_str path;     /* "" if the format has none */
    struct mpdata_str build_id; /* raw bytes, "" for none */
    uint64_t bias;              /* run-time minus link-time addresses */
    uint32_t flags;             /* MPROF_RAW_MODULE_FL_* */
    bool is_trusted; /* has no build id: any file at the path is accepted */
};

struct mpdata_raw_segment {
    uint32_t module; /* index */
    uint64_t start;
    uint64_t end;
    uint64_t file_off; /* in LLVM's files: their Offset */
};

struct mpdata_raw_frame {
    /* Link-time return address - 1; run-time if outside all binaries. */
    uint64_t address;
    mpdata_ref module; /* 0: code outside all binaries */
};

/* A frame's name in the file; function "": none. */
struct mpdata_raw_name {
    struct mpdata_str function;
    struct mpdata_str file;
    uint64_t line;
    uint64_t start_line; /* first line of the function; 0: not known */
};

struct mpdata_raw_node {
    mpdata_ref parent; /* nodes, an earlier one */
    uint32_t frame;    /* index */
};

/* MIBs are large and most are read once, so they stay in the file's form until
 * mpdata_raw_mib() converts one. */
struct mpdata_raw_context {
    mpdata_ref node;        /* leaf; 0: empty stack */
    uint32_t flags;         /* MPROF_RAW_CONTEXT_FL_* */
    uint32_t thread;        /* index of the thread's name in string_table */
    uint64_t id;            /* LLVM's stack id, else the row number */
    uint64_t blocks;        /* AllocCount of its MIB */
    uint64_t mib_off;       /* in LLVM's files: offset of its MIB */
    uint32_t details_first; /* index in the dump's `details` */
    uint32_t detail_count;
    bool has_cells;
    size_t cells_first; /* words of its histogram, in cell_words */
    size_t cells_count;
};

/* A tagged row; its MIB is row `row` of part_columns. */
struct mpdata_raw_tagged {
    mpdata_ref node; /* leaf; 0: empty stack */
    uint32_t flags;  /* MPROF_RAW_CONTEXT_FL_* */
    uint32_t kind;   /* enum mprof_tag_kind */
    uint32_t name;   /* index in string_table */
    uint32_t row;
};

/* Blocks of a context in another tool's file. */
struct mpdata_raw_blocks {
    uint64_t count;
    uint64_t bytes;
    uint64_t live_count;
    uint64_t live_bytes;
};

/* Number of a log among the dumps of its run: it stands for all of them. */
#define MPDATA_RAW_DUMP_OF_LOG UINT32_MAX

/* Owns its arrays, but not the bytes of the file. */
struct mpdata_raw {
    enum mprof_run_kind kind; /* not INDEXED */
    uint32_t version;
    uint64_t numbers[MPDATA_RAW_METAS]; /* by enum mprof_raw_meta */
    struct mpdata_str texts[MPDATA_RAW_METAS];
    struct mpdata_raw_module *modules;
    struct mpdata_raw_segment *segments;
    struct mpdata_raw_frame *frames;
    struct mpdata_raw_name *frame_names; /* by frame; NULL: no names */
    struct mpdata_raw_node *nodes;
    struct mpdata_raw_context *contexts;
    struct mpdata_raw_blocks *blocks;
    uint64_t sample_period_bytes;
    /* The MIBs: in LLVM's packed form, in columns, in `blocks`, or as they are.
     */
    struct mprof_mib *mibs;
    const uint8_t *packed_mibs; /* borrowed from the file's bytes */
    struct mpdata_mib_columns *mib_columns;
    struct mpdata_section mib_section; /* of the columns */
    struct mpdata_series series;       /* names are in string_table */
    struct mpdata_raw_tagged *tagged_rows;
    struct mprof_mib *tagged_mibs; /* as they are, or NULL: in columns */
    struct mpdata_mib_columns *tagged_columns;
    struct mpdata_section tagged_section;
    uint64_t *cell_words;
    struct mpdata_detail *details; /* by context; their stacks are nodes */
    bool has_threads;              /* contexts[].thread is valid */
    bool has_live;     /* has live blocks and blocks live at the peak */
    bool has_no_peak;  /* its peak was dropped: it belongs to another epoch */
    uint64_t alive_ns; /* as in struct mpdata_run */
    uint64_t after_ns;
    bool is_pending; /* until its run's other dumps are known (load/dumps.h) */
    uint32_t string_count;
    mpdata_ref program; /* binary of the profile; for LLVM by symbolize.c */
    char *strings;
    struct mpdata_str *string_table;
    uint32_t module_count;
    uint32_t segment_count;
    uint32_t frame_count;
    uint32_t node_count;
    uint32_t context_count;
    uint32_t detail_count;
    uint32_t tagged_count;
    uint32_t stack_count; /* call stacks: live and freed contexts as one */
};

/* Was it written by another tool, which records no accesses? */
static inline bool mpdata_raw_is_foreign(const struct mpdata_raw *raw)
{
    return raw->kind == MPROF_RUN_FOREIGN ||
           raw->kind == MPROF_RUN_FOREIGN_LIVE;
}

/* The dumps of one file. */
struct mpdata_raw_file {
    struct mpdata_raw *dumps;
    size_t count;
    struct mprof_diag rest; /* why reading stopped after them, or OK */
    struct mprof_dir dir;   /* of the last dump, if in our format */
    const char *lacks;      /* says what a log does not have; NULL: nothing */
};

/* Reads the whole file data[0..size), which must outlive *file: a sequence of
 * dumps, each in our format or LLVM's. If a dump after the first is damaged,
 * *file has the dumps before it and file->rest the reason. On failure *file is
 * unchanged. Free with mpdata_raw_file_free(), which accepts a zeroed one.
 * Thread-safe. */
MPROF_NODISCARD enum mprof_err
mpdata_raw_file_read(const uint8_t *data, size_t size, bool verify_checksums,
                     struct mpdata_raw_file *file, struct mprof_diag *diag);

/* Reads the first dump at data[0..size), in our format or LLVM's; its size goes
 * to dir->file_bytes or *used. Offsets in *diag are relative to data. On
 * failure *raw is unchanged. */
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
struct mprof_mib mpdata_raw_tagged_mib(const struct mpdata_raw *raw,
                                       uint32_t i);
/* Does contexts[i] have live blocks, and the context before it the freed blocks
 * of the same stack? */
bool mpdata_raw_is_second(const struct mpdata_raw *raw, uint32_t i);
/* Removes contexts and tagged rows of live blocks, the blocks live at the peak,
 * and the series: only the run's last dump counts for them. */
void mpdata_raw_drop_live(struct mpdata_raw *raw);
/* Appends a dump to a file's; false when out of memory. */
bool mpdata_raw_file_add(struct mpdata_raw_file *file,
                         const struct mpdata_raw *raw);
/* The histogram of contexts[i], or none; the dump owns the words. */
struct mpdata_cells mpdata_raw_cells(const struct mpdata_raw *raw, uint32_t i);
void mpdata_raw_free(struct mpdata_raw *raw);
void mpdata_raw_file_free(struct mpdata_raw_file *file);

/* calloc() of count items; NULL for more than ids can number. For 0 items it
 * returns a valid pointer. */
void *mpdata_raw_array(uint64_t count, size_t item_bytes);
