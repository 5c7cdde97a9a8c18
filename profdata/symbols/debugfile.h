/* debugfile.h -- the file that holds a binary's debug information: the binary,
 * one beside it, one in a directory of debug files, or one from a debuginfod
 * server.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DEBUGFILE_H
#define MPDATA_DEBUGFILE_H

#include "profdata/base/diag.h"
#include "profdata/base/vec.h"

/* Where distributions put debug files. (A test puts its own there.) */
#ifndef MPDATA_SYSTEM_DEBUG_DIR
#define MPDATA_SYSTEM_DEBUG_DIR "/usr/lib/debug"
#endif

enum mpdata_debug_kind {
    MPDATA_DEBUG_NONE,
    MPDATA_DEBUG_OWN,    /* in the binary */
    MPDATA_DEBUG_FILE,   /* in a file beside it or in a directory that was
                            given */
    MPDATA_DEBUG_SYSTEM, /* in MPDATA_SYSTEM_DEBUG_DIR */
    MPDATA_DEBUG_SERVER, /* was fetched */
    MPDATA_DEBUG_NAMES   /* a file of which only the symbol table is used */
};

struct mpdata_debugfile {
    enum mpdata_debug_kind kind;
    char *path;     /* NULL for NONE; owned */
    char *dwp;      /* package of split DWARF, or NULL; owned */
    uint64_t stamp; /* of the files at path and dwp */
};

/* The directories of a session. Zero-initialise. */
struct mpdata_debug_dirs {
    const char *const *dirs; /* borrowed */
    size_t count;
    bool is_scanned;
    struct mpdata_vec files; /* debugfile.c: what lies in them */
    void *server;            /* debuginfod.h */
};

void mpdata_debugfile_dirs_fini(struct mpdata_debug_dirs *dirs);

/* What is sought. */
struct mpdata_debug_query {
    const char *path;     /* of the binary, or NULL */
    const char *build_id; /* raw bytes */
    size_t build_id_size;
    const char *link; /* .gnu_debuglink, or NULL */
    uint32_t link_crc;
};

/* Finds a file with debug information for a binary that has none itself; kind
 * NONE where there is none. A file of the right name that belongs to another
 * binary is told to `warn`. Free with mpdata_debugfile_fini(). */
void mpdata_debugfile_find(struct mpdata_debug_dirs *dirs,
                           const struct mpdata_debug_query *query,
                           const struct mpdata_diag_warn *warn,
                           struct mpdata_debugfile *found);
void mpdata_debugfile_fini(struct mpdata_debugfile *found);

/* The package of split DWARF of a file with debug information, malloc'd, or
 * NULL. */
char *mpdata_debugfile_package(const struct mpdata_debug_dirs *dirs,
                               const char *path);

/* Any file with this build id and segments, malloc'd, or NULL: from the
 * directories, the system's, or a server. */
char *mpdata_debugfile_fetch(struct mpdata_debug_dirs *dirs,
                             const char *build_id, size_t size);

/* Differs when the file at `path` does; 0 where there is none, or one that says
 * to have no bytes. */
uint64_t mpdata_debugfile_stamp(const char *path);

#endif
