"""json-invalid.py MEMPROFDATA DIR -- JSON that merge must refuse, each with one
line that holds the given words, in a second, and without an output."""
import os
import subprocess
import sys

tool, directory = sys.argv[1:]
HEAD = '{"MemprofProfile": 1,\n'
RUN = HEAD + '"Runs": [{%s}]}'
MIB = HEAD + '"Contexts": [{"Callstack": [], "MemInfoBlock": {%s}}]}'
HISTOGRAM = (HEAD + '"Contexts": [{"Callstack": [], "MemInfoBlock": '
             '{"AllocCount": 1, "AccessHistogramSize": 8}, "Histogram": %s}]}')
STRING = HEAD + '"Functions": [{"Name": %s}]}'

CASES = {
    "other": ('{"Runs": []}', "not a profile: unknown magic number: it is JSON, "
              "but not of a memory profile"),
    "later": ('{"MemprofProfile": 4}', "JSON at 0x14: this version of the format is "
              "not supported: line 1: version 4"),
    "version": ('{"MemprofProfile": "a"}', "not a whole number of 64 bits: a (key "
                "MemprofProfile)"),
    "version-twice": (HEAD + '"MemprofProfile": 1}', "line 2: key MemprofProfile"),
    "unknown-key": (HEAD + '"Stacks": []}', "line 2: unknown key Stacks"),
    "key-twice": (RUN % '"PID": 1,\n"PID": 2', "line 3: key PID"),
    "row-key": (RUN % '"PID": 1, "Pid": 2', "line 2: unknown key Pid"),
    "nul-key": (RUN % '"PID\\u0000": 1', "line 2: unknown key PID"),
    "field": (MIB % '"AllocCount": 1,\n"Blocks": 1', "line 3: unknown key Blocks"),
    "negative": (MIB % '"AllocCount": -1',
                 "line 2: not a whole number of 64 bits: -1 (key AllocCount)"),
    "fraction": (MIB % '"AllocCount": 1.5', "not a whole number of 64 bits: 1.5"),
    "exponent": (MIB % '"AllocCount": 1e3', "not a whole number of 64 bits: 1e3"),
    "65-bits": (MIB % '"AllocCount": 18446744073709551616',
                "not a whole number of 64 bits: 18446744073709551616"),
    "hex-65-bits": (RUN % '"RUN_ID": "0x10000000000000000"',
                    "not a whole number of 64 bits: 0x10000000000000000"),
    "octal": (MIB % '"AllocCount": 0644', "line 2: "),
    "digits": (RUN % '"PID": "12"', "not a whole number of 64 bits: 12"),
    "32-bits": (HEAD + '"Functions": [{"Line": 4294967296}]}',
                "too large a number: 4294967296 (key Line)"),
    "null": (RUN % '"PID": null', "line 2: a number is expected (key PID)"),
    "null-list": (HEAD + '"Runs": null}', "an array is expected (key Runs)"),
    "map-for-list": (HEAD + '"Runs": {}}', "an array is expected (key Runs)"),
    "list-for-map": (HEAD + '"Runs": [[]]}', "an object is expected (key Runs)"),
    "flag": (HEAD + '"Contexts": [{"Truncated": 1}]}',
             "true or false is expected (key Truncated)"),
    "string": (STRING % "7", "a string is expected (key Name)"),
    "hex": (STRING % '{"hex": "abc"}', "not hexadecimal digits"),
    "no-hex": (STRING % "{}", "key hex"),
    "other-hex": (STRING % '{"base64": ""}', "unknown key base64"),
    "build-id": (HEAD + '"Binaries": [{"BuildId": "xy"}]}',
                 "not hexadecimal digits (key BuildId)"),
    "bytes": (STRING % '"\xff"', "line 2: "),
    "control": (STRING % '"\x01"', "line 2: "),
    "reference": (HEAD + '"Frames": [{"Function": 0}]}',
                  "an entry refers to one that does not exist: line 2: number 0"),
    "histogram": (HEAD + '"Contexts": [{"Callstack": [], "MemInfoBlock": '
                  '{"AllocCount": 1, "AccessHistogramSize": 2}, "Histogram": [1]}]}',
                  "a histogram of another size"),
    "histogram-end": (HISTOGRAM % "[[0, 1, 1], [7, 1, 1]]", "a histogram of another size"),
    "histogram-order": (HISTOGRAM % "[[4, 1, 1], [5, 1]]",
                        "a run that starts before the end of the last one"),
    "histogram-first": (HISTOGRAM % "[[9223372036854775808, 1]]", "key Histogram"),
    "histogram-both": (HISTOGRAM % "[[0, 1], 1]", "a histogram of another size"),
    "counters": (HEAD + '"Counters": {"Version": 12, "Summary": "00"}}',
                 "the counters"),
    "no-table": (HEAD + '"Counters": {"Version": 12, "Summary": "%s"}}' % ("0" * 32),
                 "the counters"),
    "data-access": (HEAD + '"DataAccessProfiles": {"KnownColdSymbols": ["a"]}}',
                    "unknown key DataAccessProfiles"),
    "cut": (HEAD + '"Runs": [{"PID"', "JSON at 0x"),
    "after": (HEAD + '"Runs": []} {}', "in profile 2 of the file"),
    "comment": (HEAD + '/* none */ "Runs": []}', "line 2: "),
    "comma": (HEAD + '"Runs": [],}', "line 2: "),
    "deep": (HEAD + '"Runs": ' + "[" * 1000000, "an object is expected (key Runs)"),
    "deep-maps": (HEAD + '"Runs": ' + '[{"PID": ' + '{"PID": ' * 1000000,
                  "a number is expected (key PID)"),
    "long-key": (RUN % ('"%s": 1' % ("P" * 1000000)), "unknown key PPPP"),
}

failed = []
for name, (text, words) in CASES.items():
    path = os.path.join(directory, name + ".json")
    out = os.path.join(directory, "out")
    with open(path, "wb") as f:
        f.write(text.encode("latin-1"))
    run = subprocess.run([tool, "merge", path, "-o", out], capture_output=True,
                         text=True, timeout=300)
    if (run.returncode != 1 or words not in run.stderr or
            run.stderr.count("\n") != 1 or os.path.exists(out) or
            not run.stderr.startswith("memprofdata: " + path)):
        failed.append("%s: %d %s" % (name, run.returncode, run.stderr))
print("\n".join(failed))
sys.exit(bool(failed))
