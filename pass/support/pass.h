/* pass.h -- what the files of the compiler plugin know of each other, grouped
 * by the file that owns it.
 *
 *   bridge.cpp         LLVM calls on us: plugin, pipeline, pass instrumentation
 *     module.c         one module: wanted? done already? functions, then ctor
 *       function.c     one function: collect accesses, plan updates, emit them
 *         access.c     which instructions access memory that counts
 *         plan.c       accesses -> updates of counters
 *           origin.c   which object a pointer points into
 *           flow.c     control flow, and where no count may wait
 *           region.c   which updates share an accumulator
 *         shadow.c     an update -> instructions
 *         accumulate.c an update by way of an accumulator -> instructions
 *         memintrin.c  mem* intrinsics -> calls of the runtime
 *     options.c        options: command line and MEMPROF_PASS_OPTIONS
 *   profile.c          which kind of profile a file is (also in frontend.cpp)
 *   bridge_ir.cpp      what LLVM-C lacks, one call each
 *   bridge_analysis.cpp  what LLVM knows of control flow, calls, loops
 *   bridge_option.cpp  LLVM's table of command line options
 *   frontend.cpp       memprof-clang.so: what clang has to be told
 *
 * Nothing here prints or exits; messages go through LLVM's diagnostics.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_PASS_H
#define MPASS_PASS_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "shared/abi.h"
#include "shared/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A message of ours: one line, whole. */
#define MPASS_MESSAGE_BYTES 1024

/* Whose message it is and where the user may look: starts every message. */
#define MPASS_NAME "memprof"

#define MPASS_COLLECTS_INSTEAD                                                 \
    MPASS_NAME ": -fmemory-profile collects a new memory profile, so the one " \
               "in the file of -fprofile-use is not used"

/* Followed by the sanitizer's name. */
#define MPASS_NO_SANITIZER                                           \
    MPASS_NAME                                                       \
    ": -fmemory-profile does not go with a sanitizer that replaces " \
    "malloc too; leave one of them out: -fsanitize="

/* -- options.c ------------------------------------------------------------- */

#define MPASS_TYPE_BOOL bool
#define MPASS_TYPE_INT int
#define MPASS_TYPE_STRING const char *

/* Values of shared/pass_options.inc. Strings belong to LLVM's option table and
 * are valid until an option is set. */
struct mpass_options {
#define MPROF_PASS_OPTION(field, type, def, flag, help) MPASS_TYPE_##type field;
#include "shared/pass_options.inc"
};

/* What each option is called on the command line, without the dash. */
struct mpass_option_flags {
#define MPROF_PASS_OPTION(field, type, def, flag, help) const char *field;
#include "shared/pass_options.inc"
};
extern const struct mpass_option_flags mpass_option_flags;

/* Makes our options known to LLVM's command line, when the plugin is loaded,
 * and those of LLVM's that this version lacks. A second copy of the plugin in
 * the process finds them there and adds none. */
void mpass_options_register(void);

/* Sets the options of MEMPROF_PASS_OPTIONS that the command line does not set.
 * To be called after the command line was read; only the first call of the
 * copy that registered the options does anything. */
void mpass_options_apply_environment(void);

/* What was wrong in MEMPROF_PASS_OPTIONS, handed out once; then NULL. */
const char *mpass_options_take_error(void);

/* The values now in force. */
struct mpass_options mpass_options_read(void);

/* Why these values cannot be used together, or NULL. */
const char *mpass_options_conflict(const struct mpass_options *options);

/* -- module.c -------------------------------------------------------------- */

enum mpass_request {
    MPASS_IF_WANTED, /* when the front end or an option asked for it */
    MPASS_ALWAYS,    /* the pass was named in a pipeline */
};

/* True when accesses of this module are to be counted: clang was given
 * -fmemory-profile, or an option asks for it. */
bool mpass_module_is_wanted(LLVMModuleRef module);

/* True when this module was instrumented, by us or by LLVM. */
bool mpass_module_is_done(LLVMModuleRef module);

/* Instruments the module, once. Returns true if it changed the module. */
bool mpass_module_run(LLVMModuleRef module, enum mpass_request request);

/* Before optimization: asks for what stack walking needs in a module that is
 * to be instrumented, unless the front end did: frame pointers, no tail calls.
 * Returns true if it changed the module. Also reports the environment's
 * errors. */
bool mpass_module_prepare(LLVMModuleRef module);

/* Takes out what LLVM's own module pass, which is about to run, adds again. */
void mpass_module_yield(LLVMModuleRef module);

/* -- function.c ------------------------------------------------------------ */

enum mpass_merge { MPASS_MERGE_NONE, MPASS_MERGE_BLOCK, MPASS_MERGE_REGION };

/* What all functions of one module share. */
struct mpass_context {
    struct mpass_options options;
    enum mpass_merge merge; /* what the options come to */
    LLVMModuleRef module;
    LLVMContextRef llvm;
    LLVMBuilderRef builder; /* owned by mpass_module_run() */
    LLVMTargetDataRef layout;
    LLVMTypeRef intptr;
    LLVMTypeRef ptr;
    LLVMTypeRef void_type;
    const char *counter_section; /* how PGO counter sections' names end */
    unsigned nosanitize_kind;    /* metadata kind of what we insert */
    /* The function in hand: base of its shadow, loaded on first need. */
    LLVMValueRef function;
    LLVMValueRef shadow_base;
};

/* Counts the accesses of one function with a body. Returns true if it changed
 * the function. */
bool mpass_function_run(struct mpass_context *context, LLVMValueRef function);

/* The builder, ready to insert before `inst`, with its debug location or, where
 * that has none and the verifier may want one, a location of line 0. */
LLVMBuilderRef mpass_function_build_before(struct mpass_context *context,
                                           LLVMValueRef inst);

/* The declaration `name` of type `type`, made on first need. */
LLVMValueRef mpass_function_declare(struct mpass_context *context,
                                    const char *name, LLVMTypeRef type);

/* -- access.c -------------------------------------------------------------- */

enum mpass_access_kind {
    MPASS_ACCESS_NONE,      /* nothing to count */
    MPASS_ACCESS_ONE,       /* one access at addr */
    MPASS_ACCESS_MASKED,    /* one access per lane that mask selects */
    MPASS_ACCESS_MEMINTRIN, /* memcpy, memmove, memset: a range */
};

struct mpass_access {
    enum mpass_access_kind kind;
    LLVMValueRef inst;
    LLVMValueRef addr; /* NULL for MEMINTRIN */
    LLVMValueRef mask; /* MASKED only */
    LLVMTypeRef type;  /* of the value accessed; NULL for MEMINTRIN */
    bool is_write;
    uint64_t count; /* how often it counts */
};

/* What the instruction accesses, as LLVM's pass sees it: everything but other
 * address spaces, swifterror values, PGO counters and LLVM's own globals. The
 * stack is still in. */
struct mpass_access mpass_access_of(const struct mpass_context *context,
                                    LLVMValueRef inst);

/* -- origin.c ------------------------------------------------------------- */

/* The pointer that this one is computed from by arithmetic, also by stepping
 * through an object in a loop; the pointer itself if there is none. It
 * dominates the pointer. */
LLVMValueRef mpass_origin_of(LLVMValueRef pointer);

/* True if the pointer and all between its origin and it lie in the origin's
 * object or at its end. */
bool mpass_origin_is_inbounds(LLVMValueRef pointer);

/* True if all pointers of this origin point into one object. Constants such as
 * null may be the origin of any. */
bool mpass_origin_is_single(LLVMValueRef origin);

/* True for a pointer into a static or thread-local variable, or an argument
 * that lies on the stack: no block has it. */
bool mpass_origin_is_static(LLVMValueRef pointer);

/* True for a pointer into a local variable of the function. */
bool mpass_origin_is_stack(LLVMValueRef pointer);

/* -- flow.c --------------------------------------------------------------- */

/* Memory for at least `count` items, as realloc(). Memory for a compiler is as
 * good as there; without it there is nothing that a pass could do, so this
 * stops like LLVM itself. */
void *mpass_allocate(void *old, size_t count, size_t item_bytes);

#define MPASS_NO_NUMBER (~0u)

/* Numbers pointers from 0 in the order of their first mention. Starts as {0}.
 */
struct mpass_numbers {
    const void **keys;
    unsigned *values;
    size_t capacity; /* a power of two, or 0 */
    unsigned count;
};

unsigned mpass_numbers_of(struct mpass_numbers *numbers, const void *key);
/* The number, or MPASS_NO_NUMBER. */
unsigned mpass_numbers_find(const struct mpass_numbers *numbers,
                            const void *key);
void mpass_numbers_fini(struct mpass_numbers *numbers);

struct mpass_flow_block {
    LLVMBasicBlockRef block;
    LLVMValueRef terminator;
    unsigned *succs; /* each once */
    unsigned *preds;
    unsigned succ_count;
    unsigned pred_count;
    unsigned barrier_count; /* set by plan.c */
};

/* The blocks that the entry reaches, in reverse postorder; an edge to a block
 * of the same or a lower number leads back. */
struct mpass_flow {
    struct mpass_flow_block *blocks;
    size_t count;
    struct mpass_numbers numbers; /* of LLVMBasicBlockRef */
};

void mpass_flow_init(struct mpass_flow *flow, LLVMValueRef function);
void mpass_flow_fini(struct mpass_flow *flow);

/* True if what was accessed before must be counted before: afterwards the
 * object may be gone, or the thread. */
bool mpass_flow_is_barrier(LLVMValueRef inst);

/* -- plan.c ---------------------------------------------------------------- */

/* One change of a counter: `access` counts `count` times before `before`. */
struct mpass_update {
    const struct mpass_access *access;
    LLVMValueRef before;
    uint64_t count;
    unsigned accumulator; /* or MPASS_NO_NUMBER: straight to the counter */
    bool pending_before;  /* the accumulator may hold counts already */
    bool sure_before;     /* ... and certainly has an address */
    bool pending_after;   /* ... is to hold these */
};

/* Counts for the blocks that pointers of one origin point into. */
struct mpass_accumulator {
    /* An address in the block whenever the count is not 0, or NULL: then it is
     * noted at run time. */
    LLVMValueRef fixed;
};

/* An edge of the control flow on which an accumulator is flushed. */
struct mpass_edge {
    LLVMValueRef terminator; /* NULL: where `to` starts, from wherever */
    LLVMBasicBlockRef to;
    unsigned from_number; /* MPASS_NO_NUMBER without a terminator */
    unsigned to_number;
    unsigned accumulator;
    bool sure; /* an access came before, on all paths here */
    /* 0, or flushed now and then only: how much taking the edge may add, in
     * accesses, of which MPROF_PASS_MERGE_ITERATIONS_MAX may wait. */
    uint64_t weight;
    uint64_t lanes; /* the most that an addition of 1 may stand for */
};

/* Accesses to one object that execute all or not at all. */
struct mpass_node {
    const struct mpass_access *access; /* the first */
    uint64_t count;                    /* of all */
    uint64_t weight;     /* the same, each element of a vector for itself */
    unsigned block;      /* number */
    unsigned segment;    /* barriers of the block before it */
    bool pending_before; /* as in struct mpass_update */
    bool sure_before;
    bool pending_after;
};

/* All arrays hold malloc()ed memory, freed with mpass_plan_fini(). */
struct mpass_plan {
    struct mpass_access *accesses;
    size_t access_count;
    size_t access_capacity;
    struct mpass_update *updates;
    size_t update_count;
    struct mpass_accumulator *accumulators;
    size_t accumulator_count;
    struct mpass_edge *edges;
    size_t edge_count;
};

/* Appends an access; the plan must hold no updates yet. */
void mpass_plan_add(struct mpass_plan *plan, const struct mpass_access *access);

/* Decides which updates count the accesses. Every execution of the function
 * must leave the counters as if each access had counted by itself. */
void mpass_plan_make(struct mpass_plan *plan,
                     const struct mpass_context *context);

void mpass_plan_fini(struct mpass_plan *plan);

/* -- region.c ------------------------------------------------------------- */

struct mpass_regions;

struct mpass_regions *mpass_region_begin(const struct mpass_flow *flow,
                                         LLVMValueRef function);
void mpass_region_end(struct mpass_regions *regions);

/* Decides which nodes of the origin share an accumulator, whose number is
 * plan->accumulator_count: sets their pending_before and pending_after and adds
 * to plan->edges. Returns false if none do. */
bool mpass_region_plan(struct mpass_regions *regions, struct mpass_plan *plan,
                       LLVMValueRef origin, struct mpass_node *nodes,
                       size_t count);

/* True if the pointer certainly lies at its origin or behind it, after
 * mpass_region_plan() of any origin. */
bool mpass_region_is_ahead(const struct mpass_regions *regions,
                           LLVMValueRef pointer, LLVMValueRef origin);

/* -- shadow.c ------------------------------------------------------------- */

/* Inserts one update: counters in line, or a call of the runtime. */
void mpass_shadow_emit(struct mpass_context *context,
                       const struct mpass_update *update);

/* Inserts counter(addr) += amount, a 64-bit value, before `before`. */
void mpass_shadow_add(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, LLVMValueRef amount);

/* -- accumulate.c --------------------------------------------------------- */

/* Inserts the plan's accumulators, the updates that use them and the edges. */
void mpass_accumulate_emit(struct mpass_context *context,
                           struct mpass_plan *plan);

/* -- memintrin.c ---------------------------------------------------------- */

/* True for the intrinsics that mpass_memintrin_replace() knows. */
bool mpass_memintrin_is(LLVMValueRef inst);

/* What to do with the intrinsic: appends the accesses that count it in line,
 * after which it stays, or itself to be replaced; or nothing, where it touches
 * no block. */
void mpass_memintrin_plan(struct mpass_context *context, LLVMValueRef inst,
                          struct mpass_plan *plan);

/* Replaces the intrinsic by a call of the runtime, which counts its ranges. */
void mpass_memintrin_replace(struct mpass_context *context, LLVMValueRef inst);

/* -- profile.c ------------------------------------------------------------- */

struct mpass_profile {
    bool has_memory;   /* a memory profile */
    bool has_counters; /* counters of functions (PGO) */
    bool is_ir;        /* ... on the level of IR, not of the source */
};

/* What an indexed profile holds, from its header and directories. Errors:
 * EMPTY, MAGIC, VERSION, TRUNCATED, OFFSET, VALUE; *out untouched. */
MPROF_NODISCARD enum mprof_err mpass_profile_probe(const void *data,
                                                   size_t size,
                                                   struct mpass_profile *out,
                                                   struct mprof_diag *diag);

/* Checks that data[0..size) can be used as a memory profile. If not, writes the
 * whole message for the user, naming `path`, to message[MPASS_MESSAGE_BYTES].
 */
MPROF_NODISCARD bool mpass_profile_check(const char *path, const void *data,
                                         size_t size, char *message);

/* -- bridge_ir.cpp: one LLVM call each ------------------------------------- */

LLVMValueRef mpass_bridge_underlying_object(LLVMValueRef pointer);
LLVMValueRef mpass_bridge_strip_inbounds_offsets(LLVMValueRef pointer);
bool mpass_bridge_is_swifterror(LLVMValueRef value);
bool mpass_bridge_is_byval(LLVMValueRef value);
bool mpass_bridge_is_pic(LLVMModuleRef module);
bool mpass_bridge_supports_comdat(LLVMModuleRef module);
bool mpass_bridge_is_emscripten(LLVMModuleRef module);
void mpass_bridge_set_dso_local(LLVMValueRef global);
/* Number of lanes of a vector type, 0 if that is not known before run time. */
unsigned mpass_bridge_fixed_lanes(LLVMTypeRef vector);
/* How the names of the target's PGO counter sections end; the caller frees. */
char *mpass_bridge_counter_section(LLVMModuleRef module);
/* Splits the block before `inst`; the new block between runs if `condition`.
 * Returns the terminator of the new block. */
LLVMValueRef mpass_bridge_split_if(LLVMValueRef condition, LLVMValueRef inst);
/* The same where the condition is hardly ever true. */
LLVMValueRef mpass_bridge_split_rarely(LLVMValueRef condition,
                                       LLVMValueRef inst);
/* Makes the sanitizer-style constructor `ctor`, which calls `init` and, unless
 * NULL, `check`; keeps it in llvm.used. */
LLVMValueRef mpass_bridge_create_ctor(LLVMModuleRef module, const char *ctor,
                                      const char *init, const char *check);
/* Makes the constructor `ctor`, which calls `init` with a 32-bit number, where
 * the program has it; keeps it in llvm.used. */
LLVMValueRef mpass_bridge_create_weak_ctor(LLVMModuleRef module,
                                           const char *ctor, const char *init,
                                           unsigned number);
/* True where this LLVM's module pass defines the variable of this name. */
bool mpass_bridge_llvm_defines(const char *name);
void mpass_bridge_add_global_ctor(LLVMModuleRef module, LLVMValueRef function,
                                  int priority);
void mpass_bridge_remove_global_ctor(LLVMModuleRef module,
                                     LLVMValueRef function);
void mpass_bridge_add_compiler_used(LLVMModuleRef module, LLVMValueRef global);
/* Removes the global from llvm.used and llvm.compiler.used. */
void mpass_bridge_remove_used(LLVMModuleRef module, LLVMValueRef global);
/* True if anything but unused constants refers to the global. */
bool mpass_bridge_has_uses(LLVMValueRef global);
/* Reports through the context's diagnostic handler. */
void mpass_bridge_diagnose(LLVMContextRef context,
                           LLVMDiagnosticSeverity severity, const char *text);

/* -- bridge_analysis.cpp: one query each ----------------------------------- */

struct mpass_analysis;

/* Valid until the function's control flow changes. */
struct mpass_analysis *mpass_bridge_analyse(LLVMValueRef function);
void mpass_bridge_analysis_free(struct mpass_analysis *analysis);
/* How likely control goes to `to` at the end of `from`: 0 to 1. */
double mpass_bridge_probability(struct mpass_analysis *analysis,
                                LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* How often the block runs, in a unit of the function's own. */
double mpass_bridge_frequency(struct mpass_analysis *analysis,
                              LLVMBasicBlockRef block);
/* How often the loop of this header runs at most, all loops around it included,
 * 0 if that is not known or 2^32 or more. */
uint64_t mpass_bridge_iterations_max(struct mpass_analysis *analysis,
                                     LLVMBasicBlockRef header);
/* True if the pointer certainly lies at `base` or behind it, if both lie in
 * one object. */
bool mpass_bridge_is_ahead(struct mpass_analysis *analysis,
                           LLVMValueRef pointer, LLVMValueRef base);
/* True if the block belongs to the loop that begins at the header; also where
 * none that LLVM knows does. */
bool mpass_bridge_is_in_loop(struct mpass_analysis *analysis,
                             LLVMBasicBlockRef header, LLVMBasicBlockRef block);
/* True for a call that returns, throws nothing, frees nothing and waits for
 * nobody. */
bool mpass_bridge_is_harmless_call(LLVMValueRef inst);
/* True for an instruction that is volatile, atomic or a fence. */
bool mpass_bridge_is_ordered(LLVMValueRef inst);
/* True if the function calls setjmp() or the like. */
bool mpass_bridge_returns_twice(LLVMValueRef function);
/* True if exceptions are handled in funclets. */
bool mpass_bridge_has_funclets(LLVMValueRef function);
/* True if the pointer is `base` plus a constant inside the object, *out. */
bool mpass_bridge_inbounds_offset(LLVMValueRef pointer, LLVMValueRef base,
                                  LLVMTargetDataRef layout, int64_t *out);
/* Where to insert what is done when control goes this way or, without a
 * terminator, whenever it comes to `to`; NULL where LLVM cannot insert
 * anything. All cases of a switch that lead there are one edge. */
LLVMValueRef mpass_bridge_edge_place(LLVMValueRef terminator,
                                     LLVMBasicBlockRef to);
/* Turns local variables that are only loaded and stored into values. */
void mpass_bridge_promote(LLVMValueRef function, LLVMValueRef *allocas,
                          size_t count);
/* A simpler value that is the same, or NULL. */
LLVMValueRef mpass_bridge_simplified(LLVMValueRef inst,
                                     LLVMTargetDataRef layout);

/* -- bridge_option.cpp: LLVM's table of command line options --------------- */

/* Adds an option of our own, unless the name is taken; true if it was added. */
bool mpass_bridge_option_add_BOOL(const char *flag, bool def, const char *help);
bool mpass_bridge_option_add_INT(const char *flag, int def, const char *help);
bool mpass_bridge_option_add_STRING(const char *flag, const char *def,
                                    const char *help);
/* The value, or def if this LLVM has no such option. */
bool mpass_bridge_option_get_BOOL(const char *flag, bool def);
int mpass_bridge_option_get_INT(const char *flag, int def);
const char *mpass_bridge_option_get_STRING(const char *flag, const char *def);
/* Sets the value; without such an option nothing happens. */
void mpass_bridge_option_set_BOOL(const char *flag, bool value);
void mpass_bridge_option_set_INT(const char *flag, int value);
void mpass_bridge_option_set_STRING(const char *flag, const char *value);
bool mpass_bridge_option_exists(const char *flag);
/* True when the command line gave the option. */
bool mpass_bridge_option_was_given(const char *flag);

/* -- frontend.cpp (memprof-clang.so) --------------------------------------- */

/* Set once the action has settled profile use for a compilation; found by name,
 * because it is in another object that need not be there. */
extern bool mpass_frontend_settled;
#define MPASS_FRONTEND_FILE "memprof-clang.so"
#define MPASS_FRONTEND_SETTLED "mpass_frontend_settled"

#ifdef __cplusplus
}
#endif

#endif
