"""fits.py -- every view of profiles at several widths: no line is wider.

usage: fits.py MEMPROFDATA PROFILE...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import subprocess
import sys

VIEWS = [""] + """--by=function --by=line --by=file --by=type --by=thread --by=pool --tree
--tree:--details --callers=. --callees=. --list=. --sizes --lifetimes --freed-by --timeline
--histogram --events --copies --leaks --temporary --at=peak --at=exit""".split()


def main():
    memprofdata, *profiles = sys.argv[1:]
    lines = 0
    for profile in profiles:
        for view in VIEWS:
            for width in (80, 132):
                shown = subprocess.run(
                    [memprofdata, "show", *filter(None, view.split(":")), profile],
                    check=False, stdout=subprocess.PIPE,
                    env=dict(os.environ, COLUMNS=str(width))).stdout.decode()
                for line in shown.splitlines():
                    lines += 1
                    assert len(line) <= width, (profile, view, width, line)
    assert lines > 100 * len(profiles), lines
    print(lines, "lines")


if __name__ == "__main__":
    main()
