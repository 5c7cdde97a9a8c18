/* code_format.h -- the ELF section of an object or binary that lists the
 * instrumented functions. The plugin lets the code generator write it, and only
 * `memprofdata` reads it. The linker keeps a record if it keeps the function;
 * `strip` keeps all records.
 *
 * A record:
 *
 *   start   i32 in MPROF_CODE_SECTION; i64 in MPROF_CODE_SECTION_WIDE, which
 *           the code models medium and large use
 *   bytes   uleb128
 *
 * start: the address of the function minus the address of the record
 * bytes: size of the function. Parts that the code generator moves away from
 * the function (".cold") have no record.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#define MPROF_CODE_SECTION "memprof_code"
#define MPROF_CODE_SECTION_WIDE "memprof_code_wide"
/* Suffix of the section's name in LLVM's !pcsections metadata: numbers are
 * encoded as uleb128. */
#define MPROF_CODE_IR_OPTION "!C"

/* Prefix of the names of the plugin's and of LLVM's constructors. */
#define MPROF_CODE_CTOR_PREFIX "memprof."

/* Prefixes of code sections: of the runtime (rt/build.mk), and of the system's
 * libraries in a static program (rt/real/libc_code.ld). */
#define MPROF_CODE_RUNTIME_PREFIX "mprt_"
#define MPROF_CODE_SYSTEM_PREFIX "memprof_"
