"""core_file.py CORE -- prints which of the program's blocks a core file of core_file.c
contains."""
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read(1 << 30)
small, large = (bytes(c + 1 for c in text) for text in (b"SMALL-BL", b"LARGE-BL"))
print("small block %d, large block %d" % (data.count(small), data.count(large)))
print("size below 64 MiB" if len(data) < 64 << 20 else "size %d" % len(data))
