#!/usr/bin/env python3
"""The whole way with the built-in workers: the reference's counts for micro come out.

counts_test.py MSGPATH: N = 1000, seed 42; with 20 filter peers a shorter run.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile


def compare(*words):
    """The A/B rows of run 1 by metric: (a, b, verdict)."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "s")
        subprocess.run(
            [sys.argv[1], "compare", *words, "-s", "micro", "--passes", "2", "--quiet", "-o", path],
            check=True, stdout=subprocess.DEVNULL,
        )
        with open(path / "ab.csv", newline="", encoding="utf-8") as f:
            return {r["metric"]: (r["a"], r["b"], r["verdict"]) for r in csv.DictReader(f) if r["run"] == "1"}


def check(rows, expected):
    faults = [f"{m}: {rows.get(m)} is not {want}" for m, want in expected.items() if rows.get(m) != want]
    if faults:
        sys.exit("\n".join(faults))


rows = compare("before", "after")
check(rows, {
    "messages": ("1000", "1000", "equal"),
    "decodes": ("2000", "2000", "equal"),
    "hashes": ("2000", "1000", "improved"),
    "hashed_bytes": ("130000000", "65000000", "improved"),
    "copies": ("15000", "0", "improved"),
})
decoded = [round(int(v) / 1e6, 2) for v in rows["decoded_bytes"][:2]]
if decoded != [130.11, 130.11]:
    sys.exit(f"decoded {decoded} MB")
check(compare("before", "before-orc", "--filter-peers", "20", "--messages", "100"), {
    "decodes": ("200", "200", "equal"),
    "hashes": ("400", "400", "equal"),
    "copies": ("3500", "200", "improved"),
})
