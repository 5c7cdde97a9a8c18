/* dump.h -- the content of a dump, for the files that write it. They run under
 * the dump lock, inside the guard; their memory comes from the system
 * (mapbuf.h) and is given back before the dump ends.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/mapbuf.h"
#include "rt/dump/modules.h"
#include "rt/dump/outfile.h"
#include "rt/leaks/leaks.h"
#include "rt/record/snapshot.h"

/* Which dump of the process this is (raw_format.h). */
struct mprt_dump_name {
    uint64_t run_id;
    uint32_t epoch;
    uint32_t number;
    bool is_last;
    bool is_before_exec;
};

struct mprt_dump {
    const struct mprt_snapshot *snapshot;
    const struct mprt_module_list *modules;
    struct mprt_dump_name name;
    const char *known_leaks; /* __lsan_default_suppressions(), or NULL */
};

/* Set while the holder of the dump lock waits, or may wait, for the loader's
 * lock. A thread that the loader may wait for must not wait for the dump then.
 */
extern MPRT_HIDDEN _Atomic bool mprt_dump_is_at_loader;
/* Writes a dump of the records in this format to buf. takes: empties them.
 * leaks: to be added, or NULL. False without memory. */
bool mprt_dump_make(struct mprof_buf *buf, enum mprt_outname_kind kind,
                    bool takes, const struct mprt_leaks *leaks,
                    struct mprt_dump_name name);

/* rawwrite.c -- our raw profile (shared/raw_format.h). */

/* Appends one profile to buf. Sets buf->failed without memory. */
void mprt_rawwrite(struct mprof_buf *buf, const struct mprt_dump *dump);

/* rawwrite_llvm.c -- LLVM's raw profile (shared/raw_llvm.h). */

/* Appends one profile to buf. Sets buf->failed without memory. */
void mprt_rawwrite_llvm(struct mprof_buf *buf, const struct mprt_dump *dump);

/* dumped.c -- which dumps were made when, for the log. */

/* The duration that the program's last dump states; 0 before it. */
extern MPRT_HIDDEN uint64_t mprt_dumped_duration_ns;

/* Older ones are forgotten. */
#define MPRT_DUMPED_KEPT 64

struct mprt_dumped {
    uint64_t ns; /* when its records are taken */
    uint32_t epoch;
    uint32_t number;
    bool is_last;
};

/* Under the dump lock. */
void mprt_dumped_add(const struct mprt_dump_name *name);
/* How many there were, and each of the last ones, by number from 0. */
uint32_t mprt_dumped_count(void);
struct mprt_dumped mprt_dumped_at(uint32_t number);

/* print_text.c -- the profile, call stacks and mappings as text. */

/* Appends one profile to buf. Sets buf->failed without memory. */
void mprt_print_text_write(struct mprof_buf *buf, const struct mprt_dump *dump);
/* Appends "    #N 0xPC in FUNCTION (MODULE+0xOFF) (BuildId: ID)\n" for each
 * recorded address in pcs[0..count), and an empty line. Inside the guard. */
void mprt_print_text_stack(struct mprof_buf *buf, const uintptr_t *pcs,
                           size_t count);
/* Prints the mappings (print_module_map) to stderr. Inside the guard. */
void mprt_print_text_module_map(void);

/* symbols.c -- names of functions for print_text, from the symbol tables of the
 * mapped files. Under the dump lock, or in a report of one thread; makes system
 * calls only. */

struct mprt_symbols {
    const struct mprt_module_list *modules;
    struct mprt_symbol_table *tables; /* one per binary, read on first use */
};
/* `modules` must live until mprt_symbols_free(). Without memory, no name is
 * found. */
void mprt_symbols_init(struct mprt_symbols *symbols,
                       const struct mprt_module_list *modules);
void mprt_symbols_free(struct mprt_symbols *symbols);

/* Linkage name of the function in modules[module] that contains the address, or
 * NULL. Always NULL with symbolize=0. */
const char *mprt_symbols_find(struct mprt_symbols *symbols, uint32_t module,
                              uintptr_t address);

/* stats.c -- statistics of the runtime: blocks and memory. */

/* Bytes that call stacks, MIBs and tables take. */
uint64_t mprt_stats_memory_bytes(void);
/* Prints the allocator's statistics to stderr after the heading. */
void mprt_stats_print(const char *heading);
