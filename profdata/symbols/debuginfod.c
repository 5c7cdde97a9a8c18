/* debuginfod.c -- wraps elfutils' client library. That library links libcurl
 * and a dozen others, so it is loaded only when needed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/debuginfod.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

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

static struct client *load(void)
{
    struct client *client = calloc(1, sizeof(*client));
    void *const library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
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

char *mpdata_debuginfod_find(void **client, const char *build_id, size_t size,
                             bool is_binary)
{
    struct client *c;
    char *path = NULL;
    int fd;

    if (!is_wanted() || size == 0 || size > INT_MAX)
        return NULL;
    if (*client == NULL)
        *client = load();
    c = (struct client *)*client;
    if (c == NULL || c->handle == NULL)
        return NULL;
    fd = (is_binary ? c->find_executable : c->find_debuginfo)(
        c->handle, (const unsigned char *)build_id, (int)size, &path);
    if (fd < 0)
        return NULL;
    close(fd);
    return path;
}

void mpdata_debuginfod_fini(void **client)
{
    struct client *const c = (struct client *)*client;

    if (c != NULL && c->handle != NULL)
        c->end(c->handle);
    free(c);
    *client = NULL;
}
