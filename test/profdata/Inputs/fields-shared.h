/* fields-shared.h -- a type for C and C++, whose members these name differently. */
#include <stdlib.h>
#ifdef __cplusplus
#define RESTRICT __restrict
extern "C"
#else
#define RESTRICT restrict
#endif
void *make_in_c(void);
struct shared {
    int (*callback)(void);
    char *RESTRICT text;
    volatile long used;
};
