// All forms of operators new and delete: the new handler, bad_alloc, nothrow, hints;
// and a program that uses the C++ library a lot.
// RUN: %clangxx %ours-rt -fmemory-profile -std=c++20 -O1 -fsized-deallocation %s -o %t
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw:allocator_may_return_null=1 %t
// RUN: %clangxx %ours-rt -fmemory-profile -std=c++20 -O1 -static-libstdc++ -static-libgcc %s -o %t.static
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw:allocator_may_return_null=1 %t.static
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

enum class __hot_cold_t : uint8_t {};
void *operator new(std::size_t, __hot_cold_t);
void *operator new[](std::size_t, __hot_cold_t);
void *operator new(std::size_t, const std::nothrow_t &, __hot_cold_t) noexcept;
void *operator new[](std::size_t, const std::nothrow_t &, __hot_cold_t) noexcept;
void *operator new(std::size_t, std::align_val_t, __hot_cold_t);
void *operator new[](std::size_t, std::align_val_t, __hot_cold_t);
void *operator new(std::size_t, std::align_val_t, const std::nothrow_t &, __hot_cold_t) noexcept;
void *operator new[](std::size_t, std::align_val_t, const std::nothrow_t &, __hot_cold_t) noexcept;
struct sized { void *p; size_t n; };
extern "C" sized __size_returning_new(size_t);
extern "C" sized __size_returning_new_hot_cold(size_t, __hot_cold_t);
extern "C" sized __size_returning_new_aligned(size_t, std::align_val_t);
extern "C" sized __size_returning_new_aligned_hot_cold(size_t, std::align_val_t, __hot_cold_t);

#define CHECK(e) \
    do { if (!(e)) { fprintf(stderr, "line %d: %s\n", __LINE__, #e); exit(1); } } while (0)

static int handled;
static void handler() {
    if (++handled == 3)
        std::set_new_handler(nullptr);
}
static size_t volatile_of(volatile size_t n) { return n; }
static volatile size_t huge = SIZE_MAX / 2;
static const auto cold = static_cast<__hot_cold_t>(1);
static const auto wide = std::align_val_t(128);

static void forms() {
    ::operator delete(::operator new(1));
    ::operator delete[](::operator new[](1));
    ::operator delete(::operator new(1, std::nothrow), std::nothrow);
    ::operator delete[](::operator new[](1, std::nothrow), std::nothrow);
    ::operator delete(::operator new(8), size_t(8));
    ::operator delete[](::operator new[](8), size_t(8));
    void *p = ::operator new(8, wide);
    CHECK(reinterpret_cast<uintptr_t>(p) % 128 == 0);
    ::operator delete(p, wide);
    ::operator delete[](::operator new[](8, wide), wide);
    /* Not a power of two, which is a mistake of the caller: rounded up. */
    for (size_t align : {24, 100, 5000}) {
        const auto odd = std::align_val_t(volatile_of(align));
        p = ::operator new(8, odd);
        CHECK(reinterpret_cast<uintptr_t>(p) % std::bit_ceil(align) == 0);
        ::operator delete(p, odd);
    }
    ::operator delete(::operator new(8, std::align_val_t(volatile_of(0))));
    ::operator delete(::operator new(8, wide, std::nothrow), wide, std::nothrow);
    ::operator delete[](::operator new[](8, wide, std::nothrow), wide, std::nothrow);
    ::operator delete(::operator new(8, wide), size_t(8), wide);
    ::operator delete[](::operator new[](8, wide), size_t(8), wide);
    ::operator delete(::operator new(1, cold));
    ::operator delete[](::operator new[](1, cold));
    ::operator delete(::operator new(1, std::nothrow, cold));
    ::operator delete[](::operator new[](1, std::nothrow, cold));
    ::operator delete(::operator new(1, wide, cold), wide);
    ::operator delete[](::operator new[](1, wide, cold), wide);
    ::operator delete(::operator new(1, wide, std::nothrow, cold), wide);
    ::operator delete[](::operator new[](1, wide, std::nothrow, cold), wide);
    CHECK(__size_returning_new(10).n >= 10);
    CHECK(__size_returning_new_hot_cold(10, cold).n >= 10);
    CHECK(reinterpret_cast<uintptr_t>(__size_returning_new_aligned(10, wide).p) % 128 == 0);
    CHECK(__size_returning_new_aligned_hot_cold(10, wide, cold).n >= 10);
}

static void failures() {
    bool thrown = false;
    std::set_new_handler(handler);
    try {
        ::operator delete(::operator new(huge));
    } catch (const std::bad_alloc &e) {
        thrown = true;
        CHECK(std::string(e.what()) == "std::bad_alloc");
    }
    CHECK(thrown && handled == 3);
    CHECK(::operator new(huge, std::nothrow) == nullptr);
    CHECK(::operator new[](huge, wide, std::nothrow) == nullptr);
    std::set_new_handler([] { throw std::bad_alloc(); });
    CHECK(operator new(huge, std::nothrow) == nullptr);
    CHECK(operator new[](huge, wide, std::nothrow) == nullptr);
    std::set_new_handler(nullptr);
    thrown = false;
    try {
        std::vector<char> v(huge - 100);
    } catch (const std::exception &) {
        thrown = true;
    }
    CHECK(thrown);
}

static void work(int seed) {
    std::map<std::string, std::vector<int>> m;
    std::unordered_map<int, std::unique_ptr<std::string>> u;
    std::ostringstream out;
    for (int i = 0; i < 3000; i++) {
        m[std::to_string(i * seed % 997)].push_back(i);
        u[i % 311] = std::make_unique<std::string>(i % 50, 'x');
        out << i << ' ';
        try {
            if (i % 7 == 0)
                throw std::runtime_error("seven " + std::to_string(i));
        } catch (const std::runtime_error &e) {
            out << e.what();
        }
    }
    size_t n = 0;
    for (auto &[k, v] : m)
        n += v.size();
    CHECK(n == 3000 && out.str().size() > 10000);
    CHECK(std::regex_search(out.str(), std::regex("seven 1[0-9]+")));
}

int main() {
    forms();
    failures();
    std::vector<std::thread> threads;
    for (int i = 1; i <= 4; i++)
        threads.emplace_back(work, i);
    for (auto &t : threads)
        t.join();
    std::cout << "done\n";
    return 0;
}
