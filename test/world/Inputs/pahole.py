"""pahole.py -- compares members and holes of types, as `memprofdata fields`
tells them, with what pahole reads from the program's debug information.

usage: pahole.py FIELDS.json PAHOLE.txt

Prints how much was compared; exits with 1 at the first difference.
"""
import json
import re
import sys

MEMBER = re.compile(r"\t(?:\} |([^\t].*?) +)?([^;]*);\s+/\*\s+(\d+)\s+(\d+) \*/")
HOLE = re.compile(r"XXX (\d+) bytes? hole|/\* padding: (\d+) \*/")


def read(lines):
    """By name of a struct: its members [type, name, offset, size], its holes."""
    structs = {}
    for line in lines:
        start = re.match(r"(struct|union) (\w+) \{", line)
        if start:
            members, holes = [], []
            if start[1] == "struct":
                structs[start[2]] = members, holes  # again in each unit
        member = MEMBER.match(line)
        if member and not line.startswith("\t\t"):
            members.append((member[1] or "", member[2], int(member[3]), int(member[4])))
        hole = HOLE.search(line)
        if hole and not line.startswith("\t\t"):
            holes.append(int(hole[1] or hole[2]))
    return structs


def compare(structs, name, ours, prefix="", base=0):
    """Compares members below a prefix; returns whether all are leaves."""
    is_flat = True
    for type_name, member, offset, size in structs[name][0]:
        full = prefix + re.sub(r"\[.*", "", re.sub(r".*[ *(]", "", member).rstrip(")"))
        if (base + offset, size) == ours.get(full):
            del ours[full]
            continue
        is_flat = False
        inner = re.sub(r"^struct ", "", type_name)
        if inner not in structs:
            sys.exit(f"{name}: {full} at {base + offset} of {size} bytes is missing: {ours}")
        compare(structs, inner, ours, full + ".", base + offset)
    return is_flat


def main():
    with open(sys.argv[1]) as file:
        types = json.load(file)["types"]
    with open(sys.argv[2]) as file:
        structs = read(file)
    counts = {"types": 0, "members": 0, "holes": 0}
    for t in types:
        ours = {m["name"]: (m["offset"], m["bytes"])
                for group in t["groups"] for m in group["members"]}
        if any("|" in name and place == (0, t["bytes"]) for name, place in ours.items()):
            continue  # a union
        counts["types"] += 1
        counts["members"] += len(ours)
        is_flat = compare(structs, t["type"], ours)
        if ours:
            sys.exit(f"{t['type']}: pahole does not have {ours}")
        holes = [hole["bytes"] for hole in t["holes"]]
        if is_flat:
            counts["holes"] += len(holes)
            if holes != structs[t["type"]][1]:
                sys.exit(f"{t['type']}: holes {holes}, not {structs[t['type']][1]}")
    print(", ".join(f"{count} {thing}" for thing, count in counts.items()))


main()
