// A real program with a pool allocator: Lua allocates everything through one function.
// Here that function cuts blocks of powers of two out of one large block and informs
// the profiler: the profile has the allocator's counts, with Lua's call stacks.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -w -DLUA_USE_POSIX -fmemory-profile %ours-rt %debugflags -I%root/inc -I%build/world/lua5.4/src -I%build/world/lua5.4 %s $(ls %build/world/lua5.4/src/*.c | grep -v 'luac\?[.]c$') -o lua -lm
// RUN: env MEMPROF_PROFILE_FILE=raw ./lua > counted
// RUN: %memprofdata show --pools --json --top=0 raw > page.json
// RUN: python3 -c 'import json; t = json.load(open("page.json"))["totals"]; print(t["blocks"], t["bytes"], t["live-blocks"], t["live"])' | diff counted -
// RUN: %memprofdata show --by=function --top=500 --pools raw | FileCheck %s
// CHECK: accessed     not measured of blocks of pools
// CHECK: luaH_resize {{.*}}ltable.c
// RUN: %memprofdata show --by=pool raw | FileCheck %s --check-prefix=POOL
// POOL: 100.0 % {{.*}}  lua{{$}}
// malloc returned one block to the allocator and one to stdio.
// RUN: %memprofdata show raw | FileCheck %s --check-prefix=ARENA
// ARENA: allocated    64.0 MiB in 2 blocks
// ARENA: take_arena
#include <memprof.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

enum { CLASSES = 27, ARENA_BYTES = 64 << 20 };

struct pool {
    char *arena;
    size_t used;
    void *free[CLASSES]; /* by power of two */
    size_t blocks, bytes, live_blocks, live_bytes;
};

static int class_of(size_t size)
{
    int class = 4;

    while ((size_t)1 << class < size)
        class++;
    return class;
}

static __attribute__((noinline)) void *take_arena(void)
{
    return malloc(ARENA_BYTES);
}

static void *take(struct pool *pool, size_t size)
{
    const int class = class_of(size);
    void *p = pool->free[class];

    if (p != NULL) {
        memcpy(&pool->free[class], p, sizeof(p));
    } else {
        if (pool->used + ((size_t)1 << class) > ARENA_BYTES)
            abort();
        p = pool->arena + pool->used;
        pool->used += (size_t)1 << class;
    }
    pool->blocks++;
    pool->bytes += size;
    pool->live_blocks++;
    pool->live_bytes += size;
    memprof_pool_alloc(pool, p, size);
    return p;
}

static void give_back(struct pool *pool, void *p, size_t size)
{
    const int class = class_of(size);

    memprof_pool_free(pool, p);
    pool->live_blocks--;
    pool->live_bytes -= size;
    memcpy(p, &pool->free[class], sizeof(p));
    pool->free[class] = p;
}

static void *allocate(void *context, void *p, size_t size, size_t new_size)
{
    struct pool *const pool = context;
    void *moved = NULL;

    if (new_size != 0)
        moved = take(pool, new_size);
    if (p != NULL && moved != NULL)
        memcpy(moved, p, size < new_size ? size : new_size);
    if (p != NULL)
        give_back(pool, p, size);
    return moved;
}

static const char script[] =
    "local t = {}\n"
    "for i = 1, 20000 do t[i] = {tostring(i), i} end\n"
    "for i = 1, 20000, 2 do t[i] = nil end\n"
    "collectgarbage()\n"
    "kept = t\n";

int main(void)
{
    struct pool pool = {.arena = take_arena()};

    memprof_pool_create(&pool, "lua");
    lua_State *const lua = lua_newstate(allocate, &pool);
    luaL_openlibs(lua);
    if (luaL_dostring(lua, script) != 0)
        return 2;
    printf("%zu %zu %zu %zu\n", pool.blocks, pool.bytes, pool.live_blocks, pool.live_bytes);
    return pool.live_blocks == 0;
}
