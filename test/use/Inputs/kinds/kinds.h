/* kinds.h -- functions that are hard to copy. Each pick_NAME(k) allocates a node
 * for a list that is read often (k odd) and for one that is not (k even), so
 * that a compiler that uses a profile wants a copy of it for the cold list. */
#pragma once

#include <stddef.h>

struct node {
    long v[3];
    struct node *next;
};

#define KINDS(X)                                                                \
    X(plain) X(labels) X(offsets) X(inlined) X(tail) X(musttail) X(passed)      \
    X(symbol) X(assigned) X(inner) X(forced) X(numbered) X(local) X(asmgoto)    \
    X(commented) X(quoted) X(repeated)                                          \
    X(noduplicate) X(weak) X(varargs) X(jumps) X(thrown) X(cleanup) X(coroutine) \
    X(recursive) X(address) X(alias) X(naked) X(versions) X(aggregate)          \
    X(dynamic) X(convention) X(optnone) X(member) X(common) X(count) X(mistyped)

#define NOINLINE __attribute__((noinline))
#define DECLARE(name) extern "C" NOINLINE node *pick_##name(int k);
KINDS(DECLARE)
