// A program that replaces some of the operators: the defaults of the others call those.
#include <cstdio>
#include <cstdlib>
#include <new>

static long live;

void *operator new(std::size_t n)
{
    if (n > 1 << 20)
        throw std::bad_alloc();
    long *const p = static_cast<long *>(std::malloc(n + 16));
    live++;
    return p + 2;
}

void operator delete(void *p) noexcept
{
    if (p != nullptr) {
        live--;
        std::free(static_cast<long *>(p) - 2);
    }
}

#ifdef ALIGNED
void *operator new(std::size_t n, std::align_val_t align)
{
    const std::size_t room = static_cast<std::size_t>(align);
    char *const p = static_cast<char *>(std::aligned_alloc(room, room + (n + room - 1) / room * room));
    live++;
    return p + room;
}

void operator delete(void *p, std::align_val_t align) noexcept
{
    live--;
    std::free(static_cast<char *>(p) - static_cast<std::size_t>(align));
}
#endif

struct alignas(128) Wide {
    ~Wide() {}
    char bytes[256];
};

struct Narrow {
    ~Narrow() {}
    char bytes[100];
};

template <class T> static void all()
{
    const long before = live;
    T *volatile a = new T;
    T *volatile b = new T[3];
    T *volatile c = new (std::nothrow) T;
    T *volatile d = new (std::nothrow) T[3];
    std::printf("%ld live\n", live - before);
    delete a;
    delete[] b;
    delete c;
    delete[] d;
}

int main()
{
    all<Narrow>();
    all<Wide>();
    void *volatile p = ::operator new[](10, std::nothrow);
    ::operator delete[](p, std::nothrow);
    p = ::operator new(10);
    ::operator delete(p, std::nothrow);
    p = ::operator new(10);
    ::operator delete(p, 10);
    p = ::operator new[](10);
    ::operator delete[](p, 10);
    std::printf("%ld left\n", live);
    // A nothrow form catches what the replaced operator throws.
    for (long i = 0; i < 1000; i++)
        live += new (std::nothrow) char[2 << 20] != nullptr ||
                ::operator new(2 << 20, std::nothrow) != nullptr;
    try {
        live += new char[2 << 20] != nullptr;
    } catch (const std::bad_alloc &) {
        std::printf("%ld after bad_alloc\n", live);
    }
    return 0;
}
