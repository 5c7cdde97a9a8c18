/* symbols.h -- the source-level frames of the addresses of one binary; each
 * string is stored once. memprofdata-symbolizer creates them. Its answer and a
 * record of the cache have the same layout.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/map.h"
#include "profdata/base/vec.h"
#include "profdata/symbols/symbolizer_bridge.h"
#include "shared/buf.h"
#include "shared/cursor.h"

/* An address to symbolize. */
struct mpdata_wanted {
    uint32_t binary; /* index */
    uint64_t address;
};

/* Where the frames of an address come from. Cache files store the numbers. */
enum mpdata_symbol_source {
    MPDATA_SYMBOL_NONE = 0, /* nothing */
    MPDATA_SYMBOL_TABLE =
        1, /* function name from the symbol table, perhaps a line */
    MPDATA_SYMBOL_DEBUG = 2 /* debug information */
};

/* Strings are offsets into mpdata_symbols.bytes; 0: unknown. */
struct mpdata_symbol_frame {
    uint32_t function;
    uint32_t file;
    uint32_t start_file;
    uint32_t line;
    uint32_t column;
    uint32_t start_line;
    uint32_t discriminator;
};

struct mpdata_symbol_location {
    uint64_t address;
    uint32_t first; /* index of the first frame */
    uint32_t count;
    uint32_t source; /* enum mpdata_symbol_source */
};

/* A split DWARF file that the frames depend on. */
struct mpdata_symbol_split {
    char *path;     /* owned */
    uint64_t stamp; /* mpdata_debugfile_stamp() when it was read */
};

/* Initialize with mpdata_symbols_init(). */
struct mpdata_symbols {
    struct mpdata_vec locations;
    struct mpdata_vec frames;
    struct mpdata_vec splits; /* struct mpdata_symbol_split */
    char *bytes;              /* NUL-terminated strings, the first empty */
    size_t bytes_size;
    size_t bytes_capacity;
    struct mpdata_map address_map;
    struct mpdata_map string_map; /* finds an entry of string_offs */
    struct mpdata_vec string_offs;
    size_t text_bytes_max; /* longer strings are dropped; 0: no limit */
    bool failed;           /* out of memory, or too large; stays set */
};

/* Is the name mangled, by the Itanium ABI or by either scheme of Rust? */
bool mpdata_symbols_is_mangled(const char *name);

void mpdata_symbols_init(struct mpdata_symbols *symbols);
void mpdata_symbols_fini(struct mpdata_symbols *symbols);

/* Returns the location of an address, valid until the next addition, or NULL.
 */
const struct mpdata_symbol_location *
mpdata_symbols_find(const struct mpdata_symbols *symbols, uint64_t address);

/* Returns a frame of a location. Its strings are valid until the next addition.
 */
struct mpdata_symbol mpdata_symbols_frame(const struct mpdata_symbols *symbols,
                                          uint32_t frame);

/* Adds an address that is not in the set yet. */
void mpdata_symbols_add(struct mpdata_symbols *symbols, uint64_t address,
                        enum mpdata_symbol_source source,
                        const struct mpdata_symbol *frames, size_t count);

/* Adds a split DWARF file unless it is in the set. */
void mpdata_symbols_add_split(struct mpdata_symbols *symbols, const char *path,
                              uint64_t stamp);

/* Adds the addresses of `from` that `into` lacks. */
void mpdata_symbols_merge(struct mpdata_symbols *into,
                          const struct mpdata_symbols *from);

/* _encode() appends the symbols as bytes. _decode() reads the rest of a cursor
 * into empty symbols; it returns false if the bytes are damaged or memory is
 * out. */
void mpdata_symbols_encode(const struct mpdata_symbols *symbols,
                           struct mprof_buf *out);
bool mpdata_symbols_decode(struct mpdata_symbols *symbols,
                           struct mprof_cursor *c);
