"""flip.py FILE OFFSET -- inverts a byte.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

path, at = pathlib.Path(sys.argv[1]), int(sys.argv[2])
data = bytearray(path.read_bytes())
data[at] ^= 0xff
path.write_bytes(data)
