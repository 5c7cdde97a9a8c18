// The operator with hints, which takes no notice of them.
#include <cstdlib>

enum class __hot_cold_t : unsigned char;

void *operator new[](size_t size, __hot_cold_t)
{
    return malloc(size);
}
