/* route.c -- what a request of HTTP asks for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/serve/http.h"

#include <string.h>

const char mpdata_route_list[] =
#define X(id, path, what) path "  " what "\n"
    MPDATA_ROUTES(X)
#undef X
        "The profiles take ?seconds=N: only what was allocated in N seconds.\n";

enum mpdata_route mpdata_route_find(const char *path)
{
    static const char *const paths[] = {
#define X(id, path, what) path,
        MPDATA_ROUTES(X)
#undef X
    };
    int i = 0;

    while (i < MPDATA_ROUTE_COUNT && strcmp(path, paths[i]) != 0)
        i++;
    return (enum mpdata_route)i;
}

bool mpdata_route_seconds(const char *text, unsigned *seconds)
{
    *seconds = 0;
    if (text == NULL)
        return true;
    for (const char *s = text; *s != '\0'; s++) {
        if (*s < '0' || *s > '9' || *seconds > MPDATA_ROUTE_SECONDS_MAX)
            return false;
        *seconds = 10 * *seconds + (unsigned)(*s - '0');
    }
    return text[0] != '\0' && *seconds <= MPDATA_ROUTE_SECONDS_MAX;
}

bool mpdata_route_is_local_host(const char *host)
{
    static const char name[] = "localhost";

    if (host == NULL || host[0] == '[')
        return true;
    if (strncmp(host, name, sizeof(name) - 1) == 0) {
        const char end = host[sizeof(name) - 1];
        return end == '\0' || end == ':';
    }
    const size_t address = strspn(host, "0123456789.");
    return address != 0 && (host[address] == '\0' || host[address] == ':');
}
