"""options_used.py ROOT -- prints every option of shared/options.inc that is listed with
an effect but that no file of the runtime reads, or the other way round."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
options = re.findall(r"^MPROF_OPTION\((\w+), \w+, [^,]*, (\w+),",
                     (root / "shared/options.inc").read_text(), re.M)
code = "\n".join(p.read_text() for p in (root / "rt").rglob("*.[ch]"))
bad = 0
for name, origin in options:
    used = re.search(r"\b(mprt_options\.|options->|struct mprt_options, )%s\b"
                     % name, code) is not None
    if used != (origin != "NO_EFFECT"):
        print(f"{name} is {origin}, but {'used' if used else 'not used'}")
        bad += 1
print(f"{len(options)} options, {bad} bad")
sys.exit(bad != 0)
