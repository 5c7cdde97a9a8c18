/* note.h -- ELF notes: the build id of a binary, in memory and in files.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Longer build ids (--build-id=0xHEX) are cut to this length. */
#define MPROF_BUILD_ID_BYTES_MAX 64

/* The build id in notes[0..size) of a PT_NOTE segment, or NULL. `align` is the
 * alignment of the segment. Sets *id_bytes to the length of the build id. */
const uint8_t *mprof_note_build_id(const void *notes, size_t size,
                                   uint64_t align, size_t *id_bytes);
