/* abi.h -- the contract between instrumented code (pass/) and the runtime
 * (rt/): shadow geometry, symbol names, constructor priority. The same contract
 * as LLVM 22's MemProf, plus the symbols marked "ours". docs/abi.md explains
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_ABI_H
#define MPROF_ABI_H

#include "shared/base.h"

/* -- Shadow geometry: counters.inc ----------------------------------------- */

/* How far an address is shifted: 8 * granule bits of memory take `bits` bits of
 * shadow, all counters of the granule. Both are powers of two. */
#define MPROF_COUNTER_SHIFT(granule, bits) \
    (__builtin_ctz(8 * (granule)) - __builtin_ctz(bits))
/* The largest number that a counter holds. */
#define MPROF_COUNTER_MAX(bits) (UINT64_MAX >> (64 - (bits)))

/* Of each kind: bytes that share a counter, the counter's width, the shift, and
 * how far the counter lies behind the granule's first. */
enum {
#define MPROF_COUNTER(name, type, granule, side, place, base, stops, mode, \
                      counts)                                              \
    MPROF_COUNTER_##name##_GRANULE = (granule),                            \
    MPROF_COUNTER_##name##_BITS = 8 * (int)sizeof(type),                   \
    MPROF_COUNTER_##name##_SHIFT =                                         \
        MPROF_COUNTER_SHIFT(granule, (side)*8 * (int)sizeof(type)),        \
    MPROF_COUNTER_##name##_AT = (place) * (int)sizeof(type),
#include "shared/counters.inc"
};

/* Of each kind: mprof_abi_NORMAL_off() and so on, where the counter of an
 * address lies, in bytes from its base. */
#define MPROF_COUNTER(name, type, granule, side, place, base, stops, mode, \
                      counts)                                              \
    static inline uint64_t mprof_abi_##name##_off(uint64_t addr)           \
    {                                                                      \
        return (mprof_round_down(addr, granule) >>                         \
                MPROF_COUNTER_##name##_SHIFT) +                            \
               MPROF_COUNTER_##name##_AT;                                  \
    }
#include "shared/counters.inc"

#define MPROF_SHADOW_SCALE MPROF_COUNTER_NORMAL_SHIFT
#define MPROF_GRANULE_BYTES MPROF_COUNTER_NORMAL_GRANULE
/* Application bytes per histogram cell, of all kinds. */
#define MPROF_CELL_BYTES MPROF_COUNTER_CELL_GRANULE
#define MPROF_CELL_MAX ((uint8_t)MPROF_COUNTER_MAX(MPROF_CELL_BITS))
#define MPROF_WIDE_SHADOW_SCALE MPROF_COUNTER_WIDE_CELL_SHIFT
#define MPROF_WIDE_CELL_MAX ((uint32_t)MPROF_COUNTER_MAX(MPROF_WIDE_CELL_BITS))
#define MPROF_CELL_BITS MPROF_COUNTER_CELL_BITS
#define MPROF_WIDE_CELL_BITS MPROF_COUNTER_WIDE_CELL_BITS

/* What the plugin may count with one addition: values of -memprof-merge. */
#define MPROF_PASS_MERGE_NONE "none"
#define MPROF_PASS_MERGE_BLOCK "block"
#define MPROF_PASS_MERGE_REGION "region"
/* How to compile what jumps out of signal handlers. */
#define MPROF_PASS_MERGE_FOR_JUMPS \
    "-mllvm -memprof-merge=" MPROF_PASS_MERGE_BLOCK
/* So many accesses at most wait in registers, and so no more iterations. */
#define MPROF_PASS_MERGE_ITERATIONS_MAX 65536

/* Values of the plugin's option -memprof-hints. */
#define MPROF_PASS_HINTS_AUTO "auto"
#define MPROF_PASS_HINTS_COLD "cold"
#define MPROF_PASS_HINTS_ALL "all"
#define MPROF_PASS_HINTS_OFF "off"
#define MPROF_PASS_HINTS_LLVM "llvm"

/* The annotation of functions whose allocations get no hint; the same in
 * inc/memprof.h. */
#define MPROF_ANNOTATION_NO_HINT "memprof_nohint"

/* Hinted forms of allocation functions (inc/memprof_hints.h) are called
 * MPROF_SYM_PREFIX, the plain name, MPROF_HINT_SUFFIX; what the plugin calls in
 * their place MPROF_SYM_USE, the plain name. */
#define MPROF_HINT_SUFFIX "_hint"
#define MPROF_SYM_USE MPROF_SYM_PREFIX "use_"

/* Version of shared/use_log.inc's lines. */
#define MPROF_USE_LOG_VERSION 1

/* What the plugin counts: values of -memprof-access. */
#define MPROF_PASS_ACCESS_TOTAL "total"
#define MPROF_PASS_ACCESS_RW "rw"
#define MPROF_PASS_ACCESS_RW_BYTES "rw-bytes"
#define MPROF_PASS_ACCESS_NONE "none"

/* Range accesses (mem* and str* functions) count one per started word. */
#define MPROF_RANGE_WORD_BYTES 8

/* Priority of memprof.module_ctor and memprof.mode_ctor in llvm.global_ctors;
 * Emscripten keeps the lower ones for itself. */
#define MPROF_CTOR_PRIORITY 1
#define MPROF_CTOR_PRIORITY_EMSCRIPTEN 50

/* -- Symbols --------------------------------------------------------------- */

#define MPROF_SYM_PREFIX "__memprof_"
#define MPROF_SYM_HIST_PREFIX "hist_"
#define MPROF_SYM_INIT "__memprof_init"
#define MPROF_SYM_VERSION_CHECK "__memprof_version_mismatch_check_v1"
#define MPROF_SYM_SHADOW_BASE "__memprof_shadow_memory_dynamic_address"
#define MPROF_SYM_HISTOGRAM_FLAG "__memprof_histogram"
#define MPROF_SYM_DEFAULT_OPTIONS "__memprof_default_options_str"
#define MPROF_SYM_PROFILE_FILENAME "__memprof_profile_filename"
#define MPROF_SYM_MODULE_CTOR "memprof.module_ctor"
/* Ours: how a module counts, void (u32 bits of a cell, 0 for one counter a
 * granule; or one of these). Called by a constructor of its own, where the
 * runtime has it. */
#define MPROF_SYM_MODE "__memprof_mode_v1"
#define MPROF_MODE_RW 0x100u
#define MPROF_MODE_RW_BYTES 0x200u
/* Ours: what a module calls in place of that which counts nothing. */
#define MPROF_SYM_UNCOUNTED "__memprof_uncounted_v1"
/* Linkers say what refers to a symbol that nobody defines: what to do then is
 * in the constructor's name. */
#define MPROF_SYM_MODE_CTOR \
    "memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer"

/* How the name of a function's copy for resolvers ends. */
#define MPROF_SYM_RESOLVER_SUFFIX ".memprof_resolver"

/* Ours: u64 variable, base of the wide cells. Code that uses wide cells refers
 * to it, so that linking with a runtime that lacks them fails by this name. */
#define MPROF_SYM_WIDE_SHADOW_BASE "__memprof_histogram_wide_shadow_v1"

/* Ours likewise: bases of the counters of reads and writes, and of their bytes.
 */
#define MPROF_SYM_RW_SHADOW_BASE "__memprof_rw_shadow_v1"
#define MPROF_SYM_RW_BYTES_SHADOW_BASE "__memprof_rw_bytes_shadow_v1"

/* Ours: void (const void *), before accesses to the block that do not count.
 * Other runtimes do without. */
#define MPROF_SYM_UNSEEN "__memprof_unseen_v1"

/* Ours: a bool, true where code counts by atomic additions; the runtime then
 * counts ranges so too. Other runtimes do without. */
#define MPROF_SYM_ATOMIC_FLAG "__memprof_atomic_v1"

/* Ours: a u32, the mode (MPROF_MODE_RW or MPROF_MODE_RW_BYTES) of code that
 * counts reads and writes apart; the runtime then maps their counters before
 * such code can run. Other runtimes do without. */
#define MPROF_SYM_RW_FLAG "__memprof_rw_v1"

/* Ours: thread-local, initial-exec; which calls led to where a thread is, as
 * code says that was compiled to (docs/abi.md). Other runtimes do without, so
 * that such code defines it too, weakly. */
#define MPROF_SYM_CALLS "__memprof_calls_v1"
struct mprof_calls {
    /* Of a function, on entry: what its callers left. Before a call that may
     * allocate: value on entry * a MPROF_CALLS_FACTOR() of the function +
     * return address, where calls have numbers the bytes of that in reverse
     * order, + the number of the call, or none where the callee's return
     * address or the runtime tells it. */
    uint64_t value;
    /* Where the call may be one of an allocation function: the stack pointer
     * before the return address is pushed. The runtime takes it away. */
    uint64_t sp;
};
/* Where a thread begins: none of which products are alike. */
#define MPROF_CALLS_START UINT64_C(0x9e3779b97f4a7c15)
/* Another one for each of 2^29 functions. Odd; fits an instruction; exceeds
 * what return addresses and numbers of calls differ by. */
#define MPROF_CALLS_FACTOR(function) \
    (UINT64_C(0x40000001) | (uint64_t)((function)&UINT32_C(0x1fffffff)) << 1)

/* Globals of this prefix are LLVM's own (counters, coverage): not counted. */
#define MPROF_SYM_LLVM_PREFIX "__llvm"
/* In the name of an Objective-C +load method, which runs before constructors.
 */
#define MPROF_SYM_OBJC_LOAD " load]"

/* Callbacks are <prefix>[hist_]<name>; mem* are <prefix><name>. */
#define MPROF_SYM_LOAD "load"
#define MPROF_SYM_STORE "store"
#define MPROF_SYM_MEMCPY "memcpy"
#define MPROF_SYM_MEMMOVE "memmove"
#define MPROF_SYM_MEMSET "memset"

/* Module flag that clang sets to the profile's file name under
 * -fmemory-profile: how a pass sees that the option was given. */
#define MPROF_MODULE_FLAG_FILENAME "MemProfProfileFilename"
/* Ours: module flag of a module that is instrumented already. */
#define MPROF_MODULE_FLAG_DONE "MemProfInstrumented"

/* -- Files and environment ------------------------------------------------- */

/* What clang puts into __memprof_profile_filename without a directory. */
#define MPROF_PROFILE_BASENAME "memprof.profraw"
/* Appended to "<path>.<pid>" when the file is in our own raw format. */
#define MPROF_RAW_SUFFIX ".raw"
#define MPROF_ENV_OPTIONS "MEMPROF_OPTIONS"
#define MPROF_ENV_PROFILE_FILE "MEMPROF_PROFILE_FILE"
#define MPROF_ENV_PASS_OPTIONS "MEMPROF_PASS_OPTIONS"
#define MPROF_ENV_PAGER "MEMPROF_PAGER" /* of memprofdata show */

/* Exit status when the shadow cannot be mapped before main. */
#define MPROF_EXIT_NO_SHADOW 78

#endif
