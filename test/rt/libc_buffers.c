// A block that only the C library accesses is not reported as never accessed: each call
// below has a block of its own that the program does not touch.
// RUN: %memprof-clang -fmemory-profile -O0 -w -fno-builtin %debugflags -pthread %s -o %t && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show --top=1000 %t.raw | FileCheck %s --implicit-check-not='never accessed' --implicit-check-not='no access seen'
// RUN: %build/bin/memprof-clang-%llvm-version -shared-libsan -fmemory-profile -O0 -w -fno-builtin %debugflags -pthread %s -o %t.shared && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t.shared
// RUN: %memprofdata show --top=1000 %t.raw | FileCheck %s --implicit-check-not='never accessed' --implicit-check-not='no access seen'
// RUN: %build/bin/memprof-clang-%llvm-version -static -DSTATIC -fmemory-profile -O0 -w -fno-builtin %debugflags -pthread %s -o %t.static && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t.static
// RUN: %memprofdata show --top=1000 %t.raw | FileCheck %s --implicit-check-not='never accessed' --implicit-check-not='no access seen'
// CHECK: check_last
// RUN: %memprofdata explain %t.raw | FileCheck %s --check-prefix=WHY
// WHY-NOT: {{ (cold|hot) .* check_streams}}
#define _GNU_SOURCE
#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <monetary.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/un.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

/* A block that the program never writes; its source line is its call stack. */
#define NEW(type) ((type *)calloc(1, sizeof(type) > 64 ? sizeof(type) : 64))
#define BYTES(n) ((char *)calloc(1, n))

static const time_t now = 1000000000;
static struct tm tm;

static void check_streams(void)
{
    FILE *file = fopen("/dev/null", "w");

    setvbuf(file, BYTES(1 << 16), _IOFBF, 1 << 16);
    fprintf(file, "text\n");
    fclose(file);
    file = fopen("/dev/null", "w");
    setbuf(file, BYTES(BUFSIZ));
    fclose(file);
    file = fopen("/dev/null", "w");
    setbuffer(file, BYTES(1 << 14), 1 << 14);
    fclose(file);
    file = fmemopen(BYTES(1 << 13), 1 << 13, "w");
    fprintf(file, "text\n");
    fclose(file);
    file = open_memstream(NEW(char *),
                          NEW(size_t));
    fprintf(file, "text\n");
    fclose(file);
    file = tmpfile();
    fgetpos(file, NEW(fpos_t));
    fputs("a line\n", file);
    rewind(file);
    getline(NEW(char *),
            NEW(size_t), file);
    fclose(file);
    asprintf(NEW(char *), "%d", 1);
}

static void check_times(void)
{
    struct timespec none = {0};
    struct itimerval timer = {0};

    time(NEW(time_t));
    localtime_r(&now, NEW(struct tm));
    gmtime_r(&now, NEW(struct tm));
    mktime(NEW(struct tm));
    timegm(NEW(struct tm));
    asctime_r(&tm, BYTES(100));
    ctime_r(&now, BYTES(100));
    strptime("12", "%H", NEW(struct tm));
    clock_gettime(CLOCK_REALTIME, NEW(struct timespec));
    clock_getres(CLOCK_REALTIME, NEW(struct timespec));
    gettimeofday(NEW(struct timeval), NULL);
    timespec_get(NEW(struct timespec), TIME_UTC);
    nanosleep(NEW(struct timespec), NULL);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, NEW(struct timespec), NULL);
    times(NEW(struct tms));
    getitimer(ITIMER_REAL, NEW(struct itimerval));
    setitimer(ITIMER_REAL, &timer, NEW(struct itimerval));
    timerfd_gettime(timerfd_create(CLOCK_REALTIME, 0), NEW(struct itimerspec));
    futimens(open("/dev/null", O_RDONLY), NEW(struct timespec));
}

static void check_system(void)
{
    uname(NEW(struct utsname));
    sysinfo(NEW(struct sysinfo));
    getrusage(RUSAGE_SELF, NEW(struct rusage));
    getrlimit(RLIMIT_NOFILE, NEW(struct rlimit));
    prlimit(0, RLIMIT_NOFILE, NULL, NEW(struct rlimit));
    confstr(_CS_PATH, BYTES(100), 100);
    getdomainname(BYTES(100), 100);
    strerror_r(9999, BYTES(100), 100);
    getresuid(NEW(uid_t),
              NEW(uid_t),
              NEW(uid_t));
    getcpu(NEW(unsigned), NULL);
    sched_getaffinity(0, sizeof(cpu_set_t), NEW(cpu_set_t));
    sched_getparam(0, NEW(struct sched_param));
    if (fork() == 0)
        _exit(0);
    wait(NEW(int));
    if (fork() == 0)
        _exit(0);
    wait4(-1, NEW(int), 0,
          NEW(struct rusage));
    prctl(PR_GET_NAME, BYTES(16));
    syscall(SYS_getrandom, BYTES(16), 16, 0);
#ifndef STATIC
    struct passwd *user;
    getpwuid_r(0, NEW(struct passwd), BYTES(5000), 5000,
               &user);
    getpwnam_r("root", NEW(struct passwd),
               BYTES(5000), 5000,
               NEW(struct passwd *));
    struct group *group;
    getgrgid_r(0, NEW(struct group),
               BYTES(5000), 5000, &group);
    struct protoent *protocol;
    getprotobyname_r("tcp", NEW(struct protoent),
                     BYTES(5000), 5000, &protocol);
    struct hostent *host;
    int error;
    gethostbyname_r("127.0.0.1", NEW(struct hostent),
                    BYTES(5000), 5000, &host, &error);
    getaddrinfo("127.0.0.1", NULL, NULL, NEW(struct addrinfo *));
    dladdr(stdout, NEW(Dl_info));
#endif
    getloadavg(NEW(double), 1);
}

static void check_files(void)
{
    int fds[2];
    glob_t paths;
    DIR *dir;

    stat("/", NEW(struct stat));
    lstat("/", NEW(struct stat));
    fstat(0, NEW(struct stat));
    fstatat(AT_FDCWD, "/", NEW(struct stat), 0);
    statx(AT_FDCWD, "/", 0, STATX_ALL, NEW(struct statx));
    statfs("/", NEW(struct statfs));
    statvfs("/", NEW(struct statvfs));
    pipe(NEW(int));
    pipe2(NEW(int), O_CLOEXEC);
    dir = opendir("/");
    readdir_r(dir, NEW(struct dirent),
              NEW(struct dirent *));
    getdents64(open("/", O_RDONLY), BYTES(4096), 4096);
    scandir("/", NEW(struct dirent **), NULL, NULL);
    glob("/*", 0, NULL, NEW(glob_t));
    wordexp("a b", NEW(wordexp_t), 0);
    pipe(fds);
    ioctl(fds[0], FIONREAD, NEW(int));
    fcntl(0, F_GETLK, NEW(struct flock));
    regex_t *const regex = NEW(regex_t);
    regcomp(regex, "a*", 0);
    regexec(regex, "aaa", 1, NEW(regmatch_t), 0);
    regerror(REG_BADPAT, NULL, BYTES(100), 100);
    cfmakeraw(NEW(struct termios));
    struct aiocb *const request = NEW(struct aiocb);
    request->aio_fildes = open("/dev/zero", O_RDONLY);
    request->aio_buf = BYTES(300);
    request->aio_nbytes = 300;
    aio_read(request);
    while (aio_error(request) == EINPROGRESS)
        sched_yield();
}

static void check_null(int listener, const struct sockaddr *to);

static void check_network(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    struct in_addr address = {htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(any);
    int ends[2];
    const int s = socket(AF_INET, SOCK_DGRAM, 0);

    any.sin_addr = address;
    bind(s, (struct sockaddr *)&any, sizeof(any));
    getsockname(s, (struct sockaddr *)NEW(struct sockaddr_in), &n);
    getsockname(s, (struct sockaddr *)&any, &n);
    n = sizeof(int);
    getsockopt(s, SOL_SOCKET, SO_TYPE, NEW(int), &n);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, NEW(int), sizeof(int));
    sendto(s, "x", 1, 0, (struct sockaddr *)&any, sizeof(any));
    char received;
    n = sizeof(any);
    recvfrom(s, &received, 1, 0, (struct sockaddr *)NEW(struct sockaddr_in), &n);
    connect(s, (struct sockaddr *)&any, sizeof(any));
    n = sizeof(any);
    getpeername(s, (struct sockaddr *)NEW(struct sockaddr_in), &n);
    const int l = socket(AF_INET, SOCK_STREAM, 0);
    any.sin_port = 0;
    bind(l, (struct sockaddr *)&any, sizeof(any));
    listen(l, 1);
    n = sizeof(any);
    getsockname(l, (struct sockaddr *)&any, &n);
    const int c = socket(AF_INET, SOCK_STREAM, 0);
    connect(c, (struct sockaddr *)&any, sizeof(any));
    accept(l, (struct sockaddr *)NEW(struct sockaddr_in), &n);
    check_null(l, (struct sockaddr *)&any);
    socketpair(AF_UNIX, SOCK_STREAM, 0, NEW(int));
    inet_ntop(AF_INET, &address, BYTES(100), 100);
    inet_pton(AF_INET, "1.2.3.4", NEW(struct in_addr));
    inet_aton("1.2.3.4", NEW(struct in_addr));
    if_indextoname(1, BYTES(IF_NAMESIZE));
    getifaddrs(NEW(struct ifaddrs *));
    getnameinfo((struct sockaddr *)&any, sizeof(any), BYTES(100), 100, NULL, 0, NI_NUMERICHOST);
    poll(NEW(struct pollfd), 1, 0);
    struct timeval none = {0};
    select(1, NEW(fd_set), NULL, NULL, &none);
    select(0, NULL, NULL, NULL, NEW(struct timeval));
    pselect(0, NULL, NULL, NULL, NEW(struct timespec), NULL);
    epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, s, NEW(struct epoll_event));
}

static void check_signals(void)
{
    sigset_t one;

    sigemptyset(NEW(sigset_t));
    sigfillset(NEW(sigset_t));
    sigaddset(NEW(sigset_t), SIGUSR1);
    sigismember(NEW(sigset_t), SIGUSR1);
    sigprocmask(SIG_BLOCK, NULL, NEW(sigset_t));
    pthread_sigmask(SIG_BLOCK, NULL, NEW(sigset_t));
    sigpending(NEW(sigset_t));
    sigaction(SIGUSR1, NULL, NEW(struct sigaction));
    sigaltstack(NULL, NEW(stack_t));
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, NULL);
    raise(SIGUSR1);
    sigwait(&one, NEW(int));
    raise(SIGUSR1);
    sigwaitinfo(&one, NEW(siginfo_t));
    signalfd(-1, NEW(sigset_t), 0);
    getcontext(NEW(ucontext_t));
}

static int compare(const void *a, const void *b)
{
    return 0;
}

static void check_numbers(void)
{
    struct drand48_data seed = {0};
    int exponent;

    qsort(BYTES(100), 100, 1, compare);
    size_t n = 0;
    lsearch("x", BYTES(100), &n, 1, compare);
    tsearch("x", NEW(void *), compare);
    initstate(1, BYTES(64), 64);
    rand_r(NEW(unsigned));
    erand48(NEW(unsigned short));
    drand48_r(NEW(struct drand48_data),
              NEW(double));
    lrand48_r(&seed, NEW(long));
    srand48_r(1, NEW(struct drand48_data));
    modf(1.5, NEW(double));
    modff(1.5F, NEW(float));
    modfl(1.5L, NEW(long double));
    frexp(1.5, NEW(int));
    frexpl(1.5L, NEW(int));
    ecvt_r(1.5, 3, NEW(int), NEW(int),
           BYTES(100), 100);
    gcvt(1.5, 3, BYTES(100));
    memfrob(BYTES(16), 16);
    strfmon(BYTES(100), 100, "%n", 1.5);
    putenv(strcpy(BYTES(100), "A=B"));
    swab("abcd", BYTES(16), 4);
    mbrtowc(NEW(wchar_t), "x", 1,
            NEW(mbstate_t));
    mbtowc(NEW(wchar_t), "x", 1);
    mbrtoc16(NEW(char16_t), "x", 1,
             NEW(mbstate_t));
    c32rtomb(BYTES(16), U'x', NEW(mbstate_t));
    char *from = "text", *to = BYTES(100);
    size_t from_bytes = 4, to_bytes = 100;
    const iconv_t converter = iconv_open("UCS-4LE", "ASCII");
#ifndef STATIC
    iconv(converter, &from, &from_bytes, &to, &to_bytes);
#else
    memset(to, 0, 1);
#endif
}

static void *start(void *arg)
{
    return arg;
}

static void check_threads(void)
{
    pthread_t thread;
    struct mq_attr attributes;
    sem_t counted = {0};
    char *const arguments[] = {"true", NULL};
    int queue;
    const struct { long type; char text; } message = {1, 'x'};

    pthread_create(NEW(pthread_t), NULL, start, NULL);
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NEW(void *));
    pthread_getname_np(pthread_self(), BYTES(16), 16);
    pthread_attr_init(NEW(pthread_attr_t));
    pthread_getattr_np(pthread_self(), NEW(pthread_attr_t));
    pthread_mutex_init(NEW(pthread_mutex_t), NULL);
    pthread_rwlock_init(NEW(pthread_rwlock_t), NULL);
    pthread_cond_init(NEW(pthread_cond_t), NULL);
    pthread_barrier_init(NEW(pthread_barrier_t), NULL, 1);
    pthread_spin_init(NEW(pthread_spinlock_t), 0);
    sem_init(NEW(sem_t), 0, 1);
    sem_getvalue(&counted, NEW(int));
    pthread_rwlockattr_init(NEW(pthread_rwlockattr_t));
    eventfd_read(eventfd(1, 0), NEW(eventfd_t));
#ifndef STATIC
    setjmp(*NEW(jmp_buf));
    sigsetjmp(*NEW(sigjmp_buf), 1);
#endif
    posix_spawnp(NEW(pid_t), "true", NULL, NULL, arguments, NULL);
    posix_spawn_file_actions_init(NEW(posix_spawn_file_actions_t));
    posix_spawnattr_init(NEW(posix_spawnattr_t));
    queue = msgget(IPC_PRIVATE, 0600);
    msgsnd(queue, &message, 1, 0);
    msgrcv(queue, BYTES(100), 90, 0, 0);
    msgctl(queue, IPC_STAT, NEW(struct msqid_ds));
    msgctl(queue, IPC_RMID, NULL);
}

/* A pointer that may be NULL is not followed. */
static void check_null(int listener, const struct sockaddr *to)
{
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    char received;

    connect(s, to, sizeof(struct sockaddr_in));
    accept(listener, NULL, NULL);
    getsockopt(-1, 0, 0, NULL, NULL);
    recvfrom(-1, &received, 1, 0, NULL, NULL);
    random_r(NULL, NULL);
    srandom_r(1, NULL);
    time(NULL);
    waitpid(-1, NULL, WNOHANG);
    select(0, NULL, NULL, NULL, &(struct timeval){0});
    iconv(iconv_open("UTF-8", "UTF-16"), NULL, NULL, NULL, NULL);
    sigaction(SIGUSR1, NULL, NULL);
    mbrtowc(NULL, NULL, 0, NULL);
    setvbuf(stderr, NULL, _IONBF, 0);
}

/* The library or the kernel reads what others wrote. */
static void once(void)
{
}

static void check_inputs(void)
{
    const int file = open("/dev/null", O_RDWR);
    wchar_t wide[10];
    char text[10];
    const char *from = BYTES(16);
    const wchar_t *wide_from = (wchar_t *)BYTES(16);
    mbstate_t state = {0};
    struct iovec part = {BYTES(16), 16};
    int ends[2];

    mbstowcs(wide, BYTES(16), 10);
    wcstombs(text, (wchar_t *)BYTES(16), 10);
    mbsrtowcs(wide, &from, 10, &state);
    wcsrtombs(text, &wide_from, 10, &state);
    copy_file_range(file, (off64_t *)BYTES(16), file,
                    (off64_t *)BYTES(16), 1, 0);
    sendfile(file, file, (off_t *)BYTES(16), 1);
    pipe(ends);
    vmsplice(ends[1], &part, 1, 0);
    pthread_once((pthread_once_t *)BYTES(16), once);
    call_once((once_flag *)BYTES(16), once);
    inotify_add_watch(-1, BYTES(16), 0);
    shm_unlink(BYTES(16));
    chroot(BYTES(16));
    char *arguments[] = {BYTES(16), NULL};
    posix_spawn(NULL, "/nowhere", NULL, NULL, arguments, arguments);
    execl(BYTES(16),
          BYTES(16), BYTES(16), NULL);
    arguments[0] = BYTES(16);
    execv("/nowhere", arguments);
    arguments[0] = BYTES(16);
    execve("/nowhere", NULL, arguments);
}

static void check_last(void)
{
    char *const last = BYTES(1 << 20);
    last[0] = 1;
}

int main(void)
{
    check_streams();
    check_times();
    check_system();
    check_files();
    check_network();
    check_signals();
    check_numbers();
    check_threads();
    check_inputs();
    check_last();
    return 0;
}
