/* section_write.h -- encodes one section of a container (section.h decodes).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SECTION_WRITE_H
#define MPDATA_SECTION_WRITE_H

#include "shared/container.h"
#include "shared/table.h"

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

#endif
