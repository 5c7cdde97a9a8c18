// operator new obeys hints, fails as the standard demands, and leaves a program's own
// operators alone.
// DEFINE: %{cc} = %clangxx -std=c++17 -O1 -fno-builtin -Wno-inline-new-delete -I%root/inc %s -o %t
// RUN: %{cc} %alloc-archive && %t
// RUN: %{cc} %alloc-shared && %t
// RUN: %{cc} -static %alloc-static && %t
// RUN: %{cc} -static-libstdc++ %alloc-archive && %t
// RUN: %{cc} -DREPLACE %alloc-archive && %t
// RUN: %{cc} -DREPLACE %alloc-shared && %t
// RUN: %{cc} -DREPLACE -static %alloc-static && %t
// A library that the program is linked with replaces them.
// RUN: %{cc}.so -DLIBRARY -shared -fPIC
// RUN: %{cc} -DREPLACE -DIN_LIBRARY %t.so %alloc-archive && %t
// RUN: %{cc} -DREPLACE -DIN_LIBRARY %alloc-archive %t.so && %t
// RUN: %{cc} -DREPLACE -DIN_LIBRARY %t.so %alloc-shared && %t
// RUN: %{cc} -DREPLACE -DIN_LIBRARY %alloc-shared %t.so && %t
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include "memprof_hints.h"

#define CHECK(x) \
    ((x) ? (void)0 : (std::fprintf(stderr, "%d: not: %s\n", __LINE__, #x), std::_Exit(1)))

static const auto cold = static_cast<__hot_cold_t>(MEMPROF_HINT_COLD);
static const auto hot = static_cast<__hot_cold_t>(MEMPROF_HINT_HOT);
static const auto page = static_cast<std::align_val_t>(4096);

struct sized { void *p; size_t n; };
extern "C" sized __size_returning_new(size_t);
extern "C" sized __size_returning_new_hot_cold(size_t, __hot_cold_t);
extern "C" sized __size_returning_new_aligned(size_t, std::align_val_t);
extern "C" sized __size_returning_new_aligned_hot_cold(size_t, std::align_val_t, __hot_cold_t);

#if defined REPLACE || defined LIBRARY
/* The program's own arena: a block that it did not return must not come back to
 * it. */
enum : size_t { ARENA_BYTES = 1 << 20 };
extern char arena[ARENA_BYTES];
extern int ended;
#ifndef IN_LIBRARY
alignas(16) char arena[ARENA_BYTES];
static size_t used;
int ended;
void *operator new(size_t size)
{
    if (size > sizeof arena)
        throw std::bad_alloc();
    used += (size + 15) & ~size_t{15};
    return arena + used - ((size + 15) & ~size_t{15});
}
void operator delete(void *p) noexcept
{
    CHECK(p == nullptr || (p >= arena && p < arena + sizeof arena));
    ended++;
}
#endif
#endif
#ifdef REPLACE
static void replaced()
{
    delete new int;
    delete[] new int[10];
    struct with_end { ~with_end() {} int n; };
    delete[] new with_end[3];
    delete new (std::nothrow) int;
    operator delete(operator new(40, cold), size_t{40});
    operator delete[](operator new[](40, hot));
    operator delete(operator new(40, std::nothrow, cold));
    operator delete(__size_returning_new(40).p);
    operator delete(__size_returning_new_hot_cold(40, cold).p);
    CHECK(ended == 9);
    CHECK(operator new(sizeof arena + 1, std::nothrow) == nullptr);
    CHECK(operator new[](sizeof arena + 1, std::nothrow) == nullptr);
    std::string a(100, 'a');
    CHECK(a.c_str() >= arena && a.c_str() < arena + sizeof arena);
    /* The aligned operators are still ours. */
    operator delete(operator new(40, page, cold), page);
    CHECK(ended == 9);
}
#elif !defined LIBRARY
static int asked;
static void handler()
{
    if (++asked == 3)
        std::set_new_handler(nullptr);
}

template <class Call> static void fails(Call call)
{
    bool thrown = false;
    asked = 0;
    std::set_new_handler(handler);
    try {
        call();
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    CHECK(thrown && asked == 3);
}

static volatile size_t huge = ~size_t{0} / 2 - 100;

static void failures()
{
    fails([] { operator new(huge); });
    fails([] { operator new[](huge); });
    fails([] { operator new(huge, page); });
    fails([] { operator new(huge, cold); });
    fails([] { operator new[](huge, hot); });
    fails([] { operator new(huge, page, cold); });
    fails([] { __size_returning_new(huge); });
    fails([] { __size_returning_new_aligned_hot_cold(huge, page, cold); });
    std::set_new_handler(nullptr);
    CHECK(operator new(huge, std::nothrow) == nullptr);
    CHECK(operator new[](huge, std::nothrow) == nullptr);
    CHECK(operator new(huge, std::nothrow, cold) == nullptr);
    CHECK(operator new[](huge, page, std::nothrow, hot) == nullptr);
    std::set_new_handler([] { throw std::bad_alloc(); });
    CHECK(operator new(huge, std::nothrow) == nullptr);
    CHECK(operator new[](huge, page, std::nothrow) == nullptr);
    std::set_new_handler(nullptr);
}

static bool aligned(void *p) { return (reinterpret_cast<uintptr_t>(p) & 4095) == 0; }

static void places()
{
    char *const plain = static_cast<char *>(operator new(40));
    char *const ours[] = {
        static_cast<char *>(operator new(40, cold)),
        static_cast<char *>(operator new[](40, cold)),
        static_cast<char *>(operator new(40, std::nothrow, cold)),
        static_cast<char *>(operator new[](40, std::nothrow, cold)),
        static_cast<char *>(operator new(40, page, cold)),
        static_cast<char *>(operator new[](40, page, cold)),
        static_cast<char *>(operator new(40, page, std::nothrow, cold)),
        static_cast<char *>(operator new[](40, page, std::nothrow, cold)),
        static_cast<char *>(__size_returning_new_hot_cold(40, cold).p),
        static_cast<char *>(__size_returning_new_aligned_hot_cold(40, page, cold).p),
    };
    char *const far = static_cast<char *>(operator new(40, hot));
    const auto gib = ptrdiff_t{1} << 26;
    CHECK(std::abs(far - plain) > gib);
    for (char *p : ours) {
        CHECK(std::abs(p - ours[0]) < gib);
        CHECK(far - p > gib && std::abs(plain - p) > gib);
        operator delete(p);
    }
    for (int i = 4; i < 8; i++)
        CHECK(aligned(ours[i]));
    CHECK(aligned(ours[9]));
    CHECK(__size_returning_new(33).n >= 33);
    CHECK(__size_returning_new_aligned(33, page).n >= 33);
    delete[] new std::string[7];
    struct alignas(256) wide { char c[300]; };
    delete new wide;
    delete[] new wide[3];
    delete new (std::nothrow) wide;
    std::make_unique<wide>();
}
#endif

#ifndef LIBRARY
int main()
{
#ifdef REPLACE
    replaced();
#else
    failures();
    places();
#endif
}
#endif
