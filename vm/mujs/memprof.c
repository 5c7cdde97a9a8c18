/* memprof.c -- MuJS: call stacks of the heap profiler have the frames of
 * JavaScript functions. Compile this file with MuJS's sources after
 * mujs.patch, and call memprof_mujs_start() for each state.
 *
 * MuJS keeps the running functions in J->trace. A script's function has an
 * activation of jsR_run() of its own, which the patch notes in the trace; a
 * function that is called but not yet begun has none, and its caller's
 * activation shows it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jsi.h"
#include "jscompile.h"

#include <memprof_vm.h>

#include <stdatomic.h>
#include <stdlib.h>

void jsR_run(js_State *J, js_Function *F);
int memprof_mujs_start(js_State *J);

/* Never freed, because other threads may have run the state. */
struct machine {
    struct machine *next; /* of all, so that a search for leaks finds them */
    js_Alloc alloc;       /* the state's own */
    void *actx;
    js_State *J; /* NULL: closed */
};

static _Atomic(struct machine *) machines;
/* The machine that ran last on this thread. */
static _Thread_local struct machine *running;

static void *allocate(void *actx, void *p, int size)
{
    struct machine *const m = actx;

    running = m;
    if (p == m->J && size == 0)
        m->J = NULL;
    return m->alloc(m->actx, p, size);
}

static unsigned number_of(const js_StackTrace *entry)
{
    const char *const name = entry->name != NULL && entry->name[0] != '\0'
                                 ? entry->name
                                 : "anonymous";
    const js_Function *const f = entry->run;

    return f != NULL && f->script
               ? memprof_vm_function("main script", f->filename, f->line)
           : f != NULL
               ? memprof_vm_function(name, f->filename, f->line)
               : memprof_vm_function(name, entry->file, (unsigned)entry->line);
}

static unsigned frames(struct memprof_vm_frame *out, unsigned max)
{
    const js_State *const J = running != NULL ? running->J : NULL;
    unsigned n = 0;

    for (int i = J != NULL ? J->tracetop : 0; i > 0 && n + 1 < max; i--) {
        const js_StackTrace *const entry = &J->trace[i];

        if (entry->file == NULL || strcmp(entry->file, "native") == 0)
            continue;
        out[n++] =
            (struct memprof_vm_frame){number_of(entry), (unsigned)entry->line};
        if (entry->run != NULL)
            out[n++] = (struct memprof_vm_frame){MEMPROF_VM_C, 0};
    }
    return n;
}

/* From here on call stacks have the frames of the state's scripts. Returns 0,
 * or -1 if there is no memory or jsR_run() has no call frame information. */
int memprof_mujs_start(js_State *J)
{
    struct machine *const m = malloc(sizeof(*m));

    if (m == NULL)
        return -1;
    *m = (struct machine){.alloc = J->alloc, .actx = J->actx, .J = J};
    m->next = atomic_load(&machines);
    while (!atomic_compare_exchange_weak(&machines, &m->next, m))
        ;
    J->alloc = allocate;
    J->actx = m;
    return memprof_vm_add((const void *)jsR_run, frames);
}
