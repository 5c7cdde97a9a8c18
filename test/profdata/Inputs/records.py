"""records.py FILE... -- writes each file as a length-prefixed record, as docs/fleet.md has it."""
import sys

for path in sys.argv[1:]:
    with open(path, "rb") as f:
        profile = f.read()
    sys.stdout.buffer.write(b"\x8dmprec\r\n" + len(profile).to_bytes(8, "little") + profile)
