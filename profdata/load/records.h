/* records.h -- finds where a profile ends, so that profiles of several kinds
 * may follow each other in one file or stream.
 *
 * Our raw profiles and LLVM's say their size, our indexed profiles end in a
 * directory that says where they began, and JSON ends with its last brace.
 * Consecutive raw profiles are one record (raw/raw.h). Other kinds extend to
 * the end of the data.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/load/detect.h"
#include "shared/err.h"

/* Sets *bytes to the size of the profile of the given kind at the start of
 * data[0..size), with the blanks that follow text. What is damaged extends to
 * the end. Error: UNSUPPORTED if another profile follows one of LLVM's indexed
 * profiles, whose end is not known. */
MPROF_NODISCARD enum mprof_err
mpdata_records_first(const uint8_t *data, size_t size, enum mpdata_kind kind,
                     size_t *bytes, struct mprof_diag *diag);
