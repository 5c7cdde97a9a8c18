/* clean_text.h -- names and paths for formats of lines, which a profile's own
 * ones cannot break: control characters become spaces.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CLEAN_TEXT_H
#define MPDATA_CLEAN_TEXT_H

#include "profdata/export/formats.h"

void mpdata_clean_text(char *text, size_t size);

/* The following are malloc'd; NULL without memory. */

/* What a frame is called; never blank. */
char *mpdata_clean_text_frame(const struct mpdata_export *what, uint32_t frame);
/* A path; "" for none, and for a blank one. */
char *mpdata_clean_text_path(const struct mpdata_export *what, mpdata_ref path);
/* The program that was profiled, the first of several; "" where no run says. */
char *mpdata_clean_text_program(const struct mpdata_export *what);

#endif
