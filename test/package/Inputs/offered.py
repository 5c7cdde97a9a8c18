"""offered.py -- the values that shells offer for options of memprofdata are taken, and
others are not.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess


def said(*words):
    done = subprocess.run(["memprofdata", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return (done.stdout + done.stderr).decode()


offered = {}
for command in [line.split("\t")[0] for line in said("help", "--words").splitlines()]:
    for line in said("help", "--words", command).splitlines():
        parts = line.split("\t")
        if len(parts) < 3:
            continue
        option, values = parts[0], parts[2].split()
        offered[command, option] = values
        assert values and len(set(values)) == len(values), line
        for value in values:
            # What is wrong then is something else: there is no input.
            text = said(command, option + value)
            assert option + value not in text, text
        text = said(command, option + "no-such-value")
        assert option + "no-such-value: " in text, text
formats = re.findall(r"^([a-z-]+) ", said("export", "--list"), re.MULTILINE)
assert set(offered["export", "--format="]) == set(formats), formats
assert offered["export", "--metric="] == offered["show", "--sort="]
assert ("merge", "--failure-mode=") in offered and ("show", "--color=") in offered
