/* code.h -- which code of a binary counts its accesses, by the records that the
 * plugin leaves in it (shared/code_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CODE_H
#define MPDATA_CODE_H

#include "profdata/symbols/elf.h"

#include <stdbool.h>

enum mpdata_code_kind {
    MPDATA_CODE_UNKNOWN, /* the binary has no records */
    MPDATA_CODE_COUNTED,
    MPDATA_CODE_SYSTEM, /* of the runtime, or of what compilers link */
    MPDATA_CODE_OTHER   /* the program's own, and not counted */
};

struct mpdata_code_range {
    uint64_t start;
    uint64_t end;
};

/* Zero is a binary without records. */
struct mpdata_code {
    struct mpdata_code_range *counted; /* ascending; they do not overlap */
    size_t counted_count;
    struct mpdata_code_range *texts; /* sections that may hold the program's */
    uint32_t text_count;
    uint32_t others; /* functions of MPDATA_CODE_OTHER */
    char *other;     /* the name of one, NULL for none */
    /* Code lies outside the records, and nothing says whose code: the binary
     * was stripped, or the C library is part of it. */
    bool is_stripped;
    bool is_static;
};

/* Reads the records. False without memory. */
bool mpdata_code_read(struct mpdata_code *code, const struct mpdata_elf *elf);
void mpdata_code_fini(struct mpdata_code *code);

/* `function` is the linkage name of the function at the address, or NULL. */
enum mpdata_code_kind mpdata_code_find(const struct mpdata_code *code,
                                       uint64_t address, const char *function);

/* May code that does not count have accessed the program's blocks? */
bool mpdata_code_is_partly(const struct mpdata_code *code);

#endif
