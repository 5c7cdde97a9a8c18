#!/usr/bin/env python3
"""hostile-names.py -- a profile of functions with names that end a demangler, between
others.

usage: hostile-names.py > PROFILE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json

# A pointer to a pointer to ...: each one a call deeper.
DEEP = "_Z4deep" + "P" * 200000 + "i"
# Each argument has the one before it twice.
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LARGE = "_Z5large1AIiiE" + "".join(f"S_IS{d}_S{d}_E" for d in DIGITS)
NAMES = ["_Z5firsti", DEEP, "_Z6middlei", LARGE, "_Z4lasti"]

print(json.dumps({
    "MemprofProfile": 1,
    "Functions": [{"Name": name, "Guid": hex(i + 1)} for i, name in enumerate(NAMES)],
    "Frames": [{"Function": i, "Line": 1} for i in range(len(NAMES))],
    "Contexts": [{"Callstack": list(range(len(NAMES))),
                  "MemInfoBlock": {"AllocCount": 1, "TotalSize": 64}}]}))
