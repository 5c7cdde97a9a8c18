"""read_dhat.py -- valgrind's viewer on an export, by every metric that it sorts by.

usage: read_dhat.py EXPORT CSV

The viewer shows no error, and the sums of csv at its root.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
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


def check_root(shown, truth, export):
    assert "PP 1/1 " in shown["text"], shown["text"][:500]
    for key, field, flag in SUMS:
        if flag is None or export[flag]:
            assert shown["root"][key] == truth.total(field), (field, shown["root"])
    if shown["label"] == "Total (bytes)":
        assert f"Total:     {truth.total('TotalSize'):,} bytes (100%" in shown["text"]


def main():
    export = pathlib.Path(sys.argv[1]).read_bytes()
    truth = export_truth.Truth(sys.argv[2])
    found = browser.visit("h.html", {"h.html": PAGE.encode(), "export.json": export},
                          [viewer()])
    assert isinstance(found, list), found
    for metric in found:
        assert not metric.get("error"), metric["error"]
    assert len(found) == METRICS, [m["label"] for m in found]
    export = json.loads(export)
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
