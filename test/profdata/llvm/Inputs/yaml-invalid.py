"""yaml-invalid.py MEMPROFDATA DIR -- texts that merge must refuse, each with one
line that holds the given words, in a second, and without an output."""
import os
import subprocess
import sys

tool, directory = sys.argv[1:]
HEAD = "---\nHeapProfileRecords:\n"
FRAME = "{ Function: 0x1, LineOffset: 1, Column: 1, IsInlineFrame: false }"
MIB = "{ AllocCount: 1 }"
SITE = "  - GUID: 0x1\n    AllocSites:\n      - Callstack: [ %s ]\n" \
       "        MemInfoBlock: %s\n"
ACCESS = "---\nDataAccessProfiles:\n  "

CASES = {
    "nothing": ("---\n---\n---\n", "not a profile"),
    "comments": ("---\n# HeapProfileRecords\n...\n", "the file is empty"),
    "scalar": ("---\nHeapProfileRecords\n", "line 2: a mapping is expected"),
    "unknown-key": (HEAD + "  - GUID: 0x1\n    Allocs: []\n",
                    "YAML at 0x2a: a value is not one that the format allows: "
                    "line 4: unknown key Allocs"),
    "top-key": ("---\nHeapProfileRecords: []\nMemprofProfile:\n",
                "line 3: unknown key MemprofProfile"),
    "other-yaml": ("---\nMemprofProfile:\n", "not a profile: unknown magic number: "
                   "it is YAML, but not of a memory profile"),
    "twice": ("---\nHeapProfileRecords: []\nHeapProfileRecords: []\n",
              "line 3: key HeapProfileRecords"),
    "no-guid": (HEAD + "  - AllocSites: []\n", "is missing: line 4: key GUID"),
    "decimal-guid": (HEAD + "  - GUID: 12\n",
                     "line 3: a function is a hexadecimal GUID or a name"),
    "bad-guid": (HEAD + "  - GUID: 0xfffffffffffffffff\n", "not a GUID"),
    "no-stack": (HEAD + "  - GUID: 0x1\n    AllocSites:\n"
                 "      - MemInfoBlock: {}\n", "key Callstack"),
    "no-column": (HEAD + SITE % ("{ Function: 0x1, LineOffset: 1, "
                                 "IsInlineFrame: false }", MIB), "key Column"),
    "bad-bool": (HEAD + SITE % (FRAME.replace("false", "2"), MIB),
                 "neither true nor false: 2"),
    "bad-number": (HEAD + SITE % (FRAME, "{ AllocCount: -1 }"),
                   "line 6: not a number: -1"),
    "large-number": (HEAD + SITE % (FRAME, "{ AllocCount: 1%s }" % ("0" * 30)),
                     "not a number: 1000"),
    "large-line": (HEAD + SITE % (FRAME.replace("1, C", "4294967296, C"), MIB),
                   "too large a number: 4294967296"),
    "unknown-field": (HEAD + SITE % (FRAME, "{ Blocks: 1 }"),
                      "unknown key Blocks"),
    "list-for-map": (HEAD + SITE % (FRAME, "[]"), "a mapping is expected"),
    "map-for-list": ("---\nHeapProfileRecords: {}\n", "a sequence is expected"),
    "syntax": (HEAD + "  - [", "line 3: a mapping is expected"),
    "open": (HEAD + "  - { GUID: 0x1", "line 4: did not find expected"),
    "tabs": (HEAD + "  - GUID: 0x1\n\tAllocSites: []\n",
             "line 4: did not find expected key"),
    "bytes": (HEAD + "  - GUID: \x01\n", "control characters are not allowed"),
    "anchor": (HEAD + "  - &a { GUID: 0x1 }\n  - *a\n",
               "line 4: aliases are not accepted"),
    "deep": (HEAD + "  " + "[" * 100000, "a mapping is expected"),
    "deep-keys": ("---\n# HeapProfileRecords\n" + "? " * 100000, "a key is expected"),
    "symbol-and-hash": (ACCESS + "SampledRecords: [{ Symbol: a, Hash: 1, "
                        "AccessCount: 1 }]\n", "a Symbol or a Hash"),
    "separator": (ACCESS + 'KnownColdSymbols: [ "a\\x01b" ]\n',
                  "a name with a control character"),
    "no-line": (ACCESS + "SampledRecords: [{ Symbol: a, AccessCount: 1, "
                "Locations: [{ FileName: x }] }]\n", "key Line"),
    "second": (HEAD + "  - GUID: 0x1\n...\n---\nHeapProfileRecords: []\n",
               "line 6: a second document; give each as a file of its own"),
    "second-other": (HEAD + "  - GUID: 0x1\n---\na\n",
                     "line 5: a second document"),
    "behind": (HEAD + "  - GUID: 0x1\n...\n}}}\n", "line 5: did not find"),
    "directives": ("---\n" + "".join("...\n%%TAG !e%d! !\n---\n" % i
                                     for i in range(200)) + HEAD,
                   "more than 100 lines begin with %"),
    "text-v1": ("---\nMemprofdataText: 1\nRuns:\n",
                "line 2: text of memprofdata's own is JSON now: make it again "
                "with merge --text"),
}

failed = []
for name, (text, words) in CASES.items():
    path = os.path.join(directory, name + ".yaml")
    out = os.path.join(directory, "out")
    with open(path, "w") as f:
        f.write(text)
    run = subprocess.run([tool, "merge", path, "-o", out], capture_output=True,
                         text=True, timeout=300)
    if (run.returncode != 1 or words not in run.stderr or
            run.stderr.count("\n") != 1 or os.path.exists(out) or
            not run.stderr.startswith("memprofdata: " + path)):
        failed.append("%s: %d %s" % (name, run.returncode, run.stderr))
print("\n".join(failed))
sys.exit(bool(failed))
