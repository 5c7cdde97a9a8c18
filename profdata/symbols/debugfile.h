/* debugfile.h -- finds the file with a binary's debug information: the binary
 * itself, a file next to it, a file in a directory of debug files, or one from
 * a debuginfod server.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/diag.h"
#include "profdata/base/vec.h"

/* Where distributions put debug files. (A test overrides it.) */
#ifndef MPDATA_SYSTEM_DEBUG_DIR
#define MPDATA_SYSTEM_DEBUG_DIR "/usr/lib/debug"
#endif

enum mpdata_debug_kind {
    MPDATA_DEBUG_NONE,
    MPDATA_DEBUG_OWN,    /* in the binary itself */
    MPDATA_DEBUG_FILE,   /* next to it, or in a given directory */
    MPDATA_DEBUG_SYSTEM, /* in MPDATA_SYSTEM_DEBUG_DIR */
    MPDATA_DEBUG_SERVER, /* from debuginfod */
    MPDATA_DEBUG_NAMES   /* only the symbol table of the debug file is used */
};

struct mpdata_debugfile {
    enum mpdata_debug_kind kind;
    char *path;     /* owned; the binary for OWN, NULL for NONE */
    char *dwp;      /* package of split DWARF, or NULL; owned */
    uint64_t stamp; /* of the files at path and dwp */
};

/* The directories of a session. Zero-initialize. */
struct mpdata_debug_dirs {
    const char *const *dirs; /* borrowed */
    size_t count;
    bool is_scanned;
    /* struct scanned: files in the given directories. */
    struct mpdata_vec files;
    void *server; /* the client of elfutils' library */
};

void mpdata_debugfile_dirs_fini(struct mpdata_debug_dirs *dirs);

/* The binary whose debug file is sought. */
struct mpdata_debug_query {
    const char *path;     /* path of the binary, or NULL */
    const char *build_id; /* raw bytes */
    size_t build_id_size;
    const char *link; /* name in .gnu_debuglink, or NULL */
    uint32_t link_crc;
};

/* Finds the debug file of a binary that contains no debug information; sets
 * kind NONE if there is none. Calls `warn` for a file with the right name that
 * belongs to another build. Free *found with mpdata_debugfile_fini(). */
void mpdata_debugfile_find(struct mpdata_debug_dirs *dirs,
                           const struct mpdata_debug_query *query,
                           const struct mpdata_diag_warn *warn,
                           struct mpdata_debugfile *found);
void mpdata_debugfile_fini(struct mpdata_debugfile *found);

/* Returns the path of the package of split DWARF for a file with debug
 * information, malloc'd, or NULL. */
char *mpdata_debugfile_package(const struct mpdata_debug_dirs *dirs,
                               const char *path);

/* Returns the path of a file with this build id, malloc'd, from the given
 * directories, the system's or a server; NULL if there is none. */
char *mpdata_debugfile_fetch(struct mpdata_debug_dirs *dirs,
                             const char *build_id, size_t size);

/* Returns a hash that changes when the file at `path` changes; 0 if it does not
 * exist, is not a plain file, or is empty. */
uint64_t mpdata_debugfile_stamp(const char *path);
