"""damage-cache.py -- a damaged cache of symbols must not be seen in the output.

usage: damage-cache.py CACHE EXPECTED OUTPUT COMMAND...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import subprocess
import sys

cache, expected, output = map(pathlib.Path, sys.argv[1:4])
whole = cache.read_bytes()


def cases():
    for off in (0, 8, 12, 20, 40, 60, len(whole) // 2, len(whole) - 2):
        yield f"byte {off}", (whole[:off] + bytes([whole[off] ^ 0x55]) +
                              whole[off + 1:])
    for size in (0, 1, 31, len(whole) // 2, len(whole) - 1):
        yield f"{size} bytes", whole[:size]
    yield "another version", whole[:6] + b"3" + whole[7:]
    yield "text", b"not a cache\n"


for name, content in cases():
    cache.write_bytes(content)
    output.unlink(missing_ok=True)
    done = subprocess.run(sys.argv[4:], stderr=subprocess.PIPE)
    if done.returncode != 0 or done.stderr != b"":
        sys.exit(f"{name}: status {done.returncode}: {done.stderr!r}")
    if output.read_bytes() != expected.read_bytes():
        sys.exit(f"{name}: the output differs")
    # A record with another key is kept behind the new one.
    if not cache.read_bytes().startswith(whole):
        sys.exit(f"{name}: the cache was not made anew")
