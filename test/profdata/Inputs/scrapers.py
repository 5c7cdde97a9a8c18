"""scrapers.py -- asks a server for profiles as Parca, Grafana Alloy and Pyroscope do, and
holds the answers against what each demands.

The requests and demands are those of the sources of parca-dev/parca (pkg/scrape,
pkg/normalizer/validate.go), grafana/alloy (internal/component/pyroscope/scrape: target.go,
validate.go, fastdelta), and Pyroscope before version 1 (pkg/scrape, and "pull mode" in its
documentation). Their HTTP clients are Go's, which asks for gzip by itself.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import time

import pprof_rules

# name, path and query, User-Agent.
SCRAPES = (("Parca", "/debug/pprof/allocs", "conprof/0.24.0"),
           ("Parca, delta", "/debug/pprof/allocs?seconds=2", "conprof/0.24.0"),
           ("Alloy", "/debug/pprof/allocs", "Alloy/v1.11.0"),
           ("Alloy, delta", "/debug/pprof/allocs?seconds=2", "Alloy/v1.11.0"),
           ("Pyroscope", "/debug/pprof/heap", "Pyroscope/0.37.2"))
GO = {("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"),
      ("inuse_space", "bytes")}


class Scrape(pprof_rules.Profile):
    """A profile: values by call stack, as Alloy identifies it."""

    def __init__(self, data):
        super().__init__(data)
        self.check()
        self.kinds = self.types()
        addresses = []
        for row in self.rows[pprof_rules.LOCATION]:
            addresses.append(dict(pprof_rules.fields(row)).get(3, 0))
        assert len(set(addresses)) == len(addresses) and 0 not in addresses, addresses
        self.time = self.rows[pprof_rules.TIME][0]
        self.duration = sum(self.rows[pprof_rules.DURATION])
        self.sums = collections.Counter()
        for row in self.rows[pprof_rules.SAMPLE]:
            stack, values, labels = [], [], []
            for number, value in pprof_rules.fields(row):
                {1: stack, 2: values}.get(number, labels).extend(
                    pprof_rules.packed(value) if number < 3 else [value])
            key = tuple(addresses[i - 1] for i in stack), tuple(sorted(labels))
            for (kind, _), value in zip(self.kinds, values):
                self.sums[key, kind] += value

    def stacks(self):
        return {key for key, _ in self.sums}

    def total(self, kind):
        return sum(v for (_, k), v in self.sums.items() if k == kind)


def scrape(server, path, agent):
    status, body, headers = server.ask(path, headers={"User-Agent": agent,
                                                      "Accept-Encoding": "gzip"})
    assert status == 200, (path, status, body[:200])
    # Alloy refuses another type; a Content-Encoding would have Go's client unpack the body.
    assert headers["Content-Type"].startswith("application/octet-stream"), headers.items()
    assert headers["Content-Encoding"] is None, headers.items()
    return Scrape(body)


def check(server):
    first = scrape(server, "/debug/pprof/allocs", "Alloy/v1.11.0")
    for name, path, agent in SCRAPES:
        began = time.time()
        found = scrape(server, path, agent)
        ended = time.time()
        # Alloy has room for the four values that Go's profiles have.
        assert set(found.kinds) == GO, (name, found.kinds)
        # All three file the profile under its time, which is that of the scrape. A
        # profile that has a duration is a difference.
        assert began - 1 < found.time / 1e9 < ended + 1, (name, began, found.time)
        assert (1.9e9 < found.duration < (ended - began) * 1e9) == ("seconds" in path), \
            (name, found.duration)
        # Addresses tell call stacks apart, and no label changes between two scrapes, so
        # the differences by call stack add up to the difference.
        assert len(found.stacks()) == len(found.rows[pprof_rules.SAMPLE]), name
        if "seconds" in path:
            continue
        for kind in "alloc_objects", "alloc_space":
            grown = [found.sums[key, kind] - first.sums[key, kind]
                     for key in found.stacks() | first.stacks()]
            assert min(grown) >= 0, (name, kind, grown)
            assert sum(g for g in grown) == found.total(kind) - first.total(kind) > 0, name
        assert found.total("inuse_space") > 0, name
