#!/usr/bin/env python3
"""peak.py -- runs a command, and fails if it, or a process that it waits for, ever uses
more memory (touched pages) than allowed.

usage: peak.py MIB COMMAND...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
if peak > int(sys.argv[1]):
    sys.exit("%d MiB, more than %s: %s" % (peak, sys.argv[1], " ".join(sys.argv[2:])))
sys.exit(status)
