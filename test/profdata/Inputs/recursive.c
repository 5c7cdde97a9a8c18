#include <stdlib.h>

struct node {
    struct node *left, *right;
    char payload[112];
};

/* 2^depth - 1 nodes of 128 bytes. */
__attribute__((noinline)) static struct node *make_tree(int depth)
{
    struct node *node;

    if (depth == 0)
        return NULL;
    node = malloc(sizeof(*node));
    node->left = make_tree(depth - 1);
    node->right = make_tree(depth - 1);
    return node;
}

__attribute__((noinline)) static void *make_buffer(void)
{
    return malloc(1024);
}

int main(void)
{
    static struct node *volatile root;
    static void *volatile buffer;

    root = make_tree(6);
    buffer = make_buffer();
    return root == NULL || buffer == NULL;
}
