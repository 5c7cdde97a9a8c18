/* damage.h -- damages a file at random: the same number gives the same damage.
 *
 * Damages bytes, words, pieces and lines of any file; in our containers also
 * the directory, the heads of tables and their cells, with corrected checksums
 * so that readers get past them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Larger files are truncated. */
#define DAMAGE_BYTES_MAX (256u << 10)

struct damage_random {
    uint64_t state;
};

/* A file that is being built. */
struct damage_file {
    size_t size;
    uint8_t data[DAMAGE_BYTES_MAX];
};

/* A number below limit, which is positive. */
uint64_t damage_below(struct damage_random *random, uint64_t limit);
/* True with probability 1 / times. */
bool damage_chance(struct damage_random *random, uint64_t times);

/* Damages *file, perhaps with pieces of *other. */
void damage_file(struct damage_file *file, const struct damage_file *other,
                 bool is_text, struct damage_random *random);

/* Number of bytes of the file with everything unpacked, as far as possible: the
 * whole file, and the sections of a container. */
uint64_t damage_unpacked_bytes(const uint8_t *data, size_t size);
