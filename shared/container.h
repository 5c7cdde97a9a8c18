/* container.h -- a directory of sections: the frame of our raw file, and of
 * what we add to an indexed file.
 *
 *   DIRECTORY := header, ENTRY * sections
 *   header :=
 *   OFFSET  SIZE  DESCRIPTION
 *        0     8  magic
 *        8     4  version of the format
 *       12     4  number of sections
 *       16     8  size of the whole file in bytes
 *       24     8  checksum of the directory: its bytes with this field as 0
 *   ENTRY :=
 *        0     4  section id, ascending, unique
 *        4     4  codec, enum mprof_codec
 *        8     8  offset of the stored bytes in the file, a multiple of 8
 *       16     8  stored size in bytes, without padding
 *       24     8  decoded size in bytes
 *       32     8  checksum of the stored bytes
 *
 * In a raw file the directory stands at offset 0. In an indexed file it stands
 * after the sections, and the last 16 bytes of the file are a trailer:
 *        0     8  offset of the directory in the file
 *        8     8  magic, the same as the directory's
 *
 * Checksums are XXH3 with 64 bits and seed 0.
 *
 * Codecs: NONE stores as is. ZSTD is one zstd frame. ZSTD_BLOCKS makes any part
 * readable on its own:
 *   u32 block size in decoded bytes (all but the last block), u32 blocks,
 *   u32 stored size of each block, then the blocks, a zstd frame each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_CONTAINER_H
#define MPROF_CONTAINER_H

#include "shared/cursor.h"

#define MPROF_DIR_HEADER_BYTES 32
#define MPROF_DIR_ENTRY_BYTES 40
#define MPROF_DIR_CHECKSUM_OFF 24
#define MPROF_DIR_FILE_SIZE_OFF 16
#define MPROF_DIR_SECTIONS_MAX 64
#define MPROF_TRAILER_BYTES 16
#define MPROF_SECTION_ALIGN 8

/* A section may not grow by more than this in decoding: zstd's own limit is
 * above it, ours keeps a damaged size from asking for all memory. */
#define MPROF_DECODED_RATIO_MAX 100000u

enum mprof_codec {
    MPROF_CODEC_NONE = 0,
    MPROF_CODEC_ZSTD = 1,
    MPROF_CODEC_ZSTD_BLOCKS = 2
};

/* Default decoded size of a block of MPROF_CODEC_ZSTD_BLOCKS. */
#define MPROF_ZSTD_BLOCK_BYTES (128u << 10)

struct mprof_section {
    uint32_t id;
    uint32_t codec;
    uint64_t offset;
    uint64_t stored_bytes;
    uint64_t decoded_bytes;
    uint64_t checksum;
};

struct mprof_dir {
    uint64_t magic;
    uint32_t version;
    uint32_t section_count;
    uint64_t file_bytes;
    struct mprof_section sections[MPROF_DIR_SECTIONS_MAX];
};

/* Checksum of all formats here. */
uint64_t mprof_checksum(const void *data, size_t size);

/* Reads and checks the directory at dir_off of the file data[0..size): magic,
 * version within [version_min, version_max], checksum, file size, and that each
 * section lies inside the file, with a known codec, not overlapping the
 * directory. The sections' own checksums are the reader's to verify when it
 * first uses them. Errors: MAGIC, VERSION, TRUNCATED, CHECKSUM, OFFSET, VALUE,
 * DUPLICATE. `name` is used in messages. */
MPROF_NODISCARD enum mprof_err
mprof_dir_read(struct mprof_dir *dir, const void *data, size_t size,
               uint64_t dir_off, uint64_t magic, uint32_t version_min,
               uint32_t version_max, bool verify_checksum, const char *name,
               struct mprof_diag *diag);

/* The section with this id, or NULL. */
const struct mprof_section *mprof_dir_find(const struct mprof_dir *dir,
                                           uint32_t id);

/* Bytes that a directory of `sections` sections takes. */
static inline size_t mprof_dir_bytes(uint32_t sections)
{
    return MPROF_DIR_HEADER_BYTES + (size_t)sections * MPROF_DIR_ENTRY_BYTES;
}

/* Encodes the directory to out[0..mprof_dir_bytes(dir->section_count)), with
 * its checksum. Sections must stand in ascending order of id. */
void mprof_dir_write(const struct mprof_dir *dir, uint8_t *out);

#endif
