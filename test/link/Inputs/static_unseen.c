/* Blocks that only functions of the C library access which static programs do not wrap. */
#define _GNU_SOURCE
#include <grp.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <setjmp.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static struct passwd user;
static struct group group;
static struct spwd shadow;
static struct protoent protocol;
static struct servent service;
static struct hostent host;
static void *found;
static int error;

#define BLOCK(name, ...)                                                \
    __attribute__((noinline)) static void name##_block(void)            \
    {                                                                   \
        char *const p = malloc(4000);                                   \
        __VA_ARGS__;                                                    \
        free(p);                                                        \
    }
#define FOUND (void *)&found
#define BLOCKS(X)                                                              \
    X(getpwnam_r, getpwnam_r("root", &user, p, 4000, FOUND))                   \
    X(getpwuid_r, getpwuid_r(0, &user, p, 4000, FOUND))                        \
    X(getpwent_r, getpwent_r(&user, p, 4000, FOUND))                           \
    X(getgrnam_r, getgrnam_r("root", &group, p, 4000, FOUND))                  \
    X(getgrgid_r, getgrgid_r(0, &group, p, 4000, FOUND))                       \
    X(getgrent_r, getgrent_r(&group, p, 4000, FOUND))                          \
    X(getspnam_r, getspnam_r("root", &shadow, p, 4000, FOUND))                 \
    X(getprotobyname_r, getprotobyname_r("tcp", &protocol, p, 4000, FOUND))    \
    X(getprotobynumber_r, getprotobynumber_r(6, &protocol, p, 4000, FOUND))    \
    X(getprotoent_r, getprotoent_r(&protocol, p, 4000, FOUND))                 \
    X(getservbyname_r, getservbyname_r("ssh", "tcp", &service, p, 4000, FOUND))\
    X(getservbyport_r, getservbyport_r(22, "tcp", &service, p, 4000, FOUND))   \
    X(getservent_r, getservent_r(&service, p, 4000, FOUND))                    \
    X(gethostbyname_r,                                                         \
      gethostbyname_r("localhost", &host, p, 4000, FOUND, &error))             \
    X(gethostbyname2_r,                                                        \
      gethostbyname2_r("localhost", 2, &host, p, 4000, FOUND, &error))         \
    X(gethostbyaddr_r,                                                         \
      gethostbyaddr_r("\177\0\0\1", 4, 2, &host, p, 4000, FOUND, &error))      \
    X(gethostent_r, gethostent_r(&host, p, 4000, FOUND, &error))               \
    X(getgrouplist, getgrouplist("root", 0, (void *)p, &(int){900}))           \
    X(getaddrinfo, getaddrinfo("127.0.0.1", NULL, NULL, (void *)p))            \
    X(getwd, getwd(p))                                                         \
    X(mktemp, mktemp(p))                                                       \
    X(tmpnam, tmpnam(p))                                                       \
    X(attr, pthread_attr_setstackaddr((void *)p, NULL))                        \
    X(setjmp, (void)setjmp((void *)p))                                         \
    X(sigsetjmp, (void)sigsetjmp((void *)p, 1))
BLOCKS(BLOCK)

int main(void)
{
#define CALL(name, ...) name##_block();
    BLOCKS(CALL)
    return 0;
}
