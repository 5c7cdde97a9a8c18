/* abi.h -- the contract between instrumented code (pass/) and the runtime
 * (rt/): shadow geometry, symbol names, constructor priority. It is the
 * contract of LLVM 22's MemProf plus the symbols marked "ours". docs/abi.md
 * explains it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* -- Shadow geometry: counters.inc ----------------------------------------- */

/* Right shift from an address to its shadow offset, a left shift if negative: a
 * granule of 8 * granule bits of memory has `bits` bits of shadow, which hold
 * all counters of the granule. Both numbers are powers of two. */
#define MPROF_COUNTER_SHIFT(granule, bits) \
    (__builtin_ctz(8 * (granule)) - __builtin_ctz(bits))
/* The largest number that a counter holds. */
#define MPROF_COUNTER_MAX(bits) (UINT64_MAX >> (64 - (bits)))

/* For each kind of counter: bytes of memory that share a counter, width of the
 * counter in bits, shift, and byte offset of the counter from the granule's
 * first counter. */
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

/* mprof_abi_NORMAL_off() and so on: the offset in bytes from the shadow base to
 * the counter of an address, for each kind of counter. */
#define MPROF_COUNTER(name, type, granule, side, place, base, stops, mode, \
                      counts)                                              \
    static inline uint64_t mprof_abi_##name##_off(uint64_t addr)           \
    {                                                                      \
        return addr / (granule) * ((side) * sizeof(type)) +                \
               MPROF_COUNTER_##name##_AT;                                  \
    }
#include "shared/counters.inc"

#define MPROF_SHADOW_SCALE MPROF_COUNTER_NORMAL_SHIFT
#define MPROF_GRANULE_BYTES MPROF_COUNTER_NORMAL_GRANULE
/* Application bytes per histogram cell, for both cell widths. */
#define MPROF_CELL_BYTES MPROF_COUNTER_CELL_GRANULE
#define MPROF_CELL_MAX ((uint8_t)MPROF_COUNTER_MAX(MPROF_CELL_BITS))
#define MPROF_WIDE_SHADOW_SCALE MPROF_COUNTER_WIDE_CELL_SHIFT
#define MPROF_WIDE_CELL_MAX ((uint32_t)MPROF_COUNTER_MAX(MPROF_WIDE_CELL_BITS))
#define MPROF_CELL_BITS MPROF_COUNTER_CELL_BITS
#define MPROF_WIDE_CELL_BITS MPROF_COUNTER_WIDE_CELL_BITS

/* The counters of `fields` take four bytes for each byte of memory, but have
 * the shadow of wide cells, half of the address space. So addresses that differ
 * in the other bits only have the same counters. The heap is smaller by far
 * (docs/decisions/0004-counters.md). */
#define MPROF_FIELDS_ADDRESS_BITS 44
#define MPROF_FIELDS_ADDRESS_MASK \
    ((UINT64_C(1) << MPROF_FIELDS_ADDRESS_BITS) - 1)
#define MPROF_FIELDS_BYTES MPROF_COUNTER_READ_STARTS_GRANULE
/* Number of counters for these bytes. */
#define MPROF_FIELDS_COUNTERS \
    (MPROF_COUNTER_WRITE_GOES_ON_AT / (MPROF_COUNTER_READ_STARTS_BITS / 8) + 1)

/* Values of -memprof-merge: which accesses one addition may count. */
#define MPROF_PASS_MERGE_NONE "none"
#define MPROF_PASS_MERGE_BLOCK "block"
#define MPROF_PASS_MERGE_REGION "region"
/* Flags that messages advise for code that jumps out of signal handlers. */
#define MPROF_PASS_MERGE_FOR_JUMPS \
    "-mllvm -memprof-merge=" MPROF_PASS_MERGE_BLOCK
/* Most accesses that a register may accumulate before code adds them to the
 * counter; also bounds the iterations of a loop in between. */
#define MPROF_PASS_MERGE_ITERATIONS_MAX 65536

/* Values of the plugin's option -memprof-hints. */
#define MPROF_PASS_HINTS_AUTO "auto"
#define MPROF_PASS_HINTS_COLD "cold"
#define MPROF_PASS_HINTS_ALL "all"
#define MPROF_PASS_HINTS_OFF "off"
#define MPROF_PASS_HINTS_LLVM "llvm"

/* Annotation of functions whose allocations get no hint; inc/memprof.h repeats
 * the text. */
#define MPROF_ANNOTATION_NO_HINT "memprof_nohint"

/* Names made from the name of an allocation function: the hinted form
 * (inc/memprof_hints.h) is MPROF_SYM_PREFIX + name + MPROF_HINT_SUFFIX. The
 * plugin calls a stub MPROF_SYM_USE + name, which calls the hinted form if it
 * is linked. */
#define MPROF_HINT_SUFFIX "_hint"
#define MPROF_SYM_USE MPROF_SYM_PREFIX "use_"

/* Version of shared/use_log.inc's lines. */
#define MPROF_USE_LOG_VERSION 1

/* Values of -memprof-access: what the plugin counts. */
#define MPROF_PASS_ACCESS_TOTAL "total"
#define MPROF_PASS_ACCESS_RW "rw"
#define MPROF_PASS_ACCESS_RW_BYTES "rw-bytes"
#define MPROF_PASS_ACCESS_NONE "none"
#define MPROF_PASS_ACCESS_FIELDS "fields"
#define MPROF_PASS_ACCESS_THREADS "threads"

/* A range access (mem* and str* functions) counts one per started word. */
#define MPROF_RANGE_WORD_BYTES 8

/* Priority of memprof.module_ctor and memprof.mode_ctor in llvm.global_ctors.
 * Emscripten reserves priorities below 50. */
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
/* Ours: void (u32 mode), tells the runtime how a module counts. The mode is the
 * number of bits of a histogram cell, 0 for one counter per granule, or one of
 * the MPROF_MODE_* numbers. A separate constructor calls the function if the
 * runtime defines it. */
#define MPROF_SYM_MODE "__memprof_mode_v1"
#define MPROF_MODE_RW 0x100u
#define MPROF_MODE_RW_BYTES 0x200u
/* Bits of the mode: the module's code has two versions; it leaves out loads,
 * stores or atomic accesses (-memprof-instrument-reads=0 etc.). */
#define MPROF_MODE_VERSIONS 0x400u
#define MPROF_MODE_PARTIAL 0x800u
/* Counts by 4 bytes, for the members of structs. */
#define MPROF_MODE_FIELDS 0x1000u
/* Calls the runtime for each access, which notes its thread. */
#define MPROF_MODE_THREADS 0x2000u
/* Ours: void (uptr address, u64 bytes), called by such code. */
#define MPROF_SYM_THREADS_LOAD "__memprof_threads_load_v1"
#define MPROF_SYM_THREADS_STORE "__memprof_threads_store_v1"
/* Ours: void (u32 unused), called instead by a module that counts nothing. */
#define MPROF_SYM_UNCOUNTED "__memprof_uncounted_v1"
/* Ours: blocks of the functions that -memprof-own-malloc names, in a pool of
 * this name. u64 (const char *pool, const void *p) is called before a call that
 * may free p; it ends the block and returns its size, or 0 if there is none.
 * void (const char *pool, const void *p, u64 size, const void *old, u64
 * old_size) is called behind a call that returned p; old is what was freed. */
#define MPROF_SYM_OWN_FREE "__memprof_own_free_v1"
#define MPROF_SYM_OWN_ALLOC "__memprof_own_alloc_v1"
#define MPROF_SYM_OWN_SUFFIX ".memprof_own"
/* The name of the pool. The wrapper looks for it in programs. */
#define MPROF_SYM_OWN_POOL "memprof.own_pool"
/* Ours, for code with two versions (pass/collect/versions.c): a thread-local
 * i32, negative while the thread counts. Checks decrement or test it. A burst
 * of counting is over when the word falls below -MPROF_BURST_CHECKS, as at the
 * thread's start; then the check calls void (i32 *word), which sets the word
 * and preserves all general registers. */
#define MPROF_SYM_CHECKS "__memprof_checks_v1"
#define MPROF_SYM_NEXT_BURST "__memprof_next_burst_v1"
#define MPROF_BURST_CHECKS 4096
#define MPROF_CHECKS_START (-MPROF_BURST_CHECKS - 1)
/* A linker that misses a symbol names the function that refers to it. So the
 * constructor's name says what to do. */
#define MPROF_SYM_MODE_CTOR \
    "memprof.mode_ctor.link_with_-fmemory-profile_and_no_other_sanitizer"

/* Functions that the link-time optimizer is to instrument, after inlining, have
 * this attribute. Its value: the options of the compile (mpass_options_pack).
 */
#define MPROF_ATTRIBUTE_WAITING "memprof-waiting"
/* Not defined anywhere. The constructor of a module with such functions refers
 * to the symbol until they are instrumented, so a link without the plugin
 * fails.
 */
#define MPROF_SYM_WAITING_CTOR "memprof.waiting_ctor"
#define MPROF_SYM_NOT_COUNTED \
    "memprof.not_counted.link_with_memprof-clang_-flto_-fuse-ld=lld"

/* Suffix of the name of a function's uninstrumented copy, which resolvers of
 * ifuncs call. */
#define MPROF_SYM_RESOLVER_SUFFIX ".memprof_resolver"

/* Ours: u64 variable, base of the wide cells. Code with wide cells refers to
 * it. Linking such code with a runtime without wide cells fails, and the
 * linker's message has this name. */
#define MPROF_SYM_WIDE_SHADOW_BASE "__memprof_histogram_wide_shadow_v1"

/* Ours: u64 variable, base of the counters of code that counts by 4 bytes. */
#define MPROF_SYM_FIELDS_SHADOW_BASE "__memprof_fields_shadow_v1"

/* Ours: u64 variables, bases of the counters of reads and writes, and of bytes
 * read and written. */
#define MPROF_SYM_RW_SHADOW_BASE "__memprof_rw_shadow_v1"
#define MPROF_SYM_RW_BYTES_SHADOW_BASE "__memprof_rw_bytes_shadow_v1"

/* Ours: void (const void *, size_t), called before so many bytes are read in a
 * function that does not count them. Weak: other runtimes do not define it. */
#define MPROF_SYM_READ "__memprof_read_v1"

/* Ours: void (const void *node), called before a function of libstdc++ walks
 * from a node of a tree to the next or previous one. Weak. */
#define MPROF_SYM_TREE_NEXT "__memprof_tree_next_v1"
#define MPROF_SYM_TREE_PREVIOUS "__memprof_tree_previous_v1"

/* Ours: called before a function of libstdc++ links a node of a list, unlinks
 * one, moves a range, or swaps or reverses lists, with the same arguments.
 * Weak.
 */
#define MPROF_SYM_LIST_HOOK "__memprof_list_hook_v1"
#define MPROF_SYM_LIST_UNHOOK "__memprof_list_unhook_v1"
#define MPROF_SYM_LIST_TRANSFER "__memprof_list_transfer_v1"
#define MPROF_SYM_LIST_SWAP "__memprof_list_swap_v1"
#define MPROF_SYM_LIST_REVERSE "__memprof_list_reverse_v1"

/* Ours: void (const void *object), called before a dynamic_cast by the library.
 * Weak. */
#define MPROF_SYM_DYNAMIC_CAST "__memprof_dynamic_cast_v1"

/* Ours: void (const void *), called before accesses to the block at this
 * address that are not counted. Weak: other runtimes do not define it. */
#define MPROF_SYM_UNSEEN "__memprof_unseen_v1"
/* The same before accesses that are not counted in programs without a dynamic
 * linker. */
#define MPROF_SYM_UNSEEN_STATIC "__memprof_unseen_static_v1"

/* Ours: a bool, true if code counts with atomic additions; the runtime then
 * counts ranges with atomic additions too. Other runtimes ignore it. */
#define MPROF_SYM_ATOMIC_FLAG "__memprof_atomic_v1"

/* Ours: a u32, the mode (MPROF_MODE_RW, _RW_BYTES or _FIELDS) of code whose
 * counters have a mapping of ours. The runtime reads it at its start and maps
 * the counters before such code can run. Other runtimes ignore it. */
#define MPROF_SYM_RW_FLAG "__memprof_rw_v1"

/* Ours: thread-local variable, initial-exec. Code compiled with
 * -memprof-context-values stores in it a number for the calls that led to the
 * current function (docs/abi.md). Other runtimes do not define it, so each
 * object defines it weakly. */
#define MPROF_SYM_CALLS "__memprof_calls_v1"
struct mprof_calls {
    /* On entry to a function: the number that its caller stored. Before a call
     * that may allocate, a function stores
     *     number on entry * MPROF_CALLS_FACTOR(function) + return address
     * where the return address is the function's own. If several calls in the
     * function need a number, the bytes of this sum are reversed and the number
     * of the call is added. A call needs none if the callee or the runtime adds
     * the callee's return address, which differs for each call. */
    uint64_t value;
    /* Before a call that may be one of an allocation function: the stack
     * pointer before the return address is pushed. The runtime clears it. */
    uint64_t sp;
};
/* Number with which a thread begins. It is odd, so that products with different
 * factors differ. */
#define MPROF_CALLS_START UINT64_C(0x9e3779b97f4a7c15)
/* One of 2^29 factors. A factor is odd, fits an immediate operand, and exceeds
 * any difference of return addresses plus call numbers. */
#define MPROF_CALLS_FACTOR(function) \
    (UINT64_C(0x40000001) | (uint64_t)((function)&UINT32_C(0x1fffffff)) << 1)

/* Prefix of LLVM's own globals (counters, coverage); accesses to them are not
 * counted. */
#define MPROF_SYM_LLVM_PREFIX "__llvm"
/* End of the name of an Objective-C +load method. Such methods run before
 * constructors. */
#define MPROF_SYM_OBJC_LOAD " load]"

/* A callback is named <prefix>[hist_]<name>, a mem* function <prefix><name>. */
#define MPROF_SYM_LOAD "load"
#define MPROF_SYM_STORE "store"
#define MPROF_SYM_MEMCPY "memcpy"
#define MPROF_SYM_MEMMOVE "memmove"
#define MPROF_SYM_MEMSET "memset"

/* Module flag that clang sets to the profile's file name if -fmemory-profile
 * was given; a pass recognizes the option by this flag. */
#define MPROF_MODULE_FLAG_FILENAME "MemProfProfileFilename"
/* Ours: module flag of an instrumented module. */
#define MPROF_MODULE_FLAG_DONE "MemProfInstrumented"
/* Ours: module flag of a module that the link gives hints to. memprof-clang
 * searches object files for this text. */
#define MPROF_MODULE_FLAG_HINTS "MemProfHintsAtLink"

/* -- Files and environment ------------------------------------------------- */

/* File name that clang stores in __memprof_profile_filename. */
#define MPROF_PROFILE_BASENAME "memprof.profraw"
/* Suffix of "<path>.<pid>" for files in our own raw format. */
#define MPROF_RAW_SUFFIX ".raw"
#define MPROF_ENV_OPTIONS "MEMPROF_OPTIONS"
#define MPROF_ENV_PROFILE_FILE "MEMPROF_PROFILE_FILE"
#define MPROF_ENV_PASS_OPTIONS "MEMPROF_PASS_OPTIONS"
#define MPROF_ENV_PAGER "MEMPROF_PAGER" /* for memprofdata show */

/* Exit status of a program whose shadow cannot be mapped before main. */
#define MPROF_EXIT_NO_SHADOW 78
