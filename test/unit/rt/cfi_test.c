/* cfi_test.c -- rt/stack/cfi.c and rt/stack/unwind.c: rules from made-up
 * entries, from the program's own entries, and from damaged ones.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/cfi.c"
#include "test/unit/rt/stubs.h"

#include <string.h>

#define FIRST 0x1000

/* A CIE as compilers emit it, and an FDE for [FIRST, FIRST + 0x100) with
 * absolute addresses; then the program, padded with nops. */
struct entries {
    uint8_t bytes[128];
    size_t fde;
};

static void put(struct entries *e, size_t *at, const void *bytes, size_t n)
{
    memcpy(e->bytes + *at, bytes, n);
    *at += n;
}

static struct entries make(const char *letters, const uint8_t *program,
                           size_t n)
{
    static const uint8_t cie_tail[] = {1,    0x78, 16, 1,    0x00,
                                       0x0c, 7,    8,  0x90, 1};
    struct entries e = {{0}, 0};
    const uint32_t cie_length = 36;
    const uint32_t fde_length = 60;
    size_t at = 0;

    put(&e, &at, &cie_length, 4);
    at += 4;
    e.bytes[at++] = 1;
    put(&e, &at, letters, strlen(letters) + 1);
    put(&e, &at, cie_tail, sizeof(cie_tail));
    e.fde = at = 40;
    const uint32_t distance = 44;
    const uint64_t range[] = {FIRST, 0x100};
    put(&e, &at, &fde_length, 4);
    put(&e, &at, &distance, 4);
    put(&e, &at, range, 16);
    e.bytes[at++] = 0; /* augmentation */
    put(&e, &at, program, n);
    return e;
}

static struct mprt_rule parse(const struct entries *e, uintptr_t pc)
{
    struct mprt_cfi_code code;

    return parse_fde(e->bytes, e->bytes + sizeof(e->bytes), e->bytes + e->fde,
                     pc, &code);
}

static void assert_rule(struct mprt_rule rule, int kind, int cfa_offset,
                        int saved, int bp_offset)
{
    assert_int_equal(rule.kind, kind);
    assert_int_equal(rule.cfa_offset, cfa_offset);
    assert_int_equal(rule.saved, saved);
    assert_int_equal(rule.bp_offset, bp_offset);
}

static void a_frame_pointer_function(void **state)
{
    /* push rbp; mov rsp, rbp; ...; pop rbp; ret */
    static const uint8_t program[] = {0x41, 0x0e, 16,   0x86, 2, 0x43, 0x0d, 6,
                                      0x60, 0x0a, 0x0c, 7,    8, 0x42, 0x0b};
    const struct entries e = make("zR", program, sizeof(program));

    (void)state;
    assert_rule(parse(&e, FIRST), MPRT_RULE_SP, 8, MPRT_SAVED_NOT, 0);
    assert_rule(parse(&e, FIRST + 1), MPRT_RULE_SP, 16, MPRT_SAVED_AT_CFA, -16);
    assert_rule(parse(&e, FIRST + 10), MPRT_RULE_BP, 16, MPRT_SAVED_AT_CFA,
                -16);
    assert_rule(parse(&e, FIRST + 0x24), MPRT_RULE_SP, 8, MPRT_SAVED_AT_CFA,
                -16);
    assert_rule(parse(&e, FIRST + 0x26), MPRT_RULE_BP, 16, MPRT_SAVED_AT_CFA,
                -16);
    assert_int_equal(parse(&e, FIRST - 1).kind, MPRT_RULE_FRAME_POINTER);
    assert_int_equal(parse(&e, FIRST + 0x100).kind, MPRT_RULE_FRAME_POINTER);
}

static void realigned_frames_ends_and_signals(void **state)
{
    static const uint8_t realigned[] = {0x0f, 3, 0x76, 0x78, 0x06,
                                        0x10, 6, 2,    0x76, 0x00};
    static const uint8_t end[] = {0x07, 16};
    static const uint8_t odd[] = {0x0f, 2, 0x77, 0x08};
    const struct entries r = make("zR", realigned, sizeof(realigned));
    const struct entries n = make("zR", end, sizeof(end));
    const struct entries o = make("zR", odd, sizeof(odd));
    const struct entries s = make("zRS", odd, sizeof(odd));

    (void)state;
    assert_rule(parse(&r, FIRST), MPRT_RULE_BP_DEREF, -8, MPRT_SAVED_AT_BP, 0);
    assert_int_equal(parse(&n, FIRST).kind, MPRT_RULE_END);
    assert_int_equal(parse(&o, FIRST).kind, MPRT_RULE_FRAME_POINTER);
    assert_int_equal(parse(&s, FIRST).kind, MPRT_RULE_SIGNAL);
}

static void damage_is_survived(void **state)
{
    static const uint8_t program[] = {0x41, 0x0e, 16,   0x86, 2, 0x43, 0x0d, 6,
                                      0x60, 0x0a, 0x0c, 7,    8, 0x42, 0x0b};
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 200000; round++) {
        struct entries e =
            make(round & 1 ? "zPLR" : "zR", program, sizeof(program));
        for (int i = 0; i < 1 + round % 4; i++) {
            seed = seed * 1664525 + 1013904223;
            e.bytes[(seed >> 8) % sizeof(e.bytes)] = (uint8_t)(seed >> 24);
        }
        parse(&e, FIRST + (seed >> 16 & 0x3f));
    }
}

static __attribute__((noinline)) size_t walk_here(uintptr_t *pcs, size_t max,
                                                  bool *truncated)
{
    const size_t count = mprt_unwind(MPRT_CALLER(), pcs, max, truncated);

    __asm__ volatile(""); /* keeps this from being a tail call */
    return count;
}

static void the_own_stack(void **state)
{
    uintptr_t pcs[64];
    bool truncated;
    const size_t count = walk_here(pcs, 64, &truncated);

    (void)state;
    assert_true(count > 4);
    assert_false(truncated);
    assert_int_equal(pcs[1], (uintptr_t)__builtin_return_address(0) - 1);
    assert_int_equal(walk_here(pcs, 2, &truncated), 2);
    assert_true(truncated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_pointer_function),
        cmocka_unit_test(realigned_frames_ends_and_signals),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(the_own_stack),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
