/* lazy.h -- a section of a container of which only the parts that are asked for
 * are decoded. The section's checksum is verified when it is opened; a section
 * that is not opened costs nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LAZY_H
#define MPDATA_LAZY_H

#include "profdata/base/section.h"

/* A table in such a section. Zero-initialise; owned. Not thread-safe. */
struct mpdata_lazy {
    struct mpdata_section section;
    struct mprof_table table;
    /* Of a section of several blocks, of which the rest is not decoded yet. */
    const uint8_t **frames; /* where the frame of each block stands */
    uint32_t *frame_bytes;
    bool *is_decoded;
    uint32_t block_bytes;
    uint32_t blocks; /* 0: all is decoded */
};

/* Opens the table in a section of the file data[0..size), which must outlive
 * it. Close with mpdata_lazy_close() in any case. Errors: those of
 * mpdata_section_open() and mprof_table_open(). */
MPROF_NODISCARD enum mprof_err
mpdata_lazy_open(struct mpdata_lazy *lazy, const uint8_t *file,
                 size_t file_size, const struct mprof_section *place,
                 const char *name, bool verify_checksum,
                 struct mprof_diag *diag);
void mpdata_lazy_close(struct mpdata_lazy *lazy);

/* Decodes what holds bytes[0..size), which lie inside the section. */
MPROF_NODISCARD enum mprof_err mpdata_lazy_need(struct mpdata_lazy *lazy,
                                                const uint8_t *bytes,
                                                uint64_t size,
                                                struct mprof_diag *diag);

/* A column with all its rows decoded. */
MPROF_NODISCARD enum mprof_err mpdata_lazy_column(struct mpdata_lazy *lazy,
                                                  uint32_t tag,
                                                  struct mprof_column *column,
                                                  struct mprof_diag *diag);

#endif
