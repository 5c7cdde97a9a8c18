/* yaml_source.h -- YAML as events: libyaml, without what makes a document mean
 * more than it says. Anchors, aliases and tags are refused; one event is in
 * memory at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_YAML_SOURCE_H
#define MPDATA_YAML_SOURCE_H

#include "profdata/text/events.h"

#include <yaml.h>

struct mpdata_yaml_source {
    struct mpdata_events events; /* first: the source is found by it */
    yaml_parser_t parser;
    yaml_event_t event; /* events.next, as libyaml has it */
};

/* Goes to the first document that holds something; false in *is_empty. What
 * fails, is in source->events.err; close is due either way. data is borrowed.
 */
void mpdata_yaml_source_open(struct mpdata_yaml_source *source,
                             const void *data, size_t size, bool *is_empty,
                             struct mprof_diag *diag);
void mpdata_yaml_source_close(struct mpdata_yaml_source *source);

#endif
