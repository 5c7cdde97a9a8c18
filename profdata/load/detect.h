/* detect.h -- what a file is, by its first bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DETECT_H
#define MPDATA_DETECT_H

#include "shared/base.h"

enum mpdata_kind {
    MPDATA_KIND_UNKNOWN,
    MPDATA_KIND_RAW,       /* our raw profile */
    MPDATA_KIND_RAW_LLVM,  /* LLVM's raw memory profile */
    MPDATA_KIND_INDEXED,   /* an indexed profile, LLVM's or ours */
    MPDATA_KIND_TEXT,      /* a profile as JSON */
    MPDATA_KIND_LLVM_TEXT, /* LLVM's YAML, or its text of counters: refused */
    MPDATA_KIND_FOREIGN,   /* another tool's (foreign/foreign.h) */
    MPDATA_KIND_HEAP_TEXT  /* another tool's addresses (foreign/heap_text.h) */
};

enum mpdata_kind mpdata_detect(const uint8_t *data, size_t size);

/* What a file of MPDATA_KIND_LLVM_TEXT is, and what to give in its place, as a
 * sentence for a person. A literal. */
const char *mpdata_detect_llvm_text(const uint8_t *data, size_t size);

/* What a file that is no profile for us looks like ("an ELF file: ..."), as a
 * sentence for a person; NULL where it resembles nothing we know. A literal. */
const char *mpdata_detect_lookalike(const uint8_t *data, size_t size);

#endif
