"""hostile-exports.py -- a profile whose names and paths look like lines of other tools'
formats, with as many blocks as is asked for.

usage: hostile-exports.py [BLOCKS] > PROFILE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

NAMES = ["main", "even\n(2) \"x\" (y)", "fn=(9) fake", "calls=3 4", "   ", "\t\n",
         {"hex": "ff28fe290a2b2031"}, "n3: 5 0x1: foo", "+ 1\n- 1", "# comment", "17 100 100",
         "a;b,c:d", "(1)", "totals: 5", "snapshot=7", "%s%n$x`", "x" * 5000]
PATHS = ["/src/a\nfl=(3) b.c", "   ", {"hex": "2fff2e63"}, "/src/n1: 5.c", ""]

blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 3
functions = [{"Name": name, "Guid": hex(i + 1)} for i, name in enumerate(NAMES)]
frames = []
for i, _ in enumerate(NAMES):
    frame = {"Function": i, "Line": i}
    if PATHS[i % len(PATHS)]:
        frame["File"] = PATHS[i % len(PATHS)]
    frames.append(frame)
frames.append({"Binary": 0, "Address": "0x1234"})
contexts = []
for i in range(len(frames)):
    live = i % 3
    contexts.append({
        "Callstack": [i, (i * 7) % len(frames), i, 0],
        "MemInfoBlock": {"AllocCount": blocks + live, "TotalSize": 100 * blocks + 17 * live,
                         "MinSize": 1, "MaxSize": 199,
                         "LiveCount": live, "LiveBytes": 17 * live}})
contexts.append({"Callstack": [], "MemInfoBlock": {
    "AllocCount": 2, "TotalSize": 9, "MinSize": 4, "MaxSize": 5, "LiveCount": 1,
    "LiveBytes": 4}})
print(json.dumps({
    "MemprofProfile": 1,
    "Runs": [{"RUN_ID": "0x1", "COUNT": 1, "EXECUTABLE": "/bin/a\nb", "DUMP": 1,
              "LIVE": 1, "DURATION_NS": 5000000}],
    "Binaries": [{"Path": "/lib/x (y)\n.so", "BuildId": "01"}],
    "Functions": functions, "Frames": frames, "Contexts": contexts}))
