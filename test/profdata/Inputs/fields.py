"""fields.py -- prints the JSON of `memprofdata fields` as lines, or its proposals;
or forges the list of members of the type `item` in a profile as text.

usage: fields.py [--proposals] JSON
       fields.py --forge PROFILE LIST [TIMES]
"""
import json
import sys


def show(document):
    assert document["memprofdata-fields"] == 2
    print("left out:", ", ".join(
        f"{name} {row['call_stacks']} {row['accesses']}"
        for name, row in document["left_out"].items() if row["call_stacks"]))
    for t in document["types"]:
        print(t["type"], t["bytes"], t["arrays"], t["call_stacks"], t["blocks"],
              t["peak_bytes"], t["accesses"], t["at_least"])
        for group in t["groups"]:
            print(*(group[k] for k in ("accesses", "reads", "writes", "use")
                    if k in group), *(
                f"{m['name']}@{m['offset']}+{m['bytes']}:{m.get('type', '')}"
                f"/{m['own_bytes']}={m['own_accesses']}"
                for m in group["members"]))
        if t["holes"]:
            print("holes", *(f"{h['offset']}+{h['bytes']}={h['accesses']}"
                             for h in t["holes"]))


def forge(profile, members):
    for frame in profile["Frames"]:
        if frame.get("Type") == "item":
            array = "[]" if frame["TypeFields"].startswith("[]") else ""
            frame["TypeFields"] = array + members
    json.dump(profile, sys.stdout)


def proposals(document):
    for t in document["types"]:
        proposal = t.get("proposal")
        if proposal is None:
            print(t["type"], "stays")
            continue
        assert [m["offset"] for m in proposal["order"]] == \
            sorted(m["offset"] for m in proposal["order"])
        print(t["type"], proposal["bytes"], f"{proposal['lines_before']:.3f}",
              f"{proposal['lines']:.3f}", proposal.get("split"))
        print(*(f"{m['name']}@{m['offset']}={m['heat']:g}" + "*" * m["cold"]
                for m in proposal["order"]))


if sys.argv[1] == "--proposals":
    with open(sys.argv[2]) as file:
        proposals(json.load(file))
elif sys.argv[1] == "--forge":
    with open(sys.argv[2]) as file:
        forge(json.load(file), ";".join(
            [sys.argv[3].replace("[31m", "\x1b[31m")] *
            int(sys.argv[4] if len(sys.argv) > 4 else 1)))
else:
    with open(sys.argv[1]) as file:
        show(json.load(file))
