#!/usr/bin/env python3
"""jumps.py -- checks that a handler that leaves by siglongjmp() loses hardly more
counts than the interrupted functions had added before.

Compiles the loops of test/rt/handler_jumps.c with the plugin, the rest without.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
SOURCE = os.path.join(ROOT, "test", "rt", "handler_jumps.c")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--llvm-bin", "--llvm-build", "--memprofdata", "--work",
                   "--plugin"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    program = os.path.join(args.work, "jumps")
    clang = [os.path.join(args.llvm_bin, "clang"), "-O2", "-w",
             "-resource-dir=" + os.path.join(args.llvm_build, "resource")]
    subprocess.check_call([*clang, "-c", SOURCE, "-o", program + ".main.o"])
    subprocess.check_call([*clang, "-fmemory-profile", "-DKERNELS",
                           "-fpass-plugin=" + args.plugin, "-c", SOURCE,
                           "-o", program + ".kernels.o"])
    subprocess.check_call([*clang, "-fmemory-profile", "-pthread",
                           program + ".main.o", program + ".kernels.o",
                           "-o", program])
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ,
                                   MEMPROF_OPTIONS="dump_at_exit=0"))
    for line in done.stdout.splitlines():
        print(f"lost of what was merged: {line}")
    sys.exit(done.returncode != 0)


if __name__ == "__main__":
    main()
