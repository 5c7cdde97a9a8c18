// nodes.c with classes: nodes are read all the time, payloads are not, and one
// function makes both.
#include <cstdio>
#include <new>

struct Payload {
    long values[8];
};

struct Node {
    Node *next;
    long value;
    Payload *payload;
};

[[gnu::noinline]] static void *grab(unsigned long size)
{
    void *block = operator new(size);

    if (size == 7)
        std::puts("");
    return block;
}

[[gnu::noinline]] static Node *make_node(Node *next, long value)
{
    return new (grab(sizeof(Node))) Node{next, value, nullptr};
}

[[gnu::noinline]] static Payload *make_payload(long value)
{
    return new (grab(sizeof(Payload))) Payload{{value}};
}

int main()
{
    Node *list = nullptr;
    long sum = 0;

    for (long i = 0; i < 1000; i++) {
        list = make_node(list, i);
        list->payload = make_payload(i);
    }
    for (int round = 0; round < 1000; round++) {
        for (Node *node = list; node != nullptr; node = node->next)
            sum += node->value;
    }
    std::printf("%ld\n", sum);
}
