"""cmocka_format.py -- runs built cmocka programs as lit tests.

A module of its own, because lit hands tests to its workers by name.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import subprocess

import lit.formats
import lit.Test

# A unit test takes seconds; one that hangs must not hang the run.
TIMEOUT_S = 600


class CmockaFormat(lit.formats.FileBasedTest):
    """<name>_test.c stands for the program <directory>/<name>_test."""

    def __init__(self, directory, root):
        self.directory = directory
        self.root = root

    def execute(self, test, lit_config):
        inside = os.path.relpath(
            test.getSourcePath(), os.path.join(self.root, "test", "unit"))
        name = os.path.splitext(inside)[0]
        program = os.path.join(self.directory, name)
        if not os.path.exists(program):
            return lit.Test.UNRESOLVED, "not built: " + program
        try:
            done = subprocess.run(
                [program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=TIMEOUT_S, cwd=self.directory,
                env=dict(os.environ, MEMPROF_TEST_ROOT=self.root))
        except subprocess.TimeoutExpired:
            return lit.Test.TIMEOUT, f"{name}: no end after {TIMEOUT_S} s"
        text = done.stdout.decode(errors="replace")
        return (lit.Test.PASS if done.returncode == 0 else lit.Test.FAIL), text
