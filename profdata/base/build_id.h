/* build_id.h -- a build id as people and folders write it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_BUILD_ID_H
#define MPDATA_BUILD_ID_H

#include "shared/base.h"

/* Room for a build id in hexadecimal, as long as those of ld and lld are (a
 * longer one is cut). */
#define MPDATA_BUILD_ID_TEXT_BYTES 65

/* "ebabdc...", or "none". Returns out. */
const char *mpdata_build_id_text(const char *build_id, size_t size,
                                 char out[MPDATA_BUILD_ID_TEXT_BYTES]);

#endif
