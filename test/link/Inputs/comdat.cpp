// Two objects with the same inline functions, of which the linker keeps one each.
#include <cstdlib>

inline void *inline_make(size_t size)
{
    volatile char *const p = static_cast<volatile char *>(malloc(size));

    for (int i = 0; i < 5; i++)
        p[i] = 1;
    return const_cast<char *>(p);
}

template <typename T> struct Box {
    T *block = static_cast<T *>(inline_make(10002));
    ~Box()
    {
        free(block);
    }
};

inline Box<char> shared_box;

void *other(size_t size);
__attribute__((weak)) extern "C" void never_called()
{
    free(inline_make(19999));
}

#ifdef SECOND
void *other(size_t size)
{
    return inline_make(size);
}
#else
int main()
{
    Box<char> box;

    free(inline_make(10001));
    free(other(10001));
    free(other(10003));
    return shared_box.block == box.block;
}
#endif
