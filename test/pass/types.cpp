// A section of the object file has the types that calls allocate, at the positions of
// clang's line tables: from new, sizeof, casts, macros, templates and constructors.
// REQUIRES: llvm-19
// RUN: %clangxx -O2 -fpass-plugin=%plugin -fmemory-profile -c %s -o %t.o
// RUN: llvm-objcopy --dump-section=.memprof_types=%t.bytes %t.o && tr '\000\011' '\n ' < %t.bytes > %t.all && sed 's/ *#[0-9a-f]*\( \|$\)/\1/' %t.all > %t.types
// RUN: FileCheck %s < %t.types
// RUN: %clangxx -O0 -fpass-plugin=%plugin -fmemory-profile -c %s -o %t.o0
// RUN: llvm-objcopy --dump-section=.memprof_types=%t.bytes %t.o0 && tr '\000\011' '\n ' < %t.bytes | sed 's/ *#[0-9a-f]*\( \|$\)/\1/' | FileCheck %s
// The section is not loaded, has strings that the linker merges, and has no paths of
// this file.
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=SECTION
// SECTION: .memprof_types PROGBITS 0000000000000000 {{[0-9a-f]+}} {{[0-9a-f]+}} 01 MS
// RUN: not grep %S %t.types
// A number in a function that returns blocks is not a type; placement new allocates
// nothing; a function without code has no record.
// RUN: not grep -E 'allocate|placed|unused|either|basedim|arrays_bare' %t.types
// Without the flag there is no section.
// RUN: %clangxx -O2 -fpass-plugin=%plugin -c %s -o %t.plain
// RUN: llvm-readelf -S %t.plain | not grep memprof_types
// Expressions that depend on a template parameter or a requirement are skipped.
// RUN: %clangxx -std=c++20 -DUNSETTLED -O1 -fpass-plugin=%plugin -fmemory-profile -c %s -o %t.o20
#include <stddef.h>
#ifdef UNSETTLED
template <class T> concept New = requires { new T; new T[2]; sizeof(T); };
template <class T> requires New<T> T *allocate_all() { return new T[sizeof(T)]; }
int *numbers = allocate_all<int>();
auto generic = [](auto x) { return new decltype(x)(x); };
int *number = generic(1);
#endif

extern "C" void *malloc(size_t);
extern "C" char *strcpy(char *, const char *);

extern "C" void *object_of(size_t alignment, size_t size);
struct Node { Node *next; int value; };
struct Other { double numbers[4]; };
typedef struct { int x; } Typedef;

#define NEW(type) ((type *)allocate(sizeof(type)))
#define CAST(type, call) ((type *)(call))

void *allocate(size_t n)
{
    size_t *p = (size_t *)malloc(n + 8);
    return p + 1;
}

// CHECK-DAG: _Z3onev [[#@LINE + 1]] 23 Node 16{{$}}
Node *one() { return  new Node; }
// CHECK-DAG: _Z5arraym [[#@LINE + 1]] 33 Node * 8 []{{$}}
Node **array(size_t n) { return new Node *[n]; }
// CHECK-DAG: _Z5sizedv [[#@LINE + 1]] 24 Other 32 []{{$}}
void *sized() { return malloc(2 * sizeof(Other)); }
// A flexible array at the end: the size of the whole is unknown, that of what is in front
// is known where the source says that there is one.
// CHECK-DAG: _Z4openm [[#@LINE + 3]] 39 Open 8 +{{$}}
// CHECK-DAG: {{^}} Open+ 8 +0+8 first:Node *{{$}}
struct Open { Node *first; int numbers[]; };
Open *open(size_t n) { return (Open *)malloc(sizeof(Open) + n * sizeof(int)); }
// CHECK-DAG: _Z4castm [[#@LINE + 1]] 45 Typedef 4{{$}}
Typedef *cast(size_t n) { return (Typedef *)malloc(n); }
// CHECK-DAG: _Z7alignedm [[#@LINE + 1]] 48 Typedef 4{{$}}
Typedef *aligned(size_t n) { return (Typedef *)object_of(sizeof(void *), n); }
// CHECK-DAG: _Z5macrov [[#@LINE + 1]] 24 Node 16{{$}}
Node *macro() { return NEW(Node); }
// In the argument of a macro, at the argument.
// CHECK-DAG: _Z5givenm [[#@LINE + 1]] 45 Other 32{{$}}
Other *given(size_t n) { return CAST(Other, malloc(n)); }
// An object by its size, from a function that makes several kinds.
Node *object(size_t n) { return (Node *)malloc(n); }
struct Table { Node node; int rows; };
// CHECK-DAG: _Z5tablev [[#@LINE + 1]] 33 Table 24{{$}}
Table *table() { return (Table*)object(sizeof(Table)); }
// A header before an array, whichever is named first; where it begins.
struct Tail { int count; Other others[1]; };
// CHECK-DAG: _Z5tail1m [[#@LINE + 1]] 33 Tail 40{{$}}
void *tail1(size_t n) {  return malloc(offsetof(Tail, others) + n * sizeof(Other)); }
// CHECK-DAG: _Z5tail2m [[#@LINE + 1]] 33 Tail 40{{$}}
void *tail2(size_t n) {  return malloc(n * sizeof(Other) + sizeof(Tail)); }
// One object in front, up to the offset, as the result is a pointer to it; a header or a
// footer of the program is in other sums.
// CHECK-DAG: _Z5tail3m [[#@LINE + 2]] 41 Tail 8 +{{$}}
// CHECK-DAG: {{^}} Tail+ 8 +0+4 count:int{{$}}
Tail *tail3(size_t n) {  return (Tail *)malloc(offsetof(Tail, others) + n * sizeof(Other)); }
// CHECK-DAG: _Z5tail4m [[#@LINE + 1]] 41 Tail 40 +{{$}}
Tail *tail4(size_t n) {  return (Tail *)malloc(sizeof(Tail) + n - 1); }
// CHECK-DAG: _Z5tail5m [[#@LINE + 1]] 41 Tail 40{{$}}
Tail *tail5(size_t n) {  return (Tail *)malloc(sizeof(Tail) - n); }
// CHECK-DAG: _Z5tail6v [[#@LINE + 1]] 33 Tail 40{{$}}
Tail *tail6() {  return (Tail *)malloc(16 + sizeof(Tail)); }
// CHECK-DAG: _Z5tail7m [[#@LINE + 1]] 41 Tail 40{{$}}
Tail *tail7(size_t n) {  return (Tail *)malloc(n * sizeof(Other) + sizeof(Tail)); }
// CHECK-DAG: _Z5tail8m [[#@LINE + 1]] 50 Tail 40{{$}}
Tail *tail8(size_t n) {  return (Tail *)((char *)malloc(sizeof(Tail) + n) + n); }
// CHECK-DAG: _Z5tail9m [[#@LINE + 1]] 41 Tail{{$}}
Tail *tail9(size_t n) {  return (Tail *)malloc((n + 1) * sizeof(Tail) - sizeof(Other)); }
// A header for each object of an array; the size of none is known.
// CHECK-DAG: _Z4headm [[#@LINE + 1]] 39 Tail{{$}}
Tail *head(size_t n) { return (Tail *)malloc(n * (sizeof(Tail) + 16)); }
// The type of what is in front of an object is not that of the cast.
// CHECK-DAG: _Z5afterm [[#@LINE + 1]] 46 Typedef 4{{$}}
Typedef *after(size_t n) { return (Typedef *)malloc(n) + 1; }
// A length before the type that the block is cast to, however the size is computed.
// CHECK-DAG: _Z8prefixedj [[#@LINE + 4]] 38 char 1{{$}}
char *prefixed(unsigned length)
{
    size_t n = sizeof(length) + length + 1;
    char *text = static_cast<char *>(malloc(n));
    return text;
}
// CHECK-DAG: _Z8countingm [[#@LINE + 4]] 27 int 4 []{{$}}
char *counting(size_t count)
{
    size_t n = count * sizeof(int);
    char *bytes = (char *)malloc(n);
    return bytes;
}
// Several arrays in one block have no name, but with a header before them the header's.
void *arrays_bare(size_t n) { return malloc(n * sizeof(Other) + n * sizeof(Node)); }
// CHECK-DAG: _Z6headedm [[#@LINE + 1]] 33 Tail 40{{$}}
void *headed(size_t n) { return malloc(n * sizeof(Other) + n * sizeof(Node) + sizeof(Tail)); }
// A size in a variable; no record if the variable has two sizes in turn.
// CHECK-DAG: _Z4sum1m [[#@LINE + 4]] 12 Tail 40{{$}}
void *sum1(size_t n)
{
    size_t bytes = sizeof(Tail) + n;
    return malloc(bytes);
}
// CHECK-DAG: _Z4sum2m [[#@LINE + 5]] 12 Other 32 []{{$}}
void *sum2(size_t n)
{
    size_t bytes;
    bytes = n * sizeof(Other);
    return malloc(bytes);
}
void *either(size_t n)
{
    size_t bytes = sizeof(Tail);
    if (n == 1)
        bytes = sizeof(Other);
    return malloc(bytes);
}
// A function that makes objects of several kinds by their size does not make bases; its
// callers have the type. A function that makes as many objects of one kind does.
struct Base { int kind; };
Base *based(int kind, size_t size)
{
    Base *base = (Base *)malloc(size);
    base->kind = kind;
    return base;
}
struct Derived { int kind; double value; };
// CHECK-DAG: _Z7derivedv [[#@LINE + 1]] 40 Derived 16{{$}}
Derived *derived() { return (Derived *)based(1, sizeof(Derived)); }
// CHECK-DAG: _Z5basesm [[#@LINE + 1]] 39 Base 4 []{{$}}
Base *bases(size_t n) { return (Base*)malloc(n * sizeof(Base)); }
// A function that is declared to return a new block returns one of its type.
extern "C" char *strdup(const char *) __attribute__((malloc));
// CHECK-DAG: _Z4copyPKc [[#@LINE + 1]] 39 char 1{{$}}
char *copy(const char *text) { return strdup(text); }
// CHECK-DAG: _ZN5OwnerC2Ev [[#@LINE + 1]] 30 Other 32{{$}}
struct Owner { Owner() : one(new Other) {} Other *one; };
Owner owner;
template <class T> T *make() { return new T; }
// CHECK-DAG: _Z4makeI4NodeEPT_v [[#@LINE - 1]] 39 Node 16{{$}}
// CHECK-DAG: _Z4makeIP5OtherEPT_v [[#@LINE - 2]] 39 Other * 8{{$}}
Node *n = make<Node>();
Other **o = make<Other *>();
inline void *operator new(size_t, void *p) noexcept { return p; }
Node *placed(void *p) { return new (p) Node; }
static inline Node *unused() { return new Node; }
// Other files may have a type with this name, so the file's name goes in front.
// CHECK-DAG: types.cpp;_ZL6secretv [[#@LINE + 1]] 54 Node 16{{$}}
static __attribute__((used)) Node *secret() { return new Node; }
// CHECK-DAG: _ZZ6lambdamENK{{.*}}clEv [[#@LINE + 1]] 73 Other 32 []{{$}}
Other *lambda(size_t n) { struct Hidden { int i; }; return [n] { return new Other[n]; }(); }
// Each of several nameless lambdas that other code knows: LLVM numbers them as it makes
// code. The block of a captured value is allocated outside of the lambda.
void take(void *);
void lambdas()
{
    auto none = [](int n) { take(&n); };
    // CHECK-DAG: _ZZ7lambdasvENK3$_clEv [[#@LINE + 1]] 31 Node 16{{$}}
    auto first = []() { take( new Node); };
    // CHECK-DAG: _Z7lambdasv [[#@LINE + 1]] 25 Other 32{{$}}
    auto second = [p =  new Other]() { take(p); };
    // CHECK-DAG: _ZZ7lambdasvENK3$_clIiEEDaT_ [[#@LINE + 1]] 38 int 4{{$}}
    auto any = [](auto x) { return   new decltype(x)(x); };
    none(1), first(), second(), take(any(1));
}
// The constructor, also an implicit one, allocates a member's initial value; the caller
// allocates a default argument.
// CHECK-DAG: _ZN7InitialC2Ev [[#@LINE + 1]] 31 Node 16{{$}}
struct Initial { Node *node = new Node; };
template <class T> struct InitialOf { T *t = new T; InitialOf() { take(t); } };
// CHECK-DAG: _ZN9InitialOfI5OtherEC2Ev [[#@LINE - 1]] 46 Other 32{{$}}
// CHECK-DAG: _Z8initialsv [[#@LINE + 1]] 31 Table 24{{$}}
void given_or(Table *table =  new Table);
void initials() { Initial i; InitialOf<Other> o; take(&i), take(&o), given_or(); }
