"""explain_check.py -- do explain's and export's JSON say the same?

usage: explain_check.py ALL ONE EXPORT, where ONE has one site of ALL

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

NUMBERS = ("resident_bytes", "resident_share", "life_share", "access_share",
           "accesses_per_byte", "heat", "saved_bytes")


def verdict(context):
    return (context["verdict"], context["why"],
            *(context.get(n) for n in NUMBERS))


def main():
    all_, one, export = (json.load(open(p)) for p in sys.argv[1:])
    stacks = [s for site in all_["sites"] for s in site["stacks"]]
    assert sorted(map(verdict, stacks), key=str) == \
        sorted(map(verdict, export["contexts"]), key=str)
    assert all_["totals"] == one["totals"]
    (site,) = one["sites"]
    assert site in all_["sites"], site
    for key in ("blocks", "bytes"):
        assert sum(t.get(key, 0) for t in all_["totals"].values()) == \
            sum(s[key] for s in all_["sites"]), key
    for site in all_["sites"]:
        assert site["bytes"] == sum(s["bytes"] for s in site["stacks"])
        kinds = {s["verdict"] for s in site["stacks"]}
        assert site["verdict"] == (kinds.pop() if len(kinds) == 1 else "mixed")
    residents = [s.get("resident_bytes", 0) for s in all_["sites"]]
    assert residents == sorted(residents, reverse=True), residents
    print("the same verdicts")


main()
