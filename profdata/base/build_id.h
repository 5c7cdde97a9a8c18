/* build_id.h -- a build id in hexadecimal.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Room for the build ids of ld and lld in hexadecimal; longer ones are cut. */
#define MPDATA_BUILD_ID_TEXT_BYTES 65

/* Writes "ebabdc...", or "none" if size is 0. Returns out. */
const char *mpdata_build_id_text(const char *build_id, size_t size,
                                 char out[MPDATA_BUILD_ID_TEXT_BYTES]);
