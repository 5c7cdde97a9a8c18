"""read_speedscope.py -- speedscope on an export: what it lists and shows.

usage: read_speedscope.py PACKAGES EXPORT CSV JSON [FIELD]

PACKAGES: node_modules of test/npm. The app lists a profile a metric with its total,
and its table of functions has what csv's call stacks end in. With FIELD, of the MIB, the
export is folded call stacks, of which the app makes one profile.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
import browser
import export_truth

SCRIPT = """<script src="report.js"></script><script>
window.alert = message => report({error: message});
const cells = row => [...row.querySelectorAll("td")].map(td => td.textContent.trim());
function until(find) {
  return new Promise(done => {
    const look = () => { const found = find(); found ? done(found) : setTimeout(look, 20); };
    look();
  });
}
async function look() {
  const list = IS_FOLDED || await until(() => {
    const rows = [...document.querySelectorAll("tr[title]")];
    return rows.length && rows.map(cells);
  });
  const table = await until(() => {
    window.dispatchEvent(new KeyboardEvent("keypress", {key: "3"}));
    const rows = [...document.querySelectorAll("tr:not([title])")].map(cells);
    const full = rows.filter(row => row.length === 3);
    return full.length && full;
  });
  report({list: list, table: table});
}
look();
</script>"""


def number(value, unit):
    """As speedscope writes it."""
    if unit == "bytes":
        if value < 1024:
            return f"{value} B"
        for name in ("KB", "MB", "GB"):
            value /= 1024
            if value < 1024 or name == "GB":
                return f"{value:.2f} {name}"
    if unit == "ns":
        for scale, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
            if value >= scale:
                return f"{value / scale:.2f}{name}"
        return f"{value:.2f}ns"
    return f"{value:,}"


def check_list(found, truth):
    want = [[str(i + 1), m["title"], number(truth.total(m["field"]), m["unit"])]
            for i, m in enumerate(truth.metrics)]
    assert [row[:1] + [row[1].rpartition(": ")[2]] + row[2:] for row in found["list"]] == \
        want, (found["list"], want)


def check_table(found, truth, field, unit):
    own, through = collections.Counter(), collections.Counter()
    for stack, value in truth.by_stack(field).items():
        own[stack.split(";")[-1]] += value
        for name in set(stack.split(";")):
            through[name] += value
    assert found["table"]
    for total, self, name in found["table"]:
        name = export_truth.stack_of([name])
        assert total.startswith(number(through[name], unit) + " ("), (name, total)
        assert self.startswith(number(own[name], unit) + " ("), (name, self)


def main():
    packages, export, csv, json, *field = sys.argv[1:]
    truth = export_truth.Truth(csv, json)
    release = pathlib.Path(packages, "speedscope/dist/release")
    script = SCRIPT.replace("IS_FOLDED", "true" if field else "false")
    page = (release / "index.html").read_text().replace("<body>", "<body>" + script)
    name = "export.txt" if field else "export.json"
    found = browser.visit("page.html#profileURL=" + name,
                          {"page.html": page.encode(),
                           name: pathlib.Path(export).read_bytes()}, [release])
    assert "error" not in found, found
    if field:
        check_table(found, truth, field[0], "")
        print(len(found["table"]), "functions looked at")
        return
    check_list(found, truth)
    check_table(found, truth, "TotalSize", "bytes")
    print(len(found["list"]), "profiles,", len(found["table"]), "functions looked at")


if __name__ == "__main__":
    main()
