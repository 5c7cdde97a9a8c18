/* section.h -- reads and writes one section of a container
 * (shared/container.h): plain bytes with a checksum, compressed if it pays.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/container.h"
#include "shared/table.h"

/* The decoded bytes: a view into the file, or owned memory. */
struct mpdata_section {
    const uint8_t *data;
    size_t size;
    uint64_t file_off;
    const char *name; /* literal, for messages */
    uint8_t *owned;   /* NULL for a view */
};

/* Decodes a section of the file data[0..file_size) that a directory lists as
 * `place`. Close it with mpdata_section_close() after success; after failure
 * nothing needs closing. */
MPROF_NODISCARD enum mprof_err
mpdata_section_open(struct mpdata_section *section, const uint8_t *file,
                    size_t file_size, const struct mprof_section *place,
                    const char *name, bool verify_checksum,
                    struct mprof_diag *diag);

/* Accepts a zeroed section. */
void mpdata_section_close(struct mpdata_section *section);

/* mprof_table_open() over the section's bytes; the table borrows them. */
MPROF_NODISCARD enum mprof_err
mpdata_section_table(const struct mpdata_section *section,
                     struct mprof_table *table, struct mprof_diag *diag);

/* -- writing --------------------------------------------------------------- */

/* Appends data[0..size) to *out, aligned, with the codec that suits it best
 * (NONE if not may_compress), and describes it in *section, id included.
 * Errors: NOMEM, LIMIT. */
MPROF_NODISCARD enum mprof_err
mpdata_section_write(uint32_t id, const void *data, size_t size,
                     bool may_compress, struct mprof_buf *out,
                     struct mprof_section *section);

/* For blocks up to this size zstd needs a quarter of the memory, and half of
 * the time to allocate it. */
#define MPDATA_SECTION_SMALL_BLOCK_BYTES (16u << 10)

/* The same for a table, in blocks of block_bytes; small tables use small
 * blocks. */
MPROF_NODISCARD enum mprof_err mpdata_section_write_table(
    uint32_t id, const struct mprof_table_source *table, uint32_t block_bytes,
    bool may_compress, struct mprof_buf *out, struct mprof_section *section);
