"""groups_check.py FILE...: checks which functions share a pool, in the JSON of
memprofdata explain --groups."""
import json
import sys

for path in sys.argv[1:]:
    pools = {}
    for group in json.load(open(path))["groups"]:
        assert (group["pool"] != 0) == (group["why"] == "gain"), group
        for stack in group["stacks"]:
            pools[stack["stack"][0]["function"]] = group["pool"]
    assert pools["make_order"] == pools["make_line"] != 0, pools
    assert pools["make_apple"] != 0 and pools["make_pear"] != 0, pools
    assert len({pools[f] for f in ("make_order", "make_apple", "make_pear")}) == 3, pools
    assert pools.get("make_note", 0) == 0, pools
print("pools as expected")
