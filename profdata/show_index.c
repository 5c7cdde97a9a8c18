#include "profdata/show_index.h"
enum mprof_err show_yaml_index(FILE *out, const uint8_t *data, size_t size,
                               struct mprof_diag *diag)
{
    (void)out;
    (void)data;
    (void)size;
    return mprof_fail(diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET);
}
