"""budget_page.py -- runs what docs/budget.md has for a build.

usage: budget_page.py PAGE WORK CLANG MEMPROFDATA

The commands of the job's steps and the script run where a program keeps its budget,
and where it does not any more.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

PROGRAM = """#include <stdlib.h>
int main(void)
{
    for (int i = 0; i < BLOCKS; i++)
        free(*(char *volatile *)&(char *){malloc(100)});
}
"""
BUDGET = """baseline = baseline.profdata

blocks-growth <= 0
leaked = 0
"""


def block(page, name):
    return re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", page, re.S).group(1)


def main():
    page, work, clang, memprofdata = sys.argv[1:]
    text = pathlib.Path(page).read_text(encoding="utf-8")
    steps = re.findall(r"^ +run: \|\n((?: {10}.*\n)+)", block(text, "ci"), re.M)
    commands = "set -e\n" + "".join(textwrap.dedent(s) for s in steps)
    assert "check-budget" in commands
    shutil.rmtree(work, ignore_errors=True)
    tools = pathlib.Path(work, "bin")
    tools.mkdir(parents=True)
    for name, command in (("memprof-clang", clang), ("memprofdata", memprofdata)):
        (tools / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (tools / name).chmod(0o755)
    env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    for number, (script, blocks, status) in enumerate(
            ((commands, 3, 0), (commands, 4, 1),
             (block(text, "shell"), 3, 0), (block(text, "shell"), 4, 1))):
        folder = pathlib.Path(work, str(number))
        folder.mkdir()
        (folder / "memory.budget").write_text(BUDGET)
        for n in (3, blocks):
            (folder / "app.c").write_text(PROGRAM.replace("BLOCKS", str(n)))
            for old in folder.glob("profile.*"):
                old.unlink()
            if n == 3 and not (folder / "baseline.profdata").exists():
                # What the baseline is made with.
                subprocess.run(commands.split("memprofdata check")[0], shell=True,
                               cwd=folder, env=env, check=True)
                (folder / "app.profdata").rename(folder / "baseline.profdata")
                for old in folder.glob("profile.*"):
                    old.unlink()
        done = subprocess.run(["sh", "-c", script], cwd=folder, env=env, text=True,
                              stdout=subprocess.PIPE, check=False)
        assert done.returncode == status, (script, done)
        said = "of 2 limits broken" in done.stdout
        assert said, done.stdout
        assert ("memory.budget:3: blocks allocated: 3 -> 4" in done.stdout) == \
            (status == 1), done.stdout


if __name__ == "__main__":
    main()
