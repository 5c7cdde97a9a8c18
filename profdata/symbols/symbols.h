/* symbols.h -- what is known of the addresses of one binary: source-level
 * frames, each string once. memprofdata-symbolizer makes them; its answer and a
 * record of the cache are the same bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYMBOLS_H
#define MPDATA_SYMBOLS_H

#include "profdata/base/map.h"
#include "profdata/base/vec.h"
#include "profdata/symbols/symbolizer_bridge.h"
#include "shared/buf.h"
#include "shared/cursor.h"

/* An address that a name is wanted for. */
struct mpdata_wanted {
    uint32_t binary; /* index */
    uint64_t address;
};

/* How much is known of an address. The numbers stand in cache files. */
enum mpdata_symbol_source {
    MPDATA_SYMBOL_NONE = 0,  /* nothing */
    MPDATA_SYMBOL_TABLE = 1, /* a name from the symbol table, perhaps a line */
    MPDATA_SYMBOL_DEBUG = 2  /* debug information */
};

/* Strings are offsets into the bytes; 0 is unknown. */
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
    uint32_t first; /* into the frames */
    uint32_t count;
    uint32_t source; /* enum mpdata_symbol_source */
};

/* A file of split DWARF that the frames depend on. */
struct mpdata_symbol_split {
    char *path;     /* owned */
    uint64_t stamp; /* mpdata_debugfile_stamp() when it was read */
};

/* Start with mpdata_symbols_init(). */
struct mpdata_symbols {
    struct mpdata_vec locations;
    struct mpdata_vec frames;
    struct mpdata_vec splits; /* struct mpdata_symbol_split */
    char *bytes;              /* NUL-terminated strings, the first empty */
    size_t bytes_size;
    size_t bytes_capacity;
    struct mpdata_map address_map;
    struct mpdata_map string_map; /* of string_offs */
    struct mpdata_vec string_offs;
    size_t text_bytes_max; /* longer texts are not kept; 0: all are */
    bool failed;           /* without memory, or too large; sticky */
};

/* Is it a name as the Itanium ABI writes it, or in one of Rust's two ways? */
bool mpdata_symbols_is_mangled(const char *name);

void mpdata_symbols_init(struct mpdata_symbols *symbols);
void mpdata_symbols_fini(struct mpdata_symbols *symbols);

/* The location of an address, valid until the next addition, or NULL. */
const struct mpdata_symbol_location *
mpdata_symbols_find(const struct mpdata_symbols *symbols, uint64_t address);

/* A frame of a location, its strings valid until the next addition. */
struct mpdata_symbol mpdata_symbols_frame(const struct mpdata_symbols *symbols,
                                          uint32_t frame);

/* Adds an address that is not there yet. */
void mpdata_symbols_add(struct mpdata_symbols *symbols, uint64_t address,
                        enum mpdata_symbol_source source,
                        const struct mpdata_symbol *frames, size_t count);

/* Adds a file of split DWARF, once. */
void mpdata_symbols_add_split(struct mpdata_symbols *symbols, const char *path,
                              uint64_t stamp);

/* Adds what another one knows and this one does not. */
void mpdata_symbols_merge(struct mpdata_symbols *into,
                          const struct mpdata_symbols *from);

/* Appends the symbols as bytes, and reads all that is left of a cursor into
 * empty symbols; false where the bytes are damaged, and without memory. */
void mpdata_symbols_encode(const struct mpdata_symbols *symbols,
                           struct mprof_buf *out);
bool mpdata_symbols_decode(struct mpdata_symbols *symbols,
                           struct mprof_cursor *c);

#endif
