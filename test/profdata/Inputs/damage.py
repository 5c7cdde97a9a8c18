"""Feeds damaged copies of an LLVM raw profile to show and merge: each must end by
itself, with exit code 1, one line on stderr that names the file and holds the
given text, nothing on stdout and no output file."""
import os
import struct
import subprocess
import sys

tool, raw_path, binary, directory = sys.argv[1:]
with open(raw_path, "rb") as f:
    RAW = f.read()
SEGMENTS, MIBS, STACKS = struct.unpack_from("<3Q", RAW, 24)


def patch(offset, *values):
    data = bytearray(RAW)
    struct.pack_into("<%dQ" % len(values), data, offset, *values)
    return bytes(data)


BIG = 1 << 63
CASES = {
    "empty": (b"", "the file is empty"),
    "zeros": (bytes(64), "unknown magic number"),
    "short": (RAW[:20], "LLVM raw header at 0x10: the data ends too early"),
    "cut": (RAW[:-8], "LLVM raw header at 0x10: the data ends too early"),
    "version-1": (patch(8, 1), "version 1; versions 3 to 5 are read"),
    "version-2": (patch(8, 2), "LLVM raw header at 0x8: this version"),
    "version-6": (patch(8, 6), "version 6; versions 3 to 5 are read"),
    "size-0": (patch(16, 0), "a dump of 0 bytes"),
    "size-small": (patch(16, 40), "a dump of 40 bytes"),
    "size-odd": (patch(16, len(RAW) - 1), "a value is not one"),
    "size-huge": (patch(16, BIG), "LLVM raw header at 0x10"),
    "segments-off": (patch(24, BIG), "LLVM raw segments"),
    "mibs-off": (patch(32, BIG), "LLVM raw MIBs"),
    "stacks-off": (patch(40, BIG), "LLVM raw stacks"),
    "mibs-off-wrong": (patch(32, MIBS + 4), "LLVM raw MIBs"),
    "stacks-off-wrong": (patch(40, STACKS - 8), "LLVM raw"),
    "segment-count": (patch(SEGMENTS, BIG), "LLVM raw segments"),
    "segment-end": (patch(SEGMENTS + 16, 0), "LLVM raw segments at 0x%x"
                    % (SEGMENTS + 8)),
    "build-id-size": (patch(SEGMENTS + 32, 33), "LLVM raw segments"),
    "mib-count": (patch(MIBS, BIG), "LLVM raw MIBs"),
    "mib-count-more": (patch(MIBS, 500), "LLVM raw MIBs"),
    "mib-id": (patch(MIBS + 8, 77), "no stack with id 77"),
    "histogram-size": (patch(MIBS + 16 + 132, BIG - 1), "LLVM raw MIBs"),
    "stack-count": (patch(STACKS, BIG), "LLVM raw stacks"),
    "stack-length": (patch(STACKS + 16, BIG), "LLVM raw stacks"),
    "stack-twice": (patch(STACKS, 1 << 32), "LLVM raw stacks"),
    "elf": (open(binary, "rb").read(), "it is an ELF file"),
    "instr": (b"\x81rforpl\xff" + bytes(100), "it is a raw PGO profile"),
}

# What stands before the damage is used, and the rest is said.
REST = {
    "trailing": (RAW + bytes(48), "LLVM raw header at 0x%x: not a profile"
                 % len(RAW)),
    "trailing-byte": (RAW + b"\n", "LLVM raw header at 0x%x: the data ends"
                      % len(RAW)),
    "second-cut": (RAW + RAW[:-8], "LLVM raw header at 0x%x: the data ends"
                   % (len(RAW) + 16)),
}

def outcomes(name, data):
    """What each command makes of a file: arguments, what ran, whether it wrote."""
    path = os.path.join(directory, name)
    output = os.path.join(directory, "out")
    with open(path, "wb") as f:
        f.write(data)
    for args in (["show"], ["merge", "-o", output]):
        run = subprocess.run(
            [tool, *args, "--profiled-binary=" + binary, path],
            capture_output=True, text=True, timeout=300)
        has_output = os.path.exists(output)
        if has_output:
            os.remove(output)
        yield args, run, has_output


def is_used(run, has_output, words):
    return (run.returncode == 0 and words in run.stderr
            and run.stderr.endswith("; the 1 dump before it is used\n")
            and run.stderr.count("\n") == 1 and bool(run.stdout) != has_output)


def is_refused(run, has_output, words):
    return (run.returncode == 1 and words in run.stderr
            and run.stderr.count("\n") == 1 and not run.stdout
            and run.stderr.startswith("memprofdata: " + directory)
            and not has_output)


failed = 0
for cases, is_right in ((REST, is_used), (CASES, is_refused)):
    for name, (data, words) in cases.items():
        for args, run, has_output in outcomes(name, data):
            if not is_right(run, has_output, words):
                failed += 1
                print(name, args, run.returncode, run.stderr, run.stdout[:200])
sys.exit(failed != 0)
