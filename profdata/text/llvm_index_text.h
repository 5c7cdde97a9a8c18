/* llvm_index_text.h -- LLVM's text form of an indexed profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_INDEX_TEXT_H
#define MPDATA_LLVM_INDEX_TEXT_H

#include "profdata/base/sink.h"

/* The memory profile of the file data[0..size) as llvm-profdata 22 prints it:
 * record by record, in the order of the file. */
MPROF_NODISCARD enum mprof_err mpdata_llvm_index_text(struct mpdata_sink *out,
                                                      const uint8_t *data,
                                                      size_t size,
                                                      struct mprof_diag *diag);

/* The same without the comments before it, which readers do not need. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_index_text_records(struct mpdata_sink *out, const uint8_t *data,
                               size_t size);

#endif
