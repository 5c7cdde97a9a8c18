"""threads_one_stack.py PROFILE.json TRUTH -- compares with what threads_one_stack.c counted
itself, a line for each depth of the call stack."""
import json
import sys

whole = json.load(open(sys.argv[1]))
truth = [tuple(map(int, line.split())) for line in open(sys.argv[2])]
found = [(0, 0, 0, 0)] * len(truth)
for context in whole["Contexts"]:
    names = [whole["Functions"][whole["Frames"][f]["Function"]]["Name"]
             for f in context["Callstack"]]
    if names[0] == "allocate":
        mib = context["MemInfoBlock"]
        found[names.count("allocate") - 1] = tuple(
            mib[f] for f in ("AllocCount", "TotalSize", "MaxLiveCount", "MaxLiveBytes"))
wrong = [(i, f, t) for i, (f, t) in enumerate(zip(found, truth)) if f != t]
assert not wrong, wrong[:5]
