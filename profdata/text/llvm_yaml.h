/* llvm_yaml.h -- reads LLVM's YAML (form: text.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_YAML_H
#define MPDATA_LLVM_YAML_H

#include "profdata/text/events.h"
#include "profdata/text/text.h"

/* The document, from its first event on, into *content, whose profile is one
 * for this file alone: all that its records list goes to &content->sites.
 * Failures stay in *events. */
void mpdata_llvm_yaml_read(struct mpdata_events *events,
                           struct mpdata_content *content);

#endif
