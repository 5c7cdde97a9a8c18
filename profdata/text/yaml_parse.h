/* yaml_parse.h -- the two forms of text, from the start of their document on;
 * for yaml*.c. Failures stay in *y.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_YAML_PARSE_H
#define MPDATA_YAML_PARSE_H

#include "profdata/text/yaml.h"
#include "profdata/text/yaml_events.h"

/* The top level's keys of LLVM's form. */
#define MPDATA_YAML_HEAP_RECORDS "HeapProfileRecords"
#define MPDATA_YAML_DATA_ACCESS "DataAccessProfiles"

/* A call stack of more frames is refused: a frame takes two bytes of text and
 * many more in memory, and no runtime writes so many. */
#define MPDATA_YAML_STACK_FRAMES_MAX 65535u

/* For each frame of a stack of which `count` are there: fails at too many. */
void mpdata_yaml_stack_room(struct mpdata_yaml *y, uint32_t count);

/* The values of these keys. Heap records are added to parts->profile, which is
 * one for this file alone, and all that they list to parts->sites. */
void mpdata_yaml_llvm_heap_records(struct mpdata_yaml *y,
                                   struct mpdata_content *parts);
void mpdata_yaml_llvm_data_access(struct mpdata_yaml *y,
                                  struct mpdata_data_access *access);

/* Values of keys of our form. */
void mpdata_yaml_llvm_listed(struct mpdata_yaml *y,
                             struct mpdata_llvm_sites *sites);
void mpdata_yaml_counters(struct mpdata_yaml *y,
                          struct mpdata_counters *counters);

/* A document of ours, which starts with its version. */
void mpdata_yaml_text(struct mpdata_yaml *y, struct mpdata_content *parts);

#endif
