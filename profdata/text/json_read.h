/* json_read.h -- reads a profile as JSON (form: json_keys.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_JSON_READ_H
#define MPDATA_JSON_READ_H

#include "profdata/text/events.h"
#include "profdata/text/text.h"

/* The document, from its first event on, into *content, whose profile is one
 * for this file alone. Failures stay in *events. */
void mpdata_json_read(struct mpdata_events *events,
                      struct mpdata_content *content);

#endif
