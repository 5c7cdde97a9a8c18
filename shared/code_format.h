/* code_format.h -- the section of an object, program or library that says which
 * code counts its accesses. The plugin has the code generator write it;
 * `memprofdata` reads it; the program and the runtime do not. The linker keeps
 * a record for as long as it keeps the function, and `strip` keeps them all.
 *
 * A record:
 *
 *   start   i32 in MPROF_CODE_SECTION; i64 in MPROF_CODE_SECTION_WIDE, which
 *           the code models medium and large use
 *   bytes   uleb128
 *
 * Start is the address of the function minus the address of the record, bytes
 * the function's size. Parts that the code generator moves away from the
 * function (".cold") have no record.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_CODE_FORMAT_H
#define MPROF_CODE_FORMAT_H

#define MPROF_CODE_SECTION "memprof_code"
#define MPROF_CODE_SECTION_WIDE "memprof_code_wide"
/* Follows the section's name in LLVM's metadata: numbers are uleb128. */
#define MPROF_CODE_IR_OPTION "!C"

/* How the names of the plugin's constructors, and of LLVM's, begin. */
#define MPROF_CODE_CTOR_PREFIX "memprof."

/* What the sections of the runtime's own code begin with (rt/build.mk), and
 * those of the system's in a static program (rt/real/libc_code.ld). */
#define MPROF_CODE_RUNTIME_PREFIX "mprt_"
#define MPROF_CODE_SYSTEM_PREFIX "memprof_"

#endif
