"""objects.py MACHINE DUMP SUMMARY -- checks a dump of objects.lua, and what `memprofdata
objects --json --top=1000000` says of it, with a plain model: what an object retains is
what cannot be reached without it."""
import json
import sys

machine, dump, summary = sys.argv[1:]
data, summary = json.load(open(dump)), json.load(open(summary))
objects = data["objects"]
knows_sizes = any("bytes" in o for o in objects)
is_old = machine == "lua5.1"


def pairs(o, key):
    flat = o.get(key, [])
    return list(zip(flat[::2], flat[1::2]))


def reach(without):
    seen, todo = {0}, [0]
    while todo:
        for _, to in pairs(objects[todo.pop()], "refs"):
            if to not in seen and to != without:
                seen.add(to)
                todo.append(to)
    return seen


def find(**wanted):
    return [i for i, o in enumerate(objects)
            if all(o.get(k) == v for k, v in wanted.items())]


def only(**wanted):
    found = find(**wanted)
    assert len(found) == 1, (wanted, found)
    return found[0]


def referrers(i, key="refs"):
    return [(n, k) for n, o in enumerate(objects) for name, to in pairs(o, key)
            if to == i for k in [name]]


everything = reach(None)
sizes = [o.get("bytes", 0) for o in objects]
total = sum(sizes[i] for i in everything)

# The summary against the model.
assert summary["objects"] == len(objects) - 1 and summary["strong"] == len(everything) - 1
by_address = {}
for row in summary["biggest"]:
    by_address.setdefault(row["address"], []).append(row)
for i in sorted(everything - {0})[:40] + find(text="n50") + find(type="thread"):
    retained = sum(sizes[k] for k in everything - reach(i))
    rows = by_address[objects[i]["address"]]
    assert retained in [row["retained"] for row in rows], (i, retained, rows)
assert sum(t["objects"] for t in summary["types"]) == len(objects) - 1
assert sum(t["bytes"] for t in summary["types"]) == sum(sizes)

# What the script made.
for i in range(1, 101):
    (holder, name), = referrers(only(type="string", text=f"n{i}"))
    assert name == ".name" and objects[holder]["type"] == "table"
    cache, key = referrers(holder)[0]
    assert key == f'["key {i}"]', key
names = {k for _, k in referrers(cache)}
assert any(k.startswith("local cache at ") for k in names), names
assert [k for _, k in referrers(cache, "weak")] and "[2]" in \
    {k for _, k in referrers(cache, "weak")} and "(key)" in {k for _, k in referrers(cache, "weak")}
# Strings are no weak references.
weakly = referrers(only(text="weakly"))[0][0]
assert weakly not in everything and [k for _, k in referrers(weakly, "weak")] == ["[1]"]
assert referrers(only(text="of a weak key"))[0][0] in everything
inside = referrers(only(text="inside"))[0][0]
assert any(k.startswith("local inside at ") for _, k in referrers(inside))
argument = referrers(only(text="argument"))[0][0]
assert argument in everything
assert is_old or any("local " in k for _, k in referrers(argument))
here = referrers(only(text="here"))
assert any(k == "[1]" for _, k in here)
assert only(text="\x01\xc8\"\\x") in everything
assert len(find(type="thread")) == 4, find(type="thread")
# A file is userdata with a metatable; it has no other references, nor have strings and cdata.
file, = {to for i, k in referrers(only(type="string", text="userdata")) if k == "(key)"
         for name, to in pairs(objects[i], "refs") if name == ".userdata"}
(_, file), = [r for r in pairs(objects[file], "refs") if r[0] == "[1]"]
assert objects[file]["type"] == "userdata", objects[file]
assert [k for k, _ in pairs(objects[file], "refs") if k not in ("environment", "user value")] \
    == ["(metatable)"], objects[file]
for o in objects:
    assert o["type"] not in ("string", "cdata") or not pairs(o, "refs") + pairs(o, "weak")
if machine == "luajit":
    holder, = [i for i, k in referrers(only(text="holds cdata")) if k == "[2]"]
    for name, bytes in ("[1]", 3000), ("[3]", 2400):
        cdata = objects[dict(pairs(objects[holder], "refs"))[name]]
        assert cdata["type"] == "cdata", cdata
        assert not knows_sizes or bytes <= cdata.get("bytes", 0) < bytes + 64, cdata
shared = [i for i, k in enumerate(objects) if k["type"] == "upvalue"]
assert is_old or len(shared) == len({objects[i]["address"] for i in shared})
counters = [k for _, k in sum((referrers(i) for i in shared), []) if k == "upvalue counter"]
assert is_old or len(counters) == 2, counters
assert data["is_counted"] is False

# Sizes and lines, under the profiler.
if knows_sizes:
    made = [o for o in objects if o.get("made", "").endswith("objects.lua:6")]
    tables = [o for o in made if o["type"] == "table"]
    assert len(tables) == 100 if machine != "luajit" else len(tables) > 40, len(tables)
    assert all(80 <= o["bytes"] <= 200 for o in tables), tables[0]
    assert all(1000 < objects[i]["bytes"] < 1100 for i in find(text="x" * 48))
    assert machine == "luajit" or 0.55 * data["used_bytes"] < total < data["used_bytes"], total
    # The cache's hash part: 128 nodes.
    assert objects[cache]["bytes"] > 128 * 24
else:
    assert total == 0
print(machine, "sizes" if knows_sizes else "no sizes", len(objects) > 600)
