/* memprof_vm.h -- frames of interpreted functions in call stacks. A virtual
 * machine tells the profiler which functions its script has, and which of them
 * a thread runs. Call stacks then have the script's frames where the
 * interpreter's own function stood:
 *
 *     main > lua_pcall > fib at fib.lua:3 > luaH_resize > realloc
 *
 *     static unsigned frames(struct memprof_vm_frame *out, unsigned max);
 *
 *     memprof_vm_add((const void *)vm_execute, frames);
 *     function->number = memprof_vm_function("fib", "fib.lua", 1);
 *
 * Without the profiler the functions do nothing. Any thread may call them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MEMPROF_VM_H
#define MEMPROF_VM_H

#include "memprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A frame: the number of a function, and the current line in its file (0: not
 * known). The number MEMPROF_VM_C stands for C code between two activations of
 * the interpreter: the frames after it belong to the next outer activation. */
struct memprof_vm_frame {
    unsigned function;
    unsigned line;
};
#define MEMPROF_VM_C 0u

/* Writes the frames of the calling thread to frames[0..max), innermost first,
 * and returns their number; 0 if the thread runs no script. The runtime calls
 * it in malloc() and its kin, memprof_pool_alloc() and memprof_event(), if the
 * interpreter is on the stack. So an allocator of the machine must not report a
 * block when it has already moved or unmapped what the function reads, and the
 * function must not allocate or free memory, take a lock that a caller of
 * malloc() may hold, or jump out. It may call memprof_vm_function().
 * Allocations in signal handlers call it, too: frames must be readable at any
 * time, or the function returns 0. Its code must stay loaded. */
typedef unsigned (*memprof_vm_frames)(struct memprof_vm_frame *frames,
                                      unsigned max);

/* Adds a virtual machine. `interpreter` is any address in the code of the
 * function that interprets scripts, which must have call frame information (as
 * compilers emit it). Each of this function's frames on the C stack is replaced
 * by the frames that one activation runs. Returns 0; -1 if the code has no call
 * frame information, if there are 8 machines already, or if `frames` is NULL.
 * Adding the same interpreter again replaces its `frames`. Not signal-safe. */
MEMPROF_API int __memprof_vm_add(const void *interpreter,
                                 memprof_vm_frames frames);

/* Returns the number of a function, by its name, file and first line; the same
 * three give the same number at every call, so a function may be registered
 * when it is first seen, or anew when its script is loaded again. The texts are
 * copied (NULL: ""), up to 255 bytes of the name and the last 1,023 of the
 * file. Returns MEMPROF_VM_C if 1,048,575 functions or 64 MiB of text are
 * registered. A known function takes some 50 ns. Signal-safe. */
MEMPROF_API unsigned __memprof_vm_function(const char *name, const char *file,
                                           unsigned line);

/* What the profiler knows of a live block. */
struct memprof_vm_block {
    const void *start;
    unsigned long long bytes;
    /* So far, as far as code that counts made them; 0 in a pool. */
    unsigned long long accesses;
    unsigned long long reads; /* if has_reads */
    int has_reads;
    /* Innermost frame of a script in the call stack that allocated the block.
     * The texts last as long as the process; NULL: no such frame. */
    const char *function;
    const char *file;
    unsigned line;
    /* With last_access=1: nanoseconds since its last access at least, and since
     * its allocation if there was none. */
    int has_idle;
    unsigned long long idle_ns; /* if has_idle */
};

/* Describes the live block that contains p; or, if pool is not NULL, the block
 * of this pool that begins at p (memprof_pool_alloc()). Returns 1, or 0 if
 * there is none. Signal-safe. */
MEMPROF_API int __memprof_vm_block(const void *pool, const void *p,
                                   struct memprof_vm_block *block);

/* The "file" of a kind of objects, see memprof_vm_kind(). */
#define MEMPROF_VM_KIND ":kind"

#ifndef MEMPROF_RUNTIME
static __inline__ int memprof_vm_add(const void *interpreter,
                                     memprof_vm_frames frames)
{
    return __memprof_vm_add != 0 ? __memprof_vm_add(interpreter, frames) : 0;
}

static __inline__ unsigned memprof_vm_function(const char *name,
                                               const char *file, unsigned line)
{
    return __memprof_vm_function != 0 ? __memprof_vm_function(name, file, line)
                                      : MEMPROF_VM_C;
}

/* Returns the number of a kind of objects, such as "table". A callback may
 * write it as the innermost frame, in front of the running function's, when an
 * object of this kind is allocated: the type of the block, if the compiler
 * knows none. Signal-safe. */
static __inline__ unsigned memprof_vm_kind(const char *kind)
{
    return memprof_vm_function(kind, MEMPROF_VM_KIND, 0);
}

/* Tells that a phase of a garbage collection begins or ends, such as "mark";
 * bytes: what the machine uses then. It is an event of this name, whose call
 * stack is what went on with the collection (`memprofdata show --events`). Few
 * long phases may be marked instead (memprof_mark()). */
MEMPROF_NO_FRAME static __inline__ void memprof_vm_gc(const char *phase,
                                                      unsigned long long bytes)
{
    memprof_event(phase, bytes);
}

static __inline__ int memprof_vm_block(const void *pool, const void *p,
                                       struct memprof_vm_block *block)
{
    return __memprof_vm_block != 0 ? __memprof_vm_block(pool, p, block) : 0;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
