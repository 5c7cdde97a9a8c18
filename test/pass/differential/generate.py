"""generate.py -- random functions that access heap blocks in all the ways that merged
counting could get wrong. generate(seed, count, is_cpp) returns the source of `count`
programs in one executable, whose argument selects one.

What a function does depends only on its argument, never on the content of a block, and
no access leaves its block: every array has SIZE elements or more and every index is
masked.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random

SIZE = 64

PROLOGUE = r"""
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
struct rec { int a; long b; double c; struct rec *next; char d[24]; int e[12]; };
struct big { char bytes[200]; };
static int table[64];
static _Thread_local int local[64];
static _Thread_local unsigned calls;
static volatile unsigned sink;
static volatile int stop; /* stays 0 */
NOINLINE static unsigned pure(unsigned x) { return x * 2654435761u >> 3; }
NOINLINE static void look(const void *p) { __asm__ volatile("" ::"r"(p) : "memory"); }
NOINLINE static int *replace(int *p, unsigned x) {
    if (x & 1) return p;
    free(p);
    return (int *)malloc(64 * sizeof(int));
}
NOINLINE static int read_one(const int *p, unsigned i) { return p[i & 63]; }
NOINLINE static void write_some(int *p, unsigned n) {
    for (unsigned i = 0; i < (n & 63); i++) p[i] = (int)i;
}
NOINLINE static void back(int *end, unsigned x) {
    end[-1]++;
    if (x & 1) end[-2] += 2; else end[-3] ^= end[-4];
    end[-5]++;
}
NOINLINE static void last_two(int *end, unsigned n) {
    for (unsigned i = 0; i < (n & 63) + 1; i++) {
        end[-2]++;
        if (__builtin_expect(i == 60, 0)) look(end);
        end[-1]++;
    }
}
NOINLINE static void backwards(int *end, unsigned n) {
    for (int i = 1; i <= (int)(n & 63); i++) end[-i] += i;
}
NOINLINE static void one_based(int *v, unsigned n) { /* of 64: v[1] to v[64] */
    for (unsigned i = 1; i <= (n & 63) + 1; i++) {
        if (n >> i & 1) v[i]++; else v[65 - i] += 2;
        if (n & 64) v[1] ^= v[2];
    }
}
NOINLINE static int constant_one_based(int *v, unsigned n) {
    int sum = 0;
    for (unsigned i = 0; i < (n & 31); i++) {
        if (n >> i & 1) v[1] += (int)i; else v[2] *= sum;
        sum += v[3];
    }
    return sum;
}
NOINLINE static void down(int *v, unsigned n) {
    for (unsigned i = (n & 63) + 1; i >= 1; i--) v[i] = v[1] + (int)i;
}
NOINLINE static void matrix(int **m, unsigned n) { /* rows and columns from 1 */
    for (unsigned i = 1; i <= 3; i++)
        for (unsigned j = 1; j <= (n & 7); j++) m[i][j] += m[1][j] > 0;
}
struct link { struct link *next; int key; };
struct holder { long before[40]; struct link link; };
NOINLINE static int walk(struct link *head, unsigned n) {
    int sum = 0; /* the head lies in a block of its own, without a holder */
    struct holder *h = (struct holder *)((char *)head - offsetof(struct holder, link));
    for (unsigned i = 0; i < (n & 31); i++) {
        if (n >> i & 1) h->link.key++; else sum += h->link.next != head;
        if (&h->link != head) h->before[i]++;
        h = (struct holder *)((char *)h->link.next - offsetof(struct holder, link));
    }
    return sum;
}
NOINLINE static void jump(jmp_buf at, unsigned x) { if (x & 1) longjmp(at, 1); }
NOINLINE static void touch_jump(int *p, jmp_buf at, unsigned x) {
    p[1]++;
    jump(at, x);
    p[2]++;
    if (x & 2) p[3]++;
}
NOINLINE static int drop(int *p, unsigned x) {
    if (x & 4) return 0;
    free(p);
    return 1;
}
"""
PROLOGUE_CPP = r"""
NOINLINE static void may_throw(unsigned x) { if (x % 3 == 0) throw (int)x; }
NOINLINE static void touch_throw(int *p, unsigned x) {
    p[1]++;
    may_throw(x);
    p[2]++;
    if (x & 2) may_throw(x >> 2);
    p[3]++;
}
struct guard { int *p; ~guard() { p[5]++; } };
"""


class Function:
    def __init__(self, rng, name, is_cpp):
        self.rng = rng
        self.name = name
        self.is_cpp = is_cpp
        self.names = 0
        self.loops = 0
        self.fixed = 0      # > 0: pointers may not be replaced
        self.ints = ["p0", "p1", "p2"]
        self.recs = ["s0", "s1"]

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}_{self.names}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    def index(self):
        return self.pick("3", "0", "63", "x & 63", "(x >> 7) & 63",
                         "31", "i & 63")

    def condition(self):
        return self.pick("x & 1", "(x & 7) == 0", "x % 3", "(x & 255) == 1",
                         "i & 1", "i == 5")

    def step(self):
        return "x = x * 1664525u + 1013904223u; x ^= x >> 15;"

    # -- simple statements

    def access(self):
        p, q = self.rng.choice(self.ints), self.rng.choice(self.ints)
        s = self.rng.choice(self.recs)
        return self.pick(
            f"{p}[{self.index()}] += 3;", f"{p}[{self.index()}]++;",
            f"{p}[{self.index()}] = {q}[{self.index()}];",
            f"{p}[1] = {p}[2] + {p}[3] + {q}[4];",
            f"{s}->a++; {s}->b += {s}->a; {s}->c *= 1.5;",
            f"{s}->e[x % 12] = {p}[{self.index()}];",
            f"{s}->b += (long){s}->c;", f"sum += {p}[{self.index()}];",
            f"table[{self.index()}] += {p}[{self.index()}];",
            f"local[{self.index()}]++;", f"{p}[9] ^= local[x & 63];",
            f"stack[x & 63] += {p}[{self.index()}];")

    def intrinsic(self):
        p, q = self.rng.choice(self.ints), self.rng.choice(self.ints)
        s, t = self.rng.sample(self.recs, 2)
        n = self.pick(3, 8, 9, 16, 24, 31, 48, 64, 100, 128, 129, 200)
        return self.pick(
            f"memcpy({p}, stack, {n});", f"memset({p} + 1, {n}, {n});",
            f"memcpy(stack, {q}, {n});", f"memmove({p}, {p} + 2, {n});",
            f"*{s} = *{t};", f"memset({s}, 0, 40);",
            f"memcpy(table, {p}, {n});", f"memset(stack, 0, {n});",
            f"memcpy({p}, table, x & 63);", "memcpy(local, table, 64);")

    def barrier(self):
        p = self.rng.choice(self.ints)
        return self.pick(
            f"one_based({p} - 1, x);", f"down({p} - 1, x);",
            f"sum += constant_one_based({p} - 1, x);",
            f"{{ int *rows[] = {{ 0, {p} - 1, {p} + 7, {p} + 15 }};"
            f" matrix(rows, x); }}",
            "{ struct link *h = (struct link *)malloc(sizeof(*h));"
            " struct holder *o = (struct holder *)calloc(1, sizeof(*o));"
            " h->key = 0; h->next = &o->link; o->link.next = h;"
            " sum += walk(h, x); free(o); free(h); }",
            f"look({p});", "x = pure(x);", f"sum += read_one({p}, x);",
            f"write_some({p}, x);", f"back({p} + 64, x);",
            f"backwards({p} + 64, x);", '__asm__ volatile("" ::: "memory");',
            f"__atomic_fetch_add(&{p}[7], 1, __ATOMIC_RELEASE);",
            f"__atomic_store_n(&{p}[8], 1, __ATOMIC_SEQ_CST);",
            "__atomic_thread_fence(__ATOMIC_ACQ_REL);",
            f"*(volatile int *)&{p}[6] = 1;",
            f"if (depth && calls++ < 20) {{ {self.name}(x, depth - 1); }}")

    def replacement(self):
        if self.fixed:
            return self.access()
        p = self.rng.choice(["p0", "p1", "p2"])
        k = self.fresh("k")
        end = self.fresh("t")
        return self.pick(
            f"for (unsigned {k} = 64; {k} <= 80; {k} += 4) {{"
            f" int *{end} = (int *)malloc({k} * sizeof(int)) + {k};"
            f" back({end}, x); backwards({end}, x); last_two({end}, x);"
            f" free({end} - {k}); }}",
            f"{p}[1]++; if (drop({p}, x)) {p} = (int *)malloc({SIZE} * 8);"
            f" else {{ {p}[2]++; {p}[3]++; }} {p}[4]++;",
            f"for (int {end} = 0; {end} < 9; {end}++) {{ {p}[1]++;"
            f" if (drop({p}, x)) {{ {p} = (int *)malloc({SIZE} * 8); break; }}"
            f" {p}[2]++; {self.step()} }}",
            f"free({p}); {p} = (int *)malloc({SIZE} * sizeof(int));",
            f"free({p}); x = pure(x); {p} = (int *)calloc({SIZE}, 8);",
            f"{p} = (int *)realloc({p}, (64 + (x & 255)) * sizeof(int));",
            f"{p} = replace({p}, x);",
            "{ int *t = p0; p0 = p1; p1 = t; }",
            "free(s0); s0 = (struct rec *)malloc(sizeof(*s0));")

    # -- compound statements

    def body(self, depth, count=None):
        return " ".join(self.statement(depth - 1) for _ in
                        range(count or self.rng.randint(1, 4)))

    def loop(self, depth):
        n = self.pick("5", "17", "(x & 31)", "40", "64", "(x % 100)")
        i = self.fresh("n")
        if self.loops == 1:
            n = self.pick("3", "(x & 15)", "11")
        elif self.loops > 1:
            n = "3"
        self.loops += 1
        self.fixed += self.rng.random() < 0.5
        fixed = self.fixed
        inner = self.body(depth)
        leave = self.pick("", "", f"if ({self.condition()}) break;",
                          f"if ({self.condition()}) continue;",
                          f"if ((x & 1023) == {i}) goto out;")
        head = self.pick(f"for (unsigned {i} = 0; {i} < {n}; {i}++)",
                         f"for (unsigned {i} = {n}; {i}-- > 0;)",
                         f"for (unsigned {i} = 0; {i} < {n} && !stop; {i}++)",
                         f"for (unsigned {i} = 0, {i}s; ({i}s = {i} < {n}) != 0;"
                         f" {i}++, sink = {i}s)")
        self.loops -= 1
        self.fixed = max(0, fixed - 1)
        return f"{head} {{ i = {i}; {self.step()} {inner} {leave} {self.access()} }}"

    def sweep(self):
        p = self.rng.choice(self.ints)
        q = self.rng.choice(self.ints)
        i, r, e = self.fresh("n"), self.fresh("r"), self.fresh("e")
        return self.pick(
            f"for (int {i} = 0; {i} < 64; {i}++) {p}[{i}] += (int)x;",
            f"for (unsigned {i} = 0; {i} < (x & 63); {i}++)"
            f" {p}[{i}] = {q}[{i}] * 3;",
            f"for (int *{r} = {p}, *{e} = {p} + 64; {r} < {e}; {r}++)"
            f" {{ *{r} += 1; if ((x & 127) == (unsigned)({e} - {r})) break; }}",
            f"{{ int *{r}, *{e}; if (x & 2) {{ {r} = {p}; {e} = {p} + 64; }}"
            f" else {{ {r} = {q}; {e} = {q} + 64; }} while ({r} < {e})"
            f" {{ if (x & 1) (*{r}++)++; else (*--{e})--; x = x * 5 + 2; }} }}",
            f"{{ int *{e} = {p} + 64; while ({e} > {p} + (x & 31))"
            f" *--{e} ^= 5; }}",
            f"{{ int *{r} = {p} + 31; for (int {i} = -31; {i} < 32; {i} += 3)"
            f" {r}[{i}]++; }}",
            f"{{ int *{r} = x & 1 ? {p} : {q}; {r}[1]++; {r}[x & 63]++;"
            f" {p}[2]++; {q}[3]++; }}",
            f"for (unsigned {i} = 0; {i} < 20; {i}++) {{ int *{r} ="
            f" ({i} ^ x) & 2 ? {p} : {q} + {i}; {r}[0]++; {r}[1] += {r}[2]; }}")

    def chain(self):
        n, h = self.fresh("n"), self.fresh("h")
        return (f"{{ struct rec *{h} = 0; for (unsigned {n} = 0; {n} < 6; {n}++)"
                f" {{ struct rec *t = (struct rec *)malloc(sizeof(*t));"
                f" t->next = {h}; t->a = (int){n}; {h} = t; }}"
                f" for (struct rec *t = {h}; t; t = t->next)"
                f" {{ t->b = t->a; if (t->next) t->next->a++; }}"
                f" while ({h}) {{ struct rec *t = {h}->next;"
                f" {h}->a++; free({h}); {h} = t; }} }}")

    def jumping(self):
        self.fixed += 1
        text = (f"{{ jmp_buf at; if (setjmp(at) == 0) {{ {self.access()}"
                f" {self.access()} {self.pick('jump(at, x);', f'touch_jump({self.rng.choice(self.ints)}, at, x);')} {self.access()} }} else"
                f" {{ {self.access()} }} {self.access()} }}")
        self.fixed -= 1
        return text

    def throwing(self, depth):
        self.fixed += 1
        inner = self.body(depth, 2)
        g = self.fresh("g")
        guard = f"guard {g}{{{self.rng.choice(self.ints)}}};"
        text = (f"try {{ {self.pick('', guard)} {self.access()} {inner}"
                f" touch_throw({self.rng.choice(self.ints)}, x); {self.access()} {self.sweep()}"
                f" may_throw(x >> 3); {self.access()} }} catch (int)"
                f" {{ {self.access()} {self.step()} }}")
        self.fixed -= 1
        return text

    def statement(self, depth):
        simple = [self.access] * 6 + [self.barrier, self.replacement,
                                      self.intrinsic, self.sweep, self.step]
        if depth <= 0:
            return self.rng.choice(simple)()
        kind = self.rng.random()
        if kind < 0.45:
            return self.rng.choice(simple)()
        if kind < 0.60:
            return f"if ({self.condition()}) {{ {self.body(depth)} }}"
        if kind < 0.70:
            return (f"if ({self.condition()}) {{ {self.body(depth)} }} else"
                    f" {{ {self.body(depth)} }}")
        if kind < 0.76:
            cases = " ".join(f"case {c}: {self.body(depth - 1)}"
                             f" {self.pick('break;', '')}" for c in range(5))
            return f"switch (x % 7) {{ {cases} default: ; }}"
        if kind < 0.79:
            return self.chain()
        if kind < 0.82 and self.is_cpp:
            return self.throwing(depth)
        return self.loop(depth)

    def text(self):
        jumps = self.rng.random() < 0.2
        lines = [self.statement(self.rng.choice((2, 3, 4)))
                 for _ in range(self.rng.randint(3, 6))]
        if jumps:
            lines.insert(1, self.jumping())
        volatile = "volatile " if jumps else ""
        body = "\n    ".join(lines)
        return f"""
NOINLINE static void {self.name}(unsigned x, unsigned depth)
{{
    unsigned {volatile}i = 0; int {volatile}sum = 0; int stack[64] = {{0}};
    int *{volatile}p0 = (int *)malloc({SIZE} * sizeof(int));
    int *{volatile}p1 = (int *)malloc({SIZE} * sizeof(int));
    int *{volatile}p2 = (int *)calloc({SIZE} * 2, sizeof(int));
    struct rec *{volatile}s0 = (struct rec *)calloc(1, sizeof(struct rec));
    struct rec *{volatile}s1 = (struct rec *)malloc(sizeof(struct rec));
    struct rec *{volatile}gone = s1;
    s1->next = s0;
    {body}
out:
    sink = sink + (unsigned)(sum + stack[5]);
    look(p0); look(p1); look(p2); look(s0); look(gone);
    {self.pick("free(p0); free(p1);", "", "free(p1);")}
    free(p2); free(s0); free(gone);
}}
"""


def program(rng, number, names):
    """What the process does that is started with this number: one function, in
    some programs also two threads, each on its own blocks."""
    name, other = names[number], rng.choice(names)
    calls = f"{name}({rng.getrandbits(31)}u, 1);"
    if rng.random() < 0.7:
        return f"case {number}: {calls} {name}({rng.getrandbits(31)}u, 0); break;"
    return (f"case {number}: start(0, {name}, {rng.getrandbits(31)}u);"
            f" start(1, {other}, {rng.getrandbits(31)}u); {calls} join(); break;")


def generate(seed, count, is_cpp):
    rng = random.Random(seed)
    functions = [Function(rng, f"f{k}", is_cpp) for k in range(count)]
    text = PROLOGUE + (PROLOGUE_CPP if is_cpp else "")
    text += "".join(f.text() for f in functions)
    names = [f.name for f in functions]
    programs = "\n    ".join(program(rng, k, names) for k in range(count))
    return text + f"""
struct job {{ void (*run)(unsigned, unsigned); unsigned x; pthread_t thread; }};
static struct job jobs[2];
static void *work(void *job) {{
    ((struct job *)job)->run(((struct job *)job)->x, 0);
    return 0;
}}
static void start(int k, void (*run)(unsigned, unsigned), unsigned x) {{
    jobs[k].run = run;
    jobs[k].x = x;
    pthread_create(&jobs[k].thread, 0, work, &jobs[k]);
}}
static void join(void) {{
    pthread_join(jobs[0].thread, 0);
    pthread_join(jobs[1].thread, 0);
}}
int main(int argc, char **argv)
{{
    switch (argc > 1 ? atoi(argv[1]) : -1) {{
    {programs}
    default: return 1;
    }}
    return 0;
}}
"""


if __name__ == "__main__":
    import sys
    print(generate(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "cpp"))
