"""layouts.py -- compares the members in a .memprof_types section with what pahole
reads from the debug information of the same object.

usage: layouts.py SECTION PAHOLE.txt [SECTION PAHOLE.txt]...

Lists the types that differ; exits with 1 if there are any.
"""
import re
import sys

OPEN = re.compile(r"\t+(struct|union)\b[^;]*\{")
CLOSE = re.compile(r"\t+\}")
PLACE = re.compile(r";\s+/\*\s*(\d+)(?:: *(\d+))?\s+(\d+) \*/")


def name_of(declaration):
    """"int (*call)(void *)", "char name[20]", "unsigned low:3" -> the name, the bits."""
    bits = re.search(r":(\d+)$", declaration)
    pointer = re.search(r"\(\*+ *(\w+)", declaration)
    plain = re.sub(r"(\[.*|:\d+$| __attribute__.*)", "", declaration)
    return pointer[1] if pointer else re.search(r"(\w*)$", plain)[1], bits and int(bits[1])


def read_pahole(path):
    """By name of a struct: [name, type, offset, end, members of an inner struct or None]."""
    structs, stack, name = {}, [], None
    with open(path) as file:
        for line in file:
            start = re.match(r"(?:typedef )?(struct|union) (?:(\w+) )?\{", line)
            end = re.match(r"\} ?(\w+)?;", line)
            if start:
                stack = [(start[1], [])]
                name = start[2]
            elif end and stack:
                if stack[0][0] == "struct":
                    structs[name or end[1]] = stack[0][1]
                stack = []
            elif OPEN.match(line):
                stack.append((OPEN.match(line)[1], []))
            elif stack and (CLOSE.match(line) or line.startswith("\t")):
                place = PLACE.search(line)
                is_end = CLOSE.match(line)
                kind, inner = stack.pop() if is_end else (None, None)
                if not place:
                    continue
                declaration = re.sub(r"^\t+\}?", "", line[:place.start()]).strip()
                member, bits = name_of(declaration)
                first = int(place[1]) * 8 + int(place[2] or 0)
                end = first + (bits if bits is not None else int(place[3]) * 8)
                inner_type = re.match(r"(?:(?:const|volatile|struct) +)*(\w+) +\w+$", declaration)
                if "[" in declaration:
                    kind = inner = inner_type = None
                stack[-1][1].append((member, kind or (inner_type and inner_type[1]),
                                     first // 8, (end + 7) // 8, inner))
    return structs


def leaves(structs, members, prefix="", base=0, depth=0):
    """The members of a struct as the plugin lists them."""
    for name, kind, first, end, inner in members:
        if kind == "union" and not name:
            names = "|".join(m[0] for m in inner if m[0])
            yield prefix + names, first + base, end + base
            continue
        # pahole has the offsets of inner members from the outer struct's start
        start = base
        if inner is None and kind in structs:
            inner, start = structs[kind], base + first
        if inner and kind != "union" and depth < 4:
            yield from leaves(structs, inner, prefix + (name + "." if name else ""), start,
                              depth + 1)
        elif end != first and name:
            yield prefix + name, first + base, end + base


def read_section(path):
    with open(path, "rb") as file:
        for record in file.read().decode().split("\0"):
            parts = record.split("\t")
            if len(parts) == 4 and not parts[0] and re.match(r"[^[+]*#", parts[1]):
                yield parts[1].split("#")[0], [
                    (m[3], int(m[1]), int(m[1]) + int(m[2]))
                    for m in (re.match(r"(\d+)\+(\d+) ([^:]*)", field)
                              for field in parts[3].split(";"))]


def differences(ours, theirs):
    """The members of one list only. pahole does not say what a typedef of another
    struct has, so that members in it are only compared with its place."""
    left = set(ours) - set(theirs)
    for name, first, end in set(theirs) - set(ours):
        inner = {m for m in left
                 if m[0].startswith(name + ".") and first <= m[1] and m[2] <= end}
        left -= inner
        if not inner:
            left.add((name, first, end))
    return left


def main():
    counts = dict.fromkeys(("types", "members", "not in pahole", "differ"), 0)
    for section, pahole in zip(sys.argv[1::2], sys.argv[2::2]):
        structs = read_pahole(pahole)
        for name, ours in read_section(section):
            counts["types"] += 1
            counts["members"] += len(ours)
            if name not in structs:
                counts["not in pahole"] += 1
                continue
            left = differences(ours, list(leaves(structs, structs[name])))
            if left:
                counts["differ"] += 1
                print(f"{name}: {sorted(left)}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(counts["differ"] != 0)


main()
