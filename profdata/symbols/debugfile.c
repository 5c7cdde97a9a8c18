/* debugfile.c -- searches for debug files in this order:
 *
 * 1. each given directory: by build id (.build-id/xx/yyy.debug), by the
 *    binary's path (DIR/usr/bin/app.debug), by the name in .gnu_debuglink
 * 2. files directly in a given directory, by build id
 * 3. next to the binary, by .gnu_debuglink: in the same directory, in .debug/
 * 4. the system's directory, like a given one
 * 5. debuginfod
 *
 * A file found by name must have the binary's build id or, if one of them has
 * no build id, the checksum in .gnu_debuglink.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/debugfile.h"
#include "profdata/symbols/elf.h"
#include "profdata/base/file.h"
#include "shared/container.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* A file in a given directory. */
struct scanned {
    char *path;
    char build_id[MPDATA_BUILD_ID_TEXT_BYTES];
    bool has_debug_info;
};

struct search {
    struct mpdata_debug_dirs *dirs;
    const struct mpdata_debug_query *query;
    const struct mpdata_diag_warn *warn;
    char real[PATH_MAX]; /* resolved path of the binary, or "" */
    char *found;
};

/* -- servers of debug files ------------------------------------------------ */

#define DEBUGINFOD_LIBRARY "libdebuginfod.so.1"

typedef void *begin_fn(void);
typedef void end_fn(void *client);
typedef int find_fn(void *client, const unsigned char *build_id, int size,
                    char **path);

struct client {
    void *handle; /* of the library; NULL: it could not be loaded */
    end_fn *end;
    find_fn *find_debuginfo;
    find_fn *find_executable;
};

/* Are servers configured? */
static bool is_wanted(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");

    return urls != NULL && urls[strspn(urls, " ")] != '\0';
}

/* dlsym() returns an object pointer; POSIX guarantees that it can hold a
 * function pointer. */
static bool find_function(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static struct client *load_client(void)
{
    struct client *client = calloc(1, sizeof(*client));
    void *const library = dlopen(DEBUGINFOD_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    begin_fn *begin;

    if (client != NULL && library != NULL &&
        find_function(library, "debuginfod_begin", &begin) &&
        find_function(library, "debuginfod_end", &client->end) &&
        find_function(library, "debuginfod_find_debuginfo",
                      &client->find_debuginfo) &&
        find_function(library, "debuginfod_find_executable",
                      &client->find_executable))
        client->handle = begin();
    return client;
}

/* Returns the path of the debug file with a build id, or of the binary itself
 * (is_binary), in the library's cache: malloc'd, or NULL. *client starts as
 * NULL. The library links libcurl and a dozen others, so it is loaded at the
 * first request if DEBUGINFOD_URLS is set. */
static char *find_on_server(void **client, const char *build_id, size_t size,
                            bool is_binary)
{
    char *path = NULL;

    if (!is_wanted() || size == 0 || size > INT_MAX)
        return NULL;
    if (*client == NULL)
        *client = load_client();
    struct client *c = (struct client *)*client;
    if (c == NULL || c->handle == NULL)
        return NULL;
    int fd = (is_binary ? c->find_executable : c->find_debuginfo)(
        c->handle, (const unsigned char *)build_id, (int)size, &path);
    if (fd < 0)
        return NULL;
    close(fd);
    return path;
}

static void close_client(void **client)
{
    struct client *const c = (struct client *)*client;

    if (c != NULL && c->handle != NULL)
        c->end(c->handle);
    free(c);
    *client = NULL;
}

/* -- files ------------------------------------------------------------------ */

uint64_t mpdata_debugfile_stamp(const char *path)
{
    struct stat st;
    uint64_t words[3];

    if (path == NULL || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size == 0)
        return 0;
    words[0] = (uint64_t)st.st_size;
    words[1] = (uint64_t)st.st_mtim.tv_sec;
    words[2] = (uint64_t)st.st_mtim.tv_nsec;
    return mprof_checksum(words, sizeof(words)) | 1;
}

void mpdata_debugfile_dirs_fini(struct mpdata_debug_dirs *dirs)
{
    struct scanned *const files = dirs->files.data;

    for (uint32_t i = 0; i < dirs->files.count; i++)
        free(files[i].path);
    mpdata_vec_fini(&dirs->files);
    close_client(&dirs->server);
}

void mpdata_debugfile_fini(struct mpdata_debugfile *found)
{
    free(found->path);
    free(found->dwp);
    *found = (struct mpdata_debugfile){.path = NULL};
}

/* -- does the file match? -------------------------------------------------- */

static bool is_build_id(const struct mpdata_debug_query *q,
                        const struct mpdata_elf *elf)
{
    return q->build_id_size == elf->build_id.size &&
           memcmp(q->build_id, elf->build_id.bytes, elf->build_id.size) == 0;
}

static bool is_match(const struct search *s, const struct mpdata_elf *elf,
                     const struct mpdata_file *file, bool by_link)
{
    if (s->query->build_id_size != 0 && elf->build_id.size != 0)
        return is_build_id(s->query, elf);
    return by_link && crc32_z(crc32_z(0, NULL, 0), file->data, file->size) ==
                          s->query->link_crc;
}

/* Sets s->found to `path` if the file exists and belongs to the binary. */
static bool try_file(struct search *s, const char *path, bool by_link)
{
    struct mpdata_file file;
    struct mpdata_elf elf;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return false;
    if (mpdata_elf_read(&elf, file.data, file.size, NULL) != MPROF_E_OK ||
        !elf.has_debug_info) {
        mpdata_file_close(&file);
        return false;
    }
    bool is_right = is_match(s, &elf, &file, by_link);
    mpdata_file_close(&file);
    if (!is_right) {
        mpdata_diag_warn(s->warn, s->query->path,
                         "%s is not used: it holds the debug information of "
                         "another build",
                         path);
        return false;
    }
    s->found = strdup(path);
    return s->found != NULL;
}

static bool try_joined(struct search *s, bool by_link, const char *directory,
                       const char *middle, const char *name)
{
    char path[PATH_MAX];
    const int n =
        snprintf(path, sizeof(path), "%s%s%s", directory, middle, name);

    return n > 0 && n < PATH_MAX && try_file(s, path, by_link);
}

/* -- directories ----------------------------------------------------------- */

static void scan_file(struct mpdata_debug_dirs *dirs, const char *path)
{
    struct mpdata_file file;
    struct mpdata_elf elf;
    struct scanned *row;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return;
    if (mpdata_elf_read(&elf, file.data, file.size, NULL) == MPROF_E_OK &&
        elf.build_id.size != 0) {
        row = mpdata_vec_push(&dirs->files);
        if (row != NULL) {
            row->path = strdup(path);
            row->has_debug_info = elf.has_debug_info;
            mpdata_build_id_text(elf.build_id.bytes, elf.build_id.size,
                                 row->build_id);
        }
    }
    mpdata_file_close(&file);
}

static void scan_directory(struct mpdata_debug_dirs *dirs, const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        struct stat st;
        const int n =
            snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);

        if (n > 0 && n < PATH_MAX && stat(file, &st) == 0 &&
            S_ISREG(st.st_mode))
            scan_file(dirs, file);
        free(entries[i]);
    }
    free(entries);
}

/* Lists the files directly in the given directories, on first use. */
static void scan(struct mpdata_debug_dirs *dirs)
{
    if (dirs->is_scanned)
        return;
    dirs->is_scanned = true;
    dirs->files.elem_bytes = sizeof(struct scanned);
    for (size_t i = 0; i < dirs->count; i++)
        scan_directory(dirs, dirs->dirs[i]);
}

/* Writes "/.build-id/xx/yyy" for a build id, or "" if it is too short or too
 * long. */
static const char *build_id_path(const char *build_id, size_t size,
                                 char out[MPDATA_BUILD_ID_TEXT_BYTES + 16])
{
    char text[MPDATA_BUILD_ID_TEXT_BYTES];

    out[0] = '\0';
    if (size >= 2 && 2 * size < sizeof(text)) {
        mpdata_build_id_text(build_id, size, text);
        sprintf(out, "/.build-id/%.2s/%s", text, text + 2);
    }
    return out;
}

static bool search_scanned(struct search *s)
{
    char text[MPDATA_BUILD_ID_TEXT_BYTES];
    const struct scanned *files;

    scan(s->dirs);
    files = s->dirs->files.data;
    mpdata_build_id_text(s->query->build_id, s->query->build_id_size, text);
    for (uint32_t i = 0;
         s->query->build_id_size != 0 && i < s->dirs->files.count; i++) {
        if (files[i].has_debug_info && files[i].path != NULL &&
            strcmp(files[i].build_id, text) == 0 &&
            try_file(s, files[i].path, false))
            return true;
    }
    return false;
}

static bool search_directory(struct search *s, const char *directory)
{
    char by_id[MPDATA_BUILD_ID_TEXT_BYTES + 16];
    const char *const link = s->query->link;
    bool found;

    build_id_path(s->query->build_id, s->query->build_id_size, by_id);
    if (by_id[0] != '\0' && try_joined(s, false, directory, by_id, ".debug"))
        return true;
    if (s->real[0] == '\0')
        return false;
    if (try_joined(s, true, directory, s->real, ".debug"))
        return true;
    if (link == NULL)
        return false;
    char *slash = strrchr(s->real, '/');
    *slash = '\0';
    {
        char joined[PATH_MAX + 1];
        const int n =
            snprintf(joined, sizeof(joined), "%s%s/", directory, s->real);

        found = n > 0 && n < PATH_MAX && try_joined(s, true, joined, "", link);
    }
    *slash = '/';
    return found || try_joined(s, true, directory, "/", link);
}

static bool search_beside(struct search *s)
{
    char directory[PATH_MAX];
    const char *const link = s->query->link;

    if (s->real[0] == '\0' || link == NULL)
        return false;
    memcpy(directory, s->real, sizeof(directory));
    *strrchr(directory, '/') = '\0';
    return try_joined(s, true, directory, "/", link) ||
           try_joined(s, true, directory, "/.debug/", link);
}

/* Is it the C library or the dynamic linker? Both are in every call stack but
 * rarely matter, and their compressed debug information takes longer to read
 * than that of most programs. So only the symbol table names their functions,
 * unless the user gave a directory with their debug files. */
static bool is_c_library(const char *path)
{
    static const char *const names[] = {"libc.so.6", "ld-linux-x86-64.so.2"};
    const char *const slash = strrchr(path, '/');

    for (size_t i = 0; slash != NULL && i < MPROF_ARRAY_LEN(names); i++) {
        if (strcmp(slash + 1, names[i]) == 0)
            return true;
    }
    return false;
}

static enum mpdata_debug_kind search(struct search *s)
{
    for (size_t i = 0; i < s->dirs->count; i++) {
        if (search_directory(s, s->dirs->dirs[i]))
            return MPDATA_DEBUG_FILE;
    }
    if (search_scanned(s) || search_beside(s))
        return MPDATA_DEBUG_FILE;
    bool is_c = is_c_library(s->real);
    if (search_directory(s, MPDATA_SYSTEM_DEBUG_DIR))
        return is_c ? MPDATA_DEBUG_NAMES : MPDATA_DEBUG_SYSTEM;
    if (is_c)
        return MPDATA_DEBUG_NONE;
    s->found = find_on_server(&s->dirs->server, s->query->build_id,
                              s->query->build_id_size, false);
    return s->found != NULL ? MPDATA_DEBUG_SERVER : MPDATA_DEBUG_NONE;
}

void mpdata_debugfile_find(struct mpdata_debug_dirs *dirs,
                           const struct mpdata_debug_query *query,
                           const struct mpdata_diag_warn *warn,
                           struct mpdata_debugfile *found)
{
    struct search s = {.dirs = dirs, .query = query, .warn = warn};

    if (query->path == NULL || realpath(query->path, s.real) == NULL)
        s.real[0] = '\0';
    *found = (struct mpdata_debugfile){.kind = search(&s)};
    found->path = s.found;
    if (found->path == NULL)
        return;
    found->dwp = mpdata_debugfile_package(dirs, found->path);
    found->stamp = mpdata_debugfile_stamp(found->path);
}

/* -- packages of split DWARF ----------------------------------------------- */

static char *existing(const char *directory, const char *slash,
                      const char *name, size_t name_size)
{
    char *path = NULL;

    if (asprintf(&path, "%s%s%.*s.dwp", directory, slash, (int)name_size,
                 name) < 0)
        return NULL;
    if (mpdata_debugfile_stamp(path) != 0)
        return path;
    free(path);
    return NULL;
}

char *mpdata_debugfile_package(const struct mpdata_debug_dirs *dirs,
                               const char *path)
{
    static const char suffix[] = ".debug";
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    size_t size = strlen(name);
    char *found = existing("", "", path, strlen(path));

    if (found == NULL && size > sizeof(suffix) - 1 &&
        strcmp(name + size - (sizeof(suffix) - 1), suffix) == 0) {
        size -= sizeof(suffix) - 1;
        found = existing("", "", path, (size_t)(name - path) + size);
    }
    for (size_t i = 0; found == NULL && i < dirs->count; i++)
        found = existing(dirs->dirs[i], "/", name, size);
    return found;
}

/* -- whole binaries -------------------------------------------------------- */

static char *fetch_from(const char *directory, const char *by_id)
{
    static const char *const suffixes[] = {"", ".debug"};
    char *path = NULL;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(suffixes); i++) {
        if (asprintf(&path, "%s%s%s", directory, by_id, suffixes[i]) < 0)
            return NULL;
        if (mpdata_debugfile_stamp(path) != 0)
            return path;
        free(path);
    }
    return NULL;
}

char *mpdata_debugfile_fetch(struct mpdata_debug_dirs *dirs,
                             const char *build_id, size_t size)
{
    char by_id[MPDATA_BUILD_ID_TEXT_BYTES + 16];
    char text[MPDATA_BUILD_ID_TEXT_BYTES];
    const struct scanned *files;
    char *found = NULL;

    if (build_id_path(build_id, size, by_id)[0] == '\0')
        return NULL;
    for (size_t i = 0; found == NULL && i < dirs->count; i++)
        found = fetch_from(dirs->dirs[i], by_id);
    scan(dirs);
    files = dirs->files.data;
    mpdata_build_id_text(build_id, size, text);
    for (uint32_t i = 0; found == NULL && i < dirs->files.count; i++) {
        if (files[i].path != NULL && strcmp(files[i].build_id, text) == 0)
            found = strdup(files[i].path);
    }
    if (found == NULL)
        found = fetch_from(MPDATA_SYSTEM_DEBUG_DIR, by_id);
    if (found == NULL)
        found = find_on_server(&dirs->server, build_id, size, false);
    if (found == NULL)
        found = find_on_server(&dirs->server, build_id, size, true);
    return found;
}
