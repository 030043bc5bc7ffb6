#!/usr/bin/env python3
"""A bound on a ratio between two workers, measured by msgpath itself: interleaved blocks in one
session, and the unfavourable end of the interval must keep the bound.

usage: bound.py MSGPATH SCENARIO METRIC LIMIT PASSES A-COMMAND B-COMMAND [WORKLOAD OPTION...]

msgpath refuses to time a counting worker, which is what one bound is about: a command that begins
with "counting:" runs behind a script that leaves the row `build,probes,...` out of --describe.

Prints `METRIC b/a RATIO [LOW, HIGH] limit LIMIT`; exit 1 when HIGH is above LIMIT.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile


def hide_probes(scratch, command):
    """The command, or a script that runs it and does not say that its probes are on."""
    if not command.startswith("counting:"):
        return command
    worker, *args = command.removeprefix("counting:").split()
    script = pathlib.Path(scratch) / "worker"
    script.write_text(f"""#!/bin/sh
case " $* " in
*" --describe "*) '{worker}' "$@" | grep -v '^build,probes,' ;;
*) exec '{worker}' "$@" ;;
esac
""", encoding="utf-8")
    script.chmod(0o755)
    return " ".join([str(script), *args])


def main():
    msgpath, scenario, metric, limit, passes, a, b = sys.argv[1:8]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "session"
        a, b = hide_probes(scratch, a), hide_probes(scratch, b)
        command = [msgpath, "compare", f"a=exec:{a}", f"b=exec:{b}", "-s", scenario, "--passes",
                   passes, "--quiet", "-o", str(folder), *sys.argv[8:]]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            print(f"bound: msgpath ended with {done.returncode}: {' '.join(command)}")
            return 1
        with open(folder / "ab.csv", newline="", encoding="utf-8") as f:
            row = next((r for r in csv.DictReader(f) if r["metric"] == metric), None)
    if row is None or row["high"] == "":
        print(f"bound: no interval for {metric}")
        return 1
    is_met = float(row["high"]) <= float(limit)
    print(f"{scenario} {metric} b/a {float(row['ratio']):.4f} [{float(row['low']):.4f}, "
          f"{float(row['high']):.4f}] limit {limit} ({row['blocks']} blocks): "
          f"{'met' if is_met else 'MISSED'}")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
