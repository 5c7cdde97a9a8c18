"""deep.py FORM FRAMES: a profile as text with one call stack of so many frames."""
import sys

form, frames = sys.argv[1], int(sys.argv[2])
if form == "json":
    print("""{
"MemprofProfile": 1,
"Functions": [{ "Name": "f" }],
"Frames": [{ "Function": 0, "Line": 1 }],
"Contexts": [
  { "Callstack": [%s],
    "MemInfoBlock": { "AllocCount": 1, "TotalSize": 8 } }
]}""" % ", ".join(["0"] * frames))
else:
    frame = "{ Function: f, LineOffset: 1, Column: 1, IsInlineFrame: false }"
    print("""---
HeapProfileRecords:
  - GUID: f
    AllocSites:
      - Callstack: [%s]
        MemInfoBlock: { AllocCount: 1, TotalSize: 8 }
...""" % ", ".join([frame] * frames))
