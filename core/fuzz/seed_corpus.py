#!/usr/bin/env python3
"""Write row_* into each corpus: one input for each row of its table of rules in tests/data.

Usage: seed_corpus.py [--check]. With --check nothing is written; exit status 1 and a line for
each row whose file is missing or differs, and for each row_* file without a row.
"""
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parent / "tests" / "data"
CORPORA = {"wire_rules.csv": HERE / "corpus", "rpc_rules.csv": HERE / "rpc" / "corpus"}


def inputs_of(table):
    with open(TABLES / table, newline="", encoding="ascii") as rows:
        return {"row_" + r["name"]: bytes.fromhex(r["hex"]) for r in csv.DictReader(rows)}


def faults_of(table, corpus):
    wanted = inputs_of(table)
    found = {p.name: p.read_bytes() for p in corpus.glob("row_*")}
    names = sorted(wanted.keys() | found.keys())
    return [
        f"{corpus / n}: does not match its row of {table}; run {sys.argv[0]}"
        for n in names if wanted.get(n) != found.get(n)
    ]


def main():
    if sys.argv[1:] != ["--check"]:
        for table, corpus in CORPORA.items():
            for name, data in inputs_of(table).items():
                (corpus / name).write_bytes(data)
        return 0
    faults = [fault for table, corpus in CORPORA.items() for fault in faults_of(table, corpus)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
