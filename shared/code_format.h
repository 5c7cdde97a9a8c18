/* code_format.h -- the section of an object, program or library that says which
 * code counts its accesses. The plugin has the code generator write it;
 * `memprofdata` reads it; the program and the runtime do not. The linker keeps
 * a record for as long as it keeps the function, and `strip` keeps them all.
 *
 *   each record   start i32 (MPROF_CODE_SECTION) or
 *                       i64 (MPROF_CODE_SECTION_WIDE: code models medium,
 * large) bytes uleb128
 *
 * Start: where the function begins, relative to the record. Bytes: its size.
 * Parts that the code generator moves away from the function are not in it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_CODE_FORMAT_H
#define MPROF_CODE_FORMAT_H

#define MPROF_CODE_SECTION "memprof_code"
#define MPROF_CODE_SECTION_WIDE "memprof_code_wide"
/* Behind the section in LLVM's metadata: numbers are uleb128. */
#define MPROF_CODE_IR_OPTION "!C"

/* How the names of the plugin's constructors, and of LLVM's, begin. */
#define MPROF_CODE_CTOR_PREFIX "memprof."

/* What the sections of the runtime's own code begin with (rt/build.mk), and
 * those of the system's in a static program (rt/real/libc_code.ld). */
#define MPROF_CODE_RUNTIME_PREFIX "mprt_"
#define MPROF_CODE_SYSTEM_PREFIX "memprof_"

#endif
