"""controls.py -- control characters in the names and paths of a profile.

`make IN OUT` adds them to all names of a text profile, and writes OUT.more, the same with more
blocks; `run MEMPROFDATA FILE` searches the output of each command for them.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import subprocess
import sys
import unicodedata

BAD = "\x1b]0;a\x07\x9b31mb\x7fc"
COMMANDS = (["show"], ["show", "--full-stacks"], ["show", "--tree"],
            ["show", "--by=function"], ["show", "--by=line"],
            ["show", "--by=file"], ["show", "--by=type"],
            ["show", "--callers=parse"], ["show", "--list=parse"],
            ["explain"])


def spoil(value, key=None):
    if isinstance(value, dict):
        return {k: spoil(v, k) for k, v in value.items() if k != "Guid"}
    if isinstance(value, list):
        return [spoil(v) for v in value]
    if key in ("Name", "File", "Path", "Type", "EXECUTABLE"):
        return value + BAD
    return value


def main():
    action, first, second = sys.argv[1:]
    if action == "make":
        with open(first) as f:
            profile = spoil(json.load(f))
        with open(second, "w") as out:
            json.dump(profile, out)
        for context in profile["Contexts"]:
            for field in ("AllocCount", "TotalSize"):
                context["MemInfoBlock"][field] *= 2
        with open(second + ".more", "w") as out:
            json.dump(profile, out)
        return
    commands = [[*c, second] for c in COMMANDS] + [["diff", second, second + ".more"]]
    for command in commands:
        done = subprocess.run([first, *command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        text = done.stdout.decode()
        if "?31mb?" not in text:
            sys.exit(f"{command}: no name in the output\n{text}")
        found = {c for c in text if unicodedata.category(c) == "Cc" and c != "\n"}
        if done.returncode != 0 or found:
            sys.exit(f"{command}: status {done.returncode}, {found}\n{text!r}")


if __name__ == "__main__":
    main()
