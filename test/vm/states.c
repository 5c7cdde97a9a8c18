// Several Lua states in threads, with the module: each thread's blocks have the frames of its
// own script; a builtin in tail position counts for the line that called it, and so does a
// function of C that allocates for another coroutine, which does not run. A state that is
// closed while its profiler runs gives its allocation function back; so does stop(), after which
// neither the profile nor the log has further blocks. stop() in another state does nothing.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fPIC -shared -I%root/inc $(pkg-config --cflags lua5.4) %root/vm/lua/memprof.c %root/vm/lua/objects.c -o memprof.so
// RUN: %clang -O1 -g $(pkg-config --cflags lua5.4) %s -o a $(pkg-config --libs lua5.4) -lpthread
// RUN: env LUA_CPATH=%t.dir/?.so MEMPROF_PROFILE_FILE=raw MEMPROF_OPTIONS=log=log LD_PRELOAD=%resource/lib/linux/libclang_rt.memprof-x86_64.so ./a
// RUN: %memprofdata show --by=line --sort=blocks --top=1000 --hide='/liblua|^lua|\.c$' raw | FileCheck %s --implicit-check-not=suspended
// RUN: for i in 0 1 2 3; do %memprofdata objects objects.$i | grep " 100  table of thread$i.lua:3$" || exit 1; done
// RUN: for f in raw log; do %memprofdata show --by=line --sort=blocks --top=1000 $f | FileCheck %s --check-prefix=STOPPED --implicit-check-not=stopped.lua:4 || exit 1; done
// STOPPED: {{ 4[01][0-9] .*}} main chunk stopped.lua:2
// RUN: %memprofdata events --list --kind=alloc --window=stopped,end log | FileCheck %s --check-prefix=NONE
// NONE: no event fits
// CHECK-DAG: {{ 2[01][0-9] .*}} make thread0.lua:3
// CHECK-DAG: {{ 2[01][0-9] .*}} make thread1.lua:3
// CHECK-DAG: {{ 2[01][0-9] .*}} make thread2.lua:3
// CHECK-DAG: {{ 2[01][0-9] .*}} make thread3.lua:3
// CHECK-DAG: {{ 30[0-9] .*}} tail thread0.lua:6
// CHECK-DAG: {{ 30[0-9] .*}} tail thread1.lua:6
// CHECK-DAG: {{ 30[0-9] .*}} tail thread2.lua:6
// CHECK-DAG: {{ 30[0-9] .*}} tail thread3.lua:6
// CHECK-DAG: {{ 7[0-9] .*}} foreign thread0.lua:12
// CHECK-DAG: {{ 7[0-9] .*}} foreign thread3.lua:12
//
// Without the profiler the module loads, and says so.
// RUN: env LUA_CPATH=%t.dir/?.so lua5.4 -e 'm = require "memprof"; assert(not m.is_running()); for _, f in ipairs { "start", "stop", "dump" } do print(f, m[f]()) end' | FileCheck %s --check-prefix=PLAIN
// PLAIN: start nil the program runs without the profiler: build it with -fmemory-profile
// PLAIN-NEXT: stop nil the profiler does not run in this state
// PLAIN-NEXT: dump nil the program runs without the profiler
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char script[] =
    "local memprof = require 'memprof'; assert(memprof.start()); local keep = {}\n"
    "local function make(n) for i = 1, n do\n"
    "  keep[#keep + 1] = { i }\n"
    "end end\n"
    "local function tail(i)\n"
    "  return table.pack(i)\n"
    "end\n"
    "make(100)\n"
    "for i = 1, 100 do keep[#keep + 1] = tail(i) end\n"
    "local other = coroutine.create(function() local function suspended() coroutine.yield() end suspended() end)\n"
    "coroutine.resume(other)\n"
    "local function foreign() return 0, make_for(other, 70) end\n"
    "foreign()\n"
    "assert(memprof.dump_objects(...))\n";

/* Makes n tables with the state of another coroutine. */
static int make_for(lua_State *L)
{
    lua_State *const other = lua_tothread(L, 1);

    for (lua_Integer n = lua_tointeger(L, 2); n > 0; n--) {
        lua_newtable(other);
        lua_pop(other, 1);
    }
    return 0;
}

static void *run(void *number)
{
    char name[32];
    lua_State *const L = luaL_newstate();

    luaL_openlibs(L);
    lua_register(L, "make_for", make_for);
    snprintf(name, sizeof(name), "@thread%d.lua", *(int *)number);
    if (luaL_loadbuffer(L, script, strlen(script), name) == 0) {
        snprintf(name, sizeof(name), "objects.%d", *(int *)number);
        lua_pushstring(L, name);
        lua_call(L, 1, 0);
    }
    lua_close(L);
    return NULL;
}

static const char stopped[] =
    "local memprof = require 'memprof'; assert(is_own()); assert(memprof.start()); assert(not is_own()); assert(not memprof.start()); assert(not stop_other())\n"
    "for i = 1, 200 do keep = { i } end\n"
    "assert(memprof.is_running() and not is_own()); assert(memprof.stop()); assert(is_own()); memprof.mark('stopped')\n"
    "for i = 1, 100 do keep = { i } end\n";

static void *own(void *ud, void *p, size_t old_size, size_t size)
{
    (void)ud, (void)old_size;
    if (size != 0)
        return realloc(p, size);
    free(p);
    return NULL;
}

/* Does the state have the allocation function that it began with? */
static int is_own(lua_State *L)
{
    void *ud;

    lua_pushboolean(L, lua_getallocf(L, &ud) == own && ud == (void *)stopped);
    return 1;
}

/* Calls stop() in a state that was not started, and returns what it returns. */
static int stop_other(lua_State *L)
{
    lua_State *const other = luaL_newstate();

    luaL_openlibs(other);
    if (luaL_dostring(other, "return require 'memprof'.stop()") != 0)
        abort();
    lua_pushboolean(L, lua_toboolean(other, 1));
    lua_close(other);
    return 1;
}

static void stop(void)
{
    lua_State *const L = lua_newstate(own, (void *)stopped);

    luaL_openlibs(L);
    lua_register(L, "is_own", is_own);
    lua_register(L, "stop_other", stop_other);
    if (luaL_loadbuffer(L, stopped, strlen(stopped), "@stopped.lua") != 0)
        abort();
    lua_call(L, 0, 0);
    lua_close(L);
}

int main(void)
{
    int numbers[] = {0, 1, 2, 3};
    pthread_t threads[4];

    for (int i = 0; i < 4; i++) {
        if (pthread_create(&threads[i], NULL, run, &numbers[i]) != 0)
            abort();
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    stop();
    return 0;
}
