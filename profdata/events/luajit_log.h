/* luajit_log.h -- reads a stream of LuaJIT's memory profiler (misc.memprof of
 * Tarantool, ujit of LuaVela): a table of symbols (ljs), then events (ljm).
 *
 *   STREAM := "ljs" version 0 0 0 VM? SYMBOL* 0x80 "ljm" version 0 0 0
 *             EVENT* 0x80
 *
 * The versions are 1 to 3. VM, an address, is in streams of the first proposal
 * alone. docs/import.md has the rest.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/base/str.h"
#include "shared/err.h"

enum mpdata_luajit_kind {
    MPDATA_LUAJIT_SYMBOL,
    MPDATA_LUAJIT_ALLOC,
    MPDATA_LUAJIT_FREE,
    MPDATA_LUAJIT_REALLOC
};

enum mpdata_luajit_source {
    MPDATA_LUAJIT_INTERNAL = 1,
    MPDATA_LUAJIT_LUA,
    MPDATA_LUAJIT_C,
    MPDATA_LUAJIT_TRACE
};

struct mpdata_luajit_symbol {
    struct mpdata_str text; /* chunk of a Lua function, name of a C function */
    uint64_t place;         /* address; of a trace the line it starts at */
    uint64_t line;          /* first line of a Lua function */
    uint32_t start;         /* symbol + 1 where a trace starts; 0: unknown */
    uint32_t alias;         /* index + 1 in aliases, or 0 */
};

/* Where events happen. */
struct mpdata_luajit_site {
    uint64_t place; /* address of the function, or number of the trace */
    uint64_t line;
    uint32_t source; /* enum mpdata_luajit_source */
    uint32_t symbol; /* index + 1, 0: unknown. A later symbol of the place is
                        another site. Of C functions set at the end. */
};

struct mpdata_luajit_event {
    enum mpdata_luajit_kind kind; /* not SYMBOL */
    uint32_t site;
    uint64_t second; /* since the first event, by the marks in the stream */
    uint64_t old_address;
    uint64_t old_size;
    uint64_t address;
    uint64_t size;
};

/* Returns false to end the reading, without memory. */
typedef bool mpdata_luajit_visit_fn(void *context,
                                    const struct mpdata_luajit_event *event);

struct mpdata_luajit_log {
    struct mpdata_set sites;   /* struct mpdata_luajit_site */
    struct mpdata_vec symbols; /* struct mpdata_luajit_symbol */
    struct mpdata_set aliases; /* struct mpdata_str, chunks of several lines */
    uint64_t events;
    uint64_t seconds;       /* the number of marks */
    struct mprof_diag rest; /* OK, or the damage after the last event */
    /* Private. */
    struct mpdata_set latest; /* symbol of a place */
    struct mpdata_vec c; /* symbols of C functions, by address at the end */
};

bool mpdata_luajit_log_is(const uint8_t *data, size_t size);
/* Reads the stream; the log refers to the bytes. Damage after the table of
 * symbols is no error: what stands before it was visited. fini is due either
 * way. Errors: those of a reader. */
MPROF_NODISCARD enum mprof_err
mpdata_luajit_log_read(struct mpdata_luajit_log *log, const uint8_t *data,
                       size_t size, mpdata_luajit_visit_fn *visit,
                       void *context, struct mprof_diag *diag);
void mpdata_luajit_log_fini(struct mpdata_luajit_log *log);
