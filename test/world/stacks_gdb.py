"""stacks_gdb.py -- in gdb: compares the call stacks that the runtime walks with gdb's.

stacks.py runs it and sets the environment: STACKS_MAX, the number of calls to compare,
after STACKS_SKIP others; STACKS_ENV, a variable for the program; STACKS_OUT, the file
for the result.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os

import gdb

MAX = int(os.environ["STACKS_MAX"])
OUT = os.environ["STACKS_OUT"]
SKIP = int(os.environ["STACKS_SKIP"])
WORD = 8
# Outside of these stand arguments, which gdb takes for return addresses.
OUTERMOST = ("_start", "_dl_start_user")
result = {"stacks": 0, "frames": 0, "equal": 0, "signals": 0, "depth": 0,
          "differences": {}}


def walked():
    """What the runtime walked: mprt_depot_put_of(thread, pcs, count, truncated)."""
    frame = gdb.selected_frame()
    start, count = (int(frame.read_register(r)) & (1 << 64) - 1 for r in ("rsi", "rdx"))
    memory = gdb.selected_inferior().read_memory(start, count * WORD).tobytes()
    return [int.from_bytes(memory[i:i + WORD], "little")
            for i in range(0, len(memory), WORD)], int(frame.read_register("cl")) != 0


def is_runtime(pc):
    name = gdb.solib_name(pc)
    return name is not None and "memprof" in name


def expected():
    """Addresses that gdb has, in the form of the runtime: return address - 1, and
    what a signal interrupted as it is; and how many signals are among them."""
    stack = []
    signals = 0
    frame = gdb.selected_frame().older()
    is_interrupted = False
    while frame is not None:
        pc = frame.pc()
        is_outermost = frame.name() in OUTERMOST
        # Those that are on the stack: no function that was inlined, whose frame
        # follows; none that jumped to the next one, which gdb concludes of debug
        # information; nothing outside of the outermost one.
        if frame.type() in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            frame = frame.older()
            continue
        if frame.type() == gdb.SIGTRAMP_FRAME:
            signals += 1
            stack.append({pc, pc - 1})
        elif not is_runtime(pc):
            stack.append({pc, pc - 1} if is_interrupted else {pc - 1})
        is_interrupted = frame.type() == gdb.SIGTRAMP_FRAME
        frame = None if is_outermost else frame.older()
    return stack, signals


def name_of(pc):
    solib = gdb.solib_name(pc) or "program"
    block = gdb.lookup_minimal_symbol(pc) if hasattr(gdb, "lookup_minimal_symbol") else None
    text = gdb.execute(f"info symbol {pc}", to_string=True).split(" in section")[0]
    return f"{os.path.basename(solib)}: {block or text.strip()}"


def compare():
    ours, truncated = walked()
    theirs, signals = expected()
    if truncated:
        theirs = theirs[:len(ours)]
    result["stacks"] += 1
    result["signals"] += signals != 0
    result["depth"] = max(result["depth"], len(theirs))
    result["frames"] += max(len(ours), len(theirs))
    equal = 0
    while equal < min(len(ours), len(theirs)) and ours[equal] in theirs[equal]:
        equal += 1
    result["equal"] += equal
    if equal == len(ours) == len(theirs):
        return
    above = name_of(ours[equal - 1]) if equal else "nothing"
    we = name_of(ours[equal]) if equal < len(ours) else "the end"
    they = name_of(min(theirs[equal])) if equal < len(theirs) else "the end"
    text = f"after {above}: we have {we}, gdb has {they}"
    lost = max(len(ours), len(theirs)) - equal
    old = result["differences"].setdefault(text, [0, 0])
    old[0] += 1
    old[1] += lost


class Record(gdb.Breakpoint):
    skipped = 0

    def stop(self):
        if self.skipped < SKIP:
            self.skipped += 1
            return False
        compare()
        return result["stacks"] >= MAX


for setting in ("pagination off", "confirm off", "backtrace past-main on",
                "backtrace past-entry on", "backtrace limit unlimited",
                "breakpoint pending on", "startup-with-shell off",
                "print thread-events off", "auto-load safe-path /",
                "debuginfod enabled off"):
    gdb.execute("set " + setting)
gdb.execute("handle SIGALRM SIGUSR1 SIGPROF SIGCHLD nostop noprint pass")
gdb.execute("set environment MEMPROF_OPTIONS="
            "per_thread=1:malloc_context_size=256:log_path=/dev/null")
gdb.execute("set environment " + os.environ["STACKS_ENV"])


def is_loaded():
    try:
        gdb.parse_and_eval("(long) &mprt_depot_put_of")
    except gdb.error:
        return False
    return True


gdb.execute("set stop-on-solib-events 1")
gdb.execute("run", to_string=True)
while not is_loaded() and gdb.selected_inferior().pid:
    gdb.execute("continue", to_string=True)
gdb.execute("set stop-on-solib-events 0")
# At the instruction, where the arguments still are in their registers.
Record("*(long) &mprt_depot_put_of")
try:
    gdb.execute("continue", to_string=True)
finally:
    with open(OUT, "w", encoding="utf-8") as out:
        json.dump(result, out)
    gdb.execute("kill") if gdb.selected_inferior().pid else None
