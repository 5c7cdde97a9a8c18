/* control.h -- the control socket (MEMPROF_OPTIONS=control=PATH) as the runtime
 * and memprofdata know it. docs/control.md describes the lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Version of the protocol: a new command leaves it, an answer that old clients
 * misread raises it. */
#define MPROF_CONTROL_VERSION 1
/* A command without its newline; an answer with it has at most 4 KiB more. */
#define MPROF_CONTROL_LINE_MAX 4096
#define MPROF_CONTROL_ANSWER_MAX 8192
#define MPROF_CONTROL_OK "ok"
#define MPROF_CONTROL_ERROR "error"

/* The option's value: a path behind this prefix, which may be missing; or a
 * directory, where the name of the socket is memprof.PID.sock. */
#define MPROF_CONTROL_UNIX "unix:"
#define MPROF_CONTROL_NAME "memprof."
#define MPROF_CONTROL_SUFFIX ".sock"
