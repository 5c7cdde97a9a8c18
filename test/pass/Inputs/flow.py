"""Checks the counts of versions-flow.cpp. Arguments: files of export --format=csv, of code
with one version, with two versions and accesses=all, and with two estimates."""
import csv
import math
import sys

FUNCTIONS = {"long_loop", "interpreter", "recursion", "jumps", "exceptions", "coroutine",
             "tail_calls", "handlers", "threads"}


def rows(path):
    """{name of the allocating function: (accesses, standard error)}"""
    with open(path, newline="", encoding="utf-8") as file:
        return {row["stack"].split(";")[-1].split("(")[0]: (
            int(row["TotalAccessCount"]),
            math.sqrt(int(row.get("TotalAccessCountVariance") or 0)))
            for row in csv.DictReader(file)}


one, exact, *estimates = map(rows, sys.argv[1:])
assert FUNCTIONS <= set(one), one
for name in FUNCTIONS:
    true = exact[name][0]
    assert true == one[name][0] > 100_000, (name, true, one[name])
    for found in estimates:
        estimate, error = found[name]
        # A burst has thousands of accesses, the programs some hundred thousand.
        assert abs(estimate - true) < 5 * error, (name, true, estimate, error)
        assert error < 5 * true, (name, true, error)
