/* symcache_format.h -- memprofdata's cache of what addresses of one binary are
 * called: $XDG_CACHE_HOME/memprof/symbols/xx/yyy, where xxyyy is the build id.
 *
 *   FILE := directory at offset 0, sections   (container.h)
 *
 *   KEY      u64: what the file was made from, as memprofdata computes it. A
 *            file with another key is not used. Then, for each file of split
 *            DWARF that was used or missing: u64 stamp (0: it was not
 *            there), u32 size of its path, path
 *   PLACES   u64 address, u32 first frame, u32 frames (at least 1), u32 how
 *            much is known (0 nothing, 1 by the symbol table, 2 by debug
 *            information); ascending by address
 *   FRAMES   u32 each: function, file, file that defines the function,
 *            line, column, the function's first line, discriminator; the
 *            first three are offsets in STRINGS
 *   STRINGS  texts with a NUL after each; the first is empty: unknown
 *
 * It can be thrown away at any time: files of another version, and damaged
 * ones, are written anew.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_SYMCACHE_FORMAT_H
#define MPROF_SYMCACHE_FORMAT_H

#include "shared/container.h"

/* On disk 8e 6d 70 73 79 6d 0d 0a. */
#define MPROF_SYMCACHE_MAGIC UINT64_C(0x0a0d6d7973706d8e)
#define MPROF_SYMCACHE_VERSION 1

enum mprof_symcache_section {
    MPROF_SYMCACHE_KEY = 1,
    MPROF_SYMCACHE_PLACES = 2,
    MPROF_SYMCACHE_FRAMES = 3,
    MPROF_SYMCACHE_STRINGS = 4
};

#define MPROF_SYMCACHE_SECTIONS 4

#endif
