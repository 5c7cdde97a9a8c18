"""Checks the estimates of versions-bursts.c: arguments are two files of export
--format=csv, of runs with one seed."""
import csv
import math
import sys

EXACT = {"one": 40_000_000, "many": 20_000_000, "copies": 204_800_001}


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["stack"].split(";")[-1]: row for row in csv.DictReader(file)}


first, again = rows(sys.argv[1]), rows(sys.argv[2])
for name, exact in EXACT.items():
    estimate = int(first[name]["TotalAccessCount"])
    error = math.sqrt(int(first[name]["TotalAccessCountVariance"]))
    assert estimate != exact, name
    assert estimate % 32 == 0, estimate
    assert abs(estimate - exact) < 3 * error, (name, estimate, exact, error)
    assert error < exact / 2, (name, error)
    assert estimate == int(again[name]["TotalAccessCount"]), name
