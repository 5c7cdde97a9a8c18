/* joints.cpp -- see joints.h. Prints for each joint which of its two blocks came
 * with a hint that they are cold. */
#include "joints.h"

#include <cstdio>
#include <cstdlib>

enum class __hot_cold_t : unsigned char {};
static int hinted;
static volatile int sink;

__attribute__((used)) void *operator new[](size_t size, __hot_cold_t hint)
{
    hinted += (int)hint == 1;
    return malloc(size);
}

static NOINLINE void read_often(const char *block)
{
    for (int i = 0; i < 100000; i++)
        sink += ((const volatile char *)block)[i % 8];
}

static void report(const char *name, int cold, int hot)
{
    printf("%s: cold %d hot %d\n", name, cold, hot);
}

/* Each makes its block by a call of its own. */
#define JOINT(name, cold_call, hot_call)                 \
    static NOINLINE void joint_##name()                  \
    {                                                    \
        int before = hinted;                             \
        char *cold = cold_call;                          \
        int cold_hinted = hinted - before;               \
        char *hot = hot_call;                            \
        read_often(hot);                                 \
        asm volatile("" : "+r"(cold), "+r"(hot));        \
        report(#name, cold_hinted, hinted - before - cold_hinted); \
    }

/* -- one function between */
static NOINLINE char *basic()
{
    char *block = new char[10];
    asm volatile("" : "+r"(block));
    return block;
}
static NOINLINE char *basic_cold() { char *b = basic(); asm volatile("" : "+r"(b)); return b; }
static NOINLINE char *basic_hot() { char *b = basic(); asm volatile("" : "+r"(b)); return b; }
JOINT(basic, basic_cold(), basic_hot())

/* -- inlined into the one caller, or a chain of both */
static INLINE char *inner() { return new char[10]; }
static NOINLINE char *outer() { char *b = inner(); asm volatile("" : "+r"(b)); return b; }
static NOINLINE char *outer_cold() { char *b = outer(); asm volatile("" : "+r"(b)); return b; }
static INLINE char *outer_hot() { return outer(); }
JOINT(inlined, outer_cold(), outer_hot())

static INLINE char *chain_inline() { return basic(); }
static NOINLINE char *chain() { char *b = chain_inline(); asm volatile("" : "+r"(b)); return b; }
static INLINE char *chain_again() { return chain(); }
JOINT(inlined_chain, chain_again(), chain_again())

/* -- through a pointer */
static char *(*volatile pointer)() = basic_hot;
static NOINLINE char *pointed() { return basic(); }
static NOINLINE char *through(char *(*call)()) { char *b = call(); asm volatile("" : "+r"(b)); return b; }
static char *indirect(char *(*call)()) { pointer = call; return through(pointer); }
JOINT(indirectcall, indirect(pointed), indirect(pointed))

/* -- calls that leave no frame */
static NOINLINE char *tail() { [[clang::musttail]] return basic(); }
JOINT(tailcall, tail(), tail())
static NOINLINE char *end_of_ways(int) { return basic(); }
static NOINLINE char *one_way(int n) { [[clang::musttail]] return end_of_ways(n); }
static NOINLINE char *other_way(int n) { sink = n; [[clang::musttail]] return end_of_ways(n); }
static NOINLINE char *either(int n)
{
    if (n != 0)
        [[clang::musttail]] return one_way(n);
    [[clang::musttail]] return other_way(n);
}
JOINT(tailcall_nonunique, either(1), either(0))

/* -- recursion */
static NOINLINE char *recurse(int depth)
{
    char *b = depth == 0 ? new char[10] : recurse(depth - 1);
    asm volatile("" : "+r"(b));
    return b;
}
JOINT(recursive, recurse(2), recurse(2))
JOINT(recursive_depth, recurse(0), recurse(3))

/* -- two calls at one place of the source */
static NOINLINE char *one_there() { char *b = basic(); asm volatile("" : "+r"(b)); return b; }
static NOINLINE char *two_there() { char *b = basic(); asm volatile("" : "+r"(b)); return b; }
#define CALL_BOTH_THERE (*cold = one_there(), *hot = two_there())
static NOINLINE void aliased(char **cold, char **hot) { CALL_BOTH_THERE; }
static char *at_once[2];
static NOINLINE char *first_there() { aliased(&at_once[0], &at_once[1]); return at_once[0]; }
JOINT(aliased_location, first_there(), at_once[1])

/* -- callers in common, further up and further down */
static NOINLINE char *low() { char *b = basic(); asm volatile("" : "+r"(b)); return b; }
static NOINLINE char *middle() { char *b = low(); asm volatile("" : "+r"(b)); return b; }
JOINT(overlapping, low(), middle())
JOINT(overlapping_more, middle(), low())

/* -- the same inlined twice into one function */
static INLINE char *copy() { return low(); }
static NOINLINE char *copies(int which)
{
    char *b;
    if (which != 0) {
        b = copy();
        asm volatile("# one" : "+r"(b));
    } else {
        b = copy();
        asm volatile("# other" : "+r"(b));
    }
    return b;
}
JOINT(duplicate_contexts, copies(1), copies(0))

/* -- another unit */
JOINT(far_call, far_make(), far_make())
JOINT(far_tailcall, far_tail(), far_tail())
JOINT(far_deeper, far_pass(), far_pass())
JOINT(far_alias_call, far_alias(), far_alias())
JOINT(far_two_calls, far_twice(0), far_twice(1))

int main()
{
    joint_basic();
    joint_inlined();
    joint_inlined_chain();
    joint_indirectcall();
    joint_tailcall();
    joint_tailcall_nonunique();
    joint_recursive();
    joint_recursive_depth();
    joint_aliased_location();
    joint_overlapping();
    joint_overlapping_more();
    joint_duplicate_contexts();
    joint_far_call();
    joint_far_tailcall();
    joint_far_deeper();
    joint_far_alias_call();
    joint_far_two_calls();
}
