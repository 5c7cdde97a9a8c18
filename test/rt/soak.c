// Eight threads allocate, fork, load and unload a library and write profiles for a long
// time, while signals arrive and profiles are written on a signal and periodically:
// every block is counted once. Then the same with one file that is kept up to date.
// REQUIRES: long
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -shared -fPIC -DPLUGIN %s -o plugin.so
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -I%root/inc %s -o %t
// RUN: mkdir a b
// RUN: (cd a && env MEMPROF_OPTIONS=dump_signal=10:dump_interval=7 %t ../plugin.so %soak-seconds 2 > ../a.want)
// RUN: %memprofdata check a/*.raw > /dev/null
// RUN: %memprofdata merge a/*.raw -o a.profdata
// RUN: python3 %S/Inputs/ended_in.py %memprofdata a.profdata work child_work run_plugin > a.have
// RUN: diff a.want a.have
// RUN: (cd b && env MEMPROF_OPTIONS=continuous=1 %t ../plugin.so %soak-seconds 2 > ../b.want)
// RUN: ls -A b | not grep '[.]part$'
// RUN: %memprofdata check b/*.raw > /dev/null
// RUN: %memprofdata merge b/*.raw -o b.profdata
// RUN: python3 %S/Inputs/ended_in.py %memprofdata b.profdata work child_work run_plugin > b.have
// RUN: diff b.want b.have
#include <stdlib.h>
#ifdef PLUGIN
__attribute__((noinline)) void plugin_work(int count)
{
    for (int i = 0; i < count; i++) {
        char *const p = malloc((size_t)i % 5000 + 1);
        p[0] = 1;
        free(p);
    }
}
#else
#include <dlfcn.h>
#include <memprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, KEPT = 200 };

static struct {
    _Atomic long work;
    _Atomic long child;
    _Atomic long plugin;
    _Atomic long failed;
} *counts; /* shared with the children */
static const char *plugin;
static _Atomic int stop;
static _Atomic long signals;

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245 + 12345;
    return *seed >> 8;
}

__attribute__((noinline)) static void work(void **kept, unsigned *seed)
{
    for (int i = 0; i < 20000; i++) {
        const unsigned k = next(seed) % KEPT;
        const size_t size = next(seed) % 64 == 0 ? next(seed) % 300000
                                                 : next(seed) % 500;
        if (kept[k] != 0 && size % 3 == 0) {
            /* One block ends, another begins. */
            kept[k] = realloc(kept[k], size + 1);
        } else {
            free(kept[k]);
            kept[k] = malloc(size + 1);
        }
        ((volatile char *)kept[k])[size] = 1;
        counts->work++;
    }
}

__attribute__((noinline)) static void child_work(int count)
{
    for (int i = 0; i < count; i++)
        free(malloc((size_t)i * 13 % 3000 + 1));
}

static void run_child(unsigned number)
{
    static char *const argv[] = {"true", 0};
    const int count = (int)(number % 1000);

    child_work(count);
    counts->child += count;
    /* No exit(): another thread, which the child does not have, may hold libc's
     * lock. */
    switch (number % 3) {
    case 1:
        execv("/bin/true", argv);
        _exit(1);
    case 2:
        memprof_dump();
        child_work(10);
        counts->child += 10;
        _exit(0);
    default:
        _exit(0);
    }
}

static void make_child(unsigned number)
{
    int status = -1;
    const pid_t pid = fork();

    if (pid == 0)
        run_child(number);
    while (pid > 0 && waitpid(pid, &status, 0) == -1)
        continue;
    if (pid <= 0 || status != 0)
        counts->failed++;
}

/* If the library is closed when a profile is written, its frames have no names;
 * this frame has one. */
__attribute__((noinline)) static void run_plugin(void (*function)(int),
                                                 int count)
{
    function(count);
    counts->plugin += count;
}

static void use_plugin(unsigned number)
{
    void *const library = dlopen(plugin, RTLD_NOW);
    void (*const function)(int) =
        library ? (void (*)(int))dlsym(library, "plugin_work") : 0;
    const int count = (int)(number % 500);

    if (!function) {
        counts->failed++;
        return;
    }
    run_plugin(function, count);
    dlclose(library);
}

static void *run(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;
    void *kept[KEPT] = {0};

    while (!stop) {
        work(kept, &seed);
        switch (next(&seed) % 8) {
        case 0:
            make_child(next(&seed));
            break;
        case 1:
        case 2:
            use_plugin(next(&seed));
            break;
        case 3:
            if (next(&seed) % 32 == 0)
                memprof_dump();
            break;
        case 4:
            kill(getpid(), SIGUSR2);
            break;
        case 5:
            if (next(&seed) % 64 == 0 && getenv("MEMPROF_OPTIONS")[0] == 'd')
                kill(getpid(), SIGUSR1);
            break;
        default:
            usleep(next(&seed) % 20000);
        }
    }
    for (int i = 0; i < KEPT; i++)
        free(kept[i]);
    return 0;
}

static void count_signal(int number)
{
    (void)number;
    signals++;
}

int main(int argc, char **argv)
{
    const time_t end = time(0) + atol(argv[2]) / atol(argv[3]);
    const struct sigaction action = {.sa_handler = count_signal,
                                     .sa_flags = SA_RESTART};
    pthread_t threads[THREADS];
    int status;

    (void)argc;
    plugin = argv[1];
    counts = mmap(0, sizeof(*counts), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGUSR2, &action, 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, run, (void *)(i + 1));
    while (time(0) < end)
        usleep(100000);
    stop = 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    printf("work %ld\nchild_work %ld\nrun_plugin %ld\n", counts->work,
           counts->child, counts->plugin);
    fprintf(stderr, "%ld signals, %ld failed\n", signals, counts->failed);
    return counts->failed != 0 || wait(&status) != -1;
}
#endif
