"""export.py -- sums of an export against those of the profile's own JSON.

usage: export.py FORMAT PROFILE MEMPROFDATA EXPORT [EXPORT OF IT TWICE]

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import csv
import json
import subprocess
import sys

FIELD = {"bytes": "TotalSize"}


def truth(profile, memprofdata, field):
    text = subprocess.run([memprofdata, "merge", "--text", profile, "-o", "-"],
                          check=True, stdout=subprocess.PIPE).stdout
    contexts = json.loads(text)["Contexts"]
    return sum(c["MemInfoBlock"].get(field, 0) for c in contexts), contexts


def folded(path):
    """Bytes by stack, as flamegraph.pl reads them."""
    sums = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            assert stack and all(stack.split(";")), line
            sums[stack] += int(value)
    return sums


def table(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def main():
    kind, profile, memprofdata, path = sys.argv[1:5]
    total, contexts = truth(profile, memprofdata, FIELD["bytes"])
    assert total > 0
    if kind == "folded":
        sums = folded(path)
        assert sum(sums.values()) == total, (sums, total)
        if len(sys.argv) > 5:
            twice = folded(sys.argv[5])
            assert twice == {s: 2 * n for s, n in sums.items()}
    elif kind == "csv":
        rows = table(path)
        assert len(rows) == len(contexts)
        bits = [(c.get("NotMeasured", 0) + 2 * c.get("NotAllSeen", 0)) for c in contexts]
        assert [int(r.get("Unseen", 0)) for r in rows] == bits
        assert ("Unseen" in rows[0]) == any(bits)
        fields = [f for f in rows[0] if f not in ("stack", "Unseen")]
        assert "TotalSize" in fields and "AllocCount" in fields
        for field in fields:
            assert sum(int(r[field]) for r in rows) == \
                truth(profile, memprofdata, field)[0], field
    else:
        sys.exit("no such format: " + kind)


if __name__ == "__main__":
    main()
