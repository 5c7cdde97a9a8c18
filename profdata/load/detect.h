/* detect.h -- finds the kind of an input file from its content.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

enum mpdata_kind {
    MPDATA_KIND_UNKNOWN,
    MPDATA_KIND_RAW,       /* our raw profile */
    MPDATA_KIND_RAW_LLVM,  /* LLVM's raw memory profile */
    MPDATA_KIND_INDEXED,   /* an indexed profile, LLVM's or ours */
    MPDATA_KIND_TEXT,      /* a profile as JSON */
    MPDATA_KIND_LLVM_TEXT, /* LLVM's YAML or text of counters: refused */
    MPDATA_KIND_FOREIGN,   /* another tool's profile (import/foreign.h) */
    MPDATA_KIND_LOG,       /* our log of a run */
    MPDATA_KIND_HEAP_TEXT  /* another tool's addresses (import/heap_text.h) */
};

enum mpdata_kind mpdata_detect(const uint8_t *data, size_t size);

/* Returns a sentence for a file of MPDATA_KIND_LLVM_TEXT: what the file is, and
 * which command to run first. A literal. */
const char *mpdata_detect_llvm_text(const uint8_t *data, size_t size);

/* Returns a sentence that names what an unknown file probably is ("it is an ELF
 * file; ..."), or NULL. A literal. */
const char *mpdata_detect_lookalike(const uint8_t *data, size_t size);
