// Functions with the names that other compilers give them.
#include <stdlib.h>

#define MAKE(function, name)                                 \
    __attribute__((noinline)) void *function(void) __asm__(name); \
    void *function(void)                                     \
    {                                                        \
        return malloc(100);                                  \
    }

MAKE(cxx, "_ZN5store5Cache3putEPKc")
MAKE(rust_v0, "_RNvCs1234_7mycrate3foo")
MAKE(rust_generic, "_RINvNtC3std3mem8align_ofdE")
MAKE(rust_old, "_ZN48_$LT$store..Cache$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE")
MAKE(swift, "$s4main3fooyyF")
MAKE(old_swift, "_T04main3baryyF")

int main(void)
{
    free(cxx());
    free(rust_v0());
    free(rust_generic());
    free(rust_old());
    free(swift());
    free(old_swift());
    return 0;
}
