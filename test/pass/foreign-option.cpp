// If another plugin has defined options with our names and other types, ours are
// neither read nor set, and the defaults apply.
// RUN: c++ -shared -fPIC $($(dirname %opt)/llvm-config --cxxflags) -w -o %t.so %s
// RUN: %opt -load-pass-plugin=%plugin -passes=memprof-instrument -S %p/basic.ll -o %t.ll
// RUN: %opt -load=%t.so -load-pass-plugin=%plugin -passes=memprof-instrument -S %p/basic.ll | diff %t.ll -
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-merge=none not %opt -load=%t.so -load-pass-plugin=%plugin -passes=memprof-instrument -S %p/basic.ll 2>&1 | FileCheck %s
// CHECK: error: memprof: MEMPROF_PASS_OPTIONS: 'none' is not a value of option '-memprof-merge'
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<bool> merge("memprof-merge");
static cl::opt<std::string> cell_bits("memprof-histogram-cell-bits",
                                      cl::init("48"));
static cl::opt<unsigned> atomic("memprof-atomic", cl::init(1));
