// A log has what the program maps, over time, and what resident memory consists of, as the
// profile has it; a moment of it has no resident memory.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %memprof-clang -fmemory-profile -O1 -fno-builtin %s -o app -lpthread
// RUN: env MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=log=log ./app
// RUN: %memprofdata show --json raw > raw.json && %memprofdata show --json log > log.json && %memprofdata show --json --at=50% log > at.json
// RUN: %memprofdata show --timeline --json raw > raw.time && %memprofdata show --timeline --json log > log.time
// RUN: python3 -c "import json; raw, log, at, rt, lt = (json.load(open(f)) for f in ('raw.json', 'log.json', 'at.json', 'raw.time', 'log.time')); most = lambda p: max(s.get('mapped', 0) for t in p['rows'] for s in t['samples']); assert most(rt) == most(lt) >= 8 << 20, (most(rt), most(lt)); keys = ('resident_at_peak', 'resident_at_end', 'resident_most'); assert all(raw[k] and log[k] for k in keys); assert not any(k in at for k in keys), at.keys()"
// The log reads the end by itself, too.
// RUN: env MEMPROF_OPTIONS=log=alone:dump_at_exit=0 ./app
// RUN: %memprofdata show --json alone | python3 -c "import json, sys; p = json.load(sys.stdin); assert p['resident_at_end'] and p['resident_most'] >= 8 << 20, p"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *work(void *unused)
{
    for (int i = 0; i < 20000; i++)
        free(malloc(100 + (size_t)i % 50));
    return unused;
}

int main(void)
{
    enum { BYTES = 8 << 20 };
    pthread_t thread;
    void *const p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    memset(p, 1, BYTES);
    pthread_join(thread, NULL);
    work(NULL);
    return munmap(p, BYTES);
}
