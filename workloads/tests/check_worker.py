#!/usr/bin/env python3
"""The worker executables as the harness meets them: --describe, rows, counts, agreement of the
timed, the counting and the byte-checking build, wrong options, outputs that cannot be written.

check_worker.py TIMED COUNTING CHECKED
"""
import csv
import io
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from worker_model import digests  # noqa: E402 (no __pycache__ in the source tree)

TIMED, COUNTING, CHECKED = (os.path.abspath(path) for path in sys.argv[1:4])
VARIANTS = ["before", "after", "floor", "before-orc", "after-orc",
            "churn2", "churn4", "churn8", "churn16"]
KINDS = ["scenario", "variant", "mix", "site", "metric", "option", "build"]
SITES = """publish self_deliver on_send inbound transport on_recv validator on_validated
    topic_handler trace filter archive store_sync event app push seen_cache message_cache""".split()
N = 200
PAYLOAD_BYTES, TOPIC_BYTES = 13_000_000, 29  # of N messages of mix seed; of each message


class Fault(Exception):
    pass


def expect(is_so, *words):
    if not is_so:
        raise Fault(" ".join(str(word) for word in words))


def start(worker, *options, **how):
    how = {"capture_output": True, "text": True, "timeout": 60, **how}
    return subprocess.run([worker, *options], check=False, **how)


def pass_options(variant, *more, n=N):
    return ["--protocol", "1", "--scenario", "micro", "--variant", variant, "--messages", str(n),
            *more]


def describe(worker):
    ran = start(worker, "--describe")
    expect(ran.returncode == 0 and ran.stderr == "", "--describe:", ran.stderr)
    rows = list(csv.DictReader(io.StringIO(ran.stdout), strict=True))
    expect(ran.stdout.startswith("kind,name,unit,better,class,doc\n"), "--describe: header")
    expect(all(None not in row and None not in row.values() for row in rows), "--describe: columns")
    return rows


def allocator():
    return next(row["doc"] for row in describe(TIMED) if row["name"] == "allocator")


METRICS = {row["name"]: row for row in describe(COUNTING) if row["kind"] == "metric"}


def parse(text, options):
    """Rows as {(run, metric): value}; a part's metric is name/part."""
    values = {}
    lines = text.split("\n")
    expect(lines[0] == "scenario,run,metric,unit,value" and lines[-1] == "", options, "header, end")
    for line in lines[1:-1]:
        scenario, run, metric, unit, value = line.split(",")
        info = METRICS.get(metric.split("/")[0])
        expect(info is not None, options, "unknown metric", line)
        expect(scenario == "micro" and run in ("0", "1", "2"), options, line)
        expect(unit == info["unit"], options, "unit", line)
        pattern = r"\d+" if info["class"] == "exact" else r"\d+(\.\d+)?(e[+-]?\d+)?"
        expect(re.fullmatch(pattern, value), options, "value", line)
        expect((int(run), metric) not in values, options, "twice", line)
        values[int(run), metric] = float(value) if "." in value or "e" in value else int(value)
    return values


def run(worker, variant, *more, n=N, **how):
    options = pass_options(variant, *more, n=n)
    ran = start(worker, *options, **how)
    expect(ran.returncode == 0 and ran.stderr == "", options, ran.returncode, ran.stderr)
    return parse(ran.stdout, options)


def exact(values):
    return {key: v for key, v in values.items()
            if METRICS[key[1].split("/")[0]]["class"] == "exact"}


def check_describe():
    rows = describe(COUNTING)
    names = {kind: [row["name"] for row in rows if row["kind"] == kind] for kind in KINDS}
    for row in rows:
        expect(row["kind"] in KINDS, "kind", row)
        expect(row["doc"] and re.fullmatch(r"[a-z][a-z0-9_-]*", row["name"]), row)
        if row["kind"] == "metric":
            expect(row["unit"] in ("count", "B", "ns", "1/s"), row)
            expect(row["better"] in ("none", "higher", "lower"), row)
            expect(row["class"] in ("exact", "timed", "level"), row)
    for kind, listed in names.items():
        expect(listed and len(listed) == len(set(listed)), kind, listed)
    expect(names["variant"] == VARIANTS, names["variant"])
    expect("micro" in names["scenario"], names["scenario"])
    expect(set(names["mix"]) >= {"seed", "fleet", "boundary"}, names["mix"])
    expect(set(names["site"]) >= set(SITES), set(SITES) - set(names["site"]))
    headline = next(row["name"] for row in rows if row["class"] == "timed")
    expect(headline == "msg_per_s", headline)
    defaults = {row["name"]: row["class"] for row in rows if row["kind"] == "option"}
    expect(defaults.items() >= {"messages": "1000", "warmup": "100", "seed": "42", "mix": "seed",
                                "filter-peers": "0", "archive": "memory",
                                "archive-capacity": "25000"}.items(), defaults)


def check_builds_describe_alike():
    def probes(row):
        return row["kind"] == "build" and row["name"] == "probes"

    all_rows = [describe(worker) for worker in (TIMED, COUNTING, CHECKED)]
    expect([next(filter(probes, rows))["doc"] for rows in all_rows] == ["off", "on", "on"])
    timed, counting, checked = ([r for r in rows if not probes(r)] for rows in all_rows)
    expect(timed == counting == checked, "the builds describe themselves differently")


def check_sums(values, options):
    """Each bare counter is the sum of its parts, and what was counted has parts."""
    for (run_no, metric), value in values.items():
        parts = [v for (r, m), v in values.items() if r == run_no and m.startswith(metric + "/")]
        expect(not parts or sum(parts) == value, options, run_no, metric, value, parts)
        expect(all(part > 0 for part in parts), options, metric, "a part of nothing")
        expect(not metric.endswith("/other"), options, metric, "outside every site")
        if METRICS[metric.split("/")[0]]["unit"] == "B" and "/" not in metric and value > 0:
            is_level = METRICS[metric]["class"] == "level"
            is_given = metric == "payload_bytes"  # of the workload, not counted on the path
            expect(parts or is_level or is_given, options, metric, "has no sites")


def check_variants():
    """A pass of each variant in both builds."""
    expected = digests(seed=42, bins=[(10_000, 25), (50_000, 50), (150_000, 25)],
                       n_warmup=100, n_messages=N, n_runs=2)
    has_totals = allocator().startswith("jemalloc")
    counted = {}
    for variant in VARIANTS:
        timed, counting = run(TIMED, variant), run(COUNTING, variant)
        check_sums(counting, variant)
        counted[variant] = counting
        for no in (1, 2):
            for values in (timed, counting):
                expect(values[no, "digest"] == expected[no], variant, no, "digest")
                for metric in ("messages", "delivered", "archived"):
                    expect(values[no, metric] == N, variant, no, metric)
                for metric in ("rejected", "refused", "pushed"):
                    expect(values[no, metric] == 0, variant, no, metric)
            expect((no, "copies") not in timed, variant, "the timed build counts")
            for metric in ("usable_bytes", "freed_bytes"):
                if has_totals:
                    expect(timed[no, metric] == counting[no, metric], variant, no, metric,
                           timed[no, metric], counting[no, metric])
                else:
                    expect((no, metric) not in timed, variant, "totals of", allocator())
    if not has_totals:
        print(f"# not compared: usable_bytes of the timed worker (allocator: {allocator()})")
    check_churn(counted)


def check_churn(counted):
    """Transient copies move the cumulative counters alone, by exactly their sizes."""
    base = counted["churn2"]
    for k in (4, 8, 16):
        other = counted[f"churn{k}"]
        for no in (1, 2):
            for metric in ("live_bytes", "peak_bytes"):
                expect(other[no, metric] == base[no, metric], k, no, metric)
            copied = (k - 2) * (PAYLOAD_BYTES + TOPIC_BYTES * N)
            expect(other[no, "copied_bytes"] - base[no, "copied_bytes"] == copied, k, no, "copied")
            requested = other[no, "requested_bytes"] - base[no, "requested_bytes"]
            header = (counted["churn2"][no, "requested_bytes"]
                      - counted["after"][no, "requested_bytes"]
                      - 2 * (PAYLOAD_BYTES + TOPIC_BYTES * N)) / (2 * N)
            expect(header.is_integer() and 0 < header < 256, "a copy's header", header)
            expect(requested == copied + (k - 2) * N * header, k, no, "requested", requested)
            expect(other[no, "allocs"] - base[no, "allocs"] == (k - 2) * N, k, no, "allocs")


def check_no_growth():
    """With a full archive everything that comes goes again: nothing leaks from run to run."""
    for variant in VARIANTS:
        for archive in (("--archive-capacity", "4"), ("--archive", "none")):
            values = run(COUNTING, variant, *archive, "--mix", "50k:1", "--filter-peers", "2", n=30)
            for given, back in (("allocs", "frees"), ("usable_bytes", "freed_bytes")):
                expect(values[2, given] == values[2, back], variant, archive, back)
            expect(values[1, "live_bytes"] == values[2, "live_bytes"], variant, archive, "live")
            expect(values[1, "peak_bytes"] == values[2, "peak_bytes"], variant, archive, "peak")


def check_repeats():
    """Exact rows repeat, in another place, language and with another environment too."""
    for worker, variant in ((COUNTING, "before"), (COUNTING, "floor"), (TIMED, "after")):
        options = ("--mix", "8:1,100-3000:3,50k:1", "--filter-peers", "3", "--seed", "7")
        first = exact(run(worker, variant, *options))
        long_env = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8",
                    "MPB_PADDING": "x" * 10_000}
        for how in ({}, {}, {"env": long_env, "cwd": "/"}, {"env": {}},
                    {"preexec_fn": lambda: os.close(0)}):
            expect(exact(run(worker, variant, *options, **how)) == first, variant, how.keys())
        other = exact(run(worker, variant, *options[:-1], "8"))
        expect(other[1, "digest"] != first[1, "digest"], "another seed, the same digest")


def check_sqlite():
    """What SQLite allocates is counted to the byte, repeats, and goes with its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.db")
        for archive, n_passes in (("sqlite", 5), (f"sqlite:{path}", 2)):  # a file is synced: slow
            for variant, *more in (("before",), ("after", "--archive-capacity", "20"), ("floor",)):
                options = ("--archive", archive, "--mix", "8:1,5k:1,60k:1", "--warmup", "5", *more)
                passes = [run(COUNTING, variant, *options, n=30) for _ in range(n_passes)]
                expect(all(exact(p) == exact(passes[0]) for p in passes), options, "repeats")
                check_sums(passes[0], options)
                timed = run(TIMED, variant, *options, n=30)
                for metric in ("usable_bytes", "freed_bytes"):
                    for no in (1, 2):
                        expect(timed.get((no, metric), passes[0][no, metric])
                               == passes[0][no, metric], options, no, metric)
                expect(os.listdir(folder) == [], options, os.listdir(folder))
        check_sqlite_failures(path)


def check_sqlite_failures(path):
    """A file that is there is left alone; a full disk is a failed pass, with SQLite's words."""
    options = pass_options("before", "--archive", f"sqlite:{path}", n=50)
    ran = start(TIMED, *options, preexec_fn=lambda: (
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))))
    expect(ran.returncode == 1 and ran.stdout == "", "full disk", ran.returncode, ran.stdout)
    expect(re.fullmatch(r"msgpath-worker: micro: message \d+: SQLite cannot \w+: .*\n", ran.stderr),
           repr(ran.stderr))
    expect(not os.path.exists(path), "a failed pass leaves its file")
    with open(path, "w", encoding="utf-8") as file:
        file.write("mine")
    expect("already exists" in check_refused(*options) and os.path.getsize(path) == 4, "touched")
    for bad in ("/no/such/a.db", ".", "x" * 5000):
        check_refused(*pass_options("before", "--archive", f"sqlite:{bad}", n=1))


def check_reference_counts():
    """N = 1000, seed 42: the counts the reference document gives."""
    expected = {
        "before": {"decodes": 2000, "hashes": 2000, "hashed_bytes": 130_000_000,
                   "decoded_bytes": 130_109_500, "copies": 15_000, "encodes": 0},
        "after": {"decodes": 2000, "hashes": 1000, "hashed_bytes": 65_000_000,
                  "decoded_bytes": 130_109_500, "copies": 0, "encodes": 0},
        "floor": {"decodes": 1000, "hashes": 1000, "hashed_bytes": 65_000_000,
                  "decoded_bytes": 65_054_750, "copies": 0, "encodes": 0},
    }
    for variant, counts in expected.items():
        values = run(COUNTING, variant, n=1000)
        for no in (1, 2):
            for metric, value in counts.items():
                expect(values[no, metric] == value, variant, no, metric, values[no, metric])
            expect(values[no, "requested_bytes/inbound"] > 65_054_750, variant, "inbound")


def check_options():
    """Filter peers and archives: decodes, hashes, encodes, copies of a message."""
    table = [
        ("before", ("--filter-peers", "20"), 2, 4, 1, 35),
        ("before", ("--filter-peers", "1"), 2, 4, 1, 16),
        ("before-orc", ("--filter-peers", "20"), 2, 4, 1, 2),
        ("after", ("--filter-peers", "20"), 2, 1, 1, 0),
        ("floor", ("--filter-peers", "20"), 1, 1, 0, 0),
        ("before", ("--archive", "none"), 2, 1, 0, 13),
        ("before-orc", ("--archive", "none"), 2, 1, 0, 1),
        ("after", ("--archive", "none", "--filter-peers", "20"), 2, 1, 1, 0),
        ("before", ("--archive", "sqlite"), 2, 2, 0, 14),
        ("before", ("--archive", "sqlite", "--filter-peers", "20"), 2, 4, 1, 34),
        ("before-orc", ("--archive", "sqlite", "--archive-capacity", "7"), 2, 2, 0, 1),
        ("floor", ("--archive", "sqlite"), 1, 1, 0, 0),
        ("before", ("--archive-capacity", "1"), 2, 2, 0, 15),
        ("floor", ("--archive-capacity", "7", "--warmup", "0"), 1, 1, 0, 0),
        ("churn16", ("--mix", "8:1", "--warmup", "0"), 2, 1, 0, 16),
    ]
    for variant, options, *counts in table:
        for n in (1, 60):
            values = run(COUNTING, variant, "--mix", "8:1,5k:1", *options, n=n)
            check_sums(values, options)
            for metric, count in zip(("decodes", "hashes", "encodes", "copies"), counts):
                expect(values[1, metric] == count * n, variant, options, n, metric)
            expect(values[1, "archived"] == (0 if "none" in options else n), options, "archived")
            peers = int(options[options.index("--filter-peers") + 1]) if (
                "--filter-peers" in options) else 0
            expect(values[1, "pushed"] == peers * n, options, "pushed")


def check_bytes():
    """The byte-checking build compares what the application sees with the generator."""
    for variant in VARIANTS:
        run(CHECKED, variant, "--mix", "8:1,9-2000:5,70k:1", "--filter-peers", "2", n=50)


WRONG = {
    "--protocol": ["0", "2", "-1", "x", ""],
    "--scenario": ["macr", "", "Micro", "micro,macro"],
    "--variant": ["befo", "", "Before", "before,after", "before "],
    "--messages": ["0", "1000001", "-1", "1.5", "1e3", "1k", " 1", "1 ", "x", "",
                   "18446744073709551616"],
    "--warmup": ["-1", "1000001", "x", ""],
    "--seed": ["-1", "18446744073709551616", "0x10", "x", ""],
    "--mix": ["sead", "", "10k", "10k:0", "7:1", "17Mi:1", "9-8:1", "10kb:1", "8:1,", "a\nb",
              ",".join(["8:1"] * 33), "8:1," * 1000],
    "--filter-peers": ["-1", "10001", "x", ""],
    "--archive": ["postgres", "", "Memory", "sqlite:", "sqlite3", "SQLite"],
    "--archive-capacity": ["0", "-1", "10000001", "x", ""],
}


def check_refused(*options):
    ran = start(TIMED, *options)
    one_line = ran.stderr.count("\n") == 1 and ran.stderr.endswith("\n")
    expect(ran.returncode == 2 and one_line and ran.stdout == "", options, ran.returncode,
           repr(ran.stderr), repr(ran.stdout[:80]))
    expect(ran.stderr.startswith("msgpath-worker: "), repr(ran.stderr))
    return ran.stderr


def check_wrong_options():
    good = pass_options("after", n=1)
    for option, values in WRONG.items():
        for value in values:
            for words in ([option, value], [f"{option}={value}"]):
                said = check_refused(*good, *words)
                expect(option in said, option, "is not named:", said)
        expect(option in check_refused(*good, option), option, "without a value")
    for at in (0, 2, 4):  # each of the required three left out
        said = check_refused(*good[:at], *good[at + 2:])
        expect(good[at] in said and "required" in said, said)
    check_refused()
    for words in (["stray"], ["--", "stray"], ["--mesages", "5"], ["--describe=1"], ["--help=1"],
                  ["-x"], ["--" + "x" * 200], ["--", "--help"], ["\x1b[31m\n"]):
        check_refused(*good, *words)
    expect("--messages" in check_refused(*good, "--mesages", "5"), "no suggestion")


def check_unwritable():
    """Nothing printed is not a success."""
    for options in (pass_options("after", "--mix", "8:1", n=1), ["--describe"], ["--help"]):
        for worker in (TIMED, COUNTING):
            with open("/dev/full", "w", encoding="utf-8") as full:
                ran = start(worker, *options, capture_output=False, stdout=full,
                            stderr=subprocess.PIPE)
            expect(ran.returncode == 1 and ran.stderr.count("\n") == 1, options, "full", ran.stderr)
            ran = start(worker, *options, capture_output=False, stderr=subprocess.PIPE,
                        preexec_fn=lambda: os.close(1))
            expect(ran.returncode == 1 and ran.stderr.count("\n") == 1, options, "closed",
                   ran.stderr)


def check_help():
    ran = start(TIMED, "--help")
    expect(ran.returncode == 0 and ran.stderr == "", ran.stderr)
    expect(start(TIMED, "-h").stdout == ran.stdout, "-h")
    for option in WRONG:
        expect(option in ran.stdout, "--help without", option)
    expect(max(len(line) for line in ran.stdout.split("\n")) <= 100, "--help is wider than 100")


def check_little_memory():
    """Out of memory is one line and exit 1, never a crash or half the rows."""
    if not allocator().startswith("jemalloc"):
        print("# not checked: little memory (a sanitizer maps terabytes)")
        return
    outcomes = set()
    for mb in (60, 80, 100, 120, 160, 400):
        limit = mb << 20
        ran = start(COUNTING, *pass_options("before", n=300), preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (limit, limit)))
        outcomes.add(ran.returncode)
        if ran.returncode != 0:
            expect(ran.returncode == 1 and ran.stdout == "", mb, ran.returncode, ran.stderr)
            expect(re.fullmatch(r"(<jemalloc>.*\n)*msgpath-worker: .*\n", ran.stderr), mb,
                   repr(ran.stderr))
    expect(outcomes == {0, 1}, "the limits tested nothing", outcomes)


CHECKS = [check_describe, check_builds_describe_alike, check_variants, check_no_growth,
          check_repeats, check_sqlite, check_reference_counts, check_options, check_bytes,
          check_wrong_options, check_unwritable, check_help, check_little_memory]

if __name__ == "__main__":
    n_failed = 0
    for check in CHECKS:
        began = time.monotonic()
        try:
            check()
            print(f"ok - {check.__name__} ({time.monotonic() - began:.1f} s)")
        except Fault as fault:
            n_failed += 1
            print(f"not ok - {check.__name__}: {fault}")
    sys.exit(1 if n_failed else 0)
