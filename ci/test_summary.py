#!/usr/bin/env python3
"""Sum up Meson test logs: skipped tests with reasons, failed ones, and the line of totals.

test_summary.py BUILD_DIR...                     exit 1 when a test failed or none ran
test_summary.py --check-suites BUILD_DIR SUITE...  exit 2 when a suite does not exist
"""
import collections
import json
import pathlib
import subprocess
import sys

PASSED = {"OK", "EXPECTEDFAIL"}


def last_line(text):
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def skip_reason(test):
    """What the test said: its TAP directive, else its last words."""
    for line in (test.get("stdout") or "").splitlines():
        _, directive, reason = line.partition("# SKIP")
        if directive and reason.strip():
            return reason.strip()
    return last_line(test.get("stderr")) or last_line(test.get("stdout")) or "no reason given"


def read_log(build_dir):
    """The tests of the last run; a folder without a log did not get as far as running any."""
    path = pathlib.Path(build_dir, "meson-logs", "testlog.json")
    if not path.exists():
        return [{"name": "build", "result": "DID NOT BUILD"}]
    return [json.loads(line) for line in path.read_text(errors="replace").splitlines()]


def summarise(build_dirs):
    counts = collections.Counter()
    lists = {"skipped": [], "failed": []}
    for build_dir in build_dirs:
        for test in read_log(build_dir):
            name = f"{build_dir}: {test['name'].rpartition(':')[2].strip()}"
            if test["result"] in PASSED:
                counts["passed"] += 1
            elif test["result"] == "SKIP":
                counts["skipped"] += 1
                lists["skipped"].append(f"{name}: {skip_reason(test)}")
            else:
                counts["failed"] += 1
                lists["failed"].append(f"{name}: {test['result'].lower()}")
    for word, lines in lists.items():
        if lines:
            print(f"\n{word}:")
            print("\n".join("  " + line for line in lines))
    print(f"\n{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 0 if counts["passed"] and not counts["failed"] else 1


def check_suites(build_dir, suites):
    listing = subprocess.run(
        ["meson", "introspect", "--tests", build_dir], check=True, capture_output=True, text=True
    )
    known = {s.rpartition(":")[2] for test in json.loads(listing.stdout) for s in test["suite"]}
    for suite in suites:
        if suite not in known:
            print(f"ci/test: unknown suite '{suite}' (known: {' '.join(sorted(known))})",
                  file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--check-suites":
        sys.exit(check_suites(sys.argv[2], sys.argv[3:]))
    sys.exit(summarise(sys.argv[1:]))
