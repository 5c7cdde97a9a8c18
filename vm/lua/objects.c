/* objects.c -- writes the objects of a Lua state to a file: what the registry,
 * the stacks and the metatables refer to, as far as Lua's API can see.
 *
 * Objects have numbers in the order in which they are found. Three tables of
 * the state, which become garbage at the end, have the number of each address,
 * the object of each number, and which numbers are variables of closures.
 * Objects are visited by number. While they are visited, nothing here makes an
 * object of Lua, so the garbage collector does not run. A visit is an access:
 * what the profiler knows of an object is noted when it is found, before an
 * interpreter that counts reads the object for us.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "objects.h"

#include <lauxlib.h>
#include <lualib.h>
#include <memprof_vm.h>

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 128
#define TEXT_BYTES 48 /* of a string's text */
#define OWN_LEVELS 2  /* write_all() and the function that called it */

#ifdef LUA_JITLIBNAME
#define TYPE_CDATA 10
#define STRING_HEADER 24 /* GCstr, GCudata */
#define USERDATA_HEADER 48
#define PART_OFFSETS \
    {                \
        16, 40       \
    } /* GCtab: array, node */
#else
#define TYPE_CDATA (-2)
#define STRING_HEADER 0 /* the heap finds the block around an address */
#define USERDATA_HEADER 0
#if LUA_VERSION_NUM >= 503
#define PART_OFFSETS \
    {                \
        16, 24       \
    } /* Table: array, node */
#else
#define PART_OFFSETS \
    {                \
        24, 32       \
    }
#endif
#endif
#if LUA_VERSION_NUM >= 502 || defined(LUA_JITLIBNAME)
#define HAS_UPVALUE_ID
#endif

/* Positions on the stack of the function that writes. */
enum { SEEN = 1, QUEUE, UPVALUES, MODE, OBJECT };

struct dump {
    const char *path;
    const void *pool;
    FILE *out;
    struct memprof_vm_block *blocks; /* by number - 1; 0 bytes: unknown */
    uint32_t count;                  /* of objects */
    bool is_full;
    bool has_refs; /* the list that is written is not empty */
};

/* -- blocks ---------------------------------------------------------------- */

/* Adds a part of the object. The object was accessed when its last part was. */
static void add_part(struct memprof_vm_block *block,
                     const struct memprof_vm_block *part)
{
    block->has_idle &= part->has_idle;
    if (part->accesses != 0 &&
        (block->accesses == 0 || part->idle_ns < block->idle_ns))
        block->idle_ns = part->idle_ns;
    block->bytes += part->bytes;
    block->accesses += part->accesses;
    block->reads += part->reads;
}

/* Adds the blocks of the table's array and hash part. Their addresses stand in
 * the table's own block; what is no start of a block is no part. */
static void add_parts(const struct dump *d, struct memprof_vm_block *block)
{
    static const size_t offsets[] = PART_OFFSETS;
    const size_t bytes = block->bytes;
    struct memprof_vm_block part;

    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        const void *p;

        if (offsets[i] + sizeof(p) > bytes)
            return;
        memcpy(&p, (const char *)block->start + offsets[i], sizeof(p));
        if (memprof_vm_block(d->pool, p, &part) && part.start == p)
            add_part(block, &part);
    }
}

/* Bytes of LuaJIT's cdata before its contents: a GCcdata; in front of one of
 * variable size, which a bit of its mark tells, as many as GCcdataVar says. */
static size_t cdata_header(uintptr_t address)
{
    const char *const header = (const char *)address - 16;
    uint16_t offset = 0;

    if ((header[8] & 0x80) != 0)
        memcpy(&offset, header - 8, sizeof(offset));
    return 16u + offset;
}

/* Notes what is known of the block of the object that was found last. False if
 * there is no memory. */
static bool note_block(struct dump *d, uintptr_t address, int type)
{
    const size_t before = d->pool == NULL         ? 0
                          : type == LUA_TSTRING   ? STRING_HEADER
                          : type == LUA_TUSERDATA ? USERDATA_HEADER
                          : type == TYPE_CDATA    ? cdata_header(address)
                                                  : 0;
    const uint32_t i = d->count - 1;
    struct memprof_vm_block *block = d->blocks;

    if ((i & (i - 1)) == 0) /* its room is a power of two */
        block = realloc(block, (i == 0 ? 1 : 2 * (size_t)i) * sizeof(*block));
    if (block == NULL)
        return false;
    d->blocks = block;
    block += i;
    if (!memprof_vm_block(d->pool, (const void *)(address - before), block))
        *block = (struct memprof_vm_block){.start = (const void *)address};
    else if (type == LUA_TTABLE)
        add_parts(d, block);
    return true;
}

/* -- numbers of objects ---------------------------------------------------- */

static bool is_object(int type)
{
    return type == LUA_TSTRING || type == LUA_TTABLE || type == LUA_TFUNCTION ||
           type == LUA_TUSERDATA || type == LUA_TTHREAD || type == TYPE_CDATA;
}

/* Not all versions have lua_topointer() of strings. */
static uintptr_t address_of(lua_State *L, int at)
{
    return lua_type(L, at) == LUA_TSTRING ? (uintptr_t)lua_tostring(L, at)
                                          : (uintptr_t)lua_topointer(L, at);
}

/* Number of the object at this address, which is the value on top of the stack
 * or, with LUA_TNONE, one of its variables; *is_new tells whether the value was
 * put into the queue. */
static uint32_t number_of(struct dump *d, lua_State *L, uintptr_t address,
                          int type, bool *is_new)
{
    lua_pushlightuserdata(L, (void *)address);
    lua_rawget(L, SEEN);
    const uint32_t number = (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    *is_new = number == 0 && !d->is_full && d->count < INT_MAX;
    if (!*is_new)
        return number;
    lua_pushlightuserdata(L, (void *)address);
    lua_pushinteger(L, (int)++d->count);
    lua_rawset(L, SEEN);
    lua_pushvalue(L, -1);
    lua_rawseti(L, QUEUE, (int)d->count);
    d->is_full |= !note_block(d, address, type);
    return d->count;
}

/* -- text ------------------------------------------------------------------ */

/* Bytes that are not ASCII are the characters with their numbers. */
static void put_text(struct dump *d, const char *text, size_t size)
{
    fputc('"', d->out);
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];

        if (c == '"' || c == '\\')
            fputc('\\', d->out);
        if (c < 0x20 || c >= 0x7f)
            fprintf(d->out, "\\u%04x", c);
        else
            fputc(c, d->out);
    }
    fputc('"', d->out);
}

static void put_reference(struct dump *d, const char *name, uint32_t number)
{
    if (d->has_refs)
        fputc(',', d->out);
    d->has_refs = true;
    put_text(d, name, strlen(name));
    fprintf(d->out, ",%u", number);
}

/* Writes a reference to the value on top of the stack, if that is an object,
 * and pops it. */
__attribute__((format(printf, 3, 4))) static void
refer(struct dump *d, lua_State *L, const char *format, ...)
{
    char name[NAME_BYTES];
    bool is_new;
    va_list args;
    const int type = lua_type(L, -1);

    if (is_object(type)) {
        va_start(args, format);
        vsnprintf(name, sizeof(name), format, args);
        va_end(args);
        put_reference(d, name,
                      number_of(d, L, address_of(L, -1), type, &is_new));
    }
    lua_pop(L, 1);
}

static void begin_list(struct dump *d, const char *key)
{
    fprintf(d->out, ",\"%s\":[", key);
    d->has_refs = false;
}

/* Writes what is known of the object's block. */
static void put_block(struct dump *d, const struct memprof_vm_block *block)
{
    fprintf(d->out, ",\"address\":\"0x%llx\"",
            (unsigned long long)(uintptr_t)block->start);
    if (block->bytes == 0)
        return;
    fprintf(d->out, ",\"bytes\":%llu", block->bytes);
    if (block->accesses != 0)
        fprintf(d->out, ",\"accesses\":%llu", block->accesses);
    if (block->has_reads)
        fprintf(d->out, ",\"reads\":%llu", block->reads);
    if (block->has_idle)
        fprintf(d->out, ",\"idle_ns\":%llu", block->idle_ns);
    if (block->file != NULL) {
        char line[NAME_BYTES];

        snprintf(line, sizeof(line), "%s:%u", block->file, block->line);
        fputs(",\"made\":", d->out);
        put_text(d, line, strlen(line));
    }
}

/* -- references ------------------------------------------------------------ */

/* Which references of the table on top of the stack are weak: a string with 'k'
 * for its keys and 'v' for its values. */
static const char *weak_mode(lua_State *L)
{
    const char *mode = "";

    if (!lua_getmetatable(L, -1))
        return mode;
    lua_pushvalue(L, MODE);
    lua_rawget(L, -2);
    if (lua_type(L, -1) == LUA_TSTRING)
        mode = lua_tostring(L, -1);
    lua_pop(L, 2); /* the metatable keeps the string */
    return mode;
}

static bool is_identifier(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (c >= '0' && c <= '9' && i != 0)))
            return false;
    }
    return size != 0;
}

/* Name of the field whose key is at -2. */
static const char *field_name(lua_State *L, char *name)
{
    const int type = lua_type(L, -2);
    size_t size;
    const char *text;

    switch (type) {
    case LUA_TSTRING:
        text = lua_tolstring(L, -2, &size);
        if (is_identifier(text, size))
            snprintf(name, NAME_BYTES, ".%s", text);
        else
            snprintf(name, NAME_BYTES, "[\"%.*s\"]", NAME_BYTES - 6, text);
        break;
    case LUA_TNUMBER:
        snprintf(name, NAME_BYTES, "[%.14g]", (double)lua_tonumber(L, -2));
        break;
    case LUA_TBOOLEAN:
        snprintf(name, NAME_BYTES, "[%s]",
                 lua_toboolean(L, -2) ? "true" : "false");
        break;
    default:
        snprintf(name, NAME_BYTES, "[%s]", lua_typename(L, type));
    }
    return name;
}

/* Writes the weak or the strong ones among the table's fields. Strings are
 * values, which no weak table loses. */
static void put_fields(struct dump *d, lua_State *L, const char *mode,
                       bool is_weak)
{
    char name[NAME_BYTES];

    lua_pushnil(L);
    while (lua_next(L, OBJECT) != 0) {
        const bool is_weak_value =
            strchr(mode, 'v') != NULL && lua_type(L, -1) != LUA_TSTRING;
        const bool is_weak_key =
            strchr(mode, 'k') != NULL && lua_type(L, -2) != LUA_TSTRING;

        lua_pushvalue(L, -2);
        if (is_weak_key == is_weak)
            refer(d, L, "(key)");
        else
            lua_pop(L, 1);
        if (is_weak_value == is_weak && is_object(lua_type(L, -1)))
            refer(d, L, "%s", field_name(L, name));
        else
            lua_pop(L, 1);
    }
}

/* -- objects --------------------------------------------------------------- */

#ifdef HAS_UPVALUE_ID
/* A closure's variable that other closures may share. The queue gets the
 * function, with the number of the variable. */
static void put_shared_upvalue(struct dump *d, lua_State *L, int i)
{
    bool is_new;
    const uint32_t number = number_of(
        d, L, (uintptr_t)lua_upvalueid(L, OBJECT, i), LUA_TNONE, &is_new);
    char text[NAME_BYTES];

    if (is_new && number != 0) {
        lua_pushinteger(L, i);
        lua_rawseti(L, UPVALUES, (int)number);
    }
    snprintf(text, sizeof(text), "upvalue %s", lua_getupvalue(L, OBJECT, i));
    lua_pop(L, 1); /* its value */
    put_reference(d, text, number);
}
#endif

static void put_function(struct dump *d, lua_State *L)
{
    lua_Debug ar;

    lua_pushvalue(L, OBJECT);
    lua_getinfo(L, ">u", &ar);
    for (int i = 1; i <= ar.nups; i++) {
#ifdef HAS_UPVALUE_ID
        if (!lua_iscfunction(L, OBJECT)) {
            put_shared_upvalue(d, L, i);
            continue;
        }
#endif
        const char *const name = lua_getupvalue(L, OBJECT, i);

        if (name == NULL) /* Lua 5.1: stripped */
            break;
        if (name[0] != '\0')
            refer(d, L, "upvalue %s", name);
        else
            refer(d, L, "upvalue %d", i);
    }
}

/* Moves the value on top of the thread's stack to ours, and refers to it. */
static void refer_from(struct dump *d, lua_State *L, lua_State *thread,
                       const char *name, const lua_Debug *ar)
{
    if (thread != L)
        lua_xmove(thread, L, 1);
    if (ar->currentline > 0)
        refer(d, L, "%s at %s:%d", name, ar->short_src, ar->currentline);
    else
        refer(d, L, "%s", name);
}

static void put_frame(struct dump *d, lua_State *L, lua_State *thread,
                      lua_Debug *ar)
{
    const char *name;
    char text[NAME_BYTES];

    lua_getinfo(thread, "Slf", ar);
    refer_from(d, L, thread, "function", ar);
    for (int step = 1; step >= -1; step -= 2) { /* -1, -2, ...: varargs */
        for (int i = step; (name = lua_getlocal(thread, ar, i)) != NULL;
             i += step) {
            snprintf(text, sizeof(text), "local %s", name);
            refer_from(d, L, thread, text, ar);
        }
    }
}

static void put_thread(struct dump *d, lua_State *L)
{
    lua_State *const thread = lua_tothread(L, OBJECT);
    lua_Debug ar;

    memset(&ar, 0, sizeof(ar));
    if (!lua_checkstack(thread, 2)) {
        d->is_full = true;
        return;
    }
    if (thread != L && !lua_getstack(thread, 0, &ar)) { /* not begun, or over */
        for (int i = lua_gettop(thread); i > 0; i--) {
            lua_pushvalue(thread, i);
            refer_from(d, L, thread, "stack", &ar);
        }
    }
    for (int level = thread == L ? OWN_LEVELS : 0;
         lua_getstack(thread, level, &ar); level++)
        put_frame(d, L, thread, &ar);
}

static void put_attached(struct dump *d, lua_State *L, int type)
{
    if (lua_getmetatable(L, OBJECT))
        refer(d, L, "(metatable)");
#if LUA_VERSION_NUM >= 504
    if (type == LUA_TUSERDATA) {
        for (int i = 1; lua_getiuservalue(L, OBJECT, i) != LUA_TNONE; i++)
            refer(d, L, "user value %d", i);
        lua_pop(L, 1);
    }
#elif LUA_VERSION_NUM >= 502
    if (type == LUA_TUSERDATA) {
        lua_getuservalue(L, OBJECT);
        refer(d, L, "user value");
    }
#else
    if (type == LUA_TFUNCTION || type == LUA_TUSERDATA || type == LUA_TTHREAD) {
        lua_getfenv(L, OBJECT);
        refer(d, L, "environment");
    }
#endif
}

static void put_value(struct dump *d, lua_State *L, int type)
{
    size_t size;
    lua_Debug ar;

    if (type == LUA_TSTRING) {
        const char *const text = lua_tolstring(L, OBJECT, &size);

        fputs(",\"text\":", d->out);
        put_text(d, text, size < TEXT_BYTES ? size : TEXT_BYTES);
    } else if (type == LUA_TFUNCTION && !lua_iscfunction(L, OBJECT)) {
        char text[NAME_BYTES];

        lua_pushvalue(L, OBJECT);
        lua_getinfo(L, ">S", &ar);
        snprintf(text, sizeof(text), "%s:%d", ar.short_src, ar.linedefined);
        fputs(",\"text\":", d->out);
        put_text(d, text, strlen(text));
    }
}

/* Writes the row of the object at OBJECT. */
static void put_object(struct dump *d, lua_State *L,
                       const struct memprof_vm_block *block)
{
    const int type = lua_type(L, OBJECT);
    const char *mode = "";

    fprintf(d->out, ",\n{\"type\":\"%s\"",
            type == TYPE_CDATA           ? "cdata"
            : type != LUA_TFUNCTION      ? lua_typename(L, type)
            : lua_iscfunction(L, OBJECT) ? "C function"
                                         : "Lua function");
    put_block(d, block);
    put_value(d, L, type);
    if (type != LUA_TSTRING && type != TYPE_CDATA) {
        begin_list(d, "refs");
        put_attached(d, L, type);
        if (type == LUA_TTABLE)
            put_fields(d, L, mode = weak_mode(L), false);
        else if (type == LUA_TFUNCTION)
            put_function(d, L);
        else if (type == LUA_TTHREAD)
            put_thread(d, L);
        fputc(']', d->out);
    }
    if (strpbrk(mode, "kv") != NULL) {
        begin_list(d, "weak");
        put_fields(d, L, mode, true);
        fputc(']', d->out);
    }
    fputc('}', d->out);
}

#ifdef HAS_UPVALUE_ID
/* Writes the row of variable i of the function at OBJECT. */
static void put_upvalue(struct dump *d, lua_State *L, int i,
                        const struct memprof_vm_block *block)
{
    fputs(",\n{\"type\":\"upvalue\"", d->out);
    put_block(d, block);
    begin_list(d, "refs");
    lua_getupvalue(L, OBJECT, i);
    refer(d, L, "(value)");
    fputs("]}", d->out);
}
#endif

static void put_roots(struct dump *d, lua_State *L)
{
    fputs("{\"type\":\"root\"", d->out);
    begin_list(d, "refs");
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    refer(d, L, "registry");
    lua_pushthread(L);
    refer(d, L, "running coroutine");
    for (int type = 0; type < 4; type++) {
        static const char *const types[] = {"nil", "booleans", "numbers",
                                            "strings"};

        if (type == 0)
            lua_pushnil(L);
        else if (type == 1)
            lua_pushboolean(L, 0);
        else if (type == 2)
            lua_pushinteger(L, 0);
        else
            lua_pushvalue(L, MODE);
        if (lua_getmetatable(L, -1))
            refer(d, L, "metatable of %s", types[type]);
        lua_pop(L, 1);
    }
    fputs("]}", d->out);
}

/* -- the file -------------------------------------------------------------- */

/* The file's first line. What is known of a table that was made just now tells
 * whether the interpreter counts its accesses, and the profiler their times. */
static void put_head(const struct dump *d, lua_State *L)
{
    const unsigned long long used =
        (unsigned long long)lua_gc(L, LUA_GCCOUNT, 0) * 1024 +
        (unsigned long long)lua_gc(L, LUA_GCCOUNTB, 0);
    struct memprof_vm_block block = {.bytes = 0};

    (void)memprof_vm_block(d->pool, lua_topointer(L, QUEUE), &block);
    fprintf(d->out,
            "{\"MemprofObjects\":%d,\"machine\":\"%s\",\"used_bytes\":%llu,"
            "\"is_counted\":%s,\"objects\":[\n",
            block.has_idle ? 2 : 1,
#ifdef LUA_JITLIBNAME
            "LuaJIT",
#else
            LUA_VERSION,
#endif
            used, block.accesses != 0 ? "true" : "false");
}

/* A C function; its argument is the dump. Lua's errors leave it early. */
static int write_all(lua_State *L)
{
    struct dump *const d = (struct dump *)lua_touserdata(L, 1);

    lua_settop(L, 0);
    lua_newtable(L);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "__mode");
    put_head(d, L);
    put_roots(d, L);
    for (uint32_t i = 1; i <= d->count && !d->is_full; i++) {
        lua_settop(L, MODE);
        lua_rawgeti(L, QUEUE, (int)i);
#ifdef HAS_UPVALUE_ID
        lua_rawgeti(L, UPVALUES, (int)i);
        const int upvalue = (int)lua_tointeger(L, -1);
        lua_pop(L, 1);
        if (upvalue != 0) {
            put_upvalue(d, L, upvalue, &d->blocks[i - 1]);
            continue;
        }
#endif
        put_object(d, L, &d->blocks[i - 1]);
    }
    fputs("\n]}\n", d->out);
    return 0;
}

/* Pushes the reason if the file is not whole. */
static bool finish(struct dump *d, lua_State *L, int status)
{
    const bool is_bad = ferror(d->out) != 0;
    const bool is_closed = fclose(d->out) == 0;

    if (status == 0 && !d->is_full && !is_bad && is_closed)
        return true;
    const int error = errno;
    unlink(d->path);
    if (status == 0 && d->is_full)
        lua_pushliteral(L, "no memory");
    else if (status == 0)
        lua_pushfstring(L, "cannot write %s: %s", d->path, strerror(error));
    return false; /* or Lua's message is there */
}

bool memprof_lua_write_objects(lua_State *L, const char *path, const void *pool)
{
    struct dump d = {.path = path, .pool = pool, .out = fopen(path, "we")};

    if (d.out == NULL) {
        lua_pushfstring(L, "cannot write %s: %s", path, strerror(errno));
        return false;
    }
    lua_pushcfunction(L, write_all);
    lua_pushlightuserdata(L, &d);
    const bool is_done = finish(&d, L, lua_pcall(L, 1, 0, 0));
    free(d.blocks);
    return is_done;
}
