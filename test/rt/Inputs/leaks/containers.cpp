/* Blocks that the C++ library keeps, and blocks that it leaks. */
#include "leaks.h"

#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct counted {
    ~counted() { value = 0; }
    long value = 1;
};
struct node {
    std::shared_ptr<node> other;
    long pad[5] = {};
};
static std::map<int, std::string> *kept;
static std::unordered_map<std::string, std::vector<int>> table;
static counted *nothing;
static std::shared_ptr<node> alive;

#define MAKER(name) __attribute__((noinline)) static void site_##name()
MAKER(kept)
{
    kept = new std::map<int, std::string>;
    for (int i = 0; i < 50; i++)
        (*kept)[i] = std::string(100 + i, 'x');
}
MAKER(table)
{
    for (int i = 0; i < 100; i++)
        table[std::to_string(i) + " is a key, and a long one"].resize(i + 1);
}
MAKER(lost_map)
{
    auto *const m = new std::map<int, std::string>;
    for (int i = 0; i < 20; i++)
        (*m)[i] = std::string(200 + i, 'y');
}
MAKER(lost_list)
{
    auto *const l = new std::list<std::vector<char>>;
    for (int i = 1; i < 10; i++)
        l->push_back(std::vector<char>(i * 10));
}
MAKER(lost_cycle)
{
    auto a = std::make_shared<node>();
    auto b = std::make_shared<node>();
    a->other = b;
    b->other = a;
}
MAKER(alive)
{
    alive = std::make_shared<node>();
    alive->other = std::make_shared<node>();
}
MAKER(nothing)
{
    volatile int n = 0;
    nothing = new counted[n];
}
MAKER(some)
{
    volatile int n = 3;
    counted *volatile lost = new counted[n];
    (void)lost;
}

static void make()
{
    site_kept();
    site_table();
    site_lost_map();
    site_lost_list();
    site_lost_cycle();
    site_alive();
    site_nothing();
    site_some();
}

int main()
{
    apart(make);
    printf("%p\n", (void *)nothing);
}
