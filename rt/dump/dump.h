/* dump.h -- what the files of a dump share: profile.c drives, rawwrite.c,
 * rawwrite_llvm.c and text.c make the bytes, path.c puts them into a file.
 *
 * All of it runs under the dump lock, inside the guard; memory comes from
 * mprt_sys_map() and is given back before the dump ends.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_DUMP_H
#define MPRT_DUMP_H

#include "rt/base/rt.h"
#include "shared/buf.h"

/* -- mapbuf.c: growing output in mapped memory ----------------------------- */

/* An empty buffer. Freed by mprt_mapbuf_free(), also after it failed. */
void mprt_mapbuf_init(struct mprof_buf *buf);
void mprt_mapbuf_free(struct mprof_buf *buf);

/* An array of count items of bytes each in mapped memory, zero; NULL without
 * memory. Freed by mprt_array_free() with the same numbers; NULL is allowed. */
void *mprt_array_new(size_t count, size_t bytes);
void mprt_array_free(void *array, size_t count, size_t bytes);

/* Sorts items[0..count) ascending by less(context, a, b); scratch has the same
 * size. Stable, O(n log n), no recursion. */
void mprt_sort_u32(uint32_t *items, uint32_t *scratch, size_t count,
                   bool (*less)(const void *context, uint32_t a, uint32_t b),
                   const void *context);

/* -- What is written ------------------------------------------------------- */

struct mprt_dump {
    const struct mprt_snapshot *snapshot;
    const struct mprt_module_list *modules;
};

/* Each appends one whole profile to buf; without memory buf fails. */
void mprt_rawwrite(struct mprof_buf *buf, const struct mprt_dump *dump);
void mprt_rawwrite_llvm(struct mprof_buf *buf, const struct mprt_dump *dump);
void mprt_text_write(struct mprof_buf *buf, const struct mprt_dump *dump);

/* Appends "    #N 0xPC (MODULE+0xOFF)\n". */
void mprt_text_frame(struct mprof_buf *buf, size_t n, uintptr_t pc,
                     const struct mprt_module_list *modules);
/* Appends the list of print_module_map. */
void mprt_text_modules(struct mprof_buf *buf,
                       const struct mprt_module_list *modules);

/* Whether the address lies in the module's code. */
bool mprt_module_holds(const struct mprt_module *module, uintptr_t address);
/* Index of the module whose code a recorded pc is of, or modules->count. */
uint32_t mprt_modules_find(const struct mprt_module_list *modules,
                           uintptr_t pc);
/* The same among those that are mapped now, by address alone. */
uint32_t mprt_modules_find_mapped(const struct mprt_module_list *modules,
                                  uintptr_t address);

/* -- path.c: where it goes ------------------------------------------------- */

enum mprt_output_kind {
    MPRT_OUTPUT_RAW,      /* a file of its own for each dump */
    MPRT_OUTPUT_RAW_LLVM, /* dumps of a process follow each other in one file */
    MPRT_OUTPUT_TEXT      /* likewise */
};

#define MPRT_PATH_BYTES 4096

struct mprt_output {
    enum mprt_output_kind kind;
    int fd;
    bool
        is_file; /* else fd is the program's own: stdout, stderr, a report fd */
    bool is_opened;  /* the program's own, opened anew by the helper */
    bool is_unnamed; /* the unfinished file has no name yet */
    bool is_new;     /* did not replace our last file */
    char temp[MPRT_PATH_BYTES]; /* unfinished file */
    char path[MPRT_PATH_BYTES]; /* of the finished file */
};

/* Finds a place and makes sure that it can be written, before anything is
 * taken out of the program's records. 0, or -1 after a complaint (none under
 * AT_SECURE, where nothing is written). */
int mprt_output_begin(struct mprt_output *output, enum mprt_output_kind kind);
/* Writes data[0..n) and makes the file visible under its name; 0, or -1 after a
 * complaint. Ends the output. */
int mprt_output_finish(struct mprt_output *output, const void *data, size_t n);
/* Ends the output without a trace. */
void mprt_output_cancel(struct mprt_output *output);
/* The same, where the thread whose output it is does not come to an end and the
 * program dies: only an unfinished file goes. */
void mprt_output_forsake(const struct mprt_output *output);
/* Takes back the last finish: the file is as it was at the mark. Nothing can be
 * done about what went to an open descriptor. */
struct mprt_output_mark {
    uint64_t own_bytes;
    uint32_t next_number;
};
void mprt_output_mark(struct mprt_output_mark *mark);
void mprt_output_undo(const struct mprt_output *output,
                      const struct mprt_output_mark *mark);
/* The next dump begins a file of its own. */
void mprt_output_reset(void);

/* -- interface.c ----------------------------------------------------------- */

/* Prints the allocator's statistics to stderr, behind the heading. */
void mprt_stats_print(const char *heading);

/* -- path.c ---------------------------------------------------------------- */

/* The machine's name into out[0..size), "" where unknown. */
void mprt_path_host(char *out, size_t size);

#endif
