// The objects of a Lua state when there is no memory to note the blocks of more than some of
// them: nothing is written behind what there is, and no file stays.
// RUN: %clang -O1 -g -fsanitize=address -I%root -I%root/inc $(pkg-config --cflags lua5.4) %s -o %t $(pkg-config --libs lua5.4)
// RUN: %t %t.json
#include <stdlib.h>

static size_t bytes_max;

static void *realloc_some(void *p, size_t bytes)
{
    return bytes <= bytes_max ? realloc(p, bytes) : NULL;
}
#define realloc realloc_some
#include "vm/lua/objects.c"
#undef NDEBUG
#include <assert.h>

int main(int argc, char **argv)
{
    const char *const path = argv[argc - 1];
    lua_State *const L = luaL_newstate();
    unsigned failures = 0;

    luaL_openlibs(L);
    assert(luaL_dostring(L, "t = {} for i = 1, 1000 do t[i] = { i } end") == 0);
    for (size_t count = 0;; count = count == 0 ? 1 : 2 * count) {
        bytes_max = count * sizeof(struct memprof_vm_block);
        if (memprof_lua_write_objects(L, path, NULL))
            break;
        assert(strcmp(lua_tostring(L, -1), "no memory") == 0);
        assert(access(path, F_OK) != 0);
        failures++;
    }
    assert(failures > 10 && access(path, F_OK) == 0);
    lua_close(L);
    return 0;
}
