"""log_load.py JSON COUNTED PLAIN -- the events of log_load.c in their order."""
import json
import sys

with open(sys.argv[1]) as f:
    log = json.load(f)
names = {path: "lib%d" % i for i, path in enumerate(sys.argv[2:])}
happened = [(m["ns"], m["name"]) for m in log["marks"]]
happened += [(c["ns"], c["kind"] + " " + names.get(c.get("path"), str(c.get("number"))))
             for c in log["changes"]]
got = [what for _, what in sorted(happened)]
once = [word for lib in ("lib0", "lib1")
        for word in ("loaded " + lib, "opened", "unloaded " + lib, "closed")]
want = 3 * (["begin"] + once) + ["dumped 1", "dumped", "dumped 2"]
if got != want:
    sys.exit("\n".join(["%s%s" % ("" if g == w else "not %s, but " % w, g)
                        for g, w in zip(got + [None] * len(want), want)]))
