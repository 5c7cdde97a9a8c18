"""budget.py -- budgets that a profile just keeps, and such that it just breaks.

usage: budget.py MEMPROFDATA OLD NEW KEPT BROKEN

Numbers are those of the profiles' own JSON, added up here.
In BROKEN's folder `growth` needs a baseline and names none.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import fractions
import json
import pathlib
import subprocess
import sys

FORM = """# What {name} may have.
baseline = ../old.p

bytes <= {bytes}
blocks<={blocks}  # without spaces
accesses <= {accesses}
live <= {live} B
bytes-growth <= {bytes_growth}
blocks-growth <= {blocks_percent} %

function:^parse\\(: blocks <= {parse}
function : ^parse\\( : blocks-growth <= {parse_growth}
function:^_ZL5parsei$: blocks <= {parse}

file:/program\\.cpp$: bytes <= {bytes_file}
file:/program\\.cpp$: blocks-growth <= {parse_growth}
file:/program\\.cpp$: bytes-growth <= {bytes_percent}%
"""


def load(memprofdata, path):
    text = subprocess.run([memprofdata, "merge", "--text", path, "-o", "-"],
                          check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)


def total(profile, field, fits=lambda frame: True):
    return sum(c["MemInfoBlock"].get(field, 0) for c in profile["Contexts"]
               if any(fits(profile["Frames"][f]) for f in c["Callstack"]))


def main():
    memprofdata, old_path, new_path, kept, broken = sys.argv[1:]
    old, new = load(memprofdata, old_path), load(memprofdata, new_path)

    def in_file(frame):
        return frame.get("File", "").endswith("/program.cpp")

    def in_parse(frame):
        return "Function" in frame and \
            new["Functions"][frame["Function"]]["Name"] == "_ZL5parsei"

    assert total(new, "AllocCount", in_parse) == 40

    def percent(field, fits):
        """In thousandths: the least that is enough."""
        a, b = total(old, field, fits), total(new, field, fits)
        return -(-fractions.Fraction(100_000 * (b - a), a) // 1)

    for path, name, less in ((kept, "is kept", 0), (broken, "is broken", 1)):
        text = FORM.format(
            name=name,
            bytes=f"{total(new, 'TotalSize') - less}",
            blocks=total(new, "AllocCount") - less,
            accesses=total(new, "TotalAccessCount") - less,
            live=total(new, "LiveBytes") - less,
            bytes_growth=550 - less,
            blocks_percent=(percent("AllocCount", lambda f: True) - less) / 1000,
            parse=40 - less, parse_growth=10 - less,
            bytes_file=total(new, "TotalSize", in_file) - less,
            bytes_percent=(percent("TotalSize", in_file) - less) / 1000)
        pathlib.Path(path).write_text(text, encoding="utf-8")
    (pathlib.Path(broken).parent / "growth").write_text(
        "\n# None.\nbytes-growth <= 0\n", encoding="utf-8")


if __name__ == "__main__":
    main()
