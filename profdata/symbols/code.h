/* code.h -- tells which code of a binary counts its accesses, from the records
 * that the plugin writes (shared/code_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/elf.h"

#include <stdbool.h>

enum mpdata_code_kind {
    MPDATA_CODE_UNKNOWN, /* the binary has no records */
    MPDATA_CODE_COUNTED,
    MPDATA_CODE_SYSTEM, /* code of the runtime, or linked by the compiler */
    MPDATA_CODE_OTHER   /* the program's own code, not instrumented */
};

struct mpdata_code_range {
    uint64_t start;
    uint64_t end;
};

/* A zeroed struct is a binary without records. */
struct mpdata_code {
    struct mpdata_code_range *counted; /* ascending, disjoint */
    size_t counted_count;
    /* Sections that may hold the program's own code. */
    struct mpdata_code_range *texts;
    uint32_t text_count;
    uint32_t others; /* number of functions of MPDATA_CODE_OTHER */
    char *other;     /* name of one of them, or NULL */
    /* Code lies outside the records, and its origin is unknown: the binary was
     * stripped, or the C library is linked statically. */
    bool is_stripped;
    bool is_static;
};

/* Reads the records of a binary. Returns false when out of memory. */
bool mpdata_code_read(struct mpdata_code *code, const struct mpdata_elf *elf);
void mpdata_code_fini(struct mpdata_code *code);

/* Returns the kind of the code at an address. `function` is the linkage name of
 * the function there, or NULL. */
enum mpdata_code_kind mpdata_code_find(const struct mpdata_code *code,
                                       uint64_t address, const char *function);

/* May code that is not instrumented have accessed the program's blocks? */
bool mpdata_code_is_partly(const struct mpdata_code *code);
