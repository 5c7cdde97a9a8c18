/* Blocks of instrumented code: 1001 for plain code to fill, 1003 for nobody; of plain
 * code: 1005 for instrumented code to fill, 1007 for nobody. */
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
void plain_fill(char *block, int bytes);
char *plain_make(int bytes);
#ifdef __cplusplus
}
#endif

static inline void fill_bytes(char *block, int bytes)
{
    for (int i = 0; i < bytes; i++)
        ((volatile char *)block)[i] = 1;
}
