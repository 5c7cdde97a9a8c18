"""yaml-forms.py MEMPROFDATA LLVM-PROFDATA DIR -- YAML in many forms: what llvm-profdata
reads, merge reads, and makes the same of it."""
import os
import subprocess
import sys

tool, theirs, directory = sys.argv[1:]
BASE = """---
HeapProfileRecords:
  - GUID: 0x10
    AllocSites:
      - Callstack:
          - { Function: 0x10, LineOffset: 1, Column: 2, IsInlineFrame: false }
        MemInfoBlock:
          AllocCount: 1
          TotalSize: '400'
    CallSites:
      - Frames:
        - { Function: 0x20, LineOffset: 1, Column: 2, IsInlineFrame: false }
        CalleeGuids: [ 0x100, 0x200 ]
DataAccessProfiles:
  KnownColdSymbols:
    - foo
    - "bar"
  KnownColdStrHashes: [ 999, 1001 ]
...
"""


def put(old, new):
    assert old in BASE, old
    return BASE.replace(old, new, 1)


lines = BASE.splitlines()
# Those that llvm-profdata must read, so that something is compared.
read = {
    "plain": BASE,
    "tab before a comment": put("AllocCount: 1", "AllocCount: 1\t# one"),
    "tab after a list's name": put("Callstack:", "Callstack:\t# the leaf first"),
    "tab in an item": put("- Callstack", "-\tCallstack"),
    "tab at the end": put("...", "\t\n..."),
    "tabs as columns": put("      - Frames", "\t\t\t\t\t\t- Frames"),
    "tab in a name": put("- foo", "- fo\to"),
    "tab in a quoted name": put('"bar"', '"-\tbar"'),
    "anchor of a mapping": put("- GUID", "- &a GUID"),
    "anchor of a scalar": put("GUID: 0x10", "GUID: &a 0x10"),
    "anchor of a list": put("Callstack:", "Callstack: &stack"),
    "anchor of a document": put("---", "--- &all"),
    "tag of a scalar": put("AllocCount: 1", "AllocCount: !!int 1"),
    "tag of ours": put("GUID: 0x10", "GUID: !guid 0x10"),
    "tag of a mapping": put("MemInfoBlock:", "MemInfoBlock: !!map"),
    "explicit key": put("AllocCount: 1", "? AllocCount\n          : 1"),
    "returns": BASE.replace("\n", "\r\n"),
}
for word in ("", "null", "Null", "NULL", "~", '"null"', "'NULL'", '"~"', "|-\n          Null"):
    read["a list that is %r" % word] = put("[ 0x100, 0x200 ]", word)
refused = [put("[ 0x100, 0x200 ]", word)
           for word in ("nUll", '""', "'null '", "|\n          null", "{}")]
refused.append(put("\n          AllocCount: 1\n          TotalSize: '400'", " 'null'"))
# Whether it reads these depends on what stands before.
others = {"alias": put("GUID: 0x10", "GUID: &a 0x10").replace("Function: 0x20",
                                                             "Function: *a")}
for i in range(1, len(lines)):
    for line in ("\t", "  \t # c"):
        others["%r before line %d" % (line, i + 1)] = "\n".join(
            lines[:i] + [line] + lines[i:]) + "\n"


def run(command, text, name):
    path = os.path.join(directory, "in.yaml")
    out = os.path.join(directory, name)
    with open(path, "w", newline="") as f:
        f.write(text)
    merge = subprocess.run([command, "merge", "--memprof-version=4", path, "-o", out],
                           capture_output=True)
    if merge.returncode != 0:
        return None
    return subprocess.run([theirs, "show", "--memory", out],
                          capture_output=True, check=True).stdout


bad = 0
compared = 0
for name, text in {**read, **others}.items():
    want = run(theirs, text, "theirs")
    if want is None:
        if name in read:
            print("%s: llvm-profdata does not read it" % name)
            bad += 1
        continue
    compared += 1
    if run(tool, text, "ours") != want:
        print("%s: not the same" % name)
        bad += 1
if compared < len(read) + len(lines):
    print("only %d compared" % compared)
    bad += 1
for text in refused:
    if run(tool, text, "ours") is not None or run(theirs, text, "theirs") is not None:
        print("this was read:\n" + text)
        bad += 1
if run(tool, others["alias"], "ours") is not None:
    print("an alias was read")
    bad += 1
sys.exit(bad != 0)
