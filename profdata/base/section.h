/* section.h -- one section of a container (shared/container.h) as plain bytes:
 * checksum verified, decompressed where it was compressed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SECTION_H
#define MPDATA_SECTION_H

#include "shared/container.h"
#include "shared/table.h"

/* The decoded bytes. A view into the file, or memory of its own. */
struct mpdata_section {
    const uint8_t *data;
    size_t size;
    uint64_t file_off;
    const char *name; /* literal, for messages */
    uint8_t *owned;   /* NULL for a view */
};

/* Decodes a section of the file data[0..file_size), whose place a directory
 * gave (so it lies inside the file). Close with mpdata_section_close() after
 * success; on failure nothing is to be closed. */
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

#endif
