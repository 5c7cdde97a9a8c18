"""export_truth.py -- what an export has to come to: the sums and the call stacks of
the profile as csv has them. Shared by the scripts that check one.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import csv
import json


class Truth:
    """path: csv. of_json: export --format=json, which says what the metrics are."""

    def __init__(self, path, of_json=None):
        csv.field_size_limit(1 << 30)
        with open(path, newline="", encoding="utf-8",
                  errors="replace") as lines:
            self.rows = list(csv.DictReader(lines))
        assert self.rows
        self.fields = [f for f in self.rows[0] if f not in ("stack", "Unseen")]
        self.metrics = []
        if of_json is not None:
            with open(of_json, encoding="utf-8") as text:
                self.metrics = json.load(text)["metrics"]

    def total(self, field):
        return sum(int(row.get(field, 0)) for row in self.rows)

    def by_stack(self, field):
        sums = collections.Counter()
        for row in self.rows:
            sums[row["stack"]] += int(row.get(field, 0))
        return +sums


def stack_of(names):
    """A call stack, outermost function first, as csv writes it."""
    return ";".join("".join(" " if c < " " or c == "\x7f" else "," if c == ";" else c
                            for c in name) for name in names)
