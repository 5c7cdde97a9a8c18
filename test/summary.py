#!/usr/bin/env python3
"""summary.py -- the last line of a test run, from lit's results.

usage: summary.py FAILED-BEFORE RESULTS.json...

Prints "N passed, N failed" (", N skipped" where there are any) and exits with 1
when anything failed. FAILED-BEFORE counts checks that failed outside lit.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def read(path):
    """The tests of one run of lit; none is a failure."""
    try:
        with open(path) as results:
            tests = json.load(results)["tests"]
    except (OSError, ValueError, KeyError) as error:
        print(f"no test results: {error}", file=sys.stderr)
        tests = []
    return tests or [{"code": "NO RESULTS", "name": path}]


def main():
    failed = int(sys.argv[1])
    passed = skipped = 0
    for test in (t for path in sys.argv[2:] for t in read(path)):
        if test["code"] in PASSED:
            passed += 1
        elif test["code"] in SKIPPED:
            skipped += 1
        else:
            failed += 1
            print(f"{test['code']}: {test['name']}")
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{tail}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
