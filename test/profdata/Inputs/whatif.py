#!/usr/bin/env python3
"""whatif.py -- checks that the ranges which `whatif --json` computes from a profile hold
what the replay of the same run's log measured.

usage: whatif.py PROFILE.json LOG.json

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


profile, log = load(sys.argv[1]), load(sys.argv[2])
assert profile["memprofdata-whatif"] == log["memprofdata-whatif"] == 1
assert not profile["replayed"] and log["replayed"]
for key in ("blocks", "others", "hot", "cold"):
    assert profile.get(key) == log.get(key), key
for computed, measured in zip(profile["rows"], log["rows"], strict=True):
    name = computed["allocator"], computed.get("layout")
    assert name == (measured["allocator"], measured.get("layout"))
    for unit in ("pages", "lines"):
        least, most = computed[unit]
        got, same = measured[unit]
        assert got == same
        # An allocator's own pages lie between, and the last one is not full.
        assert least * 0.99 <= got <= most * 1.01 + 2, (name, unit, computed, measured)
    print(*name, "lies within", *computed["pages"], "pages")
