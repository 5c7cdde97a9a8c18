"""read_dhat.py -- valgrind's viewer on an export, by every metric that it sorts by.

usage: read_dhat.py EXPORT CSV
       read_dhat.py EXPORT JSON copy|event

The viewer shows no error, and the sums of csv at its root; those of what json says of
copies or events, call stack by call stack.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
import browser
import export_truth

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8">
<link rel="stylesheet" href="dh_view.css"><script src="report.js"></script>
<script src="dh_view.js"></script><script>
function look() {
  const error = document.querySelector(".error");
  return {label: gSelect.options[gSelect.selectedIndex].label,
          error: error && error.textContent, text: gMainDiv.innerText,
          root: Object.assign({}, gRoot, {_kids: null})};
}
function lookByAll() {
  const found = [];
  for (const option of gSelect.options) {
    if (option.disabled) {
      found.push({label: option.label, disabled: true});
      continue;
    }
    gSelect.selectedIndex = option.index;
    changeSortMetric();
    found.push(look());
  }
  return found;
}
function wait() {
  if (gMainDiv.innerText.startsWith("Loading"))
    setTimeout(wait, 10);
  else
    report(gRoot ? lookByAll() : [look()]);
}
async function go() {
  onLoad();
  const files = new DataTransfer();
  files.items.add(new File([await (await fetch("export.json")).blob()], "export"));
  gInput.files = files.files;
  loadFile();
  wait();
}
</script></head><body onload="go()"></body></html>"""
# What the viewer adds up at the root, the field that it must be, and the flag of
# the export that says whether it is held.
SUMS = [("_totalBytes", "TotalSize", None), ("_totalBlocks", "AllocCount", None),
        ("_totalLifetimes", "TotalLifetimeNs", "bklt"),
        ("_atTGmaxBytes", "PeakBytes", "bklt"), ("_atTGmaxBlocks", "PeakCount", "bklt"),
        ("_atTEndBytes", "LiveBytes", "bklt"), ("_atTEndBlocks", "LiveCount", "bklt"),
        ("_readsBytes", "TotalReadBytes", "bkacc"),
        ("_writesBytes", "TotalWriteBytes", "bkacc")]
METRICS = 14
NEED_LIFETIMES = {"Total (blocks), short-lived", "At t-gmax (bytes)",
                  "At t-end (bytes)"}


def viewer():
    files = subprocess.run(["dpkg", "-L", "valgrind"], check=True,
                           stdout=subprocess.PIPE).stdout.decode().split()
    return pathlib.Path(next(f for f in files if f.endswith("/dh_view.js"))).parent


class Parts:
    """What --format=json says of all copies, or events."""

    def __init__(self, path, kind):
        whole = json.loads(pathlib.Path(path).read_bytes())
        frames = [f["name"] + (f":{f['line']}" if f.get("line") else "")
                  for f in whole["frames"]]
        self.stacks = collections.Counter()
        for part in whole["parts"]:
            if part["kind"] == kind:
                stack = (part.get("name") or "[no name]", *(frames[f] for f in part["stack"]))
                self.stacks[stack] += part.get("times", 0)
        self.sums = {
            "AllocCount": sum(self.stacks.values()),
            "TotalSize": sum(p.get("weight", 0) for p in whole["parts"] if p["kind"] == kind)}

    def total(self, field):
        return self.sums[field]

    def check(self, export):
        table = [re.sub(r" \([^()]*:(\d+)\)$", r":\1", re.sub(r" \((in )?[^:()]*\)$", "", f))
                 for f in export["ftbl"]]
        said = collections.Counter()
        for point in export["pps"]:
            assert set(point) == {"tb", "tbk", "fs"}, point
            name, *stack = point["fs"]
            said[(export["ftbl"][name], *(table[f] for f in stack))] += point["tbk"]
        assert said == self.stacks, (said - self.stacks, self.stacks - said)


def check_root(shown, truth, export):
    assert "PP 1/1 " in shown["text"], shown["text"][:500]
    for key, field, flag in SUMS:
        if flag is None or export[flag]:
            assert shown["root"][key] == truth.total(field), (field, shown["root"])
    if shown["label"] == "Total (bytes)":
        unit = export.get("bsu", "bytes")
        assert f"Total:     {truth.total('TotalSize'):,} {unit} (100%" in shown["text"]


def main():
    export = pathlib.Path(sys.argv[1]).read_bytes()
    truth = Parts(*sys.argv[2:4]) if sys.argv[3:] else export_truth.Truth(sys.argv[2])
    found = browser.visit("h.html", {"h.html": PAGE.encode(), "export.json": export},
                          [viewer()])
    assert isinstance(found, list), found
    for metric in found:
        assert not metric.get("error"), metric["error"]
    assert len(found) == METRICS, [m["label"] for m in found]
    export = json.loads(export)
    if sys.argv[3:]:
        truth.check(export)
    for metric in found:
        need = "bklt" if metric["label"] in NEED_LIFETIMES else \
            "bkacc" if re.search("access|zero|Reads|Writes", metric["label"]) else None
        assert metric.get("disabled", False) == (need is not None and not export[need]), \
            metric["label"]
        if not metric.get("disabled"):
            check_root(metric, truth, export)
    print(sum(not m.get("disabled") for m in found), "of", METRICS,
          "metrics looked at")


if __name__ == "__main__":
    main()
