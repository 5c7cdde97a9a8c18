/* objects_print.h -- prints the objects of a virtual machine.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/objects/objects.h"

#include <stdio.h>

struct objects_print {
    struct mpdata_objects objects;
    struct mpdata_objects_graph graph;
    uint64_t top;          /* rows of each table */
    uint64_t idle_seconds; /* objects that were not accessed for so long */
    uint32_t path; /* object whose way from the root is printed; 0: none */
};

/* Errors: NOMEM. */
enum mprof_err objects_print_text(const struct objects_print *p, FILE *out);
enum mprof_err objects_print_json(const struct objects_print *p,
                                  struct mpdata_sink *sink);
/* Every object with its references, as the memory profiler of LuaJIT was to
 * print them. */
void objects_print_snapshot(const struct objects_print *p, FILE *out);
