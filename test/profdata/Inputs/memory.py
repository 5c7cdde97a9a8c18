"""memory.py FILE COMMAND...: runs the command, which may take 32 times the size of FILE
and 64 MiB of memory."""
import os
import resource
import subprocess
import sys

path, *command = sys.argv[1:]
allowed = 32 * os.path.getsize(path) + (64 << 20)
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
if taken > allowed:
    sys.exit(f"{command}: {taken} bytes of memory, {allowed} are allowed")
