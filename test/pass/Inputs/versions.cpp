/* versions.cpp -- control flow of all kinds, while bursts of counting begin and
 * end. Prints what it computes, which is the same in any build. */
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

struct node {
    node *left, *right;
    unsigned value;
};

static unsigned next(unsigned *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static node *insert(node *root, unsigned value)
{
    node **at = &root;

    while (*at != nullptr)
        at = value < (*at)->value ? &(*at)->left : &(*at)->right;
    *at = new node{nullptr, nullptr, value};
    return root;
}

static unsigned sum(const node *root)
{
    return root == nullptr ? 0
                           : root->value + 3 * sum(root->left) +
                                 5 * sum(root->right);
}

static void destroy(node *root)
{
    if (root == nullptr)
        return;
    destroy(root->left);
    destroy(root->right);
    delete root;
}

/* Jumps from each instruction to the next one's code. */
static unsigned interpret(const unsigned char *code, unsigned *stack)
{
    static void *const labels[] = {&&push, &&add, &&mul, &&dup, &&loop, &&end};
    unsigned *top = stack;
    unsigned rounds = 0;

#define NEXT goto *labels[*code++]
    NEXT;
push:
    *top++ = *code++;
    NEXT;
add:
    top--;
    top[-1] += *top;
    NEXT;
mul:
    top--;
    top[-1] = top[-1] * *top + rounds;
    NEXT;
dup:
    *top = top[-1];
    top++;
    NEXT;
loop:
    if (++rounds < *code++ * 50u)
        code -= *code;
    else
        code++;
    NEXT;
end:
    return top[-1];
}

static unsigned scan(const char *text, unsigned *table)
{
    unsigned state = 0, hash = 0;

    for (; *text != 0; text++) {
        switch (state) {
        case 0:
            if (*text == '(')
                state = 1;
            else if (*text >= '0' && *text <= '9')
                goto number;
            break;
        case 1:
            table[*text & 31]++;
            if (*text == ')')
                state = 2;
            break;
        number:
        case 2:
            hash = hash * 31 + (unsigned char)*text + table[hash & 31];
            state = *text == ' ' ? 0 : 2;
            break;
        }
    }
    return hash + state;
}

static jmp_buf back;

static void leave(unsigned *counter, unsigned depth)
{
    counter[depth & 7]++;
    if (depth == 0)
        longjmp(back, 1);
    leave(counter, depth - 1);
    counter[0] += 1000000;
}

static __attribute__((noinline)) unsigned jump(unsigned *counter, unsigned n)
{
    volatile unsigned i = 0;
    unsigned total = 0;

    if (setjmp(back) != 0)
        i = i + 1;
    if (i < n)
        leave(counter, i % 10);
    for (unsigned k = 0; k < 8; k++)
        total = total * 7 + counter[k];
    return total;
}

static unsigned may_throw(const std::vector<unsigned> &values, unsigned i)
{
    if (values.at(i) % 3 == 0)
        throw std::runtime_error("three");
    return values[i];
}

static unsigned catches(const std::vector<unsigned> &values)
{
    unsigned total = 0;

    for (unsigned i = 0; i <= values.size(); i++) {
        try {
            total += may_throw(values, i);
        } catch (const std::runtime_error &) {
            total = total * 3 + 1;
        } catch (const std::out_of_range &) {
            total ^= 77;
        }
    }
    return total;
}

static double multiply(const double *a, const double *b, unsigned n)
{
    double total = 0;

    for (unsigned i = 0; i < n; i++) {
        double row = 0;
        for (unsigned k = 0; k < n; k++)
            row += a[i * n + k] * b[k * n + i];
        total += row * (i % 5);
    }
    return total;
}

static unsigned once(unsigned seed)
{
    static const unsigned char code[] = {0, 7, 3, 0, 5, 2, 1, 4, 3, 7, 5};
    unsigned state = seed, result = 0;
    node *root = nullptr;
    auto *const stack = new unsigned[256]();
    auto *const table = new unsigned[32]();
    auto *const text = static_cast<char *>(malloc(4096));
    auto *const numbers = new double[2 * 40 * 40];
    std::vector<unsigned> values;

    for (unsigned i = 0; i < 400; i++) {
        root = insert(root, next(&state));
        values.push_back(next(&state) >> 8);
    }
    for (unsigned i = 0; i < 4095; i++)
        text[i] = "(0 12)a9"[next(&state) >> 29];
    text[4095] = 0;
    for (unsigned i = 0; i < 2 * 40 * 40; i++)
        numbers[i] = next(&state) >> 24;
    result += sum(root);
    result = result * 31 + interpret(code, stack);
    result = result * 31 + scan(text, table);
    result = result * 31 + jump(table, 40);
    result = result * 31 + catches(values);
    result = result * 31 +
             static_cast<unsigned>(multiply(numbers, numbers + 1600, 40));
    destroy(root);
    delete[] stack;
    delete[] table;
    delete[] numbers;
    free(text);
    return result;
}

int main()
{
    const unsigned expected = once(1);
    unsigned bad = 0;
    for (unsigned i = 0; i < 400; i++)
        bad += once(1) != expected;
    printf("%u, %u differ\n", expected, bad);
    return bad != 0;
}
