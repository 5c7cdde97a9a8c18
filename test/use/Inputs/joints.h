/* joints.h -- call stacks that LLVM's cloning has to deal with: each is called
 * for a block that stays untouched and for one that is accessed all the time. */
#define NOINLINE __attribute__((noinline))
#define INLINE __attribute__((always_inline)) inline

/* In joints_far.cpp. */
char *far_make();
char *far_tail();
char *far_pass();
char *far_alias();
char *far_unseen(char *(*make)());
char *far_twice(int which);
