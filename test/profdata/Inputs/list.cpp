// A list whose nodes come from one function, a vector that grows in the C++
// library, and a buffer behind two inlined functions.
#include <cstdlib>
#include <cstring>
#include <vector>

struct node {
    node *next;
    char payload[40];
};

__attribute__((noinline)) static node *push(node *head)
{
    node *n = new node;
    n->next = head;
    memset(n->payload, 1, sizeof(n->payload));
    return n;
}

static inline char *inner(size_t n)
{
    return static_cast<char *>(malloc(n));
}

static inline char *outer(size_t n)
{
    return inner(2 * n);
}

int main(int argc, char **)
{
    node *head = nullptr;
    for (int i = 0; i < 100; i++)
        head = push(head);

    char *buffer = outer(static_cast<size_t>(argc) * 5000);
    for (int i = 0; i < 10000; i++)
        const_cast<volatile char *>(buffer)[i] = 1;
    free(buffer);

    std::vector<int> numbers;
    for (int i = 0; i < 50; i++)
        numbers.push_back(i);
    return numbers[static_cast<size_t>(argc)] == 7 && head->payload[3] == 7;
}
