// The runtime's own functions are in no call stack if the C library or the program
// allocates below them: in a program with the archive, whose binary includes them, with
// the shared library, and without a dynamic linker, where the first blocks are allocated
// before the C library has read the program's headers.
// DEFINE: %{form} =
// DEFINE: %{run} = %build/bin/memprof-clang++-%llvm-version %{form} -O1 -fmemory-profile %s -o %t && \
// DEFINE:   rm -f %t.raw* && env MEMPROF_OPTIONS=log_path=%t.raw %t %s >%t.out && \
// DEFINE:   %memprofdata export --format=folded %t.raw.* >%t.stacks && \
// DEFINE:   FileCheck --implicit-check-not=pass_on --implicit-check-not=retry %s <%t.stacks && \
// DEFINE:   FileCheck --check-prefix=KNOWN --implicit-check-not='no binary' %s <%t.stacks
// RUN: %{run}
// REDEFINE: %{form} = -shared-libsan
// RUN: %{run}
// REDEFINE: %{form} = -static
// RUN: %{run}
// KNOWN: main
// CHECK-DAG: {{;main;say\(\);(_IO_)?puts;_IO_(new_)?file_xsputn;.*;_IO_file_doallocate }}
// CHECK-DAG: {{;main;read_block\(_IO_FILE\*\);(_IO_)?fread;(__GI_)?_IO_file_xsgetn;.*;_IO_file_doallocate }}
// CHECK-DAG: {{;main;read_line\(_IO_FILE\*\);getdelim }}
// CHECK-DAG: {{;raise_one\(\);.*;on_fault\(int\) }}
// CHECK-DAG: {{;main;exhaust\(\);on_no_memory\(\) }}

// In LLVM's format, too; and the limit counts the remaining frames.
// RUN: rm -f %t.raw* && env MEMPROF_OPTIONS=log_path=%t.raw:malloc_context_size=7:raw_format=llvm %t %s >%t.out
// RUN: %memprofdata export --format=folded --profiled-binary=%t %t.raw.* | FileCheck --check-prefix=LIMIT %s
// LIMIT: {{^say\(\);(_IO_)?puts;_IO_(new_)?file_xsputn;[^;]*;_IO_doallocbuf;_IO_file_doallocate }}
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#define NOINLINE __attribute__((noinline))
static void *volatile sink;
static volatile size_t too_much = (size_t)1 << 50;

NOINLINE static void say()
{
    puts("one");
}

NOINLINE static void read_block(FILE *file)
{
    char block[10];
    sink = block;
    fread(block, 1, sizeof(block), file);
}

NOINLINE static void read_line(FILE *file)
{
    char *line = nullptr;
    size_t size = 0;
    getdelim(&line, &size, '\n', file); // getline may be inlined
    free(line);
}

// Called by our signal handler, which takes the action back first.
static void on_fault(int)
{
    sink = malloc(1001);
    free(sink);
}
NOINLINE static void raise_one()
{
    struct sigaction action = {};
    action.sa_handler = on_fault;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGFPE, &action, nullptr);
    raise(SIGFPE);
}

// Called by our operator new.
static void on_no_memory()
{
    sink = malloc(1002);
    free(sink);
    std::set_new_handler(nullptr);
}
NOINLINE static void exhaust()
{
    std::set_new_handler(on_no_memory);
    sink = operator new(too_much, std::nothrow);
}

int main(int, char **argv)
{
    FILE *const one = fopen(argv[1], "r");
    FILE *const other = fopen(argv[1], "r");
    say();
    read_block(one);
    read_line(other);
    raise_one();
    exhaust();
    fclose(one);
    fclose(other);
    return 0;
}
