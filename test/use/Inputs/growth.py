"""growth.py generate COUNT          C source: COUNT large functions that a cold and a
                                   hot caller share, each block its own size
growth.py pair                     C source: one function with two calls, which its four
                                   callers find cold and hot in all combinations
growth.py twice                    C source: two calls behind two large functions, which
                                   a caller wants cloned in one way for each call
growth.py rings                    the same; each of the two calls is in a function that
                                   calls itself by way of another
growth.py check PERCENT OLD NEW     instructions of NEW are within the bound: OLD's and
                                   PERCENT of them, or 500; prints by how many it grew
"""
import re
import sys

WORK = "".join(f"    x = x * {2 * i + 3} ^ (x >> {i % 7 + 1});\n" for i in range(40))


def generate(count):
    print("#include <stdio.h>\n#include <stdlib.h>\n#define NOINLINE __attribute__((noinline))")
    print("static long *all[%d][50];\nvolatile unsigned long seed = 1;" % count)
    for i in range(count):
        print(f"NOINLINE long *shared{i}(unsigned long x)\n{{\n{WORK}"
              f"    long *p = malloc({256 + 8 * i});\n    if (p == NULL) abort();\n"
              f"    p[0] = x;\n    return p;\n}}\n"
              f"NOINLINE long *cold{i}(void) {{ return shared{i}(seed); }}\n"
              f"NOINLINE long *hot{i}(void) {{ return shared{i}(seed + 1); }}")
    print("int main(void)\n{\n    long sum = 0;\n    for (int i = 0; i < 50; i++) {")
    for i in range(count):
        print(f"        cold{i}();\n        all[{i}][i] = hot{i}();")
    print(f"    }}\n    for (int r = 0; r < 500; r++)\n        for (int k = 0; k < {count}; k++)\n"
          "            for (int i = 0; i < 50; i++)\n                sum += all[k][i][1]++;\n"
          "    printf(\"%ld\\n\", sum);\n}")


def pair():
    print("#include <stdio.h>\n#include <stdlib.h>\n#define NOINLINE __attribute__((noinline))")
    print("static long *all[8][50];\nvolatile unsigned long seed = 1;\n"
          "struct both { long *one, *two; };")
    print(f"NOINLINE void pair(struct both *both, unsigned long x)\n{{\n{WORK}{WORK}"
          "    long *p = malloc(256), *q = malloc(264);\n"
          "    if (p == NULL || q == NULL) abort();\n"
          "    p[0] = q[0] = x;\n    *both = (struct both){p, q};\n}")
    for name in ("cc", "ch", "hc", "hh"):
        print(f"NOINLINE struct both {name}(void) {{ struct both b; pair(&b, seed); return b; }}")
    print("int main(void)\n{\n    long sum = 0;\n    for (int i = 0; i < 50; i++) {\n"
          "        cc();\n        all[0][i] = ch().two;\n        all[1][i] = hc().one;\n"
          "        struct both b = hh();\n        all[2][i] = b.one;\n        all[3][i] = b.two;\n"
          "    }\n    for (int r = 0; r < 500; r++)\n        for (int k = 0; k < 4; k++)\n"
          "            for (int i = 0; i < 50; i++)\n                sum += all[k][i][1]++;\n"
          "    printf(\"%ld\\n\", sum);\n}")


TWO = """NOINLINE long *one(int n) { long *p = malloc(256); if (p == NULL) abort(); return p; }
NOINLINE long *two(int n) { long *p = malloc(264); if (p == NULL) abort(); return p; }"""
RING = """NOINLINE long *%(a)s(int n);
NOINLINE long *%(a)s_back(int n) { long *p = %(a)s(n - 1); p[0]++; return p; }
NOINLINE long *%(a)s(int n)
{
    long *p = n > 0 ? %(a)s_back(n) : malloc(%(size)d);
    if (p == NULL) abort();
    p[0] = n;
    return p;
}"""


def rings():
    return "\n".join(RING % {"a": name, "size": size} for name, size in (("one", 256), ("two", 264)))


def twice(allocating):
    """`relay` calls what `same` allocates first for one caller (cold) and second for
    another (not), both through one call in `shared`: LLVM needs a copy more."""
    work = "".join(f"    x = x * {2 * i + 3} ^ (x >> {i % 7 + 1});\n" for i in range(70))
    print("#include <stdio.h>\n#include <stdlib.h>\n#define NOINLINE __attribute__((noinline))")
    print("static long *all[2][50];\nvolatile unsigned long seed = 1;")
    print(allocating)
    print(f"NOINLINE long *same(int second, unsigned long x)\n{{\n{work}"
          "    long *p = second ? one(1) : two(1);\n    p[0] = x;\n    return p;\n}")
    print(f"NOINLINE long *relay(int second, unsigned long x)\n{{\n{work}"
          "    long *p = same(second, x);\n    p[0]++;\n    return p;\n}")
    print("NOINLINE long *shared(int second)\n{\n    long *p = relay(second, seed);\n"
          "    p[0]++;\n    return p;\n}")
    for name, second in (("first_cold", 0), ("second_hot", 1)):
        print(f"NOINLINE long *{name}(void) {{ long *p = shared({second}); p[0]++; return p; }}")
    for name, second in (("first_hot", 0), ("second_cold", 1)):
        print(f"NOINLINE long *{name}(void) {{ long *p = relay({second}, seed); p[0]++; return p; }}")
    print("int main(void)\n{\n    long sum = 0;\n    for (int i = 0; i < 50; i++) {\n"
          "        first_cold(); second_cold();\n"
          "        all[0][i] = first_hot(); all[1][i] = second_hot();\n    }\n"
          "    for (int r = 0; r < 500; r++)\n        for (int k = 0; k < 2; k++)\n"
          "            for (int i = 0; i < 50; i++)\n                sum += all[k][i][1]++;\n"
          "    printf(\"%ld\\n\", sum);\n}")


def instructions(path):
    inside, count = False, 0
    for line in open(path):
        if line.startswith("define "):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and re.match(r"  [%a-z]", line) and "#dbg_" not in line:
            count += 1
    return count


def check(percent, old, new):
    before, after = instructions(old), instructions(new)
    budget = max(before * percent // 100, 500) if percent else 0
    print(f"grew by {after - before} of {before} instructions, at most {budget}")
    return after - before <= budget


if sys.argv[1] == "generate":
    generate(int(sys.argv[2]))
elif sys.argv[1] == "pair":
    pair()
elif sys.argv[1] == "twice":
    twice(TWO)
elif sys.argv[1] == "rings":
    twice(rings())
else:
    sys.exit(not check(int(sys.argv[2]), sys.argv[3], sys.argv[4]))
