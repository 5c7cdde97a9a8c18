"""A changed byte anywhere but in padding: `check` says so in one line."""
import random
import struct
import subprocess
import sys

ENTRY = struct.Struct("<IIQQQQ")
# That a file may have, each with up to seven bytes behind it.
SECTIONS_MAX = 36


def find_padding(data):
    """What neither the directory nor a section of ours holds."""
    at = 0
    held = set()
    if data[-8:] == bytes.fromhex("8d6d70696478") + b"\r\n":
        at = struct.unpack_from("<Q", data, len(data) - 16)[0]
        held.update(range(len(data) - 16, len(data)))
    count = struct.unpack_from("<I", data, at + 12)[0]
    held.update(range(at, at + 32 + count * ENTRY.size))
    for i in range(count):
        _, _, start, size, _, _ = ENTRY.unpack_from(data, at + 32 + i * ENTRY.size)
        held.update(range(start, start + size))
    return set(range(len(data))) - held


tool, *paths = sys.argv[1:]
random.seed(7)
failed = 0
for path in paths:
    with open(path, "rb") as f:
        good = f.read()
    padding = find_padding(good)
    if len(padding) > 7 * SECTIONS_MAX:
        sys.exit(f"{path}: {len(padding)} bytes of padding")
    for at in random.sample(sorted(set(range(len(good))) - padding), 60):
        bad = bytearray(good)
        bad[at] ^= 1 << random.randrange(8)
        run = subprocess.run([tool, "check", "-"], input=bytes(bad),
                             capture_output=True)
        if run.returncode != 1 or run.stderr.count(b"\n") != 1:
            failed += 1
            print(path, at, run.returncode, run.stderr)
sys.exit(failed != 0)
