"""deep.py FRAMES: a profile as JSON with one call stack of so many frames."""
import sys

print("""{
"MemprofProfile": 1,
"Functions": [{ "Name": "f" }],
"Frames": [{ "Function": 0, "Line": 1 }],
"Contexts": [
  { "Callstack": [%s],
    "MemInfoBlock": { "AllocCount": 1, "TotalSize": 8 } }
]}""" % ", ".join(["0"] * int(sys.argv[1])))
