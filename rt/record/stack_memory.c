/* stack_memory.c -- searches a block for return addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/stack_memory.h"
#include "rt/base/fault.h"
#include "rt/base/os.h"
#include "rt/base/sandbox.h"
#include "rt/heap/heap.h"
#include "rt/stack/object.h"

/* The outermost frames of a stack lie at the block's end, below what the
 * program keeps there. */
#define BYTES_SEARCHED 2048
/* Of a context, so many blocks are searched, and then those whose number is a
 * power of two. */
#define BLOCKS_SEARCHED 16
/* No binary is mapped below or above. */
#define CODE_MIN UINT64_C(0x10000)
#define CODE_MAX (UINT64_C(1) << 47)

/* What is known of a context, in one word: its number, then whether it makes
 * stacks, then how many of its blocks were none. A context that finds another
 * one here takes its place. */
#define ROWS 1024
#define ROW_CONTEXT_SHIFT 32
#define ROW_IS_STACK (UINT64_C(1) << 31)
#define ROW_COUNT_MAX (ROW_IS_STACK - 1)
static _Atomic uint64_t rows[ROWS];

/* Does an instruction `call` end where these 8 bytes of code end? A direct one
 * has 5 bytes, e8 first; an indirect one ff, then 2 in the middle of a byte
 * that says how long the operand is. */
static bool is_call(uint64_t code)
{
    static const uint8_t lengths[] = {2, 3, 4, 6, 7};

    if ((uint8_t)(code >> 24) == 0xe8)
        return true;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(lengths); i++) {
        const uint64_t call = code >> (64 - 8 * lengths[i]);

        if ((call & 0x38ff) == 0x10ff)
            return true;
    }
    return false;
}

/* *object is the one that was found last. */
static MPRT_NOINLINE bool is_return(uintptr_t pc, struct mprt_object *object)
{
    if (mprt_heap_contains((void *)pc))
        return false;
    if ((pc < object->start || pc >= object->end) &&
        !mprt_object_find(pc, object)) {
        *object = (struct mprt_object){.start = 0};
        return false;
    }
    return pc - object->start >= sizeof(uint64_t) &&
           mprt_os_are_readable((void *)(pc - sizeof(uint64_t)),
                                sizeof(uint64_t)) &&
           is_call(mprt_fault_read(pc - sizeof(uint64_t)));
}

/* A page that is not in memory was not used; to touch it would take time, or
 * wait for code of the program (userfaultfd). */
static bool is_in_memory(uintptr_t page)
{
    unsigned char resident;

    return mprt_os_are_resident(page, mprt_os_page_bytes(), &resident) &&
           (resident & 1) != 0 && mprt_os_is_readable(page);
}

/* Searches from the block's end on, page by page. */
static bool has_return(uintptr_t p, uint64_t bytes)
{
    const uintptr_t end = (p + bytes) & -sizeof(uintptr_t);
    struct mprt_object object = {.start = 0};

    for (uintptr_t at = end; at > end - BYTES_SEARCHED;) {
        const uintptr_t page = (at - 1) & -(uintptr_t)mprt_os_page_bytes();
        const uintptr_t low =
            page > end - BYTES_SEARCHED ? page : end - BYTES_SEARCHED;

        if (!is_in_memory(page))
            return false;
        while (at > low) {
            at -= sizeof(uintptr_t);
            const uintptr_t pc = mprt_fault_read(at);

            if (MPROF_UNLIKELY(pc - CODE_MIN < CODE_MAX - CODE_MIN) &&
                is_return(pc, &object))
                return true;
        }
    }
    return false;
}

bool mprt_stack_memory_search(uint32_t context, uintptr_t p, uint64_t bytes)
{
    _Atomic uint64_t *const row = &rows[context % ROWS];
    uint64_t known = MPRT_LOAD(*row);

    if (known >> ROW_CONTEXT_SHIFT != context)
        known = (uint64_t)context << ROW_CONTEXT_SHIFT;
    if ((known & ROW_IS_STACK) != 0)
        return true;
    const uint64_t count = known & ROW_COUNT_MAX;
    const bool is_wanted =
        (count < BLOCKS_SEARCHED || (count & (count - 1)) == 0) &&
        !mprt_sandbox_is_there();

    if (is_wanted && has_return(p, bytes))
        known |= ROW_IS_STACK;
    else if (count < ROW_COUNT_MAX)
        known++;
    MPRT_STORE(*row, known);
    return (known & ROW_IS_STACK) != 0;
}
