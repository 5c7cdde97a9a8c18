/* yaml_source.h -- YAML as events: libyaml, without what makes a document mean
 * more than it says. As by LLVM's reader, aliases are refused, anchors and tags
 * mean nothing; one event is in memory at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_YAML_SOURCE_H
#define MPDATA_YAML_SOURCE_H

#include "profdata/text/events.h"

#include <yaml.h>

/* libyaml compares each directive with all before it. */
#define MPDATA_YAML_DIRECTIVES_MAX 100

/* Where in its line the input was read to. */
enum mpdata_yaml_place {
    MPDATA_YAML_LINE,       /* nothing */
    MPDATA_YAML_LINE_START, /* nothing but blanks and indicators of items */
    MPDATA_YAML_INDICATOR,  /* what may be one */
    MPDATA_YAML_REST
};

struct mpdata_yaml_source {
    struct mpdata_events events; /* first: the source is found by it */
    size_t used;                 /* bytes of it that libyaml has */
    enum mpdata_yaml_place place;
    uint32_t directives; /* lines that begin with % */
    yaml_parser_t parser;
    yaml_event_t event; /* events.next, as libyaml has it */
};

/* Goes to the first document that holds something; false in *is_empty. What
 * fails, is in source->events.err; close is due either way. data is borrowed.
 */
void mpdata_yaml_source_open(struct mpdata_yaml_source *source,
                             const void *data, size_t size, bool *is_empty,
                             struct mprof_diag *diag);
/* Behind the document that was read: only what holds nothing may follow. */
void mpdata_yaml_source_finish(struct mpdata_yaml_source *source);
void mpdata_yaml_source_close(struct mpdata_yaml_source *source);

#endif
