"""pprof_rules.py -- what the format of pprof demands of a file, looked at in its
bytes: readers forgive much of it, and others do not.

usage: pprof_rules.py EXPORT...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import gzip
import sys

TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING = 1, 2, 3, 4, 5, 6
TIME, DURATION, PERIOD_TYPE, PERIOD, COMMENT, DEFAULT = 9, 10, 11, 12, 13, 14
HEAP = [("alloc_objects", "count"), ("alloc_space", "bytes"),
        ("inuse_objects", "count"), ("inuse_space", "bytes")]
# What a reader can make of a number.
UNITS = {"bytes", "nanoseconds", "count"}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            assert shift <= 70 and value < 1 << 64, "a number of more than 64 bits"
            return value, at


def fields(data):
    """(number, value): of numbers and of bytes, the two kinds that there are."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        assert key & 7 in (0, 2), f"kind {key & 7} of field {key >> 3}"
        value, at = varint(data, at)
        if key & 7 == 2:
            assert at + value <= len(data), "a field that ends behind its message"
            at, value = at + value, data[at:at + value]
        yield key >> 3, value


def message(data, known):
    """A field that is not there is 0, the default of the format."""
    found = {}
    for number, value in fields(data):
        assert number in known, f"field {number}, which the format does not have"
        assert number not in found, f"field {number} twice"
        found[number] = value
    return lambda number: found.get(number, 0)


def packed(data):
    numbers, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        numbers.append(value)
    return numbers


class Profile:
    def __init__(self, data):
        assert data[:2] == b"\x1f\x8b", "not compressed by gzip"
        self.rows = {number: [] for number in range(1, 16)}
        for number, value in fields(gzip.decompress(data)):
            self.rows[number].append(value)
        for number in (7, 8, TIME, DURATION, PERIOD_TYPE, PERIOD, DEFAULT, 15):
            assert len(self.rows[number]) <= 1, f"field {number} twice"
        self.strings = [s.decode("utf-8") for s in self.rows[STRING]]
        assert self.strings[0] == ""
        assert len(set(self.strings)) == len(self.strings), "a string twice"

    def value_type(self, data):
        row = message(data, (1, 2))
        return self.strings[row(1)], self.strings[row(2)]

    def types(self):
        types = [self.value_type(t) for t in self.rows[TYPE]]
        assert types and len(set(types)) == len(types), types
        heap = [t for t in types if t in HEAP]
        assert types[:len(heap)] == heap == [t for t in HEAP if t in heap], types
        # The number of events comes first.
        assert types[0] in HEAP and types[0][1] == "count", types
        assert all(unit in UNITS for _, unit in types), types
        return types

    def mappings(self):
        found = {}
        for data in self.rows[MAPPING]:
            m = message(data, range(1, 11))
            # Parca demands this order of all ids.
            assert m(1) == len(found) + 1, "a mapping's id"
            assert m(2) < m(3) and self.strings[m(5)] != "", "a mapping's range or file"
            assert self.strings[m(6)] == self.strings[m(6)].lower()
            int(self.strings[m(6)] or "0", 16)
            has = [m(number) for number in range(7, 11)]
            assert has in ([0] * 4, [1] * 4), has
            found[m(1)] = m
        return found

    def functions(self):
        found = {}
        for data in self.rows[FUNCTION]:
            f = message(data, range(1, 6))
            assert f(1) == len(found) + 1, "a function's id"
            assert self.strings[f(2)] != "", "a function without a name"
            assert f(3) < len(self.strings) and f(4) < len(self.strings)
            found[f(1)] = f
        return found

    def locations(self, mappings, functions):
        found, used = {}, set()
        for data in self.rows[LOCATION]:
            lines = [message(v, (1, 2, 3)) for n, v in fields(data) if n == 4]
            rest = {}
            for number, value in fields(data):
                assert number in (1, 2, 3, 4) and number not in rest
                if number != 4:
                    rest[number] = value
            assert rest[1] == len(found) + 1, "a location's id"
            mapping = mappings.get(rest.get(2, 0))
            assert rest.get(2, 0) == 0 or mapping is not None, "no such mapping"
            if mapping is not None:
                assert mapping(2) <= rest.get(3, 0) < mapping(3), "an address outside"
            assert all(line(1) in functions for line in lines), "no such function"
            if mapping is not None and not lines:
                assert mapping(7) == 0, "a mapping of names without a name"
            used |= {line(1) for line in lines}
            found[rest[1]] = lines
        assert used == set(functions), "functions that no line is of"
        return found

    def label(self, data):
        row = message(data, range(1, 5))
        key = self.strings[row(1)]
        assert key != "" and not key.startswith("pprof::"), key
        assert row(2) == 0 or (row(3) == 0 and row(4) == 0), "a string and a number"
        # Readers drop a zero of no unit, and guess the unit of other numbers.
        assert row(2) != 0 or self.strings[row(4)] in UNITS, key
        return key

    def samples(self, types, locations):
        seen, used = set(), set()
        for data in self.rows[SAMPLE]:
            ids, values, labels = [], [], []
            for number, value in fields(data):
                {1: lambda v: ids.extend(packed(v)),
                 2: lambda v: values.extend(packed(v)),
                 3: lambda v: labels.append(self.label(v))}[number](value)
            assert len(values) == len(types), "values that have no type"
            assert any(values), "a sample of nothing, which readers drop"
            assert all(v < 1 << 63 for v in values), "a negative value"
            assert len(set(labels)) == len(labels), labels
            used |= set(ids)
            seen.add(data)
        assert used == set(locations), "a location of no sample, or none of one"
        assert len(seen) == len(self.rows[SAMPLE]), "a sample twice"

    def rest(self, types):
        one = lambda number: self.rows[number][0]
        assert self.value_type(one(PERIOD_TYPE)) == ("space", "bytes")
        assert one(PERIOD) >= 1
        # Else a reader takes the last.
        assert self.strings[one(DEFAULT)] in [t for t, _ in types]
        assert any("memprofdata" in self.strings[c] for c in self.rows[COMMENT])

    def check(self):
        types = self.types()
        mappings = self.mappings()
        functions = self.functions()
        locations = self.locations(mappings, functions)
        self.samples(types, locations)
        self.rest(types)
        print(len(self.rows[SAMPLE]), "samples,", len(locations), "locations,",
              len(functions), "functions,", len(mappings), "mappings")


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            Profile(f.read()).check()


if __name__ == "__main__":
    main()
