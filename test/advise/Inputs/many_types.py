"""many_types.py -- copies the call stack of a profile of the case cold_members, for other types.

usage: many_types.py PROFILE.json N > FILE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def main():
    with open(sys.argv[1]) as text:
        profile = json.load(text)
    frames, (context,) = profile["Frames"], profile["Contexts"]
    site, *callers = context["Callstack"]
    for n in range(1, int(sys.argv[2])):
        frames.append(dict(frames[site], Type=f"type{n}", Line=1000 + n))
        profile["Contexts"].append(dict(context, Callstack=[len(frames) - 1, *callers], Details=[]))
    json.dump(profile, sys.stdout)


if __name__ == "__main__":
    main()
