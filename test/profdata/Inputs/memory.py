"""memory.py FILE COMMAND...: runs the command, which may take 32 times the size of FILE
and 64 MiB of memory. An output is not asked about where the file system has no files
without a name: there it is in memory."""
import os
import resource
import subprocess
import sys


def has_unnamed_files(path):
    if path == os.devnull:
        return True
    try:
        fd = os.open(os.path.dirname(path), os.O_TMPFILE | os.O_RDWR)
        os.posix_fallocate(fd, 0, 1)
        os.close(fd)
    except OSError:
        return False
    return True


path, *command = sys.argv[1:]
allowed = 32 * os.path.getsize(path) + (64 << 20)
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
if taken > allowed and ("/" not in command[-1] or has_unnamed_files(command[-1])):
    sys.exit(f"{command}: {taken} bytes of memory, {allowed} are allowed")
