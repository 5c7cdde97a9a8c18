/* container.h -- a directory of sections. Our raw file is one, and so is the
 * part that we append to an indexed file.
 *
 *   DIRECTORY := header, ENTRY * sections
 *   header :=
 *   OFFSET  SIZE  DESCRIPTION
 *        0     8  magic
 *        8     4  version of the format
 *       12     4  number of sections
 *       16     8  size of the whole file in bytes
 *       24     8  checksum of the directory, computed with 0 in this field
 *   ENTRY :=
 *        0     4  section id, ascending, unique
 *        4     4  codec, enum mprof_codec
 *        8     8  offset of the stored bytes in the file, a multiple of 8
 *       16     8  stored size in bytes, without padding
 *       24     8  decoded size in bytes
 *       32     8  checksum of the stored bytes
 *
 * In a raw file the directory is at offset 0. In an indexed file it follows the
 * sections, and the last 16 bytes of the file are a trailer:
 *        0     8  offset of the directory in the file
 *        8     8  magic of the directory
 *
 * Checksums are XXH3 with 64 bits and seed 0.
 *
 * Codecs: NONE stores the bytes unchanged. ZSTD is one zstd frame. ZSTD_BLOCKS
 * compresses blocks separately, so that a reader can decode any part alone:
 *   u32 decoded size of a block (the last one may be smaller), u32 blocks,
 *   u32 stored size of each block, then the blocks, a zstd frame each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/cursor.h"

#define MPROF_DIR_HEADER_BYTES 32
#define MPROF_DIR_ENTRY_BYTES 40
#define MPROF_DIR_CHECKSUM_OFF 24
#define MPROF_DIR_FILE_SIZE_OFF 16
#define MPROF_DIR_SECTIONS_MAX 64
#define MPROF_TRAILER_BYTES 16
#define MPROF_SECTION_ALIGN 8

/* Largest ratio of decoded to stored size. It keeps a damaged size from asking
 * for all memory. */
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

/* Checksum of all our formats: XXH3, 64 bits, seed 0. */
uint64_t mprof_checksum(const void *data, size_t size);

/* Reads and checks the directory at dir_off of the file data[0..size): magic,
 * version within [version_min, version_max], file size, checksum if
 * verify_checksum. Each section must lie inside the file, have a known codec
 * and not overlap the directory. Does not verify the sections' checksums; a
 * reader does so when it first uses a section. Errors: MAGIC, VERSION,
 * TRUNCATED, CHECKSUM, CODEC, OFFSET, VALUE, DUPLICATE. `name`, a literal, is
 * the section named in messages. */
MPROF_NODISCARD enum mprof_err
mprof_dir_read(struct mprof_dir *dir, const void *data, size_t size,
               uint64_t dir_off, uint64_t magic, uint32_t version_min,
               uint32_t version_max, bool verify_checksum, const char *name,
               struct mprof_diag *diag);

/* The section with this id, or NULL. */
const struct mprof_section *mprof_dir_find(const struct mprof_dir *dir,
                                           uint32_t id);

/* Size in bytes of a directory of `sections` sections. */
static inline size_t mprof_dir_bytes(uint32_t sections)
{
    return MPROF_DIR_HEADER_BYTES + (size_t)sections * MPROF_DIR_ENTRY_BYTES;
}

/* Encodes the directory, with its checksum, to
 * out[0..mprof_dir_bytes(dir->section_count)). Sections must be in ascending
 * order of id. */
void mprof_dir_write(const struct mprof_dir *dir, uint8_t *out);
