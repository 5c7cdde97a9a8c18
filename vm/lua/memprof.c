/* memprof.c -- the Lua module "memprof", for Lua 5.1 to 5.4 and LuaJIT: call
 * stacks of the heap profiler then have the frames of Lua functions.
 *
 *     local memprof = require "memprof"
 *     assert(memprof.start())
 *
 * A state allocates through an allocation function. From start() to stop() this
 * module's function stands in front of it, and notes which state runs on the
 * thread. The profiler asks for the frames of the running coroutine when the
 * state, or C code that it calls, allocates memory.
 *
 * Lua does not tell which coroutine runs, so start() replaces coroutine.resume
 * and coroutine.wrap. Frames of a coroutine that is resumed in another way (by
 * C code, or by a copy of these functions made before) are missing: the stack
 * ends at the function that resumed it. So are frames on traces of LuaJIT.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr() */
#endif
#include "objects.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <memprof_vm.h>

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define NAME_BYTES 128
#define PROBE_FRAMES 64
#define LOG_MODE 0640
#define INTERVAL_MS_MAX 86400000
#define SITES 64        /* of allocations while kinds are learned */
#define SITE_BYTES 1024 /* of the stack that are searched for one */

/* Code that allocates objects of a kind. */
struct site {
    const void *inner; /* the return address of the allocation function */
    const void *outer; /* that of its caller, at this offset from the frame of
                          the allocation function */
    size_t offset;
    const char *block; /* while kinds are learned */
    size_t bytes;
    const char *kind;
};

/* What the module keeps of a state. It is never freed: other threads that ran
 * the state, and functions around allocate(), may use it after the state is
 * closed. */
struct state {
    struct state *next; /* of all, so that a search for leaks finds them */
    lua_Alloc alloc;    /* the state's own */
    void *ud;
    lua_State *current; /* the running coroutine */
    lua_State *kept;    /* see keep_current() */
    lua_State *main;    /* the main coroutine, or NULL */
    const char *kind;   /* of the object that is allocated, or NULL */
    size_t bytes;       /* that it uses */
    bool is_running;
    bool has_log;      /* that start() began */
    bool has_sentinel; /* see make_sentinel() */
    unsigned site_count;
    struct site sites[SITES]; /* of Lua 5.1 and LuaJIT */
};

static _Atomic(struct state *) states;
/* The state that ran last on this thread. */
static _Thread_local struct state *running
    __attribute__((tls_model("initial-exec")));
static const char key; /* of the registry */

/* LuaJIT divides large mappings by itself: its blocks are those of a pool. */
#ifdef LUA_JITLIBNAME
#define IS_POOL true
#else
#define IS_POOL false
#endif

static const char *kind_of(size_t type)
{
    static const char *const kinds[] = {
        [LUA_TSTRING] = "string",
        [LUA_TTABLE] = "table",
        [LUA_TFUNCTION] = "closure",
        [LUA_TUSERDATA] = "userdata",
        [LUA_TTHREAD] = "coroutine",
#if LUA_VERSION_NUM >= 504
        [LUA_TTHREAD + 1] = "upvalue",
        [LUA_TTHREAD + 2] = "prototype"
#elif LUA_VERSION_NUM >= 502
        [LUA_TTHREAD + 1] = "prototype"
#endif
    };

    return type < sizeof(kinds) / sizeof(kinds[0]) ? kinds[type] : NULL;
}

/* Kind of the object for which allocate() was called: Lua 5.2 and later pass
 * its type as the old size. */
static const char *new_kind(const struct state *s, size_t old_size,
                            const void *inner, const void *frame)
{
    for (unsigned i = 0; i < s->site_count; i++) {
        const void *outer;

        if (s->sites[i].inner != inner)
            continue;
        memcpy(&outer, (const char *)frame + s->sites[i].offset, sizeof(outer));
        if (outer == s->sites[i].outer)
            return s->sites[i].kind;
    }
    return LUA_VERSION_NUM >= 502 ? kind_of(old_size) : NULL;
}

static void *allocate(void *ud, void *p, size_t old_size, size_t size)
{
    struct state *const s = (struct state *)ud;

    running = s;
    s->bytes += size - (p != NULL ? old_size : 0);
    s->kind = p == NULL ? new_kind(s, old_size, __builtin_return_address(0),
                                   __builtin_frame_address(0))
                        : NULL;
    if (!IS_POOL) {
        void *const block = s->alloc(s->ud, p, old_size, size);
        s->kind = NULL;
        return block;
    }
    if (p != NULL)
        memprof_pool_free(s, p);
    void *const q = s->alloc(s->ud, p, old_size, size);
    /* If the state's stack has moved, the state does not know it yet, and its
     * frames cannot be read. */
    const bool was_running = s->is_running;
    s->is_running = was_running && p == NULL;
    if (q != NULL)
        memprof_pool_alloc(s, q, size);
    else if (p != NULL && size != 0) /* p stays as it was */
        memprof_pool_alloc(s, p, old_size);
    s->is_running = was_running;
    s->kind = NULL;
    return q;
}

/* -- kinds of objects ------------------------------------------------------- */

#if LUA_VERSION_NUM < 502
/* Lua 5.1 and LuaJIT do not tell the allocation function what is allocated. But
 * objects of a kind are made in few places of the interpreter, which call one
 * function for memory. learn_kinds() makes an object of each kind, and notes
 * these places. */

/* Notes which code allocates the block. */
static void note_site(struct state *s, const void *block, size_t bytes,
                      const void *inner, const char *frame)
{
    void *addresses[PROBE_FRAMES];
    const int count = backtrace(addresses, PROBE_FRAMES);
    struct site *const site = &s->sites[s->site_count];
    int at = 0;

    while (at < count && addresses[at] != inner)
        at++;
    if (at + 1 >= count)
        return;
    *site = (struct site){.inner = inner,
                          .outer = addresses[at + 1],
                          .block = (const char *)block,
                          .bytes = bytes};
    for (size_t i = 0; i < SITE_BYTES; i += sizeof(void *)) {
        if (memcmp(frame + i, &site->outer, sizeof(void *)) == 0) {
            site->offset = i;
            s->site_count++;
            return;
        }
    }
}

/* The block ended: the next one at its address may be of another site. */
static void forget_block(struct state *s, const void *block)
{
    unsigned i = 0;

    while (i < s->site_count && s->sites[i].block != block)
        i++;
    if (i < s->site_count)
        s->sites[i] = s->sites[--s->site_count];
}

static void *allocate_noting(void *ud, void *p, size_t old_size, size_t size)
{
    struct state *const s = (struct state *)ud;
    void *const block = s->alloc(s->ud, p, old_size, size);

    if (p != NULL && block != p)
        forget_block(s, p);
    if (p == NULL && block != NULL && s->site_count < SITES)
        note_site(s, block, size, __builtin_return_address(0),
                  (const char *)__builtin_frame_address(0));
    return block;
}

static int make_objects(lua_State *L)
{
    char text[NAME_BYTES];

    snprintf(text, sizeof(text), "memprof %p", (void *)text);
    lua_pushstring(L, text);
    lua_createtable(L, 0, 0);
    lua_createtable(L, 1, 0);
    lua_newuserdata(L, 1);
    lua_newthread(L);
    lua_pushcclosure(L, make_objects, 0);
    if (luaL_loadstring(L, "return {}, {1}, {a = 1}, function() end") != 0)
        return lua_error(L);
    lua_pushvalue(L, -1);
    lua_call(L, 0, LUA_MULTRET);
    return lua_gettop(L);
}

/* Gives the site that allocated the object at the index its kind. */
static void note_kind(struct state *s, lua_State *L, int index)
{
    const int type = lua_type(L, index);
    const char *const object = type == LUA_TSTRING
                                   ? lua_tostring(L, index)
                                   : (const char *)lua_topointer(L, index);

    for (unsigned i = 0; i < s->site_count; i++) {
        if ((size_t)(object - s->sites[i].block) < s->sites[i].bytes)
            s->sites[i].kind = kind_of((size_t)type);
    }
}

static void learn_kinds(struct state *s, lua_State *L)
{
    const int top = lua_gettop(L);
    unsigned count = 0;

    lua_setallocf(L, allocate_noting, s);
    lua_pushcfunction(L, make_objects);
    const int status = lua_pcall(L, 0, LUA_MULTRET, 0);
    lua_setallocf(L, s->alloc, s->ud);
    for (int i = top + 1; status == 0 && i <= lua_gettop(L); i++)
        note_kind(s, L, i);
    lua_settop(L, top);
    for (unsigned i = 0; i < s->site_count; i++) {
        if (s->sites[i].kind != NULL)
            s->sites[count++] = s->sites[i];
    }
    s->site_count = count;
}
#endif

/* -- frames ---------------------------------------------------------------- */

static const char *name_of(const lua_Debug *ar, char *text)
{
    if (strcmp(ar->what, "main") == 0)
        return "main chunk";
    if (ar->name != NULL && ar->name[0] != '\0')
        return ar->name;
    snprintf(text, NAME_BYTES, "function at line %d", ar->linedefined);
    return text;
}

/* Chunks that come from text have the text as their source. */
static const char *file_of(const lua_Debug *ar)
{
    return ar->source[0] == '@' ? ar->source + 1 : ar->short_src;
}

/* Does a new activation of the interpreter begin with this frame, although no C
 * function called it? */
static bool begins_activation(const lua_Debug *ar)
{
    return strcmp(ar->namewhat, "metamethod") == 0 ||
           strcmp(ar->namewhat, "for iterator") == 0 ||
           strcmp(ar->namewhat, "hook") == 0;
}

/* Is the state's stack being moved? While it is, Lua 5.4.6 and later have
 * offsets in place of pointers into it; the first member of CallInfo is one. */
static bool is_moving(const lua_Debug *ar)
{
#if LUA_VERSION_NUM >= 504
    uintptr_t function;

    memcpy(&function, ar->i_ci, sizeof(function));
    return function < (uintptr_t)1 << 24; /* LUAI_MAXSTACK values of 16 bytes */
#else
    (void)ar;
    return false;
#endif
}

/* The coroutine that runs. When the kept one has ended or yielded, the main one
 * is the best guess. */
static lua_State *current_of(const struct state *s)
{
    lua_State *const L = s->current;
    lua_Debug ar;

    return L == s->kept && (lua_status(L) != 0 || !lua_getstack(L, 0, &ar))
               ? s->main
               : L;
}

/* Strings that no C function makes come from the operator "..". */
static const char *kind_here(const struct state *s, lua_State *L)
{
    lua_Debug ar;

    return s->kind[0] == 's' && lua_getstack(L, 0, &ar) && !is_moving(&ar) &&
                   lua_getinfo(L, "S", &ar) && strcmp(ar.what, "C") != 0
               ? "concatenated string"
               : s->kind;
}

static unsigned frames(struct memprof_vm_frame *out, unsigned max)
{
    struct state *const s = running;
    unsigned count = 0;
    lua_Debug ar;

    if (s == NULL || !s->is_running)
        return 0;
    lua_State *const L = current_of(s);
    if (L == NULL)
        return 0;
    if (s->kind != NULL && max > 1)
        out[count++].function = memprof_vm_kind(kind_here(s, L));
    const unsigned before = count;
    for (int level = 0; count + 1 < max && lua_getstack(L, level, &ar);
         level++) {
        char text[NAME_BYTES];

        if (is_moving(&ar))
            return 0;
        if (!lua_getinfo(L, "nSl", &ar))
            break;
        if (strcmp(ar.what, "C") == 0) {
            if (count == before) /* it called the allocator */
                continue;
            out[count++] = (struct memprof_vm_frame){MEMPROF_VM_C, 0};
            continue;
        }
        if (ar.linedefined < 0) /* "(tail call)" of Lua 5.1 */
            continue;
        out[count].function = memprof_vm_function(
            name_of(&ar, text), file_of(&ar), (unsigned)ar.linedefined);
        /* Lua 5.1 knows the line of the last instruction that may fail. */
        out[count++].line =
            (unsigned)(ar.currentline > 0 ? ar.currentline : ar.linedefined);
        if (begins_activation(&ar))
            out[count++] = (struct memprof_vm_frame){MEMPROF_VM_C, 0};
    }
    return count != before ? count : 0;
}

/* -- garbage collection ----------------------------------------------------- */

static struct state *state_of(lua_State *L);

/* Makes a value that nothing refers to: its finalizer runs in each cycle. The
 * metatable is on top of the stack, and stays. */
static void make_sentinel(lua_State *L)
{
    lua_newuserdata(L, 1);
    lua_pushvalue(L, -2);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

/* The sentinel's finalizer. */
static int collected(lua_State *L)
{
    struct state *const s = state_of(L);

    if (s == NULL)
        return 0;
    s->has_sentinel = s->is_running && lua_getmetatable(L, 1);
    if (!s->has_sentinel)
        return 0;
    memprof_vm_gc("Lua: garbage collected", s->bytes);
    make_sentinel(L);
    return 0;
}

/* -- coroutines ------------------------------------------------------------ */

static struct state *state_of(lua_State *L)
{
    struct state *s;

    lua_pushlightuserdata(L, (void *)(uintptr_t)&key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    s = (struct state *)lua_touserdata(L, -1);
    lua_pop(L, 1);
    return s;
}

/* Can the coroutine be resumed with so many values? If not, the original says
 * why. */
static bool can_resume(lua_State *L, lua_State *co, int arg_count)
{
    const int status = lua_status(co);
    lua_Debug ar;

    if (co == L || !lua_checkstack(co, arg_count))
        return false;
    return status == LUA_YIELD ||
           (status == 0 && lua_gettop(co) != 0 && !lua_getstack(co, 0, &ar));
}

/* Resumes the coroutine with the values on top of the stack, as the original
 * does: a call of the original would take one more of the 200 calls of C
 * functions in each other that Lua permits. Pushes the results and returns
 * their number, or an error and -1. */
static int run(lua_State *L, lua_State *co, int arg_count)
{
    struct state *const s = state_of(L);
    lua_State *const before = s->current;
    int count;

    lua_xmove(L, co, arg_count);
    s->current = co;
#if LUA_VERSION_NUM >= 504
    const int status = lua_resume(co, L, arg_count, &count);
#else
#if LUA_VERSION_NUM >= 502
    const int status = lua_resume(co, L, arg_count);
#else
#ifndef LUA_JITLIBNAME
    lua_setlevel(L, co);
#endif
    const int status = lua_resume(co, arg_count);
#endif
    count = lua_gettop(co);
#endif
    s->current = before;
    if (status != 0 && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, count + 1)) {
        lua_pop(co, count);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, count);
    return count;
}

/* coroutine.resume; upvalue: the original. */
static int resume(lua_State *L)
{
    lua_State *const co = lua_tothread(L, 1);
    int count = lua_gettop(L) - 1;

    if (co == NULL || !can_resume(L, co, count)) {
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_insert(L, 1);
        lua_call(L, count + 1, LUA_MULTRET);
        return lua_gettop(L);
    }
    count = run(L, co, count);
    lua_pushboolean(L, count >= 0);
    if (count < 0)
        count = 1;
    lua_insert(L, -count - 1);
    return count + 1;
}

/* What coroutine.wrap returns; upvalues: what the original returned, and the
 * coroutine. */
static int resume_wrapped(lua_State *L)
{
    lua_State *const co = lua_tothread(L, lua_upvalueindex(2));
    int count = lua_gettop(L);

    if (can_resume(L, co, count)) {
        count = run(L, co, count);
        if (count >= 0)
            return count;
#if LUA_VERSION_NUM >= 504
        if (lua_status(co) != 0 && lua_resetthread(co) != 0)
            lua_xmove(co, L, 1); /* the error, or that of a variable's end */
#endif
    } else {
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_insert(L, 1);
        (void)lua_pcall(L, count, LUA_MULTRET, 0); /* fails */
    }
    if (lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

/* coroutine.wrap; upvalue: the original. */
static int wrap(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    if (lua_getupvalue(L, -1, 1) == NULL)
        return 1;
    if (!lua_isthread(L, -1)) {
        lua_pop(L, 1);
        return 1;
    }
    lua_pushcclosure(L, resume_wrapped, 2);
    return 1;
}

/* Replaces a member of the table on top of the stack. */
static void replace(lua_State *L, const char *name, lua_CFunction function)
{
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

static void replace_coroutines(lua_State *L)
{
#ifdef LUA_JITLIBNAME
    /* When these cannot be resumed, LuaJIT makes a string of the reason after
     * it has overwritten the frame: the registry has the strings before. */
    lua_pushliteral(L, "cannot resume dead coroutine");
    lua_setfield(L, LUA_REGISTRYINDEX, "memprof.dead");
    lua_pushliteral(L, "cannot resume running coroutine");
    lua_setfield(L, LUA_REGISTRYINDEX, "memprof.running");
#endif
    lua_getglobal(L, "coroutine");
    if (lua_istable(L, -1)) {
        replace(L, "resume", resume);
        replace(L, "wrap", wrap);
    }
    lua_pop(L, 1);
}

/* -- the interpreter's function -------------------------------------------- */

struct probe {
    void *functions[PROBE_FRAMES]; /* on the C stack up to start() */
    int count;
};

static int start(lua_State *L);

/* upvalue: the probe to fill. */
static int probe(lua_State *L)
{
    struct probe *const p =
        (struct probe *)lua_touserdata(L, lua_upvalueindex(1));
    void *addresses[PROBE_FRAMES];
    const int count = backtrace(addresses, PROBE_FRAMES);

    p->count = 0;
    for (int i = 0; i < count; i++) {
        void *const function =
            _Unwind_FindEnclosingFunction((char *)addresses[i] - 1);

        if (function == (void *)start)
            break;
        p->functions[p->count++] = function;
    }
    return 0;
}

static bool has(const struct probe *p, const void *function)
{
    for (int i = 0; i < p->count; i++) {
        if (p->functions[i] == function)
            return true;
    }
    return false;
}

/* Calls probe() once from C and once from Lua: the outermost function that is
 * only on the second stack is the interpreter. LuaJIT calls C functions through
 * the interpreter, too; then it is the function that called probe(). */
static const void *find_interpreter(lua_State *L)
{
    struct probe from_c, from_lua;

    lua_pushlightuserdata(L, &from_c);
    lua_pushcclosure(L, probe, 1);
    lua_call(L, 0, 0);
    if (luaL_loadstring(L, "local probe = ... ; probe() ; return 0") != 0) {
        lua_pop(L, 1);
        return NULL;
    }
    lua_pushlightuserdata(L, &from_lua);
    lua_pushcclosure(L, probe, 1);
    lua_call(L, 1, 0);
    for (int i = from_lua.count; i-- > 0;) {
        if (from_lua.functions[i] != NULL &&
            !has(&from_c, from_lua.functions[i]))
            return from_lua.functions[i];
    }
    for (int i = 1; i < from_lua.count; i++) {
        if (from_lua.functions[i] != from_lua.functions[0])
            return from_lua.functions[i];
    }
    return NULL;
}

/* -- the module ------------------------------------------------------------ */

static int fail(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}

/* The profiler calls frames() as long as the process lives, so the module stays
 * loaded when the state closes. */
static bool stay_loaded(void)
{
    Dl_info info;

    return dladdr((const void *)&key, &info) != 0 &&
           dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) !=
               NULL;
}

static struct state *make_state(lua_State *L)
{
    struct state *const s = (struct state *)calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->next = states;
    while (!atomic_compare_exchange_weak(&states, &s->next, s))
        ;
    lua_pushlightuserdata(L, (void *)(uintptr_t)&key);
    lua_pushlightuserdata(L, s);
    lua_rawset(L, LUA_REGISTRYINDEX);
    replace_coroutines(L);
    return s;
}

/* The profiler passes the bytes of the log. The first ones replace what the
 * file had; what cannot be emptied is no file. */
static size_t write_log(void **buffer, size_t length, void *ctx)
{
    const int fd = (int)(intptr_t)ctx;
    const char *const bytes = (const char *)*buffer;
    size_t done = 0;

    if (lseek(fd, 0, SEEK_CUR) == 0)
        (void)!ftruncate(fd, 0);
    while (done < length) {
        const ssize_t n = write(fd, bytes + done, length - done);

        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            break;
    }
    return done;
}

static int close_log(void *ctx)
{
    return close((int)(intptr_t)ctx);
}

/* Returns NULL, or why there is no log. */
static const char *start_log(const char *path, unsigned interval_ms)
{
    if (memprof_log_is_running()) /* creates no file */
        return memprof_log_error(MEMPROF_LOG_RUNNING);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, LOG_MODE);
    const struct memprof_log_options options = {.writer = write_log,
                                                .on_stop = close_log,
                                                .ctx = (void *)(intptr_t)fd,
                                                .interval_ms = interval_ms};
    if (fd < 0)
        return strerror(errno);
    const int status = memprof_log_start(&options);
    return status != MEMPROF_LOG_OK ? memprof_log_error(status) : NULL;
}

/* Gives the state its own allocation function back when it closes. Returns
 * enum memprof_log_status. */
static int end_state(lua_State *L, struct state *s)
{
    int status = MEMPROF_LOG_OK;
    void *ud;

    s->is_running = false;
    if (s->has_log)
        status = memprof_log_stop();
    s->has_log = false;
    if (lua_getallocf(L, &ud) == allocate && ud == s)
        lua_setallocf(L, s->alloc, s->ud);
    if (IS_POOL)
        memprof_pool_destroy(s);
    return status;
}

static int close_state(lua_State *L)
{
    struct state *const s = state_of(L);

    if (s != NULL && s->is_running)
        end_state(L, s);
    return 0;
}

/* L calls start(). If it was not resumed through this module, nobody tells when
 * it ends: the registry keeps it, so that frames() can ask it. */
static void keep_current(struct state *s, lua_State *L)
{
    if (s->current == L)
        return;
    lua_pushthread(L);
    lua_pushboolean(L, 1);
    lua_rawset(L, LUA_REGISTRYINDEX);
    s->current = s->kept = L;
#if LUA_VERSION_NUM >= 502
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
#else
    lua_getfield(L, LUA_REGISTRYINDEX, "memprof.main");
#endif
    s->main = lua_tothread(L, -1);
    lua_pop(L, 1);
}

/* start(), start(FILE), start(FILE, INTERVAL_MS) */
static int start(lua_State *L)
{
    const char *const path = luaL_optstring(L, 1, NULL);
    const lua_Integer interval_ms = luaL_optinteger(L, 2, 0);
    struct state *s = state_of(L);
    const void *interpreter;
    const char *why;

    luaL_argcheck(L, interval_ms >= 0 && interval_ms <= INTERVAL_MS_MAX, 2,
                  "no interval in milliseconds");
    if (!memprof_is_present())
        return fail(L, "the program runs without the profiler: build it with "
                       "-fmemory-profile, or preload the runtime");
    if (s != NULL && s->is_running)
        return fail(L, "the profiler runs in this state already");
    if (!stay_loaded())
        return fail(L, "the module cannot stay loaded");
    interpreter = find_interpreter(L);
    if (interpreter == NULL || memprof_vm_add(interpreter, frames) != 0)
        return fail(L, "the interpreter's function was not found");
    if (s == NULL)
        s = make_state(L);
    if (s == NULL)
        return fail(L, "no memory");
    s->alloc = lua_getallocf(L, &s->ud);
#if LUA_VERSION_NUM < 502
    if (s->site_count == 0)
        learn_kinds(s, L);
#endif
    keep_current(s, L);
    s->bytes = (size_t)lua_gc(L, LUA_GCCOUNT, 0) * 1024;
    s->is_running = true;
    running = s;
    if (IS_POOL)
        memprof_pool_create(s, "Lua");
    lua_setallocf(L, allocate, s);
    if (!s->has_sentinel) {
        lua_newtable(L);
        lua_pushcfunction(L, collected);
        lua_setfield(L, -2, "__gc");
        make_sentinel(L);
        s->has_sentinel = true;
    }
    why = path != NULL ? start_log(path, (unsigned)interval_ms) : NULL;
    if (why != NULL) {
        end_state(L, s);
        return fail(L, why);
    }
    memprof_start();
    s->has_log = path != NULL;
    lua_pushboolean(L, 1);
    return 1;
}

static int stop(lua_State *L)
{
    struct state *const s = state_of(L);

    if (s == NULL || !s->is_running)
        return fail(L, "the profiler does not run in this state");
    const int status = end_state(L, s);
    memprof_stop();
    if (status != MEMPROF_LOG_OK)
        return fail(L, memprof_log_error(status));
    lua_pushboolean(L, 1);
    return 1;
}

static int is_running(lua_State *L)
{
    const struct state *const s = state_of(L);

    lua_pushboolean(L, s != NULL && s->is_running && memprof_is_running());
    return 1;
}

static int dump(lua_State *L)
{
    if (!memprof_is_present())
        return fail(L, "the program runs without the profiler");
    if (memprof_dump() != 0)
        return fail(L, "the profile was not written");
    lua_pushboolean(L, 1);
    return 1;
}

static int phase(lua_State *L)
{
    memprof_phase(luaL_optstring(L, 1, NULL));
    return 0;
}

static int mark(lua_State *L)
{
    memprof_mark(luaL_checkstring(L, 1));
    return 0;
}

static int dump_objects(lua_State *L)
{
    const char *const path = luaL_checkstring(L, 1);
    struct state *const s = state_of(L);

    if (!memprof_lua_write_objects(L, path, IS_POOL ? s : NULL)) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* Without a way to find the main coroutine, the registry gets it. */
static void note_main(lua_State *L)
{
    if (lua_pushthread(L))
        lua_setfield(L, LUA_REGISTRYINDEX, "memprof.main");
    else
        lua_pop(L, 1);
}

int luaopen_memprof(lua_State *L);
int luaopen_memprof(lua_State *L)
{
    static const luaL_Reg functions[] = {{"start", start},
                                         {"stop", stop},
                                         {"is_running", is_running},
                                         {"dump", dump},
                                         {"dump_objects", dump_objects},
                                         {"phase", phase},
                                         {"mark", mark}};

    lua_newtable(L);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        lua_pushcfunction(L, functions[i].func);
        lua_setfield(L, -2, functions[i].name);
    }
    /* A value that is collected when the state closes. */
    lua_newuserdata(L, 1);
    lua_newtable(L);
    lua_pushcfunction(L, close_state);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_setfield(L, LUA_REGISTRYINDEX, "memprof.close");
    note_main(L);
    return 1;
}
