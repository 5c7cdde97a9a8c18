// A signal that ends the program writes the profile if its action is the default one,
// and the program ends by that signal. Everything else is as without the profiler.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o prog
// RUN: %clang -O1 -fno-builtin %s -o plain
// RUN: python3 %S/Inputs/signals_end.py %memprofdata > out
// RUN: FileCheck %s --match-full-lines --implicit-check-not={{.}} < out
// Exit status, output, and the blocks of each profile.
//      CHECK: wait TERM: -15 [4 1]
// CHECK-NEXT: wait INT: -2 [4 1]
// CHECK-NEXT: wait HUP: -1 [4 1]
// CHECK-NEXT: wait QUIT: -3 [4 1]
// CHECK-NEXT: wait USR1: -10 [4 1]
// CHECK-NEXT: wait USR2: -12 [4 1]
// CHECK-NEXT: wait PIPE: -13 [4 1]
// CHECK-NEXT: wait ALRM: -14 [4 1]
// CHECK-NEXT: wait XCPU: -24 [4 1]
// CHECK-NEXT: wait XFSZ: -25 [4 1]
// CHECK-NEXT: wait VTALRM: -26 [4 1]
// CHECK-NEXT: wait PROF: -27 [4 1]
// CHECK-NEXT: wait STKFLT: -16 [4 1]
// CHECK-NEXT: wait IO: -29 [4 1]
// CHECK-NEXT: wait PWR: -30 [4 1]
// CHECK-NEXT: wait RTMIN: -34 [4 1]
// CHECK-NEXT: wait RTMAX: -64 [4 1]
// CHECK-NEXT: wait TERM dump_on_term=0: -15
// CHECK-NEXT: wait HUP dump_on_term=0: -1
// CHECK-NEXT: ignored HUP: 5 [4 1]
// CHECK-NEXT: ignored PIPE: 5 [4 1]
// CHECK-NEXT: wait TERM dump_on_term=1: -15 [4 1]
// CHECK-NEXT: wait INT dump_at_exit=0: -2
// CHECK-NEXT: ignored INT: 5 [4 1]
// CHECK-NEXT: ignored-then-default INT: -2 [4 1]
// CHECK-NEXT: blocked TERM: 5 pending [4 1]
// CHECK-NEXT: let-through TERM: -15 pending [4 1]
// CHECK-NEXT: taken TERM: 5 took 15 [4 1]
// CHECK-NEXT: handled TERM: 5 handled 15 [4 1]
// CHECK-NEXT: handled-then-default TERM: -15 handled 15 [4 1]
// CHECK-NEXT: thread TERM: -15 [5 2]
// CHECK-NEXT: child TERM: 5 child -15 [4 1] [5 2]
// CHECK-NEXT: empty-child TERM: 5 child -15 [4 1]
// CHECK-NEXT: shared-child TERM: 5 child -15 [4 1]
// CHECK-NEXT: group INT: -2 [4 1] [5 2]
// CHECK-NEXT: system: 5 system 2 here 0 [4 1]
// CHECK-NEXT: image: 0 caught 0 0 ignored 0 0 [4 1]
// CHECK-NEXT: view: 5 0 0 0 0 0 0 0 0 0 0 [4 1]
// Another thread that would end the program meanwhile waits. If a reader of the profile
// stops reading, the program does not wait forever.
// CHECK-NEXT: stuck exit: -15 nobody reads it
// CHECK-NEXT: stuck _exit: -15 nobody reads it
// CHECK-NEXT: stuck exec: -15 nobody reads it
// CHECK-NEXT: wait twice: -15 nobody reads it
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept, *kept_too;
static const char *how;

static void say(const char *text)
{
    write(1, text, strlen(text));
}

static void allocate(void)
{
    for (int i = 0; i < 3; i++)
        free(malloc(10));
    kept = malloc(10);
}

static void allocate_in_child(void)
{
    for (int i = 0; i < 3; i++)
        free(malloc(10));
    kept = malloc(10);
    kept_too = malloc(10);
}

/* Input on stdin ends it. */
static int wait_for_word(void)
{
    char c;

    say("ready\n");
    return read(0, &c, 1) == 1 ? 5 : 6;
}

static void on_signal(int number)
{
    char text[32];

    sprintf(text, "handled %d\n", number);
    say(text);
    if (!strcmp(how, "handled-then-default")) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static int block(void)
{
    sigset_t set;
    int number = 0;
    char text[32];

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (wait_for_word() != 5)
        return 6;
    if (!strcmp(how, "taken")) {
        sigwait(&set, &number);
        sprintf(text, "took %d\n", number);
        say(text);
        return 5;
    }
    sigpending(&set);
    say(sigismember(&set, SIGTERM) ? "pending\n" : "lost\n");
    if (!strcmp(how, "let-through"))
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 5;
}

static void *stand(void *argument)
{
    for (;;)
        pause();
    return argument;
}

/* Only this thread gets signals. */
static int in_thread(void)
{
    pthread_t thread;
    sigset_t set;

    pthread_create(&thread, NULL, stand, NULL);
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return wait_for_word();
}

static int run_child(void *unused)
{
    if (strcmp(how, "empty-child") && strcmp(how, "shared-child"))
        allocate_in_child();
    if (!strcmp(how, "group"))
        exit(wait_for_word());
    raise(SIGTERM);
    _exit(9);
    return unused != NULL;
}

static int with_child(void)
{
    static char stack[65536];
    int status;
    char text[32];
    const pid_t pid =
        !strcmp(how, "shared-child")
            ? clone(run_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL)
            : fork();

    if (pid == 0)
        run_child(NULL);
    if (!strcmp(how, "group"))
        return wait_for_word();
    waitpid(pid, &status, 0);
    sprintf(text, "child %d\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
    say(text);
    return wait_for_word();
}

/* In system(), SIGINT goes to the command. */
static int by_system(void)
{
    char text[64];
    const int status = system("kill -INT $PPID; kill -INT $$");
    struct sigaction now;

    sigaction(SIGINT, NULL, &now);
    sprintf(text, "system %d here %d\n", WTERMSIG(status), now.sa_handler != SIG_DFL);
    say(text);
    return wait_for_word();
}

static int show_image(void)
{
    unsigned long long ignored = 0, caught = 0;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");

    while (fgets(line, sizeof(line), f)) {
        sscanf(line, "SigIgn: %llx", &ignored);
        sscanf(line, "SigCgt: %llx", &caught);
    }
    printf("caught %d %d ignored %d %d\n", (int)(caught >> (SIGTERM - 1) & 1),
           (int)(caught >> (SIGINT - 1) & 1), (int)(ignored >> (SIGTERM - 1) & 1),
           (int)(ignored >> (SIGINT - 1) & 1));
    fflush(stdout);
    return 0;
}

static int view(void)
{
    const int numbers[] = {SIGTERM, SIGINT};
    char text[64] = "";

    for (int i = 0; i < 2; i++) {
        struct sigaction now, mine = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
        sigaction(numbers[i], NULL, &now);
        sprintf(text + strlen(text), "%d %d %d ", now.sa_handler != SIG_DFL, now.sa_flags,
                sigismember(&now.sa_mask, SIGUSR1));
        sigaction(numbers[i], &mine, &now);
        sprintf(text + strlen(text), "%d ", now.sa_handler != SIG_DFL);
        sprintf(text + strlen(text), "%d ", signal(numbers[i], SIG_DFL) != on_signal);
    }
    text[strlen(text) - 1] = '\n';
    say(text);
    return wait_for_word();
}

/* Another thread ends the program in another way. */
static void *end_otherwise(void *end)
{
    wait_for_word();
    if (!strcmp(end, "exit"))
        exit(9);
    if (!strcmp(end, "_exit"))
        _exit(9);
    execl("/bin/true", "true", (char *)0);
    return NULL;
}

static void stick(char *end)
{
    pthread_t thread;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, end_otherwise, end);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    stand(NULL);
}

int main(int argc, char **argv)
{
    how = argv[1];
    if (!strcmp(how, "show"))
        return show_image();
    allocate();
    if (!strcmp(how, "stuck"))
        stick(argv[2]);
    if (!strcmp(how, "image"))
        execl("./plain", "plain", "show", (char *)0);
    if (!strcmp(how, "blocked") || !strcmp(how, "let-through") || !strcmp(how, "taken"))
        return block();
    if (!strncmp(how, "handled", 7))
        signal(SIGTERM, on_signal);
    if (!strcmp(how, "ignored-then-default"))
        signal(SIGINT, SIG_DFL);
    if (!strcmp(how, "thread"))
        return in_thread();
    if (strstr(how, "child") || !strcmp(how, "group"))
        return with_child();
    if (!strcmp(how, "system"))
        return by_system();
    if (!strcmp(how, "view"))
        return view();
    return wait_for_word() + 0 * argc;
}
