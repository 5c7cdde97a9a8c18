/* kinds.cpp -- the functions. ALLOC(size) allocates. */
#include "kinds.h"

#include <coroutine>
#include <csetjmp>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

#define NEW ((node *)ALLOC(sizeof(node)))
#define PICK(name) extern "C" NOINLINE node *pick_##name(int k)
#define INLINE static inline __attribute__((always_inline))

static node *mark(node *n, long value) { n->v[1] = value; return n; }

PICK(plain) { return mark(NEW, k); }

/* A table of labels. */
PICK(labels)
{
    static void *const table[] = {&&even, &&odd};
    goto *table[k & 1];
even:
    return mark(NEW, 2);
odd:
    return mark(NEW, 3);
}

/* A table of differences of labels. */
PICK(offsets)
{
    static const int table[] = {0, (int)((char *)&&odd - (char *)&&even)};
    goto *(void *)((char *)&&even + table[k & 1]);
even:
    return mark(NEW, 2);
odd:
    return mark(NEW, 3);
}

/* Labels in a function that the allocation is inlined into. */
INLINE node *small(long value) { return mark(NEW, value); }
NOINLINE static node *large(long value) { return mark(NEW, value); }
PICK(inlined)
{
    static void *const table[] = {&&even, &&odd};
    node *n = small(k);
    goto *table[k & 1];
even:
    n->v[2] = 5;
    return n;
odd:
    n->v[2] = 7;
    return n;
}

/* Labels in a function that calls the allocating one last. */
PICK(tail)
{
    static void *const table[] = {&&even, &&odd};
    long value;
    goto *table[k & 1];
even:
    value = 11;
    goto out;
odd:
    value = 13;
out:
    return large(value + k);
}

extern "C" NOINLINE node *must(int k) { return mark(NEW, k); }
PICK(musttail)
{
    static void *const table[] = {&&even, &&odd};
    static int turn;
    goto *table[turn++ & 1];
even:
    k++;
odd:
    [[clang::musttail]] return must(k);
}

/* A label's address that leaves the function. */
static void *volatile passed;
PICK(passed)
{
    passed = k & 1 ? &&odd : &&even;
    node *n = NEW;
    if (passed == &&even)
        goto even;
odd:
    return mark(n, 3);
even:
    return mark(n, 2);
}

/* Assembly that defines a symbol. */
PICK(symbol)
{
    node *n = NEW;
    __asm__ volatile("kinds_symbol:\n\tnop" : : : "memory");
    return mark(n, k);
}

PICK(assigned)
{
    node *n = NEW;
    __asm__ volatile(".globl kinds_assigned; .set kinds_assigned, ." : : : "memory");
    return mark(n, k);
}

/* The same in what is inlined. */
static void inner(void) { __asm__ volatile("nop; kinds_inner: nop" : : : "memory"); }
PICK(inner)
{
    node *n = NEW;
    inner();
    return mark(n, k);
}

INLINE void forced(void) { __asm__ volatile(" kinds_forced :\n nop" : : : "memory"); }
PICK(forced)
{
    node *n = NEW;
    forced();
    return mark(n, k);
}

/* The same behind a comment, in quotes, and by repetition. */
PICK(commented)
{
    node *n = NEW;
    __asm__ volatile("/* here */ kinds_symbol_commented: nop" : : : "memory");
    return mark(n, k);
}

PICK(quoted)
{
    node *n = NEW;
    __asm__ volatile("\"kinds symbol quoted\": nop" : : : "memory");
    return mark(n, k);
}

PICK(repeated)
{
    node *n = NEW;
    __asm__ volatile(".irp end,a,b\n\tkinds_symbol_\\end: nop\n\t.endr" : : : "memory");
    return mark(n, k);
}

/* Labels that may be copied. */
PICK(numbered)
{
    long value = k;
    __asm__ volatile("kinds%=_a: nop\n.Lb%=: addq $1, %0" : "+r"(value));
    return mark(NEW, value);
}

PICK(local)
{
    long value = k;
    __asm__ volatile("movl $3, %%ecx\n1: addq $1, %0\n\tdecl %%ecx\n\tjnz 1b"
                     : "+r"(value) : : "ecx", "cc");
    return mark(NEW, value);
}

PICK(asmgoto)
{
    __asm__ goto("testl $1, %0\n\tjnz %l[odd]" : : "r"(k) : "cc" : odd);
    return mark(NEW, 2);
odd:
    return mark(NEW, 3);
}

__attribute__((noduplicate)) NOINLINE static void once(void) { __asm__ volatile("" : : : "memory"); }
PICK(noduplicate)
{
    once();
    return mark(NEW, k);
}

__attribute__((weak)) PICK(weak) { return mark(NEW, k); }

NOINLINE static node *variadic(int count, ...)
{
    va_list list;
    long sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int);
    va_end(list);
    return mark(NEW, sum);
}
PICK(varargs) { return variadic(3, k, k + 1, k + 2); }

PICK(jumps)
{
    jmp_buf env;
    volatile int tries = 0;
    node *volatile n = nullptr;
    if (setjmp(env) < 3) {
        free(n);
        n = (node *)malloc(sizeof(node));
        tries = tries + 1;
        longjmp(env, tries);
    }
    free(n);
    return mark(NEW, tries + k);
}

NOINLINE static node *throwing(int k)
{
    node *n = NEW;
    mark(n, k);
    throw n;
}
PICK(thrown)
{
    try {
        return throwing(k);
    } catch (node *n) {
        n->v[1]++;
        return n;
    }
}

struct counted {
    static long alive;
    counted() { alive++; }
    ~counted() { alive--; }
};
long counted::alive;
NOINLINE static void risky(int k) { if (k < 0) throw k; }
PICK(cleanup)
{
    counted guard;
    node *n = NEW;
    risky(k);
    return mark(n, counted::alive);
}

struct task {
    struct promise_type {
        node *value = nullptr;
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(node *n) { value = n; }
        void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};
NOINLINE static task produce(int k)
{
    node *n = NEW;
    co_await std::suspend_always{};
    co_return mark(n, k);
}
PICK(coroutine)
{
    task t = produce(k);
    while (!t.handle.done())
        t.handle.resume();
    node *n = t.handle.promise().value;
    t.handle.destroy();
    return n;
}

NOINLINE static node *deep(int depth, int k)
{
    node *n = depth == 0 ? NEW : deep(depth - 1, k);
    n->v[2] = k;
    return n;
}
PICK(recursive) { return mark(deep(2 + (k & 1), k), k); }

PICK(address)
{
    static node *(*volatile self)(int) = pick_address;
    return mark(NEW, self == pick_address ? k : -1);
}

extern "C" NOINLINE node *aliased(int k) { return mark(NEW, k); }
extern "C" node *pick_alias(int k) __attribute__((alias("aliased")));

extern "C" node *bare(int) __attribute__((naked));
extern "C" NOINLINE __attribute__((used)) node *bare_target(int k) { return mark(NEW, k); }
extern "C" node *bare(int) { __asm__("jmp bare_target"); }
PICK(naked) { return bare(k); }

__attribute__((target_clones("default", "avx2"))) node *versioned(int k) { return mark(NEW, k); }
PICK(versions) { return versioned(k); }

struct aggregate {
    node *n;
    long more[6];
};
NOINLINE static aggregate build(aggregate in, int k)
{
    in.n = NEW;
    in.more[k & 3] += k;
    return in;
}
PICK(aggregate)
{
    aggregate a = build(aggregate{nullptr, {1, 2, 3, 4, 5, 6}}, k);
    return mark(a.n, a.more[k & 3]);
}

PICK(dynamic)
{
    char *text = (char *)__builtin_alloca((size_t)k + 8);
    memset(text, k, (size_t)k + 8);
    return mark(NEW, text[k]);
}

__attribute__((regcall)) NOINLINE node *called(int k) { return mark(NEW, k); }
__attribute__((preserve_most)) NOINLINE node *preserving(int k) { return mark(NEW, k); }
PICK(convention) { return k & 2 ? called(k) : preserving(k); }

__attribute__((optnone)) PICK(optnone) { return mark(NEW, k); }

struct base {
    virtual node *make(int k) { return mark(NEW, k); }
    virtual ~base() {}
};
struct derived : virtual base {
    node *inner;
    derived(int k) : inner(mark(NEW, k)) {}
};
PICK(member)
{
    derived d(k);
    return d.inner;
}

inline NOINLINE node *shared(int k)
{
    static int calls;
    return mark(NEW, k + (calls++ & 1));
}
PICK(common) { return shared(k); }

PICK(count)
{
    static long calls;
    node *n = NEW;
    n->v[2] = ++calls;
    return mark(n, __COUNTER__ + k);
}

/* Through a type that is not the function's. */
PICK(mistyped)
{
    return mark(((node * (*)(size_t, int)) malloc)(sizeof(node), k), k);
}
