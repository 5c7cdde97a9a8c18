/* objects.h -- writes the objects of a state to a file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <lua.h>

#include <stdbool.h>

/* Writes the objects of L's state to the file `path`, in the format of
 * docs/objects.md. pool: where the state's blocks are (memprof_pool_alloc()),
 * or NULL: on the heap. Returns false and pushes the reason if that fails. Runs
 * no code of the script. Call it from a C function with room for two values. */
bool memprof_lua_write_objects(lua_State *L, const char *path,
                               const void *pool);
