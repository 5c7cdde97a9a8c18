"""on_terminal.py -- runs a command whose standard output is a terminal, and copies what
comes there.

usage: on_terminal.py COMMAND...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=theirs)
os.close(theirs)
while True:
    try:
        text = os.read(ours, 65536)
    except OSError:   # nobody has the terminal open any more
        break
    if not text:
        break
    os.write(1, text.replace(b"\r\n", b"\n"))
sys.exit(child.wait())
