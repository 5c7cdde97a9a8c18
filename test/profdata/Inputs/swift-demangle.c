/* What Swift's own library offers, and one that answers as it should not:
 * MODE "long" says that more is needed than was given, "full" leaves no end. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t swift_demangle_getDemangledName(const char *name, char *out, size_t size)
{
    const char *const mode = getenv("MODE");

    if (mode != NULL && strcmp(mode, "long") == 0)
        return size * 2;
    if (mode != NULL && strcmp(mode, "full") == 0) {
        memset(out, 'x', size);
        return size;
    }
    return (size_t)snprintf(out, size, "asked for %s", name);
}
