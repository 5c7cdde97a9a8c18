"""read_fifo.py FIFO OUT PROGRAM -- writes to the file OUT what PROGRAM writes to FIFO,
which is open for reading before the program starts."""
import os
import subprocess
import sys

fifo, out, program = sys.argv[1:]
fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
os.set_blocking(fd, True)
# A small profile fits in the pipe.
status = subprocess.run([program]).returncode
with open(fd, "rb") as pipe, open(out, "wb") as file:
    file.write(pipe.read())
sys.exit(status)
