/* sandbox_test.c -- rt/base/sandbox.c: the verdict on a seccomp filter equals
 * the kernel's, or forbids everything, as for filters that the kernel would
 * refuse; and which threads a filter applies to.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/sandbox.h"
#include "test/unit/cmocka_all.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define NUMBER 0
#define ARGUMENT(n) (16 + 8 * (n))
#define RET(action) BPF_STMT(BPF_RET | BPF_K, action)
#define JUMP(op, k, jt, jf) BPF_JUMP(BPF_JMP | (op) | BPF_K, k, jt, jf)
#define ALLOW SECCOMP_RET_ALLOW
#define KILL SECCOMP_RET_KILL_PROCESS

static struct {
    struct mprt_sandbox_filter filter;
    struct sock_filter code[64];
} room;

static struct mprt_sandbox_filter *make(const struct sock_filter *code,
                                        size_t bytes)
{
    memset(&room, 0, sizeof(room));
    room.filter.count = (uint32_t)(bytes / sizeof(*code));
    memcpy(room.filter.code, code, bytes);
    return &room.filter;
}

#define MAKE(...)                                   \
    make((const struct sock_filter[]){__VA_ARGS__}, \
         sizeof((struct sock_filter[]){__VA_ARGS__}))
#define SAYS(call, ...) mprt_sandbox_filter_makes(MAKE(__VA_ARGS__), call)

static const struct mprt_sandbox_call call = {
    SYS_openat, {1, UINT64_C(0x1122334455667788), 3, 4, 5, UINT64_MAX}};

static void actions(void **state)
{
    static const struct {
        uint32_t action;
        bool makes;
    } all[] = {
        {SECCOMP_RET_ALLOW, true},
        {SECCOMP_RET_LOG, true},
        {SECCOMP_RET_TRACE | 7, true},
        {SECCOMP_RET_ERRNO | 1, false},
        {SECCOMP_RET_USER_NOTIF, true},
        {SECCOMP_RET_TRAP | 9, false},
        {SECCOMP_RET_KILL_THREAD, false},
        {SECCOMP_RET_KILL_PROCESS, false},
        {0x12340000, false},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(all); i++)
        assert_int_equal(SAYS(&call, RET(all[i].action)), all[i].makes);
}

/* Allows the call if the word at `offset` has the value. */
static bool holds(uint32_t offset, uint32_t value)
{
    return SAYS(&call, LOAD(offset), JUMP(BPF_JEQ, value, 0, 1), RET(ALLOW),
                RET(KILL));
}

static void what_a_filter_sees(void **state)
{
    (void)state;
    assert_true(holds(NUMBER, SYS_openat));
    assert_false(holds(NUMBER, SYS_open));
    assert_true(holds(4, AUDIT_ARCH_X86_64));
    assert_true(holds(ARGUMENT(0), 1));
    assert_true(holds(ARGUMENT(0) + 4, 0));
    assert_true(holds(ARGUMENT(1), 0x55667788));
    assert_true(holds(ARGUMENT(1) + 4, 0x11223344));
    assert_true(holds(ARGUMENT(5) + 4, UINT32_MAX));
}

#define MASK(k) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, k)

static void what_it_masks(void **state)
{
    (void)state;
    assert_true(SAYS(&call, LOAD(ARGUMENT(3)), MASK(6), JUMP(BPF_JEQ, 4, 0, 1),
                     RET(ALLOW), RET(KILL)));
}

static void where_it_jumps(void **state)
{
    static const struct {
        uint16_t op;
        uint32_t a;
        bool jumps;
    } all[] = {
        {BPF_JEQ, 5, true},  {BPF_JEQ, 6, false},  {BPF_JGT, 6, true},
        {BPF_JGT, 5, false}, {BPF_JGE, 5, true},   {BPF_JGE, 4, false},
        {BPF_JSET, 4, true}, {BPF_JSET, 2, false},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(all); i++)
        assert_int_equal(SAYS(&call, LOAD(ARGUMENT(5)), MASK(all[i].a),
                              JUMP(all[i].op, 5, 1, 0), RET(KILL), RET(ALLOW)),
                         all[i].jumps);
    assert_true(SAYS(&call, JUMP(BPF_JA, 1, 0, 0), RET(KILL), RET(ALLOW)));
}

static void what_is_refused_or_unknown_allows_nothing(void **state)
{
    (void)state;
    room.filter.count = 0;
    assert_false(mprt_sandbox_filter_makes(&room.filter, &call));
    assert_false(SAYS(&call, MASK(0))); /* no end */
    assert_false(SAYS(&call, JUMP(BPF_JA, UINT32_MAX, 0, 0), RET(ALLOW)));
    assert_false(SAYS(&call, JUMP(BPF_JA, 1, 0, 0), RET(ALLOW)));
    assert_false(SAYS(&call, JUMP(BPF_JEQ, 0, 255, 255), RET(ALLOW)));
    assert_false(SAYS(&call, LOAD(1), RET(ALLOW)));
    assert_false(SAYS(&call, LOAD(64), RET(ALLOW)));
    assert_false(SAYS(&call, LOAD(UINT32_MAX - 3), RET(ALLOW)));
    assert_false(SAYS(&call, BPF_STMT(0xffff, 0), RET(ALLOW)));
    /* Instructions that we do not know. */
    assert_false(SAYS(&call, BPF_STMT(BPF_LD | BPF_IMM, 0), RET(ALLOW)));
    assert_false(SAYS(&call, BPF_STMT(BPF_ST, 15), RET(ALLOW)));
    assert_false(
        SAYS(&call, BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), RET(ALLOW)));
    /* Address that the call comes from. */
    assert_false(SAYS(&call, LOAD(8), RET(ALLOW)));
}

static void *ask(void *unused)
{
    static char allowed;

    (void)unused;
    return mprt_sandbox_allows(&call) ? &allowed : NULL;
}

static void *leave_and_ask(void *last)
{
    mprt_sandbox_leave((struct mprt_sandbox_filter *)last);
    return ask(NULL);
}

static bool may(void *(*function)(void *argument), void *argument)
{
    pthread_t thread;
    void *answer;

    assert_int_equal(pthread_create(&thread, NULL, function, argument), 0);
    assert_int_equal(pthread_join(thread, &answer), 0);
    return answer != NULL;
}

static void whom_they_count_for(void **state)
{
    struct mprt_sandbox_filter *const filter = MAKE(
        LOAD(NUMBER), JUMP(BPF_JEQ, SYS_openat, 0, 1), RET(KILL), RET(ALLOW));

    (void)state;
    mprt_sandbox_init();
    assert_false(mprt_sandbox_is_there());
    assert_null(mprt_sandbox_last());
    mprt_sandbox_add(filter);
    assert_ptr_equal(mprt_sandbox_last(), filter);
    assert_false(may(leave_and_ask, filter));
    assert_true(may(leave_and_ask, NULL));
    assert_true(mprt_sandbox_is_there());
    assert_true(mprt_sandbox_allows(&call));
    assert_false(may(ask, NULL));
    filter->is_for_all = true;
    assert_false(mprt_sandbox_allows(&call));
    mprt_sandbox_take_back(filter);
    assert_true(mprt_sandbox_allows(&call));
    assert_true(may(ask, NULL));

    const struct mprt_sandbox_call writes = {SYS_write, {1}};
    mprt_sandbox_set_strict(true);
    assert_false(mprt_sandbox_allows(&call));
    assert_true(mprt_sandbox_allows(&writes));
    assert_true(may(ask, NULL));
    mprt_sandbox_set_strict(false);
    assert_true(mprt_sandbox_allows(&call));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions),
        cmocka_unit_test(what_a_filter_sees),
        cmocka_unit_test(what_it_masks),
        cmocka_unit_test(where_it_jumps),
        cmocka_unit_test(what_is_refused_or_unknown_allows_nothing),
        cmocka_unit_test(whom_they_count_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
