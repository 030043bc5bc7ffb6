#!/usr/bin/env python3
"""Write corpus/row_*: one input for each row of tests/data/wire_rules.csv.

Usage: seed_corpus.py [--check]. With --check nothing is written; exit status 1 and a line for
each row whose file is missing or differs, and for each row_* file without a row.
"""
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROWS = HERE.parent / "tests" / "data" / "wire_rules.csv"
CORPUS = HERE / "corpus"


def main():
    with open(ROWS, newline="", encoding="ascii") as rows:
        wanted = {"row_" + r["name"]: bytes.fromhex(r["hex"]) for r in csv.DictReader(rows)}
    if sys.argv[1:] != ["--check"]:
        for name, data in wanted.items():
            (CORPUS / name).write_bytes(data)
        return 0
    found = {p.name: p.read_bytes() for p in CORPUS.glob("row_*")}
    bad = [n for n in sorted(wanted.keys() | found.keys()) if wanted.get(n) != found.get(n)]
    for name in bad:
        print(f"{CORPUS / name}: does not match its row of {ROWS.name}; run {sys.argv[0]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
