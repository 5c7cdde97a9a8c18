// Blocks of several types, told apart by their sizes.
#include <map>
#include <stdlib.h>
#include <string.h>

struct Order {
    int lines[3];
};
struct Line {
    double numbers[6];
};

struct Entry {
    char text[4444];
};

// An allocator of the program's own, with a number in front of each block.
__attribute__((noinline)) static void *get(size_t n)
{
    size_t *block = (size_t *)malloc(n);

    *block = n;
    return block;
}

static void *volatile kept[32];

int main()
{
    std::map<int, Order> orders;

    for (int i = 0; i < 5; i++)
        orders[i].lines[0] = i;
    for (int i = 0; i < 10; i++)
        kept[i] = (Line *)get(sizeof(Line));
    kept[10] = new Order *[200];
    kept[11] = static_cast<char *>(get(333));
    kept[12] = get(777); // nobody says of what
    // The second lambda is the first that allocates.
    auto keep = [](int i, void *p) { kept[i] = p; };
    keep(13, [] { return new Entry; }());
    return 0;
}
