/* visit-unseen FILE: of each call stack its bytes, and why accesses to them may be
 * missing. */
#include <inttypes.h>
#include <memprofdata.h>
#include <stdio.h>
#include <string.h>

static int print(void *context, const struct memprofdata_context *c)
{
    (void)context;
    for (size_t i = 0; i < c->value_count; i++) {
        if (strcmp(c->values[i].name, "TotalSize") == 0)
            printf("%" PRIu64 " bytes%s%s\n", c->values[i].value,
                   (c->unseen & MEMPROFDATA_NOT_MEASURED) != 0 ? ", not measured"
                                                               : "",
                   (c->unseen & MEMPROFDATA_NOT_ALL_SEEN) != 0 ? ", not all seen"
                                                               : "");
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct memprofdata_profile *p = memprofdata_profile_new();
    int status = argc == 2 && p != NULL
                     ? memprofdata_profile_add(p, argv[1], 1, NULL)
                     : 2;

    if (status == 0)
        status = memprofdata_profile_visit(p, print, NULL, NULL);
    memprofdata_profile_free(p);
    return status;
}
