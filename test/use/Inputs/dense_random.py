#!/usr/bin/env python3
"""dense_random.py SEED -- prints a random program in C that is also C++: structs of random
members, allocated in several ways, filled by loops that the compiler may vectorize,
resized, copied, freed. It prints sums of what it reads back.
"""
import random
import sys

MEMBERS = ["void *{}", "char *{}", "long {}", "double {}", "int {}", "short {}", "char {}",
           "char {}[16]", "char {}[24]", "double {}[2]", "double {}[4]", "float {}[4]",
           "int {}[3]", "long double {}", "struct {{ void *p; double d[3]; }} {}"]
WAYS = ["({0} *)malloc(sizeof({0}))", "({0} *)calloc(1, sizeof({0}))",
        "({0} *)malloc(2 * sizeof({0}))", "({0} *)take(sizeof({0}))", "MAKE({0})",
        "({0} *)realloc(malloc(8), sizeof({0}))"]


def struct(r, n):
    members = [r.choice(MEMBERS).format(f"m{i}") for i in range(r.randint(1, 6))]
    return (f"struct s{n} {{ struct s{n} *next; {'; '.join(members)}; }};\n"
            f"typedef struct s{n} t{n};\n"), members


def fill(member, k):
    name = member.split("}")[-1].split("[")[0].split()[-1].strip("*")
    if member.startswith("struct"):
        return (f"for (int k = 0; k < 3; k++) p->{name}.d[k] = k + i;",
                f"for (int k = 0; k < 3; k++) sum += p->{name}.d[k];")
    if "[" in member:
        count = member.split("[")[1].strip("]")
        kind = member.split()[0]
        return (f"for (int k = 0; k < {count}; k++) p->{name}[k] = ({kind})(k + i % 50);",
                f"for (int k = 0; k < {count}; k++) sum += (double)p->{name}[k];")
    kind = member.rsplit(" ", 1)[0]
    if "*" in member:
        return f"p->{name} = text + i % 9;", f"sum += (double)((char *)p->{name} - text);"
    return f"p->{name} = ({kind})(i % 60 + {k});", f"sum += (double)p->{name};"


def main():
    r = random.Random(int(sys.argv[1]))
    print("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
          "#ifdef __cplusplus\n#define MAKE(t) new t()\n#define DROP(p) delete p\n#else\n"
          "#define MAKE(t) (t *)malloc(sizeof(t))\n#define DROP(p) free(p)\n#endif\nstatic char text[16];\n"
          "static double sum;\n"
          "static void *take(size_t n) { void *p = malloc(n); return p; }")
    count = 12
    for n in range(count):
        text, members = struct(r, n)
        filled = [fill(m, k) for k, m in enumerate(members)]
        way = r.choice(WAYS).format(f"t{n}")
        free = "DROP" if "MAKE" in way else "free"
        print(text)
        print(f"static __attribute__((noinline)) t{n} *make{n}(int i) {{\n"
              f"    t{n} *p = {way};\n    memset(p, 0, sizeof *p);\n    "
              + "\n    ".join(f[0] for f in filled) + "\n    return p;\n}")
        print(f"static void run{n}(void) {{\n    t{n} *first = NULL;\n"
              f"    for (int i = 0; i < 3000; i++) {{\n        t{n} *p = make{n}(i);\n"
              f"        t{n} copy = *p;\n        *p = copy;\n"
              "        p->next = first;\n        first = p;\n"
              f"        if (i % {r.randint(2, 9)} == 0 && first->next != NULL) {{\n"
              f"            t{n} *old = first->next;\n            first->next = old->next;\n"
              "            " + free + "(old);\n        }\n    }\n"
              f"    for (int j = 0; j < 20; j++)\n        for (t{n} *p = first; p; p = p->next) {{\n"
              "            " + "\n            ".join(f[1] for f in filled) + "\n        }\n"
              f"    for (t{n} *p = first, *next; p; p = next) {{\n        next = p->next;\n"
              + ("        free(realloc(p, 300));" if r.random() < 0.3 and free == "free"
                 else f"        {free}(p);")
              + "\n    }\n}")
    print("int main(void) {\n" + "".join(f"    run{n}(); printf(\"%.3f\\n\", sum);\n"
                                         for n in range(count)) + "    return 0;\n}")


if __name__ == "__main__":
    main()
