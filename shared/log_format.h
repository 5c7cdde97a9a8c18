/* log_format.h -- the log of a run: every block that is allocated and freed, in
 * version 2 of the block format of Mono's logging profiler of 2007.
 *
 *   LOG   := INTRO BLOCK* END?
 *   BLOCK := code BYTE, size INTEGER, content[size]
 *
 * The codes of blocks and INTEGER are those of version 1: 7 bits per byte, the
 * lowest first, the last byte with its high bit set. STRING ends with a NUL.
 * SIGNED is an INTEGER: 2 n for n >= 0, else -2 n - 1. A BYTES is an INTEGER n
 * and n bytes. New in version 2 are the size of each block and the blocks from
 * FACTS on. All counters are nanoseconds since the start of the run.
 *
 * CELLS, if there are any, and TAGGED are written once, in this order, near the
 * end: a log that lacks TAGGED does not say what is in either. Rows ascend.
 *
 * Blocks between INTRO and END come in any order, but what a block refers to
 * stands before it. A log without END is of a run that was killed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

#define MPROF_LOG_VERSION 2
/* The same with a WEIGHT in each ALLOC: with sample=N. */
#define MPROF_LOG_VERSION_SAMPLED 3

/* X(code, NAME, content, help). INTRO has no size. `*0` repeats until a 0 takes
 * the place of the first field. */
#define MPROF_LOG_BLOCKS(X)                                                   \
    X(1, INTRO, "version, STRING program, counter, start",                    \
      "first; start: microseconds since 1970")                                \
    X(2, CLOCK, "counter, time",                                              \
      "what was written before is older; time: microseconds since 1970")      \
    X(3, LOADED,                                                              \
      "kind, loaded, counter, thread, STRING path, BYTES build id, tag, "     \
      "flags, bias, segments, (start, bytes, file offset)...",                \
      "a binary, of kind 1; loaded: the counter when the runtime first saw "  \
      "it since it was loaded, 0 if that was at the start or another block "  \
      "has it; tag: 0, or which of several binaries that were mapped at one " \
      "place; flags as in MODULES of raw profiles")                           \
    X(4, UNLOADED, "kind, loaded, counter, thread, STRING path, tag, bias",   \
      "the binary is gone since `counter`")                                   \
    X(5, MAPPING,                                                             \
      "counter, thread, (context, flags, shared, frames, frame...)*0, "       \
      "counter",                                                              \
      "call stacks: the outermost `shared` frames of the call stack before "  \
      "it in this block, then `frames` further ones. frame: 2 * SIGNED "      \
      "difference to the frame before it in this block, plus 1 if its tag "   \
      "follows. flags as in CONTEXTS of raw profiles")                        \
    X(6, EVENTS, "counter, thread, base, (code BYTE, fields...)*0, counter",  \
      "events of one thread, in order; times are relative to `base`")         \
    X(8, END, "version, counter, time", "last")                               \
    X(9, FACTS, "(key + 1, number, STRING text)*0",                           \
      "facts about the run, as in META of raw profiles; a later one counts")  \
    X(10, MARKS, "(kind, counter, bytes, STRING name)*0",                     \
      "phases and marks, as in MARKS of raw profiles")                        \
    X(11, SERIES, "(counter + 1, bytes, most, blocks, resident)*0",           \
      "the run over time, as in SERIES of raw profiles")                      \
    X(12, FURTHER,                                                            \
      "counter, thread, base, address, CPU, peak, (code BYTE, "               \
      "fields...)*0, counter",                                                \
      "EVENTS that go on after those of an earlier block: the first is "      \
      "relative to `base` and `address`, of this CPU and PEAK")               \
    X(13, SCRIPT, "(function, line, STRING name, STRING file)*0",             \
      "functions of scripts, by number, and their first lines. A frame with " \
      "the tag 65534 is one of a script: its address is the function's "      \
      "number * 2^24 plus the current line, sign-extended from 48 bits. "     \
      "File `:kind`: the name is that of a kind of objects")                  \
    X(14, NAMES, "(context, STRING name)*0",                                  \
      "with per_thread=1: names of the threads that have these call stacks; " \
      "each thread has call stacks of its own name")                          \
    X(15, DUMPS, "(counter + 1, epoch, number, is last)*0",                   \
      "profiles of the run, when their records were taken; epoch and number " \
      "as in META of raw profiles")                                           \
    X(16, TAGGED, "(row, kind, STRING name, (tag, value)*0)*0",               \
      "events and pools of the program, as in TAGGED of raw profiles: the "   \
      "fields that are not 0, by the tags of the columns. row: 2 * context, " \
      "plus 1 for live blocks")                                               \
    X(17, CELLS, "(row, cells, (skip + 1, count)*0)*0",                       \
      "access histograms, as in CELLS of raw profiles, of so many cells; "    \
      "with 0 cells, places of accesses in blocks that the program named")    \
    X(18, TAGS, "(context, STRING name)*0",                                   \
      "names of the program's events at these call stacks")                   \
    X(19, MAPPED, "(counter + 1, bytes, most, blocks, resident, mapped)*0",   \
      "the run over time, with mapped memory; takes the place of SERIES")

enum mprof_log_block {
#define X(code, name, content, help) MPROF_LOG_##name = (code),
    MPROF_LOG_BLOCKS(X)
#undef X
};

/* Frames of scripts. */
#define MPROF_LOG_SCRIPT_TAG UINT64_C(0xfffe)
#define MPROF_LOG_SCRIPT_LINE_BITS 24
#define MPROF_LOG_SCRIPT_FUNCTIONS (UINT32_C(1) << 20)
/* The file of a function that is none, but a kind of objects, also in raw
 * files: MEMPROF_VM_KIND of inc/memprof_vm.h. */
#define MPROF_LOG_SCRIPT_KIND ":kind"

/* X(code, NAME, fields, help). The lower 3 bits of an event's code. address:
 * SIGNED difference to the event's before, / 16. time: SIGNED, likewise. */
#define MPROF_LOG_EVENTS(X)                                                 \
    X(1, ALLOC, "address, time, size, context, by flags", "a block begins") \
    X(2, FREE, "address, time, accesses, by flags",                         \
      "a block ends; context and size are those of its ALLOC")              \
    X(3, LIVE, "address, time, accesses, by flags",                         \
      "the block is alive; replaces an earlier LIVE of the block")          \
    X(4, CPU, "number", "CPU of the next events")                           \
    X(5, PEAK, "number",                                                    \
      "number of the peak of the next events with PEAK; "                   \
      "the highest number is that of the run's peak")                       \
    X(6, NOTE, "what, time, value",                                         \
      "1: the thread begins; 2: it ends; 3: the run's peak, of `value` "    \
      "bytes; the blocks with PEAK that are LIVE or FREE lived then. "      \
      "16 + context: an event of the program (memprof_event()) at this "    \
      "call stack, which TAGS names, with its weight")                      \
    X(7, MOST, "context, bytes, blocks",                                    \
      "most bytes and blocks of a context that were alive at once")

enum mprof_log_event {
#define X(code, name, fields, help) MPROF_LOG_EVENT_##name = (code),
    MPROF_LOG_EVENTS(X)
#undef X
};
#define MPROF_LOG_EVENT_MASK 7u
#define MPROF_LOG_ADDRESS_UNIT 16u
enum {
    MPROF_LOG_NOTE_BEGIN = 1,
    MPROF_LOG_NOTE_END = 2,
    MPROF_LOG_NOTE_PEAK = 3,
    MPROF_LOG_NOTE_EVENT = 16 /* plus the context */
};

/* X(bit, NAME, fields, help). WEIGHT is a flag of ALLOC, in version 3.
 * The others are of FREE and LIVE: of the code, and of the
 * byte after it if the code has MORE. Fields stand at the event's end, in the
 * order of the bits. */
#define MPROF_LOG_FLAGS(X)                                                    \
    X(8, WEIGHT, "number", "of ALLOC: a sampled block, stands for so many")   \
    X(8, TEMPORARY, "", "freed before its thread's next allocation")          \
    X(16, ELSEWHERE, "SIGNED lifetime",                                       \
      "freed by another thread than the one that allocated it; the lifetime " \
      "tells which block at this address it was")                             \
    X(32, UNSEEN, "", "accesses were not counted")                            \
    X(64, PEAK, "", "alive at the last PEAK")                                 \
    X(128, MORE, "", "a byte with the following flags, >> 8, follows")        \
    X(256, SATURATED, "", "accesses are a lower bound")                       \
    X(1024, ENDED, "kind, context, size",                                     \
      "how it ended: kind of DETAILS, context of that call, and size of "     \
      "the block that replaces it")                                           \
    X(2048, RW, "reads, writes, bytes read, bytes written",                   \
      "accesses by direction")                                                \
    X(4096, RW_MEASURED, "", "reads and writes are complete")                 \
    X(8192, RW_BYTES, "", "the bytes are, too")

enum mprof_log_flag {
#define X(bit, name, fields, help) MPROF_LOG_FL_##name = (bit),
    MPROF_LOG_FLAGS(X)
#undef X
};
#define MPROF_LOG_CODE_FLAGS 0xf8u
#define MPROF_LOG_WEIGHT_MAX (UINT32_C(1) << 30)

/* Most bytes of an INTEGER, and of an event. */
#define MPROF_LOG_INTEGER_BYTES_MAX 10
#define MPROF_LOG_EVENT_BYTES_MAX (2 + 10 * MPROF_LOG_INTEGER_BYTES_MAX)

static inline uint8_t *mprof_log_put(uint8_t *to, uint64_t n)
{
    for (; n > 127; n >>= 7)
        *to++ = n & 127;
    *to++ = (uint8_t)(n | 128);
    return to;
}

static inline uint64_t mprof_log_signed(uint64_t n)
{
    return n << 1 ^ (n >> 63 != 0 ? UINT64_MAX : 0);
}
static inline uint64_t mprof_log_unsigned(uint64_t n)
{
    return n >> 1 ^ ((n & 1) != 0 ? UINT64_MAX : 0);
}
