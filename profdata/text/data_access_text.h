/* data_access_text.h -- data accesses in text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DATA_ACCESS_TEXT_H
#define MPDATA_DATA_ACCESS_TEXT_H

#include "profdata/text/events.h"

struct mpdata_data_access;

/* The value of the key DataAccessProfiles, added to *access. Failures stay in
 * *events. */
void mpdata_data_access_text_read(struct mpdata_events *events,
                                  struct mpdata_data_access *access);

#endif
