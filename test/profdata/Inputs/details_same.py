"""details_same.py -- how blocks are spread, what ended them and runs over time are
the same in the export and in the views, and add up to what the call stacks have.

usage: details_same.py EXPORT STACKS TIMELINE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def stack(document, numbers, key):
    return tuple((document["frames"][n].get(key), document["frames"][n].get("line"))
                 for n in numbers)


def details(document, row, key):
    links = {kind: sorted((link["blocks"], link["bytes"],
                           stack(document, link["stack"], key))
                          for link in row.get(kind, []))
             for kind in ("reallocated_by", "freed_by")}
    return row.get("sizes"), row.get("lifetimes"), links


def by_stack(document, rows, key):
    return {stack(document, row["stack"], key): details(document, row, key)
            for row in document[rows]}


def check_sums(row):
    blocks, size = row["mib"]["AllocCount"], row["mib"]["TotalSize"]
    for key in ("sizes", "lifetimes"):
        assert sum(count for _, count in row[key]) == blocks, (key, row)
    assert sum(low * count for low, count in row["sizes"]) <= size
    assert size < sum(2 * max(low, 1) * count for low, count in row["sizes"])
    ended = [link for kind in ("reallocated_by", "freed_by")
             for link in row.get(kind, [])]
    assert sum(link["blocks"] for link in ended) == blocks - row["mib"]["LiveCount"]


def main():
    export, stacks, timeline = (json.load(open(path)) for path in sys.argv[1:])
    assert by_stack(export, "contexts", "name") == by_stack(stacks, "rows", "function")
    assert export["series"] == timeline["rows"] != []
    for row in export["contexts"]:
        check_sums(row)
    print(sum(len(row.get("reallocated_by", [])) for row in export["contexts"]),
          "reallocated,",
          sum(len(row.get("freed_by", [])) for row in export["contexts"]), "freed,",
          len(export["series"][0]["marks"]), "marks")


if __name__ == "__main__":
    main()
